/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/plot/page.h"

#include "analysis/json.h"
#include "analysis/place.h"
#include "analysis/plot/chart.h"
#include "analysis/plot/network.h"
#include "analysis/plot/scene.h"
#include "analysis/roofs.h"
#include "ert/base/alloc.h"
#include "ert/base/file.h"
#include "ert/base/text.h"

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
enum { MAX_DETAILED = 2000, BRIEF_NAME = 48 };

static const char no_script[] =
    "<noscript>A script in this page draws the chart, and scripts are disabled. The values "
    "are in the page's source; `roofline plot --out FILE.svg` draws a chart without "
    "scripts.</noscript>\n";

/* What a page is made of. */
struct page {
    const struct rfl_page_input *inputs;
    size_t n_inputs;
    const struct rfl_points *points;
    bool theory;
};

/* Six digits, for ratios of measured numbers: a page of 100,000 points is large enough. */
static double rounded(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    return strtod(text, NULL);
}

/*
 * Prints a tree and frees it, without blanks between its values, and without what could end or change the
 * script that it is in.
 */
static void print(FILE *out, cJSON *tree)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = ert_xcheck(open_memstream(&text, &size), 1);
    rfl_json_print(memory, tree);
    ert_xcheck(fclose(memory) == 0 ? text : NULL, size);
    const char *json = text;
    for (bool in_text = false; *json; json++) {
        in_text = in_text != (*json == '"');
        if (strchr("<>&", *json)) {
            fprintf(out, "\\u%04x", (unsigned)*json);
        } else if (in_text || (*json != ' ' && *json != '\n')) {
            putc_unlocked(*json, out);
            if (*json == '\\')
                putc_unlocked(*++json, out);
        }
    }
    free(text);
}

/* ---- machines ---- */

static void add_common(cJSON *object, const struct ert_ceiling *ceiling)
{
    rfl_json_text(object, "name", ceiling->name);
    rfl_json_text(object, "kernel", ceiling->kernel);
    cJSON_AddNumberToObject(object, "value", ceiling->value);
    rfl_json_positive(object, "low", ceiling->low);
    rfl_json_positive(object, "high", ceiling->high);
    rfl_json_positive(object, "samples", ceiling->n_samples);
    rfl_json_positive(object, "theory", ceiling->theory);
    rfl_json_text(object, "theory_name", ceiling->theory_name);
    rfl_json_text(object, "theory_clock", ceiling->theory_clock);
    rfl_json_positive(object, "fraction", ceiling->fraction_of_theory);
    rfl_json_positive(object, "clock", ceiling->clock_hz);
    rfl_json_positive(object, "clock_low", ceiling->clock_low_hz);
    rfl_json_text(object, "throttle_reasons", ceiling->throttle_reasons);
    rfl_json_text(object, "confidence", ert_confidence_name(ceiling->confidence));
    rfl_json_text(object, "warning", ceiling->warning);
}

static void add_bandwidths(cJSON *machine, const struct rfl_scene *scene,
                           const struct ert_device_ceilings *from,
                           const struct rfl_points *points)
{
    cJSON *list = cJSON_AddArrayToObject(machine, "bandwidths");
    for (size_t i = 0; i < from->n_memory; i++) {
        const struct ert_memory_ceiling *ceiling = &from->memory[i];
        cJSON *object = rfl_json_object(list);
        bool is_line = rfl_is_line(from, ceiling);
        rfl_json_text(object, "level", ceiling->level);
        rfl_json_text(object, "pattern", ceiling->pattern);
        cJSON_AddBoolToObject(object, "roof", is_line);
        for (size_t j = 0; j < scene->n_levels && is_line; j++) {
            const struct rfl_roof *roof = &scene->levels[j];
            if (strcmp(roof->level, ceiling->level) != 0 || !(roof->band_high > 0))
                continue; /* no mixes of reads and writes of the level that reach other rates */
            cJSON_AddNumberToObject(object, "band_low", roof->band_low);
            cJSON_AddNumberToObject(object, "band_high", roof->band_high);
            rfl_json_text(object, "band", roof->band);
        }
        add_common(object, &ceiling->common);
    }
    for (const char *const *level = rfl_transfer_levels; *level && points; level++) {
        const char *pattern;
        const struct ert_ceiling *ceiling = rfl_transfer(from, *level, &pattern);
        if (!ceiling || !rfl_points_work_at(points, *level))
            continue;
        cJSON *object = rfl_json_object(list);
        rfl_json_text(object, "level", *level);
        rfl_json_text(object, "pattern", pattern);
        cJSON_AddBoolToObject(object, "roof", true);
        add_common(object, ceiling);
    }
}

