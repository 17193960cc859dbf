/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/import/metrics.h"

#include <fnmatch.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

const char *rfl_metric_name(const struct rfl_metrics *tool, unsigned id)
{
    size_t i = 0;
    while (tool->names[i].id != id)
        i++;
    return tool->names[i].name;
}

static bool metrics_has(const struct rfl_launch *launch, unsigned metric)
{
    return launch->values[metric].as && launch->values[metric].kind == ERT_NUMBER;
}

static double metrics_value_of(const struct rfl_launch *launch, unsigned metric)
{
    return metrics_has(launch, metric) ? launch->values[metric].value : 0;
}

/* The first metric that a launch lacks for a recipe; RFL_NO_METRIC if it has all. */
static unsigned lacks(const struct rfl_recipe *recipe, const struct rfl_launch *launch)
{
    for (size_t t = 0; t < RFL_MAX_TERMS && recipe->terms[t].weight > 0; t++)
        if (!metrics_has(launch, recipe->terms[t].metric))
            return recipe->terms[t].metric;
    for (size_t t = 0; t < 2; t++)
        if (recipe->times[t] && !metrics_has(launch, recipe->times[t]))
            return recipe->times[t];
    /* A time from a clock that did not advance is unknown. */
    return recipe->per && !(metrics_value_of(launch, recipe->per) > 0) ? recipe->per
                                                                       : RFL_NO_METRIC;
}

/*
 * The first recipe of a quantity whose metrics a launch has all; else the one of which it has most (n_there),
 * with the lacking metric, or NULL.
 */
struct choice {
    const struct rfl_recipe *recipe;
    unsigned lacking;
    size_t n_there;
};

static struct choice metrics_choose(const struct rfl_quantity *row,
                                    const struct rfl_launch *launch, const char *l2)
{
    struct choice best = {NULL, RFL_NO_METRIC, 0};
    for (const struct rfl_recipe *recipe = row->recipes; recipe->text; recipe++) {
        if ((recipe->cc && strcmp(recipe->cc, launch->cc) != 0) ||
            (recipe->l2 && l2 && strcmp(recipe->l2, l2) != 0))
            continue;
        struct choice one = {recipe, lacks(recipe, launch),
                             metrics_has(launch, recipe->fma)};
        if (!one.lacking)
            return one;
        for (size_t t = 0; t < RFL_MAX_TERMS && recipe->terms[t].weight > 0; t++)
            one.n_there += launch->values[recipe->terms[t].metric].as != NULL;
        if (!recipe->unusable && (!best.recipe || one.n_there > best.n_there))
            best = one;
    }
    return best;
}

/* The share of reads in a level's bytes, from further metrics of the launch; NaN unknown. */
static double read_share(const struct rfl_metrics *tool, const char *level,
                         const struct rfl_launch *launch)
{
    for (size_t i = 0; i < tool->n_splits; i++) {
        const struct rfl_read_split *split = &tool->splits[i];
        if (strcmp(split->level, level) != 0 || !metrics_has(launch, split->read) ||
            !metrics_has(launch, split->write))
            continue;
        double read = metrics_value_of(launch, split->read) +
                      metrics_value_of(launch, split->more_read);
        double written = metrics_value_of(launch, split->write) +
                         metrics_value_of(launch, split->more_write);
        return read + written > 0 ? read / (read + written) : NAN;
    }
    return NAN;
}

/* The quantity of a launch that has all metrics; *n_fma: its FMAs, NaN unknown. */
static double value_by(const struct rfl_recipe *recipe, const struct rfl_launch *launch,
                       double *n_fma)
{
    double sum = 0, fma = 0;
    size_t n = 0;
    while (n < RFL_MAX_TERMS && recipe->terms[n].weight > 0)
        n++;
    for (size_t t = 0; t < n; t++) {
        double term =
            recipe->terms[t].weight * launch->values[recipe->terms[t].metric].value;
        sum += term;
        fma += t + recipe->n_fma >= n ? term : 0;
    }
    /* An FMA is one instruction of two operations. */
    *n_fma = recipe->n_fma                      ? fma / 2
             : metrics_has(launch, recipe->fma) ? launch->values[recipe->fma].value
                                                : NAN;
    for (size_t t = 0; t < 2; t++)
        if (recipe->times[t]) {
            sum *= launch->values[recipe->times[t]].value;
            *n_fma *= launch->values[recipe->times[t]].value;
        }
    return recipe->per ? sum / launch->values[recipe->per].value : sum;
}

