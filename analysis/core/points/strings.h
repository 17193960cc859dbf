/* SPDX-License-Identifier: BSD-3-Clause */
/* strings: cuts names for labels, and tells which texts are of one kind. */
#ifndef RFL_STRINGS_H
#define RFL_STRINGS_H

#include "ert/core/base/strings.h"

/* Copies as many whole characters as fit, with ".." for the rest, to text[size]; size at least 4. */
void rfl_name_cut(const char *name, char *text, size_t size);

/* A copy (malloc) of a text without words that begin with a digit: equal for texts of one kind. */
char *rfl_text_kind(const char *text);

#endif
