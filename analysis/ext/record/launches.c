/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launches: kernels, copies and fills of a program's GPUs by class, with the times that the library of
 * analysis/ext/record/cupti measured without a profiler. It places and profiles nothing.
 */
#include "analysis/ext/record/record.h"

#include "ert/core/base/alloc.h"
#include "ert/ext/base/lines.h"

#include <glob.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum column {
    KIND,
    DEVICE,
    NAME,
    MANGLED,
    GRID,
    BLOCK,
    REGISTERS, /* this and all others are numbers */
    LAUNCHES,
    SUM_NS,
    SUM_NS2,
    BYTES,
    N_COLUMNS
};

static const char *const names[N_COLUMNS] = {"kind",   "device",  "name",      "mangled",
                                             "grid",   "block",   "registers", "launches",
                                             "sum_ns", "sum_ns2", "bytes"};

struct reader {
    struct rfl_launches *launches;
    struct ert_strings devices, keys;
    struct ert_lines lines;
    size_t columns[N_COLUMNS];
};

static const char *launches_cell(const struct reader *reader, enum column column)
{
    return ert_lines_cell(&reader->lines, reader->columns[column]);
}

static enum ert_status launches_number(const struct reader *reader, enum column column,
                                       double *value, struct ert_error *error)
{
    enum ert_number kind;
    ERT_TRY(ert_lines_number(&reader->lines, names[column], launches_cell(reader, column),
                             value, &kind, error));
    return kind == ERT_NUMBER
               ? ERT_OK
               : ert_lines_fail(&reader->lines, error, "%s: no number", names[column]);
}

/* keys and classes have the same order. */
static struct rfl_launch_class *launches_find_class(struct reader *reader)
{
    struct rfl_launches *launches = reader->launches;
    struct ert_strings *strings = &launches->strings;
    size_t i = ert_strings_index(
        &reader->keys,
        ert_strings_format(&reader->keys, "%s\x1f%s\x1f%s\x1f%s",
                           launches_cell(reader, MANGLED), launches_cell(reader, DEVICE),
                           launches_cell(reader, GRID), launches_cell(reader, BLOCK)));
    if (i < launches->n)
        return &launches->classes[i];
    launches->classes = ert_xgrow(launches->classes, launches->n, &launches->capacity,
                                  sizeof *launches->classes);
    launches->classes[launches->n] = (struct rfl_launch_class){
        .name = ert_strings_keep(strings, launches_cell(reader, NAME)),
        .mangled = ert_strings_keep(strings, launches_cell(reader, MANGLED)),
        .device = ert_strings_keep(strings, launches_cell(reader, DEVICE)),
        .grid = ert_strings_keep(strings, launches_cell(reader, GRID)),
        .block = ert_strings_keep(strings, launches_cell(reader, BLOCK)),
        .is_kernel = strcmp(launches_cell(reader, KIND), "kernel") == 0};
    return &launches->classes[launches->n++];
}

static enum ert_status launches_read_row(struct reader *reader, struct ert_error *error)
{
    double values[N_COLUMNS];
    for (enum column column = REGISTERS; column < N_COLUMNS; column++)
        ERT_TRY(launches_number(reader, column, &values[column], error));
    if (strcmp(launches_cell(reader, KIND), "dropped") == 0) {
        reader->launches->n_dropped += values[LAUNCHES];
        return ERT_OK;
    }
    struct rfl_launch_class *class = launches_find_class(reader);
    ert_strings_keep(&reader->devices, launches_cell(reader, DEVICE));
    class->launches += values[LAUNCHES];
    class->time_s += 1e-9 * values[SUM_NS];
    class->time_s2 += 1e-18 * values[SUM_NS2];
    class->bytes += values[BYTES];
    class->registers = values[REGISTERS];
    reader->launches->time_s += 1e-9 * values[SUM_NS];
    return ERT_OK;
}

static enum ert_status launches_read_file(struct reader *reader, const char *file,
                                          struct ert_error *error)
{
    enum ert_status status = ERT_OK;
    ERT_TRY(ert_lines_open(file, &reader->lines, error));
    bool is_head = true;
    while (status == ERT_OK && ert_lines_next(&reader->lines)) {
        ert_lines_split(&reader->lines, '\t');
        for (size_t i = 0; i < N_COLUMNS && is_head && status == ERT_OK; i++) {
            reader->columns[i] = ert_lines_column(&reader->lines, names[i]);
            if (reader->columns[i] == SIZE_MAX)
                status = ert_lines_fail(&reader->lines, error, "no column '%s'", names[i]);
        }
        if (!is_head)
            status = launches_read_row(reader, error);
        is_head = false;
    }
    if (status == ERT_OK)
        status = ert_lines_end(&reader->lines, error);
    ert_lines_close(&reader->lines);
    reader->launches->n_files++;
    return status;
}

static int launches_by_time(const void *a, const void *b)
{
    const struct rfl_launch_class *first = a, *second = b;
    return (first->time_s < second->time_s) - (first->time_s > second->time_s);
}

/* Finds BASE.PID-START, but not BASE.PID-START.new, which is incomplete. */
static glob_t find_files(const char *base)
{
    glob_t found = {0};
    char *pattern = ert_xprintf("%s.*[0-9]", base);
    if (glob(pattern, 0, NULL, &found) != 0)
        found.gl_pathc = 0;
    free(pattern);
    return found;
}

enum ert_status rfl_launches_read(const char *base, struct rfl_launches *launches,
                                  struct ert_error *error)
{
    struct reader reader = {.launches = launches};
    enum ert_status status = ERT_OK;
    glob_t found = find_files(base);
    for (size_t i = 0; i < found.gl_pathc && status == ERT_OK; i++)
        status = launches_read_file(&reader, found.gl_pathv[i], error);
    globfree(&found);
    launches->n_devices = reader.devices.n_texts;
    if (launches->n)
        qsort(launches->classes, launches->n, sizeof *launches->classes, launches_by_time);
    ert_strings_free(&reader.devices);
    ert_strings_free(&reader.keys);
    return status;
}

void rfl_launches_remove(const char *base)
{
    glob_t found = find_files(base);
    for (size_t i = 0; i < found.gl_pathc; i++)
        unlink(found.gl_pathv[i]);
    globfree(&found);
}

double rfl_launches_spread(const struct rfl_launch_class *class)
{
    double mean_s = class->time_s / class->launches,
           variance_s2 = class->time_s2 / class->launches - mean_s * mean_s;
    return variance_s2 > 0 ? sqrt(variance_s2) / mean_s : 0;
}

void rfl_launches_free(struct rfl_launches *launches)
{
    free(launches->classes);
    ert_strings_free(&launches->strings);
    *launches = (struct rfl_launches){0};
}
