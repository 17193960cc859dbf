/* roofline compare: two records side by side, with a gate. */
#include "analysis/cli/commands.h"

#include "analysis/compare.h"
#include "analysis/json.h"
#include "analysis/table.h"
#include "ert/base/alloc.h"
#include "ert/base/units.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 1024 };

struct options {
    const char *only, *output;
    double margin, fail_below;
    bool theory, steps, all;
};

static const struct ert_opt rows[] = {
    RFL_OPT_FLAG("theory", theory,
                 "one file: each ceiling against its theoretical peak; 'low': below 70 % "
                 "of it, 'check': above it"),
    RFL_OPT_FLAG(
        "steps", steps,
        "points: each against the one before it of the same run, versions of one code"),
    RFL_OPT_WITHIN("margin", NUMBER, margin, "SHARE",
                   "the change that the verdict same excludes (default 0.01)", 0, 1),
    RFL_OPT_WITHIN("fail-below", NUMBER, fail_below, "RATIO",
                   "exit 1 when all of the interval of anything in B is below this share "
                   "of A's speed, e.g. 0.98",
                   1e-6, 1e6),
    RFL_OPT("only", TEXT, only, "TEXT",
            "only what has this in DEVICE/NAME or KERNEL/NAME, e.g. HBM or gpu0/"),
    RFL_OPT_FLAG(
        "all", all,
        "list also what did not change: access sizes, concurrency; of --steps all numbers"),
    RFL_OPT_OF("output", output, "FORM",
               "of the tables (default text); csv and json have all rows in SI units",
               rfl_outputs),
};

/* A file, and what came of comparing it with the first. */
struct compared {
    const char *file;
    char origin[256]; /* host and date, or a profile's origin */
    struct rfl_comparison comparison;
};

struct view {
    const char *first_file, *first_origin;
    bool is_theory, is_points, is_steps;
    bool all;          /* also access sizes and concurrency that did not change */
    double fail_below; /* 0: no gate */
};

static bool fails(const struct view *view, const struct rfl_change *change)
{
    return view->fail_below > 0 && rfl_change_below(change, view->fail_below);
}

/* ---- tables ---- */

/* A value with its unit; counts are rates without their "/s". */
static const char *value_text(const struct rfl_change *change, double value,
                              char text[ERT_UNITS_TEXT])
{
    const char *slash = strstr(change->unit, "/s");
    char operation[16];
    if (!(value > 0))
        return "-";
    if (strcmp(change->unit, "s") == 0)
        return ert_units_time(value, text);
    if (!*change->unit || strstr(change->unit, "/byte")) {
        snprintf(text, ERT_UNITS_TEXT, "%.4g", value);
        return text;
    }
    snprintf(operation, sizeof operation, "%.*s",
             (int)(slash ? slash - change->unit : (long)strlen(change->unit)),
             change->unit);
    if (strcmp(operation, "byte") == 0)
        ert_units_bandwidth(value, text);
    else
        ert_units_operations(value, operation, text);
    char *per_s = strstr(text, "/s");
    if (!slash && per_s)
        *per_s = '\0';
    return text;
}

static const char *spread_text(const struct rfl_range *range, char text[ERT_UNITS_TEXT])
{
    if (!(range->high > range->low))
        return "-";
    snprintf(text, ERT_UNITS_TEXT, "%.2f %%",
             100 * (range->high - range->low) / range->value);
    return text;
}

static bool is_wanted(const struct view *view, const struct rfl_change *change)
{
    return view->all || view->is_theory || change->verdict == RFL_FASTER ||
           change->verdict == RFL_SLOWER ||
           (strcmp(change->kind, "access") != 0 &&
            strcmp(change->kind, "concurrency") != 0);
}

/* Of those under their theory there is nothing to say. */
static const char *verdict_text(const struct view *view, const struct rfl_change *change,
                                char text[ERT_UNITS_TEXT])
{
    const char *word = change->verdict == RFL_UNDER || change->verdict == RFL_NO_THEORY
                           ? ""
                           : rfl_verdict_name(change->verdict);
    bool is_failure = fails(view, change);
    snprintf(text, ERT_UNITS_TEXT, "%s%s%s", word, is_failure && *word ? ", " : "",
             is_failure ? "FAILS" : "");
    return text;
}

