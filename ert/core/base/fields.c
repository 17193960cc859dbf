/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/base/fields.h"

#include "ert/core/base/clock.h"

#include <math.h>
#include <stdint.h>

static double fields_number_of(const struct ert_field *row, const void *at)
{
    switch (row->kind) {
    case ERT_FIELD_COUNT:
        return *(const uint32_t *)at;
    case ERT_FIELD_U64:
        return (double)*(const uint64_t *)at;
    case ERT_FIELD_FLAG:
    case ERT_FIELD_SWITCH:
        return *(const bool *)at;
    default:
        return *(const double *)at;
    }
}

static cJSON *fields_number(const struct ert_field *row, double value)
{
    bool is_unknown = row->kind == ERT_FIELD_MAYBE
                          ? !(value >= 0)
                          : row->zero == ERT_ZERO_NULL && value == 0;
    return is_unknown ? cJSON_CreateNull() : cJSON_CreateNumber(value);
}

static cJSON *fields_value_of(const struct ert_field *row, const char *base)
{
    const void *at = base + row->offset;
    switch (row->kind) {
    case ERT_FIELD_TEXT:
    case ERT_FIELD_TIME:
        return cJSON_CreateString(at);
    case ERT_FIELD_FLAG:
        return cJSON_CreateBool(*(const bool *)at);
    case ERT_FIELD_WORD:
        return cJSON_CreateString(row->words[*(const unsigned *)at]);
    default:
        return fields_number(row, fields_number_of(row, at));
    }
}

static bool fields_is_left_out(const struct ert_field *row, const char *base)
{
    return row->zero == ERT_ZERO_LEFT_OUT && fields_number_of(row, base + row->offset) == 0;
}

/* The object that the row's key stands in, made when it is the group's first. */
static cJSON *fields_group_of(cJSON *object, const struct ert_field *row)
{
    if (!row->group)
        return object;
    cJSON *group = cJSON_GetObjectItemCaseSensitive(object, row->group);
    return group ? group : cJSON_AddObjectToObject(object, row->group);
}

void ert_fields_write(cJSON *object, const struct ert_field *rows, size_t n_rows,
                      const void *source)
{
    for (size_t i = 0; i < n_rows; i++) {
        if (!fields_is_left_out(&rows[i], source))
            cJSON_AddItemToObject(fields_group_of(object, &rows[i]), rows[i].key,
                                  fields_value_of(&rows[i], source));
    }
}

void ert_fields_write_list(cJSON *object, const char *key, const struct ert_field *rows,
                           size_t n_rows, const void *source, size_t size_bytes, size_t n)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    for (size_t i = 0; i < n; i++)
        ert_fields_write(ert_json_add_object(list), rows, n_rows,
                         (const char *)source + i * size_bytes);
}

void ert_fields_write_columns(cJSON *object, const struct ert_field *rows, size_t n_rows,
                              const void *source, size_t size_bytes, size_t n)
{
    for (size_t c = 0; c < n_rows; c++) {
        const char *at = (const char *)source + rows[c].offset;
        cJSON *list = cJSON_AddArrayToObject(object, rows[c].key);
        for (size_t i = 0; i < n; i++, at += size_bytes)
            cJSON_AddItemToArray(list, cJSON_CreateNumber(fields_number_of(&rows[c], at)));
    }
}

static enum ert_status fields_read_word(struct ert_json at, const struct ert_field *row,
                                        unsigned *value, struct ert_error *error)
{
    const char *word;
    char list[160];
    ERT_TRY(ert_json_string(at, row->key, &word, error));
    const size_t i = ert_word_find(row->words, word, list, sizeof list);
    if (i != SIZE_MAX) {
        *value = (unsigned)i;
        return ERT_OK;
    }
    return ert_fail(error, ERT_USAGE, "%s: %s%s%s: '%.40s', must be one of %s", at.file,
                    at.path, *at.path ? "." : "", row->key, word, list);
}

static double most_of(const struct ert_field *row)
{
    if (row->max > 0)
        return row->max;
    switch (row->kind) {
    case ERT_FIELD_COUNT:
        return UINT32_MAX;
    case ERT_FIELD_SIZE:
    case ERT_FIELD_U64:
        return 0x1p62;
    default:
        return ERT_FIELD_MAX;
    }
}

