/* SPDX-License-Identifier: BSD-3-Clause */
/* ert110_file: ERT's own configuration files: what applies, what is said not to, and bad lines. */
#include "tests/unit/test.h"

#include "ert/core/base/file.h"
#include "ert/core/sweep/config.h"
#include "ert/ext/ert110/ert110.h"

#include <unistd.h>

static struct ert_config config;
static struct ert_error error;

static enum ert_status read_data(const char *name)
{
    char file[1024];
    const char *source = getenv("top_srcdir");
    snprintf(file, sizeof file, "%s/%s", source ? source : ".", name);
    ert_config_default(&config);
    return ert_config_read(file, &config, &error);
}

static enum ert_status read_text(const char *text)
{
    char file[] = "/tmp/ert-lbnl-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
    ert_config_default(&config);
    enum ert_status status = ert_config_read(file, &config, &error);
    unlink(file);
    return status;
}

static bool has_remark(const char *a, const char *b)
{
    for (uint32_t i = 0; i < config.n_remarks; i++)
        if (strstr(config.remarks[i], a) && strstr(config.remarks[i], b))
            return true;
    return false;
}

static void is_recognized_by_content(void **state)
{
    assert_int_equal(read_text("# words\n\nERT_RESULTS x\n"), ERT_OK);
    assert_true(config.sections[ERT_SECTION_ert110]);
    assert_int_equal(read_text("\t ERT_FLOPS 1\n"), ERT_OK);
    assert_true(config.sections[ERT_SECTION_ert110]);
    assert_int_equal(read_text("{\"schema\": \"ert-config/2\"}"), ERT_OK);
    assert_false(config.sections[ERT_SECTION_ert110]);
    assert_int_equal(read_text("# ERT_FLOPS 1\n"), ERT_USAGE);
    assert_int_equal(read_text(""), ERT_USAGE);
}

