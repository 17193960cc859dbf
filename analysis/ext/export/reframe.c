/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reframe: performance references of ReFrame tests: system:partition -> variable -> (value, lower,
 * upper, unit), lower and upper as fractions of the value, lower at most 0
 * (https://reframe-hpc.readthedocs.io/en/stable/regression_test_api.html, attribute `reference`). A
 * Python file, since only Python has tuples: paste it into a test, or import it.
 *
 * The bounds are the measured interval, with `ert run --repeat` that of all runs if it is wider, rounded
 * outwards to 0.01 %. System and partition are the host and the device: replace them by the site's names.
 */
#include "analysis/ext/export/export.h"

#include "analysis/core/place/roofs.h"

#include <ctype.h>
#include <math.h>

/* Writes "L2-add" as a valid Python name, L2_add, for performance functions. */
static void identifier(FILE *out, const char *name)
{
    for (; *name; name++)
        fputc(isalnum((unsigned char)*name) ? *name : '_', out);
}

static double outwards(double bound, double value)
{
    double fraction = (bound / value - 1) * 1e4;
    return (bound < value ? floor(fraction - 1e-6) : ceil(fraction + 1e-6)) / 1e4;
}

static void reference(FILE *out, const struct ert_ceiling *roof)
{
    const struct ert_evidence *evidence = roof->evidence;
    double low = roof->low, high = roof->high;
    if (evidence->n_runs > 1) {
        low = fmin(low, evidence->runs_low);
        high = fmax(high, evidence->runs_high);
    }
    if (!(roof->value > 0))
        return;
    fputs("        '", out);
    identifier(out, roof->name);
    fprintf(out, "': (%.6g, %.4f, %.4f, 'G%s'),\n", roof->value / 1e9,
            fmin(outwards(low, roof->value), -1e-4),
            fmax(outwards(high, roof->value), 1e-4),
            roof->kind == ERT_CEILING_MEMORY ? "B/s" : ert_unit_words[roof->unit]);
}

static void reframe_write_device(FILE *out, const struct ert_ceilings *ceilings,
                                 const struct ert_device_ceilings *device)
{
    const struct ert_ceiling_span of = ert_ceilings_main(device);
    ert_text_print(out, ERT_TEXT_PYTHON, "    '%s:%s': {\n",
                   ceilings->machine->provenance.host, device->device);
    for (size_t i = 0; i < of.n; i++)
        if (of.at[i].is_roof || of.at[i].kind == ERT_CEILING_MEMORY)
            reference(out, &of.at[i]);
    fputs("    },\n", out);
}

static void reframe_write(const struct rfl_export *export)
{
    const struct ert_ceilings *ceilings = export->ceilings;
    ert_text_print(
        export->out, ERT_TEXT_PYTHON,
        "# ReFrame references from ceilings measured %s by ert %s.\n"
        "# Keys are HOST:DEVICE: rename them to SYSTEM:PARTITION of your configuration.\n"
        "# Bounds are the measured intervals, as fractions of the value.\n",
        ceilings->created, ceilings->machine->provenance.tool_version);
    for (size_t i = 0; i < export->n_devices; i++)
        if (!export->devices[i].ceilings->valid)
            ert_text_print(export->out, ERT_TEXT_PYTHON, "# %s is NOT VALID: %s\n",
                           export->devices[i].ceilings->device,
                           export->devices[i].ceilings->warnings);
    fputs("reference = {\n", export->out);
    for (size_t i = 0; i < export->n_devices; i++)
        reframe_write_device(export->out, ceilings, export->devices[i].ceilings);
    fputs("}\n", export->out);
}

const struct rfl_exporter rfl_export_reframe = {
    .name = "reframe",
    .summary = "performance references for ReFrame tests (Python)",
    .extension = ".py",
    .write = reframe_write,
};
