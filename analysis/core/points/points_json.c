/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * points_json: reads points.json, schema "ert-points/1" (analysis/core/points/points.schema.json), which
 * ert-gpp and `roofline import` write (analysis/ext/json/json.h).
 *
 *   { "schema": "ert-points/1", "origin": ..., "elapsed_s": ..., "busy_s": ...,
 *     "points": [ { "name": ..., "run": ..., "time_s": ..., "interval_s": [low, high], "launches": ...,
 *     "flops": [ {"type", "unit", "count", "fma_share", "recipe"} ], "bytes": [ {"level", "count",
 *     "recipe"} ], "missing": [ {"what", "reason"} ], "warnings": [...], "clock_hz": ..., ... } ] }
 *
 * Unknown values are left out. Unknown keys are accepted, a newer major version is not.
 */
#include "analysis/core/points/reader.h"

#include "ert/core/base/json.h"

#include <math.h>
#include <string.h>

#define PLACEMENT "ert-placement/2" /* analysis/ext/json */

/* The texts of a point; "" is left out. */
static const struct text_row {
    const char *key;
    size_t offset;
} text_rows[] = {
    {"run",         offsetof(struct rfl_point, run)        },
    {"source",      offsetof(struct rfl_point, source)     },
    {"format",      offsetof(struct rfl_point, format)     },
    {"time_recipe", offsetof(struct rfl_point, time_recipe)},
};

bool rfl_points_recognizes(const char *head)
{
    head += strspn(head, " \t\r\n");
    return *head == '{' &&
           (strstr(head, "\"ert-points/") || strstr(head, "\"ert-placement/"));
}

/* Reads an optional text; the points keep it. */
static enum ert_status read_text(struct ert_json at, const char *key,
                                 struct rfl_points *points, const char **text,
                                 struct ert_error *error)
{
    const char *read = "";
    if (ert_json_has(at, key))
        ERT_TRY(ert_json_string(at, key, &read, error));
    *text = rfl_points_text(points, read);
    return ERT_OK;
}

static enum ert_status read_work(struct ert_json at, struct rfl_point *point,
                                 struct ert_error *error)
{
    char type[sizeof point->work[0].type], unit[sizeof point->work[0].unit];
    const char *recipe;
    double count, share = NAN;
    ERT_TRY(ert_json_copy_string(at, "type", type, sizeof type, error));
    ERT_TRY(ert_json_copy_string(at, "unit", unit, sizeof unit, error));
    ERT_TRY(ert_json_double(at, "count", 0, 1e300, &count, error));
    if (ert_json_has(at, "fma_share"))
        ERT_TRY(ert_json_double(at, "fma_share", 0, 1, &share, error));
    ERT_TRY(read_text(at, "recipe", point->set, &recipe, error));
    if (!type[0])
        return ert_fail(error, ERT_USAGE, "%s: %s.type: missing, must be given, e.g. fp64",
                        at.file, at.path);
    rfl_points_work(point, type, unit, count, share, recipe);
    return ERT_OK;
}

static enum ert_status read_traffic(struct ert_json at, struct rfl_point *point,
                                    struct ert_error *error)
{
    struct rfl_traffic read = {.read_bytes = NAN};
    const char *of = "";
    ERT_TRY(ert_json_copy_string(at, "level", read.level, sizeof read.level, error));
    ERT_TRY(ert_json_double(at, "count", 0, 1e300, &read.bytes, error));
    if (ert_json_has(at, "read"))
        ERT_TRY(ert_json_double(at, "read", 0, read.bytes, &read.read_bytes, error));
    if (ert_json_has(at, "of"))
        ERT_TRY(ert_json_string(at, "of", &of, error));
    if (*of && strcmp(of, "actual") != 0 && strcmp(of, "useful") != 0)
        return ert_fail(error, ERT_USAGE,
                        "%s: %s.of: '%.32s', must be useful (bytes that the code requests) "
                        "or actual (bytes that move)",
                        at.file, at.path, of);
    if (ert_json_has(at, "streaming"))
        ERT_TRY(ert_json_bool(at, "streaming", &read.is_streaming, error));
    ERT_TRY(read_text(at, "recipe", point->set, &read.recipe, error));
    if (!read.level[0])
        return ert_fail(error, ERT_USAGE, "%s: %s.level: missing, must be given, e.g. L2",
                        at.file, at.path);
    read.is_actual = strcmp(of, "actual") == 0;
    rfl_points_add_traffic(point, &read, 1);
    return ERT_OK;
}

static enum ert_status read_missing(struct ert_json at, struct rfl_point *point,
                                    struct ert_error *error)
{
    const char *what, *reason;
    ERT_TRY(ert_json_string(at, "what", &what, error));
    ERT_TRY(ert_json_string(at, "reason", &reason, error));
    rfl_points_missing(point, what, "%s", reason);
    return ERT_OK;
}

static enum ert_status read_warning(struct ert_json at, struct rfl_point *point,
                                    struct ert_error *error)
{
    const char *text;
    ERT_TRY(ert_json_as_string(at, &text, error));
    rfl_points_warn(point, "%s", text);
    return ERT_OK;
}

