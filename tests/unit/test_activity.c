/* SPDX-License-Identifier: BSD-3-Clause */
/* activity: who had the CPUs' time, from copies of /proc/stat as kernels write it. */
#include "tests/unit/test.h"

#include "ert/core/base/file.h"
#include "ert/core/machine/activity.h"

#include <math.h>
#include <unistd.h>

static char root[64];

static void put(const char *text)
{
    char file[128];
    struct ert_error error = {0};
    snprintf(file, sizeof file, "%s/proc", root);
    assert_int_equal(ert_file_make_folder(file, &error), ERT_OK);
    snprintf(file, sizeof file, "%s/proc/stat", root);
    put_file(file, text, strlen(text));
}

static void assert_near(double value, double expected, double error)
{
    if (!(fabs(value - expected) <= error))
        fail_msg("%.17g is not %.17g", value, expected);
}

static int set_up(void **state)
{
    snprintf(root, sizeof root, "/tmp/ert-activity-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

/* What the kernel's clock counts in: 100 Hz, or whatever it says. */
static double tick_s(void)
{
    return 1 / (double)sysconf(_SC_CLK_TCK);
}

/* CPUs 0, 2 and 70; CPU 1 is another's. The interrupts' line is longer than any buffer. */
static struct ert_activity_snapshot look(const char *text)
{
    const struct ert_activity_cpus cpus = {
        .bits = {0x5, UINT64_C(1) << 6}
    };
    struct ert_activity_snapshot snapshot;
    put(text);
    ert_activity_look(root, &cpus, &snapshot);
    return snapshot;
}

static void only_our_cpus_count(void **state)
{
    char text[4096] = "cpu  9000 9000 9000 9000 9000 9000 9000 9000 9000 9000\n"
                      "cpu0 100 20 30 7000 800 4 5 60 0 0\n"
                      "cpu1 9000 9000 9000 9000 9000 9000 9000 9000 0 0\n"
                      "cpu2 1 2 3 4 5 6 7 8 0 0\n"
                      "cpu70 1000 0 0 0 0 0 0 0 0 0\n"
                      "intr 513835";
    for (int i = 0; i < 1500; i++)
        strcat(text, " 0");
    strcat(text, "\nctxt 1\n");
    struct ert_activity_snapshot snapshot = look(text);
    assert_int_equal(snapshot.n_cpus, 3);
    /* Idle and iowait are no work; interrupts are. */
    assert_near(snapshot.busy_s, (159 + 19 + 1000) * tick_s(), 1e-12);
    assert_near(snapshot.steal_s, 68 * tick_s(), 1e-12);
    assert_true(snapshot.own_s > 0);
}

static void what_the_kernel_does_not_say_is_unknown(void **state)
{
    assert_int_equal(look("").n_cpus, 0);
    assert_int_equal(look("cpu 1 2 3 4 5 6 7 8\ncpu1 1 2 3 4 5 6 7 8\n").n_cpus, 0);
    assert_int_equal(look("cpu0 1 2 3\n").n_cpus, 0); /* before Linux 2.6.11: no steal */
    const struct ert_activity_cpus cpus = {.bits = {1}};
    struct ert_activity_snapshot snapshot;
    ert_activity_look("/nonexistent", &cpus, &snapshot);
    assert_int_equal(snapshot.n_cpus, 0);
}

static void shares_are_of_all_our_cpus(void **state)
{
    const struct ert_activity_snapshot before = {100, 1, 50, 5, 4};
    struct ert_activity_snapshot after = {110, 21, 80, 9, 4};
    struct ert_activity activity = ert_activity_between(&before, &after);
    assert_int_equal(activity.n_cpus, 4);
    assert_near(activity.elapsed_s, 10, 1e-12);
    assert_near(activity.own, 20.0 / 40, 1e-12);
    assert_near(activity.foreign, (30.0 - 20) / 40, 1e-12);
    assert_near(activity.steal, 4.0 / 40, 1e-12);
    /* Our own time is exact, theirs comes in ticks: never below 0. */
    after.busy_s = 69;
    assert_true(ert_activity_between(&before, &after).foreign == 0);
    after.n_cpus = 3; /* one went offline */
    assert_int_equal(ert_activity_between(&before, &after).n_cpus, 0);
}

static void few_ticks_are_luck(void **state)
{
    const struct ert_activity_snapshot before = {100, 1, 50, 5, 2};
    struct ert_activity_snapshot after = {100 + 49 * tick_s(), 1, 51, 5, 2};
    assert_int_equal(ert_activity_between(&before, &after).n_cpus, 0);
    after.clock_s = 100 + 51 * tick_s();
    assert_int_equal(ert_activity_between(&before, &after).n_cpus, 2);
}

static void this_machine_has_a_cpu(void **state)
{
    struct ert_activity_cpus cpus;
    ert_activity_usable(&cpus);
    uint64_t any = 0;
    for (size_t i = 0; i < ERT_ACTIVITY_MAX_CPUS / 64; i++)
        any |= cpus.bits[i];
    assert_true(any != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_our_cpus_count),
        cmocka_unit_test(what_the_kernel_does_not_say_is_unknown),
        cmocka_unit_test(shares_are_of_all_our_cpus),
        cmocka_unit_test(few_ticks_are_luck),
        cmocka_unit_test(this_machine_has_a_cpu),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
