/*
 * study_json: study.json, schema "ert-gpp-study/1" (study.schema.json): all that a study measured, from
 * which its tables and pages are made again without a machine.
 *
 *   { "schema": "ert-gpp-study/1", "created": ..., "system": "si214", "sizes": {...}, "rows":
 *     [ { "version": "v0", "nw": 2, "fma": true, "time_s": ..., "formulas": {...}, "counted": {...},
 *         "placed": {...} } ] }
 *
 * A key whose value is not known is left out. Unknown keys are accepted, a newer major version is not.
 */
#ifndef GPP_STUDY_STUDY_JSON_H
#define GPP_STUDY_STUDY_JSON_H

#include "gpp/study/study.h"

/* Writes the file atomically. ERT_FAILED with the system's reason. */
enum ert_status gpp_study_write(const char *file, const struct gpp_study *study,
                                struct ert_error *error);

/*
 * Reads a file into *study, which is all zero; the caller's (gpp_study_free()), also after a failure.
 * ERT_USAGE names file, path, value and limit.
 */
enum ert_status gpp_study_read(const char *file, struct gpp_study *study,
                               struct ert_error *error);

#endif
