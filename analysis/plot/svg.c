#include "analysis/plot/svg.h"

#include "analysis/plot/font.h"
#include "analysis/plot/utf8.h"

#include <math.h>

enum { N_LEVELS = 7 };

/*
 * Okabe and Ito, "Color Universal Design" (2008), in the order of their lightness' distance, the
 * lighter ones darkened so that texts in them read on white (contrast 4.5 and more); and what tells
 * the levels apart without colour.
 */
static const struct {
    const char *color, *dash;
    const char *shape; /* path of a marker of about 8 x 8 around 0,0 */
} levels[N_LEVELS] = {
    {"#0072b2", NULL,           "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z"},
    {"#b84a00", "14 4",         "M-3.6,-3.6H3.6V3.6H-3.6Z"           },
    {"#00785a", "14 4 3 4",     "M0,-4.6L4.6,3.4H-4.6Z"              },
    {"#a0447c", "7 4",          "M0,-5L5,0L0,5L-5,0Z"                },
    {"#8a6500", "14 4 3 4 3 4", "M0,4.6L4.6,-3.4H-4.6Z"              },
    {"#2f6f94", "3 3",          "M-4.4,-1.4H4.4V1.4H-4.4Z"           },
    {"#555555", "14 4 7 4",     "M-1.4,-4.4H1.4V4.4H-1.4Z"           },
};

struct stroke {
    const char *color;
    double width;
    const char *dash;
};

static const struct stroke strokes[RFL_N_ROLES] = {
    [RFL_ROLE_TEXT] = {"#111111", 1,   NULL   },
      [RFL_ROLE_FAINT] = {"#444444", 1,   NULL   },
    [RFL_ROLE_FRAME] = {"#333333", 1.2, NULL   },
      [RFL_ROLE_GRID] = {"#d0d0d0", 0.9, NULL   },
    [RFL_ROLE_MINOR] = {"#ececec", 0.7, NULL   },
      [RFL_ROLE_LEVEL] = {NULL,      2.4, NULL   },
    [RFL_ROLE_FLAT] = {"#111111", 2.4, NULL   },
      [RFL_ROLE_NO_FMA] = {"#111111", 2.0, "8 5"  },
    [RFL_ROLE_THEORY] = {"#777777", 1,   "4 3"  },
      [RFL_ROLE_DROP] = {"#888888", 0.9, "1.5 3"},
    [RFL_ROLE_RIDGE] = {"#111111", 1.6, NULL   },
};

static const struct {
    double size;
    bool bold;
} fonts[RFL_N_FONTS] = {
    [RFL_FONT_TITLE] = {21,   true },
      [RFL_FONT_SUBTITLE] = {13.5, false},
    [RFL_FONT_AXIS] = {14,   false},
      [RFL_FONT_LABEL] = {12.5, false},
    [RFL_FONT_CAPTION] = {12,   false},
};

static const struct rfl_metrics svg_metrics = {
    .page_width = 960,
    .plot_height = 480,
    .margin = 28,
    .left = 92,
    .right = 28,
    .gap = 4,
    .axis_gap = 5,
    .line_height = {[RFL_FONT_TITLE] = 28,
                    [RFL_FONT_SUBTITLE] = 20,
                    [RFL_FONT_AXIS] = 18,
                    [RFL_FONT_LABEL] = 16,
                    [RFL_FONT_CAPTION] = 17},
    .merge = 6,
    .marker = 10,
    .rotates = true,
    .details = true,
};

static FILE *stream(const struct rfl_canvas *canvas)
{
    return ((const struct rfl_svg *)(const void *)canvas)->out;
}

/* Texts as XML 1.0 wants them; utf8 has replaced what it forbids. */
static void escape(FILE *out, const char *text)
{
    for (uint32_t c; (c = rfl_utf8_next(&text)) != 0;) {
        char bytes[5];
        switch (c) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            rfl_utf8_put(c, bytes);
            fputs(bytes, out);
        }
    }
}

static struct stroke stroke_of(struct rfl_ink ink)
{
    struct stroke stroke = strokes[ink.role];
    if (ink.role == RFL_ROLE_LEVEL) {
        stroke.color = levels[ink.index % N_LEVELS].color;
        stroke.dash = levels[ink.index % N_LEVELS].dash;
    }
    return stroke;
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
    fputs("<title>", out);
    escape(out, title);
    fputs("</title>\n<desc>", out);
    escape(out, description);
    fprintf(out, "</desc>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n",
            width, ceil(height));
}

