/* SPDX-License-Identifier: BSD-3-Clause */
/* extras_links: copies: which are planned on which machine, and what they become. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/test.h"

#include "ert/core/fit/extras.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/section.h"

enum { MAX_POINTS = 8 };

struct rig {
    struct ert_machine machine;
    struct ert_config config;
    struct ert_device_samples samples;
    struct ert_point points[MAX_POINTS];
    struct ert_sample sample[MAX_POINTS];
    struct ert_device_ceilings ceilings;
    struct ert_device_samples plan;
    struct ert_error error;
};

/* A host and n GPUs. The ids count what is visible, the ordinals are CUDA's: here ten more. */
static struct rig *make_rig(uint32_t n_gpus)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    rig->machine.n_devices = 1 + n_gpus;
    rig->machine.devices[0] =
        (struct ert_device){.id = "cpu", .backend = "cpu", .kind = ERT_DEVICE_CPU};
    for (uint32_t i = 0; i < n_gpus; i++) {
        struct ert_device *device = &rig->machine.devices[1 + i];
        *device = (struct ert_device){.backend = "cuda", .kind = ERT_DEVICE_GPU};
        snprintf(device->id, sizeof device->id, "gpu%u", i);
        device->gpu.ordinal = (int)i + 10;
        device->gpu.max_threads_per_sm = 2048;
    }
    ert_config_default(&rig->config);
    rig->samples.points = rig->points;
    return rig;
}

static void free_rig(struct rig *rig)
{
    free(rig->plan.points);
    ert_device_ceilings_free(&rig->ceilings);
    free(rig);
}

static void add_point(struct rig *rig, enum ert_kernel_id kernel, uint32_t to,
                      double gb_per_s)
{
    size_t p = rig->samples.n_points++;
    struct ert_point *point = &rig->points[p];
    assert_true(p < MAX_POINTS);
    point->section = ERT_SECTION_LINKS;
    point->spec = (struct ert_spec){.kernel = kernel, .path = ERT_PATH_NONE, .to = to};
    point->work = (struct ert_work){.actual_bytes = 1000, .bytes_per_pass = 1000};
    point->status = ERT_POINT_MEASURED;
    rig->sample[p] = (struct ert_sample){.time_s = 1000 / (gb_per_s * 1e9), .passes = 1};
    point->samples = &rig->sample[p];
    point->n_samples = 1;
}

static void fit(struct rig *rig)
{
    struct ert_extras extras = {&rig->machine, &rig->machine.devices[1], &rig->samples,
                                &rig->ceilings};
    ert_extras_fit(&extras);
}

static void assert_row(const struct rig *rig, size_t i, const char *name, const char *from,
                       const char *to, double gb_per_s)
{
    assert_true(i < n_ceilings(&rig->ceilings, ERT_CEILING_LINK));
    const struct ert_ceiling *extra = ceiling_at(&rig->ceilings, ERT_CEILING_LINK, i);
    assert_string_equal(extra->name, name);
    assert_string_equal(extra->key.from, from);
    assert_string_equal(extra->key.to, to);
    assert_int_equal(extra->unit, ERT_UNIT_BYTE_PER_S);
    assert_close(extra->value, gb_per_s * 1e9, 1e-9);
}

static void copies_are_named_by_their_ends(void **state)
{
    struct rig *rig = make_rig(3);
    add_point(rig, ERT_KERNEL_h2d_pinned, 0, 55);
    add_point(rig, ERT_KERNEL_d2h_pinned, 0, 54);
    add_point(rig, ERT_KERNEL_duplex_pinned, 0, 90);
    add_point(rig, ERT_KERNEL_d2h_pageable, 0, 6);
    add_point(rig, ERT_KERNEL_peer_write, 1 + 11, 400);
    add_point(rig, ERT_KERNEL_peer_read, 1 + 12, 390);
    add_point(rig, ERT_KERNEL_peer_duplex, 1 + 12, 780);
    fit(rig);
    assert_int_equal(n_ceilings(&rig->ceilings, ERT_CEILING_LINK), 7);
    assert_row(rig, 0, "h2d-pinned", "host", "gpu0", 55);
    assert_row(rig, 1, "d2h-pinned", "gpu0", "host", 54);
    assert_row(rig, 2, "duplex-pinned", "host", "gpu0", 90);
    assert_row(rig, 3, "d2h-pageable", "gpu0", "host", 6);
    assert_row(rig, 4, "gpu0-gpu1-write", "gpu0", "gpu1", 400);
    assert_row(rig, 5, "gpu0-gpu2-read", "gpu2", "gpu0", 390);
    assert_row(rig, 6, "gpu0-gpu2-duplex", "gpu0", "gpu2", 780);
    free_rig(rig);
}

