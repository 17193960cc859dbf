/*
 * svg: the canvas that writes SVG 1.1: self-contained, valid XML whatever the texts hold, legible
 * to the colour-blind and in black and white.
 */
#ifndef RFL_PLOT_SVG_H
#define RFL_PLOT_SVG_H

#include "analysis/plot/canvas.h"
#include "ert/base/error.h"

#include <stdio.h>

struct rfl_svg {
    struct rfl_canvas canvas;
    FILE *out;
};

/* Makes a canvas that writes to out, which stays the caller's (also to check with ferror). */
void rfl_svg_init(struct rfl_svg *svg, FILE *out);

/* Draws a scene (struct rfl_scene) to a stream; never fails. */
enum ert_status rfl_svg_draw(const void *scene, FILE *out, struct ert_error *error);

#endif
