#include "ert/ceilings/columns.h"

#include <string.h>

static void write_row(FILE *out, const struct ert_columns_row *row, const size_t *widths)
{
    size_t last = 0;
    for (size_t c = 0; c < ERT_N_COLUMNS; c++)
        if (row->cells[c][0])
            last = c;
    for (size_t c = 0; c < last; c++)
        if (widths[c])
            fprintf(out, "  %-*s", (int)widths[c], row->cells[c]);
    fprintf(out, "  %s\n", row->cells[last]);
}

void ert_columns_write(FILE *out, const struct ert_columns_row *rows, size_t n_rows)
{
    size_t widths[ERT_N_COLUMNS] = {0};
    for (size_t i = 0; i < n_rows; i++)
        for (size_t c = 0; c < ERT_N_COLUMNS; c++)
            if (strlen(rows[i].cells[c]) > widths[c])
                widths[c] = strlen(rows[i].cells[c]);
    for (size_t i = 0; i < n_rows; i++)
        write_row(out, &rows[i], widths);
}
