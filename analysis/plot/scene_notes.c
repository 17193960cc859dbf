/* The caption of a scene: what the picture alone does not say. */
#include "analysis/plot/scene_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rfl_scene_note(struct rfl_scene *scene, const char *format, ...)
{
    if (scene->n_notes == RFL_MAX_NOTES) {
        snprintf(scene->notes[RFL_MAX_NOTES - 1], RFL_NOTE_TEXT,
                 "More than %d notes: the rest are in the ceilings file.",
                 RFL_MAX_NOTES - 1);
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(scene->notes[scene->n_notes++], RFL_NOTE_TEXT, format, arguments);
    va_end(arguments);
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
    char list[RFL_NOTE_TEXT / 2] = "";
    for (size_t i = 0; i < scene->n_ridges; i++)
        join(list, sizeof list, scene->ridges[i].label);
    if (scene->n_ridges)
        rfl_scene_note(scene, "Ridge points with %s, in FLOP/byte: %s.",
                       scene->flats[scene->reference].brief, list);
    else
        rfl_scene_note(scene, "No ridge points: there is no %s.",
                       scene->n_levels ? "compute ceiling" : "bandwidth");
    if (scene->n_ridges && strcmp(scene->flats[scene->reference].type, "fp64") != 0)
        rfl_scene_note(scene,
                       "There is no FP64 ceiling: ridge points are taken at the highest.");
}

static void note_doubts(struct rfl_scene *scene, const struct ert_device_ceilings *from)
{
    if (!from->trusted)
        rfl_scene_note(scene, "Doubtful: %s.",
                       from->distrust[0] ? from->distrust : "the file gives no reason");
    for (size_t i = 0; i < from->n_compute + from->n_memory; i++) {
        const struct ert_ceiling *ceiling = i < from->n_compute
                                                ? &from->compute[i].common
                                                : &from->memory[i - from->n_compute].common;
        bool shown = i < from->n_compute || from->memory[i - from->n_compute].roof;
        if (shown && ceiling->confidence != ERT_CONFIDENCE_HIGH)
            rfl_scene_note(scene, "Confidence in %s is %s%s%s.", ceiling->name,
                           ert_confidence_name(ceiling->confidence),
                           ceiling->doubt[0] ? ": " : "", ceiling->doubt);
        if (shown && ceiling->fraction_of_theory > 1)
            rfl_scene_note(scene, "%s is %.1f %% of its theoretical peak: check both.",
                           ceiling->name, 100 * ceiling->fraction_of_theory);
    }
}

/* The compute ceilings that the chart leaves out. */
static void note_undrawn(struct rfl_scene *scene, const struct ert_device_ceilings *from)
{
    char names[RFL_NOTE_TEXT / 2] = "";
    size_t more = 0;
    for (size_t i = 0; i < from->n_compute; i++)
        if (!rfl_scene_flat_name(&from->compute[i]) &&
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
        char names[RFL_NOTE_TEXT / 2] = "";
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

void rfl_scene_add_notes(struct rfl_scene *scene, const struct ert_ceilings *ceilings,
                         const struct ert_device_ceilings *from,
                         const struct ert_device *device)
{
    note_ridges(scene);
    if (scene->theory)
        rfl_scene_note(
            scene, "Thin broken lines: theoretical peaks; in parentheses: what share of "
                   "its own a roof reaches, where one is known.");
    if (ceilings->status[0] && strcmp(ceilings->status, "complete") != 0)
        rfl_scene_note(scene, "The run did not complete: %s.", ceilings->status);
    note_doubts(scene, from);
    note_undrawn(scene, from);
    note_absent(scene, from);
    note_levels(scene, from, device);
}
