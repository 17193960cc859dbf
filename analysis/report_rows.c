/* Placed points as one table: Markdown for documents, CSV for other programs. */
#include "analysis/report.h"

#include "analysis/table.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Appends to a list of remarks "a; b". */
__attribute__((format(printf, 3, 4))) static void remark(char *text, size_t size,
                                                         const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    if (used + 3 >= size)
        return;
    used += (size_t)snprintf(text + used, size - used, "%s", used ? "; " : "");
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void list_remarks(const struct rfl_report *report,
                         const struct rfl_placement *placement, char *text, size_t size)
{
    const struct rfl_point *point = placement->point;
    const struct rfl_roofs *roofs = report->placer->roofs;
    char warning[RFL_REPORT_WARNING];
    text[0] = '\0';
    for (size_t i = 0; *rfl_report_warning(report, placement, i, warning); i++)
        remark(text, size, "%s", warning);
    for (size_t i = 0; i < placement->n_levels; i++)
        if (!placement->levels[i].roof)
            remark(text, size, "the device has no ceiling of %s",
                   placement->levels[i].traffic->level);
    for (size_t i = 0; i < placement->n_units; i++)
        if (!placement->units[i].roof)
            remark(text, size, "the device has no ceiling of %s %s",
                   placement->units[i].work->type, placement->units[i].work->unit);
    for (size_t i = 0; i < point->n_missing; i++)
        remark(text, size, "missing %s: %s", point->missing[i].what,
               point->missing[i].reason);
    for (size_t i = 0; i < point->n_warnings; i++)
        remark(text, size, "%s", point->warnings[i]);
    for (size_t i = 0; i < placement->n_levels; i++)
        if (*placement->levels[i].reach.note)
            remark(text, size, "%s", placement->levels[i].reach.note);
    for (size_t i = 0; i < roofs->n_notes; i++)
        remark(text, size, "%s", roofs->notes[i]);
}

enum { REMARKS_TEXT = 2400 };

static const char *const csv_headers[] = {
    "kernel",        "run",        "device", "clock_hz", "roof",     "unit",
    "intensity",     "reached",    "value",  "measured", "fraction", "value_low",
    "fraction_high", "read_share", "bounds", "advice",   "remarks"};

/* RFC 4180: quoted where it must be. */
static void csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        fwrite(text, 1, (size_t)(quote - text), out);
        fputs("\"\"", out);
    }
    fputs(text, out);
    fputc('"', out);
}

/* Unknown numbers are empty cells. */
static void csv_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.9g", value);
}

static void csv_row(FILE *out, const struct rfl_report *report,
                    const struct rfl_placement *placement, const struct rfl_view_row *row,
                    bool first)
{
    const struct rfl_roofs *roofs = report->placer->roofs;
    const char *const texts[] = {placement->point->name, placement->point->run,
                                 roofs->device};
    const double numbers[] = {row->intensity,     row->reached,   row->value,
                              row->measured,      row->fraction,  row->value_low,
                              row->fraction_high, row->read_share};
    char remarks[REMARKS_TEXT] = "";
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        csv_text(out, texts[i]);
        fputc(',', out);
    }
    csv_number(out, roofs->clock_hz > 0 ? roofs->clock_hz : NAN);
    fputc(',', out);
    csv_text(out, row->roof);
    fprintf(out, ",%s,", row->unit);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        csv_number(out, numbers[i]);
        fputc(',', out);
    }
    fprintf(out, "%s,", row->bounds ? "yes" : "");
    if (first)
        list_remarks(report, placement, remarks, sizeof remarks);
    csv_text(out, first ? placement->advice : "");
    fputc(',', out);
    csv_text(out, remarks);
    fputc('\n', out);
}