/* "1.0234", "2.3 %", or without a number "-". */
static const char *number_text(bool is_known, const char *format, double value,
                               char text[ERT_UNITS_TEXT])
{
    snprintf(text, ERT_UNITS_TEXT, "-");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (is_known)
        snprintf(text, ERT_UNITS_TEXT, format, value);
#pragma GCC diagnostic pop
    return text;
}

/* Rows for people; names_file: with a first column for the file. */
static void add_rows(struct rfl_table *table, const struct view *view,
                     const struct compared *compared, bool names_file, bool only_changed)
{
    const char *group = NULL;
    const struct rfl_comparison *comparison = &compared->comparison;
    for (size_t i = 0; i < comparison->n; i++) {
        const struct rfl_change *change = &comparison->changes[i];
        char texts[8][ERT_UNITS_TEXT];
        bool has_ratio = change->ratio > 0,
             has_changed = change->verdict != RFL_SAME || fails(view, change) ||
                           (view->is_steps && change->is_headline);
        if (!is_wanted(view, change) || (only_changed && !has_changed))
            continue;
        const char *const cells[] = {
            compared->file,
            /* a kernel's long name once, not before each of its numbers */
            view->is_points && group == change->group ? "" : change->group, change->name,
            value_text(change, change->a.value, texts[0]),
            value_text(change, change->b.value, texts[1]),
            number_text(has_ratio, "%.4f", change->ratio, texts[2]),
            number_text(has_ratio, "%+.1f %%", 100 * (change->ratio - 1), texts[3]),
            verdict_text(view, change, texts[4]),
            number_text(change->detectable > 0, "%.1f %%", 100 * change->detectable,
                        texts[5]),
            spread_text(&change->a, texts[6]), spread_text(&change->b, texts[7]),
            change->note};
        rfl_table_row(table, cells + !names_file);
        group = change->group;
    }
}

static void write_theory(const struct view *view, const struct compared *compared,
                         enum rfl_table_format format)
{
    struct rfl_table table = {0};
    rfl_table_columns(&table, "device|ceiling|>measured|>theory|>of theory|mark|peak");
    for (size_t i = 0; i < compared->comparison.n; i++) {
        const struct rfl_change *change = &compared->comparison.changes[i];
        char texts[4][ERT_UNITS_TEXT];
        rfl_table_row(
            &table,
            (const char *const[]){
                change->group, change->name, value_text(change, change->b.value, texts[0]),
                value_text(change, change->a.value, texts[1]),
                number_text(change->ratio > 0, "%.1f %%", 100 * change->ratio, texts[2]),
                verdict_text(view, change, texts[3]), change->note});
    }
    rfl_table_write(&table, format, stdout);
}

static void write_differences(const struct compared *compared, enum rfl_table_format format)
{
    const struct rfl_comparison *comparison = &compared->comparison;
    struct rfl_table table = {0};
    if (!comparison->n_differences)
        return;
    rfl_table_columns(&table, "differs|A|B");
    for (size_t i = 0; i < comparison->n_differences; i++) {
        const struct rfl_difference *difference = &comparison->differences[i];
        rfl_table_row(&table, (const char *const[]){difference->what,
                                                    *difference->a ? difference->a : "-",
                                                    *difference->b ? difference->b : "-"});
    }
    rfl_table_write(&table, format, stdout);
    putchar('\n');
}

static void write_counts(const struct view *view, const struct rfl_comparison *comparison)
{
    size_t hidden = 0;
    const char *between = "";
    for (size_t i = 0; i < comparison->n; i++)
        hidden += !is_wanted(view, &comparison->changes[i]);
    printf("\n%zu %s: ", comparison->n, view->is_points ? "numbers" : "ceilings");
    for (int verdict = 0; verdict < RFL_N_VERDICTS; verdict++)
        if (comparison->counts[verdict]) {
            printf("%s%zu %s", between, comparison->counts[verdict],
                   rfl_verdict_name((enum rfl_verdict)verdict));
            between = ", ";
        }
    double median = rfl_comparison_median(comparison);
    if (median > 0)
        printf("; median %s", view->is_theory ? "of theory" : "speed of B");
    if (median > 0)
        printf(" %.4f%s", median, view->is_theory ? "" : " of A's");
    putchar('\n');
    if (hidden)
        printf("%zu of access sizes and concurrency, the same or only in one, are not "
               "listed (--all)\n",
               hidden);
    for (size_t i = 0; i < comparison->n_notes; i++)
        printf("note: %s\n", comparison->notes[i]);
}

