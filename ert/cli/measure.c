#include "ert/cli/measure.h"

#include "ert/ceilings/fit.h"
#include "ert/cli/progress.h"
#include "ert/sweep/run.h"

#include <signal.h>

/* The one global variable: a signal handler can reach nothing else. */
static volatile bool stop_requested;

static void request_stop(int signal_number)
{
    stop_requested = true;
    /* A second Ctrl-C ends the program the usual way, should a kernel hang. */
    signal(signal_number, SIG_DFL);
}

/* What the hooks of the measuring loop need. */
struct context {
    struct ert_cli_progress progress;
    struct ert_cli_results *results;
};

static void on_progress(const struct ert_progress *state, void *context)
{
    ert_cli_progress_show(state, &((struct context *)context)->progress);
}

bool ert_cli_has_samples(const struct ert_samples *samples)
{
    for (size_t d = 0; d < samples->n_devices; d++)
        for (size_t i = 0; i < samples->devices[d].n_points; i++)
            if (samples->devices[d].points[i].n_samples > 0)
                return true;
    return false;
}

static enum ert_status on_checkpoint(const struct ert_samples *samples, void *context,
                                     struct ert_error *error)
{
    struct context *run = context;
    (void)error;
    if (!run->results || !ert_cli_has_samples(samples))
        return ERT_OK;
    ert_cli_results_checkpoint(run->results, samples, stderr);
    return ERT_OK;
}

enum ert_status ert_cli_measure(struct ert_samples *samples,
                                struct ert_cli_results *results, struct ert_error *error)
{
    struct context context = {.results = results};
    const struct ert_run_hooks hooks = {.progress = on_progress,
                                        .checkpoint = on_checkpoint,
                                        .leaders = ert_fit_leaders,
                                        .context = &context,
                                        .stop = &stop_requested};
    ert_cli_progress_open(&context.progress, stderr, samples);
    signal(SIGINT, request_stop);
    signal(SIGTERM, request_stop);
    enum ert_status status = ert_run(samples, &hooks, error);
    ert_cli_progress_close(&context.progress);
    return status;
}
