#include "ert/cli/results.h"

#include "analysis/roofline.h"
#include "ert/base/file.h"
#include "ert/ceilings/table.h"

#include <langinfo.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static enum ert_status move_aside(const char *file, FILE *out, struct ert_error *error)
{
    char moved[1200];
    ERT_TRY(ert_file_move_aside(file, moved, sizeof moved, error));
    if (*moved)
        fprintf(out, "%s existed: moved to %s\n", file, moved);
    return ERT_OK;
}

enum ert_status ert_cli_results_open(const char *folder, struct ert_cli_results *results,
                                     struct ert_error *error)
{
    int length = snprintf(results->folder, sizeof results->folder, "%s", folder);
    if (length <= 0 || (size_t)length >= sizeof results->folder)
        return ert_fail(error, ERT_USAGE, "--out: a name of %d bytes, must be 1 to %zu",
                        length, sizeof results->folder - 1);
    results->begun = false;
    snprintf(results->samples, sizeof results->samples, "%s/samples.json", results->folder);
    snprintf(results->ceilings, sizeof results->ceilings, "%s/ceilings.json",
             results->folder);
    snprintf(results->chart, sizeof results->chart, "%s/roofline.svg", results->folder);
    return ert_file_check_folder(folder, error);
}

/* Moves results that are there already out of the way; ids: of the devices that get charts. */
static enum ert_status move_old(struct ert_cli_results *results, const char *const *ids,
                                size_t n, FILE *out, struct ert_error *error)
{
    ERT_TRY(move_aside(results->samples, out, error));
    ERT_TRY(move_aside(results->ceilings, out, error));
    for (size_t i = 0; i < n; i++) {
        char chart[1120];
        snprintf(chart, sizeof chart, "%s/roofline-%s.svg", results->folder, ids[i]);
        ERT_TRY(move_aside(chart, out, error));
    }
    ERT_TRY(move_aside(results->chart, out, error));
    results->begun = true;
    return ERT_OK;
}

static enum ert_status begin(struct ert_cli_results *results,
                             const struct ert_ceilings *ceilings, FILE *out,
                             struct ert_error *error)
{
    const char *ids[ERT_MAX_DEVICES];
    for (size_t i = 0; i < ceilings->n_devices; i++)
        ids[i] = ceilings->devices[i].device;
    return move_old(results, ids, ceilings->n_devices, out, error);
}

enum ert_status ert_cli_results_samples(struct ert_cli_results *results,
                                        const struct ert_samples *samples, FILE *out,
                                        struct ert_error *error)
{
    const char *ids[ERT_MAX_DEVICES];
    for (size_t i = 0; i < samples->n_devices; i++)
        ids[i] = samples->devices[i].device;
    if (!results->begun)
        ERT_TRY(move_old(results, ids, samples->n_devices, out, error));
    return ert_samples_write(results->samples, samples, error);
}

/* The text charts; a device with nothing to draw says why. */
static void print_charts(const struct ert_ceilings *ceilings, FILE *out)
{
    size_t columns = 100;
    struct winsize window;
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &window) == 0 &&
        window.ws_col >= RFL_MIN_COLUMNS && window.ws_col < columns)
        columns = window.ws_col;
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        struct ert_error reason = {0};
        fputc('\n', out);
        if (rfl_plot_text(ceilings, i, false, columns, utf8, out, &reason) != ERT_OK)
            fprintf(out, "%s\n", reason.text);
    }
}

enum ert_status ert_cli_results_finish(struct ert_cli_results *results,
                                       const struct ert_ceilings *ceilings, FILE *out,
                                       struct ert_error *error)
{
    struct rfl_plots plots;
    bool has_samples = results->begun;
    if (!results->begun)
        ERT_TRY(begin(results, ceilings, out, error));
    ERT_TRY(ert_ceilings_write(results->ceilings, ceilings, error));
    enum ert_status status =
        rfl_plot_svg_all(ceilings, false, results->chart, &plots, error);
    ert_ceilings_table(out, ceilings);
    print_charts(ceilings, out);
    fputc('\n', out);
    if (has_samples)
        fprintf(out, "%s\n", results->samples);
    fprintf(out, "%s\n", results->ceilings);
    for (size_t i = 0; i < plots.n_plots; i++)
        if (*plots.plots[i].file)
            fprintf(out, "%s\n", plots.plots[i].file);
    /* Nothing to draw is no failure of its own: the run says what it lacks. */
    return status == ERT_UNAVAILABLE ? ERT_OK : status;
}