static void write_rows(const struct view *view, const struct compared *compared, size_t n,
                       enum rfl_table_format format)
{
    struct rfl_table table = {0};
    rfl_table_columns(&table, n > 1 ? "file" : "");
    rfl_table_columns(&table, view->is_points ? "kernel" : "device");
    rfl_table_columns(
        &table, "name|>A|>B|>B / A|>change|verdict|>detectable|>spread A|>spread B|note");
    for (size_t f = 0; f < n; f++)
        add_rows(&table, view, &compared[f], n > 1,
                 n > 1 || (view->is_steps && !view->all));
    rfl_table_write(&table, format, stdout);
}

static void write_csv(const struct view *view, const struct compared *compared, size_t n)
{
    struct rfl_table table = {0};
    rfl_table_columns(&table, "file|group|kind|name|unit|a|a_low|a_high|b|b_low|b_high|"
                              "ratio|verdict|fails|detectable|note");
    for (size_t f = 0; f < n; f++)
        for (size_t i = 0; i < compared[f].comparison.n; i++) {
            const struct rfl_change *change = &compared[f].comparison.changes[i];
            const double numbers[] = {change->a.value, change->a.low, change->a.high,
                                      change->b.value, change->b.low, change->b.high,
                                      change->ratio};
            char texts[7][32] = {""}, detectable[32] = "";
            for (size_t k = 0; k < 7; k++)
                if (numbers[k] > 0)
                    snprintf(texts[k], sizeof texts[k], "%.10g", numbers[k]);
            if (change->detectable > 0)
                snprintf(detectable, sizeof detectable, "%.4g", change->detectable);
            rfl_table_row(
                &table, (const char *const[]){
                            compared[f].file, change->group, change->kind, change->name,
                            change->unit, texts[0], texts[1], texts[2], texts[3], texts[4],
                            texts[5], texts[6], rfl_verdict_name(change->verdict),
                            fails(view, change) ? "yes" : "no", detectable, change->note});
        }
    rfl_table_write(&table, RFL_TABLE_CSV, stdout);
}

/* A line per file: which one is unlike the others. */
static void write_fleet(const struct view *view, const struct compared *compared, size_t n,
                        enum rfl_table_format format)
{
    static const enum rfl_verdict verdicts[] = {RFL_SAME,   RFL_FASTER, RFL_SLOWER,
                                                RFL_UNSURE, RFL_ONLY_A, RFL_ONLY_B};
    struct rfl_table table = {0};
    rfl_table_columns(&table, "file|from|>same|>faster|>slower|>cannot tell|>only A|>only "
                              "B|>differs|>median|slowest is|gate");
    for (size_t f = 0; f < n; f++) {
        const struct rfl_comparison *comparison = &compared[f].comparison;
        const struct rfl_change *worst = NULL;
        bool is_below = false;
        for (size_t i = 0; i < comparison->n; i++) {
            const struct rfl_change *change = &comparison->changes[i];
            is_below = is_below || fails(view, change);
            if (change->is_headline && change->speed > 0 &&
                (!worst || change->speed < worst->speed))
                worst = change;
        }
        rfl_table_cell(&table, "%s", compared[f].file);
        rfl_table_cell(&table, "%s", compared[f].origin);
        for (size_t v = 0; v < ERT_LENGTH(verdicts); v++)
            rfl_table_cell(&table, "%zu", comparison->counts[verdicts[v]]);
        rfl_table_cell(&table, "%zu", comparison->n_differences);
        rfl_table_cell(&table, worst ? "%.4f" : "-", rfl_comparison_median(comparison));
        if (worst)
            rfl_table_cell(&table, "%s %s %.4f", worst->group, worst->name, worst->speed);
        else
            rfl_table_cell(&table, "-");
        rfl_table_cell(&table, "%s",
                       !(view->fail_below > 0) ? ""
                       : is_below              ? "FAILS"
                                               : "passes");
    }
    rfl_table_write(&table, format, stdout);
}

