/* The caption of a scene: what the picture alone does not say. */
#include "analysis/plot/scene_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LIST_TEXT = 256 /* of names in a note about ceilings */ };

static bool is_told(const struct rfl_scene *scene, const char *text)
{
    for (size_t i = 0; i < scene->n_notes; i++)
        if (strcmp(scene->notes[i], text) == 0)
            return true;
    return false;
}

void rfl_scene_note(struct rfl_scene *scene, const char *format, ...)
{
    char text[RFL_NOTE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (is_told(scene, text))
        return;
    if (scene->n_notes == RFL_MAX_NOTES) {
        snprintf(scene->notes[RFL_MAX_NOTES - 1], RFL_NOTE_TEXT,
                 "More than %d notes: the rest are in the ceilings file.",
                 RFL_MAX_NOTES - 1);
        return;
    }
    memcpy(scene->notes[scene->n_notes++], text, sizeof text);
}

/* Adds ", text" to a list; what does not fit is cut, the ceilings file has it whole. */
static bool join(char *list, size_t size, const char *text)
{
    size_t used = strlen(list);
    if (used + strlen(text) + 3 > size)
        return false; /* whole names only */
    snprintf(list + used, size - used, "%s%s", used ? ", " : "", text);
    return true;
}

static void note_ridges(struct rfl_scene *scene)
{
    char list[LIST_TEXT] = "";
    if (scene->n_machines > 1)
        return;
    for (size_t i = 0; i < scene->n_ridges; i++)
        join(list, sizeof list, scene->ridges[i].label);
    if (scene->n_ridges)
        rfl_scene_note(scene, "Ridge points with %s, in FLOP/byte: %s.",
                       scene->flats[scene->reference].brief, list);
    else
        rfl_scene_note(scene, "No ridge points: there is no %s.",
                       scene->n_levels ? "compute ceiling" : "bandwidth");
    if (scene->n_ridges && scene->n_types == 0 &&
        strcmp(scene->flats[scene->reference].type, "fp64") != 0)
        rfl_scene_note(scene,
                       "There is no FP64 ceiling: ridge points are taken at the highest.");
}

/* Of what is drawn; of one device without points also of what is measured, but not drawn. */
static bool shows_doubt(const struct rfl_scene *scene,
                        const struct ert_compute_ceiling *ceiling)
{
    const char *name = rfl_scene_flat_name(ceiling);
    if (!rfl_scene_draws_type(scene, ceiling->type))
        return false;
    if (scene->n_machines > 1)
        return name && !strstr(name, "no FMA");
    return name || !scene->n_kernels;
}

/* letter: of the machine where there are several, with a blank after it. */
static void note_doubts(struct rfl_scene *scene, const struct ert_device_ceilings *from,
                        const char *letter)
{
    if (!from->trusted)
        rfl_scene_note(scene, "%s%soubtful: %s.", letter, *letter ? "is d" : "D",
                       from->distrust[0] ? from->distrust : "the file gives no reason");
    for (size_t i = 0; i < from->n_compute + from->n_memory; i++) {
        const struct ert_ceiling *ceiling = i < from->n_compute
                                                ? &from->compute[i].common
                                                : &from->memory[i - from->n_compute].common;
        bool shown = i < from->n_compute ? shows_doubt(scene, &from->compute[i])
                                         : from->memory[i - from->n_compute].roof;
        if (shown && ceiling->confidence != ERT_CONFIDENCE_HIGH)
            rfl_scene_note(scene, "Confidence in %s%s is %s%s%s.", letter, ceiling->name,
                           ert_confidence_name(ceiling->confidence),
                           ceiling->doubt[0] ? ": " : "", ceiling->doubt);
        if (shown && ceiling->fraction_of_theory > 1)
            rfl_scene_note(scene, "%s%s is %.1f %% of its theoretical peak: check both.",
                           letter, ceiling->name, 100 * ceiling->fraction_of_theory);
    }
}

/* The compute ceilings that the chart leaves out. */
static void note_undrawn(struct rfl_scene *scene, const struct ert_device_ceilings *from)
{
    char names[LIST_TEXT] = "";
    size_t more = 0;
    for (size_t i = 0; i < from->n_compute; i++)
        if (!(rfl_scene_flat_name(&from->compute[i]) &&
              rfl_scene_draws_type(scene, from->compute[i].type)) &&
            !join(names, sizeof names - 32, from->compute[i].common.name))
            more++;
    if (more)
        snprintf(names + strlen(names), 32, " and %zu more", more);
    if (*names)
        rfl_scene_note(scene, "Measured, not drawn: %s.", names);
}

/* One note per reason, with all the names that it holds for. */
static void note_absent(struct rfl_scene *scene, const struct ert_device_ceilings *from)
{
    for (size_t i = 0; i < from->n_absent; i++) {
        const char *reason = from->absent[i].reason;
        char names[LIST_TEXT] = "";
        size_t more = 0;
        bool told = false;
        for (size_t j = 0; j < i && !told; j++)
            told = strcmp(from->absent[j].reason, reason) == 0;
        for (size_t j = i; j < from->n_absent && !told; j++)
            if (strcmp(from->absent[j].reason, reason) == 0 &&
                !join(names, sizeof names - 32, from->absent[j].name))
                more++;
        if (more)
            snprintf(names + strlen(names), 32, " and %zu more", more);
        if (!told)
            rfl_scene_note(scene, "Not measured: %s: %s.", names, reason);
    }
}

static bool is_absent(const struct ert_device_ceilings *from, const char *level)
{
    for (size_t i = 0; i < from->n_absent; i++)
        if (strncmp(from->absent[i].name, level, strlen(level)) == 0)
            return true;
    return false;
}

/* Levels of the machine that neither a roof nor a reason mentions. */
static void note_levels(struct rfl_scene *scene, const struct ert_device_ceilings *from,
                        const struct ert_device *device)
{
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const char *name = device->levels[i].name;
        bool drawn = false;
        for (size_t j = 0; j < scene->n_levels; j++)
            drawn = drawn || strcmp(scene->levels[j].level, name) == 0;
        if (!drawn && !is_absent(from, name))
            rfl_scene_note(scene, "Not drawn: %s: the file has no bandwidth for it.", name);
    }
}

