#include "analysis/import/ncu_sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one kernel more. */
static enum ert_status grow(struct rfl_ncu_sums *sums, struct ert_error *error)
{
    if (sums->n < sums->room)
        return ERT_OK;
    size_t room = sums->room ? 2 * sums->room : 64;
    struct rfl_ncu_kernel *kernels = realloc(sums->kernels, room * sizeof *kernels);
    if (!kernels)
        return ert_fail(error, ERT_FAILED, "no memory for %zu kernels", room);
    sums->kernels = kernels;
    sums->room = room;
    return ERT_OK;
}

/* The kernel of a launch; a new one, with its point, where it is the first. */
static enum ert_status find_kernel(struct rfl_ncu_sums *sums,
                                   const struct rfl_ncu_launch *launch,
                                   struct rfl_ncu_kernel **kernel, struct ert_error *error)
{
    const struct rfl_kernel_key key = {launch->name, launch->process, launch->device};
    struct rfl_point *point;
    const char *name = launch->name;
    size_t number = 0;
    if (sums->options->list) {
        name = rfl_points_format(sums->points, "%s #%s", launch->name, launch->id);
        sums->n = 0; /* one at a time: nothing is summed */
    } else {
        ERT_TRY(rfl_kernel_find(&sums->index, key, &number, error));
    }
    if (number == sums->n) {
        ERT_TRY(grow(sums, error));
        ERT_TRY(rfl_points_add(sums->points, name, &point, error));
        /* finish() takes it back where all are the same */
        point->run = rfl_points_format(sums->points, "process %s, device %s",
                                       launch->process, launch->device);
        sums->kernels[sums->n++] = (struct rfl_ncu_kernel){.point = sums->points->n - 1};
    }
    *kernel = &sums->kernels[number];
    return ERT_OK;
}

/* Whether all that was counted is nan: *metric is one of those. */
static bool has_failed(const struct rfl_ncu_launch *launch, enum rfl_ncu_metric *metric)
{
    bool has_nan = false;
    for (size_t m = NCU_N_METRICS; m-- > 0;) {
        if (!launch->names[m] || m == NCU_REGISTERS || m == NCU_WARPS_LIMIT)
            continue;
        if (launch->kinds[m] == ERT_NUMBER)
            return false;
        if (launch->kinds[m] == ERT_NUMBER_NAN) {
            *metric = (enum rfl_ncu_metric)m;
            has_nan = true;
        }
    }
    return has_nan;
}

/* The first recipe of a quantity for which a launch has all; NULL: none. */
static const struct rfl_ncu_recipe *choose(const struct rfl_ncu_sums *sums,
                                           const struct rfl_ncu_launch *launch,
                                           enum rfl_ncu_quantity quantity)
{
    size_t n;
    const struct rfl_ncu_recipe *recipes = rfl_ncu_recipes(&n);
    for (size_t i = 0; i < n; i++)
        if (recipes[i].quantity == quantity &&
            rfl_ncu_recipe_applies(&recipes[i], launch, sums->options->l2) &&
            rfl_ncu_recipe_lacks(&recipes[i], launch) == NCU_NONE)
            return &recipes[i];
    return NULL;
}

/* Of the recipes the one of which the launch has most; *n_there of its metrics. */
static const struct rfl_ncu_recipe *nearest(const struct rfl_ncu_sums *sums,
                                            const struct rfl_ncu_launch *launch,
                                            enum rfl_ncu_quantity quantity, size_t *n_there)
{
    size_t n;
    const struct rfl_ncu_recipe *recipes = rfl_ncu_recipes(&n), *best = NULL;
    *n_there = 0;
    for (size_t i = 0; i < n; i++) {
        size_t there = 0;
        if (recipes[i].quantity != quantity || recipes[i].unusable ||
            !rfl_ncu_recipe_applies(&recipes[i], launch, sums->options->l2))
            continue;
        for (size_t t = 0; t < RFL_NCU_MAX_TERMS && recipes[i].terms[t].weight > 0; t++)
            there += launch->names[recipes[i].terms[t].metric] != NULL;
        if (!best || there > *n_there) {
            best = &recipes[i];
            *n_there = there;
        }
    }
    return best;
}

