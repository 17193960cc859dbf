/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/import/input.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/lines.h"
#include "ert/core/base/strings.h"
#include "ert/core/base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const size_t largest_file = (size_t)1 << 30;

/* ---- tags ---- */

/*
 * What follows the tag of a line: "[1,0]<stdout>:", "[host-1@1,0]<stderr>: " (Open MPI), "[0] " (MPICH, Intel
 * MPI), " 0: " (Slurm); NULL without a tag. *task, *length: the number of the task in it.
 */
static const char *behind_tag(const char *line, const char **task, size_t *length)
{
    const char *at = line + strspn(line, " ");
    if (*at == '[') {
        const char *end = at + strcspn(at, "]\n"), *colon;
        if (*end != ']')
            return NULL;
        for (*task = end; *task > at && isdigit((unsigned char)(*task)[-1]);)
            --*task;
        *length = (size_t)(end - *task);
        bool is_stream = strncmp(end, "]<std", 5) == 0 && strcspn(end, ">") == 8;
        colon = is_stream && end[9] == ':' ? end + 10 : NULL;
        if (*length == 0 || (!colon && ((*task)[-1] != '[' || end[1] != ' ')))
            return NULL;
        return colon ? colon + (*colon == ' ') : end + 2;
    }
    *task = at;
    *length = strspn(at, "0123456789");
    if (*length == 0 || *length > 7 || at[*length] != ':' ||
        !strchr(" \r\n", at[*length + 1]))
        return NULL;
    return at + *length + 1 + (at[*length + 1] == ' ');
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

/* Whether most lines have tags. */
static bool is_tagged(const char *text)
{
    size_t n_tagged = 0, n_lines = 0, length;
    for (const char *line = text, *task; *line && n_lines < 1000; line = next_line(line)) {
        n_tagged += behind_tag(line, &task, &length) != NULL;
        n_lines += !strchr("\r\n", *line);
    }
    return n_tagged > 0 && 2 * n_tagged > n_lines;
}

/* Appends bytes to a task's text. */
static void part_append(struct rfl_part *part, const char *bytes, size_t n)
{
    if (part->size + n >= part->room) {
        part->room = 2 * (part->size + n) + 1;
        part->text = ert_xrealloc(part->text, part->room, 1);
    }
    memcpy(part->text + part->size, bytes, n);
    part->text[part->size += n] = '\0';
}

static void parts_add(struct rfl_parts *parts, const char *task, size_t length)
{
    parts->parts =
        ert_xgrow(parts->parts, parts->n, &parts->capacity, sizeof *parts->parts);
    parts->parts[parts->n] =
        (struct rfl_part){.tag = task ? ert_xprintf("%.*s", (int)length, task) : NULL};
    part_append(&parts->parts[parts->n++], "", 0);
}

/* Sorts the lines by task; a line without a tag belongs to the line before it. */
static void split_tasks(const char *text, struct rfl_parts *parts)
{
    struct ert_strings tasks = {0};
    size_t part = SIZE_MAX;
    for (const char *line = text, *next; *line; line = next) {
        const char *task, *rest;
        size_t length;
        next = next_line(line);
        if ((rest = behind_tag(line, &task, &length))) {
            for (; length > 1 && *task == '0'; length--)
                task++;
            size_t before = tasks.n_texts;
            char *name = ert_xprintf("%.*s", (int)length, task);
            part = ert_strings_index(&tasks, name);
            if (part == before)
                parts_add(parts, name, length);
            free(name);
        }
        rest = rest ? rest : line;
        if (part != SIZE_MAX)
            part_append(&parts->parts[part], rest, (size_t)(next - rest));
    }
    ert_strings_free(&tasks);
}

/* Opens a file and reads its head; *is_file: it can be read again. */
static enum ert_status open_head(const char *file, char *head, size_t size,
                                 struct ert_lines *lines, bool *is_file, bool *is_wide,
                                 struct ert_error *error)
{
    struct stat about;
    ERT_TRY(ert_lines_open(file, lines, error));
    *is_file = fstat(fileno(lines->stream), &about) == 0 && S_ISREG(about.st_mode);
    size_t n = *is_file ? fread(head, 1, size - 1, lines->stream) : 0;
    head[n] = '\0';
    ert_text_decode(head, n, is_wide);
    if (*is_file)
        rewind(lines->stream);
    return ERT_OK;
}

/* Whether a head is JSON of unknown schema: the keys may be in any order. */
static bool lacks_schema(const char *head)
{
    return head[strspn(head, " \t\r\n")] == '{' && !strstr(head, "\"ert-");
}

void rfl_head_complete(char *head, size_t size, const char *text)
{
    enum { ROOM = 64 };
    size_t length = strlen(head);
    for (const char *at = text; lacks_schema(head) && (at = strstr(at, "\"schema\""));) {
        at += strlen("\"schema\"");
        at += strspn(at, " \t\r\n:");
        if (strncmp(at, "\"ert-", 5) == 0)
            snprintf(head + (length + ROOM < size ? length : size - ROOM), ROOM, "%s", at);
    }
}

enum ert_status rfl_head_read(const char *file, char *head, size_t size,
                              struct ert_error *error)
{
    struct rfl_parts parts;
    struct stat about;
    *head = '\0';
    if (stat(file, &about) == 0 && !S_ISREG(about.st_mode))
        return ERT_OK;
    ERT_TRY(rfl_parts_read(file, head, size, &parts, error));
    rfl_parts_free(&parts);
    return ERT_OK;
}

enum ert_status rfl_parts_read(const char *file, char *head, size_t size,
                               struct rfl_parts *parts, struct ert_error *error)
{
    struct ert_lines lines;
    bool is_file, is_wide;
    char *text = NULL;
    size_t n;
    *parts = (struct rfl_parts){0};
    ERT_TRY(open_head(file, head, size, &lines, &is_file, &is_wide, error));
    enum ert_status status = ERT_OK;
    bool is_apart = !is_file || is_wide || is_tagged(head);
    if (is_apart || lacks_schema(head))
        status = ert_lines_rest(&lines, largest_file, &text, &n, error);
    ert_lines_close(&lines);
    if (status != ERT_OK || !text)
        return status;
    ert_text_decode(text, n, &is_wide);
    rfl_head_complete(head, size, text);
    if (!is_apart) {
        /* it can be read as it is */
    } else if (is_tagged(text)) {
        split_tasks(text, parts);
    } else {
        parts_add(parts, NULL, 0);
        part_append(parts->parts, text, strlen(text));
    }
    free(text);
    return ERT_OK;
}

void rfl_parts_free(struct rfl_parts *parts)
{
    for (size_t i = 0; i < parts->n; i++) {
        free(parts->parts[i].tag);
        free(parts->parts[i].text);
    }
    free(parts->parts);
    *parts = (struct rfl_parts){0};
}

/* ---- tables ---- */

/* The number of separators in a line, outside of quotes. */
static size_t count_in_line(const char *line, char separator)
{
    size_t n = 0;
    for (bool is_quoted = false; *line && *line != '\n'; line++) {
        is_quoted ^= *line == '"';
        n += *line == separator && !is_quoted;
    }
    return n;
}

char rfl_table_separator(const char *text)
{
    static const char separators[] = ",;\t";
    size_t most = 1;
    char found = '\0';
    if (strstr(text, "\",\"")) /* whatever the program printed before the table */
        return ',';
    for (const char *line = text; *line; line = next_line(line))
        for (const char *separator = separators; *separator; separator++) {
            size_t n = count_in_line(line, *separator);
            if (n > most) {
                most = n;
                found = *separator;
            }
        }
    return found;
}

/* What the signs in a number are: EITHER of a decimal and groups of thousands, or clearly one. */
enum form { NO_NUMBER, EITHER, POINT, COMMA, N_FORMS };

/* The form of a cell that is digits, points, commas and perhaps a unit, as in "2,000s". */
static enum form input_form_of(const char *cell)
{
    size_t n = strspn(cell, "0123456789.,"), n_of[2] = {0}, behind = 0, before = 0;
    bool in_groups =
        true; /* at most three digits first, and three behind each sign but the last */
    if (n == 0 || !isdigit((unsigned char)*cell) || strlen(cell + n) > 8)
        return NO_NUMBER;
    for (const char *unit = cell + n; *unit; unit++)
        if (!isalpha((unsigned char)*unit) && !strchr(" %/", *unit))
            return NO_NUMBER;
    for (size_t i = 0; i < n; i++) {
        behind++;
        if (isdigit((unsigned char)cell[i]))
            continue;
        bool is_first = n_of[0] + n_of[1] == 0;
        before = is_first ? behind - 1 : before;
        in_groups &= is_first ? behind <= 4 : behind == 4;
        n_of[cell[i] == ',']++;
        behind = 0;
    }
    size_t n_signs = n_of[0] + n_of[1];
    bool ends_in_group = in_groups && behind == 3 && (before > 1 || *cell != '0');
    if (n_signs < 2)
        return n_signs == 0 || ends_in_group ? EITHER : n_of[1] ? COMMA : POINT;
    if (n_of[0] == 0 || n_of[1] == 0)
        return !ends_in_group ? NO_NUMBER : n_of[1] ? POINT : COMMA;
    bool is_comma = cell[n - behind - 1] == ',';
    return in_groups && n_of[is_comma] == 1 ? (is_comma ? COMMA : POINT) : NO_NUMBER;
}

/* Whether the table's numbers have decimal commas. */
static bool has_commas(const char *text, char separator)
{
    size_t n[N_FORMS] = {0};
    struct ert_lines lines;
    if (separator == ',' || ert_lines_open_text("", text, &lines, NULL) != ERT_OK)
        return false;
    while (ert_lines_next(&lines)) {
        ert_lines_split(&lines, separator);
        for (size_t i = 0; i < lines.n_cells; i++)
            n[input_form_of(lines.cells[i])]++;
    }
    ert_lines_close(&lines);
    return n[COMMA] > 0 || (!n[POINT] && separator == ';');
}

/* Writes a cell in quotes; a number with a decimal comma gets a point. */
static void write_cell(const char *cell, bool commas, FILE *out)
{
    enum form form = commas ? input_form_of(cell) : NO_NUMBER;
    bool is_number = form == COMMA || form == EITHER;
    putc('"', out);
    for (; *cell; cell++) {
        if (!is_number || *cell != '.')
            putc(is_number && *cell == ',' ? '.' : *cell, out);
        if (*cell == '"')
            putc('"', out);
    }
    putc('"', out);
}

char *rfl_table_plain(const char *text, char separator)
{
    char *plain = NULL;
    size_t size;
    struct ert_lines lines;
    bool commas = has_commas(text, separator),
         is_open = ert_lines_open_text("", text, &lines, NULL) == ERT_OK;
    FILE *out = ert_xcheck(open_memstream(&plain, &size), 1);
    while (is_open && ert_lines_next(&lines)) {
        char *line = ert_xstrdup(lines.line);
        size_t n_used = 0;
        ert_lines_split(&lines, separator);
        for (size_t i = 0; i < lines.n_cells; i++)
            n_used = *lines.cells[i] ? i + 1 : n_used;
        /* Fewer than three cells are not of the table, nor a line that a spreadsheet filled up. */
        bool is_row = lines.n_cells >= 3 && n_used >= 2;
        if (!is_row)
            fputs(lines.n_cells < 3 ? line : lines.cells[0], out);
        for (size_t i = 0; i < lines.n_cells && is_row; i++) {
            if (i > 0)
                putc(',', out);
            write_cell(lines.cells[i], commas, out);
        }
        putc('\n', out);
        free(line);
    }
    if (is_open)
        ert_lines_close(&lines);
    fclose(out);
    return ert_xcheck(plain, size);
}
