/* SPDX-License-Identifier: BSD-3-Clause */
/* roofline place: places kernels under the roofs: what bounds them, and what would help. */
#include "analysis/cli/commands.h"

#include "analysis/core/chart/draw.h"
#include "analysis/core/place/report.h"
#include "analysis/core/points/reader.h"
#include "ert/core/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MAX_FILES = 256 };

struct options {
    struct rfl_hand hand;
    const char *device, *view, *output, *out, *format, *kernel, *clock, *concurrency;
    double read_share, cc; /* read_share negative: not given */
    uint64_t top, columns;
    bool each, streaming, force, full_names, are_ranks, are_joined;
};

static const char *const outputs[] = {"text", "json", "markdown", "csv", NULL};
const char *const rfl_place_views[] = {"shares",      "summary", "hierarchical",
                                       "cache-aware", "time",    "instructions",
                                       "energy",      NULL};

static const struct ert_opt rows[] = {
    ERT_OPT("device", TEXT, device, "ID",
            "device of the ceilings (default: the only one, or the first of the profile's "
            "kind)"),
    ERT_OPT_OF("view", view, "VIEW",
               "what to show; shares: kernels by their share of the time; summary: "
               "versions of a code (default: shares, of one kernel hierarchical)",
               rfl_place_views),
    ERT_OPT_WITHIN("top", COUNT, top, "N",
                   "view shares: list the N longest kernels (default: those that matter)",
                   1, 1e9),
    ERT_OPT_SWITCH("full-names", full_names,
                   "view shares: names with templates and parameters"),
    ERT_OPT_WITHIN("width", COUNT, columns, "COLUMNS",
                   "view shares: width of the table (default: the terminal's, else 132)",
                   RFL_REPORT_LEAST_COLUMNS, 1000),
    ERT_OPT_OF("output", output, "FORMAT",
               "output format (default: that of FILE.csv, .json, .md, else text)", outputs),
    ERT_OPT("out", TEXT, out, "FILE",
            "write to FILE, not to standard output; FILE.svg, .png, .pdf or .html: also "
            "draw a chart"),
    ERT_OPT("kernel", TEXT, kernel, "TEXT",
            "only kernels or regions with this in their name"),
    ERT_OPT("format", TEXT, format, "NAME",
            "format of the profiles: ncu, likwid ... (default: recognized)"),
    ERT_OPT_WITHIN("cc", NUMBER, cc, "N", "compute capability, if an ncu profile has none",
                   3, 99),
    ERT_OPT_SWITCH("each", each, "place each launch by itself (default: summed by kernel)"),
    ERT_OPT_SWITCH("ranks", are_ranks,
                   "the profiles are of processes that ran at once: sum their work"),
    ERT_OPT_SWITCH("join", are_joined,
                   "the profiles are of tools that each ran the same program: one of all"),
    ERT_OPT_WITHIN("read-share", NUMBER, read_share, "F",
                   "share of reads in the bytes, if neither profile nor --bytes has it "
                   "(default: unknown, the roof is a band)",
                   0, 1),
    ERT_OPT_SWITCH("streaming", streaming,
                   "the code's stores are non-temporal: include roofs of such stores"),
    ERT_OPT_SWITCH("force", force,
                   "place a profile from another kind of device than the ceilings"),
    ERT_OPT("clock", TEXT, clock, "CLOCK",
            "clock of the roofs: code (default: the profile's, if known), sweep, or Hz "
            "(1.6e9)"),
    ERT_OPT("concurrency", TEXT, concurrency, "N",
            "concurrency of the roofs: code (default: the profile's, if known), all, or a "
            "number of warps per SM or threads"),
    ERT_OPT("type", TEXT, hand.type, "TYPE", "by hand: type of --flops (default: fp64)"),
    RFL_HAND_OPTIONS,
};

/* What a file's ending asks for. */
static const char *output_of(const char *file)
{
    static const char *const endings[][2] = {
        {".csv",  "csv"     },
        {".json", "json"    },
        {".md",   "markdown"}
    };
    const char *dot = file ? strrchr(file, '.') : NULL;
    for (size_t i = 0; dot && i < ERT_LENGTH(endings); i++)
        if (strcasecmp(dot, endings[i][0]) == 0)
            return endings[i][1];
    return "text";
}

