/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * canvas: HOW a chart is drawn: a table of functions and a few measures. A canvas knows no rooflines. Its
 * unit is a pixel; x grows to the right, y down.
 */
#ifndef RFL_PLOT_CANVAS_H
#define RFL_PLOT_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

/* The purpose of a text, which selects its size. */
enum rfl_font {
    RFL_FONT_TITLE,
    RFL_FONT_SUBTITLE,
    RFL_FONT_AXIS,
    RFL_FONT_LABEL,
    RFL_FONT_CAPTION,
    RFL_N_FONTS
};

/* The meaning of a line, text or marker; the canvas selects colour, width, dashes or letters. */
enum rfl_role {
    RFL_ROLE_TEXT,
    RFL_ROLE_FAINT, /* less important text */
    RFL_ROLE_FRAME,
    RFL_ROLE_GRID,
    RFL_ROLE_MINOR,  /* grid between the decades */
    RFL_ROLE_LEVEL,  /* the index-th level: its diagonals, labels and points */
    RFL_ROLE_PLAIN,  /* a level's diagonal if colours denote profiled points */
    RFL_ROLE_FLAT,   /* peak with FMA */
    RFL_ROLE_NO_FMA, /* peak without FMA */
    RFL_ROLE_MIX,    /* peak for a share of FMA */
    RFL_ROLE_DROP,   /* from a ridge point down to the axis */
    RFL_ROLE_RIDGE,
    RFL_ROLE_MARK,  /* a profiled point of the index-th series, and its label */
    RFL_ROLE_JOIN,  /* between the levels of one profiled point */
    RFL_ROLE_ARROW, /* from a profiled point to the next of its run */
    RFL_N_ROLES
};

struct rfl_ink {
    enum rfl_role role;
    size_t index; /* as the role says; else 0 */
};

/* A marker; hollow ones show the background. */
struct rfl_symbol {
    size_t shape;
    bool hollow;
};

/* Which point of a text is at x; y is its vertical middle. */
enum rfl_anchor { RFL_ANCHOR_START, RFL_ANCHOR_MIDDLE, RFL_ANCHOR_END };

struct rfl_canvas;

struct rfl_vertex {
    double x, y;
};
enum { RFL_AREA_CORNERS = 5 };

struct rfl_canvas_ops {
    /* Begins the page; title and description are for screen readers. */
    void (*begin)(struct rfl_canvas *canvas, double width, double height, const char *title,
                  const char *description);
    void (*line)(struct rfl_canvas *canvas, double x0, double y0, double x1, double y1,
                 struct rfl_ink ink);
    /* Fills an area, translucent. */
    void (*area)(struct rfl_canvas *canvas,
                 const struct rfl_vertex corners[RFL_AREA_CORNERS], struct rfl_ink ink);
    /* Rotated counter-clockwise by angle_rad around (x, y). */
    void (*text)(struct rfl_canvas *canvas, double x, double y, double angle_rad,
                 enum rfl_anchor anchor, enum rfl_font font, struct rfl_ink ink,
                 const char *text);
    void (*marker)(struct rfl_canvas *canvas, double x, double y, struct rfl_symbol symbol,
                   struct rfl_ink ink);
    /* Begins a group with a name ("roofs"), or with NULL ends it; may be NULL: no groups. */
    void (*group)(struct rfl_canvas *canvas, const char *name);
    void (*end)(struct rfl_canvas *canvas);
    /* The width of a text. */
    double (*text_width)(const struct rfl_canvas *canvas, enum rfl_font font,
                         const char *text);
};

/* The measures with which the chart is laid out. */
struct rfl_metrics {
    double page_width, plot_height;
    double margin;      /* of titles and caption, from the page's edges */
    double left, right; /* of the plot, from the page's edges */
    double gap;         /* between lines and the texts next to them */
    double axis_gap;    /* between the x axis and the texts below it */
    double line_height[RFL_N_FONTS];
    double merge;  /* roofs nearer than this share a label */
    double marker; /* size of a marker */
};

/* The first member of every canvas. */
struct rfl_canvas {
    const struct rfl_canvas_ops *ops;
    struct rfl_metrics metrics;
};

/*
 * ---- style.c ----
 *
 * The appearance of roles on the canvases that draw with pixels or points: colours, dashes, shapes, text
 * sizes; legible to the colour-blind and in black and white.
 */

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
