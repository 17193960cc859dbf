/*
 * The data file of nersc-roofline's plotting scripts (github.com/cyanguwa/nersc-roofline, Plotting/):
 * a keyword and values per line. Points are rates: FLOPS in GFLOP/s, and AI (one level) or AI_L1,
 * AI_L2, AI_HBM in flop/byte, as many as FLOPS. They become counts of one second: time 1 s, flops =
 * rate, bytes = flops / AI. Roofs (memroofs GB/s, comproofs GFLOP/s) are no points and are left out.
 * A flat AI is of the level that mem_roof_names names, if it is one.
 */
#include "analysis/import/import.h"

#include "ert/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = 1000, MAX_LEVELS = 6 };

static const char *const level_names[MAX_LEVELS] = {"L1",  "L2",   "L3",
                                                    "HBM", "DRAM", "MCDRAM"};

/* Numbers of a line. */
struct values {
    size_t n;
    double *value; /* MAX_POINTS of them; NULL: there was no such line */
};

struct file {
    const struct rfl_import *in;
    struct values flops, flat, levels[MAX_LEVELS];
    const char **labels; /* MAX_POINTS of them */
    size_t n_labels;
    const char *roofs[2]; /* mem_roof_names: whether there is one, and which */
    size_t n_roofs;
};

static enum ert_status read_values(const struct ert_lines *lines, const char *keyword,
                                   char *text, struct values *values,
                                   struct ert_error *error)
{
    if (values->value)
        return ert_lines_fail(lines, error, "%.40s stands twice", keyword);
    values->value = ert_xcalloc(MAX_POINTS, sizeof *values->value);
    for (const char *word; *(word = ert_lines_word(&text)) && *word != '#';) {
        enum ert_number kind;
        double value;
        if (values->n == MAX_POINTS)
            return ert_lines_fail(lines, error, "more than %d points", MAX_POINTS);
        ERT_TRY(ert_lines_number(lines, keyword, word, &value, &kind, error));
        if (kind != ERT_NUMBER || !(value > 0))
            return ert_lines_fail(lines, error, "%.40s: '%.40s', must be above 0", keyword,
                                  word);
        values->value[values->n++] = value;
    }
    return ERT_OK;
}

/* Texts in single quotes, with or without blanks between them: 'nw=1''nw=2'. */
static enum ert_status read_quoted(const struct rfl_import *in, const char *text,
                                   const char **names, size_t room, size_t *n,
                                   struct ert_error *error)
{
    *n = 0;
    for (const char *open = strchr(text, '\''); open && *n < room;) {
        const char *close = strchr(open + 1, '\'');
        if (!close)
            return ert_lines_fail(in->lines, error, "%.40s: a text in quotes has no end",
                                  open);
        names[(*n)++] = rfl_points_part(in->points, open + 1, (size_t)(close - open - 1));
        open = strchr(close + 1, '\'');
    }
    return ERT_OK;
}

static enum ert_status read_line(struct file *file, char *text, struct ert_error *error)
{
    static const char *const roofs[] = {"memroofs", "comproofs", "comp_roof_names"};
    const struct ert_lines *lines = file->in->lines;
    const char *line = ert_lines_word(&text);
    if (!*line || *line == '#')
        return ERT_OK;
    for (size_t i = 0; i < ERT_LENGTH(roofs); i++)
        if (strcmp(line, roofs[i]) == 0)
            return ERT_OK;
    if (strcmp(line, "mem_roof_names") == 0)
        return read_quoted(file->in, text, file->roofs, 2, &file->n_roofs, error);
    if (strcmp(line, "labels") == 0) {
        if (file->labels)
            return ert_lines_fail(lines, error, "labels stands twice");
        file->labels = ert_xcalloc(MAX_POINTS, sizeof *file->labels);
        return read_quoted(file->in, text, file->labels, MAX_POINTS, &file->n_labels,
                           error);
    }
    if (strcmp(line, "FLOPS") == 0)
        return read_values(lines, line, text, &file->flops, error);
    if (strcmp(line, "AI") == 0)
        return read_values(lines, line, text, &file->flat, error);
    for (size_t i = 0; i < MAX_LEVELS; i++)
        if (strncmp(line, "AI_", 3) == 0 && strcmp(line + 3, level_names[i]) == 0)
            return read_values(lines, line, text, &file->levels[i], error);
    return ert_lines_fail(lines, error,
                          "keyword '%.40s' is not known; there are: memroofs, "
                          "mem_roof_names, comproofs, comp_roof_names, AI, AI_L1, AI_L2, "
                          "AI_L3, AI_HBM, AI_DRAM, AI_MCDRAM, FLOPS, labels",
                          line);
}

