#include "analysis/plot/page.h"

#include "analysis/place.h"
#include "analysis/plot/page_json.h"
#include "analysis/plot/scene.h"
#include "analysis/roofs.h"
#include "ert/base/alloc.h"
#include "ert/base/file.h"

#include <stdlib.h>
#include <string.h>

/* The scripts and styles of plot/page/ as bytes: a rule of analysis/local.mk writes the numbers. */
static const unsigned char script[] = {
#include "analysis/plot/page_script.inc"
};
static const unsigned char style[] = {
#include "analysis/plot/page_style.inc"
};

/*
 * Nothing is fetched, sent or framed: the page's own script and style, and pictures that the page
 * itself makes. https://www.w3.org/TR/CSP3/
 */
static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
    "'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta name=\"generator\" content=\"roofline plot\">\n"
    "<title>";

/* Up to so many points have their advice and units in the page, some 300 bytes each. */
enum { MAX_DETAILED = 2000 };

static const char no_script[] =
    "<noscript>The chart is drawn by the script in this page, and scripts are switched "
    "off. The values stand in the page's source, and `roofline plot --out FILE.svg` draws "
    "a chart without a script.</noscript>\n";

/* What a page is made of. */
struct page {
    const struct rfl_page_input *inputs;
    size_t n_inputs;
    const struct rfl_points *points;
    bool theory;
};

/* ---- machines ---- */

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
    rfl_page_words(json, "throttle_reasons", ceiling->throttle_reasons);
    rfl_page_text(json, "confidence", ert_confidence_name(ceiling->confidence));
    rfl_page_words(json, "warning", ceiling->warning);
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

/* Where the best pattern of a level meets the peak that the scene refers to. */
static void write_ridges(struct rfl_page_json *json, const struct rfl_scene *scene)
{
    rfl_page_open(json, "ridges", '[');
    for (size_t i = 0; i < scene->n_ridges; i++) {
        rfl_page_open(json, NULL, '{');
        rfl_page_text(json, "level", scene->levels[i].level);
        rfl_page_text(json, "type", scene->flats[scene->reference].type);
        rfl_page_text(json, "peak", scene->flats[scene->reference].brief);
        rfl_page_number(json, "intensity", scene->levels[i].ridge_flop_per_byte);
        rfl_page_number(json, "perf", scene->flats[scene->reference].value);
        rfl_page_close(json, '}');
    }
    rfl_page_close(json, ']');
}

static void write_not_measured(struct rfl_page_json *json,
                               const struct ert_device_ceilings *from)
{
    rfl_page_open(json, "not_measured", '[');
    for (size_t i = 0; i < from->n_not_measured; i++) {
        rfl_page_open(json, NULL, '[');
        rfl_page_text(json, NULL, from->not_measured[i].name);
        rfl_page_text(json, NULL, from->not_measured[i].reason);
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
    rfl_page_bool(json, "valid", from->valid);
    rfl_page_words(json, "warnings", from->warnings);
}

static enum ert_status write_machine(struct rfl_page_json *json,
                                     const struct rfl_page_input *input, bool *drawable,
                                     struct ert_error *error)
{
    struct ert_error reason = {ERT_OK, ""};
    struct rfl_scene *scene = ert_xcalloc(1, sizeof *scene); /* some 300 KiB */
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
        rfl_page_open(json, "measured", '[');
        for (size_t i = 0; i < scene->n_dots; i++) {
            rfl_page_open(json, NULL, '{');
            rfl_page_text(json, "level", scene->levels[scene->dots[i].level].level);
            rfl_page_number(json, "intensity", scene->dots[i].intensity_flop_per_byte);
            rfl_page_number(json, "perf", scene->dots[i].perf_flop_per_s);
            rfl_page_close(json, '}');
        }
        rfl_page_close(json, ']');

        write_ridges(json, scene);
        write_not_measured(json, from);
        rfl_page_close(json, '}');
        status = ERT_OK;
    } else {
        status = ert_fail(error, status, "%s", reason.text);
    }
    rfl_scene_free(scene);
    free(scene);
    return status;
}

