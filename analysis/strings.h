/*
 * strings: texts: kept once in a store; names of kernels as a label can hold them.
 */
#ifndef RFL_STRINGS_H
#define RFL_STRINGS_H

#include "analysis/lists.h"

#include <stdarg.h>

/*
 * Texts that live as long as their store, each kept once. Points of a profile of 100,000 launches
 * share a few dozen names, recipes and reasons.
 */
struct rfl_strings {
    char **texts; /* malloc; in the order in which they came */
    size_t n_texts, capacity;
    size_t *slots, n_slots; /* malloc; a hash table of the texts' indexes + 1, 0: free */
};

/* The index in strings->texts of a text, which is copied if it is new. */
size_t rfl_strings_index(struct rfl_strings *strings, const char *text);

/* The store's own copy of a text; the same pointer for the same text. */
const char *rfl_strings_keep(struct rfl_strings *strings, const char *text);

/* The same of a printf'ed text of any length. */
const char *rfl_strings_format(struct rfl_strings *strings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *rfl_strings_vformat(struct rfl_strings *strings, const char *format,
                                va_list arguments);

/* Frees all texts; all zero is fine. */
void rfl_strings_free(struct rfl_strings *strings);

/*
 * A kernel's name as people say it, without "void", parameters and what follows them, in a copy (malloc, the
 * caller's): "void ns::f<4, float>(int) const" gives "ns::f<4, float>". Names that are no C++ signatures
 * stay as they are: "v0 (baseline)".
 */
char *rfl_name_plain(const char *name);

/*
 * Writes the name of a kernel without return type, scopes, template arguments and parameters into
 * text[size], cut with ".." where it is longer: "void ns::f<4, float>(int)" gives "f".
 */
void rfl_name_short(const char *name, char *text, size_t size);

/*
 * Short names of n kernels, which `strings` keeps, of at most `width` bytes (16 or more): rfl_name_short,
 * where several would be the same with the template arguments that tell them apart, less their scopes:
 * "void at::native::f<4, at::native::Add<float>>(int)" beside "...::f<4, at::native::Mul>(int)" gives
 * "f<Add<float>>". One that is too long loses its end or, where that tells it apart, its middle.
 */
void rfl_names_short(struct rfl_strings *strings, const char *const *names, size_t n,
                     size_t width, const char **texts);

/* Copies whole characters, and ".." for the rest, into text[size]; size at least 4. */
void rfl_name_cut(const char *name, char *text, size_t size);

#endif
