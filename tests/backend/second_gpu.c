/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * second_gpu: two more GPU backends, each of which has one planted GPU, in one file: what a backend needs so
 * that the program lists it, measures its devices and names their ceilings. ert_second is `ert` with them.
 * SECOND_GPU names those that have their GPU: "hip", "hip xe"; the others say why not.
 */
#include "ert/core/backend/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double planted_bytes_per_s = 1e12, planted_flop_per_s = 1e13, clock_hz = 2e9;

struct ert_session {
    double pass_time_s;
};

static const char *unavailable(const char *name, char *reason, size_t size)
{
    const char *present = getenv("SECOND_GPU");
    if (present && strstr(present, name))
        return NULL;
    snprintf(reason, size, "no planted GPU: SECOND_GPU is '%s'", present ? present : "");
    return reason;
}

static const char *hip_unavailable(char *reason, size_t size)
{
    return unavailable("hip", reason, size);
}

static const char *xe_unavailable(char *reason, size_t size)
{
    return unavailable("xe", reason, size);
}

static enum ert_status discover(const char *name, struct ert_machine *machine)
{
    struct ert_device *device = &machine->devices[machine->n_devices++];
    *device = (struct ert_device){
        .id = "gpu0",
        .kind = ERT_DEVICE_GPU,
        .boost_hz = clock_hz,
        .n_levels = 1,
        .gpu = {.n_sms = 8,
                .warp_size = 64,
                .max_threads_per_sm = 2048,
                .memory_bytes = UINT64_C(16) << 30,
                .memory_free_bytes = UINT64_C(16) << 30,
                .bus_width_bits = 4096,
                .memory_clock_hz = 1e9},
        .levels[0] = {.name = "HBM",
                .kind = ERT_LEVEL_MEMORY,
                .path = ERT_PATH_BYPASS_L1,
                .size_bytes = UINT64_C(16) << 30,
                .count = 1,
                .source = "planted"            },
    };
    snprintf(device->backend, sizeof device->backend, "%s", name);
    snprintf(device->name, sizeof device->name, "planted %s GPU", name);
    return ERT_OK;
}

static enum ert_status hip_discover(struct ert_machine *machine, struct ert_error *error)
{
    (void)error;
    return discover("hip", machine);
}

static enum ert_status xe_discover(struct ert_machine *machine, struct ert_error *error)
{
    (void)error;
    return discover("xe", machine);
}

static size_t variants(const struct ert_device *device,
                       const struct ert_session_options *options, enum ert_kernel_id kernel,
                       enum ert_path path, struct ert_variant list[ERT_MAX_VARIANTS],
                       char *reason, size_t size)
{
    (void)device, (void)options;
    if (!(kernel == ERT_KERNEL_fma_fp64 && path == ERT_PATH_NONE) &&
        !(kernel == ERT_KERNEL_load && path == ERT_PATH_BYPASS_L1)) {
        snprintf(reason, size, "this backend has load and fma_fp64");
        return 0;
    }
    list[0] = (struct ert_variant){.name = "planted", .threads = 64, .blocks = 1};
    return 1;
}

static enum ert_status open_(const struct ert_device *device,
                             const struct ert_session_options *options,
                             struct ert_session **session, char *notes, size_t size,
                             struct ert_error *error)
{
    (void)device, (void)options, (void)error;
    snprintf(notes, size, "planted");
    *session = calloc(1, sizeof **session);
    return *session ? ERT_OK : ERT_FAILED;
}

static enum ert_status prepare(struct ert_session *session, const struct ert_spec *spec,
                               struct ert_work *work, struct ert_error *error)
{
    (void)error;
    *work = (struct ert_work){.blocks = 8, .threads = 64};
    if (spec->kernel == ERT_KERNEL_fma_fp64)
        work->flops_per_pass = 1e9;
    else
        work->actual_bytes = spec->requested_bytes;
    work->bytes_per_pass = (double)work->actual_bytes;
    session->pass_time_s = work->flops_per_pass / planted_flop_per_s +
                           work->bytes_per_pass / planted_bytes_per_s;
    return ERT_OK;
}

static enum ert_status time_(struct ert_session *session, uint64_t passes,
                             struct ert_sample *sample, bool *lost, struct ert_error *error)
{
    (void)lost, (void)error;
    *sample = (struct ert_sample){.time_s = session->pass_time_s * (double)passes,
                                  .passes = passes,
                                  .clock_hz = clock_hz,
                                  .throttle = 1 << 20};
    sample->rate_per_s = sample->lockstep_per_s = 1 / session->pass_time_s;
    return ERT_OK;
}

static enum ert_status verify(struct ert_session *session, struct ert_error *error)
{
    (void)session, (void)error;
    return ERT_OK;
}

static void close_(struct ert_session *session)
{
    free(session);
}

/* What its vendor says: numbers and names of its own. */
static void peaks(const struct ert_device *device, struct ert_peak_list *list)
{
    ert_peaks_add(list, "fp64-fma", ERT_PEAK_FLOP_PER_S, device->gpu.n_sms * 1250.0,
                  "planted white paper", "%u units x 625 FMA x 2 flop", device->gpu.n_sms);
}

static const struct ert_throttle throttle[] = {
    {1 << 20, "planted haze", false, false},
    {0,       NULL,           false, false}
};

#define GPUS(NAME)                                                                         \
    {                                                                                      \
        .name = #NAME, .summary = "a planted GPU of another vendor", .has_gpus = true,     \
        .peaks = peaks, .throttle = throttle, .unavailable = NAME##_unavailable,           \
        .discover = NAME##_discover, .variants = variants, .open = open_,                  \
        .prepare = prepare, .time = time_, .verify = verify, .close = close_               \
    }
static const struct ert_backend ert_backend_hip = GPUS(hip);
static const struct ert_backend ert_backend_xe = GPUS(xe);

/* The table that backend_list.c would make with a line more for each in backends.def. */
const struct ert_backend *const *ert_backends(void)
{
#define ERT_BACKEND(name) &ert_backend_##name,
    static const struct ert_backend *const backends[] = {
#include "ert/core/backend/backends.def"
        &ert_backend_hip, &ert_backend_xe, NULL};
    return backends;
}