/* ---- points, and where they stand ---- */

/* The machines of a page that points can be placed on. */
struct placers {
    size_t n;
    struct rfl_placer *placers; /* malloc; of the inputs; .roofs NULL: no ceiling */
};

/*
 * Opens a placer for each input: roofs for the clock and the concurrency that a point had, as
 * `roofline place` takes them. Frees nothing on failure: write_points does.
 */
static enum ert_status open_placers(const struct page *page, struct placers *placers,
                                    struct ert_error *error)
{
    placers->placers = ert_xcalloc(page->n_inputs, sizeof *placers->placers);
    for (; placers->n < page->n_inputs; placers->n++) {
        const struct rfl_page_input *input = &page->inputs[placers->n];
        const struct rfl_placer_options options = {
            .device = input->ceilings->devices[input->device].device,
            .force = true}; /* write_placed leaves out what does not suit */
        struct rfl_placer *placer = &placers->placers[placers->n];
        enum ert_status status =
            rfl_placer_open(input->ceilings, page->points, &options, placer, error);
        if (status == ERT_UNAVAILABLE)
            placer->roofs = NULL; /* the machine's own object has the reason */
        else if (status != ERT_OK)
            return status;
    }
    return ERT_OK;
}

static void write_placement(struct rfl_page_json *json, size_t machine, double clock_hz,
                            const struct rfl_placement *placement, bool details)
{
    rfl_page_open(json, NULL, '{');
    rfl_page_number(json, "machine", (double)machine);
    rfl_page_words(json, "bound", placement->bound_name);
    rfl_page_short(json, "fraction", placement->fraction);
    rfl_page_short(json, "attainable", placement->attainable_flop_per_s);
    rfl_page_words(json, "next", placement->next_name);
    rfl_page_short(json, "headroom", placement->headroom);
    rfl_page_short(json, "clock", clock_hz);
    rfl_page_open(json, "levels", '[');
    for (size_t i = 0; i < placement->point->n_traffic; i++)
        for (size_t j = 0; j < placement->n_levels; j++)
            if (placement->levels[j].traffic == &placement->point->traffic[i])
                rfl_page_short(json, NULL, placement->levels[j].fraction);
    rfl_page_close(json, ']');

    if (details) {
        rfl_page_open(json, "units", '[');
        for (size_t i = 0; i < placement->n_units; i++) {
            rfl_page_open(json, NULL, '{');
            rfl_page_text(json, "name", placement->units[i].name);
            rfl_page_short(json, "peak", placement->units[i].peak_flop_per_s);
            rfl_page_short(json, "fraction", placement->units[i].fraction);
            rfl_page_close(json, '}');
        }
        rfl_page_close(json, ']');

        rfl_page_words(json, "advice", placement->advice);
    }
    rfl_page_close(json, '}');
}

/*
 * Where a point stands under the roofs of each machine. details: with the units' shares and the sentence
 * of advice; for 100,000 points a page has no room for them.
 */
static void write_placed(struct rfl_page_json *json, struct placers *placers,
                         const struct rfl_point *point, bool details)
{
    struct rfl_placement placement;
    rfl_page_open(json, "placed", '[');
    for (size_t i = 0; i < placers->n; i++) {
        struct rfl_placer *placer = &placers->placers[i];
        if (!placer->roofs || !rfl_placer_suits(placer, point))
            continue;
        rfl_placer_place(placer, point, &placement);
        write_placement(json, i, placer->roofs->clock_hz, &placement, details);
    }
    rfl_page_close(json, ']');
}

/* The number of a text; "" is left out. */
static void write_index(struct rfl_page_json *json, const char *key, const char *text)
{
    if (text && *text)
        rfl_page_index(json, key, text);
}

