/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sustained: runs a spec without a pause, in parts that are enqueued ahead, so that the GPU never waits for
 * the host; NVML is read meanwhile.
 */
#include "ert/core/base/clock.h"
#include "ert/ext/cuda/session.h"

#include <math.h>
#include <stdio.h>

/*
 * Parts enqueued ahead of the one that the host waits for: with 25 ms each, the host may be away for 75 ms,
 * in NVML or descheduled. An interruption waits for four parts.
 */
enum { N_AHEAD = 3, N_PARTS = ERT_RUN_PARTS, N_SETTLING = N_PARTS / 4 };

/* Between two readings of clock, power and throttle reasons, which change every 20 to 100 ms. */
static const double reading_every_s = 4e-3;

/* NVML's readings while one part ran. */
struct meter_part {
    double sum_w, sum_hz;
    uint32_t n_w, n_hz;
    uint64_t throttle; /* of the last reading */
};

struct change {
    uint64_t energy_mj;
    double after_s, before_s;
};

struct meter {
    struct ert_nvml_device device;
    uint32_t part; /* the running part */
    struct meter_part parts[N_PARTS];
    double last_read_s;
    /*
     * The energy counter changes in steps (100 ms apart on an H200). The energy between two changes is exact,
     * and the time of a change is known to be between two readings.
     */
    uint64_t energy_mj; /* last reading; 0: none yet, or unknown */
    double looked_s;    /* time of the last reading */
    uint32_t n_changes; /* after the settling parts */
    struct change first, last;
};

static void read_energy(struct meter *meter)
{
    const double before_s = ert_clock_now_s(), looked_s = meter->looked_s;
    uint64_t energy_mj = 0;
    if (!ert_nvml_energy(meter->device, &energy_mj))
        return;
    const bool is_change = meter->energy_mj != 0 && energy_mj != meter->energy_mj;
    meter->energy_mj = energy_mj;
    meter->looked_s = before_s;
    if (!is_change || meter->part < N_SETTLING)
        return;
    meter->last = {energy_mj, looked_s, ert_clock_now_s()};
    if (meter->n_changes++ == 0)
        meter->first = meter->last;
}

static void look(void *context)
{
    struct meter *meter = (struct meter *)context;
    struct meter_part *part = &meter->parts[meter->part];
    struct ert_nvml_reading reading;
    if (!meter->device.handle)
        return;
    read_energy(meter);
    if (ert_clock_now_s() < meter->last_read_s + reading_every_s)
        return;
    meter->last_read_s = ert_clock_now_s();
    ert_nvml_read(meter->device, &reading);
    const double power_w = ert_nvml_power_w(meter->device);
    part->sum_w += power_w;
    part->n_w += power_w > 0;
    part->sum_hz += reading.clock_hz;
    part->n_hz += reading.clock_hz > 0;
    part->throttle = reading.throttle;
}

/* The parts of one spec, on the device. */
struct stretch {
    struct ert_session *session;
    uint64_t passes;               /* of each part */
    cudaEvent_t ends[N_PARTS + 1]; /* the first one: the end of earlier work */
    unsigned long long *marks;     /* ERT_CUDA_MARKS of each part */
    struct meter meter;
};

static enum ert_status cuda_sustained_enqueue(struct stretch *stretch, uint32_t part,
                                              struct ert_error *error)
{
    struct ert_session *session = stretch->session;
    session->arguments.marks = stretch->marks + (size_t)part * ERT_CUDA_MARKS;
    enum ert_status status = ert_cuda_launch(session, stretch->passes, error);
    session->arguments.marks = session->marks;
    ERT_TRY(status);
    SESSION_TRY(cudaEventRecord(stretch->ends[part + 1], session->stream),
                "cudaEventRecord after part %u", part);
    return ERT_OK;
}

static enum ert_status cuda_sustained_run_parts(struct stretch *stretch,
                                                struct ert_error *error)
{
    struct ert_session *session = stretch->session;
    const char *name = session->kernel_name;
    SESSION_TRY(cudaEventRecord(stretch->ends[0], session->stream),
                "cudaEventRecord before %s", name);
    for (uint32_t part = 0; part < N_AHEAD; part++)
        ERT_TRY(cuda_sustained_enqueue(stretch, part, error));
    for (uint32_t part = 0; part < N_PARTS; part++) {
        if (part + N_AHEAD < N_PARTS)
            ERT_TRY(cuda_sustained_enqueue(stretch, part + N_AHEAD, error));
        stretch->meter.part = part;
        ERT_TRY(ert_cuda_wait_event(session, stretch->ends[part + 1], name, look,
                                    &stretch->meter, error));
    }
    return ERT_OK;
}

/* Creates events and marks. Initial marks: ~0 for minima, 0 for maxima. */
static enum ert_status cuda_sustained_make(struct stretch *stretch, struct ert_error *error)
{
    struct ert_session *session = stretch->session;
    const size_t pitch = ERT_CUDA_MARKS * sizeof *stretch->marks, half = pitch / 2;
    for (cudaEvent_t &end : stretch->ends)
        SESSION_TRY(cudaEventCreate(&end), "cudaEventCreate");
    SESSION_TRY(cudaMalloc((void **)&stretch->marks, N_PARTS * pitch),
                "cudaMalloc of %zu bytes", N_PARTS * pitch);
    SESSION_TRY(
        cudaMemset2DAsync(stretch->marks, pitch, 0xff, half, N_PARTS, session->stream),
        "resetting the clock marks");
    SESSION_TRY(cudaMemset2DAsync((char *)stretch->marks + half, pitch, 0, half, N_PARTS,
                                  session->stream),
                "resetting the clock marks");
    return ERT_OK;
}

