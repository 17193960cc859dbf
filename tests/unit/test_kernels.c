/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels: the rows are found by their names; test_cpu.c counts their work by hand. */
#include "tests/unit/test.h"

#include "ert/core/kernels/kernel.h"

static void rows_are_found_by_name(void **state)
{
    for (int i = 0; i < ERT_N_KERNELS; i++) {
        enum ert_kernel_id id;
        struct ert_error error = {0};
        assert_int_equal(ert_kernel_find(ert_kernel_row(i)->name, &id, &error), ERT_OK);
        assert_int_equal(id, i);
    }
}

static void unknown_name_lists_the_rows(void **state)
{
    enum ert_kernel_id id;
    struct ert_error error = {0};
    assert_int_equal(ert_kernel_find("traid", &id, &error), ERT_USAGE);
    assert_contains(error.text, "'traid'");
    assert_contains(error.text, "triad");
    assert_contains(error.text, ert_kernel_row(ERT_N_KERNELS - 1)->name);
}

/* Without a set a kernel can only count operations; a row of zeros would be measured without end. */
static void every_row_has_work(void **state)
{
    for (int i = 0; i < ERT_N_KERNELS; i++) {
        bool has_operations = ert_kernel_counts(i) == ERT_COUNTS_OPERATIONS;
        if (has_operations ? !ert_kernel_row(i)->flops : !ert_kernel_has_set(i))
            fail_msg("%s: neither flops nor loads and stores", ert_kernel_row(i)->name);
        assert_in_range(strlen(ert_kernel_row(i)->op), 1,
                        15); /* key.pattern of a ceiling */
    }
    assert_int_equal(ert_kernel_counts(ERT_KERNEL_triad), ERT_COUNTS_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_name),
        cmocka_unit_test(unknown_name_lists_the_rows),
        cmocka_unit_test(every_row_has_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
