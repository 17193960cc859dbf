/*
 * scene: WHAT a roofline chart of one device shows, in data units (flop/byte, flop/s), once for all
 * canvases. It knows no pixels, fonts or colours: chart.h places it on a canvas.
 */
#ifndef RFL_PLOT_SCENE_H
#define RFL_PLOT_SCENE_H

#include "ert/base/error.h"
#include "ert/ceilings/ceilings.h"

#include <stdbool.h>
#include <stddef.h>

/* Mixed-kernel points: one per level and flop count, 11 of these today. */
enum { RFL_MAX_DOTS = 256, RFL_MAX_NOTES = 128, RFL_NOTE_TEXT = 512 };

/* A ceiling as a line: a level's bandwidth (diagonal) or a peak of one type (flat). */
struct rfl_roof {
    char brief[32]; /* "L2", "FP64 no FMA" */
    char full[96];  /* "L2 load 8903 GB/s" */
    char level[16]; /* of a diagonal, as the machine names it; "" of a flat */
    char type[8];   /* of a flat: "fp64"; "" of a diagonal */
    double value;   /* byte/s or flop/s, at least 1 */
    double theory;  /* the peak it is judged by; 0 unknown or not to be drawn */
    bool no_fma;    /* of a flat: additions or multiplications only */
};

/* Where a level's diagonal meets the reference peak. */
struct rfl_ridge {
    size_t level; /* index in levels */
    double intensity_flop_per_byte, perf_flop_per_s;
    char label[32]; /* "HBM 7.21" */
};

/* What the mixed kernel reached in a level. */
struct rfl_dot {
    size_t level; /* index in levels */
    double intensity_flop_per_byte, perf_flop_per_s;
};

struct rfl_scene {
    char title[192], subtitle[320];
    double x_min, x_max; /* flop/byte */
    double y_min, y_max; /* flop/s */
    size_t n_levels, n_flats, n_ridges, n_points, n_notes;
    struct rfl_roof levels[ERT_MAX_MEMORY]; /* fastest first */
    struct rfl_roof flats[ERT_MAX_COMPUTE]; /* highest first */
    struct rfl_ridge ridges[ERT_MAX_MEMORY];
    struct rfl_dot points[RFL_MAX_DOTS];
    size_t reference; /* index in flats: the peak that the ridges are taken at */
    bool theory;
    char notes[RFL_MAX_NOTES]
              [RFL_NOTE_TEXT]; /* the caption: what the chart cannot show, and why */
};

/*
 * Fills *scene from device `index` of the ceilings. theory: also the theoretical peak of each roof.
 * ERT_UNAVAILABLE when the device has no ceiling of 1 (byte/s or flop/s) or more; the text has
 * the reason.
 */
enum ert_status rfl_scene_make(const struct ert_ceilings *ceilings, size_t index,
                               bool theory, struct rfl_scene *scene,
                               struct ert_error *error);

/* Appends a note; the last that fits says that there were more. */
void rfl_scene_note(struct rfl_scene *scene, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
