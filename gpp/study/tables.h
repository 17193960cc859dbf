/*
 * tables: a study's rows as tables of texts: the versions like table I of arXiv:2008.11326, operations
 * by kind, and one version over the numbers of energies. A column in which nothing is known is left out.
 */
#ifndef GPP_STUDY_TABLES_H
#define GPP_STUDY_TABLES_H

#include "gpp/study/study.h"

#include "analysis/table.h"

/* Which columns. */
enum gpp_table_kind {
    GPP_TABLE_SHORT,    /* for a screen */
    GPP_TABLE_VERSIONS, /* all that is known of each version */
    GPP_TABLE_ROOFS,    /* shares of each roof, and which binds */
    GPP_TABLE_KINDS,    /* operations by kind, counted and from the formulas */
    GPP_TABLE_STALLS,   /* GPU: what warps wait for */
    GPP_TABLE_ENERGIES, /* rows differ in nw */
    GPP_N_TABLES
};

/*
 * Fills *table, which is all zero, from rows in their order; speed-ups are against the first and the one
 * before. The caller's (rfl_table_free()), who asks table->failed or writes it. Without any column that
 * is known it stays without rows.
 */
void gpp_table_make(const struct gpp_study *study, const struct gpp_study_row *const *rows,
                    size_t n, enum gpp_table_kind kind, struct rfl_table *table);

/* "NaN" and what is not there as "-", else printf's text. For tables and sentences. */
const char *gpp_text(double value, const char *format, char text[48]);

#endif
