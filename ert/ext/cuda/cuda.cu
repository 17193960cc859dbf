/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda: NVIDIA GPUs through the CUDA runtime: the backend's table, sessions, and preparation of specs. */
#include "ert/core/base/clock.h"
#include "ert/ext/cuda/nvidia.h"
#include "ert/ext/cuda/session.h"
#include "ert/ext/cuda/tensor.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory left free for the CUDA context (local memory, printf and malloc heaps) and for other processes. */
static const uint64_t reserve_bytes = UINT64_C(512) << 20;

/* Bytes for the final values of a compute kernel: at most 16 chains of 8 bytes per resident thread. */
static uint64_t chains_bytes(const struct ert_gpu *gpu)
{
    return (uint64_t)gpu->n_sms * gpu->max_threads_per_sm * 16 * sizeof(double);
}

/* Sets the size of both regions: the requested one, or the largest that fits, with a note. */
static enum ert_status size_regions(struct ert_session *session, const struct ert_gpu *gpu,
                                    char *notes, size_t size, struct ert_error *error)
{
    size_t free_bytes = 0, total_bytes = 0;
    SESSION_TRY(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    uint64_t least = chains_bytes(gpu);
    uint64_t wanted = session->options.working_set_max_bytes;
    wanted = wanted > least ? wanted : least;
    /* 2 MiB: the page size of cudaMalloc's large allocations. */
    const uint64_t page = UINT64_C(2) << 20;
    wanted = (wanted + page - 1) / page * page;
    uint64_t usable = free_bytes > reserve_bytes ? free_bytes - reserve_bytes : 0;
    uint64_t fits = usable / 2 / page * page;
    if (fits < least)
        return ert_fail(
            error, ERT_FAILED,
            "%s: %llu MiB of device memory are free, at least %llu MiB are needed",
            session->label, (unsigned long long)free_bytes >> 20,
            (unsigned long long)(2 * least + reserve_bytes) >> 20);
    session->region_bytes = wanted < fits ? wanted : fits;
    if (wanted > fits)
        snprintf(notes, size,
                 "%llu MiB of device memory are free: sets end at %llu MiB instead of "
                 "%llu MiB",
                 (unsigned long long)free_bytes >> 20, (unsigned long long)fits >> 20,
                 (unsigned long long)wanted >> 20);
    return ERT_OK;
}

static enum ert_status cuda_allocate(struct ert_session *session, struct ert_error *error)
{
    const struct {
        void **place;
        uint64_t size_bytes;
    } buffers[ERT_CUDA_BUFFERS] = {
        {(void **)&session->sources,   session->region_bytes                          },
        {(void **)&session->target,    session->region_bytes                          },
        {(void **)&session->starts,    ERT_CUDA_STARTS * sizeof *session->starts      },
        {(void **)&session->expected,  ERT_CUDA_STARTS * sizeof *session->expected    },
        {(void **)&session->constants, ERT_CUDA_CONSTANTS * sizeof *session->constants},
        {(void **)&session->tiles,     sizeof *session->tiles                         },
        {(void **)&session->sums,      ERT_CUDA_SUMS * sizeof *session->sums          },
        {(void **)&session->marks,     ERT_CUDA_MARKS * sizeof *session->marks        },
        {(void **)&session->finding,   sizeof *session->finding                       },
    };
    for (size_t i = 0; i < ERT_CUDA_BUFFERS; i++) {
        SESSION_TRY(cudaMalloc(buffers[i].place, buffers[i].size_bytes),
                    "cudaMalloc of %llu bytes", (unsigned long long)buffers[i].size_bytes);
        session->buffers[i] = *buffers[i].place;
    }
    SESSION_TRY(cudaStreamCreateWithFlags(&session->stream, cudaStreamNonBlocking),
                "cudaStreamCreateWithFlags");
    SESSION_TRY(cudaEventCreate(&session->begin), "cudaEventCreate");
    SESSION_TRY(cudaEventCreate(&session->end), "cudaEventCreate");
    return ERT_OK;
}

static enum ert_status take_device(struct ert_session *session,
                                   const struct ert_device *device, char *notes,
                                   size_t size, struct ert_error *error)
{
    SESSION_TRY(cudaSetDevice(device->gpu.ordinal), "cudaSetDevice(%d)",
                device->gpu.ordinal);
    /* The first call that needs a context creates it; here, its time does not matter. */
    SESSION_TRY(cudaFree(NULL), "making a CUDA context");
    ERT_TRY(size_regions(session, &device->gpu, notes, size, error));
    ERT_TRY(cuda_allocate(session, error));
    cudaDeviceProp properties;
    SESSION_TRY(cudaGetDeviceProperties(&properties, device->gpu.ordinal),
                "cudaGetDeviceProperties");
    session->nvml = ert_nvml_open();
    session->nvml_device = ert_nvml_find(
        session->nvml, (const unsigned char *)&properties.uuid, device->gpu.pci);
    /* The first reading takes milliseconds (3.2 ms on an H200), later ones microseconds. */
    struct ert_nvml_reading reading;
    ert_nvml_read(session->nvml_device, &reading);
    ERT_TRY(ert_cuda_fill(session, session->sources, session->region_bytes / sizeof(double),
                          session->options.seed, error));
    return ert_cuda_wait(session, "filling the source region", NULL, error);
}

/* Whether the device finishes its work within a second. On a hung device cudaFree would wait for ever. */
static bool is_at_rest(const struct ert_session *session)
{
    if (session->is_lost)
        return false;
    for (int i = 0; i < 1000; i++) {
        cudaError_t code = session->stream ? cudaStreamQuery(session->stream) : cudaSuccess;
        if (code == cudaSuccess)
            return true;
        if (code != cudaErrorNotReady)
            break;
        ert_clock_sleep_s(1e-3);
    }
    cudaGetLastError();
    return false;
}

static void cuda_close_(struct ert_session *session)
{
    if (!session)
        return;
    /* The buffers of a lost device are freed when the process ends. */
    cudaSetDevice(session->ordinal);
    if (is_at_rest(session)) {
        ert_cuda_links_free(session);
        ert_cuda_gemm_free(session);
        if (session->end)
            cudaEventDestroy(session->end);
        if (session->begin)
            cudaEventDestroy(session->begin);
        if (session->stream)
            cudaStreamDestroy(session->stream);
        for (void *buffer : session->buffers)
            cudaFree(buffer);
        cudaGetLastError();
    }
    ert_nvml_close(session->nvml);
    free(session);
}

static enum ert_status cuda_open_(const struct ert_device *device,
                                  const struct ert_session_options *options,
                                  struct ert_session **session, char *notes, size_t size,
                                  struct ert_error *error)
{
    if (size > 0)
        notes[0] = '\0';
    struct ert_session *opened = (struct ert_session *)calloc(1, sizeof *opened);
    if (!opened)
        return ert_fail(error, ERT_FAILED, "%s: no memory for a session", device->id);
    snprintf(opened->label, sizeof opened->label, "%s (%.64s)", device->id, device->name);
    opened->ordinal = device->gpu.ordinal;
    opened->options = *options;
    opened->n_sms = device->gpu.n_sms;
    opened->shared_per_block_bytes = device->gpu.shared_per_block_bytes;
    opened->l2_bytes = device->gpu.l2_bytes;
    opened->boost_hz = device->boost_hz;
    enum ert_status status = take_device(opened, device, notes, size, error);
    if (status != ERT_OK) {
        cuda_close_(opened);
        return status;
    }
    *session = opened;
    return ERT_OK;
}

/* A limitation of the machine at this time, which open() has noted, not a fault. */
enum ert_status ert_cuda_check_region(const struct ert_session *session,
                                      uint64_t needed_bytes, struct ert_error *error)
{
    if (needed_bytes <= session->region_bytes)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "%s: %s: needs regions of %llu bytes, %llu are available",
                    session->label, session->kernel_name, (unsigned long long)needed_bytes,
                    (unsigned long long)session->region_bytes);
}

