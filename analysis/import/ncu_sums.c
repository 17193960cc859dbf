#include "analysis/import/ncu_sums.h"

#include "analysis/import/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a quantity of a kernel was counted so far: a recipe, as index + N_STATES, or one of these. */
enum { UNSEEN, ABSENT, DROPPED, N_STATES };

struct rfl_ncu_kernel {
    const char *name, *process, *device; /* kept: compared as pointers */
    size_t point, failed_row;
    enum rfl_ncu_metric failed_metric;
    double n_failed;
    uint8_t states[NCU_N_QUANTITIES];
    double weights[NCU_N_QUANTITIES]; /* of the means */
};

static size_t hash_of(const char *name, const char *process, const char *device)
{
    uint64_t hash = (uintptr_t)name;
    hash = (hash ^ (uintptr_t)process >> 3) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ (uintptr_t)device >> 3) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash >> 20);
}

/* The slot of a kernel, or the free one where it belongs. */
static uint32_t *slot_of(const struct rfl_ncu_sums *sums, const char *name,
                         const char *process, const char *device)
{
    size_t i = hash_of(name, process, device) & (sums->n_slots - 1);
    for (; sums->slots[i]; i = (i + 1) & (sums->n_slots - 1)) {
        const struct rfl_ncu_kernel *kernel = &sums->kernels[sums->slots[i] - 1];
        if (kernel->name == name && kernel->process == process && kernel->device == device)
            break;
    }
    return &sums->slots[i];
}

/* Room for one kernel more; the hash table stays at most half full. */
static enum ert_status grow(struct rfl_ncu_sums *sums, struct ert_error *error)
{
    if (sums->n < sums->room)
        return ERT_OK;
    size_t room = sums->room ? 2 * sums->room : 64;
    struct rfl_ncu_kernel *kernels = realloc(sums->kernels, room * sizeof *kernels);
    if (kernels)
        sums->kernels = kernels;
    uint32_t *slots = calloc(2 * room, sizeof *slots);
    if (!kernels || !slots) {
        free(slots);
        return ert_fail(error, ERT_FAILED, "no memory for %zu kernels", room);
    }
    free(sums->slots);
    sums->slots = slots;
    sums->n_slots = 2 * room;
    sums->room = room;
    for (size_t i = 0; i < sums->n; i++) {
        const struct rfl_ncu_kernel *kernel = &kernels[i];
        *slot_of(sums, kernel->name, kernel->process, kernel->device) = (uint32_t)i + 1;
    }
    return ERT_OK;
}

/* The kernel of a launch; a new one, with its point, where it is the first. */
static enum ert_status find_kernel(struct rfl_ncu_sums *sums,
                                   const struct rfl_ncu_launch *launch,
                                   struct rfl_ncu_kernel **kernel, struct ert_error *error)
{
    struct rfl_point *point;
    char text[1024];
    const char *name = launch->name;
    ERT_TRY(grow(sums, error));
    if (sums->options->list) {
        snprintf(text, sizeof text, "%.980s #%.32s", launch->name, launch->id);
        name = text;
        sums->n = 0; /* one at a time: nothing is summed */
    } else {
        uint32_t *slot = slot_of(sums, launch->name, launch->process, launch->device);
        if (*slot) {
            *kernel = &sums->kernels[*slot - 1];
            return ERT_OK;
        }
        *slot = (uint32_t)sums->n + 1;
    }
    ERT_TRY(rfl_points_add(sums->points, name, &point, error));
    *kernel = &sums->kernels[sums->n++];
    snprintf(text, sizeof text, "process %.32s, device %.32s", launch->process,
             launch->device);
    point->run =
        rfl_points_text(sums->points, text); /* finish() takes it back if all agree */
    **kernel = (struct rfl_ncu_kernel){.name = launch->name,
                                       .process = launch->process,
                                       .device = launch->device,
                                       .point = sums->points->n - 1};
    return ERT_OK;
}