/* Notes why a launch has no value of a quantity, unless none is expected. */
static void note_absent(const struct rfl_metrics *tool, const struct rfl_quantity *row,
                        const struct rfl_launch *launch, struct choice nearest,
                        bool was_there, struct rfl_point *point)
{
    unsigned metric = nearest.lacking;
    if (row->place >= RFL_TO_VALUE_SUM || !metric ||
        (!was_there && nearest.n_there == 0 && row->need != RFL_EXPECTED))
        return;
    if (launch->values[metric].as) {
        const char *why = launch->values[metric].why;
        if (why && strncmp(why, "row ", 4) == 0) /* said already */
            why = strchr(why, ':') + 2;
        rfl_points_missing(point, row->what, "row %zu: %s: %s", launch->values[metric].row,
                           launch->values[metric].as->name, why ? why : "0");
    } else if (was_there) {
        char names[256] = "";
        for (size_t i = 0; i < tool->n_names; i++)
            if (tool->names[i].id == metric)
                ert_append(names, sizeof names, "%s%s", *names ? " or " : "",
                           tool->names[i].name);
        rfl_points_missing(point, row->what,
                           "no metric %s in row %zu, unlike in rows before", names,
                           launch->row);
    } else if (row->place < RFL_TO_SUM) {
        rfl_points_missing(point, row->what, "no metric %s", rfl_metric_name(tool, metric));
    }
}

/* *time_s: of this launch, 0 unknown. */
static enum ert_status metrics_add(const struct rfl_metrics *tool,
                                   const struct rfl_import *in,
                                   const struct rfl_launch *launch, size_t quantity,
                                   struct rfl_sums *sums, double *time_s,
                                   struct rfl_point *point, struct ert_error *error)
{
    const struct rfl_quantity *row = &tool->quantities[quantity];
    struct choice choice = metrics_choose(row, launch, in->options->l2);
    const struct rfl_recipe *recipe = choice.lacking ? NULL : choice.recipe;
    double part = NAN, value = recipe ? value_by(recipe, launch, &part) : 0;
    if (recipe && row->place == RFL_TO_TIME && value == 0) { /* impossible: unknown */
        choice.lacking = recipe->terms[0].metric;
        recipe = NULL;
    }
    struct rfl_sum *sum = &sums->of[quantity];
    if (!sum->is_seen) {
        sum->is_seen = true;
        sum->recipe = recipe;
        if (!recipe)
            note_absent(tool, row, launch, choice, false, point);
        else if (recipe->unusable && value > 0)
            rfl_points_missing(point, row->what, "row %zu: %s: %s", launch->row,
                               rfl_metric_name(tool, recipe->terms[0].metric),
                               recipe->unusable);
        else if (tool->remark)
            tool->remark(point, launch, recipe);
    } else if (!sum->is_dropped && sum->recipe != recipe) {
        sum->is_dropped = true;
        if (!recipe)
            note_absent(tool, row, launch, choice, true, point);
        else if (row->place < RFL_TO_VALUE_SUM)
            rfl_points_missing(point, row->what, "row %zu: %s", launch->row,
                               sum->recipe
                                   ? "counted by other metrics than in the launches before"
                                   : "counted, but not in the launches before");
    }
    if (sum->is_dropped || !recipe || recipe->unusable)
        return ERT_OK;
    if (!isfinite(value))
        return ert_fail(error, ERT_USAGE, "%.200s: row %zu: %s: %g, too large",
                        in->lines->file, launch->row, row->what, value);
    if (part > value - part) { /* more FMAs than operations */
        rfl_points_warn(point, "row %zu: %s: %g, more than there are operations (%g)",
                        launch->values[recipe->fma].row, rfl_metric_name(tool, recipe->fma),
                        part, value);
        part = NAN;
    }
    if (row->place == RFL_TO_TIME)
        *time_s = value;
    if (row->place == RFL_TO_TRAFFIC)
        part = read_share(tool, row->name, launch) * value;
    bool is_mean = row->place == RFL_TO_MEAN || row->place == RFL_TO_VALUE_MEAN;
    double weight = is_mean && *time_s > 0 ? *time_s : 1;
    sum->value =
        row->place == RFL_TO_MAX ? fmax(sum->value, value) : sum->value + weight * value;
    sum->weight += weight;
    if (value > 0)
        sum->part += part;
    return ERT_OK;
}

enum ert_status rfl_sums_add(const struct rfl_metrics *tool, const struct rfl_import *in,
                             const struct rfl_launch *launch, struct rfl_sums *sums,
                             struct rfl_point *point, struct ert_error *error)
{
    double time_s = 0;
    for (size_t q = 0; q < tool->n_quantities; q++)
        ERT_TRY(metrics_add(tool, in, launch, q, sums, &time_s, point, error));
    return ERT_OK;
}

size_t rfl_sign_of(const struct rfl_metrics *tool, const char *metric)
{
    for (size_t i = 0; i < tool->n_signs; i++)
        if (fnmatch(tool->signs[i].glob, metric, 0) == 0)
            return i;
    return SIZE_MAX;
}

