/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json: typed access to JSON over cJSON, with errors that name the file and the path of the value
 * ("configs/h200.json: sweep.min_time_s: 0, must be at least 1e-06"), and numbers written so that
 * they read back bit for bit. It knows no schema.
 */
#ifndef ERT_BASE_JSON_H
#define ERT_BASE_JSON_H

#include "ert/core/base/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A value and where it stands; passed by value, owns nothing. `file` and `node` must outlive it. */
struct ert_json {
    const cJSON *node;
    const char *file;
    char path[192];
    const cJSON *element; /* of an array: ert_json_element()'s last, and its index */
    size_t index;
};

/*
 * Reads and parses a file of at most 1 GiB. *root is the caller's (cJSON_Delete). ERT_USAGE for a missing or
 * unreadable file, for text that is not JSON in UTF-8 (line and column named; cJSON also takes numbers like
 * "01" and "1.", and strings end at \u0000) and trailing text; and, with the key named, for a number that no
 * double holds, characters that act on a terminal, and a key that appears twice.
 */
enum ert_status ert_json_read(const char *file, cJSON **root, struct ert_error *error);

/* The same of a text that was read already; text[size] must be NUL, `file` is for errors. */
enum ert_status ert_json_parse(const char *text, size_t size, const char *file,
                               cJSON **root, struct ert_error *error);

/*
 * Writes *root to `file` through a temporary file in the same folder, fsync and rename: the file is
 * either the old or the new one, whole. Each row of a device, an object in an array of an object in an
 * array, is a line without blanks. Doubles are written with the fewest digits that read back
 * equal; NaN and infinities become null; bytes that are not UTF-8 and characters that the
 * reader refuses become U+FFFD. ERT_FAILED with the system's reason (full, read-only).
 */
enum ert_status ert_json_write(const char *file, const cJSON *root,
                               struct ert_error *error);

/*
 * Writes *root to a stream, as ert_json_write() does to a file; the stream's faults stay in it
 * (ferror). ERT_FAILED for what is not JSON.
 */
enum ert_status ert_json_print(FILE *out, const cJSON *root, struct ert_error *error);

/* The same on one line, for files of one JSON object a line. */
enum ert_status ert_json_print_line(FILE *out, const cJSON *root, struct ert_error *error);

/* The same of valid JSON, with this many digits of numbers that are not whole, which takes less time. */
void ert_json_print_rounded(FILE *out, const cJSON *root, int digits);

/* A new object, the last of the array. */
cJSON *ert_json_add_object(cJSON *array);

struct ert_json ert_json_root(const cJSON *root, const char *file);

/* Whether the object `at` has the key (and its value is not null). */
bool ert_json_has(struct ert_json at, const char *key);

/*
 * Typed getters of a key that must be there. Wrong types, missing keys and numbers out of
 * [min, max] are ERT_USAGE with the path and, for numbers, the limit. Strings stay cJSON's. cJSON
 * keeps doubles, so the u64 getter refuses what is not whole or above 2^53.
 */
enum ert_status ert_json_object(struct ert_json at, const char *key, struct ert_json *value,
                                struct ert_error *error);
enum ert_status ert_json_array(struct ert_json at, const char *key, struct ert_json *value,
                               struct ert_error *error);
enum ert_status ert_json_string(struct ert_json at, const char *key, const char **value,
                                struct ert_error *error);
enum ert_status ert_json_double(struct ert_json at, const char *key, double min, double max,
                                double *value, struct ert_error *error);
enum ert_status ert_json_u64(struct ert_json at, const char *key, uint64_t min,
                             uint64_t max, uint64_t *value, struct ert_error *error);
enum ert_status ert_json_bool(struct ert_json at, const char *key, bool *value,
                              struct ert_error *error);

/*
 * Array access: the length, and the i-th element (any type; the path gets "[i]"). cJSON's arrays are lists:
 * the array remembers where it is, so that a loop over it takes one step an element.
 */
size_t ert_json_length(struct ert_json array);
struct ert_json ert_json_element(struct ert_json *array, size_t index);

/* The value itself as a number or a string, for array elements; errors as above. */
enum ert_status ert_json_as_double(struct ert_json at, double min, double max,
                                   double *value, struct ert_error *error);
enum ert_status ert_json_as_string(struct ert_json at, const char **value,
                                   struct ert_error *error);

/* Copies the string of `key` into text[size], "" without one. ERT_USAGE: no string, or it does not fit. */
enum ert_status ert_json_copy_string(struct ert_json at, const char *key, char *text,
                                     size_t size, struct ert_error *error);

/* ERT_USAGE for a key of the object that is not in the NULL-terminated list, which it prints. */
enum ert_status ert_json_only_keys(struct ert_json at, const char *const *keys,
                                   struct ert_error *error);

#endif
