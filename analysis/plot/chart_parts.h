/*
 * chart_parts: what the files that draw a chart share. Private to chart.
 */
#ifndef RFL_PLOT_CHART_PARTS_H
#define RFL_PLOT_CHART_PARTS_H

#include "analysis/plot/canvas.h"
#include "analysis/plot/layout.h"
#include "analysis/plot/scene.h"

enum { RFL_LABEL_TEXT = 256 };

/* A label with its texts; merged ones name several roofs. An empty one was placed in parts. */
struct rfl_tag {
    struct rfl_label label;
    struct rfl_ink ink;
    const struct rfl_roof *roofs; /* the n_roofs roofs that it names; of a ridge's none */
    size_t n_roofs;
    char full[RFL_LABEL_TEXT], brief[RFL_LABEL_TEXT];
};

struct rfl_chart {
    const struct rfl_scene *scene;
    struct rfl_canvas *canvas;
    double left, top, right, bottom; /* of the plot, canvas units */
    double x_per_decade, y_per_decade;
    double edge; /* from the plot to its axis lines: half a cell of text */
    struct rfl_segment levels[ERT_MAX_MEMORY], flats[ERT_MAX_COMPUTE];
    struct rfl_layout layout;
    size_t n_tags;
    struct rfl_tag tags[RFL_MAX_LABELS];
};

/* Canvas coordinates of an intensity (flop/byte) and a performance (flop/s). */
double rfl_chart_x(const struct rfl_chart *chart, double intensity_flop_per_byte);
double rfl_chart_y(const struct rfl_chart *chart, double perf_flop_per_s);

/* The visible part of a diagonal under a peak, and of a flat right of a diagonal; 0 for none. */
struct rfl_segment rfl_chart_diagonal(const struct rfl_chart *chart, double bandwidth,
                                      double peak);
struct rfl_segment rfl_chart_flat(const struct rfl_chart *chart, double peak,
                                  double bandwidth);

/* Grid, axis lines, ticks and axis titles. */
void rfl_chart_axes(struct rfl_chart *chart);

/* Makes the labels of roofs and ridges, merges those of near roofs, and finds their places. */
void rfl_chart_make_tags(struct rfl_chart *chart);

/* Draws the placed labels. */
void rfl_chart_tags(struct rfl_chart *chart);

/* Draws the key and the notes under the plot from y on; returns where they end. draw false: only
 * measures. */
double rfl_chart_caption(struct rfl_chart *chart, double y, bool draw);

/*
 * Copies the next line of *text that is at most `width` wide into line[size] and moves *text on:
 * breaks at blanks, inside a word only when it alone is too long. False at the end.
 */
bool rfl_chart_wrap(const struct rfl_canvas *canvas, enum rfl_font font, double width,
                    const char **text, char *line, size_t size);

#endif
