#include "analysis/report.h"

#include "analysis/json.h"
#include "analysis/model.h"
#include "analysis/table.h"
#include "ert/base/units.h"

#include <math.h>
#include <string.h>

/* ---- views: a placement as rows ---- */

static double known(double value)
{
    return value > 0 ? value : NAN;
}

/* A row of numbers of which 0 is not known. */
static struct rfl_view_row row_of(const char *name, const char *unit, double intensity,
                                  double reached, double value, double measured,
                                  double fraction)
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

/* Below this the two ends of a band print alike. */
static const double one_value = 0.9995;

/* "HBM load" of a counter's DRAM: the roof's own name; and what is known of its accesses. */
static void name_level(const struct rfl_placed *placed, struct rfl_view_row *row)
{
    if (!placed->traffic)
        return;
    if (placed->rate)
        ert_append(row->roof, sizeof row->roof, " %s", placed->reach.name);
    row->read_share = rfl_traffic_read_share(placed->traffic);
    row->is_actual = placed->traffic->is_actual;
}

/* The row of a roof that is so many of the unit for each of its own. */
static struct rfl_view_row placed_row(const struct rfl_placed *placed, const char *unit,
                                      double intensity, double reached, double factor)
{
    struct rfl_view_row row =
        row_of(placed->name, unit, intensity, reached, factor * placed->value,
               factor * placed->measured, placed->fraction);
    name_level(placed, &row);
    if (placed->low < one_value * placed->value) {
        row.value_low = factor * placed->low;
        row.fraction_high = known(placed->fraction_high);
    }
    return row;
}

/* Those from first to before end. */
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

/* Beside levels, units and issue what the register file delivers, where a unit is near it. */
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
        rows[n++] = row_of(name, unit->unit, 0, unit->reached, peak,
                           peak / unit->value * unit->measured, unit->reached / peak);
    }
    return n + placed_rows(placement, end, placement->n_placed, rows + n);
}

/*
 * One intensity for all levels: operations over all bytes that the cores asked for, wherever they were
 * found. On a GPU loads of shared memory are asked for beside those of L1. Ilic, Pratas, Sousa,
 * "Cache-aware Roofline Model: Upgrading the Loft", IEEE CAL 13(1), 2014, doi:10.1109/L-CA.2013.6.
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

/* All levels of the device, whether the point has bytes of them or not. */
static size_t cache_aware(const struct rfl_placement *placement, struct rfl_view_row *rows)
{
    const struct rfl_roofs *roofs = placement->roofs;
    struct rfl_accesses accesses;
    double bytes = asked_bytes(placement, &accesses);
    double intensity = placement->flops / bytes, reached = placement->perf_flop_per_s;
    size_t n = 0;
    for (size_t i = 0; i < roofs->n_bandwidths && bytes > 0 && n < RFL_MAX_TRAFFIC; i++) {
        const char *level = roofs->bandwidths[i].level;
        const struct rfl_reach reach = rfl_curve_reach(roofs, level, &accesses);
        char name[sizeof rows->roof];
        snprintf(name, sizeof name, "%s %s", level, reach.name);
        if (is_level_seen(rows, n, name))
            continue;
        struct rfl_view_row *row = &rows[n++];
        *row = row_of(name, "flop/s", intensity, reached, intensity * reach.bytes_per_s,
                      intensity * reach.measured, 0);
        row->fraction = row->reached / row->value;
        if (reach.low < one_value * reach.bytes_per_s) {
            row->value_low = known(intensity * reach.low);
            row->fraction_high = row->reached / row->value_low;
        }
    }
    return n + placed_rows(placement, placement->n_levels,
                           placement->n_levels + placement->n_units, rows + n);
}

/* Seconds that each would need alone; the longest bounds, the sum is without any overlap. */
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
        if (rows[i].value_low > 0) /* the longer time, of the lower roof */
            rows[i].value_low = rows[i].value / rows[i].value_low * alone;
        rows[i].value = known(alone);
        sum += alone;
    }
    if (n > 1) {
        rows[n] = row_of("one after another", "s", 0, time_s, sum, 0, 0);
        rows[n].fraction = rows[n].value / rows[n].reached;
        n++;
    }
    return n;
}

