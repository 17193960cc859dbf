#include "analysis/plot/gnuplot.h"

#include "analysis/plot/chart.h"
#include "analysis/plot/font.h"
#include "analysis/plot/style.h"
#include "analysis/plot/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where on the page something is drawn: gnuplot draws its own axes; the plot is in data units. */
enum section { SECTION_PAGE, SECTION_AXES, SECTION_PLOT };

/* Lines or points of one look, a data block of the script. */
struct block {
    struct rfl_ink ink;
    struct rfl_symbol symbol;
    bool points;
    char *text; /* malloc, of memory */
    size_t size;
    FILE *memory;
};

struct gnuplot {
    struct rfl_canvas canvas;
    FILE *out, *labels; /* memory; labels is for what stands before the plot command */
    char *label_text;
    size_t label_size;
    double width, height;
    struct rfl_frame frame;
    enum section section;
    struct block *blocks; /* malloc */
    size_t n_blocks;
    bool failed; /* memory ran out */
};

/* Of data blocks and their comments. */
static const char *const role_names[RFL_N_ROLES] = {
    [RFL_ROLE_TEXT] = "text",   [RFL_ROLE_FAINT] = "faint",   [RFL_ROLE_FRAME] = "frame",
    [RFL_ROLE_GRID] = "grid",   [RFL_ROLE_MINOR] = "minor",   [RFL_ROLE_LEVEL] = "level",
    [RFL_ROLE_PLAIN] = "level", [RFL_ROLE_FLAT] = "peak",     [RFL_ROLE_NO_FMA] = "no_fma",
    [RFL_ROLE_MIX] = "mix",     [RFL_ROLE_THEORY] = "theory", [RFL_ROLE_DROP] = "drop",
    [RFL_ROLE_RIDGE] = "ridge", [RFL_ROLE_MARK] = "point",    [RFL_ROLE_JOIN] = "join",
    [RFL_ROLE_ARROW] = "arrow",
};

/* gnuplot's point types of the shapes of style.c, filled and hollow. */
static const int point_types[RFL_N_STYLES][2] = {
    {7,  6 },
    {5,  4 },
    {9,  8 },
    {13, 12},
    {11, 10},
    {1,  2 },
    {15, 14},
};

