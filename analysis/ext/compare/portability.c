/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/compare/portability.h"

#include "ert/core/base/alloc.h"
#include "ert/ext/base/lines.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void rfl_portability(const double *efficiencies, const char *const *names, size_t n,
                     struct rfl_portability *result)
{
    double inverse = 0, sum = 0, squares = 0;
    size_t n_known = 0, lacking = SIZE_MAX,
           above = SIZE_MAX; /* the first platforms of each kind */
    *result = (struct rfl_portability){
        .metric = NAN, .min = NAN, .max = NAN, .mean = NAN, .deviation = NAN};
    for (size_t i = n; i-- > 0;) {
        double efficiency = efficiencies[i];
        lacking = efficiency > 0 ? lacking : i;
        if (isnan(efficiency))
            continue;
        above = efficiency > 1 ? i : above;
        n_known++;
        result->min = fmin(result->min, efficiency); /* fmin ignores NaN */
        result->max = fmax(result->max, efficiency);
        inverse += 1 / efficiency;
        sum += efficiency;
    }
    if (n_known) {
        result->mean = sum / (double)n_known;
        for (size_t i = 0; i < n; i++)
            if (!isnan(efficiencies[i]))
                squares +=
                    (efficiencies[i] - result->mean) * (efficiencies[i] - result->mean);
        result->deviation = sqrt(squares / (double)n_known);
    }
    if (n < 2) {
        snprintf(result->reason, sizeof result->reason,
                 "undefined: %zu platform%s, at least two are required", n,
                 n == 1 ? "" : "s");
    } else if (lacking != SIZE_MAX) {
        result->metric = 0;
        snprintf(result->reason, sizeof result->reason, "0 by definition: %s on %.100s",
                 isnan(efficiencies[lacking]) ? "no efficiency" : "an efficiency of 0",
                 names[lacking]);
    } else {
        result->metric = (double)n / inverse;
        if (above != SIZE_MAX)
            snprintf(result->reason, sizeof result->reason,
                     "check: above 100 %% on %.100s; kept unchanged", names[above]);
    }
}

static enum ert_status add_platform(struct rfl_efficiencies *efficiencies, const char *name,
                                    struct ert_error *error)
{
    if (!*name)
        return ert_fail(error, ERT_USAGE, "a platform without a name");
    for (size_t i = 0; i < efficiencies->n_platforms; i++)
        if (strcmp(efficiencies->platforms[i], name) == 0)
            return ert_fail(error, ERT_USAGE, "the platform '%.100s' appears twice", name);
    if (efficiencies->n_platforms == RFL_MAX_PLATFORMS)
        return ert_fail(error, ERT_USAGE, "more than %d platforms", RFL_MAX_PLATFORMS);
    efficiencies->platforms[efficiencies->n_platforms++] =
        ert_strings_keep(&efficiencies->strings, name);
    return ERT_OK;
}

/* Adds a case without numbers; the pointer is valid until the next call. */
static struct rfl_portable_case *add_case(struct rfl_efficiencies *efficiencies,
                                          const char *name)
{
    efficiencies->cases = ert_xgrow(efficiencies->cases, efficiencies->n_cases,
                                    &efficiencies->capacity, sizeof *efficiencies->cases);
    struct rfl_portable_case *added = &efficiencies->cases[efficiencies->n_cases++];
    added->name = ert_strings_keep(&efficiencies->strings, name);
    added->published = NAN;
    for (size_t i = 0; i < RFL_MAX_PLATFORMS; i++)
        added->efficiencies[i] = NAN;
    return added;
}

void rfl_efficiencies_free(struct rfl_efficiencies *efficiencies)
{
    free(efficiencies->cases);
    ert_strings_free(&efficiencies->strings);
    *efficiencies = (struct rfl_efficiencies){0};
}

/* A higher efficiency is a percentage taken for a fraction. */
static const double highest = 10;

/* ---- CSV ---- */

/* The unit of numbers without a "%". */
enum share { SHARE_UNKNOWN, SHARE_FRACTION, SHARE_PERCENT };

enum { MAX_COLUMNS = RFL_MAX_PLATFORMS + 2, PUBLISHED = RFL_MAX_PLATFORMS };