/* Whether the point has operations of the sign's type and unit; `name`: of the metric. */
static bool has_work(const struct rfl_point *point, const struct rfl_sign *sign,
                     const char *name)
{
    const char *source = strstr(name, "_src_");
    for (size_t i = 0; i < point->n_work; i++) {
        const struct rfl_work *work = &point->work[i];
        bool is_type = sign->type ? strcmp(work->type, sign->type) == 0
                       : source   ? strstr(source, work->type) != NULL
                                  : true;
        if (is_type && strcmp(work->unit, sign->unit) == 0 &&
            strstr(work->recipe, sign->counted_by))
            return true;
    }
    return false;
}

/* Whether the point is noted to lack what a sign shows, perhaps for one type: "fp16 tensor flops". */
static bool is_noted(const struct rfl_point *point, const struct rfl_sign *sign)
{
    bool is_tensor = sign->unit && strcmp(sign->unit, "tensor") == 0;
    for (size_t i = 0; i < point->n_missing && is_tensor; i++)
        if (strstr(point->missing[i].what, sign->unit))
            return true;
    return rfl_point_lacks(point, sign->what);
}

/* Of a point whose counted types have 0 operations: those that no metric counts may have some. */
static void note_zeros(const struct rfl_metrics *tool, const struct rfl_sums *sums,
                       struct rfl_point *point)
{
    char zeros[256] = "", others[64] = "";
    for (size_t q = 0; q < tool->n_quantities; q++) {
        const struct rfl_quantity *row = &tool->quantities[q];
        const struct rfl_recipe *recipe = sums->of[q].recipe;
        if (row->place != RFL_TO_WORK || row->need == RFL_ASIDE)
            continue;
        if (recipe && !recipe->unusable)
            ert_append(zeros, sizeof zeros, "%s%s", *zeros ? ", " : "", recipe->text);
        else if (!recipe && strcmp(row->unit, "core") == 0)
            ert_append(others, sizeof others, "%s%s", *others ? ", " : "", row->name);
    }
    if (*zeros && *others)
        rfl_points_missing(point, "operations", "0 by %s; no metrics of %s", zeros, others);
}

/* Names what metrics show that the point lacks. */
static void put_signs(const struct rfl_metrics *tool, const struct rfl_sums *sums,
                      struct rfl_point *point)
{
    for (size_t i = 0; i < tool->n_signs; i++) {
        const struct rfl_sign *sign = &tool->signs[i];
        if (sums->signs[i] && !is_noted(point, sign) &&
            !(sign->level ? rfl_point_traffic(point, sign->level) != NULL
                          : has_work(point, sign, sums->signs[i])))
            rfl_points_missing(point, sign->what, "%s is above 0: %s", sums->signs[i],
                               sign->hint);
    }
}

void rfl_sums_put(const struct rfl_metrics *tool, const struct rfl_sums *sums,
                  struct rfl_point *point)
{
    bool any_work = false;
    for (size_t q = 0; q < tool->n_quantities; q++) {
        const struct rfl_quantity *row = &tool->quantities[q];
        const struct rfl_sum *sum = &sums->of[q];
        double *number = (double *)(void *)((char *)point + row->offset);
        any_work |= row->place == RFL_TO_WORK && (sum->recipe || sum->is_dropped);
        if (sum->is_dropped || !sum->recipe || sum->recipe->unusable)
            continue;
        switch (row->place) {
        case RFL_TO_TIME:
            point->time_s = sum->value;
            point->time_recipe = sum->recipe->text;
            break;
        case RFL_TO_WORK:
            if (row->need == RFL_ASIDE && point->n_work > 0 && sum->value > 0)
                rfl_points_missing(point, row->what,
                                   "%.4g integer instructions are left out: with "
                                   "floating-point work they are mostly addresses",
                                   sum->value);
            else
                rfl_points_work(point, row->name, row->unit, sum->value,
                                sum->part / (sum->value - sum->part), sum->recipe->text);
            break;
        case RFL_TO_TRAFFIC:
            if (sum->value > 0 || row->need == RFL_EXPECTED)
                rfl_points_accesses(point, row->name, sum->value, sum->part, true,
                                    sum->recipe->text);
            break;
        case RFL_TO_SUM:
        case RFL_TO_MAX:
            *number = sum->value;
            break;
        case RFL_TO_MEAN:
            *number = sum->value / sum->weight;
            break;
        case RFL_TO_VALUE_SUM:
            rfl_points_value(point, row->name, sum->value);
            break;
        case RFL_TO_VALUE_MEAN:
            rfl_points_value(point, row->name, sum->value / sum->weight);
            break;
        }
    }
    if (!any_work && tool->no_operations && point->launches > 0)
        rfl_points_missing(point, "operations", "%s", tool->no_operations);
    else if (point->n_work == 0)
        note_zeros(tool, sums, point);
    put_signs(tool, sums, point);
}
