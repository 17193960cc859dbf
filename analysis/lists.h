/*
 * lists: texts put together from pieces, in buffers of the caller's.
 */
#ifndef RFL_LISTS_H
#define RFL_LISTS_H

#include <stddef.h>

/* Appends to text[size], cut at its end. */
void rfl_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends an item to a list in text[size]: ", item", the first without the comma. */
void rfl_append_item(char *text, size_t size, const char *item);

/* Names in a sentence, whole ones only: "L1-load, L2-load and 7 more". All zero at first. */
struct rfl_names {
    char text[1024 + 32];
    size_t left_out; /* for which there was no room */
};

/* Adds a name where the list stays shorter than `limit`, at most 1024. */
void rfl_names_add(struct rfl_names *names, size_t limit, const char *name);

/* Appends " and N more", once, when all are added; returns the text. */
const char *rfl_names_end(struct rfl_names *names);

#endif