struct table {
    struct ert_lines lines;
    size_t n_columns;
    enum share shares[MAX_COLUMNS];
    size_t places[MAX_COLUMNS]; /* platform of each column, or PUBLISHED */
    size_t n_earlier;           /* cases of earlier files */
};

/* Cuts the unit off the end of a header: "V100 (percent)", "V100 [%]", "V100 %". The rest is the name. */
static enum share portability_take_share(char *header)
{
    static const struct {
        const char *word;
        enum share share;
    } words[] = {
        {"%",        SHARE_PERCENT },
        {"percent",  SHARE_PERCENT },
        {"fraction", SHARE_FRACTION},
    };
    size_t length = strlen(header);
    size_t end = length && strchr(")]", header[length - 1]) ? length - 1 : length;
    for (size_t i = 0; i < ERT_LENGTH(words); i++) {
        size_t size = strlen(words[i].word);
        if (end < size || strncasecmp(header + end - size, words[i].word, size) != 0)
            continue;
        size_t at = end - size;
        /* "fraction" alone is a unit, "diffraction" a name */
        if (at > 0 && isalnum((unsigned char)header[at - 1]) && words[i].word[0] != '%')
            continue;
        while (at > 0 && strchr(" _([", header[at - 1]))
            at--;
        header[at] = '\0';
        return words[i].share;
    }
    return SHARE_UNKNOWN;
}

static enum ert_status portability_read_header(struct table *table,
                                               struct rfl_efficiencies *result,
                                               struct ert_error *error)
{
    const struct ert_lines *lines = &table->lines;
    table->n_columns = lines->n_cells;
    if (lines->n_cells < 2 || lines->n_cells > MAX_COLUMNS)
        return ert_lines_fail(lines, error,
                              "%zu columns, must be 2 to %d: the case, then the platforms",
                              lines->n_cells, MAX_COLUMNS);
    enum share of_all = portability_take_share(lines->cells[0]);
    for (size_t i = 1; i < lines->n_cells; i++) {
        char *name = lines->cells[i];
        enum share own = portability_take_share(name);
        table->shares[i] = own ? own : of_all;
        if (!table->shares[i])
            return ert_lines_fail(lines, error,
                                  "column '%.80s' does not say whether it is percent or "
                                  "fraction: name it '%.80s (percent)'",
                                  name, name);
        table->places[i] = PUBLISHED;
        if (strcasecmp(name, "published") == 0)
            continue;
        table->places[i] = result->n_platforms;
        ERT_TRY(add_platform(result, name, error));
    }
    return ERT_OK;
}

static enum ert_status read_cell(const struct table *table, size_t column, double *value,
                                 struct ert_error *error)
{
    const struct ert_lines *lines = &table->lines;
    char *text = lines->cells[column], what[32];
    enum ert_number kind;
    enum share share = table->shares[column];
    size_t length = strlen(text);
    snprintf(what, sizeof what, "column %zu", column + 1);
    if (length && text[length - 1] == '%') {
        if (share == SHARE_FRACTION)
            return ert_lines_fail(lines, error, "%s: '%.40s' in a column of fractions",
                                  what, text);
        text[length - 1] = '\0';
        while (length > 1 && text[length - 2] == ' ')
            text[--length - 1] = '\0';
    }
    ERT_TRY(ert_lines_number(lines, what, text, value, &kind, error));
    if (kind != ERT_NUMBER) {
        *value = NAN;
        return ERT_OK;
    }
    if (share == SHARE_PERCENT)
        *value /= 100;
    if (*value > highest)
        return ert_lines_fail(lines, error, "%s: %.40s is %g %%, must be at most %g %%",
                              what, text, 100 * *value, 100 * highest);
    return ERT_OK;
}

