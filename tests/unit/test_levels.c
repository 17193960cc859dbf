/* SPDX-License-Identifier: BSD-3-Clause */
/* levels: plateaus get their names by size and topology, never by counting. */
#include "tests/unit/test.h"

#include "ert/core/fit/levels.h"

enum { MAX_POINTS = 1024 };

struct curve_rig {
    struct ert_device device;
    struct ert_device_samples samples;
    struct ert_point points[MAX_POINTS];
    struct ert_sample sample[MAX_POINTS];
};

static void add_level(struct ert_device *device, const char *name, enum ert_level_kind kind,
                      enum ert_path path, double bytes)
{
    struct ert_level *level = &device->levels[device->n_levels++];
    *level = (struct ert_level){
        .kind = kind, .path = path, .size_bytes = (uint64_t)bytes, .count = 1};
    snprintf(level->name, sizeof level->name, "%s", name);
}

static struct ert_candidates candidates; /* that found() found */

/* A CPU of 96 KiB L1, 4 MiB L2, `llc` bytes of L3 (0: none) and DRAM. */
static struct curve_rig *make_rig(double llc)
{
    static struct curve_rig only, *rig = &only;
    memset(rig, 0, sizeof *rig);
    rig->samples.points = rig->points;
    add_level(&rig->device, "L1", ERT_LEVEL_CACHE, ERT_PATH_CACHED, 96 * 1024.0);
    add_level(&rig->device, "L2", ERT_LEVEL_CACHE, ERT_PATH_CACHED, 4 * 1048576.0);
    if (llc > 0)
        add_level(&rig->device, "L3", ERT_LEVEL_CACHE, ERT_PATH_CACHED, llc);
    add_level(&rig->device, "DRAM", ERT_LEVEL_MEMORY, ERT_PATH_CACHED, 64 * 1073741824.0);
    return rig;
}

/* One measured point of `load` with the rate in GB/s. */
static void add_point(struct curve_rig *rig, enum ert_path path, double bytes,
                      double gb_per_s)
{
    size_t i = rig->samples.n_points++;
    struct ert_point *point = &rig->points[i];
    assert_true(i < MAX_POINTS);
    point->spec = (struct ert_spec){
        .kernel = ERT_KERNEL_load, .path = path, .requested_bytes = (uint64_t)bytes};
    point->work =
        (struct ert_work){.actual_bytes = (uint64_t)bytes, .bytes_per_pass = bytes};
    point->status = ERT_POINT_MEASURED;
    rig->sample[i] = (struct ert_sample){.time_s = bytes / (gb_per_s * 1e9), .passes = 1};
    point->samples = &rig->sample[i];
    point->n_samples = 1;
}

/* Three points an octave from `from` to `to`, both included nearly, at one rate. */
static void add_stretch(struct curve_rig *rig, double from, double to, double gb_per_s)
{
    for (double size = from; size < to * 1.01; size *= cbrt(2))
        add_point(rig, ERT_PATH_CACHED, size, gb_per_s);
}

static const struct ert_level *level_of(const struct curve_rig *rig, const char *name)
{
    const struct ert_level *level = ert_device_level(&rig->device, name);
    assert_non_null(level);
    return level;
}

/* The median rate of the level's first candidate in GB/s; 0 when there is none. */
static double found(const struct curve_rig *rig, const char *name,
                    struct ert_candidates *candidates)
{
    if (!ert_levels_candidates(&rig->device, &rig->samples, ERT_KERNEL_load,
                               level_of(rig, name), candidates))
        return 0;
    return ert_levels_estimate(candidates->points[0], ert_point_bandwidth) * 1e-9;
}

#define KIB 1024.0
#define MIB 1048576.0

