/* SPDX-License-Identifier: BSD-3-Clause */
/* compare: planted changes are found, noise is none, and what one side lacks is said. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/planted.h"
#include "tests/unit/test.h"

#include "analysis/ext/compare/compare.h"

static const struct rfl_compare_options plain = {0.01, NULL};

static const struct rfl_change *find(const struct rfl_comparison *comparison,
                                     const char *group, const char *name)
{
    for (size_t i = 0; i < comparison->n; i++)
        if (strcmp(comparison->changes[i].group, group) == 0 &&
            strcmp(comparison->changes[i].name, name) == 0)
            return &comparison->changes[i];
    fail_msg("no row %s %s", group, name);
    return NULL;
}

/* Intervals of 0.4 %, as of a quiet machine; the plant's are of 2 %. */
static struct ert_ceilings quiet_machine(enum planted plant)
{
    struct ert_ceilings ceilings = planted_make(plant);
    struct ert_device_ceilings *device = &ceilings.devices[0];
    for (size_t i = 0; i < device->n; i++) {
        struct ert_ceiling *ceiling = &device->ceilings[i];
        ceiling->low = 0.998 * ceiling->value;
        ceiling->high = 1.002 * ceiling->value;
    }
    return ceilings;
}

static const struct rfl_difference *difference(const struct rfl_comparison *comparison,
                                               const char *what)
{
    for (size_t i = 0; i < comparison->n_differences; i++)
        if (strcmp(comparison->differences[i].what, what) == 0)
            return &comparison->differences[i];
    fail_msg("no difference '%s'", what);
    return NULL;
}

/* One row of a value and an interval on both sides. */
static struct rfl_change judged(struct rfl_range a, struct rfl_range b,
                                enum rfl_better better, double margin)
{
    struct rfl_comparison comparison = {0};
    struct rfl_compare_options options = {margin, NULL};
    struct rfl_change change = {.group = "g", .kind = "k", .name = "n", .unit = "byte/s"};
    change.better = better;
    change.is_headline = true;
    change.a = a;
    change.b = b;
    rfl_compare_add(&comparison, &options, change);
    change = comparison.changes[0];
    assert_int_equal(comparison.counts[change.verdict], 1);
    rfl_comparison_free(&comparison);
    return change;
}

