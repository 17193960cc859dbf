/* Profiled points on a chart: markers, the lines between them, their labels. */
#include "analysis/plot/chart_parts.h"

#include "ert/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHAPES = 7 };

/* More names than these are harder to read than numbers and a key. */
enum { MAX_NAMES = 12, AS_NUMBER = 4 /* letters of a name that is as short as a number */ };

/* An arrow's head: its length in markers, and its half angle. */
#define HEAD_LENGTH 0.75
#define HEAD_ANGLE  0.42

/* A label farther than this (in its height) from its point gets a line to it. */
#define LEADER 0.8

struct rfl_symbol rfl_chart_symbol(const struct rfl_scene *scene, size_t level,
                                   size_t series)
{
    if (scene->n_mark_levels > 1)
        return (struct rfl_symbol){level, scene->n_series > 1 && series % 2};
    return (struct rfl_symbol){series, series / SHAPES % 2};
}

struct rfl_ink rfl_chart_mark_ink(const struct rfl_scene *scene, size_t series)
{
    size_t machines = scene->n_machines > 1 ? scene->n_machines : 0;
    return (struct rfl_ink){RFL_ROLE_MARK, machines + series};
}

static double mark_x(const struct rfl_chart *chart, const struct rfl_mark *mark)
{
    return rfl_chart_x(chart, mark->intensity_flop_per_byte);
}

static double mark_y(const struct rfl_chart *chart, const struct rfl_mark *mark)
{
    return rfl_chart_y(chart, mark->perf_flop_per_s);
}

/* From the leftmost to the rightmost of a kernel's marks. */
static struct rfl_segment span(const struct rfl_chart *chart,
                               const struct rfl_kernel *kernel)
{
    const struct rfl_mark *marks = &chart->scene->marks[kernel->first_mark];
    double x = mark_x(chart, marks), y = mark_y(chart, marks);
    struct rfl_segment line = {x, y, x, y};
    for (size_t i = 1; i < kernel->n_marks; i++) {
        line.x0 = fmin(line.x0, mark_x(chart, &marks[i]));
        line.x1 = fmax(line.x1, mark_x(chart, &marks[i]));
    }
    return line;
}

/* An arrow between the markers, without what they cover; false where they touch. */
static bool arrow_of(const struct rfl_chart *chart, const struct rfl_arrow *arrow,
                     double line[4])
{
    const struct rfl_mark *from = &chart->scene->marks[arrow->from],
                          *to = &chart->scene->marks[arrow->to];
    double x0 = mark_x(chart, from), y0 = mark_y(chart, from);
    double dx = mark_x(chart, to) - x0, dy = mark_y(chart, to) - y0;
    double length = hypot(dx, dy), marker = chart->canvas->metrics.marker;
    double cut = 0.6 * marker / length;
    if (length < 1.7 * marker)
        return false;
    line[0] = x0 + cut * dx;
    line[1] = y0 + cut * dy;
    line[2] = x0 + (1 - cut) * dx;
    line[3] = y0 + (1 - cut) * dy;
    return true;
}

void rfl_chart_avoid_marks(struct rfl_chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    chart->layout.point_size = chart->canvas->metrics.marker;
    for (size_t i = 0; i < scene->n_marks; i++)
        rfl_layout_point(&chart->layout, mark_x(chart, &scene->marks[i]),
                         mark_y(chart, &scene->marks[i]), chart->canvas->metrics.marker);
    for (size_t i = 0; i < scene->n_kernels; i++)
        rfl_layout_soft(&chart->layout, span(chart, &scene->kernels[i]));
    for (size_t i = 0; i < scene->n_arrows; i++) {
        double line[4];
        if (!arrow_of(chart, &scene->arrows[i], line))
            continue;
        bool turned = line[0] > line[2];
        struct rfl_segment segment = {line[turned ? 2 : 0], line[turned ? 3 : 1],
                                      line[turned ? 0 : 2], line[turned ? 1 : 3]};
        rfl_layout_soft(&chart->layout, segment);
    }
}

/* Whether another drawn kernel of the same run has the same label. */
static bool has_twin(const struct rfl_scene *scene, const struct rfl_kernel *kernel)
{
    for (size_t i = 0; i < scene->n_kernels; i++) {
        const struct rfl_kernel *other = &scene->kernels[i];
        if (other != kernel && strcmp(other->brief, kernel->brief) == 0 &&
            (!scene->n_series || other->series == kernel->series))
            return true;
    }
    return false;
}

/* Whether names can stand in the plot: few or as short as numbers, and all different. */
static bool can_be_named(const struct rfl_scene *scene)
{
    bool brief = true;
    for (size_t i = 0; i < scene->n_kernels; i++) {
        brief = brief && strlen(scene->kernels[i].brief) <= AS_NUMBER;
        if (has_twin(scene, &scene->kernels[i]))
            return false;
    }
    return brief || scene->n_kernels <= MAX_NAMES;
}

/* The line from a label that stands apart to the nearest of its marks; false where none is needed. */
static bool leader_of(const struct rfl_chart *chart, const struct rfl_tag *tag,
                      struct rfl_segment *line)
{
    const struct rfl_kernel *kernel = &chart->scene->kernels[tag->kernel];
    const struct rfl_box *box = &tag->label.box;
    double best = INFINITY;
    if (tag->label.form != RFL_LABEL_FULL)
        return false;
    for (size_t i = 0; i < kernel->n_marks; i++) {
        const struct rfl_mark *mark = &chart->scene->marks[kernel->first_mark + i];
        double x = mark_x(chart, mark), y = mark_y(chart, mark);
        double edge_x = fmin(fmax(x, box->x - box->half_width), box->x + box->half_width);
        double edge_y = fmin(fmax(y, box->y - box->half_height), box->y + box->half_height);
        if (hypot(edge_x - x, edge_y - y) >= best)
            continue;
        best = hypot(edge_x - x, edge_y - y);
        *line = edge_x < x ? (struct rfl_segment){edge_x, edge_y, x, y}
                           : (struct rfl_segment){x, y, edge_x, edge_y};
    }
    return best > LEADER * tag->label.height;
}

