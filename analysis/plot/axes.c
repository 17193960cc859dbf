/* The axes of a chart: grid, ticks, their texts and titles. */
#include "analysis/plot/chart_parts.h"

#include "ert/base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_MINOR = 60 /* pixels per decade from which 2 to 9 get grid lines */ };

static const struct rfl_ink ink_text = {RFL_ROLE_TEXT, 0};
static const struct rfl_ink ink_frame = {RFL_ROLE_FRAME, 0};

/* "0.01", "100", "1e6": a number that is a power of ten. */
static void number_text(double value, char text[ERT_UNITS_TEXT])
{
    if (value > 0.9e-3 && value < 0.9e5)
        snprintf(text, ERT_UNITS_TEXT, "%g", value);
    else
        snprintf(text, ERT_UNITS_TEXT, "1e%d", (int)lround(log10(value)));
}

/* "10 T": number and prefix as ert_units_performance writes them, without zeros and FLOP/s. */
static void perf_text(double value, char text[ERT_UNITS_TEXT])
{
    char full[ERT_UNITS_TEXT], number[ERT_UNITS_TEXT], *unit;
    ert_units_performance(value, full);
    number_text(strtod(full, &unit), number);
    snprintf(text, ERT_UNITS_TEXT, "%.24s%.*s", number,
             strcmp(unit, " FLOP/s") == 0 ? 0 : 2, unit);
}

/* Every how many decades there is room for a text of the given extent. */
static int decade_step(double per_decade, double extent)
{
    return (int)fmax(1, ceil(extent / per_decade));
}

static double widest(const struct rfl_chart *chart, int first, int last)
{
    double width = 0;
    for (int d = first; d <= last; d++) {
        char text[ERT_UNITS_TEXT];
        number_text(pow(10, d), text);
        width =
            fmax(width, chart->canvas->ops->text_width(chart->canvas, RFL_FONT_AXIS, text));
    }
    return width;
}

static void minor_lines(struct rfl_chart *chart, int decade, bool vertical)
{
    const struct rfl_ink ink = {RFL_ROLE_MINOR, 0};
    const struct rfl_scene *scene = chart->scene;
    double per_decade = vertical ? chart->x_per_decade : chart->y_per_decade;
    if (!chart->canvas->metrics.details || per_decade < MIN_MINOR)
        return;
    for (int digit = 2; digit <= 9; digit++) {
        double value = digit * pow(10, decade);
        double x = rfl_chart_x(chart, value), y = rfl_chart_y(chart, value);
        if (vertical && value > scene->x_min && value < scene->x_max)
            chart->canvas->ops->line(chart->canvas, x, chart->top, x, chart->bottom, ink);
        if (!vertical && value > scene->y_min && value < scene->y_max)
            chart->canvas->ops->line(chart->canvas, chart->left, y, chart->right, y, ink);
    }
}

static void x_axis(struct rfl_chart *chart)
{
    const struct rfl_canvas *canvas = chart->canvas;
    const struct rfl_ink ink = {RFL_ROLE_GRID, 0};
    double height = canvas->metrics.line_height[RFL_FONT_AXIS],
           axis = chart->bottom + chart->edge;
    int first = (int)floor(log10(chart->scene->x_min) + 1e-9);
    int last = (int)floor(log10(chart->scene->x_max) + 1e-9);
    int step = decade_step(chart->x_per_decade,
                           widest(chart, first, last) + 4 * canvas->metrics.gap);
    for (int d = first; d <= last; d++) {
        char text[ERT_UNITS_TEXT];
        double x = rfl_chart_x(chart, pow(10, d));
        minor_lines(chart, d, true);
        if (d % step != 0 || x < chart->left - 1e-6)
            continue;
        number_text(pow(10, d), text);
        if (x > chart->left + 0.5) /* else the axis is there */
            canvas->ops->line(chart->canvas, x, chart->top, x, chart->bottom, ink);
        canvas->ops->line(chart->canvas, x, axis, x, axis, ink_frame);
        canvas->ops->text(chart->canvas, x,
                          axis + chart->edge + canvas->metrics.axis_gap + height / 2, 0,
                          RFL_ANCHOR_MIDDLE, RFL_FONT_AXIS, ink_text, text);
    }
}

static void y_axis(struct rfl_chart *chart)
{
    const struct rfl_canvas *canvas = chart->canvas;
    const struct rfl_ink ink = {RFL_ROLE_GRID, 0};
    double height = canvas->metrics.line_height[RFL_FONT_AXIS],
           axis = chart->left - chart->edge;
    int first = (int)floor(log10(chart->scene->y_min) + 1e-9);
    int last = (int)floor(log10(chart->scene->y_max) + 1e-9);
    int step = decade_step(chart->y_per_decade, height);
    for (int d = first; d <= last; d++) {
        char text[ERT_UNITS_TEXT];
        double y = rfl_chart_y(chart, pow(10, d));
        minor_lines(chart, d, false);
        if (d % step != 0 || y > chart->bottom + 1e-6)
            continue;
        perf_text(pow(10, d), text);
        if (y < chart->bottom - 0.5)
            canvas->ops->line(chart->canvas, chart->left, y, chart->right, y, ink);
        canvas->ops->line(chart->canvas, axis, y, axis, y, ink_frame);
        canvas->ops->text(chart->canvas, axis - chart->edge - canvas->metrics.gap, y, 0,
                          RFL_ANCHOR_END, RFL_FONT_AXIS, ink_text, text);
    }
}

static void axis_titles(struct rfl_chart *chart)
{
    const struct rfl_canvas *canvas = chart->canvas;
    const struct rfl_metrics *metrics = &canvas->metrics;
    double height = metrics->line_height[RFL_FONT_AXIS];
    double middle = (chart->left + chart->right) / 2;
    canvas->ops->text(chart->canvas, middle,
                      chart->bottom + 2 * (chart->edge + metrics->axis_gap) + 1.5 * height,
                      0, RFL_ANCHOR_MIDDLE, RFL_FONT_AXIS, ink_text,
                      "Arithmetic intensity [FLOP/byte]");
    if (metrics->rotates)
        canvas->ops->text(chart->canvas, height, (chart->top + chart->bottom) / 2, acos(0),
                          RFL_ANCHOR_MIDDLE, RFL_FONT_AXIS, ink_text,
                          "Performance [FLOP/s]");
    else
        canvas->ops->text(chart->canvas, 0, chart->top - height / 2, 0, RFL_ANCHOR_START,
                          RFL_FONT_AXIS, ink_text, "FLOP/s");
}

void rfl_chart_axes(struct rfl_chart *chart)
{
    const struct rfl_canvas_ops *ops = chart->canvas->ops;
    double left = chart->left - chart->edge, bottom = chart->bottom + chart->edge;
    ops->group(chart->canvas, "axes");
    ops->line(chart->canvas, left, chart->top, left, bottom, ink_frame);
    ops->line(chart->canvas, left, bottom, chart->right, bottom, ink_frame);
    ops->line(chart->canvas, left, bottom, left, bottom, ink_frame);
    x_axis(chart);
    y_axis(chart);
    axis_titles(chart);
    ops->group_end(chart->canvas);
}