/* What holds for the ceilings of one device. */
static void note_device(struct rfl_scene *scene, const struct ert_ceilings *ceilings,
                        const struct ert_device_ceilings *from, const char *letter)
{
    char prefix[8];
    snprintf(prefix, sizeof prefix, "%s%s", letter, *letter ? " " : "");
    if (ceilings->status[0] && strcmp(ceilings->status, "complete") != 0)
        rfl_scene_note(scene, "The run %s%sdid not complete: %s.", *letter ? "of " : "",
                       prefix, ceilings->status);
    note_doubts(scene, from, prefix);
}

void rfl_scene_add_notes(struct rfl_scene *scene, const struct rfl_scene_device *devices)
{
    const struct ert_ceilings *ceilings = devices[0].ceilings;
    const struct ert_device_ceilings *from = &ceilings->devices[devices[0].index];
    note_ridges(scene);
    if (scene->theory)
        rfl_scene_note(
            scene, "Thin broken lines: theoretical peaks; in parentheses: what share of "
                   "its own a roof reaches, where one is known.");
    for (size_t i = 0; i < scene->n_machines; i++)
        note_device(scene, devices[i].ceilings,
                    &devices[i].ceilings->devices[devices[i].index],
                    scene->machines[i].letter);
    if (scene->n_machines > 1 || scene->n_kernels) {
        rfl_scene_note(scene, "Not drawn here: other ceilings (`roofline show` lists "
                              "them) and the mixed kernel's points (`roofline plot` of "
                              "the ceilings alone shows them).");
        return;
    }
    note_undrawn(scene, from);
    note_absent(scene, from);
    note_levels(scene, from, ert_machine_device(ceilings->machine, from->device));
}