/* Says why a launch has no value of a quantity; silent where nobody would expect one. */
static void note_absent(struct rfl_ncu_sums *sums, struct rfl_point *point,
                        const struct rfl_ncu_launch *launch, enum rfl_ncu_quantity quantity,
                        bool always)
{
    const struct rfl_ncu_quantity_row *row = rfl_ncu_quantity(quantity);
    size_t n_there;
    if (row->place >= NCU_TO_VALUE_SUM)
        return;
    const struct rfl_ncu_recipe *recipe = nearest(sums, launch, quantity, &n_there);
    enum rfl_ncu_metric metric = recipe ? rfl_ncu_recipe_lacks(recipe, launch) : NCU_NONE;
    if (quantity == NCU_Q_TIME && metric == NCU_NONE) {
        /* All is there, and 0: no launch takes no time. */
        metric = recipe ? recipe->terms[0].metric : NCU_TIME;
        rfl_points_missing(sums->points, point, row->what, "row %zu: %s: 0",
                           launch->rows[metric], launch->names[metric]->name);
        return;
    }
    if (metric == NCU_NONE || (!always && n_there == 0 && !row->expected))
        return;
    char where[64] = "";
    if (always)
        snprintf(where, sizeof where, " in row %zu, as there was in rows before",
                 launch->row);
    if (!launch->names[metric]) {
        if (always || row->place < NCU_TO_SUM)
            rfl_points_missing(sums->points, point, row->what, "no metric %s%s",
                               rfl_ncu_metric_name(metric), where);
        return;
    }
    static const char *const kinds[] = {"0", "no value", "nan"};
    rfl_points_missing(sums->points, point, row->what, "row %zu: %s: %s",
                       launch->rows[metric], launch->names[metric]->name,
                       kinds[launch->kinds[metric]]);
}

/* share: of FMA of operations, of reads of bytes. */
static enum ert_status put(struct rfl_ncu_sums *sums, struct rfl_ncu_kernel *kernel,
                           const struct rfl_ncu_recipe *recipe, double value, double share,
                           double time_s, struct ert_error *error)
{
    const struct rfl_ncu_quantity_row *row = rfl_ncu_quantity(recipe->quantity);
    struct rfl_point *point = &sums->points->points[kernel->point];
    double *field = (double *)((char *)point + row->offset);
    double weight = time_s > 0 && row->place != NCU_TO_VALUE_SUM ? time_s : 1,
           before = rfl_point_value(point, row->name);
    if (!isfinite(value))
        return ert_fail(error, ERT_USAGE, "%.200s: row %zu: %s: %g, too large",
                        sums->lines->file, sums->lines->number, row->what, value);
    switch (row->place) {
    case NCU_TO_TIME:
        point->time_s += value;
        point->time_recipe = recipe->text;
        break;
    case NCU_TO_WORK:
        return rfl_points_work(sums->points, point, row->name, row->unit, value, share,
                               recipe->text, error);
    case NCU_TO_TRAFFIC:
        /* Zero may become more with the next launch: finish() says what stayed zero. */
        return value > 0 ? rfl_points_accesses(sums->points, point, row->name, value,
                                               share * value, true, recipe->text, error)
                         : ERT_OK;
    case NCU_TO_SUM:
        *field += value;
        break;
    case NCU_TO_MEAN:
        *field += value * weight;
        kernel->weights[recipe->quantity] += weight;
        break;
    case NCU_TO_MAX:
        *field = fmax(*field, value);
        break;
    case NCU_TO_VALUE_SUM:
    case NCU_TO_VALUE_MEAN:
        kernel->weights[recipe->quantity] += weight;
        return rfl_points_value(sums->points, point, row->name,
                                (isnan(before) ? 0 : before) + value * weight, error);
    }
    return ERT_OK;
}

static void warn_of_l2(struct rfl_ncu_sums *sums, struct rfl_point *point,
                       const struct rfl_ncu_launch *launch)
{
    /*
     * A100, H100 and H200 have an L2 of two halves. A read of 4.295 GB of memory on an H200 counts
     * 6.45 GB of lts__t_bytes, and 4.295 GB of lts__t_sectors_srcunit_tex x 32.
     */
    if (strcmp(launch->cc, "8.0") == 0 || strcmp(launch->cc, "9.0") == 0)
        rfl_points_warn(sums->points, point,
                        "L2 bytes are lts__t_bytes: on cc %s they hold what the two halves "
                        "of L2 pass to each other, up to half as much again; "
                        "lts__t_sectors_srcunit_tex.sum counts the SMs' alone",
                        launch->cc);
}

