#include "ert/backend/cuda/chase.h"

#include "ert/backend/cuda/device.cuh"
#include "ert/backend/cuda/kinds.h"
#include "ert/backend/cuda/partitions.h"
#include "ert/backend/cycle.h"

enum { WINDOW_BYTES = 16 << 20 };

/* Lines that are sorted into halves of L2: 512 KiB, some 10 ms of timing one after the other. */
enum { HALF_LINES = 4096 };

static bool is_row(const struct ert_session *session, enum ert_cuda_chase_row row)
{
    return session->row == &ert_cuda_chase_rows.rows[row];
}

static bool is_half(const struct ert_session *session)
{
    return is_row(session, ERT_CUDA_CHASE_NEAR) || is_row(session, ERT_CUDA_CHASE_FAR);
}

/*
 * A chain through all lines, or through those in `chosen`. Whole lines are written: one of which L2
 * knows a part is fetched from memory when read.
 */
static __global__ void write_chain(ulonglong2 *chain, struct ert_cycle cycle,
                                   const uint32_t *chosen, uint64_t *at)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    const uint64_t per_line = ERT_CUDA_LINE_BYTES / sizeof *chain, base = (uint64_t)chain;
    for (uint64_t k = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; k < cycle.n;
         k += stride) {
        uint64_t line = ert_cycle_line(&cycle, k), after = ert_cycle_line(&cycle, k + 1);
        line = chosen ? chosen[line] : line;
        after = chosen ? chosen[after] : after;
        const uint64_t next = base + after * ERT_CUDA_LINE_BYTES;
        for (uint64_t i = 0; i < per_line; i++)
            chain[line * per_line + i] = make_ulonglong2(next, next);
        if (k == 0)
            *at = base + line * ERT_CUDA_LINE_BYTES;
    }
}

/* One block, as the chase: an L2 of two partitions then has the lines where this SM looks. */
static __global__ void read_chain(const uint64_t *chain, uint64_t n_lines, uint32_t *sums)
{
    unsigned int sum = 0;
    for (uint64_t i = threadIdx.x; i < n_lines; i += blockDim.x)
        sum += (unsigned int)load_l2(chain + i * (ERT_CUDA_LINE_BYTES / sizeof *chain));
    atomicAdd(sums, sum);
}

static struct ert_cycle cycle_of(const struct ert_session *session)
{
    const uint64_t n = session->n_elements, window = WINDOW_BYTES / ERT_CUDA_LINE_BYTES;
    bool has_windows = is_row(session, ERT_CUDA_CHASE_WINDOWS) && n > window;
    return {n, has_windows ? window : n, session->options.seed};
}

/* The list of the chosen lines stands behind the lines themselves. */
static uint32_t *chosen_lines(const struct ert_session *session)
{
    return (uint32_t *)((char *)session->target + HALF_LINES * ERT_CUDA_LINE_BYTES);
}

/* n_elements becomes the number of lines of the half. */
static enum ert_status choose_lines(struct ert_session *session, uint32_t *sm,
                                    struct ert_error *error)
{
    int l2_bytes = 0;
    const uint64_t set_bytes = session->n_elements * ERT_CUDA_LINE_BYTES;
    const uint64_t most = HALF_LINES;
    const uint32_t n = (uint32_t)(session->n_elements < most ? session->n_elements : most);
    SESSION_TRY(session, error,
                cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, session->ordinal),
                "cudaDeviceGetAttribute(L2)");
    if (set_bytes > (uint64_t)l2_bytes)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s: chase (%s): %llu bytes do not stay in the %d bytes of L2",
                        session->label, session->row->name, (unsigned long long)set_bytes,
                        l2_bytes);
    ERT_TRY(ert_cuda_check_region(
        session, HALF_LINES * (ERT_CUDA_LINE_BYTES + sizeof(uint32_t)), error));
    SESSION_TRY(
        session, error,
        cudaMemsetAsync(session->target, 0x5a, n * ERT_CUDA_LINE_BYTES, session->stream),
        "cudaMemsetAsync of %u lines", n);
    return ert_cuda_partition_lines(session, session->target, n,
                                    is_row(session, ERT_CUDA_CHASE_FAR) ? ERT_CUDA_FAR
                                                                        : ERT_CUDA_NEAR,
                                    chosen_lines(session), &session->n_elements, sm, error);
}

