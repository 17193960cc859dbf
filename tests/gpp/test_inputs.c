/* SPDX-License-Identifier: BSD-3-Clause */
/* inputs: sizes and their limits, values that only seed and index make, and the shares they promise. */
#include "tests/unit/test.h"

#include "gpp/problem.h"

#include <omp.h>

static void sizes_are_read(void **state)
{
    struct gpp_sizes sizes = {.nw = 2};
    struct ert_error error;
    const char *const bad[] = {"",
                               "61",
                               "61x67",
                               "61x67x103x2",
                               "61x67x-1",
                               "61x 67x3",
                               "axbxc",
                               "61x67x1e3",
                               "1x1x99999999999999999999"};
    assert_int_equal(gpp_sizes_select("61x67x103", 0, &sizes, &error), ERT_OK);
    assert_int_equal(sizes.nbands, 61);
    assert_int_equal(sizes.ngpown, 67);
    assert_int_equal(sizes.ncouls, 103);
    assert_int_equal(sizes.nw, 2);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(gpp_sizes_select(bad[i], 0, &sizes, &error), ERT_USAGE);
        assert_contains(error.text, "NBANDSxNGPOWNxNCOULS");
        assert_int_equal(sizes.nbands, 61);
    }
}

static void sizes_have_limits(void **state)
{
    struct ert_error error;
    struct gpp_problem problem;
    const struct {
        struct gpp_sizes sizes;
        const char *words;
    } rows[] = {
        {{0, 1, 1, 1},                            "nbands: 0, must be 1 to 2147483647"},
        {{1, 0, 1, 1},                            "ngpown: 0"                         },
        {{1, 1, 0, 1},                            "ncouls: 0"                         },
        {{1, 1, 1, 0},                            "nw: 0, must be 1 to 6"             },
        {{1, 1, 1, 7},                            "nw: 7"                             },
        {{1, 1, 2147483648, 1},                   "ncouls: 2147483648"                },
        {{2147483647, 2147483647, 2147483647, 1}, "bytes of inputs"                   },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(gpp_problem_generate(&rows[i].sizes, 1, &problem, &error),
                         ERT_USAGE);
        assert_contains(error.text, rows[i].words);
    }
    /* 32 x 10^12 bytes and some: said before anything is allocated. */
    const struct gpp_sizes big = {1, 1000000, 1000000, 1};
    assert_true(gpp_sizes_bytes(&big) == UINT64_C(32000032000016) - 16 + 8 + 8000000 + 8);
    assert_int_equal(gpp_problem_generate(&big, 1, &problem, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "32000040000016 bytes needed");
}

static void one_of_each_is_a_problem(void **state)
{
    struct ert_error error;
    struct gpp_problem problem;
    struct gpp_array arrays[GPP_N_ARRAYS];
    const struct gpp_sizes one = {1, 1, 1, 1};
    assert_int_equal(gpp_problem_generate(&one, 1, &problem, &error), ERT_OK);
    gpp_problem_arrays(&problem, arrays);
    for (size_t i = 0; i < GPP_N_ARRAYS; i++)
        for (size_t k = 0; k < arrays[i].n; k++)
            assert_true(isfinite((*arrays[i].data)[k]));
    gpp_problem_free(&problem);
}

static void systems_are_found(void **state)
{
    struct ert_error error;
    struct gpp_sizes si214, si510;
    assert_int_equal(gpp_sizes_select("si214", 0, &si214, &error), ERT_OK);
    assert_int_equal(gpp_sizes_select("si510", 0, &si510, &error), ERT_OK);
    assert_true(gpp_sizes_iterations(&si214) == 800. * 1385 * 11075 * 2);
    assert_close(gpp_sizes_iterations(&si510) / gpp_sizes_iterations(&si214), 13.8, 1e-3);
    assert_int_equal(gpp_sizes_select("si215", 0, &si510, &error), ERT_USAGE);
    assert_contains(error.text, "tiny, small, si214, si510");
}

/* Of an array: all bits the same, and no two values in a row or column equal. */
static void compare(struct gpp_problem *a, struct gpp_problem *b)
{
    struct gpp_array left[GPP_N_ARRAYS], right[GPP_N_ARRAYS];
    gpp_problem_arrays(a, left);
    gpp_problem_arrays(b, right);
    for (size_t i = 0; i < GPP_N_ARRAYS; i++)
        assert_memory_equal(*left[i].data, *right[i].data, left[i].n * sizeof(double));
}

static void threads_do_not_change_inputs(void **state)
{
    struct ert_error error;
    struct gpp_problem one, three;
    const struct gpp_sizes sizes = {11, 13, 17, 3};
    omp_set_num_threads(1);
    assert_int_equal(gpp_problem_generate(&sizes, 7, &one, &error), ERT_OK);
    omp_set_num_threads(3);
    assert_int_equal(gpp_problem_generate(&sizes, 7, &three, &error), ERT_OK);
    compare(&one, &three);
    /* The same on every platform: one value by hand of the generator (random.h). */
    assert_true(one.vcoul[0] == three.vcoul[0]);
    gpp_problem_free(&one);
    gpp_problem_free(&three);
}

static void every_index_differs(void **state)
{
    struct ert_error error;
    struct gpp_problem problem;
    struct gpp_array arrays[GPP_N_ARRAYS];
    const struct gpp_sizes sizes = {11, 13, 17, 3};
    assert_int_equal(gpp_problem_generate(&sizes, 7, &problem, &error), ERT_OK);
    gpp_problem_arrays(&problem, arrays);
    for (size_t i = 0; i + 1 < GPP_N_ARRAYS; i++) /* occ is 0, 0.5, 1 */
        for (size_t k = 0; k < arrays[i].n; k++)
            for (size_t l = 0; l < k; l++)
                if ((*arrays[i].data)[k] == (*arrays[i].data)[l])
                    fail_msg("%s: doubles %zu and %zu are equal", arrays[i].name, k, l);
    assert_true(problem.occ[0] == 1 && problem.occ[5] == 0.5 && problem.occ[10] == 0);
    gpp_problem_free(&problem);
}

static void all_branches_have_their_share(void **state)
{
    struct ert_error error;
    for (size_t i = 0; i < 2;
         i++) /* tiny and small; `ert-gpp run` counts those of others */
        for (size_t nw = 1; nw <= GPP_MAX_NW; nw++) {
            struct gpp_problem problem;
            struct gpp_sizes sizes = gpp_systems[i].sizes;
            struct gpp_shares shares;
            sizes.nw = nw;
            assert_int_equal(gpp_problem_generate(&sizes, 1, &problem, &error), ERT_OK);
            gpp_shares_count(&problem, 5e6, &shares);
            assert_true(shares.first >= 0.01 && shares.second >= 0.01);
            assert_true(shares.third >= 0.01 && shares.cutoff >= 0.01);
            assert_close(shares.first + shares.second + shares.third, 1, 1e-12);
            assert_close(shares.occupied, 0.53, 0.05);
            gpp_problem_free(&problem);
        }
}

/* Only where a band has occ > 0 does the cutoff show. */
static void empty_bands_have_no_cutoff(void **state)
{
    struct ert_error error;
    struct gpp_problem problem;
    struct gpp_shares shares;
    const struct gpp_sizes sizes = {29, 23, 101, 2};
    size_t cuttable = 0;
    assert_int_equal(gpp_problem_generate(&sizes, 1, &problem, &error), ERT_OK);
    for (size_t i = 0; i < sizes.nbands * sizes.nw; i++)
        cuttable += problem.wx[i] < 0 && problem.occ[i / sizes.nw] > 0;
    gpp_shares_count(&problem, 1e9, &shares);
    assert_true(cuttable > 0 && shares.cutoff > 0);
    assert_close(shares.cuttable, (double)cuttable / 58, 1e-15);
    memset(problem.occ, 0, sizes.nbands * sizeof *problem.occ);
    gpp_shares_count(&problem, 1e9, &shares);
    assert_true(shares.cutoff == 0 && shares.cuttable == 0);
    gpp_problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(sizes_have_limits),
        cmocka_unit_test(one_of_each_is_a_problem),
        cmocka_unit_test(systems_are_found),
        cmocka_unit_test(threads_do_not_change_inputs),
        cmocka_unit_test(every_index_differs),
        cmocka_unit_test(all_branches_have_their_share),
        cmocka_unit_test(empty_bands_have_no_cutoff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
