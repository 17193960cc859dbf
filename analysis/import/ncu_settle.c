/* What a kernel's sums mean once all of its launches are added. */
#include "analysis/import/ncu_sums.h"

#include <string.h>

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

static void remove_value(struct rfl_point *point, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < point->n_values; i++)
        if (strcmp(point->values[i].name, name) != 0)
            point->values[n++] = point->values[i];
    point->n_values = n;
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
    } else if (row->place >= NCU_TO_VALUE_SUM) {
        remove_value(point, row->name);
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
    if (state == NCU_DROPPED)
        remove_quantity(point, row);
    else if (row->place == NCU_TO_VALUE_MEAN && kernel->weights[quantity] > 0)
        return rfl_points_value(
            sums->points, point, row->name,
            rfl_point_value(point, row->name) / kernel->weights[quantity], error);
    else if (row->place == NCU_TO_MEAN && kernel->weights[quantity] > 0)
        *(double *)((char *)point + row->offset) /= kernel->weights[quantity];
    else if (row->place == NCU_TO_TRAFFIC && row->expected && state >= NCU_N_STATES &&
             !rfl_point_traffic(point, row->name))
        return rfl_points_traffic(sums->points, point, row->name, 0,
                                  rfl_ncu_recipes(&n)[state - NCU_N_STATES].text, error);
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
            kernel->states[q] > NCU_ABSENT)
            return;
    if (point->launches > 0 && point->n_work == 0)
        rfl_points_missing(sums->points, point, "operations",
                           "no metrics sm__sass_thread_inst_executed_op_"
                           "{dadd,dmul,dfma,fadd,fmul,ffma ...}_pred_on.sum");
}

enum ert_status rfl_ncu_settle(struct rfl_ncu_sums *sums, struct rfl_ncu_kernel *kernel,
                               struct ert_error *error)
{
    for (size_t q = 0; q < NCU_N_QUANTITIES; q++)
        ERT_TRY(settle_quantity(sums, kernel, (enum rfl_ncu_quantity)q, error));
    settle_integers(sums, &sums->points->points[kernel->point]);
    settle_operations(sums, kernel);
    settle_failures(sums, kernel);
    return ERT_OK;
}
