/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/ceilings/series.h"

#include "ert/core/base/alloc.h"

#include <string.h>

static cJSON *series_fold(const cJSON *const *objects, size_t n);

/* The values of a key: one of all, a group of such values, or an array with a value of each object. */
static cJSON *series_value(const cJSON *const *objects, size_t n, const char *key)
{
    const cJSON **values = ert_calloc(n, sizeof *values);
    const cJSON *some = NULL;
    bool are_equal = true;
    for (size_t i = 0; values && i < n; i++) {
        values[i] = cJSON_GetObjectItemCaseSensitive(objects[i], key);
        are_equal = are_equal && values[i] && cJSON_Compare(values[i], values[0], true);
        some = values[i] ? values[i] : some;
    }
    cJSON *value = NULL;
    if (values && are_equal)
        value = cJSON_Duplicate(some, true);
    else if (values && cJSON_IsObject(some))
        value = series_fold(values, n);
    else if (values)
        value = cJSON_CreateArray();
    for (size_t i = 0; values && i < n && cJSON_IsArray(value); i++)
        cJSON_AddItemToArray(value, values[i] ? cJSON_Duplicate(values[i], true)
                                              : cJSON_CreateNull());
    free(values);
    return value;
}

/* objects[]: NULL is one without any key. */
static cJSON *series_fold(const cJSON *const *objects, size_t n)
{
    cJSON *folded = cJSON_CreateObject();
    for (size_t i = 0; i < n; i++)
        for (const cJSON *child = objects[i] ? objects[i]->child : NULL; child;
             child = child->next)
            if (!cJSON_GetObjectItemCaseSensitive(folded, child->string))
                cJSON_AddItemToObject(folded, child->string,
                                      series_value(objects, n, child->string));
    return folded;
}

void ert_series_add(cJSON *array, cJSON *const *objects, size_t n)
{
    cJSON_AddItemToArray(array, series_fold((const cJSON *const *)objects, n));
    for (size_t i = 0; i < n; i++)
        cJSON_Delete(objects[i]);
}

enum { MAX_LENGTH = 1 << 13 };

/* *n: 0 until the first array is found. */
static enum ert_status series_length(struct ert_json at, size_t *n, struct ert_error *error)
{
    for (const cJSON *child = at.node->child; child; child = child->next) {
        struct ert_json group;
        const size_t length = (size_t)cJSON_GetArraySize(child);
        if (cJSON_IsObject(child)) {
            ERT_TRY(ert_json_object(at, child->string, &group, error));
            ERT_TRY(series_length(group, n, error));
        } else if (cJSON_IsArray(child) && *n > 0 && length != *n) {
            return ert_fail(error, ERT_USAGE, "%s: %s.%.40s: %zu elements, others have %zu",
                            at.file, at.path, child->string, length, *n);
        } else if (cJSON_IsArray(child)) {
            *n = length;
            if (length == 0 || length > MAX_LENGTH)
                return ert_fail(error, ERT_USAGE,
                                "%s: %s.%.40s: %zu elements, must be 1 to %d", at.file,
                                at.path, child->string, length, MAX_LENGTH);
        }
    }
    return ERT_OK;
}

enum ert_status ert_series_length(struct ert_json at, size_t *n, struct ert_error *error)
{
    *n = 0;
    ERT_TRY(series_length(at, n, error));
    *n = *n ? *n : 1;
    return ERT_OK;
}

cJSON *ert_series_at(const cJSON *object, size_t i)
{
    cJSON *one = cJSON_CreateObject();
    for (const cJSON *child = object->child; child; child = child->next) {
        const cJSON *value =
            cJSON_IsArray(child) ? cJSON_GetArrayItem(child, (int)i) : child;
        if (cJSON_IsObject(value))
            cJSON_AddItemToObject(one, child->string, ert_series_at(value, i));
        else if (!cJSON_IsNull(value))
            cJSON_AddItemToObject(one, child->string, cJSON_Duplicate(value, true));
    }
    return one;
}
