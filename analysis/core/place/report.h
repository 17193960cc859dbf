/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: writes points placed on a device as text, JSON, Markdown or CSV: a row for each kernel, by its
 * share of the time or as the versions of a code; or a table for each kernel, with the rows of a view
 * (views.h). Every format takes its columns from one list, and its remarks from one function.
 */
#ifndef RFL_REPORT_H
#define RFL_REPORT_H

#include "analysis/core/place/views.h"
#include "ert/core/base/file.h"

struct rfl_report {
    struct rfl_placer *placer; /* open; NULL for "summary": without roofs */
    const struct rfl_points *points;
    /*
     * NULL or "shares": the kernels by their share of the time. "summary": versions of a code, in the order
     * of the points: speed-up over the first and over the previous point of its run, share of FMA,
     * intensities. Else the name of one of rfl_views. JSON has the rows of a view: else of the first.
     */
    const char *view;
    const char *format; /* "text", "json", "markdown" or "csv" */
    size_t top;      /* kernels in the table, all others in one row; 0: as many as matter */
    size_t columns;  /* of the terminal; 0: RFL_REPORT_COLUMNS */
    bool full_names; /* in the table; else short ones */
};

enum { RFL_REPORT_COLUMNS = 132, RFL_REPORT_LEAST_COLUMNS = 50 };

/*
 * Writes a struct rfl_report (as ert_file_make calls it). CSV, JSON and views are written point by point, so
 * that a profile of 100,000 launches needs no more memory than its points. In every format missing counts,
 * warnings and rescaled roofs are noted. ERT_USAGE lists the views.
 */
enum ert_status rfl_report_write(const void *report, FILE *out, struct ert_error *error);

/* The same as JSON. NULL: this build has no such extension, ERT_UNAVAILABLE. */
extern ert_file_make *const rfl_report_json;

enum rfl_remark_kind {
    RFL_REMARK_CEILINGS, /* on all points: the machine was disturbed, or the device is another one */
    RFL_REMARK_WRONG,   /* more than 120 % of a roof */
    RFL_REMARK_NO_ROOF, /* what: a level, or a type and unit */
    RFL_REMARK_MISSING, /* what: the missing part of the point */
    RFL_REMARK_WARNING, /* of the point */
    RFL_REMARK_REACH,   /* how a level's roof was derived */
    RFL_REMARK_ROOFS    /* what was scaled, and by how much */
};

struct rfl_remark {
    enum rfl_remark_kind kind;
    const char *what, *text; /* of the strings */
};

enum { RFL_MAX_REMARKS = 64 }; /* at most 3 + the sizes of the arrays that it reads */

struct rfl_remarks {
    size_t n;
    struct rfl_remark list[RFL_MAX_REMARKS];
    struct ert_strings strings;
};

/* Add those on all points of a placer; those on one. The caller frees the strings. */
void rfl_remarks_common(const struct rfl_placer *placer, struct rfl_remarks *remarks);
void rfl_remarks_of(const struct rfl_placer *placer, const struct rfl_placement *placement,
                    struct rfl_remarks *remarks);

#endif
