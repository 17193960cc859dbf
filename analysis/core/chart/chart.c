/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/chart/chart.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/text.h"
#include "ert/core/base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_TEXT = 256, LINE_TEXT = 2048 /* of a line of the caption */ };

/* A label with its texts; that of a roof may name several that are near. */
struct tag {
    struct rfl_label label;
    struct rfl_ink ink;
    size_t kernel; /* RFL_LABEL_POINT: index in scene->kernels */
    char full[LABEL_TEXT], brief[LABEL_TEXT];
};

struct chart {
    const struct rfl_scene *scene;
    struct rfl_canvas *canvas;
    double left, top, right, bottom; /* of the plot, canvas units */
    double x_per_decade, y_per_decade;
    struct rfl_segment lines[RFL_MAX_LEVELS + RFL_MAX_FLATS]; /* of the scene's roofs */
    struct rfl_layout layout;
    bool numbered; /* kernels have numbers in the plot, and names in the key */
    size_t n_tags;
    struct tag *tags; /* malloc */
};

#define INK(role) ((struct rfl_ink){role, 0})

enum { SHAPES = 7 };

/* More names than these are harder to read than numbers and a key. */
enum { MAX_NAMES = 12, AS_NUMBER = 4 /* letters of a name that is as short as a number */ };

/* An arrow's head: its length in markers, and its half angle. */
#define HEAD_LENGTH 0.75
#define HEAD_ANGLE  0.42

/* A label farther than this, in its heights, from its point gets a line to it. */
#define LEADER 0.8

/* An interval of a smaller ratio is hidden by its line. */
#define VISIBLE 1.015

static void draw_line(struct chart *chart, double x0, double y0, double x1, double y1,
                      struct rfl_ink ink)
{
    chart->canvas->ops->line(chart->canvas, x0, y0, x1, y1, ink);
}

static void draw_text(struct chart *chart, double x, double y, enum rfl_anchor anchor,
                      enum rfl_font font, struct rfl_ink ink, const char *text)
{
    chart->canvas->ops->text(chart->canvas, x, y, 0, anchor, font, ink, text);
}

static void draw_marker(struct chart *chart, double x, double y, struct rfl_symbol symbol,
                        struct rfl_ink ink)
{
    chart->canvas->ops->marker(chart->canvas, x, y, symbol, ink);
}

/* Begins a group, or (NULL) ends it. */
static void chart_group(struct chart *chart, const char *name)
{
    if (chart->canvas->ops->group)
        chart->canvas->ops->group(chart->canvas, name);
}

static double chart_text_width(const struct chart *chart, enum rfl_font font,
                               const char *text)
{
    return chart->canvas->ops->text_width(chart->canvas, font, text);
}

static double chart_x(const struct chart *chart, double intensity_flop_per_byte)
{
    return chart->left +
           log10(intensity_flop_per_byte / chart->scene->x_min) * chart->x_per_decade;
}

static double chart_y(const struct chart *chart, double perf_flop_per_s)
{
    return chart->bottom -
           log10(perf_flop_per_s / chart->scene->y_min) * chart->y_per_decade;
}

static struct rfl_ink level_ink(const struct rfl_scene *scene, size_t level)
{
    return (struct rfl_ink){scene->n_kernels ? RFL_ROLE_PLAIN : RFL_ROLE_LEVEL, level};
}

static struct rfl_ink flat_ink(const struct rfl_scene *scene, size_t flat)
{
    static const enum rfl_role roles[] = {
        [RFL_ROOF_FMA] = RFL_ROLE_FLAT,       [RFL_ROOF_UNIT] = RFL_ROLE_FLAT,
        [RFL_ROOF_NO_FMA] = RFL_ROLE_NO_FMA,  [RFL_ROOF_FMA_ADD] = RFL_ROLE_MIX,
        [RFL_ROOF_3_REGISTER] = RFL_ROLE_MIX, [RFL_ROOF_MIX] = RFL_ROLE_MIX,
        [RFL_ROOF_LIBRARY] = RFL_ROLE_MIX};
    return INK(roles[scene->flats[flat].kind]);
}

static struct rfl_symbol symbol_of(const struct rfl_scene *scene, size_t level,
                                   size_t series)
{
    if (scene->mark_levels.n_texts > 1)
        return (struct rfl_symbol){level, scene->n_series > 1 && series % 2};
    return (struct rfl_symbol){series, series / SHAPES % 2};
}

/* The bytes of the longest prefix of text that is at most `width` wide; at least one character. */
static size_t fitting(const struct chart *chart, enum rfl_font font, double width,
                      const char *text, char *line, size_t size)
{
    size_t good = 0, blank = 0;
    for (const char *end = text; *end;) {
        const char *next = end;
        ert_utf8_next(&next);
        size_t length = (size_t)(next - text);
        if (length >= size)
            break;
        snprintf(line, size, "%.*s", (int)length, text);
        if (good && chart_text_width(chart, font, line) > width)
            return *end == ' ' ? good : blank ? blank : good;
        if (*end == ' ')
            blank = length;
        good = length;
        end = next;
    }
    return good;
}

