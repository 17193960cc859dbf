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

/* ---- places for labels (layout.c) ---- */

struct rfl_segment {
    double x0, y0, x1, y1; /* of a label's line x0 <= x1 */
};

/* A rectangle, rotated counter-clockwise by angle_rad around its centre. */
struct rfl_box {
    double x, y, half_width, half_height, angle_rad;
};

enum rfl_label_kind {
    RFL_LABEL_DIAGONAL, /* along its line */
    RFL_LABEL_FLAT,     /* above or below its line */
    RFL_LABEL_FOOT,     /* next to the lower end of a vertical line */
    RFL_LABEL_POINT     /* near a horizontal line between two points, or one point */
};

/* The text for which a place was found. */
enum rfl_label_form { RFL_LABEL_FULL, RFL_LABEL_BRIEF, RFL_LABEL_NOWHERE };

struct rfl_label {
    enum rfl_label_kind kind;
    struct rfl_segment upper, lower; /* the outermost lines that it names; often the same */
    double full_width, brief_width;  /* of its texts; brief_width 0: none */
    double height;
    enum rfl_label_form form; /* result */
    struct rfl_box box;       /* result: of the text, without margins */
};

/* A line that labels never cross; a soft one they cross as the last resort. */
struct rfl_line {
    struct rfl_segment at;
    bool is_soft;
};

/* Start with all zero but the measures. */
struct rfl_layout {
    double left, top, right, bottom; /* labels stay inside */
    double gap;                      /* between labels and lines or other labels */
    double point_size;               /* of markers */
    size_t n_lines, lines_capacity, n_boxes, boxes_capacity;
    struct rfl_line *lines; /* malloc */
    struct rfl_box *boxes; /* malloc; markers and the labels placed so far: never covered */
};

/* Add an obstacle: a line, or the marker of a point. */
void rfl_layout_line(struct rfl_layout *layout, struct rfl_segment line, bool is_soft);
void rfl_layout_point(struct rfl_layout *layout, double x, double y);

/*
 * Places a label at the cheapest place for its full text, else for its brief one, else nowhere (box is then
 * undefined). A placed label is an obstacle for later ones.
 */
void rfl_layout_place(struct rfl_layout *layout, struct rfl_label *label);

/* Frees the obstacles. */
void rfl_layout_free(struct rfl_layout *layout);

/* Whether two boxes overlap, and whether a segment touches a box. */
bool rfl_box_overlaps(const struct rfl_box *a, const struct rfl_box *b);
bool rfl_box_is_crossed(const struct rfl_box *box, const struct rfl_segment *line);

#endif
