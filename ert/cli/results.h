/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * results: writes the files of a run into its output folder: samples.json, ceilings.json, charts. They are
 * complete or absent, replace no existing ones, and all belong to one run; only one run at a time may write.
 * An invalid run never replaces a valid one. If the folder cannot be written, the files go elsewhere.
 */
#ifndef ERT_CLI_RESULTS_H
#define ERT_CLI_RESULTS_H

#include "analysis/core/chart/draw.h"
#include "ert/core/base/file.h"
#include "ert/core/ceilings/ceilings.h"
#include "ert/core/sweep/samples.h"

#include <stdio.h>

struct ert_cli_results {
    char folder[1024]; /* the files' folder, once finished */
    char infix[16];    /* of file names: "", or "-invalid" beside valid results */
    bool has_samples;
    bool checkpoint_failed; /* was reported */
    struct rfl_plots plots; /* the charts, with their final names */
    struct ert_file_lock lock;
};

/*
 * Makes and locks the folder. Results of a killed run get their final names if that had begun; else its files
 * are moved aside. ERT_FAILED if the folder cannot be written, or another run, named in the error, is using
 * it. Without locks in the file system, writes a note to `out`.
 */
enum ert_status ert_cli_results_open(const char *folder, struct ert_cli_results *results,
                                     FILE *out, struct ert_error *error);

/* Unlocks the folder; names of files in the struct remain valid. */
void ert_cli_results_close(struct ert_cli_results *results);

/*
 * Writes the samples so far to samples.partial.json, beside earlier results, which remain. A failure is
 * reported once on `out`, and does not end the run: ert_cli_results_finish() tries other places.
 */
void ert_cli_results_checkpoint(struct ert_cli_results *results,
                                const struct ert_samples *samples, FILE *out);

/*
 * Writes all files of the run; samples may be NULL (merged runs have none). Earlier results are moved aside
 * with one date; if they are valid and these are not, these get other names instead. Reports to `out`. If the
 * folder cannot be written, uses a new folder beside it or in $TMPDIR, or prints the ceilings to stdout, and
 * returns ERT_FAILED with the reason and the place.
 */
enum ert_status ert_cli_results_finish(struct ert_cli_results *results,
                                       const struct ert_samples *samples,
                                       const struct ert_ceilings *ceilings, FILE *out,
                                       struct ert_error *error);

/* "results/node/ceilings.json": the name of a file ("ceilings", "json"). Returns text. */
const char *ert_cli_results_name(const struct ert_cli_results *results, const char *base,
                                 const char *extension, char *text, size_t size);

/* Whether a run is valid: it ended, and all its devices are valid. */
bool ert_cli_results_valid(const struct ert_ceilings *ceilings);

#endif
