/*
 * scene_parts: what scene.c leaves to other files: measured points, the axes' ranges, the caption.
 * Private to scene.
 */
#ifndef RFL_PLOT_SCENE_PARTS_H
#define RFL_PLOT_SCENE_PARTS_H

#include "analysis/plot/scene.h"

/*
 * Adds the mixed kernel's points: the fastest configuration of each level and flop count. A point
 * belongs to the level on whose plateau its working set lies, else to the first level of its path
 * that holds the set.
 */
void rfl_scene_add_points(struct rfl_scene *scene, const struct ert_device_ceilings *from,
                          const struct ert_device *device);

/* Sets the ranges from the roofs, ridges and points, rounded to 1, 2 or 5 times a power of ten. */
void rfl_scene_set_axes(struct rfl_scene *scene);

/* Adds the caption: ridge points, doubts, and everything that is not drawn, with the reason. */
/* What a chart calls a compute ceiling, "FP64 FMA"; NULL for one that it does not draw. */
const char *rfl_scene_flat_name(const struct ert_compute_ceiling *ceiling);

void rfl_scene_add_notes(struct rfl_scene *scene, const struct ert_ceilings *ceilings,
                         const struct ert_device_ceilings *from,
                         const struct ert_device *device);

#endif
