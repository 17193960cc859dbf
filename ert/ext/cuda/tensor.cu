/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/cuda/build.h"
#include "ert/ext/cuda/nvidia.h"
#include "ert/ext/cuda/session.h"
#include "ert/ext/cuda/tensor.cuh"
#include "ert/ext/cuda/tiles.h"

#include <cuda_fp16.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ert_cuda_shape *shape_of(const struct ert_cuda_row *row)
{
    return (const struct ert_cuda_shape *)row->extra;
}

static bool runs(const struct ert_gpu *gpu, const struct ert_cuda_row *row, char *reason,
                 size_t size)
{
    const struct ert_cuda_shape *shape = shape_of(row);
    uint32_t cc = (uint32_t)(gpu->cc_major * 10 + gpu->cc_minor);
    uint32_t least = shape->cc_least;
    const bool is_other = shape->cc_also && cc == shape->cc_also;
    if (shape->is_cc_only ? cc != least && !is_other : cc < least) {
        char also[16] = "";
        if (shape->cc_also)
            snprintf(also, sizeof also, " or %u.%u", shape->cc_also / 10,
                     shape->cc_also % 10);
        snprintf(reason, size, "needs compute capability %u.%u%s%s, this GPU has %u.%u",
                 least / 10, least % 10, also, shape->is_cc_only ? " exactly" : " at least",
                 cc / 10, cc % 10);
        return false;
    }
    if (!row->function && !shape->is_cc_only) {
        snprintf(reason, size,
                 "the CUDA compiler of this build, " ERT_BUILD_NVCC
                 ", does not know the instruction");
        return false;
    }
    char code_name[16];
    snprintf(code_name, sizeof code_name, "sm_%ua", cc);
    if (shape->is_cc_only && !strstr(ERT_CUDA_OWN_CODE, code_name)) {
        snprintf(reason, size,
                 "this build has no code for %s: nvcc does not know it, or it was not "
                 "in --with-cuda-arch=\"%s\"",
                 code_name, ERT_CUDA_ARCH);
        return false;
    }
    uint32_t code = ert_nvidia_code_for(ERT_CUDA_ARCH, cc);
    if (!shape->is_cc_only && code < least) {
        snprintf(reason, size,
                 "needs code for sm_%u to sm_%u, this build has \"%s\" (--with-cuda-arch)",
                 least, cc, ERT_CUDA_ARCH);
        return false;
    }
    return true;
}

static bool is_made(const struct ert_gpu *gpu, const struct ert_cuda_row *row)
{
    const uint32_t cc = (uint32_t)(gpu->cc_major * 10 + gpu->cc_minor),
                   unit = shape_of(row)->cc_unit;
    return unit && cc > unit;
}

/* Tiles of the tensor kernels: made on the host, copied to the device. */

/* Bytes of the accumulators of all blocks. */
static uint64_t results_bytes(const struct ert_session *session)
{
    return session->n_elements * shape_of(session->row)->accumulator_bytes;
}

/* Sets the work of one pass, from the kernel's shape. */
static enum ert_status size_spec(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const struct ert_cuda_shape *shape = shape_of(row);
    session->work.blocks = row->blocks_per_sm * session->n_sms;
    session->work.threads = row->threads;
    session->n_elements = (uint64_t)session->work.blocks *
                          (row->threads / shape->tile_threads) * shape->m * shape->n;
    session->work.flops_per_pass = (double)session->n_elements * shape->k * shape->sweeps *
                                   ert_kernel_row(row->kernel)->flops;
    if (results_bytes(session) > session->region_bytes)
        return ert_fail(error, ERT_FAILED,
                        "%s: %s (%s): results of %llu bytes, %llu are available",
                        session->label, session->kernel_name, row->name,
                        (unsigned long long)results_bytes(session),
                        (unsigned long long)session->region_bytes);
    session->arguments.r1 = (const double *)session->tiles->a;
    session->arguments.r2 = (const double *)session->tiles->b;
    session->arguments.w = session->target;
    session->arguments.n_starts = ert_tiles_numbers(row->kernel)->n_starts;
    session->shared_bytes = shape->shared_bytes;
    return ERT_OK;
}

/* Writes A, -A and B in the bytes of the type, one row of k after another; and the products. */
static void make_tiles(const struct ert_session *session, enum ert_tiles_kind kind,
                       struct ert_cuda_tiles *tiles, int32_t *a, int32_t *b)
{
    const struct ert_cuda_shape *shape = shape_of(session->row);
    enum ert_kernel_id kernel = session->row->kernel;
    uint32_t k = shape->k;
    size_t row_bytes = shape->row_bytes;
    ert_tiles_fill(kernel, kind, session->options.seed, shape->m, shape->n, k, a, b,
                   tiles->products);
    for (uint32_t i = 0; i < shape->m * k; i++) {
        uint8_t *row = tiles->a + i / k * row_bytes;
        ert_tiles_encode(kernel, a[i], row, i % k);
        ert_tiles_encode(kernel, -a[i], row + shape->m * row_bytes, i % k);
    }
    for (uint32_t i = 0; i < shape->n * k; i++)
        ert_tiles_encode(kernel, b[i], tiles->b + i / k * row_bytes, i % k);
}