/*
 * Instructions per transaction of 32 bytes, the sector of all levels of NVIDIA's GPUs; a CPU's is its
 * line of 64. Ding and Williams, "An Instruction Roofline Model for GPUs", PMBS 2019,
 * doi:10.1109/PMBS49563.2019.00007, section III.
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
 * flop per joule: of the code, and what each roof gave while it was measured, at the code's
 * intensity. A roof's joules hold all that the device drew, so no code that does both can reach
 * either; the last row adds memory and unit without overlap (model.h, rfl_model_energy), which counts
 * what is drawn all the time twice: the truth lies between.
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
        rows[n] = row_of(placed->name, "flop/J", placed->intensity_flop_per_byte, code,
                         factor * placed->rate->per_joule, 0, 0);
        name_level(placed, &rows[n++]);
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
        rows[n++] = row_of(name, "flop/J", intensity, code,
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

/* ---- what the formats share ---- */

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

static double number_of(const struct rfl_view_row *row, size_t i)
{
    return *(const double *)((const char *)row + numbers[i].offset);
}

static void add_headers(struct rfl_table *table, const struct rfl_view *view)
{
    for (size_t h = 0; h < 5; h++)
        if (view->headers[h])
            rfl_table_column(table, true, "%s", view->headers[h]);
}

/* A row as readers have it, roof and share of it as ranges where the roof is a band. */
static void add_cells(struct rfl_table *table, const struct rfl_view *view,
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

/* Beyond what a higher clock or the counts of another run make: the roof is of something else. */
static const double wrong_roof = 1.2;

/* What is to be said of a placement beside its rows and advice, in this order. */
enum remark_kind {
    OF_CEILINGS, /* of all points: ceilings of a disturbed machine, of another device */
    WRONG_ROOF,  /* more than 120 % of one */
    NO_ROOF,     /* what: a level, or a type and unit */
    MISSING,     /* what: of the point */
    WARNING,     /* of the point */
    OF_REACH,    /* what: the level whose roof it tells of */
    OF_ROOFS
};

struct remark {
    enum remark_kind kind;
    const char *what, *unit, *text;
    int reach; /* OF_REACH: enum rfl_reach_kind */
};

enum { MAX_REMARKS = 64 }; /* all that there can be: 3 and what the arrays below hold */

struct remarks {
    size_t n;
    struct remark list[MAX_REMARKS];
    char disturbed[512], wrong_roof[160];
};

static struct remark *add_remark(struct remarks *remarks, enum remark_kind kind,
                                 const char *what, const char *text)
{
    remarks->list[remarks->n] = (struct remark){kind, what, "", text, 0};
    return &remarks->list[remarks->n++];
}

/* placement NULL: those of all points. */
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
static void write_device(const struct rfl_roofs *roofs, enum ert_format format, FILE *out)
{
    ert_text_print(out, format, "%s%s%s", roofs->device, *roofs->name ? ", " : "",
                   roofs->name);
}

/* ---- text: a block for each point ---- */

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

static void write_rows(const struct rfl_report *report,
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
        add_cells(&table, report->view, &rows[i]);
        rfl_table_texts(&table, rows[i].bounds ? "<- bounds" : "", NULL);
    }
    rfl_table_write(&table, out);
}

/*
 * Those of the ceilings come once, before all points, and each kind of note once: what differs from point
 * to point, a clock, a number of warps or a share of reads, stands in the head and rows of each, and CSV
 * and JSON have them all. The kind of a roof's note is the words before the first number.
 */
static void write_remark(const struct remark *remark, struct rfl_strings *seen, FILE *out)
{
    const size_t n_seen = seen->n_texts;
    char head[64] = "warning: ";
    switch (remark->kind) {
    case NO_ROOF:
        ert_text_print(out, ERT_TEXT_PLAIN,
                       "  no roof: the device has no ceiling of %s%s%s\n", remark->what,
                       *remark->unit ? " " : "", remark->unit);
        return;
    case MISSING:
        snprintf(head, sizeof head, "missing: %.48s: ", remark->what);
        break;
    case OF_REACH:
    case OF_ROOFS:
        if (remark->kind == OF_REACH)
            rfl_strings_format(seen, "%s %d", remark->what, remark->reach);
        else
            rfl_strings_format(seen, "%.*s", (int)strcspn(remark->text, "0123456789"),
                               remark->text);
        if (seen->n_texts == n_seen)
            return;
        snprintf(head, sizeof head, "note: ");
        break;
    default:
        break;
    }
    write_wrapped(out, head, remark->text);
}

