#include "analysis/roofline.h"

#include "analysis/plot/chart.h"
#include "analysis/plot/output.h"
#include "analysis/plot/scene.h"
#include "analysis/plot/text.h"
#include "ert/base/file.h"

#include <stdlib.h>
#include <string.h>

/* A scene is some 300 KiB: not for the stack. The caller frees it. */
static enum ert_status new_scene(const struct rfl_scene_device *devices, size_t n,
                                 const struct rfl_scene_options *options,
                                 struct rfl_scene **scene, struct ert_error *error)
{
    *scene = malloc(sizeof **scene);
    if (!*scene)
        return ert_fail(error, ERT_FAILED, "out of memory for a chart");
    return rfl_scene_make_of(devices, n, options, *scene, error);
}

enum ert_status rfl_plot_file(const struct rfl_scene_device *devices, size_t n,
                              const struct rfl_scene_options *options, const char *file,
                              struct ert_error *error)
{
    struct rfl_scene *scene = NULL;
    ERT_TRY(rfl_output_check(file, error));
    enum ert_status status = new_scene(devices, n, options, &scene, error);
    if (status == ERT_OK)
        status = rfl_output_write(scene, file, error);
    free(scene);
    return status;
}

enum ert_status rfl_plot_svg(const struct ert_ceilings *ceilings, size_t device,
                             bool theory, const char *file, struct ert_error *error)
{
    const struct rfl_scene_device at = {ceilings, device};
    const struct rfl_scene_options options = {.theory = theory};
    struct rfl_scene *scene = NULL;
    char *text = NULL;
    size_t size = 0;
    enum ert_status status = new_scene(&at, 1, &options, &scene, error);
    if (status == ERT_OK)
        status = rfl_output_svg(scene, &text, &size, error);
    if (status == ERT_OK)
        status = ert_file_write(file, text, size, error);
    free(text);
    free(scene);
    return status;
}

/* "results/roofline.svg" and "gpu1" give "results/roofline-gpu1.svg". */
static enum ert_status name_file(const char *file, const char *suffix,
                                 char name[RFL_FILE_NAME], struct ert_error *error)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    size_t stem = dot && (!slash || dot > slash + 1) ? (size_t)(dot - file) : strlen(file);
    int length = snprintf(name, RFL_FILE_NAME, "%.*s%s%s%s", (int)stem, file,
                          suffix[0] ? "-" : "", suffix, file + stem);
    if (length >= RFL_FILE_NAME)
        return ert_fail(error, ERT_USAGE,
                        "%.64s...: a name of %d bytes, at most %d are possible", file,
                        length, RFL_FILE_NAME - 1);
    return ERT_OK;
}

enum ert_status rfl_plot_files(const struct ert_ceilings *ceilings,
                               const struct rfl_scene_options *options, const char *file,
                               struct rfl_plots *plots, struct ert_error *error)
{
    bool first = true;
    memset(plots, 0, sizeof *plots);
    ERT_TRY(rfl_output_check(file, error));
    for (size_t i = 0; i < ceilings->n_devices && i < ERT_MAX_DEVICES; i++) {
        struct rfl_plot *plot = &plots->plots[plots->n_plots++];
        struct ert_error reason = {ERT_OK, ""};
        const struct rfl_scene_device at = {ceilings, i};
        char name[RFL_FILE_NAME];
        snprintf(plot->device, sizeof plot->device, "%s", ceilings->devices[i].device);
        ERT_TRY(name_file(file, first ? "" : plot->device, name, error));
        enum ert_status status = rfl_plot_file(&at, 1, options, name, &reason);
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

enum ert_status rfl_plot_svg_all(const struct ert_ceilings *ceilings, bool theory,
                                 const char *file, struct rfl_plots *plots,
                                 struct ert_error *error)
{
    const struct rfl_scene_options options = {.theory = theory};
    return rfl_plot_files(ceilings, &options, file, plots, error);
}

enum ert_status rfl_plot_screen(const struct rfl_scene_device *devices, size_t n,
                                const struct rfl_scene_options *options, size_t columns,
                                bool utf8, FILE *out, struct ert_error *error)
{
    if (columns < RFL_MIN_COLUMNS || columns > RFL_MAX_COLUMNS)
        return ert_fail(error, ERT_USAGE, "%zu columns, must be %d to %d", columns,
                        RFL_MIN_COLUMNS, RFL_MAX_COLUMNS);
    struct rfl_scene *scene = NULL;
    struct rfl_text text;
    rfl_text_init(&text, out, columns, utf8);
    enum ert_status status = new_scene(devices, n, options, &scene, error);
    if (status == ERT_OK)
        status = rfl_chart_draw(scene, &text.canvas, error);
    free(scene);
    if (status == ERT_OK && text.out_of_memory)
        status = ert_fail(error, ERT_FAILED, "out of memory for a chart of %zu columns",
                          columns);
    return status;
}

enum ert_status rfl_plot_text(const struct ert_ceilings *ceilings, size_t device,
                              bool theory, size_t columns, bool utf8, FILE *out,
                              struct ert_error *error)
{
    const struct rfl_scene_device at = {ceilings, device};
    const struct rfl_scene_options options = {.theory = theory};
    return rfl_plot_screen(&at, 1, &options, columns, utf8, out, error);
}
