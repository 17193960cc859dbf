/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * backend: the interface, a table of functions, of what can time kernels on a kind of device. The sweep
 * calls only these and knows neither CUDA nor OpenMP. A backend that this build or machine lacks keeps its
 * row, with a reason.
 */
#ifndef ERT_BACKEND_BACKEND_H
#define ERT_BACKEND_BACKEND_H

#include "ert/core/base/error.h"
#include "ert/core/kernels/kernel.h"
#include "ert/core/machine/machine.h"
#include "ert/core/machine/theory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ERT_MAX_VARIANTS = 16 };

/* One way to run a kernel: an instruction set, a block shape. A ceiling names its best one. */
struct ert_variant {
    char name[48];    /* "avx512", "132x1024" */
    uint32_t threads; /* CPU: threads in all; GPU: threads per block */
    uint32_t blocks;  /* GPU: blocks per SM, 0 if the set decides; CPU: 0 */
    char isa[16];     /* CPU: "avx512"; GPU: "" */
};

/* What to time: a kernel, where and how. Has no padding, so that two can be compared bytewise. */
struct ert_spec {
    enum ert_kernel_id kernel;
    enum ert_path path;         /* ERT_PATH_NONE for compute kernels */
    uint64_t requested_bytes;   /* all arrays, whole device; 0 for compute kernels */
    uint32_t flops_per_element; /* the row's; for a mode's kernel 1, 2, 4 ... 1024 */
    /*
     * Index into the backend's variants for (kernel, path); on a GPU with a concurrency: log2 of the
     * independent operations per thread, 0 to 3.
     */
    uint32_t variant;
    uint32_t concurrency; /* CPU: threads, GPU: warps per SM; 0: the variant's own */
    uint32_t from; /* CPU, with `to`: only the cores of package from - 1 work; 0: all */
    /*
     * The memory that is accessed; 0: near the threads, or on the host. CPU: 1 + the OS index of the NUMA
     * node of the arrays; if `from` is 0, each thread's arrays are in the nearest node of that node's kind
     * (SNC-4: four of MCDRAM). GPU, link kernels: 1 + the ordinal of the other GPU.
     */
    uint32_t to;
    uint32_t blocks, block_threads; /* GPU, a mode's kernels: the launch */
};

/* The work of one pass of the prepared spec, from the same expressions that the kernel uses. */
struct ert_work {
    uint64_t actual_bytes; /* working set; a multiple of what one sweep touches */
    double bytes_per_pass, flops_per_pass; /* flops: operations of the kernel's type */
    double loads_per_pass;                 /* latency kernels: dependent loads */
    uint32_t blocks, threads;              /* GPU: launched, per block; CPU: 0, threads */
};

#define ERT_MOST_WAITED 0.02

/*
 * One timed region. Unknown numbers are 0. In a common window each thread does as many passes as it can, and
 * its last pass counts by the share of its time within the window; elsewhere all threads do the same number,
 * and the last one ends the region.
 */
struct ert_sample {
    double time_s;     /* from the common start to the end */
    uint64_t passes;   /* whole passes of the thread with the fewest */
    double rate_per_s; /* aggregate passes per second: the mean of the threads' own rates */
    double lockstep_per_s; /* passes per second of the slowest thread */
    /*
     * Share of the time in which threads did not run; includes steal where the system accounts for it. Above
     * ERT_MOST_WAITED the sample shows the system, not the machine.
     */
    double waited;
    double steal; /* share of the region's CPU time that the hypervisor gave to others */
    /* Windows with several threads: the passes of each. The session's until its next region. */
    uint32_t n_threads;
    double *thread_passes;
    double clock_hz; /* core or SM clock during (CPU: right after) the region */
    double memory_clock_hz;
    double power_w;
    uint64_t throttle; /* the backend's reasons, except idle; 0: none or unknown */
};

/* Of one run, and of one that goes on because it met a power limit. */
enum { ERT_RUN_PARTS = 16, ERT_MAX_PARTS = 2 * ERT_RUN_PARTS };

/* One part of a sustained run. Unknown numbers are 0. */
struct ert_part {
    double end_s; /* since the load began */
    double rate_per_s, clock_hz, power_w;
    uint64_t throttle;
};

/*
 * A sustained run: the case ran without a pause for a good part of a second, measured in parts. Clock and
 * power settle in the first n_settling parts; all figures are of the others.
 */
struct ert_sustained {
    double began_unix_s; /* start of the load, UTC to some ms: for other meters' logs */
    double time_s;       /* of the parts after settling */
    double rate_per_s;   /* passes per second in that time */
    double power_w;
    double clock_hz, clock_low_hz; /* median and least of the parts */
    uint64_t throttle;             /* reasons that more than half of the parts have */
    char source[32];               /* of the power: "NVML energy counter" */
    char no_power[160];            /* why the power is unknown, or "" */
    uint32_t n_parts, n_settling;
    struct ert_part parts[ERT_MAX_PARTS];
};

/* What a mode keeps in a session for its kernels: its own business; all 0: none. */
struct ert_mode_data {
    uint64_t words[2];
};