/*
 * Copies the next line of *text, at most `width` wide, to line[size] and advances *text. Breaks at blanks,
 * and inside a word only if it alone is too long. False at the end.
 */
static bool wrap(const struct chart *chart, enum rfl_font font, double width,
                 const char **text, char *line, size_t size)
{
    *text += strspn(*text, " ");
    if (!**text)
        return false;
    size_t length = fitting(chart, font, width, *text, line, size);
    snprintf(line, size, "%.*s", (int)length, *text);
    *text += length;
    while (length && line[length - 1] == ' ')
        line[--length] = '\0';
    return true;
}

/* ---- axes: grid, ticks, tick labels and titles ---- */

enum { MIN_MINOR = 60 /* pixels per decade from which 2 to 9 get grid lines */ };

/* Writes a power of ten: "0.01", "100", "1e6". */
static void number_text(double value, char text[ERT_UNITS_TEXT])
{
    if (value > 0.9e-3 && value < 0.9e5)
        snprintf(text, ERT_UNITS_TEXT, "%g", value);
    else
        snprintf(text, ERT_UNITS_TEXT, "1e%d", (int)lround(log10(value)));
}

/* Writes "10 T": number and prefix as by ert_units_performance, without zeros and FLOP/s. */
static void perf_text(double value, char text[ERT_UNITS_TEXT])
{
    const struct ert_text full = ert_units_performance(value);
    char number[ERT_UNITS_TEXT], *unit;
    number_text(strtod(full.text, &unit), number);
    snprintf(text, ERT_UNITS_TEXT, "%.24s%.*s", number,
             strcmp(unit, " FLOP/s") == 0 ? 0 : 2, unit);
}

static double chart_widest(const struct chart *chart, int first, int last)
{
    double width = 0;
    for (int d = first; d <= last; d++) {
        char text[ERT_UNITS_TEXT];
        number_text(pow(10, d), text);
        width = fmax(width, chart_text_width(chart, RFL_FONT_AXIS, text));
    }
    return width;
}

static void grid_line(struct chart *chart, bool is_x, double value, enum rfl_role role)
{
    double x = chart_x(chart, value), y = chart_y(chart, value);
    if (is_x)
        draw_line(chart, x, chart->top, x, chart->bottom, INK(role));
    else
        draw_line(chart, chart->left, y, chart->right, y, INK(role));
}

/* Draws the tick and label of a decade, unless it is left of or below the plot. */
static void draw_decade(struct chart *chart, bool is_x, double value)
{
    const struct rfl_metrics *metrics = &chart->canvas->metrics;
    char text[ERT_UNITS_TEXT];
    double x = chart_x(chart, value), y = chart_y(chart, value);
    if (is_x ? x < chart->left - 1e-6 : y > chart->bottom + 1e-6)
        return;
    if (is_x ? x > chart->left + 0.5 : y < chart->bottom - 0.5) /* else it is on the axis */
        grid_line(chart, is_x, value, RFL_ROLE_GRID);
    if (is_x) {
        number_text(value, text);
        y = chart->bottom + metrics->axis_gap + metrics->line_height[RFL_FONT_AXIS] / 2;
        draw_text(chart, x, y, RFL_ANCHOR_MIDDLE, RFL_FONT_AXIS, INK(RFL_ROLE_TEXT), text);
    } else {
        perf_text(value, text);
        x = chart->left - metrics->gap;
        draw_text(chart, x, y, RFL_ANCHOR_END, RFL_FONT_AXIS, INK(RFL_ROLE_TEXT), text);
    }
}

static void draw_axis(struct chart *chart, bool is_x)
{
    const struct rfl_metrics *metrics = &chart->canvas->metrics;
    const struct rfl_scene *scene = chart->scene;
    double min = is_x ? scene->x_min : scene->y_min,
           max = is_x ? scene->x_max : scene->y_max;
    double per_decade = is_x ? chart->x_per_decade : chart->y_per_decade;
    double extent = metrics->line_height[RFL_FONT_AXIS]; /* of a decade's label */
    int first = (int)floor(log10(min) + 1e-9), last = (int)floor(log10(max) + 1e-9);
    if (is_x)
        extent = chart_widest(chart, first, last) + 4 * metrics->gap;
    int step = (int)fmax(1, ceil(extent / per_decade));
    for (int decade = first; decade <= last; decade++) {
        for (int digit = 2; digit <= 9; digit++) {
            double value = digit * pow(10, decade);
            if (per_decade >= MIN_MINOR && value > min && value < max)
                grid_line(chart, is_x, value, RFL_ROLE_MINOR);
        }
        if (decade % step == 0)
            draw_decade(chart, is_x, pow(10, decade));
    }
}

/* Writes a position in the plane: "0.1 FLOP/byte, 2 GFLOP/s". */
static void place_text(const struct rfl_scene *scene, const struct rfl_mark *mark,
                       char text[2 * ERT_UNITS_TEXT])
{
    snprintf(text, 2 * ERT_UNITS_TEXT, "%.4g %s, %s", mark->intensity_flop_per_byte,
             scene->view->chart.x_unit,
             ert_units_amount(mark->perf_flop_per_s, scene->view->chart.y_unit).text);
}