static enum ert_status copy_tiles(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_shape *shape = shape_of(session->row);
    struct ert_cuda_tiles *tiles = (struct ert_cuda_tiles *)calloc(1, sizeof *tiles);
    int32_t *a = (int32_t *)calloc(shape->m * shape->k, sizeof *a);
    int32_t *b = (int32_t *)calloc(shape->n * shape->k, sizeof *b);
    enum ert_status status = ERT_OK;
    if (tiles && a && b) {
        make_tiles(session,
                   session->options.tensor_zeros ? ERT_TILES_ZERO : ERT_TILES_RANDOM, tiles,
                   a, b);
        status = ert_cuda_upload(session, session->tiles, tiles, sizeof *tiles,
                                 "copying the tiles", error);
    } else {
        status = ert_fail(error, ERT_FAILED, "%s: no memory for tiles of %zu bytes",
                          session->label, sizeof *tiles);
    }
    free(b);
    free(a);
    free(tiles);
    return status;
}

static enum ert_status clear(struct ert_session *session, struct ert_error *error)
{
    SESSION_TRY(
        cudaMemsetAsync(session->target, 0xff, results_bytes(session), session->stream),
        "cudaMemsetAsync of the accumulators' results");
    return ERT_OK;
}

static enum ert_status size(struct ert_session *session, const struct ert_spec *,
                            struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    ERT_TRY(size_spec(session, error));
    ERT_TRY(copy_tiles(session, error));
    SESSION_TRY(cudaFuncSetAttribute(row->function,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)session->shared_bytes),
                "cudaFuncSetAttribute(%zu bytes of shared memory) of %s (%s)",
                session->shared_bytes, session->kernel_name, row->name);
    return clear(session, error);
}

/*
 * The correct value of every accumulator: its start value, and after an odd number of sweeps plus the product
 * A*B (tiles.h). All are integers that the accumulators' type represents exactly.
 */

struct expectation {
    const int64_t *products; /* of one tile */
    uint64_t n_elements;
    uint32_t tile_elements, n_starts;
    bool has_product;
};

static __device__ double expected_element(const struct expectation &e, uint64_t i)
{
    double start = ert_tiles_start((uint32_t)i, e.n_starts);
    return start + (e.has_product ? (double)e.products[i % e.tile_elements] : 0.0);
}

static __device__ double wide(__half value)
{
    return (double)__half2float(value);
}
template <class T> static __device__ double wide(T value)
{
    return (double)value;
}

template <class T>
static __global__ void check_accumulators(const T *values, struct expectation e,
                                          struct ert_cuda_finding *finding)
{
    uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < e.n_elements;
         i += stride)
        if (!(wide(values[i]) == expected_element(e, i))) {
            atomicMin(&finding->first, (unsigned long long)i);
            atomicAdd(&finding->count, 1ull);
        }
}

/* Copies the value of one element and its correct value, since the products are on the device. */
template <class T>
static __global__ void show_element(const T *values, struct expectation e, uint64_t i,
                                    double *shown)
{
    shown[0] = wide(values[i]);
    shown[1] = expected_element(e, i);
}

/* The functions that launch these two kernels for a type of accumulator. */
struct checker {
    void (*check)(struct ert_session *session, const struct expectation &e);
    void (*show)(struct ert_session *session, const struct expectation &e, uint64_t i);
};

template <class T>
static void check(struct ert_session *session, const struct expectation &e)
{
    check_accumulators<<<ERT_CUDA_CHECK_GRID(session)>>>((const T *)session->target, e,
                                                         session->finding);
}
template <class T>
static void show(struct ert_session *session, const struct expectation &e, uint64_t i)
{
    show_element<<<1, 1, 0, session->stream>>>((const T *)session->target, e, i,
                                               (double *)session->expected);
}

static const struct checker double_checker = {check<double>, show<double>};
static const struct checker float_checker = {check<float>, show<float>};
static const struct checker half_checker = {check<__half>, show<__half>};
static const struct checker int_checker = {check<int>, show<int>};

static const struct checker *checker_of(const struct ert_cuda_row *row)
{
    uint32_t bytes = shape_of(row)->accumulator_bytes;
    if (bytes == 8)
        return &double_checker;
    if (bytes == 2)
        return &half_checker;
    return ert_kernel_row(row->kernel)->type == ERT_INT8 ? &int_checker : &float_checker;
}

static enum ert_status verify(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const struct ert_cuda_shape *shape = shape_of(row);
    uint64_t sweeps = session->last_passes * shape->sweeps;
    struct expectation e = {session->tiles->products, session->n_elements,
                            shape->m * shape->n, session->arguments.n_starts,
                            sweeps % 2 == 1};
    struct ert_cuda_finding finding;
    ERT_TRY(ert_cuda_reset_finding(session, error));
    checker_of(row)->check(session, e);
    ERT_TRY(ert_cuda_read_finding(session, &finding, error));
    if (finding.count == 0)
        return ERT_OK;
    double shown[2];
    checker_of(row)->show(session, e, finding.first);
    SESSION_TRY(cudaGetLastError(), "launch for the wrong accumulator");
    ERT_TRY(ert_cuda_wait(session, "reading the wrong accumulator", NULL, error));
    SESSION_TRY(cudaMemcpy(shown, session->expected, sizeof shown, cudaMemcpyDeviceToHost),
                "reading the wrong accumulator");
    return ert_fail(
        error, ERT_FAILED,
        "%s: %s (%s): after %llu sweeps accumulator %llu is %.17g, should be %.17g; "
        "%llu of %llu accumulators are wrong",
        session->label, session->kernel_name, row->name, (unsigned long long)sweeps,
        finding.first, shown[0], shown[1], finding.count,
        (unsigned long long)session->n_elements);
}

const struct ert_cuda_kind *ert_cuda_tensor_kind(void)
{
    static const struct ert_cuda_kind kind = {
        .size = size,
        .verify = verify,
        .clear = clear,
        .runs = runs,
        .is_made = is_made,
        .starts_afresh = true,
        .has_own_split = true,
    };
    return &kind;
}
