#include "ert/ceilings/fields.h"

#include <stdint.h>
#include <stdio.h>

/* The key as the file has it, with the unit of a rate. */
static const char *full_key(const struct ert_field *row, const char *suffix, char text[64])
{
    bool rate = row->kind == ERT_FIELD_RATE || row->kind == ERT_FIELD_RATE_RANGE;
    snprintf(text, 64, "%s%s", row->key, rate ? suffix : "");
    return text;
}

static cJSON *number(const struct ert_field *row, double value)
{
    return row->zero_unknown && value == 0 ? cJSON_CreateNull() : cJSON_CreateNumber(value);
}

static cJSON *range(double low, double high)
{
    const double values[] = {low, high};
    return cJSON_CreateDoubleArray(values, 2);
}

static cJSON *value_of(const struct ert_field *row, const char *base)
{
    const void *at = base + row->offset;
    switch (row->kind) {
    case ERT_FIELD_TEXT:
        return cJSON_CreateString(at);
    case ERT_FIELD_COUNT:
        return number(row, *(const uint32_t *)at);
    case ERT_FIELD_FLAG:
        return cJSON_CreateBool(*(const bool *)at);
    case ERT_FIELD_RANGE:
    case ERT_FIELD_RATE_RANGE:
        return range(*(const double *)at,
                     *(const double *)(const void *)(base + row->size));
    case ERT_FIELD_NUMBER:
    case ERT_FIELD_SIZE:
    case ERT_FIELD_RATE:
        break;
    }
    return number(row, *(const double *)at);
}

/* The object that the row's key stands in, made when it is the group's first. */
static cJSON *group_of(cJSON *object, const struct ert_field *row)
{
    if (!row->group)
        return object;
    cJSON *group = cJSON_GetObjectItemCaseSensitive(object, row->group);
    return group ? group : cJSON_AddObjectToObject(object, row->group);
}

bool ert_fields_write(cJSON *object, const struct ert_field *rows, size_t n_rows,
                      const char *suffix, const void *source)
{
    for (size_t i = 0; i < n_rows; i++) {
        char key[64];
        cJSON *value = value_of(&rows[i], source);
        cJSON *group = group_of(object, &rows[i]);
        if (!value || !group ||
            !cJSON_AddItemToObject(group, full_key(&rows[i], suffix, key), value)) {
            cJSON_Delete(value);
            return false;
        }
    }
    return true;
}

static enum ert_status read_range(struct ert_json at, const char *key, double *low,
                                  double *high, struct ert_error *error)
{
    struct ert_json list;
    ERT_TRY(ert_json_array(at, key, &list, error));
    if (ert_json_length(list) != 2)
        return ert_fail(error, ERT_USAGE, "%s: %s: %zu numbers, must be 2", list.file,
                        list.path, ert_json_length(list));
    ERT_TRY(ert_json_as_double(ert_json_element(list, 0), 0, ERT_FIELD_MAX, low, error));
    return ert_json_as_double(ert_json_element(list, 1), 0, ERT_FIELD_MAX, high, error);
}

static enum ert_status read_value(struct ert_json at, const struct ert_field *row,
                                  const char *key, char *base, struct ert_error *error)
{
    void *to = base + row->offset;
    switch (row->kind) {
    case ERT_FIELD_TEXT:
        return ert_json_copy_string(at, key, to, row->size, error);
    case ERT_FIELD_COUNT: {
        uint64_t count = 0;
        ERT_TRY(ert_json_u64(at, key, 0, UINT32_MAX, &count, error));
        *(uint32_t *)to = (uint32_t)count;
        return ERT_OK;
    }
    case ERT_FIELD_FLAG:
        return ert_json_bool(at, key, to, error);
    case ERT_FIELD_RANGE:
    case ERT_FIELD_RATE_RANGE:
        return read_range(at, key, to, (double *)(void *)(base + row->size), error);
    case ERT_FIELD_SIZE:
        return ert_json_double(at, key, 0, 0x1p62, to, error);
    case ERT_FIELD_NUMBER:
    case ERT_FIELD_RATE:
        break;
    }
    return ert_json_double(at, key, 0, ERT_FIELD_MAX, to, error);
}

enum ert_status ert_fields_read(struct ert_json at, const struct ert_field *rows,
                                size_t n_rows, const char *suffix, void *target,
                                struct ert_error *error)
{
    for (size_t i = 0; i < n_rows; i++) {
        struct ert_json group = at;
        char key[64];
        full_key(&rows[i], suffix, key);
        if (rows[i].group && !rows[i].required && !ert_json_has(at, rows[i].group))
            continue;
        if (rows[i].group)
            ERT_TRY(ert_json_object(at, rows[i].group, &group, error));
        if (rows[i].required || ert_json_has(group, key))
            ERT_TRY(read_value(group, &rows[i], key, target, error));
        if (rows[i].required && rows[i].kind == ERT_FIELD_TEXT) {
            const char *text;
            ERT_TRY(ert_json_string(group, key, &text, error));
        }
    }
    return ERT_OK;
}
