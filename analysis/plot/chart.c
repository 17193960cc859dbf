#include "analysis/plot/chart.h"

#include "analysis/plot/chart_parts.h"
#include "ert/base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double rfl_chart_x(const struct rfl_chart *chart, double intensity_flop_per_byte)
{
    return chart->left +
           log10(intensity_flop_per_byte / chart->scene->x_min) * chart->x_per_decade;
}

double rfl_chart_y(const struct rfl_chart *chart, double perf_flop_per_s)
{
    return chart->bottom -
           log10(perf_flop_per_s / chart->scene->y_min) * chart->y_per_decade;
}

/* The visible part of a diagonal under a peak; 0 for none. */
static struct rfl_segment diagonal_of(const struct rfl_chart *chart, double bandwidth,
                                      double peak)
{
    const struct rfl_scene *scene = chart->scene;
    double from = fmax(scene->x_min, scene->y_min / bandwidth);
    double to = fmin(scene->x_max, fmin(scene->y_max, peak) / bandwidth);
    struct rfl_segment none = {0, 0, 0, 0};
    if (!(from < to))
        return none;
    return (struct rfl_segment){rfl_chart_x(chart, from),
                                rfl_chart_y(chart, from * bandwidth),
                                rfl_chart_x(chart, to), rfl_chart_y(chart, to * bandwidth)};
}

/* The visible part of a flat right of a diagonal; 0 for none. */
static struct rfl_segment flat_of(const struct rfl_chart *chart, double peak,
                                  double bandwidth)
{
    const struct rfl_scene *scene = chart->scene;
    double from = bandwidth > 0 ? fmax(scene->x_min, peak / bandwidth) : scene->x_min;
    double y = rfl_chart_y(chart, peak);
    return (struct rfl_segment){rfl_chart_x(chart, fmin(from, scene->x_max)), y,
                                chart->right, y};
}

struct rfl_ink rfl_chart_level_ink(const struct rfl_scene *scene, size_t level)
{
    if (scene->n_machines > 1)
        return (struct rfl_ink){RFL_ROLE_MACHINE, scene->levels[level].machine};
    return (struct rfl_ink){scene->n_kernels ? RFL_ROLE_PLAIN : RFL_ROLE_LEVEL, level};
}

struct rfl_ink rfl_chart_flat_ink(const struct rfl_scene *scene, size_t flat)
{
    const struct rfl_roof *roof = &scene->flats[flat];
    if (scene->n_machines > 1 && !roof->mix)
        return (struct rfl_ink){RFL_ROLE_MACHINE, roof->machine};
    return (struct rfl_ink){roof->mix || roof->secondary ? RFL_ROLE_MIX
                            : roof->no_fma               ? RFL_ROLE_NO_FMA
                                                         : RFL_ROLE_FLAT,
                            0};
}

static void draw_segment(struct rfl_chart *chart, const struct rfl_segment *line,
                         struct rfl_ink ink)
{
    if (line->x1 > line->x0)
        chart->canvas->ops->line(chart->canvas, line->x0, line->y0, line->x1, line->y1,
                                 ink);
}

/* The highest peak and bandwidth of a machine, of its theory where that is drawn and higher. */
static void tops_of(const struct rfl_scene *scene, size_t machine, bool theory,
                    double *peak, double *bandwidth)
{
    *peak = *bandwidth = 0;
    for (size_t i = 0; i < scene->n_flats; i++)
        if (scene->flats[i].machine == machine)
            *peak = fmax(*peak,
                         fmax(scene->flats[i].value, theory ? scene->flats[i].theory : 0));
    for (size_t i = 0; i < scene->n_levels; i++)
        if (scene->levels[i].machine == machine)
            *bandwidth = fmax(*bandwidth, fmax(scene->levels[i].value,
                                               theory ? scene->levels[i].theory : 0));
    *peak = *peak > 0 ? *peak : INFINITY;
}

/* The lines of the roofs: diagonals up to the highest flat, flats from the fastest diagonal on. */
static void make_lines(struct rfl_chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    double peak, bandwidth;
    for (size_t i = 0; i < scene->n_levels; i++) {
        tops_of(scene, scene->levels[i].machine, false, &peak, &bandwidth);
        chart->levels[i] = diagonal_of(chart, scene->levels[i].value, peak);
        rfl_layout_line(&chart->layout, chart->levels[i]);
    }
    for (size_t i = 0; i < scene->n_flats; i++) {
        tops_of(scene, scene->flats[i].machine, false, &peak, &bandwidth);
        chart->flats[i] = flat_of(chart, scene->flats[i].value, bandwidth);
        rfl_layout_line(&chart->layout, chart->flats[i]);
    }
}

