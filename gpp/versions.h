/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * versions: the kernel's versions as rows, the counts of each, and the two engines that run them: cpu/ and
 * cuda/. An engine prepares a problem for a version (layouts, copies: never timed), runs it, and reports the
 * resources that it used. It reads no clock but its own and prints nothing.
 */
#ifndef GPP_VERSIONS_H
#define GPP_VERSIONS_H

#include "gpp/problem.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gpp_device { GPP_CPU, GPP_GPU };

/* Names as numbers: GPP_c0 ... */
enum gpp_version_id {
#define VERSION(name, device, idea) GPP_##name,
#include "gpp/versions.def"
    GPP_N_VERSIONS
};

struct gpp_version {
    const char *name;
    enum gpp_version_id id;
    enum gpp_device device;
    const char *idea;
};

extern const struct gpp_version gpp_versions[GPP_N_VERSIONS];

/*
 * Selects versions by a list: "v0,v8"; NULL: all of the device ("cpu" or "gpuN"), by default the CPU. *gpu:
 * N, else 0. ERT_USAGE for unknown names, or a version of another device.
 */
enum ert_status gpp_versions_select(const char *list, const char *device,
                                    const struct gpp_version *chosen[GPP_N_VERSIONS],
                                    size_t *n_chosen, int *gpu, struct ert_error *error);

/* How to run. */
struct gpp_options {
    bool no_fma;      /* the build without contraction */
    uint32_t threads; /* CPU; 0: as many as this process may use */
    const char *isa; /* CPU: "sse2", "avx2", "avx512" ...; NULL: the best of this machine */
    int gpu;         /* ordinal */
};

/* Resources of a session; 0 or "" if not applicable. */
struct gpp_facts {
    char device[128]; /* "cpu, avx512" or the GPU's name */
    char uuid[48];    /* GPU: for other runs (ert/core/machine/presence.h) */
    uint32_t threads;
    uint32_t registers, block_threads; /* GPU: per thread; per block */
    double warps_per_sm;               /* GPU: resident by occupancy */
    char notes[160];                   /* why something differs from the request, or "" */
};

struct gpp_session; /* opaque; defined by each engine */

struct gpp_engine {
    /*
     * Prepares a session; the problem must outlive it. ERT_USAGE for options that the version cannot use,
     * ERT_UNAVAILABLE if there is too little memory (with the bytes) or the CPU lacks the ISA.
     */
    enum ert_status (*open)(const struct gpp_version *version,
                            const struct gpp_problem *problem,
                            const struct gpp_options *options, struct gpp_session **session,
                            struct gpp_facts *facts, struct ert_error *error);

    /* Runs once; returns the sums, and the time of the computation alone in s. */
    enum ert_status (*run)(struct gpp_session *session, struct gpp_result *result,
                           double *time_s, struct ert_error *error);

    void (*close)(struct gpp_session *session); /* accepts NULL */
};

extern const struct gpp_engine gpp_engine_cpu, gpp_engine_cuda;

/* The engine of a device, of GPUs ert-cuda.so's (ert/ext/module/module.h). ERT_UNAVAILABLE: there is none. */
enum ert_status gpp_engine_of(enum gpp_device device, const struct gpp_engine **engine,
                              struct ert_error *error);

/*
 * Counts: the operations and least bytes of every version, from the formulas (counts.def, line by line) and
 * the shares of its branches.
 */

/* Averages per (n, igp, ig, iw). add and mul: those that are not a part of an FMA. */
struct gpp_counts {
    double add, mul, fma, div, sqrt;
    double flops;     /* add + mul + 2 fma, and div and sqrt as below */
    double fma_share; /* of the instructions of these flops */
    double launches;  /* GPU: kernels per run: 1, or one per energy; CPU: 1 */
    double bytes;     /* of the whole run: the least traffic to memory */
    const char *flops_recipe, *bytes_recipe;
};

/*
 * CPU: a division or square root is one operation. GPU: the instructions that nvcc 13 generates for it on
 * sm_90 (cuobjdump), as its counters see them: versions.c has the sequences. no_fma: the build without
 * contraction (in which sequences of divisions keep their FMAs). Bytes: every input once, or once per energy
 * if each has a launch.
 */
void gpp_counts_of(const struct gpp_version *version, const struct gpp_sizes *sizes,
                   const struct gpp_shares *shares, bool no_fma, struct gpp_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
