/*
 * results: the files of a run in its output folder, written whole or not at all, never over
 * existing ones.
 */
#ifndef ERT_CLI_RESULTS_H
#define ERT_CLI_RESULTS_H

#include "ert/ceilings/ceilings.h"
#include "ert/sweep/samples.h"

#include <stdio.h>

struct ert_cli_results {
    bool begun; /* older results were moved aside, and this run's are being written */
    char folder[1024];
    char samples[1088], ceilings[1088], chart[1088];
};

/* Makes the folder and checks that it can be written. ERT_FAILED with the reason. */
enum ert_status ert_cli_results_open(const char *folder, struct ert_cli_results *results,
                                     struct ert_error *error);

/*
 * Writes samples.json. The first call moves results that are there already to timestamped names,
 * saying so on `out`: a run that measures nothing leaves them alone.
 */
enum ert_status ert_cli_results_samples(struct ert_cli_results *results,
                                        const struct ert_samples *samples, FILE *out,
                                        struct ert_error *error);

/*
 * Writes ceilings.json and the charts (moving older ones first, when samples did not), prints the
 * table and the text charts.
 */
enum ert_status ert_cli_results_finish(struct ert_cli_results *results,
                                       const struct ert_ceilings *ceilings, FILE *out,
                                       struct ert_error *error);

#endif