/* Splits the SM's memory between L1 and shared memory in favour of the one that the row measures. */
static enum ert_status split_shared(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const char *name = session->kernel_name;
    if (row->kind->has_own_split || !row->function)
        return ERT_OK;
    bool is_shared = session->shared_bytes > 0;
    SESSION_TRY(cudaFuncSetAttribute(row->function,
                                     cudaFuncAttributePreferredSharedMemoryCarveout,
                                     is_shared ? cudaSharedmemCarveoutMaxShared
                                               : cudaSharedmemCarveoutMaxL1),
                "cudaFuncSetAttribute(carve-out) of %s (%s)", name, row->name);
    if (is_shared)
        SESSION_TRY(cudaFuncSetAttribute(row->function,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         (int)session->shared_bytes),
                    "cudaFuncSetAttribute(shared memory) of %s (%s)", name, row->name);
    return ERT_OK;
}

/* Fills the target with 0xff (NaN), so that an element that is never written is detected. */
static enum ert_status set_target(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    SESSION_TRY(cudaMemsetAsync(session->sums, 0, ERT_CUDA_SUMS * sizeof *session->sums,
                                session->stream),
                "cudaMemsetAsync of the sums");
    SESSION_TRY(cudaMemsetAsync(session->marks, 0, ERT_CUDA_MARKS * sizeof *session->marks,
                                session->stream),
                "cudaMemsetAsync of the clock marks");
    if (row->kind->has_own_target || ert_kernel_row(row->kernel)->stores == 0)
        return ERT_OK;
    if (ERT_READS_TARGET(ert_kernel_row(row->kernel)->result))
        return ert_cuda_fill(session, session->target, session->n_elements,
                             ert_cuda_target_seed(session), error);
    SESSION_TRY(cudaMemsetAsync(session->target, 0xff, session->n_elements * sizeof(double),
                                session->stream),
                "cudaMemsetAsync of %llu elements",
                (unsigned long long)session->n_elements);
    return ERT_OK;
}

