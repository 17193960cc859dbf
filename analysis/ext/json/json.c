/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/json/json.h"

#include "analysis/core/points/reader.h"
#include "ert/core/base/file.h"

#include <math.h>

void rfl_json_text(cJSON *object, const char *key, const char *text)
{
    if (text && *text)
        cJSON_AddStringToObject(object, key, text);
}

void rfl_json_number(cJSON *object, const char *key, double value)
{
    if (isfinite(value))
        cJSON_AddNumberToObject(object, key, value);
}

void rfl_json_positive(cJSON *object, const char *key, double value)
{
    rfl_json_number(object, key, value > 0 ? value : NAN);
}

void rfl_json_append(cJSON *array, const char *text)
{
    cJSON_AddItemToArray(array, cJSON_CreateString(text));
}

void rfl_json_print(FILE *out, cJSON *root)
{
    ert_json_print(out, root, NULL); /* cannot fail: valid JSON */
    cJSON_Delete(root);
}

static void json_add_counts(const struct rfl_point *point, cJSON *object)
{
    cJSON *flops = cJSON_AddArrayToObject(object, "flops");
    for (size_t i = 0; i < point->n_work; i++) {
        const struct rfl_work *work = &point->work[i];
        cJSON *item = ert_json_add_object(flops);
        cJSON_AddStringToObject(item, "type", work->type);
        rfl_json_text(item, "unit", work->unit);
        cJSON_AddNumberToObject(item, "count", work->flops);
        rfl_json_number(item, "fma_share", work->fma_share);
        rfl_json_text(item, "recipe", work->recipe);
    }
    cJSON *bytes = cJSON_AddArrayToObject(object, "bytes");
    for (size_t i = 0; i < point->n_traffic; i++) {
        const struct rfl_traffic *traffic = &point->traffic[i];
        cJSON *item = ert_json_add_object(bytes);
        cJSON_AddStringToObject(item, "level", traffic->level);
        cJSON_AddNumberToObject(item, "count", traffic->bytes);
        rfl_json_number(item, "read", traffic->read_bytes);
        rfl_json_text(item, "of", traffic->is_actual ? "actual" : "");
        if (traffic->is_streaming)
            cJSON_AddTrueToObject(item, "streaming");
        rfl_json_text(item, "recipe", traffic->recipe);
    }
}

static cJSON *json_make(const struct rfl_point *point)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", point->name);
    rfl_json_text(object, "run", point->run);
    rfl_json_text(object, "source", point->source);
    rfl_json_text(object, "format", point->format);
    rfl_json_text(object, "time_recipe", point->time_recipe);
    for (size_t i = 0; i < RFL_N_POINT_NUMBERS; i++)
        rfl_json_positive(object, rfl_point_numbers[i].key, rfl_point_number(point, i));
    if (point->time_high_s > 0) {
        const double interval[] = {point->time_low_s, point->time_high_s};
        cJSON_AddItemToObject(object, "interval_s", cJSON_CreateDoubleArray(interval, 2));
    }
    json_add_counts(point, object);
    cJSON *values = point->n_values ? cJSON_AddObjectToObject(object, "values") : NULL;
    for (size_t i = 0; i < point->n_values; i++)
        cJSON_AddNumberToObject(values, point->values[i].name, point->values[i].value);
    cJSON *missing = point->n_missing ? cJSON_AddArrayToObject(object, "missing") : NULL;
    for (size_t i = 0; i < point->n_missing; i++) {
        cJSON *item = ert_json_add_object(missing);
        cJSON_AddStringToObject(item, "what", point->missing[i].what);
        cJSON_AddStringToObject(item, "reason", point->missing[i].reason);
    }
    cJSON *warnings = point->n_warnings ? cJSON_AddArrayToObject(object, "warnings") : NULL;
    for (size_t i = 0; i < point->n_warnings; i++)
        rfl_json_append(warnings, point->warnings[i]);
    return object;
}

/* Makes the tree of one point at a time: a tree of all takes ten times the memory of the points. */
void rfl_points_print_members(FILE *out, const struct rfl_points *points, bool in_lines)
{
    cJSON *head = cJSON_CreateObject();
    rfl_json_text(head, "origin", points->origin);
    rfl_json_positive(head, "elapsed_s", points->elapsed_s);
    rfl_json_positive(head, "busy_s", points->busy_s);
    while (head->child) {
        cJSON *child = cJSON_DetachItemViaPointer(head, head->child);
        fprintf(out, ",\n\"%s\": ", child->string);
        rfl_json_print(out, child);
    }
    cJSON_Delete(head);
    fputs(",\n\"points\": [", out);
    for (size_t i = 0; i < points->n; i++) {
        fputs(i ? "," : "\n", out);
        cJSON *point = json_make(&points->points[i]);
        (in_lines ? ert_json_print_line : ert_json_print)(out, point, NULL);
        cJSON_Delete(point);
    }
    fputs("]", out);
}

enum ert_status rfl_points_print(const void *points, FILE *out, struct ert_error *error)
{
    (void)error;
    fputs("{\"schema\": \"" RFL_POINTS_SCHEMA "\"", out);
    rfl_points_print_members(out, points, false);
    fputs("}\n", out);
    return ERT_OK;
}

enum ert_status rfl_points_write(const char *file, const struct rfl_points *points,
                                 struct ert_error *error)
{
    return ert_file_write_made(file, rfl_points_print, points, error);
}