static void axis_titles(struct chart *chart)
{
    const struct rfl_canvas *canvas = chart->canvas;
    const struct rfl_metrics *metrics = &canvas->metrics;
    double height = metrics->line_height[RFL_FONT_AXIS];
    double middle = (chart->left + chart->right) / 2;
    const struct rfl_scene *scene = chart->scene;
    const char *x_unit = scene->view->chart.x_unit, *y_unit = scene->view->chart.y_unit;
    const bool is_integer = scene->n_flats && !strncmp(scene->flats->type, "int", 3);
    const size_t cut = is_integer && *x_unit == 'F' ? strlen("FL") : 0; /* operations */
    char x[96], y[96];
    snprintf(x, sizeof x, "%s [%s]", scene->view->chart.x, x_unit + cut);
    snprintf(y, sizeof y, "%s [%s]", scene->view->chart.y, y_unit + cut);
    draw_text(chart, middle, chart->bottom + 2 * metrics->axis_gap + 1.5 * height,
              RFL_ANCHOR_MIDDLE, RFL_FONT_AXIS, INK(RFL_ROLE_TEXT), x);
    canvas->ops->text(chart->canvas, height, (chart->top + chart->bottom) / 2, acos(0),
                      RFL_ANCHOR_MIDDLE, RFL_FONT_AXIS, INK(RFL_ROLE_TEXT), y);
}

static void draw_axes(struct chart *chart)
{
    const double left = chart->left, bottom = chart->bottom;
    chart_group(chart, "axes");
    draw_line(chart, left, chart->top, left, bottom, INK(RFL_ROLE_FRAME));
    draw_line(chart, left, bottom, chart->right, bottom, INK(RFL_ROLE_FRAME));
    draw_axis(chart, true);
    draw_axis(chart, false);
    axis_titles(chart);
    chart_group(chart, NULL);
}

/* ---- labels ---- */

static struct tag *add_tag(struct chart *chart, enum rfl_label_kind kind,
                           struct rfl_segment line, struct rfl_ink ink)
{
    struct tag *tag = &chart->tags[chart->n_tags++];
    *tag = (struct tag){.ink = ink};
    tag->label.kind = kind;
    tag->label.upper = tag->label.lower = line;
    tag->label.height = chart->canvas->metrics.line_height[RFL_FONT_LABEL];
    return tag;
}

/* The line from a level's ridge point down to the axis. */
static struct rfl_segment drop_of(const struct chart *chart, size_t level)
{
    const struct rfl_scene *scene = chart->scene;
    double x = chart_x(chart, scene->levels[level].ridge_flop_per_byte);
    return (struct rfl_segment){x, chart_y(chart, scene->flats[scene->reference].value), x,
                                chart->bottom};
}

static double mark_x(const struct chart *chart, const struct rfl_mark *mark)
{
    return chart_x(chart, mark->intensity_flop_per_byte);
}

static double mark_y(const struct chart *chart, const struct rfl_mark *mark)
{
    return chart_y(chart, mark->perf_flop_per_s);
}

static struct rfl_segment span(const struct chart *chart, const struct rfl_kernel *kernel)
{
    double x = mark_x(chart, kernel->marks), y = mark_y(chart, kernel->marks);
    struct rfl_segment line = {x, y, x, y};
    for (size_t i = 1; i < kernel->n_marks; i++) {
        line.x0 = fmin(line.x0, mark_x(chart, &kernel->marks[i]));
        line.x1 = fmax(line.x1, mark_x(chart, &kernel->marks[i]));
    }
    return line;
}

/* From the least to the most performance of a mark, as far as the plot reaches; false: unknown. */
static bool bar_of(const struct chart *chart, const struct rfl_kernel *kernel,
                   const struct rfl_mark *mark, struct rfl_segment *bar)
{
    const double x = mark_x(chart, mark);
    if (!(kernel->low_flop_per_s > 0))
        return false;
    *bar =
        (struct rfl_segment){x, fmin(chart->bottom, chart_y(chart, kernel->low_flop_per_s)),
                             x, fmax(chart->top, chart_y(chart, kernel->high_flop_per_s))};
    return true;
}

/* The arrow from a mark to the next, between the markers; false: no next one, or they touch. */
static bool arrow_of(const struct chart *chart, const struct rfl_mark *mark,
                     struct rfl_segment *line)
{
    if (!mark->next)
        return false;
    double x0 = mark_x(chart, mark), y0 = mark_y(chart, mark);
    double dx = mark_x(chart, mark->next) - x0, dy = mark_y(chart, mark->next) - y0;
    double length = hypot(dx, dy), marker = chart->canvas->metrics.marker;
    double cut = 0.6 * marker / length;
    *line = (struct rfl_segment){x0 + cut * dx, y0 + cut * dy, x0 + (1 - cut) * dx,
                                 y0 + (1 - cut) * dy};
    return length >= 1.7 * marker;
}

