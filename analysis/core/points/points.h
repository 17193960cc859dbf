/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * points: what a piece of code did: its operations, the bytes it moved at each level, its time. From a
 * profiler (analysis/ext/import), points.json (points_json.c), ert-gpp, or given by hand. place.h places them
 * under roofs.
 *
 * An unknown count is not zero but absent, and `missing` says why.
 */
#ifndef RFL_POINTS_H
#define RFL_POINTS_H

#include "ert/core/base/error.h"
#include "ert/core/base/strings.h"

#include <stdbool.h>

enum {
    RFL_MAX_WORK = 16,    /* types and units of one point */
    RFL_MAX_TRAFFIC = 12, /* levels of one point */
    RFL_MAX_MISSING = 16,
    RFL_MAX_WARNINGS = 12,
    RFL_MAX_VALUES = 32
};

/* Operations of one type on one unit. */
struct rfl_work {
    char type[8];       /* "fp64", "fp32", "fp16", "int32" ... as in ceilings.json */
    char unit[16];      /* "core", "tensor", "amx"; "" if the counter does not tell */
    double flops;       /* floating-point (or integer) operations; an FMA counts 2 */
    double fma_share;   /* of the arithmetic instructions, 0 to 1 (model.h); NaN unknown */
    const char *recipe; /* how it was counted: "dadd + dmul + 2 dfma (ncu)" */
};

/* Bytes between a level and the next one towards the core, as its bandwidth ceiling counts them. */
struct rfl_traffic {
    char level[16];    /* "L1", "shared", "L2", "L3", "HBM", "DRAM", "MCDRAM", "host" */
    double bytes;      /* above 0 */
    double read_bytes; /* part of `bytes`; NaN unknown */
    /* True: bytes that moved, as counters see them, with write-allocates; false: bytes requested. */
    bool is_actual;
    bool is_streaming;  /* the stores are known to be non-temporal */
    const char *recipe; /* "lts__t_sectors_srcunit_tex.sum x 32 B" */
};

struct rfl_missing {
    const char *what;   /* "L2 bytes", "time", "fp64 flops" */
    const char *reason; /* with file, row and column if there are any */
};

/* Any other number of a point: "l2_hit_fraction", "relative_error". */
struct rfl_value {
    const char *name;
    double value;
};

struct rfl_points;

struct rfl_point {
    struct rfl_points *set; /* the set that contains it and owns its texts */
    const char *name;       /* of the kernel, region or version; never NULL */
    const char *run;        /* its series, "" none: "nw=2", "v100", a file */
    const char *source;     /* "profile.csv", "--flops" */
    const char *format;     /* of the importer: "ncu", "likwid"; "points", "hand" */
    double time_s; /* of all launches together; 0 unknown (then listed in missing) */
    double time_low_s, time_high_s; /* its interval; 0 unknown */
    const char *time_recipe;
    double launches;        /* summed in this point; 0 unknown */
    double instructions;    /* warp instructions (GPU) or instructions (CPU); 0 unknown */
    double clock_hz;        /* of the cores or SMs while it ran; 0 unknown */
    double memory_clock_hz; /* 0 unknown */
    double warps_per_sm;    /* GPU: achieved, average; 0 unknown */
    double threads;         /* CPU: threads that worked; 0 unknown */
    double registers;       /* GPU: per thread; 0 unknown */
    double energy_j;        /* 0 unknown */
    double scale;           /* scaling study: threads, nodes, problem size; 0 none */
    /* Lists in the set's memory, as a million points have few entries each. */
    size_t n_work, n_traffic, n_missing, n_warnings, n_values;
    struct rfl_work *work;
    struct rfl_traffic *traffic;
    struct rfl_missing *missing;
    const char **warnings;
    struct rfl_value *values;
};

/* The numbers of a point for which 0 means unknown: their key in files, name and unit in tables. */
struct rfl_point_number {
    const char *key, *name, *unit;
    size_t offset;    /* of the double in struct rfl_point */
    bool is_compared; /* compared between versions */
};
enum { RFL_N_POINT_NUMBERS = 10 };
extern const struct rfl_point_number rfl_point_numbers[RFL_N_POINT_NUMBERS];
double rfl_point_number(const struct rfl_point *point, size_t i);

/* A set of points. Its address must not change: the points refer to it. */
struct rfl_points {
    size_t n, capacity;
    struct rfl_point *points;   /* malloc, owned; moves when points are added */
    struct ert_strings strings; /* all texts and lists of the points */
    struct ert_error error;     /* the first error; rfl_points_status() */
    /* The source of all counts ("Nsight Compute 2025.3, H200, cc 9.0"), or NULL. */
    const char *origin;
    /*
     * Of the recorded runs: the program's time without a profiler, and the time in which the device worked,
     * also on what is not among the points; 0 unknown.
     */
    double elapsed_s, busy_s;
};

/* Appends an empty point with a name; valid until the next one is added. Texts are copied. */
struct rfl_point *rfl_points_add(struct rfl_points *points, const char *name);

/* The first error of the functions below; it stays in the set, as ferror()'s does in a stream. */
enum ert_status rfl_points_status(const struct rfl_points *points, struct ert_error *error);

/*
 * Add to a point. If it already has operations of the type and unit, or bytes of the level, they are summed
 * (fma_share: the mean weighted by instructions, flops / (1 + share)). recipe may be NULL. ERT_USAGE for
 * counts that are negative or not finite, and for more types or levels than fit. 0 flops are left out
 * silently; 0 bytes become a missing count ("0 bytes were counted").
 */
