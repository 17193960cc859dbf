/*
 * commands: the subcommands of the program roofline, one file each, and what they share: options, files
 * that are ceilings or profiles, outputs. Only this module prints.
 */
#ifndef RFL_CLI_COMMANDS_H
#define RFL_CLI_COMMANDS_H

#include "analysis/points.h"
#include "ert/base/file.h"
#include "ert/base/program.h"
#include "ert/ceilings/ceilings.h"

extern const struct ert_command rfl_command_show, rfl_command_plot, rfl_command_place,
    rfl_command_import, rfl_command_compare, rfl_command_portability, rfl_command_scaling,
    rfl_command_export, rfl_command_record;

/* "text", "markdown", "csv", "json"; NULL ends them. */
extern const char *const rfl_outputs[];

/*
 * Reads a file: ceilings, ours or LBNL ERT's, into *ceilings, then the caller's; or the points of a
 * profile, appended to *points. *is_ceilings says which. ERT_USAGE as the readers.
 */
enum ert_status rfl_input_read(const char *file, struct ert_ceilings *ceilings,
                               struct rfl_points *points, bool *is_ceilings,
                               struct ert_error *error);

/*
 * Writes an output whole or not at all: what make(about, out) writes, to a file or (NULL) the standard
 * output.
 */
enum ert_status rfl_output_whole(const char *file, ert_file_make *make, const void *about,
                                 struct ert_error *error);

/* The columns of the terminal that is written to, at least `least`; `otherwise` where it is none. */
size_t rfl_terminal_columns(size_t least, size_t otherwise);

#endif
