/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scene: WHAT a roofline chart shows: the roofs of one device or of a few, and profiled points,
 * in data units (flop/byte, flop/s), once for all canvases. It knows no pixels, fonts or colours:
 * chart.h places it on a canvas.
 */
#ifndef RFL_PLOT_SCENE_H
#define RFL_PLOT_SCENE_H

#include "analysis/points.h"
#include "analysis/roofs.h"
#include "ert/base/error.h"
#include "ert/ceilings/ceilings.h"

enum {
    RFL_MAX_MACHINES = 5,
    RFL_MAX_KERNELS = 100, /* more profiled points hide each other on any canvas */
    RFL_DEFAULT_KERNELS = 20,
    RFL_MAX_MIXES = 3,
    RFL_MAX_LEVELS = RFL_MAX_MACHINES * (ERT_MAX_MEMORY + RFL_MAX_TRANSFERS),
    RFL_MAX_FLATS = 128 /* scene.c has some 20 names */
};

/* What a roof is of; a scene has at most one of a kind and type per machine, and of MIX a few. */
enum rfl_roof_kind {
    RFL_ROOF_LEVEL,      /* a level's bandwidth: a diagonal; all others are flat */
    RFL_ROOF_FMA,        /* the peak of a type */
    RFL_ROOF_UNIT,       /* that of tensor cores or AMX */
    RFL_ROOF_NO_FMA,     /* additions or multiplications only */
    RFL_ROOF_FMA_ADD,    /* FMA and add units at once */
    RFL_ROOF_3_REGISTER, /* FMAs of three registers: a limit below the peak */
    RFL_ROOF_MIX         /* for the points' share of FMA, not measured itself */
};

/* A ceiling as a line. */
struct rfl_roof {
    enum rfl_roof_kind kind;
    size_t machine; /* index in machines */
    char brief[32]; /* "L2", "FP64 no FMA" */
    char full[96];  /* "L2 load 8903 GB/s" */
    char level[16]; /* of a diagonal, as the machine names it; "" of a flat */
    char type[8];   /* of a flat: "fp64"; "" of a diagonal */
    double value;   /* byte/s or flop/s, at least 1 */
    double theory;  /* the peak it is judged by; 0 unknown or not to be drawn */
    /* Of a diagonal, the line being loads: the least and most that mixes of reads and writes reach,
     * byte/s (curve.h); 0 where there is no other. */
    double band_low, band_high;
    char band[48]; /* "store .. triad" */
    double
        ridge_flop_per_byte; /* of the first n_ridges diagonals: where they meet the reference */
    char ridge[32];          /* "HBM 7.21" */
};

/* A device whose roofs are drawn. */
struct rfl_scene_machine {
    char name[128]; /* "NVIDIA H200" */
    char text[448]; /* "gpu0 of host, measured 2026-11-21, clock held 1.980 GHz" */
    char letter[4]; /* "A" of the first; "" where there is only one */
};

/* What the mixed kernel reached in a level. */
struct rfl_dot {
    size_t level; /* index in levels */
    double intensity_flop_per_byte, perf_flop_per_s;
};

/* A profiled point at one level, with that level's bytes. */
struct rfl_mark {
    size_t level; /* index in mark_levels */
    double intensity_flop_per_byte, perf_flop_per_s;
    const struct rfl_mark
        *next; /* of its run's next kernel at this level: an arrow; or NULL */
};

/* A profiled point: a kernel, region or version. */
struct rfl_kernel {
    char brief[40];    /* without return type, scopes, template arguments, parameters */
    char instance[80]; /* as brief, with the template arguments that tell it apart */
    size_t series;     /* what its colour stands for: a run, or itself */
    size_t order;      /* in the files */
    double scale;
    size_t n_marks;
    struct rfl_mark marks[RFL_MAX_TRAFFIC]; /* the fastest level first */
};

