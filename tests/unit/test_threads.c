/* SPDX-License-Identifier: BSD-3-Clause */
/* threads: what the slowest thread allows, and which CPU it is on; known answers. */
#include "tests/unit/test.h"

#include "ert/core/fit/evidence.h"

enum { N_THREADS = 4, N_WINDOWS = 6 };

static const uint32_t cpus[N_THREADS] = {0, 2, 4, 6};

struct rig {
    struct ert_device_samples samples;
    struct ert_point point;
    struct ert_sample windows[N_WINDOWS];
    double passes[N_WINDOWS][N_THREADS];
};

/* Windows of 1 ms in which each thread does 100 passes, but for those that are said. */
static void make(struct rig *rig, uint32_t slow_thread, size_t n_slow, double slow_passes)
{
    *rig = (struct rig){
        .samples.observation = {.n_cpus = N_THREADS, .cpus = cpus}
    };
    for (size_t i = 0; i < N_WINDOWS; i++) {
        double sum = 0, least = 100;
        for (uint32_t t = 0; t < N_THREADS; t++) {
            bool is_slow = t == slow_thread && i < n_slow;
            rig->passes[i][t] = is_slow ? slow_passes : 100;
            sum += rig->passes[i][t];
            least = rig->passes[i][t] < least ? rig->passes[i][t] : least;
        }
        rig->windows[i] = (struct ert_sample){.time_s = 1e-3,
                                              .rate_per_s = sum / N_THREADS / 1e-3,
                                              .lockstep_per_s = least / 1e-3,
                                              .n_threads = N_THREADS,
                                              .thread_passes = rig->passes[i]};
    }
    rig->point = (struct ert_point){
        .section = ERT_SECTION_COMPUTE, .n_samples = N_WINDOWS, .samples = rig->windows};
    rig->samples.points = &rig->point;
    rig->samples.n_points = 1;
}

static void the_slowest_thread_is_lockstep(void **state)
{
    struct rig rig;
    struct ert_evidence evidence = {0};
    struct ert_ceiling ceiling = {.evidence = &evidence};
    make(&rig, 2, N_WINDOWS, 60);
    ert_evidence_threads(&ceiling, &rig.point, 8);
    assert_close(ceiling.evidence->lockstep, 8 * 60 / 1e-3, 1e-9);
}

static void one_thread_has_no_lockstep(void **state)
{
    struct rig rig;
    struct ert_evidence evidence = {0};
    struct ert_ceiling ceiling = {.evidence = &evidence};
    make(&rig, 0, 0, 0);
    for (size_t i = 0; i < N_WINDOWS; i++)
        rig.windows[i].n_threads = 0;
    ert_evidence_threads(&ceiling, &rig.point, 8);
    assert_close(ceiling.evidence->lockstep, 0, 0);
}

static void a_slow_cpu_is_found(void **state)
{
    struct rig rig;
    char text[160];
    make(&rig, 3, N_WINDOWS, 62);
    ert_evidence_slow_cpu(&rig.samples, text, sizeof text);
    assert_contains(text, "CPU 6 is slow: 62 % of the median CPU's rate");
    assert_contains(text, "6 of 6 windows");
    make(&rig, 3, N_WINDOWS, 95); /* every team has a slowest */
    ert_evidence_slow_cpu(&rig.samples, text, sizeof text);
    assert_string_equal(text, "");
    make(&rig, 3, 1, 10); /* once put aside */
    ert_evidence_slow_cpu(&rig.samples, text, sizeof text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_thread_is_lockstep),
        cmocka_unit_test(one_thread_has_no_lockstep),
        cmocka_unit_test(a_slow_cpu_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
