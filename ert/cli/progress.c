#include "ert/cli/progress.h"

#include "ert/base/clock.h"
#include "ert/base/units.h"
#include "ert/sweep/plan.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Redrawing more often than this would only flicker, and would disturb what is measured. */
static const double redraw_s = 0.2;

enum { DEFAULT_COLUMNS = 80, LEAST_COLUMNS = 40, MOST_COLUMNS = 160 };

void ert_cli_progress_open(struct ert_cli_progress *progress, FILE *out,
                           const struct ert_samples *samples)
{
    struct winsize window = {0};
    *progress = (struct ert_cli_progress){.out = out,
                                          .is_terminal = isatty(fileno(out)) == 1,
                                          .columns = DEFAULT_COLUMNS,
                                          .samples = samples};
    if (progress->is_terminal && ioctl(fileno(out), TIOCGWINSZ, &window) == 0 &&
        window.ws_col >= LEAST_COLUMNS)
        progress->columns = window.ws_col < MOST_COLUMNS ? window.ws_col : MOST_COLUMNS;
}

double ert_cli_progress_left(double estimate_s, double elapsed_s, double fraction,
                             double left_s)
{
    double planned_s = fmax(estimate_s - elapsed_s, 0), weight = fmin(2 * fraction, 1);
    return left_s < 0 ? planned_s : (1 - weight) * planned_s + weight * left_s;
}

/* The state of a device; the first time the plan says how long it should take. */
static struct ert_cli_progress_device *find(struct ert_cli_progress *progress,
                                            const char *name, double now_s)
{
    const struct ert_samples *samples = progress->samples;
    size_t d = 0;
    while (d + 1 < samples->n_devices && strcmp(samples->devices[d].device, name) != 0)
        d++;
    struct ert_cli_progress_device *device = &progress->devices[d];
    if (device->start_s > 0)
        return device;
    double estimate_s = ert_plan_estimate_s(samples, d);
    double budget_s = samples->config.budget_s;
    device->start_s = now_s;
    device->tenth = -1;
    device->estimate_s = budget_s > 0 ? fmin(estimate_s, budget_s) : estimate_s;
    return device;
}

static void clear(const struct ert_cli_progress *progress)
{
    if (progress->is_terminal)
        fprintf(progress->out, "\r%*s\r", progress->columns - 1, "");
}

static void time_left(double left_s, char *text, size_t size)
{
    snprintf(text, size, "about %d:%02d left", (int)(left_s + 0.5) / 60,
             (int)(left_s + 0.5) % 60);
}

static void terminal_line(const struct ert_progress *state, const char *left, int percent,
                          struct ert_cli_progress *progress, double now_s)
{
    char line[MOST_COLUMNS + 64];
    if (now_s - progress->shown_s < redraw_s)
        return;
    progress->shown_s = now_s;
    snprintf(line, sizeof line, "%s %3d %%, %s: %s", state->device, percent, left,
             state->what);
    fprintf(progress->out, "\r%-*.*s", progress->columns - 1, progress->columns - 1, line);
}

void ert_cli_progress_show(const struct ert_progress *state,
                           struct ert_cli_progress *progress)
{
    char left[32];
    double now_s = ert_clock_now_s();
    struct ert_cli_progress_device *device = find(progress, state->device, now_s);
    double elapsed_s = now_s - device->start_s;
    double left_s = ert_cli_progress_left(device->estimate_s, elapsed_s, state->fraction,
                                          state->left_s);
    if (elapsed_s + left_s > 0)
        device->fraction = fmax(device->fraction, elapsed_s / (elapsed_s + left_s));
    device->last_s = now_s;
    time_left(left_s, left, sizeof left);
    int percent = (int)(100 * device->fraction);
    if (state->message) {
        clear(progress);
        fprintf(progress->out, "%s: %s: %s\n", state->device, state->what, state->message);
        progress->shown_s = 0;
    } else if (progress->is_terminal) {
        terminal_line(state, left, percent, progress, now_s);
    } else if (percent / 10 > device->tenth) {
        device->tenth = percent / 10;
        fprintf(progress->out, "%s: %d %%, %s\n", state->device, percent, left);
    }
    fflush(progress->out);
}

void ert_cli_progress_close(struct ert_cli_progress *progress)
{
    char text[ERT_UNITS_TEXT];
    clear(progress);
    for (size_t d = 0; d < progress->samples->n_devices; d++) {
        const struct ert_cli_progress_device *device = &progress->devices[d];
        if (device->start_s > 0)
            fprintf(progress->out, "%s: measured in %s\n",
                    progress->samples->devices[d].device,
                    ert_units_time(device->last_s - device->start_s, text));
    }
    fflush(progress->out);
}
