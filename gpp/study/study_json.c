#include "gpp/study/study_json.h"

#include "gpp/study/study_fields.h"

#include "ert/base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA "ert-gpp-study/1"

static void write_field(cJSON *object, const struct gpp_field *field, const void *base)
{
    const void *at = (const char *)base + field->offset;
    const char *text = field->kind == GPP_FIELD_TEXT   ? at
                       : field->kind == GPP_FIELD_KEPT ? *(const char *const *)at
                                                       : "";
    double value = field->kind == GPP_FIELD_NUMBER ? *(const double *)at
                   : field->kind == GPP_FIELD_SIZE ? (double)*(const size_t *)at
                   : field->kind == GPP_FIELD_U32  ? *(const uint32_t *)at
                                                   : NAN;
    if (field->kind == GPP_FIELD_U32 && value == 0)
        return;
    if (field->kind == GPP_FIELD_BOOL)
        cJSON_AddBoolToObject(object, field->key, *(const bool *)at);
    else if (isfinite(value))
        cJSON_AddNumberToObject(object, field->key, value);
    else if (*text)
        cJSON_AddStringToObject(object, field->key, text);
}

static cJSON *write_fields(cJSON *object, const struct gpp_fields *fields, const void *base)
{
    for (size_t i = 0; i < fields->n; i++)
        write_field(object, &fields->fields[i], base);
    return object;
}

static void write_row(cJSON *rows, const struct gpp_study_row *row)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(rows, object);
    cJSON_AddStringToObject(object, "version", row->m.version->name);
    cJSON_AddStringToObject(object, "idea", row->m.version->idea);
    cJSON_AddBoolToObject(object, "fma", !row->m.options.no_fma);
    write_fields(object, &gpp_fields_row, row);
    if (!gpp_row_is_measured(row))
        return;
    write_fields(cJSON_AddObjectToObject(object, "formulas"), &gpp_fields_formulas,
                 &row->counts);
    cJSON *counted = write_fields(cJSON_AddObjectToObject(object, "counted"),
                                  &gpp_fields_counted, &row->counted);
    cJSON *metrics = cJSON_AddObjectToObject(counted, "metrics");
    for (size_t i = 0; i < GPP_N_METRICS; i++)
        if (isfinite(row->counted.values[i]))
            cJSON_AddNumberToObject(metrics, gpp_metrics[i].key, row->counted.values[i]);
    write_fields(cJSON_AddObjectToObject(object, "placed"), &gpp_fields_placed,
                 &row->placed);
}

enum ert_status gpp_study_write(const char *file, const struct gpp_study *study,
                                struct ert_error *error)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", SCHEMA);
    write_fields(root, &gpp_fields_study, study);
    cJSON_AddNumberToObject(root, "seed", (double)study->seed);
    write_fields(cJSON_AddObjectToObject(root, "sizes"), &gpp_fields_sizes, &study->sizes);
    write_fields(cJSON_AddObjectToObject(root, "shares"), &gpp_fields_shares,
                 &study->shares);
    cJSON *rows = cJSON_AddArrayToObject(root, "rows");
    for (size_t i = 0; i < study->n_rows && rows; i++)
        write_row(rows, &study->rows[i]);
    enum ert_status status =
        rows ? ert_json_write(file, root, error)
             : ert_fail(error, ERT_FAILED, "%.200s: no memory for %zu rows", file,
                        study->n_rows);
    cJSON_Delete(root);
    return status;
}

static enum ert_status read_field(struct ert_json at, const struct gpp_field *field,
                                  struct rfl_strings *strings, void *base,
                                  struct ert_error *error)
{
    void *to = (char *)base + field->offset;
    uint64_t count;
    const char *text;
    if (!ert_json_has(at, field->key))
        return ERT_OK;
    switch (field->kind) {
    case GPP_FIELD_NUMBER:
        return ert_json_double(at, field->key, 0, 1e300, to, error);
    case GPP_FIELD_BOOL:
        return ert_json_bool(at, field->key, to, error);
    case GPP_FIELD_TEXT:
        return ert_json_copy_string(at, field->key, to, field->size, error);
    case GPP_FIELD_KEPT:
        ERT_TRY(ert_json_string(at, field->key, &text, error));
        *(const char **)to = rfl_strings_keep(strings, text);
        return *(const char **)to ? ERT_OK
                                  : ert_fail(error, ERT_FAILED, "no memory for a text");
    case GPP_FIELD_U32:
        ERT_TRY(ert_json_u64(at, field->key, 0, UINT32_MAX, &count, error));
        *(uint32_t *)to = (uint32_t)count;
        return ERT_OK;
    case GPP_FIELD_SIZE:
        ERT_TRY(ert_json_u64(at, field->key, 0, INT32_MAX, &count, error));
        *(size_t *)to = (size_t)count;
        return ERT_OK;
    }
    return ERT_OK;
}