static void four_clean_levels(void **state)
{
    struct curve_rig *rig = make_rig(32 * MIB);
    add_stretch(rig, 8 * KIB, 80 * KIB, 900);
    add_stretch(rig, 110 * KIB, 3.5 * MIB, 250);
    add_stretch(rig, 5 * MIB, 28 * MIB, 50);
    add_stretch(rig, 40 * MIB, 160 * MIB, 30);
    assert_close(found(rig, "L1", &candidates), 900, 1e-9);
    assert_true(candidates.has_plateau && !*candidates.warning);
    assert_close(candidates.capacity_measured_bytes, 96 * KIB, 0.15);
    assert_close(found(rig, "L2", &candidates), 250, 1e-9);
    assert_close(found(rig, "L3", &candidates), 50, 1e-9);
    assert_close(found(rig, "DRAM", &candidates), 30, 1e-9);
    assert_true(candidates.points[0]->work.actual_bytes >= 3.9 * 32 * MIB);
}

/* A dense sweep by all variants has more points in a level than sets in all: each is a candidate. */
static void every_variant_of_a_dense_sweep_counts(void **state)
{
    struct curve_rig *rig = make_rig(32 * MIB);
    for (int variant = 0; variant < ERT_MAX_VARIANTS; variant++) {
        add_stretch(rig, 8 * KIB, 80 * KIB, 900);
        add_stretch(rig, 110 * KIB, 3.5 * MIB, 250);
        add_stretch(rig, 5 * MIB, 28 * MIB, 50);
        for (double size = 128 * MIB; size < 260 * MIB; size *= exp2(1.0 / 16))
            add_point(rig, ERT_PATH_CACHED, size, variant + 1 < ERT_MAX_VARIANTS ? 30 : 31);
    }
    assert_close(found(rig, "DRAM", &candidates), 30, 1e-9);
    assert_int_equal(candidates.n, 17 * ERT_MAX_VARIANTS);
    assert_close(
        ert_levels_estimate(candidates.points[candidates.n - 1], ert_point_bandwidth), 31e9,
        1e-9);
}

/* L2 hidden by noise: nobody moves up, L3 stays L3. */
static void a_missing_plateau_renames_nothing(void **state)
{
    struct curve_rig *rig = make_rig(32 * MIB);
    add_stretch(rig, 8 * KIB, 80 * KIB, 900);
    double rate = 700;
    for (double size = 110 * KIB; size < 3.6 * MIB; size *= cbrt(2), rate *= 0.87)
        add_point(rig, ERT_PATH_CACHED, size, rate);
    add_stretch(rig, 5 * MIB, 28 * MIB, 50);
    add_stretch(rig, 40 * MIB, 160 * MIB, 30);
    assert_close(found(rig, "L3", &candidates), 50, 1e-9);
    assert_close(found(rig, "DRAM", &candidates), 30, 1e-9);
    found(rig, "L2", &candidates);
    assert_false(candidates.has_plateau);
    assert_contains(candidates.warning, "no plateau for L2");
}

/* A VM: 480 MiB of L3 are reported, about 30 are ours; memory's plateau begins inside "L3". */
static void a_shared_cache_does_not_swallow_memory(void **state)
{
    struct curve_rig *rig = make_rig(480 * MIB);
    add_stretch(rig, 8 * KIB, 80 * KIB, 900);
    add_stretch(rig, 110 * KIB, 3.5 * MIB, 250);
    add_stretch(rig, 5 * MIB, 30 * MIB, 60);
    add_stretch(rig, 60 * MIB, 1920 * MIB, 30);
    assert_close(found(rig, "L3", &candidates), 60, 1e-9);
    assert_close(found(rig, "DRAM", &candidates), 30, 1e-9);
    assert_true(candidates.points[0]->work.actual_bytes >= 3.9 * 480 * MIB * 0.95);
}

/* The largest set fits into the reported cache: that is not called memory without a warning. */
static void a_sweep_that_ends_in_the_cache_proves_no_memory(void **state)
{
    struct curve_rig *rig = make_rig(1024 * MIB);
    add_stretch(rig, 8 * KIB, 80 * KIB, 900);
    add_stretch(rig, 110 * KIB, 3.5 * MIB, 250);
    add_stretch(rig, 5 * MIB, 500 * MIB, 60);
    assert_close(found(rig, "L3", &candidates), 60, 1e-9);
    assert_true(found(rig, "DRAM", &candidates) == 0);
    assert_contains(candidates.warning, "no working set inside the range of DRAM");
}

