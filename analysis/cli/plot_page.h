/*
 * plot_page: `roofline plot CEILINGS... [PROFILE...] --out FILE.html`: the files of the command line
 * as one page. Private to the plot command.
 */
#ifndef RFL_CLI_PLOT_PAGE_H
#define RFL_CLI_PLOT_PAGE_H

#include "ert/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { RFL_MAX_PLOT_WORDS = 64 };

/* Whether a file's name ends in .html. */
bool rfl_plot_is_page(const char *file);

/*
 * Reads the files, ceilings or profiles by what stands in them, and writes the page. device: only
 * this one of every ceilings file that has it, or NULL. Prints what was written.
 */
enum ert_status rfl_plot_page(const char *const *words, size_t n_words, const char *device,
                              bool theory, const char *out, struct ert_error *error);

#endif