static enum ert_status read_fields(struct ert_json at, const struct gpp_fields *fields,
                                   struct rfl_strings *strings, void *base,
                                   struct ert_error *error)
{
    for (size_t i = 0; i < fields->n; i++)
        ERT_TRY(read_field(at, &fields->fields[i], strings, base, error));
    return ERT_OK;
}

/* The fields of an object that must be there. */
static enum ert_status read_object(struct ert_json at, const char *key,
                                   const struct gpp_fields *fields,
                                   struct rfl_strings *strings, void *base,
                                   struct ert_error *error)
{
    struct ert_json object;
    ERT_TRY(ert_json_object(at, key, &object, error));
    return read_fields(object, fields, strings, base, error);
}

static enum ert_status read_metrics(struct ert_json row, struct gpp_counted *counted,
                                    struct ert_error *error)
{
    struct ert_json at, metrics;
    ERT_TRY(ert_json_object(row, "counted", &at, error));
    if (!ert_json_has(at, "metrics"))
        return ERT_OK;
    ERT_TRY(ert_json_object(at, "metrics", &metrics, error));
    for (size_t i = 0; i < GPP_N_METRICS; i++)
        if (ert_json_has(metrics, gpp_metrics[i].key))
            ERT_TRY(ert_json_double(metrics, gpp_metrics[i].key, 0, 1e300,
                                    &counted->values[i], error));
    return ERT_OK;
}

static enum ert_status read_row(struct ert_json at, struct gpp_study *study,
                                struct ert_error *error)
{
    const char *name;
    const struct gpp_version *version;
    struct gpp_study_row *row;
    struct rfl_strings *strings = &study->strings;
    bool has_fma;
    struct ert_error unknown;
    ERT_TRY(ert_json_string(at, "version", &name, error));
    if (gpp_version_find(name, &version, &unknown) != ERT_OK)
        return ert_fail(error, ERT_USAGE, "%s: %s.version: %.400s", at.file, at.path,
                        unknown.text);
    ERT_TRY(ert_json_bool(at, "fma", &has_fma, error));
    ERT_TRY(gpp_study_add(study, version, 0, !has_fma, &row, error));
    ERT_TRY(read_fields(at, &gpp_fields_row, strings, row, error));
    if (row->nw < 1 || row->nw > GPP_MAX_NW)
        return ert_fail(error, ERT_USAGE, "%s: %s.nw: %zu, must be 1 to %d", at.file,
                        at.path, row->nw, GPP_MAX_NW);
    if (!gpp_row_is_measured(row))
        return ERT_OK;
    ERT_TRY(
        read_object(at, "formulas", &gpp_fields_formulas, strings, &row->counts, error));
    ERT_TRY(read_object(at, "counted", &gpp_fields_counted, strings, &row->counted, error));
    ERT_TRY(read_metrics(at, &row->counted, error));
    return read_object(at, "placed", &gpp_fields_placed, strings, &row->placed, error);
}

static enum ert_status read_study(struct ert_json at, struct gpp_study *study,
                                  struct ert_error *error)
{
    char schema[32];
    struct ert_json rows;
    ERT_TRY(ert_json_copy_string(at, "schema", schema, sizeof schema, error));
    if (strcmp(schema, SCHEMA) != 0)
        return ert_fail(error, ERT_USAGE, "%s: schema: '%s', must be '" SCHEMA "'", at.file,
                        schema);
    ERT_TRY(read_fields(at, &gpp_fields_study, &study->strings, study, error));
    ERT_TRY(ert_json_u64(at, "seed", 0, (uint64_t)1 << 53, &study->seed, error));
    ERT_TRY(read_object(at, "sizes", &gpp_fields_sizes, NULL, &study->sizes, error));
    ERT_TRY(gpp_sizes_check(&study->sizes, error));
    ERT_TRY(read_object(at, "shares", &gpp_fields_shares, NULL, &study->shares, error));
    ERT_TRY(ert_json_array(at, "rows", &rows, error));
    for (size_t i = 0; i < ert_json_length(rows); i++)
        ERT_TRY(read_row(ert_json_element(rows, i), study, error));
    return ERT_OK;
}

enum ert_status gpp_study_read(const char *file, struct gpp_study *study,
                               struct ert_error *error)
{
    cJSON *root = NULL;
    ERT_TRY(ert_json_read(file, &root, error));
    enum ert_status status = read_study(ert_json_root(root, file), study, error);
    cJSON_Delete(root);
    return status;
}
