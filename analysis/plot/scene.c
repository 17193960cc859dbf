#include "analysis/plot/scene.h"

#include "analysis/model.h"
#include "analysis/plot/scene_parts.h"
#include "ert/base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Of several machines the title has the names only; the key has the rest. A title given is for one. */
static void add_title(struct rfl_scene *scene, const char *title)
{
    if (title && scene->n_machines == 1) {
        snprintf(scene->title, sizeof scene->title, "%s", title);
        snprintf(scene->subtitle, sizeof scene->subtitle, "%.100s, %.200s",
                 scene->machines[0].name, scene->machines[0].text);
        return;
    }
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
    ERT_TRY(rfl_scene_add_roofs(scene, devices, error));
    add_title(scene, options->title);
    if (options->points)
        ERT_TRY(rfl_scene_add_kernels(scene, options, error));
    if (n == 1)
        add_dots(scene, devices);
    rfl_scene_add_mixes(scene, options);
    add_ridges(scene);
    rfl_scene_set_axes(scene, options->close);
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
