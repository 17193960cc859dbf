/* SPDX-License-Identifier: BSD-3-Clause */
/* roofline compare: compares records, and fails on a slowdown if asked to. */
#include "analysis/cli/commands.h"

#include "analysis/core/points/reader.h"
#include "analysis/core/points/table.h"
#include "analysis/ext/compare/compare.h"

#include <math.h>
#include <string.h>

struct options {
    const char *only, *output;
    double margin, fail_below;
    bool steps, all;
};

static const struct ert_opt rows[] = {
    ERT_OPT_SWITCH(
        "steps", steps,
        "points, versions of one code: compare each with the one before in the same run"),
    ERT_OPT_WITHIN("margin", NUMBER, margin, "SHARE",
                   "the least change that counts (default 0.01)", 0, 1),
    ERT_OPT_WITHIN("fail-below", NUMBER, fail_below, "RATIO",
                   "exit with 1 if anything in B is below this fraction of A's speed, e.g. "
                   "0.98, by more than its errors allow",
                   1e-6, 1e6),
    ERT_OPT("only", TEXT, only, "TEXT",
            "only rows with this in DEVICE/NAME or KERNEL/NAME, e.g. HBM or gpu0/"),
    ERT_OPT_SWITCH(
        "all", all,
        "also list unchanged access sizes and concurrency; with --steps all numbers"),
    ERT_OPT_OF("output", output, "FORM",
               "output format (default text); csv has all rows in SI units", rfl_outputs),
};

/* Ceilings or points, whichever the file has. */
struct record {
    bool is_ceilings;
    struct ert_ceilings ceilings;
    struct rfl_points points;
    char origin[256]; /* host and date, or a profile's origin */
};

/* What is written: the two files (with --steps one), and their comparison. */
struct view {
    const struct options *options;
    const char *files[2];
    const struct record *records[2];
    struct rfl_comparison comparison;
};

static bool fails(const struct view *view, const struct rfl_change *change)
{
    return view->options->fail_below > 0 &&
           rfl_change_below(change, view->options->fail_below);
}

/* ---- tables ---- */

static bool compare_cmd_is_wanted(const struct view *view, const struct rfl_change *change)
{
    return view->options->all || change->verdict == RFL_FASTER ||
           change->verdict == RFL_SLOWER || strcmp(change->kind, "concurrency") != 0;
}

static bool has_changed(const struct view *view, const struct rfl_change *change)
{
    return change->verdict != RFL_SAME || fails(view, change) ||
           (view->options->steps && change->is_headline);
}

static double spread(const struct rfl_range *range)
{
    return (range->high - range->low) / range->value;
}

/* Adds a row for readers. */
static void compare_cmd_add_row(struct rfl_table *table, const struct view *view,
                                const struct rfl_change *change, const char *group)
{
    rfl_table_texts(table, group, change->name, NULL);
    rfl_table_positive(table, change->unit, change->a.value);
    rfl_table_positive(table, change->unit, change->b.value);
    rfl_table_positive(table, "%.4f", change->ratio);
    rfl_table_number(table, "%+.1f %%", change->ratio > 0 ? change->ratio - 1 : NAN);
    rfl_table_cell(table, "%s%s", rfl_verdict_names[change->verdict],
                   fails(view, change) ? ", FAILS" : "");
    rfl_table_positive(table, "%.1f %%", change->detectable);
    rfl_table_positive(table, "%.2f %%", spread(&change->a));
    rfl_table_positive(table, "%.2f %%", spread(&change->b));
    rfl_table_texts(table, change->note, NULL);
}

static void compare_cmd_add_csv_row(struct rfl_table *table, const struct view *view,
                                    const struct rfl_change *change)
{
    const struct rfl_range *a = &change->a, *b = &change->b;
    const double numbers[] = {a->value, a->low,  a->high,      b->value,
                              b->low,   b->high, change->ratio};
    rfl_table_texts(table, change->group, change->kind, change->name, change->unit, NULL);
    for (size_t i = 0; i < ERT_LENGTH(numbers); i++)
        rfl_table_positive(table, "", numbers[i]);
    rfl_table_texts(table, rfl_verdict_names[change->verdict],
                    fails(view, change) ? "yes" : "no", NULL);
    rfl_table_cell(table, change->detectable > 0 ? "%.4g" : "", change->detectable);
    rfl_table_texts(table, change->note, NULL);
}

