/*
 * names: names of kernels as a label can hold them.
 */
#ifndef RFL_PLOT_NAMES_H
#define RFL_PLOT_NAMES_H

#include <stddef.h>

/*
 * Writes the name of a kernel without return type, scopes, template arguments and parameters into
 * text[size], cut with ".." where it is longer: "void ns::f<4, float>(int)" gives "f". Names that
 * are no C++ signatures stay as they are: "v0 (baseline)".
 */
void rfl_name_short(const char *name, char *text, size_t size);

/* As above, but with the template arguments: what tells instances of a template apart. */
void rfl_name_instance(const char *name, char *text, size_t size);

/* Copies whole characters, and ".." for the rest, into text[size]; size at least 4. */
void rfl_name_cut(const char *name, char *text, size_t size);

#endif
