/*
 * Chains of the compute kernels outside the timed region: their start values and constants,
 * how many warps an SM holds of them, and what they must hold afterwards, bit for bit
 * (orbit.h).
 */
#include "ert/backend/cuda/session.h"

#include "ert/backend/orbit.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string.h>

enum { CHECK_THREADS = 256, CHECK_BLOCKS_PER_SM = 8, WARP_THREADS = 32 };
enum { MAX_BLOCK_WARPS = 32 };
/*
 * Shared memory that CUDA takes of each block from cc 8.0 on (CUDA C++ Programming Guide,
 * compute capabilities), and the largest unit in which it is given out (cc 7.x; 128 later).
 */
enum { RESERVED_BYTES = 1024, UNIT_BYTES = 256 };

static uint64_t fp64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t fp32_bits(double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

/* By memory: in CUDA 11 hosts have no __half_as_ushort() and its like. */
static uint64_t fp16_bits(double value)
{
    const __half half = __double2half(value);
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

static uint64_t bf16_bits(double value)
{
    const __nv_bfloat16 brief = __double2bfloat16(value);
    uint16_t bits;
    memcpy(&bits, &brief, sizeof bits);
    return bits;
}

static uint64_t int32_bits(double value)
{
    return (uint32_t)value;
}

/*
 * A register of thread t holds `lanes` chains; register r of all threads lies together.
 * Chain c of thread t started from starts[(t * n_chains + c) % n_expected].
 */
template <class Word>
static __global__ void check_chains(const void *values, const void *expected,
                                    uint32_t n_expected, uint32_t n_threads,
                                    uint32_t n_chains, uint32_t lanes,
                                    struct ert_cuda_finding *finding)
{
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint32_t t = blockIdx.x * blockDim.x + threadIdx.x; t < n_threads; t += stride)
        for (uint32_t c = 0; c < n_chains; c++) {
            size_t place = ((size_t)(c / lanes) * n_threads + t) * lanes + c % lanes;
            uint32_t start = (t * n_chains + c) % n_expected;
            if (((const Word *)values)[place] == ((const Word *)expected)[start])
                continue;
            atomicMin(&finding->first, (unsigned long long)t * n_chains + c);
            atomicAdd(&finding->count, 1ull);
        }
}

/* A type's chains: bytes of one, how many share a register; bits of a value of the type. */
static const struct chain_type {
    enum ert_type type;
    uint32_t size_bytes, lanes;
    uint64_t (*bits)(double value);
    void (*check)(const void *values, const void *expected, uint32_t n_expected,
                  uint32_t n_threads, uint32_t n_chains, uint32_t lanes,
                  struct ert_cuda_finding *finding);
} types[] = {
    {ERT_FP64,  8, 1, fp64_bits,  check_chains<uint64_t>},
    {ERT_FP32,  4, 1, fp32_bits,  check_chains<uint32_t>},
    {ERT_FP16,  2, 2, fp16_bits,  check_chains<uint16_t>},
    {ERT_BF16,  2, 2, bf16_bits,  check_chains<uint16_t>},
    {ERT_INT32, 4, 1, int32_bits, check_chains<uint32_t>},
    {ERT_INST,  4, 1, fp32_bits,  check_chains<uint32_t>}, /* bits: of its constants */
};

/* NULL where chains of the kernel's type are not known. */
static const struct chain_type *type_of(enum ert_kernel_id kernel)
{
    for (const struct chain_type &type : types)
        if (type.type == ert_kernel_row(kernel)->type)
            return &type;
    return NULL;
}

bool ert_cuda_chains_are_known(enum ert_kernel_id kernel)
{
    return type_of(kernel) != NULL;
}

static double value_after(enum ert_kernel_id kernel, uint32_t index, uint64_t steps)
{
    enum ert_kernel_id orbit = ert_orbit_of(kernel, index);
    return ert_orbit_after(orbit, ert_orbit_start(orbit, index), steps);
}

/* Copies what the chains from all starts hold after so many steps. */
static enum ert_status copy_values(struct ert_session *session, uint64_t *to,
                                   uint64_t steps, struct ert_error *error)
{
    enum ert_kernel_id kernel = session->row->kernel;
    uint32_t size_bytes = type_of(kernel)->size_bytes;
    unsigned char values[ERT_CUDA_STARTS * sizeof(uint64_t)];
    for (uint32_t i = 0; i < ERT_CUDA_STARTS; i++) {
        uint64_t bits =
            type_of(ert_orbit_of(kernel, i))->bits(value_after(kernel, i, steps));
        memcpy(values + i * size_bytes, &bits,
               size_bytes); /* little endian: the low ones */
    }
    return ert_cuda_upload(session, to, values, (size_t)ERT_CUDA_STARTS * size_bytes,
                           "copying the chains' values", error);
}

/* Sets the constants, in both of their homes. */
static enum ert_status set_constants(struct ert_session *session, struct ert_error *error)
{
    const struct chain_type *type = type_of(session->row->kernel);
    struct ert_orbit orbit = ert_orbit_constants(ert_orbit_of(session->row->kernel, 0));
    const double values[ERT_CUDA_CONSTANTS] = {orbit.a, orbit.b, orbit.c, orbit.d};
    struct ert_cuda_arguments *arguments = &session->arguments;
    for (uint32_t i = 0; i < ERT_CUDA_CONSTANTS; i++) {
        uint64_t bits = type->bits(values[i]);
        arguments->bits[i] = type->lanes == 2 ? bits << 16 | bits : bits;
    }
    arguments->bits[4] = int32_bits(ert_orbit_constants(ERT_KERNEL_add_int32).b);
    arguments->loaded = session->constants;
    SESSION_TRY(session, error,
                cudaMemcpyAsync(session->constants, arguments->bits,
                                ERT_CUDA_CONSTANTS * sizeof *session->constants,
                                cudaMemcpyHostToDevice, session->stream),
                "copying the chains' constants");
    return ERT_OK;
}

/*
 * Blocks per SM and their threads for so many warps per SM: as few blocks as can share them
 * evenly. Each takes so much shared memory that an SM holds no more of them, so that all
 * SMs get the same number.
 */
static enum ert_status share_warps(struct ert_session *session, uint32_t warps,
                                   uint32_t *blocks, struct ert_error *error)
{
    *blocks = (warps + MAX_BLOCK_WARPS - 1) / MAX_BLOCK_WARPS;
    while (warps % *blocks != 0)
        ++*blocks;
    session->work.threads = warps / *blocks * WARP_THREADS;
    uint64_t share_bytes = (session->shared_per_block_bytes + RESERVED_BYTES) / *blocks /
                           UNIT_BYTES * UNIT_BYTES;
    if (share_bytes <= RESERVED_BYTES)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s: %u warps per SM cannot be shared out evenly over few blocks",
                        session->label, warps);
    session->shared_bytes = share_bytes - RESERVED_BYTES;
    return ERT_OK;
}

