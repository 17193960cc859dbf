/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * points: what a piece of code did: its operations, the bytes it moved at each level, its time. From
 * a profiler (analysis/import), from points.json (points_json.h), from ert-gpp, or given by hand.
 * It places nothing: place.h does.
 *
 * A count that is not known is not zero: it is absent, and `missing` says why.
 */
#ifndef RFL_POINTS_H
#define RFL_POINTS_H

#include "analysis/strings.h"
#include "ert/base/error.h"

#include <stdbool.h>

enum {
    RFL_MAX_WORK = 8,    /* types and units of one point */
    RFL_MAX_TRAFFIC = 8, /* levels of one point */
    RFL_MAX_MISSING = 8,
    RFL_MAX_WARNINGS = 4,
    RFL_MAX_VALUES = 32
};

/* Operations of one type on one unit. */
struct rfl_work {
    char type[8];       /* "fp64", "fp32", "fp16", "int32" ... as in ceilings.json */
    char unit[16];      /* "core", "tensor", "amx"; "" where the counter does not tell */
    double flops;       /* floating-point (or integer) operations; an FMA counts 2 */
    double fma_share;   /* of its arithmetic instructions, 0 to 1 (model.h); NaN unknown */
    const char *recipe; /* how it was counted: "dadd + dmul + 2 dfma (ncu)" */
};

/* Bytes that crossed the upper edge of a level: those that its bandwidth ceiling counts. */
struct rfl_traffic {
    char level[16];    /* "L1", "shared", "L2", "L3", "HBM", "DRAM", "MCDRAM", "host" */
    double bytes;      /* above 0 */
    double read_bytes; /* of them; NaN unknown */
    /* That moved, as counters see them, write-allocates included; else that the code asked for. */
    bool is_actual;
    bool is_streaming;  /* the stores are known to be non-temporal */
    const char *recipe; /* "lts__t_sectors_srcunit_tex.sum x 32 B" */
};

struct rfl_missing {
    const char *what;   /* "L2 bytes", "time", "fp64 flops" */
    const char *reason; /* with file, row and column where there are such */
};

/* Any other number of a point: "l2_hit_fraction", "relative_error". */
struct rfl_value {
    const char *name;
    double value;
};

struct rfl_points;

struct rfl_point {
    struct rfl_points *set; /* that it is in, and whose its texts are */
    const char *name;       /* of the kernel, region or version; never NULL */
    const char *run;        /* the series that it is in, "" none: "nw=2", "v100", a file */
    const char *source;     /* "profile.csv", "--flops" */
    const char *format;     /* of the importer: "ncu", "likwid"; "points", "hand" */
    double time_s; /* of all launches together; 0 unknown (and then named in missing) */
    double time_low_s, time_high_s; /* interval of the same, 0 unknown */
    const char *time_recipe;
    double launches;        /* summed in this point; 0 unknown */
    double instructions;    /* warp instructions (GPU) or instructions (CPU); 0 unknown */
    double clock_hz;        /* of the cores or SMs while it ran; 0 unknown */
    double memory_clock_hz; /* 0 unknown */
    double warps_per_sm;    /* GPU: achieved, average; 0 unknown */
    double threads;         /* CPU: threads that worked; 0 unknown */
    double registers;       /* GPU: per thread; 0 unknown */
    double energy_j;        /* 0 unknown */
    double scale;           /* of a scaling study: threads, nodes, problem size; 0 none */
    size_t n_work, n_traffic, n_missing, n_warnings, n_values;
    struct rfl_work work[RFL_MAX_WORK];
    struct rfl_traffic traffic[RFL_MAX_TRAFFIC];
    struct rfl_missing missing[RFL_MAX_MISSING];
    const char *warnings[RFL_MAX_WARNINGS];
    struct rfl_value values[RFL_MAX_VALUES];
};

/* The plain numbers of a point, of which 0 is unknown: their key in files, name and unit in tables. */
struct rfl_point_number {
    const char *key, *name, *unit;
    size_t offset;    /* of the double in struct rfl_point */
    bool is_compared; /* between versions */
};
enum { RFL_N_POINT_NUMBERS = 10 };
extern const struct rfl_point_number rfl_point_numbers[RFL_N_POINT_NUMBERS];
double rfl_point_number(const struct rfl_point *point, size_t i);

/* Stays where it is while points are added or change: they hold its address. */
struct rfl_points {
    size_t n, capacity;
    struct rfl_point *points;   /* malloc, owned; moves when points are added */
    struct ert_strings strings; /* all texts of the points */
    struct ert_error error;     /* the first of what was refused; rfl_points_status() */
    /* Where the counts come from as a whole ("Nsight Compute 2025.3, H200, cc 9.0"), or NULL. */
    const char *origin;
    /*
     * Of the recordings that the points are of: the time of the program without a profiler, and that in
     * which the device worked, on what is not among the points too; 0 unknown.
     */
    double elapsed_s, busy_s;
};

/* Appends an empty point of a name; valid until the next one is added. Texts are copied. */
struct rfl_point *rfl_points_add(struct rfl_points *points, const char *name);

