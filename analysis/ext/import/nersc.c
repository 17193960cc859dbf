/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data file of nersc-roofline's plotting scripts (github.com/cyanguwa/nersc-roofline, Plotting/): a
 * keyword and values per line. Points are rates: FLOPS in GFLOP/s, and AI (one level) or AI_L1, AI_L2, AI_HBM
 * in flop/byte, as many as FLOPS. They become counts of one second: time 1 s, flops = rate, bytes = flops /
 * AI. Roofs (memroofs GB/s, comproofs GFLOP/s) are not points and are left out. A flat AI belongs to the
 * level in mem_roof_names, if that has only one.
 */
#include "analysis/ext/import/import.h"

#include "ert/core/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The keywords of numbers: AI of each level, AI of the only level, and the rates. */
enum { N_LEVELS = 6, FLAT = N_LEVELS, FLOPS, N_KEYWORDS };
static const char *const keywords[N_KEYWORDS] = {"AI_L1",   "AI_L2",     "AI_L3", "AI_HBM",
                                                 "AI_DRAM", "AI_MCDRAM", "AI",    "FLOPS"};

static const char *import_nersc_level_of(size_t keyword)
{
    return keywords[keyword] + strlen("AI_");
}

/* The numbers of a line; values NULL: there was no such line. */
struct values {
    size_t n, capacity;
    double *values;
};

/* Texts in quotes; names NULL: there was no such line. */
struct texts {
    size_t n, capacity;
    const char **names; /* owned by the points */
};

struct file {
    const struct rfl_import *in;
    struct values lists[N_KEYWORDS];
    struct texts labels, roofs;
};

static enum ert_status import_nersc_read_values(const struct ert_lines *lines,
                                                const char *keyword, char *text,
                                                struct values *list,
                                                struct ert_error *error)
{
    if (list->values)
        return ert_lines_fail(lines, error, "%.40s appears twice", keyword);
    list->values = ert_xgrow(NULL, 0, &list->capacity, sizeof *list->values);
    for (const char *word; *(word = ert_lines_word(&text)) && *word != '#';) {
        enum ert_number kind;
        double value;
        ERT_TRY(ert_lines_number(lines, keyword, word, &value, &kind, error));
        if (kind != ERT_NUMBER || !(value > 0))
            return ert_lines_fail(lines, error, "%.40s: '%.40s', must be above 0", keyword,
                                  word);
        list->values =
            ert_xgrow(list->values, list->n, &list->capacity, sizeof *list->values);
        list->values[list->n++] = value;
    }
    return ERT_OK;
}

/* Reads texts in single quotes, with or without blanks in between: 'nw=1''nw=2'. */
static enum ert_status read_quoted(const struct rfl_import *in, const char *keyword,
                                   const char *text, struct texts *texts,
                                   struct ert_error *error)
{
    if (texts->names)
        return ert_lines_fail(in->lines, error, "%s appears twice", keyword);
    texts->names = ert_xgrow(NULL, 0, &texts->capacity, sizeof *texts->names);
    for (const char *open = strchr(text, '\''); open;) {
        const char *close = strchr(open + 1, '\'');
        if (!close)
            return ert_lines_fail(in->lines, error, "%.40s: unterminated string", open);
        texts->names =
            ert_xgrow(texts->names, texts->n, &texts->capacity, sizeof *texts->names);
        texts->names[texts->n++] = ert_strings_format(&in->points->strings, "%.*s",
                                                      (int)(close - open - 1), open + 1);
        open = strchr(close + 1, '\'');
    }
    return ERT_OK;
}

static enum ert_status import_nersc_read_line(struct file *file, char *text,
                                              struct ert_error *error)
{
    static const char *const left_out[] = {"", "memroofs", "comproofs", "comp_roof_names"};
    const struct ert_lines *lines = file->in->lines;
    const char *word = ert_lines_word(&text);
    for (size_t i = 0; i < ERT_LENGTH(left_out); i++)
        if (strcmp(word, left_out[i]) == 0 || *word == '#')
            return ERT_OK;
    if (strcmp(word, "mem_roof_names") == 0)
        return read_quoted(file->in, word, text, &file->roofs, error);
    if (strcmp(word, "labels") == 0)
        return read_quoted(file->in, word, text, &file->labels, error);
    for (size_t i = 0; i < N_KEYWORDS; i++)
        if (strcmp(word, keywords[i]) == 0)
            return import_nersc_read_values(lines, word, text, &file->lists[i], error);
    return ert_lines_fail(lines, error,
                          "keyword '%.40s' is not known; there are: memroofs, "
                          "mem_roof_names, comproofs, comp_roof_names, AI, AI_L1, AI_L2, "
                          "AI_L3, AI_HBM, AI_DRAM, AI_MCDRAM, FLOPS, labels",
                          word);
}

