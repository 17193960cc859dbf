/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule: which case of a device is measured next: a pure function of the plan, the estimates so far and
 * the time. It measures nothing and reads no clock. Statistics are computed at the end of a round, not
 * between timed regions.
 *
 *   explore     all cases, config.rounds times, by priority, so that a budget that ends early cuts the least
 *               important ones; the main rooflines are always measured once
 *   candidates  those that decide a ceiling so far, until each has converged, at most config.candidate_rounds
 *               times; on CPUs those that `verify` judges come first, in case the budget ends
 *   main        on CPUs these again, until their intervals are as narrow as `verify` needs, at most three
 *               times as many rounds
 *
 * Then sustained rates, which have an order of their own.
 */
#ifndef ERT_SWEEP_SCHEDULE_H
#define ERT_SWEEP_SCHEDULE_H

#include "ert/core/sweep/samples.h"

/*
 * The order in which cases are explored: compute, latency, links, and loads at every fourth set; other
 * patterns likewise; the sets between these; lesser instruction sets and all other sections; the other costly
 * sets in memory, which must not take the time of what costs a hundredth (4 x 480 MiB of L3: 0.3 s each).
 */
enum ert_priority {
    ERT_PRIORITY_MAIN,
    ERT_PRIORITY_CEILINGS,
    ERT_PRIORITY_BETWEEN,
    ERT_PRIORITY_MORE,
    ERT_PRIORITY_COSTLY,
    ERT_N_PRIORITIES
};

/* What the schedule knows of a case. */
struct ert_turn {
    /* By the plan. */
    enum ert_priority priority;
    size_t curve;           /* the first case of the same kernel, path and variant */
    size_t place;           /* in that curve, from 0 */
    bool ends_curve;        /* no further case follows in it */
    size_t first_variant;   /* the first of the cases that differ in the variant only */
    bool compares_variants; /* all variants are measured at this set */
    bool is_main;   /* of the main roofline: multiply-adds of FP64 and FP32, and loads */
    bool is_costly; /* takes many regions' time: explored once, then every third round */
    int contest; /* cases of one contest compete for a roof that a power limit may lower; 0: none */
    double cost_s; /* estimated time of a sample with its preparation */
    /* So far. */
    double fastest; /* work rate of the fastest sample */
    double value;   /* estimated work rate at the end of the last round; 0: none */
    double width;   /* relative, of its interval; INFINITY below ERT_ENOUGH_SAMPLES */
    size_t n_noted, n_estimated; /* samples behind these numbers */
    bool cannot_sustain;         /* its sustained rate could not be measured */
};

struct ert_schedule {
    const struct ert_config *config;
    const struct ert_device *about;
    const struct ert_device_samples *device;
    size_t n;
    struct ert_turn *turns; /* n, owned */
    bool *chosen;           /* n, owned: the cases of the present stage */
    size_t stride;          /* between cases of a round; 1: a mode's order, no priorities */
    uint64_t n_rounds;      /* of candidates */
};

/* Makes the turns of a device's points. ERT_FAILED when memory runs out. */
enum ert_status ert_schedule_open(struct ert_schedule *schedule,
                                  const struct ert_config *config,
                                  const struct ert_device *about,
                                  const struct ert_device_samples *device,
                                  struct ert_error *error);
void ert_schedule_close(struct ert_schedule *schedule);

/* Takes note of the samples that a case got since the last call. */
void ert_schedule_note(struct ert_schedule *schedule, size_t index);

/* Estimates all cases that got samples since the last call. */
void ert_schedule_estimate(struct ert_schedule *schedule);

enum ert_stage {
    ERT_STAGE_EXPLORE,
    ERT_STAGE_SELECT,
    ERT_STAGE_JUDGED, /* the candidates that `verify` judges */
    ERT_STAGE_CANDIDATES,
    ERT_STAGE_MAIN,
    ERT_STAGE_END
};

/* Where a run is; all 0 at its beginning. */
struct ert_position {
    enum ert_stage stage;
    uint64_t round;
    enum ert_priority priority;
    size_t at;     /* the next place in the round's order */
    bool is_busy;  /* this round has measured something */
    bool is_cut;   /* the budget ended before all cases were explored */
    double done_s; /* estimated time of what is done */
};

enum ert_step_kind {
    ERT_STEP_MEASURE, /* the case */
    ERT_STEP_LEAVE, /* the case is left to another variant, which was faster at the nearest set of both */
    ERT_STEP_ESTIMATE, /* a round has ended */
    ERT_STEP_SELECT,   /* choose the candidates */
    ERT_STEP_END
};

struct ert_step {
    enum ert_step_kind kind;
    size_t index;       /* of the case */
    uint32_t n_samples; /* to take of it */
    bool is_checked;    /* verify its results after them, even where that takes long */
    struct ert_position next;
};

/* The step that follows a position, elapsed_s after the start of the device's run. Pure. */
struct ert_step ert_schedule_next(const struct ert_schedule *schedule,
                                  struct ert_position position, double elapsed_s);

/*
 * Finds the next chosen case whose sustained rate is to be measured; false: there is none. Of each contest
 * those that may be the fastest, in the order of their short regions, until the best sustained rate exceeds
 * the short regions of all others; the loads of a GPU's memory; with config.sustained_all the others. Pure.
 */
bool ert_schedule_sustain(const struct ert_schedule *schedule, size_t *index);

#endif
