/* SPDX-License-Identifier: BSD-3-Clause */
/* extras_latency: chases become a row per level. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/extras_fixture.h"

#include "ert/core/stats/stats.h"

/* A chase in a set of some MiB. */
static struct ert_point *add_point(struct rig *rig, enum ert_path path, uint64_t mib,
                                   const char *variant, double ns)
{
    struct ert_point point = {.section = ERT_SECTION_LATENCY};
    point.spec = (struct ert_spec){
        .kernel = ERT_KERNEL_chase, .path = path, .requested_bytes = mib << 20};
    point.work = (struct ert_work){.actual_bytes = mib << 20, .loads_per_pass = 256};
    return add_measured(rig, &point, variant, 10, 10 * 256 * ns * 1e-9);
}

static void fit(struct rig *rig)
{
    struct ert_extras extras = {&rig->machine, &rig->machine.devices[0], &rig->samples,
                                &rig->ceilings};
    ert_extras_fit(&extras);
}

static void assert_row(const struct rig *rig, size_t i, const char *name, const char *level,
                       double ns)
{
    assert_true(i < n_ceilings(&rig->ceilings, ERT_CEILING_LATENCY));
    const struct ert_ceiling *extra = ceiling_at(&rig->ceilings, ERT_CEILING_LATENCY, i);
    assert_string_equal(extra->name, name);
    assert_string_equal(extra->key.level, level);
    assert_int_equal(extra->unit, ERT_UNIT_S);
    assert_close(extra->value, ns * 1e-9, 1e-9);
}

static void every_level_has_its_least_latency(void **state)
{
    struct rig *rig = make_rig();
    add_point(rig, ERT_PATH_CACHED, 2, "1 thread", 17);
    add_point(rig, ERT_PATH_BYPASS_L1, 16, "1 thread", 140);
    add_point(rig, ERT_PATH_BYPASS_L1, 1024, "1 thread", 500);
    add_point(rig, ERT_PATH_BYPASS_L1, 1024, "1 thread, windows of 16 MiB", 400);
    fit(rig);
    assert_int_equal(n_ceilings(&rig->ceilings, ERT_CEILING_LATENCY), 3);
    assert_row(rig, 0, "L1-latency", "L1", 17);
    assert_row(rig, 1, "L2-latency", "L2", 140);
    assert_row(rig, 2, "HBM-latency", "HBM", 400);
    assert_int_equal(rig->ceilings.n_not_measured, 0);
    ert_device_ceilings_free(&rig->ceilings);
    free(rig);
}

/* Of skipped ones the reason is kept. */
static void levels_without_a_chase_are_named(void **state)
{
    struct rig *rig = make_rig();
    add_point(rig, ERT_PATH_BYPASS_L1, 16, "1 thread", 140);
    struct ert_point *skipped = add_point(rig, ERT_PATH_BYPASS_L1, 1024, "1 thread", 0);
    skipped->status = ERT_POINT_SKIPPED;
    snprintf(skipped->reason, sizeof skipped->reason, "does not fit");
    fit(rig);
    assert_int_equal(n_ceilings(&rig->ceilings, ERT_CEILING_LATENCY), 1);
    assert_row(rig, 0, "L2-latency", "L2", 140);
    assert_int_equal(rig->ceilings.n_not_measured, 2);
    assert_string_equal(rig->ceilings.not_measured[0].name, "L1-latency");
    assert_string_equal(rig->ceilings.not_measured[0].reason, "not measured");
    assert_string_equal(rig->ceilings.not_measured[1].name, "HBM-latency");
    assert_string_equal(rig->ceilings.not_measured[1].reason, "does not fit");
    ert_device_ceilings_free(&rig->ceilings);
    free(rig);
}

/*
 * In 1 ms the first of two works makes 10, 11 or 9 passes of 256 loads, the second 40, 30 or 50 of 2 MB; then
 * a CPU had to wait.
 */
static void a_load_is_beside_its_latency(void **state)
{
    struct rig *rig = make_rig();
    double passes[4][2] = {
        {10, 40},
        {11, 30},
        {9,  50},
        {20, 0 }
    };
    struct ert_sample samples[4];
    struct ert_point *point = add_point(rig, ERT_PATH_BYPASS_L1, 1024, "16 of 64 SMs", 0);
    point->section = ERT_SECTION_LOADED;
    point->spec.kernel = ERT_KERNEL_loaded_2to1;
    point->spec.variant = 4;
    point->work.bytes_per_pass = 2e6;
    point->samples = samples;
    point->n_samples = 4;
    for (size_t i = 0; i < 4; i++)
        samples[i] = (struct ert_sample){.time_s = 1e-3,
                                         .passes = 9,
                                         .rate_per_s = 25e3,
                                         .waited = i == 3 ? 0.3 : 0.01,
                                         .n_threads = 2,
                                         .thread_passes = passes[i]};
    fit(rig);
    assert_int_equal(n_ceilings(&rig->ceilings, ERT_CEILING_LOADED), 1);
    const struct ert_ceiling *found = ceiling_at(&rig->ceilings, ERT_CEILING_LOADED, 0);
    assert_string_equal(found->name, "HBM-loaded-2to1-4");
    assert_int_equal(found->evidence->n_samples, 3);
    assert_close(found->evidence->best, 1e-3 / (11 * 256), 1e-12);
    assert_close(found->evidence->aggregate,
                 ert_estimate_of((double[]){80e9, 60e9, 100e9}, 3, ERT_BETTER_HIGH), 1e-12);
    assert_true(found->confidence != ERT_CONFIDENCE_LOW);
    ert_device_ceilings_free(&rig->ceilings);
    /* more than the level gives was not drawn from it */
    struct ert_ceiling *roof = ert_ceiling_add(&rig->ceilings, ERT_CEILING_MEMORY);
    snprintf(roof->key.level, sizeof roof->key.level, "HBM");
    roof->value = 50e9;
    fit(rig);
    found = ceiling_at(&rig->ceilings, ERT_CEILING_LOADED, 0);
    assert_int_equal(found->confidence, ERT_CONFIDENCE_LOW);
    assert_string_equal(found->evidence->warning,
                        "drew more than HBM gives: the load is not what it says");
    ert_device_ceilings_free(&rig->ceilings);
    free(rig);
}

static void nothing_planned_lacks_nothing(void **state)
{
    struct rig *rig = make_rig();
    fit(rig);
    assert_int_equal(
        rig->ceilings.n_not_measured + n_ceilings(&rig->ceilings, ERT_CEILING_LATENCY), 0);
    ert_device_ceilings_free(&rig->ceilings);
    free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_has_its_least_latency),
        cmocka_unit_test(levels_without_a_chase_are_named),
        cmocka_unit_test(a_load_is_beside_its_latency),
        cmocka_unit_test(nothing_planned_lacks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
