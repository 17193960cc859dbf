/*
 * rows: the CUDA kernels as a table, one row per way to run a kernel on a path: code,
 * launch shape and the sweep that a working set must be a multiple of. Listing, planning,
 * launching and tests go over it. It launches nothing and asks no device.
 */
#ifndef ERT_BACKEND_CUDA_ROWS_H
#define ERT_BACKEND_CUDA_ROWS_H

#include "ert/backend/backend.h"

#include <stddef.h>
#include <stdint.h>

/* How a grid walks over its arrays. */
enum ert_cuda_walk {
    /* One short-lived block per chunk of each pass: grid (chunks, passes), no loop. */
    ERT_CUDA_FLAT,
    /*
     * As flat, but a pass must end before the next begins (works in place): one launch
     * each.
     */
    ERT_CUDA_FLAT_IN_PLACE,
    /* Resident blocks, each sweeping its own slice again and again. */
    ERT_CUDA_SLICES,
    /* As slices, in shared memory. */
    ERT_CUDA_SHARED,
    /* No memory: chains in registers. */
    ERT_CUDA_REGISTERS,
    /* Products of tiles on the tensor cores; tensor.h has the shape of such a row. */
    ERT_CUDA_TENSOR,
    /* What the kernel's own file says (struct ert_cuda_own): short-lived blocks, as flat. */
    ERT_CUDA_OWN,
    /* The rest brings its own functions (session.h): one thread that follows a chain, */
    ERT_CUDA_CHASE,
    /* accesses of some bytes, some bytes apart, by short-lived or by resident blocks, */
    ERT_CUDA_STRIDED,
    ERT_CUDA_STRIDED_SLICES,
    /* resident blocks of as many warps as the case asks for, */
    ERT_CUDA_RESIDENT,
    /* copies by the driver, no function of ours: between page-locked and device memories, */
    ERT_CUDA_LINK,
    /* and from or to ordinary host memory, where the host does a part of the work. */
    ERT_CUDA_LINK_PAGEABLE,
    /* ERT's own kernel: the case's launch, each thread one element per grid's width. */
    ERT_CUDA_ERT110
};

/* What every kernel gets; each uses what it needs. */
struct ert_cuda_arguments {
    const double *r1, *r2; /* source arrays */
    double *w;             /* target array; of a compute kernel: the chains' final values */
    uint64_t slice_vectors; /* 16-byte vectors of one array that a resident block sweeps */
    uint32_t passes;
    double a, b; /* run-time constants of the memory kernels' formulas */
    /* Of chains: n_starts (a power of two) start values, in the kernel's own type. */
    const void *starts;
    uint32_t n_starts;
    /*
     * Of chains: the bits of a, b, c and d in the kernel's own type, 16-bit ones twice; and
     * e, which flips the integer chains of `issue`. In 64 bits each, or pairs are loaded
     * into two vector registers at once where one uniform register is wanted. And the first
     * four once more, in memory.
     */
    uint64_t bits[5];
    const uint64_t *loaded;
    uint32_t *sums;            /* ERT_CUDA_SUMS partial sums of loaded bits, modulo 2^32 */
    unsigned long long *marks; /* ERT_CUDA_MARKS clock readings */
    uint64_t first_pass;       /* passes since prepare() before this launch */
    uint32_t stride_bytes;     /* of an access kernel */
    uint32_t steps;            /* of a resident block in one pass */
};

enum { ERT_CUDA_SUMS = 4096, ERT_CUDA_MARKS = 4, ERT_CUDA_VECTOR_BYTES = 16 };

struct ert_cuda_row {
    enum ert_kernel_id kernel;
    enum ert_path path;
    uint32_t flops;   /* of a mixed kernel: per element; else 0 */
    const char *name; /* of the variant */
    enum ert_cuda_walk walk;
    uint32_t threads;       /* per block */
    uint32_t blocks_per_sm; /* resident; 0 for flat walks: the set decides */
    uint32_t vectors;       /* 16-byte vectors per thread, array and step */
    /* Of a compute kernel: elements per thread, each a chain; steps of one pass (even). */
    uint32_t chains, steps;
    const void *function; /* NULL: not built, or the driver copies */
};

/* Each kernels_*.cu brings its rows. */
struct ert_cuda_rows {
    const struct ert_cuda_row *rows;
    size_t n_rows;
};
extern const struct ert_cuda_rows ert_cuda_stream_rows, ert_cuda_slice_rows,
    ert_cuda_mixed_rows, ert_cuda_compute_rows, ert_cuda_half_rows, ert_cuda_divide_rows,
    ert_cuda_integer_rows, ert_cuda_mma_rows, ert_cuda_wgmma_rows, ert_cuda_chase_rows,
    ert_cuda_access_rows, ert_cuda_link_rows, ert_cuda_ert110_rows;

/* What a kernel with a file of its own brings besides its code. */
struct ert_cuda_own {
    const struct ert_cuda_row *rows;
    size_t n_rows;
    uint32_t access_bytes; /* of one load */
    const struct ert_cuda_kind *kind;
};

/*
 * Of each such kernel: a row of kernels.def without its file does not link. Functions, because clang puts
 * constants that other files see on the device too, where functions of the host have no address.
 */
#define ERT_KERNEL(...)
#define ERT_KERNEL_OWN(id, ...) const struct ert_cuda_own *ert_cuda_own_##id(void);
#include "ert/kernels/kernels.def"

/* Of a kernel; NULL where the tables have it. */
const struct ert_cuda_own *ert_cuda_own_of(enum ert_kernel_id kernel);

/* For cases with a concurrency; variants() does not list them. */
extern const struct ert_cuda_rows ert_cuda_compute_concurrency_rows, ert_cuda_resident_rows;

/*
 * The variant-th row of (kernel, path), of a mixed kernel also of flops; NULL when there is
 * none. flops is ignored for other kernels.
 */
const struct ert_cuda_row *ert_cuda_row_find(enum ert_kernel_id kernel, enum ert_path path,
                                             uint32_t flops, uint32_t variant);

/*
 * The row for a case with a concurrency, which takes the place of the row's shape: variant
 * is log2 of the independent operations per thread. NULL when there is none.
 */
const struct ert_cuda_row *ert_cuda_row_find_concurrent(enum ert_kernel_id kernel,
                                                        enum ert_path path,
                                                        uint32_t variant);

/* Bytes of all arrays that one step of the row's walk touches: sets are multiples of it. */
uint64_t ert_cuda_row_sweep_bytes(const struct ert_cuda_row *row, uint32_t n_sms);

/* backend.h's code(). */
enum ert_status ert_cuda_code(const struct ert_device *device, const struct ert_case *case_,
                              struct ert_code *code, struct ert_error *error);

/* backend.h's variants(). */
size_t ert_cuda_variants(const struct ert_device *device,
                         const struct ert_session_options *options,
                         enum ert_kernel_id kernel, enum ert_path path,
                         struct ert_variant variants[ERT_MAX_VARIANTS], char *reason,
                         size_t size);

#endif
