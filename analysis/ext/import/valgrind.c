/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of our Valgrind tool (analysis/ext/record/valgrind): comments, a line of column names, and a row
 * per region and thread (or "others"). Rows of a region are summed; its calls are those of the thread with
 * the most.
 */
#define RFL_ROWS "analysis/ext/import/valgrind_rows.def"
#include "analysis/ext/import/rows.inc"

#include <string.h>

static const char first_line[] = "# roofline-valgrind 1\n", whole_run[] = "whole run";

struct reader {
    const struct rfl_import *in;
    struct rfl_kernels kernels;
    bool has_header, is_whole; /* is_whole: the file has its last line */
    const char *stopped;       /* the kind of instruction; owned by the points, NULL: not */
    const char *chooses;       /* the library that chooses by CPUID; as above */
    const char *window;        /* how many calls of each region stand for all; as above */
};

static void valgrind_read_comment(struct reader *reader, const char *line)
{
    static const char stopped[] = "# stopped: ", chooses[] = "# chooses: ",
                      window[] = "# window: ";
    struct rfl_points *points = reader->in->points;
    if (strncmp(line, stopped, sizeof stopped - 1) == 0)
        reader->stopped = rfl_points_text(points, line + sizeof stopped - 1);
    if (strncmp(line, chooses, sizeof chooses - 1) == 0)
        reader->chooses = rfl_points_text(points, line + sizeof chooses - 1);
    if (strncmp(line, window, sizeof window - 1) == 0)
        reader->window = rfl_points_text(points, line + sizeof window - 1);
    reader->is_whole |= strcmp(line, "# end") == 0;
    if (line[1] == ' ' && line[2] == 'L')
        points->origin =
            ert_strings_format(&points->strings, "%s; %s", points->origin, line + 2);
}

static enum ert_status valgrind_read_line(struct reader *reader, char *line,
                                          struct ert_error *error)
{
    struct ert_lines *lines = reader->in->lines;
    if (*line == '#') {
        valgrind_read_comment(reader, line);
        return ERT_OK;
    }
    ert_lines_split(lines, '\t');
    const char *name = ert_lines_cell(lines, 0), *thread = ert_lines_cell(lines, 1);
    if (reader->has_header ? !*name || !*thread : strcmp(thread, "thread") != 0)
        return ert_lines_fail(lines, error,
                              reader->has_header
                                  ? "contains no region and thread"
                                  : "no line of column names, which starts with region "
                                    "and thread");
    if (reader->has_header) {
        ERT_TRY(rfl_columns_read(&reader->kernels, error));
        return rfl_launch_add(&reader->kernels, name, "", false, error);
    }
    reader->has_header = true;
    rfl_columns_take(&reader->kernels);
    return ERT_OK;
}

static enum ert_status valgrind_read_lines(struct reader *reader, struct ert_error *error)
{
    struct ert_lines *lines = reader->in->lines;
    for (char *line; (line = ert_lines_next(lines));)
        ERT_TRY(valgrind_read_line(reader, line, error));
    if (!reader->is_whole)
        return ert_lines_fail(lines, error,
                              "no line '# end' follows: the file is truncated, as by a "
                              "full disk");
    /* No count of a part of a run may become a rate. */
    return reader->stopped
               ? ert_fail(error, ERT_UNAVAILABLE,
                          "%s: counts of a part of the run: the program came to %.20s "
                          "instructions, which Valgrind does not know: build it with "
                          "-march=x86-64-v3 or -mno-avx512f",
                          lines->file, reader->stopped)
               : ERT_OK;
}

/* Notes what is not among the bytes of a region; streaming stores, if most are. */
static void valgrind_note(struct rfl_point *point)
{
    const struct rfl_traffic *dram = rfl_point_traffic(point, "DRAM"),
                             *l1 = rfl_point_traffic(point, "L1");
    double left = rfl_point_value(point, "left_in_caches_bytes"),
           streamed = rfl_point_value(point, "streamed_bytes");
    rfl_points_missing(point, "time",
                       "Valgrind runs the code many times slower: time a run without it "
                       "(RFL_REGIONS=FILE where the code has regions)");
    if (streamed > 0 && l1)
        rfl_points_streaming(point, "DRAM", 2 * streamed > l1->bytes - l1->read_bytes);
    if (dram && left > 0.05 * dram->bytes)
        rfl_points_warn(point,
                        "%.4g written bytes were still in the simulated caches at the end "
                        "and are not among its DRAM bytes",
                        left);
}

/* If the file has regions, the whole run, which includes them, is imported only on request. */
static void valgrind_put_regions(struct reader *reader)
{
    struct rfl_points *points = reader->in->points;
    size_t n = reader->in->first;
    rfl_kernels_put(&reader->kernels);
    for (size_t i = n; i < points->n; i++) {
        valgrind_note(&points->points[i]);
        if (reader->window)
            rfl_points_warn(&points->points[i],
                            "counted in its first %s calls only, which stand for all",
                            reader->window);
        if (reader->chooses) {
            rfl_points_value(&points->points[i], "chosen_by_cpuid", 1);
            rfl_points_warn(&points->points[i],
                            "%s chooses its code by the CPU and was counted without "
                            "AVX-512: when timed it may use wider vectors",
                            reader->chooses);
        }
        if (reader->in->options->region || reader->kernels.n == 1 ||
            strcmp(points->points[i].name, whole_run) != 0)
            points->points[n++] = points->points[i];
    }
    points->n = n;
}

static enum ert_status valgrind_read(const struct rfl_import *in, struct ert_error *error)
{
    struct reader reader = {.in = in};
    in->points->origin = "Valgrind, simulated caches";
    rfl_kernels_begin(&reader.kernels, in, &tables);
    enum ert_status status = valgrind_read_lines(&reader, error);
    if (status == ERT_OK)
        valgrind_put_regions(&reader);
    else
        in->points->n = in->first;
    rfl_kernels_free(&reader.kernels);
    return status;
}

static bool valgrind_recognizes(const char *head)
{
    return strncmp(head, first_line, sizeof first_line - 1) == 0;
}

/* For a timer's file that was read first: replaces its point by the counts, with its times. */
static bool valgrind_join(struct rfl_point *earlier, const struct rfl_point *later)
{
    struct rfl_point counts = *later;
    if (!rfl_region_join(&counts, earlier))
        return false;
    *earlier = counts;
    return true;
}

const struct rfl_importer rfl_import_valgrind = {
    .name = "valgrind",
    .summary = "our Valgrind tool: operations, and bytes through simulated caches",
    .how = "valgrind --tool=roofline --out-file=FILE ./a.out",
    .device = RFL_PROFILED_CPU,
    .recognizes = valgrind_recognizes,
    .read = valgrind_read,
    .join = valgrind_join,
};
