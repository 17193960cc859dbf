/* SPDX-License-Identifier: BSD-3-Clause */
/* sde: NERSC's published numbers of STREAM; functions, FMA, layouts, bad input. */
#include "tests/unit/import_cpu_fixture.h"

/* docs.nersc.gov, "Measuring arithmetic intensity" */
static const double stream_flops = 4000000400.0, l1_bytes = 49869806228.0;

static void sde_gives_nersc_s_numbers(void **state)
{
    (void)state;
    import("sde/stream.txt");
    const struct rfl_point *stream = point("whole program");
    assert_int_equal(points.n, 1);
    assert_close(flops(stream, "fp64"), stream_flops, 0);
    assert_close(bytes(stream, "L1"), l1_bytes, 0);
    assert_close(flops(stream, "fp64") / bytes(stream, "L1"), 0.0802, 1e-3);
    assert_close(stream->work[0].fma_share, 0, 0);
    assert_close(stream->instructions, 5200000000.0, 0);
    assert_contains(missing(stream, "time"), "emulates");
    assert_contains(missing(stream, "DRAM bytes"), "caches");
}

static void functions_are_points_of_their_own(void **state)
{
    (void)state;
    assert_int_equal(import_with("sde/functions.txt", true, NULL), ERT_OK);
    assert_int_equal(points.n, 2);
    const struct rfl_point *triad = point("void triad<double>(double*, double)");
    /* thread 0: 100 + 4 x 1000, FMA 4 x (600 + 150) + 50; thread 1: 4 x 1000 */
    assert_close(flops(triad, "fp64"), 100 + 4000 + 3050 + 4000, 0);
    assert_close(flops(triad, "fp32"), 80 + 80, 0);
    assert_close(triad->work[1].fma_share, 1, 0);
    assert_close(bytes(triad, "L1"), 32.0 * 2000 + 32 * 1000 + 32 * 2000, 0);
    assert_close(triad->instructions, 9000, 0);
    const struct rfl_point *main_function = point("main");
    /* 4 with a mask; of the FMAs it is not known how many have one */
    assert_close(flops(main_function, "fp64"), 80 + 8 * 4 + 40, 0);
    assert_close(main_function->work[0].fma_share, 5.0 / 14, 1e-15);
    assert_true(warns(main_function, "an upper bound: 4 masked"));
    assert_int_equal(import_with("sde/functions.txt", false, "tri"), ERT_OK);
    assert_int_equal(points.n, 1);
    import("sde/functions.txt");
    assert_close(flops(point("whole program"), "fp64"), 8100, 0);
}

/* Never half: of masked FMAs all elements and both operations, said to be a bound. */
static void masked_fma_is_a_bound(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *type;
        double flops;
    } cases[] = {
        {"*elements_fp_double_8_masked "
         "100\nVFMADD213PD_ZMMf64_MASKmskw_ZMMf64_ZMMf64_AVX512 100\n",            "fp64", 1600},
        {"*elements_fp_single_16_masked "
         "10\nVFNMADD231PS_ZMMf32_MASKmskw_ZMMf32_ZMMf32_AVX512 10\n",             "fp32", 320 },
        {"*elements_fp_double_4_masked 7\nVADDPD_YMMf64_MASKmskw_YMMf64_YMMf64_AVX512 7\n",
         "fp64",                                                                                    28  },
        {"*elements_fp_double_8 50\n*elements_fp_double_8_masked 50\n"
         "VFMADD213PD_ZMMf64_MASKmskw_ZMMf64_ZMMf64_AVX512 100\n",                 "fp64", 1600},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "# EMIT_GLOBAL_DYNAMIC_STATS EMIT# 1\n%s*total 100\n",
                 cases[i].rows);
        assert_int_equal(import_text(&rfl_import_sde, text, NULL), ERT_OK);
        assert_close(flops(&points.points[0], cases[i].type), cases[i].flops, 0);
        assert_true(warns(&points.points[0], "an upper bound"));
    }
}

