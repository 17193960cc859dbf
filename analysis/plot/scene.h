/*
 * scene: WHAT a roofline chart shows: the roofs of one device or of a few, and profiled points,
 * in data units (flop/byte, flop/s), once for all canvases. It knows no pixels, fonts or colours:
 * chart.h places it on a canvas.
 */
#ifndef RFL_PLOT_SCENE_H
#define RFL_PLOT_SCENE_H

#include "analysis/points.h"
#include "ert/base/error.h"
#include "ert/ceilings/ceilings.h"

/* Mixed-kernel points: one per level and flop count, 11 of these today. */
enum { RFL_MAX_DOTS = 256, RFL_MAX_NOTES = 128, RFL_NOTE_TEXT = 2048 };

/* Of profiled points: more than these hide each other on any canvas. */
enum {
    RFL_MAX_MACHINES = 5,
    RFL_MAX_KERNELS = 100,
    RFL_MAX_MARKS = RFL_MAX_KERNELS * RFL_MAX_TRAFFIC,
    RFL_MAX_MIXES = 3,
    RFL_DEFAULT_KERNELS = 20
};

/* A ceiling as a line: a level's bandwidth (diagonal) or a peak of one type (flat). */
struct rfl_roof {
    char brief[32]; /* "L2", "FP64 no FMA" */
    char full[96];  /* "L2 load 8903 GB/s" */
    char level[16]; /* of a diagonal, as the machine names it; "" of a flat */
    char type[8];   /* of a flat: "fp64"; "" of a diagonal */
    double value;   /* byte/s or flop/s, at least 1 */
    double theory;  /* the peak it is judged by; 0 unknown or not to be drawn */
    /* Of a diagonal, the line being loads: the least and most that mixes of reads and writes reach,
     * byte/s (curve.h); 0 where there is no other. */
    double band_low, band_high;
    char band[48];  /* "store .. triad" */
    bool no_fma;    /* of a flat: additions or multiplications only */
    bool mix;       /* of a flat: for the points' share of FMA, not measured itself */
    bool secondary; /* of a flat: a limit below the peak: FMAs of three registers */
    size_t machine; /* index in machines */
};

/* A device whose roofs are drawn. */
struct rfl_scene_machine {
    char name[128]; /* "NVIDIA H200" */
    char text[448]; /* "gpu0 of host, measured 2026-11-21, clock held 1.980 GHz" */
    char letter[4]; /* "A" of the first; "" where there is only one */
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

/* A profiled point at one level, with that level's bytes. */
struct rfl_mark {
    size_t kernel; /* index in kernels */
    size_t level;  /* index in mark_levels */
    double intensity_flop_per_byte, perf_flop_per_s;
};

/* A profiled point: a kernel, region or version. */
struct rfl_kernel {
    char name[160];    /* as the profiler has it, its end cut where it is longer */
    char brief[40];    /* without return type, scopes, template arguments, parameters */
    char instance[80]; /* as brief, with template arguments */
    size_t series;     /* what its colour stands for: a run, or itself */
    size_t order;      /* in the files */
    double time_s, scale, perf_flop_per_s;
    size_t first_mark, n_marks; /* in marks */
};

/* From a mark to that of the next kernel of its run at the same level; indexes in marks. */
struct rfl_arrow {
    size_t from, to;
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
    size_t n_types; /* of the flats that are drawn; 0: all */
    char types[RFL_MAX_WORK][8];
    size_t n_machines, n_kernels, n_marks, n_mark_levels, n_arrows;
    size_t n_series; /* runs by name; 0: each kernel has a colour of its own */
    struct rfl_scene_machine machines[RFL_MAX_MACHINES];
    struct rfl_kernel kernels[RFL_MAX_KERNELS]; /* the longest first */
    struct rfl_mark marks[RFL_MAX_MARKS];
    struct rfl_arrow arrows[RFL_MAX_MARKS];
    char mark_levels[RFL_MAX_TRAFFIC][16];
    char series[RFL_MAX_KERNELS][64];
    char notes[RFL_MAX_NOTES]
              [RFL_NOTE_TEXT]; /* the caption: what the chart cannot show, and why */
};

struct rfl_scene_device {
    const struct ert_ceilings *ceilings;
    size_t index; /* of the device */
};

/* What is drawn besides the roofs; all zero for nothing. */
struct rfl_scene_options {
    bool theory;     /* the theoretical peak of each roof */
    bool trajectory; /* arrows along a run, by scale, else in the files' order */
    const char
        *type; /* flats and operations of this type only; NULL: of those that the points
                          have, without points all; "all" */
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
 * there is not (the text lists those that there are) and for numbers out of range.
 */
enum ert_status rfl_scene_make_of(const struct rfl_scene_device *devices, size_t n,
                                  const struct rfl_scene_options *options,
                                  struct rfl_scene *scene, struct ert_error *error);

/* The roof of a level: of its name, else, for names of memory, the only memory. NULL: none. */
const struct rfl_roof *rfl_scene_level(const struct rfl_scene *scene, const char *level);

/*
 * Fills *scene from device `index` of the ceilings, without points. theory: also the theoretical
 * peak of each roof. ERT_UNAVAILABLE when the device has no ceiling of 1 (byte/s or flop/s) or
 * more; the text has the reason.
 */
enum ert_status rfl_scene_make(const struct ert_ceilings *ceilings, size_t index,
                               bool theory, struct rfl_scene *scene,
                               struct ert_error *error);

/* What a chart calls a compute ceiling, "FP64 FMA"; NULL for one that it does not draw. */
const char *rfl_scene_flat_name(const struct ert_compute_ceiling *ceiling);

/* Appends a note, once; the last that fits says that there were more. */
void rfl_scene_note(struct rfl_scene *scene, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
