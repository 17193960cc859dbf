#include "analysis/table.h"

#include "ert/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void rfl_table_column(struct rfl_table *table, const char *header, bool right)
{
    if (table->n_columns == RFL_MAX_TABLE_COLUMNS)
        return;
    table->headers[table->n_columns] = rfl_strings_keep(&table->strings, header);
    table->right[table->n_columns++] = right;
}

void rfl_table_columns(struct rfl_table *table, const char *headers)
{
    char *copy = ert_xstrdup(headers), *rest = *copy ? copy : NULL;
    for (const char *header; (header = strsep(&rest, "|"));)
        rfl_table_column(table, header + (*header == '>'), *header == '>');
    free(copy);
}

/* A text that the table's strings keep. */
static void add(struct rfl_table *table, const char *kept)
{
    table->cells = ert_xgrow(table->cells, table->n_cells, &table->capacity, sizeof kept);
    table->cells[table->n_cells++] = kept;
}

void rfl_table_cell(struct rfl_table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(table, rfl_strings_vformat(&table->strings, format, arguments));
    va_end(arguments);
}

void rfl_table_number(struct rfl_table *table, const char *format, double value)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    rfl_table_cell(table, isfinite(value) ? format : "-", value);
#pragma GCC diagnostic pop
}

void rfl_table_row(struct rfl_table *table, const char *const *cells)
{
    for (size_t i = 0; i < table->n_columns; i++)
        add(table, rfl_strings_keep(&table->strings, cells[i]));
}

void rfl_table_end_row(struct rfl_table *table)
{
    while (table->n_columns && table->n_cells % table->n_columns)
        add(table, "");
}

/* In characters, not bytes: names may be UTF-8. */
static size_t length_of(const char *text)
{
    size_t length = 0;
    while (rfl_utf8_next(&text))
        length++;
    return length;
}

static void write_text_row(const struct rfl_table *table, const char *const *cells,
                           FILE *out)
{
    size_t last = table->n_columns;
    while (last > 0 && !*cells[last - 1])
        last--;
    for (size_t c = 0; c < last; c++) {
        int blanks = (int)(table->widths[c] - length_of(cells[c]));
        fprintf(out, "%s%*s%s%*s", c ? "  " : "", table->right[c] ? blanks : 0, "",
                cells[c], table->right[c] || c + 1 == last ? 0 : blanks, "");
    }
    fputc('\n', out);
}

static void write_markdown_row(const struct rfl_table *table, const char *const *cells,
                               FILE *out)
{
    for (size_t c = 0; c < table->n_columns; c++) {
        fputs(c ? " | " : "| ", out);
        for (const char *from = cells[c]; *from; from++) {
            if (*from == '|' || *from == '\\')
                fputc('\\', out);
            fputs(*from == '<' ? "&lt;" : *from == '\n' ? " " : (char[2]){*from, 0}, out);
        }
    }
    fputs(" |\n", out);
}

static void write_csv_row(const struct rfl_table *table, const char *const *cells,
                          FILE *out)
{
    for (size_t c = 0; c < table->n_columns; c++) {
        const char *quote = strpbrk(cells[c], ",\"\n\r") ? "\"" : "";
        fprintf(out, "%s%s", c ? "," : "", quote);
        for (const char *from = cells[c]; *from; from++)
            fputs(*from == '"' ? "\"\"" : (char[2]){*from, 0}, out);
        fputs(quote, out);
    }
    fputc('\n', out);
}

enum rfl_table_format rfl_table_format(const char *name)
{
    return strcmp(name, "csv") == 0        ? RFL_TABLE_CSV
           : strcmp(name, "markdown") == 0 ? RFL_TABLE_MARKDOWN
                                           : RFL_TABLE_TEXT;
}

static void write_rows(const struct rfl_table *table, enum rfl_table_format format,
                       FILE *out)
{
    static void (*const writers[])(const struct rfl_table *table, const char *const *cells,
                                   FILE *out) = {write_text_row, write_markdown_row,
                                                 write_csv_row};
    if (!table->is_continued)
        writers[format](table, table->headers, out);
    for (size_t c = 0; c < table->n_columns && format == RFL_TABLE_MARKDOWN; c++)
        fprintf(out, "%s%s", table->right[c] ? "| ---: " : "| --- ",
                c + 1 == table->n_columns ? "|\n" : "");
    for (size_t i = 0; i + table->n_columns <= table->n_cells; i += table->n_columns)
        writers[format](table, table->cells + i, out);
}

void rfl_table_write(struct rfl_table *table, enum rfl_table_format format, FILE *out)
{
    if (table->n_columns) {
        for (size_t c = 0; c < table->n_columns; c++)
            table->widths[c] = length_of(table->headers[c]);
        for (size_t i = 0; i < table->n_cells; i++) {
            size_t *width = &table->widths[i % table->n_columns];
            size_t length = length_of(table->cells[i]);
            *width = length > *width ? length : *width;
        }

        write_rows(table, format, out);
    }
    rfl_table_free(table);
}

void rfl_table_free(struct rfl_table *table)
{
    free(table->cells);
    rfl_strings_free(&table->strings);
    *table = (struct rfl_table){0};
}
