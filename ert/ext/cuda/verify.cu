/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The correct value of every element, computed from the seed and compared bit for bit on the device; and the
 * kernel that fills arrays. Nothing here is timed.
 */
#include "ert/ext/cuda/session.h"

#include "ert/core/kernels/results.h"

/* The inputs for the correct elements of a target. */
struct expectation {
    enum ert_kernel_id kernel;
    bool is_copied; /* a plain copy of the sources */
    struct ert_passes passes;
    uint64_t source_seed, target_seed;
    uint64_t n; /* elements of one array: the second source begins there */
};

static __host__ __device__ double cuda_verify_expected_element(const struct expectation &e,
                                                               uint64_t i)
{
    const uint64_t first = e.passes.is_exchanged ? e.n : 0;
    const double r1 = ert_element_start(e.source_seed, first + i);
    if (e.is_copied)
        return r1;
    return ert_element(e.kernel, &e.passes, r1,
                       ert_element_start(e.source_seed, e.n - first + i),
                       ert_element_start(e.target_seed, i));
}

static __global__ void fill_random(double *to, uint64_t n, uint64_t seed)
{
    uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        to[i] = ert_element_start(seed, i);
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

enum ert_status ert_cuda_verify_target(struct ert_session *session, bool is_copied,
                                       struct ert_error *error)
{
    struct expectation e = {session->row->kernel,
                            is_copied,
                            ert_passes_of(ert_kernel_row(session->row->kernel)->result,
                                          session->passes_done, session->arguments.a),
                            session->options.seed,
                            ert_cuda_target_seed(session),
                            session->n_elements};
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