/* Whether all that was counted is nan: *metric is one of those. */
static bool has_failed(const struct rfl_ncu_launch *launch, enum rfl_ncu_metric *metric)
{
    bool has_nan = false;
    for (size_t m = NCU_N_METRICS; m-- > 0;) {
        if (!launch->names[m] || m == NCU_REGISTERS || m == NCU_WARPS_LIMIT)
            continue;
        if (launch->kinds[m] == RFL_NUMBER)
            return false;
        if (launch->kinds[m] == RFL_NUMBER_NAN) {
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
    const struct rfl_ncu_recipe *recipe = nearest(sums, launch, quantity, &n_there);
    enum rfl_ncu_metric metric = recipe ? rfl_ncu_recipe_lacks(recipe, launch) : NCU_NONE;
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

static enum ert_status put(struct rfl_ncu_sums *sums, struct rfl_ncu_kernel *kernel,
                           const struct rfl_ncu_recipe *recipe, double value, double share,
                           double time_s, struct ert_error *error)
{
    const struct rfl_ncu_quantity_row *row = rfl_ncu_quantity(recipe->quantity);
    struct rfl_point *point = &sums->points->points[kernel->point];
    double *field = (double *)((char *)point + row->offset);
    double weight = time_s > 0 ? time_s : 1;
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
        return value > 0 ? rfl_points_traffic(sums->points, point, row->name, value,
                                              recipe->text, error)
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
    kernel->states[quantity] = DROPPED;
    if (is_absent)
        note_absent(sums, point, launch, quantity, true);
    else
        rfl_points_missing(sums->points, point, rfl_ncu_quantity(quantity)->what,
                           "row %zu: %s", launch->row,
                           before == ABSENT
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
    uint8_t now =
        recipe ? (uint8_t)(recipe - rfl_ncu_recipes(&n) + N_STATES) : (uint8_t)ABSENT;
    if (*state == UNSEEN) {
        *state = now;
        if (!recipe && quantity == NCU_Q_TIME && launch->names[NCU_TIME] &&
            launch->kinds[NCU_TIME] == RFL_NUMBER)
            rfl_points_missing(sums->points, point, "time", "row %zu: %s: 0",
                               launch->rows[NCU_TIME], launch->names[NCU_TIME]->name);
        else if (!recipe)
            note_absent(sums, point, launch, quantity, false);
        else if (recipe->unusable && value > 0)
            rfl_points_missing(sums->points, point, rfl_ncu_quantity(quantity)->what,
                               "row %zu: %s: %s", launch->row,
                               rfl_ncu_metric_name(recipe->terms[0].metric),
                               recipe->unusable);
        else if (recipe->l2 && strcmp(recipe->l2, "lts") == 0)
            warn_of_l2(sums, point, launch);
    } else if (*state != now && *state != DROPPED) {
        drop(sums, kernel, launch, quantity, !recipe);
    }
    if (!recipe || recipe->unusable || *state == DROPPED)
        return ERT_OK;
    if (quantity == NCU_Q_TIME)
        *time_s = value;
    return put(sums, kernel, recipe, value, share, *time_s, error);
}

static void remove_work(struct rfl_point *point, const char *type, const char *unit)
{
    size_t n = 0;
    for (size_t i = 0; i < point->n_work; i++)
        if (strcmp(point->work[i].type, type) != 0 ||
            strcmp(point->work[i].unit, unit) != 0)
            point->work[n++] = point->work[i];
    point->n_work = n;
}

static void remove_traffic(struct rfl_point *point, const char *level)
{
    size_t n = 0;
    for (size_t i = 0; i < point->n_traffic; i++)
        if (strcmp(point->traffic[i].level, level) != 0)
            point->traffic[n++] = point->traffic[i];
    point->n_traffic = n;
}

/* Takes a quantity that not all launches have out of the point again. */
static void remove_quantity(struct rfl_point *point, const struct rfl_ncu_quantity_row *row)
{
    if (row->place == NCU_TO_TIME) {
        point->time_s = 0;
        point->time_recipe = "";
    } else if (row->place == NCU_TO_WORK) {
        remove_work(point, row->name, row->unit);
    } else if (row->place == NCU_TO_TRAFFIC) {
        remove_traffic(point, row->name);
    } else {
        *(double *)((char *)point + row->offset) = 0;
    }
}

static enum ert_status settle_quantity(struct rfl_ncu_sums *sums,
                                       struct rfl_ncu_kernel *kernel,
                                       enum rfl_ncu_quantity quantity,
                                       struct ert_error *error)
{
    size_t n;
    const struct rfl_ncu_quantity_row *row = rfl_ncu_quantity(quantity);
    struct rfl_point *point = &sums->points->points[kernel->point];
    uint8_t state = kernel->states[quantity];
    if (state == DROPPED)
        remove_quantity(point, row);
    else if (row->place == NCU_TO_MEAN && kernel->weights[quantity] > 0)
        *(double *)((char *)point + row->offset) /= kernel->weights[quantity];
    else if (row->place == NCU_TO_TRAFFIC && row->expected && state >= N_STATES &&
             !rfl_point_traffic(point, row->name))
        return rfl_points_traffic(sums->points, point, row->name, 0,
                                  rfl_ncu_recipes(&n)[state - N_STATES].text, error);
    return ERT_OK;
}

/*
 * Integer instructions of a kernel that computes with floating-point numbers are addresses and loop
 * counters: not the work that its intensity is of.
 */
static void settle_integers(struct rfl_ncu_sums *sums, struct rfl_point *point)
{
    const struct rfl_ncu_quantity_row *row = rfl_ncu_quantity(NCU_Q_INT32);
    for (size_t i = 0; i < point->n_work && point->n_work > 1; i++)
        if (strcmp(point->work[i].type, row->name) == 0) {
            rfl_points_missing(sums->points, point, row->what,
                               "%.4g integer instructions are left out: beside "
                               "floating-point work they are mostly addresses",
                               point->work[i].flops);
            remove_work(point, row->name, row->unit);
            return;
        }
}

static void settle_failures(struct rfl_ncu_sums *sums, const struct rfl_ncu_kernel *kernel)
{
    static const char *const all[] = {"time", "operations", "bytes"};
    struct rfl_point *point = &sums->points->points[kernel->point];
    const char *metric = rfl_ncu_metric_name(kernel->failed_metric);
    if (kernel->n_failed > 0 && point->launches > 0)
        rfl_points_warn(
            sums->points, point,
            "%.0f of %.0f launches failed and are left out, the first: row %zu: "
            "%s: nan",
            kernel->n_failed, kernel->n_failed + point->launches, kernel->failed_row,
            metric);
    for (size_t i = 0; i < 3 && kernel->n_failed > 0 && point->launches == 0; i++)
        rfl_points_missing(sums->points, point, all[i],
                           "row %zu: %s and all other metrics: nan: the launch failed",
                           kernel->failed_row, metric);
}

/* Says which metrics there are none of, where no operations could be counted at all. */
static void settle_operations(struct rfl_ncu_sums *sums,
                              const struct rfl_ncu_kernel *kernel)
{
    struct rfl_point *point = &sums->points->points[kernel->point];
    for (size_t q = 0; q < NCU_N_QUANTITIES; q++)
        if (rfl_ncu_quantity((enum rfl_ncu_quantity)q)->place == NCU_TO_WORK &&
            kernel->states[q] > ABSENT)
            return;
    if (point->launches > 0 && point->n_work == 0)
        rfl_points_missing(sums->points, point, "operations",
                           "no metrics sm__sass_thread_inst_executed_op_"
                           "{dadd,dmul,dfma,fadd,fmul,ffma ...}_pred_on.sum");
}

static enum ert_status settle(struct rfl_ncu_sums *sums, struct rfl_ncu_kernel *kernel,
                              struct ert_error *error)
{
    for (size_t q = 0; q < NCU_N_QUANTITIES; q++)
        ERT_TRY(settle_quantity(sums, kernel, (enum rfl_ncu_quantity)q, error));
    settle_integers(sums, &sums->points->points[kernel->point]);
    settle_operations(sums, kernel);
    settle_failures(sums, kernel);
    return ERT_OK;
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
    return sums->options->list ? settle(sums, kernel, error) : ERT_OK;
}

enum ert_status rfl_ncu_sums_finish(struct rfl_ncu_sums *sums, struct ert_error *error)
{
    struct rfl_points *points = sums->points;
    bool is_one = true;
    for (size_t i = 0; i < sums->n && !sums->options->list; i++)
        ERT_TRY(settle(sums, &sums->kernels[i], error));
    for (size_t i = sums->first; i < points->n; i++)
        is_one = is_one && points->points[i].run == points->points[sums->first].run;
    for (size_t i = sums->first; i < points->n && is_one; i++)
        points->points[i].run = "";
    return rfl_kernels_shorten(points, sums->first, error);
}

void rfl_ncu_sums_free(struct rfl_ncu_sums *sums)
{
    free(sums->kernels);
    free(sums->slots);
    *sums = (struct rfl_ncu_sums){0};
}
