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

static struct rfl_view_row blank(const char *unit)
{
    return (struct rfl_view_row){.unit = unit,
                                 .intensity = NAN,
                                 .reached = NAN,
                                 .value = NAN,
                                 .measured = NAN,
                                 .fraction = NAN,
                                 .value_low = NAN,
                                 .fraction_high = NAN,
                                 .read_share = NAN};
}

/* A row of numbers of which 0 is not known. */
static struct rfl_view_row row_of(const char *name, const char *unit, double intensity,
                                  double reached, double value, double measured,
                                  double fraction)
{
    struct rfl_view_row row = blank(unit);
    snprintf(row.roof, sizeof row.roof, "%s", name);
    row.intensity = known(intensity);
    row.reached = known(reached);
    row.value = known(value);
    row.measured = known(measured);
    row.fraction = known(fraction);
    return row;
}

/* "HBM load" of a counter's DRAM: the roof's own name; and what is known of its accesses. */
static void name_level(const struct rfl_placed_level *level, struct rfl_view_row *row)
{
    row->read_share = rfl_traffic_read_share(level->traffic);
    row->is_actual = level->traffic->is_actual;
    snprintf(row->roof, sizeof row->roof, "%s%s%s",
             level->roof ? level->roof->level : level->traffic->level,
             level->roof ? " " : "", level->roof ? level->reach.name : "");
}

/* Below this the two ends of a band print alike. */
static const double one_value = 0.9995;

static void set_band(const struct rfl_placed_level *level, double factor,
                     struct rfl_view_row *row)
{
    if (!level->roof || level->reach.low >= one_value * level->reach.bytes_per_s)
        return;
    row->value_low = factor * level->reach.low;
    row->fraction_high = known(level->fraction_high);
}

static const char *rate_unit(const struct rfl_work *work)
{
    return strncmp(work->type, "int", 3) == 0 ? "op/s" : "flop/s";
}

static double measured_peak(const struct rfl_placed_unit *unit)
{
    const struct rfl_rate *rate = unit->roof ? &unit->roof->rate : NULL;
    return rate ? unit->peak_flop_per_s / rate->value * rate->measured : NAN;
}

static bool bounds(const struct rfl_placement *placement, enum rfl_bound bound, size_t i)
{
    return placement->bound == bound && placement->bound_index == i;
}

static size_t unit_rows(const struct rfl_placement *placement, struct rfl_view_row *rows)
{
    for (size_t i = 0; i < placement->n_units; i++) {
        const struct rfl_placed_unit *unit = &placement->units[i];
        rows[i] = row_of(unit->name, rate_unit(unit->work), 0, unit->perf_flop_per_s,
                         unit->peak_flop_per_s, measured_peak(unit), unit->fraction);
        rows[i].bounds = bounds(placement, RFL_BOUND_UNIT, i);
    }
    return placement->n_units;
}

/* What the register file delivers, where a unit is near it. */
static size_t operand_rows(const struct rfl_placement *placement, struct rfl_view_row *rows)
{
    size_t n = 0;
    for (size_t i = 0; i < placement->n_units; i++) {
        const struct rfl_placed_unit *unit = &placement->units[i];
        double peak = unit->operand_peak_flop_per_s;
        char name[sizeof rows->roof];
        if (!unit->is_near_operands)
            continue;
        snprintf(name, sizeof name, "%s, 3 registers", unit->name);
        rows[n++] = row_of(name, rate_unit(unit->work), 0, unit->perf_flop_per_s, peak,
                           peak / unit->peak_flop_per_s * measured_peak(unit),
                           unit->perf_flop_per_s / peak);
    }
    return n;
}

static size_t issue_row(const struct rfl_placement *placement,
                        const struct rfl_roofs *roofs, struct rfl_view_row *row)
{
    const struct rfl_point *point = placement->point;
    if (!(placement->issue_alone_s > 0))
        return 0;
    *row = row_of("issue", "inst/s", 0,
                  point->time_s > 0 ? point->instructions / point->time_s : 0,
                  roofs->instructions_per_s, 0, placement->issue_fraction);
    row->bounds = placement->bound == RFL_BOUND_ISSUE;
    return 1;
}