/* A lost device frees them when the process ends; on others this waits for the work in progress. */
static void unmake(struct stretch *stretch)
{
    if (stretch->session->is_lost)
        return;
    cudaFree(stretch->marks);
    for (cudaEvent_t &end : stretch->ends)
        if (end)
            cudaEventDestroy(end);
    cudaGetLastError();
}

/* Reads the parts' times and clocks from the device, and adds NVML's readings. */
static enum ert_status read_parts(struct stretch *stretch, struct ert_sustained *result,
                                  struct ert_error *error)
{
    struct ert_session *session = stretch->session;
    unsigned long long marks[N_PARTS][ERT_CUDA_MARKS];
    SESSION_TRY(cudaMemcpy(marks, stretch->marks, sizeof marks, cudaMemcpyDeviceToHost),
                "reading the clock marks");
    for (uint32_t i = 0; i < N_PARTS; i++) {
        const struct meter_part *seen = &stretch->meter.parts[i];
        struct ert_part *part = &result->parts[i];
        float time_ms = 0, end_ms = 0;
        SESSION_TRY(cudaEventElapsedTime(&time_ms, stretch->ends[i], stretch->ends[i + 1]),
                    "cudaEventElapsedTime of part %u", i);
        SESSION_TRY(cudaEventElapsedTime(&end_ms, stretch->ends[0], stretch->ends[i + 1]),
                    "cudaEventElapsedTime to part %u", i);
        part->end_s = end_ms * 1e-3;
        part->rate_per_s = (double)stretch->passes / (time_ms * 1e-3);
        part->clock_hz = session->row->function
                             ? ert_cuda_clock_of_marks(marks[i], session->boost_hz)
                             : 0;
        if (part->clock_hz == 0 && seen->n_hz)
            part->clock_hz = seen->sum_hz / seen->n_hz;
        part->power_w = seen->n_w ? seen->sum_w / seen->n_w : 0;
        part->throttle = seen->throttle;
    }
    result->n_parts = N_PARTS;
    result->n_settling = N_SETTLING;
    return ERT_OK;
}

/* The most uncertainty of the time between the counter's first and last change, as a share of it. */
static const double most_unknown = 0.02;

/*
 * The mean power: by the energy counter if it changed at least twice and was read often enough. With
 * nvidia-smi reading every 20 ms at the same time, the quotient was 8 % off.
 */
static void read_power(const struct stretch *stretch, struct ert_sustained *result)
{
    const struct meter *meter = &stretch->meter;
    const struct change *first = &meter->first, *last = &meter->last;
    const double between_s =
        (last->after_s + last->before_s - first->after_s - first->before_s) / 2;
    const double unknown_s =
        (last->before_s - last->after_s + first->before_s - first->after_s) / 2;
    double sum_w = 0;
    uint32_t n_w = 0;
    for (uint32_t i = N_SETTLING; i < N_PARTS; i++) {
        sum_w += meter->parts[i].sum_w;
        n_w += meter->parts[i].n_w;
    }
    if (meter->n_changes >= 2 && unknown_s <= most_unknown * between_s) {
        result->power_w = (double)(last->energy_mj - first->energy_mj) * 1e-3 / between_s;
        snprintf(result->source, sizeof result->source, "NVML energy counter");
    } else if (n_w > 0) {
        result->power_w = sum_w / n_w;
        snprintf(result->source, sizeof result->source, "NVML power");
    } else {
        snprintf(result->no_power, sizeof result->no_power, "%s: %s",
                 stretch->session->label,
                 !meter->device.handle ? "NVML does not know this device"
                 : meter->n_changes >= 2
                     ? "NVML gives no power; its energy counter was seen too seldom"
                     : "NVML gives neither an energy counter that moves nor a power");
    }
}

enum ert_status ert_cuda_sustain(struct ert_session *session, double time_s,
                                 uint64_t passes, struct ert_sustained *sustained,
                                 struct ert_error *error)
{
    struct ert_sample sample = {};
    struct stretch stretch = {};
    bool lost = false;
    /* Times a region first, which checks the session and shows how many passes make a part. */
    ERT_TRY(ert_cuda_time(session, passes, &sample, &lost, error));
    const struct ert_cuda_kind *kind = session->row->kind;
    if (kind->is_synchronous || kind->times_itself)
        return ert_fail(
            error, ERT_UNAVAILABLE,
            "%s: %s waits for the host in each region: it has no sustained rate",
            session->label, session->kernel_name);
    const double per_part = (double)passes * time_s / N_PARTS / sample.time_s;
    stretch.session = session;
    stretch.meter.device = session->nvml_device;
    stretch.passes = per_part > 1 ? (uint64_t)ceil(per_part) : 1;
    *sustained = {};
    enum ert_status status = cuda_sustained_make(&stretch, error);
    if (status == ERT_OK)
        status = cuda_sustained_run_parts(&stretch, error);
    if (status == ERT_OK)
        status = read_parts(&stretch, sustained, error);
    unmake(&stretch);
    ERT_TRY(status);
    ert_sustained_conclude(sustained);
    read_power(&stretch, sustained);
    return ERT_OK;
}
