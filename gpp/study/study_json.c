#include "gpp/study/study_json.h"

#include "gpp/study/study_fields.h"

#include "ert/base/json.h"

#include <math.h>

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
    cJSON_AddStringToObject(root, "schema", GPP_STUDY_SCHEMA);
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
