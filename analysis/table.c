#include "analysis/table.h"

#include "analysis/strings.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void rfl_table_column(struct rfl_table *table, const char *header, bool right)
{
    if (table->n_columns == RFL_MAX_TABLE_COLUMNS)
        return;
    table->headers[table->n_columns] = header;
    table->right[table->n_columns++] = right;
}

/* A text that the table's strings keep; NULL: there was no memory. */
static void add(struct rfl_table *table, const char *kept)
{
    if (table->n_cells == table->room) {
        size_t room = table->room ? 2 * table->room : 256;
        const char **cells = realloc(table->cells, room * sizeof *cells);
        if (!cells) {
            table->failed = true;
            return;
        }
        table->cells = cells;
        table->room = room;
    }
    table->failed = table->failed || !kept;
    table->cells[table->n_cells++] = kept ? kept : "";
}

void rfl_table_cell(struct rfl_table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(table, rfl_strings_vformat(&table->strings, format, arguments));
    va_end(arguments);
}

void rfl_table_end_row(struct rfl_table *table)
{
    while (table->n_columns && table->n_cells % table->n_columns && !table->failed)
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

static void pad(FILE *out, size_t n)
{
    while (n--)
        fputc(' ', out);
}

static void write_text_row(const struct rfl_table *table, const char *const *cells,
                           const size_t *widths, FILE *out)
{
    size_t last = table->n_columns;
    while (last > 0 && !*cells[last - 1])
        last--;
    for (size_t c = 0; c < last; c++) {
        size_t blanks = widths[c] - length_of(cells[c]);
        fputs(c ? "  " : "", out);
        pad(out, table->right[c] ? blanks : 0);
        fputs(cells[c], out);
        pad(out, table->right[c] || c + 1 == last ? 0 : blanks);
    }
    fputc('\n', out);
}

static void write_text(const struct rfl_table *table, FILE *out)
{
    size_t widths[RFL_MAX_TABLE_COLUMNS];
    for (size_t c = 0; c < table->n_columns; c++)
        widths[c] = length_of(table->headers[c]);
    for (size_t i = 0; i < table->n_cells; i++) {
        size_t *width = &widths[i % table->n_columns], length = length_of(table->cells[i]);
        *width = length > *width ? length : *width;
    }
    write_text_row(table, table->headers, widths, out);
    for (size_t i = 0; i + table->n_columns <= table->n_cells; i += table->n_columns)
        write_text_row(table, table->cells + i, widths, out);
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

static void write_markdown(const struct rfl_table *table, FILE *out)
{
    write_markdown_row(table, table->headers, out);
    for (size_t c = 0; c < table->n_columns; c++)
        fputs(table->right[c] ? "| ---: " : "| --- ", out);
    fputs("|\n", out);
    for (size_t i = 0; i + table->n_columns <= table->n_cells; i += table->n_columns)
        write_markdown_row(table, table->cells + i, out);
}

static void write_csv_row(const struct rfl_table *table, const char *const *cells,
                          FILE *out)
{
    for (size_t c = 0; c < table->n_columns; c++) {
        bool quoted = strpbrk(cells[c], ",\"\n\r") != NULL;
        fputs(c ? "," : "", out);
        if (!quoted) {
            fputs(cells[c], out);
            continue;
        }
        fputc('"', out);
        for (const char *from = cells[c]; *from;) {
            size_t plain = strcspn(from, "\"");
            fwrite(from, 1, plain, out);
            from += plain;
            if (*from) {
                fputs("\"\"", out);
                from++;
            }
        }
        fputc('"', out);
    }
    fputc('\n', out);
}

static void write_csv(const struct rfl_table *table, FILE *out)
{
    if (!table->is_continued)
        write_csv_row(table, table->headers, out);
    for (size_t i = 0; i + table->n_columns <= table->n_cells; i += table->n_columns)
        write_csv_row(table, table->cells + i, out);
}

enum ert_status rfl_table_write(const struct rfl_table *table, enum rfl_table_format format,
                                FILE *out, struct ert_error *error)
{
    static void (*const writers[])(const struct rfl_table *table,
                                   FILE *out) = {write_text, write_markdown, write_csv};
    if (table->failed)
        return ert_fail(error, ERT_FAILED, "no memory for a table of %zu cells",
                        table->n_cells);
    if (table->n_columns)
        writers[format](table, out);
    return ERT_OK;
}

void rfl_table_free(struct rfl_table *table)
{
    free(table->cells);
    rfl_strings_free(&table->strings);
    *table = (struct rfl_table){0};
}
