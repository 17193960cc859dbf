/*
 * scene_drops: points that a chart does not show, and why, as notes: one per reason. Private to
 * scene.
 */
#ifndef RFL_PLOT_SCENE_DROPS_H
#define RFL_PLOT_SCENE_DROPS_H

#include "analysis/plot/scene.h"

struct rfl_drops {
    size_t n, room;
    struct rfl_drop *drops; /* malloc */
    bool failed;            /* memory ran out */
};

/* The texts outlive the drops. what: "no time"; reason: "" none. */
void rfl_drops_add(struct rfl_drops *drops, const char *name, const char *what,
                   const char *reason);

/* Adds the notes. Of many names and reasons the first ones, and how many more there are. */
void rfl_drops_note(const struct rfl_drops *drops, struct rfl_scene *scene);

void rfl_drops_free(struct rfl_drops *drops);

#endif