static void draw_theory(struct rfl_chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    const struct rfl_ink ink = {RFL_ROLE_THEORY, 0};
    double peak, bandwidth;
    for (size_t i = 0; i < scene->n_levels; i++) {
        tops_of(scene, scene->levels[i].machine, true, &peak, &bandwidth);
        struct rfl_segment line = diagonal_of(chart, scene->levels[i].theory, peak);
        if (scene->levels[i].theory > 0)
            draw_segment(chart, &line, ink);
    }
    for (size_t i = 0; i < scene->n_flats; i++) {
        tops_of(scene, scene->flats[i].machine, true, &peak, &bandwidth);
        struct rfl_segment line = flat_of(chart, scene->flats[i].theory, bandwidth);
        if (scene->flats[i].theory > 0)
            draw_segment(chart, &line, ink);
    }
}

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/*
 * The band of a level: between the diagonals of its least and most bandwidth, up to the highest flat.
 * Each edge bends where it meets an edge of the plot or the flat: at most six intensities.
 */
static void draw_band(struct rfl_chart *chart, size_t level)
{
    const struct rfl_scene *scene = chart->scene;
    const struct rfl_roof *roof = &scene->levels[level];
    const struct rfl_ink ink = {RFL_ROLE_BAND, level};
    struct rfl_vertex corners[12];
    double peak, bandwidth;
    tops_of(scene, roof->machine, false, &peak, &bandwidth);
    double top = fmin(peak, scene->y_max), bottom = scene->y_min;
    double bends[] = {scene->x_min,
                      scene->x_max,
                      bottom / roof->band_low,
                      bottom / roof->band_high,
                      top / roof->band_low,
                      top / roof->band_high};
    for (size_t i = 0; i < 6; i++)
        bends[i] = clamp(bends[i], scene->x_min, scene->x_max);
    qsort(bends, 6, sizeof bends[0], by_value);
    for (size_t i = 0; i < 6; i++) {
        double high = clamp(bends[i] * roof->band_high, bottom, top),
               low = clamp(bends[i] * roof->band_low, bottom, top);
        corners[i] =
            (struct rfl_vertex){rfl_chart_x(chart, bends[i]), rfl_chart_y(chart, high)};
        corners[11 - i] =
            (struct rfl_vertex){rfl_chart_x(chart, bends[i]), rfl_chart_y(chart, low)};
    }
    chart->canvas->ops->area(chart->canvas, corners, 12, ink);
}

static void draw_bands(struct rfl_chart *chart)
{
    const struct rfl_canvas_ops *ops = chart->canvas->ops;
    if (!ops->area)
        return;
    ops->group(chart->canvas, "bands");
    for (size_t i = chart->scene->n_levels; i-- > 0;)
        if (chart->scene->levels[i].band_high > 0)
            draw_band(chart, i);
    ops->group_end(chart->canvas);
}

static void draw_drops(struct rfl_chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    const struct rfl_ink ink = {RFL_ROLE_DROP, 0};
    for (size_t i = 0; i < scene->n_ridges && chart->canvas->metrics.details; i++) {
        double x = rfl_chart_x(chart, scene->ridges[i].intensity_flop_per_byte);
        chart->canvas->ops->line(chart->canvas, x,
                                 rfl_chart_y(chart, scene->ridges[i].perf_flop_per_s), x,
                                 chart->bottom, ink);
    }
}

static void draw_roofs(struct rfl_chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    const struct rfl_canvas_ops *ops = chart->canvas->ops;
    ops->group(chart->canvas, "roofs");
    for (size_t i = scene->n_levels; i-- > 0;)
        draw_segment(chart, &chart->levels[i], rfl_chart_level_ink(scene, i));
    /* Those with FMA last: where two share a row of characters, the peak is seen. */
    for (int fma = 0; fma < 2; fma++)
        for (size_t i = 0; i < scene->n_flats; i++)
            if ((scene->flats[i].no_fma || scene->flats[i].mix ||
                 scene->flats[i].secondary) == !fma)
                draw_segment(chart, &chart->flats[i], rfl_chart_flat_ink(scene, i));
    ops->group_end(chart->canvas);
}

