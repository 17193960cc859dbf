/* SPDX-License-Identifier: BSD-3-Clause */
/* strings: a store of texts, each kept once: equal texts are one pointer and one number. */
#ifndef ERT_BASE_STRINGS_H
#define ERT_BASE_STRINGS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Texts that live as long as their store, each kept once. Points of a profile of 100,000 launches
 * share a few dozen names, recipes and reasons.
 */
struct ert_strings {
    char **texts; /* malloc; in the order in which they came */
    size_t n_texts, capacity;
    struct ert_strings_slot {
        uint32_t number, hash; /* the text's index + 1, 0: free */
    } * slots;                 /* malloc; a hash table */
    size_t n_slots;
    char **blocks, *free,
        *end; /* malloc: what the texts lie in; the free part of the last one */
    size_t n_blocks, block_capacity;
};

/*
 * Memory that lives as long as the store, aligned for numbers and pointers: `bytes` of which the first
 * `before` are those of `memory`, which is of this store, too, or NULL. In place where that came last.
 */
void *ert_strings_grow(struct ert_strings *strings, void *memory, size_t before,
                       size_t bytes);

/* The index in strings->texts of a text, which is copied if it is new. */
size_t ert_strings_index(struct ert_strings *strings, const char *text);

/* The index of a text that is there, else SIZE_MAX. */
size_t ert_strings_find(const struct ert_strings *strings, const char *text);

/* The store's own copy of a text; the same pointer for the same text. */
const char *ert_strings_keep(struct ert_strings *strings, const char *text);

/* The same of a printf'ed text of any length. */
const char *ert_strings_format(struct ert_strings *strings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *ert_strings_vformat(struct ert_strings *strings, const char *format,
                                va_list arguments);

/* Frees all texts; all zero is fine. */
void ert_strings_free(struct ert_strings *strings);

#endif
