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

static struct rfl_export_device device_at(const struct ert_ceilings *ceilings, size_t index)
{
    const struct ert_device_ceilings *device = &ceilings->devices[index];
    return (struct rfl_export_device){ert_machine_device(ceilings->machine, device->device),
                                      device};
}

static bool export_suits(enum rfl_export_devices wanted, struct rfl_export_device device)
{
    return wanted != RFL_EXPORT_ONE_GPU || device.machine->kind == ERT_DEVICE_GPU;
}

/* Selects the named device; or all; or the first with ceilings of a kind that the format supports. */
static enum ert_status export_choose_devices(const struct rfl_exporter *exporter,
                                             const char *named, struct rfl_export *export,
                                             struct ert_error *error)
{
    static const char *const kinds[] = {"device", "device", "GPU"};
    size_t first = 0, last = export->ceilings->n_devices, n = 0;
    bool has_any = false, is_one = exporter->devices != RFL_EXPORT_ALL;
    if (named) {
        ERT_TRY(rfl_find_device(export->ceilings, named, &first, error));
        last = first + 1;
        if (!export_suits(exporter->devices, device_at(export->ceilings, first)))
            return ert_fail(error, ERT_USAGE, "--device %s: the format is for a %s", named,
                            kinds[exporter->devices]);
    }
    for (size_t i = first; i < last && !(is_one && has_any); i++) {
        struct rfl_export_device device = device_at(export->ceilings, i);
        bool is_usable = ert_ceilings_main(device.ceilings).n > 0 &&
                         export_suits(exporter->devices, device);
        has_any = has_any || is_usable;
        if (is_usable || !is_one)
            export->devices[n++] = device;
    }
    export->n_devices = n;
    if (has_any)
        return ERT_OK;
    if (named)
        return ert_fail(error, ERT_UNAVAILABLE, "%s has no ceilings", named);
    return ert_fail(error, ERT_UNAVAILABLE, "the file has no ceilings of a %s",
                    kinds[exporter->devices]);
}

const char *rfl_export_mark(const struct rfl_export_device *device)
{
    return device->ceilings->valid ? "" : " (NOT VALID)";
}

static enum ert_status export_write(const struct rfl_exporter *exporter,
                                    struct rfl_export *export,
                                    const struct rfl_export_options *options,
                                    struct ert_error *error)
{
    if (!exporter->takes_type && options->type)
        return ert_fail(error, ERT_USAGE, "--type %.16s: it holds all types",
                        options->type);
    ERT_TRY(export_choose_devices(exporter, options->device, export, error));
    for (size_t i = 0; i < export->n_devices && !options->force; i++)
        if (!export->devices[i].ceilings->valid)
            return ert_fail(
                error, ERT_NOT_VALID,
                "the ceilings of %s are not valid: %.600s; --force exports them",
                export->devices[i].ceilings->device, export->devices[i].ceilings->warnings);
    return exporter->write(export, error);
}

enum ert_status rfl_export_write(const struct rfl_exporter *exporter,
                                 const struct ert_ceilings *ceilings,
                                 const struct rfl_export_options *options, FILE *out,
                                 struct ert_error *error)
{
    struct rfl_export export = {.ceilings = ceilings, .type = options->type, .out = out};
    struct ert_error reason;
    enum ert_status status = export_write(exporter, &export, options, &reason);
    return status == ERT_OK
               ? ERT_OK
               : ert_fail(error, status, "%s: %.900s", exporter->name, reason.text);
}

const struct ert_ceiling *rfl_export_compute(const struct rfl_export_device *device,
                                             const char *type, const char *op)
{
    const struct ert_ceiling *best = NULL;
    const struct ert_ceiling_span of =
        ert_ceilings_of(device->ceilings, ERT_CEILING_COMPUTE);
    for (size_t i = 0; i < of.n; i++) {
        const struct ert_ceiling *ceiling = &of.at[i];
        if (strcmp(ceiling->key.type, type) == 0 &&
            (!op || strcmp(ceiling->key.op, op) == 0) && ceiling->value > 0 &&
            (!best || ceiling->value > best->value))
            best = ceiling;
    }
    return best;
}

