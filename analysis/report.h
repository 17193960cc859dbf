/*
 * report: points placed on a device, written as text, JSON, Markdown or CSV. It reads no files.
 */
#ifndef RFL_REPORT_H
#define RFL_REPORT_H

#include "analysis/place.h"
#include "analysis/views.h"

#include <stdio.h>

enum { RFL_REPORT_WARNING = 512 };

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
    enum ert_status (*write)(const struct rfl_report *report, FILE *out,
                             struct ert_error *error);
};

enum { RFL_N_REPORT_FORMATS = 4 };
extern const struct rfl_report_format rfl_report_formats[RFL_N_REPORT_FORMATS];

/* ERT_USAGE names those that there are. */
enum ert_status rfl_report_write(const struct rfl_report *report, const char *format,
                                 FILE *out, struct ert_error *error);

/* Each format's function, in its own file. JSON is ert-placement/1: placement.schema.json. */
enum ert_status rfl_report_text(const struct rfl_report *report, FILE *out,
                                struct ert_error *error);
enum ert_status rfl_report_json(const struct rfl_report *report, FILE *out,
                                struct ert_error *error);
enum ert_status rfl_report_markdown(const struct rfl_report *report, FILE *out,
                                    struct ert_error *error);
enum ert_status rfl_report_csv(const struct rfl_report *report, FILE *out,
                               struct ert_error *error);

/*
 * One table with a row for each point, for versions of a code: time, speed-up against the first point of
 * its run and against the one before it, rate, share of FMA, intensities, and what bounds it. placer NULL:
 * without roofs. Not as JSON (ERT_USAGE), which has all of it in the other views.
 */
enum ert_status rfl_report_summary(const struct rfl_report *report, const char *format,
                                   FILE *out, struct ert_error *error);

/* A row's number as a reader has it: "4.62 TB/s", "1.20 ms", "-" where it is not known. */
const char *rfl_report_number(double value, const char *unit, char text[32]);

/* The roof of a row, "27.00 .. 56.00 GB/s" where it is a band; and its fraction, "48.2 .. 99.1 %". */
enum { RFL_REPORT_TEXT = 96 };
const char *rfl_report_roof(const struct rfl_view_row *row, char text[RFL_REPORT_TEXT]);
const char *rfl_report_fraction(const struct rfl_view_row *row, char text[RFL_REPORT_TEXT]);

/*
 * What is wrong with a placement as a whole, the i-th: ceilings of a machine that was disturbed, a
 * profile of another device, more than 120 % of a roof. "" after the last.
 */
const char *rfl_report_warning(const struct rfl_report *report,
                               const struct rfl_placement *placement, size_t i,
                               char text[RFL_REPORT_WARNING]);

/* "at 1.600 GHz as the code ran (measured at 1.974 GHz), 12 warps per SM". */
void rfl_report_conditions(const struct rfl_placer *placer, char *text, size_t size);

#endif
