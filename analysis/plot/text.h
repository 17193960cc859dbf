/*
 * text: the canvas of character cells for a terminal: plain ASCII, or UTF-8 with line-drawing
 * characters. One cell is one unit in x and y.
 */
#ifndef RFL_PLOT_TEXT_H
#define RFL_PLOT_TEXT_H

#include "analysis/plot/canvas.h"

#include <stdint.h>
#include <stdio.h>

struct rfl_text {
    struct rfl_canvas canvas;
    FILE *out;
    bool utf8;
    size_t columns, rows;
    uint32_t *cells; /* from begin to end; 0: the right half of a wide character */
};

/*
 * Makes a canvas that writes to out, which stays the caller's, at its end(). columns: at
 * least 40; no line is longer.
 */
void rfl_text_init(struct rfl_text *text, FILE *out, size_t columns, bool utf8);

#endif
