/* Placed points as text: a block for each. */
#include "analysis/report.h"

#include "analysis/table.h"
#include "ert/base/units.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { WIDTH = 96 }; /* of sentences */

/* A sentence in lines of at most WIDTH, the first after `head`, all indented. */
static void write_wrapped(FILE *out, const char *head, const char *text)
{
    int column = fprintf(out, "  %s", head);
    for (bool first = true; *text; first = false) {
        size_t word = strcspn(text, " ");
        if (column + 1 + (int)word > WIDTH && !first) {
            fputs("\n    ", out);
            column = 4;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, word, out);
        column += (int)word;
        text += word + strspn(text + word, " ");
    }
    fputc('\n', out);
}

static void write_head(const struct rfl_placement *placement,
                       const struct rfl_placer *placer, FILE *out)
{
    const struct rfl_point *point = placement->point;
    char text[ERT_UNITS_TEXT], conditions[192];
    fprintf(out, "\n%s", point->name);
    if (*point->run)
        fprintf(out, " (%s)", point->run);
    fputc(':', out);
    if (point->time_s > 0)
        fprintf(out, " %s,", ert_units_time(point->time_s, text));
    if (point->launches > 1)
        fprintf(out, " %.0f launches,", point->launches);
    if (placement->perf_flop_per_s > 0)
        fprintf(out, " %s,", ert_units_performance(placement->perf_flop_per_s, text));
    if (placement->attainable_flop_per_s > 0)
        fprintf(out, " attainable %s,",
                ert_units_performance(placement->attainable_flop_per_s, text));
    rfl_report_conditions(placer, conditions, sizeof conditions);
    fprintf(out, " %s\n", conditions);
}

static void number_cell(struct rfl_table *table, const char *header, double value,
                        const char *unit)
{
    char text[32];
    if (header)
        rfl_table_cell(table, "%s", rfl_report_number(value, unit, text));
}

static enum ert_status write_rows(const struct rfl_report *report,
                                  const struct rfl_placement *placement, FILE *out,
                                  struct ert_error *error)
{
    struct rfl_view_row rows[RFL_MAX_VIEW_ROWS];
    struct rfl_table table = {.n_columns = 0};
    const char *const *headers = report->view->headers;
    char text[RFL_REPORT_TEXT];
    size_t n = report->view->rows(placement, report->placer->roofs, rows);
    if (!n) {
        fprintf(out, "  nothing known for the view '%s'\n", report->view->name);
        return ERT_OK;
    }
    rfl_table_column(&table, "  roof", false);
    for (size_t h = 0; h < 5; h++)
        if (headers[h])
            rfl_table_column(&table, headers[h], true);
    rfl_table_column(&table, "", false);
    for (size_t i = 0; i < n; i++) {
        rfl_table_cell(&table, "  %s", rows[i].roof);
        if (headers[0] && isfinite(rows[i].intensity))
            rfl_table_cell(&table, "%#.4g", rows[i].intensity);
        else if (headers[0])
            rfl_table_cell(&table, "-");
        number_cell(&table, headers[1], rows[i].reached, rows[i].unit);
        if (headers[2])
            rfl_table_cell(&table, "%s", rfl_report_roof(&rows[i], text));
        number_cell(&table, headers[3], rows[i].measured, rows[i].unit);
        rfl_table_cell(&table, "%s", rfl_report_fraction(&rows[i], text));
        rfl_table_cell(&table, "%s", rows[i].bounds ? "<- bounds" : "");
        rfl_table_end_row(&table);
    }
    return rfl_table_write(&table, RFL_TABLE_TEXT, out, error);
}

