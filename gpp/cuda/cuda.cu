/* cuda: the engine of the GPU versions: copies in their layouts, launches, CUDA events, sums. */
#include "gpp/cuda/kernel.cuh"
#include "gpp/cuda/rows.h"
#include "gpp/cuda/upload.h"
#include "gpp/versions.h"

#include "ert/backend/cuda/check.h"
#include "ert/backend/cuda/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gpp_session {
    const struct gpp_cuda_row *row;
    struct gpp_cuda_arguments arguments;
    char label[16];
    int ordinal;
    dim3 grid, block;
    cudaEvent_t begin, end;
    struct gpp_cuda_arrays arrays;
};

/* CUDA C++ Programming Guide, technical specifications: largest y and z of a grid. */
enum { MAX_GRID_YZ = 65535 };

static void close_(struct gpp_session *session)
{
    if (!session)
        return;
    if (session->begin)
        cudaEventDestroy(session->begin);
    if (session->end)
        cudaEventDestroy(session->end);
    gpp_cuda_arrays_free(&session->arrays);
    free(session);
}

static unsigned int tiles(size_t n, unsigned int tile)
{
    return (unsigned int)((n + tile - 1) / tile);
}

static enum ert_status shape(struct gpp_session *session, const struct gpp_problem *problem,
                             const struct gpp_options *options, struct ert_error *error)
{
    const struct gpp_sizes *s = &problem->sizes;
    const struct gpp_cuda_row *row = session->row;
    if (options->stride < 1 || options->stride > s->ncouls)
        return ert_fail(error, ERT_USAGE, "stride: %zu, must be 1 to ncouls, %zu",
                        options->stride, s->ncouls);
    size_t rows = (s->ncouls + options->stride - 1) / options->stride;
    unsigned int x = tiles(rows * options->stride, row->igs),
                 y = tiles(s->ngpown, row->igps);
    unsigned int z = row->bands ? tiles(s->nbands, row->bands) : 1;
    session->grid = row->igp_first ? dim3(y, x, z) : dim3(x, y, z);
    session->block = dim3(row->block_x, row->block_y);
    if (session->grid.y > MAX_GRID_YZ || session->grid.z > MAX_GRID_YZ)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s: a grid of %u x %u x %u blocks, y and z at most %d", row->name,
                        session->grid.x, session->grid.y, session->grid.z, MAX_GRID_YZ);
    session->arguments.stride = (int)options->stride;
    session->arguments.columns = (int)(rows * options->stride);
    return ERT_OK;
}

