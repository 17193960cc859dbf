#include "analysis/cli/portability_text.h"

#include "ert/base/json.h"

#include <math.h>
#include <string.h>

static const char *const kind_names[] = {
    [RFL_EFFICIENCY_GIVEN] = "efficiencies as given",
    [RFL_ARCHITECTURAL] = "architectural efficiency: share of the binding roof",
    [RFL_APPLICATION] = "application efficiency: best known time / time",
};

static void add_share(struct rfl_table *table, double share, bool is_raw)
{
    if (isnan(share))
        rfl_table_cell(table, "%s", is_raw ? "" : "-");
    else if (is_raw)
        rfl_table_cell(table, "%.10g", share);
    else
        rfl_table_cell(table, "%.2f %%", 100 * share);
}

static double in_points(double share)
{
    return round(1e4 * share) / 100;
}

/* What a reader should know of a case; a printed metric is wrong when it is 0.01 points off. */
static void note_of(const struct rfl_portable_case *row,
                    const struct rfl_portability *result, char *note, size_t size)
{
    bool is_off = !isnan(row->published) && !isnan(result->metric) &&
                  fabs(in_points(row->published) - in_points(result->metric)) > 0.0101;
    snprintf(note, size, "%s", result->reason);
    if (is_off)
        snprintf(note, size, "%s%spublished %.2f %%, these give %.2f %%", result->reason,
                 *result->reason ? "; " : "", 100 * row->published, 100 * result->metric);
}

static void add_columns(struct rfl_table *table, const struct rfl_efficiencies *all,
                        bool has_published)
{
    static const char *const after[] = {"portability", "min", "max", "std dev",
                                        "mean (for comparison)"};
    rfl_table_column(table, "case", false);
    for (size_t p = 0; p < all->n_platforms; p++)
        rfl_table_column(table, all->platforms[p], true);
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++)
        rfl_table_column(table, after[i], true);
    if (has_published)
        rfl_table_column(table, "published", true);
    rfl_table_column(table, "note", false);
}

enum ert_status rfl_portability_write(FILE *out, const struct rfl_efficiencies *all,
                                      enum rfl_efficiency_kind kind,
                                      enum rfl_table_format format, struct ert_error *error)
{
    struct rfl_table table = {0};
    bool has_published = false, is_raw = format == RFL_TABLE_CSV;
    for (size_t i = 0; i < all->n_cases; i++)
        has_published = has_published || !isnan(all->cases[i].published);
    add_columns(&table, all, has_published);
    for (size_t i = 0; i < all->n_cases; i++) {
        const struct rfl_portable_case *row = &all->cases[i];
        struct rfl_portability result;
        char note[400];
        rfl_portability(row->efficiencies, all->platforms, all->n_platforms, &result);
        const double numbers[] = {result.metric, result.min, result.max, result.deviation,
                                  result.mean};
        rfl_table_cell(&table, "%s", row->name);
        for (size_t p = 0; p < all->n_platforms; p++)
            add_share(&table, row->efficiencies[p], is_raw);
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            add_share(&table, numbers[k], is_raw);
        if (has_published)
            add_share(&table, row->published, is_raw);
        note_of(row, &result, note, sizeof note);
        rfl_table_cell(&table, "%s", note);
    }
    if (!is_raw)
        fprintf(out, "%s; harmonic mean over %zu platform%s\n\n", kind_names[kind],
                all->n_platforms, all->n_platforms == 1 ? "" : "s");
    enum ert_status status = rfl_table_write(&table, format, out, error);
    rfl_table_free(&table);
    return status;
}

static void add_number(cJSON *object, const char *key, double value)
{
    if (!isnan(value))
        cJSON_AddNumberToObject(object, key, value);
}

enum ert_status rfl_portability_write_json(FILE *out, const struct rfl_efficiencies *all,
                                           enum rfl_efficiency_kind kind,
                                           struct ert_error *error)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "ert-portability/1");
    cJSON_AddStringToObject(root, "efficiency", kind_names[kind]);
    cJSON *platforms = cJSON_AddArrayToObject(root, "platforms");
    for (size_t p = 0; p < all->n_platforms; p++)
        cJSON_AddItemToArray(platforms, cJSON_CreateString(all->platforms[p]));
    cJSON *cases = cJSON_AddArrayToObject(root, "cases");
    for (size_t i = 0; i < all->n_cases; i++) {
        const struct rfl_portable_case *row = &all->cases[i];
        struct rfl_portability result;
        char note[400];
        cJSON *object = cJSON_CreateObject();
        rfl_portability(row->efficiencies, all->platforms, all->n_platforms, &result);
        cJSON_AddStringToObject(object, "name", row->name);
        /* null where there is none: cJSON writes NaN so */
        cJSON_AddItemToObject(
            object, "efficiencies",
            cJSON_CreateDoubleArray(row->efficiencies, (int)all->n_platforms));
        add_number(object, "portability", result.metric);
        add_number(object, "min", result.min);
        add_number(object, "max", result.max);
        add_number(object, "deviation", result.deviation);
        add_number(object, "arithmetic_mean", result.mean);
        add_number(object, "published", row->published);
        note_of(row, &result, note, sizeof note);
        if (*note)
            cJSON_AddStringToObject(object, "note", note);
        cJSON_AddItemToArray(cases, object);
    }
    enum ert_status status = cases ? ert_json_print(out, root, error)
                                   : ert_fail(error, ERT_FAILED, "no memory for JSON");
    cJSON_Delete(root);
    return status;
}
