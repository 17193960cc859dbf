/*
 * hand: a point from numbers given by hand, where counters are forbidden or the counts are known from
 * the algorithm.
 */
#ifndef RFL_HAND_H
#define RFL_HAND_H

#include "analysis/points.h"

struct rfl_hand {
    const char *name; /* NULL: "by hand" */
    double flops;     /* 0: none */
    const char *type; /* "fp64" */
    const char *unit; /* "core"; "" not told */
    double fma_share; /* negative: not known */
    const char
        *bytes; /* "L1=4e9,L2=2e9,HBM=1GiB", sizes as ert_units_parse_size; read and written
                      apart: "DRAM=1e9r+5e8w"; or NULL */
    bool is_actual; /* the bytes are those that moved (points.h, struct rfl_traffic) */
    double time_s;  /* 0: not known */
    double instructions, energy_j; /* 0: not known */
};

/*
 * Appends the point, judged. ERT_USAGE for bytes of another form, a level that stands twice, and when
 * there are neither operations nor bytes.
 */
enum ert_status rfl_hand_point(const struct rfl_hand *hand, struct rfl_points *points,
                               struct ert_error *error);

#endif
