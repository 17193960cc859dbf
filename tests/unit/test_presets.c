/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * presets: every file of configs/ is what its name says: read, unlike the others, with kernels that
 * its machine has, and planned with the bounds that its row in the README names.
 */
#include "tests/unit/knl.h"
#include "tests/unit/test.h"

#include "ert/core/machine/discover.h"
#include "ert/core/sweep/plan.h"

#include <glob.h>
#include <unistd.h>

#define GIB(n) ((uint64_t)(n) << 30)

static struct ert_error error;

static void file_of(const char *name, char file[1024])
{
    const char *top = getenv("top_srcdir");
    snprintf(file, 1024, "%s/configs/%s.json", top ? top : ".", name);
}

static struct ert_config preset(const char *name)
{
    struct ert_config config;
    char file[1024];
    file_of(name, file);
    ert_config_default(&config);
    if (ert_config_read(file, &config, &error) != ERT_OK)
        fail_msg("%s", error.text);
    return config;
}

/* A config without its name. */
static struct ert_config unnamed(struct ert_config config)
{
    memset(config.name, 0, sizeof config.name);
    return config;
}

static bool is_same(struct ert_config a, struct ert_config b)
{
    a = unnamed(a);
    b = unnamed(b);
    char *text_a = NULL, *text_b = NULL;
    cJSON *json_a = ert_config_to_json(&a), *json_b = ert_config_to_json(&b);
    text_a = cJSON_PrintUnformatted(json_a);
    text_b = cJSON_PrintUnformatted(json_b);
    bool same = strcmp(text_a, text_b) == 0;
    free(text_a);
    free(text_b);
    cJSON_Delete(json_a);
    cJSON_Delete(json_b);
    return same;
}

/* Each bears its file's name, and none is another under a second name. */
static void presets_differ(void **state)
{
    char pattern[1024];
    struct ert_config all[64];
    glob_t found;
    file_of("*", pattern);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_in_range(found.gl_pathc, 16, 64);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.63s", strrchr(found.gl_pathv[i], '/') + 1);
        *strrchr(name, '.') = '\0';
        all[i] = preset(name);
        assert_string_equal(all[i].name, name);
        for (size_t k = 0; k < i; k++)
            if (is_same(all[i], all[k]))
                fail_msg("%s is %s under another name", name, all[k].name);
    }
    globfree(&found);
}

static void names_of_options(void **state)
{
    struct ert_config config;
    ert_config_default(&config);
    assert_true(is_same(config, preset("auto")));
    ert_config_quick(&config);
    assert_true(is_same(config, preset("quick")));
    ert_config_default(&config);
    ert_config_full(&config);
    assert_true(is_same(config, preset("full")));
}

/* What a machine has, and what it lacks, as words of kernel names. */
static void kernels_are_the_machines(void **state)
{
    static const struct {
        const char *name, *device, *has[8], *lacks[8];
    } machines[] = {
        {"v100",
         "gpu",             {"mma_fp16", "add_fp64", "issue"},
         {"bf16", "tf32", "fp8", "mma_fp64", "int8", "wgmma"}                                    },
        {"a100",     "gpu", {"mma_fp64", "mma_tf32", "fma_bf16"}, {"fp8", "wgmma"}               },
        {"h100",     "gpu", {"wgmma_fp8", "mma_fp64", "chase"},   {"amx", "dot_"}                },
        {"h200",     "gpu", {"wgmma_int8", "h2d_pageable"},       {"amx", "dot_"}                },
        {"knl",      "cpu", {"store_nt", "update", "triad"},      {"fp16", "bf16", "int8", "amx"}},
        {"xeon",     "cpu", {"amx_bf16", "dot_int8", "fma_fp16"}, {"mma_", "h2d"}                },
        {"xeon-max", "cpu", {"amx_int8", "store_nt", "triad"},    {"mma_", "h2d"}                },
        {"epyc",     "cpu", {"dot_bf16", "dot_int8"},             {"amx", "fp16"}                },
        {"grace",    "cpu", {"fma_fp16", "dot_int8"},             {"amx", "dot_bf16"}            },
        {"graviton", "cpu", {"fma_fp16", "atomic_one"},           {"amx", "dot_bf16"}            },
    };
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        struct ert_config config = preset(machines[i].name);
        bool is_gpu = strcmp(machines[i].device, "gpu") == 0;
        assert_string_equal(config.device, machines[i].device);
        for (int k = 0; k < ERT_N_KERNELS; k++) {
            enum ert_kernel_id id = (enum ert_kernel_id)k;
            const char *kernel = ert_kernel_row(id)->name;
            if (!config.kernels[k])
                continue;
            if (!(is_gpu ? ert_kernel_on_gpu(id) : ert_kernel_on_cpu(id)))
                fail_msg("%s: %s does not run there", machines[i].name, kernel);
            for (int w = 0; machines[i].lacks[w]; w++)
                if (strstr(kernel, machines[i].lacks[w]) && strncmp(kernel, "peer", 4) != 0)
                    fail_msg("%s: %s", machines[i].name, kernel);
        }
        for (int w = 0; machines[i].has[w]; w++) {
            enum ert_kernel_id id;
            assert_int_equal(ert_kernel_find(machines[i].has[w], &id, &error), ERT_OK);
            if (!config.kernels[id])
                fail_msg("%s: no %s", machines[i].name, machines[i].has[w]);
        }
        assert_true(config.kernels[ERT_KERNEL_load] && config.kernels[ERT_KERNEL_fma_fp64]);
        assert_true(config.sections[ERT_SECTION_CONCURRENCY] ||
                    strcmp(machines[i].name, "h200") == 0);
        assert_int_equal(config.sections[ERT_SECTION_NUMA], !is_gpu);
        assert_int_equal(config.sections[ERT_SECTION_LINKS], is_gpu);
    }
}

