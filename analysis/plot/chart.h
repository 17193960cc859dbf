/*
 * chart: places a scene on a canvas: axes, lines, labels that do not collide, caption. It draws
 * only through the canvas's table and chooses no colours.
 */
#ifndef RFL_PLOT_CHART_H
#define RFL_PLOT_CHART_H

#include "analysis/plot/canvas.h"
#include "analysis/plot/scene.h"

/*
 * Draws the whole page, from the canvas's begin to its end. A label that finds no place is
 * shortened or dropped from the plot, and then stands in the key under it: nothing is lost.
 */
void rfl_chart_draw(const struct rfl_scene *scene, struct rfl_canvas *canvas);

#endif
