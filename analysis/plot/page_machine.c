#include "analysis/plot/page_parts.h"
#include "analysis/plot/scene.h"
#include "analysis/roofs.h"

#include <stdlib.h>
#include <string.h>

static void write_common(struct rfl_page_json *json, const struct ert_ceiling *ceiling)
{
    rfl_page_text(json, "name", ceiling->name);
    rfl_page_words(json, "kernel", ceiling->kernel);
    rfl_page_number(json, "value", ceiling->value);
    rfl_page_known(json, "low", ceiling->low);
    rfl_page_known(json, "high", ceiling->high);
    rfl_page_known(json, "samples", ceiling->n_samples);
    rfl_page_known(json, "theory", ceiling->theory);
    rfl_page_words(json, "theory_name", ceiling->theory_name);
    rfl_page_words(json, "theory_clock", ceiling->theory_clock);
    rfl_page_known(json, "fraction", ceiling->fraction_of_theory);
    rfl_page_known(json, "clock", ceiling->clock_hz);
    rfl_page_known(json, "clock_low", ceiling->clock_low_hz);
    rfl_page_words(json, "held_by", ceiling->held_by);
    rfl_page_text(json, "confidence", ert_confidence_name(ceiling->confidence));
    rfl_page_words(json, "doubt", ceiling->doubt);
}

/* What mixes of reads and writes reach of the level that a line stands for. */
static void write_band(struct rfl_page_json *json, const struct rfl_scene *scene,
                       const char *level)
{
    for (size_t i = 0; i < scene->n_levels; i++) {
        const struct rfl_roof *roof = &scene->levels[i];
        if (strcmp(roof->level, level) != 0 || !(roof->band_high > 0))
            continue;
        rfl_page_number(json, "band_low", roof->band_low);
        rfl_page_number(json, "band_high", roof->band_high);
        rfl_page_text(json, "band", roof->band);
    }
}

static void write_bandwidths(struct rfl_page_json *json, const struct rfl_scene *scene,
                             const struct ert_device_ceilings *from)
{
    rfl_page_open(json, "bandwidths", '[');
    for (size_t i = 0; i < from->n_memory; i++) {
        rfl_page_open(json, NULL, '{');
        rfl_page_text(json, "level", from->memory[i].level);
        rfl_page_text(json, "pattern", from->memory[i].pattern);
        bool is_line = rfl_is_line(from, &from->memory[i]);
        rfl_page_bool(json, "roof", is_line);
        if (is_line)
            write_band(json, scene, from->memory[i].level);
        write_common(json, &from->memory[i].common);
        rfl_page_close(json, '}');
    }
    rfl_page_close(json, ']');
}

/* Whether a ceiling is the fastest of what a chart calls by the same name. */
static bool is_fastest(const struct ert_device_ceilings *from, size_t index,
                       const char *label)
{
    for (size_t i = 0; i < from->n_compute; i++) {
        const char *other = rfl_scene_flat_name(&from->compute[i]);
        double value = from->compute[i].common.value,
               own = from->compute[index].common.value;
        if (i != index && other && strcmp(other, label) == 0 &&
            (value > own || (value == own && i < index)))
            return false;
    }
    return true;
}

static void write_peaks(struct rfl_page_json *json, const struct ert_device_ceilings *from)
{
    rfl_page_open(json, "peaks", '[');
    for (size_t i = 0; i < from->n_compute; i++) {
        const struct ert_compute_ceiling *ceiling = &from->compute[i];
        const char *label = rfl_scene_flat_name(ceiling);
        rfl_page_open(json, NULL, '{');
        rfl_page_text(json, "type", ceiling->type);
        rfl_page_text(json, "op", ceiling->op);
        rfl_page_text(json, "unit", ceiling->unit);
        rfl_page_bool(json, "roof", ceiling->roof);
        if (label && is_fastest(from, i, label))
            rfl_page_text(json, "label", label);
        write_common(json, &ceiling->common);
        rfl_page_close(json, '}');
    }
    rfl_page_close(json, ']');
}

