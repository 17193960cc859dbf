/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * results: the files of a run in its output folder: samples.json, ceilings.json, charts. Written
 * whole or not at all, never over existing ones, and all of one run together; one run at a time. A run that
 * is not to be valid never takes the place of one that is. Where the folder takes no more, they go elsewhere.
 */
#ifndef ERT_CLI_RESULTS_H
#define ERT_CLI_RESULTS_H

#include "analysis/roofline.h"
#include "ert/base/file.h"
#include "ert/ceilings/ceilings.h"
#include "ert/sweep/samples.h"

#include <stdio.h>

struct ert_cli_results {
    char folder[1024]; /* where the files are, once finished */
    char infix[16];    /* of their names: "", or "-invalid" beside results that are valid */
    bool has_samples;
    bool checkpoint_failed; /* said once */
    struct rfl_plots plots; /* the charts, by their final names */
    struct ert_file_lock lock;
};

/*
 * Makes the folder and locks it. Of a run that was killed the results get their names where it had begun
 * with that; else what it left moves aside. ERT_FAILED when the folder cannot be written, or another run is
 * at work in it: who. Where its file system has no locks, `out` says so.
 */
enum ert_status ert_cli_results_open(const char *folder, struct ert_cli_results *results,
                                     FILE *out, struct ert_error *error);

/* Ends the lock; what the struct says of the files stays. */
void ert_cli_results_close(struct ert_cli_results *results);

/*
 * Writes the samples so far to samples.partial.json, beside the results of earlier runs, which stay.
 * A failure is said once on `out` and is none of the run: another place is tried.
 */
void ert_cli_results_checkpoint(struct ert_cli_results *results,
                                const struct ert_samples *samples, FILE *out);

/*
 * Writes all files of the run; samples may be NULL (a merge of several runs has none). Earlier
 * results move aside under one timestamp, unless they are valid and these are not: then these get
 * names of their own. What was done is said on `out`. Where the folder takes the files no more, they
 * go into a new folder beside it, or below $TMPDIR, or the ceilings to stdout: ERT_FAILED then, with
 * the reason and the place.
 */
enum ert_status ert_cli_results_finish(struct ert_cli_results *results,
                                       const struct ert_samples *samples,
                                       const struct ert_ceilings *ceilings, FILE *out,
                                       struct ert_error *error);

/* "results/node/ceilings.json": the name of one of the files ("ceilings", "json"). Returns text. */
const char *ert_cli_results_name(const struct ert_cli_results *results, const char *base,
                                 const char *extension, char *text, size_t size);

/* Whether a run can be relied on: it ended, and all its devices are valid. */
bool ert_cli_results_valid(const struct ert_ceilings *ceilings);

#endif
