/* SPDX-License-Identifier: BSD-3-Clause */
/* placement: what `roofline place --output json` writes; the report calls it (rfl_report_json). */
#ifndef RFL_JSON_PLACEMENT_H
#define RFL_JSON_PLACEMENT_H

#include "analysis/core/place/views.h"
#include "ert/core/base/json.h"

/*
 * A placement as JSON, with the rows of a view: an element of "kernels" of
 * placement.schema.json. whole_s: the time that its share is of. The caller frees it.
 */
cJSON *rfl_placement_json(const struct rfl_placer *placer,
                          const struct rfl_placement *placement,
                          const struct rfl_view *view, double whole_s);

#endif
