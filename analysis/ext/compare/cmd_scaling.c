/* SPDX-License-Identifier: BSD-3-Clause */
/* roofline scaling: follows a kernel from few threads or nodes to many. */
#include "analysis/cli/commands.h"

#include "analysis/core/points/reader.h"
#include "analysis/core/points/table.h"
#include "analysis/ext/compare/scaling.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 1024 };

struct options {
    const char *output, *only;
    bool weak;
};

static const struct ert_opt rows[] = {
    ERT_OPT_SWITCH("weak", weak, "the work grows with the scale: a constant time is ideal"),
    ERT_OPT("only", TEXT, only, "TEXT", "only kernels with this in their name"),
    ERT_OPT_OF("output", output, "FORM", "output format (default text); csv has SI units",
               rfl_outputs),
};

/* "16:run16.csv": the scale of all points of the file, since most profiles do not record it. */
static enum ert_status take_scale(const char **word, double *scale, struct ert_error *error)
{
    char *end = NULL;
    *scale = 0;
    if (!isdigit((unsigned char)**word))
        return ERT_OK;
    double value = strtod(*word, &end);
    if (*end != ':')
        return ERT_OK; /* a file whose name begins with a digit */
    if (!(value > 0) || value > 1e12)
        return ert_fail(error, ERT_USAGE,
                        "scaling: '%.100s': the scale must be above 0, at most 1e12",
                        *word);
    *word = end + 1;
    *scale = value;
    return ERT_OK;
}

static enum ert_status read_files(const struct options *options, const char **words,
                                  size_t n_words, struct rfl_points *points,
                                  struct ert_error *error)
{
    const struct rfl_reading how = {.region = options->only};
    for (size_t i = 0; i < n_words; i++) {
        const char *file = words[i];
        size_t first = points->n;
        double scale;
        ERT_TRY(take_scale(&file, &scale, error));
        ERT_TRY(rfl_profile_read(file, &how, points, error));
        for (size_t k = first; k < points->n && scale > 0; k++)
            points->points[k].scale = scale;
    }
    return ERT_OK;
}

static void scaling_cmd_write_table(const struct rfl_scaling *scaling,
                                    enum ert_format format)
{
    struct rfl_table table = {.format = format};
    rfl_table_columns(&table, "kernel|>scale|>time|>speed-up|>efficiency|>FLOP/s");
    for (size_t l = 0; l < scaling->n_levels; l++) {
        rfl_table_column(&table, true, "%s AI", scaling->levels[l]);
        rfl_table_column(&table, true, "%s traffic", scaling->levels[l]);
    }
    for (size_t t = 0; t < scaling->n_trajectories; t++) {
        const struct rfl_trajectory *trajectory = &scaling->trajectories[t];
        for (size_t i = 0; i < trajectory->n; i++) {
            const struct rfl_scaled *scaled = &scaling->scaled[trajectory->first + i];
            bool is_named = i == 0 || format == ERT_TEXT_CSV;
            rfl_table_texts(&table, is_named ? trajectory->name : "", NULL);
            rfl_table_number(&table, "%.10g", scaled->scale);
            rfl_table_positive(&table, "s", scaled->time_s);
            rfl_table_positive(&table, "", scaled->speedup);
            rfl_table_positive(&table, "%.1f %%", scaled->efficiency);
            rfl_table_positive(&table, "flop/s", scaled->perf_flop_per_s);
            for (size_t l = 0; l < scaling->n_levels; l++) {
                rfl_table_positive(&table, "", scaled->intensity_flop_per_byte[l]);
                rfl_table_positive(&table, "", scaled->growth[l]);
            }
        }
    }
    rfl_table_write(&table, stdout);
}

static void write_texts(const struct rfl_scaling *scaling, enum ert_format format)
{
    bool is_markdown = format == ERT_TEXT_MARKDOWN;
    if (format == ERT_TEXT_CSV)
        return;
    printf("\ntraffic: bytes per operation relative to the smallest scale\n%s",
           is_markdown ? "\n" : "");
    for (size_t t = 0; t < scaling->n_trajectories; t++)
        ert_text_print(stdout, format, is_markdown ? "- %s: %s\n" : "%s: %s\n",
                       scaling->trajectories[t].name, scaling->trajectories[t].text);
    if (scaling->n_skipped)
        printf("note: %zu points have no scale\n", scaling->n_skipped);
}

static enum ert_status scaling_cmd_run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.output = "text"};
    const char *words[MAX_FILES];
    size_t n_words = 0;
    struct rfl_points points = {0};
    struct rfl_scaling scaling = {0};
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words, MAX_FILES,
                          &n_words, error));
    if (!n_words)
        return ert_fail(error, ERT_USAGE, "scaling: no profile given");
    enum ert_status status = read_files(&options, words, n_words, &points, error);
    if (status == ERT_OK)
        status = rfl_scaling_make(&points, options.weak, &scaling, error);
    if (status == ERT_OK) {
        scaling_cmd_write_table(&scaling, rfl_table_format(options.output));
        write_texts(&scaling, rfl_table_format(options.output));
    }
    rfl_scaling_free(&scaling);
    rfl_points_free(&points);
    return status;
}

const struct ert_command rfl_command_scaling = {
    .name = "scaling",
    .words = "[SCALE:]PROFILE...",
    .summary = "show how kernels scale over threads or nodes: speed-up, AI, traffic",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = scaling_cmd_run,
};
