/* The roofs of a scene: bandwidths and peaks of its devices. */
#include "analysis/plot/scene_parts.h"

#include "analysis/curve.h"
#include "ert/base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rfl_scene_compare_roofs(const void *left, const void *right)
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
static void write_full(const struct rfl_scene *scene, struct rfl_roof *roof,
                       const char *name, const char *value,
                       const struct ert_ceiling *ceiling)
{
    const char *letter = scene->machines[roof->machine].letter;
    char brief[sizeof roof->brief];
    int used = snprintf(roof->full, sizeof roof->full, "%s%s%s %s", letter,
                        letter[0] ? " " : "", name, value);
    if (letter[0]) {
        snprintf(brief, sizeof brief, "%s %.24s", letter, roof->brief);
        snprintf(roof->brief, sizeof roof->brief, "%s", brief);
    }
    roof->value = ceiling->value;
    roof->theory = 0;
    if (!scene->theory || !(ceiling->theory > 0))
        return;
    roof->theory = ceiling->theory;
    snprintf(roof->full + used, sizeof roof->full - (size_t)used, " (%.1f %%)",
             100 * ceiling->value / ceiling->theory);
}

/* What reads and writes that are not known apart make of a level, where it is worth a band. */
static void add_band(struct rfl_roof *roof, const struct rfl_roofs *roofs)
{
    const struct rfl_accesses unknown = {.read_share = NAN};
    struct rfl_reach reach = rfl_curve_reach(roofs, roof->level, &unknown);
    if (reach.kind != RFL_REACH_BAND)
        return;
    roof->band_low = reach.low;
    roof->band_high = reach.bytes_per_s;
    memcpy(roof->band, reach.name, sizeof roof->band);
}

static void add_level(struct rfl_scene *scene, size_t machine,
                      const struct ert_memory_ceiling *ceiling)
{
    struct rfl_roof *roof = &scene->levels[scene->n_levels];
    char name[40], value[ERT_UNITS_TEXT];
    if (scene->n_levels == ERT_MAX_MEMORY) {
        rfl_scene_note(scene, "Not drawn: %s: a chart holds %d bandwidths.",
                       ceiling->common.name, ERT_MAX_MEMORY);
        return;
    }
    scene->n_levels++;
    roof->machine = machine;
    snprintf(roof->level, sizeof roof->level, "%s", ceiling->level);
    snprintf(roof->brief, sizeof roof->brief, "%s", ceiling->level);
    snprintf(name, sizeof name, "%s %s", ceiling->level, ceiling->pattern);
    write_full(scene, roof, name, ert_units_bandwidth(ceiling->common.value, value),
               &ceiling->common);
}

static void add_levels(struct rfl_scene *scene, size_t machine,
                       const struct rfl_scene_device *at)
{
    const struct ert_device_ceilings *device = &at->ceilings->devices[at->index];
    const struct rfl_roofs_options as_measured = {0};
    struct ert_error none;
    struct rfl_roofs roofs; /* some 70 KiB */
    bool has_roofs =
        rfl_roofs_make(at->ceilings, at->index, &as_measured, &roofs, &none) == ERT_OK;
    for (size_t i = 0; i < device->n_memory; i++) {
        size_t before = scene->n_levels;
        if (!drawable(scene, &device->memory[i].common) ||
            !rfl_is_line(device, &device->memory[i]))
            continue;
        add_level(scene, machine, &device->memory[i]);
        if (has_roofs && scene->n_machines == 1 && scene->n_levels > before)
            add_band(&scene->levels[before], &roofs);
    }
}

/*
 * What a chart's axis of FLOP/s shows of the compute ceilings, and how each is called. Other types and
 * operations (divisions, integers, 8 bit) are in the file and in the note of what is not drawn: dozens
 * of horizontal lines hide each other.
 */
static const struct {
    const char *type, *op, *name;
} drawn[] = {
    {"fp64", "fma",      "FP64 FMA"             },
    {"fp64", "add",      "FP64 no FMA"          },
    {"fp64", "mul",      "FP64 no FMA"          },
    {"fp64", "addmul",   "FP64 no FMA"          },
    {"fp64", "fmaadd",   "FP64 FMA + add"       },
    {"fp64", "fma-3reg", "FP64 FMA, 3 registers"},
    {"fp64", "mma",      "FP64 tensor"          },
    {"fp32", "fma",      "FP32 FMA"             },
    {"fp32", "add",      "FP32 no FMA"          },
    {"fp32", "mul",      "FP32 no FMA"          },
    {"fp32", "addmul",   "FP32 no FMA"          },
    {"fp32", "fmaadd",   "FP32 FMA + add"       },
    {"tf32", "mma",      "TF32 tensor"          },
    {"tf32", "wgmma",    "TF32 tensor"          },
    {"fp16", "mma",      "FP16 tensor"          },
    {"fp16", "wgmma",    "FP16 tensor"          },
    {"bf16", "amx",      "BF16 AMX"             },
};

const char *rfl_scene_flat_name(const struct ert_compute_ceiling *ceiling)
{
    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0] && ceiling->roof; i++)
        if (strcmp(drawn[i].type, ceiling->type) == 0 &&
            strcmp(drawn[i].op, ceiling->op) == 0)
            return drawn[i].name;
    return NULL;
}

