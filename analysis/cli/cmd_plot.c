/* SPDX-License-Identifier: BSD-3-Clause */
/* roofline plot: ceilings and profiled points as charts, in files. */
#include "analysis/cli/commands.h"

#include "analysis/core/chart/draw.h"
#include "analysis/core/place/roofs.h"
#include "analysis/core/points/reader.h"
#include "ert/core/base/text.h"

#include <string.h>
#include <strings.h>

enum { MAX_WORDS = 64 };

/* The most devices of a page: those of eight full nodes. */
enum { MAX_PAGE_DEVICES = 8 * ERT_MAX_DEVICES };

struct options {
    struct rfl_hand hand;
    const char *out, *device, *level, *type, *kernel, *title, *view;
    uint64_t points;
    bool trajectory, over_runs, force;
};

static const struct ert_opt rows[] = {
    ERT_OPT("out", TEXT, out, "FILE",
            "write FILE.svg, .png or .pdf, and FILE-ID.svg for each further device; or "
            "FILE.html: one page of all files for a browser"),
    ERT_OPT("device", TEXT, device, "ID",
            "only this device, e.g. cpu or gpu0 (default: all; with points the one that "
            "has their levels)"),
    ERT_OPT("level", TEXT, level, "LEVEL",
            "points at this level only, e.g. HBM (default: at each level)"),
    ERT_OPT("type", TEXT, type, "TYPE",
            "peaks and operations of this type only, e.g. fp64, or all (default: the types "
            "of the points); by hand: type of --flops (default: fp64)"),
    ERT_OPT_WITHIN("points", COUNT, points, "N",
                   "draw at most the N longest points (default: 20)", 1, RFL_MAX_KERNELS),
    ERT_OPT_SWITCH(
        "trajectory", trajectory,
        "join the points of a run by arrows, in order of scale, else of the file"),
    ERT_OPT_SWITCH("over-runs", over_runs,
                   "join the points of a kernel over its runs by arrows"),
    ERT_OPT("kernel", TEXT, kernel, "TEXT", "only points with this in their name"),
    ERT_OPT_OF("view", view, "VIEW",
               "axes of a view of `roofline place` (default hierarchical)",
               &rfl_place_views[2]),
    ERT_OPT_SWITCH("force", force, "also points of the other kind of device (CPU, GPU)"),
    ERT_OPT("title", TEXT, title, "TEXT",
            "title of the chart of one device (default: Roofline of DEVICE)"),
    RFL_HAND_OPTIONS,
};

struct input {
    bool is_page;
    size_t n_words, n_ceilings;
    struct ert_ceilings ceilings[MAX_WORDS];
    const char *files[MAX_WORDS]; /* of the ceilings */
    struct rfl_points points;
    struct rfl_scene_options scene;
};

/* Reads all files: the ceilings of one machine for a chart, of any number for a page. */
static enum ert_status read_words(const char *const *words, struct input *input,
                                  struct ert_error *error)
{
    for (size_t i = 0; i < input->n_words; i++) {
        struct ert_ceilings ceilings;
        /* the only file of a chart must have ceilings: the error says what it has instead */
        bool is_ceilings = input->n_words == 1 && !input->is_page;
        ERT_TRY(is_ceilings ? rfl_ceilings_read(words[i], &ceilings, error)
                            : rfl_file_read(words[i], &ceilings, &input->points,
                                            &is_ceilings, error));
        if (!is_ceilings) {
            input->scene.points = &input->points;
            continue;
        }
        input->files[input->n_ceilings] = words[i];
        input->ceilings[input->n_ceilings++] = ceilings;
        if (input->n_ceilings > 1 && !input->is_page)
            return ert_fail(error, ERT_USAGE,
                            "%.200s: a second ceilings file: a chart has one machine, a "
                            "page (--out FILE.html) several",
                            words[i]);
    }
    return ERT_OK;
}

/* Selects points by name; for a trajectory over runs, swaps name and run. */
static enum ert_status arrange(struct rfl_points *points, const struct options *options,
                               struct ert_error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < points->n; i++) {
        struct rfl_point point = points->points[i];
        if (options->kernel && !strstr(point.name, options->kernel))
            continue;
        if (options->over_runs) {
            point.run = points->points[i].name;
            point.name = *points->points[i].run ? points->points[i].run : point.name;
        }
        points->points[kept++] = point;
    }
    points->n = kept;
    if (options->kernel && !kept)
        return ert_fail(error, ERT_USAGE, "no point with '%.100s' in its name",
                        options->kernel);
    return ERT_OK;
}

