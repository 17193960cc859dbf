#include "ert/backend/cuda/session.h"

#include <string.h>

static const char *kernel_name(const struct ert_cuda_row *row)
{
    return ert_kernel_row(row->kernel)->name;
}

static bool is_in_place(const struct ert_cuda_row *row)
{
    return ert_kernel_arrays(row->kernel) == 1 && ert_kernel_row(row->kernel)->loads == 1 &&
           ert_kernel_row(row->kernel)->stores == 1;
}

/* The wanted set, rounded down to whole sweeps, but one at least. */
static uint64_t round_set(const struct ert_cuda_row *row, uint32_t n_sms,
                          uint64_t wanted_bytes)
{
    uint64_t sweep_bytes = ert_cuda_row_sweep_bytes(row, n_sms);
    uint64_t n_sweeps = wanted_bytes / sweep_bytes;
    return (n_sweeps ? n_sweeps : 1) * sweep_bytes;
}

/* A limitation of the machine at this time, not a fault: open() has noted it. */
enum ert_status ert_cuda_check_region(const struct ert_session *session,
                                      uint64_t needed_bytes, struct ert_error *error)
{
    if (needed_bytes <= session->region_bytes)
        return ERT_OK;
    return ert_fail(
        error, ERT_UNAVAILABLE, "%s: %s: needs regions of %llu bytes, %llu are available",
        session->label, kernel_name(session->row), (unsigned long long)needed_bytes,
        (unsigned long long)session->region_bytes);
}

static enum ert_status check_room(const struct ert_session *session,
                                  const struct ert_cuda_row *row, uint64_t set_bytes,
                                  uint64_t slice_bytes, struct ert_error *error)
{
    const struct ert_kernel *kernel = ert_kernel_row(row->kernel);
    uint32_t n_sources = is_in_place(row) ? 0 : kernel->loads;
    uint32_t n_most = n_sources > kernel->stores ? n_sources : kernel->stores;
    uint64_t needed = set_bytes / ert_kernel_arrays(row->kernel) * n_most;
    ERT_TRY(ert_cuda_check_region(session, needed, error));
    /* Kernels of resident blocks hold offsets within a slice, plus a step, in 32 bits. */
    if (row->blocks_per_sm && slice_bytes > UINT32_MAX / 2)
        return ert_fail(error, ERT_FAILED,
                        "%s: %s, set of %llu bytes: slices of %llu bytes, at most %u",
                        session->label, kernel->name, (unsigned long long)set_bytes,
                        (unsigned long long)slice_bytes, UINT32_MAX / 2);
    if (row->walk == ERT_CUDA_SHARED && slice_bytes > session->shared_per_block_bytes)
        return ert_fail(
            error, ERT_FAILED,
            "%s: %s, set of %llu bytes: needs %llu bytes of shared memory per block, "
            "%llu are available",
            session->label, kernel->name, (unsigned long long)set_bytes,
            (unsigned long long)slice_bytes,
            (unsigned long long)session->shared_per_block_bytes);
    return ERT_OK;
}

/* Arrays follow each other in the source region; results go to the target region. */
static void set_memory_arguments(struct ert_session *session)
{
    const struct ert_cuda_row *row = session->row;
    struct ert_cuda_arguments *arguments = &session->arguments;
    arguments->r1 = is_in_place(row) ? session->target : session->sources;
    arguments->r2 = session->sources + session->n_elements;
    arguments->w = session->target;
    /* In place, a = b = 1: the value goes forth and back between w and 1 - w, exactly. */
    arguments->a = is_in_place(row) ? 1 : ert_cuda_scalar;
    arguments->b = 1;
    if (row->blocks_per_sm)
        arguments->slice_vectors = session->n_elements * sizeof(double) /
                                   ERT_CUDA_VECTOR_BYTES / session->work.blocks;
    if (row->walk == ERT_CUDA_SHARED)
        session->shared_bytes = arguments->slice_vectors * ERT_CUDA_VECTOR_BYTES;
}

static enum ert_status size_memory_case(struct ert_session *session,
                                        const struct ert_case *case_,
                                        struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    uint64_t set_bytes = round_set(row, session->n_sms, case_->working_set_bytes);
    uint64_t array_bytes = set_bytes / ert_kernel_arrays(row->kernel);
    uint64_t block_bytes = (uint64_t)row->threads * row->vectors * ERT_CUDA_VECTOR_BYTES;
    uint64_t blocks = row->blocks_per_sm ? (uint64_t)row->blocks_per_sm * session->n_sms
                                         : array_bytes / block_bytes;
    ERT_TRY(check_room(session, row, set_bytes, array_bytes / blocks, error));
    session->n_elements = array_bytes / sizeof(double);
    uint32_t flops = row->flops ? row->flops : ert_kernel_row(row->kernel)->flops;
    session->work.working_set_bytes = set_bytes;
    session->work.bytes_per_pass =
        (double)session->n_elements * ert_kernel_bytes_per_element(row->kernel);
    session->work.flops_per_pass = (double)session->n_elements * flops;
    session->work.blocks = (uint32_t)blocks;
    session->work.threads = row->threads;
    set_memory_arguments(session);
    return ERT_OK;
}

