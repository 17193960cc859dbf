/* SPDX-License-Identifier: BSD-3-Clause */
/* For builds in which Cairo was not found or is disabled. */
#include "analysis/core/chart/chart.h"

#include "ert/core/base/config.h"

const char rfl_cairo_reason[] = RFL_CAIRO_REASON;

enum ert_status rfl_cairo_png(const void *scene, FILE *out, struct ert_error *error)
{
    (void)scene, (void)out;
    return ert_fail(error, ERT_UNAVAILABLE, "no PNG: %s", rfl_cairo_reason);
}

enum ert_status rfl_cairo_pdf(const void *scene, FILE *out, struct ert_error *error)
{
    (void)scene, (void)out;
    return ert_fail(error, ERT_UNAVAILABLE, "no PDF: %s", rfl_cairo_reason);
}
