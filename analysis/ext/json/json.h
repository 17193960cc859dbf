/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json: helpers for writers of JSON: they leave out unknown values, and print and free a tree. It knows no
 * schema.
 */
#ifndef RFL_JSON_H
#define RFL_JSON_H

#include "ert/core/base/json.h"

/* Adds a value to an object; leaves out "" or NULL, NaN or infinity, and for _positive also 0 and below. */
void rfl_json_text(cJSON *object, const char *key, const char *text);
void rfl_json_number(cJSON *object, const char *key, double value);
void rfl_json_positive(cJSON *object, const char *key, double value);

/* Appends to an array: a text; a new object, which it returns. */
void rfl_json_append(cJSON *array, const char *text);
cJSON *rfl_json_object(cJSON *array);

/* Prints a tree and frees it. */
void rfl_json_print(FILE *out, cJSON *root);

#endif