static enum ert_status portability_read_row(const struct table *table,
                                            struct rfl_efficiencies *result,
                                            struct ert_error *error)
{
    const struct ert_lines *lines = &table->lines;
    if (lines->n_cells != table->n_columns)
        return ert_lines_fail(lines, error, "%zu cells, must be %zu", lines->n_cells,
                              table->n_columns);
    /* a case of an earlier file, to which this file adds platforms, or a new one */
    size_t at = 0;
    while (at < table->n_earlier && strcmp(result->cases[at].name, lines->cells[0]) != 0)
        at++;
    struct rfl_portable_case *added =
        at < table->n_earlier ? &result->cases[at] : add_case(result, lines->cells[0]);
    for (size_t i = 1; i < table->n_columns; i++) {
        double value;
        ERT_TRY(read_cell(table, i, &value, error));
        if (table->places[i] == PUBLISHED)
            added->published = value;
        else
            added->efficiencies[table->places[i]] = value;
    }
    return ERT_OK;
}

static enum ert_status read_table(struct table *table, struct rfl_efficiencies *result,
                                  struct ert_error *error)
{
    bool has_header = false, has_row = false;
    for (const char *line; (line = ert_lines_next(&table->lines));) {
        if (!line[strspn(line, " \t")] || *line == '#')
            continue;
        ert_lines_split(&table->lines, ',');
        ERT_TRY(has_header ? portability_read_row(table, result, error)
                           : portability_read_header(table, result, error));
        has_row = has_header;
        has_header = true;
    }
    ERT_TRY(ert_lines_end(&table->lines, error));
    if (!has_row)
        return ert_fail(error, ERT_USAGE, "%.200s: contains no row of efficiencies",
                        table->lines.file);
    return ERT_OK;
}

enum ert_status rfl_efficiencies_read(const char *file, struct rfl_efficiencies *result,
                                      struct ert_error *error)
{
    struct table table = {.n_earlier = result->n_cases};
    ERT_TRY(ert_lines_open(file, &table.lines, error));
    enum ert_status status = read_table(&table, result, error);
    ert_lines_close(&table.lines);
    return status;
}

/* ---- platforms with their points ---- */

/* The name of a point's case, with the run in brackets if with_run; `names` keeps it. */
static const char *name_case(struct ert_strings *names, const struct rfl_point *point,
                             bool with_run)
{
    bool has_run = with_run && *point->run;
    return ert_strings_format(names, "%s%s%s%s", point->name, has_run ? " [" : "",
                              has_run ? point->run : "", has_run ? "]" : "");
}

static bool has_name_twice(const struct rfl_points *points)
{
    struct ert_strings names = {0};
    for (size_t i = 0; i < points->n; i++)
        ert_strings_keep(&names, points->points[i].name);
    bool is_twice = names.n_texts < points->n;
    ert_strings_free(&names);
    return is_twice;
}

/* Adds the cases of a platform in the order of the files; `names` has those added so far. */
static enum ert_status join_platform(const struct rfl_platform *platform, size_t place,
                                     bool with_run, struct ert_strings *names,
                                     struct rfl_efficiencies *result,
                                     struct ert_error *error)
{
    struct ert_strings own = {0};
    enum ert_status status = ERT_OK;
    for (size_t i = 0; i < platform->points->n && status == ERT_OK; i++) {
        const char *name = name_case(&own, &platform->points->points[i], with_run);
        size_t at = ert_strings_index(names, name);
        if (own.n_texts == i)
            status = ert_fail(error, ERT_USAGE, "platform '%.60s': '%.200s' appears twice",
                              platform->name, name);
        if (at == result->n_cases)
            add_case(result, name);
        result->cases[at].efficiencies[place] = platform->efficiencies[i];
    }
    ert_strings_free(&own);
    return status;
}

enum ert_status rfl_efficiencies_join(const struct rfl_platform *platforms, size_t n,
                                      struct rfl_efficiencies *result,
                                      struct ert_error *error)
{
    struct ert_strings names = {0};
    enum ert_status status = ERT_OK;
    bool with_run = false;
    /* runs, often names of files or machines, differ between platforms: used only if names repeat */
    for (size_t p = 0; p < n; p++) {
        ERT_TRY(add_platform(result, platforms[p].name, error));
        with_run = with_run || has_name_twice(platforms[p].points);
    }
    for (size_t p = 0; p < n && status == ERT_OK; p++)
        status = join_platform(&platforms[p], p, with_run, &names, result, error);
    ert_strings_free(&names);
    return status;
}
