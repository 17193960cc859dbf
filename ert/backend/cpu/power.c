/* power: what the packages draw while the prepared case runs on some of their cores. */
#include "ert/backend/cpu/rapl.h"
#include "ert/backend/cpu/session.h"
#include "ert/base/clock.h"

#include <stdio.h>

enum { MAX_PACKAGES = 64 };

/*
 * Runs of a part of the time each, so that none comes near the time limit of a region. What lies
 * between them is some 10 us of each 100 ms.
 */
static const double part_time_s = 0.1;

/* Passes of about time_s, in regions; adds up what they took. */
static enum ert_status run_for(struct ert_session *session, double time_s, uint64_t *passes,
                               double *timed_s, struct ert_error *error)
{
    double start_s = ert_clock_now_s(), left_s = time_s;
    *passes = 0;
    *timed_s = 0;
    while (left_s > 0) {
        double part_s = left_s < part_time_s ? left_s : part_time_s;
        double n = part_s / session->pass_time_s;
        struct ert_sample sample;
        bool lost;
        ERT_TRY(ert_cpu_time(session, n > 1 ? (uint64_t)n : 1, &sample, &lost, error));
        *passes += sample.passes;
        *timed_s += sample.time_s;
        left_s = time_s - (ert_clock_now_s() - start_s);
    }
    return ERT_OK;
}

enum ert_status ert_cpu_power_at(const char *root, struct ert_session *session,
                                 double time_s, struct ert_power *power,
                                 struct ert_error *error)
{
    struct ert_rapl rapl;
    bool used[MAX_PACKAGES] = {false};
    double energy_j, timed_s, start_s;
    uint64_t passes;
    if (!session->prepared)
        return ert_fail(error, ERT_FAILED, "cpu: nothing is prepared to be metered");
    for (uint32_t i = 0; i < session->n_threads; i++) {
        uint32_t package = ert_cpu_team_package(session->team, i);
        if (package < MAX_PACKAGES)
            used[package] = true;
    }
    ERT_TRY(ert_rapl_open(root, used, MAX_PACKAGES, &rapl, error));
    start_s = ert_clock_now_s();
    ERT_TRY(ert_rapl_read(&rapl, &energy_j, error)); /* from here */
    ERT_TRY(run_for(session, time_s, &passes, &timed_s, error));
    ERT_TRY(ert_rapl_read(&rapl, &energy_j, error));
    *power = (struct ert_power){.time_s = ert_clock_now_s() - start_s,
                                .passes = passes,
                                .rate_per_s = (double)passes / timed_s};
    power->power_w = energy_j / power->time_s;
    snprintf(power->source, sizeof power->source, "RAPL package%s",
             rapl.has_dram ? " and dram" : "");
    return ERT_OK;
}

enum ert_status ert_cpu_power(struct ert_session *session, double time_s, uint64_t passes,
                              struct ert_power *power, struct ert_error *error)
{
    (void)passes; /* of a region; the session knows the time of one */
    return ert_cpu_power_at(ERT_RAPL_ROOT, session, time_s, power, error);
}
