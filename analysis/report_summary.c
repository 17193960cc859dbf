/* Points as one table, a row for each: versions of a code beside each other. */
#include "analysis/report.h"

#include "analysis/table.h"
#include "ert/base/units.h"

#include <math.h>
#include <string.h>

/* The levels that any of the points has bytes of, as they come. */
static size_t find_levels(const struct rfl_points *points,
                          const char *levels[RFL_MAX_TRAFFIC])
{
    size_t n = 0;
    for (size_t i = 0; i < points->n; i++)
        for (size_t t = 0; t < points->points[i].n_traffic; t++) {
            const char *level = points->points[i].traffic[t].level;
            size_t k = 0;
            while (k < n && strcmp(levels[k], level) != 0)
                k++;
            if (k == n && n < RFL_MAX_TRAFFIC)
                levels[n++] = level;
        }
    return n;
}

/* A point of the same run with a time: the first, or the last before point i; NULL: none. */
static const struct rfl_point *earlier(const struct rfl_points *points, size_t i,
                                       bool is_first)
{
    const char *run = points->points[i].run;
    for (size_t k = 0; k < i; k++) {
        const struct rfl_point *point = &points->points[is_first ? k : i - 1 - k];
        if (point->time_s > 0 && strcmp(point->run, run) == 0)
            return point;
    }
    return NULL;
}

/* "-" for what is not known. */
static void number(struct rfl_table *table, const char *format, double value)
{
    char text[48];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, format, value);
#pragma GCC diagnostic pop
    rfl_table_cell(table, "%s", isfinite(value) ? text : "-");
}

static void add_columns(struct rfl_table *table, const char *const *levels, size_t n_levels,
                        bool has_roofs)
{
    static const char *const names[] = {"time", "+- %",       "speed-up", "step",
                                        "rate", "operations", "FMA %"};
    rfl_table_column(table, "kernel", false);
    rfl_table_column(table, "run", false);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        rfl_table_column(table, names[i], true);
    for (size_t i = 0; i < n_levels; i++) {
        char header[24];
        snprintf(header, sizeof header, "AI %s", levels[i]);
        const char *kept = rfl_strings_keep(&table->strings, header);
        table->failed = table->failed || !kept;
        rfl_table_column(table, kept, true);
    }
    if (!has_roofs)
        return;
    rfl_table_column(table, "of peak %", true);
    rfl_table_column(table, "bound by", false);
    rfl_table_column(table, "of it %", true);
}

static void add_point(struct rfl_table *table, const struct rfl_points *points, size_t i,
                      const char *const *levels, size_t n_levels)
{
    const struct rfl_point *point = &points->points[i];
    const struct rfl_point *first = earlier(points, i, true),
                           *before = earlier(points, i, false);
    const double time_s = point->time_s > 0 ? point->time_s : NAN,
                 flops = point->n_work ? rfl_point_flops(point) : NAN;
    const char *operation = point->n_work ? point->work[0].type : "";
    char text[32];
    rfl_table_cell(table, "%s", point->name);
    rfl_table_cell(table, "%s", point->run);
    rfl_table_cell(table, "%s", rfl_report_number(time_s, "s", text));
    number(table, "%.1f",
           point->time_high_s > 0 ? 50 * (point->time_high_s - point->time_low_s) / time_s
                                  : NAN);
    number(table, "%.2f", (first ? first->time_s : time_s) / time_s);
    number(table, "%.2f", before ? before->time_s / time_s : NAN);
    rfl_table_cell(table, "%s",
                   rfl_report_number(flops / time_s,
                                     strncmp(operation, "int", 3) ? "flop/s" : "op/s",
                                     text));
    number(table, "%.4g", flops);
    number(table, "%.1f", 100 * (flops / rfl_point_instructions(point) - 1));
    for (size_t l = 0; l < n_levels; l++) {
        const struct rfl_traffic *traffic = rfl_point_traffic(point, levels[l]);
        number(table, "%.4g", traffic ? flops / traffic->bytes : NAN);
    }
}

static void add_placement(struct rfl_table *table, const struct rfl_placement *placement)
{
    const bool has_peak = placement->n_units > 0 && placement->units[0].fraction > 0;
    number(table, "%.1f", has_peak ? 100 * placement->units[0].fraction : NAN);
    rfl_table_cell(table, "%s", *placement->bound_name ? placement->bound_name : "-");
    number(table, "%.1f", placement->fraction > 0 ? 100 * placement->fraction : NAN);
}

static void write_head(const struct rfl_report *report, FILE *out)
{
    const struct rfl_placer *placer = report->placer;
    const bool has_origin = report->points->origin && *report->points->origin;
    char text[RFL_REPORT_WARNING];
    if (has_origin)
        fprintf(out, "counts: %s\n", report->points->origin);
    if (placer) {
        rfl_report_conditions(placer, text, sizeof text);
        fprintf(out, "%s%s%s: %s\n", placer->roofs->device,
                *placer->roofs->name ? ", " : "", placer->roofs->name,
                placer->options.clock_hz == RFL_OF_CODE ||
                        placer->options.concurrency == RFL_OF_CODE
                    ? "roofs for the clock and concurrency of each, where known"
                    : text);
        for (size_t i = 0; *rfl_report_warning(report, NULL, i, text); i++)
            fprintf(out, "warning: %s\n", text);
    }
    fputs(has_origin || placer ? "\n" : "", out);
}

enum ert_status rfl_report_summary(const struct rfl_report *report, const char *format,
                                   FILE *out, struct ert_error *error)
{
    const struct rfl_points *points = report->points;
    const char *levels[RFL_MAX_TRAFFIC];
    const size_t n_levels = find_levels(points, levels);
    struct rfl_table table = {0};
    enum ert_status status = ERT_OK;
    const bool is_csv = strcmp(format, "csv") == 0;
    if (strcmp(format, "json") == 0)
        return ert_fail(error, ERT_USAGE,
                        "the summary is text, markdown or csv; the other views have json");
    if (!is_csv)
        write_head(report, out);
    add_columns(&table, levels, n_levels, report->placer != NULL);
    for (size_t i = 0; i < points->n && status == ERT_OK; i++) {
        struct rfl_placement placement;
        add_point(&table, points, i, levels, n_levels);
        if (!report->placer)
            continue;
        status = rfl_placer_place(report->placer, &points->points[i], &placement, error);
        if (status == ERT_OK)
            add_placement(&table, &placement);
    }
    if (status == ERT_OK)
        status = rfl_table_write(&table,
                                 is_csv                            ? RFL_TABLE_CSV
                                 : strcmp(format, "markdown") == 0 ? RFL_TABLE_MARKDOWN
                                                                   : RFL_TABLE_TEXT,
                                 out, error);
    rfl_table_free(&table);
    return status;
}
