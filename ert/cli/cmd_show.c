/* SPDX-License-Identifier: BSD-3-Clause */
/* ert show: prints a ceilings file as a table, with the theoretical peaks. */
#include "ert/cli/commands.h"
#include "ert/core/base/alloc.h"
#include "ert/core/ceilings/ceilings.h"
#include "ert/core/ceilings/table.h"

struct options {
    bool peaks;
};

static const struct ert_opt rows[] = {
    ERT_OPT_SWITCH("peaks", peaks,
                   "also show the theoretical peaks with formula and source"),
};

/* Of a file without them, such as published figures, those of the device as it is described. */
static void show_print_peaks(const struct ert_ceilings *ceilings, size_t device)
{
    const struct ert_device_ceilings *of = &ceilings->devices[device];
    const struct ert_device *described = ert_machine_device(ceilings->machine, of->device);
    struct ert_peak *peaks = ert_xcalloc(ERT_MAX_PEAKS, sizeof *peaks);
    size_t n = 0;
    if (of->n_peaks == 0)
        ert_backend_peaks(described, described->cpu.n_cores_usable, of->held_hz, peaks, &n);
    ert_peaks_table(stdout, of->n_peaks ? of->peaks : peaks, of->n_peaks ? of->n_peaks : n);
    free(peaks);
}

static enum ert_status show_run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {0};
    const char *words[1];
    size_t n_words;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words, 1, &n_words,
                          error));
    if (n_words != 1)
        return ert_fail(error, ERT_USAGE, "show: takes one ceilings file");
    struct ert_ceilings ceilings;
    ERT_TRY(ert_ceilings_read(words[0], &ceilings, error));
    ert_ceilings_table(stdout, &ceilings);
    for (size_t i = 0; options.peaks && i < ceilings.n_devices; i++) {
        printf("\n%s\n", ceilings.devices[i].device);
        show_print_peaks(&ceilings, i);
    }
    ert_ceilings_free(&ceilings);
    return ERT_OK;
}

const struct ert_command ert_command_show = {
    .name = "show",
    .words = "CEILINGS",
    .summary = "show ceilings as a table",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = show_run_command,
};
