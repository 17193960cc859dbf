/* SPDX-License-Identifier: BSD-3-Clause */
/* time: timed regions of a prepared spec of the CPU backend, their clock, and the check after them. */
#include "ert/core/backend/cpu/session.h"
#include "ert/core/base/clock.h"

#include <math.h>
#include <stdatomic.h>
#include <time.h>

/* Time of a kernel's call between checks of the clock and the stop flag; ERT's own may take longer. */
static const double slice_time_s = 20e-3;

/* The end of each thread's passes is known to this share of a window. */
static const double look_share = 0.01;

/* No pass is shorter, even if a clock with a period of 40 ns measures 0 s. */
static const double least_pass_s = 1e-10;

/*
 * Before timing, passes run until their rate is steady: until two successive batches differ by less than
 * settled_share. Caches fill, and a core powers up its wide vector units, in 10 to 20 us on a
 * Sapphire-Rapids-class one, and may change its clock for them. Passes longer than least_warm_s need no
 * batch: prepare's pass was one.
 */
static const double least_warm_s = 50e-6, most_warm_s = 2e-3, batch_s = 10e-6;
static const double settled_share = 0.02;

/* Time of the passes between two measurements of the core's clock. */
static const double probe_time_s = 4e-6;

void ert_cpu_run_passes(struct ert_session *session, uint32_t thread, uint64_t passes)
{
    struct ert_cpu_part *part = &session->parts[thread];
    part->sweep.first_pass = part->passes;
    part->sweep.passes = passes;
    session->kernel(&part->sweep);
    part->passes += passes;
}

/* From the earliest start to the end of the last thread, from the times in their parts. */
static double region_time_s(const struct ert_session *session)
{
    double begin_s = session->parts[0].begin_s, end_s = session->parts[0].end_s;
    for (uint32_t i = 1; i < session->n_threads; i++) {
        const struct ert_cpu_part *part = &session->parts[i];
        begin_s = part->begin_s < begin_s ? part->begin_s : begin_s;
        end_s = part->end_s > end_s ? part->end_s : end_s;
    }
    return end_s - begin_s;
}

double ert_cpu_fastest_time_s(const struct ert_session *session)
{
    double time_s = INFINITY;
    for (uint32_t i = 0; i < session->n_threads; i++)
        time_s = fmin(time_s, session->parts[i].end_s - session->parts[i].begin_s);
    return time_s;
}

/* How many passes of pass_s each take about time_s; at least one. */
static uint64_t passes_in(double pass_s, double time_s)
{
    double passes = time_s / fmax(pass_s, least_pass_s);
    return passes > 1 ? (uint64_t)passes : 1;
}

struct region {
    struct ert_session *session;
    uint64_t passes;        /* how many, or 0: as many as fit into */
    double window_s;        /* a window of this length */
    atomic_llong start_ns;  /* when the first thread began; 0: not yet */
    atomic_uint n_finished; /* threads that have done their counted passes */
};

/* A chain of 3200 adds, about 1 us. */
enum { ROUNDS = 50 };

/* The time of reading the host's clock. */
static double clock_overhead_s(void)
{
    double best_s = 1;
    for (int i = 0; i < 16; i++) {
        double begin_s = ert_clock_now_s();
        double time_s = ert_clock_now_s() - begin_s;
        best_s = time_s < best_s ? time_s : best_s;
    }
    return best_s;
}

/* The clock of this core in Hz, by a chain of dependent adds of 1 us. */
static double clock_now(const struct ert_cpu_isa *isa, double overhead_s)
{
    double begin_s = ert_clock_now_s();
    isa->add_chain(ROUNDS);
    double time_s = ert_clock_now_s() - begin_s - overhead_s;
    return time_s > 0 ? ROUNDS * 64 / time_s : 0;
}

enum { N_PROBES = 9 };

