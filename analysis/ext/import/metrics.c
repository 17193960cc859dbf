/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/import/metrics.h"

#include "ert/core/base/alloc.h"

#include <assert.h>
#include <fnmatch.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
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
static unsigned metrics_lacks(const struct rfl_recipe *recipe,
                              const struct rfl_launch *launch)
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
                                    const struct rfl_launch *launch)
{
    struct choice best = {NULL, RFL_NO_METRIC, 0};
    for (const struct rfl_recipe *recipe = row->recipes; recipe->text; recipe++) {
        if (recipe->cc && (!launch->cc || strcmp(recipe->cc, launch->cc) != 0))
            continue;
        struct choice one = {recipe, metrics_lacks(recipe, launch),
                             metrics_has(launch, recipe->fma)};
        if (!one.lacking)
            return one;
        for (size_t t = 0; t < RFL_MAX_TERMS && recipe->terms[t].weight > 0; t++)
            one.n_there += launch->values[recipe->terms[t].metric].as != NULL;
        if (one.lacking == recipe->per)
            one.n_there = 0; /* what is divided may be there for other quantities */
        if (!recipe->unusable && (!best.recipe || one.n_there > best.n_there))
            best = one;
    }
    return best;
}

/* The reads among a level's bytes, by further metrics of the launch; NaN unknown. */
static double metrics_read_bytes(const struct rfl_metrics *tool, const char *level,
                                 const struct rfl_launch *launch, double bytes)
{
    for (const struct rfl_read_split *split = tool->splits; split->level; split++) {
        if (strcmp(split->level, level) != 0 || !metrics_has(launch, split->read) ||
            !metrics_has(launch, split->write))
            continue;
        double read = metrics_value_of(launch, split->read) +
                      metrics_value_of(launch, split->more_read);
        double written = metrics_value_of(launch, split->write) +
                         metrics_value_of(launch, split->more_write);
        return read + written == bytes ? read
               : read + written > 0    ? read / (read + written) * bytes
                                       : NAN;
    }
    return NAN;
}

/* The quantity of a launch that has all metrics; *n_fma: its FMAs, NaN unknown. */
static double metrics_value_by(const struct rfl_recipe *recipe,
                               const struct rfl_launch *launch, double *n_fma)
{
    double sum = 0, fma = 0;
    size_t n = 0;
    while (n < RFL_MAX_TERMS && recipe->terms[n].weight > 0)
        n++;
    for (size_t t = 0; t < n; t++) {
        double term =
            recipe->terms[t].weight * launch->values[recipe->terms[t].metric].value;
        sum += t + recipe->n_inner_fma >= n ? 0 : term;
        fma += t + recipe->n_fma + recipe->n_inner_fma >= n ? term : 0;
    }
    /* An FMA is one instruction of two operations. */
    *n_fma = recipe->n_fma + recipe->n_inner_fma ? fma / 2
             : metrics_has(launch, recipe->fma)  ? launch->values[recipe->fma].value
                                                 : NAN;
    for (size_t t = 0; t < 2; t++)
        if (recipe->times[t]) {
            sum *= launch->values[recipe->times[t]].value;
            *n_fma *= launch->values[recipe->times[t]].value;
        }
    return recipe->per ? sum / launch->values[recipe->per].value : sum;
}

