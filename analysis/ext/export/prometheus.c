/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * prometheus: text exposition format 0.0.4 for node_exporter's textfile collector: write it to
 * NAME.prom in its --collector.textfile.directory (by a rename, as --out does).
 * https://prometheus.io/docs/instrumenting/exposition_formats/ (the lines of one metric stand
 * together; in labels \, " and newline are escaped; in HELP \ and newline) and
 * https://prometheus.io/docs/practices/naming/ (base units as suffix).
 */
#include "analysis/ext/export/export.h"

#include "ert/core/base/clock.h"

#include <string.h>

/* A metric: the kind of ceilings that have it, and its number in them. */
struct metric {
    const char *name, *help;
    enum ert_ceiling_kind kind;
    const char *unit; /* compute: only ceilings with this unit */
    size_t number;    /* offset in struct ert_ceiling; 0 is unknown and left out */
};

static const struct metric metrics[] = {
#define ROW(name, kind, unit, number, help)                                                \
    {                                                                                      \
        name, help, kind, unit, offsetof(struct ert_ceiling, number)                       \
    }
    ROW("ert_compute_flops", ERT_CEILING_COMPUTE, "flop/s", value,
        "Measured peak in floating-point operations per second."),
    ROW("ert_compute_low_flops", ERT_CEILING_COMPUTE, "flop/s", low,
        "Lower end of the 90 % interval of ert_compute_flops."),
    ROW("ert_compute_high_flops", ERT_CEILING_COMPUTE, "flop/s", high,
        "Upper end of the 90 % interval of ert_compute_flops."),
    ROW("ert_compute_operations_per_second", ERT_CEILING_COMPUTE, "op/s", value,
        "Measured peak in integer operations per second."),
    ROW("ert_compute_instructions_per_second", ERT_CEILING_COMPUTE, "inst/s", value,
        "Measured peak in instructions (of GPUs: warp instructions) per second."),
    ROW("ert_compute_theory_ratio", ERT_CEILING_COMPUTE, NULL, fraction_of_theory,
        "Measured peak over the theoretical one."),
    ROW("ert_memory_bytes_per_second", ERT_CEILING_MEMORY, NULL, value,
        "Measured bandwidth of a memory level."),
    ROW("ert_memory_low_bytes_per_second", ERT_CEILING_MEMORY, NULL, low,
        "Lower end of the 90 % interval of ert_memory_bytes_per_second."),
    ROW("ert_memory_high_bytes_per_second", ERT_CEILING_MEMORY, NULL, high,
        "Upper end of the 90 % interval of ert_memory_bytes_per_second."),
    ROW("ert_memory_theory_ratio", ERT_CEILING_MEMORY, NULL, fraction_of_theory,
        "Measured bandwidth over the theoretical one."),
    ROW("ert_latency_seconds", ERT_CEILING_LATENCY, NULL, value,
        "Measured load-to-use latency of a memory level."),
    ROW("ert_link_bytes_per_second", ERT_CEILING_LINK, NULL, value,
        "Measured bandwidth of a link."),
#undef ROW
};

static void label(FILE *out, const char *name, const char *text)
{
    ert_text_print(out, ERT_TEXT_QUOTED, ",%s=\"%s\"", name, text);
}

/* The labels of each kind's ceilings. */
static const struct {
    enum ert_ceiling_kind kind;
    const char *name;
    size_t text; /* offset in struct rfl_key_words */
} labels[] = {
    {ERT_CEILING_COMPUTE, "type",    offsetof(struct rfl_key_words, of) },
    {ERT_CEILING_COMPUTE, "op",      offsetof(struct rfl_key_words, how)},
    {ERT_CEILING_COMPUTE, "unit",    offsetof(struct rfl_key_words, on) },
    {ERT_CEILING_MEMORY,  "level",   offsetof(struct rfl_key_words, of) },
    {ERT_CEILING_MEMORY,  "pattern", offsetof(struct rfl_key_words, how)},
    {ERT_CEILING_LATENCY, "level",   offsetof(struct rfl_key_words, of) },
    {ERT_CEILING_LINK,    "from",    offsetof(struct rfl_key_words, of) },
    {ERT_CEILING_LINK,    "to",      offsetof(struct rfl_key_words, on) },
    {ERT_CEILING_LINK,    "pattern", offsetof(struct rfl_key_words, how)},
};

/* Writes HELP and TYPE before the first sample of a metric: without samples it is left out. */
static void write_metric(FILE *out, const struct metric *metric,
                         const struct ert_device_ceilings *device, bool *begun)
{
    const struct ert_ceiling_span of = ert_ceilings_of(device, metric->kind);
    for (size_t i = 0; i < of.n; i++) {
        const struct rfl_key_words key = rfl_key_words(&of.at[i]);
        double number =
            *(const double *)(const void *)((const char *)&of.at[i] + metric->number);
        if (!(number > 0) ||
            (metric->unit && strcmp(metric->unit, ert_unit_words[of.at[i].unit]) != 0))
            continue;
        if (!*begun)
            fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", metric->name, metric->help,
                    metric->name);
        *begun = true;
        ert_text_print(out, ERT_TEXT_QUOTED, "%s{device=\"%s\"", metric->name,
                       device->device);
        label(out, "name", of.at[i].name);
        for (size_t l = 0; l < ERT_LENGTH(labels); l++)
            if (labels[l].kind == metric->kind)
                label(out, labels[l].name,
                      *(const char *const *)(const void *)((const char *)&key +
                                                           labels[l].text));
        if (metric->kind == ERT_CEILING_MEMORY)
            label(out, "roof", of.at[i].is_roof ? "true" : "false");
        fprintf(out, "} %.10g\n", number);
    }
}

/* Writes the provenance as labels of a metric with value 1, the convention of *_info metrics. */
static void write_info(const struct rfl_export *export)
{
    FILE *out = export->out;
    const struct ert_ceilings *ceilings = export->ceilings;
    const struct ert_provenance *provenance = &ceilings->machine->provenance;
    double epoch_s = ert_clock_read_date(ceilings->created);
    fputs("# HELP ert_device_info What was measured, and by which ert; always 1.\n"
          "# TYPE ert_device_info gauge\n",
          out);
    for (size_t i = 0; i < export->n_devices; i++) {
        struct rfl_export_device device = export->devices[i];
        ert_text_print(out, ERT_TEXT_QUOTED, "ert_device_info{device=\"%s\"",
                       device.ceilings->device);
        label(out, "name", device.machine->name);
        label(out, "host", provenance->host);
        label(out, "version", provenance->tool_version);
        label(out, "status", ceilings->status);
        label(out, "valid", device.ceilings->valid ? "true" : "false");
        fputs("} 1\n", out);
    }
    if (epoch_s > 0)
        fprintf(out,
                "# HELP ert_measured_timestamp_seconds When the ceilings were measured.\n"
                "# TYPE ert_measured_timestamp_seconds gauge\n"
                "ert_measured_timestamp_seconds %.0f\n",
                epoch_s);
}

static void prometheus_write(const struct rfl_export *export)
{
    write_info(export);
    for (size_t m = 0; m < ERT_LENGTH(metrics); m++) {
        bool begun = false;
        for (size_t i = 0; i < export->n_devices; i++)
            write_metric(export->out, &metrics[m], export->devices[i].ceilings, &begun);
    }
}

const struct rfl_exporter rfl_export_prometheus = {
    .name = "prometheus",
    .summary = "text format for node_exporter's textfile collector",
    .extension = ".prom",
    .write = prometheus_write,
};