static enum ert_status read_condition(const char *option, const char *text,
                                      const char *of_sweep, double *value,
                                      struct ert_error *error)
{
    char *end;
    *value = RFL_OF_CODE;
    if (!text || strcmp(text, "code") == 0)
        return ERT_OK;
    *value = RFL_OF_SWEEP;
    if (strcmp(text, of_sweep) == 0)
        return ERT_OK;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value) || !(*value > 0))
        return ert_fail(error, ERT_USAGE,
                        "--%s: '%.64s', must be code, %s or a number above 0", option, text,
                        of_sweep);
    return ERT_OK;
}

static enum ert_status read_points(const struct options *options, const char **files,
                                   size_t n_files, struct rfl_points *points,
                                   struct ert_error *error)
{
    const struct rfl_reading how = {.format = options->format,
                                    .list = options->each,
                                    .region = options->kernel,
                                    .cc = options->cc};
    if (!n_files && !rfl_is_by_hand(&options->hand))
        return ert_fail(error, ERT_USAGE,
                        "place: no profile given, and no --flops or --bytes by hand");
    for (size_t i = 0; i < n_files; i++)
        ERT_TRY(rfl_profile_read(files[i], &how, points, error));
    if (rfl_reader.combine)
        ERT_TRY(rfl_reader.combine(
            points,
            (enum rfl_combining)(options->are_ranks + RFL_JOIN * options->are_joined),
            error));
    if (rfl_is_by_hand(&options->hand))
        ERT_TRY(rfl_hand_point(&options->hand, points, error));
    if (!points->n)
        return ert_fail(error, ERT_USAGE, "no kernel%s%s%s in the %zu files given",
                        options->kernel ? " with '" : "",
                        options->kernel ? options->kernel : "", options->kernel ? "'" : "",
                        n_files);
    return ERT_OK;
}

/* Applies the options about reads and writes to points that lack them. */
static void complete_accesses(const struct options *options, struct rfl_points *points)
{
    for (size_t i = 0; i < points->n; i++)
        for (size_t j = 0; j < points->points[i].n_traffic; j++) {
            struct rfl_traffic *traffic = &points->points[i].traffic[j];
            traffic->is_streaming |= options->streaming;
            if (isnan(traffic->read_bytes) && options->read_share >= 0)
                traffic->read_bytes = options->read_share * traffic->bytes;
        }
}

/* Names the events that would have counted what a perf profile lacks, for the CPU of the ceilings. */
static void place_cmd_advise(const struct ert_ceilings *ceilings, struct rfl_points *points)
{
    const struct ert_machine *machine = ceilings->machine;
    for (uint32_t i = 0; i < machine->n_devices; i++)
        if (machine->devices[i].kind == ERT_DEVICE_CPU)
            rfl_profile_advise(points, &machine->devices[i].cpu);
}

/* A level in --bytes must be one of the device's: "HBM" on a CPU without it does not mean its DRAM. */
static enum ert_status check_typed_levels(const struct rfl_points *points,
                                          const struct rfl_placer *placer,
                                          struct ert_error *error)
{
    const struct ert_device *device = ert_machine_device(
        placer->ceilings->machine, placer->ceilings->devices[placer->device].device);
    char list[160] = "";
    for (size_t i = 0; device && i < device->n_levels; i++)
        ert_list_add(list, sizeof list, device->levels[i].name);
    for (size_t i = 0; i < points->n; i++)
        for (size_t j = 0; j < points->points[i].n_traffic; j++) {
            const char *level = points->points[i].traffic[j].level;
            bool is_known = strcmp(level, "memory") == 0 || strcmp(level, "host") == 0 ||
                            (device && ert_device_level(device, level));
            for (size_t r = 0; r < placer->roofs->n_bandwidths && !is_known; r++)
                is_known = strcmp(placer->roofs->bandwidths[r].level, level) == 0;
            if (strcmp(points->points[i].format, "hand") == 0 && !is_known)
                return ert_fail(error, ERT_USAGE,
                                "--bytes: %s has no level %s; there are: %s",
                                placer->roofs->device, level, *list ? list : "none");
        }
    return ERT_OK;
}

