/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * isa: the CPU kernels as tables: one per instruction set, all compiled from one source (kernels_*.inc) with
 * the set's flags, and one per extension with a few kernels. The caller decides what to run on which data;
 * nothing here allocates, starts threads or examines the machine.
 */
#ifndef ERT_BACKEND_CPU_ISA_H
#define ERT_BACKEND_CPU_ISA_H

#include "ert/core/kernels/results.h"
#include "ert/core/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One thread's share of the prepared spec. Arrays are aligned to 64 bytes and have `elements` doubles, a
 * multiple of ERT_CPU_MULTIPLE; the source arrays are only read. A kernel runs passes
 * first_pass ... first_pass + passes - 1, counted since prepare(): what it writes depends on that number (see
 * kernels_memory.inc), so that a skipped pass is detected.
 */
struct ert_cpu_sweep {
    double *w;
    const double *r1, *r2;
    size_t elements;
    uint64_t first_pass, passes;
    double a, b;       /* of kernels that read w: results.h */
    uint64_t checksum; /* load, load2_store1: after each pass rotl(checksum ^ bits, 1) */

    /*
     * Compute kernels; compute.h fills these. Pass 0 has one step more, so that after each pass the chains'
     * values depend on the operands and are not the start values.
     */
    void *chains;        /* the table's chains, consecutive vectors, aligned to 64 */
    uint64_t steps;      /* of every chain in a pass; a multiple of 4 */
    double constants[4]; /* a, b, c, d of expected.h */
    void *operands;      /* products: two left, two right; addmul: c; aligned to 64 */
};

/* The scalar of a memory kernel in pass p, which shows in w how many passes there were. */
static inline double ert_cpu_scalar(const struct ert_cpu_sweep *sweep, uint32_t loads,
                                    bool reads_target, uint64_t p)
{
    if (reads_target)
        return sweep->a;
    return loads == 0 ? (double)(p + 1) : 2.0 + (double)(p % 2);
}

typedef void ert_cpu_kernel(struct ert_cpu_sweep *sweep);

/*
 * Chunks of the memory kernels are multiples of ERT_CPU_MULTIPLE elements (512 bytes). Where load2_store1 and
 * some variants of load only load a source, the first ERT_CPU_FOLD_COUNT elements of each 64 enter the
 * checksum.
 */
enum { ERT_CPU_MULTIPLE = 64, ERT_CPU_FOLD_COUNT = 16 };

/* Bytes of a cache line, by which prefetches are counted: on x86 and on Arm servers. */
enum { ERT_CPU_LINE = 64 };

/* A variant of a kernel: from an instruction set's table (kernels_memory.inc) or the kernel's own file. */
struct ert_cpu_variant {
    const char *name; /* "ascending x4"; "" for the only one; NULL ends a list */
    ert_cpu_kernel *kernel;
    /* For 1, 2, 4 ... 1024 flops per element, of a mode's kernel; else NULL. */
    ert_cpu_kernel *const *by_flops;
    /* Memory kernels: vectors per array, and prefetches, in one iteration of the loop. */
    uint32_t vectors, prefetches;
    uint32_t rotated; /* update without arithmetic: vectors that move up by one in a pass */
    bool folds;       /* a part of what is loaded but not stored enters the checksum */
    uint32_t passes;  /* ERT's own kernel: passes per iteration, 1 or 2; else 0 */
    uint32_t access_bytes;                        /* of one load; 0: the table's vectors */
    bool (*available)(const struct ert_isa *isa); /* NULL: wherever its table is */
};
enum { ERT_CPU_MAX_VARIANTS = 4 };

/* A list of one variant, for tables. */
#define ERT_CPU_ONE_VARIANT(...)                                                           \
    (const struct ert_cpu_variant[2])                                                      \
    {                                                                                      \
        [0] = {.name = "", __VA_ARGS__ }                                                   \
    }

/* The values of chains that work on operands in memory, as expected.h has those of all others. */
struct ert_cpu_products {
    /* Writes the four blocks, left, left, right, right, of block_bytes each. */
    void (*operands)(enum ert_kernel_id kernel, size_t block_bytes, void *operands);
    /* The start value of number `index`, and number `lane` of chain `chain` after `steps` steps from it. */
    double (*start)(enum ert_kernel_id kernel, uint64_t index);
    double (*after)(enum ert_kernel_id kernel, size_t block_bytes, const void *operands,
                    size_t chain, size_t lane, double start, uint64_t steps);
};

/* Tables of the same name have different kernels, or no CPU has both. */
struct ert_cpu_isa {
    const char *name; /* "avx512", "scalar", "amx" */
    bool (*available)(const struct ert_isa *isa);
    int (*enable)(void); /* asks the system for the registers: 0 or errno; NULL: no need */
    bool fused;          /* has a fused multiply-add */
    size_t vector_bytes; /* of a chain; 0: a chain is one number */
    size_t chains;       /* vectors in flight of a compute kernel */
    size_t addmul_chains, fmaadd_chains; /* the same for these kernels; 0: not here */
    /* Bytes of each operand that an operation combines into one number of the result; 0: by the row. */
    size_t lane_operand_bytes;
    const struct ert_cpu_products *products; /* of all its kernels; NULL: expected.h */
    const struct ert_cpu_variant *variants[ERT_N_KERNELS]; /* NULL: it has none */

    /* Runs 64 * rounds dependent integer adds, which take one clock each. */
    void (*add_chain)(uint64_t rounds);
};

/* The tables of this build, NULL-terminated: best first, then extensions for single kernels; may be empty. */
extern const struct ert_cpu_isa *const ert_cpu_isas[];

/* The CPU features with any of which a kernel of extensions runs: for the reason why it cannot. */
struct ert_cpu_need {
    enum ert_kernel_id kernel;
    const char *feature; /* NULL ends the table */
    size_t flag;         /* offset in struct ert_isa */
};
extern const struct ert_cpu_need ert_cpu_needs[];

extern const struct ert_cpu_isa ert_cpu_isa_avx512, ert_cpu_isa_avx2, ert_cpu_isa_sse2,
    ert_cpu_isa_scalar_fma, ert_cpu_isa_scalar_sse2;
extern const struct ert_cpu_isa ert_cpu_isa_sve512, ert_cpu_isa_sve256, ert_cpu_isa_sve128;
extern const struct ert_cpu_isa ert_cpu_isa_neon, ert_cpu_isa_scalar_aarch64;

#endif
