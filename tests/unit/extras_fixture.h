/* SPDX-License-Identifier: BSD-3-Clause */
/* extras_fixture: a GPU and points measured on it, for the tests of single sections. */
#ifndef ERT_TESTS_UNIT_EXTRAS_FIXTURE_H
#define ERT_TESTS_UNIT_EXTRAS_FIXTURE_H

#include "tests/unit/test.h"

#include "ert/core/fit/extras.h"

enum { MAX_POINTS = 16, N_SAMPLES = 3 };

struct rig {
    struct ert_machine machine;
    struct ert_config config;
    struct ert_device_samples samples;
    struct ert_point points[MAX_POINTS];
    struct ert_sample sample[MAX_POINTS][N_SAMPLES];
    struct ert_device_ceilings ceilings;
};

static inline void add_level(struct ert_device *device, const char *name,
                             enum ert_level_kind kind, enum ert_path path,
                             uint64_t size_bytes, uint32_t count)
{
    struct ert_level *level = &device->levels[device->n_levels++];
    *level = (struct ert_level){
        .kind = kind, .path = path, .size_bytes = size_bytes, .count = count};
    snprintf(level->name, sizeof level->name, "%s", name);
}

/* A GPU of 16 SMs: L1 4 MiB in all, L2 32 MiB, HBM. */
static inline struct rig *make_rig(void)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    struct ert_device *device = &rig->machine.devices[0];
    rig->machine.n_devices = 1;
    *device = (struct ert_device){.id = "gpu0", .backend = "cuda", .kind = ERT_DEVICE_GPU};
    device->gpu.n_sms = 16;
    device->gpu.max_threads_per_sm = 2048;
    device->gpu.memory_free_bytes = UINT64_C(16) << 30;
    add_level(device, "L1", ERT_LEVEL_CACHE, ERT_PATH_CACHED, 256 << 10, 16);
    add_level(device, "L2", ERT_LEVEL_CACHE, ERT_PATH_BYPASS_L1, 32 << 20, 1);
    add_level(device, "HBM", ERT_LEVEL_MEMORY, ERT_PATH_BYPASS_L1, UINT64_C(16) << 30, 1);
    ert_config_default(&rig->config);
    rig->samples.points = rig->points;
    return rig;
}

/* Adds a point with samples of so many passes each; the median is the first. */
static inline struct ert_point *add_measured(struct rig *rig, const struct ert_point *what,
                                             const char *variant, uint64_t passes,
                                             double time_s)
{
    size_t p = rig->samples.n_points++;
    struct ert_point *point = &rig->points[p];
    assert_true(p < MAX_POINTS);
    *point = *what;
    snprintf(point->variant.name, sizeof point->variant.name, "%s", variant);
    point->status = ERT_POINT_MEASURED;
    point->samples = rig->sample[p];
    point->n_samples = N_SAMPLES;
    for (size_t i = 0; i < N_SAMPLES; i++)
        rig->sample[p][i] = (struct ert_sample){
            .time_s = time_s * (1 + 0.01 * (i == 1) - 0.01 * (i == 2)), .passes = passes};
    return point;
}

#endif