/*
 * The core's clock during the kernel. A core lowers its clock while wide vectors are in flight and raises it
 * within microseconds after (Sapphire-Rapids-class core: 512-bit loads 3.6 GHz, FMA and copies 3.4,
 * load2_store1 2.9 to 3.1), so measurements of 1 us alternate with passes of 4 us. Their median counts, since
 * interrupts disturb some.
 */
static double probe_clock(struct ert_session *session, uint32_t thread)
{
    bool is_short = session->pass_time_s < 2 * probe_time_s;
    uint64_t probe = is_short ? passes_in(session->pass_time_s, probe_time_s) : 0;
    double clocks_hz[N_PROBES], overhead_s = clock_overhead_s();
    for (int i = 0; i < N_PROBES; i++) {
        if (probe)
            ert_cpu_run_passes(session, thread, probe);
        double clock_hz = clock_now(session->isa, overhead_s);
        int j = i;
        for (; j > 0 && clocks_hz[j - 1] > clock_hz; j--)
            clocks_hz[j] = clocks_hz[j - 1];
        clocks_hz[j] = clock_hz;
    }
    return clocks_hz[N_PROBES / 2];
}

/*
 * Runs passes until their rate is steady; returns the time of a pass in s, from the fastest batch: with that
 * of a preempted one, the clock would be read after each pass, which takes longer than many passes.
 */
static double warm_up(struct ert_session *session, uint32_t thread)
{
    double begin_s = ert_clock_now_s(), before_s = 0, best_s = INFINITY;
    if (session->pass_time_s >= least_warm_s)
        return session->pass_time_s;
    if (session->kind->call_passes) { /* one more call, as those of a region */
        ert_cpu_run_passes(session, thread, passes_in(session->pass_time_s, least_warm_s));
        return session->pass_time_s;
    }
    for (uint64_t n = 1;;) {
        double from_s = ert_clock_now_s();
        ert_cpu_run_passes(session, thread, n);
        double now_s = ert_clock_now_s(), pass_s = (now_s - from_s) / (double)n;
        best_s = fmin(best_s, pass_s);
        bool is_settled = before_s > 0 && fabs(pass_s / before_s - 1) < settled_share;
        if ((is_settled && now_s - begin_s >= least_warm_s) ||
            now_s - begin_s >= most_warm_s)
            return best_s;
        if (now_s - from_s < batch_s)
            n *= 2;
        else
            before_s = pass_s;
    }
}

/* Passes of one call. */
static uint64_t passes_of_call(const struct ert_session *session)
{
    uint64_t passes = passes_in(session->pass_time_s, slice_time_s);
    return passes < session->kind->call_passes ? session->kind->call_passes : passes;
}

/* Whether a thread must give up: the user wants to stop, or the region has become too long. */
static bool must_end(const struct ert_session *session, double time_s)
{
    const struct ert_session_options *options = &session->options;
    return (options->stop && *options->stop) || time_s > options->timeout_s;
}

