#include "ert/validate/ncu_csv.h"

#include "ert/base/lines.h"
#include "ert/base/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "void chains<fma_op, double>(ert_cuda_arguments)" is chains. */
static void copy_name(const char *cell, char name[96])
{
    size_t end = strcspn(cell, "<("), begin = end;
    while (begin > 0 && cell[begin - 1] != ' ' && cell[begin - 1] != ':')
        begin--;
    snprintf(name, 96, "%.*s", (int)(end - begin), cell + begin);
}

/* NaN for what is no number: ncu writes "nan" for a launch that failed. */
static double number(const struct ert_lines *lines, const char *cell)
{
    double value;
    enum ert_number kind;
    bool is_read = ert_lines_number(lines, "", cell, &value, &kind, NULL) == ERT_OK;
    return is_read && kind == ERT_NUMBER ? value : NAN;
}

/* Bytes may come with a prefix; all else is asked for in base units. */
static double scale_of(const char *unit)
{
    enum ert_measure measure;
    double factor;
    return ert_units_read(unit, &measure, &factor) && measure == ERT_IN_BYTES ? factor : 1;
}

/* Where the wanted columns stand, and what their numbers are multiplied by. */
struct columns {
    size_t name;
    size_t *metrics; /* SIZE_MAX: no such column */
    double *scales;
};

static void find_columns(const struct ert_lines *lines, const char *const *metrics,
                         size_t n_metrics, struct columns *columns)
{
    columns->name = ert_lines_column(lines, "Kernel Name");
    for (size_t m = 0; m < n_metrics; m++) {
        columns->metrics[m] = ert_lines_column(lines, metrics[m]);
        columns->scales[m] = 1;
    }
}

static enum ert_status add_launch(struct ert_ncu_launches *launches,
                                  const struct ert_lines *lines,
                                  const struct columns *columns, struct ert_error *error)
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
        return ert_fail(error, ERT_FAILED, "no memory for %zu launches of ncu's table",
                        size);
    copy_name(ert_lines_cell(lines, columns->name), launches->names[launches->n]);
    for (size_t m = 0; m < launches->n_metrics; m++)
        launches->values[launches->n * launches->n_metrics + m] =
            columns->scales[m] * number(lines, ert_lines_cell(lines, columns->metrics[m]));
    launches->n = size;
    return ERT_OK;
}

/* All lines of a table; *seen: its first line. */
static enum ert_status read_lines(struct ert_lines *lines, const char *const *metrics,
                                  struct columns *columns,
                                  struct ert_ncu_launches *launches, bool *seen,
                                  struct ert_error *error)
{
    for (char *line = ert_lines_next(lines); line; line = ert_lines_next(lines)) {
        if (*line != '"')
            continue;
        ERT_TRY(ert_lines_split(lines, ',', error));
        if (strcmp(lines->cells[0], "ID") == 0) {
            find_columns(lines, metrics, launches->n_metrics, columns);
            *seen = true;
        } else if (*seen && *lines->cells[0] == '\0') {
            for (size_t m = 0; m < launches->n_metrics; m++)
                columns->scales[m] = scale_of(ert_lines_cell(lines, columns->metrics[m]));
        } else if (*seen) {
            ERT_TRY(add_launch(launches, lines, columns, error));
        }
    }
    return ert_lines_end(lines, error);
}

enum ert_status ert_ncu_csv_read(const char *text, const char *const *metrics,
                                 size_t n_metrics, struct ert_ncu_launches *launches,
                                 struct ert_error *error)
{
    *launches = (struct ert_ncu_launches){.n_metrics = n_metrics};
    struct columns columns = {.metrics = calloc(n_metrics + 1, sizeof *columns.metrics),
                              .scales = calloc(n_metrics + 1, sizeof *columns.scales)};
    struct ert_lines lines = {0};
    bool seen = false;
    enum ert_status status = ert_lines_open_text("ncu", text, &lines, error);
    if (status == ERT_OK && !(columns.metrics && columns.scales))
        status = ert_fail(error, ERT_FAILED, "no memory for %zu metrics of ncu", n_metrics);
    if (status == ERT_OK)
        status = read_lines(&lines, metrics, &columns, launches, &seen, error);
    ert_lines_close(&lines);
    free(columns.metrics);
    free(columns.scales);
    if (status == ERT_OK && !seen)
        status = ert_fail(error, ERT_UNAVAILABLE, "ncu printed no table");
    if (status != ERT_OK)
        ert_ncu_csv_free(launches);
    return status;
}

void ert_ncu_csv_free(struct ert_ncu_launches *launches)
{
    if (!launches)
        return;
    free(launches->names);
    free(launches->values);
    *launches = (struct ert_ncu_launches){0};
}
