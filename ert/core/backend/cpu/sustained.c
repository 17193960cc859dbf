/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sustained: runs a spec without a pause on some cores. Power is not metered: most systems let only root read
 * the energy counters of processors (CVE-2020-8694).
 */
#include "ert/core/backend/cpu/session.h"
#include "ert/core/base/clock.h"

enum { LEAST_PARTS = 4 };

/*
 * Runs windows until time_s has passed, each well below the time limit of a region; measures the clock
 * between them, for about 100 us. At least enough windows that a quarter can settle.
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
