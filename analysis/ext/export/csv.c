/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * csv and markdown: the ceilings as a table, for spreadsheets and for reports. CSV is RFC 4180 with a
 * header, SI units and full precision; Markdown rounds as `roofline show` does (GitHub's tables,
 * https://github.github.com/gfm/#tables-extension-).
 */
#include "analysis/ext/export/export.h"

#include "analysis/core/place/roofs.h"
#include "analysis/core/points/table.h"
#include "ert/core/ceilings/traffic.h"

static void csv_row(struct rfl_table *table, const struct rfl_export_device *device,
                    const struct ert_ceiling *row)
{
    const struct ert_evidence *evidence = row->evidence;
    const double numbers[] = {row->value, row->low, row->high, evidence->best,
                              evidence->n_samples},
                 maybe[] = {evidence->clock_hz, row->theory, row->fraction_of_theory};
    const struct rfl_key_words key = rfl_key_words(row);
    struct ert_traffic traffic;
    rfl_table_texts(table, device->ceilings->device, ert_ceiling_kind_words[row->kind],
                    row->name, key.of, key.how, key.on, row->is_roof ? "yes" : "no",
                    ert_unit_words[row->unit], NULL);
    for (size_t i = 0; i < ERT_LENGTH(numbers); i++)
        rfl_table_number(table, "", numbers[i]);
    rfl_table_cell(table, "%s", device->ceilings->valid ? "yes" : "no");
    for (size_t i = 0; i < ERT_LENGTH(maybe); i++)
        rfl_table_positive(table, "", maybe[i]);
    rfl_table_texts(table, ert_confidence_words[row->confidence], evidence->warning, NULL);
    if (row->kind == ERT_CEILING_MEMORY && ert_traffic_of(device->machine, row, &traffic)) {
        rfl_table_number(table, "", traffic.reads);
        rfl_table_number(table, "", traffic.actual);
        rfl_table_cell(table, "%s: %s",
                       traffic.is_counted ? "counted" : "by rule, not counted",
                       traffic.rule);
    }
    rfl_table_end_row(table);
}

static enum ert_status csv_write_csv(const struct rfl_export *export,
                                     struct ert_error *error)
{
    struct rfl_table table = {.format = ERT_TEXT_CSV};
    rfl_table_columns(
        &table, "device|kind|name|level or type|pattern or op|on|roof|unit|value|low|"
                "high|best|n|valid|clock Hz|theory|fraction of theory|confidence|warning|"
                "share of reads|bytes moved per byte|moved by");
    for (size_t d = 0; d < export->n_devices; d++)
        for (size_t i = 0; i < export->devices[d].ceilings->n; i++)
            csv_row(&table, &export->devices[d], &export->devices[d].ceilings->ceilings[i]);
    (void)error;
    rfl_table_write(&table, export->out);
    return ERT_OK;
}

static void markdown_row(struct rfl_table *table, const struct ert_ceiling *row)
{
    const struct ert_evidence *evidence = row->evidence;
    const char *unit = ert_unit_words[row->unit];
    rfl_table_cell(table, "%s%s", row->name, row->is_roof ? "" : " (no roof)");
    rfl_table_number(table, unit, row->value);
    rfl_table_cell(table, "%s to %s", ert_units_rate(row->low, unit).text,
                   ert_units_rate(row->high, unit).text);
    rfl_table_cell(table, "%u", evidence->n_samples);
    rfl_table_positive(table, unit, row->theory);
    rfl_table_positive(table, "%.1f %%", row->fraction_of_theory);
    rfl_table_texts(
        table, evidence->clock_hz > 0 ? ert_units_frequency(evidence->clock_hz).text : "-",
        NULL);
    rfl_table_cell(table, "%s%s%s", ert_confidence_words[row->confidence],
                   evidence->warning[0] ? ": " : "", evidence->warning);
}

static void markdown_device(const struct rfl_export *export,
                            const struct rfl_export_device *device)
{
    const struct ert_device_ceilings *ceilings = device->ceilings;
    const struct ert_provenance *provenance = &export->ceilings->machine->provenance;
    struct rfl_table table = {.format = ERT_TEXT_MARKDOWN};
    const struct ert_ceiling_span of = ert_ceilings_main(ceilings);
    FILE *out = export->out;
    ert_text_print(
        out, ERT_TEXT_MARKDOWN, "### %s (%s)\n\nMeasured %s on %s by ert %s.%s%s\n\n",
        device->machine->name, ceilings->device, export->ceilings->created,
        provenance->host, provenance->tool_version,
        ceilings->valid ? "" : " Not valid: ", ceilings->valid ? "" : ceilings->warnings);
    rfl_table_columns(&table, "ceiling|>value|>interval (90 %)|>samples|>theory|"
                              ">of theory|>at clock|confidence");
    for (size_t i = 0; i < of.n; i++)
        markdown_row(&table, &of.at[i]);
    rfl_table_write(&table, out);
}

static enum ert_status csv_write_markdown(const struct rfl_export *export,
                                          struct ert_error *error)
{
    (void)error;
    for (size_t i = 0; i < export->n_devices; i++) {
        fputs(i ? "\n" : "", export->out);
        markdown_device(export, &export->devices[i]);
    }
    return ERT_OK;
}

const struct rfl_exporter rfl_export_csv = {
    .name = "csv",
    .summary = "all ceilings, one row each, in SI units",
    .extension = ".csv",
    .devices = RFL_EXPORT_ALL,
    .write = csv_write_csv,
};

const struct rfl_exporter rfl_export_markdown = {
    .name = "markdown",
    .summary = "compute and memory ceilings as a table for a report",
    .extension = ".md",
    .devices = RFL_EXPORT_ALL,
    .write = csv_write_markdown,
};
