/* SPDX-License-Identifier: BSD-3-Clause */
/* timing: which of several timed runs count, with what interval, and when others disturbed them. */
#include "tests/unit/test.h"

#include "analysis/ext/record/record.h"

static struct rfl_timing timing;
static struct rfl_points points;
static char said[512];

static void add(double elapsed_s, double cpu_s, double others, bool is_disturbed)
{
    timing.runs[timing.n++] = (struct rfl_timed){.elapsed_s = elapsed_s,
                                                 .cpu_s = cpu_s,
                                                 .others = others,
                                                 .is_disturbed = is_disturbed};
}

static const struct rfl_point *set(void)
{
    double seconds[RFL_MOST_TIMED];
    struct rfl_point *point = rfl_points_add(&points, "a");
    for (size_t i = 0; i < timing.n; i++)
        seconds[i] = timing.runs[i].elapsed_s;
    point->threads = 2;
    rfl_timing_set(&timing, seconds, point);
    return point;
}

static int clear(void **state)
{
    rfl_points_free(&points);
    timing.n = 0;
    *said = '\0';
    return 0;
}

static void the_median_of_the_undisturbed(void **state)
{
    add(9, 4, 0.5, true);
    add(2.2, 4, 0, false);
    add(2, 4, 0, false);
    add(1.5, 3, 0.4, true);
    add(2.1, 4, 0, false);
    const struct rfl_point *point = set();
    assert_true(point->time_s == 2.1 && point->time_low_s == 2 &&
                point->time_high_s == 2.2);
    assert_true(rfl_timing_chosen(&timing) == &timing.runs[2]);
    assert_true(rfl_timing_elapsed(&timing) == 2.1);
    assert_int_equal(point->n_warnings, 0);
}

static void one_run_has_no_interval(void **state)
{
    add(2, 4, 0, false);
    const struct rfl_point *point = set();
    assert_true(point->time_s == 2 && point->time_low_s == 0 && point->time_high_s == 0);
}

/* 3 s of CPU time on two threads took 2 s with others, and takes 1.5 s without them at the least. */
static void all_were_disturbed(void **state)
{
    add(2.5, 3, 0.09, true);
    add(2, 3, 0.08, true);
    const struct rfl_point *point = set();
    assert_true(point->time_s == 2 && point->time_low_s == 1.5 && point->time_high_s == 2);
    assert_true(rfl_timing_elapsed(&timing) == 2);
    assert_contains(point->warnings[0], "others had 9 % of the CPUs' time");
}

/* Two that wait for each other took 5.1 times as long beside builds on both CPUs. */
static void threads_wait_for_each_other(void **state)
{
    add(2, 4, 0.4, true);
    const struct rfl_point *point = set();
    assert_true(point->time_s == 2 && point->time_low_s == 0.2 && point->time_high_s == 2);
}

/* Of six runs beside builds one or two seemed quiet, and a program 45 % slower than before. */
static void what_seems_quiet_among_disturbed_ones_is_not(void **state)
{
    add(3, 3, 0.3, true);
    add(2.5, 3, 0, false);
    const struct rfl_point *point = set();
    assert_true(point->time_s == 2.5 && point->time_high_s == 2.5);
    assert_true(fabs(point->time_low_s - 0.1 * 0.6 * 2.5) < 1e-9);
    assert_contains(point->warnings[0], "others had 30 %");
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
}

static void what_is_said(void **state)
{
    add(2, 2, 0, false);
    rfl_timing_say(&timing, say);
    assert_string_equal(said, "");
    add(2.5, 2, 0.5, true);
    add(2, 2, 0, false);
    rfl_timing_say(&timing, say);
    assert_contains(said,
                    "timed 3 times: 2 s (2 .. 2 s); runs that others disturbed do not");
    timing.runs[0].is_disturbed = true;
    rfl_timing_say(&timing, say);
    assert_contains(said, "(2 .. 2.5 s); others disturbed half of them or more, so the");
}

/* A child that works for 0.6 s while nobody else does, as far as this machine lets it be seen. */
static void a_child_is_not_the_others(void **state)
{
    struct rfl_timed timed;
    struct ert_tool_end end;
    struct ert_error error;
    static const char *const argv[] = {
        "sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done", NULL};
    const struct ert_tool_job job = {.argv = argv};
    rfl_timing_begin(&timing, &timed);
    assert_int_equal(ert_tool_pass(&job, &end, &error), ERT_OK);
    rfl_timing_end(&timing, &timed, &end);
    assert_int_equal(timing.n, 1);
    assert_true(timing.runs[0].cpu_s > 0 && timing.runs[0].cpu_s < 1.1 * end.elapsed_s);
    end.interrupt = 2;
    rfl_timing_end(&timing, &timed, &end);
    assert_int_equal(timing.n, 1);
}

static void what_is_between_short_runs_is_not_theirs(void **state)
{
    const struct ert_tool_end end = {.elapsed_s = 0.001};
    struct rfl_timed timed;
    for (int run = 0; run < 2; run++) {
        rfl_timing_begin(&timing, &timed);
        rfl_timing_end(&timing, &timed, &end);
        timing.runs[0].before.clock_s -=
            1000; /* as if the program was counted for so long since */
        timing.runs[0].before.busy_s -= 1000;
    }
    assert_int_equal(timing.n, 2);
    if (timing.watched.clock_s < 0.1) /* else this process was kept from running */
        assert_false(timing.runs[1].is_known || timing.runs[1].is_disturbed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_median_of_the_undisturbed, clear),
        cmocka_unit_test_teardown(one_run_has_no_interval, clear),
        cmocka_unit_test_teardown(all_were_disturbed, clear),
        cmocka_unit_test_teardown(threads_wait_for_each_other, clear),
        cmocka_unit_test_teardown(what_seems_quiet_among_disturbed_ones_is_not, clear),
        cmocka_unit_test_teardown(what_is_said, clear),
        cmocka_unit_test_teardown(a_child_is_not_the_others, clear),
        cmocka_unit_test_teardown(what_is_between_short_runs_is_not_theirs, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
