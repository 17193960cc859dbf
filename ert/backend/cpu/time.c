/* time: the timed region of a prepared case of the CPU backend, its clock, and the check after it. */
#include "ert/backend/classic.h"
#include "ert/backend/cpu/session.h"
#include "ert/base/clock.h"

#include <math.h>

/* A call of a kernel between two looks at the clock and the stop flag; ERT's own may take longer. */
static const double slice_time_s = 20e-3;

/* No pass is shorter: a clock that ticks each 40 ns may say 0 s. */
static const double least_pass_s = 1e-10;

/*
 * Before the clock starts, passes are run for this long: caches, and the wide vector units,
 * which a core powers up in 10 to 20 us and runs at a fraction of their rate until then.
 */
static const double warm_time_s = 50e-6;

/* Passes between two looks at the core's clock. */
static const double probe_time_s = 4e-6;

void ert_cpu_run_passes(struct ert_session *session, uint32_t thread, uint64_t first,
                        uint64_t passes)
{
    struct ert_cpu_sweep *sweep = &session->parts[thread].sweep;
    ert_cpu_classic_count(&session->parts[thread].calls, passes);
    sweep->first_pass = first;
    sweep->passes = passes;
    session->kernel(sweep);
}

double ert_cpu_region_time_s(const struct ert_session *session)
{
    double begin_s = session->parts[0].begin_s, end_s = session->parts[0].end_s;
    for (uint32_t i = 1; i < session->n_threads; i++) {
        const struct ert_cpu_part *part = &session->parts[i];
        begin_s = part->begin_s < begin_s ? part->begin_s : begin_s;
        end_s = part->end_s > end_s ? part->end_s : end_s;
    }
    return end_s - begin_s;
}

/* Passes that take about time_s, at least one. */
static uint64_t passes_in(const struct ert_session *session, double time_s)
{
    double passes = time_s / fmax(session->pass_time_s, least_pass_s);
    return passes > 1 ? (uint64_t)passes : 1;
}

struct region {
    struct ert_session *session;
    uint64_t warm, passes; /* before the clock starts, and timed */
    uint64_t probe;        /* between two looks at the core's clock afterwards; 0: none */
};

enum { N_PROBES = 9 };

/*
 * The core's clock as the kernel had it. A core lowers its clock while wide vectors are in
 * flight and raises it within microseconds after (Sapphire-Rapids-class core: 512-bit loads
 * 3.6 GHz, FMA and copies 3.4, the 2:1 mix 2.9 to 3.1), so looks of 1 us alternate with
 * passes of 4 us. The middle one counts: some meet an interrupt.
 */
static double probe_clock(struct ert_session *session, uint32_t thread, uint64_t done,
                          uint64_t probe)
{
    double clocks_hz[N_PROBES], overhead_s = ert_cpu_clock_overhead_s();
    for (int i = 0; i < N_PROBES; i++) {
        if (probe)
            ert_cpu_run_passes(session, thread, done + (uint64_t)i * probe, probe);
        double clock_hz = ert_cpu_clock_now(session->isa, overhead_s);
        int j = i;
        for (; j > 0 && clocks_hz[j - 1] > clock_hz; j--)
            clocks_hz[j] = clocks_hz[j - 1];
        clocks_hz[j] = clock_hz;
    }
    return clocks_hz[N_PROBES / 2];
}

/* Passes of one call. Of ERT's kernel the rate depends on how many they are. */
static uint64_t passes_of_call(const struct ert_session *session)
{
    uint64_t passes = passes_in(session, slice_time_s);
    bool is_classic = ert_kernel_row(session->case_.kernel)->class_ == ERT_CLASS_CLASSIC;
    return is_classic && passes < ERT_CLASSIC_CALL ? ERT_CLASSIC_CALL : passes;
}

/* The timed passes; returns how many were run. */
static uint64_t run_region(struct ert_session *session, uint32_t thread, uint64_t done,
                           uint64_t passes)
{
    const struct ert_session_options *options = &session->options;
    struct ert_cpu_part *part = &session->parts[thread];
    uint64_t at_once = passes_of_call(session), left = passes;
    part->broken_off = false;
    part->begin_s = ert_clock_now_s();
    while (left > 0 && !part->broken_off) {
        uint64_t n = left < at_once ? left : at_once;
        ert_cpu_run_passes(session, thread, done, n);
        part->end_s = ert_clock_now_s();
        done += n;
        left -= n;
        part->broken_off = left > 0 && ((options->stop && *options->stop) ||
                                        part->end_s - part->begin_s > options->timeout_s);
    }
    return passes - left;
}

static void time_part(void *context, uint32_t thread)
{
    const struct region *region = context;
    struct ert_session *session = region->session;
    uint64_t done = session->passes;
    if (region->warm)
        ert_cpu_run_passes(session, thread, done, region->warm);
    done += region->warm;
    ert_cpu_team_barrier(session->team);
    done += run_region(session, thread, done, region->passes);
    session->parts[thread].clock_hz = probe_clock(session, thread, done, region->probe);
}

static enum ert_status judge(struct ert_session *session, double time_s,
                             struct ert_error *error)
{
    const struct ert_session_options *options = &session->options;
    const char *name = ert_kernel_row(session->case_.kernel)->name;
    bool broken_off = false;
    for (uint32_t i = 0; i < session->n_threads; i++)
        broken_off |= session->parts[i].broken_off;
    if (!broken_off && time_s <= options->timeout_s)
        return ERT_OK;
    /*
     * Threads may have run different numbers of passes: nothing to go on from or to verify.
     */
    session->prepared = false;
    if (options->stop && *options->stop)
        return ert_fail(error, ERT_FAILED, "cpu: %s (%s): interrupted after %.3g s", name,
                        session->isa->name, time_s);
    return ert_fail(error, ERT_FAILED,
                    "cpu: %s (%s): a region of %.3g s or more, must take at most %.3g s",
                    name, session->isa->name, time_s, options->timeout_s);
}

enum ert_status ert_cpu_time(struct ert_session *session, uint64_t passes,
                             struct ert_sample *sample, bool *lost, struct ert_error *error)
{
    *lost = false;
    if (!session->prepared)
        return ert_fail(error, ERT_FAILED, "cpu: nothing is prepared to be timed");
    if (passes == 0)
        return ert_fail(error, ERT_USAGE, "cpu: 0 passes, must be at least 1");
    struct region region = {.session = session, .passes = passes};
    if (session->pass_time_s < warm_time_s)
        region.warm = passes_in(session, warm_time_s);
    if (session->pass_time_s < 2 * probe_time_s)
        region.probe = passes_in(session, probe_time_s);
    ERT_TRY(ert_cpu_team_run(session->team, time_part, &region, error));
    session->passes += region.warm + passes + N_PROBES * region.probe;
    double time_s = ert_cpu_region_time_s(session), clock_hz = 0;
    ERT_TRY(judge(session, time_s, error));
    for (uint32_t i = 0; i < session->n_threads; i++)
        clock_hz += session->parts[i].clock_hz / session->n_threads;
    *sample = (struct ert_sample){.time_s = time_s, .passes = passes, .clock_hz = clock_hz};
    /*
     * The warm pass alone may have met interrupts; the region tells better how long one
     * takes.
     */
    session->pass_time_s = time_s / (double)passes;
    return ERT_OK;
}

static void verify_part(void *context, uint32_t thread)
{
    ert_cpu_check(context, thread);
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
