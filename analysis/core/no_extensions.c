/* SPDX-License-Identifier: BSD-3-Clause */
/* no_extensions: what analysis/ext defines, in a build without it (./configure --disable-extensions). */
#include "analysis/core/chart/draw.h"
#include "analysis/core/place/report.h"
#include "analysis/core/points/reader.h"

const struct rfl_reader rfl_reader = {0};
rfl_page_make *const rfl_page = NULL;
void (*const rfl_advise)(struct rfl_placement *placement) = NULL;
const struct rfl_view rfl_views[] = {RFL_HIERARCHICAL};
const size_t rfl_n_views = 1;
ert_file_make *const rfl_report_json = NULL;
void (*const rfl_points_judge_order)(struct rfl_point *point) = NULL;
