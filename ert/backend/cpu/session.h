/*
 * session: what the files of the CPU backend share about an open session. Private to this
 * folder.
 */
#ifndef ERT_BACKEND_CPU_SESSION_H
#define ERT_BACKEND_CPU_SESSION_H

#include "ert/backend/backend.h"
#include "ert/backend/cpu/ert110.h"
#include "ert/backend/cpu/isa.h"
#include "ert/backend/cpu/memory.h"
#include "ert/backend/cpu/pattern.h"
#include "ert/backend/cpu/place.h"
#include "ert/backend/cpu/scalar.h"
#include "ert/backend/cpu/team.h"
#include "ert/machine/activity.h"

/* One thread's part. Aligned so that no two threads write to one cache line. */
struct ert_cpu_part {
    struct ert_cpu_sweep sweep;
    void *chains, *operands; /* of compute kernels: compute.h */
    double begin_s, end_s, clock_hz;
    double ran_s;    /* of a window: on a CPU, by the system's account */
    uint64_t passes; /* since the case was prepared, untimed ones included */
    struct ert_cpu_ert110_calls calls; /* of ert110 kernels */
    bool broken_off, wrong;
    char message[192]; /* what verify found */
} __attribute__((aligned(128)));

struct ert_session {
    struct ert_device device;
    struct ert_session_options options;
    struct ert_cpu_team *team;
    struct ert_cpu_memory memory; /* one slice per thread of an ordinary case */
    struct ert_cpu_place place;   /* of the last case that named one */
    char *ert110_buffer;          /* malloc; NULL before the first ert110 case */
    bool ert110_is_fresh;         /* not touched yet */
    struct ert_cpu_pattern pattern;
    struct ert_cpu_part *parts; /* n_planned */
    uint32_t n_planned;         /* threads of the case with the most */
    uint32_t n_ordinary;        /* threads of a case that does not say how many */
    uint32_t n_threads;         /* threads of the prepared case */

    /* The prepared case. */
    bool prepared;
    struct ert_case case_;
    const struct ert_cpu_memory *arrays;
    const struct ert_cpu_isa *isa;
    const struct ert_cpu_way *way; /* of memory kernels; else NULL */
    ert_cpu_kernel *kernel;
    const struct ert_cpu_scalar *scalar; /* of latency and access kernels; else NULL */
    size_t elements;                     /* per array and thread */
    double pass_time_s;                  /* as last seen */
    double *window_passes;           /* n_planned: what each thread did in the last one */
    uint32_t *cpus;                  /* n_ordinary: where its threads are */
    struct ert_activity_cpus usable; /* before threads were pinned */
};

/* Where the prepared case's source of a thread begins in the pattern: as in region R. */
static inline uint64_t ert_cpu_first_element(const struct ert_session *session,
                                             uint32_t thread)
{
    const double *source = ert_cpu_memory_source(session->arrays, 0);
    return (uint64_t)(session->parts[thread].sweep.r1 - source);
}

/*
 * Which tables can run a kernel on this device, best first, into isas[]; returns how many.
 */
size_t ert_cpu_usable_isas(const struct ert_device *device, enum ert_kernel_id kernel,
                           const struct ert_cpu_isa *isas[ERT_MAX_VARIANTS]);

/* What a variant of a kernel is: a table, and of a memory kernel the way. */
struct ert_cpu_choice {
    const struct ert_cpu_isa *isa;
    const struct ert_cpu_way *way; /* NULL: kernels[] of the table */
};

/* The choices for a kernel on this device in the order of the variants; returns how many. */
size_t ert_cpu_choices(const struct ert_device *device, enum ert_kernel_id kernel,
                       struct ert_cpu_choice choices[ERT_MAX_VARIANTS]);

/* Fills a slice of R of some memory, and the XOR of each block for the prefixes. */
void ert_cpu_fill_source(const struct ert_session *session,
                         const struct ert_cpu_memory *memory, uint32_t slice);

/* Sets up W or the chains of the prepared case; the thread's sweep is set. */
void ert_cpu_init_target(struct ert_session *session, uint32_t thread);

/* Checks the thread's results; fills wrong and message of its part. */
void ert_cpu_check(struct ert_session *session, uint32_t thread);

/* Runs passes of the prepared case on one thread, and counts them. */
void ert_cpu_run_passes(struct ert_session *session, uint32_t thread, uint64_t passes);

/* From the common start to the end of the last thread, of what their parts noted. */
double ert_cpu_region_time_s(const struct ert_session *session);

/* The same of the thread that was fastest: what a pass takes where others are put aside meanwhile. */
double ert_cpu_fastest_time_s(const struct ert_session *session);

/* observe of the backend's table (backend.h): observe.c. */
enum ert_status ert_cpu_observe(struct ert_session *session,
                                struct ert_observation *observation,
                                struct ert_error *error);

/* prepare, time and verify of the backend's table (backend.h): prepare.c, time.c. */
enum ert_status ert_cpu_prepare(struct ert_session *session, const struct ert_case *case_,
                                struct ert_work *work, struct ert_error *error);
enum ert_status ert_cpu_time(struct ert_session *session, uint64_t passes,
                             struct ert_sample *sample, bool *lost,
                             struct ert_error *error);
enum ert_status ert_cpu_window(struct ert_session *session, double window_s,
                               struct ert_sample *sample, bool *lost,
                               struct ert_error *error);
enum ert_status ert_cpu_verify(struct ert_session *session, struct ert_error *error);

/* code of the backend's table (backend.h). */
enum ert_status ert_cpu_code(const struct ert_device *device, const struct ert_case *case_,
                             struct ert_code *code, struct ert_error *error);
/* sustain of the backend's table, with the energy counters under a root (rapl.h): sustained.c. */
enum ert_status ert_cpu_sustain_at(const char *root, struct ert_session *session,
                                   double time_s, struct ert_sustained *sustained,
                                   struct ert_error *error);
enum ert_status ert_cpu_sustain(struct ert_session *session, double time_s, uint64_t passes,
                                struct ert_sustained *sustained, struct ert_error *error);

/*
 * The clock of this core in Hz, by a chain of dependent adds of 1 us; overhead_s: see
 * below.
 */
double ert_cpu_clock_now(const struct ert_cpu_isa *isa, double overhead_s);

/* What reading the host's clock costs. */
double ert_cpu_clock_overhead_s(void);

#endif
