/* roofline compare: two records side by side, with a gate. */
#include "analysis/cli/commands.h"
#include "analysis/cli/compare_text.h"

#include "analysis/import/ert_json.h"
#include "analysis/import/import.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 1024, HEAD_BYTES = 4096 };

struct options {
    const char *only, *output;
    double margin, fail_below;
    bool theory, steps, all;
};

static const char *const outputs[] = {"text", "markdown", "csv", "json", NULL};

static const struct ert_opt rows[] = {
#define ROW(name, kind, field, ...)                                                        \
    {                                                                                      \
        name, kind, offsetof(struct options, field), __VA_ARGS__                           \
    }
    ROW("theory", ERT_OPT_FLAG, theory, NULL,
        "one file: each ceiling against its theoretical peak; 'low': below 70 % of it, "
        "'check': above it",
        0, 0, NULL),
    ROW("steps", ERT_OPT_FLAG, steps, NULL,
        "points: each against the one before it of the same run, versions of one code", 0,
        0, NULL),
    ROW("margin", ERT_OPT_NUMBER, margin, "SHARE",
        "the change that the verdict same excludes (default 0.01)", 0, 1, NULL),
    ROW("fail-below", ERT_OPT_NUMBER, fail_below, "RATIO",
        "exit 1 when all of the interval of anything in B is below this share of A's "
        "speed, "
        "e.g. 0.98",
        1e-6, 1e6, NULL),
    ROW("only", ERT_OPT_TEXT, only, "TEXT",
        "only what has this in DEVICE/NAME or KERNEL/NAME, e.g. HBM or gpu0/", 0, 0, NULL),
    ROW("all", ERT_OPT_FLAG, all, NULL,
        "list also what did not change: access sizes, concurrency; of --steps all numbers",
        0, 0, NULL),
    ROW("output", ERT_OPT_CHOICE, output, "FORM",
        "of the tables (default text); csv and json have all rows in SI units", 0, 0,
        outputs),
#undef ROW
};

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

typedef enum ert_status read_ceilings(const char *file, struct ert_ceilings *ceilings,
                                      struct ert_error *error);

/* Who reads a file of ceilings, ours or of LBNL's ERT; *reader is NULL for points. */
static enum ert_status find_reader(const char *file, read_ceilings **reader,
                                   struct ert_error *error)
{
    char head[HEAD_BYTES + 1];
    struct ert_lines lines;
    ERT_TRY(ert_lines_open(file, &lines, error));
    size_t size = fread(head, 1, HEAD_BYTES, lines.stream);
    head[size] = '\0';
    ert_lines_close(&lines);
    *reader = NULL;
    if (strstr(head, "\"ert-ceilings/"))
        *reader = ert_ceilings_read;
    else if (rfl_ert_recognizes(head))
        *reader = rfl_ert_read;
    return ERT_OK;
}

static enum ert_status read_record(const char *file, struct record *record,
                                   struct ert_error *error)
{
    static const struct rfl_import_options plain = {0};
    read_ceilings *reader;
    *record = (struct record){0};
    ERT_TRY(find_reader(file, &reader, error));
    record->is_ceilings = reader != NULL;
    enum ert_status status =
        reader ? reader(file, &record->ceilings, error)
               : rfl_import_file(file, NULL, &plain, &record->points, error);
    if (status != ERT_OK) {
        free_record(record);
        return status;
    }
    if (record->is_ceilings)
        snprintf(record->origin, sizeof record->origin, "%s, %s",
                 record->ceilings.machine->provenance.host, record->ceilings.created);
    else
        snprintf(record->origin, sizeof record->origin, "%zu point%s%s%.200s",
                 record->points.n, record->points.n == 1 ? "" : "s",
                 record->points.origin ? ", " : "",
                 record->points.origin ? record->points.origin : "");
    return ERT_OK;
}

static const char *kind_name(const struct record *record)
{
    return record->is_ceilings ? "ceilings" : "points";
}

static enum ert_status compare_file(const struct record *first, const char *first_file,
                                    const char *file,
                                    const struct rfl_compare_options *options,
                                    struct rfl_compared *compared, struct ert_error *error)
{
    struct record other;
    compared->file = file;
    ERT_TRY(read_record(file, &other, error));
    memcpy(compared->origin, other.origin, sizeof other.origin);
    enum ert_status status;
    if (other.is_ceilings != first->is_ceilings)
        status = ert_fail(error, ERT_USAGE,
                          "compare: %.150s has %s and %.150s has %s; both must have the "
                          "same (`roofline place` puts points under ceilings)",
                          first_file, kind_name(first), file, kind_name(&other));
    else if (first->is_ceilings)
        status = rfl_compare_ceilings(&first->ceilings, &other.ceilings, options,
                                      &compared->comparison, error);
    else
        status = rfl_compare_points(&first->points, &other.points, options,
                                    &compared->comparison, error);
    free_record(&other);
    return status;
}

