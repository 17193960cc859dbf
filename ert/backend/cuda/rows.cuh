/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rows: the CUDA kernels as rows, one per way to run a kernel on a path: its code, launch shape, and
 * kind. Listing, planning, launching and tests go over them. It launches nothing and asks no device.
 */
#ifndef ERT_BACKEND_CUDA_ROWS_CUH
#define ERT_BACKEND_CUDA_ROWS_CUH

#include "ert/backend/backend.h"

#include <stddef.h>
#include <stdint.h>

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

/* CUDA C++ Programming Guide, technical specifications: largest y of a grid. */
enum { ERT_CUDA_MAX_GRID_Y = 65535 };
enum { ERT_CUDA_SUMS = 4096, ERT_CUDA_MARKS = 4, ERT_CUDA_VECTOR_BYTES = 16 };

struct ert_cuda_row {
    enum ert_kernel_id kernel;
    enum ert_path path;
    uint32_t flops;   /* of mixed and ert110 kernels: per element; else 0 */
    const char *name; /* of the variant */
    const struct ert_cuda_kind *kind;
    uint32_t threads;       /* per block */
    uint32_t blocks_per_sm; /* resident; 0: the set decides */
    uint32_t vectors;       /* 16-byte vectors per thread, array and step */
    /* Of a compute kernel: elements per thread, each a chain; steps of one pass (even). */
    uint32_t chains, steps;
    const void *function; /* NULL: not built, or the driver copies */
    /* 10 * major + minor of the compute capability that has an instruction for it; 0: all. */
    uint32_t cc_least = 0;
    /* The case's concurrency is its shape: variants() does not list it. */
    bool takes_warps = false;
    const void *extra = NULL; /* the kind's own: a shape of tiles, the ways of a copy */
};

/*
 * How cases of a row are readied, run and checked. Kinds are constants of functions, as rows are: clang
 * would put those that other files see on the device too, where functions of the host have no address.
 */
struct ert_cuda_kind {
    /* Fills session->work, n_elements and arguments from the case; the row is session->row. */
    enum ert_status (*size)(struct ert_session *session, const struct ert_spec *spec,
                            struct ert_error *error);
    /* Checks what the passes left. */
    enum ert_status (*verify)(struct ert_session *session, struct ert_error *error);

    /* The most passes that one launch holds; 0: as 32 bits count session->pass_steps. */
    uint64_t max_passes;

    /* The rest may be NULL. Whether an SM holds the blocks, once its memory is split. */
    enum ert_status (*fits)(struct ert_session *session, struct ert_error *error);
    /* Poisons, before each region, what it will write. */
    enum ert_status (*clear)(struct ert_session *session, struct ert_error *error);
    /* Does the passes where there is no function to launch, or times them itself. */
    enum ert_status (*run)(struct ert_session *session, uint64_t passes,
                           struct ert_error *error);
    /* Whether it is known what a kernel leaves. NULL: of all. Pure. */
    bool (*knows)(enum ert_kernel_id kernel);
    /* Whether a GPU and this build can run a row of the kind, else the reason. NULL: all. Pure. */
    bool (*runs)(const struct ert_gpu *gpu, const struct ert_cuda_row *row, char *reason,
                 size_t size);
    /* Corrects what the row's columns say of its machine code. Pure. */
    void (*describe)(const struct ert_cuda_row *row, struct ert_code *code);

    /* A launch has its passes as its grid's y. */
    bool passes_in_grid;
    /* A launch does not go on where the last one ended: one per region. */
    bool starts_afresh;
    /* size() readies the target; else prepare() does what the row's stores need. */
    bool has_own_target;
    /* size() says what shared memory a block takes, or it takes none. */
    bool has_own_split;
    /* run() returns when they are done: the host's clock times them. */
    bool is_synchronous;
    /* run() puts the time of the region into session->own_time_s. */
    bool times_itself;
};

/* All rows of a kernel: on each path in ascending order of what an SM must hold. */
struct ert_cuda_rows {
    const struct ert_cuda_row *rows;
    size_t n_rows;
};

/* Of each kernel of GPUs, from the file that has it: a row of kernels.def without it does not link. */
#define ERT_KERNEL(id, ...) struct ert_cuda_rows ert_cuda_kernel_##id(void);
#define ERT_KERNEL_CPU(...)
#define ERT_KERNEL_CPU_EXTENSION(...)
#include "ert/kernels/kernels.def"

/* Defines that function: the kernel's rows. */
#define ERT_CUDA_KERNEL(id, ...)                                                           \
    struct ert_cuda_rows ert_cuda_kernel_##id(void)                                        \
    {                                                                                      \
        static const struct ert_cuda_row rows[] = {__VA_ARGS__};                           \
        return {rows, sizeof rows / sizeof rows[0]};                                       \
    }

/*
 * The row that runs a case: of those of its kernel, path and flops, with a concurrency or without, the
 * variant-th. With a concurrency variant is log2 of the independent operations per thread. NULL: none.
 */
const struct ert_cuda_row *ert_cuda_row_find(const struct ert_spec *spec);

/* Whether it is known what a row's kernel leaves. prepare() refuses other rows. Pure. */
bool ert_cuda_row_is_known(const struct ert_cuda_row *row);

/* backend.h's code(). */
enum ert_status ert_cuda_code(const struct ert_device *device, const struct ert_spec *spec,
                              struct ert_code *code, struct ert_error *error);

/* backend.h's variants(). */
size_t ert_cuda_variants(const struct ert_device *device,
                         const struct ert_session_options *options,
                         enum ert_kernel_id kernel, enum ert_path path,
                         struct ert_variant variants[ERT_MAX_VARIANTS], char *reason,
                         size_t size);

#endif