static enum ert_status cuda_prepare(struct ert_session *session,
                                    const struct ert_spec *spec, struct ert_work *work,
                                    struct ert_error *error)
{
    const struct ert_kernel *kernel = ert_kernel_row(spec->kernel);
    ERT_TRY(ert_cuda_take(session, error));
    session->row = ert_cuda_row_find(spec);
    if (!session->row)
        return ert_fail(error, ERT_FAILED,
                        "%s: %s has no variant %u on path %s with %u flops per element, "
                        "%u warps per SM (0: its own)",
                        session->label, kernel->name, spec->variant,
                        ert_path_name(spec->path), spec->flops_per_element,
                        spec->concurrency);
    if (!ert_cuda_row_is_known(session->row)) {
        session->row = NULL;
        return ert_fail(error, ERT_FAILED, "%s: %s: it is not known what it leaves",
                        session->label, kernel->name);
    }
    session->kernel_name = kernel->name;
    memset(&session->arguments, 0, sizeof session->arguments);
    memset(&session->work, 0, sizeof session->work);
    session->arguments.sums = session->sums;
    session->arguments.marks = session->marks;
    session->shared_bytes = session->blocks_per_sm = 0;
    session->pass_time_s = session->own_passes[0] = 0;
    session->pass_steps = 1;
    session->passes_done = session->launches_done = session->last_passes = 0;
    const struct ert_cuda_kind *kind = session->row->kind;
    enum ert_status status = kind->size(session, spec, error);
    if (status == ERT_OK)
        status = split_shared(session, error);
    if (status == ERT_OK && kind->fits)
        status = kind->fits(session, error);
    if (status == ERT_OK)
        status = set_target(session, error);
    if (status == ERT_OK)
        status = ert_cuda_launch(session, 1, error);
    if (status == ERT_OK)
        status = ert_cuda_wait(session, kernel->name, NULL, error);
    if (status != ERT_OK) {
        session->row = NULL; /* nothing is prepared */
        return status;
    }
    *work = session->work;
    return ERT_OK;
}

static bool cuda_errors(struct ert_session *session, struct ert_memory_errors *errors)
{
    return ert_nvml_errors(session->nvml_device, errors);
}

const struct ert_backend ert_backend_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs (CUDA): memory levels, CUDA and tensor cores, links",
    ERT_NVIDIA_FIELDS,
    .unavailable = ert_cuda_unavailable,
    .discover = ert_cuda_discover,
    .variants = ert_cuda_variants,
    .open = cuda_open_,
    .observe = NULL,
    .prepare = cuda_prepare,
    .time = ert_cuda_time,
    .window = ert_cuda_window,
    .verify = ert_cuda_verify,
    .sustain = ert_cuda_sustain,
    .errors = cuda_errors,
    .close = cuda_close_,
    .code = ert_cuda_code,
};
