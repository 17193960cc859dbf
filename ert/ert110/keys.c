#include "ert/ert110/keys.h"

#include "ert/base/lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\f\v";

bool ert110_recognizes(const char *head)
{
    while (*head) {
        const char *word = head + strspn(head, blanks);
        if (*head != '#' && *word != '\n' && *word)
            return strncmp(word, "ERT_", 4) == 0;
        head += strcspn(head, "\n");
        head += *head == '\n';
    }
    return false;
}

const struct ert110_row *ert110_find(const struct ert110_file *file, const char *key)
{
    for (size_t i = 0; i < file->n; i++)
        if (strcmp(file->rows[i].key, key) == 0)
            return &file->rows[i];
    return NULL;
}

enum ert_status ert110_fail(const struct ert110_file *file, const struct ert110_row *row,
                            struct ert_error *error, const char *text)
{
    return ert_fail(error, ERT_USAGE, "%s: line %zu: %s: '%.80s', %s", file->name,
                    row->line, row->key, row->value, text);
}

/* The words of a line, one blank between them; false when they do not fit. */
static bool join_words(const char *text, char *to, size_t size)
{
    size_t used = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);
        if (used + length + 2 > size)
            return false;
        if (used)
            to[used++] = ' ';
        memcpy(to + used, text, length);
        used += length;
        text += length;
    }
    to[used] = '\0';
    return true;
}

/* The row of a key, new or that of its earlier line. */
static struct ert110_row *row_for(struct ert110_file *file, const char *key)
{
    for (size_t i = 0; i < file->n; i++)
        if (strcmp(file->rows[i].key, key) == 0) {
            file->rows[i].was_there = true;
            return &file->rows[i];
        }
    if (file->n == ERT110_MAX_KEYS)
        return NULL;
    struct ert110_row *row = &file->rows[file->n++];
    *row = (struct ert110_row){0};
    return row;
}

static enum ert_status read_line(struct ert110_file *file, const struct ert_lines *lines,
                                 struct ert_error *error)
{
    char key[sizeof file->rows[0].key];
    const char *text = lines->line + strspn(lines->line, blanks);
    size_t length = strcspn(text, blanks);
    if (lines->line[0] == '#' || !*text)
        return ERT_OK;
    if (length >= sizeof key)
        return ert_fail(error, ERT_USAGE,
                        "%s: line %zu: a key of %zu bytes, must be at most %zu", file->name,
                        lines->number, length, sizeof key - 1);
    memcpy(key, text, length);
    key[length] = '\0';
    struct ert110_row *row = row_for(file, key);
    if (!row)
        return ert_fail(error, ERT_USAGE, "%s: line %zu: more than %d keys", file->name,
                        lines->number, ERT110_MAX_KEYS);
    memcpy(row->key, key, length + 1);
    row->line = lines->number;
    if (!join_words(text + length, row->value, sizeof row->value))
        return ert_fail(error, ERT_USAGE, "%s: line %zu: %s: a value of more than %d bytes",
                        file->name, lines->number, key, ERT110_TEXT - 1);
    return ERT_OK;
}

enum ert_status ert110_read(const char *name, struct ert110_file *file,
                            struct ert_error *error)
{
    struct ert_lines lines;
    enum ert_status status = ERT_OK;
    *file = (struct ert110_file){.name = name};
    ERT_TRY(ert_lines_open(name, &lines, error));
    while (status == ERT_OK && ert_lines_next(&lines))
        status = read_line(file, &lines, error);
    if (status == ERT_OK)
        status = ert_lines_end(&lines, error);
    ert_lines_close(&lines);
    return status;
}

enum ert_status ert110_flag(const struct ert110_file *file, const char *key, bool *value,
                            struct ert_error *error)
{
    const struct ert110_row *row = ert110_find(file, key);
    *value = row && strcmp(row->value, "True") == 0;
    if (!row || *value || strcmp(row->value, "False") == 0)
        return ERT_OK;
    return ert110_fail(file, row, error, "must be True or False");
}

/* A number with C's suffixes; *end is what follows. */
static bool get_number(const char *text, const char **end, uint64_t *value)
{
    char *after;
    errno = 0;
    if (!isdigit((unsigned char)*text))
        return false;
    *value = strtoull(text, &after, 0);
    *end = after + strspn(after, "uUlL");
    return errno == 0;
}

enum ert_status ert110_number(const struct ert110_file *file, const char *key, uint64_t min,
                              uint64_t max, uint64_t *value, struct ert_error *error)
{
    const struct ert110_row *row = ert110_find(file, key);
    const char *end;
    uint64_t number;
    char text[96];
    if (!row)
        return ERT_OK;
    snprintf(text, sizeof text, "must be a whole number from %llu to %llu",
             (unsigned long long)min, (unsigned long long)max);
    if (!get_number(row->value, &end, &number) || *end || number < min || number > max)
        return ert110_fail(file, row, error, text);
    *value = number;
    return ERT_OK;
}

/* Puts a number into its place; false when the set is full. */
static bool insert(uint32_t *set, size_t *n, uint32_t number)
{
    size_t at = *n;
    while (at > 0 && set[at - 1] >= number)
        at--;
    if (at < *n && set[at] == number)
        return true;
    if (*n == ERT110_MAX_SET)
        return false;
    memmove(set + at + 1, set + at, (*n - at) * sizeof *set);
    set[at] = number;
    (*n)++;
    return true;
}

/* One "N" or "N-M" at *text, which it moves behind it. */
static bool get_range(const char **text, uint32_t *set, size_t *n)
{
    uint64_t first, last;
    if (!get_number(*text, text, &first))
        return false;
    last = first;
    if (**text == '-' && !get_number(*text + 1, text, &last))
        return false;
    if (first == 0 || last < first || last > INT32_MAX || last - first >= ERT110_MAX_SET)
        return false;
    for (uint64_t i = first; i <= last; i++)
        if (!insert(set, n, (uint32_t)i))
            return false;
    return true;
}

enum ert_status ert110_set(const struct ert110_file *file, const char *key,
                           uint32_t set[ERT110_MAX_SET], size_t *n, struct ert_error *error)
{
    const struct ert110_row *row = ert110_find(file, key);
    const char *text = row ? row->value : NULL;
    *n = 0;
    while (row) {
        if (!get_range(&text, set, n) || (*text && *text != ','))
            return ert110_fail(file, row, error,
                               "must be whole numbers above 0 and ranges of them, as in "
                               "1,2,6-8, 4096 at most");
        if (!*text++)
            break;
    }
    return ERT_OK;
}
