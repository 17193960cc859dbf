/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/chart/page.h"

enum ert_status rfl_page_write(const struct rfl_page_input *inputs, size_t n_inputs,
                               const struct rfl_points *points, const char *file,
                               struct ert_error *error)
{
    if (!rfl_page)
        return ert_fail(error, ERT_UNAVAILABLE, "%.200s: this build makes no pages", file);
    return rfl_page(inputs, n_inputs, points, file, error);
}