/* Draws the points on the placer's device if `out` names a chart or page; *drawn tells whether. */
static enum ert_status place_cmd_draw(const struct rfl_placer *placer,
                                      const struct rfl_points *points,
                                      const char *ceilings_file, const char *out,
                                      bool *drawn, struct ert_error *error)
{
    const struct rfl_scene_device device = {placer->ceilings, placer->device};
    const struct rfl_page_input page = {placer->ceilings, placer->device, ceilings_file};
    const struct rfl_scene_options scene = {.points = points};
    struct ert_error unused;
    const char *dot = strrchr(out, '.');
    bool is_page = dot && strcasecmp(dot, ".html") == 0;
    *drawn = dot && !strchr(dot, '/') && rfl_plot_check(out, &unused) == ERT_OK;
    if (!*drawn)
        return ERT_OK;
    return is_page ? rfl_page_write(&page, 1, points, out, error)
                   : rfl_plot_file(&device, &scene, out, error);
}

static enum ert_status place(const struct ert_ceilings *ceilings,
                             const struct rfl_points *points, const struct options *options,
                             const struct rfl_placer_options *how,
                             const char *ceilings_file, struct ert_error *error)
{
    struct rfl_placer placer = {0};
    struct rfl_report report = {.placer = &placer,
                                .points = points,
                                .format = options->output,
                                .top = (size_t)options->top,
                                .full_names = options->full_names};
    /* CSV has the same columns for one kernel and for many */
    const char *view = options->view ? options->view
                       : points->n == 1 && strcmp(options->output, "csv") != 0
                           ? "hierarchical"
                           : "shares";
    report.view = view;
    report.columns =
        options->columns
            ? (size_t)options->columns
            : ert_text_columns(STDOUT_FILENO, RFL_REPORT_LEAST_COLUMNS, RFL_REPORT_COLUMNS);
    ERT_TRY(rfl_placer_open(ceilings, points, how, &placer, error));
    bool is_drawn = false;
    enum ert_status status = check_typed_levels(points, &placer, error);
    if (status == ERT_OK && options->out)
        status =
            place_cmd_draw(&placer, points, ceilings_file, options->out, &is_drawn, error);
    if (status == ERT_OK)
        status = options->out && !is_drawn
                     ? ert_file_write_made(options->out, rfl_report_write, &report, error)
                     : rfl_report_write(&report, stdout, error);
    rfl_placer_close(&placer);
    return status;
}

static enum ert_status place_cmd_run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {
        .hand = RFL_HAND,
        .read_share = -1,
    };
    const char *files[MAX_FILES];
    size_t n_files = 0;
    struct ert_ceilings ceilings = {0};
    struct rfl_points points = {0};
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, files, MAX_FILES,
                          &n_files, error));
    if (!options.output)
        options.output = output_of(options.out);
    struct rfl_placer_options how = {.device = options.device, .force = options.force};
    ERT_TRY(read_condition("clock", options.clock, "sweep", &how.clock_hz, error));
    ERT_TRY(
        read_condition("concurrency", options.concurrency, "all", &how.concurrency, error));
    if (!n_files)
        return ert_fail(error, ERT_USAGE, "place: no ceilings file given");
    ERT_TRY(rfl_ceilings_read(files[0], &ceilings, error));
    enum ert_status status = read_points(&options, files + 1, n_files - 1, &points, error);
    if (status == ERT_OK) {
        complete_accesses(&options, &points);
        place_cmd_advise(&ceilings, &points);
        status = place(&ceilings, &points, &options, &how, files[0], error);
    }
    rfl_points_free(&points);
    ert_ceilings_free(&ceilings);
    return status;
}

const struct ert_command rfl_command_place = {
    .name = "place",
    .words = "CEILINGS [PROFILE...]",
    .summary = "place kernels of profiles, or numbers by hand, under the roofs",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = place_cmd_run,
};
