#include "analysis/plot/gnuplot.h"

#include "analysis/plot/chart.h"
#include "analysis/plot/font.h"
#include "analysis/plot/gnuplot_parts.h"
#include "analysis/plot/style.h"
#include "analysis/plot/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct rfl_gnuplot_canvas *self(struct rfl_canvas *canvas)
{
    return (struct rfl_gnuplot_canvas *)(void *)canvas;
}

/* In single quotes nothing but the quote itself means anything to gnuplot. */
static void put_text(FILE *out, const char *text)
{
    fputc('\'', out);
    for (uint32_t c; (c = rfl_utf8_next(&text)) != 0;) {
        char bytes[5];
        rfl_utf8_put(c, bytes);
        fputs(c == '\'' ? "''" : bytes, out);
    }
    fputc('\'', out);
}

static double data_x(const struct rfl_gnuplot_canvas *at, double x)
{
    const struct rfl_frame *f = &at->frame;
    return f->x_min * pow(f->x_max / f->x_min, (x - f->left) / (f->right - f->left));
}

static double data_y(const struct rfl_gnuplot_canvas *at, double y)
{
    const struct rfl_frame *f = &at->frame;
    return f->y_min * pow(f->y_max / f->y_min, (f->bottom - y) / (f->bottom - f->top));
}

/* "first x,y" in the plot, "screen x,y" outside of it. */
static void put_place(const struct rfl_gnuplot_canvas *at, double x, double y)
{
    if (at->section == RFL_SECTION_PLOT)
        fprintf(at->labels, "first %.6g,%.6g", data_x(at, x), data_y(at, y));
    else
        fprintf(at->labels, "screen %.5f,%.5f", x / at->width, 1 - y / at->height);
}

/* The block of a look, a new one where there is none; NULL when memory runs out. */
static FILE *block_of(struct rfl_gnuplot_canvas *at, struct rfl_ink ink,
                      struct rfl_symbol symbol, bool points)
{
    for (size_t i = 0; i < at->n_blocks; i++) {
        const struct rfl_gnuplot_block *block = &at->blocks[i];
        if (block->ink.role == ink.role && block->ink.index == ink.index &&
            block->points == points && block->symbol.shape == symbol.shape &&
            block->symbol.hollow == symbol.hollow)
            return block->memory;
    }
    /* Each stream holds pointers into its block, which so must not move. */
    enum { MAX_BLOCKS = 1024 };
    if (!at->blocks)
        at->blocks = calloc(MAX_BLOCKS, sizeof *at->blocks);
    if (!at->blocks || at->n_blocks == MAX_BLOCKS) {
        at->failed = true;
        return NULL;
    }
    struct rfl_gnuplot_block *block = &at->blocks[at->n_blocks];
    block->ink = ink;
    block->symbol = symbol;
    block->points = points;
    block->memory = open_memstream(&block->text, &block->size);
    at->failed = at->failed || !block->memory;
    at->n_blocks += block->memory != NULL;
    return block->memory;
}

static void gnuplot_begin(struct rfl_canvas *canvas, double width, double height,
                          const char *title, const char *description)
{
    struct rfl_gnuplot_canvas *at = self(canvas);
    (void)title, (void)description;
    at->width = width;
    at->height = ceil(height);
}

static void gnuplot_plot(struct rfl_canvas *canvas, const struct rfl_frame *frame)
{
    self(canvas)->frame = *frame;
}

static void gnuplot_line(struct rfl_canvas *canvas, double x0, double y0, double x1,
                         double y1, struct rfl_ink ink)
{
    struct rfl_gnuplot_canvas *at = self(canvas);
    const struct rfl_symbol none = {0, false};
    struct rfl_stroke stroke = rfl_style_stroke(ink);
    if (at->section == RFL_SECTION_AXES || (x0 == x1 && y0 == y1))
        return;
    if (at->section == RFL_SECTION_PLOT) {
        FILE *block = block_of(at, ink, none, false);
        if (block)
            fprintf(block, "%.6g %.6g\n%.6g %.6g\n\n", data_x(at, x0), data_y(at, y0),
                    data_x(at, x1), data_y(at, y1));
        return;
    }
    fputs("set arrow from ", at->labels);
    put_place(at, x0, y0);
    fputs(" to ", at->labels);
    put_place(at, x1, y1);
    fprintf(at->labels, " nohead lc rgb '#%06x' lw %g*scale", stroke.color, stroke.width);
    rfl_gnuplot_dashes(at->labels, &stroke);
    fputc('\n', at->labels);
}

static void gnuplot_area(struct rfl_canvas *canvas, const struct rfl_vertex *corners,
                         size_t n, struct rfl_ink ink)
{
    struct rfl_gnuplot_canvas *at = self(canvas);
    for (size_t i = 0; i <= n && n; i++) { /* the last corner is the first again */
        fputs(i ? " to " : "set object polygon from ", at->labels);
        put_place(at, corners[i % n].x, corners[i % n].y);
    }
    if (n)
        fprintf(at->labels, " fc rgb '#%06x' fs transparent solid %g noborder behind\n",
                rfl_style_stroke(ink).color, RFL_BAND_OPACITY);
}

