/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ceilings: what a machine attains, as plain data, and its file format "ert-ceilings/2": the
 * contract between ert, which measures, and roofline, which places and draws. It neither measures
 * nor fits.
 */
#ifndef ERT_CEILINGS_CEILINGS_H
#define ERT_CEILINGS_CEILINGS_H

#include "ert/backend/backend.h"
#include "ert/base/error.h"
#include "ert/machine/activity.h"
#include "ert/machine/machine.h"
#include "ert/machine/theory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    ERT_MAX_COMPUTE = 128,
    ERT_MAX_MEMORY = 96,
    ERT_MAX_EXTRA = 512, /* of each kind */
    ERT_MAX_NOT_MEASURED = 256,
    ERT_MAX_PLATEAUS = 64,
    ERT_MAX_ROUNDS =
        40, /* kept of a ceiling: enough for a test of what is measured later */
    ERT_WARNINGS_TEXT = 2048 /* all conditions bad, no main ceiling settled */
};

/* How far a ceiling can be believed, and why not fully. */
enum ert_confidence { ERT_CONFIDENCE_HIGH, ERT_CONFIDENCE_MEDIUM, ERT_CONFIDENCE_LOW };

struct ert_verdict {
    char word[16];  /* "agrees", "differs", "unavailable", or "" for not looked */
    char text[160]; /* what was found, or why nothing was */
};

/*
 * What `ert validate` found about a ceiling. Ratios are counted by the profiler / counted by the
 * tool, 0 where there is none.
 */
struct ert_proof {
    struct ert_verdict code, counters; /* of the machine code of the kernel's inner loop */
    char profiler[16];                 /* "ncu", "perf" */
    double bytes_ratio, flops_ratio;
    double deeper_share; /* of the bytes, that the next deeper level saw; 0 unknown */
    double hit_rate;     /* of the level that should answer; 0 unknown */
};

/* What is common to a compute and a memory ceiling. Rates in flop/s or byte/s. */
struct ert_ceiling {
    char name[32];   /* "fp64-fma", "L1-load" */
    char kernel[24]; /* row of kernels.def */
    /*
     * Of the best configuration: its sustained rate where that was measured, else the estimate of its
     * undisturbed rate in short regions (stats/stats.h).
     */
    double value;
    double low, high; /* the next run's value lies between with 90 % probability */
    double lockstep; /* what the slowest thread allows, times their number; 0: one thread */
    double imbalance;     /* slowest thread / mean of threads; 0: one thread */
    uint32_t slowest_cpu; /* most often the slowest, in this share of windows */
    double slowest_share; /* 0: one thread */
    double best;          /* the fastest sample, of a sustained rate the fastest part */
    uint32_t n_samples;
    uint32_t n_rounds; /* 0: an older file, or a value that is not of rounds (ERT's mode) */
    /* Samples of short regions in the order of time, evenly thinned where there are more. */
    double rounds[ERT_MAX_ROUNDS];
    double rounds_clock_hz[ERT_MAX_ROUNDS]; /* held in each; all 0 unknown */
    double between;              /* relative standard deviation between runs; 0 unknown */
    struct ert_variant launch;   /* the configuration that won */
    uint32_t blocks;             /* GPU: blocks launched */
    double requested_bytes;      /* the set that was requested of the backend; 0 none */
    struct ert110_launch ert110; /* what else measuring it again takes */
    double clock_hz;             /* held during the samples, median; 0 unknown */
    double clock_low_hz;         /* lowest sample */
    double sustained_s;   /* how long `value` was; 0: short regions, of milliseconds */
    double falls_after_s; /* when the rate leaves that of short regions; 0: it does not */
    double burst, burst_low, burst_high; /* short regions where sustained_s; else 0 */
    double power_w;                      /* metered while it was sustained; 0 unknown */
    double per_joule; /* flop or byte per joule of that time; 0 unknown */
    char power_source[32];
    double theory; /* the peak it is judged by; 0 unknown */
    char theory_name[32], theory_clock[16];
    double fraction_of_theory; /* 0: unknown; above 1 is kept, never clipped */
    char throttle_reasons[48]; /* what the driver says: "SW power cap", or "" */
    enum ert_confidence confidence;
    char warning[160]; /* why the confidence is not high, or "" */
    uint32_t n_runs; /* `ert run --repeat`: runs behind the two numbers below; 0: one run */
    double runs_low, runs_high; /* least and greatest value of those runs */
    struct ert_proof proof;
};

