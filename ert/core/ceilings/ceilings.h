/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ceilings: the measured ceilings of a machine as plain data, and their file format "ert-ceilings/4": the
 * contract between ert, which measures, and roofline, which places kernels and draws. It neither measures
 * nor fits.
 */
#ifndef ERT_CEILINGS_CEILINGS_H
#define ERT_CEILINGS_CEILINGS_H

#include "ert/core/backend/backend.h"
#include "ert/core/base/error.h"
#include "ert/core/machine/activity.h"
#include "ert/core/machine/machine.h"
#include "ert/core/machine/theory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ERT_MAX_ROUNDS = 40, /* kept per ceiling: enough to compare later measurements with */
    ERT_WARNINGS_TEXT = 2048 /* holds every condition bad and no main ceiling settled */
};

/* What the value of a ceiling is: in the file, in the exports' words, and nowhere said otherwise. */
#define ERT_CEILING_VALUE                                                                  \
    "the rate that three quarters of the samples do not exceed, never the fastest; where " \
    "a sustained rate was measured, that"

/* What a ceiling limits, in the order of lists. ROW(ID, its word in files, the title in `show`). */
#define ERT_CEILING_KINDS(ROW)                                                             \
    ROW(COMPUTE, "compute", "") /* operations of a type, by an execution unit */           \
    ROW(MEMORY, "memory", "") /* a level's bandwidth for a pattern of reads and writes */  \
    ROW(LATENCY, "latency", "latency of dependent loads") /* of a level: s per load */     \
    ROW(CONCURRENCY, "concurrency", "") /* the ceiling `of` at `count` threads or warps */ \
    ROW(LINK, "link", "links")          /* from the host or a device to another one */     \
    ROW(NUMA, "numa", "NUMA nodes from packages") /* a node's memory from a package */     \
    ROW(MULTI_GPU, "multi_gpu", "all devices at once") /* the ceiling `of`, each */        \
    ROW(NETWORK, "network", "network") /* between `count` hosts by the test `of` */        \
    ROW(COLLECTIVE, "collective", "NCCL (bus bandwidths)") /* `of` among `count` GPUs */   \
    ROW(ATOMIC, "atomic", "atomic additions")              /* of all threads of a CPU */   \
    ROW(LOADED, "loaded", "latency of dependent loads under load") /* of a level */

enum ert_ceiling_kind {
#define ERT_KIND_ID(id, word, title) ERT_CEILING_##id,
    ERT_CEILING_KINDS(ERT_KIND_ID) ERT_N_CEILING_KINDS
#undef ERT_KIND_ID
};

/* Their words; then NULL. */
extern const char *const ert_ceiling_kind_words[ERT_N_CEILING_KINDS + 1];

enum ert_unit {
    ERT_UNIT_FLOP_PER_S,
    ERT_UNIT_OP_PER_S,
    ERT_UNIT_INST_PER_S,
    ERT_UNIT_BYTE_PER_S,
    ERT_UNIT_PER_S,
    ERT_UNIT_S, /* shorter is better */
    ERT_N_UNITS
};

/* "flop/s", "op/s", "inst/s", "byte/s", "1/s", "s"; then NULL. */
extern const char *const ert_unit_words[ERT_N_UNITS + 1];

enum ert_confidence { ERT_CONFIDENCE_HIGH, ERT_CONFIDENCE_MEDIUM, ERT_CONFIDENCE_LOW };

struct ert_verdict {
    char word[16];  /* "agrees", "differs", "unavailable", or "" if not examined */
    char text[160]; /* what was found, or why nothing was */
};

/* What `ert validate` found about a ceiling. Ratios: the profiler's count / the tool's; 0: none. */
struct ert_proof {
    struct ert_verdict code,
        counters;      /* the inner loop's machine code; hardware counters */
    char profiler[16]; /* "ncu", "perf" */
    double bytes_ratio, flops_ratio;
    double deeper_share; /* of the bytes that reached the next deeper level; 0 unknown */
    double hit_rate;     /* of the ceiling's level; 0 unknown */
};

