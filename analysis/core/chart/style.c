/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/chart/canvas.h"

/*
 * Okabe and Ito, "Color Universal Design" (2008), ordered by distance of lightness, with the lighter colours
 * darkened so that text in them is legible on white (contrast 4.5 or more); and dashes that distinguish lines
 * without colour.
 */
static const struct rfl_stroke palette[RFL_N_STYLES] = {
    {0x0072b2, 0, 0, {0}                },
    {0xb84a00, 0, 2, {14, 4}            },
    {0x00785a, 0, 4, {14, 4, 3, 4}      },
    {0xa0447c, 0, 2, {7, 4}             },
    {0x8a6500, 0, 6, {14, 4, 3, 4, 3, 4}},
    {0x2f6f94, 0, 2, {3, 3}             },
    {0x555555, 0, 4, {14, 4, 7, 4}      },
};

/* Their marker shapes: circle, square, triangles, diamond, bar, cross. */
static const struct rfl_shape shapes[RFL_N_STYLES] = {
    {0,  {{0, 0}}                                                   },
    {4,  {{-3.6, -3.6}, {3.6, -3.6}, {3.6, 3.6}, {-3.6, 3.6}}       },
    {3,  {{0, -4.6}, {4.6, 3.4}, {-4.6, 3.4}}                       },
    {4,  {{0, -5}, {5, 0}, {0, 5}, {-5, 0}}                         },
    {3,  {{0, 4.6}, {4.6, -3.4}, {-4.6, -3.4}}                      },
    {12,
     {{-1.5, -4.6},
      {1.5, -4.6},
      {1.5, -1.5},
      {4.6, -1.5},
      {4.6, 1.5},
      {1.5, 1.5},
      {1.5, 4.6},
      {-1.5, 4.6},
      {-1.5, 1.5},
      {-4.6, 1.5},
      {-4.6, -1.5},
      {-1.5, -1.5}}                                                 },
    {5,  {{0, -4.8}, {4.6, -1.4}, {2.8, 4}, {-2.8, 4}, {-4.6, -1.4}}},
};

/* color 0: the palette's colour, and its dashes for lines of several. */
static const struct rfl_stroke strokes[RFL_N_ROLES] = {
    [RFL_ROLE_TEXT] = {0x111111, 1,   0, {0}     },
    [RFL_ROLE_FAINT] = {0x444444, 1,   0, {0}     },
    [RFL_ROLE_FRAME] = {0x333333, 1.2, 0, {0}     },
    [RFL_ROLE_GRID] = {0xd0d0d0, 0.9, 0, {0}     },
    [RFL_ROLE_MINOR] = {0xececec, 0.7, 0, {0}     },
    [RFL_ROLE_LEVEL] = {0,        2.4, 0, {0}     },
    [RFL_ROLE_PLAIN] = {0x5a5a5a, 2.2, 0, {0}     },
    [RFL_ROLE_FLAT] = {0x111111, 2.4, 0, {0}     },
    [RFL_ROLE_NO_FMA] = {0x111111, 2.0, 2, {8, 5}  },
    [RFL_ROLE_MIX] = {0x111111, 1.6, 2, {3, 3}  },
    [RFL_ROLE_DROP] = {0x888888, 0.9, 2, {1.5, 3}},
    [RFL_ROLE_RIDGE] = {0x111111, 1.6, 0, {0}     },
    [RFL_ROLE_MARK] = {0,        1.5, 0, {0}     },
    [RFL_ROLE_JOIN] = {0,        1.0, 0, {0}     },
    [RFL_ROLE_ARROW] = {0,        1.2, 0, {0}     },
};

const struct rfl_face rfl_style_faces[RFL_N_FONTS] = {
    [RFL_FONT_TITLE] = {21,   true },
      [RFL_FONT_SUBTITLE] = {13.5, false},
    [RFL_FONT_AXIS] = {14,   false},
      [RFL_FONT_LABEL] = {12.5, false},
    [RFL_FONT_CAPTION] = {12,   false},
};

const struct rfl_metrics rfl_style_metrics = {
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
};

struct rfl_stroke rfl_style_stroke(struct rfl_ink ink)
{
    struct rfl_stroke stroke = strokes[ink.role];
    const struct rfl_stroke *own = &palette[ink.index % RFL_N_STYLES];
    if (stroke.color == 0)
        stroke.color = own->color;
    if (ink.role == RFL_ROLE_PLAIN) {
        stroke.n_dashes = own->n_dashes;
        for (size_t i = 0; i < own->n_dashes; i++)
            stroke.dashes[i] = own->dashes[i];
    }
    return stroke;
}

const struct rfl_shape *rfl_style_shape(struct rfl_symbol symbol)
{
    return &shapes[symbol.shape % RFL_N_STYLES];
}

void rfl_style_symbol(struct rfl_symbol symbol, struct rfl_ink ink, unsigned *fill,
                      struct rfl_stroke *outline)
{
    *outline = rfl_style_stroke(ink);
    *fill = symbol.hollow ? 0xffffff : outline->color;
    outline->n_dashes = 0;
    if (symbol.hollow)
        return;
    outline->color = 0xffffff; /* separates symbols that touch */
    outline->width = 0.8;
}
