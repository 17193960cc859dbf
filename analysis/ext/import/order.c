/* SPDX-License-Identifier: BSD-3-Clause */
/* order: why counters can see more bytes further out (rfl_points_judge_order). */
#include "analysis/core/points/levels.h"
#include "analysis/core/points/points.h"

#include <stdlib.h>
#include <string.h>

/* Importers of GPU profiles write the compute capability into the origin: "cc 9.0", the first with TMA. */
static bool order_has_tma(const struct rfl_points *points)
{
    const char *at = points->origin ? strstr(points->origin, "cc ") : NULL;
    return at && atoi(at + strlen("cc ")) >= 9;
}

static void order_judge(struct rfl_point *point)
{
    /*
     * Partial sectors alone make the counters of two levels differ by this much; lines that stores fetch are
     * as many bytes as these store.
     */
    static const double slack = 1.02;
    for (size_t i = 0; i < point->n_traffic; i++) {
        const struct rfl_traffic *inner = &point->traffic[i];
        int depth = rfl_level_depth(inner->level);
        const struct rfl_traffic *outer = depth ? rfl_point_outer(point, depth) : NULL;
        bool is_tma = strcmp(inner->level, "L1") == 0 && order_has_tma(point->set) &&
                      rfl_traffic_is_passed_by(point, inner);
        bool is_part = strstr(inner->recipe, " alone") != NULL; /* "reads alone" */
        const double stores = inner->bytes - inner->read_bytes,
                     fetched = !inner->is_actual && stores > 0 ? stores : 0;
        if (outer && outer->bytes > slack * (inner->bytes + fetched))
            rfl_points_warn(
                point, "%s moved %.3g times the bytes of %s%s (%s; %s)", outer->level,
                outer->bytes / inner->bytes, inner->level,
                is_part  ? ", of which only a part was counted"
                : is_tma ? ": most likely the kernel loads by TMA, from L2 to shared "
                           "memory, which the counter of L1 does not see"
                         : ", so its intensity is lower: write-allocates, whole lines read "
                           "for parts of them, write-backs, prefetches or counters that "
                           "include other programs",
                *outer->recipe ? outer->recipe : "unknown counter",
                *inner->recipe ? inner->recipe : "unknown counter");
    }
}

void (*const rfl_points_judge_order)(struct rfl_point *point) = order_judge;
