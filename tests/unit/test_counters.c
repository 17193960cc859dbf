/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters: ncu's table, the sums of a region, and the verdict on them, against numbers counted by
 * hand; regions written and read back.
 */
#include "tests/unit/test.h"

#include "ert/ext/validate/claims.h"
#include "ert/ext/validate/ncu.h"

static const struct ert_level l1 = {.kind = ERT_LEVEL_CACHE, .path = ERT_PATH_CACHED};
static const struct ert_level l2 = {.kind = ERT_LEVEL_CACHE, .path = ERT_PATH_BYPASS_L1};
static const struct ert_level hbm = {.kind = ERT_LEVEL_MEMORY, .path = ERT_PATH_BYPASS_L1};

/* As ncu prints it: other lines in between, thousands separators, prefixed units, nan. */
static const char table[] =
    "==PROF== Connected to process 444 (/home/user/ert)\n"
    "{\"ert-region\": \"x\"}\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Grid Size\",\"dram__bytes.sum\","
    "\"lts__t_sectors_srcunit_tex.sum\",\"lts__t_sector_hit_rate.pct\","
    "\"sm__sass_thread_inst_executed_op_dfma_pred_on.sum\"\n"
    "\"\",\"\",\"\",\"\",\"Mbyte\",\"sector\",\"%\",\"inst\"\n"
    "\"0\",\"444\",\"load_flat\",\"(8, 1, 1)\",\"1.5\",\"100\",\"1\",\"0\"\n"
    "\"1\",\"444\",\"lead\",\"(1, 1, 1)\",\"0\",\"0\",\"nan\",\"0\"\n"
    "==PROF== something\n"
    "\"2\",\"444\",\"void load_flat<256, 4>(ert_cuda_arguments)\",\"(8, 9, "
    "1)\",\"1,024.5\","
    "\"1,000,000\",\"99.5\",\"7\"\n"
    "\"3\",\"444\",\"lead\",\"(1, 1, 1)\",\"0\",\"0\",\"0\",\"0\"\n"
    "\"4\",\"444\",\"stream_flat\",\"(8, 1, 1)\",\"1\",\"10\",\"50\",\"1\"\n"
    "\"5\",\"444\",\"stream_flat\",\"(8, 1, 1)\",\"1\",\"20\",\"100\",\"2\"\n";

static struct ert_ncu_launches read_table(void)
{
    const char *const *metrics;
    size_t n = ert_ncu_metrics(&metrics);
    struct ert_ncu_launches launches;
    struct ert_error error;
    assert_int_equal(ert_ncu_csv_read(table, metrics, n, &launches, &error), ERT_OK);
    return launches;
}

static void a_table_is_read(void **state)
{
    static const char *const metrics[] = {"dram__bytes.sum", "lts__t_sector_hit_rate.pct",
                                          "no such metric"};
    struct ert_ncu_launches launches;
    struct ert_error error;
    assert_int_equal(ert_ncu_csv_read(table, metrics, 3, &launches, &error), ERT_OK);
    assert_int_equal(launches.n, 6);
    assert_string_equal(launches.names[2], "load_flat");
    assert_string_equal(launches.names[1], "lead");
    assert_close(launches.values[2 * 3], 1024.5e6, 1e-15);
    assert_true(isnan(launches.values[1 * 3 + 1]));
    assert_true(isnan(launches.values[2 * 3 + 2]));
    ert_ncu_csv_free(&launches);
    assert_int_equal(ert_ncu_csv_read("==ERROR== no\n", metrics, 3, &launches, &error),
                     ERT_UNAVAILABLE);
    assert_int_equal(
        ert_ncu_csv_read("\"ID\"\n\"\"\n\"0\"\n\"", metrics, 3, &launches, &error), ERT_OK);
    assert_int_equal(launches.n,
                     1); /* no name, no numbers; the line behind it is cut off */
    assert_true(isnan(launches.values[0]));
    ert_ncu_csv_free(&launches);
}

