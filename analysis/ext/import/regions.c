/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of rfl_region.h's timer (RFL_REGIONS=FILE): a row per region with its calls, threads, the seconds
 * of the slowest thread, and the work that the author stated (rfl_region_work), which counts as fp64 and as
 * bytes that the code requests from memory. When a region began and ended matters only with other processes
 * (analysis/ext/record/regions.h). Regions counted by another tool get their times by join.
 */
#include "analysis/ext/import/common.h"

#include <math.h>
#include <string.h>

static const char *const columns[] = {"region",  "calls", "threads",
                                      "seconds", "flops", "bytes"};
enum { REGION, CALLS, THREADS, SECONDS, FLOPS, BYTES, N_COLUMNS };

static enum ert_status import_regions_read_row(const struct rfl_import *in,
                                               struct ert_error *error)
{
    double values[N_COLUMNS] = {0};
    enum ert_number kind;
    const char *name = ert_lines_cell(in->lines, REGION);
    if (in->lines->n_cells < N_COLUMNS || !*name)
        return ert_lines_fail(in->lines, error,
                              "%zu cells, must be a name and %d numbers or more",
                              in->lines->n_cells, N_COLUMNS - 1);
    for (size_t i = CALLS; i < N_COLUMNS; i++)
        ERT_TRY(ert_lines_number(in->lines, columns[i], ert_lines_cell(in->lines, i),
                                 &values[i], &kind, error));
    if (in->options->region && !strstr(name, in->options->region))
        return ERT_OK;
    struct rfl_point *point = rfl_points_add(in->points, name);
    point->launches = values[CALLS];
    point->threads = values[THREADS];
    point->time_s = values[SECONDS];
    point->time_recipe = "longest thread (rfl_region.h)";
    rfl_points_work(point, "fp64", "", values[FLOPS], NAN,
                    "the author's count (rfl_region_work)");
    if (values[BYTES] > 0)
        rfl_points_traffic(point, "DRAM", values[BYTES],
                           "the author's count (rfl_region_work)");
    return ERT_OK;
}

static enum ert_status regions_read(const struct rfl_import *in, struct ert_error *error)
{
    while (ert_lines_next(in->lines)) {
        ert_lines_split(in->lines, '\t');
        if (in->lines->number > 1)
            ERT_TRY(import_regions_read_row(in, error));
    }
    return ERT_OK;
}

static bool import_regions_recognizes(const char *head)
{
    return strncmp(head, "region\tcalls\tthreads\tseconds\tflops\tbytes", 40) == 0;
}

const struct rfl_importer rfl_import_regions = {
    .name = "regions",
    .summary = "rfl_region.h: times of a program's regions, work by its author",
    .how = "RFL_REGIONS=FILE ./a.out",
    .device = RFL_PROFILED_ANY,
    .recognizes = import_regions_recognizes,
    .read = regions_read,
    .join = rfl_region_join,
};