/* Adds roofs, points and the lines between points. */
static void add_obstacles(struct chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    struct rfl_layout *layout = &chart->layout;
    for (size_t i = 0; i < scene->n_levels + scene->n_flats; i++)
        rfl_layout_line(layout, chart->lines[i], false);
    for (size_t i = 0; i < scene->n_kernels; i++) {
        const struct rfl_kernel *kernel = &scene->kernels[i];
        struct rfl_segment arrow;
        rfl_layout_line(layout, span(chart, kernel), true);
        for (size_t j = 0; j < kernel->n_marks; j++) {
            rfl_layout_point(layout, mark_x(chart, &kernel->marks[j]),
                             mark_y(chart, &kernel->marks[j]));
            if (arrow_of(chart, &kernel->marks[j], &arrow))
                rfl_layout_line(layout, arrow, true);
            if (bar_of(chart, kernel, &kernel->marks[j], &arrow))
                rfl_layout_line(layout, arrow, true);
        }
    }
    for (size_t i = 0; i < scene->n_ridges; i++) {
        struct rfl_segment drop = drop_of(chart, i);
        rfl_layout_point(layout, drop.x0, drop.y0);
        rfl_layout_line(layout, drop, true);
    }
}

/* Whether another drawn kernel of the same run has the same label. */
static bool has_twin(const struct rfl_scene *scene, const struct rfl_kernel *kernel)
{
    for (size_t i = 0; i < scene->n_kernels; i++) {
        const struct rfl_kernel *other = &scene->kernels[i];
        if (other != kernel && strcmp(other->name, kernel->name) == 0 &&
            (!scene->n_series || other->series == kernel->series))
            return true;
    }
    return false;
}

/* Whether the plot can have names: they are few or as short as numbers, and all different. */
static bool can_be_named(const struct rfl_scene *scene)
{
    bool brief = true;
    for (size_t i = 0; i < scene->n_kernels; i++) {
        brief = brief && strlen(scene->kernels[i].name) <= AS_NUMBER;
        if (has_twin(scene, &scene->kernels[i]))
            return false;
    }
    return brief || scene->n_kernels <= MAX_NAMES;
}

