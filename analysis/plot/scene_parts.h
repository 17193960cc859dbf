/*
 * scene_parts: what scene.c leaves to other files: measured and profiled points, the axes' ranges,
 * the caption. Private to scene.
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

/*
 * Sets the ranges from the roofs, ridges and points, rounded to 1, 2 or 5 times a power of ten. close: with
 * little room around them.
 */
void rfl_scene_set_axes(struct rfl_scene *scene, bool close);

/* Adds the roofs of all machines, sorted. ERT_UNAVAILABLE when there are none. */
enum ert_status rfl_scene_add_roofs(struct rfl_scene *scene,
                                    const struct rfl_scene_device *devices,
                                    struct ert_error *error);

/* What a chart calls a compute ceiling, "FP64 FMA"; NULL for one that it does not draw. */
const char *rfl_scene_flat_name(const struct ert_compute_ceiling *ceiling);

/* Whether such a name is of a peak that a code can have, with FMA: no other is drawn of several
 * machines. */
bool rfl_scene_is_peak(const char *name);

/*
 * Adds the points of the options: kernels, marks, series, arrows; notes those that it leaves out.
 * The levels are there already. ERT_USAGE for a level that no point or device has.
 */
enum ert_status rfl_scene_add_kernels(struct rfl_scene *scene,
                                      const struct rfl_scene_options *options,
                                      struct ert_error *error);

/* Says what colours stand for, runs or kernels, and joins the points of runs by arrows. */
void rfl_scene_link_kernels(struct rfl_scene *scene, bool trajectory);

/* Adds the flats for the shares of FMA that the drawn kernels have. */
void rfl_scene_add_mixes(struct rfl_scene *scene, const struct rfl_scene_options *options);

/* Highest first; of equal value by name: qsort is not stable. */
int rfl_scene_compare_roofs(const void *left, const void *right);

/* Whether flats of a type are drawn. */
bool rfl_scene_draws_type(const struct rfl_scene *scene, const char *type);

/* Adds the caption: ridge points, doubts, and everything that is not drawn, with the reason. */
void rfl_scene_add_notes(struct rfl_scene *scene, const struct rfl_scene_device *devices);

#endif
