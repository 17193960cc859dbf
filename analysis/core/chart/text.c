/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/chart/chart.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/text.h"

#include <math.h>
#include <stdlib.h>

enum { N_MARKERS = 7, N_HEIGHTS = 5, FIRST_WIDE = 0x1100 };

/* The characters of one encoding. */
struct letters {
    uint32_t markers[N_MARKERS], ridge;
    uint32_t horizontal, vertical, cross; /* frame */
    uint32_t flat, no_fma, mix, join;     /* level lines */
    uint32_t steep;                       /* diagonals */
    uint32_t heights[N_HEIGHTS];          /* a line at a fifth of the cell, from its top */
    uint32_t band, foreign;               /* foreign: replaces what the encoding lacks */
};

static const struct letters ascii = {
    .markers = {'*',  '+', 'x', '#', '@',  '%', '&'},
    .ridge = 'o',
    .horizontal = '-',
    .vertical = '|',
    .cross = '+',
    .flat = '=',
    .no_fma = '-',
    .mix = '~',
    .join = '-',
    .steep = '/',
    .heights = {'\'', '\'',    '-',    '.',   '.'},
    .band = '.',
    .foreign = '?',
};

/* Scan lines U+23BA to U+23BD and box-drawing characters, which the VT100's character set has. */
static const struct letters unicode = {
    .markers = {0x25cf,  0x25a0, 0x25b2, 0x25c6, 0x25bc, 0x271a, 0x2716},
    .ridge = 0x25cb,
    .horizontal = 0x2500,
    .vertical = 0x2502,
    .cross = 0x253c,
    .flat = 0x2501,
    .no_fma = 0x2500,
    .mix = 0x2504,
    .join = 0x2574,
    .steep = 0x2571,
    .heights = {0x23ba, 0x23bb,       0x2500,        0x23bc,        0x23bd },
    .band = 0x2591,
    .foreign = 0xfffd,
};

static struct rfl_text *text_self(struct rfl_canvas *canvas)
{
    return (struct rfl_text *)(void *)canvas;
}

static const struct letters *letters_of(const struct rfl_text *text)
{
    return text->utf8 ? &unicode : &ascii;
}

/* NULL: outside. */
static uint32_t *cell_at(const struct rfl_text *text, double column, double row)
{
    bool inside = column >= 0 && row >= 0 && column < (double)text->columns &&
                  row < (double)text->rows;
    return inside ? &text->cells[(size_t)row * text->columns + (size_t)column] : NULL;
}

static void text_put(struct rfl_text *text, double column, double row, uint32_t character)
{
    uint32_t *cell = cell_at(text, column, row);
    if (cell)
        *cell = character;
}

static void text_begin(struct rfl_canvas *canvas, double width, double height,
                       const char *title, const char *description)
{
    struct rfl_text *text = text_self(canvas);
    (void)title, (void)description;
    text->columns = (size_t)width;
    text->rows = (size_t)ceil(height);
    text->cells = ert_xcalloc(text->columns * text->rows, sizeof *text->cells);
    for (size_t i = 0; i < text->columns * text->rows; i++)
        text->cells[i] = ' ';
}

static void frame_line(struct rfl_text *text, double x0, double y0, double x1, double y1)
{
    const struct letters *letters = letters_of(text);
    if (x0 == x1 && y0 == y1)
        text_put(text, floor(x0), floor(y0), letters->cross);
    else if (y0 == y1)
        for (double x = floor(x0); x < x1; x++)
            text_put(text, x, floor(y0), letters->horizontal);
    else
        for (double y = floor(y0); y < y1; y++)
            text_put(text, floor(x0), y, letters->vertical);
}

/* One character per column, at the height where the line crosses its middle. */
static void slope(struct rfl_text *text, double x0, double y0, double x1, double y1)
{
    const struct letters *letters = letters_of(text);
    double rise = (y1 - y0) / (x1 - x0);
    for (double column = floor(x0); column < x1; column++) {
        double x = fmin(fmax(column + 0.5, x0), x1), y = y0 + (x - x0) * rise;
        size_t height = (size_t)((y - floor(y)) * N_HEIGHTS);
        text_put(text, column, floor(y), letters->heights[height]);
    }
}

/* Lines steeper than a cell: one character per row. */
static void steep(struct rfl_text *text, double x0, double y0, double x1, double y1)
{
    const struct letters *letters = letters_of(text);
    for (double row = floor(y1); row < y0; row++) {
        double y = fmin(fmax(row + 0.5, y1), y0), x = x0 + (y - y0) * (x1 - x0) / (y1 - y0);
        text_put(text, floor(x), row, letters->steep);
    }
}