/* Whether a ceiling is the fastest of what a chart calls by the same name. */
static bool is_fastest(const struct ert_device_ceilings *from, size_t index,
                       const char *label)
{
    double own = from->compute[index].common.value;
    for (size_t i = 0; i < from->n_compute; i++) {
        const char *other = rfl_scene_flat_name(&from->compute[i]);
        double value = from->compute[i].common.value;
        if (i != index && other && strcmp(other, label) == 0 &&
            (value > own || (value == own && i < index)))
            return false;
    }
    return true;
}

static void add_peaks(cJSON *machine, const struct ert_device_ceilings *from)
{
    cJSON *list = cJSON_AddArrayToObject(machine, "peaks");
    for (size_t i = 0; i < from->n_compute; i++) {
        const struct ert_compute_ceiling *ceiling = &from->compute[i];
        const char *label = rfl_scene_flat_name(ceiling);
        cJSON *object = rfl_json_object(list);
        rfl_json_text(object, "type", ceiling->type);
        rfl_json_text(object, "op", ceiling->op);
        rfl_json_text(object, "unit", ceiling->unit);
        cJSON_AddBoolToObject(object, "roof", ceiling->roof);
        if (label && is_fastest(from, i, label))
            rfl_json_text(object, "label", label);
        add_common(object, &ceiling->common);
    }
}

/* What the scene has beside the roofs: the mixed kernel's points; where a level meets the reference. */
static void add_scene(cJSON *machine, const struct rfl_scene *scene)
{
    const struct rfl_roof *reference = &scene->flats[scene->reference];
    cJSON *list = cJSON_AddArrayToObject(machine, "measured");
    for (size_t i = 0; i < scene->n_dots; i++) {
        cJSON *object = rfl_json_object(list);
        rfl_json_text(object, "level", scene->levels[scene->dots[i].level].level);
        cJSON_AddNumberToObject(object, "intensity",
                                scene->dots[i].intensity_flop_per_byte);
        cJSON_AddNumberToObject(object, "perf", scene->dots[i].perf_flop_per_s);
    }
    list = cJSON_AddArrayToObject(machine, "ridges");
    for (size_t i = 0; i < scene->n_ridges; i++) {
        cJSON *object = rfl_json_object(list);
        rfl_json_text(object, "level", scene->levels[i].level);
        rfl_json_text(object, "type", reference->type);
        rfl_json_text(object, "peak", reference->brief);
        cJSON_AddNumberToObject(object, "intensity", scene->levels[i].ridge_flop_per_byte);
        cJSON_AddNumberToObject(object, "perf", reference->value);
    }
}

