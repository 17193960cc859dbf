/* Placed points as JSON, ert-placement/1, a kernel at a time. */
#include "analysis/report.h"

#include "ert/base/json.h"

#include <math.h>

static void add_text(cJSON *object, const char *key, const char *text)
{
    if (text && *text)
        cJSON_AddStringToObject(object, key, text);
}

/* What is not known is left out. */
static void add_number(cJSON *object, const char *key, double value)
{
    if (isfinite(value))
        cJSON_AddNumberToObject(object, key, value);
}

static void add_positive(cJSON *object, const char *key, double value)
{
    add_number(object, key, value > 0 ? value : NAN);
}

static void add_bound(cJSON *kernel, const struct rfl_placement *placement)
{
    static const char *const kinds[] = {"none", "level", "unit", "issue"};
    cJSON *bound = cJSON_AddObjectToObject(kernel, "bound");
    cJSON_AddStringToObject(bound, "kind", kinds[placement->bound]);
    add_text(bound, "name", placement->bound_name);
    add_positive(bound, "fraction", placement->fraction);
    if (placement->fraction_high > placement->fraction)
        add_positive(bound, "fraction_high", placement->fraction_high);
    add_positive(bound, "attainable_flop_per_s", placement->attainable_flop_per_s);
    add_text(bound, "next", placement->next_name);
    add_positive(bound, "next_share", placement->headroom);
}

static void add_conditions(cJSON *kernel, const struct rfl_placement *placement,
                           const struct rfl_placer *placer)
{
    cJSON *at = cJSON_AddObjectToObject(kernel, "conditions");
    add_positive(at, "clock_hz", placer->roofs->clock_hz);
    add_positive(at, "measured_clock_hz", placer->roofs->held_hz);
    add_positive(at, "memory_clock_hz", placer->conditions.memory_clock_hz);
    add_positive(at, "warps_per_sm", placer->conditions.warps_per_sm);
    add_positive(at, "threads", placer->conditions.threads);
    cJSON_AddBoolToObject(at, "theory", placer->conditions.theory);
    cJSON *notes = cJSON_AddArrayToObject(at, "notes");
    for (size_t i = 0; i < placement->n_levels; i++)
        if (*placement->levels[i].reach.note)
            cJSON_AddItemToArray(notes,
                                 cJSON_CreateString(placement->levels[i].reach.note));
    for (size_t i = 0; i < placer->roofs->n_notes; i++)
        cJSON_AddItemToArray(notes, cJSON_CreateString(placer->roofs->notes[i]));
}

static void add_rows(cJSON *kernel, const struct rfl_view *view,
                     const struct rfl_placement *placement, const struct rfl_roofs *roofs)
{
    struct rfl_view_row rows[RFL_MAX_VIEW_ROWS];
    size_t n = view->rows(placement, roofs, rows);
    cJSON *list = cJSON_AddArrayToObject(kernel, "rows");
    for (size_t i = 0; i < n; i++) {
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "roof", rows[i].roof);
        cJSON_AddStringToObject(row, "unit", rows[i].unit);
        add_number(row, "intensity", rows[i].intensity);
        add_number(row, "reached", rows[i].reached);
        add_number(row, "value", rows[i].value);
        add_number(row, "measured", rows[i].measured);
        add_number(row, "fraction", rows[i].fraction);
        add_number(row, "value_low", rows[i].value_low);
        add_number(row, "fraction_high", rows[i].fraction_high);
        add_number(row, "read_share", rows[i].read_share);
        if (rows[i].is_actual)
            cJSON_AddStringToObject(row, "bytes_of", "actual");
        cJSON_AddBoolToObject(row, "bounds", rows[i].bounds);
        cJSON_AddItemToArray(list, row);
    }
}

static void add_missing_item(cJSON *list, const char *what, const char *reason)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "what", what);
    cJSON_AddStringToObject(item, "reason", reason);
    cJSON_AddItemToArray(list, item);
}

static void add_remarks(cJSON *kernel, const struct rfl_report *report,
                        const struct rfl_placement *placement)
{
    char text[RFL_REPORT_WARNING];
    const struct rfl_point *point = placement->point;
    cJSON *missing = cJSON_AddArrayToObject(kernel, "missing");
    for (size_t i = 0; i < placement->n_levels; i++)
        if (!placement->levels[i].roof)
            add_missing_item(missing, placement->levels[i].traffic->level,
                             "the device has no ceiling of this level");
    for (size_t i = 0; i < placement->n_units; i++)
        if (!placement->units[i].roof)
            add_missing_item(missing, placement->units[i].work->type,
                             "the device has no ceiling of this type and unit");
    for (size_t i = 0; i < point->n_missing; i++)
        add_missing_item(missing, point->missing[i].what, point->missing[i].reason);
    cJSON *warnings = cJSON_AddArrayToObject(kernel, "warnings");
    for (size_t i = 0; *rfl_report_warning(report, placement, i, text); i++)
        cJSON_AddItemToArray(warnings, cJSON_CreateString(text));
    for (size_t i = 0; i < point->n_warnings; i++)
        cJSON_AddItemToArray(warnings, cJSON_CreateString(point->warnings[i]));
}

static cJSON *kernel_to_json(const struct rfl_report *report,
                             const struct rfl_placement *placement)
{
    const struct rfl_point *point = placement->point;
    cJSON *kernel = cJSON_CreateObject();
    cJSON_AddStringToObject(kernel, "name", point->name);
    add_text(kernel, "run", point->run);
    add_text(kernel, "source", point->source);
    add_text(kernel, "format", point->format);
    add_positive(kernel, "time_s", point->time_s);
    add_positive(kernel, "launches", point->launches);
    add_positive(kernel, "flops", placement->flops);
    add_positive(kernel, "flop_per_s", placement->perf_flop_per_s);
    add_bound(kernel, placement);
    add_conditions(kernel, placement, report->placer);
    add_rows(kernel, report->view, placement, report->placer->roofs);
    cJSON_AddStringToObject(kernel, "advice", placement->advice);
    add_remarks(kernel, report, placement);
    return kernel;
}

/* The tree of one kernel at a time: that of all would be ten times the points. */
enum ert_status rfl_report_json(const struct rfl_report *report, FILE *out,
                                struct ert_error *error)
{
    const struct rfl_roofs *roofs = report->placer->roofs;
    cJSON *device = cJSON_CreateObject();
    cJSON_AddStringToObject(device, "id", roofs->device);
    add_text(device, "name", roofs->name);
    add_text(device, "mismatch", report->placer->mismatch);
    cJSON_AddStringToObject(device, "kind", roofs->kind == ERT_DEVICE_GPU ? "gpu" : "cpu");
    cJSON_AddBoolToObject(
        device, "trusted",
        report->placer->ceilings->devices[report->placer->device].trusted);
    fputs("{\"schema\": \"ert-placement/1\",\n\"device\": ", out);
    enum ert_status status = ert_json_print(out, device, error);
    cJSON_Delete(device);
    fprintf(out, ",\"view\": \"%s\",\n\"kernels\": [\n", report->view->name);
    for (size_t i = 0; i < report->points->n && status == ERT_OK; i++) {
        struct rfl_placement placement;
        ERT_TRY(rfl_placer_place(report->placer, &report->points->points[i], &placement,
                                 error));
        cJSON *kernel = kernel_to_json(report, &placement);
        fputs(i ? "," : "", out);
        status = ert_json_print(out, kernel, error);
        cJSON_Delete(kernel);
    }
    fputs("]}\n", out);
    return status;
}
