/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * points_fixture: profiled points for the tests of what places and draws them.
 */
#ifndef ERT_TESTS_UNIT_POINTS_FIXTURE_H
#define ERT_TESTS_UNIT_POINTS_FIXTURE_H

#include "tests/unit/test.h"

#include "analysis/core/points/points.h"

#include <stdbool.h>
#include <stdio.h>

/* Adds a point of fp64 operations on the cores; fma_share NAN unknown. */
static inline struct rfl_point *fixture_point(struct rfl_points *points, const char *name,
                                              const char *run, double time_s, double flops,
                                              double fma_share)
{
    struct rfl_point *point = rfl_points_add(points, name);
    point->run = rfl_points_text(points, run);
    point->time_s = time_s;
    assert_int_equal(rfl_points_work(point, "fp64", "core", flops, fma_share, ""), ERT_OK);
    return point;
}

static inline void fixture_bytes(struct rfl_point *point, const char *level, double bytes)
{
    assert_int_equal(rfl_points_traffic(point, level, bytes, ""), ERT_OK);
}

/* n kernels with bytes of L1, L2 and HBM, close to each other; all with the same short name or none. */
static inline void fixture_crowd(struct rfl_points *points, size_t n, bool same)
{
    for (size_t i = 0; i < n; i++) {
        char name[96];
        double flops = 1e12 * (1 + 0.01 * (double)i);
        snprintf(name, sizeof name,
                 same ? "void ns::kernel<%zu, float>(int)"
                      : "void ns::kernel_%zu<float>(int)",
                 i);
        struct rfl_point *point =
            fixture_point(points, name, "", 1 + 0.1 * (double)(i % 7), flops, 0.5);
        fixture_bytes(point, "L1", flops / (1 + 0.05 * (double)i));
        fixture_bytes(point, "L2", flops / (2 + 0.11 * (double)i));
        fixture_bytes(point, "HBM", flops / (8 + 0.31 * (double)i));
    }
}

#endif
