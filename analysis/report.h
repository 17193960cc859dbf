/*
 * report: points placed on a device, written as text, JSON, Markdown or CSV. It reads no files.
 */
#ifndef RFL_REPORT_H
#define RFL_REPORT_H

#include "analysis/placer.h"
#include "analysis/views.h"

#include <stdio.h>

struct rfl_report {
    struct rfl_placer *placer; /* open */
    const struct rfl_points *points;
    const struct rfl_view *view;
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

/* A row's number as a reader has it: "4.62 TB/s", "1.20 ms", "-" where it is not known. */
const char *rfl_report_number(double value, const char *unit, char text[32]);

/* "at 1.600 GHz as the code ran (measured at 1.974 GHz), 12 warps per SM". */
void rfl_report_conditions(const struct rfl_placer *placer, char *text, size_t size);

#endif
