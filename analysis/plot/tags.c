/* The labels of a chart: which there are, which share one, where they stand. */
#include "analysis/plot/chart_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void join(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? ", " : "", more);
}

/* As join, but of two texts with the same unit only the last shows it. */
static void join_values(char *text, size_t size, const char *more)
{
    char *unit = strrchr(text, ' ');
    const char *more_unit = strrchr(more, ' ');
    if (unit && more_unit && strcmp(unit, more_unit) == 0 && strchr(unit, '/'))
        *unit = '\0';
    join(text, size, more);
}

struct rfl_tag *rfl_chart_add_tag(struct rfl_chart *chart, enum rfl_label_kind kind,
                                  struct rfl_segment line, struct rfl_ink ink)
{
    if (chart->n_tags == RFL_MAX_LABELS)
        return NULL;
    struct rfl_tag *tag = &chart->tags[chart->n_tags++];
    memset(tag, 0, sizeof *tag);
    tag->label.kind = kind;
    tag->label.upper = tag->label.lower = line;
    tag->label.height = chart->canvas->metrics.line_height[RFL_FONT_LABEL];
    tag->ink = ink;
    return tag;
}

/* One label per group of roofs (sorted from the highest) that lie within the merge distance. */
static void add_roofs(struct rfl_chart *chart, const struct rfl_roof *roofs,
                      const struct rfl_segment *lines, size_t n, enum rfl_label_kind kind)
{
    double merge = pow(10, chart->canvas->metrics.merge / chart->y_per_decade);
    for (size_t i = 0; i < n;) {
        struct rfl_ink ink = kind == RFL_LABEL_FLAT ? rfl_chart_flat_ink(chart->scene, i)
                                                    : rfl_chart_level_ink(chart->scene, i);
        struct rfl_tag *tag = rfl_chart_add_tag(chart, kind, lines[i], ink);
        size_t first = i;
        if (tag)
            tag->roofs = &roofs[i];
        for (; tag && i < n && roofs[first].value / roofs[i].value < merge; i++) {
            join_values(tag->full, sizeof tag->full, roofs[i].full);
            join(tag->brief, sizeof tag->brief, roofs[i].brief);
            tag->label.lower = lines[i];
            tag->n_roofs++;
        }
        if (!tag)
            return;
    }
}

/* Ridges come sorted as their levels: by rising intensity. */
static void add_ridges(struct rfl_chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    double merge = chart->canvas->metrics.merge;
    const struct rfl_ink ink = {RFL_ROLE_RIDGE, 0};
    struct rfl_tag *tag = NULL;
    for (size_t i = 0; i < scene->n_ridges; i++) {
        double x = rfl_chart_x(chart, scene->ridges[i].intensity_flop_per_byte);
        double y = rfl_chart_y(chart, scene->ridges[i].perf_flop_per_s);
        struct rfl_segment line = {x, y, x, chart->bottom};
        rfl_layout_point(&chart->layout, x, y, chart->canvas->metrics.marker);
        if (!chart->canvas->metrics.details)
            continue;
        rfl_layout_soft(&chart->layout, line);
        if (!tag || x - tag->label.upper.x0 >= merge)
            tag = rfl_chart_add_tag(chart, RFL_LABEL_FOOT, line, ink);
        if (!tag)
            return;
        join(tag->full, sizeof tag->full, scene->ridges[i].label);
    }
}

static void measure(const struct rfl_canvas *canvas, struct rfl_tag *tag, bool brief)
{
    tag->label.full_width = canvas->ops->text_width(canvas, RFL_FONT_LABEL, tag->full);
    tag->label.brief_width =
        brief && tag->brief[0] ? canvas->ops->text_width(canvas, RFL_FONT_LABEL, tag->brief)
                               : 0;
}