static void write_work(struct rfl_page_json *json, const struct rfl_point *point)
{
    rfl_page_open(json, "work", '[');
    for (size_t i = 0; i < point->n_work; i++) {
        const struct rfl_work *work = &point->work[i];
        rfl_page_open(json, NULL, '{');
        rfl_page_index(json, "type", work->type);
        write_index(json, "unit", work->unit);
        rfl_page_number(json, "flops", work->flops);
        if (work->fma_share >= 0)
            rfl_page_number(json, "fma", work->fma_share);
        write_index(json, "recipe", work->recipe);
        rfl_page_close(json, '}');
    }
    rfl_page_close(json, ']');
}

/* Intensity: all operations of the point by the bytes of the level, as place.h has it. */
static void write_traffic(struct rfl_page_json *json, const struct rfl_point *point,
                          double flops)
{
    rfl_page_open(json, "levels", '[');
    for (size_t i = 0; i < point->n_traffic; i++) {
        const struct rfl_traffic *traffic = &point->traffic[i];
        rfl_page_open(json, NULL, '{');
        rfl_page_index(json, "level", traffic->level);
        rfl_page_number(json, "bytes", traffic->bytes);
        if (traffic->bytes > 0)
            rfl_page_known(json, "intensity", flops / traffic->bytes);
        if (point->time_s > 0)
            rfl_page_short(json, "rate", traffic->bytes / point->time_s);
        write_index(json, "recipe", traffic->recipe);
        rfl_page_close(json, '}');
    }
    rfl_page_close(json, ']');
}

static void write_warnings(struct rfl_page_json *json, const struct rfl_point *point)
{
    if (point->n_missing) {
        rfl_page_open(json, "missing", '[');
        for (size_t i = 0; i < point->n_missing; i++) {
            rfl_page_index(json, NULL, point->missing[i].what);
            rfl_page_index(json, NULL, point->missing[i].reason);
        }
        rfl_page_close(json, ']');
    }
    if (point->n_warnings) {
        rfl_page_open(json, "warnings", '[');
        for (size_t i = 0; i < point->n_warnings; i++)
            rfl_page_index(json, NULL, point->warnings[i]);
        rfl_page_close(json, ']');
    }
}

static void write_point(struct rfl_page_json *json, const struct rfl_point *point,
                        struct placers *placers, bool details)
{
    double flops = rfl_point_flops(point);
    rfl_page_open(json, NULL, '{');
    rfl_page_index(json, "name", point->name);
    write_index(json, "run", point->run);
    write_index(json, "source", point->source);
    write_index(json, "format", point->format);
    write_index(json, "time_recipe", point->time_recipe);
    rfl_page_known(json, "flops", flops);
    if (point->time_s > 0)
        rfl_page_known(json, "perf", flops / point->time_s);
    rfl_page_known(json, "time", point->time_s);
    rfl_page_known(json, "time_low", point->time_low_s);
    rfl_page_known(json, "time_high", point->time_high_s);
    rfl_page_known(json, "launches", point->launches);
    rfl_page_known(json, "instructions", point->instructions);
    rfl_page_known(json, "clock", point->clock_hz);
    rfl_page_known(json, "memory_clock", point->memory_clock_hz);
    rfl_page_known(json, "warps", point->warps_per_sm);
    rfl_page_known(json, "threads", point->threads);
    rfl_page_known(json, "registers", point->registers);
    rfl_page_known(json, "energy", point->energy_j);
    rfl_page_known(json, "scale", point->scale);

    write_work(json, point);
    write_traffic(json, point, flops);
    write_warnings(json, point);
    write_placed(json, placers, point, details);
    rfl_page_close(json, '}');
}

/* ---- the page ---- */

