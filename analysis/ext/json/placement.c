/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/json/json.h"

#include "analysis/core/place/report.h"

static void placement_add_bound(cJSON *kernel, const struct rfl_placement *placement)
{
    static const char *const kinds[] = {"none", "level", "unit", "issue"};
    cJSON *bound = cJSON_AddObjectToObject(kernel, "bound");
    cJSON_AddStringToObject(bound, "kind", kinds[placement->bound]);
    rfl_json_text(bound, "name", placement->bound_name);
    rfl_json_positive(bound, "fraction", placement->fraction);
    rfl_json_positive(bound, "fraction_low", placement->least);
    rfl_json_positive(bound, "fraction_high", placement->most);
    rfl_json_positive(bound, "attainable_flop_per_s", placement->attainable_flop_per_s);
    rfl_json_text(bound, "next", placement->next_name);
    rfl_json_positive(bound, "next_share", placement->headroom);
}

static void placement_add_conditions(cJSON *kernel, const struct rfl_placer *placer)
{
    cJSON *at = cJSON_AddObjectToObject(kernel, "conditions");
    rfl_json_positive(at, "clock_hz", placer->roofs->clock_hz);
    rfl_json_positive(at, "measured_clock_hz", placer->roofs->held_hz);
    rfl_json_positive(at, "memory_clock_hz", placer->conditions.memory_clock_hz);
    rfl_json_positive(at, "warps_per_sm", placer->conditions.warps_per_sm);
    rfl_json_positive(at, "threads", placer->conditions.threads);
}

static void placement_add_rows(cJSON *kernel, const struct rfl_view *view,
                               const struct rfl_placement *placement)
{
    struct rfl_view_row rows[RFL_MAX_VIEW_ROWS];
    size_t n = view->rows(placement, rows);
    cJSON *list = cJSON_AddArrayToObject(kernel, "rows");
    for (size_t i = 0; i < n; i++) {
        const struct rfl_traffic *traffic = rows[i].traffic;
        cJSON *row = ert_json_add_object(list);
        cJSON_AddStringToObject(row, "roof", rows[i].roof);
        rfl_json_text(row, "level", traffic ? traffic->level : "");
        cJSON_AddStringToObject(row, "unit", rows[i].unit);
        rfl_json_number(row, "intensity", rows[i].intensity);
        rfl_json_number(row, "reached", rows[i].reached);
        rfl_json_number(row, "value", rows[i].value);
        rfl_json_number(row, "measured", rows[i].measured);
        rfl_json_number(row, "fraction", rows[i].fraction);
        rfl_json_number(row, "value_low", rows[i].value_low);
        rfl_json_number(row, "fraction_high", rows[i].fraction_high);
        rfl_json_number(row, "read_share", rows[i].read_share);
        rfl_json_text(row, "bytes_of", traffic && traffic->is_actual ? "actual" : "");
        if (traffic && rfl_traffic_is_passed_by(placement->point, traffic))
            cJSON_AddTrueToObject(row, "passed");
        cJSON_AddBoolToObject(row, "bounds", rows[i].bounds);
    }
}

/* Adds the remarks to the lists "missing", "warnings" and, of the conditions, "notes". */
static void placement_add_remarks(cJSON *kernel, const struct rfl_remarks *remarks)
{
    cJSON *notes =
        cJSON_AddArrayToObject(cJSON_GetObjectItem(kernel, "conditions"), "notes");
    cJSON *missing = cJSON_AddArrayToObject(kernel, "missing");
    cJSON *warnings = cJSON_AddArrayToObject(kernel, "warnings");
    for (size_t i = 0; i < remarks->n; i++) {
        const struct rfl_remark *remark = &remarks->list[i];
        if (remark->kind == RFL_REMARK_NO_ROOF || remark->kind == RFL_REMARK_MISSING) {
            cJSON *item = ert_json_add_object(missing);
            cJSON_AddStringToObject(item, "what", remark->what);
            cJSON_AddStringToObject(item, "reason", remark->text);
        } else {
            rfl_json_append(remark->kind < RFL_REMARK_REACH ? warnings : notes,
                            remark->text);
        }
    }
}

cJSON *rfl_placement_json(const struct rfl_placer *placer,
                          const struct rfl_placement *placement,
                          const struct rfl_view *view, double whole_s)
{
    const struct rfl_point *point = placement->point;
    cJSON *kernel = cJSON_CreateObject();
    struct rfl_remarks remarks = {.n = 0};
    rfl_remarks_common(placer, &remarks);
    rfl_remarks_of(placer, placement, &remarks);
    cJSON_AddStringToObject(kernel, "name", point->name);
    rfl_json_text(kernel, "run", point->run);
    rfl_json_text(kernel, "source", point->source);
    rfl_json_text(kernel, "format", point->format);
    rfl_json_positive(kernel, "time_s", point->time_s);
    rfl_json_positive(kernel, "share", point->time_s / whole_s);
    rfl_json_positive(kernel, "headroom_s", placement->saved_s);
    rfl_json_positive(kernel, "launches", point->launches);
    rfl_json_positive(kernel, "flops", placement->flops);
    rfl_json_positive(kernel, "flop_per_s", placement->perf_flop_per_s);
    placement_add_bound(kernel, placement);
    placement_add_conditions(kernel, placer);
    placement_add_rows(kernel, view, placement);
    cJSON_AddStringToObject(kernel, "advice", placement->advice);
    cJSON_AddStringToObject(kernel, "hint", placement->hint);
    placement_add_remarks(kernel, &remarks);
    ert_strings_free(&remarks.strings);
    return kernel;
}

/*
 * ert-placement/2: placement.schema.json, and the placed points with the keys of points.json. Makes the tree
 * of one kernel at a time: a tree of all takes ten times the memory of the points.
 */
static enum ert_status placement_write(const void *about, FILE *out,
                                       struct ert_error *error)
{
    const struct rfl_report *report = about;
    const struct rfl_roofs *roofs = report->placer->roofs;
    const double whole_s = rfl_points_time(report->points, roofs->kind == ERT_DEVICE_CPU);
    const struct rfl_view *view;
    if (!report->view || rfl_view_find(report->view, &view, error) != ERT_OK)
        view = &rfl_views[0]; /* of a table of kernels */
    cJSON *device = cJSON_CreateObject();
    cJSON_AddStringToObject(device, "id", roofs->device);
    rfl_json_text(device, "name", roofs->name);
    rfl_json_text(device, "mismatch", report->placer->mismatch);
    cJSON_AddStringToObject(device, "kind", roofs->kind == ERT_DEVICE_GPU ? "gpu" : "cpu");
    cJSON_AddBoolToObject(device, "valid",
                          report->placer->ceilings->devices[report->placer->device].valid);
    fputs("{\"schema\": \"ert-placement/2\",\n\"device\": ", out);
    rfl_json_print(out, device);
    fprintf(out, ",\"view\": \"%s\",\n\"kernels\": [\n", view->name);
    for (size_t i = 0; i < report->points->n; i++) {
        struct rfl_placement placement;
        rfl_placer_place(report->placer, &report->points->points[i], &placement);
        cJSON *kernel = rfl_placement_json(report->placer, &placement, view, whole_s);
        fputs(i ? "," : "", out);
        ert_json_print_rounded(out, kernel, 10); /* as CSV */
        cJSON_Delete(kernel);
    }
    fputs("]", out);
    rfl_points_print_members(out, report->points, true);
    fputs("}\n", out);
    return ERT_OK;
}

ert_file_make *const rfl_report_json = placement_write;