static enum ert_status write_machine(FILE *out, const struct rfl_page_input *input,
                                     const struct rfl_points *points, bool *drawable,
                                     struct ert_error *error)
{
    const struct ert_ceilings *ceilings = input->ceilings;
    const struct ert_device_ceilings *from = &ceilings->devices[input->device];
    const struct ert_device *device = ert_machine_device(ceilings->machine, from->device);
    struct ert_error reason = {ERT_OK, ""};
    struct rfl_scene *scene = ert_xcalloc(1, sizeof *scene); /* some 300 KiB */
    const struct rfl_scene_device at = {ceilings, input->device};
    const struct rfl_scene_options options = {.theory = true};
    enum ert_status status = rfl_scene_make_of(&at, 1, &options, scene, &reason);
    *drawable = status == ERT_OK;
    if (status == ERT_OK || status == ERT_UNAVAILABLE) {
        cJSON *machine = cJSON_CreateObject();
        rfl_json_text(machine, "id", from->device);
        rfl_json_text(machine, "name", device ? device->name : "");
        rfl_json_text(machine, "file", input->file);
        rfl_json_text(machine, "host", ceilings->machine->provenance.host);
        rfl_json_text(machine, "created", ceilings->created);
        rfl_json_text(machine, "status", ceilings->status);
        rfl_json_positive(machine, "held", from->held_hz);
        cJSON_AddBoolToObject(machine, "valid", from->valid);
        rfl_json_text(machine, "warnings", from->warnings);
        rfl_json_text(machine, "reason", reason.text);
        add_bandwidths(machine, scene, from, points);
        add_peaks(machine, from);
        add_scene(machine, scene);
        cJSON *list = cJSON_AddArrayToObject(machine, "not_measured");
        for (size_t i = 0; i < from->n_not_measured; i++) {
            cJSON *pair = cJSON_CreateArray();
            cJSON_AddItemToArray(list, pair);
            rfl_json_append(pair, from->not_measured[i].name);
            rfl_json_append(pair, from->not_measured[i].reason);
        }
        print(out, machine);
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

static void add_placement(cJSON *list, size_t machine, double clock_hz,
                          const struct rfl_placement *placement, bool details)
{
    cJSON *object = rfl_json_object(list), *levels, *units;
    cJSON_AddNumberToObject(object, "machine", (double)machine);
    rfl_json_text(object, "bound", placement->bound_name);
    cJSON_AddNumberToObject(object, "fraction", rounded(placement->fraction));
    cJSON_AddNumberToObject(object, "attainable",
                            rounded(placement->attainable_flop_per_s));
    rfl_json_text(object, "next", placement->next_name);
    cJSON_AddNumberToObject(object, "headroom", rounded(placement->headroom));
    cJSON_AddNumberToObject(object, "clock", rounded(clock_hz));
    levels = cJSON_AddArrayToObject(object, "levels");
    for (size_t i = 0; i < placement->point->n_traffic; i++)
        for (size_t j = 0; j < placement->n_levels; j++)
            if (placement->placed[j].traffic == &placement->point->traffic[i])
                cJSON_AddItemToArray(
                    levels, cJSON_CreateNumber(rounded(placement->placed[j].fraction)));
    if (!details)
        return;
    units = cJSON_AddArrayToObject(object, "units");
    for (size_t i = 0; i < placement->n_units; i++) {
        const struct rfl_placed *placed = &placement->placed[placement->n_levels + i];
        cJSON *unit = rfl_json_object(units);
        rfl_json_text(unit, "name", placed->name);
        cJSON_AddNumberToObject(unit, "peak", rounded(placed->value));
        cJSON_AddNumberToObject(unit, "fraction", rounded(placed->fraction));
    }
    cJSON_AddNumberToObject(object, "saved", rounded(placement->saved_s));
    rfl_json_text(object, "hint", placement->hint);
    rfl_json_text(object, "advice", placement->advice);
}

/*
 * Where a point stands under the roofs of each machine. details: with the units' shares and the sentence
 * of advice; for 100,000 points a page has no room for them.
 */
static void add_placed(cJSON *object, struct placers *placers,
                       const struct rfl_point *point, bool details)
{
    cJSON *list = cJSON_AddArrayToObject(object, "placed");
    for (size_t i = 0; i < placers->n; i++) {
        struct rfl_placer *placer = &placers->placers[i];
        struct rfl_placement placement;
        if (!placer->roofs || !rfl_placer_suits(placer, point))
            continue;
        rfl_placer_place(placer, point, &placement);
        add_placement(list, i, placer->roofs->clock_hz, &placement, details);
    }
}

/* The number of a text, which the page has once; "" and NULL are left out. */
static void add_index(cJSON *object, const char *key, const char *text,
                      struct ert_strings *texts)
{
    if (text && *text)
        cJSON_AddNumberToObject(object, key, (double)ert_strings_index(texts, text));
}

static void append_index(cJSON *list, const char *text, struct ert_strings *texts)
{
    cJSON_AddItemToArray(list, cJSON_CreateNumber((double)ert_strings_index(texts, text)));
}

/* Intensity: all operations of the point by the bytes of the level, as place.h has it. */
static void add_counts(cJSON *object, const struct rfl_point *point, double flops,
                       struct ert_strings *texts)
{
    cJSON *list = cJSON_AddArrayToObject(object, "work");
    for (size_t i = 0; i < point->n_work; i++) {
        cJSON *work = rfl_json_object(list);
        add_index(work, "type", point->work[i].type, texts);
        add_index(work, "unit", point->work[i].unit, texts);
        cJSON_AddNumberToObject(work, "flops", point->work[i].flops);
        rfl_json_number(work, "fma", point->work[i].fma_share);
        add_index(work, "recipe", point->work[i].recipe, texts);
    }
    list = cJSON_AddArrayToObject(object, "levels");
    for (size_t i = 0; i < point->n_traffic; i++) {
        const struct rfl_traffic *traffic = &point->traffic[i];
        cJSON *level = rfl_json_object(list);
        add_index(level, "level", traffic->level, texts);
        cJSON_AddNumberToObject(level, "bytes", traffic->bytes);
        rfl_json_positive(level, "intensity", flops / traffic->bytes);
        if (rfl_traffic_is_passed_by(point, traffic))
            cJSON_AddTrueToObject(level, "passed");
        if (point->time_s > 0)
            cJSON_AddNumberToObject(level, "rate", rounded(traffic->bytes / point->time_s));
        add_index(level, "recipe", traffic->recipe, texts);
    }
    list = point->n_missing ? cJSON_AddArrayToObject(object, "missing") : NULL;
    for (size_t i = 0; i < point->n_missing; i++) {
        append_index(list, point->missing[i].what, texts);
        append_index(list, point->missing[i].reason, texts);
    }
    list = point->n_warnings ? cJSON_AddArrayToObject(object, "warnings") : NULL;
    for (size_t i = 0; i < point->n_warnings; i++)
        append_index(list, point->warnings[i], texts);
}

static void write_point(FILE *out, const struct rfl_point *point, const char *brief,
                        double whole_s, struct placers *placers, bool details,
                        struct ert_strings *texts)
{
    double flops = rfl_point_flops(point);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "name", (double)ert_strings_index(texts, point->name));
    add_index(object, "brief", brief, texts);
    rfl_json_positive(object, "share", rounded(point->time_s / whole_s));
    add_index(object, "run", point->run, texts);
    add_index(object, "source", point->source, texts);
    add_index(object, "format", point->format, texts);
    add_index(object, "time_recipe", point->time_recipe, texts);
    rfl_json_positive(object, "flops", flops);
    rfl_json_positive(object, "perf", flops / point->time_s);
    rfl_json_positive(object, "time_low_s", point->time_low_s);
    rfl_json_positive(object, "time_high_s", point->time_high_s);
    for (size_t i = 0; i < RFL_N_POINT_NUMBERS; i++)
        rfl_json_positive(object, rfl_point_numbers[i].key, rfl_point_number(point, i));
    add_counts(object, point, flops, texts);
    add_placed(object, placers, point, details);
    print(out, object);
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
        if (device)
            ert_text_print(out, ERT_TEXT_XML, " of %s",
                           *device->name ? device->name : device->id);
    }
    if (page->n_inputs > 1)
        fprintf(out, " and %zu more", page->n_inputs - 1);
}

