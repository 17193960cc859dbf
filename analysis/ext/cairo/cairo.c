/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/chart/chart.h"

#include "analysis/core/chart/canvas.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/text.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Resolution of the PNG, in pixels per unit; a unit of the page is 1/96 inch, a point 1/72. */
#define PNG_SCALE 2.0
#define PDF_SCALE 0.75

const char rfl_cairo_reason[] = "";

struct cairo_canvas {
    struct rfl_canvas canvas;
    cairo_t *cairo; /* before begin() on a small surface, for measuring texts */
    bool pdf;
    FILE *out; /* in memory */
};

static struct cairo_canvas *cairo_self(const struct rfl_canvas *canvas)
{
    return (struct cairo_canvas *)(uintptr_t)canvas;
}

static cairo_status_t write_bytes(void *closure, const unsigned char *bytes,
                                  unsigned length)
{
    return fwrite(bytes, 1, length, closure) == length ? CAIRO_STATUS_SUCCESS
                                                       : CAIRO_STATUS_WRITE_ERROR;
}

/* Widths are those of the outlines: the same for both formats and on every machine. */
static cairo_t *new_context(cairo_surface_t *surface)
{
    cairo_t *cairo = cairo_create(surface);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    cairo_surface_destroy(surface); /* the context holds it */
    return cairo;
}

static void set_color(cairo_t *cairo, unsigned color, double alpha)
{
    cairo_set_source_rgba(cairo, (color >> 16 & 255) / 255., (color >> 8 & 255) / 255.,
                          (color & 255) / 255., alpha);
}

static void set_stroke(cairo_t *cairo, const struct rfl_stroke *stroke)
{
    set_color(cairo, stroke->color, 1);
    cairo_set_line_width(cairo, stroke->width);
    cairo_set_dash(cairo, stroke->dashes, (int)stroke->n_dashes, 0);
}

static void canvas_begin(struct rfl_canvas *canvas, double width, double height,
                         const char *title, const char *description)
{
    struct cairo_canvas *at = cairo_self(canvas);
    double scale = at->pdf ? PDF_SCALE : PNG_SCALE;
    double full_width = width * scale, full_height = ceil(height) * scale;
    cairo_surface_t *surface =
        at->pdf ? cairo_pdf_surface_create_for_stream(write_bytes, at->out, full_width,
                                                      full_height)
                : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)full_width,
                                             (int)full_height);
    if (at->pdf) {
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, description);
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    }
    cairo_destroy(at->cairo);
    at->cairo = new_context(surface);
    cairo_scale(at->cairo, scale, scale);
    cairo_set_source_rgb(at->cairo, 1, 1, 1);
    cairo_paint(at->cairo);
}

static void canvas_line(struct rfl_canvas *canvas, double x0, double y0, double x1,
                        double y1, struct rfl_ink ink)
{
    cairo_t *cairo = cairo_self(canvas)->cairo;
    struct rfl_stroke stroke = rfl_style_stroke(ink);
    if (x0 == x1 && y0 == y1)
        return;
    set_stroke(cairo, &stroke);
    cairo_move_to(cairo, x0, y0);
    cairo_line_to(cairo, x1, y1);
    cairo_stroke(cairo);
}

static void canvas_area(struct rfl_canvas *canvas,
                        const struct rfl_vertex corners[RFL_AREA_CORNERS],
                        struct rfl_ink ink)
{
    cairo_t *cairo = cairo_self(canvas)->cairo;
    cairo_new_path(cairo);
    for (size_t i = 0; i < RFL_AREA_CORNERS; i++)
        cairo_line_to(cairo, corners[i].x, corners[i].y);
    cairo_close_path(cairo);
    set_color(cairo, rfl_style_stroke(ink).color, RFL_AREA_OPACITY);
    cairo_fill(cairo);
}

static void set_font(cairo_t *cairo, enum rfl_font font)
{
    const struct rfl_face *face = &rfl_style_faces[font];
    cairo_select_font_face(cairo, "sans", CAIRO_FONT_SLANT_NORMAL,
                           face->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, face->size);
}

/* Writes a character as UTF-8 and NUL, at most 5 bytes; returns its length. */
static size_t utf8_put(uint32_t character, char text[5])
{
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    size_t more = character < 0x80      ? 0
                  : character < 0x800   ? 1
                  : character < 0x10000 ? 2
                                        : 3;
    for (size_t i = more; i > 0; i--) {
        text[i] = (char)(0x80 | (character & 0x3f));
        character >>= 6;
    }
    text[0] = (char)(lead[more] | character);
    text[more + 1] = '\0';
    return more + 1;
}

