#include "analysis/export/export.h"

#include "analysis/roofs.h"

#include <string.h>

static const struct rfl_exporter *const exporters[] = {
#define RFL_EXPORTER(name) &rfl_export_##name,
#include "analysis/export/formats.def"
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

static struct rfl_export_device device_at(const struct ert_ceilings *ceilings, size_t index)
{
    const struct ert_device_ceilings *device = &ceilings->devices[index];
    return (struct rfl_export_device){ert_machine_device(ceilings->machine, device->device),
                                      device};
}

static bool has_ceilings(struct rfl_export_device device)
{
    return device.ceilings->n_compute || device.ceilings->n_memory;
}

static bool suits(enum rfl_export_devices wanted, struct rfl_export_device device)
{
    bool is_cpu = device.machine->kind == ERT_DEVICE_CPU;
    return wanted == RFL_EXPORT_ALL || wanted == RFL_EXPORT_ONE ||
           is_cpu == (wanted == RFL_EXPORT_ONE_CPU);
}

/* The device that was named; or all; or the first with ceilings that the format is for. */
static enum ert_status choose_devices(const struct rfl_exporter *exporter,
                                      const char *named, struct rfl_export *export,
                                      struct ert_error *error)
{
    static const char *const kinds[] = {"device", "device", "CPU", "GPU"};
    size_t first = 0, last = export->ceilings->n_devices, n = 0;
    bool has_any = false, is_one = exporter->devices != RFL_EXPORT_ALL;
    if (named) {
        ERT_TRY(rfl_find_device(export->ceilings, named, &first, error));
        last = first + 1;
        if (!suits(exporter->devices, device_at(export->ceilings, first)))
            return ert_fail(error, ERT_USAGE, "--device %s: the format is for a %s", named,
                            kinds[exporter->devices]);
    }
    for (size_t i = first; i < last && !(is_one && has_any); i++) {
        struct rfl_export_device device = device_at(export->ceilings, i);
        bool is_usable = has_ceilings(device) && suits(exporter->devices, device);
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

static enum ert_status write(const struct rfl_exporter *exporter, struct rfl_export *export,
                             const struct rfl_export_options *options,
                             struct ert_error *error)
{
    if (!exporter->takes_points && export->points->n)
        return ert_fail(error, ERT_USAGE,
                        "has no place for points of profiles (%zu were given)",
                        export->points->n);
    if (!exporter->takes_type && options->type)
        return ert_fail(error, ERT_USAGE, "--type %.16s: it holds all types",
                        options->type);
    ERT_TRY(choose_devices(exporter, options->device, export, error));
    return exporter->write(export, error);
}

enum ert_status rfl_export_write(const struct rfl_exporter *exporter,
                                 const struct ert_ceilings *ceilings,
                                 const struct rfl_points *points,
                                 const struct rfl_export_options *options, FILE *out,
                                 struct ert_error *error)
{
    const struct rfl_points none = {0};
    struct rfl_export export = {.ceilings = ceilings,
                                .points = points ? points : &none,
                                .type = options->type,
                                .out = out};
    struct ert_error reason;
    enum ert_status status = write(exporter, &export, options, &reason);
    return status == ERT_OK
               ? ERT_OK
               : ert_fail(error, status, "%s: %.900s", exporter->name, reason.text);
}
