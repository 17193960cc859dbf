#include "analysis/plot/scene.h"

#include "analysis/model.h"
#include "analysis/plot/scene_parts.h"
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

/* The ceiling that stands for its level: the one marked as roof, else the fastest. */
static bool is_better(const struct ert_memory_ceiling *ceiling,
                      const struct ert_memory_ceiling *than)
{
    if (!than || ceiling->roof != than->roof)
        return !than || ceiling->roof;
    return ceiling->common.value > than->common.value;
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
                       const struct ert_device_ceilings *device)
{
    const struct ert_memory_ceiling *best[ERT_MAX_MEMORY] = {0};
    size_t n = 0;
    for (size_t i = 0; i < device->n_memory; i++) {
        const struct ert_memory_ceiling *ceiling = &device->memory[i];
        size_t slot = 0;
        if (!drawable(scene, &ceiling->common))
            continue;
        while (slot < n && strcmp(best[slot]->level, ceiling->level) != 0)
            slot++;
        if (slot == n)
            n++;
        if (is_better(ceiling, best[slot]))
            best[slot] = ceiling;
    }
    for (size_t i = 0; i < n; i++)
        add_level(scene, machine, best[i]);
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
    write_full(scene, roof, name, ert_units_performance(ceiling->common.value, value),
               &ceiling->common);
}

static void add_flats(struct rfl_scene *scene, size_t machine,
                      const struct ert_device_ceilings *device)
{
    for (size_t i = 0; i < device->n_compute; i++) {
        const struct ert_compute_ceiling *ceiling = &device->compute[i];
        const char *name = rfl_scene_flat_name(ceiling);
        if (!name || !rfl_scene_draws_type(scene, ceiling->type) ||
            (scene->n_machines > 1 && strstr(name, "no FMA")))
            continue;
        if (drawable(scene, &ceiling->common))
            add_flat(scene, machine, name, ceiling);
    }
}

/* The types of which a device has a flat, as a list. */
static void list_types(const struct ert_device_ceilings *device, char *list, size_t size)
{
    for (size_t i = 0; i < device->n_compute; i++) {
        size_t used = strlen(list);
        if (rfl_scene_flat_name(&device->compute[i]) &&
            !strstr(list, device->compute[i].type))
            snprintf(list + used, size - used, "%s%s", used ? ", " : "",
                     device->compute[i].type);
    }
}

/* Of which types flats are drawn: scene.h, rfl_scene_options.type. */
static enum ert_status choose_types(struct rfl_scene *scene,
                                    const struct rfl_scene_device *devices,
                                    const struct rfl_scene_options *options,
                                    struct ert_error *error)
{
    char list[128] = "";
    const struct rfl_points *points = options->points;
    for (size_t i = 0; i < scene->n_machines; i++)
        list_types(&devices[i].ceilings->devices[devices[i].index], list, sizeof list);
    if (options->type && strcasecmp(options->type, "all") == 0)
        return ERT_OK;
    if (options->type) {
        snprintf(scene->types[scene->n_types++], sizeof scene->types[0], "%s",
                 options->type);
        if (strcasestr(list, options->type))
            return ERT_OK;
        return ert_fail(error, ERT_USAGE, "no peak of type '%.16s'; there are: %s, all",
                        options->type, list[0] ? list : "none");
    }
    for (size_t i = 0; points && i < points->n; i++)
        for (size_t j = 0; j < points->points[i].n_work; j++) {
            const char *type = points->points[i].work[j].type;
            bool there = scene->n_types && rfl_scene_draws_type(scene, type);
            if (!there && strstr(list, type) && scene->n_types < RFL_MAX_WORK)
                snprintf(scene->types[scene->n_types++], sizeof scene->types[0], "%s",
                         type);
        }
    if (!scene->n_types && scene->n_machines > 1 && strstr(list, "fp64"))
        snprintf(scene->types[scene->n_types++], sizeof scene->types[0], "fp64");
    return ERT_OK;
}

