/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/json/json.h"

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

cJSON *rfl_json_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

void rfl_json_print(FILE *out, cJSON *root)
{
    ert_json_print(out, root, NULL); /* cannot fail: valid JSON */
    cJSON_Delete(root);
}