/* Writes all rows as CSV; for readers, of steps only changes. */
static void compare_cmd_write_rows(const struct view *view, enum ert_format format)
{
    struct rfl_table table = {.format = format};
    const bool is_csv = format == ERT_TEXT_CSV, is_ceilings = view->records[0]->is_ceilings,
               only_changed = view->options->steps && !view->options->all;
    const char *group = NULL;
    rfl_table_columns(&table, is_csv ? "group" : is_ceilings ? "device" : "kernel");
    rfl_table_columns(
        &table, is_csv ? "kind|name|unit|a|a_low|a_high|b|b_low|b_high|ratio|verdict|fails|"
                         "detectable|note"
                       : "name|>A|>B|>B / A|>change|verdict|>detectable|>spread A|>spread "
                         "B|note");
    for (size_t i = 0; i < view->comparison.n; i++) {
        const struct rfl_change *change = &view->comparison.changes[i];
        if (!is_csv && (!compare_cmd_is_wanted(view, change) ||
                        (only_changed && !has_changed(view, change))))
            continue;
        /* a kernel's long name only before its first number */
        if (is_csv)
            compare_cmd_add_csv_row(&table, view, change);
        else
            compare_cmd_add_row(&table, view, change,
                                group == change->group && !is_ceilings ? ""
                                                                       : change->group);
        group = change->group;
    }
    rfl_table_write(&table, stdout);
}

static void write_differences(const struct rfl_comparison *comparison,
                              enum ert_format format)
{
    struct rfl_table table = {.format = format};
    if (!comparison->n_differences)
        return;
    rfl_table_columns(&table, "differs|A|B");
    for (size_t i = 0; i < comparison->n_differences; i++) {
        const struct rfl_difference *difference = &comparison->differences[i];
        rfl_table_texts(&table, difference->what, *difference->a ? difference->a : "-",
                        *difference->b ? difference->b : "-", NULL);
    }
    rfl_table_write(&table, stdout);
    putchar('\n');
}

static void write_counts(const struct view *view, enum ert_format format)
{
    const struct rfl_comparison *comparison = &view->comparison;
    size_t hidden = 0;
    const char *between = "";
    for (size_t i = 0; i < comparison->n; i++)
        hidden += !compare_cmd_is_wanted(view, &comparison->changes[i]);
    printf("\n%zu %s: ", comparison->n,
           view->records[0]->is_ceilings ? "ceilings" : "numbers");
    for (int verdict = 0; verdict < RFL_N_VERDICTS; verdict++)
        if (comparison->counts[verdict]) {
            printf("%s%zu %s", between, comparison->counts[verdict],
                   rfl_verdict_names[verdict]);
            between = ", ";
        }
    double median = rfl_comparison_median(comparison);
    if (median > 0)
        printf("; median speed of B %.4f of A's", median);
    putchar('\n');
    if (hidden)
        printf("%zu of access sizes and concurrency, the same or only in one, are not "
               "listed (use --all)\n",
               hidden);
    for (size_t i = 0; i < comparison->notes.n_texts; i++)
        ert_text_print(stdout, format, "note: %s\n", comparison->notes.texts[i]);
}

/* Differences of the machines, the rows, and a summary line. */
static void compare_cmd_write_all(const struct view *view)
{
    const enum ert_format format = rfl_table_format(view->options->output);
    const bool is_steps = view->options->steps;
    if (format != ERT_TEXT_CSV) {
        ert_text_print(stdout, format,
                       format == ERT_TEXT_MARKDOWN ? "A: %s%s (%s)\n\n" : "A: %s%s (%s)\n",
                       is_steps ? "each version of " : "", view->files[0],
                       view->records[0]->origin);
        if (is_steps)
            puts("B: the next version of the same run\n");
        else
            ert_text_print(stdout, format, "B: %s (%s)\n\n", view->files[1],
                           view->records[1]->origin);
        write_differences(&view->comparison, format);
    }
    compare_cmd_write_rows(view, format);
    if (format != ERT_TEXT_CSV)
        write_counts(view, format);
}

/* ---- the command ---- */

static void free_record(struct record *record)
{
    ert_ceilings_free(&record->ceilings);
    rfl_points_free(&record->points);
}

static enum ert_status read_record(const char *file, struct record *record,
                                   struct ert_error *error)
{
    *record = (struct record){0};
    enum ert_status status = rfl_file_read(file, &record->ceilings, &record->points,
                                           &record->is_ceilings, error);
    const struct rfl_points *points = &record->points;
    if (status != ERT_OK)
        free_record(record);
    else if (record->is_ceilings)
        snprintf(record->origin, sizeof record->origin, "%s, %s",
                 record->ceilings.machine->provenance.host, record->ceilings.created);
    else
        snprintf(record->origin, sizeof record->origin, "%zu point%s%s%.200s", points->n,
                 points->n == 1 ? "" : "s", points->origin ? ", " : "",
                 points->origin ? points->origin : "");
    return status;
}

static const char *kind_name(const struct record *record)
{
    return record->is_ceilings ? "ceilings" : "points";
}