static void verdicts_by_hand(void **state)
{
    static const struct {
        struct rfl_range a, b;
        enum rfl_better better;
        double margin;
        enum rfl_verdict verdict;
    } rows[] = {
  /* 3 % less and intervals of 1 %: slower; for a latency faster; for bytes less */
        {{100, 99.5, 100.5, 19}, {97, 96.5, 97.5, 19},    RFL_HIGHER,  0.01, RFL_SLOWER},
        {{100, 99.5, 100.5, 19}, {97, 96.5, 97.5, 19},    RFL_LOWER,   0.01, RFL_FASTER},
        {{100, 99.5, 100.5, 19}, {97, 96.5, 97.5, 19},    RFL_NEITHER, 0.01, RFL_LESS  },
        {{100, 99.5, 100.5, 19}, {103, 102.5, 103.5, 19}, RFL_HIGHER,  0.01, RFL_FASTER},
        {{100, 99.5, 100.5, 19}, {103, 102.5, 103.5, 19}, RFL_LOWER,   0.01, RFL_SLOWER},
        {{100, 99.5, 100.5, 19}, {103, 102.5, 103.5, 19}, RFL_NEITHER, 0.01, RFL_MORE  },
 /* the intervals touch: 4.2 standard errors of 1.4 % would show a change, and 5.7 % are excluded */
        {{100, 98, 102, 19},     {97, 96, 98, 19},        RFL_HIGHER,  0.01, RFL_SAME  },
        {{100, 80, 120, 19},     {20, 16, 24, 19},        RFL_HIGHER,  0.01, RFL_SLOWER},
 /* what nearly all runs would show, but with intervals so wide that nothing is known */
        {{100, 40, 160, 19},     {39, 10, 90, 19},        RFL_HIGHER,  0.01, RFL_UNSURE},
 /* apart, but within the margin */
        {{100, 99.9, 100.1, 19}, {99.6, 99.5, 99.7, 19},  RFL_HIGHER,  0.01, RFL_SAME  },
        {{100, 99.9, 100.1, 19}, {99.1, 99, 99.2, 19},    RFL_HIGHER,  0.01, RFL_SAME  },
        {{100, 99.9, 100.1, 19}, {99, 98.9, 99.1, 19},    RFL_HIGHER,  0,    RFL_SLOWER},
 /* an interval of five samples is known badly */
        {{100, 99, 101, 5},      {97.5, 97, 98, 19},      RFL_HIGHER,  0.01, RFL_UNSURE},
        {{100, 99.6, 100.4, 19}, {97.5, 97.1, 97.9, 19},  RFL_HIGHER,  0.01, RFL_SLOWER},
 /* exact numbers: the margin alone */
        {{100, 100, 100, 0},     {99.1, 99.1, 99.1, 0},   RFL_NEITHER, 0.01, RFL_SAME  },
        {{100, 100, 100, 0},     {98.9, 98.9, 98.9, 0},   RFL_NEITHER, 0.01, RFL_LESS  },
 /* no value on one side */
        {{100, 99, 101, 19},     {0, 0, 0, 0},            RFL_HIGHER,  0.01, RFL_ONLY_A},
        {{0, 0, 0, 0},           {97.5, 97, 98.4, 19},    RFL_HIGHER,  0.01, RFL_ONLY_B},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rfl_change change =
            judged(rows[i].a, rows[i].b, rows[i].better, rows[i].margin);
        if (change.verdict != rows[i].verdict)
            fail_msg("row %zu: %s, must be %s", i, rfl_verdict_names[change.verdict],
                     rfl_verdict_names[rows[i].verdict]);
    }
}

static void gates_need_more_than_chance_gives(void **state)
{
    const struct rfl_range a = {100, 99.9, 100.1, 19}, none = {0, 0, 0, 0};
    struct rfl_change change =
        judged(a, (struct rfl_range){97, 96.9, 97.1, 19}, RFL_HIGHER, 0.01);
    assert_close(change.ratio, 0.97, 1e-12);
    assert_true(rfl_change_below(&change, 0.98));
    assert_false(rfl_change_below(&change, 0.97));
    change = judged(a, (struct rfl_range){97, 96, 98.1, 19}, RFL_HIGHER, 0.01);
    assert_false(rfl_change_below(&change, 0.98));
    /* a time: 3 % longer is a speed of 0.9709 */
    change = judged(a, (struct rfl_range){103, 102.9, 103.1, 19}, RFL_LOWER, 0.01);
    assert_close(change.speed, 100. / 103, 1e-12);
    assert_true(rfl_change_below(&change, 0.98));
    assert_false(rfl_change_below(&change, 0.97));
    change = judged(a, (struct rfl_range){103, 101, 104, 19}, RFL_LOWER, 0.01);
    assert_false(rfl_change_below(&change, 0.98));
    change = judged(a, none, RFL_HIGHER, 0.01);
    assert_false(rfl_change_below(&change, 0.98));
    /* five samples tell the error badly: the same intervals are not enough */
    change = judged((struct rfl_range){100, 99.8, 100.2, 5},
                    (struct rfl_range){97, 96.8, 97.2, 5}, RFL_HIGHER, 0.01);
    assert_false(rfl_change_below(&change, 0.98));
    assert_true(rfl_change_below(&change, 0.9999));
    change = judged(a, (struct rfl_range){97, 96, 97.9, 19}, RFL_NEITHER, 0.01);
    assert_false(rfl_change_below(&change, 0.98));
}

