/* SPDX-License-Identifier: BSD-3-Clause */
/* roofline show: the ceilings of a file as tables. */
#include "analysis/cli/commands.h"

#include "analysis/core/place/roofs.h"
#include "ert/core/ceilings/table.h"

struct options {
    const char *device;
    bool theory;
};

static const struct ert_opt rows[] = {
    ERT_OPT("device", TEXT, device, "ID",
            "only this device, e.g. cpu or gpu0 (default: all)"),
    ERT_OPT_SWITCH("theory", theory, "also show the theoretical peaks with their formulas"),
};

static enum ert_status show_cmd_print(const struct ert_ceilings *all,
                                      const struct options *options,
                                      struct ert_error *error)
{
    struct ert_ceilings shown = *all; /* borrows: never freed */
    size_t index;
    if (options->device) {
        ERT_TRY(rfl_find_device(all, options->device, &index, error));
        shown.n_devices = 1;
        shown.devices = &all->devices[index];
    }
    ert_ceilings_table(stdout, &shown);
    for (size_t i = 0; options->theory && i < shown.n_devices; i++) {
        printf("\n%s: theoretical peaks\n", shown.devices[i].device);
        if (shown.devices[i].n_peaks == 0)
            printf("  none in the file; `ert show --peaks` computes them\n");
        else
            ert_peaks_table(stdout, shown.devices[i].peaks, shown.devices[i].n_peaks);
    }
    return ERT_OK;
}

static enum ert_status show_cmd_run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {NULL, false};
    const char *file = NULL;
    size_t n_words = 0;
    struct ert_ceilings ceilings = {0};
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, &file, 1, &n_words,
                          error));
    if (!n_words)
        return ert_fail(error, ERT_USAGE, "show: no ceilings file given");
    ERT_TRY(rfl_ceilings_read(file, &ceilings, error));
    enum ert_status status = show_cmd_print(&ceilings, &options, error);
    ert_ceilings_free(&ceilings);
    return status;
}

const struct ert_command rfl_command_show = {
    .name = "show",
    .words = "CEILINGS",
    .summary = "show the ceilings of a file beside the theoretical peaks",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = show_cmd_run,
};