/* Does not draw roles without a letter: the grid would hide the roofs. */
static void text_line(struct rfl_canvas *canvas, double x0, double y0, double x1, double y1,
                      struct rfl_ink ink)
{
    struct rfl_text *text = text_self(canvas);
    const struct letters *letters = letters_of(text);
    const uint32_t letter = (uint32_t[RFL_N_ROLES]){
        [RFL_ROLE_FLAT] = letters->flat,     [RFL_ROLE_LEVEL] = letters->flat,
        [RFL_ROLE_MACHINE] = letters->flat,  [RFL_ROLE_PLAIN] = letters->flat,
        [RFL_ROLE_NO_FMA] = letters->no_fma, [RFL_ROLE_MIX] = letters->mix,
        [RFL_ROLE_JOIN] = letters->join}[ink.role];
    bool dashed = ink.role == RFL_ROLE_NO_FMA || ink.role == RFL_ROLE_MIX;
    if (ink.role == RFL_ROLE_FRAME)
        frame_line(text, x0, y0, x1, y1);
    else if (letter && y0 != y1)
        (y0 - y1 > 1.2 * (x1 - x0) ? steep : slope)(text, x0, y0, x1, y1);
    else if (letter)
        for (double x = floor(x0); x < x1 - 1e-6; x++) {
            uint32_t *cell = cell_at(text, x, floor(y0));
            if (cell && (ink.role != RFL_ROLE_JOIN || *cell == ' ')) /* behind all else */
                *cell = dashed && (size_t)x % 2 ? ' ' : letter;
        }
}

/* Whether a point is inside: a line to the right crosses the edges an odd number of times. */
static bool is_inside(const struct rfl_vertex *corners, size_t n, double x, double y)
{
    bool inside = false;
    for (size_t i = 0; i < n; i++) {
        const struct rfl_vertex *a = &corners[i], *b = &corners[(i + 1) % n];
        if ((a->y > y) != (b->y > y) &&
            x < a->x + (y - a->y) * (b->x - a->x) / (b->y - a->y))
            inside = !inside;
    }
    return inside;
}

static void text_area(struct rfl_canvas *canvas, const struct rfl_vertex *corners, size_t n,
                      struct rfl_ink ink)
{
    struct rfl_text *text = text_self(canvas);
    (void)ink;
    for (size_t row = 0; row < text->rows; row++)
        for (size_t column = 0; column < text->columns; column++)
            if (is_inside(corners, n, (double)column + 0.5, (double)row + 0.5))
                text_put(text, (double)column, (double)row, letters_of(text)->band);
}

static size_t text_columns_of(uint32_t character)
{
    return character >= FIRST_WIDE && !(character >= 0x2000 && character < 0x2e80) &&
                   character != 0xfffd
               ? 2
               : 1;
}

static double text_width(const struct rfl_canvas *canvas, enum rfl_font font,
                         const char *words)
{
    const struct rfl_text *text = (const struct rfl_text *)(const void *)canvas;
    double width = 0;
    (void)font;
    for (uint32_t c; (c = ert_utf8_next(&words)) != 0;)
        width += text->utf8 ? (double)text_columns_of(c) : 1;
    return width;
}

static void text_text(struct rfl_canvas *canvas, double x, double y, double angle_rad,
                      enum rfl_anchor anchor, enum rfl_font font, struct rfl_ink ink,
                      const char *words)
{
    static const double shares[] = {0, 0.5, 1};
    struct rfl_text *text = text_self(canvas);
    double width = text_width(canvas, font, words);
    double column = round(x - shares[anchor] * width), row = floor(y);
    (void)angle_rad, (void)ink;
    if (font == RFL_FONT_LABEL) { /* a blank on both sides separates it from its line */
        text_put(text, column - 1, row, ' ');
        text_put(text, column + width, row, ' ');
    }
    for (uint32_t c; (c = ert_utf8_next(&words)) != 0;) {
        text_put(text, column++, row,
                 text->utf8 || c < 0x7f ? c : letters_of(text)->foreign);
        if (text->utf8 && text_columns_of(c) == 2)
            text_put(text, column++, row, 0);
    }
}

static void text_marker(struct rfl_canvas *canvas, double x, double y,
                        struct rfl_symbol symbol, struct rfl_ink ink)
{
    struct rfl_text *text = text_self(canvas);
    const struct letters *letters = letters_of(text);
    text_put(text, floor(x), floor(y),
             ink.role == RFL_ROLE_RIDGE ? letters->ridge
                                        : letters->markers[symbol.shape % N_MARKERS]);
}

static void text_end(struct rfl_canvas *canvas)
{
    struct rfl_text *text = text_self(canvas);
    for (size_t row = 0; row < text->rows; row++) {
        const uint32_t *cells = text->cells + row * text->columns;
        size_t length = text->columns;
        char bytes[5];
        while (length && cells[length - 1] == ' ')
            length--;
        for (size_t i = 0; i < length; i++)
            if (cells[i]) {
                ert_utf8_put(cells[i], bytes);
                fputs(bytes, text->out);
            }
        fputc('\n', text->out);
    }
    free(text->cells);
    text->cells = NULL;
}

static const struct rfl_canvas_ops text_ops = {
    .begin = text_begin,
    .line = text_line,
    .area = text_area,
    .text = text_text,
    .marker = text_marker,
    .end = text_end,
    .text_width = text_width,
};

void rfl_text_init(struct rfl_text *text, FILE *out, size_t columns, bool utf8)
{
    *text = (struct rfl_text){
        .canvas = {.ops = &text_ops,
                   .metrics = {.page_width = (double)columns,
                               .left = 8,
                               .right = 3,
                               .gap = 1,
                               .line_height = {1, 1, 1, 1, 1},
                               .merge = 0.75,
                               .marker = 1}},
        .out = out,
        .utf8 = utf8,
    };
    /* Wide enough to tell levels apart, low enough for one screen. */
    text->canvas.metrics.plot_height = fmin(32, fmax(20, floor((double)columns / 3.6)));
}
