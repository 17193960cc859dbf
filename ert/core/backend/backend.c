/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/backend/backend.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const struct ert_backend *ert_backend_of(const struct ert_backend *row)
{
    const struct ert_backend *loaded = row->load ? row->load() : NULL;
    return loaded ? loaded : row;
}

const struct ert_backend *ert_backend_find(const char *name)
{
    for (size_t i = 0; ert_backends()[i]; i++)
        if (strcmp(ert_backends()[i]->name, name) == 0)
            return ert_backend_of(ert_backends()[i]);
    return NULL;
}

bool ert_backend_is_fake(const struct ert_device *device)
{
    const struct ert_backend *backend = ert_backend_find(device->backend);
    return backend && backend->is_fake;
}

/* If several backends have GPUs, adds the backend to the GPUs' ids. */
static void backend_name_gpus(struct ert_machine *machine, uint32_t first)
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

enum ert_status ert_backend_discover(bool fake, struct ert_machine *machine,
                                     char reasons[ERT_MAX_BACKENDS][256],
                                     struct ert_error *error)
{
    const uint32_t first = machine->n_devices;
    enum ert_status worst = ERT_OK;
    for (size_t i = 0; ert_backends()[i]; i++) {
        struct ert_error own = {ERT_OK, ""};
        char text[256] = "";
        assert(i < ERT_MAX_BACKENDS);
        if (ert_backends()[i]->is_fake != fake)
            continue;
        const struct ert_backend *backend = ert_backend_of(ert_backends()[i]);
        const char *why = backend->unavailable(text, sizeof text);
        enum ert_status status = ERT_OK;
        if (!why)
            status = backend->discover(machine, &own);
        if (status != ERT_OK && worst == ERT_OK)
            worst = ert_fail(error, status, "%s", own.text);
        if (status != ERT_OK)
            why = own.text;
        if (reasons)
            snprintf(reasons[i], sizeof reasons[i], "%.255s", why ? why : "");
        if (i == 0 && status != ERT_OK)
            return status;
    }
    backend_name_gpus(machine, first);
    return worst;
}

void ert_backend_peaks(const struct ert_device *device, uint32_t n_cores, double held_hz,
                       struct ert_peak peaks[ERT_MAX_PEAKS], size_t *n_peaks)
{
    const struct ert_backend *backend = ert_backend_find(device->backend);
    ert_theory_peaks(device, n_cores, held_hz, backend ? backend->peaks : NULL, peaks,
                     n_peaks);
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
        /* At least 2, at most 64 times as many, since short regions predict badly. */
        double factor = sample->time_s > 0 ? time_s / 2 / sample->time_s : 64;
        n = (uint64_t)((double)n * fmax(2, fmin(factor, 64)));
        n = n < max_passes ? n : max_passes;
    }
    ERT_TRY(ert_sample_check(sample, error));
    double count = ceil((double)sample->passes * time_s / sample->time_s);
    *passes = count < 1 ? 1 : (uint64_t)count;
    return ERT_OK;
}