/* Gives the SM's memory to what the row measures. */
static enum ert_status split_shared(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    if (row->walk == ERT_CUDA_TENSOR || row->walk == ERT_CUDA_ERT110 || !row->function)
        return ERT_OK; /* has said what it needs; asks for nothing; copies by the driver */
    bool is_shared = session->shared_bytes > 0;
    SESSION_TRY(session, error,
                cudaFuncSetAttribute(row->function,
                                     cudaFuncAttributePreferredSharedMemoryCarveout,
                                     is_shared ? cudaSharedmemCarveoutMaxShared
                                               : cudaSharedmemCarveoutMaxL1),
                "cudaFuncSetAttribute(carve-out) of %s (%s)", kernel_name(row), row->name);
    if (is_shared)
        SESSION_TRY(
            session, error,
            cudaFuncSetAttribute(row->function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)session->shared_bytes),
            "cudaFuncSetAttribute(shared memory) of %s (%s)", kernel_name(row), row->name);
    return ERT_OK;
}

/*
 * Poisons what will be written (0xff: NaN), so that a result that was never written is
 * seen.
 */
static enum ert_status set_target(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    SESSION_TRY(session, error,
                cudaMemsetAsync(session->sums, 0, ERT_CUDA_SUMS * sizeof *session->sums,
                                session->stream),
                "cudaMemsetAsync of the sums");
    SESSION_TRY(session, error,
                cudaMemsetAsync(session->marks, 0, ERT_CUDA_MARKS * sizeof *session->marks,
                                session->stream),
                "cudaMemsetAsync of the clock marks");
    if (row->walk == ERT_CUDA_SHARED || row->walk == ERT_CUDA_REGISTERS ||
        row->walk == ERT_CUDA_ERT110 || ert_kernel_row(row->kernel)->stores == 0)
        return ERT_OK;
    if (is_in_place(row))
        return ert_cuda_fill(session, session->target, session->n_elements,
                             ert_cuda_target_seed(session), error);
    SESSION_TRY(session, error,
                cudaMemsetAsync(session->target, 0xff, session->n_elements * sizeof(double),
                                session->stream),
                "cudaMemsetAsync of %llu elements",
                (unsigned long long)session->n_elements);
    return ERT_OK;
}

enum ert_status ert_cuda_prepare(struct ert_session *session, const struct ert_case *case_,
                                 struct ert_work *work, struct ert_error *error)
{
    const struct ert_kernel *kernel = ert_kernel_row(case_->kernel);
    ERT_TRY(ert_cuda_take(session, error));
    session->row =
        case_->concurrency
            ? ert_cuda_row_find_concurrent(case_->kernel, case_->path, case_->variant)
            : ert_cuda_row_find(case_->kernel, case_->path, case_->flops_per_element,
                                case_->variant);
    if (!session->row)
        return ert_fail(error, ERT_FAILED,
                        "%s: %s has no variant %u on path %s with %u flops per element, "
                        "%u warps per SM (0: its own)",
                        session->label, kernel->name, case_->variant,
                        ert_path_name(case_->path), case_->flops_per_element,
                        case_->concurrency);
    if (!ert_cuda_is_checked(session->row)) {
        session->row = NULL;
        return ert_fail(error, ERT_FAILED, "%s: %s: it is not known what it leaves",
                        session->label, kernel->name);
    }
    memset(&session->arguments, 0, sizeof session->arguments);
    memset(&session->work, 0, sizeof session->work);
    session->arguments.sums = session->sums;
    session->arguments.marks = session->marks;
    session->shared_bytes = session->blocks_per_sm = 0;
    session->pass_time_s = 0;
    session->passes_done = session->launches_done = session->last_passes = 0;
    const struct ert_cuda_kind *kind = ert_cuda_kind_of(session->row);
    bool is_compute = session->row->walk == ERT_CUDA_REGISTERS;
    bool is_tensor = session->row->walk == ERT_CUDA_TENSOR;
    enum ert_status status = kind         ? kind->size(session, case_, error)
                             : is_tensor  ? ert_cuda_tensor_prepare(session, error)
                             : is_compute ? ert_cuda_size_chains(session, case_, error)
                                          : size_memory_case(session, case_, error);
    if (status == ERT_OK)
        status = split_shared(session, error);
    if (status == ERT_OK && is_compute)
        status = ert_cuda_check_residency(session, error);
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
