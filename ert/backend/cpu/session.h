/*
 * session: what the files of the CPU backend share about an open session. Private to this
 * folder.
 */
#ifndef ERT_BACKEND_CPU_SESSION_H
#define ERT_BACKEND_CPU_SESSION_H

#include "ert/backend/backend.h"
#include "ert/backend/cpu/isa.h"
#include "ert/backend/cpu/memory.h"
#include "ert/backend/cpu/team.h"
#include "ert/machine/activity.h"

struct ert_session;

/* One way to run a kernel of a file of its own. */
struct ert_cpu_own_way {
    const char *name;    /* of the variant: "8 B" */
    size_t access_bytes; /* of one load */
    ert_cpu_kernel *kernel;
    bool (*available)(const struct ert_isa *isa); /* NULL: everywhere */
};

/* A kernel's work, results and ways to run it, of kernels in files of their own: chase.c, access.c. */
struct ert_cpu_own {
    bool is_one_thread; /* a chain of loads has nothing for a second one */
    size_t n_ways;
    const struct ert_cpu_own_way *ways;
    /* ERT_USAGE for a case that its set and access size do not allow. NULL: all are. */
    enum ert_status (*prepare)(struct ert_session *session, struct ert_error *error);
    /* Sets up W of the prepared case; the thread's sweep is set. NULL: nothing is written. */
    void (*init)(struct ert_session *session, uint32_t thread);
    /* Changes the work of one pass of the prepared case from what the row says. NULL: it is that. */
    void (*count)(const struct ert_session *session, struct ert_work *work);
    /* Whether the thread has the right results; fills wrong and message of its part. */
    void (*check)(struct ert_session *session, uint32_t thread);
};

/* The place that a session holds: arrays where the case says; all zero: none. */
struct ert_cpu_place {
    uint32_t from, to; /* of the case: 1 + package, 1 + node */
    uint64_t set_bytes;
    struct ert_cpu_memory memory; /* a slice per thread */
    uint32_t *nodes;              /* of each slice */
};

/*
 * The calls of the kernel since the case was prepared, as the addend starts anew with each: runs of
 * `calls` calls of as many passes.
 */
enum { ERT_CPU_MOST_RUNS = 1024 };
struct ert_cpu_ert110_calls {
    uint32_t n;
    struct {
        uint64_t passes, calls;
    } runs[ERT_CPU_MOST_RUNS];
};

/* The buffer of ert110 cases. */
struct ert_cpu_ert110_buffer {
    char *bytes;   /* malloc; NULL before the first case */
    bool is_fresh; /* not touched yet */
};

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
    struct ert_cpu_ert110_buffer ert110;
    struct ert_cpu_pattern pattern;
    struct ert_cpu_part *parts; /* n_planned */
    uint32_t n_planned;         /* threads of the case with the most */
    uint32_t n_ordinary;        /* threads of a case that does not say how many */
    uint32_t n_threads;         /* threads of the prepared case */

    /* The prepared case. */
    bool prepared;
    struct ert_spec spec;
    const struct ert_cpu_memory *arrays;
    const struct ert_cpu_isa *isa;
    const struct ert_cpu_way *way; /* of memory kernels; else NULL */
    ert_cpu_kernel *kernel;
    const struct ert_cpu_own *own; /* of kernels in files of their own; else NULL */
    const struct ert_cpu_own_way *own_way;
    size_t elements;                 /* per array and thread */
    double pass_time_s;              /* as last seen */
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

/*
 * place.c: arrays in a NUMA node that the case names, for threads of a package that it names; or, for all
 * threads, in the nodes of that one's kind, each thread's in the nearest. Where the system refuses to place
 * them, or places them elsewhere, nothing is measured.
 */
/*
 * Chooses the case's threads, opens the place if the session holds another one, fills it with the
 * source data and checks where its pages lie. ERT_UNAVAILABLE where no thread is on the package,
 * where binding is refused (a container, a cpuset) or the node has too little free memory.
 */
enum ert_status ert_cpu_place_choose(struct ert_session *session,
                                     const struct ert_spec *spec, struct ert_error *error);

/*
 * Chooses the session's threads on the case's package or, where its arrays are not placed, on cores of
 * its kind. ERT_UNAVAILABLE where there is none.
 */
enum ert_status ert_cpu_place_members(struct ert_session *session,
                                      const struct ert_spec *spec, struct ert_error *error);

void ert_cpu_place_close(struct ert_cpu_place *place);

/*
 * Looks where some pages of both regions lie. nodes[n_slices]: the operating system's number of each
 * slice's node. ERT_UNAVAILABLE unless all are there, or where the system does not tell.
 */