static void add_ridges(struct rfl_scene *scene)
{
    if (!scene->n_flats || scene->n_machines > 1)
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

static void add_machine(struct rfl_scene *scene, const struct ert_ceilings *ceilings,
                        const struct ert_device_ceilings *from,
                        const struct ert_device *device, size_t n)
{
    const struct ert_provenance *provenance = &ceilings->machine->provenance;
    struct rfl_scene_machine *machine = &scene->machines[scene->n_machines];
    char clock[ERT_UNITS_TEXT];
    if (n > 1)
        snprintf(machine->letter, sizeof machine->letter, "%c",
                 (char)('A' + scene->n_machines));
    scene->n_machines++;
    snprintf(machine->name, sizeof machine->name, "%s",
             device->name[0] ? device->name : device->id);
    size_t used = (size_t)snprintf(machine->text, sizeof machine->text, "%s", from->device);
    if (provenance->host[0])
        used += (size_t)snprintf(machine->text + used, sizeof machine->text - used,
                                 " of %s", provenance->host);
    if (ceilings->created[0] && used < sizeof machine->text)
        used += (size_t)snprintf(machine->text + used, sizeof machine->text - used,
                                 ", measured %.10s", ceilings->created);
    if (from->held_hz > 0 && used < sizeof machine->text)
        snprintf(machine->text + used, sizeof machine->text - used, ", clock held %s",
                 ert_units_frequency(from->held_hz, clock));
}

/* Of several machines the title has the names only; the key has the rest. */
static void add_title(struct rfl_scene *scene)
{
    size_t used = (size_t)snprintf(scene->title, sizeof scene->title, "Roofline%s of ",
                                   scene->n_machines > 1 ? "s" : "");
    for (size_t i = 0; i < scene->n_machines && used < sizeof scene->title; i++)
        used += (size_t)snprintf(
            scene->title + used, sizeof scene->title - used, "%s%s%s%s%s",
            i == 0                       ? ""
            : i + 1 == scene->n_machines ? " and "
                                         : ", ",
            scene->machines[i].name, scene->machines[i].letter[0] ? " (" : "",
            scene->machines[i].letter, scene->machines[i].letter[0] ? ")" : "");
    if (scene->n_machines == 1)
        snprintf(scene->subtitle, sizeof scene->subtitle, "%.319s",
                 scene->machines[0].text);
}

static enum ert_status check_device(const struct rfl_scene_device *at,
                                    struct ert_error *error)
{
    if (at->index >= at->ceilings->n_devices || !at->ceilings->machine)
        return ert_fail(error, ERT_USAGE, "no device %zu in the ceilings; there are %zu",
                        at->index, at->ceilings->n_devices);
    const char *id = at->ceilings->devices[at->index].device;
    if (!ert_machine_device(at->ceilings->machine, id))
        return ert_fail(error, ERT_USAGE, "the machine has no device '%s'", id);
    return ERT_OK;
}

static enum ert_status add_machines(struct rfl_scene *scene,
                                    const struct rfl_scene_device *devices, size_t n,
                                    struct ert_error *error)
{
    if (n < 1 || n > RFL_MAX_MACHINES)
        return ert_fail(error, ERT_USAGE, "%zu devices in a chart, must be 1 to %d", n,
                        RFL_MAX_MACHINES);
    for (size_t i = 0; i < n; i++) {
        ERT_TRY(check_device(&devices[i], error));
        const struct ert_device_ceilings *from =
            &devices[i].ceilings->devices[devices[i].index];
        add_machine(scene, devices[i].ceilings, from,
                    ert_machine_device(devices[i].ceilings->machine, from->device), n);
    }
    return ERT_OK;
}

static enum ert_status add_roofs(struct rfl_scene *scene,
                                 const struct rfl_scene_device *devices,
                                 struct ert_error *error)
{
    const struct ert_device_ceilings *from = NULL;
    for (size_t i = 0; i < scene->n_machines; i++) {
        from = &devices[i].ceilings->devices[devices[i].index];
        add_levels(scene, i, from);
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

/* The mixed kernel's points lie on the roofs: beside profiled ones they only take their labels' room. */
static void add_dots(struct rfl_scene *scene, const struct rfl_scene_device *device)
{
    const struct ert_ceilings *ceilings = device->ceilings;
    const struct ert_device_ceilings *from = &ceilings->devices[device->index];
    if (!scene->n_kernels)
        rfl_scene_add_points(scene, from,
                             ert_machine_device(ceilings->machine, from->device));
}

enum ert_status rfl_scene_make_of(const struct rfl_scene_device *devices, size_t n,
                                  const struct rfl_scene_options *options,
                                  struct rfl_scene *scene, struct ert_error *error)
{
    memset(scene, 0, sizeof *scene);
    scene->theory = options->theory;
    ERT_TRY(add_machines(scene, devices, n, error));
    ERT_TRY(choose_types(scene, devices, options, error));
    ERT_TRY(add_roofs(scene, devices, error));
    add_title(scene);
    if (options->points)
        ERT_TRY(rfl_scene_add_kernels(scene, options, error));
    if (n == 1)
        add_dots(scene, devices);
    rfl_scene_add_mixes(scene, options);
    add_ridges(scene);
    rfl_scene_set_axes(scene);
    rfl_scene_add_notes(scene, devices);
    return ERT_OK;
}

enum ert_status rfl_scene_make(const struct ert_ceilings *ceilings, size_t index,
                               bool theory, struct rfl_scene *scene,
                               struct ert_error *error)
{
    const struct rfl_scene_device device = {ceilings, index};
    const struct rfl_scene_options options = {.theory = theory};
    return rfl_scene_make_of(&device, 1, &options, scene, error);
}
