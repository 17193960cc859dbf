/*
 * report: what a reader gets of a study: its table, its steps, its charts and a page with all of them,
 * made from the study alone. It measures nothing and prints nothing.
 */
#ifndef GPP_STUDY_REPORT_H
#define GPP_STUDY_REPORT_H

#include "gpp/study/charts.h"
#include "gpp/study/doc.h"
#include "gpp/study/study.h"

/* The files of a study's folder: study.json, points.json, table.md ... NULL-terminated. */
extern const char *const gpp_study_files[];

/*
 * Writes into the folder: points.json, table.md, steps.md, study.md, index.html, the charts, and of a
 * study over energies nw.csv. ceilings NULL: no charts. *charts says which were drawn.
 */
enum ert_status gpp_report_write(const struct gpp_study *study,
                                 const struct ert_ceilings *ceilings, const char *folder,
                                 struct gpp_charts *charts, struct ert_error *error);

/* The fastest version in a sentence. */
void gpp_report_headline(const struct gpp_study *study, struct gpp_doc *doc);

/* The parts of the page; each begins with a heading. */
enum ert_status gpp_report_table(const struct gpp_study *study, struct gpp_doc *doc,
                                 struct ert_error *error);
enum ert_status gpp_report_roofs(const struct gpp_study *study, struct gpp_doc *doc,
                                 struct ert_error *error);
enum ert_status gpp_report_steps(const struct gpp_study *study, struct gpp_doc *doc,
                                 struct ert_error *error);
enum ert_status gpp_report_counts(const struct gpp_study *study, struct gpp_doc *doc,
                                  struct ert_error *error);
enum ert_status gpp_report_energies(const struct gpp_study *study,
                                    const struct gpp_charts *charts, struct gpp_doc *doc,
                                    struct ert_error *error);

/*
 * nw.csv, a file for `roofline portability`: per contraction and nw the share of its binding roof that
 * the fastest version reaches, of one platform: "case,NVIDIA H200 (fraction)". An empty cell where none
 * was placed.
 */
enum ert_status gpp_report_efficiencies(const struct gpp_study *study, const char *file,
                                        struct ert_error *error);

/* The fastest measured row of an nw and contraction, or NULL. */
const struct gpp_study_row *gpp_study_best(const struct gpp_study *study, size_t nw,
                                           bool no_fma);

/* A printf'ed paragraph. */
void gpp_doc_say(struct gpp_doc *doc, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
