#include "analysis/export/common.h"

#include "analysis/roofs.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

const char *rfl_export_type(const struct rfl_export *export)
{
    return export->type ? export->type : "fp64";
}

const struct ert_compute_ceiling *rfl_export_compute(const struct rfl_export_device *device,
                                                     const char *type, const char *op)
{
    const struct ert_compute_ceiling *best = NULL;
    for (size_t i = 0; i < device->ceilings->n_compute; i++) {
        const struct ert_compute_ceiling *ceiling = &device->ceilings->compute[i];
        if (strcmp(ceiling->type, type) == 0 && (!op || strcmp(ceiling->op, op) == 0) &&
            ceiling->common.value > 0 &&
            (!best || ceiling->common.value > best->common.value))
            best = ceiling;
    }
    return best;
}

static void list_types(const struct ert_device_ceilings *device, char *list, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < device->n_compute; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= strcmp(device->compute[k].type, device->compute[i].type) == 0;
        if (!seen && used < size)
            used += (size_t)snprintf(list + used, size - used, "%s%s", used ? ", " : "",
                                     device->compute[i].type);
    }
}

enum ert_status rfl_export_peak(const struct rfl_export *export,
                                const struct ert_compute_ceiling **peak,
                                struct ert_error *error)
{
    const struct rfl_export_device *device = &export->devices[0];
    const char *type = rfl_export_type(export);
    char list[160] = "";
    if (strcmp(rfl_export_operation(type), "flop") != 0)
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

const struct ert_memory_ceiling *rfl_export_level(const struct rfl_export_device *device,
                                                  const char *level, const char *pattern)
{
    for (size_t i = 0; i < device->ceilings->n_memory; i++) {
        const struct ert_memory_ceiling *ceiling = &device->ceilings->memory[i];
        if (strcmp(ceiling->level, level) == 0 && ceiling->common.value > 0 &&
            (pattern ? strcmp(ceiling->pattern, pattern) == 0
                     : rfl_is_line(device->ceilings, ceiling)))
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
                                 const struct ert_memory_ceiling *roofs[ERT_MAX_LEVELS],
                                 size_t *n, struct ert_error *error)
{
    const struct ert_device_ceilings *device = export->devices[0].ceilings;
    *n = 0;
    for (size_t i = 0; i < device->n_memory && *n < ERT_MAX_LEVELS; i++) {
        const struct ert_memory_ceiling *ceiling = &device->memory[i];
        if (!rfl_is_line(device, ceiling) || strcmp(ceiling->level, "shared") == 0)
            continue;
        size_t at = (*n)++;
        for (; at > 0 && roofs[at - 1]->common.value < ceiling->common.value; at--)
            roofs[at] = roofs[at - 1];
        roofs[at] = ceiling;
    }
    return *n ? ERT_OK
              : ert_fail(error, ERT_UNAVAILABLE, "%s has no memory ceiling",
                         device->device);
}

const char *rfl_export_operation(const char *type)
{
    for (int i = 0; i < ERT_N_TYPES; i++)
        if (strcmp(ert_type_name((enum ert_type)i), type) == 0)
            return ert_type_operation((enum ert_type)i);
    return "flop";
}

void rfl_export_escaped(FILE *out, const char *text, const char *special)
{
    for (; *text; text++)
        if (*text == '\n')
            fputs("\\n", out);
        else if ((unsigned char)*text < ' ' || *text == 0x7f)
            fputc('?', out);
        else
            fprintf(out, "%s%c", strchr(special, *text) ? "\\" : "", *text);
}

double rfl_export_epoch(const struct ert_ceilings *ceilings)
{
    struct tm date = {0};
    const char *end = strptime(ceilings->created, "%Y-%m-%dT%H:%M:%SZ", &date);
    return end ? (double)timegm(&date) : 0;
}
