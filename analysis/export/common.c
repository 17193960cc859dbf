#include "analysis/export/common.h"

#include "analysis/roofline.h"
#include "analysis/roofs.h"

#include <stdio.h>
#include <string.h>

struct rfl_export_device rfl_export_at(const struct ert_ceilings *ceilings, size_t index)
{
    const struct ert_device_ceilings *device = &ceilings->devices[index];
    return (struct rfl_export_device){ert_machine_device(ceilings->machine, device->device),
                                      device};
}

static bool has_ceilings(const struct ert_device_ceilings *device)
{
    return device->n_compute || device->n_memory;
}

static bool is_for(struct rfl_export_device device, enum rfl_export_for kind)
{
    return kind == RFL_EXPORT_FOR_ANY ||
           (device.machine->kind == ERT_DEVICE_CPU) == (kind == RFL_EXPORT_FOR_CPU);
}

enum ert_status rfl_export_pick(const struct ert_ceilings *ceilings,
                                const struct rfl_export_options *options,
                                enum rfl_export_for kind, const char *format,
                                struct rfl_export_device *device, struct ert_error *error)
{
    static const char *const words[] = {"device", "CPU", "GPU"};
    size_t index;
    if (options->device) {
        ERT_TRY(rfl_find_device(ceilings, options->device, &index, error));
        *device = rfl_export_at(ceilings, index);
        if (!is_for(*device, kind))
            return ert_fail(error, ERT_USAGE, "%s: --device %s: the format is for a %s",
                            format, options->device, words[kind]);
        if (!has_ceilings(device->ceilings))
            return ert_fail(error, ERT_UNAVAILABLE, "%s: %s has no ceilings", format,
                            options->device);
        return ERT_OK;
    }
    for (index = 0; index < ceilings->n_devices; index++) {
        *device = rfl_export_at(ceilings, index);
        if (is_for(*device, kind) && has_ceilings(device->ceilings))
            return ERT_OK;
    }
    return ert_fail(error, ERT_UNAVAILABLE, "%s: the file has ceilings of no %s", format,
                    words[kind]);
}

enum ert_status rfl_export_range(const struct ert_ceilings *ceilings,
                                 const struct rfl_export_options *options,
                                 const char *format, size_t *first, size_t *last,
                                 struct ert_error *error)
{
    *first = 0;
    *last = ceilings->n_devices;
    if (options->device) {
        ERT_TRY(rfl_find_device(ceilings, options->device, first, error));
        *last = *first + 1;
    }
    for (size_t i = *first; i < *last; i++)
        if (has_ceilings(&ceilings->devices[i]))
            return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE, "%s: the file has no ceilings%s%s", format,
                    options->device ? " of " : "", options->device ? options->device : "");
}

enum ert_status rfl_export_no_points(const struct rfl_points *points, const char *format,
                                     struct ert_error *error)
{
    if (points && points->n)
        return ert_fail(error, ERT_USAGE,
                        "%s: has no place for points of profiles (%zu were given)", format,
                        points->n);
    return ERT_OK;
}

enum ert_status rfl_export_no_type(const struct rfl_export_options *options,
                                   const char *format, struct ert_error *error)
{
    if (options->type)
        return ert_fail(error, ERT_USAGE, "%s: --type %.16s: it holds all types", format,
                        options->type);
    return ERT_OK;
}

const char *rfl_export_type(const struct rfl_export_options *options)
{
    return options->type ? options->type : "fp64";
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

enum ert_status rfl_export_peak(const struct rfl_export_device *device,
                                const struct rfl_export_options *options,
                                const char *format, const struct ert_compute_ceiling **peak,
                                struct ert_error *error)
{
    const char *type = rfl_export_type(options);
    char list[160] = "";
    if (strcmp(rfl_export_operation(type), "flop") != 0)
        return ert_fail(error, ERT_USAGE,
                        "%s: --type %.16s: its operations are no floating-point ones",
                        format, type);
    *peak = rfl_export_compute(device, type, "fma");
    if (!*peak)
        *peak = rfl_export_compute(device, type, NULL);
    if (*peak)
        return ERT_OK;
    list_types(device->ceilings, list, sizeof list);
    return ert_fail(error, options->type ? ERT_USAGE : ERT_UNAVAILABLE,
                    "%s: %s has no peak of type %.16s; there are: %s", format,
                    device->ceilings->device, type, list[0] ? list : "none");
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

size_t rfl_export_roofs(const struct rfl_export_device *device, bool scratchpads,
                        const struct ert_memory_ceiling *roofs[ERT_MAX_LEVELS])
{
    size_t n = 0;
    for (size_t i = 0; i < device->ceilings->n_memory && n < ERT_MAX_LEVELS; i++) {
        const struct ert_memory_ceiling *ceiling = &device->ceilings->memory[i];
        bool scratchpad = strcmp(ceiling->level, "shared") == 0;
        if (!rfl_is_line(device->ceilings, ceiling) || (scratchpad && !scratchpads))
            continue;
        size_t at = n++;
        for (; at > 0 && roofs[at - 1]->common.value < ceiling->common.value; at--)
            roofs[at] = roofs[at - 1];
        roofs[at] = ceiling;
    }
    return n;
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

/* Days since 1970-01-01 of a date of the Gregorian calendar, by counting whole years. */
static double days_since_1970(int year, int month, int day)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0, past = year - 1;
    int leaps = past / 4 - past / 100 + past / 400 - 477; /* 477 before 1970 */
    return (year - 1970) * 365.0 + leaps + before[month - 1] + (leap && month > 2) + day -
           1;
}

double rfl_export_epoch(const struct ert_ceilings *ceilings)
{
    int year, month, day, hour, minute, second;
    if (sscanf(ceilings->created, "%4d-%2d-%2dT%2d:%2d:%2dZ", &year, &month, &day, &hour,
               &minute, &second) != 6 ||
        year < 1970 || month < 1 || month > 12)
        return 0;
    return days_since_1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
}
