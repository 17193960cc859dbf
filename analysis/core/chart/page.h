/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page: one HTML file with the roofs of some devices and points under them, for a browser: values on hover,
 * switches, zoom. It needs no network and loads nothing. C code writes the data (JSON in the page); the
 * scripts of analysis/ext/page draw them. It computes no ceilings. An extension makes it: rfl_page.
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

/*
 * Writes the page atomically. points may be NULL. theory: the page opens with theoretical peaks on. Devices
 * without a ceiling are in the page with the reason; ERT_UNAVAILABLE when no device has one and there are no
 * points. ERT_USAGE for a device that the ceilings do not have.
 */
typedef enum ert_status rfl_page_make(const struct rfl_page_input *inputs, size_t n_inputs,
                                      const struct rfl_points *points, bool theory,
                                      const char *file, struct ert_error *error);
rfl_page_make rfl_page_write;

/* What rfl_page_write calls. NULL: this build has no such extension, ERT_UNAVAILABLE. */
extern rfl_page_make *const rfl_page;

#endif