/* Labels of all kernels, by name or number; false when a name has no place. */
static bool tag_all(struct rfl_chart *chart, bool numbered)
{
    const struct rfl_scene *scene = chart->scene;
    bool all = true;
    chart->numbered = numbered;
    for (size_t i = 0; i < scene->n_kernels; i++) {
        struct rfl_tag *tag =
            rfl_chart_add_tag(chart, RFL_LABEL_POINT, span(chart, &scene->kernels[i]),
                              rfl_chart_mark_ink(scene, scene->kernels[i].series));
        if (!tag)
            return false;
        tag->kernel = i;
        if (numbered)
            snprintf(tag->full, sizeof tag->full, "%zu", i + 1);
        else
            snprintf(tag->full, sizeof tag->full, "%s", scene->kernels[i].brief);
        tag->label.full_width =
            chart->canvas->ops->text_width(chart->canvas, RFL_FONT_LABEL, tag->full);
        struct rfl_segment leader;
        rfl_layout_place(&chart->layout, &tag->label);
        if (leader_of(chart, tag, &leader))
            rfl_layout_soft(&chart->layout, leader);
        all = all && tag->label.form == RFL_LABEL_FULL;
    }
    return all;
}

void rfl_chart_tag_kernels(struct rfl_chart *chart)
{
    size_t n_tags = chart->n_tags, n_boxes = chart->layout.n_boxes,
           n_soft = chart->layout.n_soft;
    if (can_be_named(chart->scene) && tag_all(chart, false))
        return;
    chart->n_tags = n_tags;
    chart->layout.n_boxes = n_boxes;
    chart->layout.n_soft = n_soft;
    tag_all(chart, chart->scene->n_kernels > 1);
}

void rfl_chart_kernel_text(const struct rfl_chart *chart, const struct rfl_tag *tag,
                           char *text, size_t size)
{
    const struct rfl_kernel *kernel = &chart->scene->kernels[tag->kernel];
    const struct rfl_mark *mark = &chart->scene->marks[kernel->first_mark];
    size_t used = (size_t)snprintf(
        text, size, "%s%s%s", chart->numbered ? tag->full : "", chart->numbered ? " " : "",
        has_twin(chart->scene, kernel) ? kernel->instance : kernel->brief);
    char value[ERT_UNITS_TEXT];
    if (tag->label.form == RFL_LABEL_NOWHERE && used < size)
        snprintf(text + used, size - used, " (no room: at %.3g FLOP/byte, %s)",
                 mark->intensity_flop_per_byte,
                 ert_units_performance(mark->perf_flop_per_s, value));
}

static void draw_arrow(struct rfl_chart *chart, const double line[4], struct rfl_ink ink)
{
    const struct rfl_canvas_ops *ops = chart->canvas->ops;
    double back = atan2(line[1] - line[3], line[0] - line[2]);
    double length = HEAD_LENGTH * chart->canvas->metrics.marker;
    ops->line(chart->canvas, line[0], line[1], line[2], line[3], ink);
    for (int side = -1; side <= 1; side += 2)
        ops->line(chart->canvas, line[2], line[3],
                  line[2] + length * cos(back + side * HEAD_ANGLE),
                  line[3] + length * sin(back + side * HEAD_ANGLE), ink);
}

static void draw_leader(struct rfl_chart *chart, const struct rfl_tag *tag)
{
    const struct rfl_ink ink = {RFL_ROLE_JOIN, tag->ink.index};
    struct rfl_segment line;
    if (leader_of(chart, tag, &line))
        chart->canvas->ops->line(chart->canvas, line.x0, line.y0, line.x1, line.y1, ink);
}

void rfl_chart_marks(struct rfl_chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    const struct rfl_canvas_ops *ops = chart->canvas->ops;
    ops->group(chart->canvas, "marks");
    for (size_t i = 0; i < chart->n_tags && chart->canvas->metrics.details; i++)
        if (chart->tags[i].label.kind == RFL_LABEL_POINT)
            draw_leader(chart, &chart->tags[i]);
    for (size_t i = 0; i < scene->n_kernels; i++) {
        struct rfl_segment line = span(chart, &scene->kernels[i]);
        struct rfl_ink ink = rfl_chart_mark_ink(scene, scene->kernels[i].series);
        ink.role = RFL_ROLE_JOIN;
        ops->line(chart->canvas, line.x0, line.y0, line.x1, line.y1, ink);
    }
    for (size_t i = 0; i < scene->n_arrows; i++) {
        const struct rfl_mark *from = &scene->marks[scene->arrows[i].from];
        double line[4];
        struct rfl_ink ink = rfl_chart_mark_ink(scene, scene->kernels[from->kernel].series);
        ink.role = RFL_ROLE_ARROW;
        if (arrow_of(chart, &scene->arrows[i], line))
            draw_arrow(chart, line, ink);
    }
    for (size_t i = scene->n_marks; i-- > 0;) { /* the longest on top */
        const struct rfl_mark *mark = &scene->marks[i];
        size_t series = scene->kernels[mark->kernel].series;
        ops->marker(chart->canvas, mark_x(chart, mark), mark_y(chart, mark),
                    rfl_chart_symbol(scene, mark->level, series),
                    rfl_chart_mark_ink(scene, series));
    }
    ops->group_end(chart->canvas);
}
