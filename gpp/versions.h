/*
 * versions: the kernel's versions as rows, and the two engines that run them: cpu/ and cuda/. An engine
 * prepares a problem for a version (layouts, copies: never timed), runs it, and says what it used. It
 * reads no clock but its own and prints nothing.
 */
#ifndef GPP_VERSIONS_H
#define GPP_VERSIONS_H

#include "gpp/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gpp_device { GPP_CPU, GPP_GPU };

/* Names as numbers: GPP_c0 ... */
enum gpp_version_id {
#define VERSION(name, device, idea) GPP_##name
#include "gpp/versions.def"
#undef VERSION
    GPP_N_VERSIONS
};

struct gpp_version {
    const char *name;
    enum gpp_version_id id;
    enum gpp_device device;
    const char *idea;
};

extern const struct gpp_version gpp_versions[GPP_N_VERSIONS];

/* *version of a name; ERT_USAGE lists all. */
enum ert_status gpp_version_find(const char *name, const struct gpp_version **version,
                                 struct ert_error *error);

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

/* The engine of a device. */
const struct gpp_engine *gpp_engine_of(enum gpp_device device);

#ifdef __cplusplus
}
#endif

#endif
