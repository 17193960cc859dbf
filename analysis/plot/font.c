#include "analysis/plot/font.h"

#include "analysis/plot/utf8.h"

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

double rfl_font_width(const char *text, double size, bool bold)
{
    double width = 0;
    for (uint32_t c; (c = rfl_utf8_next(&text)) != 0;)
        width += c <= LAST          ? widths[c - FIRST]
                 : c < FIRST_SQUARE ? WIDTH_OTHER
                                    : WIDTH_SQUARE;
    return width / 1000 * size * (bold ? BOLD : 1);
}
