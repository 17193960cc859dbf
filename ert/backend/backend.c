/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/backend/backend.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const struct ert_backend *ert_backend_find(const char *name)
{
    for (size_t i = 0; ert_backends[i]; i++)
        if (strcmp(ert_backends[i]->name, name) == 0)
            return ert_backends[i];
    return NULL;
}

bool ert_backend_is_planted(const struct ert_device *device)
{
    const struct ert_backend *backend = ert_backend_find(device->backend);
    return backend && backend->is_planted;
}

/* Where GPUs of several backends are here, ids say whose each is. */
static void name_gpus(struct ert_machine *machine, uint32_t first)
{
    const char *backend = NULL;
    bool several = false;
    for (uint32_t i = first; i < machine->n_devices; i++) {
        const struct ert_device *device = &machine->devices[i];
        if (device->kind != ERT_DEVICE_GPU)
            continue;
        several = several || (backend && strcmp(backend, device->backend) != 0);
        backend = device->backend;
    }
    for (uint32_t i = first; several && i < machine->n_devices; i++) {
        struct ert_device *device = &machine->devices[i];
        char id[sizeof device->id + sizeof device->backend + 1];
        if (device->kind != ERT_DEVICE_GPU)
            continue;
        snprintf(id, sizeof id, "%.6s-%.8s", device->id, device->backend);
        memcpy(device->id, id, sizeof device->id);
    }
}

enum ert_status ert_backend_discover(bool planted, struct ert_machine *machine,
                                     char reasons[ERT_MAX_BACKENDS][256],
                                     struct ert_error *error)
{
    const uint32_t first = machine->n_devices;
    enum ert_status worst = ERT_OK;
    for (size_t i = 0; ert_backends[i]; i++) {
        struct ert_error own = {ERT_OK, ""};
        char text[256] = "";
        assert(i < ERT_MAX_BACKENDS);
        if (ert_backends[i]->is_planted != planted)
            continue;
        const char *why = ert_backends[i]->unavailable(text, sizeof text);
        enum ert_status status = ERT_OK;
        if (!why)
            status = ert_backends[i]->discover(machine, &own);
        if (status != ERT_OK && worst == ERT_OK)
            worst = ert_fail(error, status, "%s", own.text);
        if (status != ERT_OK)
            why = own.text;
        if (reasons)
            snprintf(reasons[i], sizeof reasons[i], "%.255s", why ? why : "");
        if (i == 0 && status != ERT_OK)
            return status;
    }
    name_gpus(machine, first);
    return worst;
}

void ert_backend_peaks(const struct ert_device *device, uint32_t n_cores, double held_hz,
                       struct ert_peak peaks[ERT_MAX_PEAKS], size_t *n_peaks)
{
    const struct ert_backend *backend = ert_backend_find(device->backend);
    ert_theory_peaks(device, n_cores, held_hz, backend ? backend->peaks : NULL, peaks,
                     n_peaks);
}

enum ert_status ert_sample_check(const struct ert_sample *sample, struct ert_error *error)
{
    if (!(isfinite(sample->time_s) && sample->time_s > 0))
        return ert_fail(error, ERT_FAILED, "the region took %g s, must be above 0",
                        sample->time_s);
    if (sample->passes == 0)
        return ert_fail(error, ERT_FAILED, "no pass was run");
    return ERT_OK;
}

void ert_sample_of_threads(struct ert_sample *sample, double *passes, uint32_t n)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        least = fmin(least, passes[i]);
        sample->rate_per_s += passes[i] / sample->time_s / n;
    }
    sample->n_threads = n > 1 ? n : 0;
    sample->thread_passes = n > 1 ? passes : NULL;
    sample->passes = (uint64_t)least;
    sample->lockstep_per_s = least / sample->time_s;
}

/* No region has more passes. */
static const uint64_t max_passes = UINT64_C(1) << 40;

enum ert_status ert_backend_calibrate(const struct ert_backend *backend,
                                      struct ert_session *session, double time_s,
                                      uint64_t *passes, struct ert_sample *sample,
                                      bool *lost, struct ert_error *error)
{
    uint64_t n = 1;
    for (;;) {
        ERT_TRY(backend->time(session, n, sample, lost, error));
        if (sample->time_s >= time_s / 4 || n >= max_passes)
            break;
        /* At least twice, at most 64 times as many: short regions predict badly. */
        double factor = sample->time_s > 0 ? time_s / 2 / sample->time_s : 64;
        n = (uint64_t)((double)n * fmax(2, fmin(factor, 64)));
        n = n < max_passes ? n : max_passes;
    }
    ERT_TRY(ert_sample_check(sample, error));
    double count = ceil((double)sample->passes * time_s / sample->time_s);
    *passes = count < 1 ? 1 : (uint64_t)count;
    return ERT_OK;
}

/* Inserts a value into values[n], which ascend. */
static void insert(double *values, uint32_t n, double value)
{
    for (; n > 0 && values[n - 1] > value; n--)
        values[n] = values[n - 1];
    values[n] = value;
}

static uint64_t usual_throttle(const struct ert_part *parts, uint32_t n)
{
    uint64_t usual = 0;
    for (int bit = 0; bit < 64; bit++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < n; i++)
            count += parts[i].throttle >> bit & 1;
        if (2 * count > n)
            usual |= UINT64_C(1) << bit;
    }
    return usual;
}

void ert_sustained_conclude(struct ert_sustained *sustained)
{
    const struct ert_part *parts = sustained->parts + sustained->n_settling;
    const uint32_t n = sustained->n_parts - sustained->n_settling;
    double clocks_hz[ERT_MAX_PARTS];
    const double begin_s = sustained->n_settling ? parts[-1].end_s : 0;
    double end_s = begin_s, passes = 0;
    uint32_t n_clocks = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (parts[i].clock_hz > 0)
            insert(clocks_hz, n_clocks++, parts[i].clock_hz);
        passes += parts[i].rate_per_s * (parts[i].end_s - end_s);
        end_s = parts[i].end_s;
    }
    sustained->time_s = end_s - begin_s;
    sustained->rate_per_s = passes / sustained->time_s;
    sustained->clock_hz = n_clocks ? clocks_hz[n_clocks / 2] : 0;
    sustained->clock_low_hz = n_clocks ? clocks_hz[0] : 0;
    sustained->throttle = usual_throttle(parts, n);
}