static void svg_line(struct rfl_canvas *canvas, double x0, double y0, double x1, double y1,
                     struct rfl_ink ink)
{
    struct stroke stroke = stroke_of(ink);
    if (x0 == x1 && y0 == y1)
        return;
    fprintf(stream(canvas),
            "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\" "
            "stroke-width=\"%g\"",
            x0, y0, x1, y1, stroke.color, stroke.width);
    if (stroke.dash)
        fprintf(stream(canvas), " stroke-dasharray=\"%s\"", stroke.dash);
    fputs("/>\n", stream(canvas));
}

static double svg_text_width(const struct rfl_canvas *canvas, enum rfl_font font,
                             const char *text)
{
    (void)canvas;
    return rfl_font_width(text, fonts[font].size, fonts[font].bold);
}

/* A label stands on white, so that the grid does not run through it. */
static void label_ground(struct rfl_canvas *canvas, double x, double y, double angle_deg,
                         const char *text)
{
    double width = svg_text_width(canvas, RFL_FONT_LABEL, text);
    double height = fonts[RFL_FONT_LABEL].size * 1.1;
    fprintf(stream(canvas),
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#ffffff\" "
            "fill-opacity=\"0.85\" transform=\"rotate(%.2f %.2f %.2f)\"/>\n",
            x - width / 2, y - height / 2, width, height, -angle_deg, x, y);
}

static void svg_text(struct rfl_canvas *canvas, double x, double y, double angle_rad,
                     enum rfl_anchor anchor, enum rfl_font font, struct rfl_ink ink,
                     const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    FILE *out = stream(canvas);
    double angle_deg = angle_rad * 90 / acos(0);
    if (font == RFL_FONT_LABEL)
        label_ground(canvas, x, y, angle_deg, text);
    /* Half a capital's height (0.73) under the middle: dominant-baseline is not drawn by all. */
    fprintf(out,
            "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" text-anchor=\"%s\" fill=\"%s\"",
            x, y + 0.36 * fonts[font].size, fonts[font].size, anchors[anchor],
            stroke_of(ink).color);
    if (fonts[font].bold)
        fputs(" font-weight=\"bold\"", out);
    if (angle_deg != 0)
        fprintf(out, " transform=\"rotate(%.2f %.2f %.2f)\"", -angle_deg, x, y);
    fputs(">", out);
    escape(out, text);
    fputs("</text>\n", out);
}

static void svg_marker(struct rfl_canvas *canvas, double x, double y, struct rfl_ink ink)
{
    struct stroke stroke = stroke_of(ink);
    bool ridge = ink.role == RFL_ROLE_RIDGE;
    fprintf(stream(canvas),
            "<path d=\"%s\" transform=\"translate(%.2f %.2f)\" fill=\"%s\" stroke=\"%s\" "
            "stroke-width=\"%g\"/>\n",
            levels[ridge ? 0 : ink.index % N_LEVELS].shape, x, y,
            ridge ? "#ffffff" : stroke.color, ridge ? stroke.color : "#ffffff",
            ridge ? stroke.width : 0.8);
}

static void svg_group(struct rfl_canvas *canvas, const char *name)
{
    fprintf(stream(canvas), "<g class=\"%s\">\n", name);
}

static void svg_group_end(struct rfl_canvas *canvas)
{
    fputs("</g>\n", stream(canvas));
}

static void svg_end(struct rfl_canvas *canvas)
{
    fputs("</svg>\n", stream(canvas));
}

static const struct rfl_canvas_ops svg_ops = {
    .begin = svg_begin,
    .line = svg_line,
    .text = svg_text,
    .marker = svg_marker,
    .group = svg_group,
    .group_end = svg_group_end,
    .end = svg_end,
    .text_width = svg_text_width,
};

void rfl_svg_init(struct rfl_svg *svg, FILE *out)
{
    svg->canvas.ops = &svg_ops;
    svg->canvas.metrics = svg_metrics;
    svg->out = out;
}