static void a_cpu_config_is_honoured(void **state)
{
    static const uint32_t threads[] = {4, 8}; /* 1x4 1x8 2x2 2x4 4x1 4x2 */
    if (read_data("tests/data/ert/config.cpu") != ERT_OK)
        fail_msg("%s", error.text);
    assert_string_equal(config.name, "config.cpu");
    assert_string_equal(config.device, "cpu");
    assert_true(config.sections[ERT_SECTION_ert110]);
    assert_false(config.sections[ERT_SECTION_LEVELS]);
    assert_true(config.kernels[ERT_KERNEL_ert_fp64]);
    for (int i = 0; i < ERT_N_MIXED_FLOPS; i++)
        assert_int_equal(config.mixed_flops[i], i == 0 || i == 1 || i == 2 || i == 4);
    assert_int_equal(ert110_own_options(&config)->n_threads, 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(ert110_own_options(&config)->threads[i], threads[i]);
    assert_int_equal(ert110_own_options(&config)->memory.bytes, 16777216);
    assert_int_equal(ert110_own_options(&config)->set_min, 16);
    assert_int_equal(ert110_own_options(&config)->trials_min, 2);
    assert_int_equal(ert110_own_options(&config)->memory.align_bytes, 32);
    assert_int_equal(ert110_own_options(&config)->memory.is_aligned, 1);
    assert_int_equal(ert110_own_options(&config)->at_once, 1);
    assert_string_equal(config.isa, "avx2");
    assert_int_equal(config.rounds, 3);
    assert_true(config.budget_s == 0);
}

static void what_does_not_apply_is_said(void **state)
{
    assert_int_equal(read_data("tests/data/ert/config.cpu"), ERT_OK);
    assert_true(has_remark("ERT_MPI:", "one process"));
    assert_true(has_remark("not applied:", "ERT_RUN"));
    assert_true(has_remark("not applied:", "ERT_FLAVOUR"));
    assert_false(has_remark("not applied:", "ERT_FLOPS"));
    assert_true(has_remark("ERT_MEMORY_MAX appears more than once", "line 31"));
    assert_true(has_remark("ERT_FLOPS: 2 left out", ": 5, 6"));
    assert_true(
        has_remark("not applied: the kernel of ERT's C sources", "neither ERT_PRECISION"));
}

/* Nor is anything dropped for want of place: of long ranges, all the flags, and unknown keys. */
static void much_that_does_not_apply_is_said(void **state)
{
    assert_int_equal(read_text("ERT_FLOPS 1-1024\n"), ERT_OK);
    assert_true(has_remark("ERT_FLOPS: 1013 left out", ": 3, 5, 6, 7, 9"));
    assert_int_equal(read_text("ERT_FLOPS 1,1000-1023\n"), ERT_OK);
    assert_true(has_remark("ERT_FLOPS: 24 left out", ": 1000, 1001,"));
    assert_true(has_remark("ERT_FLOPS: 24 left out", ", 1008, 1009, ..."));
    assert_int_equal(
        read_text("ERT_SPEC_GBYTES_L1_OF_A_LONG_NAME_THAT_IS_OF_NO_USE 1\n"
                  "ERT_SPEC_GBYTES_L2_OF_A_LONG_NAME_THAT_IS_OF_NO_USE 1\n"
                  "ERT_SPEC_GBYTES_L3_OF_A_LONG_NAME_THAT_IS_OF_NO_USE 1\n"
                  "ERT_SPEC_GBYTES_L4_OF_A_LONG_NAME_THAT_IS_OF_NO_USE 1\nERT_SPEC_X 1\n"),
        ERT_OK);
    assert_true(has_remark("not applied: ERT_SPEC_GBYTES_L1",
                           "_L3_OF_A_LONG_NAME_THAT_IS_OF_NO_USE and 2 more"));
}

static void a_gpu_config_is_honoured(void **state)
{
    static const uint32_t shapes[][2] = {
        {16, 256},
        {32, 128},
        {32, 256},
        {64, 64 },
        {64, 128}
    };
    if (read_data("tests/data/ert/config.gpu") != ERT_OK)
        fail_msg("%s", error.text);
    assert_string_equal(config.device, "gpu");
    assert_true(config.kernels[ERT_KERNEL_ert_fp64] && config.kernels[ERT_KERNEL_ert_fp32]);
    assert_false(config.kernels[ERT_KERNEL_ert_fp16]);
    assert_int_equal(ert110_own_options(&config)->n_shapes, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(ert110_own_options(&config)->shapes[i].blocks, shapes[i][0]);
        assert_int_equal(ert110_own_options(&config)->shapes[i].threads, shapes[i][1]);
    }
    assert_true(ert110_own_options(&config)->growth == 1.3);
    assert_int_equal(ert110_own_options(&config)->set_min, 128);
}

/* Through samples.json and back, remarks and lists too. */
static void json_round_trips(void **state)
{
    struct ert_config again;
    for (int gpu = 0; gpu < 2; gpu++) {
        assert_int_equal(
            read_data(gpu ? "tests/data/ert/config.gpu" : "tests/data/ert/config.cpu"),
            ERT_OK);
        ert_config_default(&again);
        cJSON *root = ert_config_to_json(&config);
        if (ert_config_from_json(ert_json_root(root, "text"), &again, &error) != ERT_OK)
            fail_msg("%s", error.text);
        cJSON_Delete(root);
        struct ert110_options *own = ert110_own_options(&config);
        own->n_threads = own->n_shapes = 0; /* those of an own file alone */
        memset(own->threads, 0, sizeof own->threads);
        memset(own->shapes, 0, sizeof own->shapes);
        assert_memory_equal(again.mode_options, config.mode_options,
                            sizeof again.mode_options);
        assert_int_equal(again.n_remarks, config.n_remarks);
        for (uint32_t i = 0; i < again.n_remarks; i++)
            assert_string_equal(again.remarks[i], config.remarks[i]);
        assert_memory_equal(again.kernels, config.kernels, sizeof again.kernels);
    }
}

static void bad_lines_are_named(void **state)
{
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"ERT_FLOPS 1,x\n",                  "line 1: ERT_FLOPS: '1,x', must be whole"      },
        {"ERT_FLOPS 4-2\n",                  "ERT_FLOPS: '4-2'"                             },
        {"ERT_FLOPS 0\n",                    "ERT_FLOPS: '0'"                               },
        {"ERT_FLOPS\n",                      "line 1: ERT_FLOPS: ''"                        },
        {"ERT_FLOPS 3,5\n",                  "must hold a power of two up to 1024"          },
        {"#\nERT_MEMORY_MAX 1G\n",           "line 2: ERT_MEMORY_MAX: '1G', must be a whole"},
        {"ERT_MEMORY_MAX -1\n",              "ERT_MEMORY_MAX: '-1'"                         },
        {"ERT_ALIGN 48\n",                   "ERT_ALIGN: '48', must be a power of two"      },
        {"ERT_NUM_EXPERIMENTS 0\n",          "ERT_NUM_EXPERIMENTS: '0'"                     },
        {"ERT_OPENMP yes\n",                 "ERT_OPENMP: 'yes', must be True or False"     },
        {"ERT_DRIVER driver2\n",             "ERT_DRIVER: 'driver2', must be driver1"       },
        {"ERT_KERNEL mine\n",                "ERT_KERNEL: 'mine', must be kernel1"          },
        {"ERT_PRECISION FP64 FP8\n",         "ERT_PRECISION: 'FP64 FP8', must be of FP64"   },
        {"ERT_PRECISION\n",                  "ERT_PRECISION: ''"                            },
        {"ERT_WSS_MULT 1\n",                 "ERT_WSS_MULT: '1', must be a number"          },
        {"ERT_WSS_MULT 1.1x\n",              "ERT_WSS_MULT: '1.1x'"                         },
        {"ERT_GPU True\nERT_GPU_BLOCKS 8\n", "ERT_BLOCKS_THREADS: no ERT_GPU_BLOCKS times"  },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (read_text(bad[i].text) != ERT_USAGE)
            fail_msg("accepted: %s", bad[i].text);
        assert_contains(error.text, bad[i].words);
        assert_contains(error.text, "/tmp/ert-lbnl-");
    }
    assert_int_equal(read_text("ERT_GPU True\nERT_GPU_BLOCKS 8\nERT_GPU_THREADS 2048\n"),
                     ERT_USAGE);
    assert_contains(error.text, "line 3: ERT_GPU_THREADS: '2048', must be at most 1024");
    assert_int_equal(read_text("ERT_MPI True\nERT_OPENMP True\nERT_MPI_PROCS 2\n"
                               "ERT_OPENMP_THREADS 1-4\nERT_PROCS_THREADS 5\n"),
                     ERT_USAGE);
    assert_contains(error.text,
                    "ERT_PROCS_THREADS: no ERT_MPI_PROCS times ERT_OPENMP_THREADS");
    assert_int_equal(read_text("ERT_MPI True\nERT_MPI_PROCS 2,65537\n"), ERT_USAGE);
    assert_contains(error.text, "ERT_OPENMP_THREADS: 65537, must be at most 65536");
    assert_int_equal(read_text("ERT_HIP True\n"), ERT_UNAVAILABLE);
    assert_contains(error.text, "line 1: ERT_HIP: True");
}

