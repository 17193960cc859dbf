#include "ert/base/opt.h"

#include "ert/base/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 48 };

/* The number of single-character edits between two words (Levenshtein; one row of the table). */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[LONGEST_NAME + 1], n = strlen(b);
    if (strlen(a) > LONGEST_NAME || n > LONGEST_NAME)
        return LONGEST_NAME;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[n];
}

/* Appends "--name" to a list in text[size]. */
static void append_name(char *text, size_t size, const char *name)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s--%s", length ? ", " : "", name);
}

static enum ert_status unknown_option(const struct ert_opt *rows, size_t n_rows,
                                      const char *word, struct ert_error *error)
{
    char name[LONGEST_NAME + 2], near[320] = "", all[320] = "";
    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    name[strcspn(name, "=")] = '\0';
    for (size_t i = 0; i < n_rows; i++) {
        size_t edits = edit_distance(name, rows[i].name);
        if ((edits <= 2 && 2 * edits < strlen(rows[i].name)) ||
            (name[0] && strncmp(rows[i].name, name, strlen(name)) == 0))
            append_name(near, sizeof near, rows[i].name);
        append_name(all, sizeof all, rows[i].name);
    }
    if (near[0])
        return ert_fail(error, ERT_USAGE, "unknown option '%.64s'; near ones are %s", word,
                        near);
    return ert_fail(error, ERT_USAGE, "unknown option '%.64s'; known are %s", word,
                    all[0] ? all : "none");
}

/* The row of "name" or "name=value" (behind the dashes), or NULL. */
static const struct ert_opt *find_row(const struct ert_opt *rows, size_t n_rows,
                                      const char *text)
{
    size_t length = strcspn(text, "=");
    for (size_t i = 0; i < n_rows; i++)
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, text, length) == 0)
            return &rows[i];
    return NULL;
}

/* A limit as the help and the errors write it: in the unit that the user types. */
static const char *limit_text(const struct ert_opt *row, double limit,
                              char text[ERT_UNITS_TEXT])
{
    if (row->kind == ERT_OPT_SIZE)
        return ert_units_capacity(limit >= 0x1p64 ? UINT64_MAX : (uint64_t)limit, text);
    if (row->kind == ERT_OPT_TIME)
        return ert_units_time(limit, text);
    snprintf(text, ERT_UNITS_TEXT, "%.15g", limit);
    return text;
}

static enum ert_status check_range(const struct ert_opt *row, const char *text,
                                   double value, struct ert_error *error)
{
    char limit[ERT_UNITS_TEXT];
    if (value < row->min)
        return ert_fail(error, ERT_USAGE, "--%s: %.64s, must be at least %s", row->name,
                        text, limit_text(row, row->min, limit));
    if (value > row->max)
        return ert_fail(error, ERT_USAGE, "--%s: %.64s, must be at most %s", row->name,
                        text, limit_text(row, row->max, limit));
    return ERT_OK;
}

static enum ert_status read_flag(const struct ert_opt *row, const char *text, void *target,
                                 struct ert_error *error)
{
    (void)row, (void)text, (void)error;
    *(bool *)target = true;
    return ERT_OK;
}

static enum ert_status read_text(const struct ert_opt *row, const char *text, void *target,
                                 struct ert_error *error)
{
    (void)row, (void)error;
    *(const char **)target = text;
    return ERT_OK;
}

static enum ert_status read_count(const struct ert_opt *row, const char *text, void *target,
                                  struct ert_error *error)
{
    if (!text[0] || text[strspn(text, "0123456789")] != '\0')
        return ert_fail(error, ERT_USAGE, "--%s: '%.64s': must be a whole number",
                        row->name, text);
    errno = 0;
    uint64_t value = strtoull(text, NULL, 10);
    if (errno == ERANGE)
        return ert_fail(error, ERT_USAGE, "--%s: %.64s, too large", row->name, text);
    ERT_TRY(check_range(row, text, (double)value, error));
    *(uint64_t *)target = value;
    return ERT_OK;
}

static enum ert_status read_size(const struct ert_opt *row, const char *text, void *target,
                                 struct ert_error *error)
{
    uint64_t size_bytes = 0;
    struct ert_error reason = {0};
    if (ert_units_parse_size(text, &size_bytes, &reason) != ERT_OK)
        return ert_fail(error, ERT_USAGE, "--%s: %.400s", row->name, reason.text);
    ERT_TRY(check_range(row, text, (double)size_bytes, error));
    *(uint64_t *)target = size_bytes;
    return ERT_OK;
}

static enum ert_status read_time(const struct ert_opt *row, const char *text, void *target,
                                 struct ert_error *error)
{
    double time_s = 0;
    struct ert_error reason = {0};
    if (ert_units_parse_time(text, &time_s, &reason) != ERT_OK)
        return ert_fail(error, ERT_USAGE, "--%s: %.400s", row->name, reason.text);
    ERT_TRY(check_range(row, text, time_s, error));
    *(double *)target = time_s;
    return ERT_OK;
}

