/* sustained: a case without a pause on some cores, and what their packages draw meanwhile. */
#include "ert/backend/sustained.h"
#include "ert/backend/cpu/rapl.h"
#include "ert/backend/cpu/session.h"
#include "ert/base/clock.h"

#include <stdio.h>

enum { MAX_PACKAGES = 64, LEAST_PARTS = 4 };

/* Opens the counters of the packages in use; false: the reason is in sustained->no_power. */
static bool open_meter(const char *root, const struct ert_session *session,
                       struct ert_rapl *rapl, struct ert_sustained *sustained)
{
    bool used[MAX_PACKAGES] = {false};
    struct ert_error error;
    for (uint32_t i = 0; i < session->n_threads; i++) {
        uint32_t package = ert_cpu_team_package(session->team, i);
        if (package < MAX_PACKAGES)
            used[package] = true;
    }
    if (ert_rapl_open(root, used, MAX_PACKAGES, rapl, &error) == ERT_OK)
        return true;
    snprintf(sustained->no_power, sizeof sustained->no_power, "%.159s", error.text);
    return false;
}

/* What is metered of each part. */
struct meter {
    struct ert_rapl *rapl; /* NULL: nothing */
    double energy_j[ERT_MAX_PARTS], time_s[ERT_MAX_PARTS];
};

static enum ert_status run_part(struct ert_session *session, double window_s, uint32_t i,
                                struct meter *meter, struct ert_part *parts,
                                struct ert_error *error)
{
    struct ert_sample sample;
    bool lost;
    const double begin_s = ert_clock_now_s();
    ERT_TRY(ert_cpu_window(session, window_s, &sample, &lost, error));
    if (meter->rapl) {
        ERT_TRY(ert_rapl_read(meter->rapl, &meter->energy_j[i], error));
        meter->time_s[i] = ert_clock_now_s() - begin_s;
        parts[i].power_w = meter->energy_j[i] / meter->time_s[i];
    }
    parts[i].end_s = (i > 0 ? parts[i - 1].end_s : 0) + sample.time_s;
    parts[i].rate_per_s = sample.rate_per_s;
    parts[i].clock_hz = sample.clock_hz;
    return ERT_OK;
}

static void sum_power(const struct meter *meter, struct ert_sustained *sustained)
{
    double energy_j = 0, time_s = 0;
    for (uint32_t i = sustained->n_settling; meter->rapl && i < sustained->n_parts; i++) {
        energy_j += meter->energy_j[i];
        time_s += meter->time_s[i];
    }
    if (!meter->rapl)
        return;
    sustained->power_w = energy_j / time_s;
    snprintf(sustained->source, sizeof sustained->source, "RAPL package%s",
             meter->rapl->has_dram ? " and dram" : "");
}

/*
 * Windows until time_s has gone by, none of which comes near the time limit of a region; between two of
 * them the clock is looked at, some 100 us. At least so many that a quarter settles.
 */
static enum ert_status run_parts(struct ert_session *session, double time_s,
                                 struct meter *meter, struct ert_sustained *sustained,
                                 struct ert_error *error)
{
    const double start_s = ert_clock_now_s();
    uint32_t n = 0;
    for (; n < ERT_MAX_PARTS && (n < LEAST_PARTS || ert_clock_now_s() - start_s < time_s);
         n++)
        ERT_TRY(
            run_part(session, time_s / ERT_MAX_PARTS, n, meter, sustained->parts, error));
    sustained->n_parts = n;
    sustained->n_settling = n / 4;
    ert_sustained_conclude(sustained);
    sum_power(meter, sustained);
    return ERT_OK;
}

enum ert_status ert_cpu_sustain_at(const char *root, struct ert_session *session,
                                   double time_s, struct ert_sustained *sustained,
                                   struct ert_error *error)
{
    struct ert_rapl rapl;
    struct meter meter = {.rapl = NULL};
    if (!session->prepared)
        return ert_fail(error, ERT_FAILED, "cpu: nothing is prepared to be run");
    *sustained = (struct ert_sustained){0};
    if (open_meter(root, session, &rapl, sustained))
        meter.rapl = &rapl;
    return run_parts(session, time_s, &meter, sustained, error);
}

enum ert_status ert_cpu_sustain(struct ert_session *session, double time_s, uint64_t passes,
                                struct ert_sustained *sustained, struct ert_error *error)
{
    (void)passes; /* of a region; the session knows the time of one */
    return ert_cpu_sustain_at(ERT_RAPL_ROOT, session, time_s, sustained, error);
}