/* ---- JSON ---- */

static void add_range(cJSON *object, const char *key, const struct rfl_range *range)
{
    cJSON *value = range->value > 0 ? cJSON_AddObjectToObject(object, key) : NULL;
    if (!value) {
        cJSON_AddNullToObject(object, key);
        return;
    }
    cJSON_AddNumberToObject(value, "value", range->value);
    const double interval[] = {range->low, range->high};
    cJSON_AddItemToObject(value, "interval", cJSON_CreateDoubleArray(interval, 2));
}

static void change_to_json(const struct view *view, const struct rfl_change *change,
                           cJSON *object)
{
    cJSON_AddStringToObject(object, view->is_points ? "point" : "device", change->group);
    cJSON_AddStringToObject(object, "kind", change->kind);
    cJSON_AddStringToObject(object, "name", change->name);
    cJSON_AddStringToObject(object, "unit", change->unit);
    add_range(object, view->is_theory ? "theory" : "a", &change->a);
    add_range(object, view->is_theory ? "measured" : "b", &change->b);
    rfl_json_positive(object, view->is_theory ? "fraction" : "ratio", change->ratio);
    if (!view->is_theory)
        rfl_json_positive(object, "speed", change->speed);
    rfl_json_positive(object, "detectable", change->detectable);
    cJSON_AddStringToObject(object, "verdict", rfl_verdict_name(change->verdict));
    if (view->fail_below > 0)
        cJSON_AddBoolToObject(object, "fails", fails(view, change));
    rfl_json_text(object, "note", change->note);
}

static void add_differences(cJSON *object, const struct rfl_comparison *comparison)
{
    cJSON *list = cJSON_AddArrayToObject(object, "differences");
    for (size_t i = 0; i < comparison->n_differences; i++) {
        const struct rfl_difference *difference = &comparison->differences[i];
        cJSON *item = rfl_json_object(list);
        cJSON_AddStringToObject(item, "what", difference->what);
        cJSON_AddStringToObject(item, "a", difference->a);
        cJSON_AddStringToObject(item, "b", difference->b);
    }
}

static void compared_to_json(const struct view *view, const struct compared *compared,
                             cJSON *object)
{
    const struct rfl_comparison *comparison = &compared->comparison;
    if (!view->is_theory) {
        cJSON_AddStringToObject(object, "b", compared->file);
        cJSON_AddStringToObject(object, "b_from", compared->origin);
        add_differences(object, comparison);
    }
    cJSON *counts = cJSON_AddObjectToObject(object, "counts");
    for (int verdict = 0; verdict < RFL_N_VERDICTS; verdict++)
        if (comparison->counts[verdict])
            cJSON_AddNumberToObject(counts, rfl_verdict_name((enum rfl_verdict)verdict),
                                    (double)comparison->counts[verdict]);
    rfl_json_positive(object, "median_speed", rfl_comparison_median(comparison));
    cJSON *changes = cJSON_AddArrayToObject(object, "rows");
    for (size_t i = 0; i < comparison->n; i++)
        change_to_json(view, &comparison->changes[i], rfl_json_object(changes));
    cJSON *notes = cJSON_AddArrayToObject(object, "notes");
    for (size_t i = 0; i < comparison->n_notes; i++)
        rfl_json_append(notes, comparison->notes[i]);
}

/* Everything as one JSON object, "ert-compare/1". */
static void write_json(const struct view *view, const struct compared *compared, size_t n)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "ert-compare/1");
    cJSON_AddStringToObject(root, "of",
                            view->is_theory   ? "theory"
                            : view->is_steps  ? "steps"
                            : view->is_points ? "points"
                                              : "ceilings");
    cJSON_AddStringToObject(root, "a", view->first_file);
    cJSON_AddStringToObject(root, "a_from", view->first_origin);
    rfl_json_positive(root, "fail_below", view->fail_below);
    cJSON *list = cJSON_AddArrayToObject(root, "comparisons");
    for (size_t i = 0; i < n; i++)
        compared_to_json(view, &compared[i], rfl_json_object(list));
    rfl_json_print(stdout, root);
}

