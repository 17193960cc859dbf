/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * layout: finds places for labels so that they collide with nothing. Pure geometry in canvas units (x to the
 * right, y down); it knows neither roofs nor fonts: the caller gives the widths of texts.
 */
#include "analysis/core/chart/chart.h"

#include "ert/core/base/alloc.h"

#include <math.h>
#include <stdlib.h>

/* ---- rotated boxes and segments ---- */

static double reach(const struct rfl_box *box, double dx, double dy)
{
    double c = cos(box->angle_rad), s = -sin(box->angle_rad); /* y points down */
    return box->half_width * fabs(dx * c + dy * s) +
           box->half_height * fabs(dy * c - dx * s);
}

/* Separating axes: boxes are apart if they are apart along the direction of one of their sides. */
bool rfl_box_overlaps(const struct rfl_box *a, const struct rfl_box *b)
{
    const double angles[] = {a->angle_rad, a->angle_rad + acos(0), b->angle_rad,
                             b->angle_rad + acos(0)};
    for (size_t i = 0; i < 4; i++) {
        double dx = cos(angles[i]), dy = -sin(angles[i]);
        double distance = fabs((b->x - a->x) * dx + (b->y - a->y) * dy);
        if (distance >= reach(a, dx, dy) + reach(b, dx, dy) - 1e-9)
            return false;
    }
    return true;
}

/* Cuts the range [*from, *to] of a segment's parameter to where |start + t * step| <= half. */
static bool layout_cut(double start, double step, double half, double *from, double *to)
{
    if (fabs(step) < 1e-12)
        return fabs(start) < half;
    double t0 = (-half - start) / step, t1 = (half - start) / step;
    *from = fmax(*from, fmin(t0, t1));
    *to = fmin(*to, fmax(t0, t1));
    return *from < *to;
}

bool rfl_box_is_crossed(const struct rfl_box *box, const struct rfl_segment *line)
{
    double c = cos(box->angle_rad), s = -sin(box->angle_rad);
    double x = line->x0 - box->x, y = line->y0 - box->y;
    double dx = line->x1 - line->x0, dy = line->y1 - line->y0;
    double from = 0, to = 1;
    return layout_cut(x * c + y * s, dx * c + dy * s, box->half_width, &from, &to) &&
           layout_cut(y * c - x * s, dy * c - dx * s, box->half_height, &from, &to);
}

/* ---- the search for places ---- */

/* Places tried along a line, and rows tried above an axis. */
enum { N_STEPS = 33, N_ROWS = 8, N_RINGS = 5 };

/* What a place costs: its distance from the best end (0 to 1), the wrong side, what it covers. */
#define COST_SIDE 0.35
#define COST_SOFT 1.5
#define COST_RING 0.6

/* The cheapest place so far. */
struct search {
    const struct rfl_layout *layout;
    const struct rfl_label *label;
    double width;
    double cost; /* infinite: none yet */
    struct rfl_box box;
};

void rfl_layout_line(struct rfl_layout *layout, struct rfl_segment line, bool is_soft)
{
    layout->lines = ert_xgrow(layout->lines, layout->n_lines, &layout->lines_capacity,
                              sizeof *layout->lines);
    layout->lines[layout->n_lines++] = (struct rfl_line){line, is_soft};
}

static void add_box(struct rfl_layout *layout, struct rfl_box box)
{
    layout->boxes = ert_xgrow(layout->boxes, layout->n_boxes, &layout->boxes_capacity,
                              sizeof *layout->boxes);
    layout->boxes[layout->n_boxes++] = box;
}

void rfl_layout_point(struct rfl_layout *layout, double x, double y)
{
    add_box(layout,
            (struct rfl_box){x, y, layout->point_size / 2, layout->point_size / 2, 0});
}

void rfl_layout_free(struct rfl_layout *layout)
{
    free(layout->lines);
    free(layout->boxes);
}

static bool inside(const struct rfl_layout *layout, const struct rfl_box *box)
{
    double c = fabs(cos(box->angle_rad)), s = fabs(sin(box->angle_rad));
    double half_x = box->half_width * c + box->half_height * s;
    double half_y = box->half_width * s + box->half_height * c;
    return box->x - half_x >= layout->left && box->x + half_x <= layout->right &&
           box->y - half_y >= layout->top && box->y + half_y <= layout->bottom;
}

/* Whether the box covers an obstacle. */
static bool is_blocked(const struct rfl_layout *layout, const struct rfl_box *box)
{
    for (size_t i = 0; i < layout->n_boxes; i++)
        if (rfl_box_overlaps(box, &layout->boxes[i]))
            return true;
    for (size_t i = 0; i < layout->n_lines; i++)
        if (!layout->lines[i].is_soft && rfl_box_is_crossed(box, &layout->lines[i].at))
            return true;
    return false;
}

