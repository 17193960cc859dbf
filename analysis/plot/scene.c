#include "analysis/plot/scene.h"

#include "analysis/model.h"
#include "analysis/plot/scene_parts.h"
#include "ert/base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of equal value, in the file's order: qsort is not stable, so the names decide. */
static int faster_first(const void *left, const void *right)
{
    const struct rfl_roof *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? 1 : -1;
    return strcmp(a->brief, b->brief);
}

static bool drawable(struct rfl_scene *scene, const struct ert_ceiling *ceiling)
{
    if (isfinite(ceiling->value) && ceiling->value > 0)
        return true;
    rfl_scene_note(scene,
                   "Not drawn: %s: its value is %g, a logarithmic axis needs one above 0.",
                   ceiling->name, ceiling->value);
    return false;
}

/* "L2 load 8903 GB/s (85.1 %)": the share of its theoretical peak */
static void write_full(struct rfl_roof *roof, const char *name, const char *value,
                       const struct ert_ceiling *ceiling, bool theory)
{
    int used = snprintf(roof->full, sizeof roof->full, "%s %s", name, value);
    roof->value = ceiling->value;
    roof->theory = 0;
    if (!theory || !(ceiling->theory > 0))
        return;
    roof->theory = ceiling->theory;
    snprintf(roof->full + used, sizeof roof->full - (size_t)used, " (%.1f %%)",
             100 * ceiling->value / ceiling->theory);
}

/* The ceiling that stands for its level: the one marked as roof, else the fastest. */
static bool is_better(const struct ert_memory_ceiling *ceiling,
                      const struct ert_memory_ceiling *than)
{
    if (!than || ceiling->roof != than->roof)
        return !than || ceiling->roof;
    return ceiling->common.value > than->common.value;
}

static void add_levels(struct rfl_scene *scene, const struct ert_device_ceilings *device)
{
    const struct ert_memory_ceiling *best[ERT_MAX_MEMORY] = {0};
    for (size_t i = 0; i < device->n_memory; i++) {
        const struct ert_memory_ceiling *ceiling = &device->memory[i];
        size_t slot = 0;
        if (!drawable(scene, &ceiling->common))
            continue;
        while (slot < scene->n_levels && strcmp(best[slot]->level, ceiling->level) != 0)
            slot++;
        if (slot == scene->n_levels)
            scene->n_levels++;
        if (is_better(ceiling, best[slot]))
            best[slot] = ceiling;
    }
    for (size_t i = 0; i < scene->n_levels; i++) {
        struct rfl_roof *roof = &scene->levels[i];
        char name[40], value[ERT_UNITS_TEXT];
        snprintf(roof->level, sizeof roof->level, "%s", best[i]->level);
        snprintf(roof->brief, sizeof roof->brief, "%s", best[i]->level);
        snprintf(name, sizeof name, "%s %s", best[i]->level, best[i]->pattern);
        write_full(roof, name, ert_units_bandwidth(best[i]->common.value, value),
                   &best[i]->common, scene->theory);
    }
    qsort(scene->levels, scene->n_levels, sizeof scene->levels[0], faster_first);
}

/*
 * What a chart's axis of FLOP/s shows of the compute ceilings, and how each is called. Other types and
 * operations (divisions, integers, 8 bit) are in the file and in the note of what is not drawn: dozens
 * of horizontal lines hide each other.
 */
static const struct {
    const char *type, *op, *name;
} drawn[] = {
    {"fp64", "fma",   "FP64 FMA"   },
    {"fp64", "add",   "FP64 no FMA"},
    {"fp64", "mul",   "FP64 no FMA"},
    {"fp64", "mma",   "FP64 tensor"},
    {"fp32", "fma",   "FP32 FMA"   },
    {"fp32", "add",   "FP32 no FMA"},
    {"fp32", "mul",   "FP32 no FMA"},
    {"tf32", "mma",   "TF32 tensor"},
    {"tf32", "wgmma", "TF32 tensor"},
    {"fp16", "mma",   "FP16 tensor"},
    {"fp16", "wgmma", "FP16 tensor"},
    {"bf16", "amx",   "BF16 AMX"   },
};

const char *rfl_scene_flat_name(const struct ert_compute_ceiling *ceiling)
{
    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0] && ceiling->roof; i++)
        if (strcmp(drawn[i].type, ceiling->type) == 0 &&
            strcmp(drawn[i].op, ceiling->op) == 0)
            return drawn[i].name;
    return NULL;
}