/* Cairo stops at bytes that are not UTF-8: replaces them (ert_utf8_next). */
static char *clean(const char *text)
{
    char *copy = ert_xcalloc(4 * strlen(text) + 1, 1), *end = copy;
    for (uint32_t c; (c = ert_utf8_next(&text)) != 0;)
        end += utf8_put(c, end);
    return copy;
}

static double canvas_text_width(const struct rfl_canvas *canvas, enum rfl_font font,
                                const char *text)
{
    cairo_t *cairo = cairo_self(canvas)->cairo;
    cairo_text_extents_t extents = {0};
    char *words = clean(text);
    cairo_save(cairo);
    cairo_identity_matrix(cairo);
    set_font(cairo, font);
    cairo_text_extents(cairo, words, &extents);
    cairo_restore(cairo);
    free(words);
    return extents.x_advance;
}

static void canvas_text(struct rfl_canvas *canvas, double x, double y, double angle_rad,
                        enum rfl_anchor anchor, enum rfl_font font, struct rfl_ink ink,
                        const char *text)
{
    static const double shares[] = {0, 0.5, 1};
    cairo_t *cairo = cairo_self(canvas)->cairo;
    double width = canvas_text_width(canvas, font, text), size = rfl_style_faces[font].size;
    double start = -shares[anchor] * width;
    char *words = clean(text);
    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    cairo_rotate(cairo, -angle_rad);
    set_font(cairo, font);
    if (font == RFL_FONT_LABEL) { /* on white, so that the grid does not run through it */
        set_color(cairo, 0xffffff, 0.85);
        cairo_rectangle(cairo, start, -0.55 * size, width, 1.1 * size);
        cairo_fill(cairo);
    }
    set_color(cairo, rfl_style_stroke(ink).color, 1);
    /* Half a capital's height (0.73) below the middle. */
    cairo_move_to(cairo, start, 0.36 * size);
    cairo_show_text(cairo, words);
    cairo_restore(cairo);
    free(words);
}

static void canvas_marker(struct rfl_canvas *canvas, double x, double y,
                          struct rfl_symbol symbol, struct rfl_ink ink)
{
    cairo_t *cairo = cairo_self(canvas)->cairo;
    const struct rfl_shape *shape = rfl_style_shape(symbol);
    unsigned fill;
    struct rfl_stroke outline;
    rfl_style_symbol(symbol, ink, &fill, &outline);
    cairo_new_path(cairo);
    if (!shape->n_corners)
        cairo_arc(cairo, x, y, RFL_CIRCLE, 0, 4 * acos(0));
    for (size_t i = 0; i < shape->n_corners; i++)
        cairo_line_to(cairo, x + shape->corners[i].x, y + shape->corners[i].y);
    cairo_close_path(cairo);
    set_color(cairo, fill, 1);
    cairo_fill_preserve(cairo);
    set_stroke(cairo, &outline);
    cairo_stroke(cairo);
}

static void canvas_end(struct rfl_canvas *canvas)
{
    struct cairo_canvas *at = cairo_self(canvas);
    cairo_surface_t *surface = cairo_get_target(at->cairo);
    if (at->pdf)
        cairo_surface_finish(surface);
    else
        cairo_surface_write_to_png_stream(surface, write_bytes, at->out);
}

static const struct rfl_canvas_ops cairo_ops = {
    .begin = canvas_begin,
    .line = canvas_line,
    .area = canvas_area,
    .text = canvas_text,
    .marker = canvas_marker,
    .end = canvas_end,
    .text_width = canvas_text_width,
};

static enum ert_status cairo_draw(const void *scene, bool pdf, FILE *out,
                                  struct ert_error *error)
{
    struct cairo_canvas canvas = {
        .canvas = {.ops = &cairo_ops, .metrics = rfl_style_metrics},
        .cairo = new_context(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1)),
        .pdf = pdf,
        .out = out,
    };
    rfl_chart_draw(scene, &canvas.canvas);
    cairo_status_t drawn = cairo_status(canvas.cairo);
    if (drawn == CAIRO_STATUS_SUCCESS)
        drawn = cairo_surface_status(cairo_get_target(canvas.cairo));
    cairo_destroy(canvas.cairo);
    if (drawn != CAIRO_STATUS_SUCCESS)
        return ert_fail(error, ERT_FAILED, "Cairo: %s", cairo_status_to_string(drawn));
    return ERT_OK;
}

enum ert_status rfl_cairo_png(const void *scene, FILE *out, struct ert_error *error)
{
    return cairo_draw(scene, false, out, error);
}

enum ert_status rfl_cairo_pdf(const void *scene, FILE *out, struct ert_error *error)
{
    return cairo_draw(scene, true, out, error);
}
