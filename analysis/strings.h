/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * strings: names of kernels as a label can hold them, and which texts are of one kind.
 */
#ifndef RFL_STRINGS_H
#define RFL_STRINGS_H

#include "analysis/lists.h"
#include "ert/base/strings.h"

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
void rfl_names_short(struct ert_strings *strings, const char *const *names, size_t n,
                     size_t width, const char **texts);

/* Copies whole characters, and ".." for the rest, into text[size]; size at least 4. */
void rfl_name_cut(const char *name, char *text, size_t size);

/* A text without the words that begin with a digit (malloc, the caller's): equal for those of one kind. */
char *rfl_text_kind(const char *text);

#endif
