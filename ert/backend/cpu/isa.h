/*
 * isa: the CPU kernels as tables, one per instruction set, all compiled from one source
 * (kernels_*.inc) with the flags of that instruction set. What to run and on which data is
 * the caller's business; nothing here allocates, starts threads or looks at the machine.
 */
#ifndef ERT_BACKEND_CPU_ISA_H
#define ERT_BACKEND_CPU_ISA_H

#include "ert/kernels/kernel.h"
#include "ert/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One thread's share of a case. Arrays are aligned to 64 bytes and hold `elements` doubles,
 * a multiple of ERT_CPU_GRANULE (mixed: mixed_granule); the source arrays are only read. A
 * kernel runs passes first_pass ... first_pass + passes - 1, counted since the case was
 * prepared: what it writes depends on that number (see kernels_memory.inc), so that a
 * skipped pass is seen.
 */
struct ert_cpu_sweep {
    double *w;
    const double *r1, *r2;
    size_t elements;
    uint64_t first_pass, passes;
    double a, b;         /* update and mixed: x = b - a*x */
    uint64_t checksum;   /* load, mix21_copy: after each pass rotl(checksum ^ bits, 1) */
    size_t stride_bytes; /* access kernels: from one load to the next */
    void *chains;    /* compute: the table's chains * vector_bytes bytes, aligned to 64 */
    double orbit[4]; /* compute: a, b, c, d of orbit.h */
};

typedef void ert_cpu_kernel(struct ert_cpu_sweep *sweep);

/* Steps of every chain in one pass of a compute kernel: about 4 us; a multiple of 4. */
enum { ERT_CPU_STEPS = 1024 };

/*
 * Chunks of the memory kernels are multiples of ERT_CPU_GRANULE elements (512 byte). Of
 * each granule of the source that mix21_copy only loads, the first ERT_CPU_FOLD_COUNT go
 * into the checksum.
 */
enum { ERT_CPU_GRANULE = 64, ERT_CPU_FOLD_COUNT = 16 };

struct ert_cpu_isa {
    const char *name; /* "avx512" */
    bool (*available)(const struct ert_isa *isa);
    bool fused; /* has a fused multiply-add */
    size_t vector_bytes;
    size_t mixed_granule; /* elements that a chunk of the mixed kernel is a multiple of */
    size_t chains;        /* vectors in flight of a compute kernel */
    /* NULL: not of this instruction set. The mixed row: its first instance. */
    ert_cpu_kernel *kernels[ERT_N_KERNELS];
    ert_cpu_kernel *mixed[ERT_N_MIXED_FLOPS]; /* 1, 2, 4 ... 1024 flops per element */

    /* Runs 64 * rounds dependent integer adds, which take one clock each. */
    void (*add_chain)(uint64_t rounds);
};

/*
 * The tables of this build, best first, NULL-terminated; empty on an architecture without
 * any.
 */
extern const struct ert_cpu_isa *const ert_cpu_isas[];

extern const struct ert_cpu_isa ert_cpu_isa_avx512, ert_cpu_isa_avx2, ert_cpu_isa_sse2,
    ert_cpu_isa_neon;

#endif
