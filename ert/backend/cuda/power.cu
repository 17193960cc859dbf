#include "ert/backend/cuda/power.h"

#include "ert/backend/cuda/session.h"
#include "ert/base/clock.h"

#include <math.h>
#include <stdio.h>

/* Clocks and power settle within so long after the load begins; this part is not metered. */
static const double settle_s = 0.05;

/* One launch: long against the 20 us or so from the end of one to the begin of the next. */
static const double chunk_s = 0.02;

static void read_energy(struct ert_cuda_meter *meter, uint64_t energy_mj, double now_s)
{
    const bool is_change = meter->energy_mj != 0 && energy_mj != meter->energy_mj;
    meter->energy_mj = energy_mj;
    if (!is_change)
        return;
    if (meter->n_changes++ == 0) {
        meter->first_mj = energy_mj;
        meter->first_s = now_s;
    }
    meter->last_mj = energy_mj;
    meter->last_s = now_s;
}

void ert_cuda_meter_read(struct ert_cuda_meter *meter)
{
    uint64_t energy_mj = 0;
    if (ert_nvml_energy(meter->device, &energy_mj))
        read_energy(meter, energy_mj, ert_clock_now_s());
    const double power_w = ert_nvml_power_w(meter->device);
    if (!(power_w > 0))
        return;
    meter->end_s = ert_clock_now_s();
    if (meter->n_readings++ == 0)
        meter->begin_s = meter->end_s;
    meter->sum_w += power_w;
}

/* The mean power, by the counter where it moved at least twice; ERT_UNAVAILABLE without either. */
static enum ert_status conclude(const struct ert_session *session,
                                const struct ert_cuda_meter *meter, struct ert_power *power,
                                struct ert_error *error)
{
    const bool has_energy = meter->n_changes >= 2;
    if (!has_energy && meter->n_readings == 0)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s: NVML gives neither an energy counter that moves nor a power",
                        session->label);
    if (has_energy) {
        power->time_s = meter->last_s - meter->first_s;
        power->power_w = (double)(meter->last_mj - meter->first_mj) * 1e-3 / power->time_s;
    } else {
        power->time_s = meter->end_s - meter->begin_s;
        power->power_w = meter->sum_w / (double)meter->n_readings;
    }
    snprintf(power->source, sizeof power->source, "%s",
             has_energy ? "NVML energy counter" : "NVML power");
    return ERT_OK;
}

/* Runs whole chunks until time_s has passed. */
static enum ert_status keep_busy(struct ert_session *session, double time_s,
                                 uint64_t passes, struct ert_error *error)
{
    const double end_s = ert_clock_now_s() + time_s;
    do {
        ERT_TRY(ert_cuda_launch(session, passes, error));
        ERT_TRY(ert_cuda_wait(session, "running for the power meter", NULL, error));
    } while (ert_clock_now_s() < end_s);
    return ERT_OK;
}

static enum ert_status meter_case(struct ert_session *session, double time_s,
                                  uint64_t passes, struct ert_cuda_meter *meter,
                                  double *rate_per_s, struct ert_error *error)
{
    float time_ms = 0;
    ERT_TRY(keep_busy(session, settle_s, passes, error));
    const uint64_t before = session->passes_done;
    SESSION_TRY(session, error, cudaEventRecord(session->begin, session->stream),
                "cudaEventRecord before metering");
    session->meter = meter;
    enum ert_status status = keep_busy(session, time_s, passes, error);
    session->meter = NULL;
    ERT_TRY(status);
    /* Each wait moves session->end behind the last chunk. */
    SESSION_TRY(session, error,
                cudaEventElapsedTime(&time_ms, session->begin, session->end),
                "cudaEventElapsedTime");
    *rate_per_s = (double)(session->passes_done - before) / (time_ms * 1e-3);
    return ERT_OK;
}

enum ert_status ert_cuda_power(struct ert_session *session, double time_s, uint64_t passes,
                               struct ert_power *power, struct ert_error *error)
{
    struct ert_cuda_meter meter = {};
    struct ert_sample sample = {};
    bool lost = false;
    meter.device = session->nvml_device;
    if (!meter.device.handle)
        return ert_fail(error, ERT_UNAVAILABLE, "%s: NVML does not know this device",
                        session->label);
    /* A region first: it checks the session, and tells how many passes make a chunk. */
    ERT_TRY(ert_cuda_time(session, passes, &sample, &lost, error));
    const double regions = ceil(chunk_s / sample.time_s);
    *power = {};
    ERT_TRY(meter_case(session, time_s, passes * (uint64_t)(regions < 1 ? 1 : regions),
                       &meter, &power->rate_per_s, error));
    ERT_TRY(conclude(session, &meter, power, error));
    power->passes = (uint64_t)(power->rate_per_s * power->time_s + 0.5);
    return ERT_OK;
}
