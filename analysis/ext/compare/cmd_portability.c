/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roofline portability: summarizes one code on several platforms as one number.
 *
 * Pennycook, Sewall and Lee, "Implications of a metric for performance portability", Future Generation
 * Computer Systems 92 (2019), doi:10.1016/j.future.2017.08.007 (before it, "A metric for performance
 * portability", arXiv:1611.07409, equation 1): the harmonic mean of the efficiencies over a set H of
 * platforms, and 0 when the code does not run on one of them. The efficiencies are architectural: the share
 * of the binding roof (place.h).
 */
#include "analysis/cli/commands.h"

#include "analysis/core/place/place.h"
#include "analysis/core/points/reader.h"
#include "analysis/core/points/table.h"
#include "ert/core/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLATFORMS = 14 };

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

/* A platform as the user gives it, and its points with their efficiencies. */
struct platform {
    const char *name, *ceilings, *profile; /* name: "" until it is known */
    struct rfl_points points;
    double *efficiencies; /* malloc; fractions, one per point; NaN none */
};

/* A row of efficiencies: a code, a version, a problem. */
struct portable_case {
    double efficiencies[MAX_PLATFORMS]; /* fractions; NaN none */
};

struct work {
    const struct options *options;
    size_t n;
    struct platform platforms[MAX_PLATFORMS];
    struct ert_strings names; /* of the cases */
    struct portable_case *cases;
    size_t capacity;
    struct ert_strings strings;
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
    work->platforms[work->n++] = (struct platform){
        .name = ert_strings_format(&work->strings, "%.*s", file ? (int)name : 0, word),
        .ceilings = ert_strings_format(&work->strings, "%.*s",
                                       (int)(colon - word - (ptrdiff_t)file), word + file),
        .profile = colon + 1};
    return ERT_OK;
}

/* Takes the fraction of the binding roof of each point; NaN: not known. */
static enum ert_status place_on(const struct ert_ceilings *ceilings, struct work *work,
                                struct platform *platform, struct ert_error *error)
{
    const struct rfl_placer_options how = {
        .device = work->options->device, .force = true, .concurrency = RFL_OF_SWEEP};
    struct rfl_placer placer;
    ERT_TRY(rfl_placer_open(ceilings, &platform->points, &how, &placer, error));
    if (!*platform->name)
        platform->name =
            ert_strings_keep(&work->strings, *placer.roofs->name ? placer.roofs->name
                                                                 : placer.roofs->device);
    for (size_t i = 0; i < platform->points.n; i++) {
        struct rfl_placement placement;
        rfl_placer_place(&placer, &platform->points.points[i], &placement);
        platform->efficiencies[i] = placement.fraction > 0 ? placement.fraction : NAN;
    }
    rfl_placer_close(&placer);
    return ERT_OK;
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

static enum ert_status read_platform(struct work *work, struct platform *platform,
                                     struct ert_error *error)
{
    static const struct rfl_reading plain = {0};
    struct ert_ceilings ceilings = {0};
    ERT_TRY(rfl_profile_read(platform->profile, &plain, &platform->points, error));
    platform->efficiencies =
        ert_xcalloc(platform->points.n, sizeof *platform->efficiencies);
    ERT_TRY(rfl_ceilings_read(platform->ceilings, &ceilings, error));
    enum ert_status status = place_on(&ceilings, work, platform, error);
    ert_ceilings_free(&ceilings);
    if (work->options->fastest && status == ERT_OK)
        keep_fastest(&platform->points, platform->efficiencies);
    return status;
}

/* ---- cases: points of the same name ---- */

static bool has_name_twice(const struct rfl_points *points)
{
    struct ert_strings names = {0};
    for (size_t i = 0; i < points->n; i++)
        ert_strings_keep(&names, points->points[i].name);
    bool is_twice = names.n_texts < points->n;
    ert_strings_free(&names);
    return is_twice;
}

/* The efficiencies of a case, in the order of the files; a new one has none. */
static double *efficiencies_of(struct work *work, const char *name)
{
    const size_t n = work->names.n_texts, i = ert_strings_index(&work->names, name);
    if (i == n) {
        work->cases = ert_xgrow(work->cases, n, &work->capacity, sizeof *work->cases);
        for (size_t p = 0; p < MAX_PLATFORMS; p++)
            work->cases[n].efficiencies[p] = NAN;
    }
    return work->cases[i].efficiencies;
}

/* Cases are named by the points; with_run: with the run in brackets. */
static enum ert_status join_platform(struct work *work, size_t place, bool with_run,
                                     struct ert_error *error)
{
    const struct platform *platform = &work->platforms[place];
    struct ert_strings own = {0};
    enum ert_status status = ERT_OK;
    for (size_t i = 0; i < platform->points.n && status == ERT_OK; i++) {
        const struct rfl_point *point = &platform->points.points[i];
        const bool has_run = with_run && *point->run;
        const char *name =
            ert_strings_format(&own, "%s%s%s%s", point->name, has_run ? " [" : "",
                               has_run ? point->run : "", has_run ? "]" : "");
        if (own.n_texts == i)
            status = ert_fail(error, ERT_USAGE, "platform '%.60s': '%.200s' appears twice",
                              platform->name, name);
        efficiencies_of(work, name)[place] = platform->efficiencies[i];
    }
    ert_strings_free(&own);
    return status;
}

static enum ert_status join_platforms(struct work *work, struct ert_error *error)
{
    struct ert_strings names = {0};
    bool with_run = false;
    enum ert_status status = ERT_OK;
    /* Runs, often names of files or machines, differ between platforms: used only if names repeat. */
    for (size_t p = 0; p < work->n && status == ERT_OK; p++) {
        with_run = with_run || has_name_twice(&work->platforms[p].points);
        if (ert_strings_index(&names, work->platforms[p].name) < p)
            status = ert_fail(error, ERT_USAGE, "the platform '%.100s' appears twice",
                              work->platforms[p].name);
    }
    ert_strings_free(&names);
    for (size_t p = 0; p < work->n && status == ERT_OK; p++)
        status = join_platform(work, p, with_run, error);
    return status;
}

/* ---- the metric ---- */

/* The metric of a case, NaN undefined; *note: why it is 0 or undefined, or a warning. */
static double metric_of(const struct work *work, const double *efficiencies, char note[192])
{
    double inverse = 0;
    size_t lacking = SIZE_MAX, above = SIZE_MAX; /* the first of each kind */
    *note = '\0';
    for (size_t i = work->n; i-- > 0;) {
        lacking = efficiencies[i] > 0 ? lacking : i;
        above = efficiencies[i] > 1 ? i : above;
        inverse += 1 / efficiencies[i];
    }
    if (work->n < 2)
        snprintf(note, 192, "undefined: 1 platform, at least two are required");
    else if (lacking != SIZE_MAX)
        snprintf(note, 192, "0 by definition: no efficiency on %.100s",
                 work->platforms[lacking].name);
    else if (above != SIZE_MAX)
        snprintf(note, 192, "check: above 100 %% on %.100s; kept unchanged",
                 work->platforms[above].name);
    return work->n < 2 ? NAN : lacking != SIZE_MAX ? 0 : (double)work->n / inverse;
}

static void portability_write_table(const struct work *work)
{
    struct rfl_table table = {.format = rfl_table_format(work->options->output)};
    rfl_table_columns(&table, "case");
    for (size_t p = 0; p < work->n; p++)
        rfl_table_column(&table, true, "%s", work->platforms[p].name);
    rfl_table_columns(&table, ">portability|note");
    for (size_t i = 0; i < work->names.n_texts; i++) {
        const double *efficiencies = work->cases[i].efficiencies;
        char note[192];
        rfl_table_texts(&table, work->names.texts[i], NULL);
        for (size_t p = 0; p < work->n; p++)
            rfl_table_number(&table, "%.2f %%", efficiencies[p]);
        rfl_table_number(&table, "%.2f %%", metric_of(work, efficiencies, note));
        rfl_table_texts(&table, note, NULL);
    }
    if (table.format != ERT_TEXT_CSV)
        printf("architectural efficiency: fraction of the binding roof; harmonic mean over "
               "%zu platform%s\n\n",
               work->n, work->n == 1 ? "" : "s");
    rfl_table_write(&table, stdout);
}

/* ---- the command ---- */

static enum ert_status portability_cmd_run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.output = "text"};
    const char *words[MAX_PLATFORMS];
    size_t n_words = 0;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words,
                          MAX_PLATFORMS, &n_words, error));
    if (n_words == 0)
        return ert_fail(error, ERT_USAGE,
                        "portability: give CEILINGS:PROFILE of each platform");
    struct work *work = ert_xcalloc(1, sizeof *work);
    work->options = &options;
    enum ert_status status = ERT_OK;
    for (size_t i = 0; i < n_words && status == ERT_OK; i++)
        status = parse_word(words[i], work, error);
    for (size_t i = 0; i < work->n && status == ERT_OK; i++)
        status = read_platform(work, &work->platforms[i], error);
    if (status == ERT_OK)
        status = join_platforms(work, error);
    if (status == ERT_OK)
        portability_write_table(work);
    for (size_t i = 0; i < work->n; i++) {
        free(work->platforms[i].efficiencies);
        rfl_points_free(&work->platforms[i].points);
    }
    ert_strings_free(&work->names);
    ert_strings_free(&work->strings);
    free(work->cases);
    free(work);
    return status;
}

static void portability_cmd_notes(FILE *out)
{
    fputs("\nPennycook, Sewall, Lee, doi:10.1016/j.future.2017.08.007: 0 where a case does "
          "not run on a\nplatform; undefined for fewer than two.\n",
          out);
}

const struct ert_command rfl_command_portability = {
    .name = "portability",
    .words = "[NAME=]CEILINGS:PROFILE...",
    .summary = "compute the performance portability of a code on several platforms",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = portability_cmd_run,
    .notes = portability_cmd_notes,
};
