/* SPDX-License-Identifier: BSD-3-Clause */
/* placed_fixture: points made by hand on the roofs of planted machines. */
#ifndef ERT_TESTS_UNIT_PLACED_FIXTURE_H
#define ERT_TESTS_UNIT_PLACED_FIXTURE_H

#include "tests/unit/planted.h"
#include "tests/unit/test.h"

#include "analysis/core/place/place.h"

static struct rfl_points points;
static struct rfl_roofs roofs;

/* The roofs of a machine as measured, and a point of a time without anything else. */
static inline struct rfl_point *start(enum planted machine, double time_s)
{
    struct ert_error error = {ERT_OK, ""};
    static struct ert_ceilings ceilings; /* until the next call: the roofs point to them */
    ert_ceilings_free(&ceilings);
    ceilings = planted_make(machine);
    const struct rfl_roofs_options options = {.clock_hz = 0};
    enum ert_status status = rfl_roofs_make(&ceilings, 0, &options, &roofs, &error);
    if (status != ERT_OK)
        fail_msg("%s", error.text);
    struct rfl_point *point = rfl_points_add(&points, "kernel");
    point->time_s = time_s;
    return point;
}

static inline void work(struct rfl_point *point, const char *type, const char *unit,
                        double flops, double share)
{
    if (rfl_points_work(point, type, unit, flops, share, "") != ERT_OK)
        fail_msg("%s", points.error.text);
}

static inline void bytes(struct rfl_point *point, const char *level, double count)
{
    if (rfl_points_traffic(point, level, count, "") != ERT_OK)
        fail_msg("%s", points.error.text);
}

/* Of which so many were read; moved: as a counter of memory sees them. */
static inline void accesses(struct rfl_point *point, const char *level, double count,
                            double read, bool moved)
{
    if (rfl_points_accesses(point, level, count, read, moved, "") != ERT_OK)
        fail_msg("%s", points.error.text);
}

/* All of which were read. */
static inline void loads(struct rfl_point *point, const char *level, double count)
{
    accesses(point, level, count, count, false);
}

static inline struct rfl_placement placed(const struct rfl_point *point)
{
    struct rfl_placement placement;
    memset(&placement, 0xa5, sizeof placement);
    rfl_place(point, &roofs, &placement);
    return placement;
}

static inline int unload(void **state)
{
    rfl_points_free(&points);
    return 0;
}

#endif
