/* SPDX-License-Identifier: BSD-3-Clause */
/* roofline portability: summarizes one code on several platforms as one number. */
#include "analysis/cli/commands.h"

#include "analysis/core/place/place.h"
#include "analysis/core/points/reader.h"
#include "analysis/core/points/table.h"
#include "analysis/ext/compare/portability.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"
#include "ert/ext/base/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *device; /* for ceilings with several */
    const char *output;
    bool fastest; /* keep only the fastest point of each run, named as the run */
};

static const struct ert_opt rows[] = {
    ERT_OPT_SWITCH("fastest", fastest,
                   "versions of one code: represent each run by its fastest version, "
                   "whatever its name"),
    ERT_OPT("device", TEXT, device, "ID",
            "device of ceilings with several, e.g. gpu0 (default: as `roofline place`)"),
    ERT_OPT_OF("output", output, "FORM", "output format (default text); csv has fractions",
               rfl_outputs),
};

/* ---- platforms ---- */

/* A platform as the user gives it, its name "" if not given, and its points. */
struct source {
    const char *name, *ceilings, *profile;
    struct rfl_points points;
};

struct work {
    struct ert_strings *strings; /* the result's, which own the names */
    size_t n;
    struct source sources[RFL_MAX_PLATFORMS];
    struct rfl_platform platforms[RFL_MAX_PLATFORMS];
};

/* "[NAME=]CEILINGS:PROFILE" */
static enum ert_status parse_word(const char *word, struct work *work,
                                  struct ert_error *error)
{
    const char *colon = strchr(word, ':');
    size_t name = strcspn(word, "=/:"), file = name > 0 && word[name] == '=' ? name + 1 : 0;
    if (!colon || !colon[1] || colon == word + file)
        return ert_fail(error, ERT_USAGE,
                        "portability: '%.200s', must be [NAME=]CEILINGS:PROFILE", word);
    work->sources[work->n++] = (struct source){
        .name = ert_strings_format(work->strings, "%.*s", file ? (int)name : 0, word),
        .ceilings = ert_strings_format(work->strings, "%.*s",
                                       (int)(colon - word - (ptrdiff_t)file), word + file),
        .profile = colon + 1};
    return ERT_OK;
}

/* Writes the fraction of the binding roof of each point; NaN: not known. */
static enum ert_status place_on(const struct ert_ceilings *ceilings, const char *device,
                                struct source *source, double *efficiencies,
                                struct work *work, struct ert_error *error)
{
    const struct rfl_placer_options how = {
        .device = device, .force = true, .concurrency = RFL_OF_SWEEP};
    struct rfl_placer placer;
    ERT_TRY(rfl_placer_open(ceilings, &source->points, &how, &placer, error));
    if (!*source->name)
        source->name = ert_strings_keep(
            work->strings, *placer.roofs->name ? placer.roofs->name : placer.roofs->device);
    for (size_t i = 0; i < source->points.n; i++) {
        struct rfl_placement placement;
        rfl_placer_place(&placer, &source->points.points[i], &placement);
        efficiencies[i] = placement.fraction > 0 ? placement.fraction : NAN;
    }
    rfl_placer_close(&placer);
    return ERT_OK;
}

static enum ert_status architectural(const struct options *options, struct source *source,
                                     double *efficiencies, struct work *work,
                                     struct ert_error *error)
{
    struct ert_ceilings ceilings = {0};
    ERT_TRY(rfl_ceilings_read(source->ceilings, &ceilings, error));
    enum ert_status status =
        place_on(&ceilings, options->device, source, efficiencies, work, error);
    ert_ceilings_free(&ceilings);
    return status;
}

/* Keeps only the fastest point of each run, and names it as the run. */
static void keep_fastest(struct rfl_points *set, double *efficiencies)
{
    struct ert_strings runs = {0}; /* in the order of the kept points */
    struct rfl_point *points = set->points;
    size_t kept = 0;
    for (size_t i = 0; i < set->n; i++) {
        if (!(points[i].time_s > 0))
            continue;
        size_t k = ert_strings_index(&runs, points[i].run);
        if (k < kept && points[k].time_s <= points[i].time_s)
            continue;
        kept += k == kept;
        points[k] = points[i];
        points[k].name = *points[i].run ? points[i].run : "all";
        efficiencies[k] = efficiencies[i];
    }
    set->n = kept;
    ert_strings_free(&runs);
}

static enum ert_status read_platforms(const struct options *options, struct work *work,
                                      struct ert_error *error)
{
    static const struct rfl_reading plain = {0};
    for (size_t i = 0; i < work->n; i++) {
        struct source *source = &work->sources[i];
        ERT_TRY(rfl_profile_read(source->profile, &plain, &source->points, error));
        double *efficiencies = ert_xcalloc(source->points.n, sizeof *efficiencies);
        work->platforms[i].efficiencies = efficiencies;
        ERT_TRY(architectural(options, source, efficiencies, work, error));
        if (options->fastest)
            keep_fastest(&source->points, efficiencies);
        work->platforms[i].name = source->name;
        work->platforms[i].points = &source->points;
    }
    return ERT_OK;
}

