#include "ert/cli/results.h"

#include "analysis/roofline.h"
#include "ert/base/file.h"
#include "ert/ceilings/fit.h"
#include "ert/ceilings/table.h"

#include <langinfo.h>
#include <string.h>

static enum ert_status move_aside(const char *file, FILE *out, struct ert_error *error)
{
    char moved[1200];
    ERT_TRY(ert_file_move_aside(file, moved, sizeof moved, error));
    if (*moved)
        fprintf(out, "%s existed: moved to %s\n", file, moved);
    return ERT_OK;
}

enum ert_status ert_cli_results_open(const char *folder, const struct ert_samples *samples,
                                     struct ert_cli_results *results, FILE *out,
                                     struct ert_error *error)
{
    int length = snprintf(results->folder, sizeof results->folder, "%s", folder);
    if (length < 0 || (size_t)length >= sizeof results->folder)
        return ert_fail(error, ERT_USAGE, "--out: a name of %d bytes, at most %zu", length,
                        sizeof results->folder - 1);
    snprintf(results->samples, sizeof results->samples, "%s/samples.json", results->folder);
    snprintf(results->ceilings, sizeof results->ceilings, "%s/ceilings.json",
             results->folder);
    snprintf(results->chart, sizeof results->chart, "%s/roofline.svg", results->folder);
    ERT_TRY(ert_file_check_folder(folder, error));
    ERT_TRY(move_aside(results->samples, out, error));
    ERT_TRY(move_aside(results->ceilings, out, error));
    for (size_t i = 0; i < samples->n_devices; i++) {
        char chart[1120];
        snprintf(chart, sizeof chart, "%s/roofline-%s.svg", results->folder,
                 samples->devices[i].device);
        ERT_TRY(move_aside(chart, out, error));
    }
    return move_aside(results->chart, out, error);
}

/* The text charts; a device with nothing to draw says why. */
static void print_charts(const struct ert_ceilings *ceilings, FILE *out)
{
    enum { COLUMNS = 100 };
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        struct ert_error reason = {0};
        fputc('\n', out);
        if (rfl_plot_text(ceilings, i, false, COLUMNS, utf8, out, &reason) != ERT_OK)
            fprintf(out, "%s\n", reason.text);
    }
}

static enum ert_status finish(const struct ert_cli_results *results,
                              const struct ert_ceilings *ceilings, FILE *out,
                              struct ert_error *error)
{
    struct rfl_plots plots;
    ERT_TRY(ert_ceilings_write(results->ceilings, ceilings, error));
    enum ert_status status =
        rfl_plot_svg_all(ceilings, false, results->chart, &plots, error);
    ert_ceilings_table(out, ceilings);
    print_charts(ceilings, out);
    fprintf(out, "\n%s\n%s\n", results->samples, results->ceilings);
    for (size_t i = 0; i < plots.n_plots; i++)
        if (*plots.plots[i].file)
            fprintf(out, "%s\n", plots.plots[i].file);
    /* Nothing to draw is no failure of its own: the run says what it lacks. */
    return status == ERT_UNAVAILABLE ? ERT_OK : status;
}

enum ert_status ert_cli_results_finish(const struct ert_cli_results *results,
                                       const struct ert_samples *samples, FILE *out,
                                       bool *trusted, struct ert_error *error)
{
    struct ert_ceilings ceilings;
    ERT_TRY(ert_fit(samples, &ceilings, error));
    enum ert_status status = finish(results, &ceilings, out, error);
    *trusted = true;
    for (size_t i = 0; i < ceilings.n_devices; i++)
        if (!ceilings.devices[i].trusted &&
            ceilings.devices[i].n_compute + ceilings.devices[i].n_memory) {
            fprintf(out, "not trustworthy: %s: %s\n", ceilings.devices[i].device,
                    ceilings.devices[i].distrust);
            *trusted = false;
        }
    ert_ceilings_free(&ceilings);
    return status;
}
