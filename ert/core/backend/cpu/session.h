/* SPDX-License-Identifier: BSD-3-Clause */
/* session: what the files of the CPU backend share about an open session. Private to this folder. */
#ifndef ERT_BACKEND_CPU_SESSION_H
#define ERT_BACKEND_CPU_SESSION_H

#include "ert/core/backend/backend.h"
#include "ert/core/backend/cpu/isa.h"
#include "ert/core/backend/cpu/memory.h"
#include "ert/core/backend/cpu/team.h"
#include "ert/core/machine/activity.h"

struct ert_session;

/*
 * How a kernel's specs are sized, initialised, counted and checked: sweeps over arrays and chains in
 * registers (check.c), and kernels in their own files, which extensions have.
 *
 * The sweep (isa.h) of a kernel in its own file has r1, seeded random doubles of region R, which it only
 * reads, and w, its part of region W, which init() fills: session->elements doubles each for every array of
 * its row (ert_kernel_arrays()), aligned to 64 bytes. The next thread's share follows directly.
 */
struct ert_cpu_kind {
    /* The variants of a kernel in its own file, ended by one without a name; NULL: the instruction sets'. */
    const struct ert_cpu_variant *variants;
    bool is_one_thread; /* runs on one thread: a chain of loads cannot use a second one */
    /* Sets session->elements; ERT_USAGE for an impossible set. NULL: without arrays. */
    enum ert_status (*size)(struct ert_session *session, struct ert_error *error);
    /* Initialises W or the chains of a thread, whose sweep is set. NULL: nothing is written. */
    void (*init)(struct ert_session *session, uint32_t thread);
    /* Fills the work of one pass; work->threads is already set. */
    void (*count)(const struct ert_session *session, struct ert_work *work);
    /* Checks the thread's results; calls ert_cpu_say_wrong() if they are wrong. */
    void (*check)(struct ert_session *session, uint32_t thread);

    /*
     * Of a mode's kernels, else all NULL or 0. The spec says how many threads run; session->own is opened and
     * closed with the session; the rate depends on the number of
     * passes in a call, which is at least call_passes where there are as many.
     */
    enum ert_status (*open)(struct ert_session *session, struct ert_error *error);
    void (*close)(struct ert_session *session);
    uint32_t call_passes;
};

/* A variant of a kernel in its own file: name, bytes of one load, function, and whether a CPU can run it. */
#define ERT_CPU_OWN_VARIANT(title, bytes, function, is_available)                          \
    {                                                                                      \
        .name = title, .kernel = function, .vectors = 1, .access_bytes = bytes,            \
        .available = is_available                                                          \
    }

extern const struct ert_cpu_kind ert_cpu_of_arrays, ert_cpu_of_chains;

/* size() and count() of kernels that sweep over arrays, from their row. */
enum ert_status ert_cpu_size_arrays(struct ert_session *session, struct ert_error *error);
void ert_cpu_count_arrays(const struct ert_session *session, struct ert_work *work);

/* Notes wrong results of the thread: "KERNEL (VARIANT), thread N" and the formatted text. */
void ert_cpu_say_wrong(struct ert_session *session, uint32_t thread, const char *format,
                       ...) __attribute__((format(printf, 3, 4)));

/* Arrays in the NUMA node that a spec names; all zero: none. */
struct ert_cpu_place {
    uint32_t from, to; /* of the spec: 1 + package, 1 + node */
    uint64_t set_bytes;
    struct ert_cpu_memory memory; /* a slice per thread */
};

/* One thread's part, aligned so that no two threads write to one cache line. */
struct ert_cpu_part {
    struct ert_cpu_sweep sweep;
    void *chains, *operands; /* of compute kernels: compute.h */
    double begin_s, end_s, clock_hz;
    double ran_s;    /* windows: the thread's CPU time by the system's account */
    uint64_t passes; /* since prepare(), untimed ones included */
    bool broken_off, wrong;
    char message[192]; /* what verify found */
} __attribute__((aligned(128)));

struct ert_session {
    struct ert_device device;
    struct ert_session_options options;
    struct ert_cpu_team *team;
    struct ert_cpu_memory memory; /* one slice per thread of n_ordinary */
    struct ert_cpu_place place;   /* of the last spec that named one */
    void *own;                    /* of a mode's kernels; NULL: none */
    struct ert_cpu_pattern pattern;
    struct ert_cpu_part *parts; /* n_planned */
    uint32_t n_planned;         /* the most threads of any spec */
    uint32_t n_ordinary;        /* threads of a spec without concurrency */
    uint32_t n_threads;         /* threads of the prepared spec */