/* Takes the place when it is free and cheaper than the best so far. */
static void try_place(struct search *search, struct rfl_box box, double cost)
{
    const struct rfl_layout *layout = search->layout;
    struct rfl_box wide = box;
    wide.half_width += layout->gap;
    if (cost >= search->cost || !inside(layout, &box) || is_blocked(layout, &wide))
        return;
    for (size_t i = 0; i < layout->n_lines; i++)
        if (layout->lines[i].is_soft && rfl_box_is_crossed(&box, &layout->lines[i].at))
            cost += COST_SOFT;
    if (cost < search->cost) {
        search->cost = cost;
        search->box = box;
    }
}

/* Tries a box parallel to a line, above (side 1) or below (-1), between its start (t 0) and end (t 1). */
static void try_along(struct search *search, const struct rfl_segment *line, double t,
                      int side, double cost)
{
    double dx = line->x1 - line->x0, dy = line->y1 - line->y0, length = hypot(dx, dy);
    double half = search->width / 2, pad = search->layout->gap;
    double room = length - search->width - 2 * pad;
    if (length <= 0 || room < 0)
        return;
    t = (pad + half + t * room) / length;
    double off = side * (search->label->height / 2 + search->layout->gap / 2);
    struct rfl_box box = {line->x0 + t * dx + off * dy / length,
                          line->y0 + t * dy - off * dx / length, half,
                          search->label->height / 2, atan2(-dy, dx)};
    try_place(search, box, cost);
}

/* How many labels and other points a line from a point to its label would cross. */
static double n_crossed(const struct rfl_layout *layout, const struct rfl_segment *line)
{
    double n = 0;
    for (size_t i = 0; i < layout->n_boxes; i++)
        n += rfl_box_is_crossed(&layout->boxes[i], line) &&
             !(layout->boxes[i].x == line->x0 && layout->boxes[i].y == line->y0);
    return n;
}

/* Tries boxes around a point, in all directions and on rings; distant ones get a line to it. */
static void try_around(struct search *search, double x, double y, double cost)
{
    static const struct {
        double dx, dy, cost;
    } ways[] = {
        {1,   0,  0   },
        {0,   -1, 0.05},
        {0,   1,  0.1 },
        {-1,  0,  0.15},
        {1,   -1, 0.02},
        {1,   1,  0.12},
        {-1,  -1, 0.17},
        {-1,  1,  0.2 },
        {0.5, -1, 0.03},
        {0.5, 1,  0.11},
    };
    const struct rfl_layout *layout = search->layout;
    double half = search->width / 2, height = search->label->height;
    for (int ring = 0; ring < N_RINGS; ring++)
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            double away = layout->point_size / 2 + layout->gap + ring * height;
            struct rfl_box box = {x + ways[i].dx * (half + away),
                                  y + ways[i].dy * (height / 2 + away / 2), half,
                                  height / 2, 0};
            struct rfl_segment to = {x, y, box.x, box.y};
            try_place(search, box,
                      cost + ways[i].cost + ring * COST_RING +
                          (ring ? COST_SOFT * n_crossed(layout, &to) : 0));
        }
}

static void try_all(struct search *search)
{
    const struct rfl_label *label = search->label;
    if (label->kind == RFL_LABEL_POINT) {
        const struct rfl_segment *line = &label->upper;
        try_around(search, line->x1, line->y0, 0);
        if (line->x0 < line->x1) {
            try_around(search, line->x0, line->y0, 0.1);
            try_around(search, (line->x0 + line->x1) / 2, line->y0, 0.2);
        }
        return;
    }
    if (label->kind == RFL_LABEL_FOOT) {
        const struct rfl_layout *layout = search->layout;
        double half = search->width / 2, height = label->height;
        for (int row = 0; row < N_ROWS; row++) /* above the plot's lower edge */
            for (int side = -1; side <= 1; side += 2) {
                struct rfl_box box = {label->upper.x0 - side * (half + layout->gap),
                                      layout->bottom - layout->gap - (row + 0.5) * height,
                                      half, height / 2, 0};
                try_place(search, box, row + (side > 0 ? COST_SIDE : 0));
            }
        return;
    }
    for (int i = 0; i < N_STEPS; i++) {
        double t = (double)i / (N_STEPS - 1);
        double cost = label->kind == RFL_LABEL_FLAT ? 1 - t : t;
        try_along(search, &label->upper, t, 1, cost);
        try_along(search, &label->lower, t, -1, cost + COST_SIDE);
    }
}

void rfl_layout_place(struct rfl_layout *layout, struct rfl_label *label)
{
    const double widths[] = {label->full_width, label->brief_width};
    label->form = RFL_LABEL_NOWHERE;
    for (int form = RFL_LABEL_FULL; form < RFL_LABEL_NOWHERE; form++) {
        struct search search = {
            layout, label, widths[form], INFINITY, {0, 0, 0, 0, 0}
        };
        if (widths[form] > 0)
            try_all(&search);
        if (isinf(search.cost))
            continue;
        label->form = (enum rfl_label_form)form;
        label->box = search.box;
        add_box(layout, search.box);
        return;
    }
}
