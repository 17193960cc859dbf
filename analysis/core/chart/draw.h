/* SPDX-License-Identifier: BSD-3-Clause */
/* draw: charts and pages from measured ceilings, in files. It measures nothing, and prints to its file. */
#ifndef RFL_ROOFLINE_H
#define RFL_ROOFLINE_H

#include "analysis/core/chart/scene.h"
#include "ert/core/ceilings/ceilings.h"

enum { RFL_FILE_NAME = 1024 };

/* The outcome for one device. */
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
 * Whether a chart can be written to a file. Its extension selects the canvas: .svg, .png or .pdf (for .html
 * rfl_page_write). ERT_USAGE for another one, ERT_UNAVAILABLE for one that this build lacks.
 */
enum ert_status rfl_plot_check(const char *file, struct ert_error *error);

/*
 * Draws a device, with profiled points, as a chart and writes it, atomically. Errors as rfl_plot_check
 * and, for options, rfl_scene_make; ERT_UNAVAILABLE when there is nothing to draw, ERT_FAILED with the
 * system's reason.
 */
enum ert_status rfl_plot_file(const struct rfl_scene_device *device,
                              const struct rfl_scene_options *options, const char *file,
                              struct ert_error *error);

/*
 * Draws one chart per device: the first that has something to draw to `file`, each further one next to it
 * with its id before the extension (roofline.svg, roofline-gpu1.svg). Devices with nothing to draw get no
 * file but a reason; ERT_UNAVAILABLE when none has. Other errors as rfl_plot_file. *plots always says what
 * was written.
 */
enum ert_status rfl_plot_files(const struct ert_ceilings *ceilings,
                               const struct rfl_scene_options *options, const char *file,
                               struct rfl_plots *plots, struct ert_error *error);

/*
 * A page is one HTML file with the roofs of some devices and points under them, for a browser: values on
 * hover, switches, zoom. It needs no network and loads nothing. C code writes the data (JSON in the page):
 * the roofs of a chart, the points as in points.json, and their placements as `roofline place --output json`
 * has them. The scripts of analysis/ext/page draw them. It computes nothing. An extension makes it: rfl_page.
 */

/* One device, and the file with its ceilings; the caller owns both. */
struct rfl_page_input {
    const struct ert_ceilings *ceilings;
    size_t device; /* index in ceilings->devices */
    const char *file;
};

/* The most points of a page, the longest: each is some kilobytes. */
enum { RFL_PAGE_POINTS = 2000 };

/*
 * Writes the page atomically. points may be NULL; of more than RFL_PAGE_POINTS the longest. Devices without a
 * ceiling are in the page with the reason; ERT_UNAVAILABLE when none has one.
 */
typedef enum ert_status rfl_page_make(const struct rfl_page_input *inputs, size_t n_inputs,
                                      const struct rfl_points *points, const char *file,
                                      struct ert_error *error);
rfl_page_make rfl_page_write;

/* What rfl_page_write calls. NULL: this build has no such extension, ERT_UNAVAILABLE. */
extern rfl_page_make *const rfl_page;

#endif
