/*
 * export: ceilings and points in the formats of other tools. One row and one file per format; a
 * format's file knows its tool, and nothing else does. What a format needs and we do not know is
 * left out where the format allows it, else written as the format's own word for "unknown".
 */
#ifndef RFL_EXPORT_H
#define RFL_EXPORT_H

#include "analysis/points.h"
#include "ert/ceilings/ceilings.h"

#include <stdbool.h>
#include <stdio.h>

struct rfl_export_options {
    const char
        *device; /* "gpu0"; NULL: all, or the first of the kind that the format is for */
    const char *type; /* "fp32" ... where a format holds one type; NULL: fp64 */
};

struct rfl_exporter {
    const char *name;      /* "ncu-section" */
    const char *summary;   /* "Nsight Compute section file: ncu --section-folder DIR ..." */
    const char *extension; /* ".section" */
    /*
     * Writes to out. points may be NULL or empty. ERT_UNAVAILABLE when the ceilings hold nothing that
     * the format has a place for, with the reason; ERT_USAGE for options that do not fit.
     */
    enum ert_status (*write)(const struct ert_ceilings *ceilings,
                             const struct rfl_points *points,
                             const struct rfl_export_options *options, FILE *out,
                             struct ert_error *error);
};

/* All; *n of them. */
const struct rfl_exporter *const *rfl_exporters(size_t *n);

/* ERT_USAGE names those that there are. */
enum ert_status rfl_exporter_find(const char *name, const struct rfl_exporter **exporter,
                                  struct ert_error *error);

#endif