    /* The prepared spec. */
    bool prepared;
    struct ert_spec spec;
    const struct ert_cpu_kind *kind;
    const struct ert_cpu_memory *arrays; /* NULL for a mode's kernels */
    const struct ert_cpu_isa *isa; /* of a kernel in its own file: to measure the clock */
    const struct ert_cpu_variant *variant;
    char variant_name[sizeof((struct ert_variant *)NULL)->name];
    ert_cpu_kernel *kernel;
    size_t elements;                 /* per array and thread */
    double pass_time_s;              /* as last measured */
    double *window_passes;           /* n_planned: of each thread in the last window */
    uint32_t *cpus;                  /* n_ordinary: the CPU of each thread */
    struct ert_activity_cpus usable; /* before threads were pinned */
};

/* The index in the pattern, as in region R, of the first source element of a thread. */
static inline uint64_t ert_cpu_first_element(const struct ert_session *session,
                                             uint32_t thread)
{
    const double *source = ert_cpu_memory_source(session->arrays, 0);
    return (uint64_t)(session->parts[thread].sweep.r1 - source);
}

/* Writes the tables that can run a kernel on this device to isas[], best first; returns how many. */
size_t ert_cpu_usable_isas(const struct ert_device *device, enum ert_kernel_id kernel,
                           const struct ert_cpu_isa *isas[ERT_MAX_VARIANTS]);

/*
 * place.c: arrays in the NUMA node that the spec names, for threads of the package that it names; or, for all
 * threads, in the nodes of that node's kind, each thread's in the nearest. If the system refuses to place
 * them, or places them elsewhere, nothing is measured.
 *
 * Selects the spec's threads, allocates the arrays unless the session has them already, fills them with the
 * source data and checks in which nodes their pages are. ERT_UNAVAILABLE when no thread is on the package,
 * binding is refused (a container, a cpuset) or the node has too little free memory.
 */
enum ert_status ert_cpu_place_choose(struct ert_session *session,
                                     const struct ert_spec *spec, struct ert_error *error);

void ert_cpu_place_close(struct ert_cpu_place *place);

/*
 * Checks the nodes of some pages of both regions. nodes[n_slices]: the OS number of each slice's node.
 * ERT_UNAVAILABLE unless all these pages are in their nodes, or when the system does not report nodes.
 */
enum ert_status ert_cpu_place_check(const struct ert_cpu_memory *memory,
                                    const uint32_t *nodes, struct ert_error *error);

/* Fills a slice of a memory's region R, and the XOR of each block for the prefixes. */
void ert_cpu_fill_source(const struct ert_session *session,
                         const struct ert_cpu_memory *memory, uint32_t slice);

/* Runs passes of the prepared spec on one thread, and counts them. */
void ert_cpu_run_passes(struct ert_session *session, uint32_t thread, uint64_t passes);

/* The time in s of the fastest thread, which does not depend on preempted ones. */
double ert_cpu_fastest_time_s(const struct ert_session *session);

/* observe() of the backend's table (backend.h): observe.c. */
enum ert_status ert_cpu_observe(struct ert_session *session,
                                struct ert_observation *observation,
                                struct ert_error *error);

/* prepare(), time(), window() and verify() of the backend's table (backend.h): cpu.c, time.c. */
enum ert_status ert_cpu_prepare(struct ert_session *session, const struct ert_spec *spec,
                                struct ert_work *work, struct ert_error *error);
enum ert_status ert_cpu_time(struct ert_session *session, uint64_t passes,
                             struct ert_sample *sample, bool *lost,
                             struct ert_error *error);
enum ert_status ert_cpu_window(struct ert_session *session, double window_s,
                               struct ert_sample *sample, bool *lost,
                               struct ert_error *error);
enum ert_status ert_cpu_verify(struct ert_session *session, struct ert_error *error);

/* sustain() of the backend's table: sustained.c. */
enum ert_status ert_cpu_sustain(struct ert_session *session, double time_s, uint64_t passes,
                                struct ert_sustained *sustained, struct ert_error *error);

#endif