static void regions_are_summed(void **state)
{
    struct ert_ncu_launches launches = read_table();
    struct ert_counters counters;
    struct ert_error error;
    assert_int_equal(
        ert_ncu_sum(&launches, 0, "load_flat", 1, ERT_KERNEL_load, &l2, &counters, &error),
        ERT_OK);
    assert_close(counters.level_bytes, 32e6, 1e-15);
    assert_close(counters.deeper_bytes, 1024.5e6, 1e-15);
    assert_close(counters.hit_rate, 0.995, 1e-15);
    assert_true(isnan(counters.flops)); /* load has none */
    assert_int_equal(ert_ncu_sum(&launches, 1, "stream_flat", 2, ERT_KERNEL_triad, &hbm,
                                 &counters, &error),
                     ERT_OK);
    assert_close(counters.level_bytes, 2e6, 1e-15);
    assert_true(isnan(counters.deeper_bytes));
    assert_close(counters.flops, 6, 1e-15);
    assert_int_equal(ert_ncu_sum(&launches, 1, "stream_flat", 2, ERT_KERNEL_ert_fp64, NULL,
                                 &counters, &error),
                     ERT_OK);
    assert_close(counters.flops, 6, 1e-15);
    assert_int_equal(ert_ncu_sum(&launches, 1, "stream_flat", 3, ERT_KERNEL_triad, &hbm,
                                 &counters, &error),
                     ERT_UNAVAILABLE);
    assert_contains(error.text, "2 of 3 launches of stream_flat");
    assert_int_equal(
        ert_ncu_sum(&launches, 2, "load_flat", 1, ERT_KERNEL_load, &l1, &counters, &error),
        ERT_UNAVAILABLE);
    assert_int_equal(ert_ncu_sum(&launches, 0, "chains", 1, ERT_KERNEL_fma_fp64, NULL,
                                 &counters, &error),
                     ERT_UNAVAILABLE);
    ert_ncu_csv_free(&launches);
}

#define VERDICT(kernel, word, text, bytes, flops, ...)                                     \
    {                                                                                      \
        ERT_KERNEL_##kernel, ERT_##word, text, bytes, flops,                               \
        {                                                                                  \
            __VA_ARGS__                                                                    \
        }                                                                                  \
    }

static void what_agrees_and_what_differs(void **state)
{
    /* What the tool counted, and then: bytes of the level and the deeper one, hits, operations. */
    static const struct {
        enum ert_kernel_id kernel;
        const char *word, *text;
        double bytes, flops;
        struct ert_counters counters;
    } rows[] = {
        VERDICT(load, AGREES, "", 1000, 0, 1000, 5, 0.999, NAN),
        VERDICT(load, AGREES, "", 1000, 0, 1009, 5, 0.999, NAN),
        VERDICT(load, DIFFERS, "counted bytes / ours 1.011", 1000, 0, 1011, 5, 0.999, NAN),
        VERDICT(load, DIFFERS, "counted bytes / ours 0.904", 1000, 0, 904, NAN, NAN, NAN),
        VERDICT(load, DIFFERS, "of the deeper level 0.021", 1000, 0, 1000, 21, 0.9, NAN),
        VERDICT(fma_fp64, AGREES, "", 0, 512, NAN, NAN, NAN, 512),
        VERDICT(fma_fp64, DIFFERS, "operations / ours 0.125", 0, 512, NAN, NAN, NAN, 64),
        VERDICT(triad, DIFFERS, "operations / ours 0.5", 1000, 400, 1000, 1, 0.99, 200),
        VERDICT(chase, NOT_THERE, "between the profiler's passes", 0, 0, 500, 1, 0.98, NAN),
        VERDICT(load, NOT_THERE, "no counter", 1000, 0, NAN, NAN, NAN, NAN),
        /* Zen 4 counts no accesses of 64 bytes, but what came from beyond the level. */
        VERDICT(load, AGREES, "", 1000, 0, NAN, 20, NAN, NAN),
        VERDICT(load, DIFFERS, "of the deeper level 0.021", 1000, 0, NAN, 21, NAN, NAN),
        /* ERT's bytes go through every level: no counter tells whose they are. */
        VERDICT(ert_fp64, AGREES, "", 1000, 512, 500, 400, 0.5, 512),
        VERDICT(ert_fp64, DIFFERS, "operations / ours 0.5", 1000, 512, NAN, NAN, NAN, 256),
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ert_proof proof = {0};
        struct ert_region_totals totals = {.bytes = rows[i].bytes, .flops = rows[i].flops};
        ert_counters_judge(&rows[i].counters, &totals, rows[i].kernel, &proof);
        if (strcmp(proof.counters.word, rows[i].word) != 0)
            fail_msg("row %zu: %s: %s", i, proof.counters.word, proof.counters.text);
        assert_contains(proof.counters.text, rows[i].text);
    }
}