static void report_text(const struct rfl_report *report, FILE *out)
{
    struct rfl_strings seen = {.n_texts = 0};
    struct remarks remarks;
    write_device(report->placer->roofs, ERT_TEXT_PLAIN, out);
    fprintf(out, ", %s: %s\n", report->view->name, report->view->summary);
    if (report->points->origin && *report->points->origin)
        ert_text_print(out, ERT_TEXT_PLAIN, "counts: %s\n", report->points->origin);
    find_remarks(report, NULL, &remarks);
    for (size_t i = 0; i < remarks.n; i++)
        write_remark(&remarks.list[i], &seen, out);
    for (size_t i = 0; i < report->points->n; i++) {
        struct rfl_placement placement;
        rfl_placer_place(report->placer, &report->points->points[i], &placement);
        write_head(&placement, report->placer, out);
        write_rows(report, &placement, out);
        write_wrapped(out, "= ", placement.advice);
        find_remarks(report, &placement, &remarks);
        for (size_t r = 0; r < remarks.n; r++)
            if (remarks.list[r].kind != OF_CEILINGS)
                write_remark(&remarks.list[r], &seen, out);
    }
    rfl_strings_free(&seen);
}

/* ---- CSV and Markdown: one table ---- */

enum { REMARKS_TEXT = 2400 };

/* A list of remarks, "a; b", as far as it fits. */
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

/* Point by point: a table would keep the texts of a hundred thousand kernels. */
static void report_csv(const struct rfl_report *report, FILE *out)
{
    const struct rfl_roofs *roofs = report->placer->roofs;
    struct rfl_table table = {.format = ERT_TEXT_CSV};
    rfl_table_columns(&table, "kernel|run|device|clock_hz|roof|unit");
    for (size_t k = 0; k < N_NUMBERS; k++)
        rfl_table_columns(&table, numbers[k].key);
    rfl_table_columns(&table, "bounds|advice|remarks");
    for (size_t i = 0; i < report->points->n; i++) {
        struct rfl_view_row rows[RFL_MAX_VIEW_ROWS] = {row_of("", "", 0, 0, 0, 0, 0)};
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
                rfl_table_number(&table, "", number_of(&rows[r], k));
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
            add_cells(&table, report->view, &rows[r]);
        }
    }
    write_device(roofs, ERT_TEXT_MARKDOWN, out);
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

/* ---- JSON ---- */

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

static void add_conditions(cJSON *kernel, const struct rfl_placer *placer,
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
            rfl_json_number(row, numbers[k].key, number_of(&rows[i], k));
        rfl_json_text(row, "bytes_of", rows[i].is_actual ? "actual" : "");
        cJSON_AddBoolToObject(row, "bounds", rows[i].bounds);
    }
}

static cJSON *kernel_to_json(const struct rfl_report *report,
                             const struct rfl_placement *placement)
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
    rfl_json_positive(kernel, "launches", point->launches);
    rfl_json_positive(kernel, "flops", placement->flops);
    rfl_json_positive(kernel, "flop_per_s", placement->perf_flop_per_s);
    add_bound(kernel, placement);
    add_conditions(kernel, report->placer, &remarks);
    add_rows(kernel, report->view, placement);
    cJSON_AddStringToObject(kernel, "advice", placement->advice);
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
 * ert-placement/2: placement.schema.json. The tree of one kernel at a time: that of all would be ten times
 * the points.
 */
static void report_json(const struct rfl_report *report, FILE *out)
{
    const struct rfl_roofs *roofs = report->placer->roofs;
    cJSON *device = cJSON_CreateObject();
    cJSON_AddStringToObject(device, "id", roofs->device);
    rfl_json_text(device, "name", roofs->name);
    rfl_json_text(device, "mismatch", report->placer->mismatch);
    cJSON_AddStringToObject(device, "kind", roofs->kind == ERT_DEVICE_GPU ? "gpu" : "cpu");
    cJSON_AddBoolToObject(device, "valid",
                          report->placer->ceilings->devices[report->placer->device].valid);
    fputs("{\"schema\": \"ert-placement/2\",\n\"device\": ", out);
    rfl_json_print(out, device);
    fprintf(out, ",\"view\": \"%s\",\n\"kernels\": [\n", report->view->name);
    for (size_t i = 0; i < report->points->n; i++) {
        struct rfl_placement placement;
        rfl_placer_place(report->placer, &report->points->points[i], &placement);
        fputs(i ? "," : "", out);
        rfl_json_print(out, kernel_to_json(report, &placement));
    }
    fputs("]}\n", out);
}

/* ---- the summary: a row for each point, versions of a code beside each other ---- */

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

