/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/export/export.h"

#include "analysis/core/place/roofs.h"

#include <string.h>

static const struct rfl_exporter *const exporters[] = {
#define RFL_EXPORTER(name) &rfl_export_##name,
#include "analysis/ext/export/formats.def"
};

const struct rfl_exporter *const *rfl_exporters(size_t *n)
{
    *n = ERT_LENGTH(exporters);
    return exporters;
}

enum ert_status rfl_exporter_find(const char *name, const struct rfl_exporter **exporter,
                                  struct ert_error *error)
{
    char list[256] = "";
    for (size_t i = 0; i < ERT_LENGTH(exporters); i++) {
        *exporter = exporters[i];
        if (strcmp((*exporter)->name, name) == 0)
            return ERT_OK;
        ert_list_add(list, sizeof list, (*exporter)->name);
    }
    return ert_fail(error, ERT_USAGE, "no format '%.64s'; there are: %s", name, list);
}

/* Selects the named device, or all. */
static enum ert_status export_choose_devices(const char *named, struct rfl_export *export,
                                             struct ert_error *error)
{
    const struct ert_ceilings *ceilings = export->ceilings;
    size_t first = 0, last = ceilings->n_devices;
    bool has_any = false;
    if (named) {
        ERT_TRY(rfl_find_device(ceilings, named, &first, error));
        last = first + 1;
    }
    for (size_t i = first; i < last; i++) {
        const struct ert_device_ceilings *device = &ceilings->devices[i];
        has_any |= ert_ceilings_main(device).n > 0;
        export->devices[export->n_devices++] = (struct rfl_export_device){
            ert_machine_device(ceilings->machine, device->device), device};
    }
    return has_any ? ERT_OK
                   : ert_fail(error, ERT_UNAVAILABLE, "%s has no ceilings",
                              named ? named : "the file");
}

enum ert_status rfl_export_write(const struct rfl_exporter *exporter,
                                 const struct ert_ceilings *ceilings,
                                 const struct rfl_export_options *options, FILE *out,
                                 struct ert_error *error)
{
    struct rfl_export export = {.ceilings = ceilings, .out = out};
    ERT_TRY(export_choose_devices(options->device, &export, error));
    for (size_t i = 0; i < export.n_devices && !options->force; i++)
        if (!export.devices[i].ceilings->valid)
            return ert_fail(
                error, ERT_NOT_VALID,
                "the ceilings of %s are not valid: %.600s; --force exports them",
                export.devices[i].ceilings->device, export.devices[i].ceilings->warnings);
    exporter->write(&export);
    return ERT_OK;
}

struct rfl_key_words rfl_key_words(const struct ert_ceiling *ceiling)
{
    const struct ert_ceiling_key *key = &ceiling->key;
    if (ceiling->kind == ERT_CEILING_COMPUTE)
        return (struct rfl_key_words){key->type, key->op, key->unit};
    return (struct rfl_key_words){*key->level ? key->level : key->from,
                                  *key->pattern ? key->pattern : key->of, key->to};
}
