/*
 * progress: shows how a run goes: one line that is rewritten on a terminal, a plain line for each
 * tenth elsewhere. Shares are of time, by the plan's estimate at first and by the speed so far later;
 * they never fall. What ends sooner than thought says how long it took.
 */
#ifndef ERT_CLI_PROGRESS_H
#define ERT_CLI_PROGRESS_H

#include "ert/sweep/run.h"

#include <stdbool.h>
#include <stdio.h>

/* One device of the run. */
struct ert_cli_progress_device {
    double start_s;    /* when it was first heard of; 0: not yet */
    double last_s;     /* and last */
    double estimate_s; /* by the plan, within the budget */
    double fraction;   /* of its time, as shown */
    int tenth;         /* last one that was shown in a line of its own */
};

struct ert_cli_progress {
    FILE *out;
    bool is_terminal;
    int columns;    /* of the terminal */
    double shown_s; /* when the line was last rewritten */
    const struct ert_samples *samples;
    struct ert_cli_progress_device devices[ERT_MAX_DEVICES];
};

/* samples: of the run, planned; they outlive the progress. */
void ert_cli_progress_open(struct ert_cli_progress *progress, FILE *out,
                           const struct ert_samples *samples);

/* For struct ert_run_hooks: context is struct ert_cli_progress. */
void ert_cli_progress_show(const struct ert_progress *state,
                           struct ert_cli_progress *progress);

/* Removes the terminal's line, and says how long each device took. */
void ert_cli_progress_close(struct ert_cli_progress *progress);

/*
 * Seconds that are left of a device's run, elapsed_s into it. The plan's estimate counts less the more
 * of the work is done, and what the run itself thinks (left_s, below 0: nothing yet) counts more.
 */
double ert_cli_progress_left(double estimate_s, double elapsed_s, double fraction,
                             double left_s);

#endif
