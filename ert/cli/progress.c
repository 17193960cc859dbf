#include "ert/cli/progress.h"

#include "ert/base/clock.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Redrawing more often than this would only flicker, and would disturb what is measured. */
static const double redraw_s = 0.2;

enum { DEFAULT_COLUMNS = 80, LEAST_COLUMNS = 40, MOST_COLUMNS = 160 };

void ert_cli_progress_open(struct ert_cli_progress *progress, FILE *out)
{
    struct winsize window = {0};
    *progress = (struct ert_cli_progress){.out = out,
                                          .is_terminal = isatty(fileno(out)) == 1,
                                          .columns = DEFAULT_COLUMNS,
                                          .tenth = -1};
    if (progress->is_terminal && ioctl(fileno(out), TIOCGWINSZ, &window) == 0 &&
        window.ws_col >= LEAST_COLUMNS)
        progress->columns = window.ws_col < MOST_COLUMNS ? window.ws_col : MOST_COLUMNS;
}

static void time_left(double left_s, char *text, size_t size)
{
    if (left_s < 0)
        snprintf(text, size, "--:--");
    else
        snprintf(text, size, "%d:%02d", (int)(left_s + 0.5) / 60, (int)(left_s + 0.5) % 60);
}

static void terminal_line(const struct ert_progress *state,
                          struct ert_cli_progress *progress)
{
    char line[MOST_COLUMNS + 64], left[16];
    double now = ert_clock_now_s();
    if (now - progress->shown_s < redraw_s)
        return;
    progress->shown_s = now;
    time_left(state->left_s, left, sizeof left);
    snprintf(line, sizeof line, "%s %3d %%, %s left: %s", state->device,
             (int)(100 * state->fraction), left, state->what);
    fprintf(progress->out, "\r%-*.*s", progress->columns - 1, progress->columns - 1, line);
    fflush(progress->out);
}

static void plain_line(const struct ert_progress *state, struct ert_cli_progress *progress)
{
    char left[16];
    int tenth = (int)(10 * state->fraction);
    if (strcmp(progress->device, state->device) != 0) {
        snprintf(progress->device, sizeof progress->device, "%s", state->device);
        progress->tenth = -1;
    }
    if (tenth <= progress->tenth)
        return;
    progress->tenth = tenth;
    time_left(state->left_s, left, sizeof left);
    fprintf(progress->out, "%s: %d %%, %s left\n", state->device, 10 * tenth, left);
    fflush(progress->out);
}

void ert_cli_progress_show(const struct ert_progress *state,
                           struct ert_cli_progress *progress)
{
    if (state->message) {
        ert_cli_progress_close(progress);
        fprintf(progress->out, "%s: %s: %s\n", state->device, state->what, state->message);
        progress->shown_s = 0;
    } else if (progress->is_terminal) {
        terminal_line(state, progress);
    } else {
        plain_line(state, progress);
    }
}

void ert_cli_progress_close(struct ert_cli_progress *progress)
{
    if (progress->is_terminal)
        fprintf(progress->out, "\r%*s\r", progress->columns - 1, "");
    fflush(progress->out);
}