static void what_is_missing_has_its_reason(void **state)
{
    struct rig *rig = make_rig(2);
    add_point(rig, ERT_KERNEL_peer_write, 1 + 11, 400);
    rig->points[0].status = ERT_POINT_SKIPPED;
    snprintf(rig->points[0].reason, sizeof rig->points[0].reason, "gpu1 is full");
    add_point(rig, ERT_KERNEL_h2d_pinned, 0, 55);
    rig->points[1].status = ERT_POINT_PLANNED;
    add_point(rig, ERT_KERNEL_load, 0, 55); /* not a link, whatever its section says */
    fit(rig);
    assert_int_equal(n_ceilings(&rig->ceilings, ERT_CEILING_LINK), 0);
    assert_int_equal(rig->ceilings.n_not_measured, 2);
    assert_string_equal(rig->ceilings.not_measured[0].name, "gpu0-gpu1-write");
    assert_string_equal(rig->ceilings.not_measured[0].reason, "gpu1 is full");
    assert_string_equal(rig->ceilings.not_measured[1].name, "h2d-pinned");
    free_rig(rig);
}

/* As ert_plan_make() does: the planner's device is the context's copy, not the machine's. */
static void plan(struct rig *rig, uint32_t device)
{
    static struct ert_context context;
    context.device = rig->machine.devices[device];
    struct ert_planner planner = {.config = &rig->config,
                                  .machine = &rig->machine,
                                  .context = &context,
                                  .device = &context.device,
                                  .options = {.working_set_max_bytes = UINT64_C(4) << 30},
                                  .out = &rig->plan,
                                  .error = &rig->error};
    ert_sections[ERT_SECTION_LINKS]->plan(&planner);
}

/* Points in a build with CUDA; their names in the list of what is not measured in one without. */
static size_t n_planned(const struct rig *rig)
{
    assert_true(rig->plan.n_points == 0 || rig->plan.n_not_measured == 0);
    return rig->plan.n_points + rig->plan.n_not_measured;
}

static void every_pair_is_planned(void **state)
{
    struct rig *rig = make_rig(3);
    snprintf(rig->config.device, sizeof rig->config.device, "gpu1");
    plan(rig, 2);
    assert_int_equal(n_planned(rig), 5 + 2 * 3);
    for (size_t i = 0; i < rig->plan.n_points; i++) {
        const struct ert_spec *spec = &rig->plan.points[i].spec;
        assert_int_equal(rig->plan.points[i].section, ERT_SECTION_LINKS);
        assert_int_equal(spec->to, i < 5 ? 0 : i < 8 ? 1 + 10 : 1 + 12);
        bool is_pageable = strstr(ert_kernel_row(spec->kernel)->op, "pageable") != NULL;
        uint64_t size = spec->to ? 256 : is_pageable ? 64 : 128;
        assert_true(spec->requested_bytes == size << 20);
    }
    free_rig(rig);
}

/* With all GPUs planned, a pair is its first one's: 2, 1 and 0 partners of three. */
static void a_pair_is_planned_once(void **state)
{
    struct rig *rig = make_rig(3);
    snprintf(rig->config.device, sizeof rig->config.device, "all");
    for (size_t d = 1; d <= 3; d++) {
        size_t before = n_planned(rig);
        plan(rig, d);
        assert_int_equal(n_planned(rig), before + 5 + (3 - d) * 3);
    }
    free_rig(rig);
}

static void one_gpu_has_no_pairs_and_cpus_no_links(void **state)
{
    struct rig *rig = make_rig(1);
    plan(rig, 0);
    assert_int_equal(n_planned(rig), 0);
    plan(rig, 1);
    assert_int_equal(n_planned(rig), 5);
    free_rig(rig);
}

/* Small hosts get small copies: three buffers must fit. */
static void copies_fit_the_host(void **state)
{
    struct rig *rig = make_rig(1);
    rig->machine.devices[0].cpu.memory_available_bytes = 128 << 20;
    plan(rig, 1);
    for (size_t i = 0; i < rig->plan.n_points; i++)
        assert_true(rig->plan.points[i].spec.requested_bytes == 32 << 20);
    rig->config.memory_max_bytes = 64 << 20;
    rig->config.kernels[ERT_KERNEL_h2d_pageable] = false;
    size_t before = n_planned(rig);
    plan(rig, 1);
    assert_int_equal(n_planned(rig), before + 4);
    if (rig->plan.n_points)
        assert_true(rig->plan.points[before].spec.requested_bytes == 16 << 20);
    free_rig(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_named_by_their_ends),
        cmocka_unit_test(what_is_missing_has_its_reason),
        cmocka_unit_test(every_pair_is_planned),
        cmocka_unit_test(a_pair_is_planned_once),
        cmocka_unit_test(one_gpu_has_no_pairs_and_cpus_no_links),
        cmocka_unit_test(copies_fit_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
