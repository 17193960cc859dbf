/*
 * report: points placed on a device, written as text, JSON, Markdown or CSV. It reads no files.
 */
#ifndef RFL_REPORT_H
#define RFL_REPORT_H

#include "analysis/place.h"
#include "analysis/views.h"

#include <stdio.h>

struct rfl_report {
    struct rfl_placer *placer; /* open; its warnings stand in the report */
    const struct rfl_points *points;
    const struct rfl_view *view; /* NULL: the summary */
};

/*
 * One format: its name and how it is written. A point at a time, so that a profile of 100,000 launches
 * needs no more memory than its points; only Markdown holds its whole table. What is missing, doubted
 * or rescaled stands with its point in each of them. The caller checks ferror(out).
 */
struct rfl_report_format {
    const char *name; /* "text" */
    void (*write)(const struct rfl_report *report, FILE *out);
};

enum { RFL_N_REPORT_FORMATS = 4 };
extern const struct rfl_report_format rfl_report_formats[RFL_N_REPORT_FORMATS];

/* ERT_USAGE names those that there are. */
enum ert_status rfl_report_write(const struct rfl_report *report, const char *format,
                                 FILE *out, struct ert_error *error);

/*
 * One table with a row for each point, for versions of a code: time, speed-up against the first point of
 * its run and against the one before it, rate, share of FMA, intensities, and what bounds it. placer NULL:
 * without roofs. Not as JSON (ERT_USAGE), which has all of it in the other views.
 */
enum ert_status rfl_report_summary(const struct rfl_report *report, const char *format,
                                   FILE *out, struct ert_error *error);

#endif