/* The first of the errors of the functions below, which stays in the set as a stream's does. */
enum ert_status rfl_points_status(const struct rfl_points *points, struct ert_error *error);

/* The first point from `first` on that has this name, or NULL; valid until one is added. */
struct rfl_point *rfl_points_named(const struct rfl_points *points, size_t first,
                                   const char *name);

/*
 * Adds to a point; operations of a type and unit, and bytes of a level, that it has already are
 * summed (of fma_share the mean weighted by instructions: flops / (1 + share)). recipe may be NULL.
 * ERT_USAGE for counts that are negative or not finite, or more types or levels than fit. A count
 * of 0 flops is left out silently; 0 bytes are kept as missing ("0 bytes were counted").
 */
enum ert_status rfl_points_work(struct rfl_point *point, const char *type, const char *unit,
                                double flops, double fma_share, const char *recipe);
enum ert_status rfl_points_traffic(struct rfl_point *point, const char *level, double bytes,
                                   const char *recipe);

/*
 * As rfl_points_traffic, of bytes of which `read_bytes` were read (NaN: unknown, and with them the sum);
 * is_actual: see struct rfl_traffic. ERT_USAGE also for more read bytes than bytes.
 */
enum ert_status rfl_points_accesses(struct rfl_point *point, const char *level,
                                    double bytes, double read_bytes, bool is_actual,
                                    const char *recipe);

/* Whether the stores of a level's bytes are non-temporal; of a level without bytes nothing. */
void rfl_points_streaming(struct rfl_point *point, const char *level, bool is_streaming);

/* Sets a value of a point; one that is not finite is left out. ERT_USAGE when there are too many. */
enum ert_status rfl_points_value(struct rfl_point *point, const char *name, double value);

/* A value by its name; NaN when the point has none. */
double rfl_point_value(const struct rfl_point *point, const char *name);

/* Whether a point that has operations has bytes of a level: a chart can draw it there. */
bool rfl_points_work_at(const struct rfl_points *points, const char *level);

/* The share of a traffic that was read; NaN unknown. */
double rfl_traffic_read_share(const struct rfl_traffic *traffic);

/*
 * Whether most bytes of the next level pass by a level, which then says little of the code: on GPUs from
 * cc 9.0 on what TMA copies from L2 to shared memory, which L1's counter does not see.
 */
bool rfl_traffic_is_passed_by(const struct rfl_point *point,
                              const struct rfl_traffic *traffic);

/* Notes what a point lacks, or a warning; one too many is dropped (the last says so). */
void rfl_points_missing(struct rfl_point *point, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rfl_points_warn(struct rfl_point *point, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Takes back what rfl_points_missing noted. */
void rfl_point_remove_missing(struct rfl_point *point, const char *what);

/* A text that lives as long as the points, in points->strings; NULL: "". */
const char *rfl_points_text(struct rfl_points *points, const char *text);

/*
 * Judges the points from `first` on, once, when all of a file is read: a point without time or work
 * gets it named as missing; levels whose intensity falls on the way to memory (L1 <= L2 <= L3 <=
 * memory is what caches do) get a warning that says why that happens.
 */
void rfl_points_judge(struct rfl_points *points, size_t first);

/* Why a point lacks operations of which no file said why: they may have been 0. */
extern const char rfl_none_counted[];

/*
 * The time that a point's share is of: launches on a GPU are a share of the time that it worked, regions of
 * a CPU of the program's; where that is not known, of all points together.
 */
double rfl_points_time(const struct rfl_points *points, bool is_cpu);

/* Operations of a point, of all types. */
double rfl_point_flops(const struct rfl_point *point);

/* Its arithmetic instructions, an FMA being one of two operations; NaN where a share of FMA is unknown. */
double rfl_point_instructions(const struct rfl_point *point);

/* The traffic of a level, or NULL. */
const struct rfl_traffic *rfl_point_traffic(const struct rfl_point *point,
                                            const char *level);

/* Numbers given by hand, where counters are forbidden or the counts are known from the algorithm. */
struct rfl_hand {
    const char *name; /* NULL: "by hand" */
    double flops;     /* 0: none */
    const char *type; /* "fp64" */
    const char *unit; /* "core"; "" not told */
    double fma_share; /* negative: not known */
    /* "L1=4e9,HBM=1GiB" (ert_units_parse_size); read and written: "DRAM=1e9r+5e8w"; or NULL */
    const char *bytes;
    bool is_actual; /* the bytes are those that moved (points.h, struct rfl_traffic) */
    double time_s;  /* 0: not known */
    double instructions, energy_j; /* 0: not known */
};

/*
 * Appends the point, judged. ERT_USAGE for bytes of another form, a level that appears twice, and when
 * there are neither operations nor bytes.
 */
enum ert_status rfl_hand_point(const struct rfl_hand *hand, struct rfl_points *points,
                               struct ert_error *error);

/* Frees all; all zero or NULL is fine. */
void rfl_points_free(struct rfl_points *points);

#endif