enum ert_status rfl_points_work(struct rfl_point *point, const char *type, const char *unit,
                                double flops, double fma_share, const char *recipe);
enum ert_status rfl_points_traffic(struct rfl_point *point, const char *level, double bytes,
                                   const char *recipe);

/*
 * As rfl_points_traffic, with read_bytes of the bytes being reads (NaN: unknown, which makes their sum
 * unknown); is_actual: see struct rfl_traffic. ERT_USAGE also for more read bytes than bytes.
 */
enum ert_status rfl_points_accesses(struct rfl_point *point, const char *level,
                                    double bytes, double read_bytes, bool is_actual,
                                    const char *recipe);

/* Adds another point's traffic, so often; stores to the level are known to stream only if all of them do. */
void rfl_points_add_traffic(struct rfl_point *point, const struct rfl_traffic *traffic,
                            double times);

/* Sets whether the stores to a level are non-temporal; does nothing if it has no bytes. */
void rfl_points_streaming(struct rfl_point *point, const char *level, bool is_streaming);

/* Sets a value of a point; one that is not finite is left out. ERT_USAGE when there are too many. */
enum ert_status rfl_points_value(struct rfl_point *point, const char *name, double value);

/* A value by its name; NaN when the point has none. */
double rfl_point_value(const struct rfl_point *point, const char *name);

/* The share of reads in the bytes; NaN unknown. */
double rfl_traffic_read_share(const struct rfl_traffic *traffic);

/*
 * Whether most bytes of the next level bypass this level, which then tells little about the code: on GPUs
 * from cc 9.0 on, TMA copies from L2 to shared memory, which L1's counter does not see.
 */
bool rfl_traffic_is_passed_by(const struct rfl_point *point,
                              const struct rfl_traffic *traffic);

/* Note what a point lacks, or a warning; those that do not fit are dropped, and the last says so. */
void rfl_points_missing(struct rfl_point *point, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rfl_points_warn(struct rfl_point *point, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether a point is noted to lack something. */
bool rfl_point_lacks(const struct rfl_point *point, const char *what);

/* Removes what rfl_points_missing() noted. */
void rfl_point_remove_missing(struct rfl_point *point, const char *what);

/* Copies as many whole characters as fit, with ".." for the rest, to text[size]; size at least 4. */
void rfl_name_cut(const char *name, char *text, size_t size);

/* A copy (malloc) of a text without words that begin with a digit: equal for texts of one kind. */
char *rfl_text_kind(const char *text);

/* Copies a text into points->strings, so that it lives as long as the points; NULL: "". */
const char *rfl_points_text(struct rfl_points *points, const char *text);

/*
 * Checks the points from index `first` on, once a file is read completely: lists an absent time or work as
 * missing, and calls rfl_points_judge_order.
 */
void rfl_points_judge(struct rfl_points *points, size_t first);

/*
 * Warns, with the possible causes, if intensities fall on the way to memory (with caches L1 <= L2 <= L3 <=
 * memory). The extension that knows counters defines it; NULL: this build says nothing.
 */
extern void (*const rfl_points_judge_order)(struct rfl_point *point);

/* The bytes of the next level further from the cores than this depth (levels.h); NULL: none. */
const struct rfl_traffic *rfl_point_outer(const struct rfl_point *point, int depth);

/* The reason for missing operations if no file gives one: they may have been 0. */
extern const char rfl_none_counted[];

/*
 * The total time of which a point is a share, in s: for launches on a GPU the time in which it worked, for
 * regions on a CPU the program's; if unknown, the sum over all points.
 */
double rfl_points_time(const struct rfl_points *points, bool is_cpu);

/* For qsort of pointers to points of a set: the longest first, then in their order. */
int rfl_point_compare_times(const void *left, const void *right);

/* The operations of a point, summed over all types. */
double rfl_point_flops(const struct rfl_point *point);

/* Its arithmetic instructions (an FMA is one, with two operations); NaN if a share of FMA is unknown. */
double rfl_point_instructions(const struct rfl_point *point);

/* The traffic of a level, or NULL. */
const struct rfl_traffic *rfl_point_traffic(const struct rfl_point *point,
                                            const char *level);

/* Numbers given by hand, where counters are forbidden or the counts are known from the algorithm. */
struct rfl_hand {
    const char *name; /* NULL: "by hand" */
    double flops;     /* 0: none */
    const char *type; /* "fp64" */
    const char *unit; /* "core"; "" unknown */
    double fma_share; /* negative: unknown */
    /* "L1=4e9,HBM=1GiB" (ert_units_parse_size); reads and writes: "DRAM=1e9r+5e8w"; or NULL */
    const char *bytes;
    bool is_actual;                /* as in struct rfl_traffic */
    double time_s;                 /* 0: unknown */
    double instructions, energy_j; /* 0: unknown */
};

/*
 * Appends the point and checks it (rfl_points_judge). ERT_USAGE for bytes of another form, a level that
 * appears twice, and when there are neither operations nor bytes.
 */
enum ert_status rfl_hand_point(const struct rfl_hand *hand, struct rfl_points *points,
                               struct ert_error *error);

/* Frees all; accepts NULL and an all-zero struct. */
void rfl_points_free(struct rfl_points *points);

#endif
