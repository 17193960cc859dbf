/* SPDX-License-Identifier: BSD-3-Clause */
/* faults: a planted fault or an interrupt ends a run with a clear error, and keeps what there is. */
#include "tests/e2e/pipeline_fixture.h"
#include "tests/unit/ceilings_fixture.h"

static void faults_are_named_and_nothing_is_lost(void **state)
{
    static const struct {
        const char *plant, *text;
    } faults[] = {
        {"fault=nan,kernel=triad",           "element 17 of the result is nan"},
        {"fault=alloc,kernel=copy,after=50", "allocating"                     },
        {"fault=hang,kernel=fma_fp64",       "did not finish within 0.05 s"   },
        {"fault=gone,after=400",             "does not answer"                },
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct rig *rig = run_rig(faults[i].plant, "fake0", 0);
        assert_int_equal(rig->status, ERT_FAILED);
        assert_contains(rig->error.text, faults[i].text);
        assert_contains(rig->error.text, "fake0: ");
        assert_string_equal(rig->samples.status, "failed");
        size_t measured = 0;
        for (size_t p = 0; p < rig->samples.devices[0].n_points; p++)
            measured += rig->samples.devices[0].points[p].n_samples > 0;
        assert_true(measured > 0);
        free_rig(rig);
    }
}

/* The kernel that fails has no ceiling, all others have theirs. */
static void a_failed_kernel_leaves_the_others(void **state)
{
    struct rig *rig = run_rig("noise=0,fault=nan,kernel=triad", "fake0", 0);
    const struct ert_device_ceilings *found = &rig->ceilings.devices[0];
    assert_null(memory_ceiling(found, "L1-triad"));
    assert_non_null(memory_ceiling(found, "L1-load"));
    for (int k = 0; k < ERT_N_KERNELS; k++) {
        const struct ert_kernel *row = ert_kernel_row((enum ert_kernel_id)k);
        char name[32];
        snprintf(name, sizeof name, "L2-%s", row->op);
        if (row->kind == ERT_KIND_MEMORY && !(row->limits & ERT_MEMORY_ONLY) &&
            k != ERT_KERNEL_triad)
            assert_non_null(memory_ceiling(found, name));
    }
    assert_int_equal(n_ceilings(found, ERT_CEILING_COMPUTE), 10);
    free_rig(rig);
}

static void a_fallen_clock_is_not_valid(void **state)
{
    struct rig *rig = run_rig("fault=clock,after=300", "fake0", 0);
    assert_int_equal(rig->status, ERT_OK);
    assert_false(rig->ceilings.devices[0].valid);
    assert_contains(rig->ceilings.devices[0].warnings, "clock fell");
    free_rig(rig);
}

static void interrupting_keeps_what_was_measured(void **state)
{
    struct rig *rig = run_rig("noise=0", "fake", 60);
    assert_int_equal(rig->status, ERT_FAILED);
    assert_contains(rig->error.text, "interrupted");
    assert_string_equal(rig->samples.status, "interrupted");
    assert_string_equal(rig->samples.devices[0].status, "interrupted");
    assert_string_equal(rig->samples.devices[1].status, "planned");
    size_t measured = 0;
    for (size_t p = 0; p < rig->samples.devices[0].n_points; p++)
        measured += rig->samples.devices[0].points[p].n_samples;
    assert_in_range(measured, 50, 60);
    free_rig(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_named_and_nothing_is_lost),
        cmocka_unit_test(a_failed_kernel_leaves_the_others),
        cmocka_unit_test(a_fallen_clock_is_not_valid),
        cmocka_unit_test(interrupting_keeps_what_was_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
