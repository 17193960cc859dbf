#include "gpp/study/points.h"

#include "analysis/placer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static enum ert_status add_counted(const struct gpp_study *study,
                                   const struct gpp_study_row *row,
                                   struct rfl_points *points, struct rfl_point *point,
                                   struct ert_error *error)
{
    const struct gpp_counted *counted = &row->counted;
    point->launches = row->counts.launches;
    if (counted->values[GPP_M_WARPS] > 0)
        point->warps_per_sm = counted->values[GPP_M_WARPS];
    if (counted->values[GPP_M_INSTRUCTIONS] > 0)
        point->instructions = counted->values[GPP_M_INSTRUCTIONS];
    if (*counted->sizes)
        rfl_points_warn(points, point, "counted at %s and scaled by iterations",
                        counted->sizes);
    if (counted->flops > 0)
        ERT_TRY(rfl_points_work(points, point, "fp64", "core", counted->flops,
                                counted->fma_share, counted->flops_recipe, error));
    else
        rfl_points_missing(points, point, "fp64 flops", "%s", "not in the profile");
    for (size_t i = 0; i < GPP_N_LEVELS; i++)
        if (counted->bytes[i] > 0)
            ERT_TRY(rfl_points_traffic(points, point, gpp_level_name(study, i),
                                       counted->bytes[i], counted->bytes_recipes[i],
                                       error));
        else if (i != GPP_SHARED) /* which a kernel need not use */
            rfl_points_missing(points, point, gpp_level_name(study, i), "%s",
                               "not in the profile");
    return ERT_OK;
}

enum ert_status gpp_study_point(const struct gpp_study *study,
                                const struct gpp_study_row *row, struct rfl_points *points,
                                struct rfl_point **point, struct ert_error *error)
{
    struct gpp_sizes sizes = study->sizes;
    sizes.nw = row->nw;
    if (row->counted.is_there) {
        ERT_TRY(gpp_measure_add(&row->m, &sizes, study->system, points, point, error));
        return add_counted(study, row, points, *point, error);
    }
    ERT_TRY(gpp_measure_point(&row->m, &sizes, &row->counts, study->system, points, error));
    *point = &points->points[points->n - 1];
    return ERT_OK;
}

enum ert_status gpp_study_points(const struct gpp_study *study, struct rfl_points *points,
                                 struct ert_error *error)
{
    struct rfl_point *point;
    char origin[512];
    for (size_t i = 0; i < study->n_rows; i++)
        if (gpp_row_is_measured(&study->rows[i]))
            ERT_TRY(gpp_study_point(study, &study->rows[i], points, &point, error));
    snprintf(origin, sizeof origin, "ert-gpp study, %s",
             study->has_counters ? study->counters : "analytic counts");
    points->origin = rfl_points_text(points, origin);
    return ERT_OK;
}

enum ert_status gpp_study_device(const struct gpp_study *study,
                                 const struct ert_ceilings *ceilings, size_t *index,
                                 struct ert_error *error)
{
    const bool is_cpu = strcmp(study->device, "cpu") == 0;
    const enum ert_device_kind kind = is_cpu ? ERT_DEVICE_CPU : ERT_DEVICE_GPU;
    size_t found = ceilings->n_devices;
    for (size_t i = ceilings->n_devices; i > 0; i--) {
        const char *id = ceilings->devices[i - 1].device;
        const struct ert_device *device = ert_machine_device(ceilings->machine, id);
        if (strcmp(id, study->device) == 0) {
            *index = i - 1;
            return ERT_OK;
        }
        if (device && device->kind == kind)
            found = i - 1;
    }
    if (found == ceilings->n_devices)
        return ert_fail(error, ERT_UNAVAILABLE, "the ceilings have no %s",
                        is_cpu ? "CPU" : "GPU");
    *index = found;
    return ERT_OK;
}

static void take(const struct gpp_study *study, const struct rfl_placement *placement,
                 struct gpp_placed *placed)
{
    placed->is_there = true;
    snprintf(placed->bound, sizeof placed->bound, "%s", placement->bound_name);
    if (placement->fraction > 0)
        placed->fraction = placement->fraction;
    if (placement->attainable_flop_per_s > 0)
        placed->attainable_flop_per_s = placement->attainable_flop_per_s;
    for (size_t i = 0; i < placement->n_units; i++)
        if (strcmp(placement->units[i].work->type, "fp64") == 0 &&
            placement->units[i].roof) {
            placed->mix_flop_per_s = placement->units[i].peak_flop_per_s;
            placed->mix_fraction = placement->units[i].fraction;
        }
    for (size_t i = 0; i < placement->n_levels; i++)
        for (size_t level = 0; level < GPP_N_LEVELS; level++)
            if (placement->levels[i].roof && strcmp(placement->levels[i].traffic->level,
                                                    gpp_level_name(study, level)) == 0)
                placed->level_fractions[level] = placement->levels[i].fraction;
}

static enum ert_status place(const struct gpp_study *study,
                             const struct ert_ceilings *ceilings, struct gpp_study_row *row,
                             struct ert_error *error)
{
    size_t index;
    struct rfl_points points = {0};
    struct rfl_point *point;
    struct rfl_placer placer = {NULL};
    struct rfl_placement placement;
    ERT_TRY(gpp_study_device(study, ceilings, &index, error));
    const struct rfl_placer_options options = {.device = ceilings->devices[index].device,
                                               .clock_hz = RFL_OF_SWEEP,
                                               .concurrency = RFL_OF_SWEEP};
    enum ert_status status = gpp_study_point(study, row, &points, &point, error);
    if (status == ERT_OK)
        status = rfl_placer_open(ceilings, &points, &options, &placer, error);
    if (status == ERT_OK)
        status = rfl_placer_place(&placer, point, &placement, error);
    if (status == ERT_OK)
        take(study, &placement, &row->placed);
    rfl_placer_close(&placer);
    rfl_points_free(&points);
    return status;
}

void gpp_study_place(const struct gpp_study *study, const struct ert_ceilings *ceilings,
                     struct gpp_study_row *row)
{
    struct ert_error error = {0};
    gpp_placed_clear(&row->placed);
    if (!gpp_row_is_measured(row))
        return;
    if (place(study, ceilings, row, &error) != ERT_OK)
        snprintf(row->placed.reason, sizeof row->placed.reason, "%.255s", error.text);
}
