/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/chart/chart.h"

#include "analysis/core/chart/canvas.h"
#include "ert/core/base/text.h"

#include <math.h>

static FILE *stream(const struct rfl_canvas *canvas)
{
    return ((const struct rfl_svg *)(const void *)canvas)->out;
}

static void svg_begin(struct rfl_canvas *canvas, double width, double height,
                      const char *title, const char *description)
{
    FILE *out = stream(canvas);
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" role=\"img\"\n"
            "     width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\"\n"
            "     font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', "
            "sans-serif\">\n",
            width, ceil(height), width, ceil(height));
    ert_text_print(out, ERT_TEXT_XML, "<title>%s</title>\n<desc>%s</desc>\n", title,
                   description);
    fprintf(out, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", width,
            ceil(height));
}

static void svg_line(struct rfl_canvas *canvas, double x0, double y0, double x1, double y1,
                     struct rfl_ink ink)
{
    struct rfl_stroke stroke = rfl_style_stroke(ink);
    FILE *out = stream(canvas);
    if (x0 == x1 && y0 == y1)
        return;
    fprintf(out,
            "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"#%06x\" "
            "stroke-width=\"%g\"",
            x0, y0, x1, y1, stroke.color, stroke.width);
    for (size_t i = 0; i < stroke.n_dashes; i++)
        fprintf(out, "%s%g", i ? " " : " stroke-dasharray=\"", stroke.dashes[i]);
    fputs(stroke.n_dashes ? "\"/>\n" : "/>\n", out);
}

static void svg_area(struct rfl_canvas *canvas,
                     const struct rfl_vertex corners[RFL_AREA_CORNERS], struct rfl_ink ink)
{
    FILE *out = stream(canvas);
    fputs("<polygon points=\"", out);
    for (size_t i = 0; i < RFL_AREA_CORNERS; i++)
        fprintf(out, "%s%.2f,%.2f", i ? " " : "", corners[i].x, corners[i].y);
    fprintf(out, "\" fill=\"#%06x\" fill-opacity=\"%g\"/>\n", rfl_style_stroke(ink).color,
            RFL_AREA_OPACITY);
}

/*
 * Advance widths of DejaVu Sans 2.37 (hmtx table), the widest of the sans-serif fonts that viewers use, so
 * that no text is wider than computed.
 */
enum { FIRST = ' ', LAST = '~' };

/* Thousandths of the font size, from blank to tilde. */
static const short widths[LAST - FIRST + 1] = {
    318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318,
    337, /*   to / */
    636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838,
    531, /* 0 to ? */
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748,
    787, /* @ to O */
    603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838,
    500, /* P to _ */
    500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634,
    612,                                                                        /* ` to o */
    635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838, /* p to ~ */
};

/* Outside ASCII: most letters are narrower than an M; from U+1100 on (CJK) full squares. */
enum { WIDTH_OTHER = 870, WIDTH_SQUARE = 1040, FIRST_SQUARE = 0x1100 };

/* Bold letters are 10 % wider on average, single ones up to 26 %. */
#define BOLD 1.16

static double svg_text_width(const struct rfl_canvas *canvas, enum rfl_font font,
                             const char *text)
{
    const struct rfl_face *face = &rfl_style_faces[font];
    double width = 0;
    (void)canvas;
    for (uint32_t c; (c = ert_utf8_next(&text)) != 0;)
        width += c <= LAST          ? widths[c - FIRST]
                 : c < FIRST_SQUARE ? WIDTH_OTHER
                                    : WIDTH_SQUARE;
    return width / 1000 * face->size * (face->bold ? BOLD : 1);
}

static void svg_text(struct rfl_canvas *canvas, double x, double y, double angle_rad,
                     enum rfl_anchor anchor, enum rfl_font font, struct rfl_ink ink,
                     const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    FILE *out = stream(canvas);
    double angle_deg = angle_rad * 90 / acos(0), size = rfl_style_faces[font].size;
    double width = svg_text_width(canvas, font, text), height = size * 1.1;
    if (font == RFL_FONT_LABEL) /* on white, so that the grid does not run through it */
        fprintf(
            out,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#ffffff\" "
            "fill-opacity=\"0.85\" transform=\"rotate(%.2f %.2f %.2f)\"/>\n",
            x - width / 2, y - height / 2, width, height, -angle_deg, x, y);
    /* Half a capital's height (0.73) below the middle: not all viewers support dominant-baseline. */
    fprintf(
        out,
        "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" text-anchor=\"%s\" fill=\"#%06x\"", x,
        y + 0.36 * size, size, anchors[anchor], rfl_style_stroke(ink).color);
    if (rfl_style_faces[font].bold)
        fputs(" font-weight=\"bold\"", out);
    if (angle_deg != 0)
        fprintf(out, " transform=\"rotate(%.2f %.2f %.2f)\"", -angle_deg, x, y);
    ert_text_print(out, ERT_TEXT_XML, ">%s</text>\n", text);
}

static void svg_marker(struct rfl_canvas *canvas, double x, double y,
                       struct rfl_symbol symbol, struct rfl_ink ink)
{
    const struct rfl_shape *shape = rfl_style_shape(symbol);
    FILE *out = stream(canvas);
    unsigned fill;
    struct rfl_stroke outline;
    rfl_style_symbol(symbol, ink, &fill, &outline);
    if (!shape->n_corners)
        fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%g\"", x, y, RFL_CIRCLE);
    for (size_t i = 0; i < shape->n_corners; i++)
        fprintf(out, "%s%.2f,%.2f", i ? " " : "<polygon points=\"", x + shape->corners[i].x,
                y + shape->corners[i].y);
    fprintf(out, "%s fill=\"#%06x\" stroke=\"#%06x\" stroke-width=\"%g\"/>\n",
            shape->n_corners ? "\"" : "", fill, outline.color, outline.width);
}

static void svg_group(struct rfl_canvas *canvas, const char *name)
{
    fprintf(stream(canvas), name ? "<g class=\"%s\">\n" : "</g>\n", name);
}

static void svg_end(struct rfl_canvas *canvas)
{
    fputs("</svg>\n", stream(canvas));
}

static const struct rfl_canvas_ops svg_ops = {
    .begin = svg_begin,
    .line = svg_line,
    .area = svg_area,
    .text = svg_text,
    .marker = svg_marker,
    .group = svg_group,
    .end = svg_end,
    .text_width = svg_text_width,
};

void rfl_svg_init(struct rfl_svg *svg, FILE *out)
{
    svg->canvas.ops = &svg_ops;
    svg->canvas.metrics = rfl_style_metrics;
    svg->out = out;
}

enum ert_status rfl_svg_draw(const void *scene, FILE *out, struct ert_error *error)
{
    struct rfl_svg svg;
    (void)error;
    rfl_svg_init(&svg, out);
    rfl_chart_draw(scene, &svg.canvas);
    return ERT_OK;
}
