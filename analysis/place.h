/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * place: points under the roofs of a device: the intensity per level, which roof bounds a point, how far
 * it is from it, and what that says. Pure. A placer chooses the device, and for each point the roofs
 * for the clock and the concurrency that it had.
 *
 * One view serves hierarchical roofline and the time-based view: each level and each unit would take
 * a time of its own if it alone worked (bytes / bandwidth, operations / peak); the longest bounds the
 * code, and its share of the real time is the fraction of that roof. attainable = flops / longest.
 */
#ifndef RFL_PLACE_H
#define RFL_PLACE_H

#include "analysis/curve.h"
#include "analysis/points.h"
#include "analysis/roofs.h"

enum { RFL_ADVICE_TEXT = 768 };

/* What bounds: a level's bandwidth, a unit's peak, or the issue of instructions. */
enum rfl_bound { RFL_BOUND_NONE, RFL_BOUND_LEVEL, RFL_BOUND_UNIT, RFL_BOUND_ISSUE };

/* One of them, with its roof. */
struct rfl_placed {
    enum rfl_bound kind;
    /* The roof's level, without one the traffic's; "FP64 FMA 58 %", "FP64 no FMA", "FP16 tensor"; "issue". */
    char name[48];
    const char *unit; /* of reached, value, low and measured: "byte/s", "flop/s" ... */
    const struct rfl_rate *rate; /* that the roof is taken from; NULL: none, or of issue */
    double reached;              /* 0 without time */
    double value;    /* of the roof for its reads and writes, or its FMA share; 0 none */
    double low;      /* the least that it can be (reach.low); else the same */
    double measured; /* the roof before clock and concurrency were taken in; 0 unknown */
    double alone_s;  /* that it would take if it alone worked; 0 without roof */
    double fraction, fraction_high; /* of value and of low: alone_s / time_s; 0 unknown */
    bool is_burst; /* the code ends before the clock falls: its roof is the burst one */

    /* Of a level. */
    const struct rfl_traffic *traffic;
    struct rfl_reach reach;         /* the roof as measured for its reads and writes */
    double intensity_flop_per_byte; /* all operations / bytes; 0 without operations */
    double attainable_flop_per_s;   /* intensity * value */

    /* Of a unit. */
    const struct rfl_work *work;
    /* If each FMA reads three different registers (roofs.h); 0 unknown, or without FMA. */
    double operand_peak_flop_per_s;
    bool is_near_operands; /* half of that or more: then it is worth a row and a sentence */
};

struct rfl_placement {
    const struct rfl_point *point;
    const struct rfl_roofs *roofs;      /* that it was placed under */
    double flops, perf_flop_per_s;      /* 0 unknown */
    size_t n_levels, n_units, n_placed; /* the last: with the issue, where that is known */
    /* Levels, innermost first; units, the longest first; issue. */
    struct rfl_placed placed[RFL_MAX_TRAFFIC + RFL_MAX_WORK + 1];
    enum rfl_bound bound;
    size_t bound_index;           /* in placed */
    char bound_name[48];          /* "HBM", "FP64 FMA 58 %", "issue" */
    double fraction;              /* of the binding roof; 0 without time; above 1 is kept */
    double fraction_high;         /* as of a placed level */
    double attainable_flop_per_s; /* under all roofs; 0 without operations */
    char next_name[48]; /* the roof that bounds when the first is lifted, "" none */
    double headroom;    /* how much faster until then: next's time / bound's, at most 1 */
    double
        saved_s; /* of its time, that the binding roof would save; 0: none, or not known */
    char advice[RFL_ADVICE_TEXT]; /* one plain sentence */
    char hint[40];                /* the same in a few words: what to do */
};

/* Never fails: what is not known is 0, and the advice says what is missing. */
void rfl_place(const struct rfl_point *point, const struct rfl_roofs *roofs,
               struct rfl_placement *placement);

struct rfl_placer_options {
    const char *
        device; /* "gpu0"; NULL: the only one, or of the profile's kind that it names, or the first */
    bool theory; /* theoretical peaks where there are such */
    bool force;  /* also a profile of another kind of device than the ceilings' */
    /* The clock of the roofs: RFL_OF_CODE where the point knows it, RFL_OF_SWEEP, or a number. */
    double clock_hz;
    /* Warps per SM or threads of the roofs: RFL_OF_CODE, RFL_OF_SWEEP (all), or a number. */
    double concurrency;
};

#define RFL_OF_CODE  0.
#define RFL_OF_SWEEP (-1.)

struct rfl_placer {
    const struct ert_ceilings *ceilings; /* the caller's, outlive the placer */
    size_t device;
    struct rfl_placer_options options;
    struct rfl_roofs_options conditions; /* that *roofs is for */
    struct rfl_roofs *roofs;             /* malloc */
    char mismatch[160]; /* the points were counted on another kind of device, or "" */
};

/*
 * Chooses the device: of the name, the only one, or, for points of a profiler of GPUs or CPUs, the
 * first of that kind. points may be NULL. ERT_USAGE lists the devices when it is not to be told,
 * and names a point that was counted on another kind of device (unless options->force);
 * ERT_UNAVAILABLE when the device has no ceiling.
 */
enum ert_status rfl_placer_open(const struct ert_ceilings *ceilings,
                                const struct rfl_points *points,
                                const struct rfl_placer_options *options,
                                struct rfl_placer *placer, struct ert_error *error);

/*
 * Whether a point can be of the placer's device: false for a format of a profiler that sees the other
 * kind only (an Nsight Compute profile and a CPU).
 */
bool rfl_placer_suits(const struct rfl_placer *placer, const struct rfl_point *point);

/*
 * Places a point; points in a row with the same conditions share their roofs. placer->roofs, until the next
 * call, are those it was placed under.
 */
void rfl_placer_place(struct rfl_placer *placer, const struct rfl_point *point,
                      struct rfl_placement *placement);

/* Frees all; all zero or NULL is fine. */
void rfl_placer_close(struct rfl_placer *placer);

#endif