/* NERSC's own, where the project's shared data are. */
static void nersc_s_configs_are_read(void **state)
{
    static const struct {
        const char *name;
        uint32_t n_threads, n_shapes;
        const char *isa;
    } files[] = {
        {"knl",   1, 0, "avx512"},
        {"hsw",   1, 0, "avx2"  },
        {"volta", 0, 5, ""      },
    };
    for (size_t i = 0; i < 3; i++) {
        char name[128];
        snprintf(name, sizeof name, "../shared/data/ert/config.cori.nersc.gov.%s",
                 files[i].name);
        if (read_data(name) != ERT_OK)
            fail_msg("%s", error.text);
        assert_string_equal(config.isa, files[i].isa);
        assert_int_equal(ert110_own_options(&config)->n_shapes, files[i].n_shapes);
        if (files[i].n_threads)
            assert_int_equal(ert110_own_options(&config)->n_threads, files[i].n_threads);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_recognized_by_content),
        cmocka_unit_test(a_cpu_config_is_honoured),
        cmocka_unit_test(what_does_not_apply_is_said),
        cmocka_unit_test(much_that_does_not_apply_is_said),
        cmocka_unit_test(a_gpu_config_is_honoured),
        cmocka_unit_test(json_round_trips),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(nersc_s_configs_are_read),
    };
    char shared[1024];
    const char *source = getenv("top_srcdir");
    snprintf(shared, sizeof shared, "%s/../shared/data/ert/config.cori.nersc.gov.knl",
             source ? source : ".");
    /* Without the shared data the last one is left out (cmocka 1.1.5 counts a skip as failed). */
    size_t n = sizeof tests / sizeof tests[0] - (access(shared, R_OK) != 0);
    return _cmocka_run_group_tests("ert110_file", tests, n, NULL, NULL);
}
