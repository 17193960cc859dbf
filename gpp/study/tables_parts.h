/*
 * tables_parts: the columns of a study's tables. Private to tables.
 */
#ifndef GPP_STUDY_TABLES_PARTS_H
#define GPP_STUDY_TABLES_PARTS_H

#include "gpp/study/tables.h"

enum { GPP_CELL = 160 };

/* What a cell is made from. */
struct gpp_place {
    const struct gpp_study *study;
    const struct gpp_study_row *row, *first, *before; /* before: NULL in the first row */
    int argument;                                     /* a level or metric */
};

struct gpp_column {
    const char *header;
    bool is_text;
    unsigned int tables; /* bits of the kinds that have it */
    void (*write)(const struct gpp_place *at, char text[GPP_CELL]);
    int argument;
};

/* Header %L stands for the memory's name. */
extern const struct gpp_column gpp_columns[];
extern const size_t gpp_n_columns;

#endif