bool rfl_scene_is_peak(const char *name)
{
    return !strstr(name, "no FMA") && !strstr(name, "registers") && !strstr(name, "+ add");
}

bool rfl_scene_draws_type(const struct rfl_scene *scene, const char *type)
{
    for (size_t i = 0; i < scene->n_types; i++)
        if (strcasecmp(scene->types[i], type) == 0)
            return true;
    return scene->n_types == 0;
}

/* The flat of a name and machine, or the place of a new one; NULL: there is no place. */
static struct rfl_roof *flat_slot(struct rfl_scene *scene, size_t machine, const char *name)
{
    const char *letter = scene->machines[machine].letter;
    size_t skip = letter[0] ? strlen(letter) + 1 : 0, slot = 0;
    while (slot < scene->n_flats && (scene->flats[slot].machine != machine ||
                                     strcmp(scene->flats[slot].brief + skip, name) != 0))
        slot++;
    return slot < ERT_MAX_COMPUTE ? &scene->flats[slot] : NULL;
}

static void add_flat(struct rfl_scene *scene, size_t machine, const char *name,
                     const struct ert_compute_ceiling *ceiling)
{
    struct rfl_roof *roof = flat_slot(scene, machine, name);
    char value[ERT_UNITS_TEXT];
    if (!roof)
        return;
    if (roof == &scene->flats[scene->n_flats])
        scene->n_flats++;
    else if (roof->value >= ceiling->common.value)
        return; /* the fastest of its name is the roof */
    roof->machine = machine;
    snprintf(roof->brief, sizeof roof->brief, "%s", name);
    snprintf(roof->type, sizeof roof->type, "%s", ceiling->type);
    roof->no_fma = strstr(name, "no FMA") != NULL;
    roof->secondary = !roof->no_fma && !rfl_scene_is_peak(name);
    write_full(scene, roof, name, ert_units_performance(ceiling->common.value, value),
               &ceiling->common);
}

/* FMA and add units at once are a roof where that is more than FMAs alone: adders of their own. */
static bool is_beyond_fma(const struct ert_device_ceilings *device,
                          const struct ert_compute_ceiling *ceiling)
{
    for (size_t i = 0; i < device->n_compute; i++)
        if (strcmp(device->compute[i].type, ceiling->type) == 0 &&
            strcmp(device->compute[i].op, "fma") == 0 &&
            device->compute[i].common.value >= ceiling->common.value)
            return false;
    return true;
}

static void add_flats(struct rfl_scene *scene, size_t machine,
                      const struct ert_device_ceilings *device)
{
    for (size_t i = 0; i < device->n_compute; i++) {
        const struct ert_compute_ceiling *ceiling = &device->compute[i];
        const char *name = rfl_scene_flat_name(ceiling);
        if (!name || !rfl_scene_draws_type(scene, ceiling->type) ||
            (strcmp(ceiling->op, "fmaadd") == 0 && !is_beyond_fma(device, ceiling)) ||
            (scene->n_machines > 1 && !rfl_scene_is_peak(name)))
            continue;
        if (drawable(scene, &ceiling->common))
            add_flat(scene, machine, name, ceiling);
    }
}

static bool is_memory(const char *level)
{
    static const char *const names[] = {"HBM", "DRAM", "MCDRAM", "memory"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], level) == 0)
            return true;
    return false;
}

/* The only memory of a machine, or NULL. */
static const struct rfl_roof *memory_of(const struct rfl_scene *scene, size_t machine)
{
    const struct rfl_roof *found = NULL;
    for (size_t i = 0; i < scene->n_levels; i++) {
        const struct rfl_roof *roof = &scene->levels[i];
        if (roof->machine != machine || !is_memory(roof->level))
            continue;
        if (found)
            return NULL;
        found = roof;
    }
    return found;
}

const struct rfl_roof *rfl_scene_level(const struct rfl_scene *scene, const char *level)
{
    const struct rfl_roof *roof = NULL;
    for (size_t i = 0; i < scene->n_levels; i++)
        if (strcmp(scene->levels[i].level, level) == 0)
            return &scene->levels[i];
    for (size_t i = 0; i < scene->n_machines && !roof && is_memory(level); i++)
        roof = memory_of(scene, i);
    return roof;
}

enum ert_status rfl_scene_add_roofs(struct rfl_scene *scene,
                                    const struct rfl_scene_device *devices,
                                    struct ert_error *error)
{
    const struct ert_device_ceilings *from = NULL;
    for (size_t i = 0; i < scene->n_machines; i++) {
        from = &devices[i].ceilings->devices[devices[i].index];
        add_levels(scene, i, &devices[i]);
        add_flats(scene, i, from);
    }
    qsort(scene->levels, scene->n_levels, sizeof scene->levels[0], rfl_scene_compare_roofs);
    qsort(scene->flats, scene->n_flats, sizeof scene->flats[0], rfl_scene_compare_roofs);
    if (scene->n_levels || scene->n_flats)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "%s: nothing to draw: no ceiling of 1 per second or more%s%s",
                    from->device, from->n_absent ? "; " : "",
                    from->n_absent ? from->absent[0].reason : "");
}
