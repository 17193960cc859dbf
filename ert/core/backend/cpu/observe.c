/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * observe: what an open session can find out about the machine below it: for how long busy threads lose their
 * CPUs (OS noise), and whether what the system calls cores share hardware cores, which a virtual machine may
 * hide.
 */
#include "ert/core/backend/cpu/session.h"
#include "ert/core/base/clock.h"

#include <math.h>
#include <stdlib.h>

/*
 * Five ticks of a kernel with 250 per second: shorter loops miss what occurs once per tick. Two readings of
 * the clock are 20 to 60 ns apart; interrupts take some microseconds, which are not gaps of interest.
 */
static const double watch_s = 20e-3, gap_least_s = 20e-6;

/* Windows for comparing rates: short, since only ratios matter; several, since gaps affect some. */
static const double share_window_s = 2e-3;
enum { SHARE_WINDOWS = 8 };

/*
 * Two hardware threads of one core share its units, and each has half of the rate: so one CPU of each true
 * pair is twice as fast as CPUs chosen by a wrong pairing. A clock that falls when all cores work costs a
 * fifth. Ratios in between are unclear: the hypervisor may move CPUs around.
 */
static const double pair_ratio = 1.25, alone_ratio = 0.75;

/* A window in which threads waited for a larger share is void: the others had cores to themselves. */
static const double most_waited = 0.25;

struct watch {
    struct ert_session *session;
    double *longest_s, *lost_s; /* of each thread */
};

static void watch_part(void *context, uint32_t thread)
{
    struct watch *watch = context;
    double longest_s = 0, lost_s = 0;
    ert_cpu_team_barrier(watch->session->team);
    double start_s = ert_clock_now_s(), before_s = start_s;
    while (before_s - start_s < watch_s) {
        double now_s = ert_clock_now_s(), gap_s = now_s - before_s;
        longest_s = fmax(longest_s, gap_s);
        lost_s += gap_s >= gap_least_s ? gap_s : 0;
        before_s = now_s;
    }
    watch->longest_s[thread] = longest_s;
    watch->lost_s[thread] = lost_s / (before_s - start_s);
}

static enum ert_status watch_gaps(struct ert_session *session,
                                  struct ert_observation *observation,
                                  struct ert_error *error)
{
    uint32_t n = session->n_ordinary;
    double *numbers = calloc(2 * (size_t)n, sizeof *numbers);
    struct watch watch = {session, numbers, numbers + n};
    if (!numbers)
        return ert_fail(error, ERT_FAILED, "cpu: no memory for %u threads", n);
    enum ert_status status = ert_cpu_team_run(session->team, watch_part, &watch, error);
    for (uint32_t i = 0; i < n && status == ERT_OK; i++) {
        observation->lost += watch.lost_s[i] / n;
        if (watch.longest_s[i] <= observation->longest_gap_s)
            continue;
        observation->longest_gap_s = watch.longest_s[i];
        observation->gap_cpu = session->cpus[i];
    }
    observation->time_s = watch_s;
    observation->gap_least_s = gap_least_s;
    free(numbers);
    return status;
}

/*
 * The best mean rate per thread and time that it ran, while members[n] work; the spec is prepared for all. 0
 * if threads waited so long that they did not work at the same time.
 */
static enum ert_status observe_rate_of(struct ert_session *session, const uint32_t *members,
                                       uint32_t n, double *rate_per_s,
                                       struct ert_error *error)
{
    *rate_per_s = 0;
    ert_cpu_team_choose(session->team, n, members);
    session->n_threads = n;
    for (int i = 0; i < SHARE_WINDOWS; i++) {
        struct ert_sample sample;
        bool lost;
        ERT_TRY(ert_cpu_window(session, share_window_s, &sample, &lost, error));
        if (sample.waited < most_waited)
            *rate_per_s = fmax(*rate_per_s, sample.rate_per_s / (1 - sample.waited));
    }
    return ERT_OK;
}

static enum ert_status compare_rates(struct ert_session *session, uint32_t *members,
                                     struct ert_observation *observation,
                                     struct ert_error *error)
{
    uint32_t n = session->n_ordinary, half = n / 2;
    double all_per_s, even_per_s, half_per_s;
    ERT_TRY(observe_rate_of(session, NULL, n, &all_per_s, error));
    for (uint32_t i = 0; i < half; i++)
        members[i] = 2 * i;
    ERT_TRY(observe_rate_of(session, members, half, &even_per_s, error));
    ERT_TRY(observe_rate_of(session, NULL, half, &half_per_s, error));
    if (!(all_per_s > 0 && even_per_s > 0 && half_per_s > 0))
        return ERT_OK;
    observation->sharing_ratio = all_per_s / fmax(even_per_s, half_per_s);
    if (observation->sharing_ratio >= alone_ratio)
        observation->sharing = ERT_SHARING_NONE;
    else if (n == 2)
        observation->sharing = ERT_SHARING_NEIGHBOURS;
    if (n > 2 && even_per_s > pair_ratio * half_per_s)
        observation->sharing = ERT_SHARING_NEIGHBOURS;
    if (n > 2 && half_per_s > pair_ratio * even_per_s)
        observation->sharing = ERT_SHARING_HALVES;
    return ERT_OK;
}

/* Only if, by the system, each thread has a core of its own. */
static enum ert_status find_sharing(struct ert_session *session,
                                    struct ert_observation *observation,
                                    struct ert_error *error)
{
    const struct ert_cpu_isa *isas[ERT_MAX_VARIANTS];
    const struct ert_spec all = {.kernel = ERT_KERNEL_mul_fp64, .path = ERT_PATH_NONE};
    uint32_t n = session->n_ordinary;
    struct ert_work work;
    if (n < 2 || n % 2 != 0 || n > session->device.cpu.n_cores_usable ||
        ert_cpu_usable_isas(&session->device, all.kernel, isas) == 0)
        return ERT_OK;
    uint32_t *members = calloc(n, sizeof *members);
    if (!members)
        return ert_fail(error, ERT_FAILED, "cpu: no memory for %u threads", n);
    enum ert_status status = ert_cpu_prepare(session, &all, &work, error);
    if (status == ERT_OK)
        status = compare_rates(session, members, observation, error);
    session->prepared = false;
    free(members);
    return status;
}

enum ert_status ert_cpu_observe(struct ert_session *session,
                                struct ert_observation *observation,
                                struct ert_error *error)
{
    *observation =
        (struct ert_observation){.n_cpus = session->n_ordinary, .cpus = session->cpus};
    ert_cpu_team_choose(session->team, session->n_ordinary, NULL);
    for (uint32_t i = 0; i < session->n_ordinary; i++)
        session->cpus[i] = ert_cpu_team_cpu(session->team, i);
    ERT_TRY(watch_gaps(session, observation, error));
    return find_sharing(session, observation, error);
}
