/*
 * doc: what a report is written through: a few kinds of blocks, as a table of functions per format. It
 * knows no study.
 */
#ifndef GPP_STUDY_DOC_H
#define GPP_STUDY_DOC_H

#include "analysis/table.h"

#include <stdio.h>

struct gpp_doc;

struct gpp_doc_format {
    void (*begin)(struct gpp_doc *doc, const char *title);
    void (*heading)(struct gpp_doc *doc, const char *text);
    void (*subheading)(struct gpp_doc *doc, const char *text);
    void (*paragraph)(struct gpp_doc *doc, const char *text);
    void (*item)(struct gpp_doc *doc,
                 const char *text); /* of a list; any other block ends it */
    /* ERT_FAILED when the table had no memory. */
    enum ert_status (*table)(struct gpp_doc *doc, const struct rfl_table *table,
                             struct ert_error *error);
    /* An SVG of the document's folder. ERT_USAGE when it cannot be read. */
    enum ert_status (*picture)(struct gpp_doc *doc, const char *file, const char *title,
                               struct ert_error *error);
    void (*end)(struct gpp_doc *doc);
};

struct gpp_doc {
    FILE *out; /* its faults stay in it (ferror) */
    const struct gpp_doc_format *format;
    const char *folder; /* of the pictures */
    bool in_list;
};

/* HTML: one file that loads nothing; the pictures stand in it. Markdown: links to them. */
extern const struct gpp_doc_format gpp_doc_html, gpp_doc_markdown;

#endif
