/* The caption of a scene: what the picture alone does not say. */
#include "analysis/plot/scene_parts.h"

#include "analysis/roofs.h"
#include "ert/base/units.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of names in a note about ceilings, about roofs; "and N more" behind those that fit. */
enum { LIST_TEXT = 256, ROOFS_TEXT = 1024, MORE_TEXT = 32 };

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

/* Adds ", text" to a list; false when it does not fit. */
static bool join(char *list, size_t size, const char *text)
{
    size_t used = strlen(list);
    if (used + strlen(text) + 3 > size)
        return false; /* whole names only */
    snprintf(list + used, size - used, "%s%s", used ? ", " : "", text);
    return true;
}

static void end_list(char *list, size_t more)
{
    if (more)
        snprintf(list + strlen(list), MORE_TEXT, " and %zu more", more);
}

static void note_ridges(struct rfl_scene *scene)
{
    char list[ROOFS_TEXT] = "";
    size_t more = 0;
    if (scene->n_machines > 1)
        return;
    for (size_t i = 0; i < scene->n_ridges; i++)
        more += !join(list, sizeof list - MORE_TEXT, scene->ridges[i].label);
    end_list(list, more);
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

/* A kind of doubt of drawn roofs: its words, of the worst, and the names. */
struct doubt {
    const char *text;
    double worst;
    size_t n, more;
    char names[96];
};
enum { MAX_DOUBTS = 8 };

/* The words before the first number: "wide interval: " of "wide interval: 41 % of the value". */
static size_t kind_length(const char *text)
{
    return strcspn(text, "0123456789");
}

static void add_doubt(struct doubt doubts[MAX_DOUBTS], size_t *n, const char *text,
                      const char *name)
{
    size_t at = 0, length = kind_length(text);
    double number = strtod(text + length, NULL);
    while (at < *n && (kind_length(doubts[at].text) != length ||
                       strncmp(doubts[at].text, text, length) != 0))
        at++;
    if (at == *n && at >= MAX_DOUBTS - 1) {
        at = MAX_DOUBTS - 1;
        text = "doubts of other kinds";
        number = 0;
    }
    struct doubt *doubt = &doubts[at];
    if (at == *n) {
        *doubt = (struct doubt){.text = text, .worst = number};
        ++*n;
    }
    if (number > doubt->worst) {
        doubt->text = text;
        doubt->worst = number;
    }
    doubt->n++;
    doubt->more += !join(doubt->names, sizeof doubt->names, name);
}

/* Whether a ceiling is one of the lines. */
static bool is_drawn(const struct rfl_scene *scene, size_t machine, const char *level,
                     double value)
{
    const struct rfl_roof *roofs = *level ? scene->levels : scene->flats;
    size_t n = *level ? scene->n_levels : scene->n_flats;
    for (size_t i = 0; i < n; i++)
        if (roofs[i].machine == machine && !roofs[i].mix && roofs[i].value == value &&
            strcmp(roofs[i].level, level) == 0)
            return true;
    return false;
}

/* The doubts of a device's drawn roofs. */
static size_t collect_doubts(const struct rfl_scene *scene, size_t machine,
                             const struct ert_device_ceilings *from,
                             struct doubt doubts[MAX_DOUBTS])
{
    size_t n = 0;
    for (size_t i = 0; i < from->n_compute + from->n_memory; i++) {
        const struct ert_memory_ceiling *memory =
            i < from->n_compute ? NULL : &from->memory[i - from->n_compute];
        const struct ert_ceiling *ceiling =
            memory ? &memory->common : &from->compute[i].common;
        if (memory ? !rfl_is_line(from, memory) : !rfl_scene_flat_name(&from->compute[i]))
            continue;
        if (!is_drawn(scene, machine, memory ? memory->level : "", ceiling->value))
            continue;
        if (ceiling->confidence != ERT_CONFIDENCE_HIGH)
            add_doubt(doubts, &n,
                      ceiling->doubt[0] ? ceiling->doubt
                                        : "low confidence without a reason",
                      ceiling->name);
        if (ceiling->fraction_of_theory > 1)
            add_doubt(doubts, &n, "above its theoretical peak, check both", ceiling->name);
    }
    return n;
}

/* All warnings of a device in one sentence; letter: of the machine where there are several. */
static void note_warnings(struct rfl_scene *scene, size_t machine,
                          const struct ert_device_ceilings *from, const char *letter)
{
    struct doubt doubts[MAX_DOUBTS];
    char text[RFL_NOTE_TEXT] = "";
    size_t n = collect_doubts(scene, machine, from, doubts), used = 0;
    if (!from->trusted)
        used += (size_t)snprintf(text, sizeof text, "measured on a disturbed machine (%s)",
                                 from->distrust[0] ? from->distrust
                                                   : "the file gives no reason");
    for (size_t i = 0; i < n && used < sizeof text; i++) {
        const struct doubt *doubt = &doubts[i];
        size_t length = kind_length(doubt->text);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s%s%s: %s",
                                 used ? "; " : "", (int)length, doubt->text,
                                 doubt->n > 1 && doubt->text[length] ? "up to " : "",
                                 doubt->text + length, doubt->names);
        if (doubt->more && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, " and %zu more",
                                     doubt->more);
    }
    if (used)
        rfl_scene_note(scene, "Warning%s%s: %s.", *letter ? " of " : "", letter, text);
}

