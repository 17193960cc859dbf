/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roofline export: ceilings as a table for other programs: RFC 4180 with a header, SI units and full
 * precision.
 */
#include "analysis/cli/commands.h"

#include "analysis/core/place/roofs.h"
#include "analysis/core/points/table.h"
#include "ert/core/ceilings/traffic.h"

#include <string.h>

struct options {
    const char *out, *device;
    bool force;
};

static const struct ert_opt rows[] = {
    ERT_OPT("device", TEXT, device, "ID",
            "only this device, e.g. cpu or gpu0 (default: all)"),
    ERT_OPT_SWITCH("force", force,
                   "also export ceilings of a run that was not valid, marked as such"),
    ERT_OPT("out", TEXT, out, "FILE",
            "write to FILE, completely or not at all (default: print)"),
};

/* The devices to export: all, or one. */
struct exported {
    const struct ert_ceilings *ceilings;
    size_t first, end;
};

static void export_row(struct rfl_table *table, const struct ert_device *device,
                       const struct ert_device_ceilings *of, const struct ert_ceiling *row)
{
    const struct ert_evidence *evidence = row->evidence;
    const double numbers[] = {row->value, row->low, row->high, evidence->best,
                              evidence->n_samples},
                 maybe[] = {evidence->clock_hz, row->theory, row->fraction_of_theory};
    const struct rfl_key_words key = rfl_key_words(row);
    struct ert_traffic traffic;
    rfl_table_texts(table, of->device, ert_ceiling_kind_words[row->kind], row->name, key.of,
                    key.how, key.on, row->is_roof ? "yes" : "no", ert_unit_words[row->unit],
                    NULL);
    for (size_t i = 0; i < ERT_LENGTH(numbers); i++)
        rfl_table_number(table, "", numbers[i]);
    rfl_table_cell(table, "%s", of->valid ? "yes" : "no");
    for (size_t i = 0; i < ERT_LENGTH(maybe); i++)
        rfl_table_positive(table, "", maybe[i]);
    rfl_table_texts(table, ert_confidence_words[row->confidence], evidence->warning, NULL);
    if (row->kind == ERT_CEILING_MEMORY && ert_traffic_of(device, row, &traffic)) {
        rfl_table_number(table, "", traffic.reads);
        rfl_table_number(table, "", traffic.actual);
        rfl_table_cell(table, "%s: %s",
                       traffic.is_counted ? "counted" : "by rule, not counted",
                       traffic.rule);
    }
    rfl_table_end_row(table);
}

static enum ert_status export_write(const void *about, FILE *out, struct ert_error *error)
{
    const struct exported *exported = about;
    const struct ert_ceilings *ceilings = exported->ceilings;
    struct rfl_table table = {.format = ERT_TEXT_CSV};
    (void)error;
    rfl_table_columns(
        &table, "device|kind|name|level or type|pattern or op|on|roof|unit|value|low|"
                "high|best|n|valid|clock Hz|theory|fraction of theory|confidence|warning|"
                "share of reads|bytes moved per byte|moved by");
    for (size_t d = exported->first; d < exported->end; d++) {
        const struct ert_device_ceilings *of = &ceilings->devices[d];
        const struct ert_device *device = ert_machine_device(ceilings->machine, of->device);
        for (size_t i = 0; i < of->n; i++)
            export_row(&table, device, of, &of->ceilings[i]);
    }
    rfl_table_write(&table, out);
    return ERT_OK;
}

/* Refuses ceilings of a run that was not valid, with the reason: who reads the file may not see it. */
static enum ert_status export_check(const struct exported *exported,
                                    const struct options *options, struct ert_error *error)
{
    bool has_any = false;
    for (size_t i = exported->first; i < exported->end; i++) {
        const struct ert_device_ceilings *of = &exported->ceilings->devices[i];
        has_any |= ert_ceilings_main(of).n > 0;
        if (!of->valid && !options->force)
            return ert_fail(
                error, ERT_NOT_VALID,
                "the ceilings of %s are not valid: %.600s; --force exports them",
                of->device, of->warnings);
    }
    return has_any ? ERT_OK
                   : ert_fail(error, ERT_UNAVAILABLE, "%s has no ceilings",
                              options->device ? options->device : "the file");
}

static enum ert_status export_cmd_run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {0};
    const char *words[2];
    size_t n_words = 0;
    struct ert_ceilings ceilings = {0};
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words, 2, &n_words,
                          error));
    if (n_words < 2 || strcmp(words[0], "csv") != 0)
        return ert_fail(error, ERT_USAGE,
                        "export: takes the format csv and a ceilings file");
    ERT_TRY(rfl_ceilings_read(words[1], &ceilings, error));
    struct exported exported = {&ceilings, 0, ceilings.n_devices};
    enum ert_status status = ERT_OK;
    if (options.device) {
        status = rfl_find_device(&ceilings, options.device, &exported.first, error);
        exported.end = exported.first + 1;
    }
    if (status == ERT_OK)
        status = export_check(&exported, &options, error);
    if (status == ERT_OK)
        status = rfl_output_whole(options.out, export_write, &exported, error);
    ert_ceilings_free(&ceilings);
    return status;
}

const struct ert_command rfl_command_export = {
    .name = "export",
    .words = "csv CEILINGS",
    .summary = "write ceilings as CSV, a row each, in SI units",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = export_cmd_run,
};