enum ert_status ert_cpu_place_check(const struct ert_cpu_memory *memory,
                                    const uint32_t *nodes, struct ert_error *error);

/*
 * The place in the set, in lines, of the step-th line of a cycle through n_lines lines: a
 * permutation of 0 ... n_lines - 1, seeded. step is taken modulo n_lines. Of the chase.
 */
uint64_t ert_cpu_chase_line(uint64_t seed, uint64_t n_lines, uint64_t step);

/* Dependent loads of one pass of the chase: 6 us where a load takes 5 clocks, 0.5 ms in DRAM. */
enum { ERT_CPU_CHASE_STEPS = 4096 };

/* Fills a slice of R of some memory, and the XOR of each block for the prefixes. */
void ert_cpu_fill_source(const struct ert_session *session,
                         const struct ert_cpu_memory *memory, uint32_t slice);

/* Sets up W or the chains of the prepared case; the thread's sweep is set. */
void ert_cpu_init_target(struct ert_session *session, uint32_t thread);

/*
 * What a checksum is after n passes that each add `sum` and then turn it; and a value turned to the left.
 */
uint64_t ert_cpu_checksum_after(uint64_t sum, uint64_t n);
uint64_t ert_cpu_turned(uint64_t value, uint64_t by);

/* Notes a wrong checksum of the thread, in its part. */
void ert_cpu_check_sum(struct ert_session *session, uint32_t thread, uint64_t should);

/* Checks the thread's results; fills wrong and message of its part. */
void ert_cpu_check(struct ert_session *session, uint32_t thread);

/* Runs passes of the prepared case on one thread, and counts them. */
void ert_cpu_run_passes(struct ert_session *session, uint32_t thread, uint64_t passes);

/* Seconds of the thread that was fastest: what a pass takes where others are put aside meanwhile. */
double ert_cpu_fastest_time_s(const struct ert_session *session);

/* observe of the backend's table (backend.h): observe.c. */
enum ert_status ert_cpu_observe(struct ert_session *session,
                                struct ert_observation *observation,
                                struct ert_error *error);

/* prepare, time and verify of the backend's table (backend.h): cpu.c, time.c. */
enum ert_status ert_cpu_prepare(struct ert_session *session, const struct ert_spec *spec,
                                struct ert_work *work, struct ert_error *error);
enum ert_status ert_cpu_time(struct ert_session *session, uint64_t passes,
                             struct ert_sample *sample, bool *lost,
                             struct ert_error *error);
enum ert_status ert_cpu_window(struct ert_session *session, double window_s,
                               struct ert_sample *sample, bool *lost,
                               struct ert_error *error);
enum ert_status ert_cpu_verify(struct ert_session *session, struct ert_error *error);

/*
 * sustained.c: the energy counters of processors (Running Average Power Limit) as Linux's powercap
 * class shows them: Documentation/power/powercap/powercap.rst and Documentation/ABI/testing/
 * sysfs-class-powercap. Intel and AMD; a few counts per millisecond. It runs nothing.
 */
enum { ERT_RAPL_MAX_ZONES = 64 };

#define ERT_RAPL_ROOT "/sys/class/powercap"

struct ert_rapl {
    size_t n;
    bool has_dram; /* counters of the memory's energy are among them */
    struct ert_rapl_zone {
        char file[192];    /* energy_uj */
        uint64_t range_uj; /* where the counter starts again from 0 */
        uint64_t last_uj;
    } zones[ERT_RAPL_MAX_ZONES];
};

/*
 * Finds the counters of packages under `root` (ERT_RAPL_ROOT) and, where there are any, of their
 * memory: of the packages for which used[0 ... n_packages - 1] is true, by the number in the
 * zone's name. ERT_UNAVAILABLE with the system's reason where there are none, or where they are
 * not readable: most systems let only root read them (CVE-2020-8694).
 */
enum ert_status ert_rapl_open(const char *root, const bool *used, uint32_t n_packages,
                              struct ert_rapl *rapl, struct ert_error *error);

/*
 * The energy of all counters together in J since the call before (or open) into *energy_j; right
 * as long as no counter wraps twice in between: minutes. ERT_UNAVAILABLE when one cannot be read.
 */
enum ert_status ert_rapl_read(struct ert_rapl *rapl, double *energy_j,
                              struct ert_error *error);

/* sustain of the backend's table, with the energy counters under a root. */
enum ert_status ert_cpu_sustain_at(const char *root, struct ert_session *session,
                                   double time_s, struct ert_sustained *sustained,
                                   struct ert_error *error);
enum ert_status ert_cpu_sustain(struct ert_session *session, double time_s, uint64_t passes,
                                struct ert_sustained *sustained, struct ert_error *error);

#endif
