/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * place: places points under the roofs of a device: the intensity per level, the roof that bounds a point,
 * how far the point is from it, and advice. Pure. A placer selects the device, and for each point the roofs
 * for the clock and the concurrency that it had.
 *
 * One computation serves the hierarchical and the time-based roofline: each level and each unit would take
 * some time if it worked alone (bytes / bandwidth, operations / peak); the longest bounds the code, and its
 * share of the real time is the fraction of that roof. attainable = flops / longest.
 */
#ifndef RFL_PLACE_H
#define RFL_PLACE_H

#include "analysis/core/place/roofs.h"
#include "analysis/core/points/points.h"

/* ---- the roof of a level for a share of reads (curve.c) ---- */

/* What is known about the accesses to a level. */
struct rfl_accesses {
    double read_share; /* 0 to 1; NaN unknown */
    bool is_actual;    /* share of the bytes that move; else of the useful ones */
    bool is_streaming; /* the code's stores are non-temporal */
};

/* The roof of a level for such accesses. */
struct rfl_reach {
    double bytes_per_s; /* the most that is attainable; 0: the level has no ceiling */
    double low; /* the least that the roof can be; the same where the share decides it */
    double measured; /* bytes_per_s before adjustment for clock and concurrency */
    /* The nearest pattern that it is derived from: for clock, warning and joules; NULL none. */
    const struct rfl_bandwidth *roof;
    char name[48];  /* "load", "58 % reads", "store .. triad" */
    char note[200]; /* how it was derived, without full stop; "" nothing to say */
};

struct rfl_reach rfl_curve_reach(const struct rfl_roofs *roofs, const char *level,
                                 const struct rfl_accesses *accesses);

/* ---- points under roofs ---- */

enum { RFL_ADVICE_TEXT = 768 };

/* What can bound a point: a level's bandwidth, a unit's peak, or the issue of instructions. */
enum rfl_bound { RFL_BOUND_NONE, RFL_BOUND_LEVEL, RFL_BOUND_UNIT, RFL_BOUND_ISSUE };

/* One such bound, with its roof. */
struct rfl_placed {
    enum rfl_bound kind;
    /* The roof's level, else the traffic's; "FP64 FMA 58 %", "FP64 no FMA", "FP16 tensor"; "issue". */
    char name[48];
    const char *unit; /* of reached, value, low and measured: "byte/s", "flop/s" ... */
    const struct rfl_rate *rate; /* the roof comes from it; NULL: none, or issue */
    double reached;              /* 0 without time */
    double value;    /* the roof for the point's reads and writes, or FMA share; 0 none */
    double low;      /* the least that the roof can be (reach.low); else the same */
    double measured; /* the roof before adjustment for clock and concurrency; 0 unknown */
    double alone_s;  /* time if only this worked; 0 without roof */
    double fraction; /* of value: alone_s / time_s; 0 unknown */
    /* Its range, from the intervals of the roof and of the time, and from value to low. */
    double least, most;
    bool is_burst; /* the code ends before the clock falls: its roof is the burst rate */

    /* For a level. */
    const struct rfl_traffic *traffic;
    struct rfl_reach reach;         /* the roof as measured for its reads and writes */
    double intensity_flop_per_byte; /* all operations / bytes; 0 without operations */
    double attainable_flop_per_s;   /* intensity * value */

    /* For a unit. */
    const struct rfl_work *work;
    /* The peak if each FMA reads three different registers (roofs.h); 0 unknown, or without FMA. */
    double operand_peak_flop_per_s;
    bool is_near_operands; /* half of that peak or more: worth a row and a sentence */
};

struct rfl_placement {
    const struct rfl_point *point;
    const struct rfl_roofs *roofs;      /* the roofs it was placed under */
    double flops, perf_flop_per_s;      /* 0 unknown */
    size_t n_levels, n_units, n_placed; /* n_placed includes issue, if known */
    /* Levels, innermost first; units, the longest first; issue. */
    struct rfl_placed placed[RFL_MAX_TRAFFIC + RFL_MAX_WORK + 1];
    enum rfl_bound bound;
    size_t bound_index;           /* in placed */
    char bound_name[48];          /* "HBM", "FP64 FMA 58 %", "issue" */
    double fraction;              /* of the binding roof; 0 without time; above 1 is kept */
    double least, most;           /* as in struct rfl_placed */
    double attainable_flop_per_s; /* under all roofs; 0 without operations */
    char next_name[48]; /* the roof that bounds once the first is lifted, "" none */
    double headroom;    /* until then: the next roof's time / the bound's, at most 1 */
    double saved_s;     /* time saved by running at the binding roof; 0: none, or unknown */
    char advice[RFL_ADVICE_TEXT]; /* one plain sentence, or "" */
    char hint[64];                /* the same in a few words: what to do */
};

/* Whether the ends of a fraction's range differ by more than a table of percentages should hide. */
static inline bool rfl_is_range(double least, double most)
{
    return most > 1.03 * least;
}

/* Never fails: unknown numbers are 0. */
void rfl_place(const struct rfl_point *point, const struct rfl_roofs *roofs,
               struct rfl_placement *placement);

/*
 * Fills advice and hint of a placement that is otherwise complete; may withdraw its saved_s. An extension
 * defines it; NULL: this build gives no advice.
 */
extern void (*const rfl_advise)(struct rfl_placement *placement);

struct rfl_placer_options {
    const char *device; /* "gpu0"; NULL: see rfl_placer_open() */
    bool force;         /* accept a profile of another kind of device than the ceilings' */
    /* The clock of the roofs: RFL_OF_CODE (if the point has it), RFL_OF_SWEEP, or a number. */
    double clock_hz;
    /* Warps per SM or threads of the roofs: RFL_OF_CODE, RFL_OF_SWEEP (all), or a number. */
    double concurrency;
};

#define RFL_OF_CODE  0.
#define RFL_OF_SWEEP (-1.)

struct rfl_placer {
    const struct ert_ceilings *ceilings; /* the caller's; must outlive the placer */
    size_t device;
    struct rfl_placer_options options;
    struct rfl_roofs_options conditions; /* of *roofs */
    struct rfl_roofs *roofs;             /* malloc */
    char mismatch[160]; /* the points were counted on another kind of device, or "" */
};

/*
 * Selects the device: options->device, the only one, or, for points from a profiler of GPUs or CPUs, the one
 * of that kind that the profile names, else the first. points may be NULL. ERT_USAGE, with the devices, when
 * none of these applies, and, with the point, when it was counted on another kind of device (unless
 * options->force); ERT_UNAVAILABLE when the device has no ceiling.
 */
enum ert_status rfl_placer_open(const struct ert_ceilings *ceilings,
                                const struct rfl_points *points,
                                const struct rfl_placer_options *options,
                                struct rfl_placer *placer, struct ert_error *error);

/*
 * Whether a point can be of the placer's device: false if its profiler measures only the other kind (an
 * Nsight Compute profile and a CPU), or if it has warps per SM and the device is a CPU.
 */
bool rfl_placer_suits(const struct rfl_placer *placer, const struct rfl_point *point);

/*
 * Places a point; successive points with the same conditions share their roofs. It is placed under
 * placer->roofs, which are valid until the next call.
 */
void rfl_placer_place(struct rfl_placer *placer, const struct rfl_point *point,
                      struct rfl_placement *placement);

/* Frees all; accepts NULL and an all-zero struct. */
void rfl_placer_close(struct rfl_placer *placer);

#endif