/* "Roofline of NVIDIA H200": of several, the first and how many more. */
static void write_title(FILE *out, const struct page *page)
{
    fputs("Roofline", out);
    if (page->n_inputs) {
        const struct ert_ceilings *ceilings = page->inputs[0].ceilings;
        const struct ert_device *device = ert_machine_device(
            ceilings->machine, ceilings->devices[page->inputs[0].device].device);
        fputs(device ? " of " : "", out);
        rfl_page_html(out, !device ? "" : *device->name ? device->name : device->id);
    }
    if (page->n_inputs > 1)
        fprintf(out, " and %zu more", page->n_inputs - 1);
}

static enum ert_status write_points(struct rfl_page_json *json, const struct page *page,
                                    struct ert_error *error)
{
    const struct rfl_points *points = page->points;
    size_t n = points ? points->n : 0;
    struct placers placers = {0};
    enum ert_status status = n ? open_placers(page, &placers, error) : ERT_OK;
    rfl_page_open(json, "mismatches", '[');
    for (size_t i = 0; i < placers.n; i++)
        rfl_page_text(json, NULL, placers.placers[i].mismatch);
    rfl_page_close(json, ']');
    rfl_page_open(json, "points", '[');
    for (size_t i = 0; i < n && status == ERT_OK; i++) {
        fputc('\n', json->out);
        write_point(json, &points->points[i], &placers, n <= MAX_DETAILED);
    }
    for (size_t i = 0; i < placers.n; i++)
        rfl_placer_close(&placers.placers[i]);
    free(placers.placers);
    rfl_page_close(json, ']');
    return status;
}

static enum ert_status write_data(struct rfl_page_json *json, const struct page *page,
                                  struct ert_error *error)
{
    const struct rfl_points *points = page->points;
    size_t n_drawable = 0;
    rfl_page_open(json, NULL, '{');
    rfl_page_bool(json, "theory", page->theory);
    rfl_page_open(json, "machines", '[');
    for (size_t i = 0; i < page->n_inputs; i++) {
        bool drawable;
        ERT_TRY(write_machine(json, &page->inputs[i], &drawable, error));
        n_drawable += drawable;
    }
    rfl_page_close(json, ']');
    if (points && points->origin)
        rfl_page_words(json, "origin", points->origin);
    ERT_TRY(write_points(json, page, error));
    rfl_page_list(json, "texts");
    rfl_page_close(json, '}');
    if (!n_drawable && !(points && points->n))
        return ert_fail(error, ERT_UNAVAILABLE,
                        "nothing to draw: no ceilings of 1 per second or more, no points");
    return ERT_OK;
}

static enum ert_status write_page(const void *about, FILE *out, struct ert_error *error)
{
    const struct page *page = about;
    struct rfl_page_json json = {.out = out};
    fputs(head, out);
    write_title(out, page);
    fputs("</title>\n<style>\n", out);
    fwrite(style, 1, sizeof style, out);
    fputs("</style>\n</head>\n<body>\n", out);
    fputs(no_script, out);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    enum ert_status status = write_data(&json, page, error);
    rfl_strings_free(&json.texts);
    fputs("</script>\n<script>\n\"use strict\";\n(() => {\n", out);
    fwrite(script, 1, sizeof script, out);
    fputs("})();\n</script>\n</body>\n</html>\n", out);
    return status;
}

enum ert_status rfl_page_write(const struct rfl_page_input *inputs, size_t n_inputs,
                               const struct rfl_points *points, bool theory,
                               const char *file, struct ert_error *error)
{
    const struct page page = {inputs, n_inputs, points, theory};
    for (size_t i = 0; i < n_inputs; i++)
        if (inputs[i].device >= inputs[i].ceilings->n_devices ||
            !inputs[i].ceilings->machine)
            return ert_fail(
                error, ERT_USAGE, "%.200s: no device %zu in the ceilings; there are %zu",
                inputs[i].file, inputs[i].device, inputs[i].ceilings->n_devices);
    return ert_file_write_made(file, write_page, &page, error);
}