/* A machine with one rate down by 3 %, one latency up by 20 %, one ceiling gone and one new. */
static void planted_changes_are_found(void **state)
{
    struct rfl_comparison comparison = {0};
    struct ert_ceilings a = quiet_machine(PLANTED_H200), b = quiet_machine(PLANTED_H200);
    add_ceiling(&a.devices[0], ERT_CEILING_LATENCY, "HBM-latency")->value = 3e-7;
    add_ceiling(&b.devices[0], ERT_CEILING_LATENCY, "HBM-latency")->value = 3.6e-7;
    struct ert_ceiling *l2 = memory_at(&b.devices[0], 2);
    l2->value *= 0.97;
    l2->low *= 0.97;
    l2->high *= 0.97;
    l2->evidence->clock_hz *= 0.96;
    snprintf(l2->evidence->throttle_reasons, sizeof l2->evidence->throttle_reasons,
             "SW power cap");
    keep_ceilings(&b.devices[0], ERT_CEILING_COMPUTE,
                  n_ceilings(&b.devices[0], ERT_CEILING_COMPUTE) - 1);
    snprintf(memory_at(&b.devices[0], 0)->name, 32, "L1-other");
    b.devices[0].n_not_measured = 1;
    b.devices[0].not_measured = calloc(1, sizeof *b.devices[0].not_measured);
    assert_non_null(b.devices[0].not_measured);
    b.devices[0].not_measured[0] =
        (struct ert_not_measured){"L1-load", "it was not asked for"};

    rfl_compare_ceilings(&a, &b, &plain, &comparison);
    const struct rfl_change *row = find(&comparison, "gpu0", "L2-load");
    assert_int_equal(row->verdict, RFL_SLOWER);
    assert_close(row->ratio, 0.97, 1e-9);
    assert_string_equal(row->unit, "byte/s");
    assert_contains(row->note, "(-4.0 %): SW power cap");
    assert_true(rfl_change_below(row, 0.98));
    row = find(&comparison, "gpu0", "HBM-latency");
    assert_int_equal(row->verdict, RFL_SLOWER);
    assert_close(row->speed, 1 / 1.2, 1e-9);
    assert_int_equal(find(&comparison, "gpu0", "fp32-add")->verdict, RFL_ONLY_A);
    row = find(&comparison, "gpu0", "L1-load");
    assert_int_equal(row->verdict, RFL_ONLY_A);
    assert_string_equal(row->note, "it was not asked for");
    assert_int_equal(find(&comparison, "gpu0", "L1-other")->verdict, RFL_ONLY_B);
    assert_int_equal(find(&comparison, "gpu0", "fp64-fma")->verdict, RFL_SAME);
    assert_int_equal(comparison.counts[RFL_SLOWER], 2);
    assert_int_equal(comparison.counts[RFL_ONLY_A], 2);
    assert_int_equal(comparison.counts[RFL_ONLY_B], 1);
    assert_int_equal(comparison.counts[RFL_SAME], comparison.n - 5);
    assert_int_equal(comparison.n_differences, 0);
    rfl_comparison_free(&comparison);
    ert_ceilings_free(&b);
    ert_ceilings_free(&a);
}

/* What several runs have shown is normal, though the interval of one does not hold it. */
static void the_range_of_runs_counts(void **state)
{
    struct rfl_comparison comparison = {0};
    struct ert_ceilings a = quiet_machine(PLANTED_H200), b = quiet_machine(PLANTED_H200);
    for (size_t i = 0; i < 2; i++) {
        struct ert_ceiling *now = memory_at(&b.devices[0], i);
        now->value *= 0.97;
        now->low *= 0.97;
        now->high *= 0.97;
    }
    struct ert_ceiling *recorded = memory_at(&a.devices[0], 0);
    recorded->evidence->n_runs = 3;
    recorded->evidence->runs_low = 0.96 * recorded->value;
    recorded->evidence->runs_high = 1.001 * recorded->value;
    rfl_compare_ceilings(&a, &b, &plain, &comparison);
    assert_int_equal(find(&comparison, "gpu0", "L1-load")->verdict, RFL_SAME);
    assert_int_equal(find(&comparison, "gpu0", "shared-load")->verdict, RFL_SLOWER);
    rfl_comparison_free(&comparison);
    ert_ceilings_free(&b);
    ert_ceilings_free(&a);
}