static void below_four_times_the_caches_memory_has_a_warning(void **state)
{
    struct curve_rig *rig = make_rig(32 * MIB);
    add_stretch(rig, 5 * MIB, 28 * MIB, 50);
    add_stretch(rig, 40 * MIB, 96 * MIB, 30);
    assert_close(found(rig, "DRAM", &candidates), 30, 1e-9);
    assert_contains(candidates.warning, "below 4 times the caches");
}

static void two_plateaus_in_one_cache_leave_one_unattributed(void **state)
{
    struct curve_rig *rig = make_rig(512 * MIB);
    struct ert_unattributed_plateau unattributed[ERT_MAX_PLATEAUS];
    add_stretch(rig, 110 * KIB, 3.5 * MIB, 250);
    add_stretch(rig, 9 * MIB, 60 * MIB, 80);
    add_stretch(rig, 120 * MIB, 400 * MIB, 55);
    add_stretch(rig, 700 * MIB, 2048 * MIB, 30);
    assert_close(found(rig, "L3", &candidates), 80, 1e-9);
    size_t n = ert_levels_unattributed(&rig->device, &rig->samples, ERT_KERNEL_load,
                                       ERT_PATH_CACHED, unattributed);
    assert_int_equal(n, 1);
    assert_close(unattributed[0].rate_bytes_per_s, 55e9, 1e-9);
    assert_contains(unattributed[0].why, "second plateau inside the range of L3");
}

/* Small sets pay for the loop: of two plateaus in L1 the faster one is L1, not the longer one. */
static void the_loop_cost_of_small_sets_is_not_l1(void **state)
{
    struct curve_rig *rig = make_rig(32 * MIB);
    add_stretch(rig, 4 * KIB, 30 * KIB, 800);
    add_stretch(rig, 40 * KIB, 90 * KIB, 900);
    add_stretch(rig, 130 * KIB, 3.5 * MIB, 250);
    assert_close(found(rig, "L1", &candidates), 900, 1e-9);
}

/* A machine without L3: its memory plateau is DRAM, not "L3". */
static void a_machine_without_l3(void **state)
{
    struct curve_rig *rig = make_rig(0);
    add_stretch(rig, 8 * KIB, 80 * KIB, 900);
    add_stretch(rig, 110 * KIB, 3.5 * MIB, 250);
    add_stretch(rig, 6 * MIB, 20 * MIB, 30);
    assert_close(found(rig, "DRAM", &candidates), 30, 1e-9);
    assert_true(candidates.has_plateau && !*candidates.warning);
}

/* First touch takes the DRAM near the cores, not the CXL memory that the topology lists last. */
static void far_memory_does_not_take_the_name(void **state)
{
    struct curve_rig *rig = make_rig(32 * MIB);
    add_level(&rig->device, "CXL", ERT_LEVEL_MEMORY, ERT_PATH_CACHED, 256 * 1073741824.0);
    add_stretch(rig, 5 * MIB, 28 * MIB, 50);
    add_stretch(rig, 40 * MIB, 160 * MIB, 30);
    assert_close(found(rig, "DRAM", &candidates), 30, 1e-9);
    assert_true(candidates.has_plateau);
    found(rig, "CXL", &candidates);
    assert_false(candidates.has_plateau);
}

/* A GPU: the sweep of ordinary loads runs on into L2; that stretch is neither L1 nor unattributed. */
static void a_path_stops_at_its_last_level(void **state)
{
    struct curve_rig *rig = calloc(1, sizeof *rig);
    struct ert_unattributed_plateau unattributed[ERT_MAX_PLATEAUS];
    rig->samples.points = rig->points;
    add_level(&rig->device, "L1", ERT_LEVEL_CACHE, ERT_PATH_CACHED, 33 * MIB);
    add_level(&rig->device, "L2", ERT_LEVEL_CACHE, ERT_PATH_BYPASS_L1, 60 * MIB);
    add_level(&rig->device, "HBM", ERT_LEVEL_MEMORY, ERT_PATH_BYPASS_L1, 141e9);
    add_stretch(rig, 2 * MIB, 26 * MIB, 33000);
    add_stretch(rig, 50 * MIB, 132 * MIB, 4600);
    assert_close(found(rig, "L1", &candidates), 33000, 1e-9);
    assert_int_equal(ert_levels_unattributed(&rig->device, &rig->samples, ERT_KERNEL_load,
                                             ERT_PATH_CACHED, unattributed),
                     0);
    assert_true(found(rig, "L2", &candidates) == 0);
}

