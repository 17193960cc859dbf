#include "ert/validate/ncu_csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A full set of ncu has 2000 columns. */
enum { MAX_COLUMNS = 4096 };

/* Splits a line in place into its cells; "" within quotes is one quote. Returns how many. */
static size_t split(char *line, char **cells)
{
    size_t n = 0;
    while (n < MAX_COLUMNS) {
        bool quoted = *line == '"';
        char *to = line += quoted;
        cells[n++] = line;
        for (; *line && (quoted || *line != ','); line++) {
            if (quoted && *line == '"' && *++line != '"')
                break;
            *to++ = *line;
        }
        bool more = *line == ',';
        *to = '\0';
        if (!more)
            break;
        line++;
    }
    return n;
}

/* "void chains<fma_op, double>(ert_cuda_arguments)" is chains. */
static void copy_name(const char *cell, char name[96])
{
    size_t end = strcspn(cell, "<(");
    size_t begin = end;
    while (begin > 0 && cell[begin - 1] != ' ' && cell[begin - 1] != ':')
        begin--;
    snprintf(name, 96, "%.*s", (int)(end - begin), cell + begin);
}

static double number(const char *cell)
{
    char digits[64], *end;
    size_t n = 0;
    for (; *cell && n + 1 < sizeof digits; cell++)
        if (*cell != ',')
            digits[n++] = *cell;
    digits[n] = '\0';
    double value = strtod(digits, &end);
    return n > 0 && *end == '\0' ? value : NAN;
}

static double scale_of(const char *unit)
{
    static const struct {
        const char *name;
        double factor;
    } prefixed[] = {
        {"Kbyte", 1e3 },
        {"Mbyte", 1e6 },
        {"Gbyte", 1e9 },
        {"Tbyte", 1e12},
    };
    for (size_t i = 0; i < sizeof prefixed / sizeof prefixed[0]; i++)
        if (strcmp(unit, prefixed[i].name) == 0)
            return prefixed[i].factor;
    return 1;
}

/* Where the wanted columns stand, and what their numbers are multiplied by. */
struct columns {
    size_t name;
    size_t *metrics; /* SIZE_MAX: no such column */
    double *scales;
};

static void find_columns(char *const *cells, size_t n, const char *const *metrics,
                         size_t n_metrics, struct columns *columns)
{
    columns->name = SIZE_MAX;
    for (size_t m = 0; m < n_metrics; m++) {
        columns->metrics[m] = SIZE_MAX;
        columns->scales[m] = 1;
    }
    for (size_t i = 0; i < n; i++) {
        if (strcmp(cells[i], "Kernel Name") == 0)
            columns->name = i;
        for (size_t m = 0; m < n_metrics; m++)
            if (strcmp(cells[i], metrics[m]) == 0)
                columns->metrics[m] = i;
    }
}

static bool add_launch(struct ert_ncu_launches *launches, char *const *cells, size_t n,
                       const struct columns *columns)
{
    size_t size = launches->n + 1;
    void *names = realloc(launches->names, size * sizeof *launches->names);
    if (names)
        launches->names = names;
    void *values =
        realloc(launches->values, (size * launches->n_metrics + 1) * sizeof(double));
    if (values)
        launches->values = values;
    if (!names || !values)
        return false;
    copy_name(columns->name < n ? cells[columns->name] : "", launches->names[launches->n]);
    for (size_t m = 0; m < launches->n_metrics; m++) {
        size_t column = columns->metrics[m];
        launches->values[launches->n * launches->n_metrics + m] =
            column < n ? columns->scales[m] * number(cells[column]) : NAN;
    }
    launches->n = size;
    return true;
}

/* All lines of a table; *seen: its first line. False when memory ran out. */
static bool read_lines(char *text, const char *const *metrics, char **cells,
                       struct columns *columns, struct ert_ncu_launches *launches,
                       bool *seen)
{
    char *rest = NULL;
    *seen = false;
    for (char *line = strtok_r(text, "\r\n", &rest); line;
         line = strtok_r(NULL, "\r\n", &rest)) {
        if (*line != '"')
            continue;
        size_t n = split(line, cells);
        if (strcmp(cells[0], "ID") == 0) {
            find_columns(cells, n, metrics, launches->n_metrics, columns);
            *seen = true;
        } else if (*seen && *cells[0] == '\0') {
            for (size_t m = 0; m < launches->n_metrics; m++)
                if (columns->metrics[m] < n)
                    columns->scales[m] = scale_of(cells[columns->metrics[m]]);
        } else if (*seen && !add_launch(launches, cells, n, columns)) {
            return false;
        }
    }
    return true;
}

enum ert_status ert_ncu_csv_read(const char *text, const char *const *metrics,
                                 size_t n_metrics, struct ert_ncu_launches *launches,
                                 struct ert_error *error)
{
    *launches = (struct ert_ncu_launches){.n_metrics = n_metrics};
    struct columns columns = {.metrics = calloc(n_metrics + 1, sizeof *columns.metrics),
                              .scales = calloc(n_metrics + 1, sizeof *columns.scales)};
    char **cells = calloc(MAX_COLUMNS, sizeof *cells), *copy = strdup(text);
    bool seen = false;
    bool done = columns.metrics && columns.scales && cells && copy &&
                read_lines(copy, metrics, cells, &columns, launches, &seen);
    free(copy);
    free(cells);
    free(columns.metrics);
    free(columns.scales);
    if (done && seen)
        return ERT_OK;
    ert_ncu_csv_free(launches);
    if (done)
        return ert_fail(error, ERT_UNAVAILABLE, "ncu printed no table");
    return ert_fail(error, ERT_FAILED, "no memory for ncu's table of %zu bytes",
                    strlen(text));
}

void ert_ncu_csv_free(struct ert_ncu_launches *launches)
{
    if (!launches)
        return;
    free(launches->names);
    free(launches->values);
    *launches = (struct ert_ncu_launches){0};
}