/* Names what fails, the first few; ERT_UNAVAILABLE when there was nothing to judge. */
static enum ert_status judge(const struct rfl_compare_view *view,
                             const struct rfl_compared *compared, size_t n,
                             struct ert_error *error)
{
    size_t n_judged = 0, n_below = 0, used = 0;
    char list[360] = "";
    for (size_t f = 0; f < n; f++)
        for (size_t i = 0; i < compared[f].comparison.n; i++) {
            const struct rfl_change *change = &compared[f].comparison.changes[i];
            n_judged += change->is_headline && change->speed > 0;
            if (!rfl_change_below(change, view->fail_below))
                continue;
            if (used < sizeof list)
                used += (size_t)snprintf(list + used, sizeof list - used,
                                         "%s%s%s%.100s %s %.4f", n_below ? ", " : "",
                                         n > 1 ? compared[f].file : "", n > 1 ? ": " : "",
                                         change->group, change->name, change->speed);
            n_below++;
        }
    if (!n_judged)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "compare: nothing is in both, so the gate judged nothing");
    if (!n_below)
        return ERT_OK;
    return ert_fail(error, ERT_FAILED, "%zu of %zu below %g of %s: %s%s", n_below, n_judged,
                    view->fail_below, view->is_theory ? "theory" : "A", list,
                    used >= sizeof list ? " ..." : "");
}

static enum ert_status print(const struct rfl_compare_view *view, const char *output,
                             const struct rfl_compared *compared, size_t n,
                             struct ert_error *error)
{
    if (strcmp(output, "json") == 0)
        return rfl_compare_write_json(stdout, view, compared, n, error);
    return rfl_compare_write(stdout, view, compared, n,
                             strcmp(output, "csv") == 0        ? RFL_TABLE_CSV
                             : strcmp(output, "markdown") == 0 ? RFL_TABLE_MARKDOWN
                                                               : RFL_TABLE_TEXT,
                             error);
}

static enum ert_status compare_all(const struct options *options, const char **files,
                                   size_t n_files, const struct record *first,
                                   struct rfl_compared *compared, struct ert_error *error)
{
    struct rfl_compare_options compare = {options->margin, options->only};
    struct rfl_compare_view view = {.first_file = files[0],
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
        ERT_TRY(
            rfl_compare_theory(&first->ceilings, &compare, &compared->comparison, error));
    if (options->steps)
        ERT_TRY(rfl_compare_steps(&first->points, &compare, &compared->comparison, error));
    for (size_t i = 0; !is_single && i < n; i++)
        ERT_TRY(compare_file(first, files[0], files[i + 1], &compare, &compared[i], error));
    for (size_t i = 0; i < n; i++)
        n_rows += compared[i].comparison.n;
    if (options->only && !n_rows)
        return ert_fail(error, ERT_USAGE, "compare: nothing has '%.100s' in its name",
                        options->only);
    ERT_TRY(print(&view, options->output, compared, n, error));
    return options->fail_below > 0 ? judge(&view, compared, n, error) : ERT_OK;
}

static enum ert_status run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.margin = 0.01, .output = "text"};
    const char *files[MAX_FILES];
    size_t n_files = 0;
    struct record first;
    ERT_TRY(ert_opt_parse(rows, sizeof rows / sizeof rows[0], argc, argv, &options, files,
                          MAX_FILES, &n_files, error));
    if (options.theory && options.steps)
        return ert_fail(error, ERT_USAGE, "compare: --theory and --steps: choose one");
    if (options.theory || options.steps ? n_files != 1 : n_files < 2)
        return ert_fail(error, ERT_USAGE, "compare: %zu files given, must be %s", n_files,
                        options.theory  ? "one with --theory"
                        : options.steps ? "one with --steps"
                                        : "two or more, or one with --theory or --steps");
    ERT_TRY(read_record(files[0], &first, error));
    struct rfl_compared *compared = calloc(n_files, sizeof *compared);
    enum ert_status status =
        compared ? compare_all(&options, files, n_files, &first, compared, error)
                 : ert_fail(error, ERT_FAILED, "no memory for %zu files", n_files);
    for (size_t i = 0; compared && i < n_files; i++)
        rfl_comparison_free(&compared[i].comparison);
    free(compared);
    free_record(&first);
    return status;
}

static void notes(FILE *out)
{
    fputs(
        "\nA change is one that the intervals of both sides (90 % of single samples, and "
        "the "
        "range of\nruns of `ert run --repeat`) and the margin leave no doubt about: the "
        "intervals do not touch.\nOf few samples the interval is widened; without any the "
        "margin alone decides. More files\nthan two are each compared with the first.\n",
        out);
}

const struct ert_command rfl_command_compare = {
    .name = "compare",
    .words = "A B... | A --theory | POINTS --steps",
    .summary = "two machines, dates or profiles: what changed beyond the noise",
    .options = rows,
    .n_options = sizeof rows / sizeof rows[0],
    .run = run,
    .notes = notes,
};