enum ert_status ert_cuda_size_chains(struct ert_session *session,
                                     const struct ert_case *case_, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const struct ert_kernel *kernel = ert_kernel_row(row->kernel);
    session->blocks_per_sm = row->blocks_per_sm;
    session->work.threads = row->threads;
    if (case_->concurrency)
        ERT_TRY(share_warps(session, case_->concurrency, &session->blocks_per_sm, error));
    session->work.blocks = session->blocks_per_sm * session->n_sms;
    session->n_elements =
        (uint64_t)session->work.blocks * session->work.threads * row->chains;
    session->work.flops_per_pass = (double)session->n_elements * row->steps * kernel->flops;
    if (kernel->type == ERT_INST) /* of a warp, not of each of its threads */
        session->work.flops_per_pass /= WARP_THREADS;
    session->arguments.w = session->target;
    session->arguments.starts = session->starts;
    session->arguments.n_starts = ERT_CUDA_STARTS;
    ERT_TRY(copy_values(session, session->starts, 0, error));
    return set_constants(session, error);
}

enum ert_status ert_cuda_check_residency(struct ert_session *session,
                                         struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    int held = 0;
    SESSION_TRY(session, error,
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&held, row->function,
                                                              (int)session->work.threads,
                                                              session->shared_bytes),
                "cudaOccupancyMaxActiveBlocksPerMultiprocessor of %s (%s)",
                ert_kernel_row(row->kernel)->name, row->name);
    if ((uint32_t)held >= session->blocks_per_sm)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "%s: %s (%s): %u blocks of %u threads per SM are wanted, it holds %d",
                    session->label, ert_kernel_row(row->kernel)->name, row->name,
                    session->blocks_per_sm, session->work.threads, held);
}

enum ert_status ert_cuda_clear_chains(struct ert_session *session, struct ert_error *error)
{
    SESSION_TRY(
        session, error,
        cudaMemsetAsync(session->target, 0xff,
                        session->n_elements * type_of(session->row->kernel)->size_bytes,
                        session->stream),
        "cudaMemsetAsync of the chains' results");
    return ERT_OK;
}

enum ert_status ert_cuda_verify_chains(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const struct chain_type *type = type_of(row->kernel);
    uint64_t steps = session->last_passes * row->steps;
    struct ert_cuda_finding finding;
    ERT_TRY(copy_values(session, session->expected, steps, error));
    ERT_TRY(ert_cuda_reset_finding(session, error));
    type->check<<<session->n_sms * CHECK_BLOCKS_PER_SM, CHECK_THREADS, 0,
                  session->stream>>>(session->target, session->expected, ERT_CUDA_STARTS,
                                     session->work.blocks * session->work.threads,
                                     row->chains, type->lanes, session->finding);
    ERT_TRY(ert_cuda_read_finding(session, &finding, error));
    if (finding.count == 0)
        return ERT_OK;
    return ert_fail(
        error, ERT_FAILED,
        "%s: %s (%s): after %llu steps chain %llu does not hold %.17g; %llu of %llu "
        "chains are wrong",
        session->label, ert_kernel_row(row->kernel)->name, row->name,
        (unsigned long long)steps, finding.first,
        value_after(row->kernel, finding.first % ERT_CUDA_STARTS, steps), finding.count,
        (unsigned long long)session->n_elements);
}