static size_t matches(const struct rfl_points *points,
                      const struct ert_device_ceilings *device)
{
    const struct ert_ceiling_span memory = ert_ceilings_of(device, ERT_CEILING_MEMORY);
    size_t found = 0;
    for (size_t i = 0; i < points->n; i++)
        for (size_t j = 0; j < memory.n; j++)
            found += memory.at[j].is_roof &&
                     rfl_point_traffic(&points->points[i], memory.at[j].key.level);
    return found;
}

static size_t plot_device_of(const struct rfl_points *points,
                             const struct ert_ceilings *ceilings)
{
    size_t best = 0;
    for (size_t i = 1; i < ceilings->n_devices; i++)
        if (matches(points, &ceilings->devices[i]) >
            matches(points, &ceilings->devices[best]))
            best = i;
    return best;
}

/* Draws the device that --device names, else the one whose levels fit the points best. */
static enum ert_status draw_one(const struct input *input, const struct options *options,
                                struct ert_error *error)
{
    struct rfl_scene_device device = {&input->ceilings[0],
                                      plot_device_of(&input->points, &input->ceilings[0])};
    if (options->device)
        ERT_TRY(rfl_find_device(device.ceilings, options->device, &device.index, error));
    struct rfl_placer placer; /* refuses a profile of the other kind of device */
    const struct rfl_placer_options of = {
        .device = device.ceilings->devices[device.index].device, .force = options->force};
    enum ert_status status =
        rfl_placer_open(device.ceilings, &input->points, &of, &placer, error);
    rfl_placer_close(&placer);
    ERT_TRY(status);
    ERT_TRY(rfl_plot_file(&device, &input->scene, options->out, error));
    printf("%s: %s\n", device.ceilings->devices[device.index].device, options->out);
    return ERT_OK;
}

static enum ert_status draw_charts(const struct input *input, const struct options *options,
                                   struct ert_error *error)
{
    struct rfl_plots plots;
    if (!input->n_ceilings)
        return ert_fail(error, ERT_USAGE,
                        "plot: none of the %zu files contains ceilings (of `ert run`)",
                        input->n_words);
    if (options->device || input->scene.points)
        return draw_one(input, options, error);
    enum ert_status status =
        rfl_plot_files(&input->ceilings[0], &input->scene, options->out, &plots, error);
    for (size_t i = 0; i < plots.n_plots; i++)
        if (plots.plots[i].file[0])
            printf("%s: %s\n", plots.plots[i].device, plots.plots[i].file);
        else if (status == ERT_OK)
            printf("%s: no chart: %s\n", plots.plots[i].device, plots.plots[i].reason);
    return status;
}

static bool is_page(const char *file)
{
    const char *dot = file ? strrchr(file, '.') : NULL;
    return dot && strcasecmp(dot, ".html") == 0;
}

/* A page shows all of this, with switches to select it. */
static enum ert_status refuse_chart_options(const struct options *options,
                                            struct ert_error *error)
{
    const struct {
        const char *name;
        bool given;
    } strangers[] = {
        {"level",      options->level != NULL                          },
        {"type",       options->type && !rfl_is_by_hand(&options->hand)},
        {"points",     options->points > 0                             },
        {"trajectory", options->trajectory                             },
        {"over-runs",  options->over_runs                              },
        {"title",      options->title != NULL                          },
        {"view",       options->view != NULL                           },
        {"kernel",     options->kernel != NULL                         }
    };
    for (size_t i = 0; i < ERT_LENGTH(strangers); i++)
        if (strangers[i].given)
            return ert_fail(error, ERT_USAGE,
                            "plot: --%s and an HTML page: a page shows all in the "
                            "hierarchical view, with switches",
                            strangers[i].name);
    return ERT_OK;
}

