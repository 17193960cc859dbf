#include "analysis/cli/compare_text.h"

#include "ert/base/units.h"

#include <string.h>

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

static bool is_wanted(const struct rfl_compare_view *view, const struct rfl_change *change)
{
    return view->all || view->is_theory || change->verdict == RFL_FASTER ||
           change->verdict == RFL_SLOWER ||
           (strcmp(change->kind, "access") != 0 &&
            strcmp(change->kind, "concurrency") != 0);
}

/* Of those under their theory there is nothing to say. */
static const char *verdict_text(const struct rfl_compare_view *view,
                                const struct rfl_change *change, char text[ERT_UNITS_TEXT])
{
    const char *word = change->verdict == RFL_UNDER || change->verdict == RFL_NO_THEORY
                           ? ""
                           : rfl_verdict_name(change->verdict);
    bool fails = rfl_compare_fails(view, change);
    snprintf(text, ERT_UNITS_TEXT, "%s%s%s", word, fails && *word ? ", " : "",
             fails ? "FAILS" : "");
    return text;
}

/* Rows for people. file: with a first column that names it, "" none. */
static void add_rows(struct rfl_table *table, const struct rfl_compare_view *view,
                     const struct rfl_compared *compared, bool names_file,
                     bool only_changed)
{
    const char *group = NULL;
    const struct rfl_comparison *comparison = &compared->comparison;
    for (size_t i = 0; i < comparison->n; i++) {
        const struct rfl_change *change = &comparison->changes[i];
        char a[ERT_UNITS_TEXT], b[ERT_UNITS_TEXT], verdict[ERT_UNITS_TEXT];
        char spread_a[ERT_UNITS_TEXT], spread_b[ERT_UNITS_TEXT];
        bool fails = rfl_compare_fails(view, change);
        if (!is_wanted(view, change) ||
            (only_changed && change->verdict == RFL_SAME && !fails &&
             !(view->is_steps && change->is_headline)))
            continue;
        if (names_file)
            rfl_table_cell(table, "%s", compared->file);
        /* a kernel's long name once, not before each of its numbers */
        rfl_table_cell(table, "%s",
                       view->is_points && group == change->group ? "" : change->group);
        group = change->group;
        rfl_table_cell(table, "%s", change->name);
        rfl_table_cell(table, "%s", value_text(change, change->a.value, a));
        rfl_table_cell(table, "%s", value_text(change, change->b.value, b));
        if (change->ratio > 0) {
            rfl_table_cell(table, "%.4f", change->ratio);
            rfl_table_cell(table, "%+.1f %%", 100 * (change->ratio - 1));
        } else {
            rfl_table_cell(table, "-");
            rfl_table_cell(table, "-");
        }
        rfl_table_cell(table, "%s", verdict_text(view, change, verdict));
        if (change->detectable > 0)
            rfl_table_cell(table, "%.1f %%", 100 * change->detectable);
        else
            rfl_table_cell(table, "-");
        rfl_table_cell(table, "%s", spread_text(&change->a, spread_a));
        rfl_table_cell(table, "%s", spread_text(&change->b, spread_b));
        rfl_table_cell(table, "%s", change->note);
    }
}

static enum ert_status write_theory(FILE *out, const struct rfl_compare_view *view,
                                    const struct rfl_compared *compared,
                                    enum rfl_table_format format, struct ert_error *error)
{
    static const char *const names[] = {"device",    "ceiling", "measured", "theory",
                                        "of theory", "mark",    "peak"};
    struct rfl_table table = {0};
    rfl_compare_columns(&table, names, sizeof names / sizeof names[0], "llrrrll");
    for (size_t i = 0; i < compared->comparison.n; i++) {
        const struct rfl_change *change = &compared->comparison.changes[i];
        char text[ERT_UNITS_TEXT];
        rfl_table_cell(&table, "%s", change->group);
        rfl_table_cell(&table, "%s", change->name);
        rfl_table_cell(&table, "%s", value_text(change, change->b.value, text));
        rfl_table_cell(&table, "%s", value_text(change, change->a.value, text));
        if (change->ratio > 0)
            rfl_table_cell(&table, "%.1f %%", 100 * change->ratio);
        else
            rfl_table_cell(&table, "-");
        rfl_table_cell(&table, "%s", verdict_text(view, change, text));
        rfl_table_cell(&table, "%s", change->note);
    }
    return rfl_compare_finish(&table, format, out, error);
}

