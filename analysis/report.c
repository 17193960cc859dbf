#include "analysis/report.h"

#include "ert/base/units.h"

#include <math.h>
#include <string.h>

const struct rfl_report_format rfl_report_formats[RFL_N_REPORT_FORMATS] = {
    {"text",     rfl_report_text    },
    {"json",     rfl_report_json    },
    {"markdown", rfl_report_markdown},
    {"csv",      rfl_report_csv     },
};

enum ert_status rfl_report_write(const struct rfl_report *report, const char *format,
                                 FILE *out, struct ert_error *error)
{
    char list[64] = "";
    if (!report->view)
        return rfl_report_summary(report, format, out, error);
    for (size_t i = 0, used = 0; i < RFL_N_REPORT_FORMATS; i++) {
        if (strcmp(rfl_report_formats[i].name, format) == 0)
            return rfl_report_formats[i].write(report, out, error);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 rfl_report_formats[i].name);
    }
    return ert_fail(error, ERT_USAGE, "no output '%.32s'; there are: %s", format, list);
}

const char *rfl_report_number(double value, const char *unit, char text[32])
{
    if (!isfinite(value))
        snprintf(text, 32, "-");
    else if (strcmp(unit, "s") == 0)
        ert_units_time(value, text);
    else if (strcmp(unit, "byte/s") == 0)
        ert_units_bandwidth(value, text);
    else if (strcmp(unit, "flop/J") == 0)
        snprintf(text, 32, "%.4g GFLOP/J", value / 1e9);
    else
        ert_units_operations(value,
                             unit[0] == 'f'   ? "flop"
                             : unit[0] == 'i' ? "inst"
                                              : "op",
                             text);
    return text;
}

const char *rfl_report_roof(const struct rfl_view_row *row, char text[RFL_REPORT_TEXT])
{
    char low[32], high[32];
    rfl_report_number(row->value, row->unit, high);
    if (!isfinite(row->value_low)) {
        snprintf(text, RFL_REPORT_TEXT, "%s", high);
        return text;
    }
    rfl_report_number(row->value_low, row->unit, low);
    char *first_unit = strchr(low, ' '), *last_unit = strchr(high, ' ');
    if (first_unit && last_unit && strcmp(first_unit, last_unit) == 0)
        *first_unit = '\0';
    snprintf(text, RFL_REPORT_TEXT, "%s .. %s", low, high);
    return text;
}

const char *rfl_report_fraction(const struct rfl_view_row *row, char text[RFL_REPORT_TEXT])
{
    if (!isfinite(row->fraction))
        snprintf(text, RFL_REPORT_TEXT, "-");
    else if (isfinite(row->fraction_high))
        snprintf(text, RFL_REPORT_TEXT, "%.1f .. %.1f %%", 100 * row->fraction,
                 100 * row->fraction_high);
    else
        snprintf(text, RFL_REPORT_TEXT, "%.1f %%", 100 * row->fraction);
    return text;
}

/* Beyond what a higher clock or the counts of another run make: the roof is of something else. */
static const double wrong_roof = 1.2;

const char *rfl_report_warning(const struct rfl_report *report,
                               const struct rfl_placement *placement, size_t i,
                               char text[RFL_REPORT_WARNING])
{
    const struct rfl_placer *placer = report->placer;
    const struct ert_device_ceilings *device = &placer->ceilings->devices[placer->device];
    text[0] = '\0';
    if (!device->trusted && i-- == 0)
        snprintf(text, RFL_REPORT_WARNING,
                 "the ceilings were measured on a disturbed machine: %s",
                 device->distrust[0] ? device->distrust : "the file gives no reason");
    else if (*placer->mismatch && i-- == 0)
        snprintf(text, RFL_REPORT_WARNING, "%s", placer->mismatch);
    else if (placement && placement->fraction > wrong_roof && i-- == 0)
        snprintf(text, RFL_REPORT_WARNING,
                 "%.4g %% of the %s roof: these ceilings are not of the device, or not of "
                 "the state, that the code ran on",
                 100 * placement->fraction, placement->bound_name);
    return text;
}

void rfl_report_conditions(const struct rfl_placer *placer, char *text, size_t size)
{
    const struct rfl_roofs_options *conditions = &placer->conditions;
    const struct rfl_roofs *roofs = placer->roofs;
    char clock[ERT_UNITS_TEXT], held[ERT_UNITS_TEXT];
    bool gpu = roofs->kind == ERT_DEVICE_GPU;
    double count = gpu ? conditions->warps_per_sm : conditions->threads;
    int used;
    ert_units_frequency(roofs->held_hz, held);
    if (conditions->clock_hz > 0)
        used = snprintf(text, size, "roofs at %s%s (as measured: %s)",
                        ert_units_frequency(conditions->clock_hz, clock),
                        placer->options.clock_hz == RFL_OF_CODE ? " as the code ran" : "",
                        roofs->held_hz > 0 ? held : "clock unknown");
    else
        used = snprintf(text, size, "roofs as measured, %s%s",
                        roofs->held_hz > 0 ? "at " : "clock unknown",
                        roofs->held_hz > 0 ? held : "");
    if (count > 0 && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, ", for %.4g %s", count,
                         gpu ? "warps per SM" : "threads");
    if (conditions->theory && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", theoretical where known");
}
