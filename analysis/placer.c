#include "analysis/placer.h"

#include "analysis/import/import.h"
#include "analysis/roofline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kind of device that a point's format is of; false for formats of both. */
static bool kind_of(const struct rfl_point *point, enum ert_device_kind *kind)
{
    size_t n;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(importers[i]->name, point->format) == 0) {
            *kind =
                importers[i]->device == RFL_IMPORT_GPU ? ERT_DEVICE_GPU : ERT_DEVICE_CPU;
            return importers[i]->device != RFL_IMPORT_ANY;
        }
    return false;
}

/* Whether all points are of formats of one kind. */
static bool find_kind(const struct rfl_points *points, enum ert_device_kind *kind)
{
    bool found = false;
    for (size_t p = 0; p < points->n; p++) {
        enum ert_device_kind own;
        if (!kind_of(&points->points[p], &own) || (found && *kind != own))
            return false;
        *kind = own;
        found = true;
    }
    return found;
}

static enum ert_status choose_device(const struct ert_ceilings *ceilings,
                                     const struct rfl_points *points,
                                     const struct rfl_placer_options *options,
                                     size_t *index, struct ert_error *error)
{
    enum ert_device_kind kind = ERT_DEVICE_CPU;
    *index = 0;
    if (options->device)
        return rfl_find_device(ceilings, options->device, index, error);
    if (ceilings->n_devices == 1)
        return ERT_OK;
    if (find_kind(points, &kind))
        for (size_t i = 0; i < ceilings->n_devices; i++) {
            const struct ert_device *device =
                ert_machine_device(ceilings->machine, ceilings->devices[i].device);
            if (device && device->kind == kind) {
                *index = i;
                return ERT_OK;
            }
        }
    struct ert_error list;
    rfl_find_device(ceilings, "", index, &list);
    const char *ids = strrchr(list.text, ':');
    return ert_fail(error, ERT_USAGE,
                    "the ceilings have several devices: say which with --device; there "
                    "are%s",
                    ids ? ids : " none");
}

/* What the roofs must be for: the option, or what the point knows; 0 as in the sweep. */
static double condition(double option, double of_code)
{
    if (option == RFL_OF_CODE)
        return of_code;
    return option > 0 ? option : 0;
}

static struct rfl_roofs_options conditions_of(const struct rfl_placer *placer,
                                              const struct rfl_point *point)
{
    const struct rfl_placer_options *options = &placer->options;
    return (struct rfl_roofs_options){
        .theory = options->theory,
        .clock_hz = condition(options->clock_hz, point->clock_hz),
        .memory_clock_hz = options->clock_hz == RFL_OF_CODE ? point->memory_clock_hz : 0,
        .warps_per_sm = condition(options->concurrency, point->warps_per_sm),
        .threads = condition(options->concurrency, point->threads)};
}

static bool same(const struct rfl_roofs_options *a, const struct rfl_roofs_options *b)
{
    return a->theory == b->theory && a->clock_hz == b->clock_hz &&
           a->memory_clock_hz == b->memory_clock_hz && a->warps_per_sm == b->warps_per_sm &&
           a->threads == b->threads;
}

static const char *kind_name(enum ert_device_kind kind)
{
    return kind == ERT_DEVICE_GPU ? "GPU" : "CPU";
}

/* Bytes and times of a GPU under a CPU's roofs are a percentage of nothing. */
static enum ert_status refuse_strangers(const struct rfl_points *points,
                                        struct rfl_placer *placer, struct ert_error *error)
{
    for (size_t p = 0; points && p < points->n; p++) {
        const struct rfl_point *point = &points->points[p];
        enum ert_device_kind kind;
        if (!kind_of(point, &kind) || kind == placer->roofs->kind)
            continue;
        if (!placer->options.force)
            return ert_fail(
                error, ERT_USAGE,
                "%.100s: the profile (%.100s, %.32s) is of a %s, the ceilings of "
                "%s are of a %s; --force compares them nevertheless",
                point->name, *point->source ? point->source : "no file", point->format,
                kind_name(kind), placer->roofs->device, kind_name(placer->roofs->kind));
        snprintf(
            placer->mismatch, sizeof placer->mismatch,
            "the profile is of a %s, the ceilings of a %s: shares of roofs mean nothing "
            "between them",
            kind_name(kind), kind_name(placer->roofs->kind));
    }
    return ERT_OK;
}

/* Importers of GPU profiles name the compute capability in the origin: "cc 9.0". */
static void compare_origin(const struct rfl_points *points, struct rfl_placer *placer)
{
    const struct ert_device *device = ert_machine_device(
        placer->ceilings->machine, placer->ceilings->devices[placer->device].device);
    const char *at = points && points->origin ? strstr(points->origin, "cc ") : NULL;
    unsigned int major, minor;
    if (!at || !device || device->kind != ERT_DEVICE_GPU || !device->gpu.cc_major ||
        sscanf(at, "cc %2u.%2u", &major, &minor) != 2 ||
        (major == device->gpu.cc_major && minor == device->gpu.cc_minor))
        return;
    snprintf(placer->mismatch, sizeof placer->mismatch,
             "the profile is of a GPU of cc %u.%u, the ceilings of one of cc %u.%u: shares "
             "of roofs mean nothing between them",
             major, minor, device->gpu.cc_major, device->gpu.cc_minor);
}

enum ert_status rfl_placer_open(const struct ert_ceilings *ceilings,
                                const struct rfl_points *points,
                                const struct rfl_placer_options *options,
                                struct rfl_placer *placer, struct ert_error *error)
{
    *placer = (struct rfl_placer){
        .ceilings = ceilings, .options = *options, .conditions.theory = options->theory};
    ERT_TRY(choose_device(ceilings, points, options, &placer->device, error));
    compare_origin(points, placer);
    placer->roofs = calloc(1, sizeof *placer->roofs);
    if (!placer->roofs)
        return ert_fail(error, ERT_FAILED, "no memory for the roofs of a device");
    enum ert_status status =
        rfl_roofs_make(ceilings, placer->device, &placer->conditions, placer->roofs, error);
    if (status == ERT_OK)
        status = refuse_strangers(points, placer, error);
    if (status != ERT_OK)
        rfl_placer_close(placer);
    return status;
}

bool rfl_placer_suits(const struct rfl_placer *placer, const struct rfl_point *point)
{
    enum ert_device_kind kind;
    return !kind_of(point, &kind) || kind == placer->roofs->kind;
}

enum ert_status rfl_placer_place(struct rfl_placer *placer, const struct rfl_point *point,
                                 struct rfl_placement *placement, struct ert_error *error)
{
    struct rfl_roofs_options wanted = conditions_of(placer, point);
    if (!same(&wanted, &placer->conditions)) {
        placer->conditions = wanted;
        ERT_TRY(rfl_roofs_make(placer->ceilings, placer->device, &wanted, placer->roofs,
                               error));
    }
    rfl_place(point, placer->roofs, placement);
    return ERT_OK;
}

void rfl_placer_close(struct rfl_placer *placer)
{
    if (!placer)
        return;
    free(placer->roofs);
    placer->roofs = NULL;
}
