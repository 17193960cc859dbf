/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lists: names in a sentence, whole ones only: "L1-load, L2-load and 7 more".
 */
#ifndef RFL_LISTS_H
#define RFL_LISTS_H

#include <stddef.h>

/* Start with all zero. */
struct rfl_names {
    char text[1024 + 32];
    size_t left_out; /* number of names that did not fit */
};

/* Adds a name if the list stays shorter than `limit`, which is at most 1024. */
void rfl_names_add(struct rfl_names *names, size_t limit, const char *name);

/* Call once, after the last name: appends " and N more" if any did not fit; returns the text. */
const char *rfl_names_end(struct rfl_names *names);

#endif
