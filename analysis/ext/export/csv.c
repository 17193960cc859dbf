/* SPDX-License-Identifier: BSD-3-Clause */
/* csv: the ceilings as a table: RFC 4180 with a header, SI units and full precision. */
#include "analysis/ext/export/export.h"

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

static void csv_write(const struct rfl_export *export)
{
    struct rfl_table table = {.format = ERT_TEXT_CSV};
    rfl_table_columns(
        &table, "device|kind|name|level or type|pattern or op|on|roof|unit|value|low|"
                "high|best|n|valid|clock Hz|theory|fraction of theory|confidence|warning|"
                "share of reads|bytes moved per byte|moved by");
    for (size_t d = 0; d < export->n_devices; d++)
        for (size_t i = 0; i < export->devices[d].ceilings->n; i++)
            csv_row(&table, &export->devices[d], &export->devices[d].ceilings->ceilings[i]);
    rfl_table_write(&table, export->out);
}

const struct rfl_exporter rfl_export_csv = {
    .name = "csv",
    .summary = "all ceilings, one row each, in SI units",
    .extension = ".csv",
    .write = csv_write,
};
