/* The text of a gnuplot script: terminals, axes, data, one plot command. */
#include "analysis/plot/gnuplot_parts.h"

/* Of data blocks and their comments. */
static const char *const role_names[RFL_N_ROLES] = {
    [RFL_ROLE_TEXT] = "text",     [RFL_ROLE_FAINT] = "faint",
    [RFL_ROLE_FRAME] = "frame",   [RFL_ROLE_GRID] = "grid",
    [RFL_ROLE_MINOR] = "minor",   [RFL_ROLE_LEVEL] = "level",
    [RFL_ROLE_PLAIN] = "level",   [RFL_ROLE_FLAT] = "peak",
    [RFL_ROLE_NO_FMA] = "no_fma", [RFL_ROLE_MIX] = "mix",
    [RFL_ROLE_THEORY] = "theory", [RFL_ROLE_DROP] = "drop",
    [RFL_ROLE_RIDGE] = "ridge",   [RFL_ROLE_MARK] = "point",
    [RFL_ROLE_JOIN] = "join",     [RFL_ROLE_ARROW] = "arrow",
    [RFL_ROLE_BAND] = "band",     [RFL_ROLE_MACHINE] = "machine",
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

void rfl_gnuplot_dashes(FILE *out, const struct rfl_stroke *stroke)
{
    /* gnuplot counts in widths of the line. */
    for (size_t i = 0; i < stroke->n_dashes; i++)
        fprintf(out, "%s%.3g", i ? "," : " dt (", stroke->dashes[i] * 2.5 / stroke->width);
    if (stroke->n_dashes)
        fputc(')', out);
}

void rfl_gnuplot_symbol(FILE *out, struct rfl_symbol symbol, unsigned color, double width)
{
    fprintf(out, "pt %d ps 1.1*scale lc rgb '#%06x' lw %g*scale",
            point_types[symbol.shape % RFL_N_STYLES][symbol.hollow], color, width);
}

static void put_terminals(const struct rfl_gnuplot_canvas *at)
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

static void put_axes(const struct rfl_gnuplot_canvas *at)
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

static void put_block_name(FILE *out, const struct rfl_gnuplot_canvas *at, size_t i)
{
    const struct rfl_gnuplot_block *block = &at->blocks[i];
    fprintf(out, "$%s%zu_%zu", role_names[block->ink.role], block->ink.index, i);
}

/* One entry of the plot command. White under hollow symbols: lines do not show through. */
static void put_entry(const struct rfl_gnuplot_canvas *at, size_t i)
{
    const struct rfl_gnuplot_block *block = &at->blocks[i];
    const struct rfl_symbol filled = {block->symbol.shape, false};
    struct rfl_stroke stroke = rfl_style_stroke(block->ink);
    put_block_name(at->out, at, i);
    fputs(" using 1:2 ", at->out);
    if (!block->points) {
        fprintf(at->out, "with lines lc rgb '#%06x' lw %g*scale", stroke.color,
                stroke.width);
        rfl_gnuplot_dashes(at->out, &stroke);
        return;
    }
    fputs("with points ", at->out);
    if (block->symbol.hollow) {
        rfl_gnuplot_symbol(at->out, filled, 0xffffff, stroke.width);
        fputs(", \\\n    ", at->out);
        put_block_name(at->out, at, i);
        fputs(" using 1:2 with points ", at->out);
    }
    rfl_gnuplot_symbol(at->out, block->symbol, stroke.color, stroke.width);
}

/* The data, then one plot command of all. */
static void put_blocks(const struct rfl_gnuplot_canvas *at)
{
    for (size_t i = 0; i < at->n_blocks; i++) {
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

void rfl_gnuplot_script(const struct rfl_gnuplot_canvas *at)
{
    put_terminals(at);
    put_axes(at);
    fputs(at->label_text ? at->label_text : "", at->out);
    fputc('\n', at->out);
    put_blocks(at);
}
