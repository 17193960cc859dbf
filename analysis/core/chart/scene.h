/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scene: WHAT a roofline chart shows: the roofs of a device, and profiled points, in data units
 * (flop/byte, flop/s), for all canvases. It knows no pixels, fonts or colours: chart.h lays it out.
 */
#ifndef RFL_PLOT_SCENE_H
#define RFL_PLOT_SCENE_H

#include "analysis/core/place/roofs.h"
#include "analysis/core/place/views.h"
#include "analysis/core/points/points.h"
#include "ert/core/base/error.h"
#include "ert/core/ceilings/ceilings.h"

enum {
    RFL_MAX_KERNELS = 100, /* more profiled points would hide each other on any canvas */
    RFL_DEFAULT_KERNELS = 20,
    RFL_MAX_MIXES = 3,
    RFL_MAX_LEVELS = RFL_MAX_BANDWIDTHS + RFL_MAX_TRANSFERS,
    RFL_MAX_FLATS = 128 /* types times names in scene.c */
};

/* What a roof limits; a scene has at most one per kind and type, except a few of MIX. */
enum rfl_roof_kind {
    RFL_ROOF_LEVEL,      /* a level's bandwidth: a diagonal; all others are flat */
    RFL_ROOF_FMA,        /* the peak of a type */
    RFL_ROOF_UNIT,       /* the peak of tensor cores or AMX */
    RFL_ROOF_NO_FMA,     /* additions or multiplications only */
    RFL_ROOF_FMA_ADD,    /* FMA and add units at once */
    RFL_ROOF_3_REGISTER, /* FMAs of three registers: a limit below the peak */
    RFL_ROOF_LIBRARY,    /* products of a library: what is attained, no limit */
    RFL_ROOF_MIX         /* for a share of FMA that bounds a point; not measured itself */
};

/* A ceiling as a line. */
struct rfl_roof {
    enum rfl_roof_kind kind;
    char brief[32];   /* "L2", "FP64 no FMA" */
    char full[96];    /* "L2 load 8903 GB/s" */
    char level[16];   /* diagonal: as the machine names it; flat: "" */
    char type[8];     /* flat: "fp64"; diagonal: "" */
    double value;     /* byte/s or flop/s, at least 1 */
    double low, high; /* its interval, with mixes that bound a point; else the value */
    bool has_warning;
    bool is_main;               /* flat: drawn if no type is asked for */
    double ridge_flop_per_byte; /* of the first n_ridges: where they meet the reference */
    char ridge[32];             /* "HBM 7.21" */
};

/* A profiled point at one level, with that level's bytes. */
struct rfl_mark {
    size_t level; /* index in mark_levels */
    double intensity_flop_per_byte, perf_flop_per_s;
    const struct rfl_mark *next; /* of its run's next kernel here: an arrow; or NULL */
};

/* A profiled point: a kernel, region or version. */
struct rfl_kernel {
    const struct rfl_point *point; /* of the options */
    char name[64]; /* without return type, scopes, parameters; with the template
                    * arguments that tell it apart */
    size_t series; /* what its colour denotes: a run, or itself */
    double scale;
    double low_flop_per_s, high_flop_per_s; /* its performance's interval; 0 unknown */
    size_t n_marks;
    struct rfl_mark marks[RFL_MAX_TRAFFIC]; /* the fastest level first */
};

struct rfl_scene {
    const struct rfl_view *view; /* its axes; flop/byte and flop/s: the first one */
    char title[192], subtitle[320];
    struct rfl_roofs *of; /* malloc; the device's ceilings, as measured */
    double x_min, x_max;  /* flop/byte */
    double y_min, y_max;  /* flop/s */
    size_t n_levels, n_flats, n_ridges, n_kernels;
    struct rfl_roof roofs[RFL_MAX_LEVELS + RFL_MAX_FLATS];
    struct rfl_roof *levels,
        *flats;       /* in roofs: fastest first; then flats, highest first */
    size_t reference; /* index in flats: the peak that defines the ridges */
    char types[64];   /* of the flats that are drawn, a list or "all"; "": the main ones */
    struct rfl_kernel kernels[RFL_MAX_KERNELS]; /* the longest first */
    struct ert_strings mark_levels; /* levels of the points, the fastest first */
    struct ert_strings series;      /* the runs of the points */
    size_t n_series;          /* number of series; 0: each kernel has its own colour */
    struct ert_strings notes; /* the caption: what the chart cannot show, and why */
    struct ert_strings *more, lost; /* of the options; if there are none, lost */
};

struct rfl_scene_device {
    const struct ert_ceilings *ceilings;
    size_t index; /* of the device */
};

/* What to draw besides the roofs; all zero: nothing. */
struct rfl_scene_options {
    const struct rfl_view *view; /* one with a chart; NULL: the first */
    bool trajectory; /* arrows along a run, by scale, else in the files' order */
    /* Only flats of this type, or "all"; NULL: of the points' types, without points the main ones. */
    const char *type;
    const char *level;               /* points at this level only; NULL: at all */
    const struct rfl_points *points; /* NULL none; the caller's, who keeps them */
    size_t max_kernels;              /* the longest of the points; 0: RFL_DEFAULT_KERNELS */
    bool close;                      /* axes end near the ridges and the points */
    const char *title;               /* NULL: "Roofline of DEVICE" */
    struct ert_strings *more; /* gets what the caption has no room for; NULL: it is lost */
};

/*
 * Fills *scene. Points without time, operations or bytes, at a level that the device does not have, or beyond
 * max_kernels become notes. ERT_UNAVAILABLE when it has no ceiling of 1 or more; ERT_USAGE for an unknown
 * type or level (the text lists the known ones) and for numbers out of range. The caller frees *scene
 * (rfl_scene_free), also after a failure.
 */
enum ert_status rfl_scene_make(const struct rfl_scene_device *device,
                               const struct rfl_scene_options *options,
                               struct rfl_scene *scene, struct ert_error *error);

/* Frees what the scene owns; accepts an all-zero struct. */
void rfl_scene_free(struct rfl_scene *scene);

#endif