static void a_bad_count_costs_its_sum(void **state)
{
    (void)state;
    static const char text[] =
        "# EMIT_GLOBAL_DYNAMIC_STATS EMIT# 1\n*elements_fp_double_4 %s\n"
        "VADDPD 10\nXLAT n/a\n*mem-read-8 %s\n*mem-write-8 2\n*total 100\n";
    char filled[512];
    snprintf(filled, sizeof filled, text, "n/a", "3");
    assert_int_equal(import_text(&rfl_import_sde, filled, NULL), ERT_OK);
    assert_contains(missing(&points.points[0], "fp64 flops"),
                    "row 2: *elements_fp_double: 'n/a'");
    assert_close(bytes(&points.points[0], "L1"), 40, 0);
    snprintf(filled, sizeof filled, text, "10", "18446744073709551615");
    assert_int_equal(import_text(&rfl_import_sde, filled, NULL), ERT_OK);
    assert_contains(missing(&points.points[0], "L1 bytes"), "overflowed");
    assert_close(flops(&points.points[0], "fp64"), 40, 0);
}

static void other_types_are_named(void **state)
{
    (void)state;
    static const char *const names[] = {"*elements_fp_bf16_32",
                                        "TDPBF16PS_TMMf32_TMM2bf16_TMM2bf16", "FADDP_X87",
                                        "VDPBF16PS_ZMMf32_MASKmskw_ZMMbf16_ZMMbf16_AVX512"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "# EMIT_GLOBAL_DYNAMIC_STATS EMIT# 1\n*elements_fp_half_32 10\n"
                 "VFMADD213PH_ZMMf16_MASKmskw_ZMMf16_ZMMf16_AVX512 10\n%s 5\n*total 100\n",
                 names[i]);
        assert_int_equal(import_text(&rfl_import_sde, text, NULL), ERT_OK);
        assert_close(flops(&points.points[0], "fp16"), 640, 0);
        assert_true(warns(&points.points[0], names[i]));
    }
}

static void fma_needs_its_width(void **state)
{
    (void)state;
    const char *text = "# EMIT_GLOBAL_DYNAMIC_STATS EMIT# 1\n*elements_fp_double_4 10\n"
                       "VFMADD213PD 5\n*total 100\n";
    assert_int_equal(import_text(&rfl_import_sde, text, NULL), ERT_OK);
    assert_int_equal(points.points[0].n_work, 0);
    assert_contains(missing(&points.points[0], "fp64 flops"), "-iform 1");
    text = "# EMIT_GLOBAL_DYNAMIC_STATS EMIT# 1\n*elements_fp_double_4 10\n*total 100\n";
    assert_int_equal(import_text(&rfl_import_sde, text, NULL), ERT_OK);
    assert_contains(missing(&points.points[0], "fp64 flops"), "lists no instructions");
}

static void threads_are_added_without_a_global_block(void **state)
{
    (void)state;
    const char *text = "# EMIT_DYNAMIC_STATS FOR TID 0 OS-TID 7 EMIT # 1\n"
                       "*elements_fp_single_8 10\nVADDPS 10\n*total 1\n"
                       "# EMIT_DYNAMIC_STATS FOR TID 1 OS-TID 8 EMIT # 1\n"
                       "*elements_fp_single_8 20\nVADDPS 20\n*total 1\n";
    assert_int_equal(import_text(&rfl_import_sde, text, NULL), ERT_OK);
    assert_close(flops(&points.points[0], "fp32"), 240, 0);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    refused(&rfl_import_sde, "", "no block");
    refused(&rfl_import_sde, "# EMIT_GLOBAL_DYNAMIC_STATS\n*elements_fp_double_4 10\n",
            "is it truncated");
    assert_int_equal(import_with("sde/stream.txt", true, NULL), ERT_USAGE);
    assert_contains(error.text, "no counts per function");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sde_gives_nersc_s_numbers),
        cmocka_unit_test(functions_are_points_of_their_own),
        cmocka_unit_test(masked_fma_is_a_bound),
        cmocka_unit_test(a_bad_count_costs_its_sum),
        cmocka_unit_test(other_types_are_named),
        cmocka_unit_test(fma_needs_its_width),
        cmocka_unit_test(threads_are_added_without_a_global_block),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
