/* What stands under a chart: the key of markers and shortened labels, and the notes. */
#include "analysis/plot/chart_parts.h"

#include "analysis/plot/utf8.h"

#include <stdio.h>
#include <string.h>

/* Where the next item of the key goes. */
struct flow {
    struct rfl_chart *chart;
    double x, y;
    bool draw, used;
};

/* The bytes of the longest beginning of text that is at most width wide, at least one character. */
static size_t fitting(const struct rfl_canvas *canvas, enum rfl_font font, double width,
                      const char *text, char *line, size_t size)
{
    size_t good = 0, blank = 0;
    for (const char *end = text; *end;) {
        const char *next = end;
        rfl_utf8_next(&next);
        size_t length = (size_t)(next - text);
        if (length >= size)
            break;
        snprintf(line, size, "%.*s", (int)length, text);
        if (good && canvas->ops->text_width(canvas, font, line) > width)
            return *end == ' ' ? good : blank ? blank : good;
        if (*end == ' ')
            blank = length;
        good = length;
        end = next;
    }
    return good;
}

bool rfl_chart_wrap(const struct rfl_canvas *canvas, enum rfl_font font, double width,
                    const char **text, char *line, size_t size)
{
    *text += strspn(*text, " ");
    if (!**text)
        return false;
    size_t length = fitting(canvas, font, width, *text, line, size);
    snprintf(line, size, "%.*s", (int)length, *text);
    *text += length;
    while (length && line[length - 1] == ' ')
        line[--length] = '\0';
    return true;
}

/* Puts an item of the given width into the row, or into the next; returns its x. */
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

/*
 * A text with a marker (or, sample above 0, a piece of line of that length) before it; one that is
 * longer than a row goes on in the next.
 */
static void key_item(struct flow *flow, struct rfl_ink ink, double sample,
                     const struct rfl_symbol *marker, const char *text)
{
    struct rfl_canvas *canvas = flow->chart->canvas;
    const struct rfl_metrics *metrics = &canvas->metrics;
    const struct rfl_ink faint = {RFL_ROLE_FAINT, 0};
    double before = marker || sample > 0 ? sample + metrics->marker + metrics->gap : 0;
    double room = metrics->page_width - 2 * metrics->margin - before;
    char line[RFL_LABEL_TEXT];
    for (bool first = true;
         rfl_chart_wrap(canvas, RFL_FONT_CAPTION, room, &text, line, sizeof line);
         first = false) {
        double x = flow_next(
            flow, before + canvas->ops->text_width(canvas, RFL_FONT_CAPTION, line));
        double y = flow->y + metrics->line_height[RFL_FONT_CAPTION] / 2;
        if (!flow->draw)
            continue;
        if (first && marker)
            canvas->ops->marker(canvas, x + metrics->marker / 2, y, *marker, ink);
        else if (first && sample > 0)
            canvas->ops->line(canvas, x, y, x + sample + metrics->marker, y, ink);
        canvas->ops->text(canvas, x + before, y, 0, RFL_ANCHOR_START, RFL_FONT_CAPTION,
                          faint, line);
    }
}

static bool has_points(const struct rfl_scene *scene, size_t level)
{
    for (size_t i = 0; i < scene->n_points; i++)
        if (scene->points[i].level == level)
            return true;
    return false;
}

static void flow_break(struct flow *flow)
{
    if (flow->used)
        flow->y += flow->chart->canvas->metrics.line_height[RFL_FONT_CAPTION];
    flow->x = flow->chart->canvas->metrics.margin;
    flow->used = false;
}

static void key_points(struct flow *flow)
{
    const struct rfl_scene *scene = flow->chart->scene;
    const struct rfl_ink ridge = {RFL_ROLE_RIDGE, 0};
    const struct rfl_symbol hollow = {0, true};
    if (scene->n_ridges)
        key_item(flow, ridge, 0, &hollow, "ridge point");
    if (scene->n_points)
        key_item(flow, ridge, 0, NULL, "measured (mixed kernel: load, F flops, store):");
    for (size_t i = 0; i < scene->n_levels && scene->n_points; i++) {
        const struct rfl_ink ink = {RFL_ROLE_LEVEL, i};
        const struct rfl_symbol symbol = {i, false};
        if (has_points(scene, i))
            key_item(flow, ink, 0, &symbol, scene->levels[i].level);
    }
    flow_break(flow);
}