/* Rounds are of short regions: a sustained rate that fell must not be called what they are. */
static void sustained_rates_are_judged_by_themselves(void **state)
{
    static const struct {
        double value, burst;
        enum rfl_verdict verdict, of_burst;
    } rows[] = {
        {0.99, 1.00, RFL_SAME,   RFL_SAME  }, /* the power limit's own scatter */
        {0.97, 1.05, RFL_SLOWER, RFL_FASTER},
        {0.80, 1.00, RFL_SLOWER, RFL_SAME  },
        {1.00, 0.90, RFL_SAME,   RFL_SLOWER},
    };
    for (size_t i = 0; i < ERT_LENGTH(rows); i++) {
        struct ert_ceilings a = quiet_machine(PLANTED_H200),
                            b = quiet_machine(PLANTED_H200);
        struct ert_ceiling *sides[] = {compute_at(&a.devices[0], 0),
                                       compute_at(&b.devices[0], 0)};
        for (int s = 0; s < 2; s++) {
            double rate = s ? rows[i].value : 1, burst = s ? rows[i].burst : 1;
            sides[s]->value = 9e11 * rate;
            sides[s]->low = 0.999 * sides[s]->value;
            sides[s]->high = 1.001 * sides[s]->value;
            sides[s]->evidence->burst = 1e12 * burst;
            sides[s]->evidence->burst_low = 0.999e12 * burst;
            sides[s]->evidence->burst_high = 1.001e12 * burst;
            sides[s]->evidence->sustained_s = 0.3;
            sides[s]->evidence->falls_after_s = 0.02;
            sides[s]->evidence->n_rounds = 8;
            for (int k = 0; k < 8; k++)
                sides[s]->evidence->rounds[k] = sides[s]->evidence->burst * (1 + 1e-4 * k);
        }
        struct rfl_comparison comparison = {0};
        struct rfl_compare_options options = {0.01, NULL};
        rfl_compare_ceilings(&a, &b, &options, &comparison);
        const struct rfl_change *change = find(&comparison, "gpu0", "fp64-fma"),
                                *burst = find(&comparison, "gpu0", "fp64-fma (burst)");
        assert_int_equal(change->verdict, rows[i].verdict);
        assert_int_equal(burst->verdict, rows[i].of_burst);
        assert_true(change->a.value == 9e11 && burst->a.value == 1e12);
        size_t n = comparison.n;
        rfl_comparison_free(&comparison);

        /* Another that has measured bursts alone. */
        sides[1]->value = sides[1]->evidence->burst;
        sides[1]->evidence->sustained_s = sides[1]->evidence->falls_after_s = 0;
        rfl_compare_ceilings(&a, &b, &options, &comparison);
        assert_int_equal(comparison.n, n - 1);
        assert_int_equal(find(&comparison, "gpu0", "fp64-fma (burst)")->verdict,
                         rows[i].of_burst);
        rfl_comparison_free(&comparison);
        ert_ceilings_free(&a);
        ert_ceilings_free(&b);
    }
}