static size_t level_and_unit_rows(const struct rfl_placement *placement,
                                  struct rfl_view_row *rows)
{
    size_t n = placement->n_levels;
    for (size_t i = 0; i < n; i++) {
        const struct rfl_placed_level *level = &placement->levels[i];
        rows[i] =
            row_of("", "byte/s", level->intensity_flop_per_byte, level->rate_bytes_per_s,
                   level->reach.bytes_per_s, level->reach.measured, level->fraction);
        name_level(level, &rows[i]);
        set_band(level, 1, &rows[i]);
        rows[i].bounds = bounds(placement, RFL_BOUND_LEVEL, i);
    }
    return n + unit_rows(placement, rows + n);
}

static size_t hierarchical(const struct rfl_placement *placement,
                           const struct rfl_roofs *roofs, struct rfl_view_row *rows)
{
    size_t n = level_and_unit_rows(placement, rows);
    n += operand_rows(placement, rows + n);
    return n + issue_row(placement, roofs, rows + n);
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
        const struct rfl_traffic *traffic = placement->levels[i].traffic;
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
static size_t cache_aware(const struct rfl_placement *placement,
                          const struct rfl_roofs *roofs, struct rfl_view_row *rows)
{
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
    return n + unit_rows(placement, rows + n);
}

/* Seconds that each would need alone; the longest bounds, the sum is without any overlap. */
static size_t times(const struct rfl_placement *placement, const struct rfl_roofs *roofs,
                    struct rfl_view_row *rows)
{
    size_t n = level_and_unit_rows(placement, rows), n_levels = placement->n_levels;
    double sum = 0, time_s = placement->point->time_s;
    n += issue_row(placement, roofs, rows + n);
    for (size_t i = 0; i < n; i++) {
        bool is_level = i < n_levels,
             is_unit = !is_level && i < n_levels + placement->n_units;
        double alone = is_level  ? placement->levels[i].alone_s
                       : is_unit ? placement->units[i - n_levels].alone_s
                                 : placement->issue_alone_s;
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
static size_t instructions(const struct rfl_placement *placement,
                           const struct rfl_roofs *roofs, struct rfl_view_row *rows)
{
    double count = placement->point->instructions, time_s = placement->point->time_s;
    double transaction_bytes = roofs->kind == ERT_DEVICE_GPU ? 32 : 64;
    size_t n = 0;
    if (!(count > 0))
        return 0;
    for (; n < placement->n_levels; n++) {
        const struct rfl_placed_level *level = &placement->levels[n];
        double intensity = count / (level->traffic->bytes / transaction_bytes),
               factor = intensity / transaction_bytes;
        rows[n] =
            row_of("", "inst/s", intensity, time_s > 0 ? count / time_s : 0,
                   intensity * level->reach.bytes_per_s / transaction_bytes,
                   intensity * level->reach.measured / transaction_bytes, level->fraction);
        name_level(level, &rows[n]);
        set_band(level, factor, &rows[n]);
    }
    return n + issue_row(placement, roofs, rows + n);
}

/*
 * flop per joule: of the code, and what each roof gave while it was measured, at the code's
 * intensity. A roof's joules hold all that the device drew, so no code that does both can reach
 * either; the last row adds memory and unit without overlap (model.h, rfl_model_energy), which counts
 * what is drawn all the time twice: the truth lies between.
 */
static size_t energy(const struct rfl_placement *placement, const struct rfl_roofs *roofs,
                     struct rfl_view_row *rows)
{
    double code =
        placement->point->energy_j > 0 ? placement->flops / placement->point->energy_j : 0;
    const struct rfl_placed_level *memory = NULL;
    const struct rfl_placed_unit *unit = NULL;
    size_t n = 0;
    (void)roofs;
    for (size_t i = 0; i < placement->n_levels && placement->flops > 0; i++) {
        const struct rfl_placed_level *level = &placement->levels[i];
        if (!level->roof || !(level->roof->rate.per_joule > 0))
            continue;
        double intensity = level->intensity_flop_per_byte;
        memory = level->roof->clock == RFL_CLOCK_MEMORY ? level : memory;
        rows[n] = row_of("", "flop/J", intensity, code,
                         intensity * level->roof->rate.per_joule, 0, 0);
        name_level(level, &rows[n++]);
    }
    for (size_t i = 0; i < placement->n_units; i++) {
        const struct rfl_placed_unit *placed = &placement->units[i];
        if (!placed->roof || !(placed->roof->rate.per_joule > 0))
            continue;
        unit = unit ? unit : placed;
        rows[n++] = row_of(placed->name, "flop/J", 0, code,
                           placed->roof->rate.per_joule * placed->peak_flop_per_s /
                               placed->roof->rate.value,
                           0, 0);
    }
    if (memory && unit) {
        double intensity = memory->intensity_flop_per_byte;
        double flop_j =
            unit->roof->rate.value / unit->peak_flop_per_s / unit->roof->rate.per_joule;
        char name[sizeof rows->roof];
        snprintf(name, sizeof name, "%s, then %s", memory->roof->level, unit->work->type);
        rows[n++] =
            row_of(name, "flop/J", intensity, code,
                   rfl_model_energy(intensity, flop_j, 1 / memory->roof->rate.per_joule, 0,
                                    placement->attainable_flop_per_s),
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

enum { TEXT = 96, WARNING = 512 };

/* A row's number as a reader has it: "4.62 TB/s", "1.20 ms", "-" where it is not known. */
static const char *number_text(double value, const char *unit, char text[32])
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

/* The roof of a row, "27.00 .. 56.00 GB/s" where it is a band. */
static const char *roof_text(const struct rfl_view_row *row, char text[TEXT])
{
    char low[32], high[32];
    number_text(row->value, row->unit, high);
    number_text(row->value_low, row->unit, low);
    char *first_unit = strchr(low, ' '), *last_unit = strchr(high, ' ');
    if (first_unit && last_unit && strcmp(first_unit, last_unit) == 0)
        *first_unit = '\0';
    if (isfinite(row->value_low))
        snprintf(text, TEXT, "%s .. %s", low, high);
    else
        snprintf(text, TEXT, "%s", high);
    return text;
}

/* The fraction of a row, "48.2 .. 99.1 %" of a band. */
static const char *fraction_text(const struct rfl_view_row *row, char text[TEXT])
{
    if (!isfinite(row->fraction))
        snprintf(text, TEXT, "-");
    else if (isfinite(row->fraction_high))
        snprintf(text, TEXT, "%.1f .. %.1f %%", 100 * row->fraction,
                 100 * row->fraction_high);
    else
        snprintf(text, TEXT, "%.1f %%", 100 * row->fraction);
    return text;
}

/* Beyond what a higher clock or the counts of another run make: the roof is of something else. */
static const double wrong_roof = 1.2;

/*
 * What is wrong with a placement (NULL: with all) as a whole, the i-th: ceilings of a machine that was
 * disturbed, a profile of another device, more than 120 % of a roof. "" after the last.
 */
static const char *warning_of(const struct rfl_report *report,
                              const struct rfl_placement *placement, size_t i,
                              char text[WARNING])
{
    const struct rfl_placer *placer = report->placer;
    const struct ert_device_ceilings *device = &placer->ceilings->devices[placer->device];
    text[0] = '\0';
    if (!device->valid && i-- == 0)
        snprintf(text, WARNING, "the ceilings were measured on a disturbed machine: %s",
                 device->warnings[0] ? device->warnings : "the file gives no reason");
    else if (*placer->mismatch && i-- == 0)
        snprintf(text, WARNING, "%s", placer->mismatch);
    else if (placement && placement->fraction > wrong_roof && i-- == 0)
        snprintf(text, WARNING,
                 "%.4g %% of the %s roof: these ceilings are not of the device, or not of "
                 "the state, that the code ran on",
                 100 * placement->fraction, placement->bound_name);
    return text;
}

/* "roofs at 1.600 GHz as the code ran (as measured: 1.974 GHz), for 12 warps per SM" */
static void say_conditions(const struct rfl_placer *placer, char *text, size_t size)
{
    const struct rfl_roofs_options *conditions = &placer->conditions;
    const struct rfl_roofs *roofs = placer->roofs;
    char clock[ERT_UNITS_TEXT], held[ERT_UNITS_TEXT] = "clock unknown";
    bool gpu = roofs->kind == ERT_DEVICE_GPU;
    double count = gpu ? conditions->warps_per_sm : conditions->threads;
    if (roofs->held_hz > 0)
        ert_units_frequency(roofs->held_hz, held);
    if (conditions->clock_hz > 0)
        snprintf(text, size, "roofs at %s%s (as measured: %s)",
                 ert_units_frequency(conditions->clock_hz, clock),
                 placer->options.clock_hz == RFL_OF_CODE ? " as the code ran" : "", held);
    else
        snprintf(text, size, "roofs as measured, %s%s", roofs->held_hz > 0 ? "at " : "",
                 held);
    if (count > 0)
        ert_append(text, size, ", for %.4g %s", count, gpu ? "warps per SM" : "threads");
    if (conditions->theory)
        ert_append(text, size, ", theoretical where known");
}

/* "gpu0, NVIDIA H200" */
static void write_device(const struct rfl_roofs *roofs, FILE *out)
{
    fprintf(out, "%s%s%s", roofs->device, *roofs->name ? ", " : "", roofs->name);
}

/* The cells of a view's numbers that text and Markdown share: intensity, reached, roof, as measured. */
static void add_numbers(struct rfl_table *table, const struct rfl_view *view,
                        const struct rfl_view_row *row)
{
    const char *const *headers = view->headers;
    char text[TEXT];
    if (headers[0])
        rfl_table_cell(table, isfinite(row->intensity) ? "%#.4g" : "-", row->intensity);
    if (headers[1])
        rfl_table_cell(table, "%s", number_text(row->reached, row->unit, text));
    if (headers[2])
        rfl_table_cell(table, "%s", roof_text(row, text));
    if (headers[3])
        rfl_table_cell(table, "%s", number_text(row->measured, row->unit, text));
}

static void add_headers(struct rfl_table *table, const struct rfl_view *view)
{
    for (size_t h = 0; h < 5; h++)
        if (view->headers[h])
            rfl_table_column(table, view->headers[h], true);
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
    say_conditions(placer, conditions, sizeof conditions);
    fprintf(out, " %s\n", conditions);
}

static void write_rows(const struct rfl_report *report,
                       const struct rfl_placement *placement, FILE *out)
{
    struct rfl_view_row rows[RFL_MAX_VIEW_ROWS];
    struct rfl_table table = {0};
    char text[TEXT];
    size_t n = report->view->rows(placement, report->placer->roofs, rows);
    if (!n) {
        fprintf(out, "  nothing known for the view '%s'\n", report->view->name);
        return;
    }
    rfl_table_column(&table, "  roof", false);
    add_headers(&table, report->view);
    rfl_table_column(&table, "", false);
    for (size_t i = 0; i < n; i++) {
        rfl_table_cell(&table, "  %s", rows[i].roof);
        add_numbers(&table, report->view, &rows[i]);
        rfl_table_cell(&table, "%s", fraction_text(&rows[i], text));
        rfl_table_cell(&table, "%s", rows[i].bounds ? "<- bounds" : "");
        rfl_table_end_row(&table);
    }
    rfl_table_write(&table, RFL_TABLE_TEXT, out);
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
    char text[WARNING];
    for (; *warning_of(report, placement, first, text); first++)
        write_wrapped(out, "warning: ", text);
    return first;
}

static void write_note(const char *key, const char *note, struct rfl_strings *seen,
                       FILE *out)
{
    size_t before = seen->n_texts;
    rfl_strings_keep(seen, key);
    if (seen->n_texts > before)
        write_wrapped(out, "note: ", note);
}

/*
 * Each kind of note once: what differs from point to point, a clock, a number of warps or a share of
 * reads, stands in the head and rows of each, and CSV and JSON have them all. The kind of a roof's
 * note is the words before the first number.
 */
static void write_notes(const struct rfl_placement *placement,
                        const struct rfl_roofs *roofs, struct rfl_strings *seen, FILE *out)
{
    char key[sizeof roofs->notes[0]];
    for (size_t i = 0; i < placement->n_levels; i++) {
        const struct rfl_reach *reach = &placement->levels[i].reach;
        if (!*reach->note)
            continue;
        snprintf(key, sizeof key, "%s %d", reach->roof->level, (int)reach->kind);
        write_note(key, reach->note, seen, out);
    }
    for (size_t i = 0; i < roofs->n_notes; i++) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(roofs->notes[i], "0123456789"),
                 roofs->notes[i]);
        write_note(key, roofs->notes[i], seen, out);
    }
}

static void report_text(const struct rfl_report *report, FILE *out)
{
    const struct rfl_roofs *roofs = report->placer->roofs;
    struct rfl_strings seen = {.n_texts = 0};
    write_device(roofs, out);
    fprintf(out, ", %s: %s\n", report->view->name, report->view->summary);
    if (report->points->origin && *report->points->origin)
        fprintf(out, "counts: %s\n", report->points->origin);
    size_t n_warnings = write_warnings(report, NULL, 0, out);
    for (size_t i = 0; i < report->points->n; i++) {
        struct rfl_placement placement;
        rfl_placer_place(report->placer, &report->points->points[i], &placement);
        write_head(&placement, report->placer, out);
        write_rows(report, &placement, out);
        write_remarks(&placement, out);
        write_warnings(report, &placement, n_warnings, out);
        write_notes(&placement, roofs, &seen, out);
    }
    rfl_strings_free(&seen);
}

/* ---- CSV and Markdown: one table ---- */

/* A list of remarks, "a; b", as far as it fits. */
static void list_remarks(const struct rfl_report *report,
                         const struct rfl_placement *placement, char *text, size_t size)
{
    const struct rfl_point *point = placement->point;
    const struct rfl_roofs *roofs = report->placer->roofs;
    char warning[WARNING];
    text[0] = '\0';
    for (size_t i = 0; *warning_of(report, placement, i, warning); i++)
        ert_append(text, size, "%s%s", *text ? "; " : "", warning);
    for (size_t i = 0; i < placement->n_levels; i++)
        if (!placement->levels[i].roof)
            ert_append(text, size, "%sthe device has no ceiling of %s", *text ? "; " : "",
                       placement->levels[i].traffic->level);
    for (size_t i = 0; i < placement->n_units; i++)
        if (!placement->units[i].roof)
            ert_append(text, size, "%sthe device has no ceiling of %s %s",
                       *text ? "; " : "", placement->units[i].work->type,
                       placement->units[i].work->unit);
    for (size_t i = 0; i < point->n_missing; i++)
        ert_append(text, size, "%smissing %s: %s", *text ? "; " : "",
                   point->missing[i].what, point->missing[i].reason);
    for (size_t i = 0; i < point->n_warnings; i++)
        ert_append(text, size, "%s%s", *text ? "; " : "", point->warnings[i]);
    for (size_t i = 0; i < placement->n_levels; i++)
        if (*placement->levels[i].reach.note)
            ert_append(text, size, "%s%s", *text ? "; " : "",
                       placement->levels[i].reach.note);
    for (size_t i = 0; i < roofs->n_notes; i++)
        ert_append(text, size, "%s%s", *text ? "; " : "", roofs->notes[i]);
}

enum { REMARKS_TEXT = 2400 };

static const char *csv_number(double value, char text[32])
{
    snprintf(text, 32, isfinite(value) ? "%.9g" : "", value);
    return text;
}

#define CSV_COLUMNS                                                                        \
    "kernel|run|device|clock_hz|roof|unit|intensity|reached|value|measured|fraction|"      \
    "value_low|fraction_high|read_share|bounds|advice|remarks"

static void add_csv_row(struct rfl_table *table, const struct rfl_report *report,
                        const struct rfl_placement *placement,
                        const struct rfl_view_row *row, bool first)
{
    const struct rfl_roofs *roofs = report->placer->roofs;
    char n[9][32], remarks[REMARKS_TEXT] = "";
    if (first)
        list_remarks(report, placement, remarks, sizeof remarks);
    rfl_table_row(
        table,
        (const char *const[]){
            placement->point->name, placement->point->run, roofs->device,
            csv_number(roofs->clock_hz > 0 ? roofs->clock_hz : NAN, n[0]), row->roof,
            row->unit, csv_number(row->intensity, n[1]), csv_number(row->reached, n[2]),
            csv_number(row->value, n[3]), csv_number(row->measured, n[4]),
            csv_number(row->fraction, n[5]), csv_number(row->value_low, n[6]),
            csv_number(row->fraction_high, n[7]), csv_number(row->read_share, n[8]),
            row->bounds ? "yes" : "", first ? placement->advice : "", remarks});
}

/* A table for each point: one would keep the texts of a hundred thousand kernels. */
static void report_csv(const struct rfl_report *report, FILE *out)
{
    struct rfl_table table = {0};
    rfl_table_columns(&table, CSV_COLUMNS);
    for (size_t i = 0; i < report->points->n; i++) {
        struct rfl_view_row rows[RFL_MAX_VIEW_ROWS] = {blank("")};
        struct rfl_placement placement;
        rfl_placer_place(report->placer, &report->points->points[i], &placement);
        size_t n = report->view->rows(&placement, report->placer->roofs, rows);
        for (size_t r = 0; r < n || r == 0; r++)
            add_csv_row(&table, report, &placement, &rows[r], r == 0);
        rfl_table_write(&table, RFL_TABLE_CSV, out);
        table.is_continued = true;
        rfl_table_columns(&table, CSV_COLUMNS);
    }
    rfl_table_write(&table, RFL_TABLE_CSV, out);
}

static void add_markdown_row(struct rfl_table *table, const struct rfl_view *view,
                             const struct rfl_point *point, const struct rfl_view_row *row,
                             bool first)
{
    char text[TEXT];
    if (first && *point->run)
        rfl_table_cell(table, "%s (%s)", point->name, point->run);
    else
        rfl_table_cell(table, "%s", first ? point->name : "");
    rfl_table_cell(table, "%s%s", row->roof, row->bounds ? " (bounds)" : "");
    add_numbers(table, view, row);
    if (isfinite(row->fraction))
        rfl_table_cell(table, "%s", fraction_text(row, text));
    rfl_table_end_row(table);
}

static void write_markdown_remarks(const struct rfl_report *report,
                                   const struct rfl_placement *placement, FILE *out)
{
    char remarks[REMARKS_TEXT], conditions[192];
    say_conditions(report->placer, conditions, sizeof conditions);
    list_remarks(report, placement, remarks, sizeof remarks);
    fprintf(out, "- %s%s%s%s: %s (%s)\n", placement->point->name,
            *placement->point->run ? " (" : "", placement->point->run,
            *placement->point->run ? ")" : "", placement->advice, conditions);
    if (*remarks)
        fprintf(out, "  - %s\n", remarks);
}

static void report_markdown(const struct rfl_report *report, FILE *out)
{
    struct rfl_table table = {0};
    struct rfl_placement placement;
    const struct rfl_points *points = report->points;
    const struct rfl_roofs *roofs = report->placer->roofs;
    rfl_table_column(&table, "kernel", false);
    rfl_table_column(&table, "roof", false);
    add_headers(&table, report->view);
    for (size_t i = 0; i < points->n; i++) {
        struct rfl_view_row rows[RFL_MAX_VIEW_ROWS];
        rfl_placer_place(report->placer, &points->points[i], &placement);
        size_t n = report->view->rows(&placement, roofs, rows);
        for (size_t r = 0; r < n; r++)
            add_markdown_row(&table, report->view, &points->points[i], &rows[r], r == 0);
    }
    write_device(roofs, out);
    fprintf(out, ", %s: %s\n\n", report->view->name, report->view->summary);
    rfl_table_write(&table, RFL_TABLE_MARKDOWN, out);
    fputc('\n', out);
    for (size_t i = 0; i < points->n; i++) {
        rfl_placer_place(report->placer, &points->points[i], &placement);
        write_markdown_remarks(report, &placement, out);
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

static void add_conditions(cJSON *kernel, const struct rfl_placement *placement,
                           const struct rfl_placer *placer)
{
    cJSON *at = cJSON_AddObjectToObject(kernel, "conditions");
    rfl_json_positive(at, "clock_hz", placer->roofs->clock_hz);
    rfl_json_positive(at, "measured_clock_hz", placer->roofs->held_hz);
    rfl_json_positive(at, "memory_clock_hz", placer->conditions.memory_clock_hz);
    rfl_json_positive(at, "warps_per_sm", placer->conditions.warps_per_sm);
    rfl_json_positive(at, "threads", placer->conditions.threads);
    cJSON_AddBoolToObject(at, "theory", placer->conditions.theory);
    cJSON *notes = cJSON_AddArrayToObject(at, "notes");
    for (size_t i = 0; i < placement->n_levels; i++)
        if (*placement->levels[i].reach.note)
            rfl_json_append(notes, placement->levels[i].reach.note);
    for (size_t i = 0; i < placer->roofs->n_notes; i++)
        rfl_json_append(notes, placer->roofs->notes[i]);
}

static void add_rows(cJSON *kernel, const struct rfl_view *view,
                     const struct rfl_placement *placement, const struct rfl_roofs *roofs)
{
    struct rfl_view_row rows[RFL_MAX_VIEW_ROWS];
    size_t n = view->rows(placement, roofs, rows);
    cJSON *list = cJSON_AddArrayToObject(kernel, "rows");
    for (size_t i = 0; i < n; i++) {
        cJSON *row = rfl_json_object(list);
        cJSON_AddStringToObject(row, "roof", rows[i].roof);
        cJSON_AddStringToObject(row, "unit", rows[i].unit);
        rfl_json_number(row, "intensity", rows[i].intensity);
        rfl_json_number(row, "reached", rows[i].reached);
        rfl_json_number(row, "value", rows[i].value);
        rfl_json_number(row, "measured", rows[i].measured);
        rfl_json_number(row, "fraction", rows[i].fraction);
        rfl_json_number(row, "value_low", rows[i].value_low);
        rfl_json_number(row, "fraction_high", rows[i].fraction_high);
        rfl_json_number(row, "read_share", rows[i].read_share);
        if (rows[i].is_actual)
            cJSON_AddStringToObject(row, "bytes_of", "actual");
        cJSON_AddBoolToObject(row, "bounds", rows[i].bounds);
    }
}

static void add_missing_item(cJSON *list, const char *what, const char *reason)
{
    cJSON *item = rfl_json_object(list);
    cJSON_AddStringToObject(item, "what", what);
    cJSON_AddStringToObject(item, "reason", reason);
}

static void add_remarks(cJSON *kernel, const struct rfl_report *report,
                        const struct rfl_placement *placement)
{
    char text[WARNING];
    const struct rfl_point *point = placement->point;
    cJSON *missing = cJSON_AddArrayToObject(kernel, "missing");
    for (size_t i = 0; i < placement->n_levels; i++)
        if (!placement->levels[i].roof)
            add_missing_item(missing, placement->levels[i].traffic->level,
                             "the device has no ceiling of this level");
    for (size_t i = 0; i < placement->n_units; i++)
        if (!placement->units[i].roof)
            add_missing_item(missing, placement->units[i].work->type,
                             "the device has no ceiling of this type and unit");
    for (size_t i = 0; i < point->n_missing; i++)
        add_missing_item(missing, point->missing[i].what, point->missing[i].reason);
    cJSON *warnings = cJSON_AddArrayToObject(kernel, "warnings");
    for (size_t i = 0; *warning_of(report, placement, i, text); i++)
        rfl_json_append(warnings, text);
    for (size_t i = 0; i < point->n_warnings; i++)
        rfl_json_append(warnings, point->warnings[i]);
}

static cJSON *kernel_to_json(const struct rfl_report *report,
                             const struct rfl_placement *placement)
{
    const struct rfl_point *point = placement->point;
    cJSON *kernel = cJSON_CreateObject();
    cJSON_AddStringToObject(kernel, "name", point->name);
    rfl_json_text(kernel, "run", point->run);
    rfl_json_text(kernel, "source", point->source);
    rfl_json_text(kernel, "format", point->format);
    rfl_json_positive(kernel, "time_s", point->time_s);
    rfl_json_positive(kernel, "launches", point->launches);
    rfl_json_positive(kernel, "flops", placement->flops);
    rfl_json_positive(kernel, "flop_per_s", placement->perf_flop_per_s);
    add_bound(kernel, placement);
    add_conditions(kernel, placement, report->placer);
    add_rows(kernel, report->view, placement, report->placer->roofs);
    cJSON_AddStringToObject(kernel, "advice", placement->advice);
    add_remarks(kernel, report, placement);
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

static void add_columns(struct rfl_table *table, const char *const *levels, size_t n_levels,
                        bool has_roofs)
{
    char header[32];
    rfl_table_columns(table,
                      "kernel|run|>time|>+- %|>speed-up|>step|>rate|>operations|>FMA %");
    for (size_t i = 0; i < n_levels; i++) {
        snprintf(header, sizeof header, "AI %s", levels[i]);
        rfl_table_column(table, header, true);
    }
    if (has_roofs)
        rfl_table_columns(table, ">of peak %|bound by|>of it %");
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
    rfl_table_cell(table, "%s", number_text(time_s, "s", text));
    rfl_table_number(table, "%.1f",
                     point->time_high_s > 0
                         ? 50 * (point->time_high_s - point->time_low_s) / time_s
                         : NAN);
    rfl_table_number(table, "%.2f", (first ? first->time_s : time_s) / time_s);
    rfl_table_number(table, "%.2f", before ? before->time_s / time_s : NAN);
    rfl_table_cell(table, "%s",
                   number_text(flops / time_s,
                               strncmp(operation, "int", 3) ? "flop/s" : "op/s", text));
    rfl_table_number(table, "%.4g", flops);
    rfl_table_number(table, "%.1f", 100 * (flops / rfl_point_instructions(point) - 1));
    for (size_t l = 0; l < n_levels; l++) {
        const struct rfl_traffic *traffic = rfl_point_traffic(point, levels[l]);
        rfl_table_number(table, "%.4g", traffic ? flops / traffic->bytes : NAN);
    }
}

static void add_placement(struct rfl_table *table, const struct rfl_placement *placement)
{
    const bool has_peak = placement->n_units > 0 && placement->units[0].fraction > 0;
    rfl_table_number(table, "%.1f", has_peak ? 100 * placement->units[0].fraction : NAN);
    rfl_table_cell(table, "%s", *placement->bound_name ? placement->bound_name : "-");
    rfl_table_number(table, "%.1f",
                     placement->fraction > 0 ? 100 * placement->fraction : NAN);
}

static void write_summary_head(const struct rfl_report *report, FILE *out)
{
    const struct rfl_placer *placer = report->placer;
    const bool has_origin = report->points->origin && *report->points->origin;
    char text[WARNING];
    if (has_origin)
        fprintf(out, "counts: %s\n", report->points->origin);
    if (placer) {
        say_conditions(placer, text, sizeof text);
        write_device(placer->roofs, out);
        fprintf(out, ": %s\n",
                placer->options.clock_hz == RFL_OF_CODE ||
                        placer->options.concurrency == RFL_OF_CODE
                    ? "roofs for the clock and concurrency of each, where known"
                    : text);
        for (size_t i = 0; *warning_of(report, NULL, i, text); i++)
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
    const enum rfl_table_format table_format = rfl_table_format(format);
    struct rfl_table table = {0};
    if (strcmp(format, "json") == 0)
        return ert_fail(error, ERT_USAGE,
                        "the summary is text, markdown or csv; the other views have json");
    if (table_format != RFL_TABLE_CSV)
        write_summary_head(report, out);
    add_columns(&table, levels, n_levels, report->placer != NULL);
    for (size_t i = 0; i < points->n; i++) {
        struct rfl_placement placement;
        add_point(&table, points, i, levels, n_levels);
        if (!report->placer)
            continue;
        rfl_placer_place(report->placer, &points->points[i], &placement);
        add_placement(&table, &placement);
    }
    rfl_table_write(&table, table_format, out);
    return ERT_OK;
}

const struct rfl_report_format rfl_report_formats[RFL_N_REPORT_FORMATS] = {
    {"text",     report_text    },
    {"json",     report_json    },
    {"markdown", report_markdown},
    {"csv",      report_csv     },
};

enum ert_status rfl_report_write(const struct rfl_report *report, const char *format,
                                 FILE *out, struct ert_error *error)
{
    char list[ERT_LIST_TEXT];
    const struct rfl_report_format *row = ert_list_find(
        rfl_report_formats, RFL_N_REPORT_FORMATS, sizeof *rfl_report_formats, format, list);
    if (!report->view)
        return rfl_report_summary(report, format, out, error);
    if (!row)
        return ert_fail(error, ERT_USAGE, "no output '%.32s'; there are: %s", format, list);
    row->write(report, out);
    return ERT_OK;
}
