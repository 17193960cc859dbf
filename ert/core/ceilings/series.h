/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * series: objects that share most of their values as one object with arrays, and back: what is equal in all
 * of them is there once, and every other key has an array, null where an object lacks it.
 */
#ifndef ERT_CEILINGS_SERIES_H
#define ERT_CEILINGS_SERIES_H

#include "ert/core/base/json.h"

/* Adds to the array one object that stands for objects[n], n at least 1, which it frees. */
void ert_series_add(cJSON *array, cJSON *const *objects, size_t n);

/* The number of objects that one stands for: the length of its arrays, 1 without any. */
enum ert_status ert_series_length(struct ert_json at, size_t *n, struct ert_error *error);

/* A copy of the i-th of these objects; the caller's. NULL without memory. */
cJSON *ert_series_at(const cJSON *object, size_t i);

#endif
