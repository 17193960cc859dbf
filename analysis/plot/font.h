/*
 * font: how wide a text is, without a font at hand. Advance widths of DejaVu Sans 2.37 (hmtx
 * table), the widest of the sans-serif fonts that viewers choose from, so that no text is wider
 * than said.
 */
#ifndef RFL_PLOT_FONT_H
#define RFL_PLOT_FONT_H

#include <stdbool.h>

/* The width of a UTF-8 text at a font size, in the size's unit. */
double rfl_font_width(const char *text, double size, bool bold);

#endif
