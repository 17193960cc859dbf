/*
 * What every accumulator must hold: its start, and after an odd number of sweeps the product A*B
 * too (tiles.h). All are integers that the accumulators' type holds exactly.
 */
#include "ert/backend/cuda/session.h"
#include "ert/backend/cuda/tensor.h"
#include "ert/backend/tiles.h"

#include <cuda_fp16.h>

enum { CHECK_THREADS = 256, CHECK_BLOCKS_PER_SM = 8 };

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

/* The value of one element, and what it should be: the products lie on the device. */
template <class T>
static __global__ void show_element(const T *values, struct expectation e, uint64_t i,
                                    double *shown)
{
    shown[0] = wide(values[i]);
    shown[1] = expected_element(e, i);
}

/* The two kernels for the type of a kernel's accumulators. */
struct checker {
    void (*check)(struct ert_session *session, const struct expectation &e);
    void (*show)(struct ert_session *session, const struct expectation &e, uint64_t i);
};

template <class T>
static void check(struct ert_session *session, const struct expectation &e)
{
    check_accumulators<<<session->n_sms * CHECK_BLOCKS_PER_SM, CHECK_THREADS, 0,
                         session->stream>>>((const T *)session->target, e,
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
    uint32_t bytes = ert_cuda_shape_of(row)->accumulator_bytes;
    if (bytes == 8)
        return &double_checker;
    if (bytes == 2)
        return &half_checker;
    return ert_kernel_row(row->kernel)->type == ERT_INT8 ? &int_checker : &float_checker;
}

static enum ert_status find_wrong(struct ert_session *session, const struct expectation &e,
                                  struct ert_cuda_finding *finding, struct ert_error *error)
{
    static const struct ert_cuda_finding nothing = {~0ull, 0, 0};
    SESSION_TRY(session, error,
                cudaMemcpyAsync(session->finding, &nothing, sizeof nothing,
                                cudaMemcpyHostToDevice, session->stream),
                "resetting the finding");
    checker_of(session->row)->check(session, e);
    SESSION_TRY(session, error, cudaGetLastError(), "launch of the checking kernel");
    ERT_TRY(ert_cuda_wait(session, "checking the accumulators", NULL, error));
    SESSION_TRY(
        session, error,
        cudaMemcpy(finding, session->finding, sizeof *finding, cudaMemcpyDeviceToHost),
        "reading the finding");
    return ERT_OK;
}

enum ert_status ert_cuda_tensor_verify(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const struct ert_cuda_shape *shape = ert_cuda_shape_of(row);
    uint64_t sweeps = session->last_passes * shape->sweeps;
    struct expectation e = {session->tiles->products, session->n_elements,
                            shape->m * shape->n, session->arguments.n_starts,
                            sweeps % 2 == 1};
    struct ert_cuda_finding finding;
    ERT_TRY(find_wrong(session, e, &finding, error));
    if (finding.count == 0)
        return ERT_OK;
    double shown[2];
    checker_of(row)->show(session, e, finding.first);
    SESSION_TRY(session, error, cudaGetLastError(), "launch for the wrong accumulator");
    ERT_TRY(ert_cuda_wait(session, "reading the wrong accumulator", NULL, error));
    SESSION_TRY(session, error,
                cudaMemcpy(shown, session->expected, sizeof shown, cudaMemcpyDeviceToHost),
                "reading the wrong accumulator");
    return ert_fail(
        error, ERT_FAILED,
        "%s: %s (%s): after %llu sweeps accumulator %llu is %.17g, should be %.17g; "
        "%llu of %llu accumulators are wrong",
        session->label, ert_kernel_row(row->kernel)->name, row->name,
        (unsigned long long)sweeps, finding.first, shown[0], shown[1], finding.count,
        (unsigned long long)session->n_elements);
}