/* Names the first few failures. ERT_UNAVAILABLE: nothing is in both, ERT_NOT_VALID: all cannot be told. */
static enum ert_status compare_cmd_judge(const struct view *view, struct ert_error *error)
{
    const double ratio = view->options->fail_below;
    size_t n_both = 0, n_speeds = 0, n_judged = 0, n_below = 0;
    char list[360] = "";
    for (size_t i = 0; i < view->comparison.n; i++) {
        const struct rfl_change *change = &view->comparison.changes[i];
        const bool is_speed = change->is_headline && change->speed > 0;
        n_both += change->a.value > 0 && change->b.value > 0;
        n_speeds += is_speed;
        n_judged += is_speed && change->verdict != RFL_UNSURE;
        if (fails(view, change))
            ert_append(list, sizeof list, "%s%.100s %s %.4f", n_below++ ? ", " : "",
                       change->group, change->name, change->speed);
    }
    if (!n_both || (ratio > 0 && !n_speeds))
        return ert_fail(error, ERT_UNAVAILABLE, "compare: nothing%s is in both",
                        n_both ? " that --fail-below judges" : "");
    if (ratio > 0 && !n_judged)
        return ert_fail(error, ERT_NOT_VALID,
                        "no verdict: the errors of all %zu are too large to tell",
                        n_speeds);
    if (!n_below)
        return ERT_OK;
    return ert_fail(error, ERT_FAILED, "%zu of %zu below %g of A: %s%s", n_below, n_speeds,
                    ratio, list, strlen(list) + 1 == sizeof list ? " ..." : "");
}

static enum ert_status compare(struct view *view, struct ert_error *error)
{
    const struct options *options = view->options;
    const struct rfl_compare_options how = {options->margin, options->only};
    const struct record *a = view->records[0], *b = view->records[1];
    if (options->steps && a->is_ceilings)
        return ert_fail(error, ERT_USAGE,
                        "compare: %.200s has ceilings; --steps takes points",
                        view->files[0]);
    if (a->is_ceilings != b->is_ceilings)
        return ert_fail(error, ERT_USAGE,
                        "compare: %.150s has %s and %.150s has %s, must have the same "
                        "(`roofline place` places points under ceilings)",
                        view->files[0], kind_name(a), view->files[1], kind_name(b));
    if (options->steps)
        rfl_compare_steps(&a->points, &how, &view->comparison);
    else if (a->is_ceilings)
        rfl_compare_ceilings(&a->ceilings, &b->ceilings, &how, &view->comparison);
    else
        rfl_compare_points(&a->points, &b->points, &how, &view->comparison);
    if (options->only && !view->comparison.n)
        return ert_fail(error, ERT_USAGE, "compare: nothing has '%.100s' in its name",
                        options->only);
    compare_cmd_write_all(view);
    return compare_cmd_judge(view, error);
}

static enum ert_status compare_cmd_run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.margin = 0.01, .output = "text"};
    const char *files[2];
    size_t n_files = 0, n_read = 0;
    struct record records[2];
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, files, 2, &n_files,
                          error));
    if (n_files != (options.steps ? 1 : 2))
        return ert_fail(error, ERT_USAGE, "compare: %zu files given, must be %s", n_files,
                        options.steps ? "one with --steps" : "two, or one with --steps");
    enum ert_status status = ERT_OK;
    while (n_read < n_files && status == ERT_OK) {
        status = read_record(files[n_read], &records[n_read], error);
        n_read += status == ERT_OK;
    }
    struct view view = {
        .options = &options,
        .files = {files[0],    files[n_files - 1]   },
        .records = {&records[0], &records[n_files - 1]}
    };
    if (status == ERT_OK)
        status = compare(&view, error);
    rfl_comparison_free(&view.comparison);
    while (n_read > 0)
        free_record(&records[--n_read]);
    return status;
}

static void compare_cmd_notes(FILE *out)
{
    fputs(
        "\nCeilings are compared by their rounds, in the test of `ert verify` but "
        "without its second\nsample. Slower or faster: the rounds leave no doubt. Same: "
        "they agree with no change, and exclude a\nslowdown by 10 %, on virtual machines "
        "by 25 %. Otherwise: cannot tell. Without rounds, intervals\ndecide; without "
        "these, the margin. A rate that falls under a power limit has two rows: the "
        "sustained\nrate and the burst rate. Copies of ordinary (pageable) memory of a "
        "single run each are never slower\nor faster. Exit codes: 3 nothing is in both, 4 "
        "with --fail-below: all errors are too large to tell.\n",
        out);
}

const struct ert_command rfl_command_compare = {
    .name = "compare",
    .words = "A B | POINTS --steps",
    .summary = "compare two machines, dates or profiles: what changed beyond the noise",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = compare_cmd_run,
    .notes = compare_cmd_notes,
};
