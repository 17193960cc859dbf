/*
 * gnuplot_parts: what a gnuplot script is made of: gnuplot.c collects it as a canvas, gnuplot_script.c
 * writes it. Private to gnuplot.
 */
#ifndef RFL_PLOT_GNUPLOT_PARTS_H
#define RFL_PLOT_GNUPLOT_PARTS_H

#include "analysis/plot/canvas.h"
#include "analysis/plot/style.h"

#include <stdio.h>

/* Where on the page something is drawn: gnuplot draws its own axes; the plot is in data units. */
enum rfl_gnuplot_section { RFL_SECTION_PAGE, RFL_SECTION_AXES, RFL_SECTION_PLOT };

/* Lines or points of one look, a data block of the script. */
struct rfl_gnuplot_block {
    struct rfl_ink ink;
    struct rfl_symbol symbol;
    bool points;
    char *text; /* malloc, of memory */
    size_t size;
    FILE *memory;
};

struct rfl_gnuplot_canvas {
    struct rfl_canvas canvas;
    FILE *out, *labels; /* memory; labels is for what stands before the plot command */
    char *label_text;
    size_t label_size;
    double width, height;
    struct rfl_frame frame;
    enum rfl_gnuplot_section section;
    struct rfl_gnuplot_block *blocks; /* malloc */
    size_t n_blocks;
    bool failed; /* memory ran out */
};

/* " dt (5,2)" of a line that has dashes. */
void rfl_gnuplot_dashes(FILE *out, const struct rfl_stroke *stroke);

/* "pt 7 ps 1.1*scale lc rgb '#0072b2' lw 1.5*scale" */
void rfl_gnuplot_symbol(FILE *out, struct rfl_symbol symbol, unsigned color, double width);

/* Writes the whole script to the canvas's out; its memory streams are flushed. */
void rfl_gnuplot_script(const struct rfl_gnuplot_canvas *at);

#endif
