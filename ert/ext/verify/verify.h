/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify: measures recorded ceilings again, quickly, and compares, for example to check a node after
 * maintenance. Pure: it makes a plan from ceilings, and verdicts from two sets of numbers (stats/differ.h).
 * Ceilings that seem changed, and main ones that are not settled, are measured once more before the verdict.
 * A lower clock is a slower ceiling; how the clock changed stands beside each.
 */
#ifndef ERT_CEILINGS_VERIFY_H
#define ERT_CEILINGS_VERIFY_H

#include "ert/core/ceilings/ceilings.h"
#include "ert/core/fit/conditions.h"
#include "ert/core/stats/differ.h"
#include "ert/core/sweep/samples.h"

#include <stdio.h>

/*
 * Rounds over the winning points, and over those that are measured once more. Nine rounds show a slowdown
 * of 1 or 2 % on a quiet machine; 25 bring the false alarm rate down to the 1 in 100,000 that differ.h
 * states (results/error-rates).
 */
enum { ERT_VERIFY_ROUNDS = 9, ERT_VERIFY_MORE_ROUNDS = 16 };

/* The verdicts of a comparison, and one for a ceiling that could not be measured now. */
enum ert_verify_verdict {
    ERT_VERIFY_SAME = ERT_DIFFER_SAME,
    ERT_VERIFY_SLOWER = ERT_DIFFER_SLOWER,
    ERT_VERIFY_FASTER = ERT_DIFFER_FASTER,
    ERT_VERIFY_CANNOT_TELL = ERT_DIFFER_CANNOT_TELL,
    ERT_VERIFY_MISSING, /* the reason says why */
    ERT_N_VERIFY
};

/* "same", "slower", "faster", "cannot tell", "missing". */
extern const char *const ert_verify_words[ERT_N_VERIFY];

/* One ceiling, then and now. */
struct ert_verify_row {
    const struct ert_ceiling *recorded; /* in the recorded file */
    const char *device;
    char name[80];
    const char *operation; /* unit of `then` and `now`: "flop/s", "byte/s", "s" ... */
    bool is_main;          /* FP64 FMA, or a level's roof: no overall verdict without it */
    bool is_sustained;     /* the rate of a long run under a power limit, and its power */
    bool is_confirmed;     /* its verdict rests on two samples */
    bool is_boosted;       /* it follows a clock that moves by itself: a GPU's */
    bool is_shared; /* slower, but other guests of the host may use the same hardware */
    bool is_measured_more; /* the last ert_verify_plan_more() planned it */
    double then, now;      /* as measured */
    double like;           /* now, of the rounds that are compared: as differ.change says */
    double clock_change;   /* during the samples: -0.05 is 5 % lower; 0 unknown */
    double power_then_w, power_w; /* of a sustained row; 0 unknown */
    uint32_t n_samples;
    double between;  /* of runs of the machine now: from its first rounds' errors */
    double excluded; /* what "same" excludes at most */
    struct ert_differ differ; /* all 0 for a missing one */
    enum ert_verify_verdict verdict;
    char reason[192];           /* why it is missing, or cannot be told; else "" */
    size_t device_index, point; /* in the samples */
};

/*
 * Plans in samples->devices the winning configurations of the recorded compute, memory, latency and link
 * ceilings of the devices named by `device` ("all", "gpu", "cpu", "gpu0", "fake"); with `only`, not NULL,
 * those that have this text in their names. The caller has discovered samples->machine; samples->config is
 * set here, with budget_s per device (0: none). For CPU memory levels with large sets only the roof and load
 * are planned. *rows gets one row per point, not compared yet; the caller frees it, also after an error, and
 * keeps recorded and samples alive meanwhile. ERT_FAILED for a device that this machine lacks, if another one
 * is as recorded, else ERT_UNAVAILABLE; ERT_USAGE for another model, or if no such ceiling is recorded.
 */
enum ert_status ert_verify_plan(const struct ert_ceilings *recorded, const char *device,
                                const char *only, double budget_s,
                                struct ert_samples *samples, struct ert_verify_row **rows,
                                size_t *n, struct ert_error *error);

/* Compares each ceiling with the recorded one. margin: the least relative slowdown that counts: 0.01. */
void ert_verify_compare(struct ert_verify_row *rows, size_t n,
                        const struct ert_samples *samples, double margin);

/* Writes the name of the level that a row's ceiling is of, or "" for compute. */
void ert_verify_level(const struct ert_verify_row *row, char level[16]);

/*
 * The relative standard error of the present measurement, including differences between runs, and the median
 * clock of its samples (0: unknown); both are 0 for a missing ceiling.
 */