static void gnuplot_text(struct rfl_canvas *canvas, double x, double y, double angle_rad,
                         enum rfl_anchor anchor, enum rfl_font font, struct rfl_ink ink,
                         const char *text)
{
    static const char *const anchors[] = {"left", "center", "right"};
    struct rfl_gnuplot_canvas *at = self(canvas);
    const struct rfl_face *face = &rfl_style_faces[font];
    if (at->section == RFL_SECTION_AXES)
        return;
    fputs("set label ", at->labels);
    put_text(at->labels, text);
    fputs(" at ", at->labels);
    put_place(at, x, y);
    fprintf(at->labels, " %s font sprintf('%s,%%.1f', %g*points) textcolor rgb '#%06x'",
            anchors[anchor], face->bold ? "sans:Bold" : "sans", face->size,
            rfl_style_stroke(ink).color);
    if (angle_rad != 0)
        fprintf(at->labels, " rotate by %.2f", angle_rad * 90 / acos(0));
    fputs(" front\n", at->labels);
}

static void gnuplot_marker(struct rfl_canvas *canvas, double x, double y,
                           struct rfl_symbol symbol, struct rfl_ink ink)
{
    struct rfl_gnuplot_canvas *at = self(canvas);
    if (at->section == RFL_SECTION_PLOT) {
        FILE *block = block_of(at, ink, symbol, true);
        if (block)
            fprintf(block, "%.6g %.6g\n", data_x(at, x), data_y(at, y));
        return;
    }
    fputs("set label '' at ", at->labels);
    put_place(at, x, y);
    fputs(" point ", at->labels);
    struct rfl_stroke stroke = rfl_style_stroke(ink);
    rfl_gnuplot_symbol(at->labels, symbol, stroke.color, fmin(stroke.width, 1.6));
    fputc('\n', at->labels);
}

static void gnuplot_group(struct rfl_canvas *canvas, const char *name)
{
    self(canvas)->section = strcmp(name, "axes") == 0      ? RFL_SECTION_AXES
                            : strcmp(name, "caption") == 0 ? RFL_SECTION_PAGE
                                                           : RFL_SECTION_PLOT;
}

/* After the axes everything is in the plot, until the caption. */
static void gnuplot_group_end(struct rfl_canvas *canvas)
{
    self(canvas)->section = RFL_SECTION_PLOT;
}

static void gnuplot_end(struct rfl_canvas *canvas)
{
    struct rfl_gnuplot_canvas *at = self(canvas);
    fflush(at->labels);
    for (size_t i = 0; i < at->n_blocks; i++)
        fflush(at->blocks[i].memory);
    rfl_gnuplot_script(at);
}

static double gnuplot_text_width(const struct rfl_canvas *canvas, enum rfl_font font,
                                 const char *text)
{
    (void)canvas;
    return rfl_font_width(text, rfl_style_faces[font].size, rfl_style_faces[font].bold);
}

static const struct rfl_canvas_ops gnuplot_ops = {
    .begin = gnuplot_begin,
    .plot = gnuplot_plot,
    .line = gnuplot_line,
    .area = gnuplot_area,
    .text = gnuplot_text,
    .marker = gnuplot_marker,
    .group = gnuplot_group,
    .group_end = gnuplot_group_end,
    .end = gnuplot_end,
    .text_width = gnuplot_text_width,
};

static bool close_stream(FILE *stream)
{
    bool written = stream && !ferror(stream);
    return (!stream || fclose(stream) == 0) && written;
}

enum ert_status rfl_gnuplot(const struct rfl_scene *scene, char **bytes, size_t *size,
                            struct ert_error *error)
{
    struct rfl_gnuplot_canvas at = {
        .canvas = {.ops = &gnuplot_ops, .metrics = rfl_style_metrics}
    };
    enum ert_status status = ERT_OK;
    at.out = open_memstream(bytes, size);
    at.labels = open_memstream(&at.label_text, &at.label_size);
    at.failed = !at.out || !at.labels;
    if (!at.failed)
        status = rfl_chart_draw(scene, &at.canvas, error);
    for (size_t i = 0; i < at.n_blocks; i++) {
        at.failed = !close_stream(at.blocks[i].memory) || at.failed;
        free(at.blocks[i].text);
    }
    at.failed = !close_stream(at.labels) || at.failed;
    at.failed = !close_stream(at.out) || at.failed;
    free(at.label_text);
    free(at.blocks);
    if (status == ERT_OK && at.failed)
        status = ert_fail(error, ERT_FAILED, "out of memory for a chart");
    return status;
}