static struct gnuplot *self(struct rfl_canvas *canvas)
{
    return (struct gnuplot *)(void *)canvas;
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

static double data_x(const struct gnuplot *at, double x)
{
    const struct rfl_frame *f = &at->frame;
    return f->x_min * pow(f->x_max / f->x_min, (x - f->left) / (f->right - f->left));
}

static double data_y(const struct gnuplot *at, double y)
{
    const struct rfl_frame *f = &at->frame;
    return f->y_min * pow(f->y_max / f->y_min, (f->bottom - y) / (f->bottom - f->top));
}

/* "first x,y" in the plot, "screen x,y" outside of it. */
static void put_place(const struct gnuplot *at, double x, double y)
{
    if (at->section == SECTION_PLOT)
        fprintf(at->labels, "first %.6g,%.6g", data_x(at, x), data_y(at, y));
    else
        fprintf(at->labels, "screen %.5f,%.5f", x / at->width, 1 - y / at->height);
}

/* The block of a look, a new one where there is none; NULL when memory runs out. */
static FILE *block_of(struct gnuplot *at, struct rfl_ink ink, struct rfl_symbol symbol,
                      bool points)
{
    for (size_t i = 0; i < at->n_blocks; i++) {
        const struct block *block = &at->blocks[i];
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
    struct block *block = &at->blocks[at->n_blocks];
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
    struct gnuplot *at = self(canvas);
    (void)title, (void)description;
    at->width = width;
    at->height = ceil(height);
}

static void gnuplot_plot(struct rfl_canvas *canvas, const struct rfl_frame *frame)
{
    self(canvas)->frame = *frame;
}

static void put_dashes(FILE *out, const struct rfl_stroke *stroke)
{
    /* gnuplot counts in widths of the line. */
    for (size_t i = 0; i < stroke->n_dashes; i++)
        fprintf(out, "%s%.3g", i ? "," : " dt (", stroke->dashes[i] * 2.5 / stroke->width);
    if (stroke->n_dashes)
        fputc(')', out);
}

static void gnuplot_line(struct rfl_canvas *canvas, double x0, double y0, double x1,
                         double y1, struct rfl_ink ink)
{
    struct gnuplot *at = self(canvas);
    const struct rfl_symbol none = {0, false};
    struct rfl_stroke stroke = rfl_style_stroke(ink);
    if (at->section == SECTION_AXES || (x0 == x1 && y0 == y1))
        return;
    if (at->section == SECTION_PLOT) {
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
    put_dashes(at->labels, &stroke);
    fputc('\n', at->labels);
}

static void gnuplot_text(struct rfl_canvas *canvas, double x, double y, double angle_rad,
                         enum rfl_anchor anchor, enum rfl_font font, struct rfl_ink ink,
                         const char *text)
{
    static const char *const anchors[] = {"left", "center", "right"};
    struct gnuplot *at = self(canvas);
    const struct rfl_face *face = &rfl_style_faces[font];
    if (at->section == SECTION_AXES)
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

/* "pt 7 ps 1.1*scale lc rgb '#0072b2' lw 1.5*scale" */
static void put_symbol(FILE *out, struct rfl_symbol symbol, unsigned color, double width)
{
    fprintf(out, "pt %d ps 1.1*scale lc rgb '#%06x' lw %g*scale",
            point_types[symbol.shape % RFL_N_STYLES][symbol.hollow], color, width);
}

static void gnuplot_marker(struct rfl_canvas *canvas, double x, double y,
                           struct rfl_symbol symbol, struct rfl_ink ink)
{
    struct gnuplot *at = self(canvas);
    if (at->section == SECTION_PLOT) {
        FILE *block = block_of(at, ink, symbol, true);
        if (block)
            fprintf(block, "%.6g %.6g\n", data_x(at, x), data_y(at, y));
        return;
    }
    fputs("set label '' at ", at->labels);
    put_place(at, x, y);
    fputs(" point ", at->labels);
    struct rfl_stroke stroke = rfl_style_stroke(ink);
    put_symbol(at->labels, symbol, stroke.color, fmin(stroke.width, 1.6));
    fputc('\n', at->labels);
}

static void gnuplot_group(struct rfl_canvas *canvas, const char *name)
{
    self(canvas)->section = strcmp(name, "axes") == 0      ? SECTION_AXES
                            : strcmp(name, "caption") == 0 ? SECTION_PAGE
                                                           : SECTION_PLOT;
}

/* After the axes everything is in the plot, until the caption. */
static void gnuplot_group_end(struct rfl_canvas *canvas)
{
    self(canvas)->section = SECTION_PLOT;
}

static void put_terminals(const struct gnuplot *at)
{
    fprintf(at->out,
            "# A roofline chart for gnuplot 5.\n"
            "#   gnuplot FILE                           writes chart.pdf\n"
            "#   gnuplot -e \"output='chart.png'\" FILE   or .svg, .pdf\n"
            "if (!exists('output')) output = 'chart.pdf'\n"
            "extension = output[strlen(output) - 3:strlen(output)]\n"
            "# scale: of lines and points; points: of fonts\n"
            "if (extension eq '.png') {\n"
            "    set terminal pngcairo noenhanced size %.0f,%.0f font 'sans,%g'\n"
            "    scale = 2\n"
            "    points = 1.5\n"
            "} else { if (extension eq '.svg') {\n"
            "    set terminal svg noenhanced size %.0f,%.0f font 'sans,%g'\n"
            "    scale = 1\n"
            "    points = 1\n"
            "} else {\n"
            "    set terminal pdfcairo noenhanced size %gin,%gin font 'sans,%g'\n"
            "    scale = 0.75\n"
            "    points = 0.75\n"
            "} }\n"
            "set output output\n"
            "set encoding utf8\n\n",
            2 * at->width, 2 * at->height, 1.5 * rfl_style_faces[RFL_FONT_AXIS].size,
            at->width, at->height, rfl_style_faces[RFL_FONT_AXIS].size, at->width / 96,
            at->height / 96, 0.75 * rfl_style_faces[RFL_FONT_AXIS].size);
}

static void put_axes(const struct gnuplot *at)
{
    const struct rfl_frame *f = &at->frame;
    fprintf(
        at->out,
        "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
        "set tmargin at screen %.5f\nset bmargin at screen %.5f\n"
        "set logscale xy\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n"
        "set xlabel 'Arithmetic intensity [FLOP/byte]'\n"
        "set ylabel 'Performance [FLOP/s]'\n"
        "set format x '%%g'\nset format y '%%.0s %%c'\n"
        "set border 3 lc rgb '#333333' lw 1.2*scale\n"
        "set tics nomirror scale 0.001\n"
        "set mxtics 10\nset mytics 10\n"
        "set grid xtics ytics mxtics mytics back lt 1 lc rgb '#d0d0d0' lw 0.9*scale, \\\n"
        "    lt 1 lc rgb '#ececec' lw 0.7*scale\n"
        "set key off\n\n",
        f->left / at->width, f->right / at->width, 1 - f->top / at->height,
        1 - f->bottom / at->height, f->x_min, f->x_max, f->y_min, f->y_max);
}

static void put_block_name(FILE *out, const struct gnuplot *at, size_t i)
{
    const struct block *block = &at->blocks[i];
    fprintf(out, "$%s%zu_%zu", role_names[block->ink.role], block->ink.index, i);
}

/* One entry of the plot command. White under hollow symbols: lines do not show through. */
static void put_entry(struct gnuplot *at, size_t i)
{
    const struct block *block = &at->blocks[i];
    const struct rfl_symbol filled = {block->symbol.shape, false};
    struct rfl_stroke stroke = rfl_style_stroke(block->ink);
    put_block_name(at->out, at, i);
    fputs(" using 1:2 ", at->out);
    if (!block->points) {
        fprintf(at->out, "with lines lc rgb '#%06x' lw %g*scale", stroke.color,
                stroke.width);
        put_dashes(at->out, &stroke);
        return;
    }
    fputs("with points ", at->out);
    if (block->symbol.hollow) {
        put_symbol(at->out, filled, 0xffffff, stroke.width);
        fputs(", \\\n    ", at->out);
        put_block_name(at->out, at, i);
        fputs(" using 1:2 with points ", at->out);
    }
    put_symbol(at->out, block->symbol, stroke.color, stroke.width);
}

/* The data, then one plot command of all; an empty file takes its memory with it. */
static void put_blocks(struct gnuplot *at)
{
    for (size_t i = 0; i < at->n_blocks; i++) {
        fflush(at->blocks[i].memory);
        put_block_name(at->out, at, i);
        fprintf(at->out, " << EOD\n# FLOP/byte FLOP/s\n%sEOD\n",
                at->blocks[i].text ? at->blocks[i].text : "");
    }
    fputs("\nplot \\\n", at->out);
    for (size_t i = 0; i < at->n_blocks; i++) {
        fputs("    ", at->out);
        put_entry(at, i);
        fputs(i + 1 < at->n_blocks ? ", \\\n" : "\n", at->out);
    }
}

static void gnuplot_end(struct rfl_canvas *canvas)
{
    struct gnuplot *at = self(canvas);
    fflush(at->labels);
    put_terminals(at);
    put_axes(at);
    fputs(at->label_text ? at->label_text : "", at->out);
    fputc('\n', at->out);
    put_blocks(at);
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
    struct gnuplot at = {
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