double ert_verify_error(const struct ert_verify_row *row, const struct ert_samples *samples,
                        double *clock_hz);

/*
 * Plans in *more, whose config is set and all else zero, what to measure once more: ceilings that seem to
 * have changed, and main ones that are not "same"; of those already confirmed, only the ones that are still
 * open (ert_verify_is_open). more->n_devices is 0 when there is nothing to measure.
 */
void ert_verify_plan_more(struct ert_verify_row *rows, size_t n,
                          const struct ert_samples *samples, struct ert_samples *more);

/*
 * Appends the samples of *more to *samples and judges again. "Slower" and "faster" need both samples
 * together at ERT_DIFFER_FALSE_ALARM, and the second alone at ERT_DIFFER_SUSPECT.
 */
enum ert_status ert_verify_confirm(struct ert_verify_row *rows, size_t n,
                                   struct ert_samples *samples,
                                   const struct ert_samples *more, double margin,
                                   struct ert_error *error);

/* Sets "cannot tell" and the reason for what a disturbance reaches. */
void ert_verify_disturbed(struct ert_verify_row *rows, size_t n,
                          const struct ert_device *device, enum ert_reach reach,
                          const char *reason);

/*
 * Sets "cannot tell" for slower ceilings of a virtual machine's CPU: other guests may use its memory, its
 * last-level cache and the other hardware threads of its cores, and no counter shows them (DRAM of a 2-CPU
 * VM: 88 GB/s, and 45 two minutes later; FP64 multiply-adds: 98 GFLOP/s and, for seconds, 49).
 */
void ert_verify_shared(struct ert_verify_row *rows, size_t n,
                       const struct ert_device *device);

/* Whether a ceiling is one that a strict verdict needs (main, or shared and slower) and "cannot tell". */
bool ert_verify_is_open(const struct ert_verify_row *row);

/*
 * verification.c: measures recorded ceilings again, for `ert verify` and `ert fleet node`: plan, run,
 * repeated measurements where needed, and the summary.
 */

struct ert_cli_verify_options {
    const char *device, *only; /* as of ert_verify_plan() */
    double margin;             /* the least relative slowdown that counts */
    double budget_s;           /* per device, and half as much for repeated measurements */
    bool dedicated, strict;
    FILE *progress; /* see ert_cli_measure() */
};

/* The defaults. */
#define ERT_CLI_VERIFY_OPTIONS                                                             \
    {                                                                                      \
        .device = "all", .margin = 0.01, .budget_s = 30                                    \
    }

struct ert_cli_verification {
    struct ert_cli_verify_options options;
    struct ert_ceilings recorded;
    struct ert_samples *samples; /* malloc, owned */
    struct ert_verify_row *rows; /* malloc, owned */
    size_t n;
};

/*
 * Reads the recorded file and finds the devices of this machine. The caller closes *verification, also after
 * an error. argc, argv: for the provenance.
 */
enum ert_status ert_cli_verify_open(const char *file,
                                    const struct ert_cli_verify_options *options, int argc,
                                    char *const *argv,
                                    struct ert_cli_verification *verification,
                                    struct ert_error *error);
void ert_cli_verify_close(struct ert_cli_verification *verification);

/* As ert_verify_plan(): ERT_USAGE if a device is of another model than the recorded one. */
enum ert_status ert_cli_verify_plan(struct ert_cli_verification *verification,
                                    struct ert_error *error);

/* Measures and compares. Returns the status of the run; the rows are valid in any case. */
enum ert_status ert_cli_verify_measure(struct ert_cli_verification *verification,
                                       struct ert_error *error);

/* The summary, which determines the exit code. */
struct ert_cli_verify_summary {
    size_t counts[ERT_N_VERIFY], n_open;
    const struct ert_verify_row *open;      /* the first of those open */
    const struct ert_verify_row *slow_core; /* of a VM: slower, though only cores use it */
    const char *not_judged; /* a device none of whose main ceilings can be judged */
};

struct ert_cli_verify_summary
ert_cli_verify_summarize(const struct ert_cli_verification *verification);

/*
 * ERT_FAILED if any is slower or missing, or if a cgroup grants fewer CPUs than the recorded run had threads;
 * ERT_NOT_VALID if no main ceiling of a device can be judged, or (strict) any cannot, or if what only the
 * cores of a virtual machine use is slower, as other guests on them would make it.
 */
enum ert_status ert_cli_verify_judge(const struct ert_cli_verification *verification,
                                     struct ert_error *error);

#endif