/* Each roof of a merged label on its own, over or under their common line; all or none of them. */
static bool place_apart(struct rfl_chart *chart, const struct rfl_tag *merged)
{
    size_t n_tags = chart->n_tags, n_boxes = chart->layout.n_boxes;
    for (size_t i = 0; i < merged->n_roofs; i++) {
        const struct rfl_roof *roof = &merged->roofs[i];
        struct rfl_tag *tag =
            rfl_chart_add_tag(chart, merged->label.kind, merged->label.upper, merged->ink);
        if (tag) {
            tag->label.lower = merged->label.lower;
            snprintf(tag->full, sizeof tag->full, "%s", roof->full);
            measure(chart->canvas, tag, false);
            rfl_layout_place(&chart->layout, &tag->label);
        }
        if (!tag || tag->label.form != RFL_LABEL_FULL) {
            chart->n_tags = n_tags;
            chart->layout.n_boxes = n_boxes;
            return false;
        }
    }
    return true;
}

/* In full, else (where labels can stand on both sides of a line) one by one, else brief. */
static void place_tag(struct rfl_chart *chart, struct rfl_tag *tag)
{
    bool apart = tag->n_roofs > 1 && chart->canvas->metrics.rotates;
    measure(chart->canvas, tag, !apart);
    rfl_layout_place(&chart->layout, &tag->label);
    if (!apart || tag->label.form == RFL_LABEL_FULL)
        return;
    if (place_apart(chart, tag)) {
        tag->full[0] = '\0';
        return;
    }
    measure(chart->canvas, tag, true);
    rfl_layout_place(&chart->layout, &tag->label);
}

static void place(struct rfl_chart *chart, enum rfl_label_kind kind)
{
    size_t n_tags = chart->n_tags; /* place_apart adds more, placed already */
    for (size_t i = 0; i < n_tags; i++)
        if (chart->tags[i].label.kind == kind && chart->tags[i].label.full_width == 0)
            place_tag(chart, &chart->tags[i]);
}

void rfl_chart_make_tags(struct rfl_chart *chart)
{
    const struct rfl_scene *scene = chart->scene;
    struct rfl_layout *layout = &chart->layout;
    layout->left = chart->left + chart->canvas->metrics.gap;
    layout->top = chart->top;
    layout->right = chart->right;
    layout->bottom = chart->bottom;
    layout->gap = chart->canvas->metrics.gap;
    layout->rotates = chart->canvas->metrics.rotates;
    for (size_t i = 0; i < scene->n_points; i++)
        rfl_layout_point(layout,
                         rfl_chart_x(chart, scene->points[i].intensity_flop_per_byte),
                         rfl_chart_y(chart, scene->points[i].perf_flop_per_s),
                         chart->canvas->metrics.marker);
    rfl_chart_avoid_marks(chart);
    add_roofs(chart, scene->flats, chart->flats, scene->n_flats, RFL_LABEL_FLAT);
    add_roofs(chart, scene->levels, chart->levels, scene->n_levels, RFL_LABEL_DIAGONAL);
    add_ridges(chart);
    /* Roofs first: they are what the chart is for. */
    place(chart, RFL_LABEL_FLAT);
    place(chart, RFL_LABEL_DIAGONAL);
    rfl_chart_tag_kernels(chart);
    place(chart, RFL_LABEL_FOOT);
}

void rfl_chart_tags(struct rfl_chart *chart)
{
    const struct rfl_canvas_ops *ops = chart->canvas->ops;
    ops->group(chart->canvas, "labels");
    for (size_t i = 0; i < chart->n_tags; i++) {
        const struct rfl_tag *tag = &chart->tags[i];
        if (tag->full[0] && tag->label.form != RFL_LABEL_NOWHERE)
            ops->text(chart->canvas, tag->label.box.x, tag->label.box.y,
                      tag->label.box.angle_rad, RFL_ANCHOR_MIDDLE, RFL_FONT_LABEL, tag->ink,
                      tag->label.form == RFL_LABEL_FULL ? tag->full : tag->brief);
    }
    ops->group_end(chart->canvas);
}