/* How a ceiling was measured, and what speaks for and against its value. Rates in the ceiling's unit. */
struct ert_evidence {
    double best; /* the fastest sample; of a sustained rate the fastest part */
    uint32_t n_samples;
    uint32_t n_rounds; /* 0: an older file, or a value not from rounds (ERT's mode) */
    /* Samples of short regions in the order of measurement; of more, an even selection. */
    double rounds[ERT_MAX_ROUNDS];
    double between;  /* relative standard deviation between runs; 0 unknown */
    uint32_t n_runs; /* `ert run --repeat`: runs behind the two numbers below; 0: one run */
    double runs_low, runs_high;     /* least and greatest value of those runs */
    struct ert_variant launch;      /* the configuration that won */
    uint32_t blocks;                /* GPU: blocks launched */
    double requested_bytes;         /* the set requested of the backend; 0 none */
    double actual_bytes;            /* that set as it was made; 0 none */
    uint32_t flops_per_element;     /* of a mode's kernel: to measure it again; else 0 */
    double most_passes;             /* of a region, where the mode sets it; else 0 */
    double capacity_measured_bytes; /* memory: where the plateau ends; 0: not seen */
    double clock_hz;                /* held during the samples, median; 0 unknown */
    double clock_low_hz;            /* of the slowest tenth or part; not in the file */
    char throttle_reasons[48];      /* as the driver reports them: "SW power cap", or "" */
    double sustained_s;             /* duration of a sustained `value`; 0: short regions */
    double falls_after_s; /* when the rate fell below short regions'; 0: it did not */
    /* Of short regions if sustained_s, else 0: their rate, and the clock, 0 unknown. */
    double burst, burst_low, burst_high, burst_clock_hz;
    double power_w;   /* while sustained; 0 unknown */
    double per_joule; /* flop or byte per joule while sustained; 0 unknown */
    char power_source[32];
    /* Of several threads; multi-GPU: of all devices, except links between them. 0: none. */
    double lockstep;   /* their number times the slowest one's rate */
    double aggregate;  /* multi-GPU: the sum; loaded: byte/s of all others */
    double alone;      /* multi-GPU: the device's value alone, in the same run; 0 none */
    char warning[160]; /* why the confidence is not high, or "" */
    struct ert_proof proof;
};

/* What a ceiling is of. Members that a kind does not use are "" or 0. */
struct ert_ceiling_key {
    char level[16];   /* a name of the device's levels: "L1"; NUMA: the kind of memory */
    char pattern[16]; /* "load", "copy", "duplex-pinned" */
    char type[8];     /* compute: "fp64" */
    char op[16];      /* compute: "fma", "add", "mma" */
    char unit[16];    /* compute: that executes them: "avx512", "core", "tensor" */
    char of[32];      /* another ceiling's name; network, collective: the test */
    char from[16];    /* link: "host", "gpu0"; NUMA: "package0" */
    char to[16];      /* link: "gpu1"; NUMA: "node1" */
    char axis[16];    /* concurrency: "threads", "warps-per-sm" */
    uint32_t count;   /* on that axis; how many took part */
    uint32_t ilp; /* concurrency on a GPU: independent operations in flight per thread */
    uint64_t access_bytes; /* network, collective: message size */
};

struct ert_ceiling {
    enum ert_ceiling_kind kind;
    char name[32];   /* "fp64-fma", "L1-load"; once in a device */
    char kernel[24]; /* row of kernels.def */
    struct ert_ceiling_key key;
    /*
     * Rate of the best configuration: sustained if that was measured, else the estimate of the undisturbed
     * rate in short regions (stats/stats.h).
     */
    double value;
    enum ert_unit unit;
    double low, high; /* the next run's value lies between with 90 % probability */
    /* The best of its type and operation, or of its level; of other kinds each. */
    bool is_roof;
    double theory;             /* the theoretical peak it is compared with; 0 unknown */
    double fraction_of_theory; /* 0: unknown; above 1 is kept, never clipped */
    enum ert_confidence confidence;
    struct ert_evidence *evidence; /* never NULL in a list, which owns it */
};

