/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics: derives points from the metrics of a GPU profiler. A tool's tables list the quantities of a point
 * (operations, bytes, time ...) and recipes, sums of metrics that give them; this code adds up launches by
 * these tables. Private to import.
 *
 * Operations, bytes, time and instructions are summed; clocks and warps are means weighted by time; rates and
 * averages are never summed. If a launch lacks a quantity, or has it by another recipe, the point lacks it,
 * with the reason.
 */
#ifndef RFL_IMPORT_METRICS_H
#define RFL_IMPORT_METRICS_H

#include "analysis/ext/import/import.h"
#include "ert/core/base/units.h"

enum { RFL_NO_METRIC, RFL_MAX_METRICS = 128, RFL_MAX_QUANTITIES = 64, RFL_MAX_TERMS = 6 };

/* A name of a metric; if a metric has several, the first one found wins. */
struct rfl_metric {
    const char *name;
    unsigned id; /* the tool's number of the metric, 1 to RFL_MAX_METRICS - 1 */
    enum ert_measure measure;
    /*
     * LABEL: a label of ncu's details page that several metrics share: another unit means another metric.
     * AS_PRINTED: any unit is accepted.
     */
    enum { RFL_UNIT_EXACT, RFL_UNIT_LABEL, RFL_UNIT_AS_PRINTED } unit;
};

/* Where a quantity goes in a point, and how several launches are combined. */
enum rfl_place {
    RFL_TO_TIME,
    RFL_TO_WORK,
    RFL_TO_TRAFFIC,
    RFL_TO_SUM,  /* a number of the point: summed */
    RFL_TO_MEAN, /* the mean, weighted by time */
    RFL_TO_MAX,
    RFL_TO_VALUE_SUM, /* one of the point's values */
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
    unsigned fma;         /* or a metric that counts FMAs, which a launch may lack */
    const char *l2;       /* its definition of L2 bytes (rfl_import_options.l2), or NULL */
    const char *cc;       /* only for this compute capability, or NULL: any */
    const char *unusable; /* why it gives no count, only a reason; or NULL */
};

struct rfl_quantity {
    const char *what; /* its name if it is missing */
    enum rfl_place place;
    const char *name, *unit; /* type and unit, level, or value */
    /*
     * EXPECTED: its absence is noted even if none of its metrics is present. ASIDE: operations that are left
     * out if a quantity before it gave operations.
     */
    enum { RFL_OPTIONAL, RFL_EXPECTED, RFL_ASIDE } need;
    size_t offset; /* of its number in struct rfl_point, for those places */
    /* The first one whose metrics a launch has all wins. text NULL ends the list. */
    const struct rfl_recipe *recipes;
};

/* Row generators: a quantity, or a number of the point, with its recipes. */
#define RFL_RECIPES(...)                                                                   \
    (const struct rfl_recipe[])                                                            \
    {                                                                                      \
        __VA_ARGS__,                                                                       \
        {                                                                                  \
            0                                                                              \
        }                                                                                  \
    }
#define RFL_ROW(what, place, name, unit, need, offset, ...)                                \
    {what, RFL_TO_##place, name, unit, RFL_##need, offset, RFL_RECIPES(__VA_ARGS__)},
#define RFL_QUANTITY(what, place, name, unit, need, ...)                                   \
    RFL_ROW(what, place, name, unit, need, 0, __VA_ARGS__)
#define RFL_NUMBER(what, place, member, ...)                                               \
    RFL_ROW(what, place, "", "", OPTIONAL, offsetof(struct rfl_point, member), __VA_ARGS__)
#define RFL_RECIPE(how, form, ...)                                                         \
    {                                                                                      \
        .text = how, form, .terms = { __VA_ARGS__ }                                        \
    }

/*
 * Metrics that split a level's traffic into reads and writes; only their ratio is used, so units cancel. The
 * first pair that the launch has completely is used. Atomics are left out, since they do both. Metrics of
 * local memory exist only if code spills, so they may be absent.
 */
struct rfl_read_split {
    const char *level;
    unsigned read, write, more_read, more_write; /* the last two may be absent */
};

/*
 * Metrics that are above 0 only if a kernel did something that its point lacks: operations of a type and
 * unit, or bytes of a level. They are named with the metrics that would bring it.
 */
struct rfl_sign {
    const char *glob;       /* fnmatch(3) of the metric's name */
    const char *what;       /* "tensor operations" */
    const char *type;       /* NULL: any, or that in "..._src_TYPE" of the name */
    const char *unit;       /* NULL: bytes */
    const char *level;      /* or NULL: operations */
    const char *counted_by; /* a part of the recipe that counts it, too; or "" any */
    const char *hint;       /* which metrics count it */
};
enum { RFL_MAX_SIGNS = 16 };

struct rfl_launch;

/* The tables of a tool. The first quantity of the place TIME precedes all that are weighted by it. */
struct rfl_metrics {
    const struct rfl_metric *names;
    const struct rfl_quantity *quantities;
    const struct rfl_read_split *splits;
    const struct rfl_sign *signs;
    size_t n_names, n_quantities, n_splits, n_signs;
    /* Adds remarks about a recipe to the point when it is first used; or NULL. */
    void (*remark)(struct rfl_point *point, const struct rfl_launch *launch,
                   const struct rfl_recipe *recipe);
    const char *no_operations; /* the note if no launch has operations; or NULL */
};

/* The metrics of a launch, or of all launches of a kernel if the profiler added them up. */
struct rfl_launch {
    const char *cc; /* compute capability; "" unknown */
    size_t row;     /* where it begins */
    struct rfl_metric_value {
        const struct rfl_metric *as; /* the name as printed; NULL: absent */
        double value;
        enum ert_number kind;
        const char *why; /* it is no number; or NULL */
        size_t row;
    } values[RFL_MAX_METRICS];
};

/* The quantities of a kernel's launches so far; start with all zero. */
struct rfl_sums {
    struct rfl_sum {
        const struct rfl_recipe *recipe; /* NULL: absent */
        bool is_seen, is_dropped;        /* is_dropped: not all launches have it */
        double value, weight;
        double part; /* FMAs among operations, reads among bytes; NaN unknown */
    } of[RFL_MAX_QUANTITIES];
    const char *signs[RFL_MAX_SIGNS]; /* the name of a metric above 0, by sign; NULL none */
};

/* The sign that a metric is, from 0; SIZE_MAX: none. */
size_t rfl_sign_of(const struct rfl_metrics *tool, const char *metric);

/* The first name of a metric, for messages. */
const char *rfl_metric_name(const struct rfl_metrics *tool, unsigned id);

/* Adds a launch; notes in the point what it lacks. ERT_USAGE for impossible numbers. */
enum ert_status rfl_sums_add(const struct rfl_metrics *tool, const struct rfl_import *in,
                             const struct rfl_launch *launch, struct rfl_sums *sums,
                             struct rfl_point *point, struct ert_error *error);

/* Puts the quantities that all launches have into the point, whose `launches` is set. */
void rfl_sums_put(const struct rfl_metrics *tool, const struct rfl_sums *sums,
                  struct rfl_point *point);

#endif
