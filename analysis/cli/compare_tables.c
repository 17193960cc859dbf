#include "analysis/cli/compare_text.h"

bool rfl_compare_fails(const struct rfl_compare_view *view, const struct rfl_change *change)
{
    return view->fail_below > 0 && rfl_change_below(change, view->fail_below);
}

void rfl_compare_columns(struct rfl_table *table, const char *const *names, size_t n,
                         const char *right)
{
    for (size_t i = 0; i < n; i++)
        rfl_table_column(table, names[i], right[i] == 'r');
}

enum ert_status rfl_compare_finish(struct rfl_table *table, enum rfl_table_format format,
                                   FILE *out, struct ert_error *error)
{
    enum ert_status status = rfl_table_write(table, format, out, error);
    rfl_table_free(table);
    return status;
}

/* Raw numbers in SI units, all rows. */
enum ert_status rfl_compare_write_csv(FILE *out, const struct rfl_compare_view *view,
                                      const struct rfl_compared *compared, size_t n,
                                      struct ert_error *error)
{
    static const char *const names[] = {
        "file", "group", "kind",   "name",  "unit",    "a",     "a_low",      "a_high",
        "b",    "b_low", "b_high", "ratio", "verdict", "fails", "detectable", "note"};
    struct rfl_table table = {0};
    rfl_compare_columns(&table, names, sizeof names / sizeof names[0], "lllllrrrrrrrllrl");
    for (size_t f = 0; f < n; f++)
        for (size_t i = 0; i < compared[f].comparison.n; i++) {
            const struct rfl_change *change = &compared[f].comparison.changes[i];
            const double numbers[] = {change->a.value, change->a.low, change->a.high,
                                      change->b.value, change->b.low, change->b.high,
                                      change->ratio};
            rfl_table_cell(&table, "%s", compared[f].file);
            rfl_table_cell(&table, "%s", change->group);
            rfl_table_cell(&table, "%s", change->kind);
            rfl_table_cell(&table, "%s", change->name);
            rfl_table_cell(&table, "%s", change->unit);
            for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
                if (numbers[k] > 0)
                    rfl_table_cell(&table, "%.10g", numbers[k]);
                else
                    rfl_table_cell(&table, "%s", "");
            rfl_table_cell(&table, "%s", rfl_verdict_name(change->verdict));
            rfl_table_cell(&table, "%s", rfl_compare_fails(view, change) ? "yes" : "no");
            if (change->detectable > 0)
                rfl_table_cell(&table, "%.4g", change->detectable);
            else
                rfl_table_cell(&table, "%s", "");
            rfl_table_cell(&table, "%s", change->note);
        }
    return rfl_compare_finish(&table, RFL_TABLE_CSV, out, error);
}

static const struct rfl_change *slowest(const struct rfl_comparison *comparison)
{
    const struct rfl_change *worst = NULL;
    for (size_t i = 0; i < comparison->n; i++) {
        const struct rfl_change *change = &comparison->changes[i];
        if (change->is_headline && change->speed > 0 &&
            (!worst || change->speed < worst->speed))
            worst = change;
    }
    return worst;
}

static size_t count_below(const struct rfl_compare_view *view,
                          const struct rfl_comparison *comparison)
{
    size_t n = 0;
    for (size_t i = 0; i < comparison->n; i++)
        n += rfl_compare_fails(view, &comparison->changes[i]);
    return n;
}

/* A line per file: which one is unlike the others. */
enum ert_status rfl_compare_write_fleet(FILE *out, const struct rfl_compare_view *view,
                                        const struct rfl_compared *compared, size_t n,
                                        enum rfl_table_format format,
                                        struct ert_error *error)
{
    static const char *const names[] = {"file",    "from",        "same",       "faster",
                                        "slower",  "cannot tell", "only A",     "only B",
                                        "differs", "median",      "slowest is", "gate"};
    struct rfl_table table = {0};
    rfl_compare_columns(&table, names, sizeof names / sizeof names[0], "llrrrrrrrrll");
    for (size_t f = 0; f < n; f++) {
        static const enum rfl_verdict verdicts[] = {RFL_SAME,   RFL_FASTER, RFL_SLOWER,
                                                    RFL_UNSURE, RFL_ONLY_A, RFL_ONLY_B};
        const struct rfl_comparison *comparison = &compared[f].comparison;
        const struct rfl_change *worst = slowest(comparison);
        rfl_table_cell(&table, "%s", compared[f].file);
        rfl_table_cell(&table, "%s", compared[f].origin);
        for (size_t v = 0; v < sizeof verdicts / sizeof verdicts[0]; v++)
            rfl_table_cell(&table, "%zu", comparison->counts[verdicts[v]]);
        rfl_table_cell(&table, "%zu", comparison->n_differences);
        rfl_table_cell(&table, worst ? "%.4f" : "-", rfl_comparison_median(comparison));
        if (worst)
            rfl_table_cell(&table, "%s %s %.4f", worst->group, worst->name, worst->speed);
        else
            rfl_table_cell(&table, "-");
        size_t below = count_below(view, comparison);
        rfl_table_cell(&table, "%s",
                       !(view->fail_below > 0) ? ""
                       : below                 ? "FAILS"
                                               : "passes");
    }
    return rfl_compare_finish(&table, format, out, error);
}
