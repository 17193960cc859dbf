/*
 * output: a scene as a file. The file's extension says which canvas draws it; adding one is a row.
 */
#ifndef RFL_PLOT_OUTPUT_H
#define RFL_PLOT_OUTPUT_H

#include "analysis/plot/scene.h"

/* Draws a scene into memory: *bytes (malloc, the caller's) of *size. */
enum ert_status rfl_output_svg(const struct rfl_scene *scene, char **bytes, size_t *size,
                               struct ert_error *error);

/* ERT_USAGE when the extension is none of them; ERT_UNAVAILABLE when this build has not got it. */
enum ert_status rfl_output_check(const char *file, struct ert_error *error);

/* Writes the file atomically, as its extension says. ERT_FAILED with the system's reason. */
enum ert_status rfl_output_write(const struct rfl_scene *scene, const char *file,
                                 struct ert_error *error);

#endif