/* Joins the points' efficiencies of the platforms that the words name. */
static enum ert_status join_platforms(const struct options *options, const char **words,
                                      size_t n_words, struct rfl_efficiencies *all,
                                      struct ert_error *error)
{
    struct work *work = ert_xcalloc(1, sizeof *work);
    enum ert_status status = ERT_OK;
    work->strings = &all->strings;
    for (size_t i = 0; i < n_words && status == ERT_OK; i++)
        status = parse_word(words[i], work, error);
    if (status == ERT_OK)
        status = read_platforms(options, work, error);
    if (status == ERT_OK)
        status = rfl_efficiencies_join(work->platforms, work->n, all, error);
    for (size_t i = 0; i < work->n; i++) {
        free(work->platforms[i].efficiencies);
        rfl_points_free(&work->sources[i].points);
    }
    free(work);
    return status;
}

/* ---- output ---- */

/* The names of a case's numbers. */
static const char *const numbers[] = {"portability",           "min",      "max", "std dev",
                                      "mean (for comparison)", "published"};
enum { PUBLISHED = 5, N_NUMBERS };

struct row {
    double numbers[N_NUMBERS];
    char note[400];
};

static double in_points(double share)
{
    return round(1e4 * share) / 100;
}

/* A published metric is wrong if it differs by more than its rounding, 0.01 percentage points. */
static struct row portability_cmd_row_of(const struct rfl_efficiencies *all, size_t i)
{
    const struct rfl_portable_case *at = &all->cases[i];
    struct rfl_portability result;
    rfl_portability(at->efficiencies, all->platforms, all->n_platforms, &result);
    struct row row = {
        {result.metric, result.min, result.max, result.deviation, result.mean,
         at->published},
        ""
    };
    snprintf(row.note, sizeof row.note, "%s", result.reason);
    if (!isnan(at->published) && !isnan(result.metric) &&
        fabs(in_points(at->published) - in_points(result.metric)) > 0.0101)
        ert_append(row.note, sizeof row.note, "%spublished %.2f %%, computed %.2f %%",
                   *row.note ? "; " : "", 100 * at->published, 100 * result.metric);
    return row;
}

static void portability_cmd_write_table(const struct rfl_efficiencies *all,
                                        const char *kind, enum ert_format format)
{
    struct rfl_table table = {.format = format};
    size_t n_numbers = PUBLISHED;
    for (size_t i = 0; i < all->n_cases; i++)
        n_numbers = isnan(all->cases[i].published) ? n_numbers : N_NUMBERS;
    rfl_table_columns(&table, "case");
    for (size_t p = 0; p < all->n_platforms; p++)
        rfl_table_column(&table, true, "%s", all->platforms[p]);
    for (size_t k = 0; k < n_numbers; k++)
        rfl_table_column(&table, true, "%s", numbers[k]);
    rfl_table_columns(&table, "note");
    for (size_t i = 0; i < all->n_cases; i++) {
        const struct row row = portability_cmd_row_of(all, i);
        rfl_table_texts(&table, all->cases[i].name, NULL);
        for (size_t p = 0; p < all->n_platforms; p++)
            rfl_table_number(&table, "%.2f %%", all->cases[i].efficiencies[p]);
        for (size_t k = 0; k < n_numbers; k++)
            rfl_table_number(&table, "%.2f %%", row.numbers[k]);
        rfl_table_texts(&table, row.note, NULL);
    }
    if (format != ERT_TEXT_CSV)
        printf("%s; harmonic mean over %zu platform%s\n\n", kind, all->n_platforms,
               all->n_platforms == 1 ? "" : "s");
    rfl_table_write(&table, stdout);
}

/* ---- the command ---- */

static enum ert_status portability_cmd_collect(const struct options *options,
                                               const char **words, size_t n_words,
                                               struct rfl_efficiencies *all,
                                               const char **kind, struct ert_error *error)
{
    *kind = "efficiencies as given";
    if (n_words == 0)
        return ert_fail(error, ERT_USAGE,
                        "portability: no efficiencies: give a CSV, or CEILINGS:PROFILE of "
                        "each platform");
    if (strchr(words[0], ':')) {
        *kind = "architectural efficiency: fraction of the binding roof";
        return join_platforms(options, words, n_words, all, error);
    }
    /* each table has its own platforms, and the same cases */
    for (size_t i = 0; i < n_words; i++)
        ERT_TRY(rfl_efficiencies_read(words[i], all, error));
    return ERT_OK;
}

static enum ert_status portability_cmd_run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.output = "text"};
    const char *words[RFL_MAX_PLATFORMS];
    size_t n_words = 0;
    struct rfl_efficiencies all = {0};
    const char *kind;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words,
                          RFL_MAX_PLATFORMS, &n_words, error));
    enum ert_status status =
        portability_cmd_collect(&options, words, n_words, &all, &kind, error);
    if (status == ERT_OK)
        portability_cmd_write_table(&all, kind, rfl_table_format(options.output));
    rfl_efficiencies_free(&all);
    return status;
}

static void portability_cmd_notes(FILE *out)
{
    fputs("\nA CSV has the case in its first column and a platform in each other: \"V100 "
          "(percent)\" or\n\"V100 (fraction)\"; a column \"published\" is compared with "
          "the result. Several CSVs are joined by\ntheir cases.\n"
          "Pennycook, Sewall, Lee, doi:10.1016/j.future.2017.08.007: 0 where a case does "
          "not run on a\nplatform; undefined for fewer than two.\n",
          out);
}

const struct ert_command rfl_command_portability = {
    .name = "portability",
    .words = "FILE.csv... | [NAME=]CEILINGS:PROFILE...",
    .summary = "compute the performance portability of a code on several platforms",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = portability_cmd_run,
    .notes = portability_cmd_notes,
};
