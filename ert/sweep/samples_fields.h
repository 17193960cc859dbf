/*
 * samples_fields: how points and samples stand in "ert-samples/3": the keys that writing and reading
 * share. Internal to sweep.
 */
#ifndef ERT_SWEEP_SAMPLES_FIELDS_H
#define ERT_SWEEP_SAMPLES_FIELDS_H

#include "ert/sweep/samples.h"

#define ERT_SAMPLES_SCHEMA "ert-samples/3"

/* The words of enum ert_point_status. */
enum { ERT_N_POINT_STATUSES = ERT_POINT_FAILED + 1 };
extern const char *const ert_point_statuses[ERT_N_POINT_STATUSES];

/*
 * One quantity of a sample: key and where; uint64_t or double. Files before version 3 lack the
 * optional ones.
 */
struct ert_sample_column {
    const char *key;
    size_t offset;
    bool is_u64, is_optional;
};
enum { ERT_N_SAMPLE_COLUMNS = 10 };
extern const struct ert_sample_column ert_sample_columns[ERT_N_SAMPLE_COLUMNS];

/* The words of enum ert_sharing. */
enum { ERT_N_SHARINGS = ERT_SHARING_HALVES + 1 };
extern const char *const ert_sharing_words[ERT_N_SHARINGS];

/* The numbers of an observation: key and where; double each. */
struct ert_observation_row {
    const char *key;
    size_t offset;
};
enum { ERT_N_OBSERVATION_ROWS = 5 };
extern const struct ert_observation_row ert_observation_rows[ERT_N_OBSERVATION_ROWS];

/* The same of a part of a sustained run. */
enum { ERT_N_PART_COLUMNS = 5 };
extern const struct ert_sample_column ert_part_columns[ERT_N_PART_COLUMNS];

/* Numbers of a case that most points lack: 0 is not written. uint32_t each. */
struct ert_case_parameter {
    const char *key;
    size_t offset;
};
enum { ERT_N_CASE_PARAMETERS = 6 };
extern const struct ert_case_parameter ert_case_parameters[ERT_N_CASE_PARAMETERS];

#endif
