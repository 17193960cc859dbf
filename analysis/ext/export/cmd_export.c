/* SPDX-License-Identifier: BSD-3-Clause */
/* roofline export: ceilings in the formats of other tools. */
#include "analysis/cli/commands.h"

#include "analysis/ext/export/export.h"

struct options {
    const char *out;
    struct rfl_export_options export;
};

static const struct ert_opt rows[] = {
    ERT_OPT("device", TEXT, export.device, "ID",
            "only this device, e.g. cpu or gpu0 (default: all)"),
    ERT_OPT_SWITCH("force", export.force,
                   "also export ceilings of a run that was not valid, marked as such"),
    ERT_OPT("out", TEXT, out, "FILE",
            "write to FILE, completely or not at all (default: print)"),
};

static void export_cmd_notes(FILE *out)
{
    size_t n;
    const struct rfl_exporter *const *all = rfl_exporters(&n);
    fputs("\nFORMAT is one of:\n", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "  %-12s%s (%s)\n", all[i]->name, all[i]->summary, all[i]->extension);
}

struct output {
    const struct rfl_exporter *exporter;
    const struct ert_ceilings *ceilings;
    const struct rfl_export_options *options;
};

static enum ert_status export_cmd_make(const void *about, FILE *out,
                                       struct ert_error *error)
{
    const struct output *output = about;
    return rfl_export_write(output->exporter, output->ceilings, output->options, out,
                            error);
}

static enum ert_status export_cmd_run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {0};
    const char *words[2];
    size_t n_words = 0;
    const struct rfl_exporter *exporter;
    struct ert_ceilings ceilings = {0};
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words, 2, &n_words,
                          error));
    ERT_TRY(rfl_exporter_find(n_words ? words[0] : "", &exporter, error));
    if (n_words < 2)
        return ert_fail(error, ERT_USAGE, "export %s: no ceilings file given",
                        exporter->name);
    ERT_TRY(rfl_ceilings_read(words[1], &ceilings, error));
    const struct output output = {exporter, &ceilings, &options.export};
    enum ert_status status = rfl_output_whole(options.out, export_cmd_make, &output, error);
    ert_ceilings_free(&ceilings);
    return status;
}

const struct ert_command rfl_command_export = {
    .name = "export",
    .words = "FORMAT CEILINGS",
    .summary = "write ceilings in the formats of other tools",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = export_cmd_run,
    .notes = export_cmd_notes,
};