/* One file compared: what differs between the machines, the rows, and a line that counts. */
static void write_all(const struct view *view, const struct compared *compared, size_t n,
                      const char *output)
{
    enum rfl_table_format format = rfl_table_format(output);
    if (strcmp(output, "json") == 0) {
        write_json(view, compared, n);
        return;
    }
    if (format == RFL_TABLE_CSV) {
        write_csv(view, compared, n);
        return;
    }
    printf("A: %s%s (%s)%s", view->is_steps ? "each version of " : "", view->first_file,
           view->first_origin, format == RFL_TABLE_MARKDOWN ? "\n\n" : "\n");
    if (view->is_theory) {
        printf("%s", format == RFL_TABLE_TEXT ? "\n" : "");
        write_theory(view, compared, format);
    } else if (n > 1) {
        puts("each against A, which differs as `roofline compare A FILE` says:\n");
        write_fleet(view, compared, n, format);
        putchar('\n');
        write_rows(view, compared, n, format);
        return;
    } else {
        if (view->is_steps)
            puts("B: the next version of the same run\n");
        else
            printf("B: %s (%s)\n\n", compared->file, compared->origin);
        write_differences(compared, format);
        write_rows(view, compared, n, format);
    }
    write_counts(view, &compared->comparison);
}

/* ---- the command ---- */

/* Ceilings or points: one of the two is read. */
struct record {
    bool is_ceilings;
    struct ert_ceilings ceilings;
    struct rfl_points points;
    char origin[256];
};

static void free_record(struct record *record)
{
    ert_ceilings_free(&record->ceilings);
    rfl_points_free(&record->points);
    *record = (struct record){0};
}

static enum ert_status read_record(const char *file, struct record *record,
                                   struct ert_error *error)
{
    *record = (struct record){0};
    enum ert_status status = rfl_input_read(file, &record->ceilings, &record->points,
                                            &record->is_ceilings, error);
    if (status != ERT_OK)
        free_record(record);
    else if (record->is_ceilings)
        snprintf(record->origin, sizeof record->origin, "%s, %s",
                 record->ceilings.machine->provenance.host, record->ceilings.created);
    else
        snprintf(record->origin, sizeof record->origin, "%zu point%s%s%.200s",
                 record->points.n, record->points.n == 1 ? "" : "s",
                 record->points.origin ? ", " : "",
                 record->points.origin ? record->points.origin : "");
    return status;
}

static const char *kind_name(const struct record *record)
{
    return record->is_ceilings ? "ceilings" : "points";
}

static enum ert_status compare_file(const struct record *first, const char *first_file,
                                    const char *file,
                                    const struct rfl_compare_options *options,
                                    struct compared *compared, struct ert_error *error)
{
    struct record other;
    compared->file = file;
    ERT_TRY(read_record(file, &other, error));
    memcpy(compared->origin, other.origin, sizeof other.origin);
    enum ert_status status = ERT_OK;
    if (other.is_ceilings != first->is_ceilings)
        status = ert_fail(error, ERT_USAGE,
                          "compare: %.150s has %s and %.150s has %s; both must have the "
                          "same (`roofline place` puts points under ceilings)",
                          first_file, kind_name(first), file, kind_name(&other));
    else if (first->is_ceilings)
        rfl_compare_ceilings(&first->ceilings, &other.ceilings, options,
                             &compared->comparison);
    else
        rfl_compare_points(&first->points, &other.points, options, &compared->comparison);
    free_record(&other);
    return status;
}