/* Notes why a launch has no value of a quantity, unless none is expected. */
static void metrics_note_absent(const struct rfl_metrics *tool,
                                const struct rfl_quantity *row,
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

/* Says of a launch's recipe that it gives no count, or what else it counts. */
static void metrics_note_recipe(const struct rfl_metrics *tool,
                                const struct rfl_quantity *row,
                                const struct rfl_launch *launch,
                                const struct rfl_recipe *recipe, double value,
                                struct rfl_point *point)
{
    if (recipe->unusable && value > 0)
        rfl_points_missing(point, row->what, "row %zu: %s: %s", launch->row,
                           rfl_metric_name(tool, recipe->terms[0].metric),
                           recipe->unusable);
    else if (recipe->remark &&
             (!*recipe->remark_on || (launch->cc && strlen(launch->cc) == 3 &&
                                      strstr(recipe->remark_on, launch->cc))))
        rfl_points_warn(point, "%s", recipe->remark);
}

/* The sum of a quantity, a new one if the launch has it by a recipe; NULL: no launch had it so far. */
static struct rfl_sum *metrics_sum_of(struct rfl_kernel *kernel, size_t quantity,
                                      const struct rfl_recipe *recipe)
{
    for (size_t i = 0; i < kernel->n_sums; i++)
        if (kernel->sums[i].quantity == quantity)
            return &kernel->sums[i];
    if (!recipe)
        return NULL;
    kernel->sums = ert_xrealloc(kernel->sums, kernel->n_sums + 1, sizeof *kernel->sums);
    kernel->sums[kernel->n_sums] = (struct rfl_sum){quantity, recipe, 0, 0};
    return &kernel->sums[kernel->n_sums++];
}

/* *time_s: of this launch, 0 unknown. */
static enum ert_status metrics_add(const struct rfl_kernels *kernels,
                                   const struct rfl_launch *launch, size_t quantity,
                                   struct rfl_kernel *kernel, double *time_s,
                                   struct ert_error *error)
{
    const struct rfl_metrics *tool = kernels->tool;
    struct rfl_point *point = &kernels->in->points->points[kernel->point];
    const struct rfl_quantity *row = &tool->quantities[quantity];
    const size_t n_before = kernel->n_sums;
    struct choice choice = metrics_choose(row, launch);
    const struct rfl_recipe *recipe = choice.lacking ? NULL : choice.recipe;
    double part = NAN, value = recipe ? metrics_value_by(recipe, launch, &part) : 0;
    if (recipe && row->place == RFL_TO_TIME && value == 0) { /* impossible: unknown */
        choice.lacking = recipe->terms[0].metric;
        recipe = NULL;
    }
    struct rfl_sum *sum = metrics_sum_of(kernel, quantity, recipe);
    const bool is_new = kernel->n_sums > n_before;
    if (kernel->n_launches == 0 && !recipe) {
        metrics_note_absent(tool, row, launch, choice, false, point);
    } else if (kernel->n_launches == 0) {
        metrics_note_recipe(tool, row, launch, recipe, value, point);
    } else if (is_new || (sum && sum->recipe && sum->recipe != recipe)) {
        sum->recipe = NULL;
        if (!recipe)
            metrics_note_absent(tool, row, launch, choice, true, point);
        else if (row->place < RFL_TO_VALUE_SUM)
            rfl_points_missing(
                point, row->what, "row %zu: %s", launch->row,
                is_new ? "counted, but not in the launches before"
                       : "counted by other metrics than in the launches before");
    }
    if (!sum || !sum->recipe || recipe->unusable)
        return ERT_OK;
    if (!isfinite(value))
        return ert_fail(error, ERT_USAGE, "%.200s: row %zu: %s: %g, too large",
                        kernels->in->lines->file, launch->row, row->what, value);
    if (part > value - part) { /* more FMAs than operations */
        rfl_points_warn(point, "row %zu: %s: %g, more than there are operations (%g)",
                        launch->values[recipe->fma].row, rfl_metric_name(tool, recipe->fma),
                        part, value);
        part = NAN;
    }
    if (row->place == RFL_TO_TIME)
        *time_s = value;
    if (row->place == RFL_TO_TRAFFIC || row->place == RFL_TO_REQUESTS)
        part = metrics_read_bytes(tool, row->name, launch, value);
    bool is_mean = row->place == RFL_TO_MEAN || row->place == RFL_TO_VALUE_MEAN;
    double weight = is_mean && *time_s > 0 ? *time_s : 1;
    sum->value =
        row->place == RFL_TO_MAX ? fmax(sum->value, value) : sum->value + weight * value;
    if (is_mean || value > 0)
        sum->part += is_mean ? weight : part;
    return ERT_OK;
}

enum ert_status rfl_kernel_add(const struct rfl_kernels *kernels, struct rfl_kernel *kernel,
                               const struct rfl_launch *launch, struct ert_error *error)
{
    double time_s = 0;
    for (size_t q = 0; q < kernels->tool->n_quantities; q++)
        ERT_TRY(metrics_add(kernels, launch, q, kernel, &time_s, error));
    kernel->n_launches++;
    for (size_t i = 0; i < RFL_MAX_SIGNS; i++)
        kernel->signs[i] = launch->signs[i] ? launch->signs[i] : kernel->signs[i];
    return ERT_OK;
}

size_t rfl_sign_of(const struct rfl_metrics *tool, const char *metric)
{
    for (size_t i = 0; tool->signs[i].glob; i++)
        if (fnmatch(tool->signs[i].glob, metric, 0) == 0)
            return tool->signs[i].what ? i : SIZE_MAX;
    return SIZE_MAX;
}

/* Whether the point has operations of the sign's type and unit; `name`: of the metric. */
static bool metrics_has_work(const struct rfl_point *point, const struct rfl_sign *sign,
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
static bool metrics_is_noted(const struct rfl_point *point, const struct rfl_sign *sign)
{
    bool is_tensor = sign->unit && strcmp(sign->unit, "tensor") == 0;
    for (size_t i = 0; i < point->n_missing && is_tensor; i++)
        if (strstr(point->missing[i].what, sign->unit))
            return true;
    return rfl_point_lacks(point, sign->what);
}

/* Of a point whose counted types have 0 operations: those that no metric counts may have some. */
static void metrics_note_zeros(const struct rfl_metrics *tool, struct rfl_kernel *kernel,
                               struct rfl_point *point)
{
    char zeros[256] = "", others[64] = "";
    for (size_t q = 0; q < tool->n_quantities; q++) {
        const struct rfl_quantity *row = &tool->quantities[q];
        const struct rfl_sum *sum = metrics_sum_of(kernel, q, NULL);
        const struct rfl_recipe *recipe = sum ? sum->recipe : NULL;
        if (row->place != RFL_TO_WORK || row->need == RFL_ASIDE)
            continue;
        if (recipe && !recipe->unusable)
            ert_append(zeros, sizeof zeros, "%s%s", *zeros ? ", " : "", recipe->text);
        else if (!recipe && strcmp(row->unit, "core") == 0 &&
                 !rfl_point_lacks(point, row->what))
            ert_append(others, sizeof others, "%s%s", *others ? ", " : "", row->name);
    }
    if (*zeros && *others)
        rfl_points_missing(point, "operations", "0 by %s; no metrics of %s", zeros, others);
}

/* Names what metrics show that the point lacks. */
static void metrics_put_signs(const struct rfl_metrics *tool,
                              const struct rfl_kernel *kernel, struct rfl_point *point)
{
    for (size_t i = 0; tool->signs[i].glob; i++) {
        const struct rfl_sign *sign = &tool->signs[i];
        const char *name = kernel->signs[i];
        if (name && !metrics_is_noted(point, sign) &&
            !(sign->level ? rfl_point_traffic(point, sign->level) != NULL
                          : metrics_has_work(point, sign, name)))
            rfl_points_missing(point, sign->what, "%s is above 0: %s", name, sign->hint);
    }
}

/* Puts a quantity that all launches have. */
static void metrics_put_quantity(const struct rfl_quantity *row, const struct rfl_sum *sum,
                                 struct rfl_point *point)
{
    double *number = (double *)(void *)((char *)point + row->offset), value = sum->value;
    switch (row->place) {
    case RFL_TO_TIME:
        point->time_s = value;
        point->time_recipe = sum->recipe->text;
        break;
    case RFL_TO_WORK:
        if (row->need == RFL_ASIDE && point->n_work > 0 && value > 0)
            rfl_points_missing(point, row->what,
                               "%.4g integer instructions are left out: with "
                               "floating-point work they are mostly addresses",
                               value);
        else
            rfl_points_work(point, row->name, row->unit, value,
                            sum->part / (value - sum->part), sum->recipe->text);
        break;
    case RFL_TO_TRAFFIC:
    case RFL_TO_REQUESTS:
        if (value > 0 || row->need != RFL_OPTIONAL)
            rfl_points_accesses(point, row->name, value, sum->part,
                                row->place == RFL_TO_TRAFFIC, sum->recipe->text);
        break;
    case RFL_TO_SUM:
    case RFL_TO_MAX:
        *number = value;
        break;
    case RFL_TO_MEAN:
        *number = value / sum->part;
        break;
    case RFL_TO_VALUE_SUM:
        if (value > 0 || row->need == RFL_EXPECTED)
            rfl_points_value(point, row->name, value);
        break;
    case RFL_TO_VALUE_MEAN:
        rfl_points_value(point, row->name, value / sum->part);
        break;
    }
}

void rfl_kernel_clear(struct rfl_kernel *kernel)
{
    free(kernel->sums);
    kernel->sums = NULL;
    kernel->n_sums = kernel->n_launches = 0;
    memset(kernel->signs, 0, sizeof kernel->signs);
}

void rfl_kernel_put(const struct rfl_kernels *kernels, struct rfl_kernel *kernel)
{
    const struct rfl_metrics *tool = kernels->tool;
    struct rfl_point *point = &kernels->in->points->points[kernel->point];
    bool any_work = false;
    for (size_t i = 0; i < kernel->n_sums; i++) {
        const struct rfl_sum *sum = &kernel->sums[i];
        const struct rfl_quantity *row = &tool->quantities[sum->quantity];
        any_work |= row->place == RFL_TO_WORK;
        if (sum->recipe && !sum->recipe->unusable)
            metrics_put_quantity(row, sum, point);
    }
    if (!any_work && tool->no_operations && point->launches > 0)
        rfl_points_missing(point, "operations", "%s", tool->no_operations);
    else if (point->n_work == 0)
        metrics_note_zeros(tool, kernel, point);
    metrics_put_signs(tool, kernel, point);
    rfl_kernel_clear(kernel);
}

/* ---- launches and kernels ---- */

void rfl_kernels_begin(struct rfl_kernels *kernels, const struct rfl_import *in,
                       const struct rfl_metrics *tool)
{
    *kernels = (struct rfl_kernels){.in = in, .tool = tool};
    for (size_t i = 0; i < tool->n_names; i++)
        ert_strings_index(&kernels->known, tool->names[i].name);
    assert(kernels->known.n_texts == tool->n_names); /* names are unique */
}

void rfl_kernels_free(struct rfl_kernels *kernels)
{
    for (size_t i = 0; i < kernels->n; i++)
        rfl_kernel_clear(&kernels->kernels[i]);
    free(kernels->kernels);
    free(kernels->columns);
    ert_strings_free(&kernels->known);
    ert_strings_free(&kernels->numbers);
}

const struct rfl_metric *rfl_metric_find(struct rfl_kernels *kernels, const char *name)
{
    size_t i = ert_strings_find(&kernels->known, name);
    return i == SIZE_MAX ? NULL : &kernels->tool->names[i];
}

void rfl_launch_sign(struct rfl_launch *launch, size_t sign, const char *metric,
                     const char *text)
{
    if (sign != SIZE_MAX && !launch->signs[sign] && strpbrk(text, "123456789"))
        launch->signs[sign] = metric;
}

/* What a metric's unit must be, if `unit` is none; else NULL, with the factor of its values. */
static const char *metrics_read_unit(const struct rfl_metric *metric, const char *unit,
                                     double *factor)
{
    static const char *const wanted[] = {
        "a time (ns, usecond ...)",
        "bytes (byte, Mbyte, GB ...)",
        "a rate of bytes (Gbyte/s ...)",
        "a frequency (hz, Ghz, cycle/nsecond ...)",
        "a percentage (%)",
        "a count (inst, cycle, sector, warp ...)",
    };
    enum ert_measure measure;
    *factor = 1;
    return metric->unit >= RFL_UNIT_AS_PRINTED ||
                   (ert_units_read(unit, &measure, factor) && measure == metric->measure)
               ? NULL
               : wanted[metric->measure];
}

enum ert_status rfl_launch_set(const struct rfl_import *in, struct rfl_launch *launch,
                               const struct rfl_metric *as, const char *unit,
                               const char *text, struct ert_error *error)
{
    struct rfl_metric_value *value = &launch->values[as->id];
    double factor;
    struct rfl_cell cell;
    bool is_negative = as->unit == RFL_UNIT_SIGNED && *text == '-';
    const char *wanted = metrics_read_unit(as, unit, &factor);
    if ((value->as && value->as <= as) || (wanted && as->unit == RFL_UNIT_LABEL))
        return ERT_OK;
    ERT_TRY(rfl_cell_read(in, as->name, text + is_negative, &cell, error));
    *value =
        (struct rfl_metric_value){.as = as,
                                  .value = (is_negative ? -1 : 1) * factor * cell.value,
                                  .kind = cell.is_nan ? ERT_NUMBER_NAN
                                          : cell.why  ? ERT_NUMBER_NONE
                                                      : ERT_NUMBER,
                                  .why = cell.why,
                                  .row = in->lines->number};
    if (value->kind == ERT_NUMBER && wanted) {
        value->kind = ERT_NUMBER_NONE;
        value->why = ert_strings_format(&in->points->strings, "unit '%.40s', must be %s",
                                        unit, wanted);
    }
    return ERT_OK;
}

void rfl_columns_take(struct rfl_kernels *kernels)
{
    const struct ert_lines *lines = kernels->in->lines;
    kernels->n_columns = 0;
    for (size_t i = 0; i < lines->n_cells; i++) {
        const struct rfl_metric *as = rfl_metric_find(kernels, lines->cells[i]);
        size_t sign = rfl_sign_of(kernels->tool, lines->cells[i]);
        as = as && as->unit == RFL_UNIT_LABEL ? NULL : as;
        if (!as && sign == SIZE_MAX)
            continue;
        kernels->columns = ert_xgrow(kernels->columns, kernels->n_columns,
                                     &kernels->column_capacity, sizeof *kernels->columns);
        kernels->columns[kernels->n_columns++] = (struct rfl_column){
            as, i, sign, rfl_points_text(kernels->in->points, lines->cells[i]), ""};
    }
}

enum ert_status rfl_columns_read(struct rfl_kernels *kernels, struct ert_error *error)
{
    const struct ert_lines *lines = kernels->in->lines;
    struct rfl_launch *launch = &kernels->launch;
    *launch = (struct rfl_launch){.cc = launch->cc, .row = lines->number};
    for (size_t i = 0; i < kernels->n_columns; i++) {
        const struct rfl_column *column = &kernels->columns[i];
        if (column->at >= lines->n_cells)
            return ert_lines_fail(lines, error, "%zu columns, no %s: cut off",
                                  lines->n_cells, column->title);
        const char *text = lines->cells[column->at];
        rfl_launch_sign(launch, column->sign, column->title, text);
        if (column->as)
            ERT_TRY(
                rfl_launch_set(kernels->in, launch, column->as, column->unit, text, error));
    }
    return ERT_OK;
}

struct rfl_kernel *rfl_kernels_find(struct rfl_kernels *kernels, const char *name,
                                    const char *run, bool is_alone)
{
    size_t number = 0;
    if (is_alone)
        kernels->n = 0; /* one at a time: nothing is summed */
    else
        number = rfl_kernel_number(&kernels->numbers, name, run);
    if (number == kernels->n) {
        struct rfl_points *points = kernels->in->points;
        kernels->kernels = ert_xgrow(kernels->kernels, number, &kernels->capacity,
                                     sizeof *kernels->kernels);
        rfl_points_add(points, name)->run = rfl_points_text(points, run);
        kernels->kernels[kernels->n++] = (struct rfl_kernel){.point = points->n - 1};
    }
    return &kernels->kernels[number];
}

enum ert_status rfl_launch_add(struct rfl_kernels *kernels, const char *name,
                               const char *run, bool is_alone, struct ert_error *error)
{
    const char *region = kernels->in->options->region;
    if (region && !strstr(name, region))
        return ERT_OK;
    struct rfl_kernel *kernel = rfl_kernels_find(kernels, name, run, is_alone);
    ERT_TRY(rfl_kernel_add(kernels, kernel, &kernels->launch, error));
    if (is_alone) {
        rfl_kernel_put(kernels, kernel);
        kernels->n = 0;
    }
    return ERT_OK;
}

void rfl_kernels_put(const struct rfl_kernels *kernels)
{
    for (size_t i = 0; i < kernels->n; i++)
        rfl_kernel_put(kernels, &kernels->kernels[i]);
}