/* This thread's CPU time in s. */
static double cpu_time_s(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
        return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Runs a given number of passes. */
static void cpu_time_run_region(struct region *region, uint32_t thread)
{
    struct ert_session *session = region->session;
    struct ert_cpu_part *part = &session->parts[thread];
    uint64_t at_once = passes_of_call(session), left = region->passes;
    part->begin_s = ert_clock_now_s();
    while (left > 0 && !part->broken_off) {
        uint64_t n = left < at_once ? left : at_once;
        ert_cpu_run_passes(session, thread, n);
        part->end_s = ert_clock_now_s();
        left -= n;
        part->broken_off = left > 0 && must_end(session, part->end_s - part->begin_s);
    }
}

/* The common start: when the first thread called this, also for threads that were preempted meanwhile. */
static double common_start_s(struct region *region)
{
    long long none = 0, now_ns = llrint(1e9 * ert_clock_now_s());
    if (atomic_compare_exchange_strong(&region->start_ns, &none, now_ns))
        none = now_ns;
    return 1e-9 * (double)none;
}

/*
 * Runs as many passes as fit into the window; then uncounted ones that keep the core and the memory busy
 * until the last thread has finished: threads that end early must not leave bandwidth or power to those that
 * still count. The part of the last call after the window's end is subtracted by its share of the call's
 * time.
 */
static void run_window(struct region *region, uint32_t thread, double pass_s)
{
    struct ert_session *session = region->session;
    struct ert_cpu_part *part = &session->parts[thread];
    uint64_t look = passes_in(pass_s, fmin(look_share * region->window_s, slice_time_s));
    uint64_t counted = 0;
    part->begin_s = common_start_s(region);
    double look_s = 0, time_s = 0, busy_s = cpu_time_s();
    do {
        ert_cpu_run_passes(session, thread, look);
        counted += look;
        part->end_s = ert_clock_now_s();
        look_s = part->end_s - part->begin_s - time_s;
        time_s += look_s;
        part->broken_off = must_end(session, time_s);
    } while (time_s < region->window_s && !part->broken_off);
    part->ran_s = cpu_time_s() - busy_s;
    double past = fmin((time_s - region->window_s) / look_s, 1);
    session->window_passes[thread] = (double)counted - (double)look * past;
    atomic_fetch_add(&region->n_finished, 1);
    while (atomic_load(&region->n_finished) < session->n_threads && !part->broken_off) {
        ert_cpu_run_passes(session, thread, look);
        part->broken_off = must_end(session, ert_clock_now_s() - part->begin_s);
    }
}

static void time_part(void *context, uint32_t thread)
{
    struct region *region = context;
    struct ert_session *session = region->session;
    struct ert_cpu_part *part = &session->parts[thread];
    part->broken_off = false;
    double pass_s = warm_up(session, thread);
    ert_cpu_team_barrier(session->team);
    if (region->passes)
        cpu_time_run_region(region, thread);
    else
        run_window(region, thread, pass_s);
    part->clock_hz = probe_clock(session, thread);
}

static enum ert_status cpu_time_judge(struct ert_session *session, double time_s,
                                      struct ert_error *error)
{
    const struct ert_session_options *options = &session->options;
    const char *name = ert_kernel_row(session->spec.kernel)->name;
    bool broken_off = false;
    for (uint32_t i = 0; i < session->n_threads; i++)
        broken_off |= session->parts[i].broken_off;
    if (!broken_off && time_s <= options->timeout_s)
        return ERT_OK;
    session->prepared = false; /* some passes may be missing, so it cannot continue */
    if (options->stop && *options->stop)
        return ert_fail(error, ERT_FAILED, "cpu: %s (%s): interrupted after %.3g s", name,
                        session->isa->name, time_s);
    return ert_fail(error, ERT_FAILED,
                    "cpu: %s (%s): a region of %.3g s or more, must take at most %.3g s",
                    name, session->isa->name, time_s, options->timeout_s);
}

static enum ert_status run_team(struct ert_session *session, struct region *region,
                                struct ert_error *error)
{
    if (!session->prepared)
        return ert_fail(error, ERT_FAILED, "cpu: nothing is prepared to be timed");
    return ert_cpu_team_run(session->team, time_part, region, error);
}

static double mean_clock_hz(const struct ert_session *session)
{
    double sum_hz = 0;
    for (uint32_t i = 0; i < session->n_threads; i++)
        sum_hz += session->parts[i].clock_hz;
    return sum_hz / session->n_threads;
}

enum ert_status ert_cpu_time(struct ert_session *session, uint64_t passes,
                             struct ert_sample *sample, bool *lost, struct ert_error *error)
{
    struct region region = {.session = session, .passes = passes};
    *lost = false;
    if (passes == 0)
        return ert_fail(error, ERT_USAGE, "cpu: 0 passes, must be at least 1");
    ERT_TRY(run_team(session, &region, error));
    double time_s = region_time_s(session);
    ERT_TRY(cpu_time_judge(session, time_s, error));
    *sample = (struct ert_sample){
        .time_s = time_s, .passes = passes, .clock_hz = mean_clock_hz(session)};
    /* More reliable than the warm pass alone, which interrupts may have disturbed. */
    session->pass_time_s = time_s / (double)passes;
    return ERT_OK;
}

enum ert_status ert_cpu_window(struct ert_session *session, double window_s,
                               struct ert_sample *sample, bool *lost,
                               struct ert_error *error)
{
    struct region region = {.session = session, .window_s = window_s};
    struct ert_activity_snapshot before, after;
    *lost = false;
    if (!(window_s > 0))
        return ert_fail(error, ERT_USAGE, "cpu: a window of %g s, must be above 0",
                        window_s);
    ert_activity_look("", &session->usable, &before);
    ERT_TRY(run_team(session, &region, error));
    ert_activity_look("", &session->usable, &after);
    ERT_TRY(cpu_time_judge(session, region_time_s(session), error));
    *sample = (struct ert_sample){.time_s = window_s, .clock_hz = mean_clock_hz(session)};
    ert_sample_of_threads(sample, session->window_passes, session->n_threads);
    for (uint32_t i = 0; i < session->n_threads; i++) {
        const struct ert_cpu_part *part = &session->parts[i];
        double ran = part->ran_s / (part->end_s - part->begin_s);
        sample->waited += fmin(fmax(1 - ran, 0), 1) / session->n_threads;
    }
    /* Idle CPUs have no steal. */
    double all_s = (after.clock_s - before.clock_s) * session->n_threads;
    sample->steal = fmin(fmax((after.steal_s - before.steal_s) / all_s, 0), 1);
    if (sample->rate_per_s > 0)
        session->pass_time_s = 1 / sample->rate_per_s;
    return ERT_OK;
}

static void verify_part(void *context, uint32_t thread)
{
    struct ert_session *session = context;
    session->parts[thread].wrong = false;
    session->kind->check(session, thread);
}

enum ert_status ert_cpu_verify(struct ert_session *session, struct ert_error *error)
{
    if (!session->prepared)
        return ert_fail(error, ERT_FAILED, "cpu: nothing is prepared to be verified");
    ERT_TRY(ert_cpu_team_run(session->team, verify_part, session, error));
    for (uint32_t i = 0; i < session->n_threads; i++)
        if (session->parts[i].wrong)
            return ert_fail(error, ERT_FAILED, "cpu: wrong result: %s",
                            session->parts[i].message);
    return ERT_OK;
}

enum { LEAST_PARTS = 4 };

/*
 * Runs a spec without a pause on some cores: windows until time_s has passed, each well below the time limit
 * of a region; measures the clock between them, for about 100 us. At least enough windows that a quarter can
 * settle. Power is not metered: most systems let only root read the energy counters of processors
 * (CVE-2020-8694).
 */
enum ert_status ert_cpu_sustain(struct ert_session *session, double time_s, uint64_t passes,
                                struct ert_sustained *sustained, struct ert_error *error)
{
    (void)passes; /* of a region; the session knows the time of one */
    if (!session->prepared)
        return ert_fail(error, ERT_FAILED, "cpu: nothing is prepared to be run");
    const double start_s = ert_clock_now_s();
    uint32_t n = 0;
    *sustained = (struct ert_sustained){0};
    for (; n < ERT_RUN_PARTS && (n < LEAST_PARTS || ert_clock_now_s() - start_s < time_s);
         n++) {
        struct ert_part *part = &sustained->parts[n];
        struct ert_sample sample;
        bool lost;
        ERT_TRY(ert_cpu_window(session, time_s / ERT_RUN_PARTS, &sample, &lost, error));
        part->end_s = (n > 0 ? part[-1].end_s : 0) + sample.time_s;
        part->rate_per_s = sample.rate_per_s;
        part->clock_hz = sample.clock_hz;
    }
    sustained->n_parts = n;
    sustained->n_settling = n / 4;
    ert_sustained_conclude(sustained);
    return ERT_OK;
}