/* What the host does at the moment is no change of the link, until several runs say what is usual. */
static void copies_of_ordinary_memory_are_of_the_moment(void **state)
{
    static const struct {
        const char *name;
        uint32_t n_runs;
        enum rfl_verdict verdict;
    } rows[] = {
        {"h2d-pageable", 0, RFL_UNSURE},
        {"h2d-pageable", 3, RFL_SLOWER},
        {"h2d-pinned",   0, RFL_SLOWER},
    };
    for (size_t i = 0; i < ERT_LENGTH(rows); i++) {
        struct rfl_comparison comparison = {0};
        struct ert_ceilings a = quiet_machine(PLANTED_H200),
                            b = quiet_machine(PLANTED_H200);
        struct ert_ceiling *link =
            add_ceiling(&a.devices[0], ERT_CEILING_LINK, rows[i].name);
        link->value = 8e9;
        link->low = 7.9e9;
        link->high = 8.1e9;
        link->evidence->n_samples = 20;
        link = copy_ceiling(&b.devices[0], link);
        link->value = 5.3e9;
        link->low = link->evidence->runs_low = 5.2e9;
        link->high = link->evidence->runs_high = 5.4e9;
        link->evidence->n_runs = rows[i].n_runs;
        rfl_compare_ceilings(&a, &b, &plain, &comparison);
        const struct rfl_change *row = find(&comparison, "gpu0", rows[i].name);
        assert_int_equal(row->verdict, rows[i].verdict);
        assert_int_equal(rows[i].verdict == RFL_UNSURE,
                         strstr(row->note, "ordinary memory of the host") != NULL);
        rfl_comparison_free(&comparison);
        ert_ceilings_free(&b);
        ert_ceilings_free(&a);
    }
}

static void other_machines_are_named(void **state)
{
    struct rfl_comparison comparison = {0};
    struct ert_ceilings a = quiet_machine(PLANTED_H200), b = quiet_machine(PLANTED_BOTH);
    struct ert_device *device = &b.machine->devices[0];
    snprintf(device->name, sizeof device->name, "NVIDIA H100");
    device->gpu.n_sms = a.machine->devices[0].gpu.n_sms + 12;
    snprintf(b.machine->provenance.nvidia_driver, 32, "580.1");
    b.devices[0].held_hz = 0.9 * a.devices[0].held_hz;
    rfl_compare_ceilings(&a, &b, &plain, &comparison);
    assert_string_equal(comparison.differences[0].what, "gpu0: model");
    assert_string_equal(comparison.differences[0].a, "NVIDIA H200");
    assert_string_equal(comparison.differences[0].b, "NVIDIA H100");
    assert_string_equal(difference(&comparison, "NVIDIA driver")->b, "580.1");
    assert_string_equal(difference(&comparison, "gpu0: held clock")->b, "1.782 GHz");
    difference(&comparison, "gpu0: SMs");
    assert_string_equal(difference(&comparison, "cpu: model")->a, "");
    /* and the comparison is made: the second device is one note, not a row for each ceiling */
    assert_int_equal(find(&comparison, "gpu0", "L1-load")->verdict, RFL_SAME);
    assert_int_equal(comparison.counts[RFL_ONLY_B], 0);
    assert_int_equal(comparison.notes.n_texts, 1);
    assert_contains(comparison.notes.texts[0], "cpu: only in B, with 9 ceilings");
    rfl_comparison_free(&comparison);
    ert_ceilings_free(&b);
    ert_ceilings_free(&a);
}

/* One GPU here and the second of a node there: the same kind, so they are compared. */
static void devices_match_by_kind(void **state)
{
    struct rfl_comparison comparison = {0};
    struct ert_ceilings a = quiet_machine(PLANTED_H200), b = quiet_machine(PLANTED_H200);
    snprintf(b.devices[0].device, 16, "gpu1");
    snprintf(b.machine->devices[0].id, 16, "gpu1");
    struct rfl_compare_options only = {0.01, "HBM"};
    rfl_compare_ceilings(&a, &b, &only, &comparison);
    assert_int_equal(comparison.n, 2);
    assert_int_equal(find(&comparison, "gpu0:gpu1", "HBM-copy")->verdict, RFL_SAME);
    assert_int_equal(comparison.notes.n_texts, 0);
    rfl_comparison_free(&comparison);
    ert_ceilings_free(&b);
    ert_ceilings_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_by_hand),
        cmocka_unit_test(gates_need_more_than_chance_gives),
        cmocka_unit_test(planted_changes_are_found),
        cmocka_unit_test(the_range_of_runs_counts),
        cmocka_unit_test(sustained_rates_are_judged_by_themselves),
        cmocka_unit_test(copies_of_ordinary_memory_are_of_the_moment),
        cmocka_unit_test(other_machines_are_named),
        cmocka_unit_test(devices_match_by_kind),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
