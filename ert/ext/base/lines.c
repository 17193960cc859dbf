/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/base/lines.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* An ncu line with all metrics has some 100 KiB. */
static const size_t longest_line = (size_t)16 << 20;

/* Puts gzip's output in the place of a stream that holds its format. */
static enum ert_status lines_unpack(struct ert_lines *lines, struct ert_error *error)
{
    int ends[2];
    const bool is_packed = getc(lines->stream) == 0x1f && getc(lines->stream) == 0x8b;
    rewind(lines->stream);
    if (!is_packed)
        return ERT_OK;
    if (pipe2(ends, O_CLOEXEC) != 0 || (lines->unpacker = fork()) < 0)
        return ert_fail(error, ERT_FAILED, "%.200s: %s", lines->file, strerror(errno));
    if (lines->unpacker == 0) { /* of its faults only ert_lines_end speaks */
        dup2(fileno(lines->stream), STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
        execlp("gzip", "gzip", "-dc", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    fclose(lines->stream);
    lines->stream = ert_xcheck(fdopen(ends[0], "rb"), 1);
    return ERT_OK;
}

enum ert_status ert_lines_open(const char *file, struct ert_lines *lines,
                               struct ert_error *error)
{
    struct stat about = {0};
    *lines = (struct ert_lines){.file = file, .stream = fopen(file, "rb")};
    if (!lines->stream)
        return ert_fail(error, ERT_USAGE, "%.200s: %s", file, strerror(errno));
    enum ert_status status = ERT_OK;
    if (fstat(fileno(lines->stream), &about) == 0 && S_ISDIR(about.st_mode))
        status = ert_fail(error, ERT_USAGE, "%.200s: is a folder, must be a file", file);
    else if (S_ISREG(about.st_mode))
        status = lines_unpack(lines, error);
    if (status != ERT_OK)
        ert_lines_close(lines);
    return status;
}

enum ert_status ert_lines_open_text(const char *file, const char *text,
                                    struct ert_lines *lines, struct ert_error *error)
{
    /* fmemopen refuses a size of 0 */
    size_t size = strlen(text);
    *lines = (struct ert_lines){
        .file = file,
        .stream = size ? fmemopen((void *)(uintptr_t)text, size, "rb") : tmpfile()};
    if (!lines->stream)
        return ert_fail(error, ERT_FAILED, "%.200s: %s", file, strerror(errno));
    return ERT_OK;
}

enum ert_status ert_lines_fail(const struct ert_lines *lines, struct ert_error *error,
                               const char *format, ...)
{
    char text[768];
    ERT_FORMAT(text, sizeof text, format);
    return ert_fail(error, ERT_USAGE, "%.200s: row %zu: %s", lines->file, lines->number,
                    text);
}

static void show_controls(struct ert_lines *lines)
{
    char *shown = NULL;
    size_t size = 0;
    FILE *out = ert_xcheck(open_memstream(&shown, &size), 1);
    ert_text_write(out, ERT_TEXT_PLAIN, lines->line);
    fclose(out);
    free(lines->line);
    lines->line = ert_xcheck(shown, size);
    lines->capacity = size + 1;
}

/* A line with its end into lines->line, but no more than one byte beyond the longest; how many bytes. */
static size_t lines_read_line(struct ert_lines *lines)
{
    size_t size = 0;
    for (int byte = 0; byte != '\n' && size <= longest_line;) {
        if (size + 1 >= lines->capacity)
            lines->line = ert_xgrow(lines->line, size + 1, &lines->capacity, 1);
        if ((byte = getc_unlocked(lines->stream)) == EOF)
            break;
        lines->line[size++] = (char)byte;
    }
    lines->line[size] = '\0';
    return size;
}

/* The bytes of a byte order mark of UTF-8 at the beginning of a text, which lines and rest leave out. */
static size_t lines_mark(const char *text)
{
    return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

char *ert_lines_next(struct ert_lines *lines)
{
    lines->n_cells = 0;
    if (lines->failed)
        return NULL;
    size_t size = lines_read_line(lines);
    lines->failed = ferror(lines->stream) || size > longest_line;
    if (size == 0)
        return NULL;
    size_t mark = lines->number++ == 0 ? lines_mark(lines->line) : 0;
    memmove(lines->line, lines->line + mark, (size -= mark) + 1);
    while (size > 0 && (lines->line[size - 1] == '\n' || lines->line[size - 1] == '\r'))
        lines->line[--size] = '\0';
    if (lines->failed)
        return NULL;
    lines->is_cut = strlen(lines->line) < size;
    if (ert_text_control(lines->line))
        show_controls(lines);
    return lines->line;
}

enum ert_status ert_lines_end(const struct ert_lines *lines, struct ert_error *error)
{
    /* Only looks: ert_lines_close waits for gzip, and stops it for a reader that leaves before the end. */
    siginfo_t end;
    if (lines->unpacker > 0 && feof(lines->stream) &&
        waitid(P_PID, (id_t)lines->unpacker, &end, WEXITED | WNOWAIT) == 0 && end.si_status)
        return ert_fail(error, ERT_USAGE, "%.200s: gzip cannot unpack it, or not all of it",
                        lines->file);
    if (!lines->failed)
        return ERT_OK;
    return ert_lines_fail(lines, error, "cannot be read, or longer than %zu MiB",
                          longest_line >> 20);
}

enum ert_status ert_lines_rest(struct ert_lines *lines, size_t limit_bytes, char **text,
                               size_t *size, struct ert_error *error)
{
    size_t capacity = 0;
    *text = NULL;
    for (*size = 0; *size == capacity && capacity <= limit_bytes;) {
        capacity = capacity ? 2 * capacity : (size_t)1 << 16;
        *text = ert_xrealloc(*text, capacity, 1);
        *size += fread(*text + *size, 1, capacity - *size, lines->stream);
    }
    if (*size <= limit_bytes && !ferror(lines->stream)) {
        (*text)[*size] = '\0'; /* the last block was not filled */
        size_t mark = lines_mark(*text);
        memmove(*text, *text + mark, (*size -= mark) + 1);
        return ERT_OK;
    }
    free(*text);
    *text = NULL;
    return ert_fail(error, ERT_USAGE, "%.200s: cannot be read, or larger than %zu MiB",
                    lines->file, limit_bytes >> 20);
}

/* Ends the cell that begins at `from` in place; *next: where the next one begins, or NULL. */
static char *end_cell(char *from, char separator, char **next)
{
    while (*from == ' ' && *from != separator)
        from++;
    bool is_quoted = *from == '"';
    char *read = from += is_quoted, *write = from;
    for (; *read && (is_quoted || *read != separator); read++) {
        if (is_quoted && *read == '"' && *++read != '"')
            break;
        *write++ = *read;
    }
    while (*read && *read != separator)
        read++; /* blanks behind a closing quote */
    while (!is_quoted && write > from && write[-1] == ' ')
        write--;
    *next = *read == separator && *read ? read + 1 : NULL;
    *write = '\0';
    return from;
}

void ert_lines_split(struct ert_lines *lines, char separator)
{
    char *next = lines->line;
    lines->n_cells = 0;
    while (next) {
        lines->cells = ert_xgrow(lines->cells, lines->n_cells, &lines->room_cells,
                                 sizeof *lines->cells);
        char *cell = next;
        lines->cells[lines->n_cells++] = end_cell(cell, separator, &next);
    }
}

char *ert_lines_word(char **text)
{
    char *word = *text + strspn(*text, " \t");
    char *end = word + strcspn(word, " \t");
    *text = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

size_t ert_lines_column(const struct ert_lines *lines, const char *name)
{
    for (size_t i = 0; i < lines->n_cells; i++)
        if (strcmp(lines->cells[i], name) == 0)
            return i;
    return SIZE_MAX;
}

const char *ert_lines_cell(const struct ert_lines *lines, size_t column)
{
    return column < lines->n_cells ? lines->cells[column] : "";
}

void ert_lines_close(struct ert_lines *lines)
{
    if (lines->stream)
        fclose(lines->stream);
    if (lines->unpacker > 0)
        waitpid(lines->unpacker, NULL, 0);
    free(lines->line);
    free(lines->cells);
    *lines = (struct ert_lines){0};
}

/*
 * Copies a number without its thousands' commas; false when the commas cannot be those of thousands:
 * groups of three digits follow each, and none stands behind a point.
 */
static bool strip_thousands(const char *text, char digits[64])
{
    size_t n = 0, group = 0;
    bool seen = false, fraction = false;
    for (; *text && n < 63; text++) {
        if (*text == ',') {
            if (fraction || (seen ? group != 3 : group == 0 || group > 3))
                return false;
            seen = true;
            group = 0;
            continue;
        }
        if (isdigit((unsigned char)*text)) {
            group++;
        } else if (seen && !fraction && group != 3) {
            return false;
        } else {
            fraction = true;
        }
        digits[n++] = *text;
    }
    digits[n] = '\0';
    return !*text && !(seen && !fraction && group != 3);
}

bool ert_lines_is_local(const char *text)
{
    return !text[strspn(text, "0123456789.,")] && strpbrk(text, ".,") &&
           strpbrk(text, "0123456789");
}

enum ert_status ert_lines_number(const struct ert_lines *lines, const char *what,
                                 const char *text, double *value, enum ert_number *kind,
                                 struct ert_error *error)
{
    static const char *const none[] = {"",        "-",   "n/a",     "<not counted>",
                                       "(!) n/a", "nil", "no data", "<not supported>"};
    char digits[64], *end = NULL;
    *value = 0;
    for (size_t i = 0; i < ERT_LENGTH(none); i++)
        if (strcasecmp(text, none[i]) == 0) {
            *kind = ERT_NUMBER_NONE;
            return ERT_OK;
        }
    const char *unsigned_text = text + (*text == '-' || *text == '+');
    if (strncasecmp(unsigned_text, "nan", 3) == 0) {
        *kind = ERT_NUMBER_NAN;
        return ERT_OK;
    }
    bool is_number =
        strip_thousands(text, digits) && !strchr(digits, 'x') && !strchr(digits, 'X');
    if (is_number)
        *value = strtod(digits, &end);
    *kind = ERT_NUMBER;
    if (!is_number || end == digits || *end)
        return ert_lines_fail(lines, error, "%.80s: '%.40s' is not a number%s", what, text,
                              ert_lines_is_local(text) ? "; rerun the tool with LC_ALL=C"
                                                       : "");
    if (!isfinite(*value) || *value < 0)
        return ert_lines_fail(
            lines, error, "%.80s: '%.40s', must be a finite number, 0 or more", what, text);
    return ERT_OK;
}