static void write_remarks(const struct rfl_placement *placement, FILE *out)
{
    const struct rfl_point *point = placement->point;
    write_wrapped(out, "= ", placement->advice);
    for (size_t i = 0; i < placement->n_levels; i++)
        if (!placement->levels[i].roof)
            fprintf(out, "  no roof: the device has no ceiling of %s\n",
                    placement->levels[i].traffic->level);
    for (size_t i = 0; i < placement->n_units; i++)
        if (!placement->units[i].roof)
            fprintf(out, "  no roof: the device has no ceiling of %s%s%s\n",
                    placement->units[i].work->type,
                    *placement->units[i].work->unit ? " " : "",
                    placement->units[i].work->unit);
    for (size_t i = 0; i < point->n_missing; i++) {
        char head[64];
        snprintf(head, sizeof head, "missing: %.48s: ", point->missing[i].what);
        write_wrapped(out, head, point->missing[i].reason);
    }
    for (size_t i = 0; i < point->n_warnings; i++)
        write_wrapped(out, "warning: ", point->warnings[i]);
}

/* Those of the ceilings come once, before all points. */
static size_t write_warnings(const struct rfl_report *report,
                             const struct rfl_placement *placement, size_t first, FILE *out)
{
    char text[RFL_REPORT_WARNING];
    for (; *rfl_report_warning(report, placement, first, text); first++)
        write_wrapped(out, "warning: ", text);
    return first;
}

/* A note whose key was not seen before. */
static enum ert_status write_note(const char *key, const char *note,
                                  struct rfl_strings *seen, FILE *out,
                                  struct ert_error *error)
{
    size_t before = seen->n_texts;
    if (!rfl_strings_keep(seen, key))
        return ert_fail(error, ERT_FAILED, "no memory for the notes");
    if (seen->n_texts > before)
        write_wrapped(out, "note: ", note);
    return ERT_OK;
}

/*
 * Each kind of note once: what differs from point to point, a clock, a number of warps or a share of
 * reads, stands in the head and rows of each, and CSV and JSON have them all. The kind of a roof's
 * note is the words before the first number.
 */
static enum ert_status write_notes(const struct rfl_placement *placement,
                                   const struct rfl_roofs *roofs, struct rfl_strings *seen,
                                   FILE *out, struct ert_error *error)
{
    char key[sizeof roofs->notes[0]];
    for (size_t i = 0; i < placement->n_levels; i++) {
        const struct rfl_reach *reach = &placement->levels[i].reach;
        if (!*reach->note)
            continue;
        snprintf(key, sizeof key, "%s %d", reach->roof->level, (int)reach->kind);
        ERT_TRY(write_note(key, reach->note, seen, out, error));
    }
    for (size_t i = 0; i < roofs->n_notes; i++) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(roofs->notes[i], "0123456789"),
                 roofs->notes[i]);
        ERT_TRY(write_note(key, roofs->notes[i], seen, out, error));
    }
    return ERT_OK;
}

enum ert_status rfl_report_text(const struct rfl_report *report, FILE *out,
                                struct ert_error *error)
{
    const struct rfl_roofs *roofs = report->placer->roofs;
    struct rfl_strings seen = {.n_texts = 0};
    enum ert_status status = ERT_OK;
    fprintf(out, "%s%s%s, %s: %s\n", roofs->device, *roofs->name ? ", " : "", roofs->name,
            report->view->name, report->view->summary);
    if (report->points->origin && *report->points->origin)
        fprintf(out, "counts: %s\n", report->points->origin);
    size_t n_warnings = write_warnings(report, NULL, 0, out);
    for (size_t i = 0; i < report->points->n && status == ERT_OK; i++) {
        struct rfl_placement placement;
        status =
            rfl_placer_place(report->placer, &report->points->points[i], &placement, error);
        if (status != ERT_OK)
            break;
        write_head(&placement, report->placer, out);
        status = write_rows(report, &placement, out, error);
        write_remarks(&placement, out);
        write_warnings(report, &placement, n_warnings, out);
        if (status == ERT_OK)
            status = write_notes(&placement, roofs, &seen, out, error);
    }
    rfl_strings_free(&seen);
    return status;
}
