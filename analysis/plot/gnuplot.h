/*
 * gnuplot: the canvas that writes a script for gnuplot (5.0 or newer), its data inline: axes, lines
 * and points in data units, to be edited by hand. `gnuplot chart.gp` writes chart.pdf;
 * `gnuplot -e "output='x.png'" chart.gp` (or .svg, .pdf) another file.
 */
#ifndef RFL_PLOT_GNUPLOT_H
#define RFL_PLOT_GNUPLOT_H

#include "analysis/plot/scene.h"

/* Draws a scene into memory: *bytes (malloc, the caller's) of *size. ERT_FAILED without memory. */
enum ert_status rfl_gnuplot(const struct rfl_scene *scene, char **bytes, size_t *size,
                            struct ert_error *error);

#endif
