#include "analysis/cli/compare_text.h"

#include "ert/base/json.h"

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

static cJSON *change_to_json(const struct rfl_compare_view *view,
                             const struct rfl_change *change)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, view->is_points ? "point" : "device", change->group);
    cJSON_AddStringToObject(object, "kind", change->kind);
    cJSON_AddStringToObject(object, "name", change->name);
    cJSON_AddStringToObject(object, "unit", change->unit);
    add_range(object, view->is_theory ? "theory" : "a", &change->a);
    add_range(object, view->is_theory ? "measured" : "b", &change->b);
    if (change->ratio > 0)
        cJSON_AddNumberToObject(object, view->is_theory ? "fraction" : "ratio",
                                change->ratio);
    if (change->speed > 0 && !view->is_theory)
        cJSON_AddNumberToObject(object, "speed", change->speed);
    if (change->detectable > 0)
        cJSON_AddNumberToObject(object, "detectable", change->detectable);
    cJSON_AddStringToObject(object, "verdict", rfl_verdict_name(change->verdict));
    if (view->fail_below > 0)
        cJSON_AddBoolToObject(object, "fails", rfl_change_below(change, view->fail_below));
    if (*change->note)
        cJSON_AddStringToObject(object, "note", change->note);
    return object;
}

static void add_differences(cJSON *object, const struct rfl_comparison *comparison)
{
    cJSON *list = cJSON_AddArrayToObject(object, "differences");
    for (size_t i = 0; i < comparison->n_differences; i++) {
        const struct rfl_difference *difference = &comparison->differences[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "what", difference->what);
        cJSON_AddStringToObject(item, "a", difference->a);
        cJSON_AddStringToObject(item, "b", difference->b);
        cJSON_AddItemToArray(list, item);
    }
}

static cJSON *compared_to_json(const struct rfl_compare_view *view,
                               const struct rfl_compared *compared)
{
    const struct rfl_comparison *comparison = &compared->comparison;
    cJSON *object = cJSON_CreateObject();
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
    double median = rfl_comparison_median(comparison);
    if (median > 0)
        cJSON_AddNumberToObject(object, "median_speed", median);
    cJSON *rows = cJSON_AddArrayToObject(object, "rows");
    for (size_t i = 0; i < comparison->n; i++)
        cJSON_AddItemToArray(rows, change_to_json(view, &comparison->changes[i]));
    cJSON *notes = cJSON_AddArrayToObject(object, "notes");
    for (size_t i = 0; i < comparison->n_notes; i++)
        cJSON_AddItemToArray(notes, cJSON_CreateString(comparison->notes[i]));
    return object;
}

enum ert_status rfl_compare_write_json(FILE *out, const struct rfl_compare_view *view,
                                       const struct rfl_compared *compared, size_t n,
                                       struct ert_error *error)
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
    if (view->fail_below > 0)
        cJSON_AddNumberToObject(root, "fail_below", view->fail_below);
    cJSON *list = cJSON_AddArrayToObject(root, "comparisons");
    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(list, compared_to_json(view, &compared[i]));
    enum ert_status status = list ? ert_json_print(out, root, error)
                                  : ert_fail(error, ERT_FAILED, "no memory for JSON");
    cJSON_Delete(root);
    return status;
}