static void list_types(const struct ert_device_ceilings *device, char *list, size_t size)
{
    const struct ert_ceiling_span of = ert_ceilings_of(device, ERT_CEILING_COMPUTE);
    for (size_t i = 0; i < of.n; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= strcmp(of.at[k].key.type, of.at[i].key.type) == 0;
        if (!seen)
            ert_list_add(list, size, of.at[i].key.type);
    }
}

enum ert_status rfl_export_peak(const struct rfl_export *export,
                                const struct ert_ceiling **peak, struct ert_error *error)
{
    const struct rfl_export_device *device = &export->devices[0];
    const char *type = export->type ? export->type : "fp64";
    char list[160] = "";
    if (ert_unit_of_type(type) != ERT_UNIT_FLOP_PER_S)
        return ert_fail(error, ERT_USAGE,
                        "--type %.16s: its operations are no floating-point ones", type);
    *peak = rfl_export_compute(device, type, "fma");
    if (!*peak)
        *peak = rfl_export_compute(device, type, NULL);
    if (*peak)
        return ERT_OK;
    list_types(device->ceilings, list, sizeof list);
    return ert_fail(error, export->type ? ERT_USAGE : ERT_UNAVAILABLE,
                    "%s has no peak of type %.16s; there are: %s", device->ceilings->device,
                    type, list[0] ? list : "none");
}

/*
 * Whether a ceiling is its level's one number where a format has no more: the loads', whose name stays the
 * same from run to run, as the fastest pattern's does not; the roof where loads were not measured.
 */
static bool stands_for(const struct ert_device_ceilings *device,
                       const struct ert_ceiling *ceiling)
{
    bool is_load = strcmp(ceiling->key.pattern, "load") == 0;
    const struct ert_ceiling_span of = ert_ceilings_of(device, ERT_CEILING_MEMORY);
    for (size_t i = 0; i < of.n && !is_load; i++)
        if (strcmp(of.at[i].key.level, ceiling->key.level) == 0 &&
            strcmp(of.at[i].key.pattern, "load") == 0)
            return false;
    return is_load || ceiling->is_roof;
}

const struct ert_ceiling *rfl_export_level(const struct rfl_export_device *device,
                                           const char *level, const char *pattern)
{
    const struct ert_ceiling_span of =
        ert_ceilings_of(device->ceilings, ERT_CEILING_MEMORY);
    for (size_t i = 0; i < of.n; i++) {
        const struct ert_ceiling *ceiling = &of.at[i];
        if (strcmp(ceiling->key.level, level) == 0 && ceiling->value > 0 &&
            (pattern ? strcmp(ceiling->key.pattern, pattern) == 0
                     : stands_for(device->ceilings, ceiling)))
            return ceiling;
    }
    return NULL;
}

const char *rfl_export_memory(const struct rfl_export_device *device)
{
    for (uint32_t i = 0; i < device->machine->n_levels; i++)
        if (device->machine->levels[i].kind == ERT_LEVEL_MEMORY)
            return device->machine->levels[i].name;
    return NULL;
}

enum ert_status rfl_export_roofs(const struct rfl_export *export,
                                 const struct ert_ceiling *roofs[ERT_MAX_LEVELS], size_t *n,
                                 struct ert_error *error)
{
    const struct ert_device_ceilings *device = export->devices[0].ceilings;
    *n = 0;
    const struct ert_ceiling_span of = ert_ceilings_of(device, ERT_CEILING_MEMORY);
    for (size_t i = 0; i < of.n && *n < ERT_MAX_LEVELS; i++) {
        const struct ert_ceiling *ceiling = &of.at[i];
        if (!stands_for(device, ceiling) || strcmp(ceiling->key.level, "shared") == 0)
            continue;
        size_t at = (*n)++;
        for (; at > 0 && roofs[at - 1]->value < ceiling->value; at--)
            roofs[at] = roofs[at - 1];
        roofs[at] = ceiling;
    }
    return *n ? ERT_OK
              : ert_fail(error, ERT_UNAVAILABLE, "%s has no memory ceiling",
                         device->device);
}