struct ert_compute_ceiling {
    struct ert_ceiling common;
    char type[8];  /* "fp64" */
    char op[16];   /* "fma", "add", "mma" */
    char unit[16]; /* "avx512", "core", "tensor" */
    bool roof;     /* the best of its type and op: others are of lesser instruction sets */
};

/*
 * Ceilings of other kinds: latencies, access sizes, concurrency, links, NUMA nodes. One struct, so that
 * one table of keys serves; each kind leaves what it does not need empty.
 */
enum ert_extra_kind {
    ERT_EXTRA_LATENCY, /* value: s per dependent load */
    ERT_EXTRA_ACCESS,  /* useful byte/s */
    ERT_EXTRA_CONCURRENCY, /* flop/s or byte/s of the ceiling `of` at `count` threads or warps */
    ERT_EXTRA_LINK,        /* byte/s */
    ERT_EXTRA_NUMA,        /* byte/s of a memory from a package */
    ERT_EXTRA_CORE_KIND, /* the ceiling `of` on all `count` cores of a kind */
    ERT_EXTRA_MULTI_GPU, /* the ceiling `of` while all GPUs ran it at once */
    ERT_EXTRA_NETWORK, /* between `count` hosts by the test `of`: s, byte/s or messages/s */
    ERT_EXTRA_COLLECTIVE, /* `of` among `count` GPUs by NCCL: s, or bus bandwidth in byte/s */
    ERT_N_EXTRA_KINDS
};

/* "latency", "access" ... "collectives": the keys of their lists in a file. */
extern const char *const ert_extra_words[ERT_N_EXTRA_KINDS];

struct ert_extra {
    struct ert_ceiling common;
    char of
        [32]; /* concurrency, multi-GPU: a ceiling's name; network, collectives: what is done */
    char operation[8]; /* unit of value: "s", "1/s", "byte/s" "flop/s" "op/s" "inst/s" */
    char level[16]; /* latency, access, concurrency of memory; place: the kind of memory */
    char from[16];  /* link: "host", "gpu0"; NUMA: "package0"; core kind: "IntelAtom" */
    char to[16];    /* link: "gpu1"; place: "node1" */
    char pattern[16]; /* "load", "duplex-pinned" */
    char axis[16];    /* concurrency: "threads", "warps-per-sm" */
    uint32_t count;   /* on that axis */
    uint32_t ilp; /* concurrency on a GPU: independent operations in flight per thread */
    uint64_t access_bytes; /* network, collectives: of a message */
    uint32_t stride_bytes;
    double actual_bytes;
    double alone; /* multi-GPU: the value of the device alone, same minutes; 0 none */
    /* multi-GPU, but for links between GPUs: sum of all devices' values; count times the slowest */
    double aggregate, lockstep;
    double imbalance; /* slowest / mean */
};

struct ert_memory_ceiling {
    struct ert_ceiling common;
    char level[16];          /* "L1"; as the device's levels are named */
    char pattern[16];        /* "load", "copy" */
    bool roof;               /* the best pattern of its level: the level's roof */
    double actual_bytes;     /* of the winning configuration */
    double plateau_bytes[2]; /* the plateau it stands on: smallest and largest set */
    double
        capacity_measured_bytes; /* where the plateau ends; 0: the sweep does not show it */
    double capacity_reported_bytes; /* by the topology, whole device */
};

