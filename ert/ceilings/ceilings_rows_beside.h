/*
 * ceilings_rows_beside: what stands beside ceilings in JSON: theoretical peaks, what is absent and why,
 * plateaus without a level. Private to ceilings_rows; the functions are struct ert_ceilings_list's.
 */
#ifndef ERT_CEILINGS_CEILINGS_ROWS_BESIDE_H
#define ERT_CEILINGS_CEILINGS_ROWS_BESIDE_H

#include "ert/base/json.h"

#include <stdbool.h>

/* Suffixes of the keys of rates. */
#define ERT_FLOP_RATE "_flop_per_s"
#define ERT_BYTE_RATE "_bytes_per_s"

/* Finds the word of `key` in names[0..n); ERT_USAGE lists them. */
enum ert_status ert_ceilings_read_word(struct ert_json at, const char *key,
                                       const char *const *names, size_t n, size_t *index,
                                       struct ert_error *error);

bool ert_ceilings_write_peak(cJSON *object, const void *element);
enum ert_status ert_ceilings_read_peak(struct ert_json at, void *element,
                                       struct ert_error *error);
bool ert_ceilings_write_absent(cJSON *object, const void *element);
enum ert_status ert_ceilings_read_absent(struct ert_json at, void *element,
                                         struct ert_error *error);
bool ert_ceilings_write_stray(cJSON *object, const void *element);
enum ert_status ert_ceilings_read_stray(struct ert_json at, void *element,
                                        struct ert_error *error);

#endif