static enum ert_status write_differences(FILE *out, const struct rfl_compared *compared,
                                         enum rfl_table_format format,
                                         struct ert_error *error)
{
    static const char *const names[] = {"differs", "A", "B"};
    const struct rfl_comparison *comparison = &compared->comparison;
    struct rfl_table table = {0};
    if (!comparison->n_differences)
        return ERT_OK;
    rfl_compare_columns(&table, names, 3, "lll");
    for (size_t i = 0; i < comparison->n_differences; i++) {
        const struct rfl_difference *difference = &comparison->differences[i];
        rfl_table_cell(&table, "%s", difference->what);
        rfl_table_cell(&table, "%s", *difference->a ? difference->a : "-");
        rfl_table_cell(&table, "%s", *difference->b ? difference->b : "-");
    }
    ERT_TRY(rfl_compare_finish(&table, format, out, error));
    fputc('\n', out);
    return ERT_OK;
}

static void write_counts(FILE *out, const struct rfl_compare_view *view,
                         const struct rfl_comparison *comparison)
{
    size_t hidden = 0;
    const char *between = "";
    for (size_t i = 0; i < comparison->n; i++)
        hidden += !is_wanted(view, &comparison->changes[i]);
    fprintf(out, "\n%zu %s: ", comparison->n, view->is_points ? "numbers" : "ceilings");
    for (int verdict = 0; verdict < RFL_N_VERDICTS; verdict++)
        if (comparison->counts[verdict]) {
            fprintf(out, "%s%zu %s", between, comparison->counts[verdict],
                    rfl_verdict_name((enum rfl_verdict)verdict));
            between = ", ";
        }
    double median = rfl_comparison_median(comparison);
    if (median > 0)
        fprintf(out, "; median %s", view->is_theory ? "of theory" : "speed of B");
    if (median > 0)
        fprintf(out, " %.4f%s", median, view->is_theory ? "" : " of A's");
    fputs("\n", out);
    if (hidden)
        fprintf(
            out,
            "%zu of access sizes and concurrency, the same or only in one, are not listed "
            "(--all)\n",
            hidden);
    for (size_t i = 0; i < comparison->n_notes; i++)
        fprintf(out, "note: %s\n", comparison->notes[i]);
}

static enum ert_status write_rows(FILE *out, const struct rfl_compare_view *view,
                                  const struct rfl_compared *compared, size_t n,
                                  enum rfl_table_format format, struct ert_error *error)
{
    static const char *const names[] = {"file",       "device",   "name",     "A",
                                        "B",          "B / A",    "change",   "verdict",
                                        "detectable", "spread A", "spread B", "note"};
    struct rfl_table table = {0};
    rfl_compare_columns(&table, names + (n == 1), sizeof names / sizeof names[0] - (n == 1),
                        n == 1 ? "llrrrrlrrrl" : "lllrrrrlrrrl");
    if (view->is_points)
        table.headers[n > 1] = "kernel";
    for (size_t f = 0; f < n; f++)
        add_rows(&table, view, &compared[f], n > 1,
                 n > 1 || (view->is_steps && !view->all));
    return rfl_compare_finish(&table, format, out, error);
}

enum ert_status rfl_compare_write(FILE *out, const struct rfl_compare_view *view,
                                  const struct rfl_compared *compared, size_t n,
                                  enum rfl_table_format format, struct ert_error *error)
{
    if (format == RFL_TABLE_CSV)
        return rfl_compare_write_csv(out, view, compared, n, error);
    const char *end = format == RFL_TABLE_MARKDOWN ? "\n\n" : "\n";
    fprintf(out, "A: %s%s (%s)%s", view->is_steps ? "each version of " : "",
            view->first_file, view->first_origin, end);
    if (view->is_theory) {
        fputs(format == RFL_TABLE_TEXT ? "\n" : "", out);
        ERT_TRY(write_theory(out, view, compared, format, error));
        write_counts(out, view, &compared->comparison);
        return ERT_OK;
    }
    if (n > 1) {
        fputs("each against A, which differs as `roofline compare A FILE` says:\n\n", out);
        ERT_TRY(rfl_compare_write_fleet(out, view, compared, n, format, error));
        fputs("\n", out);
        return write_rows(out, view, compared, n, format, error);
    }
    if (view->is_steps)
        fputs("B: the next version of the same run\n\n", out);
    else
        fprintf(out, "B: %s (%s)\n\n", compared->file, compared->origin);
    ERT_TRY(write_differences(out, compared, format, error));
    ERT_TRY(write_rows(out, view, compared, n, format, error));
    write_counts(out, view, &compared->comparison);
    return ERT_OK;
}
