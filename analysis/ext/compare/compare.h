/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compare: compares two records: the ceilings of two machines, dates or runs, or the points of two profiles.
 * Pure: it reads and prints nothing.
 *
 * stats/differ.h decides what counts as a change: a two-sample test of the rounds in both files (for older
 * files and for points: of the intervals) that allows for differences between runs of an unchanged machine.
 * It has the error rates of `ert verify` (ert/ext/verify/verify.h): a change that is below the detectable
 * difference and not known to be within the margin is "cannot tell". Exact numbers (counts) differ by more
 * than the margin or not, and a record equals itself. A note says how a ceiling's clock has changed.
 */
#ifndef RFL_COMPARE_H
#define RFL_COMPARE_H

#include "analysis/core/points/points.h"
#include "ert/core/ceilings/ceilings.h"
#include "ert/core/stats/differ.h"

enum rfl_verdict {
    RFL_SAME,
    RFL_FASTER, /* B: a higher rate, or a shorter time or latency */
    RFL_SLOWER,
    RFL_MORE, /* counts and intensities, which are neither better nor worse */
    RFL_LESS,
    RFL_UNSURE, /* the samples do not tell */
    RFL_ONLY_A,
    RFL_ONLY_B,
    RFL_N_VERDICTS
};

/* "same", "faster", ..., "cannot tell", "only in A". */
extern const char *const rfl_verdict_names[RFL_N_VERDICTS];

enum rfl_better { RFL_HIGHER, RFL_LOWER, RFL_NEITHER };

/* A value and its interval; low = high = value without one. value 0: none. */
struct rfl_range {
    double value, low, high;
    uint32_t n_samples; /* of the interval; 0 unknown */
};

/* One quantity in A and in B. Texts live as long as the comparison. */
struct rfl_change {
    const char *group; /* "gpu0"; points: the name and, in brackets, the run */
    const char *kind;  /* "compute", "memory", "latency" ...; "time", "work", "bytes" */
    const char *name;  /* "fp64-fma", "L1-load"; "time", "HBM bytes" */
    const char *unit;  /* "flop/s", "op/s", "inst/s", "byte/s", "s", "flop", "byte", "" */
    enum rfl_better better;
    struct rfl_range a, b;
    double ratio;      /* b / a; 0 if one is missing */
    double speed;      /* the same, but above 1 is better; 0 if neither is better */
    double sure;       /* ln(speed) is wrong by more once in 100,000 (differ.h); 0: exact */
    double detectable; /* slowdown that would be found: 0.03 is 3 %; 0 unknown */
    const struct ert_ceiling *of_a, *of_b; /* NULL once judged */
    bool is_of_moment; /* differences between runs are unknown: each side is a single run */
    bool is_sustained; /* a and b are; the rounds are still of short regions */
    enum rfl_verdict verdict;
    bool is_headline; /* for gates: every ceiling; a point's time, else its rate */
    const char *note; /* why one is missing, a change of the clock; "" none */
};

/* A difference between two machines: "gpu0: driver", and both values ("" unknown). */
struct rfl_difference {
    const char *what, *a, *b;
};

struct rfl_comparison {
    size_t n, capacity, n_differences, difference_capacity;
    struct rfl_change *changes;         /* malloc */
    struct rfl_difference *differences; /* malloc */
    size_t counts[RFL_N_VERDICTS];
    struct ert_strings notes; /* such as devices that only one side has */
    struct ert_strings strings;
};

struct rfl_compare_options {
    double margin;    /* relative, 0.01: 1 % */
    const char *only; /* only changes with this in "GROUP/NAME"; NULL: all */
};

/*
 * Compares each ceiling of each device: compute, memory and the extras. Devices match by id if the kind is
 * the same, else by kind in order; ceilings match by name. Fills in the differences of the machines; for a
 * ceiling that B did not measure, the note is B's reason.
 */
void rfl_compare_ceilings(const struct ert_ceilings *a, const struct ert_ceilings *b,
                          const struct rfl_compare_options *options,
                          struct rfl_comparison *comparison);

/*
 * Compares points. They match by name and run; the rest by name alone if it is unique among them on both
 * sides; and if each side has a single point, these, whatever their names (versions of one kernel). Per
 * point: time (its note: the factors of the speed-up), rate, operations, bytes and intensity per level,
 * launches, instructions, warps, threads, registers, and its values.
 */
void rfl_compare_points(const struct rfl_points *a, const struct rfl_points *b,
                        const struct rfl_compare_options *options,
                        struct rfl_comparison *comparison);

/* Compares versions of one code: each point with the previous one of the same run. */
void rfl_compare_steps(const struct rfl_points *points,
                       const struct rfl_compare_options *options,
                       struct rfl_comparison *comparison);

/*
 * Whether a headline's speed is below the ratio by more than its errors allow, on which a gate fails; how
 * often that is wrong: results/ci. False if a or b is missing.
 */
bool rfl_change_below(const struct rfl_change *change, double ratio);

/* The median speed of the headlines that both sides have; 0 when there is none. */
double rfl_comparison_median(const struct rfl_comparison *comparison);

/* Frees all; accepts an all-zero struct. */
void rfl_comparison_free(struct rfl_comparison *comparison);

/* Judges a change and appends it, unless the options filter it. */
void rfl_compare_add(struct rfl_comparison *comparison,
                     const struct rfl_compare_options *options, struct rfl_change change);

#endif