/* Turns a flat AI into that of its only level; checks that all lists are as long as FLOPS. */
static enum ert_status import_nersc_settle(struct file *file, struct ert_error *error)
{
    struct values *flat = &file->lists[FLAT];
    for (size_t i = 0; i < N_LEVELS && flat->values && file->roofs.n == 1; i++)
        if (strcmp(file->roofs.names[0], import_nersc_level_of(i)) == 0 &&
            !file->lists[i].values) {
            file->lists[i] = *flat;
            *flat = (struct values){0};
        }
    if (flat->values)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: AI names no level, and mem_roof_names is not one of L1, "
                        "L2, L3, HBM, DRAM, MCDRAM: write e.g. AI_HBM",
                        file->in->lines->file);
    for (size_t i = 0; i < N_LEVELS; i++)
        if (file->lists[i].values && file->lists[i].n != file->lists[FLOPS].n)
            return ert_fail(
                error, ERT_USAGE, "%.200s: %s has %zu values, must have %zu as FLOPS",
                file->in->lines->file, keywords[i], file->lists[i].n, file->lists[FLOPS].n);
    return ERT_OK;
}

static void import_nersc_put(const struct file *file, size_t i)
{
    struct rfl_points *points = file->in->points;
    struct rfl_point *point =
        rfl_points_add(points, i < file->labels.n ? file->labels.names[i]
                                                  : ert_strings_format(&points->strings,
                                                                       "point %zu", i + 1));
    double flops = 1e9 * file->lists[FLOPS].values[i];
    point->time_s = 1;
    point->time_recipe = "the file has rates: counts are per second";
    rfl_points_work(point, "fp64", "", flops, NAN,
                    "FLOPS (GFLOP/s) x 1 s (nersc-roofline)");
    for (size_t j = 0; j < N_LEVELS; j++)
        if (file->lists[j].values)
            rfl_points_traffic(
                point, import_nersc_level_of(j), flops / file->lists[j].values[i],
                ert_strings_format(&points->strings, "FLOPS x 1 s / %s (nersc-roofline)",
                                   keywords[j]));
    rfl_points_warn(point, "the file does not say the type of the operations: fp64 is "
                           "assumed, as in nersc-roofline's examples");
}

static enum ert_status nersc_read(const struct rfl_import *in, struct ert_error *error)
{
    struct file file = {.in = in};
    const char *region = in->options->region;
    enum ert_status status = ERT_OK;
    for (char *line; status == ERT_OK && (line = ert_lines_next(in->lines));)
        status = import_nersc_read_line(&file, line, error);
    if (status == ERT_OK)
        status = import_nersc_settle(&file, error);
    for (size_t i = 0; i < file.lists[FLOPS].n && status == ERT_OK; i++)
        if (!region || (i < file.labels.n && strstr(file.labels.names[i], region)))
            import_nersc_put(&file, i);
    in->points->origin = "nersc-roofline plotting data (rates; its roofs are left out)";
    for (size_t i = 0; i < N_KEYWORDS; i++)
        free(file.lists[i].values);
    free(file.labels.names);
    free(file.roofs.names);
    return status;
}

/* Whether a line begins with a keyword of roofs. */
static bool import_nersc_recognizes(const char *head)
{
    static const char *const roofs[] = {"memroofs ", "comproofs ", "memroofs\t",
                                        "comproofs\t"};
    for (size_t i = 0; i < ERT_LENGTH(roofs); i++) {
        const char *at = strstr(head, roofs[i]);
        while (at && at > head && at[-1] != '\n')
            at = strstr(at + 1, roofs[i]);
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
    .recognizes = import_nersc_recognizes,
    .read = nersc_read,
};
