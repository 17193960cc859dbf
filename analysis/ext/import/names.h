/* SPDX-License-Identifier: BSD-3-Clause */
/* names: shortens the C++ names that profilers give to kernels. */
#ifndef RFL_IMPORT_NAMES_H
#define RFL_IMPORT_NAMES_H

#include "analysis/core/points/strings.h"

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
 * Of struct rfl_reader. As rfl_name_short; names that would be equal get the template arguments that tell
 * them apart, without scopes: "void at::native::f<4, at::native::Add<float>>(int)" beside
 * "...::f<4, at::native::Mul>(int)" gives "f<Add<float>>". Too long a name loses its end or, if the end tells
 * it apart, its middle.
 */
void rfl_names_shorten(struct ert_strings *strings, const char *const *names, size_t n,
                       size_t width, const char **texts);

#endif