/* What a reason of one quantity does to its sum: it is no longer one of all launches. */
static void drop(struct rfl_ncu_sums *sums, struct rfl_ncu_kernel *kernel,
                 const struct rfl_ncu_launch *launch, enum rfl_ncu_quantity quantity,
                 bool is_absent)
{
    struct rfl_point *point = &sums->points->points[kernel->point];
    uint8_t before = kernel->states[quantity];
    kernel->states[quantity] = NCU_DROPPED;
    if (is_absent)
        note_absent(sums, point, launch, quantity, true);
    else if (rfl_ncu_quantity(quantity)->place < NCU_TO_VALUE_SUM)
        rfl_points_missing(sums->points, point, rfl_ncu_quantity(quantity)->what,
                           "row %zu: %s", launch->row,
                           before == NCU_ABSENT
                               ? "counted, but not in the launches before"
                               : "counted by other metrics than in the launches before");
}

static enum ert_status add_quantity(struct rfl_ncu_sums *sums,
                                    struct rfl_ncu_kernel *kernel,
                                    const struct rfl_ncu_launch *launch,
                                    enum rfl_ncu_quantity quantity, double *time_s,
                                    struct ert_error *error)
{
    size_t n;
    double value = 0, share = NAN;
    const struct rfl_ncu_recipe *recipe = choose(sums, launch, quantity);
    struct rfl_point *point = &sums->points->points[kernel->point];
    uint8_t *state = &kernel->states[quantity];
    if (recipe)
        value = rfl_ncu_recipe_value(recipe, launch, &share);
    if (recipe && quantity == NCU_Q_TIME && value == 0)
        recipe = NULL;
    uint8_t now = recipe ? (uint8_t)(recipe - rfl_ncu_recipes(&n) + NCU_N_STATES)
                         : (uint8_t)NCU_ABSENT;
    if (*state == NCU_UNSEEN) {
        *state = now;
        if (!recipe)
            note_absent(sums, point, launch, quantity, false);
        else if (recipe->unusable && value > 0)
            rfl_points_missing(sums->points, point, rfl_ncu_quantity(quantity)->what,
                               "row %zu: %s: %s", launch->row,
                               rfl_ncu_metric_name(recipe->terms[0].metric),
                               recipe->unusable);
        else if (recipe->l2 && strcmp(recipe->l2, "lts") == 0)
            warn_of_l2(sums, point, launch);
    } else if (*state != now && *state != NCU_DROPPED) {
        drop(sums, kernel, launch, quantity, !recipe);
    }
    if (!recipe || recipe->unusable || *state == NCU_DROPPED)
        return ERT_OK;
    if (quantity == NCU_Q_TIME)
        *time_s = value;
    if (rfl_ncu_quantity(quantity)->place == NCU_TO_TRAFFIC)
        share = rfl_ncu_read_share(quantity, launch);
    return put(sums, kernel, recipe, value, share, *time_s, error);
}

enum ert_status rfl_ncu_sums_add(struct rfl_ncu_sums *sums,
                                 const struct rfl_ncu_launch *launch,
                                 struct ert_error *error)
{
    struct rfl_ncu_kernel *kernel;
    enum rfl_ncu_metric metric = NCU_NONE;
    double time_s = 0;
    if (sums->options->region && !strstr(launch->name, sums->options->region))
        return ERT_OK;
    ERT_TRY(find_kernel(sums, launch, &kernel, error));
    if (has_failed(launch, &metric)) {
        if (kernel->n_failed++ == 0) {
            kernel->failed_row = launch->rows[metric];
            kernel->failed_metric = metric;
        }
    } else {
        sums->points->points[kernel->point].launches++;
        for (size_t q = 0; q < NCU_N_QUANTITIES; q++)
            ERT_TRY(add_quantity(sums, kernel, launch, (enum rfl_ncu_quantity)q, &time_s,
                                 error));
    }
    return sums->options->list ? rfl_ncu_settle(sums, kernel, error) : ERT_OK;
}

enum ert_status rfl_ncu_sums_finish(struct rfl_ncu_sums *sums, struct ert_error *error)
{
    struct rfl_points *points = sums->points;
    bool is_one = true;
    for (size_t i = 0; i < sums->n && !sums->options->list; i++)
        ERT_TRY(rfl_ncu_settle(sums, &sums->kernels[i], error));
    for (size_t i = sums->first; i < points->n; i++)
        is_one = is_one && points->points[i].run == points->points[sums->first].run;
    for (size_t i = sums->first; i < points->n && is_one; i++)
        points->points[i].run = "";
    return rfl_kernels_shorten(points, sums->first, error);
}

void rfl_ncu_sums_free(struct rfl_ncu_sums *sums)
{
    free(sums->kernels);
    rfl_kernel_index_free(&sums->index);
    *sums = (struct rfl_ncu_sums){0};
}
