#include "analysis/plot/page.h"

#include "analysis/plot/page_parts.h"
#include "ert/base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Nothing is fetched, sent or framed: the page's own script and style, and pictures that the page
 * itself makes. https://www.w3.org/TR/CSP3/
 */
static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta name=\"generator\" content=\"roofline plot\">\n"
    "<title>";

/* Up to so many points have their advice and units in the page, some 300 bytes each. */
enum { MAX_DETAILED = 2000 };

static const char no_script[] = "<noscript>The chart is drawn by the script in this page, "
                                "and scripts are switched off. "
                                "The values stand in the page's source, and `roofline plot "
                                "--out FILE.svg` draws a chart "
                                "without a script.</noscript>\n";

static const struct ert_device *device_of(const struct rfl_page_input *input)
{
    const struct ert_ceilings *ceilings = input->ceilings;
    return ert_machine_device(ceilings->machine, ceilings->devices[input->device].device);
}

/* "Roofline of NVIDIA H200": of several, the first and how many more. */
static void write_title(FILE *out, const struct rfl_page_input *inputs, size_t n_inputs)
{
    const struct ert_device *device = n_inputs ? device_of(&inputs[0]) : NULL;
    fputs("Roofline", out);
    if (device) {
        fputs(" of ", out);
        rfl_page_html(out, device->name[0] ? device->name : device->id);
    }
    if (n_inputs > 1)
        fprintf(out, " and %zu more", n_inputs - 1);
}

static enum ert_status write_points(struct rfl_page_json *json,
                                    const struct rfl_page_input *inputs, size_t n_inputs,
                                    const struct rfl_points *points,
                                    struct ert_error *error)
{
    struct rfl_page_placers placers = {0};
    enum ert_status status = ERT_OK;
    if (points && points->n)
        status = rfl_page_placers_open(inputs, n_inputs, points, &placers, error);
    rfl_page_open(json, "mismatches", '[');
    for (size_t i = 0; i < placers.n; i++)
        rfl_page_text(json, NULL, placers.placers[i].mismatch);
    rfl_page_close(json, ']');
    rfl_page_open(json, "points", '[');
    for (size_t i = 0; points && i < points->n && status == ERT_OK; i++) {
        fputc('\n', json->out);
        status = rfl_page_point(json, &points->points[i], &placers,
                                points->n <= MAX_DETAILED, error);
    }
    rfl_page_placers_close(&placers);
    rfl_page_close(json, ']');
    if (status == ERT_OK && json->texts.failed)
        status = ert_fail(error, ERT_FAILED, "out of memory for the texts of a page");
    return status;
}

static enum ert_status write_data(struct rfl_page_json *json,
                                  const struct rfl_page_input *inputs, size_t n_inputs,
                                  const struct rfl_points *points, bool theory,
                                  struct ert_error *error)
{
    size_t n_drawable = 0;
    rfl_page_open(json, NULL, '{');
    rfl_page_bool(json, "theory", theory);
    rfl_page_open(json, "machines", '[');
    for (size_t i = 0; i < n_inputs; i++) {
        bool drawable;
        ERT_TRY(rfl_page_machine(json, &inputs[i], &drawable, error));
        n_drawable += drawable;
    }
    rfl_page_close(json, ']');
    if (points && points->origin)
        rfl_page_words(json, "origin", points->origin);
    ERT_TRY(write_points(json, inputs, n_inputs, points, error));
    rfl_page_list(json, "texts");
    rfl_page_close(json, '}');
    if (!n_drawable && !(points && points->n))
        return ert_fail(error, ERT_UNAVAILABLE,
                        "nothing to draw: no ceilings of 1 per second or more, no points");
    return ERT_OK;
}

static enum ert_status write_page(FILE *out, const struct rfl_page_input *inputs,
                                  size_t n_inputs, const struct rfl_points *points,
                                  bool theory, struct ert_error *error)
{
    struct rfl_page_json json = {.out = out};
    fputs(head, out);
    write_title(out, inputs, n_inputs);
    fputs("</title>\n<style>\n", out);
    fwrite(rfl_page_style, 1, rfl_page_style_bytes, out);
    fputs("</style>\n</head>\n<body>\n", out);
    fputs(no_script, out);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    enum ert_status status = write_data(&json, inputs, n_inputs, points, theory, error);
    rfl_page_free(&json);
    fputs("</script>\n<script>\n\"use strict\";\n(() => {\n", out);
    fwrite(rfl_page_script, 1, rfl_page_script_bytes, out);
    fputs("})();\n</script>\n</body>\n</html>\n", out);
    return status;
}

enum ert_status rfl_page_write(const struct rfl_page_input *inputs, size_t n_inputs,
                               const struct rfl_points *points, bool theory,
                               const char *file, struct ert_error *error)
{
    char *text = NULL;
    size_t size = 0;
    for (size_t i = 0; i < n_inputs; i++)
        if (inputs[i].device >= inputs[i].ceilings->n_devices ||
            !inputs[i].ceilings->machine)
            return ert_fail(
                error, ERT_USAGE, "%.200s: no device %zu in the ceilings; there are %zu",
                inputs[i].file, inputs[i].device, inputs[i].ceilings->n_devices);
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return ert_fail(error, ERT_FAILED, "no memory for a page: %s", strerror(errno));
    enum ert_status status = write_page(memory, inputs, n_inputs, points, theory, error);
    bool written = !ferror(memory);
    if (fclose(memory) != 0 || !written)
        status = ert_fail(error, ERT_FAILED, "out of memory for a page");
    if (status == ERT_OK)
        status = ert_file_write(file, text, size, error);
    free(text);
    return status;
}