/* Limits and settings of a session. */
struct ert_session_options {
    uint64_t working_set_max_bytes; /* the largest set that will be requested */
    uint32_t threads;          /* CPU, for specs without concurrency; 0: one per core */
    uint32_t max_threads;      /* CPU: the highest concurrency of any spec; 0: threads */
    struct ert_mode_data mode; /* for a mode's kernels */
    double timeout_s;          /* a longer region counts as a hang */
    uint64_t seed;
    bool tensor_zeros; /* GPU: tensor kernels multiply zeros instead of random data */
    const volatile bool *stop; /* set by a signal: a waiting backend gives up; or NULL */
};

/* The machine code of a spec and what its loop is meant to contain, for `ert validate`. */
struct ert_code {
    const void *function;  /* GPU: the host's stub */
    const char *name;      /* GPU: the code's mangled name in the file; else NULL */
    uint32_t vector_bytes; /* CPU: of a register; GPU: of one access */
    uint32_t vectors;      /* memory: accesses per array and iteration; else 0 */
    uint32_t prefetches;   /* CPU, memory: per iteration; else 0 */
    uint32_t chains;       /* compute: independent values in flight per thread; else 0 */
    uint32_t steps;  /* GPU, compute: operations of each chain per iteration; else 0 */
    uint32_t flops;  /* a mode's kernels: per element and pass; else 0 */
    uint32_t passes; /* a mode's kernels: per iteration, 1 or 2; else 0 */
    bool is_moves;   /* CPU, memory: loads and stores without the row's arithmetic */
    bool is_fused;   /* has fused multiply-adds */
    bool is_flat;    /* GPU: has no loop */
    bool is_launched_per_pass; /* GPU: a region of n passes is n launches */
};

/* How what the system calls cores share hardware cores, as far as a VM reveals it. */
enum ert_sharing {
    ERT_SHARING_UNKNOWN,
    ERT_SHARING_NONE,
    ERT_SHARING_NEIGHBOURS, /* threads 0 and 1, 2 and 3 ... */
    ERT_SHARING_HALVES      /* threads 0 and n/2, 1 and n/2 + 1 ... */
};

/* What only an open CPU session can observe. Unknown numbers are 0. */
struct ert_observation {
    double time_s;        /* how long a busy loop watched each CPU */
    double longest_gap_s; /* longest gap in which the loop did not run, on any CPU */
    double lost;          /* share of the CPUs' time in gaps of gap_least_s or more */
    double gap_least_s;   /* shorter gaps are the loop's own */
    uint32_t gap_cpu;     /* OS number of the CPU with the longest gap */
    enum ert_sharing sharing;
    double sharing_ratio; /* a CPU's rate beside all others / beside those of other cores */
    uint32_t n_cpus;      /* threads of a spec without concurrency, and the CPU of each */
    const uint32_t *cpus; /* the session owns them */
};

struct ert_session; /* each backend has its own */

/* A reason why a device lowers its clock, as a bit of ert_sample.throttle. */
struct ert_throttle {
    uint64_t bit;
    const char *name;
    bool is_fault; /* not by design and not by a setting */
    bool is_power; /* a power limit */
};

struct ert_memory_errors {
    uint64_t corrected, uncorrected;
};

struct ert_backend {
    const char *name; /* "cpu", "cuda", "fake" */
    const char *summary;

    bool has_gpus; /* its devices are GPUs */
    /* Its devices are not of this machine: used only when the user names the backend. */
    bool is_fake;

    /*
     * What depends on the vendor, each NULL if there is none: peaks other than the memory's; throttle
     * reasons, ended by one without a name; the programs that disassemble and that count events. model():
     * a device of an architecture ("9.0") with what variants() and code() need, ERT_USAGE for another text.
     */
    void (*peaks)(const struct ert_device *device, struct ert_peak_list *list);
    const struct ert_throttle *throttle;
    const char *disassembler;                   /* "objdump", "cuobjdump" */
    const char *profiler;                       /* "ncu" */
    const char *shows_processes, *shows_clocks; /* commands that the user can run */
    enum ert_status (*model)(const char *architecture, struct ert_device *device,
                             struct ert_error *error);

    /*
     * Why it has no device to run on, or NULL. Static text, or text in `reason`. Then of all that follows
     * only variants() and code() may be called.
     */
    const char *(*unavailable)(char *reason, size_t size);

    /* Appends this backend's devices to the machine; having none is no error. */
    enum ert_status (*discover)(struct ert_machine *machine, struct ert_error *error);

    /*
     * Pure: writes the ways to run a kernel on a path of the device to variants[]; returns how many, or 0
     * when the device cannot run it, with the reason in reason[size].
     */
    size_t (*variants)(const struct ert_device *device,
                       const struct ert_session_options *options, enum ert_kernel_id kernel,
                       enum ert_path path, struct ert_variant variants[ERT_MAX_VARIANTS],
                       char *reason, size_t size);

    /*
     * Opens a session: pins threads, allocates, fills the source arrays with seeded random data. Writes
     * limitations that the user should know (pinning refused, less memory) to notes[size], or "".
     */
    enum ert_status (*open)(const struct ert_device *device,
                            const struct ert_session_options *options,
                            struct ert_session **session, char *notes, size_t size,
                            struct ert_error *error);