/* The line from a distant label to the nearest of its marks; false if none is needed. */
static bool leader_of(const struct chart *chart, const struct tag *tag,
                      struct rfl_segment *line)
{
    const struct rfl_kernel *kernel = &chart->scene->kernels[tag->kernel];
    const struct rfl_box *box = &tag->label.box;
    double best = INFINITY;
    if (tag->label.form != RFL_LABEL_FULL)
        return false;
    for (size_t i = 0; i < kernel->n_marks; i++) {
        double x = mark_x(chart, &kernel->marks[i]), y = mark_y(chart, &kernel->marks[i]);
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

/* Places a label in full, else brief. */
static void place_tag(struct chart *chart, struct tag *tag)
{
    tag->label.full_width = chart_text_width(chart, RFL_FONT_LABEL, tag->full);
    tag->label.brief_width =
        *tag->brief ? chart_text_width(chart, RFL_FONT_LABEL, tag->brief) : 0;
    rfl_layout_place(&chart->layout, &tag->label);
}

/* Places the labels of all kernels; false if one finds no place. */
static bool tag_all(struct chart *chart, bool numbered)
{
    const struct rfl_scene *scene = chart->scene;
    bool all = true;
    chart->numbered = numbered;
    for (size_t i = 0; i < scene->n_kernels; i++) {
        const struct rfl_kernel *kernel = &scene->kernels[i];
        struct tag *tag = add_tag(chart, RFL_LABEL_POINT, span(chart, kernel),
                                  (struct rfl_ink){RFL_ROLE_MARK, kernel->series});
        struct rfl_segment leader;
        tag->kernel = i;
        if (numbered)
            snprintf(tag->full, sizeof tag->full, "%zu", i + 1);
        else
            snprintf(tag->full, sizeof tag->full, "%s", kernel->name);
        place_tag(chart, tag);
        if (leader_of(chart, tag, &leader))
            rfl_layout_line(&chart->layout, leader, true);
        all = all && tag->label.form == RFL_LABEL_FULL;
    }
    return all;
}

/* Labels kernels by name if all names fit, else by number. */
static void tag_kernels(struct chart *chart)
{
    size_t n_tags = chart->n_tags, n_boxes = chart->layout.n_boxes,
           n_lines = chart->layout.n_lines;
    if (can_be_named(chart->scene) && tag_all(chart, false))
        return;
    chart->n_tags = n_tags;
    chart->layout.n_boxes = n_boxes;
    chart->layout.n_lines = n_lines;
    tag_all(chart, chart->scene->n_kernels > 1);
}

/* As ert_list_add, but of two successive texts with the same unit only the last one shows it. */
static void join_values(char *text, size_t size, const char *more)
{
    char *unit = strrchr(text, ' ');
    const char *more_unit = strrchr(more, ' ');
    if (unit && more_unit && strcmp(unit, more_unit) == 0 && strchr(unit, '/'))
        *unit = '\0';
    ert_list_add(text, size, more);
}

/* Adds one label per group of roofs (sorted from the highest) within the merge distance. */
static void tag_roofs(struct chart *chart, size_t first, size_t n, enum rfl_label_kind kind)
{
    const struct rfl_roof *roofs = &chart->scene->roofs[first];
    const struct rfl_segment *lines = &chart->lines[first];
    double merge = pow(10, chart->canvas->metrics.merge / chart->y_per_decade);
    for (size_t i = 0; i < n;) {
        struct rfl_ink ink =
            kind == RFL_LABEL_FLAT ? flat_ink(chart->scene, i) : level_ink(chart->scene, i);
        struct tag *tag = add_tag(chart, kind, lines[i], ink);
        for (double highest = roofs[i].value; i < n && highest / roofs[i].value < merge;
             i++) {
            join_values(tag->full, sizeof tag->full, roofs[i].full);
            ert_list_add(tag->brief, sizeof tag->brief, roofs[i].brief);
            tag->label.lower = lines[i];
        }
    }
}

/* Ridges are sorted like their levels, by rising intensity. */
static void tag_ridges(struct chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    struct tag *tag = NULL;
    for (size_t i = 0; i < scene->n_ridges; i++) {
        struct rfl_segment drop = drop_of(chart, i);
        if (!tag || drop.x0 - tag->label.upper.x0 >= chart->canvas->metrics.merge)
            tag = add_tag(chart, RFL_LABEL_FOOT, drop, INK(RFL_ROLE_RIDGE));
        ert_list_add(tag->full, sizeof tag->full, scene->levels[i].ridge);
    }
}

static void make_tags(struct chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    const struct rfl_metrics *metrics = &chart->canvas->metrics;
    chart->tags =
        ert_xcalloc(scene->n_levels + scene->n_flats + scene->n_ridges + scene->n_kernels,
                    sizeof *chart->tags);
    chart->layout = (struct rfl_layout){.left = chart->left + metrics->gap,
                                        .top = chart->top,
                                        .right = chart->right,
                                        .bottom = chart->bottom,
                                        .gap = metrics->gap,
                                        .point_size = metrics->marker};
    add_obstacles(chart);
    tag_roofs(chart, scene->n_levels, scene->n_flats, RFL_LABEL_FLAT);
    tag_roofs(chart, 0, scene->n_levels, RFL_LABEL_DIAGONAL);
    size_t n_roofs = chart->n_tags;
    tag_ridges(chart);
    size_t n_ridges = chart->n_tags - n_roofs;
    /* Roofs first: they matter most in the chart. */
    for (size_t i = 0; i < n_roofs; i++)
        place_tag(chart, &chart->tags[i]);
    tag_kernels(chart);
    for (size_t i = 0; i < n_ridges; i++)
        place_tag(chart, &chart->tags[n_roofs + i]);
}

/* ---- caption: the key of markers and shortened labels, and the notes ---- */

/* Where the next item of the key goes. */
struct flow {
    struct chart *chart;
    double x, y;
    bool draw, used;
};

/* Places an item of a given width in the row, or in the next one; returns its x. */
static double flow_next(struct flow *flow, double width)
{
    const struct rfl_metrics *metrics = &flow->chart->canvas->metrics;
    double start = metrics->margin, end = metrics->page_width - metrics->margin;
    if (flow->used && flow->x + width > end) {
        flow->x = start;
        flow->y += metrics->line_height[RFL_FONT_CAPTION];
    }
    double x = flow->x;
    flow->used = true;
    flow->x += width + 3 * metrics->gap;
    return x;
}

/* A text after a marker (sample above 0: after a piece of line that long), in as many rows as it needs. */
static void key_item(struct flow *flow, struct rfl_ink ink, double sample,
                     const struct rfl_symbol *marker, const char *text)
{
    struct chart *chart = flow->chart;
    const struct rfl_metrics *metrics = &chart->canvas->metrics;
    double before = marker || sample > 0 ? sample + metrics->marker + metrics->gap : 0;
    double room = metrics->page_width - 2 * metrics->margin - before;
    char line[LINE_TEXT];
    for (bool first = true; wrap(chart, RFL_FONT_CAPTION, room, &text, line, sizeof line);
         first = false) {
        double x =
            flow_next(flow, before + chart_text_width(chart, RFL_FONT_CAPTION, line));
        double y = flow->y + metrics->line_height[RFL_FONT_CAPTION] / 2;
        if (!flow->draw)
            continue;
        if (first && marker)
            draw_marker(chart, x + metrics->marker / 2, y, *marker, ink);
        else if (first && sample > 0)
            draw_line(chart, x, y, x + sample + metrics->marker, y, ink);
        draw_text(chart, x + before, y, RFL_ANCHOR_START, RFL_FONT_CAPTION,
                  INK(RFL_ROLE_FAINT), line);
    }
}

static void flow_break(struct flow *flow)
{
    if (flow->used)
        flow->y += flow->chart->canvas->metrics.line_height[RFL_FONT_CAPTION];
    flow->x = flow->chart->canvas->metrics.margin;
    flow->used = false;
}

static void key_ridges(struct flow *flow)
{
    const struct rfl_scene *scene = flow->chart->scene;
    const struct rfl_symbol hollow = {0, true};
    char text[LABEL_TEXT];
    snprintf(text, sizeof text, "ridge point with %s",
             scene->flats[scene->reference].brief);
    if (scene->n_ridges)
        key_item(flow, INK(RFL_ROLE_RIDGE), 0, &hollow, text);
    flow_break(flow);
}

static void key_marks(struct flow *flow)
{
    const struct rfl_scene *scene = flow->chart->scene;
    const struct ert_strings *levels = &scene->mark_levels;
    char text[48];
    snprintf(text, sizeof text, "points at%s%s", levels->n_texts == 1 ? " " : "",
             levels->n_texts == 1 ? levels->texts[0] : "");
    if (levels->n_texts)
        key_item(flow, INK(RFL_ROLE_FAINT), 0, NULL, text);
    for (size_t i = 0; i < levels->n_texts && levels->n_texts > 1; i++) {
        const struct rfl_symbol symbol = {i, false};
        key_item(flow, INK(RFL_ROLE_FAINT), 0, &symbol, levels->texts[i]);
    }
    for (size_t i = 0; i < scene->n_series; i++) {
        const struct rfl_symbol symbol = symbol_of(scene, 0, i);
        if (*scene->series.texts[i])
            key_item(flow, (struct rfl_ink){RFL_ROLE_MARK, i}, 0, &symbol,
                     scene->series.texts[i]);
    }
}

static void key_kernels(struct flow *flow)
{
    const struct chart *chart = flow->chart;
    for (size_t i = 0; i < chart->n_tags; i++) {
        const struct tag *tag = &chart->tags[i];
        bool is_nowhere = tag->label.form == RFL_LABEL_NOWHERE;
        if (tag->label.kind != RFL_LABEL_POINT || !(chart->numbered || is_nowhere))
            continue;
        const struct rfl_kernel *kernel = &chart->scene->kernels[tag->kernel];
        const struct rfl_symbol symbol = symbol_of(chart->scene, 0, kernel->series);
        char text[LABEL_TEXT] = "";
        if (chart->numbered)
            snprintf(text, sizeof text, "%zu ", tag->kernel + 1);
        ert_append(text, sizeof text, "%s", kernel->name);
        char place[2 * ERT_UNITS_TEXT];
        place_text(chart->scene, kernel->marks, place);
        if (is_nowhere)
            ert_append(text, sizeof text, " (no space: at %s)", place);
        key_item(flow, tag->ink, 0, &symbol, text);
    }
    flow_break(flow);
}

static void key_labels(struct flow *flow)
{
    const struct chart *chart = flow->chart;
    for (size_t i = 0; i < chart->n_tags; i++) {
        const struct tag *tag = &chart->tags[i];
        if (tag->label.form != RFL_LABEL_FULL && tag->label.kind != RFL_LABEL_POINT)
            key_item(flow, tag->ink, 3 * chart->canvas->metrics.marker, NULL, tag->full);
    }
    flow_break(flow);
}

static double caption(struct chart *chart, double y, bool draw)
{
    const struct rfl_metrics *metrics = &chart->canvas->metrics;
    struct flow flow = {chart, metrics->margin, y, draw, false};
    if (draw)
        chart_group(chart, "caption");
    key_marks(&flow);
    key_ridges(&flow);
    key_kernels(&flow);
    key_labels(&flow);
    for (size_t i = 0; i < chart->scene->notes.n_texts; i++)
        key_item(&flow, INK(RFL_ROLE_FAINT), 0, NULL, chart->scene->notes.texts[i]);
    flow_break(&flow);
    if (draw)
        chart_group(chart, NULL);
    return flow.y;
}

/* ---- the page ---- */

static void draw_segment(struct chart *chart, const struct rfl_segment *line,
                         struct rfl_ink ink)
{
    if (line->x1 > line->x0)
        draw_line(chart, line->x0, line->y0, line->x1, line->y1, ink);
}

/* The visible part of a roof: diagonals to the highest flat, flats from the fastest diagonal on; 0: none. */
static struct rfl_segment line_of(const struct chart *chart, const struct rfl_roof *roof)
{
    const struct rfl_scene *scene = chart->scene;
    const double value = roof->value;
    const double bandwidth = scene->n_levels ? scene->levels[0].value : 0; /* the highest */
    const double peak = scene->n_flats ? scene->flats[0].value : INFINITY;
    struct rfl_segment none = {0, 0, 0, 0};
    if (!*roof->level) {
        double from = bandwidth > 0 ? fmax(scene->x_min, value / bandwidth) : scene->x_min;
        double y = chart_y(chart, value);
        return (struct rfl_segment){chart_x(chart, fmin(from, scene->x_max)), y,
                                    chart->right, y};
    }
    double from = fmax(scene->x_min, scene->y_min / value);
    double to = fmin(scene->x_max, fmin(scene->y_max, peak) / value);
    if (!(from < to))
        return none;
    return (struct rfl_segment){chart_x(chart, from), chart_y(chart, from * value),
                                chart_x(chart, to), chart_y(chart, to * value)};
}

static void draw_drops(struct chart *chart)
{
    for (size_t i = 0; i < chart->scene->n_ridges; i++) {
        struct rfl_segment drop = drop_of(chart, i);
        draw_line(chart, drop.x0, drop.y0, drop.x1, drop.y1, INK(RFL_ROLE_DROP));
    }
}

/* Fills from the least to the most that a roof can be; what the line covers is not drawn. */
static void draw_interval(struct chart *chart, const struct rfl_roof *roof,
                          struct rfl_ink ink)
{
    struct rfl_roof low = *roof, high = *roof;
    const bool is_flat = !*roof->level;
    low.value = is_flat ? fmax(roof->low, chart->scene->y_min) : roof->low;
    high.value = is_flat ? fmin(roof->high, chart->scene->y_max) : roof->high;
    const struct rfl_segment upper = line_of(chart, &high), lower = line_of(chart, &low);
    /* the last is the corner of the plot, where only one of both starts below it */
    const double left = fmin(upper.x0, lower.x0);
    const struct rfl_vertex corners[RFL_AREA_CORNERS] = {
        {upper.x0, upper.y0},
        {upper.x1, upper.y1},
        {lower.x1, lower.y1},
        {lower.x0, lower.y0},
        {left,     lower.y0}
    };
    if (roof->high > VISIBLE * roof->low && upper.x1 > upper.x0 && lower.x1 > lower.x0)
        chart->canvas->ops->area(chart->canvas, corners, ink);
}

static void draw_roofs(struct chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    chart_group(chart, "roofs");
    for (size_t i = 0; i < scene->n_levels + scene->n_flats; i++)
        draw_interval(chart, &scene->roofs[i],
                      i < scene->n_levels ? level_ink(scene, i)
                                          : flat_ink(scene, i - scene->n_levels));
    for (size_t i = scene->n_levels; i-- > 0;)
        draw_segment(chart, &chart->lines[i], level_ink(scene, i));
    /* Those with FMA last, on top. */
    for (int fma = 0; fma < 2; fma++)
        for (size_t i = 0; i < scene->n_flats; i++)
            if ((scene->flats[i].kind <= RFL_ROOF_UNIT) == fma)
                draw_segment(chart, &chart->lines[scene->n_levels + i], flat_ink(scene, i));
    chart_group(chart, NULL);
}

static void draw_ridges(struct chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    const struct rfl_symbol ridge_symbol = {0, true};
    chart_group(chart, "ridges");
    for (size_t i = 0; i < scene->n_ridges; i++) {
        struct rfl_segment drop = drop_of(chart, i);
        draw_marker(chart, drop.x0, drop.y0, ridge_symbol, INK(RFL_ROLE_RIDGE));
    }
    chart_group(chart, NULL);
}

static double titles(struct chart *chart, double y, bool draw)
{
    const struct rfl_metrics *metrics = &chart->canvas->metrics;
    const char *const texts[] = {chart->scene->title, chart->scene->subtitle};
    const enum rfl_font fonts[] = {RFL_FONT_TITLE, RFL_FONT_SUBTITLE};
    const enum rfl_role roles[] = {RFL_ROLE_TEXT, RFL_ROLE_FAINT};
    for (size_t i = 0; i < 2; i++) {
        const char *text = texts[i];
        char line[512];
        double height = metrics->line_height[fonts[i]];
        double width = metrics->page_width - 2 * metrics->margin;
        while (wrap(chart, fonts[i], width, &text, line, sizeof line)) {
            struct rfl_ink ink = {roles[i], 0};
            if (draw)
                draw_text(chart, metrics->margin, y + height / 2, RFL_ANCHOR_START,
                          fonts[i], ink, line);
            y += height;
        }
    }
    return y;
}

static void draw_arrow(struct chart *chart, const struct rfl_segment *line,
                       struct rfl_ink ink)
{
    double back = atan2(line->y0 - line->y1, line->x0 - line->x1);
    double length = HEAD_LENGTH * chart->canvas->metrics.marker;
    draw_line(chart, line->x0, line->y0, line->x1, line->y1, ink);
    for (int side = -1; side <= 1; side += 2)
        draw_line(chart, line->x1, line->y1,
                  line->x1 + length * cos(back + side * HEAD_ANGLE),
                  line->y1 + length * sin(back + side * HEAD_ANGLE), ink);
}

static void draw_bar(struct chart *chart, const struct rfl_segment *bar, struct rfl_ink ink)
{
    const double cap = 0.4 * chart->canvas->metrics.marker, ends[] = {bar->y0, bar->y1};
    draw_line(chart, bar->x0, bar->y0, bar->x1, bar->y1, ink);
    for (size_t i = 0; i < 2; i++)
        draw_line(chart, bar->x0 - cap, ends[i], bar->x0 + cap, ends[i], ink);
}

static void draw_marks(struct chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    struct rfl_segment line;
    chart_group(chart, "marks");
    for (size_t i = 0; i < chart->n_tags; i++) {
        const struct rfl_ink ink = {RFL_ROLE_JOIN, chart->tags[i].ink.index};
        if (chart->tags[i].label.kind == RFL_LABEL_POINT &&
            leader_of(chart, &chart->tags[i], &line))
            draw_line(chart, line.x0, line.y0, line.x1, line.y1, ink);
    }
    for (size_t i = 0; i < scene->n_kernels; i++) {
        line = span(chart, &scene->kernels[i]);
        draw_line(chart, line.x0, line.y0, line.x1, line.y1,
                  (struct rfl_ink){RFL_ROLE_JOIN, scene->kernels[i].series});
    }
    for (size_t i = 0; i < scene->n_kernels; i++)
        for (size_t j = 0; j < scene->kernels[i].n_marks; j++) {
            const struct rfl_kernel *kernel = &scene->kernels[i];
            if (arrow_of(chart, &kernel->marks[j], &line))
                draw_arrow(chart, &line, (struct rfl_ink){RFL_ROLE_ARROW, kernel->series});
            if (bar_of(chart, kernel, &kernel->marks[j], &line))
                draw_bar(chart, &line, (struct rfl_ink){RFL_ROLE_ARROW, kernel->series});
        }
    for (size_t i = scene->n_kernels; i-- > 0;) /* the longest on top */
        for (size_t j = scene->kernels[i].n_marks; j-- > 0;) {
            const struct rfl_mark *mark = &scene->kernels[i].marks[j];
            size_t series = scene->kernels[i].series;
            draw_marker(chart, mark_x(chart, mark), mark_y(chart, mark),
                        symbol_of(scene, mark->level, series),
                        (struct rfl_ink){RFL_ROLE_MARK, series});
        }
    chart_group(chart, NULL);
}

static void draw_tags(struct chart *chart)
{
    const struct rfl_canvas_ops *ops = chart->canvas->ops;
    chart_group(chart, "labels");
    for (size_t i = 0; i < chart->n_tags; i++) {
        const struct tag *tag = &chart->tags[i];
        if (tag->label.form != RFL_LABEL_NOWHERE)
            ops->text(chart->canvas, tag->label.box.x, tag->label.box.y,
                      tag->label.box.angle_rad, RFL_ANCHOR_MIDDLE, RFL_FONT_LABEL, tag->ink,
                      tag->label.form == RFL_LABEL_FULL ? tag->full : tag->brief);
    }
    chart_group(chart, NULL);
}

/* Writes a sentence for screen readers: every roof and profiled point with its value. */
static void chart_describe(const struct rfl_scene *scene, char *text, size_t size)
{
    snprintf(text, size, "Roofs:");
    for (size_t i = 0; i < scene->n_levels + scene->n_flats; i++)
        ert_append(text, size, "%s %s", i ? "," : "", scene->roofs[i].full);
    for (size_t i = 0; i < scene->n_kernels; i++)
        for (size_t j = 0; j < scene->kernels[i].n_marks; j++) {
            const struct rfl_mark *mark = &scene->kernels[i].marks[j];
            char place[2 * ERT_UNITS_TEXT];
            place_text(scene, mark, place);
            ert_append(text, size, "%s %s at %s %s",
                       i || j ? ";" : ". Points:", scene->kernels[i].name,
                       scene->mark_levels.texts[mark->level], place);
        }
}

static void draw_page(struct chart *chart, double title_y, double caption_y)
{
    const struct rfl_canvas_ops *ops = chart->canvas->ops;
    char description[4096];
    double end = caption(chart, caption_y, false);
    chart_describe(chart->scene, description, sizeof description);
    ops->begin(chart->canvas, chart->canvas->metrics.page_width,
               end + chart->canvas->metrics.margin / 2, chart->scene->title, description);
    titles(chart, title_y, true);
    draw_axes(chart);
    draw_drops(chart);
    draw_roofs(chart);
    draw_ridges(chart);
    draw_marks(chart);
    draw_tags(chart);
    caption(chart, caption_y, true);
    ops->end(chart->canvas);
}

void rfl_chart_draw(const struct rfl_scene *scene, struct rfl_canvas *canvas)
{
    const struct rfl_metrics *metrics = &canvas->metrics;
    struct chart *chart = ert_xcalloc(1, sizeof *chart);
    double title_y = metrics->margin / 2;
    double axis_height = metrics->line_height[RFL_FONT_AXIS];
    chart->scene = scene;
    chart->canvas = canvas;
    chart->top = titles(chart, title_y, false) + metrics->margin / 2;
    chart->bottom = chart->top + metrics->plot_height;
    chart->left = metrics->left;
    chart->right = metrics->page_width - metrics->right;
    chart->x_per_decade = (chart->right - chart->left) / log10(scene->x_max / scene->x_min);
    chart->y_per_decade = metrics->plot_height / log10(scene->y_max / scene->y_min);
    for (size_t i = 0; i < scene->n_levels + scene->n_flats; i++)
        chart->lines[i] = line_of(chart, &scene->roofs[i]);
    make_tags(chart);
    draw_page(chart, title_y, chart->bottom + 2 * axis_height + 4 * metrics->axis_gap);
    rfl_layout_free(&chart->layout);
    free(chart->tags);
    free(chart);
}
