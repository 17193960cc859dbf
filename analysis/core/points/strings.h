/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * strings: shortens names of kernels for labels, and tells which texts are of one kind.
 */
#ifndef RFL_STRINGS_H
#define RFL_STRINGS_H

#include "analysis/core/points/lists.h"
#include "ert/core/base/strings.h"

/*
 * A copy (malloc; the caller frees it) of a kernel's name without "void", parameters and what follows them:
 * "void ns::f<4, float>(int) const" gives "ns::f<4, float>". Names that are not C++ signatures are unchanged:
 * "v0 (baseline)".
 */
char *rfl_name_plain(const char *name);

/*
 * Writes the name of a kernel without return type, scopes, template arguments and parameters to text[size],
 * cut with ".." if it is longer: "void ns::f<4, float>(int)" gives "f".
 */
void rfl_name_short(const char *name, char *text, size_t size);

/*
 * Short names of n kernels, stored in `strings`, of at most `width` bytes (16 or more): as rfl_name_short;
 * names that would be equal get the template arguments that tell them apart, without scopes: "void
 * at::native::f<4, at::native::Add<float>>(int)" beside "...::f<4, at::native::Mul>(int)" gives
 * "f<Add<float>>". Too long a name loses its end or, if the end tells it apart, its middle.
 */
void rfl_names_short(struct ert_strings *strings, const char *const *names, size_t n,
                     size_t width, const char **texts);

/* Copies as many whole characters as fit, with ".." for the rest, to text[size]; size at least 4. */
void rfl_name_cut(const char *name, char *text, size_t size);

/* A copy (malloc) of a text without words that begin with a digit: equal for texts of one kind. */
char *rfl_text_kind(const char *text);

#endif