static enum ert_status describe(struct gpp_session *session, struct gpp_facts *facts,
                                struct ert_error *error)
{
    cudaFuncAttributes attributes;
    cudaDeviceProp properties;
    int blocks = 0;
    const void *kernel = session->row->kernels[session->arguments.nw - 1];
    const int threads = (int)(session->block.x * session->block.y);
    CUDA_TRY(session->label, error, cudaFuncGetAttributes(&attributes, kernel),
             "cudaFuncGetAttributes(%s)", session->row->name);
    CUDA_TRY(session->label, error, cudaGetDeviceProperties(&properties, session->ordinal),
             "cudaGetDeviceProperties");
    CUDA_TRY(session->label, error,
             cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor(%s)", session->row->name);
    snprintf(facts->device, sizeof facts->device, "%s, %.80s", session->label,
             properties.name);
    facts->registers = (unsigned int)attributes.numRegs;
    facts->block_threads = (unsigned int)threads;
    facts->warps_per_sm = blocks * ((threads + 31) / 32);
    if (attributes.localSizeBytes > 0)
        snprintf(facts->notes, sizeof facts->notes, "%zu bytes of local memory per thread",
                 attributes.localSizeBytes);
    return ERT_OK;
}

static enum ert_status prepare(struct gpp_session *session,
                               const struct gpp_problem *problem,
                               const struct gpp_options *options, struct gpp_facts *facts,
                               struct ert_error *error)
{
    int n_devices = 0;
    size_t free_bytes = 0, total_bytes = 0;
    CUDA_TRY(session->label, error, cudaGetDeviceCount(&n_devices), "cudaGetDeviceCount");
    if (session->ordinal < 0 || session->ordinal >= n_devices)
        return ert_fail(error, ERT_USAGE, "no device gpu%d; there are %d", session->ordinal,
                        n_devices);
    ERT_TRY(shape(session, problem, options, error));
    CUDA_TRY(session->label, error, cudaSetDevice(session->ordinal), "cudaSetDevice(%d)",
             session->ordinal);
    CUDA_TRY(session->label, error, cudaMemGetInfo(&free_bytes, &total_bytes),
             "cudaMemGetInfo");
    ERT_TRY(gpp_memory_check(session->label, gpp_cuda_arrays_bytes(problem), free_bytes,
                             error));
    ERT_TRY(gpp_cuda_arrays_upload(session->row, problem, session->label, &session->arrays,
                                   &session->arguments, error));
    CUDA_TRY(session->label, error, cudaEventCreate(&session->begin), "cudaEventCreate");
    CUDA_TRY(session->label, error, cudaEventCreate(&session->end), "cudaEventCreate");
    return describe(session, facts, error);
}

static enum ert_status open_(const struct gpp_version *version,
                             const struct gpp_problem *problem,
                             const struct gpp_options *options,
                             struct gpp_session **session, struct gpp_facts *facts,
                             struct ert_error *error)
{
    char reason[160];
    if (ert_cuda_unavailable(reason, sizeof reason))
        return ert_fail(error, ERT_UNAVAILABLE, "%s", reason);
    struct gpp_session *made = (struct gpp_session *)calloc(1, sizeof *made);
    if (!made)
        return ert_fail(error, ERT_FAILED, "no memory for a session");
    memset(facts, 0, sizeof *facts);
    made->ordinal = options->gpu;
    made->row = gpp_cuda_row(version->id, !options->no_fma);
    snprintf(made->label, sizeof made->label, "gpu%d", options->gpu);
    enum ert_status status = prepare(made, problem, options, facts, error);
    if (status == ERT_OK)
        *session = made;
    else
        close_(made);
    return status;
}

static enum ert_status launch(struct gpp_session *session, struct ert_error *error)
{
    const struct gpp_cuda_row *row = session->row;
    struct gpp_cuda_arguments arguments = session->arguments;
    const void *kernel = row->kernels[arguments.nw - 1];
    void *parameters[] = {&arguments};
    for (int iw = 0; iw < (row->each_energy ? arguments.nw : 1); iw++) {
        arguments.iw = iw;
        CUDA_TRY(session->label, error,
                 cudaLaunchKernel(kernel, session->grid, session->block, parameters, 0, 0),
                 "launch of %s", row->name);
    }
    return ERT_OK;
}

static enum ert_status run(struct gpp_session *session, struct gpp_result *result,
                           double *time_s, struct ert_error *error)
{
    static const size_t n_slots = (size_t)GPP_CUDA_SLOTS * GPP_CUDA_SUMS;
    double *slots = (double *)malloc(n_slots * sizeof *slots);
    float time_ms = 0;
    if (!slots)
        return ert_fail(error, ERT_FAILED, "no memory for the sums");
    enum ert_status status = ERT_OK;
    cudaError_t code = cudaSetDevice(session->ordinal);
    if (code == cudaSuccess)
        code = cudaMemset(session->arguments.slots, 0, n_slots * sizeof *slots);
    if (code == cudaSuccess)
        code = cudaEventRecord(session->begin);
    if (code == cudaSuccess)
        status = launch(session, error);
    if (code == cudaSuccess && status == ERT_OK)
        code = cudaEventRecord(session->end);
    if (code == cudaSuccess && status == ERT_OK)
        code = cudaEventSynchronize(session->end);
    if (code == cudaSuccess && status == ERT_OK)
        code = cudaEventElapsedTime(&time_ms, session->begin, session->end);
    if (code == cudaSuccess && status == ERT_OK)
        code = cudaMemcpy(slots, session->arguments.slots, n_slots * sizeof *slots,
                          cudaMemcpyDeviceToHost);
    if (code != cudaSuccess && status == ERT_OK)
        status =
            ert_cuda_fail(error, code, session->label, "run of %s", session->row->name);
    if (status == ERT_OK) {
        memset(result, 0, sizeof *result);
        for (size_t slot = 0; slot < GPP_CUDA_SLOTS; slot++)
            for (int iw = 0; iw < session->arguments.nw; iw++)
                for (int part = 0; part < 2; part++) {
                    const double *sums =
                        slots + slot * GPP_CUDA_SUMS + part * GPP_MAX_NW + iw;
                    result->asx[iw][part] += sums[0];
                    result->ach[iw][part] += sums[2 * GPP_MAX_NW];
                }
        *time_s = time_ms * 1e-3;
    }
    free(slots);
    return status;
}

static const char *unavailable(char *reason, size_t size)
{
    return ert_cuda_unavailable(reason, size);
}

extern "C" const struct gpp_engine gpp_engine_cuda = {"cuda", unavailable, open_, run,
                                                      close_};
