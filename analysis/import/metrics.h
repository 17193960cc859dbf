/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics: what the metrics of a GPU's profiler say. A tool's tables name quantities of a point (operations,
 * bytes, time ...) and recipes, sums of metrics that give them; here launches are added up by them. Private
 * to import.
 *
 * Operations, bytes, time and instructions are summed; clocks and warps are means weighted by time; rates
 * and averages are never summed. A quantity that one of the launches lacks, or has by another recipe, is left
 * out of the sum, with the reason.
 */
#ifndef RFL_IMPORT_METRICS_H
#define RFL_IMPORT_METRICS_H

#include "analysis/import/import.h"
#include "ert/base/units.h"

enum { RFL_NO_METRIC, RFL_MAX_METRICS = 96, RFL_MAX_QUANTITIES = 48, RFL_MAX_TERMS = 6 };

/* A name of a metric; of several the first wins. */
struct rfl_metric {
    const char *name;
    unsigned id; /* the tool's number of the metric, 1 to RFL_MAX_METRICS - 1 */
    enum ert_measure measure;
    /*
     * LABEL: of ncu's details page, where several metrics share one, so that another unit is another.
     * AS_PRINTED: in any unit.
     */
    enum { RFL_UNIT_EXACT, RFL_UNIT_LABEL, RFL_UNIT_AS_PRINTED } unit;
};

/* Where a quantity goes in a point, and how those of several launches become one. */
enum rfl_place {
    RFL_TO_TIME,
    RFL_TO_WORK,
    RFL_TO_TRAFFIC,
    RFL_TO_SUM,  /* a number of the point, summed */
    RFL_TO_MEAN, /* weighted by time */
    RFL_TO_MAX,
    RFL_TO_VALUE_SUM, /* one of its values */
    RFL_TO_VALUE_MEAN
};

/* sum(weight * metric) * times[0] * times[1] / per; metrics that are RFL_NO_METRIC: 1. */
struct rfl_recipe {
    const char *text;
    struct {
        unsigned metric;
        double weight; /* 0 ends the list */
    } terms[RFL_MAX_TERMS];
    unsigned times[2], per;
    bool has_fma;         /* the last term is the FMAs' operations */
    unsigned fma;         /* or a metric that counts FMAs, which a launch may lack */
    const char *l2;       /* the definition of L2 bytes that it is, or NULL */
    const char *cc;       /* only for this compute capability, or NULL: any */
    const char *unusable; /* why it gives no count, only a reason; or NULL */
};

struct rfl_quantity {
    const char *what; /* where it is missing */
    enum rfl_place place;
    const char *name, *unit; /* type and unit, level, or value */
    /*
     * EXPECTED: its absence is noted even where none of its metrics is there. ASIDE: operations that are left
     * out beside those of the quantities before it.
     */
    enum { RFL_OPTIONAL, RFL_EXPECTED, RFL_ASIDE } need;
    size_t offset; /* in struct rfl_point, of the places for its numbers */
    /* The first of which a launch has all metrics wins. text NULL ends them. */
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
 * Metrics that tell reads of a level from writes; a pair's units cancel. The first pair of which the launch
 * has both tells. Atomics are left out: they are both. Local memory is there only where code spills, so it
 * may be absent.
 */
struct rfl_read_split {
    const char *level;
    unsigned read, write, more_read, more_write; /* the last two may be absent */
};

struct rfl_launch;

/* The tables of a tool. The first quantity of the place TIME stands before all that are weighted by it. */
struct rfl_metrics {
    const struct rfl_metric *names;
    const struct rfl_quantity *quantities;
    const struct rfl_read_split *splits;
    size_t n_names, n_quantities, n_splits;
    /* Says what is to be known of a recipe when it is first used; or NULL. */
    void (*remark)(struct rfl_point *point, const struct rfl_launch *launch,
                   const struct rfl_recipe *recipe);
    const char *no_operations; /* what to say where no launch has any; or NULL */
};

/* The metrics of a launch, or of all launches of a kernel that a profiler added up. */
struct rfl_launch {
    const char *cc; /* compute capability; "" unknown */
    size_t row;     /* where it begins */
    struct rfl_metric_value {
        const struct rfl_metric *as; /* as printed; NULL: not there */
        double value;
        enum ert_number kind;
        size_t row;
    } values[RFL_MAX_METRICS];
};

/* The quantities of a kernel's launches so far; all zero at first. */
struct rfl_sums {
    struct rfl_sum {
        const struct rfl_recipe *recipe; /* NULL: absent */
        bool is_seen, is_dropped;        /* the last: not all launches have it */
        double value, weight;
        double part; /* FMAs among operations, reads among bytes; NaN unknown */
    } of[RFL_MAX_QUANTITIES];
};

/* The first name of a metric, to tell a user which one is meant. */
const char *rfl_metric_name(const struct rfl_metrics *tool, unsigned id);

/* Adds a launch; what it lacks is noted in the point. ERT_USAGE for numbers that are impossible. */
enum ert_status rfl_sums_add(const struct rfl_metrics *tool, const struct rfl_import *in,
                             const struct rfl_launch *launch, struct rfl_sums *sums,
                             struct rfl_point *point, struct ert_error *error);

/* Puts what all launches have into the point, whose number of launches is set. */
void rfl_sums_put(const struct rfl_metrics *tool, const struct rfl_sums *sums,
                  struct rfl_point *point);

#endif