/* What the shaded bands are. */
static void note_bands(struct rfl_scene *scene)
{
    char list[ROOFS_TEXT] = "";
    size_t more = 0;
    for (size_t i = 0; i < scene->n_levels; i++) {
        const struct rfl_roof *roof = &scene->levels[i];
        char low[ERT_UNITS_TEXT], high[ERT_UNITS_TEXT], text[192];
        if (!(roof->band_high > 0))
            continue;
        ert_units_bandwidth(roof->band_low, low);
        ert_units_bandwidth(roof->band_high, high);
        char *unit = strchr(low, ' ');
        if (unit && strcmp(unit, strchr(high, ' ')) == 0)
            *unit = '\0';
        snprintf(text, sizeof text, "%s %s .. %s (%s)", roof->level, low, high, roof->band);
        more += !join(list, sizeof list - MORE_TEXT, text);
    }
    end_list(list, more);
    if (*list)
        rfl_scene_note(scene, "Shaded: what mixes of reads and writes reach: %s.", list);
}

/* The compute ceilings that the chart leaves out. */
static void note_undrawn(struct rfl_scene *scene, const struct ert_device_ceilings *from)
{
    char names[LIST_TEXT] = "";
    size_t more = 0;
    for (size_t i = 0; i < from->n_compute; i++)
        if (!(rfl_scene_flat_name(&from->compute[i]) &&
              rfl_scene_draws_type(scene, from->compute[i].type)) &&
            !join(names, sizeof names - MORE_TEXT, from->compute[i].common.name))
            more++;
    end_list(names, more);
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
                !join(names, sizeof names - MORE_TEXT, from->absent[j].name))
                more++;
        end_list(names, more);
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
static void note_device(struct rfl_scene *scene, size_t machine,
                        const struct rfl_scene_device *device)
{
    const struct ert_ceilings *ceilings = device->ceilings;
    const char *letter = scene->machines[machine].letter;
    char prefix[8];
    snprintf(prefix, sizeof prefix, "%s%s", letter, *letter ? " " : "");
    if (ceilings->status[0] && strcmp(ceilings->status, "complete") != 0)
        rfl_scene_note(scene, "The run %s%sdid not complete: %s.", *letter ? "of " : "",
                       prefix, ceilings->status);
    note_warnings(scene, machine, &ceilings->devices[device->index], letter);
}

void rfl_scene_add_notes(struct rfl_scene *scene, const struct rfl_scene_device *devices)
{
    const struct ert_ceilings *ceilings = devices[0].ceilings;
    const struct ert_device_ceilings *from = &ceilings->devices[devices[0].index];
    note_ridges(scene);
    note_bands(scene);
    if (scene->theory)
        rfl_scene_note(
            scene, "Thin broken lines: theoretical peaks; in parentheses: what share of "
                   "its own a roof reaches, where one is known.");
    for (size_t i = 0; i < scene->n_machines; i++)
        note_device(scene, i, &devices[i]);
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
