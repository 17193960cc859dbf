/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/place/report.h"

#include "analysis/core/place/model.h"
#include "analysis/core/points/json.h"
#include "analysis/core/points/points_json.h"
#include "analysis/core/points/table.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- views: a placement as rows ---- */

static double known(double value)
{
    return value > 0 ? value : NAN;
}

/* A row of numbers; 0 is unknown. */
static struct rfl_view_row report_row_of(const char *name, const char *unit,
                                         double intensity, double reached, double value,
                                         double measured, double fraction)
{
    struct rfl_view_row row = {.unit = unit,
                               .intensity = known(intensity),
                               .reached = known(reached),
                               .value = known(value),
                               .measured = known(measured),
                               .fraction = known(fraction),
                               .value_low = NAN,
                               .fraction_high = NAN,
                               .read_share = NAN};
    snprintf(row.roof, sizeof row.roof, "%s", name);
    return row;
}

/* Above this ratio the two ends of a band print alike. */
static const double one_value = 0.9995;

/*
 * Names the level as its roof is ("HBM load" for a counter's DRAM), and adds what is known of its accesses.
 */
static void report_name_level(const struct rfl_placed *placed, struct rfl_view_row *row)
{
    if (!placed->traffic)
        return;
    if (placed->rate)
        ert_append(row->roof, sizeof row->roof, " %s", placed->reach.name);
    row->read_share = rfl_traffic_read_share(placed->traffic);
    row->is_actual = placed->traffic->is_actual;
}

/* A row for a roof; factor: of the row's units per unit of the roof. */
static struct rfl_view_row placed_row(const struct rfl_placed *placed, const char *unit,
                                      double intensity, double reached, double factor)
{
    struct rfl_view_row row =
        report_row_of(placed->name, unit, intensity, reached, factor * placed->value,
                      factor * placed->measured, placed->fraction);
    report_name_level(placed, &row);
    if (placed->low < one_value * placed->value) {
        row.value_low = factor * placed->low;
        row.fraction_high = known(placed->fraction_high);
    }
    return row;
}

static size_t placed_rows(const struct rfl_placement *placement, size_t first, size_t end,
                          struct rfl_view_row *rows)
{
    for (size_t i = first; i < end; i++) {
        const struct rfl_placed *placed = &placement->placed[i];
        rows[i - first] = placed_row(placed, placed->unit, placed->intensity_flop_per_byte,
                                     placed->reached, 1);
        rows[i - first].bounds = placement->bound && placement->bound_index == i;
    }
    return end - first;
}

/* Levels, units and issue; for a unit near it also the limit of the register file. */
static size_t hierarchical(const struct rfl_placement *placement, struct rfl_view_row *rows)
{
    const size_t end = placement->n_levels + placement->n_units;
    size_t n = placed_rows(placement, 0, end, rows);
    for (size_t i = 0; i < end; i++) {
        const struct rfl_placed *unit = &placement->placed[i];
        double peak = unit->operand_peak_flop_per_s;
        char name[sizeof rows->roof];
        if (!unit->is_near_operands)
            continue;
        snprintf(name, sizeof name, "%s, 3 registers", unit->name);
        rows[n++] =
            report_row_of(name, unit->unit, 0, unit->reached, peak,
                          peak / unit->value * unit->measured, unit->reached / peak);
    }
    return n + placed_rows(placement, end, placement->n_placed, rows + n);
}

/*
 * One intensity for all levels: operations per byte that the cores request, from whichever level. On a GPU
 * these are the bytes of L1 and of shared memory. Ilic, Pratas, Sousa, "Cache-aware Roofline Model: Upgrading
 * the Loft", IEEE CAL 13(1), 2014, doi:10.1109/L-CA.2013.6.
 */
static double asked_bytes(const struct rfl_placement *placement,
                          struct rfl_accesses *accesses)
{
    double bytes = 0, read_bytes = 0;
    *accesses = (struct rfl_accesses){.read_share = NAN};
    for (size_t i = 0; i < placement->n_levels; i++) {
        const struct rfl_traffic *traffic = placement->placed[i].traffic;
        if (strcmp(traffic->level, "L1") != 0 && strcmp(traffic->level, "shared") != 0)
            continue;
        bytes += traffic->bytes;
        read_bytes += traffic->read_bytes;
        accesses->is_streaming |= traffic->is_streaming;
    }
    accesses->read_share = read_bytes / bytes;
    return bytes;
}

static bool is_level_seen(const struct rfl_view_row *rows, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i].roof, name) == 0)
            return true;
    return false;
}

/* All levels of the device, also those without bytes of the point. */
static size_t cache_aware(const struct rfl_placement *placement, struct rfl_view_row *rows)
{
    const struct rfl_roofs *roofs = placement->roofs;
    struct rfl_accesses accesses;
    double bytes = asked_bytes(placement, &accesses);
    double intensity = placement->flops / bytes, reached = placement->perf_flop_per_s;
    size_t n = 0;
    for (size_t i = 0; i < roofs->n_bandwidths && bytes > 0 && n < RFL_MAX_TRAFFIC; i++) {
        const char *level = roofs->bandwidths[i].level;
        if (roofs->bandwidths[i].is_transfer)
            continue;
        const struct rfl_reach reach = rfl_curve_reach(roofs, level, &accesses);
        char name[sizeof rows->roof];
        snprintf(name, sizeof name, "%s %s", level, reach.name);
        if (is_level_seen(rows, n, name))
            continue;
        struct rfl_view_row *row = &rows[n++];
        *row = report_row_of(name, "flop/s", intensity, reached,
                             intensity * reach.bytes_per_s, intensity * reach.measured, 0);
        row->fraction = row->reached / row->value;
        if (reach.low < one_value * reach.bytes_per_s) {
            row->value_low = known(intensity * reach.low);
            row->fraction_high = row->reached / row->value_low;
        }
    }
    return n + placed_rows(placement, placement->n_levels,
                           placement->n_levels + placement->n_units, rows + n);
}

/* The time that each alone would take; the longest is the bound, the sum assumes no overlap. */
static size_t times(const struct rfl_placement *placement, struct rfl_view_row *rows)
{
    size_t n = placed_rows(placement, 0, placement->n_placed, rows);
    double sum = 0, time_s = placement->point->time_s;
    for (size_t i = 0; i < n; i++) {
        double alone = placement->placed[i].alone_s;
        rows[i].measured = rows[i].value / rows[i].measured * alone;
        rows[i].unit = "s";
        rows[i].intensity = NAN;
        rows[i].reached = known(time_s);
        if (rows[i].value_low > 0) /* the lower roof gives the longer time */
            rows[i].value_low = rows[i].value / rows[i].value_low * alone;
        rows[i].value = known(alone);
        sum += alone;
    }
    if (n > 1) {
        rows[n] = report_row_of("one after another", "s", 0, time_s, sum, 0, 0);
        rows[n].fraction = rows[n].value / rows[n].reached;
        n++;
    }
    return n;
}

/*
 * Instructions per transaction: 32 bytes, the sector of all levels of NVIDIA GPUs, or a CPU's line of 64.
 * Ding and Williams, "An Instruction Roofline Model for GPUs", PMBS 2019, doi:10.1109/PMBS49563.2019.00007,
 * section III.
 */
