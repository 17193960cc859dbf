/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The correct value of every element, computed from the seed and compared bit for bit on the device; and the
 * kernel that fills arrays. Nothing here is timed.
 */
#include "ert/ext/cuda/session.h"

#include "ert/core/base/random.h"

#include <string.h>

/* The inputs for the correct elements of a target. */
struct expectation {
    enum ert_kernel_id kernel;
    bool is_copied, is_flipped; /* a plain copy of the sources; in place: 1 - the start */
    uint64_t source_seed, target_seed;
    uint64_t n; /* elements of one array: the second source begins there */
    double a;
};

/* The elements by row; host and device compute the same bits (IEEE, fma explicit). */
#define FMA(x, y, z)      fma(x, y, z)
#define ELEMENTS(element) return element;
#define IN_PLACE          return e.is_flipped ? 1 - w : w;
#define SUM               break;

static __host__ __device__ double cuda_verify_expected_element(const struct expectation &e,
                                                               uint64_t i)
{
    const double r1 = ert_random_unit(e.source_seed, i);
    const double r2 = ert_random_unit(e.source_seed, e.n + i);
    const double w = ert_random_unit(e.target_seed, i), a = e.a;
    if (e.is_copied)
        return r1;
    switch (e.kernel) {
#define ERT_OF_MEMORY(id, loads, stores, ...)                                              \
    case ERT_KERNEL_##id:                                                                  \
        __VA_ARGS__
#define ERT_KERNEL_OWN(...)
#define ERT_KERNEL_CPU(...)
#define ERT_KERNEL_CPU_EXTENSION(...)
#include "ert/core/kernels/kernels.def"
    default:
        break;
    }
    return 0;
}

static __global__ void fill_random(double *to, uint64_t n, uint64_t seed)
{
    uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        to[i] = ert_random_unit(seed, i);
}

static __global__ void cuda_verify_check_target(const double *target, struct expectation e,
                                                struct ert_cuda_finding *finding)
{
    uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < e.n; i += stride)
        if (__double_as_longlong(target[i]) !=
            __double_as_longlong(cuda_verify_expected_element(e, i))) {
            atomicMin(&finding->first, (unsigned long long)i);
            atomicAdd(&finding->count, 1ull);
        }
}

enum ert_status ert_cuda_fill(struct ert_session *session, double *to, uint64_t n,
                              uint64_t seed, struct ert_error *error)
{
    fill_random<<<ERT_CUDA_CHECK_GRID(session)>>>(to, n, seed);
    SESSION_TRY(cudaGetLastError(), "launch of the fill kernel, %llu elements",
                (unsigned long long)n);
    return ERT_OK;
}

enum ert_status ert_cuda_reset_finding(struct ert_session *session, struct ert_error *error)
{
    static const struct ert_cuda_finding nothing = {~0ull, 0, 0};
    SESSION_TRY(cudaMemcpyAsync(session->finding, &nothing, sizeof nothing,
                                cudaMemcpyHostToDevice, session->stream),
                "resetting the finding");
    return ERT_OK;
}

enum ert_status ert_cuda_read_finding(struct ert_session *session,
                                      struct ert_cuda_finding *finding,
                                      struct ert_error *error)
{
    SESSION_TRY(cudaGetLastError(), "launch of the checking kernel");
    ERT_TRY(ert_cuda_wait(session, "checking the results", NULL, error));
    SESSION_TRY(
        cudaMemcpy(finding, session->finding, sizeof *finding, cudaMemcpyDeviceToHost),
        "reading the finding");
    return ERT_OK;
}

enum ert_status ert_cuda_compare_sums(struct ert_session *session, uint32_t expected,
                                      struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    uint32_t sums[ERT_CUDA_SUMS], sum = 0;
    SESSION_TRY(cudaMemcpy(sums, session->sums, sizeof sums, cudaMemcpyDeviceToHost),
                "reading the sums");
    for (size_t i = 0; i < ERT_CUDA_SUMS; i++)
        sum += sums[i];
    if (sum == expected)
        return ERT_OK;
    return ert_fail(
        error, ERT_FAILED,
        "%s: %s (%s), set of %llu bytes: after %llu passes the bits add up to 0x%08x, "
        "should be 0x%08x",
        session->label, session->kernel_name, row->name,
        (unsigned long long)session->work.actual_bytes,
        (unsigned long long)session->passes_done, sum, expected);
}

enum ert_status ert_cuda_verify_sums(struct ert_session *session, uint32_t times,
                                     struct ert_error *error)
{
    struct ert_cuda_finding finding;
    ERT_TRY(ert_cuda_read_finding(session, &finding, error));
    return ert_cuda_compare_sums(session, finding.sum * times, error);
}

/* Each pass of an in-place kernel flips the elements flops / 2 times, at least once. */
enum ert_status ert_cuda_verify_target(struct ert_session *session, bool is_copied,
                                       struct ert_error *error)
{
    uint64_t flips = session->row->flops > 1 ? session->row->flops / 2 : 1;
    struct expectation e = {session->row->kernel,
                            is_copied,
                            flips * session->passes_done % 2 != 0,
                            session->options.seed,
                            ert_cuda_target_seed(session),
                            session->n_elements,
                            session->arguments.a};
    struct ert_cuda_finding finding;
    ERT_TRY(ert_cuda_reset_finding(session, error));
    cuda_verify_check_target<<<ERT_CUDA_CHECK_GRID(session)>>>(session->target, e,
                                                               session->finding);
    ERT_TRY(ert_cuda_read_finding(session, &finding, error));
    if (finding.count == 0)
        return ERT_OK;
    double value = 0;
    SESSION_TRY(cudaMemcpy(&value, session->target + finding.first, sizeof value,
                           cudaMemcpyDeviceToHost),
                "reading the wrong element");
    return ert_fail(
        error, ERT_FAILED,
        "%s: %s (%s): after %llu passes w[%llu] is %.17g, should be %.17g; %llu of %llu "
        "elements are wrong",
        session->label, session->kernel_name, session->row->name,
        (unsigned long long)session->passes_done, finding.first, value,
        cuda_verify_expected_element(e, finding.first), finding.count,
        (unsigned long long)session->n_elements);
}

enum ert_status ert_cuda_verify(struct ert_session *session, struct ert_error *error)
{
    if (session->is_lost)
        return ert_fail(error, ERT_FAILED, "%s: lost by an earlier error", session->label);
    if (!session->row)
        return ert_fail(error, ERT_FAILED, "%s: no case is prepared", session->label);
    ERT_TRY(ert_cuda_take(session, error));
    return session->row->kind->verify(session, error);
}
