/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan: what a run uses of machines of all sizes, and what it plans there: threads, quota, caches in
 * use, sets. The machines are hwloc's synthetic topologies; the machine is never changed.
 */
#include "tests/unit/test.h"

#include "ert/core/machine/discover.h"
#include "ert/core/sweep/plan.h"

struct rig {
    struct ert_machine machine; /* as probed */
    struct ert_samples samples;
    struct ert_error error;
};

/* Machines of all sizes, in the words of hwloc's synthetic topologies. */
static const char two_cpus[] = "numa:1(memory=16GiB) l3:1(size=32MiB) l2:2(size=1MiB) "
                               "l1d:1(size=32KiB) core:1 pu:1";
static const char with_smt[] = "numa:1(memory=64GiB) l3:1(size=32MiB) l2:16(size=1MiB) "
                               "l1d:1(size=48KiB) core:1 pu:2";
static const char two_sockets[] = "package:2 numa:1(memory=256GiB) l3:1(size=60MiB) "
                                  "l2:32(size=2MiB) l1d:1(size=48KiB) core:1 pu:1";
static const char eight_nodes[] = "package:2 numa:4(memory=96GiB) l3:4(size=32MiB) "
                                  "l2:8(size=1MiB) l1d:1(size=32KiB) core:1 pu:1";

/* What each is to be planned as. */
static const struct topology {
    const char *synthetic;
    uint32_t cores, nodes, l3;
} topologies[] = {
    {two_cpus,    2,   1, 1 },
    {with_smt,    16,  1, 1 },
    {two_sockets, 64,  2, 2 },
    {eight_nodes, 256, 8, 32},
};
enum { N_TOPOLOGIES = sizeof topologies / sizeof topologies[0] };

static struct rig *make_rig(const char *synthetic)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    setenv("HWLOC_SYNTHETIC", synthetic, 1);
    if (ert_discover_host(NULL, &rig->machine, &rig->error) != ERT_OK)
        fail_msg("%s: %s", synthetic, rig->error.text);
    unsetenv("HWLOC_SYNTHETIC");
    rig->machine.devices[0].cpu.isa = (struct ert_isa){.sse2 = true, .neon = true};
    ert_config_default(&rig->samples.config);
    return rig;
}

static void free_rig(struct rig *rig)
{
    ert_samples_free(&rig->samples);
    free(rig);
}

/* Plans, and looks that the machine is as it was. */
static enum ert_status plan(struct rig *rig)
{
    ert_samples_free(&rig->samples);
    rig->samples.machine = rig->machine;
    enum ert_status status = ert_plan_make(&rig->samples, &rig->error);
    assert_memory_equal(&rig->samples.machine, &rig->machine, sizeof rig->machine);
    return status;
}

static const struct ert_context *context_of(const struct rig *rig)
{
    return &rig->samples.devices[0].context;
}

static uint32_t count_of(const struct rig *rig, const char *level)
{
    return ert_device_level(&context_of(rig)->device, level)->count;
}

/* The largest set of a kernel in the levels section, and whether one proves each cache. */
static uint64_t largest_set(const struct rig *rig)
{
    const struct ert_device_samples *device = &rig->samples.devices[0];
    uint64_t largest = 0;
    for (size_t i = 0; i < device->n_points; i++) {
        const struct ert_point *point = &device->points[i];
        if (point->section == ERT_SECTION_LEVELS && point->spec.requested_bytes > largest)
            largest = point->spec.requested_bytes;
    }
    return largest;
}

static void every_size_of_machine_is_planned(void **state)
{
    for (size_t i = 0; i < N_TOPOLOGIES; i++) {
        const struct topology *is = &topologies[i];
        struct rig *rig = make_rig(is->synthetic);
        if (plan(rig) != ERT_OK)
            fail_msg("%s: %s", is->synthetic, rig->error.text);
        const struct ert_context *context = context_of(rig);
        assert_int_equal(context->device.cpu.n_numa, is->nodes);
        assert_int_equal(context->n_threads, is->cores);
        assert_int_equal(context->n_cores, is->cores);
        assert_int_equal(count_of(rig, "L1"), is->cores);
        assert_int_equal(count_of(rig, "L3"), is->l3);
        /* Four times the caches, whichever are larger in all: what proves memory. */
        uint64_t l2 = ert_level_total_bytes(ert_device_level(&context->device, "L2"));
        uint64_t l3 = ert_level_total_bytes(ert_device_level(&context->device, "L3"));
        assert_int_equal(largest_set(rig), 4 * (l2 > l3 ? l2 : l3));
        const struct ert_session_options options =
            ert_plan_options(&rig->samples.config, context);
        assert_int_equal(options.threads, is->cores);
        assert_true(options.working_set_max_bytes >= largest_set(rig));
        free_rig(rig);
    }
}