static size_t instructions(const struct rfl_placement *placement, struct rfl_view_row *rows)
{
    double count = placement->point->instructions, time_s = placement->point->time_s;
    double transaction_bytes = placement->roofs->kind == ERT_DEVICE_GPU ? 32 : 64;
    size_t n = 0;
    if (!(count > 0))
        return 0;
    for (; n < placement->n_levels; n++) {
        const struct rfl_placed *level = &placement->placed[n];
        double intensity = count / (level->traffic->bytes / transaction_bytes);
        rows[n] = placed_row(level, "inst/s", intensity, time_s > 0 ? count / time_s : 0,
                             intensity / transaction_bytes);
    }
    return n +
           placed_rows(placement, n + placement->n_units, placement->n_placed, rows + n);
}

/*
 * flop per joule: of the code, and of each roof while it was measured, at the code's intensity. The joules of
 * a roof include all power of the device, so code that uses memory and units cannot attain either. The last
 * row adds both without overlap (model.h, rfl_model_energy) and so counts constant power twice: the real
 * value lies in between.
 */
static size_t energy(const struct rfl_placement *placement, struct rfl_view_row *rows)
{
    double code =
        placement->point->energy_j > 0 ? placement->flops / placement->point->energy_j : 0;
    const struct rfl_placed *memory = NULL, *unit = NULL;
    size_t n = 0;
    for (size_t i = 0; i < placement->n_levels + placement->n_units; i++) {
        const struct rfl_placed *placed = &placement->placed[i];
        if (!placed->rate || !(placed->rate->per_joule > 0) || !(placement->flops > 0))
            continue;
        double factor = placed->traffic ? placed->intensity_flop_per_byte
                                        : placed->value / placed->rate->value;
        rows[n] = report_row_of(placed->name, "flop/J", placed->intensity_flop_per_byte,
                                code, factor * placed->rate->per_joule, 0, 0);
        report_name_level(placed, &rows[n++]);
        if (!placed->traffic)
            unit = unit ? unit : placed;
        else if (placed->reach.roof->clock == RFL_CLOCK_MEMORY)
            memory = placed;
    }
    if (memory && unit) {
        double intensity = memory->intensity_flop_per_byte;
        double flop_j = unit->rate->value / unit->value / unit->rate->per_joule;
        char name[sizeof rows->roof];
        snprintf(name, sizeof name, "%s, then %s", memory->name, unit->work->type);
        rows[n++] =
            report_row_of(name, "flop/J", intensity, code,
                          rfl_model_energy(intensity, flop_j, 1 / memory->rate->per_joule,
                                           0, placement->attainable_flop_per_s),
                          0, 0);
    }
    for (size_t i = 0; i < n; i++)
        rows[i].fraction = rows[i].reached / rows[i].value;
    return n;
}

#define CACHE_AWARE                                                                        \
    "all bytes that the cores asked for, against every level (above 100 %: served "        \
    "further in)"

const struct rfl_view rfl_views[RFL_N_VIEWS] = {
    {.name = "hierarchical",
     .summary = "each level with its own bytes",
     .headers = {"flop/byte", "reached", "roof", "as measured", "of roof"},
     .rows = hierarchical},
    {.name = "cache-aware",
     .summary = CACHE_AWARE,
     .headers = {"flop/byte", "reached", "attainable", "as measured", "of roof"},
     .rows = cache_aware },
    {.name = "time",
     .summary = "the seconds that each would need alone",
     .headers = {NULL, "time", "alone", "as measured", "of time"},
     .rows = times       },
    {.name = "instructions",
     .summary = "instructions per transaction and per second",
     .headers = {"inst/transaction", "reached", "attainable", "as measured", "of roof"},
     .rows = instructions},
    {.name = "energy",
     .summary = "flop per joule against the roofs' own",
     .headers = {"flop/byte", "reached", "roof", NULL, "of roof"},
     .rows = energy      },
};

enum ert_status rfl_view_find(const char *name, const struct rfl_view **view,
                              struct ert_error *error)
{
    char list[ERT_LIST_TEXT];
    *view = ert_list_find(rfl_views, RFL_N_VIEWS, sizeof *rfl_views, name, list);
    return *view ? ERT_OK
                 : ert_fail(error, ERT_USAGE, "no view '%.32s'; there are: %s", name, list);
}

/* ---- common to the formats ---- */

/* The numbers of a row, by their keys in JSON and CSV. */
static const struct {
    const char *key;
    size_t offset;
} numbers[] = {
    {"intensity",     offsetof(struct rfl_view_row, intensity)    },
    {"reached",       offsetof(struct rfl_view_row, reached)      },
    {"value",         offsetof(struct rfl_view_row, value)        },
    {"measured",      offsetof(struct rfl_view_row, measured)     },
    {"fraction",      offsetof(struct rfl_view_row, fraction)     },
    {"value_low",     offsetof(struct rfl_view_row, value_low)    },
    {"fraction_high", offsetof(struct rfl_view_row, fraction_high)},
    {"read_share",    offsetof(struct rfl_view_row, read_share)   },
};
enum { N_NUMBERS = ERT_LENGTH(numbers) };

static double report_number_of(const struct rfl_view_row *row, size_t i)
{
    return *(const double *)((const char *)row + numbers[i].offset);
}

static void add_headers(struct rfl_table *table, const struct rfl_view *view)
{
    for (size_t h = 0; h < 5; h++)
        if (view->headers[h])
            rfl_table_column(table, true, "%s", view->headers[h]);
}

/* Adds a row for readers; if the roof is a band, roof and share are ranges. */
static void report_add_cells(struct rfl_table *table, const struct rfl_view *view,
                             const struct rfl_view_row *row)
{
    const bool is_band = isfinite(row->value_low);
    if (view->headers[0])
        rfl_table_number(table, "%#.4g", row->intensity);
    rfl_table_number(table, row->unit, row->reached);
    rfl_table_texts(table,
                    is_band
                        ? ert_units_pair(row->value_low, " .. ", row->value, row->unit).text
                        : rfl_number_text(row->unit, row->value).text,
                    NULL);
    if (view->headers[3])
        rfl_table_number(table, row->unit, row->measured);
    if (isfinite(row->fraction) && isfinite(row->fraction_high))
        rfl_table_cell(table, "%.1f .. %.1f %%", 100 * row->fraction,
                       100 * row->fraction_high);
    else
        rfl_table_number(table, "%.1f %%", row->fraction);
}

/* A higher clock or counts of another run explain no more than this: the ceilings do not fit the run. */
static const double wrong_roof = 1.2;

/* Remarks on a placement besides its rows and advice, in this order. */
enum remark_kind {
    OF_CEILINGS, /* on all points: the machine was disturbed, or the device is another one */
    WRONG_ROOF,  /* more than 120 % of a roof */
    NO_ROOF,     /* what: a level, or a type and unit */
    MISSING,     /* what: the missing part of the point */
    WARNING,     /* of the point */
    OF_REACH,    /* what: the level of the roof */
    OF_ROOFS
};

struct remark {
    enum remark_kind kind;
    const char *what, *unit, *text;
    int reach; /* OF_REACH: enum rfl_reach_kind */
};

enum { MAX_REMARKS = 64 }; /* at most 3 + the sizes of the arrays below */

struct remarks {
    size_t n;
    struct remark list[MAX_REMARKS];
    char disturbed[ERT_WARNINGS_TEXT + 64], wrong_roof[160];
};

