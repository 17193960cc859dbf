/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics: derives points from named numbers, such as the metrics of a GPU profiler or the columns of a
 * table. A format's rows (rows.inc) list the quantities of a point (operations, bytes, time ...) and recipes,
 * sums of metrics that give them; this code adds up launches by these rows. Private to import.
 *
 * Operations, bytes, time and instructions are summed; clocks and warps are means weighted by time; rates and
 * averages are never summed. If a launch lacks a quantity, or has it by another recipe, the point lacks it,
 * with the reason.
 */
#ifndef RFL_IMPORT_METRICS_H
#define RFL_IMPORT_METRICS_H

#include "analysis/ext/import/common.h"
#include "ert/ext/ncu/units.h"

enum { RFL_NO_METRIC, RFL_MAX_METRICS = 128, RFL_MAX_TERMS = 6, RFL_MAX_SIGNS = 16 };

/* A name of a metric; if a metric has several, the first one found wins. */
struct rfl_metric {
    const char *name;
    unsigned id; /* the format's number of the metric, 1 to RFL_MAX_METRICS - 1 */
    enum ert_measure measure;
    /*
     * LABEL: a label of ncu's details page that several metrics share: another unit means another metric.
     * AS_PRINTED: any unit is accepted; SIGNED: the same, of numbers that can be below 0.
     */
    enum { RFL_UNIT_EXACT, RFL_UNIT_LABEL, RFL_UNIT_AS_PRINTED, RFL_UNIT_SIGNED } unit;
};

/* Where a quantity goes in a point, and how several launches are combined. */
enum rfl_place {
    RFL_TO_TIME,
    RFL_TO_WORK,
    RFL_TO_TRAFFIC,
    RFL_TO_REQUESTS, /* bytes that the code requests, not those that moved */
    RFL_TO_SUM,      /* a number of the point: summed */
    RFL_TO_MEAN,     /* the mean, weighted by time */
    RFL_TO_MAX,
    RFL_TO_VALUE_SUM, /* one of the point's values; if OPTIONAL only above 0 */
    RFL_TO_VALUE_MEAN
};

/* sum(weight * metric) * times[0] * times[1] / per; RFL_NO_METRIC counts as 1. */
struct rfl_recipe {
    const char *text;
    struct {
        unsigned metric;
        double weight; /* 0 ends the list */
    } terms[RFL_MAX_TERMS];
    unsigned times[2], per;
    unsigned n_fma;       /* how many of the last terms are the FMAs' operations */
    unsigned n_inner_fma; /* the same, of operations that the terms before contain */
    unsigned fma;         /* or a metric that counts FMAs, which a launch may lack */
    const char *cc;       /* only for this compute capability, or NULL: any */
    const char *unusable; /* why it gives no count, only a reason; or NULL */
    const char *remark;   /* a warning, or NULL; on some compute capabilities, "": on all */
    const char *remark_on;
};

struct rfl_quantity {
    const char *what; /* its name if it is missing */
    enum rfl_place place;
    const char *name, *unit; /* type and unit, level, or value */
    /*
     * OPTIONAL: it is not noted if it is 0. EXPECTED: its absence is noted even if none of its metrics is
     * present. ASIDE: operations that are left out if a quantity before it gave operations.
     */
    enum { RFL_OPTIONAL, RFL_FOUND, RFL_EXPECTED, RFL_ASIDE } need;
    size_t offset; /* of its number in struct rfl_point, for those places */
    /* The first one whose metrics a launch has all wins. text NULL ends the list. */
    const struct rfl_recipe *recipes;
};

/*
 * Metrics that split a level's traffic into reads and writes; only their ratio is used, so units cancel. The
 * first pair that the launch has completely is used. Atomics are left out, since they do both. Metrics of
 * local memory exist only if code spills, so they may be absent.
 */
struct rfl_read_split {
    const char *level;                           /* NULL ends the list */
    unsigned read, write, more_read, more_write; /* the last two may be absent */
};

/*
 * Metrics that are above 0 only if a kernel did something that its point lacks: operations of a type and
 * unit, or bytes of a level. They are named with the metrics that would bring it.
 */
struct rfl_sign {
    const char *glob; /* fnmatch(3) of the metric's name; NULL ends the list */
    const char *what; /* "tensor operations"; NULL: the metric says nothing of the kernel */
    const char *type; /* NULL: any, or that in "..._src_TYPE" of the name */
    const char *unit; /* NULL: bytes */
    const char *level;      /* or NULL: operations */
    const char *counted_by; /* a part of the recipe that counts it, too; or "" any */
    const char *hint;       /* which metrics count it */
};

/* The rows of a format. The first quantity of the place TIME precedes all that are weighted by it. */
struct rfl_metrics {
    const struct rfl_metric *names;
    const struct rfl_quantity *quantities;
    const struct rfl_read_split *splits;
    const struct rfl_sign *signs;
    size_t n_names, n_quantities;
    const char *no_operations; /* the note if no launch has operations; or NULL */
};

