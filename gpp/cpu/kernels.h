/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernels: the CPU versions as tables, one per instruction set and contraction, compiled from one source
 * (kernels.inc). They start OpenMP regions and add; the engine (cpu.c) makes layouts.
 */
#ifndef GPP_CPU_KERNELS_H
#define GPP_CPU_KERNELS_H

#include "gpp/problem.h"

#include "ert/core/machine/machine.h"

enum {
    GPP_CPU_VERSIONS = 10, /* c0 ... c11 */
    GPP_LANES = 8, /* rows of the split arrays are padded to this many doubles, 64 bytes */
    GPP_CPU_SUMS = 4 * GPP_MAX_NW,
};

/* Bands of one occupation: [first, end) of the sorted order. */
struct gpp_segment {
    double occ;
    size_t first, end;
};

/*
 * A problem in the layouts of all versions; a session fills those that its version reads. Padding columns
 * contain W = 1 and zeros elsewhere: they add 0.
 */
struct gpp_cpu_work {
    const struct gpp_problem *problem;
    int n_threads;
    size_t ld;                 /* ncouls, padded to GPP_LANES */
    double *wr, *wi, *er, *ei; /* [ngpown][ld] */
    double *nr, *ni;           /* [nbands][ld]: aqsn */

    /* From c6 on: bands sorted by falling occupation into segments. */
    double *tiles; /* aqsn [ld / GPP_LANES][nbands][2][GPP_LANES] */
    double *m;     /* aqsm [ngpown][nbands][2] */
    double *w;     /* wx [nbands][nw] */
    struct gpp_segment *segments;
    size_t n_segments;

    /*
     * [n_threads][GPP_CPU_SUMS], zeroed by the engine: of each energy asx real, imaginary, ach real,
     * imaginary. The engine adds them in the order of the threads.
     */
    double *sums;
};

struct gpp_cpu_table {
    const char *isa;
    bool has_fma; /* built with contraction: a * b + c is one instruction */
    bool (*available)(const struct ert_isa *isa);
    void (*run[GPP_CPU_VERSIONS])(
        const struct gpp_cpu_work *work); /* NULL: not for this ISA */
};

#endif
