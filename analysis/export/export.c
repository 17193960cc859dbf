#include "analysis/export/common.h"

#include <string.h>

static const struct rfl_exporter *const exporters[] = {
    &rfl_export_csv,         &rfl_export_markdown,  &rfl_export_json_lines,
    &rfl_export_prometheus,  &rfl_export_reframe,   &rfl_export_ert_json,
    &rfl_export_ncu_section, &rfl_export_kerncraft, &rfl_export_carm,
    &rfl_export_nersc,
};

const struct rfl_exporter *const *rfl_exporters(size_t *n)
{
    *n = sizeof exporters / sizeof exporters[0];
    return exporters;
}

enum ert_status rfl_exporter_find(const char *name, const struct rfl_exporter **exporter,
                                  struct ert_error *error)
{
    char list[256] = "";
    size_t n, used = 0;
    const struct rfl_exporter *const *all = rfl_exporters(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(all[i]->name, name) == 0) {
            *exporter = all[i];
            return ERT_OK;
        }
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                     all[i]->name);
    }
    return ert_fail(error, ERT_USAGE, "no format '%.64s'; there are: %s", name, list);
}
