/* Tiles of the tensor kernels: made on the host, copied to the device. */
#include "ert/backend/cuda/session.h"
#include "ert/backend/cuda/tensor.h"
#include "ert/backend/tiles.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that the accumulators of all blocks take. */
static uint64_t results_bytes(const struct ert_session *session)
{
    return session->n_elements * ert_cuda_shape_of(session->row)->accumulator_bytes;
}

/* What one pass is, from the shape that the kernel is made with. */
static enum ert_status size_case(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const struct ert_cuda_shape *shape = ert_cuda_shape_of(row);
    session->work.blocks = row->blocks_per_sm * session->n_sms;
    session->work.threads = row->threads;
    session->n_elements = (uint64_t)session->work.blocks *
                          (row->threads / shape->tile_threads) * shape->m * shape->n;
    session->work.flops_per_pass = (double)session->n_elements * shape->k * shape->sweeps *
                                   ert_kernel_row(row->kernel)->flops;
    if (results_bytes(session) > session->region_bytes)
        return ert_fail(error, ERT_FAILED,
                        "%s: %s (%s): results of %llu bytes, %llu are available",
                        session->label, ert_kernel_row(row->kernel)->name, row->name,
                        (unsigned long long)results_bytes(session),
                        (unsigned long long)session->region_bytes);
    session->arguments.r1 = (const double *)session->tiles->a;
    session->arguments.r2 = (const double *)session->tiles->b;
    session->arguments.w = session->target;
    session->arguments.n_starts = ert_tiles_numbers(row->kernel)->n_starts;
    return ERT_OK;
}

/* A, then -A, then B, as bytes of the type, a row of k each; and the products. */
static void make_tiles(const struct ert_session *session, enum ert_tiles_kind kind,
                       struct ert_cuda_tiles *tiles, int32_t *a, int32_t *b)
{
    const struct ert_cuda_shape *shape = ert_cuda_shape_of(session->row);
    enum ert_kernel_id kernel = session->row->kernel;
    enum ert_type type = ert_kernel_row(kernel)->type;
    uint32_t k = shape->k;
    size_t bytes = ert_type_bytes(type), row_bytes = shape->row_bytes;
    ert_tiles_fill(kernel, kind, session->options.seed, shape->m, shape->n, k, a, b,
                   tiles->products);
    for (uint32_t i = 0; i < shape->m * k; i++) {
        uint8_t *to = tiles->a + i / k * row_bytes + i % k * bytes;
        ert_tiles_encode(type, a[i], to);
        ert_tiles_encode(type, -a[i], to + shape->m * row_bytes);
    }
    for (uint32_t i = 0; i < shape->n * k; i++)
        ert_tiles_encode(type, b[i], tiles->b + i / k * row_bytes + i % k * bytes);
}

static enum ert_status copy_tiles(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_shape *shape = ert_cuda_shape_of(session->row);
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

enum ert_status ert_cuda_tensor_prepare(struct ert_session *session,
                                        struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const char *name = ert_kernel_row(row->kernel)->name;
    int shared_bytes = (int)ert_cuda_shape_of(row)->shared_bytes;
    ERT_TRY(size_case(session, error));
    ERT_TRY(copy_tiles(session, error));
    SESSION_TRY(session, error,
                cudaFuncSetAttribute(row->function,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     shared_bytes),
                "cudaFuncSetAttribute(%d bytes of shared memory) of %s (%s)", shared_bytes,
                name, row->name);
    return ert_cuda_tensor_clear(session, error);
}

enum ert_status ert_cuda_tensor_clear(struct ert_session *session, struct ert_error *error)
{
    SESSION_TRY(
        session, error,
        cudaMemsetAsync(session->target, 0xff, results_bytes(session), session->stream),
        "cudaMemsetAsync of the accumulators' results");
    return ERT_OK;
}
