/*
 * roofline: the public side of the analysis library: charts from measured ceilings. It measures
 * nothing and prints nothing but to the stream or file it is given.
 */
#ifndef RFL_ROOFLINE_H
#define RFL_ROOFLINE_H

#include "analysis/plot/scene.h"
#include "ert/base/error.h"
#include "ert/ceilings/ceilings.h"

#include <stdbool.h>
#include <stdio.h>

enum { RFL_MIN_COLUMNS = 60, RFL_MAX_COLUMNS = 400, RFL_FILE_NAME = 1024 };

/* What became of the chart of one device. */
struct rfl_plot {
    char device[16];
    char file[RFL_FILE_NAME]; /* "" when none was written */
    char reason[512];         /* why not, or "" */
};

/* One per device of the ceilings, in their order. */
struct rfl_plots {
    size_t n_plots;
    struct rfl_plot plots[ERT_MAX_DEVICES];
};

/*
 * Writes the chart of one device as SVG, atomically. theory: with the theoretical peaks.
 * ERT_UNAVAILABLE when the device has nothing to draw, ERT_FAILED with the system's reason.
 */
enum ert_status rfl_plot_svg(const struct ert_ceilings *ceilings, size_t device,
                             bool theory, const char *file, struct ert_error *error);

/*
 * Writes the charts of all devices: the first that has something to draw to `file`, each further
 * one beside it with its id before the extension (roofline.svg, roofline-gpu1.svg). Devices with
 * nothing to draw get no file but a reason. ERT_UNAVAILABLE when that is so for all, ERT_FAILED
 * when a file could not be written; *plots says in any case what was.
 */
enum ert_status rfl_plot_svg_all(const struct ert_ceilings *ceilings, bool theory,
                                 const char *file, struct rfl_plots *plots,
                                 struct ert_error *error);

/*
 * As rfl_plot_svg and rfl_plot_svg_all, with profiled points, on the canvas that the file's extension
 * says: .svg, .png, .pdf. The first draws n devices in one chart. ERT_USAGE for another
 * extension (checked before anything is drawn) or options that do not fit (scene.h);
 * ERT_UNAVAILABLE for a canvas that this was built without.
 */
enum ert_status rfl_plot_file(const struct rfl_scene_device *devices, size_t n,
                              const struct rfl_scene_options *options, const char *file,
                              struct ert_error *error);
enum ert_status rfl_plot_files(const struct ert_ceilings *ceilings,
                               const struct rfl_scene_options *options, const char *file,
                               struct rfl_plots *plots, struct ert_error *error);

/* As rfl_plot_text, of n devices in one chart, with profiled points. */
enum ert_status rfl_plot_screen(const struct rfl_scene_device *devices, size_t n,
                                const struct rfl_scene_options *options, size_t columns,
                                bool utf8, FILE *out, struct ert_error *error);

/*
 * Writes the chart of one device as text, at most `columns` wide (RFL_MIN_COLUMNS to
 * RFL_MAX_COLUMNS), in ASCII or UTF-8. Errors as rfl_plot_svg; ERT_USAGE for the columns.
 */
enum ert_status rfl_plot_text(const struct ert_ceilings *ceilings, size_t device,
                              bool theory, size_t columns, bool utf8, FILE *out,
                              struct ert_error *error);

#endif
