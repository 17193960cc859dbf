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
    size_t kernel; /* of RFL_LABEL_POINT: index in the scene's */
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
    bool numbered; /* kernels have numbers in the plot, and their names in the key */
    size_t n_tags;
    struct rfl_tag tags[RFL_MAX_LABELS];
};

/* Canvas coordinates of an intensity (flop/byte) and a performance (flop/s). */
double rfl_chart_x(const struct rfl_chart *chart, double intensity_flop_per_byte);
double rfl_chart_y(const struct rfl_chart *chart, double perf_flop_per_s);

/* Grid, axis lines, ticks and axis titles. */
void rfl_chart_axes(struct rfl_chart *chart);

/* Makes the labels of roofs and ridges, merges those of near roofs, and finds their places. */
void rfl_chart_make_tags(struct rfl_chart *chart);

/*
 * Profiled points (marks.c): their markers, lines and arrows as obstacles; their labels, by name,
 * else all by number; how they are drawn, and their part of the key.
 */
void rfl_chart_avoid_marks(struct rfl_chart *chart);
void rfl_chart_tag_kernels(struct rfl_chart *chart);
void rfl_chart_marks(struct rfl_chart *chart);
struct rfl_symbol rfl_chart_symbol(const struct rfl_scene *scene, size_t level,
                                   size_t series);
struct rfl_ink rfl_chart_mark_ink(const struct rfl_scene *scene, size_t series);

/* What the key says of a numbered or unlabelled kernel. */
void rfl_chart_kernel_text(const struct rfl_chart *chart, const struct rfl_tag *tag,
                           char *text, size_t size);

/* The next free tag, or NULL. */
struct rfl_tag *rfl_chart_add_tag(struct rfl_chart *chart, enum rfl_label_kind kind,
                                  struct rfl_segment line, struct rfl_ink ink);

/* What a roof is drawn with. */
struct rfl_ink rfl_chart_level_ink(const struct rfl_scene *scene, size_t level);
struct rfl_ink rfl_chart_flat_ink(const struct rfl_scene *scene, size_t flat);

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