/* Names what fails, the first few; ERT_UNAVAILABLE when there was nothing to judge. */
static enum ert_status judge(const struct view *view, const struct compared *compared,
                             size_t n, struct ert_error *error)
{
    size_t n_judged = 0, n_below = 0;
    char list[360] = "";
    for (size_t f = 0; f < n; f++)
        for (size_t i = 0; i < compared[f].comparison.n; i++) {
            const struct rfl_change *change = &compared[f].comparison.changes[i];
            n_judged += change->is_headline && change->speed > 0;
            if (!fails(view, change))
                continue;
            ert_append(list, sizeof list, "%s%s%s%.100s %s %.4f", n_below++ ? ", " : "",
                       n > 1 ? compared[f].file : "", n > 1 ? ": " : "", change->group,
                       change->name, change->speed);
        }
    if (!n_judged)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "compare: nothing is in both, so the gate judged nothing");
    if (!n_below)
        return ERT_OK;
    return ert_fail(error, ERT_FAILED, "%zu of %zu below %g of %s: %s%s", n_below, n_judged,
                    view->fail_below, view->is_theory ? "theory" : "A", list,
                    strlen(list) + 1 == sizeof list ? " ..." : "");
}

static enum ert_status compare_all(const struct options *options, const char **files,
                                   size_t n_files, const struct record *first,
                                   struct compared *compared, struct ert_error *error)
{
    struct rfl_compare_options compare = {options->margin, options->only};
    struct view view = {.first_file = files[0],
                        .first_origin = first->origin,
                        .is_theory = options->theory,
                        .is_points = !first->is_ceilings,
                        .is_steps = options->steps,
                        .all = options->all,
                        .fail_below = options->fail_below};
    const bool is_single = options->theory || options->steps;
    size_t n = is_single ? 1 : n_files - 1, n_rows = 0;
    if (is_single && first->is_ceilings != options->theory)
        return ert_fail(error, ERT_USAGE, "compare: %.200s has %s; --%s is of %s", files[0],
                        kind_name(first), options->theory ? "theory" : "steps",
                        options->theory ? "ceilings" : "points");
    if (is_single)
        compared->file = files[0];
    if (options->theory)
        rfl_compare_theory(&first->ceilings, &compare, &compared->comparison);
    if (options->steps)
        rfl_compare_steps(&first->points, &compare, &compared->comparison);
    for (size_t i = 0; !is_single && i < n; i++)
        ERT_TRY(compare_file(first, files[0], files[i + 1], &compare, &compared[i], error));
    for (size_t i = 0; i < n; i++)
        n_rows += compared[i].comparison.n;
    if (options->only && !n_rows)
        return ert_fail(error, ERT_USAGE, "compare: nothing has '%.100s' in its name",
                        options->only);
    write_all(&view, compared, n, options->output);
    return options->fail_below > 0 ? judge(&view, compared, n, error) : ERT_OK;
}

static enum ert_status run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.margin = 0.01, .output = "text"};
    const char *files[MAX_FILES];
    size_t n_files = 0;
    struct record first;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, files, MAX_FILES,
                          &n_files, error));
    if (options.theory && options.steps)
        return ert_fail(error, ERT_USAGE, "compare: --theory and --steps: choose one");
    if (options.theory || options.steps ? n_files != 1 : n_files < 2)
        return ert_fail(error, ERT_USAGE, "compare: %zu files given, must be %s", n_files,
                        options.theory  ? "one with --theory"
                        : options.steps ? "one with --steps"
                                        : "two or more, or one with --theory or --steps");
    ERT_TRY(read_record(files[0], &first, error));
    struct compared *compared = ert_xcalloc(n_files, sizeof *compared);
    enum ert_status status = compare_all(&options, files, n_files, &first, compared, error);
    for (size_t i = 0; i < n_files; i++)
        rfl_comparison_free(&compared[i].comparison);
    free(compared);
    free_record(&first);
    return status;
}

static void notes(FILE *out)
{
    fputs("\nA change is one that the intervals of both sides (90 % of single samples, and "
          "the range of\nruns of `ert run --repeat`) and the margin leave no doubt about: "
          "the intervals do not touch.\nOf few samples the interval is widened; without "
          "any the margin alone decides. More files\nthan two are each compared with the "
          "first.\n",
          out);
}

const struct ert_command rfl_command_compare = {
    .name = "compare",
    .words = "A B... | A --theory | POINTS --steps",
    .summary = "two machines, dates or profiles: what changed beyond the noise",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = run,
    .notes = notes,
};
