/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/record/regions.h"

#include "analysis/core/points/strings.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/lines.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS, THREADS, SECONDS, FLOPS, BYTES, BEGUN, ENDED, N_NUMBERS };
static const char *const names[N_NUMBERS] = {"calls", "threads", "seconds", "flops",
                                             "bytes", "begun",   "ended"};

/* A region of a process. */
struct row {
    size_t region; /* index of its name */
    double numbers[N_NUMBERS];
};

struct gathered {
    struct ert_strings regions;
    struct row *rows; /* malloc, owned */
    size_t n, capacity;
};

static enum ert_status record_regions_read_rows(struct ert_lines *lines,
                                                struct gathered *all,
                                                struct ert_error *error)
{
    size_t columns[N_NUMBERS];
    while (ert_lines_next(lines)) {
        ert_lines_split(lines, '\t');
        /* Older headers wrote no begin and end: then all processes count as concurrent. */
        struct row row = {.numbers = {[ENDED] = INFINITY}};
        for (size_t i = 0; i < N_NUMBERS; i++) {
            enum ert_number kind;
            if (lines->number == 1)
                columns[i] = ert_lines_column(lines, names[i]);
            else if (columns[i] != SIZE_MAX)
                ERT_TRY(ert_lines_number(lines, names[i], ert_lines_cell(lines, columns[i]),
                                         &row.numbers[i], &kind, error));
        }
        if (lines->number == 1)
            continue;
        row.region = ert_strings_index(&all->regions, ert_lines_cell(lines, 0));
        all->rows = ert_xgrow(all->rows, all->n, &all->capacity, sizeof *all->rows);
        all->rows[all->n++] = row;
    }
    return ert_lines_end(lines, error);
}

static int by_begin(const void *a, const void *b)
{
    const struct row *first = a, *second = b;
    const double x = first->numbers[BEGUN], y = second->numbers[BEGUN];
    return first->region != second->region ? (first->region > second->region) * 2 - 1
                                           : (x > y) - (x < y);
}

/* Sums the rows of one region, sorted by begin; returns how many there are. */
static size_t sum_rows(const struct row *rows, size_t n, struct row *sum)
{
    double side_by_side_s = 0, threads = 0, earlier_s = 0;
    size_t i = 0;
    *sum =
        (struct row){.region = rows->region, .numbers = {[BEGUN] = rows->numbers[BEGUN]}};
    for (; i < n && rows[i].region == rows->region; i++) {
        const double *numbers = rows[i].numbers;
        if (numbers[BEGUN] >= sum->numbers[ENDED]) {
            earlier_s += side_by_side_s;
            side_by_side_s = threads = 0;
        }
        side_by_side_s = fmax(side_by_side_s, numbers[SECONDS]);
        threads += numbers[THREADS];
        sum->numbers[THREADS] = fmax(sum->numbers[THREADS], threads);
        sum->numbers[ENDED] = fmax(sum->numbers[ENDED], numbers[ENDED]);
        sum->numbers[CALLS] += numbers[CALLS];
        sum->numbers[FLOPS] += numbers[FLOPS];
        sum->numbers[BYTES] += numbers[BYTES];
    }
    sum->numbers[SECONDS] = earlier_s + side_by_side_s;
    return i;
}

static enum ert_status write_sums(const struct gathered *all, const char *file,
                                  struct ert_error *error)
{
    FILE *out = fopen(file, "we");
    struct row sum;
    if (!out)
        return ert_fail(error, ERT_FAILED, "%s: cannot write: %s", file, strerror(errno));
    fputs("region\tcalls\tthreads\tseconds\tflops\tbytes\n", out);
    for (size_t i = 0; i < all->n;) {
        i += sum_rows(all->rows + i, all->n - i, &sum);
        fputs(all->regions.texts[sum.region], out);
        for (size_t c = 0; c < BEGUN; c++)
            fprintf(out, "\t%.17g", sum.numbers[c]);
        fputc('\n', out);
    }
    bool is_written = !ferror(out);
    return fclose(out) == 0 && is_written
               ? ERT_OK
               : ert_fail(error, ERT_FAILED, "%s: cannot write: %s", file, strerror(errno));
}

enum ert_status rfl_regions_gather(const char *folder, const char *file, size_t *n,
                                   struct ert_error *error)
{
    struct gathered all = {.n = 0};
    enum ert_status status = ERT_OK;
    glob_t found = {0};
    char *pattern = ert_xprintf("%s/*.tsv", folder);
    if (glob(pattern, 0, NULL, &found) != 0)
        found.gl_pathc = 0;
    for (size_t i = 0; i < found.gl_pathc && status == ERT_OK; i++) {
        struct ert_lines lines;
        status = ert_lines_open(found.gl_pathv[i], &lines, error);
        if (status == ERT_OK) {
            status = record_regions_read_rows(&lines, &all, error);
            ert_lines_close(&lines);
        }
    }
    *n = found.gl_pathc;
    globfree(&found);
    free(pattern);
    if (all.n)
        qsort(all.rows, all.n, sizeof *all.rows, by_begin);
    if (*n > 0 && status == ERT_OK)
        status = write_sums(&all, file, error);
    free(all.rows);
    ert_strings_free(&all.regions);
    return status;
}