/* Three plans of one machine, as --repeat makes them, are the same plan. */
static void a_plan_is_the_same_again(void **state)
{
    struct rig *rig = make_rig(two_sockets);
    size_t n_points = 0;
    rig->samples.config.threads = 16;
    for (int round = 0; round < 3; round++) {
        assert_int_equal(plan(rig), ERT_OK);
        assert_int_equal(context_of(rig)->n_threads, 16);
        assert_int_equal(count_of(rig, "L1"), 16);
        assert_int_equal(count_of(rig, "L2"), 16);
        assert_int_equal(count_of(rig, "L3"), 1);
        if (round > 0)
            assert_int_equal(rig->samples.devices[0].n_points, n_points);
        n_points = rig->samples.devices[0].n_points;
    }
    free_rig(rig);
}

static void the_quota_is_the_threads(void **state)
{
    static const struct {
        double quota;
        uint32_t threads, l1;
    } rows[] = {
        {0.5, 1,  1 },
        {1,   1,  1 },
        {2.7, 2,  2 },
        {15,  15, 15},
        {16,  16, 16},
        {40,  16, 16}, /* more than the cores: one thread a core all the same */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig *rig = make_rig(with_smt);
        rig->machine.devices[0].cpu.cpus_quota = rows[i].quota;
        assert_int_equal(plan(rig), ERT_OK);
        assert_int_equal(context_of(rig)->n_threads, rows[i].threads);
        assert_int_equal(context_of(rig)->n_cores, rows[i].threads);
        assert_int_equal(count_of(rig, "L1"), rows[i].l1);
        free_rig(rig);
    }
}

static void threads_beyond_the_cores_share_them(void **state)
{
    struct rig *rig = make_rig(with_smt);
    rig->samples.config.threads = 32;
    assert_int_equal(plan(rig), ERT_OK);
    assert_int_equal(context_of(rig)->n_threads, 32);
    assert_int_equal(context_of(rig)->n_cores, 16);
    assert_int_equal(count_of(rig, "L1"), 16);
    rig->samples.config.threads = 33;
    assert_int_equal(plan(rig), ERT_USAGE);
    assert_contains(rig->error.text, "threads: 33, must be at most 32");
    free_rig(rig);
}

#ifndef ERT_WITHOUT_EXTENSIONS
/* Where thread counts are swept, all hardware threads within the quota are. */
static void a_sweep_of_threads_goes_to_all_pus(void **state)
{
    struct rig *rig = make_rig(with_smt);
    rig->samples.config.sections[ERT_SECTION_CONCURRENCY] = true;
    assert_int_equal(plan(rig), ERT_OK);
    assert_int_equal(context_of(rig)->n_threads, 16);
    assert_int_equal(context_of(rig)->max_threads, 32);
    rig->machine.devices[0].cpu.cpus_quota = 20;
    assert_int_equal(plan(rig), ERT_OK);
    assert_int_equal(context_of(rig)->n_threads, 16);
    assert_int_equal(context_of(rig)->max_threads, 20);
    rig->samples.config.threads = 4;
    assert_int_equal(plan(rig), ERT_OK);
    assert_int_equal(context_of(rig)->max_threads, 4);
    free_rig(rig);
}
#endif

/* Thinned out in secret, the sets between the caches and memory would be missing. */
static void more_sets_than_fit_are_refused(void **state)
{
    struct rig *rig = make_rig(two_cpus);
    struct ert_config *config = &rig->samples.config;
    config->points_per_octave = 16;
    config->region_s = 0.1;
    config->working_set_min_bytes = 4096;
    config->working_set_max_bytes = UINT64_C(128) << 20;
    assert_int_equal(plan(rig), ERT_OK);
    config->working_set_max_bytes = UINT64_C(4) << 30;
    assert_int_equal(plan(rig), ERT_USAGE);
    assert_contains(rig->error.text, "working sets, must be at most 256");
    free_rig(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_of_machine_is_planned),
        cmocka_unit_test(a_plan_is_the_same_again),
        cmocka_unit_test(more_sets_than_fit_are_refused),
        cmocka_unit_test(the_quota_is_the_threads),
        cmocka_unit_test(threads_beyond_the_cores_share_them),
#ifndef ERT_WITHOUT_EXTENSIONS
        cmocka_unit_test(a_sweep_of_threads_goes_to_all_pus),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
