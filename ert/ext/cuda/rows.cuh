/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rows: the CUDA kernels as rows, one per way to run a kernel on a path: its code, launch shape, and kind.
 * Listing, planning, launching and tests iterate over them. It launches nothing and queries no device.
 */
#ifndef ERT_BACKEND_CUDA_ROWS_CUH
#define ERT_BACKEND_CUDA_ROWS_CUH

#include "ert/core/backend/backend.h"

#include <stddef.h>
#include <stdint.h>

/* The arguments of every kernel; each uses some of them. */
struct ert_cuda_arguments {
    const double *r1, *r2;  /* source arrays */
    double *w;              /* target array; compute kernels: the chains' final values */
    uint64_t slice_vectors; /* 16-byte vectors of one array that a resident block sweeps */
    uint32_t passes;
    double a, b; /* run-time constants of the memory kernels' formulas */
    /* Chains: n_starts (a power of two) start values, in the kernel's own type. */
    const void *starts;
    uint32_t n_starts;
    /*
     * Chains: the bits of a, b, c and d in the kernel's own type, 16-bit ones twice; and e, which flips the
     * integer chains of `issue`. In 64 bits each, or the compiler would load pairs into two vector registers
     * instead of a uniform register each. `loaded`: the first four again, in memory.
     */
    uint64_t bits[5];
    const uint64_t *loaded;
    uint32_t *sums;            /* ERT_CUDA_SUMS partial sums of loaded bits, modulo 2^32 */
    unsigned long long *marks; /* ERT_CUDA_MARKS clock readings */
    uint64_t first_pass;       /* passes since prepare() before this launch */
    uint32_t steps;            /* per resident block and pass */
};

/* CUDA C++ Programming Guide, technical specifications: largest y of a grid. */
enum { ERT_CUDA_MAX_GRID_Y = 65535 };
enum { ERT_CUDA_SUMS = 4096, ERT_CUDA_MARKS = 4, ERT_CUDA_VECTOR_BYTES = 16 };

struct ert_cuda_row {
    enum ert_kernel_id kernel;
    enum ert_path path;
    uint32_t flops;   /* ert110 kernels: per element; else 0 */
    const char *name; /* of the variant */
    const struct ert_cuda_kind *kind;
    uint32_t threads;       /* per block */
    uint32_t blocks_per_sm; /* resident; 0: the set decides */
    uint32_t vectors;       /* 16-byte vectors per thread, array and step */
    /* Compute kernels: elements per thread, each a chain; steps per pass (even). */
    uint32_t chains, steps;
    const void *function; /* NULL: not built, or the driver copies */
    /* 10 * major + minor: the least compute capability with an instruction for it; 0: all. */
    uint32_t cc_least = 0;
    /* The spec's concurrency sets its launch shape: variants() does not list it. */
    bool takes_warps = false;
    const void *extra =
        NULL; /* specific to the kind: a shape of tiles, the ways of a copy */
};

/*
 * How specs of a row are prepared, run and checked. Kinds are constants inside functions, as rows are: clang
 * would place those with external linkage on the device too, where host functions have no address.
 */
struct ert_cuda_kind {
    /* Fills session->work, n_elements and arguments from the spec; the row is session->row. */
    enum ert_status (*size)(struct ert_session *session, const struct ert_spec *spec,
                            struct ert_error *error);
    /* Checks the results of the passes. */
    enum ert_status (*verify)(struct ert_session *session, struct ert_error *error);

    /* The most passes of one launch; 0: as many as 32 bits can count session->pass_steps. */
    uint64_t max_passes;

    /* The rest may be NULL. Whether an SM can hold the blocks, once its memory is split. */
    enum ert_status (*fits)(struct ert_session *session, struct ert_error *error);
    /* Poisons the target before each region. */
    enum ert_status (*clear)(struct ert_session *session, struct ert_error *error);
    /* Runs the passes if there is no function to launch, or if the kind times them itself. */
    enum ert_status (*run)(struct ert_session *session, uint64_t passes,
                           struct ert_error *error);
    /* Whether a kernel's correct results are known. NULL: always. Pure. */
    bool (*knows)(enum ert_kernel_id kernel);
    /* Whether a GPU and this build can run a row of the kind, else the reason. NULL: always. Pure. */
    bool (*runs)(const struct ert_gpu *gpu, const struct ert_cuda_row *row, char *reason,
                 size_t size);
    /* Whether a GPU has no unit for a row's instruction: ptxas makes it of others. NULL: no. Pure. */
    bool (*is_made)(const struct ert_gpu *gpu, const struct ert_cuda_row *row);
    /* Corrects the description of machine code that follows from the row's columns. Pure. */
    void (*describe)(const struct ert_cuda_row *row, struct ert_code *code);

    /* A launch's passes are its grid's y. */
    bool passes_in_grid;
    /* A launch does not continue where the last one ended: one per region. */
    bool starts_afresh;
    /* size() prepares the target; else prepare() does, by the row's stores. */
    bool has_own_target;
    /* size() sets a block's shared memory, or it needs none. */
    bool has_own_split;
    /* run() returns when the passes are done: the host's clock times them. */
    bool is_synchronous;
    /* run() sets session->own_time_s to the time of the region. */
    bool times_itself;
};

/* All rows of a kernel, for each path in ascending order of what an SM must hold. */
struct ert_cuda_rows {
    const struct ert_cuda_row *rows;
    size_t n_rows;
};

/* A function per GPU kernel, in the kernel's file: a row of kernels.def without one does not link. */
#define ERT_KERNEL(id, ...) struct ert_cuda_rows ert_cuda_kernel_##id(void);
#define ERT_KERNEL_CPU(...)
#define ERT_KERNEL_CPU_EXTENSION(...)
#include "ert/core/kernels/kernels.def"

/* Defines that function: the kernel's rows. */
#define ERT_CUDA_KERNEL(id, ...)                                                           \
    struct ert_cuda_rows ert_cuda_kernel_##id(void)                                        \
    {                                                                                      \
        static const struct ert_cuda_row rows[] = {__VA_ARGS__};                           \
        return {rows, sizeof rows / sizeof rows[0]};                                       \
    }

/*
 * The row that runs a spec: the variant-th of those with its kernel, path and flops, and with or without a
 * concurrency as in the spec. With one, variant is log2 of the independent operations per thread. NULL: none.
 */
const struct ert_cuda_row *ert_cuda_row_find(const struct ert_spec *spec);

/* Whether the correct results of a row's kernel are known. prepare() refuses other rows. Pure. */
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