/* A part of a device's list; no owner. */
struct ert_ceiling_span {
    struct ert_ceiling *at;
    size_t n;
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

/* All lists are malloc'd and owned. */
struct ert_device_ceilings {
    char device[16]; /* id of the machine's device */
    size_t n, capacity;
    struct ert_ceiling *ceilings; /* in the order of their kinds; ert_ceiling_add() */
    size_t n_peaks, n_not_measured, n_unattributed;
    struct ert_peak *peaks;
    struct ert_not_measured *not_measured;
    struct ert_unattributed_plateau *unattributed;
    double held_hz; /* median held clock of compute, without any of memory; 0 unknown */
    struct ert_activity activity; /* of the host's CPUs while the device was measured */
    bool shares_cores;            /* pairs of CPUs share a core's units; not in the file */
    bool has_rates; /* its file's rounds are rates, as in /3, and not shares */
    double between; /* as a ceiling's, estimated from the drift within this run */
    bool valid;     /* whether any main ceiling is settled */
    /* What disturbed the run and, if it is not valid, which main ceilings are not settled; "; " between. */
    char warnings[ERT_WARNINGS_TEXT];
};

struct ert_ceilings {
    char created[32];    /* when the samples were taken */
    char mode[32];       /* its title (sweep/mode.h), "" for our own */
    char mode_data[256]; /* the mode's own business: a JSON object, or "" */
    char status[16];     /* of the run: "complete", "interrupted", "budget", "failed" */
    struct ert_machine *machine; /* malloc, owned */
    size_t n_devices;
    struct ert_device_ceilings *devices; /* malloc, owned */
};

/*
 * Reads a file (ceilings.schema.json). ERT_USAGE for another schema, a newer major version
 * (named), ceilings of a device that the file's machine lacks, values of a wrong type or out of range, and
 * ceilings whose numbers disagree (ert_ceiling_check).
 */
enum ert_status ert_ceilings_read(const char *file, struct ert_ceilings *ceilings,
                                  struct ert_error *error);

/* The peaks as an array; the caller owns it. */
struct cJSON *ert_peaks_to_json(const struct ert_peak *peaks, size_t n);

/* Writes to a file atomically. */
enum ert_status ert_ceilings_write(const char *file, const struct ert_ceilings *ceilings,
                                   struct ert_error *error);

/* Frees what the struct owns; accepts NULL and an all-zero struct. */
void ert_ceilings_free(struct ert_ceilings *ceilings);

/* The same for one device. */
void ert_device_ceilings_free(struct ert_device_ceilings *device);

/*
 * Adds a ceiling behind the others of its kind: a roof without a name or a value, its evidence all 0. Moves
 * the list, so that pointers into it end here. NULL, and errno ENOMEM, without memory.
 */
struct ert_ceiling *ert_ceiling_add(struct ert_device_ceilings *device,
                                    enum ert_ceiling_kind kind);

/* Whether a section's own kernel measured it: verify and validate take these, whatever their kind. */
bool ert_ceiling_is_of_section(const struct ert_ceiling *ceiling);

/* Names a ceiling of concurrency by its key: "fp64-fma-at-2-threads". */
void ert_ceiling_set_name(struct ert_ceiling *ceiling);

/* Removes all ceilings of a kind. */
void ert_ceilings_remove(struct ert_device_ceilings *device, enum ert_ceiling_kind kind);

/* A device's ceilings, or NULL; of a kind; those of compute and memory, which make the Roofline. */
struct ert_device_ceilings *ert_ceilings_device(const struct ert_ceilings *ceilings,
                                                const char *id);
struct ert_ceiling_span ert_ceilings_of(const struct ert_device_ceilings *device,
                                        enum ert_ceiling_kind kind);
struct ert_ceiling_span ert_ceilings_main(const struct ert_device_ceilings *device);

/* A ceiling's rate in short regions and its interval, for comparison with other short regions. */
struct ert_burst {
    double value, low, high;
};
struct ert_burst ert_ceiling_burst(const struct ert_ceiling *ceiling);

enum {
    ERT_SETTLED_SAMPLES = 3, /* fewer do not determine an interval */
    ERT_SETTLED_PERCENT =
        20, /* widest interval, high - low, of the value: 10 % to either side */
};

/* (high - low) / value. */
double ert_settled_width(const struct ert_ceiling *ceiling);

/*
 * Whether a ceiling has enough samples, a narrow interval, and no grave warning; if not, the reason in
 * why[size], NULL: not wanted. Disturbance only makes a machine slower: so a sample that is faster by more
 * than half of the widest interval shows that most of the others were disturbed, however much they agree.
 */
bool ert_settled_is(const struct ert_ceiling *ceiling, char *why, size_t size);

/*
 * Whether a ceiling's value, interval, rounds and fraction of theory say the same, as far as they are there:
 * some programs use one, some another. ERT_USAGE, with file and path, names the two that disagree.
 */
enum ert_status ert_ceiling_check(const struct ert_ceiling *ceiling, const char *file,
                                  const char *path, struct ert_error *error);

/*
 * Marks the roof of each memory level: what bounds a code of whose reads and writes nothing is known, so the
 * fastest of the patterns with ordinary stores (of all, where no other is there). Done when a file is read,
 * too: all programs give one answer.
 */
void ert_ceilings_mark_roofs(struct ert_device_ceilings *device);

/* "high", "medium", "low"; then NULL. */
extern const char *const ert_confidence_words[];

/* The unit of a type's operations by the type's name, FLOP/s for names that are in no table. */
enum ert_unit ert_unit_of_type(const char *type);

#endif
