/* SPDX-License-Identifier: BSD-3-Clause */
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

/*
 * How cases of a kernel are sized, readied, counted and checked: sweeps over arrays and chains in registers
 * (check.c), ERT's own (ert110.c), and kernels in files of their own: access.c, chase.c, gather.c.
 *
 * An own kernel's sweep (isa.h) has r1, seeded random doubles of region R, which it only reads, and w, its
 * place in region W, which init() fills: session->elements doubles each for every array of its row
 * (ert_kernel_arrays()), aligned to 64 bytes. Behind them lies the next thread's share, whatever else a row
 * counts as its set: indices of more than 8 bytes per element would need an array more.
 */
struct ert_cpu_kind {
    /* Of a file of its own, ended by one without a name; NULL: the instruction sets'. */
    const struct ert_cpu_way *ways;
    bool is_one_thread; /* a chain of loads has nothing for a second one */
    /* Sets session->elements; ERT_USAGE for a set or stride that cannot be. NULL: without arrays. */
    enum ert_status (*size)(struct ert_session *session, struct ert_error *error);
    /* Sets up W or the chains of a thread, whose sweep is set. NULL: nothing is written. */
    void (*init)(struct ert_session *session, uint32_t thread);
    /* Says the work of one pass; *work has the threads. */
    void (*count)(const struct ert_session *session, struct ert_work *work);
    /* Whether the thread has the right results; else ert_cpu_say_wrong(). */
    void (*check)(struct ert_session *session, uint32_t thread);
};

/* A way of a file of its own: its name, the bytes of one load, its function, and where it can run. */
#define ERT_CPU_OWN_WAY(title, bytes, function, is_available)                              \
    {                                                                                      \
        .name = title, .kernel = function, .vectors = 1, .access_bytes = bytes,            \
        .available = is_available                                                          \
    }

extern const struct ert_cpu_kind ert_cpu_of_arrays, ert_cpu_of_chains, ert_cpu_of_ert110;

/* size() and count() of kernels that sweep over arrays, by their row. */
enum ert_status ert_cpu_size_arrays(struct ert_session *session, struct ert_error *error);
void ert_cpu_count_arrays(const struct ert_session *session, struct ert_work *work);

/* Notes wrong results of the thread: "KERNEL (VARIANT), thread N" and the formatted text. */
void ert_cpu_say_wrong(struct ert_session *session, uint32_t thread, const char *format,
                       ...) __attribute__((format(printf, 3, 4)));

/* The place that a session holds: arrays where the case says; all zero: none. */
struct ert_cpu_place {
    uint32_t from, to; /* of the case: 1 + package, 1 + node */
    uint64_t set_bytes;
    struct ert_cpu_memory memory; /* a slice per thread */
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

/* Adds a call; n is ERT_CPU_MOST_RUNS + 1 where there is no room. */
void ert_cpu_ert110_count(struct ert_cpu_ert110_calls *calls, uint64_t passes);

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
    const struct ert_cpu_kind *kind;
    const struct ert_cpu_memory *arrays; /* NULL: of ert110 cases */
    const struct ert_cpu_isa *isa; /* of a file of its own: whose chain tells the clock */
    const struct ert_cpu_way *way;
    char variant[sizeof((struct ert_variant *)NULL)->name];
    ert_cpu_kernel *kernel;
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
 *
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

/*
 * What a checksum is after n passes that each add `sum` and then turn it; and a value turned to the left.
 */
uint64_t ert_cpu_checksum_after(uint64_t sum, uint64_t n);
uint64_t ert_cpu_turned(uint64_t value, uint64_t by);

/* Notes a wrong checksum of the thread, in its part. */
void ert_cpu_check_sum(struct ert_session *session, uint32_t thread, uint64_t should);

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