/* A plateau of a curve that no level explains, or a second one inside a level's range. */
struct ert_unattributed_plateau {
    char kernel[24];
    char path[16];
    double bytes[2], rate_bytes_per_s;
    char why[160];
};

/* A ceiling that could not be measured here, and why. */
struct ert_not_measured {
    char name[32];
    char reason[192];
};

/* A point of the raw curves, for charts and checks: estimates of one configuration. */
struct ert_curve_point {
    char kernel[24];
    char path[16];
    char variant[48];
    uint32_t flops_per_element;
    double actual_bytes;
    double rate_bytes_per_s, perf_flop_per_s; /* estimates; 0 when the kernel has none */
    uint32_t n_samples;
};

struct ert_device_ceilings {
    char device[16]; /* id of the machine's device */
    size_t n_peaks, n_compute, n_memory, n_not_measured, n_unattributed, n_curve;
    size_t n_extra[ERT_N_EXTRA_KINDS];
    struct ert_peak peaks[ERT_MAX_PEAKS];
    struct ert_compute_ceiling compute[ERT_MAX_COMPUTE];
    struct ert_memory_ceiling memory[ERT_MAX_MEMORY];
    struct ert_extra extra[ERT_N_EXTRA_KINDS][ERT_MAX_EXTRA];
    struct ert_not_measured not_measured[ERT_MAX_NOT_MEASURED];
    struct ert_unattributed_plateau unattributed[ERT_MAX_PLATEAUS];
    struct ert_curve_point *curve; /* malloc */
    double held_hz;               /* median held clock of the compute ceilings; 0 unknown */
    struct ert_activity activity; /* of the host's CPUs while the device was measured */
    bool shares_cores;            /* pairs of CPUs have one core's units; not in the file */
    double between; /* between runs, as a ceiling's, by the drift within this one */
    bool valid;
    char
        warnings[ERT_WARNINGS_TEXT]; /* what makes it not valid, "; " between them, or "" */
};

struct ert_ceilings {
    char created[32];            /* when the samples were taken */
    char mode[32];               /* "ert-1.1.0 compatible" (ert110.h), "" for our own way */
    struct ert110_memory ert110; /* with that mode, else all 0 */
    char status[16]; /* of the run: "complete", "interrupted", "budget", "failed" */
    struct ert_machine *machine; /* malloc, owned */
    size_t n_devices;
    struct ert_device_ceilings *devices; /* malloc, owned */
};

/*
 * Reads a file (ceilings.schema.json). ERT_USAGE for another schema, a newer major version (named), a
 * ceiling's device that the machine does not have, and values of a wrong type or out of range.
 */
enum ert_status ert_ceilings_read(const char *file, struct ert_ceilings *ceilings,
                                  struct ert_error *error);

/* Peaks as the array "theory" of a file has them, the caller's. */
struct cJSON *ert_peaks_to_json(const struct ert_peak *peaks, size_t n);

/* Writes a file atomically, or to a stream; the stream's faults stay in it (ferror). */
enum ert_status ert_ceilings_write(const char *file, const struct ert_ceilings *ceilings,
                                   struct ert_error *error);
enum ert_status ert_ceilings_print(FILE *out, const struct ert_ceilings *ceilings,
                                   struct ert_error *error);

/* Frees what the struct owns; all zero or NULL is fine. */
void ert_ceilings_free(struct ert_ceilings *ceilings);

/* The i-th of a device's compute and memory ceilings: n_compute + n_memory in all. */
const struct ert_ceiling *ert_ceiling_at(const struct ert_device_ceilings *device,
                                         size_t i);

/* The rate of short regions and its interval: what other short regions are compared with. */
struct ert_burst {
    double value, low, high;
};
struct ert_burst ert_ceiling_burst(const struct ert_ceiling *ceiling);

/* "high", "medium", "low". */
const char *ert_confidence_name(enum ert_confidence confidence);

/* What the operations of a type are called, by its name: "flop", also of other names, "op" or "inst". */
const char *ert_operation_of(const char *type);

#endif