/* ,"mismatches":[...],"points":[...],"texts":[...]: a tree of 100,000 points at once would be too large. */
static enum ert_status write_points(FILE *out, const struct page *page,
                                    struct ert_error *error)
{
    size_t n = page->points ? page->points->n : 0;
    struct placers placers = {0};
    struct ert_strings texts = {0};
    cJSON *mismatches = cJSON_CreateArray(), *list = cJSON_CreateArray();
    const char **names = ert_xcalloc(n + 1, sizeof *names);
    struct ert_strings briefs = {0};
    for (size_t i = 0; i < n; i++)
        names[i] = page->points->points[i].name;
    rfl_names_short(&briefs, names, n, BRIEF_NAME, names);
    enum ert_status status = n ? open_placers(page, &placers, error) : ERT_OK;
    const double whole_s =
        placers.n ? rfl_points_time(page->points,
                                    placers.placers[0].roofs->kind == ERT_DEVICE_CPU)
                  : 0;
    for (size_t i = 0; i < placers.n; i++)
        rfl_json_append(mismatches, placers.placers[i].mismatch);
    fputs(",\"mismatches\":", out);
    print(out, mismatches);
    fputs(",\"points\":[", out);
    for (size_t i = 0; i < n && status == ERT_OK; i++) {
        fputs(i ? "," : "", out);
        write_point(out, &page->points->points[i], names[i], whole_s, &placers,
                    n <= MAX_DETAILED, &texts);
    }
    for (size_t i = 0; i < placers.n; i++)
        rfl_placer_close(&placers.placers[i]);
    free(placers.placers);
    free(names);
    ert_strings_free(&briefs);
    for (size_t i = 0; i < texts.n_texts; i++)
        rfl_json_append(list, texts.texts[i]);
    ert_strings_free(&texts);
    fputs("],\"texts\":", out);
    print(out, list);
    return status;
}