/* Which machine has which letter and line. */
static void key_machines(struct flow *flow)
{
    const struct rfl_scene *scene = flow->chart->scene;
    for (size_t i = 0; i < scene->n_machines && scene->n_machines > 1; i++) {
        const struct rfl_ink ink = {RFL_ROLE_MACHINE, i};
        const struct rfl_scene_machine *machine = &scene->machines[i];
        char text[sizeof machine->name + sizeof machine->text + 8];
        snprintf(text, sizeof text, "%s %s, %s", machine->letter, machine->name,
                 machine->text);
        key_item(flow, ink, 3 * flow->chart->canvas->metrics.marker, NULL, text);
        flow_break(flow);
    }
}

/* Profiled points: what shapes and colours stand for. */
static void key_marks(struct flow *flow)
{
    const struct rfl_scene *scene = flow->chart->scene;
    const struct rfl_ink plain = {RFL_ROLE_FAINT, 0};
    char text[48];
    if (scene->n_marks && scene->n_mark_levels == 1) {
        snprintf(text, sizeof text, "points at %s", scene->mark_levels[0]);
        key_item(flow, plain, 0, NULL, text);
    } else if (scene->n_marks) {
        key_item(flow, plain, 0, NULL, "points at");
    }
    for (size_t i = 0; i < scene->n_mark_levels && scene->n_mark_levels > 1; i++) {
        const struct rfl_symbol symbol = {i, false};
        key_item(flow, plain, 0, &symbol, scene->mark_levels[i]);
    }
    for (size_t i = 0; i < scene->n_series; i++) {
        const struct rfl_symbol symbol = rfl_chart_symbol(scene, 0, i);
        if (scene->series[i][0])
            key_item(flow, rfl_chart_mark_ink(scene, i), 0, &symbol, scene->series[i]);
    }
    flow_break(flow);
}

/* The names of numbered kernels, and those that have no label in the plot. */
static void key_kernels(struct flow *flow)
{
    const struct rfl_chart *chart = flow->chart;
    for (size_t i = 0; i < chart->n_tags; i++) {
        const struct rfl_tag *tag = &chart->tags[i];
        if (tag->label.kind != RFL_LABEL_POINT ||
            !(chart->numbered || tag->label.form == RFL_LABEL_NOWHERE))
            continue;
        const struct rfl_kernel *kernel = &chart->scene->kernels[tag->kernel];
        const struct rfl_symbol symbol = rfl_chart_symbol(chart->scene, 0, kernel->series);
        char text[RFL_LABEL_TEXT];
        rfl_chart_kernel_text(chart, tag, text, sizeof text);
        key_item(flow, tag->ink, 0, &symbol, text);
    }
    flow_break(flow);
}

/* The labels that stand in the plot shortened, or not at all. */
static void key_labels(struct flow *flow)
{
    const struct rfl_chart *chart = flow->chart;
    for (size_t i = 0; i < chart->n_tags; i++) {
        const struct rfl_tag *tag = &chart->tags[i];
        if (tag->full[0] && tag->label.form != RFL_LABEL_FULL &&
            tag->label.kind != RFL_LABEL_FOOT && tag->label.kind != RFL_LABEL_POINT)
            key_item(flow, tag->ink, 3 * chart->canvas->metrics.marker, NULL, tag->full);
    }
    flow_break(flow);
}

double rfl_chart_caption(struct rfl_chart *chart, double y, bool draw)
{
    const struct rfl_metrics *metrics = &chart->canvas->metrics;
    const struct rfl_ink faint = {RFL_ROLE_FAINT, 0};
    struct flow flow = {chart, metrics->margin, y, draw, false};
    if (draw)
        chart->canvas->ops->group(chart->canvas, "caption");
    key_machines(&flow);
    key_marks(&flow);
    key_kernels(&flow);
    key_points(&flow);
    key_labels(&flow);
    for (size_t i = 0; i < chart->scene->n_notes; i++) {
        const char *text = chart->scene->notes[i];
        char line[RFL_NOTE_TEXT];
        while (rfl_chart_wrap(chart->canvas, RFL_FONT_CAPTION,
                              metrics->page_width - 2 * metrics->margin, &text, line,
                              sizeof line)) {
            if (draw)
                chart->canvas->ops->text(
                    chart->canvas, metrics->margin,
                    flow.y + metrics->line_height[RFL_FONT_CAPTION] / 2, 0,
                    RFL_ANCHOR_START, RFL_FONT_CAPTION, faint, line);
            flow.y += metrics->line_height[RFL_FONT_CAPTION];
        }
    }
    if (draw)
        chart->canvas->ops->group_end(chart->canvas);
    return flow.y;
}