/* A flat AI becomes that of its one level; all lists are as long as FLOPS. */
static enum ert_status settle(struct file *file, struct ert_error *error)
{
    for (size_t i = 0; file->flat.value && i < MAX_LEVELS; i++)
        if (file->n_roofs == 1 && strcmp(file->roofs[0], level_names[i]) == 0 &&
            !file->levels[i].value) {
            file->levels[i] = file->flat;
            file->flat = (struct values){0};
        }
    if (file->flat.value)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: AI names no level, and mem_roof_names is not one of L1, "
                        "L2, L3, HBM, DRAM, MCDRAM: write AI_HBM or the like",
                        file->in->lines->file);
    for (size_t i = 0; i < MAX_LEVELS; i++)
        if (file->levels[i].value && file->levels[i].n != file->flops.n)
            return ert_fail(
                error, ERT_USAGE, "%.200s: AI_%s has %zu values, must have %zu as FLOPS",
                file->in->lines->file, level_names[i], file->levels[i].n, file->flops.n);
    return ERT_OK;
}

static void put(const struct file *file, size_t i)
{
    struct rfl_points *points = file->in->points;
    struct rfl_point *point = rfl_points_add(
        points, i < file->n_labels ? file->labels[i]
                                   : rfl_points_format(points, "point %zu", i + 1));
    double flops = 1e9 * file->flops.value[i];
    point->time_s = 1;
    point->time_recipe = "the file has rates: counts are those of one second";
    rfl_points_work(point, "fp64", "", flops, NAN,
                    "FLOPS (GFLOP/s) x 1 s (nersc-roofline)");
    for (size_t j = 0; j < MAX_LEVELS; j++)
        if (file->levels[j].value)
            rfl_points_traffic(point, level_names[j], flops / file->levels[j].value[i],
                               rfl_points_format(points,
                                                 "FLOPS x 1 s / AI_%s (nersc-roofline)",
                                                 level_names[j]));
    rfl_points_warn(point, "the file does not say the type of the operations: fp64 is "
                           "assumed, as in nersc-roofline's examples");
}

static enum ert_status put_all(struct file *file, struct ert_error *error)
{
    const char *region = file->in->options->region;
    ERT_TRY(settle(file, error));
    for (size_t i = 0; i < file->flops.n; i++)
        if (!region || (i < file->n_labels && strstr(file->labels[i], region)))
            put(file, i);
    file->in->points->origin =
        "nersc-roofline plotting data (rates; its roofs are left out)";
    return ERT_OK;
}

static enum ert_status nersc_read(const struct rfl_import *in, struct ert_error *error)
{
    struct file file = {.in = in};
    enum ert_status status = ERT_OK;
    for (char *line; status == ERT_OK && (line = ert_lines_next(in->lines));)
        status = read_line(&file, line, error);
    if (status == ERT_OK)
        status = put_all(&file, error);
    free(file.flops.value);
    free(file.flat.value);
    for (size_t i = 0; i < MAX_LEVELS; i++)
        free(file.levels[i].value);
    free(file.labels);

    return status;
}

/* A line that begins with the keyword of roofs. */
static bool recognizes(const char *head)
{
    static const char *const keywords[] = {"memroofs ", "comproofs ", "memroofs\t",
                                           "comproofs\t"};
    for (size_t i = 0; i < ERT_LENGTH(keywords); i++) {
        const char *at = strstr(head, keywords[i]);
        while (at && at > head && at[-1] != '\n')
            at = strstr(at + 1, keywords[i]);
        if (at)
            return true;
    }
    return false;
}

const struct rfl_importer rfl_import_nersc = {
    .name = "nersc",
    .summary = "nersc-roofline: the data file of its plotting scripts (points; roofs are "
               "not read)",
    .how = "written by hand: FLOPS 2085.8 / AI_L1 0.87 / AI_L2 2.25 / AI_HBM 2.58 / labels "
           "'a'",
    .recognizes = recognizes,
    .read = nersc_read,
};
