/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/points/table.h"

#include "ert/core/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void table_add(struct rfl_table *table, const char *kept)
{
    table->cells = ert_xgrow(table->cells, table->n_cells, &table->capacity, sizeof kept);
    table->cells[table->n_cells++] = kept;
}

void rfl_table_column(struct rfl_table *table, bool right, const char *format, ...)
{
    va_list arguments;
    table->columns = ert_xgrow(table->columns, table->n_columns, &table->column_capacity,
                               sizeof *table->columns);
    table->columns[table->n_columns++].right = right;
    va_start(arguments, format);
    table_add(table, ert_strings_vformat(&table->strings, format, arguments));
    va_end(arguments);
}

void rfl_table_columns(struct rfl_table *table, const char *headers)
{
    char *copy = ert_xstrdup(headers), *rest = *copy ? copy : NULL;
    for (const char *header; (header = strsep(&rest, "|"));)
        rfl_table_column(table, *header == '>', "%s", header + (*header == '>'));
    free(copy);
}

void rfl_table_cell(struct rfl_table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    table_add(table, ert_strings_vformat(&table->strings, format, arguments));
    va_end(arguments);
}

void rfl_table_texts(struct rfl_table *table, ...)
{
    va_list texts;
    va_start(texts, table);
    for (const char *text; (text = va_arg(texts, const char *));)
        table_add(table, ert_strings_keep(&table->strings, text));
    va_end(texts);
}

static struct ert_text table_number_text(const char *how, double value)
{
    struct ert_text text = {"-"};
    if (!isfinite(value))
        return text;
    if (!*how || strstr(how, "/byte"))
        how = "%.4g";
    if (strchr(how, '%')) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text.text, sizeof text.text, how, strstr(how, "%%") ? 100 * value : value);
#pragma GCC diagnostic pop
        return text;
    }
    if (strcmp(how, "flop/J") == 0)
        snprintf(text.text, sizeof text.text, "%.4g GFLOP/J", value / 1e9);
    else
        text = ert_units_rate(value, how);
    char *per_s = strstr(how, "/s") ? NULL : strstr(text.text, "/s");
    if (per_s) /* an amount */
        *per_s = '\0';
    return text;
}

void rfl_table_number(struct rfl_table *table, const char *how, double value)
{
    if (table->format == ERT_TEXT_CSV)
        rfl_table_cell(table, isfinite(value) ? "%.10g" : "", value);
    else
        rfl_table_texts(table, table_number_text(how, value).text, NULL);
}

void rfl_table_positive(struct rfl_table *table, const char *how, double value)
{
    rfl_table_number(table, how, value > 0 ? value : NAN);
}

static void write_text_row(const struct rfl_table *table, const char *const *cells,
                           FILE *out)
{
    size_t last = table->n_columns;
    while (last > 0 && !*cells[last - 1])
        last--;
    for (size_t c = 0; c < last; c++) {
        const struct rfl_column *column = &table->columns[c];
        int blanks = (int)(column->width - ert_text_width(cells[c]));
        fprintf(out, "%s%*s", c ? "  " : "", column->right ? blanks : 0, "");
        ert_text_write(out, ERT_TEXT_PLAIN, cells[c]);
        fprintf(out, "%*s", column->right || c + 1 == last ? 0 : blanks, "");
    }
    fputc('\n', out);
}

/* Writes a row of Markdown or CSV. */
static void table_write_row(const struct rfl_table *table, const char *const *cells,
                            FILE *out)
{
    const bool is_csv = table->format == ERT_TEXT_CSV;
    for (size_t c = 0; c < table->n_columns; c++) {
        fputs(is_csv ? c ? "," : "" : c ? " | " : "| ", out);
        ert_text_write(out, table->format, cells[c]);
    }
    fputs(is_csv ? "\n" : " |\n", out);
}

enum ert_format rfl_table_format(const char *name)
{
    return strcmp(name, "csv") == 0        ? ERT_TEXT_CSV
           : strcmp(name, "markdown") == 0 ? ERT_TEXT_MARKDOWN
                                           : ERT_TEXT_PLAIN;
}

size_t rfl_table_width(struct rfl_table *table)
{
    const size_t n = table->n_columns;
    size_t width = 0;
    for (size_t i = 0; n && i < table->n_cells; i++) {
        size_t *own = &table->columns[i % n].width,
               length = ert_text_width(table->cells[i]);
        *own = i < n || length > *own ? length : *own;
    }
    for (size_t c = 0; c < n; c++)
        width += table->columns[c].width + (c ? 2 : 0);
    return width;
}

void rfl_table_flush(struct rfl_table *table, FILE *out)
{
    const size_t n = table->n_columns;
    if (table->format == ERT_TEXT_PLAIN)
        rfl_table_width(table);
    for (size_t i = 0; n && i + n <= table->n_cells; i += n) {
        (table->format == ERT_TEXT_PLAIN ? write_text_row
                                         : table_write_row)(table, table->cells + i, out);
        for (size_t c = 0; i == 0 && c < n && table->format == ERT_TEXT_MARKDOWN; c++)
            fprintf(out, "%s%s", table->columns[c].right ? "| ---: " : "| --- ",
                    c + 1 == n ? "|\n" : "");
    }
    ert_strings_free(&table->strings);
    table->n_cells = 0;
}

void rfl_table_write(struct rfl_table *table, FILE *out)
{
    rfl_table_flush(table, out);
    rfl_table_free(table);
}

void rfl_table_free(struct rfl_table *table)
{
    free(table->columns);
    free(table->cells);
    ert_strings_free(&table->strings);
    *table = (struct rfl_table){0};
}
