/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/cli/measure.h"

#include "ert/core/backend/backend.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/units.h"
#include "ert/core/fit/fit.h"
#include "ert/core/machine/discover.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* "fake" and "fake1" select the backend of that name. */
static bool names_planted(const char *word)
{
    for (size_t i = 0; ert_backends()[i]; i++)
        if (ert_backends()[i]->is_fake &&
            strncmp(word, ert_backends()[i]->name, strlen(ert_backends()[i]->name)) == 0)
            return true;
    return false;
}

enum ert_status ert_cli_devices(const char *word, int argc, char *const *argv,
                                struct ert_machine *machine, struct ert_error *error)
{
    bool lacks_gpu = strncmp(word, "gpu", 3) == 0;
    char reasons[ERT_MAX_BACKENDS][256] = {""};
    const char *no_gpu = NULL;
    ERT_TRY(ert_backend_discover(names_planted(word), machine, reasons, error));
    for (size_t i = 0; ert_backends()[i]; i++)
        if (ert_backends()[i]->has_gpus && *reasons[i] && !no_gpu)
            no_gpu = reasons[i];
    for (uint32_t i = 0; i < machine->n_devices; i++)
        lacks_gpu = lacks_gpu && machine->devices[i].kind != ERT_DEVICE_GPU;
    if (lacks_gpu)
        return ert_fail(error, ERT_UNAVAILABLE, "no device '%s' on this machine: %s", word,
                        no_gpu ? no_gpu : "no backend reports a GPU");
    ert_discover_provenance(machine, argc, argv);
    char words[sizeof machine->provenance.command];
    memcpy(words, machine->provenance.command, sizeof words);
    snprintf(machine->provenance.command, sizeof machine->provenance.command,
             "ert run%s%.500s", *words ? " " : "", words);
    return ERT_OK;
}

/*
 * Progress: a line for each tenth. Shares are of time, at first from the plan's estimate and later from the
 * speed so far; they never fall. A run that ends early prints its time.
 */

/* One device of the run. */
struct shown_device {
    double start_s;    /* its first progress; 0: none yet */
    double last_s;     /* its latest progress */
    double estimate_s; /* from the plan, within the budget */
    double fraction;   /* of its time, as shown */
    int tenth;         /* the last one with its own line */
};

struct progress {
    FILE *out;
    const struct ert_samples *samples;
    struct shown_device devices[ERT_MAX_DEVICES];
};

/* Seconds left after elapsed_s: by the run's own estimate (below 0: none yet), else by the plan's. */
static double seconds_left(double estimate_s, double elapsed_s, double left_s)
{
    return left_s < 0 ? fmax(estimate_s - elapsed_s, 0) : left_s;
}

/* Finds the state of a device; the first time, sets its estimate from the plan. */
static struct shown_device *measure_find(struct progress *progress, const char *name,
                                         double now_s)
{
    const struct ert_samples *samples = progress->samples;
    size_t d = 0;
    while (d + 1 < samples->n_devices && strcmp(samples->devices[d].device, name) != 0)
        d++;
    struct shown_device *device = &progress->devices[d];
    if (device->start_s > 0)
        return device;
    double estimate_s = ert_plan_estimate_s(samples, d);
    double budget_s = samples->config.budget_s;
    device->start_s = now_s;
    device->tenth = -1;
    device->estimate_s = budget_s > 0 ? fmin(estimate_s, budget_s) : estimate_s;
    return device;
}

static void show_line(const struct ert_progress *state, double left_s,
                      const struct progress *progress, struct shown_device *device)
{
    const int percent = (int)(100 * device->fraction), left = (int)(left_s + 0.5);
    if (percent / 10 <= device->tenth)
        return;
    device->tenth = percent / 10;
    fprintf(progress->out, "%s: %d %%, about %d:%02d left\n", state->device, percent,
            left / 60, left % 60);
}

static void close_progress(struct progress *progress)
{
    for (size_t d = 0; d < progress->samples->n_devices; d++) {
        const struct shown_device *device = &progress->devices[d];
        if (device->start_s > 0)
            fprintf(progress->out, "%s: measured in %s\n",
                    progress->samples->devices[d].device,
                    ert_units_time(device->last_s - device->start_s).text);
    }
    fflush(progress->out);
}

/* Global, since a signal handler has no arguments of ours. */
static volatile bool stop_requested;

static void request_stop(int signal_number)
{
    stop_requested = true;
    /*
     * A second Ctrl-C ends the program as usual, in case a kernel hangs. Not so a second HUP or TERM: the
     * kernel and the shell both send HUP, while results are being written.
     */
    if (signal_number == SIGINT)
        signal(SIGINT, SIG_DFL);
}

const volatile bool *ert_cli_stop(void)
{
    return &stop_requested;
}

void ert_cli_catch_signals(void)
{
    signal(SIGINT, request_stop);
    signal(SIGTERM, request_stop);
    if (signal(SIGHUP, request_stop) == SIG_IGN)
        signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN); /* a closed output is an error of writing, at the end */
}

/* Data for the hooks of the measuring loop. */
struct context {
    struct progress progress;
    struct ert_cli_results *results;
};

static void on_progress(const struct ert_progress *state, void *context)
{
    struct progress *progress = &((struct context *)context)->progress;
    if (!progress->out)
        return;
    double now_s = ert_clock_now_s();
    struct shown_device *device = measure_find(progress, state->device, now_s);
    double elapsed_s = now_s - device->start_s;
    double left_s = seconds_left(device->estimate_s, elapsed_s, state->left_s);
    if (elapsed_s + left_s > 0)
        device->fraction = fmax(device->fraction, elapsed_s / (elapsed_s + left_s));
    device->last_s = now_s;
    if (state->message)
        fprintf(progress->out, "%s: %s: %s\n", state->device, state->what, state->message);
    else
        show_line(state, left_s, progress, device);
    fflush(progress->out);
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
                                struct ert_cli_results *results, FILE *progress,
                                struct ert_error *error)
{
    struct context context = {
        .progress = {.out = progress, .samples = samples},
          .results = results
    };
    const struct ert_run_hooks hooks = {.progress = on_progress,
                                        .checkpoint = on_checkpoint,
                                        .candidates = ert_fit_candidates,
                                        .context = &context,
                                        .stop = &stop_requested};
    enum ert_status status = ert_run(samples, &hooks, error);
    /* Later steps may run out of memory: this saves what was measured since the last checkpoint. */
    on_checkpoint(samples, &context, NULL);
    if (progress)
        close_progress(&context.progress);
    return status;
}
