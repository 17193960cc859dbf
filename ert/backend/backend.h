/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * backend: what can time a kernel, as a table of functions. The sweep drives these and never says
 * CUDA or OpenMP. A backend that this build or machine lacks keeps its row, with a reason.
 */
#ifndef ERT_BACKEND_BACKEND_H
#define ERT_BACKEND_BACKEND_H

#include "ert/base/error.h"
#include "ert/ert110/options.h"
#include "ert/kernels/kernel.h"
#include "ert/machine/machine.h"
#include "ert/machine/theory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ERT_MAX_VARIANTS = 16 };

/* One way to run a kernel: an ISA, a block shape. A ceiling keeps the best and names it. */
struct ert_variant {
    char name[48];    /* "avx512", "132x1024" */
    uint32_t threads; /* CPU: threads in all; GPU: threads per block */
    uint32_t blocks;  /* GPU: blocks per SM, 0 where the set decides; CPU: 0 */
    char isa[16];     /* CPU: "avx512"; GPU: "" */
};

/* One thing to time. Without padding, so that two can be compared bytewise. */
struct ert_spec {
    enum ert_kernel_id kernel;
    enum ert_path path;         /* ERT_PATH_NONE for compute kernels */
    uint64_t requested_bytes;   /* all arrays, whole device; 0 for compute kernels */
    uint32_t flops_per_element; /* the row's; for a mixed kernel 1, 2, 4 ... 1024 */
    /*
     * Index into the backend's variants for (kernel, path); of a GPU's case with a concurrency:
     * log2 of the independent operations per thread, 0 to 3.
     */
    uint32_t variant;
    uint32_t stride_bytes; /* of access kernels: from one access to the next; else 0 */
    uint32_t concurrency;  /* CPU: threads, GPU: warps per SM; 0: the variant's own */
    /*
     * CPU: who works: 0 the session's threads; with `to`, the cores of package from - 1; without, those of
     * the kind from - 1 (ert_cpu.core_kinds).
     */
    uint32_t from;
    /*
     * Where the other memory is; 0: near the threads, on the host. CPU: 1 + the OS index of the
     * NUMA node that holds the arrays; without `from`, each thread's arrays are in the nearest node
     * of that node's kind (SNC-4: four of MCDRAM). GPU, link kernels: 1 + the ordinal of the other GPU.
     */
    uint32_t to;
    struct ert110_shape ert110; /* GPU, ert110 kernels: the launch */
};

/* What one pass of the prepared case is, from the same expressions that the kernel uses. */
struct ert_work {
    uint64_t actual_bytes;                 /* swept; a multiple of what one sweep touches */
    double bytes_per_pass, flops_per_pass; /* flops: operations of the kernel's type */
    double loads_per_pass;                 /* latency kernels: loads one after the other */
    uint32_t blocks, threads;              /* launched (GPU), or threads (CPU, blocks 0) */
};

/*
 * One timed region. Unknown numbers are 0. In a common window each thread does as many passes as it
 * can, and the part of a pass at its end is counted by its time; elsewhere all threads do the same
 * number, and the last one ends the region.
 */
struct ert_sample {
    double time_s;     /* from the common start to the end */
    uint64_t passes;   /* whole ones, of the thread with the fewest */
    double rate_per_s; /* aggregate passes per second: the mean of the threads' own rates */
    double lockstep_per_s; /* passes per second of the slowest thread */
    /* Share of the time in which threads did not run: with steal, where the system accounts for it. */
    double waited;
    double steal; /* share of the region's CPU time that the hypervisor gave to others */
    /* Of a window with more than one thread: each one's passes. The session's until its next region. */
    uint32_t n_threads;
    double *thread_passes;
    double clock_hz; /* core or SM clock during (CPU: right after) the region */
    double memory_clock_hz;
    double power_w;
    uint64_t throttle; /* the backend's reasons but for being idle; 0: none or unknown */
};

enum { ERT_MAX_PARTS = 16 };

/* A part of a sustained run. Unknown numbers are 0. */
struct ert_part {
    double end_s; /* since the load began */
    double rate_per_s, clock_hz, power_w;
    uint64_t throttle;
};

/*
 * What a device did while a case ran without a pause for a good part of a second, in parts. Clock and
 * power settle in the first n_settling of them; all figures are of the others.
 */
struct ert_sustained {
    double began_unix_s; /* the load, UTC to some ms: to be found in other meters' logs */
    double time_s;       /* of the parts behind the settling ones */
    double rate_per_s;   /* passes of that time / it */
    double power_w;
    double clock_hz, clock_low_hz; /* median and least of the parts */
    uint64_t throttle;             /* the same, of most parts */
    char source[32];               /* of the power: "NVML energy counter", "RAPL package" */
    char no_power[160];            /* why the power is unknown, or "" */
    uint32_t n_parts, n_settling;
    struct ert_part parts[ERT_MAX_PARTS];
};