/* A GPU with `l2` bytes of L2: a sweep of its L2 and memory at rates that do not show where L2 ends. */
static struct curve_rig *make_gpu(double l2)
{
    static struct curve_rig only, *rig = &only;
    memset(rig, 0, sizeof *rig);
    rig->samples.points = rig->points;
    add_level(&rig->device, "L2", ERT_LEVEL_CACHE, ERT_PATH_BYPASS_L1, l2);
    add_level(&rig->device, "HBM", ERT_LEVEL_MEMORY, ERT_PATH_BYPASS_L1, 80e9);
    for (double size = l2 / 64; size < 8 * l2; size *= cbrt(2))
        add_point(rig, ERT_PATH_BYPASS_L1, size, size < 0.75 * l2 ? 8000 : 3000);
    return rig;
}

/* Loads of few warps, of 20 sets, that a level of `holds` bytes answers; by what geometry spares or costs. */
static void add_few_warps(struct curve_rig *rig, double l2, double holds)
{
    for (int part = 20; part >= 5; part--) {
        double set = l2 / 20 * part;
        add_point(rig, ERT_PATH_BYPASS_L1, set, set <= holds ? 745 - part % 3 * 9 : 600);
        rig->points[rig->samples.n_points - 1].spec.concurrency = 2;
    }
}

static void check_sets(const struct ert_candidates *candidates, double least, double most)
{
    for (size_t i = 0; i < candidates->n; i++) {
        double set = (double)candidates->points[i]->work.actual_bytes;
        assert_true(set >= least && set <= most);
        assert_int_equal(candidates->points[i]->spec.concurrency, 0);
    }
}

/* 0.4 of what is reported, until loads of few warps have shown what the level holds: half of that. */
static void the_sets_of_l2_are_found_by_loads_of_few_warps(void **state)
{
    const double l2 = 50 * MIB;
    static const double shares[] = {0.8, 0.5, 1.0};
    struct curve_rig *rig = make_gpu(l2);
    assert_close(found(rig, "L2", &candidates), 8000, 1e-9);
    check_sets(&candidates, 0.75 * 0.3 * l2, 0.4 * l2);
    for (size_t i = 0; i < ERT_LENGTH(shares); i++) {
        rig = make_gpu(l2);
        add_few_warps(rig, l2, shares[i] * l2);
        assert_close(found(rig, "L2", &candidates), 8000, 1e-9);
        assert_close(candidates.capacity_measured_bytes, shares[i] * l2, 1e-9);
        /* Sets are a cube root of 2 apart. */
        check_sets(&candidates, 0.75 / cbrt(2) * shares[i] / 2 * l2, shares[i] / 2 * l2);
        assert_close(found(rig, "HBM", &candidates), 3000, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_clean_levels),
        cmocka_unit_test(every_variant_of_a_dense_sweep_counts),
        cmocka_unit_test(a_missing_plateau_renames_nothing),
        cmocka_unit_test(a_shared_cache_does_not_swallow_memory),
        cmocka_unit_test(a_sweep_that_ends_in_the_cache_proves_no_memory),
        cmocka_unit_test(below_four_times_the_caches_memory_has_a_warning),
        cmocka_unit_test(two_plateaus_in_one_cache_leave_one_unattributed),
        cmocka_unit_test(the_loop_cost_of_small_sets_is_not_l1),
        cmocka_unit_test(a_machine_without_l3),
        cmocka_unit_test(far_memory_does_not_take_the_name),
        cmocka_unit_test(a_path_stops_at_its_last_level),
        cmocka_unit_test(the_sets_of_l2_are_found_by_loads_of_few_warps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
