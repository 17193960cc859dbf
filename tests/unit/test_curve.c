/* SPDX-License-Identifier: BSD-3-Clause */
/* curve: a level's roof over the share of reads, by hand. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/planted.h"
#include "tests/unit/test.h"

#include "analysis/core/place/place.h"

static struct rfl_roofs roofs; /* 70 KiB */

/*
 * The roofs of one device of a kind with these patterns of one level, GB/s. A CPU's level is its
 * memory, a GPU's its L2.
 */
struct row {
    const char *pattern;
    double gb_per_s;
};

static void make(enum ert_device_kind kind, const struct row *rows)
{
    static struct ert_device_ceilings device;
    static struct ert_machine machine;
    struct ert_ceilings ceilings = {
        .machine = &machine, .n_devices = 1, .devices = &device};
    struct rfl_roofs_options options = {0};
    struct ert_error error = {ERT_OK, ""};
    const char *level = kind == ERT_DEVICE_CPU ? "DRAM" : "L2";
    memset(&device, 0, sizeof device);
    memset(&machine, 0, sizeof machine);
    memset(&roofs, 0xa5, sizeof roofs);
    snprintf(device.device, sizeof device.device, "x");
    machine.n_devices = 1;
    snprintf(machine.devices[0].id, sizeof machine.devices[0].id, "x");
    machine.devices[0].kind = kind;
    machine.devices[0].n_levels = 2;
    machine.devices[0].levels[0] =
        (struct ert_level){.name = "L1", .kind = ERT_LEVEL_CACHE};
    machine.devices[0].levels[1] = (struct ert_level){
        .kind = kind == ERT_DEVICE_CPU ? ERT_LEVEL_MEMORY : ERT_LEVEL_CACHE};
    snprintf(machine.devices[0].levels[1].name, 16, "%s", level);
    for (; rows->pattern; rows++) {
        struct ert_ceiling *ceiling = add_ceiling(&device, ERT_CEILING_MEMORY, "");
        snprintf(ceiling->key.level, sizeof ceiling->key.level, "%s", level);
        snprintf(ceiling->key.pattern, sizeof ceiling->key.pattern, "%s", rows->pattern);
        snprintf(ceiling->name, sizeof ceiling->name, "%s-%s", level, rows->pattern);
        ceiling->value = 1e9 * rows->gb_per_s;
    }
    ert_ceilings_mark_roofs(&device);
    if (rfl_roofs_make(&ceilings, 0, &options, &roofs, &error) != ERT_OK)
        fail_msg("%s", error.text);
}

static struct rfl_reach reach(const char *level, double share, bool actual, bool streaming)
{
    const struct rfl_accesses accesses = {share, actual, streaming};
    return rfl_curve_reach(&roofs, level, &accesses);
}

/* Of the H200's L2: store 5, copy 9, triad and add 12, load 10. */
static const struct row l2[] = {
    {"load",   10},
    {"store",  5 },
    {"copy",   9 },
    {"update", 8 },
    {"triad",  12},
    {"add",    11},
    {NULL,     0 }
};

static void at_what_was_measured(void **state)
{
    make(ERT_DEVICE_GPU, l2);
    static const struct {
        double share, rate;
        const char *name;
    } rows[] = {
        {1,        10e9, "load" },
        {0,        5e9,  "store"},
        {0.5,      9e9,  "copy" },
        {2. / 3,   12e9, "triad"},
        {0.666667, 12e9, "triad"}, /* a quotient of counters */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rfl_reach at = reach("L2", rows[i].share, i % 2, false);
        assert_close(at.bytes_per_s, rows[i].rate, 1e-12);
        assert_true(at.low == at.bytes_per_s && at.measured == at.bytes_per_s);
        assert_string_equal(at.name, rows[i].name);
        assert_string_equal(at.note, "");
    }
}

/* Half way from triad (2/3) to load (1): 1 / (0.5/12 + 0.5/10); a quarter: half way store to copy. */
static void between_two(void **state)
{
    make(ERT_DEVICE_GPU, l2);
    struct rfl_reach at = reach("L2", 5. / 6, false, false);
    assert_close(at.bytes_per_s, 120e9 / 11, 1e-12);
    assert_close(at.low, 120e9 / 11, 1e-12);
    assert_string_equal(at.name, "83 % reads");
    assert_contains(at.note, "between triad (67 %) and load (100 %)");
    assert_close(reach("L2", 0.25, true, false).bytes_per_s, 1e9 / (0.5 / 5 + 0.5 / 9),
                 1e-12);
    /* 0.9: 0.3 of triad, 0.7 of load; the nearer one gives clock and warning */
    at = reach("L2", 0.9, false, false);
    assert_close(at.bytes_per_s, 1e9 / (0.3 / 12 + 0.7 / 10), 1e-12);
    assert_string_equal(at.roof->pattern, "load");
}

/* Without a share anything from the slowest to the fastest share; update and add are no ends. */
static void band(void **state)
{
    make(ERT_DEVICE_GPU, l2);
    struct rfl_reach at = reach("L2", NAN, false, false);
    assert_true(at.bytes_per_s == 12e9 && at.low == 5e9);
    assert_string_equal(at.name, "store .. triad");
    assert_contains(at.note, "from 5.000 GB/s (store) to 12.00 GB/s (triad)");
}

/* The development Xeon's memory, in round numbers. */
static const struct row dram[] = {
    {"load",     30},
    {"store",    20},
    {"store-nt", 50},
    {"copy",     27},
    {"update",   56},
    {"triad",    31},
    {NULL,       0 }
};

