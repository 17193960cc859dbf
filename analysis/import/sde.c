/*
 * Intel SDE, `sde -mix`: the histogram of executed instructions, in blocks that end with "*total":
 * of the whole process (EMIT_GLOBAL_DYNAMIC_STATS), of each thread, and of functions (on each thread).
 * The layout: NERSC's parse-sde.sh, and Pin's opcodemix, which SDE's mix descends from.
 */
#include "analysis/import/import.h"
#include "analysis/import/sde_mix.h"

#include <string.h>

enum section { NONE, GLOBAL, THREAD, FUNCTION };

struct reader {
    enum section section;
    const char *function; /* kept by the points; "" none yet */
    struct rfl_sde_mix block, threads, global;
    bool has_global, has_threads;
    size_t n_functions;
};

static void put_missing(struct rfl_points *points, struct rfl_point *point)
{
    rfl_points_missing(
        points, point, "time",
        "SDE emulates the instructions, its time is not that of the program: "
        "time a run without SDE");
    rfl_points_missing(
        points, point, "DRAM bytes",
        "SDE sees what the core asks for, not what the caches pass on: count "
        "with likwid-perfctr, perf or VTune");
}

/* The point of a function that has one already: its threads are blocks of their own. */
static enum ert_status function_point(const char *name, size_t first,
                                      struct rfl_points *points, struct rfl_point **point,
                                      struct ert_error *error)
{
    for (size_t i = first; i < points->n; i++)
        if (strcmp(points->points[i].name, name) == 0) {
            *point = &points->points[i];
            return ERT_OK;
        }
    ERT_TRY(rfl_points_add(points, name, point, error));
    put_missing(points, *point);
    return ERT_OK;
}

static enum ert_status end_function(const struct reader *reader,
                                    const struct rfl_import_options *options, size_t first,
                                    struct rfl_points *points, struct ert_error *error)
{
    struct rfl_point *point;
    double before;
    if (!options->list && !options->region)
        return ERT_OK;
    if (options->region && !strstr(reader->function, options->region))
        return ERT_OK;
    ERT_TRY(function_point(reader->function, first, points, &point, error));
    before = point->instructions;
    ERT_TRY(rfl_sde_mix_put(&reader->block, points, point, error));
    point->instructions += before;
    return ERT_OK;
}

/* "*total" ends a block. */
static enum ert_status end_block(struct reader *reader,
                                 const struct rfl_import_options *options, size_t first,
                                 struct rfl_points *points, struct ert_error *error)
{
    enum ert_status status = ERT_OK;
    if (reader->section == GLOBAL) {
        reader->has_global = true;
        rfl_sde_mix_add(&reader->global, &reader->block);
    } else if (reader->section == THREAD) {
        reader->has_threads = true;
        rfl_sde_mix_add(&reader->threads, &reader->block);
    } else if (reader->section == FUNCTION) {
        reader->n_functions++;
        status = end_function(reader, options, first, points, error);
    }
    reader->section = NONE;
    reader->block = (struct rfl_sde_mix){0};
    return status;
}

/* "# $dynamic-counts-for-function: void f<1>(int)  IMG: /a.out at [0x1, 0x2)   1.3%" */
static void begin_function(struct reader *reader, struct rfl_points *points,
                           const char *name)
{
    const char *end = strstr(name, "  IMG:");
    if (!end)
        end = strstr(name, " at [");
    size_t length = end ? (size_t)(end - name) : strlen(name);
    reader->function = rfl_points_part(points, name, length);
    reader->section = FUNCTION;
}

static void read_comment(struct reader *reader, struct rfl_points *points, const char *line)
{
    static const char function[] = "# $dynamic-counts-for-function: ";
    if (strncmp(line, "# EMIT_GLOBAL_DYNAMIC_STATS", 27) == 0)
        reader->section = GLOBAL;
    else if (strncmp(line, "# EMIT_DYNAMIC_STATS FOR TID", 28) == 0)
        reader->section = THREAD;
    else if (strncmp(line, function, sizeof function - 1) == 0)
        begin_function(reader, points, line + sizeof function - 1);
    else if (strncmp(line, "# END_", 6) == 0 || strncmp(line, "# EMIT_", 7) == 0)
        reader->section = NONE;
    else
        return;
    reader->block = (struct rfl_sde_mix){0};
}

/* "NAME   COUNT": splits in place; false when the line is another. */
static bool name_and_count(char *line, char **count)
{
    size_t length = strcspn(line, " \t");
    *count = line + length + strspn(line + length, " \t");
    if (!length || !**count)
        return false;
    line[length] = '\0';
    (*count)[strcspn(*count, " \t")] = '\0';
    return (*count)[strspn(*count, "0123456789")] == '\0';
}

static enum ert_status whole_program(const struct reader *reader,
                                     const struct rfl_import_options *options,
                                     const char *file, struct rfl_points *points,
                                     struct ert_error *error)
{
    struct rfl_point *point;
    if (options->list || options->region) {
        if (reader->n_functions == 0)
            return ert_fail(error, ERT_USAGE,
                            "%.200s: no counts per function in it; without --list and "
                            "--region it is one point",
                            file);
        return ERT_OK;
    }
    if (!reader->has_global && !reader->has_threads)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: no block of dynamic counts that ends with *total: is the "
                        "file whole?",
                        file);
    ERT_TRY(rfl_points_add(points, "whole program", &point, error));
    put_missing(points, point);
    return rfl_sde_mix_put(reader->has_global ? &reader->global : &reader->threads, points,
                           point, error);
}

static enum ert_status sde_read(struct ert_lines *lines,
                                const struct rfl_import_options *options,
                                struct rfl_points *points, struct ert_error *error)
{
    struct reader reader = {.section = NONE, .function = ""};
    size_t first = points->n;
    char *line, *text;
    while ((line = ert_lines_next(lines)) != NULL) {
        double count;
        enum ert_number kind;
        if (*line == '#') {
            read_comment(&reader, points, line);
            continue;
        }
        if (reader.section == NONE || !name_and_count(line, &text))
            continue;
        ERT_TRY(ert_lines_number(lines, line, text, &count, &kind, error));
        rfl_sde_mix_row(&reader.block, line, count);
        if (strcmp(line, "*total") == 0)
            ERT_TRY(end_block(&reader, options, first, points, error));
    }
    points->origin = rfl_points_text(points, "Intel SDE, instruction mix");
    return whole_program(&reader, options, lines->file, points, error);
}

static bool recognizes(const char *head)
{
    return strstr(head, "# EMIT_GLOBAL_DYNAMIC_STATS") ||
           strstr(head, "# EMIT_DYNAMIC_STATS FOR TID") ||
           strstr(head, "# $dynamic-counts") || strstr(head, "# Mix output version");
}

const struct rfl_importer rfl_import_sde = {
    .name = "sde",
    .summary = "Intel SDE: the instruction mix (operations, bytes at L1)",
    .how = "sde64 -mix -iform 1 -omix FILE -- ./a.out",
    .recognizes = recognizes,
    .read = sde_read,
};