    /* Watches the machine for about 0.1 s. NULL: there is nothing to observe. */
    enum ert_status (*observe)(struct ert_session *session,
                               struct ert_observation *observation,
                               struct ert_error *error);

    /*
     * Prepares a spec: initialises arrays, runs one warm pass, fills *work. ERT_UNAVAILABLE for a set that
     * the memory that is free now cannot hold: the point is skipped.
     */
    enum ert_status (*prepare)(struct ert_session *session, const struct ert_spec *spec,
                               struct ert_work *work, struct ert_error *error);

    /*
     * Runs `passes` passes of the prepared spec in one timed region. Sets *lost, with ERT_FAILED, when the
     * device cannot be used any more (it hangs or is gone).
     */
    enum ert_status (*time)(struct ert_session *session, uint64_t passes,
                            struct ert_sample *sample, bool *lost, struct ert_error *error);

    /*
     * The same for a common window: all threads start together and sweep their shares as often as they can
     * until window_s after the start. Each ends with a whole pass, of which the part within the window
     * counts; those that end early keep the machine busy until all have ended. NULL: not supported.
     */
    enum ert_status (*window)(struct ert_session *session, double window_s,
                              struct ert_sample *sample, bool *lost,
                              struct ert_error *error);

    /*
     * Checks, on the device, the results of the passes since prepare(). ERT_FAILED names the element, its
     * value and the correct one.
     */
    enum ert_status (*verify)(struct ert_session *session, struct ert_error *error);

    /*
     * Runs the prepared spec without a pause for about time_s, and meters it after the first quarter, in
     * which clock and power settle. passes: of one of its short regions. ERT_UNAVAILABLE with the reason
     * when it cannot be run so. If power cannot be metered, it is 0 and no_power says why.
     */
    enum ert_status (*sustain)(struct ert_session *session, double time_s, uint64_t passes,
                               struct ert_sustained *sustained, struct ert_error *error);

    /* Errors of the device's memory since its driver was loaded. NULL, or false: unknown. */
    bool (*errors)(struct ert_session *session, struct ert_memory_errors *errors);

    void (*close)(struct ert_session *session);

    /* Pure: the machine code that runs a spec. NULL: this backend has no code of its own. */
    enum ert_status (*code)(const struct ert_device *device, const struct ert_spec *spec,
                            struct ert_code *code, struct ert_error *error);

    /* Of a row that stands for a library: opens it, the first time, and returns its backend, or NULL. */
    const struct ert_backend *(*load)(void);
};

#define ERT_BACKEND(name) extern const struct ert_backend ert_backend_##name;
#include "ert/core/backend/backends.def"

/*
 * All rows, NULL-terminated, the host's first: for their names and what they are. To measure, use a row's
 * backend: what it loads, or else the row itself. And the backend with a name, or NULL.
 */
const struct ert_backend *const *ert_backends(void);
const struct ert_backend *ert_backend_of(const struct ert_backend *row);
const struct ert_backend *ert_backend_find(const char *name);
bool ert_backend_is_fake(const struct ert_device *device);
enum { ERT_MAX_BACKENDS = 8 };

/*
 * Appends the devices of all fake backends, or of all others. reasons: why each of these has no devices,
 * or ""; may be NULL. Returns at once if the host's discovery fails; of other failures the first, after
 * appending all other devices. If several backends have GPUs, their ids get the backend's name: "gpu0-cuda".
 */
enum ert_status ert_backend_discover(bool fake, struct ert_machine *machine,
                                     char reasons[ERT_MAX_BACKENDS][256],
                                     struct ert_error *error);

/* ert_theory_peaks() with the peaks() of the device's backend. */
void ert_backend_peaks(const struct ert_device *device, uint32_t n_cores, double held_hz,
                       struct ert_peak peaks[ERT_MAX_PEAKS], size_t *n_peaks);

/* ERT_FAILED for a region that took no time or ran no pass. */
enum ert_status ert_sample_check(const struct ert_sample *sample, struct ert_error *error);

/* Fills passes, rates and threads of a window's sample, whose time_s is set, from passes[n] per thread. */
void ert_sample_of_threads(struct ert_sample *sample, double *passes, uint32_t n);

/*
 * Finds how many passes of the prepared spec make a region of time_s. *sample is the last region timed for
 * that: if it has enough passes, it is a valid sample.
 */
enum ert_status ert_backend_calibrate(const struct ert_backend *backend,
                                      struct ert_session *session, double time_s,
                                      uint64_t *passes, struct ert_sample *sample,
                                      bool *lost, struct ert_error *error);

/*
 * Fills time, rate, clocks and throttle reasons of *sustained from its parts after settling, at least one. A
 * throttle reason counts if more than half of these parts have it.
 */
void ert_sustained_conclude(struct ert_sustained *sustained);

/* Appends a longer run that followed: its figures are of the longer one after its settling. */
void ert_sustained_extend(struct ert_sustained *sustained,
                          const struct ert_sustained *longer);

#ifdef __cplusplus
}
#endif
#endif
