/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compare: two records side by side: the ceilings of two machines, dates or runs; one record against
 * its theoretical peaks; or the points of two profiles. Pure: it reads and prints nothing.
 *
 * What a change is, stats/differ.h says: a test of two samples, the rounds that both files hold (of
 * older files and of points the intervals), with what runs of an unchanged machine differ by. It has the
 * error rates of `ert verify` (ert/ceilings/verify.h): what is smaller than the detectable difference and
 * not known to be within the margin is "cannot tell". Exact numbers (counts) differ by more than the
 * margin or not, and a record is the same as itself. Ceilings that follow the device's clock are compared per
 * cycle, and the clock once, in a row of its own (ert/ceilings/clock.h).
 */
#ifndef RFL_COMPARE_H
#define RFL_COMPARE_H

#include "analysis/points.h"
#include "analysis/strings.h"
#include "ert/ceilings/ceilings.h"
#include "ert/ceilings/clock.h"
#include "ert/stats/differ.h"

enum rfl_verdict {
    RFL_SAME,
    RFL_FASTER, /* B: a higher rate, or a shorter time or latency */
    RFL_SLOWER,
    RFL_MORE, /* counts and intensities, which are neither better nor worse */
    RFL_LESS,
    RFL_UNSURE, /* the samples do not tell */
    RFL_ONLY_A,
    RFL_ONLY_B,
    RFL_CHECK,     /* against theory: above it by more than it is uncertain */
    RFL_LOW,       /* against theory: less than 70 % of it */
    RFL_UNDER,     /* against theory: as is usual below it */
    RFL_NO_THEORY, /* no peak is known */
    RFL_N_VERDICTS
};

enum rfl_better { RFL_HIGHER, RFL_LOWER, RFL_NEITHER };

/* A value and its interval; low = high = value where none is known. value 0: there is none. */
struct rfl_range {
    double value, low, high;
    uint32_t n_samples; /* behind the interval; 0 unknown */
};

/* One quantity in A and in B. Texts live as long as the comparison. */
struct rfl_change {
    const char *group; /* "gpu0"; of points the name and, in brackets, the run */
    const char *kind;  /* "compute", "memory", "latency" ...; "time", "work", "bytes" */
    const char *name;  /* "fp64-fma", "L1-load"; "time", "HBM bytes" */
    const char *unit;  /* "flop/s", "op/s", "inst/s", "byte/s", "s", "flop", "byte", "" */
    enum rfl_better better;
    struct rfl_range a, b; /* against theory: a is the peak */
    double ratio;          /* b / a; 0 where one is missing */
    double speed;          /* the same, above 1 is better; 0 for what is neither */
    double detectable;     /* slowdown that would be found: 0.03 is 3 %; 0 unknown */
    const struct ert_ceiling *of_a, *of_b; /* NULL once judged */
    const struct ert_clock_pair *
        of_clock; /* where ceilings of the device follow its clock; NULL: none does, or judged */
    bool is_per_cycle; /* the verdict and what is detectable are; a, b and ratio are not */
    bool is_of_moment; /* what runs differ by is unknown, as neither side is of several */
    bool
        is_sustained; /* a and b are sustained rates, of_a's and of_b's rounds short regions' */
    enum rfl_verdict verdict;
    bool is_headline; /* for gates: every ceiling; a point's time, else its rate */
    const char *note; /* why one is missing, the clock of the theory; "" none */
};

/* What differs between two machines: "gpu0: driver", and both values ("" not known). */
struct rfl_difference {
    const char *what, *a, *b;
};

struct rfl_comparison {
    size_t n, capacity, n_differences, difference_capacity, n_notes, note_capacity;
    struct rfl_change *changes;         /* malloc */
    struct rfl_difference *differences; /* malloc */
    const char **notes; /* malloc; devices that only one has; points that are doubled */
    size_t counts[RFL_N_VERDICTS];
    struct ert_strings strings;
};

struct rfl_compare_options {
    double margin;    /* relative, 0.01: 1 % */
    const char *only; /* only what contains this in "GROUP/NAME"; NULL: all */
};

/*
 * Each ceiling of each device: compute, memory and the extras. Devices match by id where the kind is
 * the same, else by kind in order; ceilings by name. Differences of the machines are filled in; B's
 * reason of a ceiling that was not measured is its note.
 */
void rfl_compare_ceilings(const struct ert_ceilings *a, const struct ert_ceilings *b,
                          const struct rfl_compare_options *options,
                          struct rfl_comparison *comparison);

/*
 * Each ceiling (b) against the theoretical peak that it is judged by (a); the note has the
 * peak's formula with the clock that was used, and where there is no peak why, as far as the file says.
 */
void rfl_compare_theory(const struct ert_ceilings *ceilings,
                        const struct rfl_compare_options *options,
                        struct rfl_comparison *comparison);

/*
 * Points by name and run; those left over by name alone where it is unique among them on both sides;
 * and where each side has a single point, these, whatever their names (versions of one kernel).
 * Per point: time (its note: the factors of the speed-up), rate, operations, bytes and intensity per
 * level, launches, instructions, warps, threads, registers, and its values.
 */
void rfl_compare_points(const struct rfl_points *a, const struct rfl_points *b,
                        const struct rfl_compare_options *options,
                        struct rfl_comparison *comparison);

/* Versions of one code: each point against the one before it of the same run. */
void rfl_compare_steps(const struct rfl_points *points,
                       const struct rfl_compare_options *options,
                       struct rfl_comparison *comparison);

/*
 * Whether a headline's speed is below the ratio by all of b's interval: what a gate fails on.
 * false where a or b is missing.
 */
bool rfl_change_below(const struct rfl_change *change, double ratio);

/* "same", "faster", ..., "cannot tell", "only in A", "check". */
const char *rfl_verdict_name(enum rfl_verdict verdict);

/* The median of the speeds of the headlines that are in both; 0 when there is none. */
double rfl_comparison_median(const struct rfl_comparison *comparison);

/* Frees all; all zero is fine. */
void rfl_comparison_free(struct rfl_comparison *comparison);

/* Judges a change and appends it, unless the options filter it. */
void rfl_compare_add(struct rfl_comparison *comparison,
                     const struct rfl_compare_options *options, struct rfl_change change);

#endif
