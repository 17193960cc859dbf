/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chart: lays out a scene on a canvas: axes, lines, labels that do not collide, caption; and declares the
 * canvases. It draws only through the canvas's functions and selects no colours.
 */
#ifndef RFL_PLOT_CHART_H
#define RFL_PLOT_CHART_H

#include "analysis/core/chart/canvas.h"
#include "analysis/core/chart/scene.h"

/*
 * Draws the whole page, from the canvas's begin() to its end(). A label without a free place is shortened or
 * moved from the plot to the key below it, so that nothing is lost.
 */
void rfl_chart_draw(const struct rfl_scene *scene, struct rfl_canvas *canvas);

/*
 * SVG 1.1 (svg.c): self-contained, valid XML for any texts, legible to the colour-blind and in black and
 * white. The caller owns `out` and checks it with ferror().
 */
struct rfl_svg {
    struct rfl_canvas canvas;
    FILE *out;
};
void rfl_svg_init(struct rfl_svg *svg, FILE *out);

/*
 * Draw a scene (struct rfl_scene) to a stream. SVG never fails. PNG and PDF need a build with Cairo
 * (analysis/ext/cairo; cairographics.org): the PNG has two pixels per unit of the page, the PDF three
 * quarters of a point; the same input gives the same bytes, since no dates are written. ERT_UNAVAILABLE, with
 * the reason, in a build without Cairo (cairo_none.c); ERT_FAILED with Cairo's reason.
 */
enum ert_status rfl_svg_draw(const void *scene, FILE *out, struct ert_error *error);
enum ert_status rfl_cairo_png(const void *scene, FILE *out, struct ert_error *error);
enum ert_status rfl_cairo_pdf(const void *scene, FILE *out, struct ert_error *error);

/* "" in a build with Cairo, else why it has none. */
extern const char rfl_cairo_reason[];

#endif