static struct remark *add_remark(struct remarks *remarks, enum remark_kind kind,
                                 const char *what, const char *text)
{
    remarks->list[remarks->n] = (struct remark){kind, what, "", text, 0};
    return &remarks->list[remarks->n++];
}

/* placement NULL: only the remarks on all points. */
static void find_remarks(const struct rfl_report *report,
                         const struct rfl_placement *placement, struct remarks *remarks)
{
    const struct rfl_placer *placer = report->placer;
    const struct ert_device_ceilings *device = &placer->ceilings->devices[placer->device];
    remarks->n = 0;
    if (!device->valid) {
        snprintf(remarks->disturbed, sizeof remarks->disturbed,
                 "the ceilings were measured on a disturbed machine: %s",
                 device->warnings[0] ? device->warnings : "the file gives no reason");
        add_remark(remarks, OF_CEILINGS, "", remarks->disturbed);
    }
    if (*placer->mismatch)
        add_remark(remarks, OF_CEILINGS, "", placer->mismatch);
    if (!placement)
        return;
    if (placement->fraction > wrong_roof) {
        snprintf(remarks->wrong_roof, sizeof remarks->wrong_roof,
                 "%.4g %% of the %s roof: these ceilings are not of the device, or not of "
                 "the state, that the code ran on",
                 100 * placement->fraction, placement->bound_name);
        add_remark(remarks, WRONG_ROOF, "", remarks->wrong_roof);
    }
    for (size_t i = 0; i < placement->n_levels + placement->n_units; i++) {
        const struct rfl_placed *placed = &placement->placed[i];
        if (!placed->rate && placed->traffic)
            add_remark(remarks, NO_ROOF, placed->traffic->level,
                       "the device has no ceiling of this level");
        else if (!placed->rate)
            add_remark(remarks, NO_ROOF, placed->work->type,
                       "the device has no ceiling of this type and unit")
                ->unit = placed->work->unit;
    }
    const struct rfl_point *point = placement->point;
    for (size_t i = 0; i < point->n_missing; i++)
        add_remark(remarks, MISSING, point->missing[i].what, point->missing[i].reason);
    for (size_t i = 0; i < point->n_warnings; i++)
        add_remark(remarks, WARNING, "", point->warnings[i]);
    for (size_t i = 0; i < placement->n_levels; i++) {
        const struct rfl_reach *reach = &placement->placed[i].reach;
        if (*reach->note)
            add_remark(remarks, OF_REACH, reach->roof->level, reach->note)->reach =
                reach->kind;
    }
    for (size_t i = 0; i < placer->roofs->n_notes; i++)
        add_remark(remarks, OF_ROOFS, "", placer->roofs->notes[i]);
}

/* "roofs at 1.600 GHz as the code ran (as measured: 1.974 GHz), for 12 warps per SM" */
static void say_conditions(const struct rfl_placer *placer, char *text, size_t size)
{
    const struct rfl_roofs_options *conditions = &placer->conditions;
    const struct rfl_roofs *roofs = placer->roofs;
    struct ert_text held = {"clock unknown"};
    bool gpu = roofs->kind == ERT_DEVICE_GPU;
    double count = gpu ? conditions->warps_per_sm : conditions->threads;
    if (roofs->held_hz > 0)
        held = ert_units_frequency(roofs->held_hz);
    if (conditions->clock_hz > 0)
        snprintf(text, size, "roofs at %s%s (as measured: %s)",
                 ert_units_frequency(conditions->clock_hz).text,
                 placer->options.clock_hz == RFL_OF_CODE ? " as the code ran" : "",
                 held.text);
    else
        snprintf(text, size, "roofs as measured, %s%s", roofs->held_hz > 0 ? "at " : "",
                 held.text);
    if (count > 0)
        ert_append(text, size, ", for %.4g %s", count, gpu ? "warps per SM" : "threads");
    if (conditions->theory)
        ert_append(text, size, ", theoretical where known");
}

/* "gpu0, NVIDIA H200" */
static void report_write_device(const struct rfl_roofs *roofs, enum ert_format format,
                                FILE *out)
{
    ert_text_print(out, format, "%s%s%s", roofs->device, *roofs->name ? ", " : "",
                   roofs->name);
}

/* "ceilings: node1, 2026-11-21, valid"; if they are not valid, a remark gives the reason. */
static void write_ceilings(const struct rfl_placer *placer, enum ert_format format,
                           FILE *out)
{
    const struct ert_ceilings *ceilings = placer->ceilings;
    const char *host = ceilings->machine->provenance.host, *status = ceilings->status;
    char text[512] = "";
    if (!ceilings->devices[placer->device].valid)
        return;
    ert_append(text, sizeof text, "%s%s%.10s%s", host, *host ? ", " : "", ceilings->created,
               *ceilings->created ? ", " : "");
    if (*status && strcmp(status, "complete") != 0)
        ert_append(text, sizeof text, "of a run that did not complete (%s), ", status);
    ert_text_print(out, format, "ceilings: %svalid\n", text);
}

/* ---- text: a block for each point ---- */

enum { WIDTH = 96 }; /* of a sentence, in characters */