/* 16-bit instructions are two operations each, whichever ptxas took; FP8 may be counted as FP16. */
static void halves_and_tensors_are_summed(void **state)
{
    static const char halves[] =
        "\"ID\",\"Kernel Name\",\"sm__sass_thread_inst_executed_op_hadd_pred_on.sum\","
        "\"sm__sass_thread_inst_executed_op_hfma_pred_on.sum\","
        "\"sm__ops_path_tensor_src_fp16.sum\",\"sm__ops_path_tensor_src_fp8.sum\","
        "\"smsp__inst_executed_op_global_red.sum\",\"smsp__inst_executed_op_shared_atom."
        "sum\"\n"
        "\"\",\"\",\"inst\",\"inst\",\"\",\"\",\"inst\",\"inst\"\n"
        "\"0\",\"lead\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\"\n"
        "\"1\",\"k\",\"100\",\"200\",\"7\",\"5\",\"3\",\"2\"\n";
    static const struct {
        enum ert_kernel_id kernel;
        double flops;
    } rows[] = {
        {ERT_KERNEL_add_fp16,       600 },
        {ERT_KERNEL_fma_bf16,       1200},
        {ERT_KERNEL_wgmma_fp16,     7   },
        {ERT_KERNEL_mma_fp8,        12  },
        {ERT_KERNEL_atomic_l2_fp32, 160 }, /* lanes of warps */
        {ERT_KERNEL_ert_fp16,       0   }, /* unknown: no claim says what is folded */
    };
    const char *const *metrics;
    size_t n = ert_ncu_metrics(&metrics);
    struct ert_ncu_launches launches;
    struct ert_counters counters;
    struct ert_error error;
    assert_int_equal(ert_ncu_csv_read(halves, metrics, n, &launches, &error), ERT_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(
            ert_ncu_sum(&launches, 0, "k", 1, rows[i].kernel, NULL, &counters, &error),
            ERT_OK);
        assert_close(counters.flops, rows[i].flops, 1e-15);
    }
    assert_int_equal(
        ert_ncu_sum(&launches, 0, "k", 1, ERT_KERNEL_mma_fp64, NULL, &counters, &error),
        ERT_OK);
    assert_true(isnan(counters.flops));
    assert_true(ert_ncu_is_sequence(ERT_KERNEL_div_fp64));
    assert_false(ert_ncu_is_sequence(ERT_KERNEL_fma_fp64));
    ert_ncu_csv_free(&launches);
}

static void refusals_are_explained(void **state)
{
    char reason[256];
    ert_ncu_explain("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n",
                    "ert", reason, sizeof reason);
    assert_contains(reason, "NVreg_RestrictProfilingToAdminUsers");
    ert_ncu_explain("\nsome words\n==ERROR== Failed to find metric x\n", "ert", reason,
                    sizeof reason);
    assert_string_equal(reason, "ncu: ==ERROR== Failed to find metric x");
    ert_ncu_explain("", "ert", reason, sizeof reason);
    assert_contains(reason, "no output");
}

static void regions_are_read_back(void **state)
{
    char text[2048] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    struct ert_region region = {.name = "L1-load"};
    assert_non_null(out);
    region.spec.kernel = ERT_KERNEL_triad;
    region.work = (struct ert_work){.bytes_per_pass = 3e9 + 1, .flops_per_pass = 0.5};
    region.sample = (struct ert_sample){.time_s = 0.25, .passes = 3};
    fprintf(out, "==PROF== {\n");
    ert_region_print(out, &region);
    fprintf(out, "\"ID\",\"Kernel Name\"\n");
    snprintf(region.name, sizeof region.name, "second");
    ert_region_print(out, &region);
    fprintf(out, "{\"ert-region\": oops}\n");
    fclose(out);
    struct ert_region_totals totals[4];
    assert_int_equal(ert_regions_read(text, totals, 4), 2);
    assert_string_equal(totals[0].name, "L1-load");
    assert_string_equal(totals[1].name, "second");
    assert_int_equal(totals[0].passes, 3);
    assert_true(totals[0].bytes == 3 * (3e9 + 1) && totals[0].flops == 1.5);
    assert_int_equal(ert_regions_read(text, totals, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_read),
        cmocka_unit_test(regions_are_summed),
        cmocka_unit_test(what_agrees_and_what_differs),
        cmocka_unit_test(halves_and_tensors_are_summed),
        cmocka_unit_test(refusals_are_explained),
        cmocka_unit_test(regions_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