/* What a chart that is no roofline has on its axes (network.h). */
struct rfl_axes {
    const char *x, *y, *x_unit, *y_unit; /* titles, units */
    bool is_plain;                       /* y without prefixes */
};

/* A name of a part of the plane, at a place in it. */
struct rfl_region {
    double x, y;
    const char *name;
};

struct rfl_scene {
    char title[192], subtitle[320];
    const struct rfl_axes *axes; /* NULL: flop/byte and flop/s */
    double x_min, x_max;         /* flop/byte */
    double y_min, y_max;         /* flop/s */
    double wall_x, wall_y;       /* a vertical at x from y on; 0 none */
    struct rfl_region regions[3];
    size_t n_regions;
    char dots_are[64]; /* before the key of the dots; "": what the mixed kernel reached */
    size_t n_machines, n_levels, n_flats, n_ridges, n_dots, n_kernels;
    struct rfl_scene_machine machines[RFL_MAX_MACHINES];
    struct rfl_roof roofs[RFL_MAX_LEVELS + RFL_MAX_FLATS];
    struct rfl_roof *levels,
        *flats;       /* of roofs: the first, fastest first; behind them, highest first */
    size_t reference; /* index in flats: the peak that the ridges are taken at */
    struct rfl_dot *dots; /* malloc */
    bool theory;
    char types[64]; /* of the flats that are drawn, a list; "": all */
    struct rfl_kernel kernels[RFL_MAX_KERNELS]; /* the longest first */
    struct ert_strings mark_levels;             /* that points are at, the fastest first */
    struct ert_strings series;                  /* the runs of the points */
    size_t n_series;          /* of them; 0: each kernel has a colour of its own */
    struct ert_strings notes; /* the caption: what the chart cannot show, and why */
};

struct rfl_scene_device {
    const struct ert_ceilings *ceilings;
    size_t index; /* of the device */
};

/* What is drawn besides the roofs; all zero for nothing. */
struct rfl_scene_options {
    bool theory;     /* the theoretical peak of each roof */
    bool trajectory; /* arrows along a run, by scale, else in the files' order */
    /* Flats and operations of this type only, or "all"; NULL: of those that the points have, without
     * points all. */
    const char *type;
    const char *level;               /* points at this level only; NULL: at all */
    const struct rfl_points *points; /* NULL none; the caller's, until the scene is made */
    size_t max_kernels;              /* the longest of the points; 0: RFL_DEFAULT_KERNELS */
    bool close;        /* axes that leave little room beside the ridges and the points */
    const char *title; /* of one device; NULL: "Roofline of DEVICE" */
};

/*
 * Fills *scene from n devices (at most RFL_MAX_MACHINES). Of several, only the peaks with FMA and
 * those of tensor units are drawn, of FP64 where no type is said. A point without time, operations
 * or bytes, one at a level that no device has, and those beyond max_kernels are notes.
 * ERT_UNAVAILABLE when no device has a ceiling of 1 or more; ERT_USAGE for a type or level that
 * there is not (the text lists those that there are) and for numbers out of range. *scene is the
 * caller's (rfl_scene_free), also after a failure.
 */
enum ert_status rfl_scene_make_of(const struct rfl_scene_device *devices, size_t n,
                                  const struct rfl_scene_options *options,
                                  struct rfl_scene *scene, struct ert_error *error);

/* Frees what the scene owns; all zero is fine. */
void rfl_scene_free(struct rfl_scene *scene);

/* The roof of a level: of its name, else, for names of memory, the only memory. NULL: none. */
const struct rfl_roof *rfl_scene_level(const struct rfl_scene *scene, const char *level);

/* What a chart calls a compute ceiling, "FP64 FMA"; NULL for one that it does not draw. */
const char *rfl_scene_flat_name(const struct ert_compute_ceiling *ceiling);

/* Appends a note, of any length, once. */
void rfl_scene_note(struct rfl_scene *scene, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
