/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/chart/draw.h"

#include "analysis/core/chart/chart.h"
#include "analysis/core/chart/scene.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct canvas_row {
    const char *extension;
    const char *reason;  /* why this build lacks it; "": it does not */
    ert_file_make *draw; /* of a struct rfl_scene */
} rows[] = {
    {".svg",  "",               rfl_svg_draw },
    {".png",  rfl_cairo_reason, rfl_cairo_png},
    {".pdf",  rfl_cairo_reason, rfl_cairo_pdf},
    {".html", "",               NULL         }, /* drawn from whole files, not from a scene: rfl_page */
};
enum { N_ROWS = ERT_LENGTH(rows) };

static enum ert_status find_canvas(const char *file, const struct canvas_row **row,
                                   struct ert_error *error)
{
    char list[128] = "";
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    bool has = dot && (!slash || dot > slash);
    for (size_t i = 0; i < N_ROWS; i++) {
        ert_list_add(list, sizeof list, rows[i].extension);
        if (!has || strcasecmp(rows[i].extension, dot) != 0)
            continue;
        *row = &rows[i];
        if (!*rows[i].reason)
            return ERT_OK;
        return ert_fail(error, ERT_UNAVAILABLE, "%.200s: no %s: %s", file,
                        rows[i].extension, rows[i].reason);
    }
    return ert_fail(error, ERT_USAGE, "%.200s: extension '%.16s', must be one of %s", file,
                    has ? dot : "", list);
}

enum ert_status rfl_plot_check(const char *file, struct ert_error *error)
{
    const struct canvas_row *row;
    return find_canvas(file, &row, error);
}

struct drawing {
    const struct rfl_scene_device *device;
    const struct rfl_scene_options *options;
    ert_file_make *draw;
};

static enum ert_status roofline_draw(const void *about, FILE *out, struct ert_error *error)
{
    const struct drawing *drawing = about;
    struct rfl_scene *scene = ert_xcalloc(1, sizeof *scene); /* some 300 KiB */
    enum ert_status status =
        rfl_scene_make(drawing->device, drawing->options, scene, error);
    if (status == ERT_OK)
        status = drawing->draw(scene, out, error);
    rfl_scene_free(scene);
    free(scene);
    return status;
}

enum ert_status rfl_plot_file(const struct rfl_scene_device *device,
                              const struct rfl_scene_options *options, const char *file,
                              struct ert_error *error)
{
    const struct canvas_row *row;
    ERT_TRY(find_canvas(file, &row, error));
    if (!row->draw)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: a page is made from files, not from a chart", file);
    const struct drawing drawing = {device, options, row->draw};
    return ert_file_write_made(file, roofline_draw, &drawing, error);
}

/* "results/roofline.svg" and "gpu1" give "results/roofline-gpu1.svg". */
static enum ert_status roofline_name_file(const char *file, const char *suffix,
                                          char name[RFL_FILE_NAME], struct ert_error *error)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    size_t stem = dot && (!slash || dot > slash + 1) ? (size_t)(dot - file) : strlen(file);
    int length = snprintf(name, RFL_FILE_NAME, "%.*s%s%s%s", (int)stem, file,
                          suffix[0] ? "-" : "", suffix, file + stem);
    if (length >= RFL_FILE_NAME)
        return ert_fail(error, ERT_USAGE, "%.64s...: name of %d bytes, must be at most %d",
                        file, length, RFL_FILE_NAME - 1);
    return ERT_OK;
}

enum ert_status rfl_plot_files(const struct ert_ceilings *ceilings,
                               const struct rfl_scene_options *options, const char *file,
                               struct rfl_plots *plots, struct ert_error *error)
{
    bool first = true;
    memset(plots, 0, sizeof *plots);
    ERT_TRY(rfl_plot_check(file, error));
    for (size_t i = 0; i < ceilings->n_devices && i < ERT_MAX_DEVICES; i++) {
        struct rfl_plot *plot = &plots->plots[plots->n_plots++];
        struct ert_error reason = {ERT_OK, ""};
        const struct rfl_scene_device at = {ceilings, i};
        char name[RFL_FILE_NAME];
        snprintf(plot->device, sizeof plot->device, "%s", ceilings->devices[i].device);
        ERT_TRY(roofline_name_file(file, first ? "" : plot->device, name, error));
        enum ert_status status = rfl_plot_file(&at, options, name, &reason);
        if (status == ERT_OK)
            snprintf(plot->file, sizeof plot->file, "%s", name);
        else
            snprintf(plot->reason, sizeof plot->reason, "%s", reason.text);
        if (status != ERT_OK && status != ERT_UNAVAILABLE)
            return ert_fail(error, status, "%s", reason.text);
        first = first && status != ERT_OK;
    }
    if (first)
        return ert_fail(error, ERT_UNAVAILABLE, "%s",
                        plots->n_plots ? plots->plots[0].reason
                                       : "no devices in the ceilings");
    return ERT_OK;
}

enum ert_status rfl_page_write(const struct rfl_page_input *inputs, size_t n_inputs,
                               const struct rfl_points *points, const char *file,
                               struct ert_error *error)
{
    if (!rfl_page)
        return ert_fail(error, ERT_UNAVAILABLE, "%.200s: this build makes no pages", file);
    return rfl_page(inputs, n_inputs, points, file, error);
}
