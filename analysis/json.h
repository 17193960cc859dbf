/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json: what writers of JSON share: values that are left out where they are not known, and a tree that
 * is printed and freed. It knows no schema.
 */
#ifndef RFL_JSON_H
#define RFL_JSON_H

#include "ert/base/json.h"

/* Adds a value to an object; "" or NULL, NaN or infinity, and what is not above 0, are left out. */
void rfl_json_text(cJSON *object, const char *key, const char *text);
void rfl_json_number(cJSON *object, const char *key, double value);
void rfl_json_positive(cJSON *object, const char *key, double value);

/* Appends to an array: a text; an object, which it returns. */
void rfl_json_append(cJSON *array, const char *text);
cJSON *rfl_json_object(cJSON *array);

/* Prints a tree and frees it. */
void rfl_json_print(FILE *out, cJSON *root);

#endif
