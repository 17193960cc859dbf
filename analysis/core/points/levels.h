/* SPDX-License-Identifier: BSD-3-Clause */
/* levels: the names that profiles and ceilings have for levels of memory, from the cores outwards. */
#ifndef RFL_LEVELS_H
#define RFL_LEVELS_H

#include <stddef.h>

enum { RFL_N_LEVELS = 11, RFL_DEPTH_MEMORY = 9 };

/* In this order; the last are sources of bytes besides the device's levels: "host" and "NET". */
extern const char *const rfl_level_names[RFL_N_LEVELS];

/* The position in lists: as above, unknown names last. */
int rfl_level_rank(const char *level);

/*
 * The position on the path to memory: 1 the first, RFL_DEPTH_MEMORY any memory, for which counters have
 * different names; 0: not on it, or unknown.
 */
int rfl_level_depth(const char *level);

/* Names in a sentence, whole ones only: "L1-load, L2-load and 7 more". Start with all zero. */
struct rfl_names {
    char text[1024 + 32];
    size_t left_out; /* number of names that did not fit */
};

/* Adds a name if the list stays shorter than `limit`, which is at most 1024. */
void rfl_names_add(struct rfl_names *names, size_t limit, const char *name);

/* Call once, after the last name: appends " and N more" if any did not fit; returns the text. */
const char *rfl_names_end(struct rfl_names *names);

#endif
