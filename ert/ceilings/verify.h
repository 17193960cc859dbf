/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify: the same ceilings measured again, quickly, and compared with what was recorded: the check
 * of a node after maintenance. Pure: a plan from ceilings, and verdicts from two sets of numbers
 * (stats/differ.h). What looks slower, and what decides and is not settled, is measured once more before it
 * is called. What follows the device's clock is compared per cycle, and the clock has a row of its own
 * (ceilings/clock.h).
 */
#ifndef ERT_CEILINGS_VERIFY_H
#define ERT_CEILINGS_VERIFY_H

#include "ert/ceilings/ceilings.h"
#include "ert/stats/differ.h"
#include "ert/sweep/samples.h"

/*
 * Rounds over the winning points, and over those that are measured once more. Nine rounds show on a
 * quiet machine what is 1 or 2 % slower; 25 bring the false alarms of the whole to the 1 in 100,000 that
 * differ.h promises (results/error-rates).
 */
enum { ERT_VERIFY_ROUNDS = 9, ERT_VERIFY_MORE_ROUNDS = 16 };

/* Those of a comparison, and of what was not measured now. */
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

/* One ceiling then and now, or a device's clock. Rates in its unit; of a latency seconds, of a clock Hz. */
struct ert_verify_row {
    const struct ert_ceiling
        *recorded; /* the recorded file's, as are the texts; NULL of a clock */
    const char *device, *name;
    const char *operation; /* unit: "flop/s", "byte/s", "s", "Hz" */
    bool is_main;      /* FP64 FMA, or a level's best bandwidth: no verdict without it */
    bool is_confirmed; /* its verdict is of two samples */
    bool is_shared;    /* slower, but of hardware that other guests of the host may use */
    bool is_measured_more; /* it is among what was planned last to be measured once more */
    bool is_per_cycle; /* judged by cycles, of the clock that stands in a row of its own */
    size_t n_follow;   /* of a clock: how many are; else 0 */
    size_t n_before;   /* samples before those that were measured once more last */
    double then, now;  /* as measured, also of what is judged per cycle */
    uint32_t n_samples;
    double between_then,
        between; /* what runs differ by, as the file and this run's drift say */
    struct ert_differ differ; /* of a missing one all 0 */
    enum ert_verify_verdict verdict;
    char reason[192];           /* why it is missing, or why nobody can tell; else "" */
    size_t device_index, point; /* in the samples */
};

/*
 * Fills samples->devices from the winning configurations of compute, memory, latency and link
 * ceilings of the devices named by `device` ("all", "gpu", "cpu", "gpu0", "fake"), for
 * samples->machine, which the caller has discovered; the config's rounds and budget (of a device; 0:
 * none) are set. Of a memory level of CPUs whose sets take long only the roof and load are measured.
 * *rows, also after an error the caller's (free): one of each point, not compared yet; recorded and samples
 * must outlive them. ERT_UNAVAILABLE for a device that this machine lacks, ERT_USAGE where it is another
 * model than the recorded one.
 */
enum ert_status ert_verify_plan(const struct ert_ceilings *recorded, const char *device,
                                double budget_s, struct ert_samples *samples,
                                struct ert_verify_row **rows, size_t *n,
                                struct ert_error *error);

/*
 * Compares each ceiling with what was recorded, with the margin that "same" excludes (relative, such
 * as 0.01). Appends a row for the clock of each device whose ceilings are judged per cycle.
 */
void ert_verify_compare(struct ert_verify_row **rows, size_t *n,
                        const struct ert_ceilings *recorded,
                        const struct ert_samples *samples, double margin);

/* What a row's ceiling is of: a level, by its name, or "" for compute. */
void ert_verify_level(const struct ert_verify_row *row, char level[16]);

/*
 * The relative standard error of what was measured now, runs' differences included, and the median clock of
 * its samples (0: unknown); both 0 of a clock's row and of what is missing.
 */
double ert_verify_error(const struct ert_verify_row *row, const struct ert_samples *samples,
                        double *clock_hz);

/*
 * Plans what is to be measured once more into *more, whose config is set and all else zero: ceilings that
 * seem to have changed, and main ones that are not settled; of those that were measured once more already
 * the main ones that allow no verdict (ert_verify_is_open with `limit`). more->n_devices is 0 when there
 * is none.
 */
void ert_verify_plan_more(struct ert_verify_row *rows, size_t n, double limit,
                          const struct ert_samples *samples, struct ert_samples *more);

/*
 * Appends the samples of *more to *samples and judges again. "Slower" and "faster" are what both say
 * together at the chance of a false alarm, and the second alone as a suspicion.
 */
enum ert_status ert_verify_confirm(struct ert_verify_row *rows, size_t n,
                                   struct ert_samples *samples,
                                   const struct ert_samples *more, double margin,
                                   struct ert_error *error);

/*
 * Of a disturbed device, for the reason given, nobody can tell what is slower or faster, nor how the main
 * ceilings are.
 */
void ert_verify_disturbed(struct ert_verify_row *rows, size_t n, const char *device,
                          const char *reason);

/*
 * Of a virtual machine: of its memory and last cache nobody can tell whether they are slower or other guests
 * use them, whose traffic shows in no account (DRAM of a 2-CPU VM: 88 GB/s, and 45 two minutes later).
 */
void ert_verify_shared(struct ert_verify_row *rows, size_t n,
                       const struct ert_device *device);

/*
 * Whether a ceiling, a main one or one that looked slower and may be shared, allows no verdict: it cannot be
 * told, and a slowdown of `limit` would not have been found either, or it may well be slower (1 chance in
 * 1000 that it is not), or its device was disturbed.
 */
bool ert_verify_is_open(const struct ert_verify_row *row, double limit);

#endif
