/* SPDX-License-Identifier: BSD-3-Clause */
/* extras_access: strided accesses: which are planned, and what they become in the ceilings. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/extras_fixture.h"

#include "ert/core/sweep/plan.h"

/* A point of `access` B, `stride` B apart, in a set of some MiB. */
static struct ert_point *add_point(struct rig *rig, enum ert_path path, uint64_t mib,
                                   const char *variant, uint32_t stride, double gb_per_s)
{
    struct ert_point point = {.section = ERT_SECTION_ACCESS};
    point.spec = (struct ert_spec){.kernel = ERT_KERNEL_strided,
                                   .path = path,
                                   .requested_bytes = mib << 20,
                                   .stride_bytes = stride};
    point.work = (struct ert_work){.actual_bytes = mib << 20, .bytes_per_pass = 1e6};
    return add_measured(rig, &point, variant, 1, 1e6 / (gb_per_s * 1e9));
}

static void fit(struct rig *rig)
{
    struct ert_extras extras = {&rig->machine, &rig->machine.devices[0], &rig->samples,
                                &rig->ceilings};
    ert_extras_fit(&extras);
}

static const struct ert_ceiling *row(const struct rig *rig, size_t i)
{
    assert_true(i < n_ceilings(&rig->ceilings, ERT_CEILING_ACCESS));
    return ceiling_at(&rig->ceilings, ERT_CEILING_ACCESS, i);
}

static void accesses_become_rows_of_their_level(void **state)
{
    (void)state;
    struct rig *rig = make_rig();
    add_point(rig, ERT_PATH_CACHED, 1, "8 B", 8, 900);
    add_point(rig, ERT_PATH_BYPASS_L1, 16, "4 B", 32, 70);
    add_point(rig, ERT_PATH_BYPASS_L1, 4096, "16 B", 512, 11);
    fit(rig);
    assert_int_equal(n_ceilings(&rig->ceilings, ERT_CEILING_ACCESS), 3);
    assert_string_equal(row(rig, 0)->name, "L1-8B-stride-8");
    assert_string_equal(row(rig, 1)->name, "L2-4B-stride-32");
    assert_string_equal(row(rig, 2)->name, "HBM-16B-stride-512");
    assert_close(row(rig, 1)->value, 70e9, 1e-9);
    assert_int_equal(row(rig, 1)->unit, ERT_UNIT_BYTE_PER_S);
    assert_string_equal(row(rig, 1)->key.level, "L2");
    assert_string_equal(row(rig, 1)->key.pattern, "strided");
    assert_int_equal(row(rig, 1)->key.access_bytes, 4);
    assert_int_equal(row(rig, 1)->key.stride_bytes, 32);
    assert_close(row(rig, 1)->evidence->actual_bytes, 16 << 20, 1e-12);
    assert_int_equal(row(rig, 1)->evidence->n_samples, 3);
    ert_device_ceilings_free(&rig->ceilings);
    free(rig);
}

/* Two ways to do the same access: the faster one, whatever their order; ties give one row. */
static void the_fastest_variant_stands(void **state)
{
    (void)state;
    struct rig *rig = make_rig();
    add_point(rig, ERT_PATH_BYPASS_L1, 16, "4 B, slow", 4, 50);
    add_point(rig, ERT_PATH_BYPASS_L1, 16, "4 B, fast", 4, 80);
    add_point(rig, ERT_PATH_BYPASS_L1, 16, "4 B, also slow", 4, 60);
    add_point(rig, ERT_PATH_BYPASS_L1, 16, "8 B, one", 8, 60);
    add_point(rig, ERT_PATH_BYPASS_L1, 16, "8 B, other", 8, 60);
    fit(rig);
    assert_int_equal(n_ceilings(&rig->ceilings, ERT_CEILING_ACCESS), 2);
    assert_string_equal(row(rig, 0)->evidence->launch.name, "4 B, fast");
    assert_string_equal(row(rig, 1)->evidence->launch.name, "8 B, one");
    ert_device_ceilings_free(&rig->ceilings);
    free(rig);
}