/* The metrics of a launch, or of all launches of a kernel if the profiler added them up. */
struct rfl_launch {
    const char *cc; /* compute capability; NULL unknown */
    size_t row;     /* where it begins */
    struct rfl_metric_value {
        const struct rfl_metric *as; /* the name as printed; NULL: absent */
        double value;
        enum ert_number kind;
        const char *why; /* it is no number; or NULL */
        size_t row;
    } values[RFL_MAX_METRICS];
    const char *signs[RFL_MAX_SIGNS]; /* the name of a metric above 0, by sign; NULL none */
};

/* A kernel: the quantities that any of its launches had, and its point. A profile can have a million. */
struct rfl_kernel {
    size_t point;
    struct rfl_sum {
        size_t quantity;
        const struct rfl_recipe *recipe; /* NULL: not all launches have it */
        double value;
        /* FMAs among operations, reads among bytes, NaN unknown; of a mean the sum of weights. */
        double part;
    } * sums;                  /* malloc */
    size_t n_sums, n_launches; /* that were added */
    const char *signs[RFL_MAX_SIGNS];
    /* Launches that were read, and those that failed; the first of these, and a metric that it lacks. */
    size_t n_read, n_failed, failed_row;
    unsigned failed_metric;
};

/* A column of a table; as NULL: only a sign. Texts are owned by the points. */
struct rfl_column {
    const struct rfl_metric *as;
    size_t at, sign;
    const char *title, *unit;
};

/* A profile while it is read: its kernels, and the launch that is read. */
struct rfl_kernels {
    const struct rfl_import *in;
    const struct rfl_metrics *tool;
    struct rfl_launch launch;
    struct rfl_kernel *kernels; /* malloc; with options->list only the last one */
    size_t n, capacity;
    struct ert_strings known, numbers; /* the names of metrics, and others; of kernels */
    struct rfl_column *columns;        /* malloc; of the table that is read */
    size_t n_columns, column_capacity;
};

/* Begins a profile; rfl_kernels_free frees what it then holds, but not the struct. */
void rfl_kernels_begin(struct rfl_kernels *kernels, const struct rfl_import *in,
                       const struct rfl_metrics *tool);
void rfl_kernels_free(struct rfl_kernels *kernels);

/* A metric by one of its names, NULL if it is not known; and its first name, for messages. */
const struct rfl_metric *rfl_metric_find(struct rfl_kernels *kernels, const char *name);
const char *rfl_metric_name(const struct rfl_metrics *tool, unsigned id);

/* The sign that a metric is, from 0; SIZE_MAX: none. */
size_t rfl_sign_of(const struct rfl_metrics *tool, const char *metric);

/* Notes in the launch a sign whose metric, as printed, is above 0. */
void rfl_launch_sign(struct rfl_launch *launch, size_t sign, const char *metric,
                     const char *text);

/*
 * Sets a metric of the launch to a cell of the current line, unless the launch has it under a preferred name.
 * A label with a unit of another measure is another metric. ERT_USAGE as rfl_cell_read.
 */
enum ert_status rfl_launch_set(const struct rfl_import *in, struct rfl_launch *launch,
                               const struct rfl_metric *as, const char *unit,
                               const char *text, struct ert_error *error);

/* Takes the titles in the current line's cells; those that are no metric are skipped. */
void rfl_columns_take(struct rfl_kernels *kernels);

/* Begins a launch, with the metrics in the current line's cells. ERT_USAGE for a line that is cut off. */
enum ert_status rfl_columns_read(struct rfl_kernels *kernels, struct ert_error *error);

/* The kernel of this name and run; is_alone, or if there is none: a new one, with its point. */
struct rfl_kernel *rfl_kernels_find(struct rfl_kernels *kernels, const char *name,
                                    const char *run, bool is_alone);

/* Adds a launch to a kernel; notes in its point what it lacks. ERT_USAGE for impossible numbers. */
enum ert_status rfl_kernel_add(const struct rfl_kernels *kernels, struct rfl_kernel *kernel,
                               const struct rfl_launch *launch, struct ert_error *error);

/* Puts what all launches have into the kernel's point, and clears it; `launches` is the reader's to count. */
void rfl_kernel_put(const struct rfl_kernels *kernels, struct rfl_kernel *kernel);

/* Forgets the launches that were added. */
void rfl_kernel_clear(struct rfl_kernel *kernel);

/*
 * Adds the launch to the kernel of this name and run, unless its name is not wanted; is_alone: as a point of
 * its own, which is put.
 */
enum ert_status rfl_launch_add(struct rfl_kernels *kernels, const char *name,
                               const char *run, bool is_alone, struct ert_error *error);

/* Puts all kernels. */
void rfl_kernels_put(const struct rfl_kernels *kernels);

#endif
