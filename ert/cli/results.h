/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * results: writes the files of a run: samples.json, ceilings.json, charts. Each run has a folder of its own,
 * OUT/DATE. OUT/latest is a link to that of the latest run, and OUT/ceilings.json to the file there: one
 * rename changes all. An invalid run never takes the place of a valid one.
 */
#ifndef ERT_CLI_RESULTS_H
#define ERT_CLI_RESULTS_H

#include "analysis/core/chart/draw.h"
#include "ert/core/ceilings/ceilings.h"
#include "ert/core/sweep/samples.h"

#include <stdio.h>

struct ert_cli_results {
    char out[1024];    /* "": no links */
    char folder[1100]; /* the files' folder */
    bool is_latest;    /* OUT/latest is this run */
    bool has_samples;
    bool checkpoint_failed; /* was reported */
    struct rfl_plots plots; /* the charts */
};

/* Makes OUT and a new folder in it. ERT_USAGE for a name that is empty or too long; ERT_FAILED. */
enum ert_status ert_cli_results_open(const char *out, struct ert_cli_results *results,
                                     struct ert_error *error);

/* The same of one of several runs, by its number from 1: a folder run-N in that of all, without links. */
enum ert_status ert_cli_results_open_part(const struct ert_cli_results *all, size_t number,
                                          struct ert_cli_results *part,
                                          struct ert_error *error);

/* Removes the folder if nothing was written; names of files in the struct remain valid. */
void ert_cli_results_close(const struct ert_cli_results *results);

/* Writes the samples so far. A failure is reported once on `out`, and does not end the run. */
void ert_cli_results_checkpoint(struct ert_cli_results *results,
                                const struct ert_samples *samples, FILE *out);

/*
 * Writes all files of the run; samples may be NULL (merged runs have none). They become the latest unless
 * they are invalid and what is there is valid. ERT_FAILED: the folder cannot be written, or OUT cannot hold
 * links.
 */
enum ert_status ert_cli_results_finish(struct ert_cli_results *results,
                                       const struct ert_samples *samples,
                                       const struct ert_ceilings *ceilings,
                                       struct ert_error *error);

/* The name of a file of the run, by way of OUT if it is the latest, in text[size]; returns text. */
const char *ert_cli_results_name(const struct ert_cli_results *results, const char *file,
                                 char *text, size_t size);

/* Whether the run ended as planned and all its devices are valid. */
bool ert_cli_results_valid(const struct ert_ceilings *ceilings);

/*
 * answer.c: prints the end of a run: for each device its peaks, bandwidths, ridge points and shares of
 * theory, whether they are valid, and what to do if not; then the files and the next command. samples: of the
 * run; NULL for ceilings of several runs. Wraps at the terminal's width.
 */
void ert_cli_answer(FILE *out, const struct ert_ceilings *ceilings,
                    const struct ert_samples *samples,
                    const struct ert_cli_results *results);

/*
 * runs.c: merges runs[1..n) into runs[0]: one record of what is normal. Each ceiling of runs[0] gets the
 * median of its values over the runs that have it, the median of their fractions of theory, the spread
 * between runs (between, n_runs, runs_low, runs_high) and the interval of a further run; the rest
 * (configuration, clock, confidence, rounds) comes from the run whose value is nearest to the median. Roofs
 * are marked anew; a device that any run found not valid is not valid. Ceilings that only later runs have are
 * dropped.
 */
void ert_runs_merge(struct ert_ceilings *runs, size_t n);

/*
 * The greatest relative spread, (runs_high - runs_low) / value, over a device's compute and memory ceilings,
 * and that ceiling's name; 0 and NULL if none was run more than once.
 */
double ert_runs_spread(const struct ert_device_ceilings *device, const char **name);

#endif
