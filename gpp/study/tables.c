#include "gpp/study/tables_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *gpp_text(double value, const char *format, char text[48])
{
    if (!isfinite(value))
        return "-";
        /* The formats are this room's own constants. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, 48, format, value);
    return text;
}

static void write_cell(const struct gpp_study *study,
                       const struct gpp_study_row *const *rows, size_t i,
                       const struct gpp_column *column, char text[GPP_CELL])
{
    const struct gpp_place at = {study, rows[i], rows[0], i ? rows[i - 1] : NULL,
                                 column->argument};
    column->write(&at, text);
}

/* Whether any row knows it. */
static bool is_known(const struct gpp_study *study, const struct gpp_study_row *const *rows,
                     size_t n, const struct gpp_column *column)
{
    char text[GPP_CELL];
    for (size_t i = 0; i < n; i++) {
        write_cell(study, rows, i, column, text);
        if (strcmp(text, "-") != 0)
            return true;
    }
    return false;
}

/* The header with the memory's name, kept by the table. */
static const char *header_of(const struct gpp_study *study, const struct gpp_column *column,
                             struct rfl_table *table)
{
    char text[64];
    const char *at = strstr(column->header, "%L");
    if (!at)
        return column->header;
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - column->header), column->header,
             gpp_level_name(study, GPP_MEMORY), at + 2);
    const char *kept = rfl_strings_keep(&table->strings, text);
    return kept ? kept : column->header;
}

void gpp_table_make(const struct gpp_study *study, const struct gpp_study_row *const *rows,
                    size_t n, enum gpp_table_kind kind, struct rfl_table *table)
{
    const struct gpp_column *chosen[RFL_MAX_TABLE_COLUMNS];
    size_t n_chosen = 0;
    char text[GPP_CELL];
    for (size_t c = 0; c < gpp_n_columns && n_chosen < RFL_MAX_TABLE_COLUMNS; c++) {
        if (!(gpp_columns[c].tables & 1u << kind) ||
            !is_known(study, rows, n, &gpp_columns[c]))
            continue;
        rfl_table_column(table, header_of(study, &gpp_columns[c], table),
                         !gpp_columns[c].is_text);
        chosen[n_chosen++] = &gpp_columns[c];
    }
    for (size_t i = 0; i < n && n_chosen > 1; i++)
        for (size_t c = 0; c < n_chosen; c++) {
            write_cell(study, rows, i, chosen[c], text);
            rfl_table_cell(table, "%s", text);
        }
}
