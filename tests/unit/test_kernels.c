/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels: the rows are complete, and the derived numbers are right. */
#include "tests/unit/test.h"

#include "ert/core/kernels/kernel.h"

static void rows_are_found_by_name(void **state)
{
    (void)state;
    for (int i = 0; i < ERT_N_KERNELS; i++) {
        enum ert_kernel_id id;
        struct ert_error error = {0};
        assert_int_equal(ert_kernel_find(ert_kernel_row(i)->name, &id, &error), ERT_OK);
        assert_int_equal(id, i);
    }
}

static void unknown_name_lists_the_rows(void **state)
{
    (void)state;
    enum ert_kernel_id id;
    struct ert_error error = {0};
    assert_int_equal(ert_kernel_find("traid", &id, &error), ERT_USAGE);
    assert_contains(error.text, "'traid'");
    assert_contains(error.text, "triad");
    assert_contains(error.text, ert_kernel_row(ERT_N_KERNELS - 1)->name);
}

/* Bytes per element and arrays, counted by hand from the formulas. */
static void work_counts_match_the_formulas(void **state)
{
    (void)state;
    static const struct {
        enum ert_kernel_id id;
        size_t bytes;
        uint32_t arrays, flops;
    } expected[] = {
        {ERT_KERNEL_load,     8,  1, 0},
        {ERT_KERNEL_store,    8,  1, 0},
        {ERT_KERNEL_store_nt, 8,  1, 0},
        {ERT_KERNEL_copy,     16, 2, 0},
        {ERT_KERNEL_update,   16, 1, 2},
        {ERT_KERNEL_triad,    24, 3, 2},
        {ERT_KERNEL_add,      24, 3, 1},
        {ERT_KERNEL_fma_fp64, 0,  0, 2},
        {ERT_KERNEL_add_fp32, 0,  0, 1},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(ert_kernel_bytes_per_element(expected[i].id), expected[i].bytes);
        assert_int_equal(ert_kernel_arrays(expected[i].id), expected[i].arrays);
        assert_int_equal(ert_kernel_row(expected[i].id)->flops, expected[i].flops);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_name),
        cmocka_unit_test(unknown_name_lists_the_rows),
        cmocka_unit_test(work_counts_match_the_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