static void add_flats(struct rfl_scene *scene, const struct ert_device_ceilings *device)
{
    for (size_t i = 0; i < device->n_compute; i++) {
        const struct ert_compute_ceiling *ceiling = &device->compute[i];
        const char *name = rfl_scene_flat_name(ceiling);
        char value[ERT_UNITS_TEXT];
        size_t slot = 0;
        if (!name || !drawable(scene, &ceiling->common))
            continue;
        while (slot < scene->n_flats && strcmp(scene->flats[slot].brief, name) != 0)
            slot++;
        struct rfl_roof *roof = &scene->flats[slot];
        if (slot == scene->n_flats)
            scene->n_flats++;
        else if (roof->value >= ceiling->common.value)
            continue; /* the fastest of its name is the roof */
        snprintf(roof->brief, sizeof roof->brief, "%s", name);
        snprintf(roof->type, sizeof roof->type, "%s", ceiling->type);
        roof->no_fma = strstr(name, "no FMA") != NULL;
        write_full(roof, name, ert_units_performance(ceiling->common.value, value),
                   &ceiling->common, scene->theory);
    }
    qsort(scene->flats, scene->n_flats, sizeof scene->flats[0], faster_first);
}

static void add_ridges(struct rfl_scene *scene)
{
    if (!scene->n_flats)
        return;
    while (scene->reference < scene->n_flats &&
           strcmp(scene->flats[scene->reference].brief, "FP64 FMA") != 0)
        scene->reference++;
    scene->reference %= scene->n_flats; /* without FP64, the highest */
    for (size_t i = 0; i < scene->n_levels; i++) {
        struct rfl_ridge *ridge = &scene->ridges[scene->n_ridges++];
        ridge->level = i;
        ridge->perf_flop_per_s = scene->flats[scene->reference].value;
        ridge->intensity_flop_per_byte =
            rfl_model_ridge(scene->levels[i].value, ridge->perf_flop_per_s);
        snprintf(ridge->label, sizeof ridge->label,
                 ridge->intensity_flop_per_byte < 100 ? "%s %#.3g" : "%s %.3g",
                 scene->levels[i].level, ridge->intensity_flop_per_byte);
    }
}

static void add_title(struct rfl_scene *scene, const struct ert_ceilings *ceilings,
                      const struct ert_device_ceilings *from,
                      const struct ert_device *device)
{
    const struct ert_provenance *provenance = &ceilings->machine->provenance;
    char clock[ERT_UNITS_TEXT];
    snprintf(scene->title, sizeof scene->title, "Roofline of %s",
             device->name[0] ? device->name : device->id);
    int used = snprintf(scene->subtitle, sizeof scene->subtitle, "%s", from->device);
    if (provenance->host[0])
        used += snprintf(scene->subtitle + used, sizeof scene->subtitle - (size_t)used,
                         " of %s", provenance->host);
    if (ceilings->created[0])
        used += snprintf(scene->subtitle + used, sizeof scene->subtitle - (size_t)used,
                         ", measured %.10s", ceilings->created);
    if (from->held_hz > 0)
        snprintf(scene->subtitle + used, sizeof scene->subtitle - (size_t)used,
                 ", clock held %s", ert_units_frequency(from->held_hz, clock));
}

enum ert_status rfl_scene_make(const struct ert_ceilings *ceilings, size_t index,
                               bool theory, struct rfl_scene *scene,
                               struct ert_error *error)
{
    memset(scene, 0, sizeof *scene);
    if (index >= ceilings->n_devices || !ceilings->machine)
        return ert_fail(error, ERT_USAGE, "no device %zu in the ceilings; there are %zu",
                        index, ceilings->n_devices);
    const struct ert_device_ceilings *from = &ceilings->devices[index];
    const struct ert_device *device = ert_machine_device(ceilings->machine, from->device);
    if (!device)
        return ert_fail(error, ERT_USAGE, "the machine has no device '%s'", from->device);
    scene->theory = theory;
    add_levels(scene, from);
    add_flats(scene, from);
    if (!scene->n_levels && !scene->n_flats)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s: nothing to draw: no ceiling of 1 per second or more%s%s",
                        from->device, from->n_absent ? "; " : "",
                        from->n_absent ? from->absent[0].reason : "");
    add_title(scene, ceilings, from, device);
    add_ridges(scene);
    rfl_scene_add_points(scene, from, device);
    rfl_scene_set_axes(scene);
    rfl_scene_add_notes(scene, ceilings, from, device);
    return ERT_OK;
}
