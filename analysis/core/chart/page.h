/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page: one HTML file with the roofs of some devices and points under them, for a browser: values on hover,
 * switches, zoom. It needs no network and loads nothing. C code writes the data (JSON in the page): the roofs
 * of a chart, the points as in points.json, and their placements as `roofline place --output json` has them.
 * The scripts of analysis/ext/page draw them. It computes nothing. An extension makes it: rfl_page.
 */
#ifndef RFL_PLOT_PAGE_H
#define RFL_PLOT_PAGE_H

#include "analysis/core/points/points.h"
#include "ert/core/base/error.h"
#include "ert/core/ceilings/ceilings.h"

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
 * ceiling are in the page with the reason; ERT_UNAVAILABLE when none has one. ERT_USAGE for a device that the
 * ceilings do not have.
 */
typedef enum ert_status rfl_page_make(const struct rfl_page_input *inputs, size_t n_inputs,
                                      const struct rfl_points *points, const char *file,
                                      struct ert_error *error);
rfl_page_make rfl_page_write;

/* What rfl_page_write calls. NULL: this build has no such extension, ERT_UNAVAILABLE. */
extern rfl_page_make *const rfl_page;

#endif
