#include "ert/backend/cuda/session.h"

#include "ert/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Left free for the context's own needs (local memory, printf and malloc heaps) and for
 * others.
 */
static const uint64_t reserve_bytes = UINT64_C(512) << 20;

/* Final values of a compute kernel: at most 16 chains of 8 bytes per resident thread. */
static uint64_t chains_bytes(const struct ert_gpu *gpu)
{
    return (uint64_t)gpu->n_sms * gpu->max_threads_per_sm * 16 * sizeof(double);
}

/*
 * Two regions of the size that will be asked for, or of what fits, which the notes then
 * say.
 */
static enum ert_status size_regions(struct ert_session *session, const struct ert_gpu *gpu,
                                    char *notes, size_t size, struct ert_error *error)
{
    size_t free_bytes = 0, total_bytes = 0;
    CUDA_TRY(session->label, error, cudaMemGetInfo(&free_bytes, &total_bytes),
             "cudaMemGetInfo");
    uint64_t least = chains_bytes(gpu);
    uint64_t wanted = session->options.working_set_max_bytes;
    wanted = wanted > least ? wanted : least;
    /* 2 MiB: the page size of cudaMalloc's big allocations. */
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

static enum ert_status allocate(struct ert_session *session, struct ert_error *error)
{
    const struct {
        void **place;
        uint64_t size_bytes;
    } buffers[] = {
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
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        CUDA_TRY(session->label, error, cudaMalloc(buffers[i].place, buffers[i].size_bytes),
                 "cudaMalloc of %llu bytes", (unsigned long long)buffers[i].size_bytes);
    CUDA_TRY(session->label, error,
             cudaStreamCreateWithFlags(&session->stream, cudaStreamNonBlocking),
             "cudaStreamCreateWithFlags");
    CUDA_TRY(session->label, error, cudaEventCreate(&session->begin), "cudaEventCreate");
    CUDA_TRY(session->label, error, cudaEventCreate(&session->end), "cudaEventCreate");
    return ERT_OK;
}

static enum ert_status take_device(struct ert_session *session,
                                   const struct ert_device *device, char *notes,
                                   size_t size, struct ert_error *error)
{
    CUDA_TRY(session->label, error, cudaSetDevice(device->gpu.ordinal), "cudaSetDevice(%d)",
             device->gpu.ordinal);
    /* The first call that needs a context makes it: here the time does not matter. */
    CUDA_TRY(session->label, error, cudaFree(NULL), "making a CUDA context");
    ERT_TRY(size_regions(session, &device->gpu, notes, size, error));
    ERT_TRY(allocate(session, error));
    cudaDeviceProp properties;
    CUDA_TRY(session->label, error,
             cudaGetDeviceProperties(&properties, device->gpu.ordinal),
             "cudaGetDeviceProperties");
    session->nvml = ert_nvml_open();
    session->nvml_device = ert_nvml_find(
        session->nvml, (const unsigned char *)&properties.uuid, device->gpu.pci);
    /*
     * The first reading takes milliseconds (3.2 ms seen on an H200), later ones
     * microseconds.
     */
    struct ert_nvml_reading reading;
    ert_nvml_read(session->nvml_device, &reading);
    ERT_TRY(ert_cuda_fill(session, session->sources, session->region_bytes / sizeof(double),
                          session->options.seed, error));
    return ert_cuda_wait(session, "filling the source region", NULL, error);
}

enum ert_status ert_cuda_open(const struct ert_device *device,
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
    opened->boost_hz = device->boost_hz;
    enum ert_status status = take_device(opened, device, notes, size, error);
    if (status != ERT_OK) {
        ert_cuda_close(opened);
        return status;
    }
    *session = opened;
    return ERT_OK;
}

/*
 * Whether the device comes to rest within a second. cudaFree would wait for ever on a hung
 * one.
 */
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

void ert_cuda_close(struct ert_session *session)
{
    if (!session)
        return;
    /* The buffers of a lost device end with the process. */
    cudaSetDevice(session->ordinal);
    if (is_at_rest(session)) {
        ert_cuda_links_free(session);
        if (session->end)
            cudaEventDestroy(session->end);
        if (session->begin)
            cudaEventDestroy(session->begin);
        if (session->stream)
            cudaStreamDestroy(session->stream);
        cudaFree(session->finding);
        cudaFree(session->marks);
        cudaFree(session->sums);
        cudaFree(session->tiles);
        cudaFree(session->constants);
        cudaFree(session->expected);
        cudaFree(session->starts);
        cudaFree(session->target);
        cudaFree(session->sources);
        cudaGetLastError();
    }
    ert_nvml_close(session->nvml);
    free(session->ert110.host);
    free(session);
}