/* Wraps a sentence to at most `columns`: the first line begins with `head`, the others are indented. */
static void write_wrapped(FILE *out, enum ert_format format, size_t columns,
                          const char *head, const char *text)
{
    if (format != ERT_TEXT_PLAIN) {
        const char *word = head + strspn(head, " ");
        ert_text_print(out, format, word > head ? "- %s%s\n" : "%s%s\n", word, text);
        return;
    }
    ert_text_print(out, format, "%s", head);
    int column = (int)ert_text_width(head);
    for (bool first = true; *text; first = false) {
        size_t word = strcspn(text, " "), most = columns - 4;
        word = ert_utf8_fit(text, word < most ? word : most);
        if ((size_t)column + !first + word > columns && column > 4) {
            fputs("\n    ", out);
            column = 4;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        char *piece = ert_xprintf("%.*s", (int)word, text);
        ert_text_write(out, ERT_TEXT_PLAIN, piece);
        column += (int)ert_text_width(piece);
        free(piece);
        text += word + strspn(text + word, " ");
    }
    fputc('\n', out);
}

static void report_write_head(const struct rfl_placement *placement,
                              const struct rfl_placer *placer, FILE *out)
{
    const struct rfl_point *point = placement->point;
    char conditions[192];
    ert_text_print(out, ERT_TEXT_PLAIN, *point->run ? "\n%s (%s):" : "\n%s:", point->name,
                   point->run);
    if (point->time_s > 0)
        fprintf(out, " %s,", ert_units_time(point->time_s).text);
    if (point->launches > 1)
        fprintf(out, " %.0f launches,", point->launches);
    if (placement->perf_flop_per_s > 0)
        fprintf(out, " %s,", ert_units_performance(placement->perf_flop_per_s).text);
    if (placement->attainable_flop_per_s > 0)
        fprintf(out, " attainable %s,",
                ert_units_performance(placement->attainable_flop_per_s).text);
    say_conditions(placer, conditions, sizeof conditions);
    fprintf(out, " %s\n", conditions);
}

static void report_write_rows(const struct rfl_report *report,
                              const struct rfl_placement *placement, FILE *out)
{
    struct rfl_view_row rows[RFL_MAX_VIEW_ROWS];
    struct rfl_table table = {.format = ERT_TEXT_PLAIN};
    size_t n = report->view->rows(placement, rows);
    if (!n) {
        fprintf(out, "  nothing known for the view '%s'\n", report->view->name);
        return;
    }
    rfl_table_columns(&table, "  roof");
    add_headers(&table, report->view);
    rfl_table_column(&table, false, "%s", "");
    for (size_t i = 0; i < n; i++) {
        rfl_table_cell(&table, "  %s", rows[i].roof);
        report_add_cells(&table, report->view, &rows[i]);
        rfl_table_texts(&table, rows[i].bounds ? "<- bounds" : "", NULL);
    }
    rfl_table_write(&table, out);
}

/*
 * Remarks on the ceilings are written once, before all points, and each kind of note once: the head and rows
 * of each point have what differs (clock, warps, share of reads), and CSV and JSON have all notes. The kind
 * of a note on a roof is its text up to the first number.
 */
static void write_remark(const struct remark *remark, struct ert_strings *seen, FILE *out)
{
    const size_t n_seen = seen->n_texts;
    char head[64] = "  warning: ";
    switch (remark->kind) {
    case NO_ROOF:
        ert_text_print(out, ERT_TEXT_PLAIN,
                       "  no roof: the device has no ceiling of %s%s%s\n", remark->what,
                       *remark->unit ? " " : "", remark->unit);
        return;
    case MISSING:
        snprintf(head, sizeof head, "  missing: %.48s: ", remark->what);
        break;
    case OF_REACH:
    case OF_ROOFS:
        if (remark->kind == OF_REACH)
            ert_strings_format(seen, "%s %d", remark->what, remark->reach);
        else
            ert_strings_format(seen, "%.*s", (int)strcspn(remark->text, "0123456789"),
                               remark->text);
        if (seen->n_texts == n_seen)
            return;
        snprintf(head, sizeof head, "  note: ");
        break;
    default:
        break;
    }
    write_wrapped(out, ERT_TEXT_PLAIN, WIDTH, head, remark->text);
}

static void report_text(const struct rfl_report *report, FILE *out)
{
    struct ert_strings seen = {.n_texts = 0};
    struct remarks remarks;
    report_write_device(report->placer->roofs, ERT_TEXT_PLAIN, out);
    fprintf(out, ", %s: %s\n", report->view->name, report->view->summary);
    if (report->points->origin && *report->points->origin)
        ert_text_print(out, ERT_TEXT_PLAIN, "counts: %s\n", report->points->origin);
    write_ceilings(report->placer, ERT_TEXT_PLAIN, out);
    find_remarks(report, NULL, &remarks);
    for (size_t i = 0; i < remarks.n; i++)
        write_remark(&remarks.list[i], &seen, out);
    for (size_t i = 0; i < report->points->n; i++) {
        struct rfl_placement placement;
        rfl_placer_place(report->placer, &report->points->points[i], &placement);
        report_write_head(&placement, report->placer, out);
        report_write_rows(report, &placement, out);
        write_wrapped(out, ERT_TEXT_PLAIN, WIDTH, "  = ", placement.advice);
        find_remarks(report, &placement, &remarks);
        for (size_t r = 0; r < remarks.n; r++)
            if (remarks.list[r].kind != OF_CEILINGS)
                write_remark(&remarks.list[r], &seen, out);
    }
    ert_strings_free(&seen);
}

/* ---- CSV and Markdown: one table ---- */

enum { REMARKS_TEXT = 2400 };

/* Joins the remarks, "a; b", as far as they fit. */
static void list_remarks(const struct rfl_report *report,
                         const struct rfl_placement *placement, char text[REMARKS_TEXT])
{
    struct remarks remarks;
    find_remarks(report, placement, &remarks);
    text[0] = '\0';
    for (size_t i = 0; i < remarks.n; i++) {
        const struct remark *remark = &remarks.list[i];
        const char *between = *text ? "; " : "";
        if (remark->kind == NO_ROOF)
            ert_append(text, REMARKS_TEXT, "%sthe device has no ceiling of %s%s%s", between,
                       remark->what, *remark->unit ? " " : "", remark->unit);
        else if (remark->kind == MISSING)
            ert_append(text, REMARKS_TEXT, "%smissing %s: %s", between, remark->what,
                       remark->text);
        else
            ert_append(text, REMARKS_TEXT, "%s%s", between, remark->text);
    }
}

/* Writes point by point: a complete table would hold the texts of up to a hundred thousand kernels. */
static void report_csv(const struct rfl_report *report, FILE *out)
{
    const struct rfl_roofs *roofs = report->placer->roofs;
    struct rfl_table table = {.format = ERT_TEXT_CSV};
    rfl_table_columns(&table, "kernel|run|device|clock_hz|roof|unit");
    for (size_t k = 0; k < N_NUMBERS; k++)
        rfl_table_columns(&table, numbers[k].key);
    rfl_table_columns(&table, "bounds|advice|remarks");
    for (size_t i = 0; i < report->points->n; i++) {
        struct rfl_view_row rows[RFL_MAX_VIEW_ROWS] = {
            report_row_of("", "", 0, 0, 0, 0, 0)};
        struct rfl_placement placement;
        char remarks[REMARKS_TEXT];
        rfl_placer_place(report->placer, &report->points->points[i], &placement);
        list_remarks(report, &placement, remarks);
        size_t n = report->view->rows(&placement, rows);
        for (size_t r = 0; r < n || r == 0; r++) {
            rfl_table_texts(&table, placement.point->name, placement.point->run,
                            roofs->device, NULL);
            rfl_table_positive(&table, "", roofs->clock_hz);
            rfl_table_texts(&table, rows[r].roof, rows[r].unit, NULL);
            for (size_t k = 0; k < N_NUMBERS; k++)
                rfl_table_number(&table, "", report_number_of(&rows[r], k));
            rfl_table_texts(&table, rows[r].bounds ? "yes" : "",
                            r == 0 ? placement.advice : "", r == 0 ? remarks : "", NULL);
        }
        rfl_table_flush(&table, out);
    }
    rfl_table_write(&table, out);
}

static void report_markdown(const struct rfl_report *report, FILE *out)
{
    struct rfl_table table = {.format = ERT_TEXT_MARKDOWN};
    struct rfl_placement placement;
    const struct rfl_points *points = report->points;
    const struct rfl_roofs *roofs = report->placer->roofs;
    rfl_table_columns(&table, "kernel|roof");
    add_headers(&table, report->view);
    for (size_t i = 0; i < points->n; i++) {
        const struct rfl_point *point = &points->points[i];
        struct rfl_view_row rows[RFL_MAX_VIEW_ROWS];
        rfl_placer_place(report->placer, point, &placement);
        size_t n = report->view->rows(&placement, rows);
        for (size_t r = 0; r < n; r++) {
            if (r == 0 && *point->run)
                rfl_table_cell(&table, "%s (%s)", point->name, point->run);
            else
                rfl_table_texts(&table, r == 0 ? point->name : "", NULL);
            rfl_table_cell(&table, "%s%s", rows[r].roof, rows[r].bounds ? " (bounds)" : "");
            report_add_cells(&table, report->view, &rows[r]);
        }
    }
    report_write_device(roofs, ERT_TEXT_MARKDOWN, out);
    fprintf(out, ", %s: %s\n\n", report->view->name, report->view->summary);
    rfl_table_write(&table, out);
    fputc('\n', out);
    for (size_t i = 0; i < points->n; i++) {
        const struct rfl_point *point = &points->points[i];
        char remarks[REMARKS_TEXT], conditions[192];
        rfl_placer_place(report->placer, point, &placement);
        say_conditions(report->placer, conditions, sizeof conditions);
        list_remarks(report, &placement, remarks);
        ert_text_print(out, ERT_TEXT_MARKDOWN, "- %s%s%s%s: %s (%s)\n", point->name,
                       *point->run ? " (" : "", point->run, *point->run ? ")" : "",
                       placement.advice, conditions);
        if (*remarks)
            ert_text_print(out, ERT_TEXT_MARKDOWN, "  - %s\n", remarks);
    }
}

static double time_of_all(const struct rfl_report *report)
{
    return rfl_points_time(report->points, report->placer->roofs->kind == ERT_DEVICE_CPU);
}

/* ---- JSON ---- */

static const struct rfl_view *view_of(const struct rfl_report *report)
{
    return report->view ? report->view : &rfl_views[0];
}

static void add_bound(cJSON *kernel, const struct rfl_placement *placement)
{
    static const char *const kinds[] = {"none", "level", "unit", "issue"};
    cJSON *bound = cJSON_AddObjectToObject(kernel, "bound");
    cJSON_AddStringToObject(bound, "kind", kinds[placement->bound]);
    rfl_json_text(bound, "name", placement->bound_name);
    rfl_json_positive(bound, "fraction", placement->fraction);
    if (placement->fraction_high > placement->fraction)
        rfl_json_positive(bound, "fraction_high", placement->fraction_high);
    rfl_json_positive(bound, "attainable_flop_per_s", placement->attainable_flop_per_s);
    rfl_json_text(bound, "next", placement->next_name);
    rfl_json_positive(bound, "next_share", placement->headroom);
}

static void report_add_conditions(cJSON *kernel, const struct rfl_placer *placer,
                                  const struct remarks *remarks)
{
    cJSON *at = cJSON_AddObjectToObject(kernel, "conditions");
    rfl_json_positive(at, "clock_hz", placer->roofs->clock_hz);
    rfl_json_positive(at, "measured_clock_hz", placer->roofs->held_hz);
    rfl_json_positive(at, "memory_clock_hz", placer->conditions.memory_clock_hz);
    rfl_json_positive(at, "warps_per_sm", placer->conditions.warps_per_sm);
    rfl_json_positive(at, "threads", placer->conditions.threads);
    cJSON_AddBoolToObject(at, "theory", placer->conditions.theory);
    cJSON *notes = cJSON_AddArrayToObject(at, "notes");
    for (size_t i = 0; i < remarks->n; i++)
        if (remarks->list[i].kind >= OF_REACH)
            rfl_json_append(notes, remarks->list[i].text);
}

static void add_rows(cJSON *kernel, const struct rfl_view *view,
                     const struct rfl_placement *placement)
{
    struct rfl_view_row rows[RFL_MAX_VIEW_ROWS];
    size_t n = view->rows(placement, rows);
    cJSON *list = cJSON_AddArrayToObject(kernel, "rows");
    for (size_t i = 0; i < n; i++) {
        cJSON *row = rfl_json_object(list);
        cJSON_AddStringToObject(row, "roof", rows[i].roof);
        cJSON_AddStringToObject(row, "unit", rows[i].unit);
        for (size_t k = 0; k < N_NUMBERS; k++)
            rfl_json_number(row, numbers[k].key, report_number_of(&rows[i], k));
        rfl_json_text(row, "bytes_of", rows[i].is_actual ? "actual" : "");
        cJSON_AddBoolToObject(row, "bounds", rows[i].bounds);
    }
}

static cJSON *kernel_to_json(const struct rfl_report *report,
                             const struct rfl_placement *placement, double whole_s)
{
    const struct rfl_point *point = placement->point;
    cJSON *kernel = cJSON_CreateObject();
    struct remarks remarks;
    find_remarks(report, placement, &remarks);
    cJSON_AddStringToObject(kernel, "name", point->name);
    rfl_json_text(kernel, "run", point->run);
    rfl_json_text(kernel, "source", point->source);
    rfl_json_text(kernel, "format", point->format);
    rfl_json_positive(kernel, "time_s", point->time_s);
    rfl_json_positive(kernel, "share", point->time_s / whole_s);
    rfl_json_positive(kernel, "headroom_s", placement->saved_s);
    rfl_json_positive(kernel, "launches", point->launches);
    rfl_json_positive(kernel, "flops", placement->flops);
    rfl_json_positive(kernel, "flop_per_s", placement->perf_flop_per_s);
    add_bound(kernel, placement);
    report_add_conditions(kernel, report->placer, &remarks);
    add_rows(kernel, view_of(report), placement);
    cJSON_AddStringToObject(kernel, "advice", placement->advice);
    cJSON_AddStringToObject(kernel, "hint", placement->hint);
    cJSON *missing = cJSON_AddArrayToObject(kernel, "missing");
    cJSON *warnings = cJSON_AddArrayToObject(kernel, "warnings");
    for (size_t i = 0; i < remarks.n; i++) {
        const struct remark *remark = &remarks.list[i];
        if (remark->kind == NO_ROOF || remark->kind == MISSING) {
            cJSON *item = rfl_json_object(missing);
            cJSON_AddStringToObject(item, "what", remark->what);
            cJSON_AddStringToObject(item, "reason", remark->text);
        } else if (remark->kind < OF_REACH) {
            rfl_json_append(warnings, remark->text);
        }
    }
    return kernel;
}

/*
 * ert-placement/2: placement.schema.json, and the placed points with the keys of points.json. Makes the tree
 * of one kernel at a time: a tree of all takes ten times the memory of the points.
 */
static void report_json(const struct rfl_report *report, FILE *out)
{
    const struct rfl_roofs *roofs = report->placer->roofs;
    const double whole_s = time_of_all(report);
    cJSON *device = cJSON_CreateObject();
    cJSON_AddStringToObject(device, "id", roofs->device);
    rfl_json_text(device, "name", roofs->name);
    rfl_json_text(device, "mismatch", report->placer->mismatch);
    cJSON_AddStringToObject(device, "kind", roofs->kind == ERT_DEVICE_GPU ? "gpu" : "cpu");
    cJSON_AddBoolToObject(device, "valid",
                          report->placer->ceilings->devices[report->placer->device].valid);
    fputs("{\"schema\": \"ert-placement/2\",\n\"device\": ", out);
    rfl_json_print(out, device);
    fprintf(out, ",\"view\": \"%s\",\n\"kernels\": [\n", view_of(report)->name);
    for (size_t i = 0; i < report->points->n; i++) {
        struct rfl_placement placement;
        rfl_placer_place(report->placer, &report->points->points[i], &placement);
        fputs(i ? "," : "", out);
        rfl_json_print(out, kernel_to_json(report, &placement, whole_s));
    }
    fputs("]", out);
    rfl_points_print_members(out, report->points);
    fputs("}\n", out);
}

/* ---- the summary: a row for each point, to compare versions of a code ---- */

/* The times of the first and of the latest point of a run; 0: not known yet. */
struct run {
    double first_s, before_s;
};

static void report_add_point(struct rfl_table *table, const struct rfl_point *point,
                             struct run *run, const struct ert_strings *levels)
{
    const double time_s = point->time_s > 0 ? point->time_s : NAN,
                 flops = point->n_work ? rfl_point_flops(point) : NAN;
    const char *unit =
        point->n_work ? ert_unit_words[ert_unit_of_type(point->work[0].type)] : "flop/s";
    rfl_table_texts(table, point->name, point->run, NULL);
    rfl_table_number(table, "s", time_s);
    rfl_table_number(table, "%.1f",
                     point->time_high_s > 0
                         ? 50 * (point->time_high_s - point->time_low_s) / time_s
                         : NAN);
    rfl_table_number(table, "%.2f", (run->first_s > 0 ? run->first_s : time_s) / time_s);
    rfl_table_number(table, "%.2f", run->before_s > 0 ? run->before_s / time_s : NAN);
    rfl_table_number(table, unit, flops / time_s);
    rfl_table_number(table, "%.4g", flops);
    rfl_table_number(table, "%.1f", 100 * (flops / rfl_point_instructions(point) - 1));
    for (size_t l = 0; l < levels->n_texts; l++) {
        const struct rfl_traffic *traffic = rfl_point_traffic(point, levels->texts[l]);
        rfl_table_number(table, "%.4g", traffic ? flops / traffic->bytes : NAN);
    }
    if (point->time_s > 0) {
        run->before_s = point->time_s;
        run->first_s = run->first_s > 0 ? run->first_s : point->time_s;
    }
}

static void report_add_placement(struct rfl_table *table,
                                 const struct rfl_placement *placement)
{
    const struct rfl_placed *unit = &placement->placed[placement->n_levels];
    rfl_table_positive(table, "%.1f", placement->n_units ? 100 * unit->fraction : 0);
    rfl_table_texts(table, *placement->bound_name ? placement->bound_name : "-", NULL);
    rfl_table_positive(table, "%.1f", 100 * placement->fraction);
}

static void write_summary_head(const struct rfl_report *report, enum ert_format format,
                               size_t columns, FILE *out)
{
    const struct rfl_placer *placer = report->placer;
    const bool has_origin = report->points->origin && *report->points->origin;
    struct remarks remarks;
    char text[192], head[192];
    if (has_origin)
        write_wrapped(out, format, columns, "counts: ", report->points->origin);
    if (placer) {
        write_ceilings(placer, format, out);
        snprintf(head, sizeof head, "%s%s%.100s: ", placer->roofs->device,
                 *placer->roofs->name ? ", " : "", placer->roofs->name);
        say_conditions(placer, text, sizeof text);
        write_wrapped(out, format, columns, head,
                      placer->options.clock_hz == RFL_OF_CODE ||
                              placer->options.concurrency == RFL_OF_CODE
                          ? "roofs for the clock and concurrency of each, where known"
                          : text);
        find_remarks(report, NULL, &remarks);
        for (size_t i = 0; i < remarks.n; i++)
            write_wrapped(out, format, columns, "warning: ", remarks.list[i].text);
    }
    fputs(has_origin || placer ? "\n" : "", out);
}

enum ert_status rfl_report_summary(const void *about, FILE *out, struct ert_error *error)
{
    const struct rfl_report *report = about;
    const struct rfl_points *points = report->points;
    struct ert_strings levels = {0}; /* of all points, in the order found */
    struct ert_strings names = {0};  /* of runs */
    struct rfl_table table = {.format = rfl_table_format(report->format)};
    if (strcmp(report->format, "json") == 0)
        return ert_fail(error, ERT_USAGE,
                        "the summary is text, markdown or csv; the other views have json");
    if (table.format != ERT_TEXT_CSV)
        write_summary_head(report, table.format, SIZE_MAX, out);
    rfl_table_columns(&table,
                      "kernel|run|>time|>+- %|>speed-up|>step|>rate|>operations|>FMA %");
    struct run *runs = ert_xcalloc(points->n, sizeof *runs);
    for (size_t i = 0; i < points->n; i++)
        for (size_t t = 0; t < points->points[i].n_traffic; t++)
            ert_strings_keep(&levels, points->points[i].traffic[t].level);
    for (size_t l = 0; l < levels.n_texts; l++)
        rfl_table_column(&table, true, "AI %s", levels.texts[l]);
    rfl_table_columns(&table, report->placer ? ">of peak %|bound by|>of it %" : "");
    for (size_t i = 0; i < points->n; i++) {
        struct rfl_placement placement;
        report_add_point(&table, &points->points[i],
                         &runs[ert_strings_index(&names, points->points[i].run)], &levels);
        if (!report->placer)
            continue;
        rfl_placer_place(report->placer, &points->points[i], &placement);
        report_add_placement(&table, &placement);
    }
    rfl_table_write(&table, out);
    free(runs);
    ert_strings_free(&names);
    ert_strings_free(&levels);
    return ERT_OK;
}

/* ---- the table of kernels by share of the time ---- */

enum {
    MOST_KERNELS = 25,  /* default limit of the table */
    FEWEST_KERNELS = 5, /* are listed even if they take little time */
    LONGEST_NAME = 48,
    LEGIBLE_NAME = 20, /* columns are dropped for names of this width */
    SHORTEST_NAME = 16,
    MOST_REMARKS = 8 /* kinds of remarks below the table */
};

/* Lists kernels until they take this share of the time; one row sums the rest. */
#define MOST_OF_TIME 0.98

/* In the order of the table; a narrow terminal drops columns from the highest rank down. */
static const struct share_column {
    const char *header; /* '>' marks columns of numbers */
    int rank;
} share_columns[] = {
    {"kernel",     0},
    {">time",      0},
    {">share",     0},
    {">launches",  4},
    {">reached",   3},
    {"bound by",   1},
    {">of roof",   1},
    {">headroom",  2},
    {"what to do", 5},
};
enum {
    N_SHARE_COLUMNS = ERT_LENGTH(share_columns),
    HINT = N_SHARE_COLUMNS - 1,
    HINT_RANK = 5
};

struct share_row {
    const char *cells[N_SHARE_COLUMNS]; /* of the table's strings */
};

struct shares {
    const struct rfl_report *report;
    struct ert_strings strings;
    const struct rfl_point **points;      /* malloc; the longest first */
    double time_s, all_saved_s, launches; /* of all points */
    double whole_s; /* 100 % of the shares: time that the device or the program worked */
    size_t n_listed;
    struct share_row *rows; /* malloc; those listed, the rest, the total */
    size_t n_rows;
};

static int report_compare_times(const void *left, const void *right)
{
    const struct rfl_point *a = *(const struct rfl_point *const *)left,
                           *b = *(const struct rfl_point *const *)right;
    if (a->time_s != b->time_s)
        return a->time_s < b->time_s ? 1 : -1;
    return (a > b) - (a < b);
}

/* Sorts and sums, and chooses how many kernels are listed. */
static void open_shares(const struct rfl_report *report, struct shares *shares)
{
    const struct rfl_points *points = report->points;
    struct rfl_placement placement;
    double listed_s = 0;
    *shares = (struct shares){.report = report};
    shares->points = ert_xcalloc(points->n + 1, sizeof *shares->points);
    for (size_t i = 0; i < points->n; i++)
        shares->points[i] = &points->points[i];
    qsort(shares->points, points->n, sizeof *shares->points, report_compare_times);
    for (size_t i = 0; i < points->n; i++) {
        rfl_placer_place(report->placer, shares->points[i], &placement);
        shares->all_saved_s += placement.saved_s;
        shares->time_s += shares->points[i]->time_s;
        shares->launches += shares->points[i]->launches;
    }
    shares->whole_s = time_of_all(report);
    for (size_t *n = &shares->n_listed; *n < points->n;
         listed_s += shares->points[(*n)++]->time_s)
        if (report->top ? *n == report->top
                        : *n == MOST_KERNELS || (*n >= FEWEST_KERNELS &&
                                                 listed_s >= MOST_OF_TIME * shares->time_s))
            break;
    if (shares->n_listed + 1 == points->n && !report->top)
        shares->n_listed++; /* the row for the rest would be as long */
    shares->rows = ert_xcalloc(shares->n_listed + 2, sizeof *shares->rows);
}

static void close_shares(struct shares *shares)
{
    ert_strings_free(&shares->strings);
    free(shares->points);
    free(shares->rows);
}

/* "66..164 %" if the roof is a band, since reads and writes are not known separately. */
static const char *share_of_roof(struct ert_strings *strings,
                                 const struct rfl_placement *placement)
{
    double low = round(100 * placement->fraction),
           high = round(100 * placement->fraction_high);
    if (!(placement->fraction > 0))
        return "-";
    if (high < 1)
        return "<1 %";
    return ert_strings_format(strings, high > low ? "%.3g..%.3g %%" : "%.3g %%", low, high);
}

/* Operations per second or, without operations, the bytes per second of the bounding level. */
static struct ert_text reached_text(const struct rfl_placement *placement)
{
    const struct rfl_point *point = placement->point;
    if (placement->perf_flop_per_s > 0)
        return rfl_number_text(ert_unit_words[ert_unit_of_type(point->work[0].type)],
                               placement->perf_flop_per_s);
    if (placement->bound == RFL_BOUND_NONE)
        return rfl_number_text("", NAN);
    const struct rfl_placed *placed = &placement->placed[placement->bound_index];
    return rfl_number_text(placed->unit, known(placed->reached));
}

/* Adds a row; listed kernels get their names later, when the width is known. */
static struct share_row *add_share_row(struct shares *shares, const char *name,
                                       double time_s, double launches, double saved_s)
{
    struct ert_strings *strings = &shares->strings;
    struct share_row *row = &shares->rows[shares->n_rows++];
    const char *const cells[N_SHARE_COLUMNS] = {
        name,
        ert_strings_keep(strings, rfl_number_text("s", known(time_s)).text),
        ert_strings_keep(strings,
                         rfl_number_text("%.1f %%", known(time_s) / shares->whole_s).text),
        launches > 0 ? ert_strings_format(strings, "%.0f", launches) : "",
        "",
        "",
        "",
        ert_strings_keep(strings, rfl_number_text("s", known(saved_s)).text),
        "",
    };
    memcpy(row->cells, cells, sizeof row->cells);
    return row;
}

static void add_share_rows(struct shares *shares)
{
    const struct rfl_report *report = shares->report;
    const size_t n = report->points->n, left = n - shares->n_listed;
    struct ert_strings *strings = &shares->strings;
    struct rfl_placement placement;
    double time_s = 0, launches = 0, saved_s = 0;
    for (size_t i = 0; i < shares->n_listed; i++) {
        const struct rfl_point *point = shares->points[i];
        rfl_placer_place(report->placer, point, &placement);
        struct share_row *row =
            add_share_row(shares, "", point->time_s, point->launches, placement.saved_s);
        row->cells[4] = ert_strings_keep(strings, reached_text(&placement).text);
        row->cells[5] =
            *placement.bound_name ? ert_strings_keep(strings, placement.bound_name) : "-";
        row->cells[6] = share_of_roof(strings, &placement);
        row->cells[HINT] = ert_strings_keep(strings, placement.hint);
        time_s += point->time_s;
        launches += point->launches;
        saved_s += placement.saved_s;
    }
    if (left)
        add_share_row(shares, ert_strings_format(strings, "%zu more", left),
                      shares->time_s - time_s, shares->launches - launches,
                      shares->all_saved_s - saved_s);
    add_share_row(shares, "total", shares->time_s, shares->launches, shares->all_saved_s);
}

static size_t report_widest(const struct shares *shares, size_t column)
{
    const char *header = share_columns[column].header;
    size_t most = strlen(header) - (*header == '>');
    for (size_t i = 0; i < shares->n_rows; i++) {
        size_t width = ert_text_width(shares->rows[i].cells[column]);
        most = width > most ? width : most;
    }
    return most;
}

/* The columns that remain for names beside the columns up to a rank. */
static size_t room_for_names(const struct shares *shares, int rank, size_t columns)
{
    size_t used = 0;
    for (size_t c = 1; c < N_SHARE_COLUMNS; c++)
        used += share_columns[c].rank <= rank ? report_widest(shares, c) + 2 : 0;
    return used < columns ? columns - used : 0;
}

/* Puts short names with their runs into the listed rows, at most `width` wide. */
static void name_rows(struct shares *shares, size_t width)
{
    const size_t n = shares->report->points->n; /* of all: names must differ */
    const char **names = ert_xcalloc(n + 1, sizeof *names);
    size_t longest_run = 0;
    for (size_t i = 0; i < n; i++) {
        size_t run = ert_text_width(shares->points[i]->run);
        longest_run = run && run + 3 > longest_run ? run + 3 : longest_run;
        names[i] = shares->points[i]->name;
    }
    longest_run = longest_run < LONGEST_NAME ? longest_run : 0;
    width = longest_run + SHORTEST_NAME < width ? width - longest_run : SHORTEST_NAME;
    if (!shares->report->full_names)
        rfl_names_short(&shares->strings, names, n, width, names);
    for (size_t i = 0; i < shares->n_listed; i++)
        shares->rows[i].cells[0] =
            *shares->points[i]->run ? ert_strings_format(&shares->strings, "%s (%s)",
                                                         names[i], shares->points[i]->run)
                                    : names[i];
    free(names);
}

/* Writes the table; returns the rank up to which columns fit. */
static int write_share_table(struct shares *shares, enum ert_format format, size_t columns,
                             FILE *out)
{
    struct rfl_table table = {.format = format};
    int rank = HINT_RANK;
    name_rows(shares, LONGEST_NAME);
    size_t longest = report_widest(shares, 0),
           wanted = longest < LEGIBLE_NAME ? longest : LEGIBLE_NAME;
    while (format == ERT_TEXT_PLAIN && rank > 0 &&
           room_for_names(shares, rank, columns) < wanted)
        rank--;
    size_t room = room_for_names(shares, rank, columns);
    if (format == ERT_TEXT_PLAIN && room < longest)
        name_rows(shares, room);
    for (size_t c = 0; c < N_SHARE_COLUMNS; c++)
        if (share_columns[c].rank <= rank)
            rfl_table_columns(&table, share_columns[c].header);
    for (size_t i = 0; i < shares->n_rows; i++)
        for (size_t c = 0; c < N_SHARE_COLUMNS; c++)
            if (share_columns[c].rank <= rank)
                rfl_table_texts(&table, shares->rows[i].cells[c], NULL);
    rfl_table_write(&table, out);
    return rank;
}

/* For a table without the column "what to do": lists the hints with their kernels. */
static void write_hints(const struct shares *shares, size_t columns, FILE *out)
{
    struct ert_strings seen = {.n_texts = 0};
    for (size_t i = 0; i < shares->n_listed; i++) {
        const char *hint = shares->rows[i].cells[HINT];
        const size_t n_seen = seen.n_texts;
        struct rfl_names names = {.left_out = 0};
        char head[64];
        ert_strings_index(&seen, hint);
        if (seen.n_texts == n_seen)
            continue;
        for (size_t k = i; k < shares->n_listed; k++)
            if (shares->rows[k].cells[HINT] == hint)
                rfl_names_add(&names, 200, shares->rows[k].cells[0]);
        snprintf(head, sizeof head, "  %s: ", hint);
        write_wrapped(out, ERT_TEXT_PLAIN, columns, head, rfl_names_end(&names));
    }
    ert_strings_free(&seen);
}

/* A remark that several kernels share, possibly with different numbers. */
struct common_remark {
    const char *text; /* of the kernel that takes longest */
    size_t n, last;   /* number of kernels; the latest of them, counted from 1 */
};

/* Remarks are of one kind if they differ only in numbers; all wrong roofs are one kind. */
static size_t kind_of_remark(const struct remark *remark, struct ert_strings *kinds)
{
    char *text = ert_xprintf("%d %s %s", remark->kind, remark->what,
                             remark->kind == WRONG_ROOF ? "" : remark->text),
         *kind = rfl_text_kind(text);
    size_t index = ert_strings_index(kinds, kind);
    free(kind);
    free(text);
    return index;
}

/* Writes what is missing or wrong for the kernels of the table, each kind once. */
static void write_common_remarks(struct shares *shares, enum ert_format format,
                                 size_t columns, FILE *out)
{
    const struct rfl_report *report = shares->report;
    const size_t n_points = report->points->n;
    struct ert_strings kinds = {.n_texts = 0};
    struct common_remark *common = NULL;
    size_t n = 0, capacity = 0;
    struct remarks remarks;
    for (size_t i = 0; i < n_points; i++) {
        struct rfl_placement placement;
        rfl_placer_place(report->placer, shares->points[i], &placement);
        find_remarks(report, &placement, &remarks);
        for (size_t r = 0; r < remarks.n; r++) {
            const struct remark *remark = &remarks.list[r];
            if (remark->kind == OF_CEILINGS || remark->kind >= OF_REACH)
                continue;
            size_t kind = kind_of_remark(remark, &kinds);
            if (kind == n) {
                common = ert_xgrow(common, n, &capacity, sizeof *common);
                common[n++] = (struct common_remark){
                    ert_strings_format(&shares->strings, "%s%s%s%s%s%s",
                                       remark->kind == MISSING ? "missing " : "",
                                       remark->what, *remark->unit ? " " : "", remark->unit,
                                       *remark->what ? ": " : "", remark->text),
                    0, 0};
            }
            common[kind].n += common[kind].last != i + 1;
            common[kind].last = i + 1;
        }
    }
    for (size_t i = 0; i < n && i < MOST_REMARKS; i++) {
        char head[64] = "  ";
        if (n_points > 1)
            snprintf(head, sizeof head,
                     common[i].n == n_points ? "  all kernels: " : "  %zu of %zu kernels: ",
                     common[i].n, n_points);
        write_wrapped(out, format, columns, head, common[i].text);
    }
    if (n > MOST_REMARKS)
        fprintf(out, "  %zu more remarks: --view hierarchical\n", n - MOST_REMARKS);
    ert_strings_free(&kinds);
    free(common);
}

/* "The table covers 97.2 % of the 1.2 s in which the device worked; that is 43 % of the run's 2.8 s." */
static void write_coverage(const struct shares *shares, enum ert_format format,
                           size_t columns, FILE *out)
{
    const double busy_s = shares->report->points->busy_s,
                 elapsed_s = shares->report->points->elapsed_s;
    char text[320] = "";
    if (busy_s > 0)
        ert_append(text, sizeof text, "%.3g %% of the %s in which %s worked",
                   100 * shares->time_s / busy_s, ert_units_time(busy_s).text,
                   shares->report->placer->roofs->device);
    if (elapsed_s > 0)
        ert_append(text, sizeof text, "%s%.3g %% of the run's %s", *text ? ", " : "",
                   100 * shares->time_s / elapsed_s, ert_units_time(elapsed_s).text);
    if (elapsed_s > 0 && shares->time_s > elapsed_s)
        ert_append(
            text, sizeof text,
            ": launches overlap (streams, GPUs, processes), or regions hold others, so "
            "headrooms do not add up");
    if (*text)
        write_wrapped(out, format, columns, "  the table covers ", text);
}

/* Writes all kernels, the longest first, with full names and advice. */
static void write_shares_csv(struct shares *shares, FILE *out)
{
    const struct rfl_report *report = shares->report;
    struct rfl_table table = {.format = ERT_TEXT_CSV};
    rfl_table_columns(&table,
                      "kernel|run|device|time_s|share|launches|flop_per_s|bound|fraction|"
                      "fraction_high|headroom_s|hint|advice|remarks");
    for (size_t i = 0; i < report->points->n; i++) {
        const struct rfl_point *point = shares->points[i];
        struct rfl_placement placement;
        char remarks[REMARKS_TEXT];
        rfl_placer_place(report->placer, point, &placement);
        list_remarks(report, &placement, remarks);
        rfl_table_texts(&table, point->name, point->run, report->placer->roofs->device,
                        NULL);
        rfl_table_positive(&table, "", point->time_s);
        rfl_table_positive(&table, "", point->time_s / shares->whole_s);
        rfl_table_positive(&table, "", point->launches);
        rfl_table_positive(&table, "", placement.perf_flop_per_s);
        rfl_table_texts(&table, placement.bound_name, NULL);
        rfl_table_positive(&table, "", placement.fraction);
        rfl_table_positive(&table, "", placement.fraction_high);
        rfl_table_positive(&table, "", placement.saved_s);
        rfl_table_texts(&table, placement.hint, placement.advice, remarks, NULL);
        rfl_table_flush(&table, out);
    }
    rfl_table_write(&table, out);
}

static void report_shares(const struct rfl_report *report, FILE *out)
{
    const enum ert_format format = rfl_table_format(report->format);
    const size_t columns = report->columns ? report->columns : RFL_REPORT_COLUMNS;
    struct shares shares;
    open_shares(report, &shares);
    if (format == ERT_TEXT_CSV) {
        write_shares_csv(&shares, out);
    } else {
        add_share_rows(&shares);
        write_summary_head(report, format, columns, out);
        int rank = write_share_table(&shares, format, columns, out);
        fputs("\n", out);
        if (rank < HINT_RANK)
            write_hints(&shares, columns, out);
        write_coverage(&shares, format, columns, out);
        write_common_remarks(&shares, format, columns, out);
    }
    close_shares(&shares);
}

enum ert_status rfl_report_write(const void *about, FILE *out, struct ert_error *error)
{
    static const struct format {
        const char *name;
        void (*write)(const struct rfl_report *report, FILE *out);
    } formats[] = {
        {"text",     report_text    },
        {"json",     report_json    },
        {"markdown", report_markdown},
        {"csv",      report_csv     },
    };
    const struct rfl_report *report = about;
    char list[ERT_LIST_TEXT];
    const struct format *row =
        ert_list_find(formats, ERT_LENGTH(formats), sizeof *formats, report->format, list);
    if (!row)
        return ert_fail(error, ERT_USAGE, "no output '%.32s'; there are: %s",
                        report->format, list);
    (report->view || row->write == report_json ? row->write : report_shares)(report, out);
    return ERT_OK;
}