static void write_measured(struct rfl_page_json *json, const struct rfl_scene *scene)
{
    rfl_page_open(json, "measured", '[');
    for (size_t i = 0; i < scene->n_points; i++) {
        rfl_page_open(json, NULL, '{');
        rfl_page_text(json, "level", scene->levels[scene->points[i].level].level);
        rfl_page_number(json, "intensity", scene->points[i].intensity_flop_per_byte);
        rfl_page_number(json, "perf", scene->points[i].perf_flop_per_s);
        rfl_page_close(json, '}');
    }
    rfl_page_close(json, ']');
}

/* Where the best pattern of a level meets the peak that the scene refers to. */
static void write_ridges(struct rfl_page_json *json, const struct rfl_scene *scene)
{
    rfl_page_open(json, "ridges", '[');
    for (size_t i = 0; i < scene->n_ridges; i++) {
        const struct rfl_ridge *ridge = &scene->ridges[i];
        rfl_page_open(json, NULL, '{');
        rfl_page_text(json, "level", scene->levels[ridge->level].level);
        rfl_page_text(json, "type", scene->flats[scene->reference].type);
        rfl_page_text(json, "peak", scene->flats[scene->reference].brief);
        rfl_page_number(json, "intensity", ridge->intensity_flop_per_byte);
        rfl_page_number(json, "perf", ridge->perf_flop_per_s);
        rfl_page_close(json, '}');
    }
    rfl_page_close(json, ']');
}

static void write_absent(struct rfl_page_json *json, const struct ert_device_ceilings *from)
{
    rfl_page_open(json, "absent", '[');
    for (size_t i = 0; i < from->n_absent; i++) {
        rfl_page_open(json, NULL, '[');
        rfl_page_text(json, NULL, from->absent[i].name);
        rfl_page_text(json, NULL, from->absent[i].reason);
        rfl_page_close(json, ']');
    }
    rfl_page_close(json, ']');
}

static void write_names(struct rfl_page_json *json, const struct rfl_page_input *input)
{
    const struct ert_ceilings *ceilings = input->ceilings;
    const struct ert_device_ceilings *from = &ceilings->devices[input->device];
    const struct ert_device *device = ert_machine_device(ceilings->machine, from->device);
    rfl_page_text(json, "id", from->device);
    rfl_page_words(json, "name", device ? device->name : "");
    rfl_page_words(json, "file", input->file);
    rfl_page_words(json, "host", ceilings->machine->provenance.host);
    rfl_page_words(json, "created", ceilings->created);
    rfl_page_words(json, "status", ceilings->status);
    rfl_page_known(json, "held", from->held_hz);
    rfl_page_bool(json, "trusted", from->trusted);
    rfl_page_words(json, "distrust", from->distrust);
}

enum ert_status rfl_page_machine(struct rfl_page_json *json,
                                 const struct rfl_page_input *input, bool *drawable,
                                 struct ert_error *error)
{
    struct ert_error reason = {ERT_OK, ""};
    struct rfl_scene *scene = malloc(sizeof *scene); /* some 100 KiB: not for the stack */
    if (!scene)
        return ert_fail(error, ERT_FAILED, "out of memory for a chart");
    enum ert_status status =
        rfl_scene_make(input->ceilings, input->device, true, scene, &reason);
    *drawable = status == ERT_OK;
    if (status == ERT_OK || status == ERT_UNAVAILABLE) {
        const struct ert_device_ceilings *from = &input->ceilings->devices[input->device];
        rfl_page_open(json, NULL, '{');
        write_names(json, input);
        rfl_page_words(json, "reason", reason.text);
        write_bandwidths(json, scene, from);
        write_peaks(json, from);
        write_measured(json, scene);
        write_ridges(json, scene);
        write_absent(json, from);
        rfl_page_close(json, '}');
        status = ERT_OK;
    } else {
        status = ert_fail(error, status, "%s", reason.text);
    }
    free(scene);
    return status;
}
