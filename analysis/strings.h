/*
 * strings: texts that live as long as their store, each kept once. Points of a profile of 100,000
 * launches share a few dozen names, recipes and reasons.
 */
#ifndef RFL_STRINGS_H
#define RFL_STRINGS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* With the hash beside the text a look-up reads few texts, and a larger table none. */
struct rfl_string_slot {
    uint64_t hash;
    const char *text; /* NULL: free */
};

struct rfl_strings {
    char **blocks; /* malloc; the texts, never moved */
    size_t n_blocks, used;
    struct rfl_string_slot *slots; /* malloc; hash table, a power of two of slots */
    size_t n_slots, n_texts;
};

/* The store's own copy of a text; the same pointer for the same text. NULL when memory runs out. */
const char *rfl_strings_keep(struct rfl_strings *strings, const char *text);

/* The same of a printf'ed text of any length. */
const char *rfl_strings_format(struct rfl_strings *strings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *rfl_strings_vformat(struct rfl_strings *strings, const char *format,
                                va_list arguments);

/* Frees all texts; all zero is fine. */
void rfl_strings_free(struct rfl_strings *strings);

#endif