static void add_point(struct rfl_table *table, const struct rfl_points *points, size_t i,
                      const struct rfl_strings *levels)
{
    const struct rfl_point *point = &points->points[i];
    const struct rfl_point *first = earlier(points, i, true),
                           *before = earlier(points, i, false);
    const double time_s = point->time_s > 0 ? point->time_s : NAN,
                 flops = point->n_work ? rfl_point_flops(point) : NAN;
    const char *unit = point->n_work ? rfl_rate_unit(point->work[0].type) : "flop/s";
    rfl_table_texts(table, point->name, point->run, NULL);
    rfl_table_number(table, "s", time_s);
    rfl_table_number(table, "%.1f",
                     point->time_high_s > 0
                         ? 50 * (point->time_high_s - point->time_low_s) / time_s
                         : NAN);
    rfl_table_number(table, "%.2f", (first ? first->time_s : time_s) / time_s);
    rfl_table_number(table, "%.2f", before ? before->time_s / time_s : NAN);
    rfl_table_number(table, unit, flops / time_s);
    rfl_table_number(table, "%.4g", flops);
    rfl_table_number(table, "%.1f", 100 * (flops / rfl_point_instructions(point) - 1));
    for (size_t l = 0; l < levels->n_texts; l++) {
        const struct rfl_traffic *traffic = rfl_point_traffic(point, levels->texts[l]);
        rfl_table_number(table, "%.4g", traffic ? flops / traffic->bytes : NAN);
    }
}

static void add_placement(struct rfl_table *table, const struct rfl_placement *placement)
{
    const struct rfl_placed *unit = &placement->placed[placement->n_levels];
    rfl_table_positive(table, "%.1f", placement->n_units ? 100 * unit->fraction : 0);
    rfl_table_texts(table, *placement->bound_name ? placement->bound_name : "-", NULL);
    rfl_table_positive(table, "%.1f", 100 * placement->fraction);
}

static void write_summary_head(const struct rfl_report *report, enum ert_format format,
                               FILE *out)
{
    const struct rfl_placer *placer = report->placer;
    const bool has_origin = report->points->origin && *report->points->origin;
    struct remarks remarks;
    char text[192];
    if (has_origin)
        ert_text_print(out, format, "counts: %s\n", report->points->origin);
    if (placer) {
        say_conditions(placer, text, sizeof text);
        write_device(placer->roofs, format, out);
        fprintf(out, ": %s\n",
                placer->options.clock_hz == RFL_OF_CODE ||
                        placer->options.concurrency == RFL_OF_CODE
                    ? "roofs for the clock and concurrency of each, where known"
                    : text);
        find_remarks(report, NULL, &remarks);
        for (size_t i = 0; i < remarks.n; i++)
            ert_text_print(out, format, "warning: %s\n", remarks.list[i].text);
    }
    fputs(has_origin || placer ? "\n" : "", out);
}

enum ert_status rfl_report_summary(const struct rfl_report *report, FILE *out,
                                   struct ert_error *error)
{
    const struct rfl_points *points = report->points;
    struct rfl_strings levels = {0}; /* that any of the points has bytes of, as they come */
    struct rfl_table table = {.format = rfl_table_format(report->format)};
    if (strcmp(report->format, "json") == 0)
        return ert_fail(error, ERT_USAGE,
                        "the summary is text, markdown or csv; the other views have json");
    if (table.format != ERT_TEXT_CSV)
        write_summary_head(report, table.format, out);
    rfl_table_columns(&table,
                      "kernel|run|>time|>+- %|>speed-up|>step|>rate|>operations|>FMA %");
    for (size_t i = 0; i < points->n; i++)
        for (size_t t = 0; t < points->points[i].n_traffic; t++)
            rfl_strings_keep(&levels, points->points[i].traffic[t].level);
    for (size_t l = 0; l < levels.n_texts; l++)
        rfl_table_column(&table, true, "AI %s", levels.texts[l]);
    rfl_table_columns(&table, report->placer ? ">of peak %|bound by|>of it %" : "");
    for (size_t i = 0; i < points->n; i++) {
        struct rfl_placement placement;
        add_point(&table, points, i, &levels);
        if (!report->placer)
            continue;
        rfl_placer_place(report->placer, &points->points[i], &placement);
        add_placement(&table, &placement);
    }
    rfl_table_write(&table, out);
    rfl_strings_free(&levels);
    return ERT_OK;
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
    if (!report->view)
        return rfl_report_summary(report, out, error);
    if (!row)
        return ert_fail(error, ERT_USAGE, "no output '%.32s'; there are: %s",
                        report->format, list);
    row->write(report, out);
    return ERT_OK;
}
