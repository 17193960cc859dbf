/*
 * progress: shows how a run goes: one line that is rewritten on a terminal, a plain line for each
 * tenth elsewhere.
 */
#ifndef ERT_CLI_PROGRESS_H
#define ERT_CLI_PROGRESS_H

#include "ert/sweep/run.h"

#include <stdbool.h>
#include <stdio.h>

struct ert_cli_progress {
    FILE *out;
    bool is_terminal;
    int columns;     /* of the terminal */
    char device[16]; /* that the last line was about */
    int tenth;       /* last tenth shown */
    double shown_s;  /* when the line was last rewritten */
};

void ert_cli_progress_open(struct ert_cli_progress *progress, FILE *out);

/* For struct ert_run_hooks: context is struct ert_cli_progress. */
void ert_cli_progress_show(const struct ert_progress *state,
                           struct ert_cli_progress *progress);

/* Removes the terminal's line. */
void ert_cli_progress_close(struct ert_cli_progress *progress);

#endif