/* A read stream is judged by loads, and pure non-temporal stores by nothing but themselves. */
static void useful_bytes_of_a_cpu(void **state)
{
    make(ERT_DEVICE_CPU, dram);
    assert_true(reach("DRAM", 1, false, false).bytes_per_s == 30e9);
    assert_true(reach("DRAM", 0, false, false).bytes_per_s == 20e9);
    struct rfl_reach at = reach("DRAM", 0.5, false, false);
    assert_true(at.bytes_per_s == 56e9 && at.low == 27e9);
    assert_string_equal(at.name, "copy .. update");
    assert_contains(at.note, "as update if they are in place");
    at = reach("DRAM", NAN, false, false);
    assert_true(at.bytes_per_s == 56e9 && at.low == 20e9);
    /* 0.25: half way from store to copy and to update */
    at = reach("DRAM", 0.25, false, false);
    assert_close(at.bytes_per_s, 1e9 / (0.5 / 20 + 0.5 / 56), 1e-12);
    assert_close(at.low, 1e9 / (0.5 / 20 + 0.5 / 27), 1e-12);
    /* code that streams: the same write stream is faster */
    at = reach("DRAM", 0, false, true);
    assert_true(at.bytes_per_s == 50e9 && at.low == 50e9);
    assert_close(reach("DRAM", 0.5, false, true).bytes_per_s, 1e9 / (0.5 / 30 + 0.5 / 50),
                 1e-12);
    assert_close(reach("DRAM", 0.5, true, true).bytes_per_s, 1e9 / (0.5 / 30 + 0.5 / 50),
                 1e-12);
}

/*
 * What moves: load 30 at 1, triad 4/3 x 31 at 3/4, copy 3/2 x 27 at 2/3, update 56 and store 2 x 20 at
 * 1/2, and, where fewer reads show it, store-nt 50 at 0.
 */
static void moved_bytes_of_a_cpu(void **state)
{
    make(ERT_DEVICE_CPU, dram);
    assert_true(reach("DRAM", 1, true, false).bytes_per_s == 30e9);
    assert_close(reach("DRAM", 2. / 3, true, false).bytes_per_s, 40.5e9, 1e-12);
    assert_close(reach("DRAM", 0.75, true, false).bytes_per_s, 124e9 / 3, 1e-12);
    struct rfl_reach at = reach("DRAM", 0.5, true, false);
    assert_true(at.bytes_per_s == 56e9 && at.low == 56e9);
    assert_string_equal(at.name, "update");
    at = reach("DRAM", NAN, true, false);
    assert_true(at.bytes_per_s == 56e9 && at.low == 30e9);
    at = reach("DRAM", 0.49, true, false); /* a counter's slack */
    assert_contains(at.note, "outside the measured range, so as update");
    at = reach("DRAM", 0.25, true, false);
    assert_close(at.bytes_per_s, 1e9 / (0.5 / 50 + 0.5 / 56), 1e-12);
}

static void beyond_what_was_measured(void **state)
{
    static const struct row loads[] = {
        {"load", 33},
        {NULL,   0 }
    };
    static const struct row two[] = {
        {"copy",  9 },
        {"triad", 12},
        {NULL,    0 }
    };
    make(ERT_DEVICE_GPU, loads);
    struct rfl_reach at = reach("L2", 0.7, false, false);
    assert_true(at.bytes_per_s == 33e9 && at.low == 33e9);
    assert_contains(at.note, "L2 at 70 % reads: outside the measured range, so as load");
    assert_string_equal(reach("L2", NAN, false, false).name, "load");
    make(ERT_DEVICE_GPU, two);
    assert_true(reach("L2", 0, false, false).bytes_per_s == 9e9);
    assert_true(reach("L2", 1, false, false).bytes_per_s == 12e9);
}

static void of_unknown_patterns(void **state)
{
    static const struct row strange[] = {
        {"daxpy", 7},
        {"dscal", 8},
        {NULL,    0}
    };
    make(ERT_DEVICE_CPU, strange);
    struct rfl_reach at = reach("DRAM", 0.5, true, false);
    assert_true(at.bytes_per_s == 8e9 && at.low == 8e9);
    assert_string_equal(at.name, "dscal");
    assert_true(reach("L9", 0.5, true, false).bytes_per_s == 0);
}

/* The roof of a level is that of its fastest pattern with ordinary stores, as where reads are unknown. */
static void the_roof_of_a_level(void **state)
{
    static const struct row no_load[] = {
        {"copy",  9 },
        {"triad", 12},
        {"add",   12},
        {NULL,    0 }
    };
    make(ERT_DEVICE_GPU, l2);
    assert_true(rfl_roofs_level(&roofs, "L2", NULL)->rate.value ==
                reach("L2", NAN, false, false).bytes_per_s);
    make(ERT_DEVICE_GPU, no_load);
    assert_string_equal(rfl_roofs_level(&roofs, "L2", NULL)->pattern, "triad");
    assert_true(roofs.bandwidths[1].rate.is_roof && !roofs.bandwidths[0].rate.is_roof &&
                !roofs.bandwidths[2].rate.is_roof);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_what_was_measured),
        cmocka_unit_test(between_two),
        cmocka_unit_test(band),
        cmocka_unit_test(useful_bytes_of_a_cpu),
        cmocka_unit_test(moved_bytes_of_a_cpu),
        cmocka_unit_test(beyond_what_was_measured),
        cmocka_unit_test(of_unknown_patterns),
        cmocka_unit_test(the_roof_of_a_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