/* "a, b, c" into text[size]. */
static const char *join_choices(const char *const *choices, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; choices[i] && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "",
                                   choices[i]);
    return text;
}

static enum ert_status read_choice(const struct ert_opt *row, const char *text,
                                   void *target, struct ert_error *error)
{
    char list[256];
    for (size_t i = 0; row->choices[i]; i++)
        if (strcmp(text, row->choices[i]) == 0) {
            *(const char **)target = row->choices[i];
            return ERT_OK;
        }
    return ert_fail(error, ERT_USAGE, "--%s: '%.64s': must be one of %s", row->name, text,
                    join_choices(row->choices, list, sizeof list));
}

/* By enum ert_opt_kind. */
static enum ert_status read_number(const struct ert_opt *row, const char *text,
                                   void *target, struct ert_error *error)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        return ert_fail(error, ERT_USAGE, "--%s: '%.64s' is not a number", row->name, text);
    ERT_TRY(check_range(row, text, value, error));
    *(double *)target = value;
    return ERT_OK;
}

static enum ert_status (*const readers[])(const struct ert_opt *row, const char *text,
                                          void *target, struct ert_error *error) = {
    [ERT_OPT_FLAG] = read_flag,     [ERT_OPT_TEXT] = read_text,
    [ERT_OPT_COUNT] = read_count,   [ERT_OPT_SIZE] = read_size,
    [ERT_OPT_TIME] = read_time,     [ERT_OPT_NUMBER] = read_number,
    [ERT_OPT_CHOICE] = read_choice,
};

enum ert_status ert_opt_parse(const struct ert_opt *rows, size_t n_rows, int argc,
                              char **argv, void *options, const char **words,
                              size_t max_words, size_t *n_words, struct ert_error *error)
{
    bool only_words = false;
    size_t n = 0;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!only_words && strcmp(word, "--") == 0) {
            only_words = true;
            continue;
        }
        if (only_words || word[0] != '-' || word[1] == '\0') {
            if (n == max_words)
                return ert_fail(error, ERT_USAGE,
                                "unexpected word '%.64s'; at most %zu taken", word,
                                max_words);
            words[n++] = word;
            continue;
        }
        const struct ert_opt *row =
            word[1] == '-' ? find_row(rows, n_rows, word + 2) : NULL;
        if (!row)
            return unknown_option(rows, n_rows, word, error);
        const char *equals = strchr(word, '='), *value = equals ? equals + 1 : NULL;
        if (row->kind == ERT_OPT_FLAG && value)
            return ert_fail(error, ERT_USAGE, "--%s: takes no value, but '%.64s' was given",
                            row->name, value);
        if (row->kind != ERT_OPT_FLAG && !value) {
            /* A next word that is an option itself is a forgotten value, not a file "--quick". */
            if (i + 1 >= argc || strncmp(argv[i + 1], "--", 2) == 0)
                return ert_fail(error, ERT_USAGE, "--%s: its value %s is missing",
                                row->name, row->argument ? row->argument : "");
            value = argv[++i];
        }
        ERT_TRY(readers[row->kind](row, value, (char *)options + row->offset, error));
    }
    *n_words = n;
    return ERT_OK;
}

/* What a row says behind its help: the choices, or the range. */
static void write_limits(FILE *out, const struct ert_opt *row)
{
    char min[ERT_UNITS_TEXT], max[ERT_UNITS_TEXT], list[256];
    if (row->kind == ERT_OPT_CHOICE)
        fprintf(out, " [%s]", join_choices(row->choices, list, sizeof list));
    else if (row->kind == ERT_OPT_COUNT || row->kind == ERT_OPT_SIZE ||
             row->kind == ERT_OPT_TIME || row->kind == ERT_OPT_NUMBER)
        fprintf(out, " [%s to %s]", limit_text(row, row->min, min),
                limit_text(row, row->max, max));
}

void ert_opt_help(FILE *out, const struct ert_opt *rows, size_t n_rows)
{
    size_t width = 0;
    for (size_t i = 0; i < n_rows; i++) {
        size_t length =
            strlen(rows[i].name) + (rows[i].argument ? strlen(rows[i].argument) + 1 : 0);
        if (length > width)
            width = length;
    }
    for (size_t i = 0; i < n_rows; i++) {
        int length = fprintf(out, "  --%s%s%s", rows[i].name, rows[i].argument ? " " : "",
                             rows[i].argument ? rows[i].argument : "");
        fprintf(out, "%*s  %s", (int)(width + 4) - length, "", rows[i].help);
        write_limits(out, &rows[i]);
        fputc('\n', out);
    }
}
