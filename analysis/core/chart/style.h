/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * style: the appearance of roles on the canvases that draw with pixels or points: colours, dashes, shapes,
 * text sizes; legible to the colour-blind and in black and white.
 */
#ifndef RFL_PLOT_STYLE_H
#define RFL_PLOT_STYLE_H

#include "analysis/core/chart/canvas.h"

enum { RFL_N_STYLES = 7, RFL_MAX_CORNERS = 12, RFL_MAX_DASHES = 6 };

struct rfl_stroke {
    unsigned color; /* 0xrrggbb */
    double width;
    size_t n_dashes;
    double dashes[RFL_MAX_DASHES]; /* lengths of line and gap */
};

/* A polygon around 0,0, about 9 wide; without corners a circle of radius RFL_CIRCLE. */
struct rfl_shape {
    size_t n_corners;
    struct rfl_vertex corners[RFL_MAX_CORNERS];
};

#define RFL_CIRCLE 4.0

struct rfl_face {
    double size;
    bool bold;
};

struct rfl_stroke rfl_style_stroke(struct rfl_ink ink);
const struct rfl_shape *rfl_style_shape(struct rfl_symbol symbol);

/* The fill (0xrrggbb) and outline of a symbol. */
void rfl_style_symbol(struct rfl_symbol symbol, struct rfl_ink ink, unsigned *fill,
                      struct rfl_stroke *outline);

/* Of areas: lines and labels under them stay legible. */
#define RFL_AREA_OPACITY 0.2

extern const struct rfl_face rfl_style_faces[RFL_N_FONTS];

/* Page, margins and line heights in pixels of 1/96 inch. */
extern const struct rfl_metrics rfl_style_metrics;

#endif