static enum ert_status write_data(FILE *out, const struct page *page,
                                  struct ert_error *error)
{
    const struct rfl_points *points = page->points;
    size_t n_drawable = 0;
    fprintf(out, "{\"theory\":%s,\"machines\":[", page->theory ? "true" : "false");
    for (size_t i = 0; i < page->n_inputs; i++) {
        bool drawable;
        fputs(i ? "," : "", out);
        ERT_TRY(write_machine(out, &page->inputs[i], page->points, &drawable, error));
        n_drawable += drawable;
    }
    fputs("]", out);
    if (points && points->origin && *points->origin) {
        fputs(",\"origin\":", out);
        print(out, cJSON_CreateString(points->origin));
    }
    ERT_TRY(write_points(out, page, error));
    fputs("}", out);
    if (!n_drawable && !(points && points->n))
        return ert_fail(error, ERT_UNAVAILABLE,
                        "nothing to draw: no ceilings of 1 per second or more, no points");
    return ERT_OK;
}

/* The message roofline of each device with a network: a picture without switches, as in an SVG file. */
static void write_networks(FILE *out, const struct page *page)
{
    static const struct rfl_messages none = {0};
    struct rfl_scene *scene = ert_xcalloc(1, sizeof *scene); /* some 300 KiB */
    for (size_t i = 0; i < page->n_inputs; i++) {
        const struct rfl_page_input *input = &page->inputs[i];
        struct rfl_network network;
        char *svg = NULL;
        size_t size;
        FILE *text = open_memstream(&svg, &size);
        if (text && rfl_network_of(&input->ceilings->devices[input->device], &network,
                                   NULL) == ERT_OK) {
            if (rfl_network_scene(&network, &none, 1, scene, NULL) == ERT_OK) {
                rfl_svg_draw(scene, text, NULL);
                fflush(text);
                /* without <?xml ...?>, which only a file may have */
                fprintf(out, "<figure class=\"network\">\n%s</figure>\n",
                        strstr(svg, "<svg"));
            }
            rfl_scene_free(scene);
        }
        if (text)
            fclose(text);
        free(svg);
    }
    free(scene);
}

static enum ert_status write_page(const void *about, FILE *out, struct ert_error *error)
{
    fputs(head, out);
    write_title(out, about);
    fputs("</title>\n<style>\n", out);
    fwrite(style, 1, sizeof style, out);
    fputs("</style>\n</head>\n<body>\n", out);
    fputs(no_script, out);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    ERT_TRY(write_data(out, about, error));
    fputs("</script>\n<script>\n\"use strict\";\n(() => {\n", out);
    fwrite(script, 1, sizeof script, out);
    fputs("})();\n</script>\n", out);
    write_networks(out, about);
    fputs("</body>\n</html>\n", out);
    return ERT_OK;
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
