/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lists: names in a sentence, whole ones only: "L1-load, L2-load and 7 more".
 */
#ifndef RFL_LISTS_H
#define RFL_LISTS_H

#include <stddef.h>

/* All zero at first. */
struct rfl_names {
    char text[1024 + 32];
    size_t left_out; /* for which there was no room */
};

/* Adds a name where the list stays shorter than `limit`, at most 1024. */
void rfl_names_add(struct rfl_names *names, size_t limit, const char *name);

/* Appends " and N more", once, when all are added; returns the text. */
const char *rfl_names_end(struct rfl_names *names);

#endif
