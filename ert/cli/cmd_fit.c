/* SPDX-License-Identifier: BSD-3-Clause */
/* ert fit: computes ceilings again from recorded samples, without measuring. */
#include "ert/cli/commands.h"
#include "ert/core/base/alloc.h"
#include "ert/core/ceilings/table.h"
#include "ert/core/fit/fit.h"

#include <stdlib.h>

struct options {
    const char *out;
};

static const struct ert_opt rows[] = {
    ERT_OPT("out", TEXT, out, "FILE",
            "write the ceilings to FILE (default: only print them)"),
};

static enum ert_status fit(const char *file, const char *out, struct ert_samples *samples,
                           struct ert_error *error)
{
    struct ert_ceilings ceilings;
    enum ert_status status = ERT_OK;
    ERT_TRY(ert_samples_read(file, samples, error));
    ert_fit(samples, &ceilings);
    ert_ceilings_table(stdout, &ceilings);
    if (out)
        status = ert_ceilings_write(out, &ceilings, error);
    ert_ceilings_free(&ceilings);
    ert_samples_free(samples);
    return status;
}

static enum ert_status fit_run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {0};
    const char *words[1];
    size_t n_words;
    ERT_TRY(ert_opt_parse(rows, 1, argc, argv, &options, words, 1, &n_words, error));
    if (n_words != 1)
        return ert_fail(error, ERT_USAGE, "fit: takes one samples file");
    struct ert_samples *samples = ert_xcalloc(1, sizeof *samples);
    enum ert_status status = fit(words[0], options.out, samples, error);
    free(samples);
    return status;
}

const struct ert_command ert_command_fit = {
    .name = "fit",
    .words = "SAMPLES",
    .summary = "compute ceilings from recorded samples",
    .options = rows,
    .n_options = 1,
    .run = fit_run_command,
};