static const struct list_row {
    const char *key;
    enum ert_status (*read)(struct ert_json at, struct rfl_point *point,
                            struct ert_error *error);
} list_rows[] = {
    {"flops",    read_work   },
    {"bytes",    read_traffic},
    {"missing",  read_missing},
    {"warnings", read_warning},
};

static enum ert_status read_interval(struct ert_json at, struct rfl_point *point,
                                     struct ert_error *error)
{
    struct ert_json list;
    if (!ert_json_has(at, "interval_s"))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, "interval_s", &list, error));
    if (ert_json_length(list) != 2)
        return ert_fail(error, ERT_USAGE, "%s: %s: %zu numbers, must be 2", at.file,
                        list.path, ert_json_length(list));
    ERT_TRY(ert_json_as_double(ert_json_element(&list, 0), 0, 1e300, &point->time_low_s,
                               error));
    return ert_json_as_double(ert_json_element(&list, 1), point->time_low_s, 1e300,
                              &point->time_high_s, error);
}

static enum ert_status points_json_read_values(struct ert_json at, struct rfl_point *point,
                                               struct ert_error *error)
{
    struct ert_json object;
    double value;
    if (!ert_json_has(at, "values"))
        return ERT_OK;
    ERT_TRY(ert_json_object(at, "values", &object, error));
    for (const cJSON *node = object.node->child; node; node = node->next) {
        ERT_TRY(ert_json_double(object, node->string, -1e300, 1e300, &value, error));
        rfl_points_value(point, node->string, value);
    }
    return ERT_OK;
}

static enum ert_status points_json_read_point(struct ert_json at, struct rfl_points *points,
                                              struct ert_error *error)
{
    const char *name;
    ERT_TRY(ert_json_string(at, "name", &name, error));
    struct rfl_point *point = rfl_points_add(points, name);
    for (size_t i = 0; i < ERT_LENGTH(text_rows); i++)
        ERT_TRY(read_text(at, text_rows[i].key, points,
                          (const char **)((char *)point + text_rows[i].offset), error));
    for (size_t i = 0; i < RFL_N_POINT_NUMBERS; i++)
        if (ert_json_has(at, rfl_point_numbers[i].key))
            ERT_TRY(ert_json_double(at, rfl_point_numbers[i].key, 0, 1e300,
                                    (double *)((char *)point + rfl_point_numbers[i].offset),
                                    error));
    ERT_TRY(read_interval(at, point, error));
    ERT_TRY(points_json_read_values(at, point, error));
    for (size_t l = 0; l < ERT_LENGTH(list_rows); l++) {
        struct ert_json list;
        if (!ert_json_has(at, list_rows[l].key))
            continue;
        ERT_TRY(ert_json_array(at, list_rows[l].key, &list, error));
        const size_t n = ert_json_length(list);
        for (size_t i = 0; i < n; i++)
            ERT_TRY(list_rows[l].read(ert_json_element(&list, i), point, error));
    }
    return ERT_OK;
}

/* Adds the time of a further recording; the sum is unknown (0) if one recording lacks it. */
static enum ert_status read_whole(struct ert_json at, const char *key, bool is_first,
                                  double *whole_s, struct ert_error *error)
{
    double time_s = 0;
    if (ert_json_has(at, key))
        ERT_TRY(ert_json_double(at, key, 0, 1e300, &time_s, error));
    *whole_s = is_first || (*whole_s > 0 && time_s > 0) ? *whole_s + time_s : 0;
    return ERT_OK;
}

enum ert_status rfl_points_read(const char *file, struct rfl_points *points,
                                struct ert_error *error)
{
    struct ert_json array = {0};
    size_t first = points->n;
    cJSON *root = NULL;
    ERT_TRY(ert_json_read(file, &root, error));
    struct ert_json at = ert_json_root(root, file);
    char schema[32];
    enum ert_status status =
        ert_json_copy_string(at, "schema", schema, sizeof schema, error);
    if (status == ERT_OK && strcmp(schema, RFL_POINTS_SCHEMA) != 0 &&
        strcmp(schema, PLACEMENT) != 0)
        status =
            ert_fail(error, ERT_USAGE, "%s: schema: '%s', must be '" RFL_POINTS_SCHEMA "'",
                     file, schema);
    if (status == ERT_OK && !points->origin)
        status = read_text(at, "origin", points, &points->origin, error);
    if (status == ERT_OK)
        status = read_whole(at, "elapsed_s", first == 0, &points->elapsed_s, error);
    if (status == ERT_OK)
        status = read_whole(at, "busy_s", first == 0, &points->busy_s, error);
    if (status == ERT_OK)
        status = ert_json_array(at, "points", &array, error);
    const size_t n = status == ERT_OK ? ert_json_length(array) : 0;
    for (size_t i = 0; i < n && status == ERT_OK; i++)
        status = points_json_read_point(ert_json_element(&array, i), points, error);
    cJSON_Delete(root);
    ERT_TRY(status);
    rfl_points_judge(points, first);
    return rfl_points_status(points, error);
}
