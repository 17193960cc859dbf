/*
 * advice_parts: what the rules of advice see and how they speak. Private to advice.
 */
#ifndef RFL_ADVICE_PARTS_H
#define RFL_ADVICE_PARTS_H

#include "analysis/advice.h"

#include <stdbool.h>

struct rfl_advice {
    struct rfl_placement *placement;
    const struct rfl_roofs *roofs;
    const struct rfl_point *point;
    const struct rfl_placed_level *level; /* that bounds, or NULL */
    const struct rfl_placed_unit *unit;   /* that bounds, or NULL */
    size_t used;                          /* of placement->advice */
};

/* A rule: when it applies, and what it then says. */
struct rfl_rule {
    bool (*applies)(const struct rfl_advice *advice);
    void (*say)(struct rfl_advice *advice);
};

/* Appends to the sentence; cut at its room. */
void rfl_advice_say(struct rfl_advice *advice, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What follows the head: all that apply, in this order; the last row is NULL. */
extern const struct rfl_rule rfl_advice_latency[], rfl_advice_bound[];

/*
 * A roof is in reach from this share of it on; below the lower one no roof is what holds the code
 * back. (Nsight Compute's own rule speaks of latency below 60 % of a theoretical peak; ours are
 * measured.)
 */
#define RFL_ADVICE_REACHED 0.8
#define RFL_ADVICE_LATENCY 0.5
/* Beyond this a measured roof's own spread and a counter's rounding explain no more. */
#define RFL_ADVICE_BEYOND 1.03

#endif
