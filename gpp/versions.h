/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * versions: the kernel's versions as rows, what each counts, and the two engines that run them: cpu/ and
 * cuda/. An engine prepares a problem for a version (layouts, copies: never timed), runs it, and says what
 * it used. It reads no clock but its own and prints nothing.
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
 * Versions by a list: "v0,v8", "cpu", "gpu", "all", with a device ("cpu" or "gpuN", NULL either) those of
 * it alone; list NULL: all of the device, which then is the CPU by default. *gpu: N, else 0. ERT_USAGE for
 * names that are none, a list that comes out empty, or a version of the other device.
 */
enum ert_status gpp_versions_select(const char *list, const char *device,
                                    const struct gpp_version *chosen[GPP_N_VERSIONS],
                                    size_t *n_chosen, int *gpu, struct ert_error *error);

/* How to run. */
struct gpp_options {
    bool no_fma;      /* the build without contraction */
    size_t stride;    /* neighbours in ig are this far apart; 1: in order */
    uint32_t threads; /* CPU; 0: as many as this process may use */
    const char *isa; /* CPU: "sse2", "avx2", "avx512" ...; NULL: the best of this machine */
    int gpu;         /* ordinal */
};

/* What a session used; 0 or "" where it does not apply. */
struct gpp_facts {
    char device[128]; /* "cpu, avx512" or the GPU's name */
    char uuid[48];    /* GPU: by which other runs know it (ert/machine/presence.h) */
    uint32_t threads;
    uint32_t registers, block_threads; /* GPU: per thread; per block */
    double warps_per_sm;               /* GPU: resident by occupancy */
    bool is_pinned;                    /* CPU */
    char notes[160];                   /* why something is not as asked, or "" */
};

struct gpp_session; /* opaque; an engine's */

struct gpp_engine {
    const char *name;

    /* Why nothing can run here, written to reason[size]; NULL when it can. */
    const char *(*unavailable)(char *reason, size_t size);

    /*
     * Prepares: the problem must outlive the session. ERT_USAGE for options that the version cannot
     * follow, ERT_UNAVAILABLE when memory is short (bytes said first) or the ISA is not there.
     */
    enum ert_status (*open)(const struct gpp_version *version,
                            const struct gpp_problem *problem,
                            const struct gpp_options *options, struct gpp_session **session,
                            struct gpp_facts *facts, struct ert_error *error);

    /* Runs once: the sums, and the time of the computation alone in seconds. */
    enum ert_status (*run)(struct gpp_session *session, struct gpp_result *result,
                           double *time_s, struct ert_error *error);

    void (*close)(struct gpp_session *session); /* NULL is fine */
};

extern const struct gpp_engine gpp_engine_cpu, gpp_engine_cuda;

/* The engine of a device; of the GPU that of ert-cuda.so (ert/backend/module.h) where there is one. */
const struct gpp_engine *gpp_engine_of(enum gpp_device device);

/*
 * Counts: the operations and the least bytes of every version, from the formulas (counts.def, line by
 * line) and the shares of its branches. For points without counters, and to hold counters against.
 */

/* Per (n, igp, ig, iw), averages over all. add and mul are those left beside the FMAs. */
struct gpp_counts {
    double add, mul, fma, div, sqrt;
    double flops;     /* add + mul + 2 fma, and div and sqrt as `expanded` says */
    double fma_share; /* of the instructions that these flops are */
    /* add, mul and fma with divisions and roots as `flops` has them: what counters count. */
    double all_add, all_mul, all_fma;
    double launches; /* GPU: of a kernel per run: 1, or one per energy; CPU: 1 */
    double bytes;    /* of the whole run: the least that crosses to memory */
    const char *flops_recipe, *bytes_recipe;
};

/*
 * CPU: a division or square root is one operation. GPU: what nvcc 13 makes of it for sm_90 (cuobjdump),
 * as its counters see it: versions.c has the sequences. no_fma: the build without contraction (where
 * the sequences of divisions keep their FMAs).
 * Bytes: every input once, for versions with a launch per energy once per energy.
 */
void gpp_counts_of(const struct gpp_version *version, const struct gpp_sizes *sizes,
                   const struct gpp_shares *shares, bool no_fma, struct gpp_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