static struct ert_samples samples;

/* Plans a preset for a machine that a file describes. */
static void plan_file(const char *name, const char *file)
{
    ert_samples_free(&samples);
    samples = (struct ert_samples){.config = preset(name)};
    if (ert_discover_host(file, &samples.machine, &error) != ERT_OK)
        fail_msg("%s", error.text);
    samples.machine.n_devices = 1;
    samples.machine.devices[0].cpu.isa = (struct ert_isa){
        .sse2 = true, .avx = true, .avx2 = true, .fma = true, .avx512f = true};
    if (ert_plan_make(&samples, &error) != ERT_OK)
        fail_msg("%s: %s", name, error.text);
}

static void plan_knl(const char *machine)
{
    char file[] = "/tmp/ert-presets-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(knl_write(knl_find(machine), file), 0);
    plan_file("knl", file);
    unlink(file);
}

/* The largest set of a section's loads (to: of which place), and how many. */
static uint64_t largest(enum ert_section section, uint32_t to, size_t *n)
{
    uint64_t most = 0;
    *n = 0;
    for (size_t i = 0; i < samples.devices[0].n_points; i++) {
        const struct ert_point *point = &samples.devices[0].points[i];
        if (point->section != section || point->spec.kernel != ERT_KERNEL_load ||
            point->spec.to != to)
            continue;
        most = point->spec.requested_bytes > most ? point->spec.requested_bytes : most;
        ++*n;
    }
    return most;
}

static void knl_in_its_modes(void **state)
{
    size_t n;
    plan_knl("quad-cache-7250");
    assert_int_equal(largest(ERT_SECTION_LEVELS, 0, &n), GIB(40));
    plan_knl("snc4-flat-7250");
    assert_int_equal(largest(ERT_SECTION_LEVELS, 1 + 4, &n), UINT64_C(4 * 34) << 20);
    for (uint32_t node = 0; node < 8; node++) {
        assert_int_equal(largest(ERT_SECTION_NUMA, 1 + node, &n), UINT64_C(4 * 34) << 20);
        assert_int_equal(n, 1);
    }
    for (size_t i = 0; i < samples.devices[0].n_points; i++)
        assert_true(samples.devices[0].points[i].variant.isa[0] == '\0' ||
                    strcmp(samples.devices[0].points[i].variant.isa, "avx512") == 0);
}

static void xeon_of_two_sockets(void **state)
{
    const char *top = getenv("top_srcdir");
    char file[1024];
    size_t n;
    snprintf(file, sizeof file, "%s/tests/data/topologies/cascadelake-6230-2s.xml",
             top ? top : ".");
    plan_file("xeon", file);
    assert_int_equal(largest(ERT_SECTION_LEVELS, 0, &n), UINT64_C(4 * 2 * 28160) << 10);
    largest(ERT_SECTION_NUMA, 1, &n);
    assert_int_equal(n, 2); /* from either socket */
}

/* Real machines beside the checkout, where it is developed. */
static void large_caches_are_passed(void **state)
{
    static const struct {
        const char *preset, *file;
        uint64_t set_bytes;
    } machines[] = {
        {"epyc",     "epyc-9654-2s.xml",     4 * UINT64_C(24) * (32 << 20)  },
        {"xeon-max", "xeon-max-9460-2s.xml", 4 * 2 * (UINT64_C(99840) << 10)},
    };
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        const char *top = getenv("top_srcdir");
        char file[1024];
        size_t n;
        snprintf(file, sizeof file, "%s/../shared/data/topologies/%s", top ? top : ".",
                 machines[i].file);
        if (access(file, R_OK) != 0) {
            printf("# not here: %s\n", file);
            continue;
        }
        plan_file(machines[i].preset, file);
        assert_int_equal(largest(ERT_SECTION_LEVELS, 0, &n), machines[i].set_bytes);
    }
}

static int free_samples(void **state)
{
    ert_samples_free(&samples);
    return 0;
}

int main(void)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192];
    struct ert_device any = {.kind = ERT_DEVICE_CPU, .cpu.isa = {.avx512f = true}};
    struct ert_session_options options = {0};
    unsetenv("HWLOC_XMLFILE");
    unsetenv("HWLOC_SYNTHETIC");
    const struct CMUnitTest files[] = {
        cmocka_unit_test(presets_differ),
        cmocka_unit_test(names_of_options),
        cmocka_unit_test(kernels_are_the_machines),
    };
    const struct CMUnitTest all[] = {
        cmocka_unit_test(presets_differ),
        cmocka_unit_test(names_of_options),
        cmocka_unit_test(kernels_are_the_machines),
        cmocka_unit_test(knl_in_its_modes),
        cmocka_unit_test(xeon_of_two_sockets),
        cmocka_unit_test(large_caches_are_passed),
    };
    /* Plans for x86 need a build that has kernels for it. */
    bool has_x86 =
        ert_backend_cpu.variants(&any, &options, ERT_KERNEL_load, ERT_PATH_CACHED, variants,
                                 reason, sizeof reason) > 0;
    return has_x86 ? cmocka_run_group_tests(all, NULL, free_samples)
                   : cmocka_run_group_tests(files, NULL, free_samples);
}