static enum ert_status write_and_warm(struct ert_session *session, struct ert_error *error)
{
    enum { THREADS = 256, BLOCKS_PER_SM = 8 };
    write_chain<<<session->n_sms * BLOCKS_PER_SM, THREADS, 0, session->stream>>>(
        (ulonglong2 *)session->target, cycle_of(session),
        is_half(session) ? chosen_lines(session) : NULL, session->starts);
    SESSION_TRY(session, error, cudaGetLastError(), "writing a chain of %llu lines",
                (unsigned long long)session->n_elements);
    read_chain<<<1, 1024, 0, session->stream>>>((const uint64_t *)session->target,
                                                session->n_elements, session->sums);
    SESSION_TRY(session, error, cudaGetLastError(), "reading a chain of %llu lines",
                (unsigned long long)session->n_elements);
    return ERT_OK;
}

static enum ert_status size(struct ert_session *session, const struct ert_case *case_,
                            struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const uint32_t n_sets = row->path == ERT_PATH_BYPASS_L1 ? 1 : session->n_sms;
    const uint64_t n_lines = case_->working_set_bytes / n_sets / ERT_CUDA_LINE_BYTES;
    struct ert_cuda_place place = {};
    uint32_t sm = 0;
    session->n_elements = n_lines ? n_lines : 1;
    if (is_half(session))
        ERT_TRY(choose_lines(session, &sm, error));
    place.wanted_sm = sm;
    ERT_TRY(ert_cuda_upload(session, session->starts, &place, sizeof place,
                            "writing where the chase begins", error));
    const uint64_t chain_bytes = session->n_elements * ERT_CUDA_LINE_BYTES;
    if (row->path == ERT_PATH_SHARED && chain_bytes > session->shared_per_block_bytes)
        return ert_fail(
            error, ERT_FAILED,
            "%s: chase, %llu bytes of shared memory per block, %llu are available",
            session->label, (unsigned long long)chain_bytes,
            (unsigned long long)session->shared_per_block_bytes);
    ERT_TRY(ert_cuda_check_region(session, chain_bytes, error));
    session->work.working_set_bytes = chain_bytes * n_sets;
    session->work.loads_per_pass = row->chains;
    session->work.bytes_per_pass = row->chains * (double)sizeof(uint64_t);
    session->work.blocks = 1;
    session->shared_bytes = row->path == ERT_PATH_SHARED ? chain_bytes : 0;
    session->work.threads = row->threads;
    session->arguments.r1 = session->target;
    session->arguments.w = (double *)session->starts;
    session->arguments.slice_vectors = chain_bytes / ERT_CUDA_VECTOR_BYTES;
    return write_and_warm(session, error);
}

static uint64_t max_passes(const struct ert_session *)
{
    return UINT32_MAX / ERT_CUDA_CHASE_TURNS;
}

/* The walk must stand where the host computes it to be; of a half, on the SM that it is a half of. */
static enum ert_status verify(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cycle cycle = cycle_of(session);
    const uint64_t steps = session->passes_done * session->row->chains;
    const uint64_t node = ert_cycle_line(&cycle, steps);
    uint32_t line = 0;
    struct ert_cuda_place place;
    SESSION_TRY(session, error,
                cudaMemcpy(&place, session->starts, sizeof place, cudaMemcpyDeviceToHost),
                "reading where the chase stands");
    if (is_half(session))
        SESSION_TRY(session, error,
                    cudaMemcpy(&line, chosen_lines(session) + node, sizeof line,
                               cudaMemcpyDeviceToHost),
                    "reading a chosen line");
    const uint64_t at = place.at - (uint64_t)session->target;
    const uint64_t wanted = (is_half(session) ? line : node) * ERT_CUDA_LINE_BYTES;
    if (is_half(session) && place.sm != place.wanted_sm)
        return ert_fail(error, ERT_FAILED,
                        "%s: chase (%s): ran on SM %llu, the lines were sorted for SM %llu",
                        session->label, session->row->name, (unsigned long long)place.sm,
                        (unsigned long long)place.wanted_sm);
    if (at == wanted)
        return ERT_OK;
    return ert_fail(
        error, ERT_FAILED,
        "%s: chase (%s), %llu lines: after %llu loads at byte %llu, should be %llu",
        session->label, session->row->name, (unsigned long long)cycle.n,
        (unsigned long long)steps, (unsigned long long)at, (unsigned long long)wanted);
}

const struct ert_cuda_kind *ert_cuda_chase_kind(void)
{
    static const struct ert_cuda_kind kind = {size,  max_passes, false, NULL,
                                              false, false,      verify};
    return &kind;
}