static void draw_points(struct rfl_chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    const struct rfl_canvas_ops *ops = chart->canvas->ops;
    const struct rfl_ink ridge_ink = {RFL_ROLE_RIDGE, 0};
    const struct rfl_symbol ridge_symbol = {0, true};
    ops->group(chart->canvas, "points");
    for (size_t i = 0; i < scene->n_points; i++) {
        const struct rfl_dot *point = &scene->points[i];
        struct rfl_ink ink = {RFL_ROLE_LEVEL, point->level};
        struct rfl_symbol symbol = {point->level, false};
        ops->marker(chart->canvas, rfl_chart_x(chart, point->intensity_flop_per_byte),
                    rfl_chart_y(chart, point->perf_flop_per_s), symbol, ink);
    }
    for (size_t i = 0; i < scene->n_ridges; i++)
        ops->marker(
            chart->canvas, rfl_chart_x(chart, scene->ridges[i].intensity_flop_per_byte),
            rfl_chart_y(chart, scene->ridges[i].perf_flop_per_s), ridge_symbol, ridge_ink);
    ops->group_end(chart->canvas);
}

/* Title and subtitle from y on, wrapped; returns where they end. */
static double titles(struct rfl_chart *chart, double y, bool draw)
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
        while (rfl_chart_wrap(chart->canvas, fonts[i], width, &text, line, sizeof line)) {
            struct rfl_ink ink = {roles[i], 0};
            if (draw)
                chart->canvas->ops->text(chart->canvas, metrics->margin, y + height / 2, 0,
                                         RFL_ANCHOR_START, fonts[i], ink, line);
            y += height;
        }
    }
    return y;
}

/* A sentence for screen readers: every roof and profiled point with its value. */
static void describe(const struct rfl_scene *scene, char *text, size_t size)
{
    char value[ERT_UNITS_TEXT];
    size_t used = (size_t)snprintf(text, size, "Roofs:");
    for (size_t i = 0; i < scene->n_levels + scene->n_flats && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s %s", i ? "," : "",
                             i < scene->n_levels ? scene->levels[i].full
                                                 : scene->flats[i - scene->n_levels].full);
    for (size_t i = 0; i < scene->n_marks && used < size; i++) {
        const struct rfl_mark *mark = &scene->marks[i];
        used +=
            (size_t)snprintf(text + used, size - used, "%s %s at %s %.4g FLOP/byte, %s",
                             i ? ";" : ". Points:", scene->kernels[mark->kernel].brief,
                             scene->mark_levels[mark->level], mark->intensity_flop_per_byte,
                             ert_units_performance(mark->perf_flop_per_s, value));
    }
}

static void draw_page(struct rfl_chart *chart, double title_y, double caption_y)
{
    const struct rfl_canvas_ops *ops = chart->canvas->ops;
    char description[4096];
    double end = rfl_chart_caption(chart, caption_y, false);
    describe(chart->scene, description, sizeof description);
    ops->begin(chart->canvas, chart->canvas->metrics.page_width,
               end + chart->canvas->metrics.margin / 2, chart->scene->title, description);
    titles(chart, title_y, true);
    rfl_chart_axes(chart);
    draw_bands(chart);
    draw_drops(chart);
    if (chart->scene->theory)
        draw_theory(chart);
    draw_roofs(chart);
    draw_points(chart);
    rfl_chart_marks(chart);
    rfl_chart_tags(chart);
    rfl_chart_caption(chart, caption_y, true);
    ops->end(chart->canvas);
}

enum ert_status rfl_chart_draw(const struct rfl_scene *scene, struct rfl_canvas *canvas,
                               struct ert_error *error)
{
    const struct rfl_metrics *metrics = &canvas->metrics;
    struct rfl_chart *chart = calloc(1, sizeof *chart);
    if (!chart)
        return ert_fail(error, ERT_FAILED, "out of memory for a chart");
    double title_y = metrics->margin / 2;
    double axis_height = metrics->line_height[RFL_FONT_AXIS];
    chart->scene = scene;
    chart->canvas = canvas;
    chart->edge = metrics->rotates ? 0 : 0.5;
    /* Where texts do not turn, the y axis's title stands in a line of its own over the plot. */
    chart->top = titles(chart, title_y, false) +
                 (metrics->rotates ? metrics->margin / 2 : axis_height);
    chart->bottom = chart->top + metrics->plot_height;
    chart->left = metrics->left;
    chart->right = metrics->page_width - metrics->right;
    chart->x_per_decade = (chart->right - chart->left) / log10(scene->x_max / scene->x_min);
    chart->y_per_decade = metrics->plot_height / log10(scene->y_max / scene->y_min);
    make_lines(chart);
    rfl_chart_make_tags(chart);
    draw_page(chart, title_y,
              chart->bottom + 2 * (chart->edge + axis_height) + 4 * metrics->axis_gap);
    free(chart);
    return ERT_OK;
}