/* Not through a table: it would keep the texts of a hundred thousand kernels. */
enum ert_status rfl_report_csv(const struct rfl_report *report, FILE *out,
                               struct ert_error *error)
{
    static const struct rfl_view_row nothing = {.unit = "",
                                                .intensity = NAN,
                                                .reached = NAN,
                                                .value = NAN,
                                                .measured = NAN,
                                                .fraction = NAN,
                                                .value_low = NAN,
                                                .fraction_high = NAN,
                                                .read_share = NAN};
    for (size_t c = 0; c < sizeof csv_headers / sizeof csv_headers[0]; c++)
        fprintf(out, "%s%s", c ? "," : "", csv_headers[c]);
    fputc('\n', out);
    for (size_t i = 0; i < report->points->n; i++) {
        struct rfl_view_row rows[RFL_MAX_VIEW_ROWS];
        struct rfl_placement placement;
        ERT_TRY(rfl_placer_place(report->placer, &report->points->points[i], &placement,
                                 error));
        size_t n = report->view->rows(&placement, report->placer->roofs, rows);
        for (size_t r = 0; r < n || r == 0; r++)
            csv_row(out, report, &placement, n ? &rows[r] : &nothing, r == 0);
    }
    return ERT_OK;
}

static void markdown_number(struct rfl_table *table, const char *header, double value,
                            const char *unit)
{
    char text[32];
    if (header)
        rfl_table_cell(table, "%s", rfl_report_number(value, unit, text));
}

static void markdown_row(struct rfl_table *table, const struct rfl_view *view,
                         const struct rfl_placement *placement,
                         const struct rfl_view_row *row, bool first)
{
    const struct rfl_point *point = placement->point;
    char text[RFL_REPORT_TEXT];
    if (first && *point->run)
        rfl_table_cell(table, "%s (%s)", point->name, point->run);
    else
        rfl_table_cell(table, "%s", first ? point->name : "");
    rfl_table_cell(table, "%s%s", row->roof, row->bounds ? " (bounds)" : "");
    if (view->headers[0] && isfinite(row->intensity))
        rfl_table_cell(table, "%#.4g", row->intensity);
    else if (view->headers[0])
        rfl_table_cell(table, "-");
    markdown_number(table, view->headers[1], row->reached, row->unit);
    if (view->headers[2])
        rfl_table_cell(table, "%s", rfl_report_roof(row, text));
    markdown_number(table, view->headers[3], row->measured, row->unit);
    if (isfinite(row->fraction))
        rfl_table_cell(table, "%s", rfl_report_fraction(row, text));
    rfl_table_end_row(table);
}

static void markdown_remarks(const struct rfl_report *report,
                             const struct rfl_placement *placement, FILE *out)
{
    char remarks[REMARKS_TEXT], conditions[192];
    rfl_report_conditions(report->placer, conditions, sizeof conditions);
    list_remarks(report, placement, remarks, sizeof remarks);
    fprintf(out, "- %s%s%s%s: %s (%s)\n", placement->point->name,
            *placement->point->run ? " (" : "", placement->point->run,
            *placement->point->run ? ")" : "", placement->advice, conditions);
    if (*remarks)
        fprintf(out, "  - %s\n", remarks);
}

/* The table first, then a sentence for each point. */
enum ert_status rfl_report_markdown(const struct rfl_report *report, FILE *out,
                                    struct ert_error *error)
{
    struct rfl_table table = {.n_columns = 0};
    struct rfl_placement placement;
    const struct rfl_roofs *roofs = report->placer->roofs;
    enum ert_status status = ERT_OK;
    rfl_table_column(&table, "kernel", false);
    rfl_table_column(&table, "roof", false);
    for (size_t h = 0; h < 5; h++)
        if (report->view->headers[h])
            rfl_table_column(&table, report->view->headers[h], true);
    for (size_t i = 0; i < report->points->n && status == ERT_OK; i++) {
        struct rfl_view_row rows[RFL_MAX_VIEW_ROWS];
        status =
            rfl_placer_place(report->placer, &report->points->points[i], &placement, error);
        size_t n = status == ERT_OK ? report->view->rows(&placement, roofs, rows) : 0;
        for (size_t r = 0; r < n; r++)
            markdown_row(&table, report->view, &placement, &rows[r], r == 0);
    }
    if (status == ERT_OK) {
        fprintf(out, "%s%s%s, %s: %s\n\n", roofs->device, *roofs->name ? ", " : "",
                roofs->name, report->view->name, report->view->summary);
        status = rfl_table_write(&table, RFL_TABLE_MARKDOWN, out, error);
        fputc('\n', out);
    }
    rfl_table_free(&table);
    for (size_t i = 0; i < report->points->n && status == ERT_OK; i++) {
        status =
            rfl_placer_place(report->placer, &report->points->points[i], &placement, error);
        if (status == ERT_OK)
            markdown_remarks(report, &placement, out);
    }
    return status;
}