/* Writes one page of all devices or, with --device, of this device of each file. */
static enum ert_status plot_write_page(const struct input *input,
                                       const struct options *options,
                                       struct ert_error *error)
{
    struct rfl_page_input inputs[MAX_PAGE_DEVICES] = {{0}};
    size_t n = 0;
    if (!input->n_ceilings)
        return ert_fail(error, ERT_USAGE, "plot: no ceilings file given");
    for (size_t i = 0; i < input->n_ceilings; i++) {
        const struct ert_ceilings *ceilings = &input->ceilings[i];
        size_t first = 0, last = ceilings->n_devices;
        if (options->device)
            ERT_TRY(rfl_find_device(ceilings, options->device, &first, error));
        if (options->device)
            last = first + 1;
        if (n + last - first > MAX_PAGE_DEVICES)
            return ert_fail(error, ERT_USAGE,
                            "more than %d devices for one page: choose with --device",
                            MAX_PAGE_DEVICES);
        for (size_t j = first; j < last; j++)
            inputs[n++] = (struct rfl_page_input){ceilings, j, input->files[i]};
    }
    ERT_TRY(rfl_page_write(inputs, n, &input->points, options->out, error));
    const size_t n_points = input->points.n;
    printf("%s: %zu device%s, ", options->out, n, n == 1 ? "" : "s");
    if (n_points > RFL_PAGE_POINTS)
        printf("the longest %d of ", RFL_PAGE_POINTS);
    printf("%zu point%s\n", n_points, n_points == 1 ? "" : "s");
    return ERT_OK;
}

static enum ert_status plot_run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.hand = RFL_HAND};
    struct ert_strings more = {.n_texts = 0};
    const char *files[MAX_WORDS];
    size_t n_words = 0;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, files, MAX_WORDS,
                          &n_words, error));
    const bool is_trajectory = options.trajectory || options.over_runs;
    struct input input = {
        .is_page = is_page(options.out),
        .n_words = n_words,
        .scene = {.trajectory = is_trajectory,
                  .close = is_trajectory,
                  .title = options.title,
                  .type = options.type,
                  .level = options.level,
                  .max_kernels = (size_t)options.points,
                  .more = &more}
    };
    if (!n_words)
        return ert_fail(error, ERT_USAGE, "plot: no ceilings file given");
    if (!options.out)
        return ert_fail(error, ERT_USAGE,
                        "plot: no --out FILE.svg, .png, .pdf or .html given");
    ERT_TRY(rfl_plot_check(options.out, error));
    if (options.view)
        ERT_TRY(rfl_view_find(options.view, &input.scene.view, error));
    if (input.is_page)
        ERT_TRY(refuse_chart_options(&options, error));
    enum ert_status status = read_words(files, &input, error);
    const char *of_points = input.scene.view && input.scene.view->chart.rows ? "view"
                            : options.level                                  ? "level"
                            : options.points                                 ? "points"
                            : options.kernel                                 ? "kernel"
                                                                             : NULL;
    if (status == ERT_OK && of_points && !input.scene.points &&
        !rfl_is_by_hand(&options.hand))
        status =
            ert_fail(error, ERT_USAGE, "plot: --%s is of points: none is given", of_points);
    if (status == ERT_OK && rfl_is_by_hand(&options.hand)) {
        options.hand.type = options.type && strcasecmp(options.type, "all") != 0
                                ? options.type
                                : options.hand.type;
        status = rfl_hand_point(&options.hand, &input.points, error);
        input.scene.points = &input.points;
    }
    if (status == ERT_OK && !input.is_page)
        status = arrange(&input.points, &options, error);
    if (status == ERT_OK)
        status = (input.is_page ? plot_write_page : draw_charts)(&input, &options, error);
    for (size_t i = 0; i < more.n_texts && status == ERT_OK; i++)
        ert_text_print(stdout, ERT_TEXT_PLAIN, "%s\n", more.texts[i]);
    ert_strings_free(&more);
    for (size_t i = 0; i < input.n_ceilings; i++)
        ert_ceilings_free(&input.ceilings[i]);
    rfl_points_free(&input.points);
    return status;
}

const struct ert_command rfl_command_plot = {
    .name = "plot",
    .words = "CEILINGS... [PROFILE...]",
    .summary = "draw the roofline chart of each device, or of several with points",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = plot_run,
};
