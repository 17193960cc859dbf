/* SPDX-License-Identifier: BSD-3-Clause */
/* theory_fixture: devices that the tests of theory describe, and their peaks by name. */
#ifndef ERT_TESTS_UNIT_THEORY_FIXTURE_H
#define ERT_TESTS_UNIT_THEORY_FIXTURE_H

#include "tests/unit/test.h"

#include "ert/core/backend/backend.h"
#include "ert/core/machine/theory.h"

static struct ert_peak peaks[ERT_MAX_PEAKS];
static size_t n_peaks;

static inline struct ert_device cpu(const char *vendor, uint32_t family, uint32_t model,
                                    uint32_t n_cores, double base_hz)
{
    struct ert_device device = {
        .id = "cpu",
        .kind = ERT_DEVICE_CPU,
        .base_hz = base_hz,
        .cpu = {.family = family,
                .model = model,
                .n_cores = n_cores,
                .n_cores_usable = n_cores},
    };
    snprintf(device.cpu.vendor, sizeof device.cpu.vendor, "%s", vendor);
    return device;
}

static inline struct ert_device gpu(uint32_t major, uint32_t minor, uint32_t n_sms)
{
    return (struct ert_device){
        .id = "gpu0",
        .backend = "cuda",
        .kind = ERT_DEVICE_GPU,
        .n_levels = 1,
        .levels[0] = {.name = "HBM",      .kind = ERT_LEVEL_MEMORY},
        .gpu = { .cc_major = major, .cc_minor = minor,           .n_sms = n_sms},
    };
}

static inline double value(const char *name, const char *clock)
{
    for (size_t i = 0; i < n_peaks; i++)
        if (strcmp(peaks[i].name, name) == 0 && strcmp(peaks[i].clock, clock) == 0)
            return peaks[i].value;
    fail_msg("no peak %s at %s", name, clock);
    return 0;
}

static inline const struct ert_peak *row(const char *name)
{
    for (size_t i = 0; i < n_peaks; i++)
        if (strcmp(peaks[i].name, name) == 0)
            return &peaks[i];
    fail_msg("no peak %s", name);
    return NULL;
}

#endif