static void what_failed_is_not_measured_and_says_why(void **state)
{
    (void)state;
    struct rig *rig = make_rig();
    struct ert_point *point = add_point(rig, ERT_PATH_BYPASS_L1, 16, "4 B", 64, 50);
    point->status = ERT_POINT_FAILED;
    point->work.actual_bytes = 0;
    snprintf(point->reason, sizeof point->reason, "no luck");
    add_point(rig, ERT_PATH_BYPASS_L1, 16, "4 B", 128, 50)->status = ERT_POINT_PLANNED;
    add_point(rig, ERT_PATH_BYPASS_L1, 16, "4 B", 4, 50)->section = ERT_SECTION_LEVELS;
    fit(rig);
    assert_int_equal(n_ceilings(&rig->ceilings, ERT_CEILING_ACCESS), 0);
    assert_int_equal(rig->ceilings.n_not_measured, 2);
    assert_string_equal(rig->ceilings.not_measured[0].name, "L2-4B-stride-64");
    assert_string_equal(rig->ceilings.not_measured[0].reason, "no luck");
    assert_string_equal(rig->ceilings.not_measured[1].reason, "not measured");
    ert_device_ceilings_free(&rig->ceilings);
    free(rig);
}

/* A faster variant that failed does not take the row from one that was measured. */
static void a_failed_variant_does_not_hide_a_measured_one(void **state)
{
    (void)state;
    struct rig *rig = make_rig();
    add_point(rig, ERT_PATH_BYPASS_L1, 16, "4 B, a", 64, 90)->status = ERT_POINT_FAILED;
    add_point(rig, ERT_PATH_BYPASS_L1, 16, "4 B, b", 64, 50);
    fit(rig);
    assert_int_equal(n_ceilings(&rig->ceilings, ERT_CEILING_ACCESS), 1);
    assert_int_equal(rig->ceilings.n_not_measured, 0);
    assert_string_equal(row(rig, 0)->evidence->launch.name, "4 B, b");
    ert_device_ceilings_free(&rig->ceilings);
    free(rig);
}

/* Powers of two from the access size to 512; narrow accesses side by side only. */
static void strides_are_planned_for_every_level(void **state)
{
    (void)state;
    struct rig *rig = make_rig();
    struct ert_device_samples out = {0};
    struct ert_error error = {0};
    struct ert_planner planner = {.config = &rig->config,
                                  .machine = &rig->machine,
                                  .device = &rig->machine.devices[0],
                                  .out = &out,
                                  .error = &error};
    ert_plan_section(&planner, ERT_SECTION_ACCESS);
    if (out.n_points == 0) { /* a build without CUDA */
        assert_int_equal(out.n_not_measured, 3);
        assert_string_equal(out.not_measured[1].name, "L2-strided");
        free(rig);
        return;
    }
    assert_int_equal(out.n_points, 3 * (8 + 7 + 6 + 1 + 1));
    for (size_t i = 0; i < out.n_points; i++) {
        const struct ert_point *point = &out.points[i];
        uint32_t access_bytes = (uint32_t)strtoul(point->variant.name, NULL, 10);
        uint32_t stride = point->spec.stride_bytes;
        assert_int_equal(point->section, ERT_SECTION_ACCESS);
        assert_in_range(stride, access_bytes, access_bytes < 4 ? access_bytes : 512);
        assert_int_equal(stride & (stride - 1), 0);
        assert_true(point->spec.requested_bytes > 0);
    }
    rig->config.kernels[ERT_KERNEL_strided] = false;
    size_t before = out.n_points;
    ert_plan_section(&planner, ERT_SECTION_ACCESS);
    assert_int_equal(out.n_points, before);
    free(out.points);
    ert_device_ceilings_free(&rig->ceilings);
    free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_become_rows_of_their_level),
        cmocka_unit_test(the_fastest_variant_stands),
        cmocka_unit_test(what_failed_is_not_measured_and_says_why),
        cmocka_unit_test(a_failed_variant_does_not_hide_a_measured_one),
        cmocka_unit_test(strides_are_planned_for_every_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