/* Limits that a session is opened with. */
struct ert_session_options {
    uint64_t working_set_max_bytes; /* the largest set that will be requested */
    uint32_t threads; /* CPU, of cases without concurrency: 0 for one per core */
    uint32_t
        max_threads; /* CPU: the highest concurrency that will be requested; 0: threads */
    struct ert110_memory ert110; /* of ert110 kernels */
    double timeout_s;            /* a region longer than this is a hang */
    uint64_t seed;
    bool tensor_zeros;         /* GPU: the tensor kernels multiply zeros, not random data */
    const volatile bool *stop; /* set by a signal; a backend that waits gives up, or NULL */
};

/* Where the machine code of a case is, and what its loop is meant to hold: for `ert validate`. */
struct ert_code {
    const void *function;  /* of a GPU's kernel the host's stub */
    const char *name;      /* GPU: of its code in the file, mangled; else NULL */
    uint32_t vector_bytes; /* CPU: of a register; GPU: of one access */
    uint32_t vectors;      /* memory: accesses per array and turn of the loop; else 0 */
    uint32_t prefetches;   /* CPU, memory: per turn of the loop; else 0 */
    uint32_t chains;       /* compute: independent values in flight per thread; else 0 */
    uint32_t steps;        /* GPU, compute: operations of each chain in one turn; else 0 */
    uint32_t flops;        /* ERT's kernels: per element and pass; else 0 */
    uint32_t passes;       /* ERT's kernels: in one turn, 1 or 2; else 0 */
    bool is_moves;         /* CPU, memory: loads and stores without the row's arithmetic */
    bool is_fused;         /* has fused multiply-adds */
    bool is_flat;          /* GPU: no loop, all of the code is run once */
    bool is_launched_per_pass; /* GPU: a region of n passes is n launches */
};

/* How CPUs that the system calls cores share cores of the hardware, as far as a VM lets one see. */
enum ert_sharing {
    ERT_SHARING_UNKNOWN,
    ERT_SHARING_NONE,
    ERT_SHARING_NEIGHBOURS, /* threads 0 and 1, 2 and 3 ... */
    ERT_SHARING_HALVES      /* threads 0 and n/2, 1 and n/2 + 1 ... */
};

/* What only an open session of CPUs can see. Unknown numbers are 0. */
struct ert_observation {
    double time_s;        /* how long each CPU was watched in a busy loop */
    double longest_gap_s; /* in which it did not run, on any CPU */
    double lost;          /* share of the CPUs' time in gaps of gap_least_s or more */
    double gap_least_s;   /* shorter ones are the loop's own */
    uint32_t gap_cpu;     /* where the longest one was, the system's number */
    enum ert_sharing sharing;
    double
        sharing_ratio; /* rate of a CPU beside all others / beside those of other cores */
    uint32_t n_cpus;   /* threads of an ordinary case, and the CPU of each */
    const uint32_t *cpus; /* the session's */
};

struct ert_session; /* each backend has its own */
struct ert_health;  /* machine/health.h */

/* A reason for which a device lowers its clock, as a bit of ert_sample.throttle. */
struct ert_throttle {
    uint64_t bit;
    const char *name;
    bool is_fault; /* nothing should hold a clock so; else by design or by a setting */
};

struct ert_backend {
    const char *name; /* "cpu", "cuda", "fake" */
    const char *summary;

    bool has_gpus; /* its devices are what "gpu" means */
    /* Its devices are not of this machine: only for who names the backend. */
    bool is_planted;

    /*
     * What is the vendor's own, each NULL where there is none: theoretical peaks but the memory's; throttle
     * reasons, ended by one without a name; the programs that list machine code and count events; a device
     * of an architecture ("9.0") as far as variants() and code() ask, ERT_USAGE where that is none.
     */
    void (*peaks)(const struct ert_device *device, struct ert_peak_list *list);
    const struct ert_throttle *throttle;
    const char *disassembler;                   /* "objdump", "cuobjdump" */
    const char *profiler;                       /* "perf", "ncu" */
    const char *shows_processes, *shows_clocks; /* commands for who uses the machine */
    enum ert_status (*model)(const char *architecture, struct ert_device *device,
                             struct ert_error *error);

    /* Why there is nothing to run on, or NULL. Static text, or text in `reason`. */
    const char *(*unavailable)(char *reason, size_t size);

    /* Appends this backend's devices to the machine (none is not an error). */
    enum ert_status (*discover)(struct ert_machine *machine, struct ert_error *error);

    /* Appends what a device says of its own state. NULL: nothing. */
    void (*health)(const struct ert_device *device, struct ert_health *health);

    /*
     * Pure: the ways to run a kernel on a path of the device; returns how many were written to
     * variants[], 0 when it cannot, with the reason in reason[size].
     */
    size_t (*variants)(const struct ert_device *device,
                       const struct ert_session_options *options, enum ert_kernel_id kernel,
                       enum ert_path path, struct ert_variant variants[ERT_MAX_VARIANTS],
                       char *reason, size_t size);

