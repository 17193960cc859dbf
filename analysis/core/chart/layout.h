/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layout: finds places for labels so that they collide with nothing. Pure geometry in canvas units (x to the
 * right, y down); it knows neither roofs nor fonts: the caller gives the widths of texts.
 */
#ifndef RFL_PLOT_LAYOUT_H
#define RFL_PLOT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

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