static enum ert_status fields_read_value(struct ert_json at, const struct ert_field *row,
                                         const char *key, char *base,
                                         struct ert_error *error)
{
    void *to = base + row->offset;
    uint64_t whole = 0;
    switch (row->kind) {
    case ERT_FIELD_TEXT:
        return ert_json_copy_string(at, key, to, row->size, error);
    case ERT_FIELD_TIME:
        ERT_TRY(ert_json_copy_string(at, key, to, row->size, error));
        if (!*(const char *)to || ert_clock_read_date(to) >= 0)
            return ERT_OK;
        return ert_fail(error, ERT_USAGE,
                        "%s: %s%s%s: '%s', must be a time like 2026-11-21T03:10:00Z",
                        at.file, at.path, *at.path ? "." : "", key, (const char *)to);
    case ERT_FIELD_COUNT:
        ERT_TRY(ert_json_u64(at, key, (uint64_t)row->min, (uint64_t)most_of(row), &whole,
                             error));
        *(uint32_t *)to = (uint32_t)whole;
        return ERT_OK;
    case ERT_FIELD_U64:
        return ert_json_u64(at, key, (uint64_t)row->min, (uint64_t)most_of(row), to, error);
    case ERT_FIELD_FLAG:
        return ert_json_bool(at, key, to, error);
    case ERT_FIELD_SWITCH:
        ERT_TRY(ert_json_u64(at, key, 0, 1, &whole, error));
        *(bool *)to = whole == 1;
        return ERT_OK;
    case ERT_FIELD_WORD:
        return fields_read_word(at, row, to, error);
    default:
        return ert_json_double(at, key, row->min, most_of(row), to, error);
    }
}

enum ert_status ert_fields_read(struct ert_json at, const struct ert_field *rows,
                                size_t n_rows, void *target, struct ert_error *error)
{
    for (size_t i = 0; i < n_rows; i++) {
        struct ert_json group = at;
        const char *key = rows[i].key;
        bool is_required = rows[i].zero == ERT_ZERO_VALUE;
        if (rows[i].group && !is_required && !ert_json_has(at, rows[i].group))
            continue;
        if (rows[i].group)
            ERT_TRY(ert_json_object(at, rows[i].group, &group, error));
        if (is_required || ert_json_has(group, key))
            ERT_TRY(fields_read_value(group, &rows[i], key, target, error));
        if (is_required && rows[i].kind <= ERT_FIELD_TIME) {
            const char *text;
            ERT_TRY(ert_json_string(group, key, &text, error));
        }
    }
    return ERT_OK;
}

enum ert_status ert_fields_read_list(struct ert_json at, const char *key,
                                     const struct ert_field *rows, size_t n_rows,
                                     void *target, size_t size_bytes, size_t n_max,
                                     uint32_t *n, struct ert_error *error)
{
    struct ert_json list;
    ERT_TRY(ert_json_array(at, key, &list, error));
    size_t length = ert_json_length(list);
    if (length > n_max)
        return ert_fail(error, ERT_USAGE, "%s: %s: %zu elements, at most %zu", list.file,
                        list.path, length, n_max);
    for (size_t i = 0; i < length; i++)
        ERT_TRY(ert_fields_read(ert_json_element(&list, i), rows, n_rows,
                                (char *)target + i * size_bytes, error));
    *n = (uint32_t)length;
    return ERT_OK;
}

enum ert_status ert_fields_read_columns(struct ert_json at, const struct ert_field *rows,
                                        size_t n_rows, void *target, size_t size_bytes,
                                        size_t n, struct ert_error *error)
{
    for (size_t c = 0; c < n_rows; c++) {
        const struct ert_field *row = &rows[c];
        char *to = (char *)target + row->offset;
        struct ert_json list;
        size_t i = 0;
        if (row->zero != ERT_ZERO_VALUE && !ert_json_has(at, row->key))
            continue;
        ERT_TRY(ert_json_array(at, row->key, &list, error));
        if (ert_json_length(list) != n)
            return ert_fail(error, ERT_USAGE, "%s: %s: %zu values, %s has %zu", at.file,
                            list.path, ert_json_length(list), rows[0].key, n);
        /* Along the list, since cJSON looks for its i-th element from the first one on. */
        for (const cJSON *item = list.node->child; item;
             item = item->next, to += size_bytes) {
            double value = cJSON_IsNumber(item) ? item->valuedouble : NAN;
            if (!(value >= row->min && value <= most_of(row)))
                return ert_fail(error, ERT_USAGE,
                                "%s: %s[%zu]: must be a number from %g to %g", at.file,
                                list.path, i, row->min, most_of(row));
            if (row->kind == ERT_FIELD_U64)
                *(uint64_t *)(void *)to = (uint64_t)value;
            else
                *(double *)(void *)to = value;
            i++;
        }
    }
    return ERT_OK;
}