    /*
     * Takes the device: pins threads, allocates, fills the source arrays with seeded random data.
     * Visible limitations (pinning refused, less memory) go into notes[size], "" when none.
     */
    enum ert_status (*open)(const struct ert_device *device,
                            const struct ert_session_options *options,
                            struct ert_session **session, char *notes, size_t size,
                            struct ert_error *error);

    /* Watches the machine for some 0.1 s. NULL: nothing to see. */
    enum ert_status (*observe)(struct ert_session *session,
                               struct ert_observation *observation,
                               struct ert_error *error);

    /*
     * Makes a case ready (arrays initialised, one warm pass) and says what one pass of it is.
     * ERT_UNAVAILABLE for a set that the memory, as it is now, cannot hold: the point is skipped.
     */
    enum ert_status (*prepare)(struct ert_session *session, const struct ert_spec *spec,
                               struct ert_work *work, struct ert_error *error);

    /*
     * Runs `passes` passes of the prepared case in one timed region. ERT_FAILED with "lost" in
     * *lost set when the device cannot be used any more (hang, gone).
     */
    enum ert_status (*time)(struct ert_session *session, uint64_t passes,
                            struct ert_sample *sample, bool *lost, struct ert_error *error);

    /*
     * The same for a common window: all threads start together and go over their shares, each as
     * often as it can, until window_s after the start; each ends with a whole pass, of which the part
     * within the window counts. Those that end early keep the machine busy until all do. NULL: this
     * backend has none.
     */
    enum ert_status (*window)(struct ert_session *session, double window_s,
                              struct ert_sample *sample, bool *lost,
                              struct ert_error *error);

    /*
     * Checks the results that the passes since prepare() left, on the device. ERT_FAILED names
     * the element, the value and what it should be.
     */
    enum ert_status (*verify)(struct ert_session *session, struct ert_error *error);

    /*
     * Runs the prepared case without a pause for about time_s, the first quarter of it to let clock and
     * power settle, and meters it. passes: of a short region of the case. ERT_UNAVAILABLE with the
     * reason where a case cannot be run so. A power that cannot be metered is none: no_power says why.
     */
    enum ert_status (*sustain)(struct ert_session *session, double time_s, uint64_t passes,
                               struct ert_sustained *sustained, struct ert_error *error);

    void (*close)(struct ert_session *session);

    /* Pure: the machine code that runs a case. NULL: this backend has no code of its own. */
    enum ert_status (*code)(const struct ert_device *device, const struct ert_spec *spec,
                            struct ert_code *code, struct ert_error *error);
};

#define ERT_BACKEND(name) extern const struct ert_backend ert_backend_##name;
#include "ert/backend/backends.def"

/*
 * All backends, NULL-terminated, the host's first: their names and what they are. What works is a row's
 * backend: that of its module, which is opened for it (module.h), or where there is none the row itself. And
 * the backend of a name, or NULL.
 */
const struct ert_backend *const *ert_backends(void);
const struct ert_backend *ert_backend_of(const struct ert_backend *row);
const struct ert_backend *ert_backend_find(const char *name);
bool ert_backend_is_planted(const struct ert_device *device);
enum { ERT_MAX_BACKENDS = 8 };

/*
 * Appends the devices of all backends that are planted, or of all others. reasons: by backend, why it has
 * none, "" where it was asked; may be NULL. Without the host's devices it ends; of other failures the first
 * is returned, the rest of the machine is there. GPUs of more than one backend get its name into their ids:
 * "gpu0-cuda".
 */
enum ert_status ert_backend_discover(bool planted, struct ert_machine *machine,
                                     char reasons[ERT_MAX_BACKENDS][256],
                                     struct ert_error *error);

/* ert_theory_peaks() with what the device's backend says. */
void ert_backend_peaks(const struct ert_device *device, uint32_t n_cores, double held_hz,
                       struct ert_peak peaks[ERT_MAX_PEAKS], size_t *n_peaks);

/* ERT_FAILED for a region that took no time or ran no pass. */
enum ert_status ert_sample_check(const struct ert_sample *sample, struct ert_error *error);

/* Fills passes, rates and threads of a window's sample, whose time_s is set: its n threads did passes[]. */
void ert_sample_of_threads(struct ert_sample *sample, double *passes, uint32_t n);

/*
 * Finds how many passes of the prepared case make a region of time_s. *sample is the last region that was
 * timed for it: where even one pass is long enough, it is as good as any other.
 */
enum ert_status ert_backend_calibrate(const struct ert_backend *backend,
                                      struct ert_session *session, double time_s,
                                      uint64_t *passes, struct ert_sample *sample,
                                      bool *lost, struct ert_error *error);

/*
 * Fills time, rate, clocks and throttle reasons of *sustained from its parts behind the settling ones,
 * of which n_parts must have one. A throttle reason counts where more than half of the parts have it.
 */
void ert_sustained_conclude(struct ert_sustained *sustained);

#ifdef __cplusplus
}
#endif
#endif
