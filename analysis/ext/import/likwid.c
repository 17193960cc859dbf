/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * likwid-perfctr's output, as text (ASCII tables) and as CSV (-O, or -o FILE.csv), of releases 4 and 5, as
 * printed by src/applications/likwid.lua (github.com/RRZE-HPC/likwid). A group begins with "Group 1: NAME" or
 * "Region R, Group 1: NAME" ("Group 1 NAME: Region R" in 4.0), in CSV "TABLE,[Region R,]Group 1
 * Raw,NAME,rows"; its tables begin with a row "Event", "Metric" or "Region Info". Several files joined by cat
 * are read as one. Not supported: timeline mode (-t), likwid-mpirun, GPUs, JSON and XML filters.
 *
 * The formulas of its metrics are in groups/<architecture>/<GROUP>.txt of likwid
 * (github.com/RRZE-HPC/likwid): a "data volume" is the bytes between a level and the next one towards the
 * core (L2: between L1 and L2), in units of 1e9; "DP [MFLOP/s]" is a thread's operations in 1e6 divided by
 * that thread's runtime. So operations are the sum over threads of rate x the same thread's runtime, and the
 * time of a region is that of its slowest thread. Uncore counters (memory, L3 on some CPUs) have their number
 * on one thread of a socket and 0, "-" or nan on the others, so that the sum is correct.
 */
#include "analysis/ext/import/tally.h"

#include "ert/core/base/alloc.h"
#include "ert/ext/ncu/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* INFO: runtime and calls of a marker region; EVENT: raw counts; METRIC: results of the group's formulas. */
enum table { NO_TABLE, INFO, EVENT, METRIC };

/* The values of a group. Of each level: its bytes, those of the parts, and bandwidth x runtime. */
#define LEVEL(level) level, level##_READ, level##_WRITTEN, level##_BANDWIDTH
enum what {
    RUNTIME,
    CALLS,
    CLOCK,
    ENERGY,
    FP64,
    FP32,
    FP16,
    LEVEL(L2),
    LEVEL(L3),
    LEVEL(DRAM),
    LEVEL(HBM),
    LEVEL(MCDRAM),
    CHANNELS_LOW, /* DRAM's bytes of half the channels */
    CHANNELS_HIGH,
    N_VALUES
};
static const char *const levels[] = {"L2", "L3", "DRAM", "HBM", "MCDRAM"};

/* RATE, BANDWIDTH: the sum over threads of the number x the same thread's runtime. */
enum how { LARGEST, SUM, MEAN, RATE, PACKED_RATE, MIXED_RATE, VOLUME, BANDWIDTH };

static const struct known_row {
    enum table table;
    const char *name, *unit; /* unit "": it is in the name */
    enum what what;
    enum how how;
} known_rows[] = {
#define ROW(table, name, unit, what, how) {table, name, unit, what, how},
#include "analysis/ext/import/likwid_rows.def"
};

/* A row of a table: its name, and a value per thread, or Sum, Min, Max, Avg in a STAT table. */
struct row {
    const struct rfl_import *in;
    enum table table;
    char *name;
    char *const *values;
    size_t n;
    bool is_stat;
};

/* The cells of a row as numbers, their sum and maximum; for a STAT row its Sum and Max. */
struct numbers {
    struct rfl_cell *cells; /* malloc, the group's */
    double sum, largest;
    size_t n;        /* cells with a number */
    const char *why; /* the first cell without a number; or NULL */
    unsigned digits; /* of the cell with the most */
};

/* One group of one region. */
struct group {
    const char *region, *name;        /* owned by the points; region "" without markers */
    struct numbers runtimes, numbers; /* of the threads, 0 unknown; of the current row */
    size_t n_threads;                 /* whose runtimes are known */
    bool has_event, has_metric;
    struct value {
        double value;
        /* is_packed: operations of vectors alone; is_mixed: of all types together */
        bool has, is_packed, is_mixed;
        unsigned digits;  /* as printed */
        const char *name; /* of the row */
        const char *why;  /* it has no number; or NULL */
    } of[N_VALUES];
    struct rfl_tally events;
    struct rfl_names unread; /* of sockets, unknown events that the metrics do not use */
    bool is_assumed;         /* operations are of instructions of any width */
    bool is_multiplexed;     /* likwid said that it scaled the counts */
};

/*
 * Reads the cells of a row into *numbers. is_signed: of differences of counters, such as for KNL's MCDRAM in
 * cache mode. Errors as rfl_cell_read.
 */
static enum ert_status likwid_read_numbers(const struct row *row, bool is_signed,
                                           struct numbers *numbers, struct ert_error *error)
{
    *numbers = (struct numbers){
        .cells = ert_xrealloc(numbers->cells, row->n, sizeof *numbers->cells)};
    for (size_t i = 0; i < row->n; i++) {
        const char *text = row->values[i];
        bool is_negative = is_signed && text[0] == '-' && isdigit((unsigned char)text[1]);
        struct rfl_cell *cell = &numbers->cells[i];
        ERT_TRY(rfl_cell_read(row->in, row->name, text + is_negative, cell, error));
        cell->value = is_negative ? -cell->value : cell->value;
        if (row->is_stat && i != 0 && i != 2)
            continue;
        numbers->why = numbers->why ? numbers->why : cell->why;
        numbers->digits = cell->digits > numbers->digits ? cell->digits : numbers->digits;
        if (!row->is_stat || i == 0) {
            numbers->n += !cell->why;
            numbers->sum += cell->value;
        }
        if (row->is_stat ? i == 2 : cell->value > numbers->largest)
            numbers->largest = cell->value;
    }
    return ERT_OK;
}

/*
 * The sum over threads of rate x the same thread's runtime; for a STAT row the summed rate x the slowest
 * thread's runtime. *has_all: whether each thread that ran has a number.
 */
static double likwid_integrate(const struct group *group, const struct row *row,
                               bool *has_all)
{
    const struct numbers *rates = &group->numbers;
    double amount = 0;
    *has_all = true;
    for (size_t i = 0; i < row->n && !(row->is_stat && i > 0); i++) {
        bool is_thread = !row->is_stat && i < group->n_threads;
        double own_s = is_thread ? group->runtimes.cells[i].value : 0;
        *has_all &= !rates->cells[i].why || (is_thread && own_s == 0);
        amount += rates->cells[i].value * (own_s > 0 ? own_s : group->of[RUNTIME].value);
    }
    return amount;
}

/* 2^63: a count of bytes above it was below 0. */
static const double largest_bytes = 9223372036854775808.0;

/* Takes the value that the numbers of a row are, in SI units. */
static enum ert_status likwid_take_value(struct group *group, const struct known_row *known,
                                         double factor, const struct row *row,
                                         struct ert_error *error)
{
    if (known->how == MEAN && row->is_stat)
        return ERT_OK;
    ERT_TRY(likwid_read_numbers(row, known->how == VOLUME, &group->numbers, error));
    const struct numbers *numbers = &group->numbers;
    const struct value *runtime = &group->of[RUNTIME];
    struct value *to = &group->of[known->what];
    bool has_all, is_bytes = known->how >= VOLUME,
                  is_integral = known->how >= RATE && known->how != VOLUME,
                  is_part = known->how == VOLUME && (known->what - L2) % 4 != 0;
    double integral = likwid_integrate(group, row, &has_all);
    double amount = known->how == LARGEST ? numbers->largest
                    : known->how == MEAN  ? numbers->sum / fmax(1, (double)numbers->n)
                    : is_integral         ? integral
                                          : numbers->sum;
    struct value value = {.value = factor * amount,
                          .has = numbers->n > 0,
                          .is_packed = known->how == PACKED_RATE,
                          .is_mixed = known->how == MIXED_RATE,
                          .digits = numbers->digits,
                          .name = rfl_points_text(row->in->points, row->name)};
    if (is_integral) /* of bandwidths often only one thread of a socket has a number */
        value.has &= runtime->has && (has_all || is_bytes);
    if (known->how == BANDWIDTH && runtime->digits < value.digits)
        value.digits = runtime->digits;
    const char *why = value.has ? NULL : numbers->why;
    if (is_bytes && value.value >= largest_bytes) {
        value.has = false;
        why = "more bytes than a counter can have: it overflowed";
    }
    if (why)
        value.why = ert_strings_format(&row->in->points->strings, "likwid %s: %s: %s",
                                       group->name, row->name, why);
    if (known->what == RUNTIME) {
        if (!value.has || (to->has && value.digits <= to->digits))
            return ERT_OK; /* the one with more digits counts */
        struct numbers before = group->runtimes;
        group->runtimes = group->numbers;
        group->numbers = before;
        group->n_threads = row->is_stat ? 0 : row->n;
    }
    if (is_part && value.has && to->has)
        value.value += to->value;
    if (value.has ? !value.is_packed || !to->has || to->is_packed : !to->has)
        *to = value;
    return ERT_OK;
}

/* Splits "L2 data volume [GBytes] STAT" in place; in old releases "DP MFLOP/s". */
static void likwid_split_name(char *name, const char **unit, const char **tail)
{
    static const char stat[] = " STAT", old[] = " MFLOP/s";
    size_t length = strlen(name);
    *unit = *tail = "";
    if (length > 5 && strcmp(name + length - 5, stat) == 0)
        name[length -= 5] = '\0';
    char *open = strstr(name, " ["), *close = open ? strchr(open, ']') : NULL;
    if (close) {
        *open = *close = '\0';
        *unit = open + 2;
        *tail = close + 1 + strspn(close + 1, " ");
    } else if (length > 8 && strcmp(name + length - 8, old) == 0) {
        name[length - 8] = '\0';
        *unit = "MFLOP/s";
    }
}

/* Feeds the threads' counts. Those of a socket (not PMC0, FIXC1 ...) have a number on one of its threads. */
static enum ert_status likwid_take_event(struct group *group, const struct row *row,
                                         struct ert_error *error)
{
    const char *counter = row->values[-1];
    bool is_core = strncmp(counter, "PMC", 3) == 0 || strncmp(counter, "FIXC", 4) == 0;
    ERT_TRY(likwid_read_numbers(row, false, &group->numbers, error));
    if (!is_core && !rfl_tally_knows(row->name)) {
        if (rfl_tally_suspects(row->name))
            rfl_names_add(&group->unread, 160, row->name);
        return ERT_OK;
    }
    for (size_t i = 0; i < (row->is_stat ? 1 : row->n); i++) {
        struct rfl_count count = {
            .event = row->name,
            .unit = "",
            .where = ert_strings_format(&row->in->points->strings, "%s%zu",
                                        is_core ? "thread " : "socket of thread ", i),
            .cell = group->numbers.cells[i],
            .share = 1};
        if (is_core || !count.cell.why || (group->numbers.n == 0 && i == 0))
            rfl_tally_add(&group->events, &count);
    }
    return ERT_OK;
}

/* The factor of a row's unit; ERT_USAGE for bytes in another unit, *factor 0 for another row of this name. */
static enum ert_status likwid_factor(const struct known_row *known, const char *unit,
                                     const struct row *row, double *factor,
                                     struct ert_error *error)
{
    enum ert_measure measure;
    if (known->how < VOLUME) {
        bool is_same = !*known->unit || strcmp(known->unit, unit) == 0;
        *factor = !is_same ? 0 : *known->unit == 'M' ? 1e6 : 1;
        return ERT_OK;
    }
    if (ert_units_read(unit, &measure, factor) &&
        (measure == ERT_IN_BYTES || measure == ERT_IN_BYTES_PER_S))
        return ERT_OK;
    return ert_lines_fail(
        row->in->lines, error,
        "%.80s: unit '%.40s' is not known, must be GBytes, MBytes or MBytes/s", row->name,
        unit);
}

/* Takes a row of a table; a STAT table repeats counts if there is a table of the threads'. */
static enum ert_status likwid_take_row(struct group *group, const struct row *row,
                                       struct ert_error *error)
{
    const char *unit = "", *tail = "";
    double factor;
    bool *has_own = row->table == EVENT ? &group->has_event : &group->has_metric;
    if (row->table != INFO) {
        *has_own |= !row->is_stat;
        if (row->is_stat && *has_own)
            return ERT_OK;
    }
    if (row->table == METRIC)
        likwid_split_name(row->name, &unit, &tail);
    for (const struct known_row *known = known_rows;
         known < known_rows + ERT_LENGTH(known_rows); known++) {
        if (known->table != row->table || strcmp(known->name, row->name) != 0)
            continue;
        ERT_TRY(likwid_factor(known, unit, row, &factor, error));
        if (factor == 0)
            continue;
        /* "DP [MFLOP/s] (AVX512 assumed)": KNL counts instructions of any width */
        bool is_rate = known->how >= RATE && known->how <= MIXED_RATE;
        group->is_assumed |= is_rate && *tail;
        return is_rate && *tail ? ERT_OK
                                : likwid_take_value(group, known, factor, row, error);
    }
    return row->table == EVENT ? likwid_take_event(group, row, error) : ERT_OK;
}

/* Runs of the same code differ by less; with more the groups counted different work. */
static const double same_time = 0.1;

static void likwid_put_rate(const struct group *group, size_t i, struct rfl_point *point)
{
    rfl_points_work(point, rfl_fp_types[i], "core", group->of[FP64 + i].value, NAN,
                    ert_strings_format(&point->set->strings,
                                       "likwid %s: MFLOP/s x runtime, summed over "
                                       "threads; the FMA share is unknown",
                                       group->name));
    if (group->of[FP64 + i].is_packed)
        rfl_points_warn(point,
                        "%s: %s counts only packed AVX operations, not scalar and SSE ones",
                        rfl_fp_types[i], group->name);
    if (group->of[FP64 + i].is_mixed)
        rfl_points_warn(point, "operations of all types together (%s), taken as %s",
                        group->of[FP64 + i].name, rfl_fp_types[i]);
}

/* Takes a rate of which its events are only a part, such as of a group whose events are not all known. */
static void likwid_correct_work(const struct group *group, struct rfl_point *point)
{
    for (size_t i = 0; i < RFL_N_FP_TYPES; i++)
        for (size_t w = 0; w < point->n_work; w++) {
            struct rfl_work *work = &point->work[w];
            if (strcmp(work->type, rfl_fp_types[i]) != 0 || !group->of[FP64 + i].has ||
                group->of[RUNTIME].digits < 3 ||
                group->of[FP64 + i].value < 1.02 * work->flops)
                continue;
            rfl_points_warn(point,
                            "%s: the known events are %.3g of the %.3g operations that "
                            "group %s prints: the latter are used",
                            rfl_fp_types[i], work->flops, group->of[FP64 + i].value,
                            group->name);
            point->work[w] = point->work[--point->n_work];
            likwid_put_rate(group, i, point);
            break;
        }
}

static void likwid_put_flops(struct group *group, struct rfl_point *point)
{
    const char *why = NULL;
    bool is_typed = false, is_all = rfl_tally_sum(&group->events, RFL_ALL_TYPES, &why) > 0;
    for (size_t i = 0; i < RFL_N_FP_TYPES; i++)
        is_typed |=
            !isnan(rfl_tally_sum(&group->events, (enum rfl_sum_of)(RFL_FP64 + i), &why));
    /* one event under two names */
    const struct value *dp = &group->of[FP64], *sp = &group->of[FP32];
    bool is_either = !is_typed && dp->has && sp->has && dp->value == sp->value;
    for (size_t i = 0; i < RFL_N_FP_TYPES && !is_typed && !why; i++) {
        if (!group->of[FP64 + i].has && group->of[FP64 + i].why)
            rfl_points_missing(
                point,
                ert_strings_format(&point->set->strings, "%s flops", rfl_fp_types[i]), "%s",
                group->of[FP64 + i].why);
        if (!group->of[FP64 + i].has || (is_either && i > 0))
            continue;
        likwid_put_rate(group, i, point);
        if (is_either)
            rfl_points_warn(point,
                            "group %s prints the operations of one event as DP and as SP: "
                            "they are of either type, and taken as fp64",
                            group->name);
        else if (is_all)
            rfl_points_warn(point,
                            "%s: the event RETIRED_SSE_AVX_FLOPS_ALL counts all types "
                            "together; %s is their name in group %s",
                            rfl_fp_types[i], rfl_fp_types[i], group->name);
    }
    if (point->n_work > 0 && !is_typed) /* the group's formulas used these events */
        group->events.suspect = (struct rfl_names){.text = ""};
    rfl_tally_put(&group->events, point);
    likwid_correct_work(group, point);
    if (group->is_assumed)
        rfl_points_missing(point, "operations",
                           "%s counts vector instructions of any width (likwid prints a "
                           "rate per assumed width): count operations with Intel SDE",
                           group->name);
}

static void likwid_put_level(const struct group *group, const char *name,
                             const struct value *total, struct rfl_point *point)
{
    const struct value *read = total + 1, *written = total + 2, *bandwidth = total + 3;
    char what[24];
    double parts = read->value + written->value;
    double bytes = total->has ? total->value : parts;
    bool has_both =
        read->has && written->has && read->value >= 0 && read->value <= parts && parts > 0;
    double share = has_both ? read->value / parts : NAN;
    bool has_bandwidth = total->has && bandwidth->value > 0;
    snprintf(what, sizeof what, "%s bytes", name);
    /* Releases of 2018 printed MB as GB for KNL's L2 (NERSC's scripts divide by 1000). */
    if (has_bandwidth && (bytes > 30 * bandwidth->value || 30 * bytes < bandwidth->value))
        rfl_points_missing(point, what,
                           "%s: the data volume is %.3g times its bandwidth x runtime: "
                           "this likwid prints a wrong unit (KNL: MB as GB)",
                           group->name, bytes / bandwidth->value);
    else if (bytes < 0)
        rfl_points_missing(
            point, what,
            "%s: %.3g bytes, a difference of counters that were not read at once",
            group->name, bytes);
    else if (has_bandwidth && total->digits < bandwidth->digits && total->digits < 4)
        rfl_points_accesses(point, name, bandwidth->value, share * bandwidth->value, true,
                            ert_strings_format(&point->set->strings,
                                               "likwid %s: %s x runtime, all threads",
                                               group->name, bandwidth->name));
    else
        rfl_points_accesses(
            point, name, bytes, share * bytes, true,
            ert_strings_format(
                &point->set->strings, "likwid %s: %s, all threads", group->name,
                total->has ? total->name : "read + write (load + evict) data volume"));
}

static void likwid_put_bytes(struct group *group, struct rfl_point *point)
{
    bool has_any = false;
    for (size_t i = 0; i < ERT_LENGTH(levels); i++) {
        const struct value *total = &group->of[L2 + 4 * i];
        bool has = false;
        const char *why = NULL;
        for (size_t part = 0; part < 3; part++) {
            has |= total[part].has;
            why = total[part].why ? total[part].why : why;
        }
        has_any |= has || why;
        if (why && !total->has)
            rfl_points_missing(
                point, ert_strings_format(&point->set->strings, "%s bytes", levels[i]),
                "%s", why);
        else if (has && rfl_point_traffic(point, levels[i]))
            rfl_points_warn(point,
                            "%s bytes of group %s are not used: another group has them",
                            levels[i], group->name);
        else if (has)
            likwid_put_level(group, levels[i], total, point);
    }
    static const char *const halves[] = {"dram_bytes_channels_0_3",
                                         "dram_bytes_channels_4_7"};
    for (size_t i = 0; i < ERT_LENGTH(halves); i++) {
        const struct value *half = &group->of[CHANNELS_LOW + i];
        if (!half->has || rfl_points_value(point, halves[i], half->value) != ERT_OK)
            continue;
        has_any = true;
        if (!rfl_point_lacks(point, "DRAM bytes"))
            rfl_points_missing(point, "DRAM bytes",
                               "group %s has half of the channels; a run of the other "
                               "group has the rest: `roofline place CEILINGS --join A B`",
                               group->name);
    }
    rfl_halves_join(point);
    const char *unread = rfl_names_end(&group->unread);
    if (*unread && !has_any)
        rfl_points_warn(point, "not used, though they can count operations or bytes: %s",
                        unread);
}

static void likwid_put_rest(const struct group *group, struct rfl_point *point)
{
    char threads[32] = "thread";
    if (group->n_threads)
        snprintf(threads, sizeof threads, "of %zu threads", group->n_threads);
    point->time_s = group->of[RUNTIME].value;
    if (point->time_s > 0)
        point->time_recipe =
            ert_strings_format(&point->set->strings, "likwid %s: RDTSC runtime, slowest %s",
                               group->name, threads);
    point->launches = group->of[CALLS].value;
    point->threads = (double)group->n_threads;
    point->clock_hz = group->of[CLOCK].value;
    point->energy_j = group->of[ENERGY].value;
}

struct reader {
    const struct rfl_import *in;
    struct group group;
    enum table table;
    bool is_stat;
    size_t n_values, skip;     /* cells between the name and the first value */
    bool is_multiplexed;       /* until the next file that is joined to this one */
    struct ert_strings joined; /* "3 MEM": the groups that a point already has */
};

/* Whether a point already has the group; if not, adds the group to it. */
static bool likwid_has_group(struct reader *reader, size_t point)
{
    size_t before = reader->joined.n_texts;
    ert_strings_format(&reader->joined, "%zu %s", point, reader->group.name);
    return reader->joined.n_texts == before;
}

/*
 * The last point of the group's region; a new one (*is_new) if there is none, or if that already has the
 * group and is therefore from another run.
 */
static struct rfl_point *likwid_point_of(struct reader *reader, bool *is_new)
{
    struct rfl_points *points = reader->in->points;
    const char *region = reader->group.region, *name = *region ? region : "whole run";
    size_t n_runs = 0, at = SIZE_MAX;
    for (size_t i = reader->in->first; i < points->n; i++)
        if (strcmp(points->points[i].name, name) == 0) {
            at = i;
            n_runs++;
        }
    *is_new = at == SIZE_MAX || likwid_has_group(reader, at);
    if (!*is_new)
        return &points->points[at];
    struct rfl_point *point = rfl_points_add(points, name);
    if (n_runs)
        point->run = ert_strings_format(&points->strings, "run %zu", n_runs + 1);
    likwid_has_group(reader, points->n - 1);
    return point;
}

/* Whether a further group may join: it counted the same work only if it took the same time. */
static bool likwid_joins(const struct group *group, struct rfl_point *point)
{
    double ratio = point->time_s > 0 && group->of[RUNTIME].value > 0
                       ? group->of[RUNTIME].value / point->time_s
                       : NAN;
    if (fabs(ratio - 1) <= same_time) {
        rfl_points_warn(point,
                        "group %s comes from another run of the same code, or another part "
                        "of the run (%.4g s and %.4g s)",
                        group->name, group->of[RUNTIME].value, point->time_s);
        return true;
    }
    rfl_points_missing(
        point, group->name,
        "the group ran %.4g s, the one before it %.4g s: not the same work (likwid "
        "switches between groups), so its counts are left out; run once per group",
        group->of[RUNTIME].value, point->time_s);
    return false;
}

/*
 * Adds the group to the point of its region, a new one or one that already has other groups. A group without
 * any number adds nothing.
 */
static void likwid_put_group(struct reader *reader)
{
    struct group *group = &reader->group;
    bool is_new;
    if (!group->of[RUNTIME].has && !group->has_event && !group->has_metric &&
        group->events.n == 0)
        return;
    struct rfl_point *point = likwid_point_of(reader, &is_new);
    if (is_new)
        likwid_put_rest(group, point);
    else if (!likwid_joins(group, point))
        return;
    else if (point->energy_j == 0)
        point->energy_j = group->of[ENERGY].value;
    if (group->is_multiplexed)
        rfl_points_warn(point,
                        "group %s: likwid reports that the kernel multiplexed its events: "
                        "counts are scaled estimates",
                        group->name);
    rfl_tally_settle(&group->events);
    if (point->n_work == 0)
        likwid_put_flops(group, point);
    else if (group->of[FP64].has || group->of[FP32].has || group->of[FP16].has)
        rfl_points_warn(point,
                        "operations of group %s are not used: another group has them",
                        group->name);
    likwid_put_bytes(group, point);
}

static void likwid_free_group(struct reader *reader)
{
    free(reader->group.runtimes.cells);
    free(reader->group.numbers.cells);
    rfl_tally_clear(&reader->group.events);
    reader->group = (struct group){
        .region = "",
        .name = "",
        .events = {.in = reader->in, .tool = "likwid", .lost = ""}
    };
}

static void likwid_end_group(struct reader *reader)
{
    const char *region = reader->in->options->region;
    if (!region || strstr(reader->group.region, region))
        likwid_put_group(reader);
    likwid_free_group(reader);
    reader->table = NO_TABLE;
}

/* Begins a group and ends the previous one; with is_same_table the same group continues (CSV). */
static void likwid_begin_group(struct reader *reader, const char *region,
                               size_t region_length, const char *name, bool is_same_table)
{
    struct ert_strings *texts = &reader->in->points->strings;
    if (!is_same_table)
        likwid_end_group(reader);
    reader->table = NO_TABLE;
    reader->group.region = ert_strings_format(texts, "%.*s", (int)region_length, region);
    reader->group.name =
        ert_strings_format(texts, "%.*s", (int)strcspn(name, " \t,:"), name);
    reader->group.is_multiplexed = reader->is_multiplexed;
}

static const struct title {
    const char *text;
    enum table table;
    size_t skip;
} titles[] = {
    {"Event",       EVENT,  1},
    {"Metric",      METRIC, 0},
    {"Region Info", INFO,   0}
};

/* The title of a row that begins a table; NULL for other rows. */
static const struct title *likwid_title_of(const char *cell)
{
    for (size_t i = 0; i < ERT_LENGTH(titles); i++)
        if (strcmp(cell, titles[i].text) == 0)
            return &titles[i];
    return NULL;
}

/* Takes the kind of a table and the number of values in its rows. */
static enum ert_status likwid_header(struct reader *reader, const struct title *title,
                                     char *const *cells, size_t n, struct ert_error *error)
{
    size_t from = 1 + title->skip;
    bool is_stat = n > from && strcmp(cells[from], "Sum") == 0;
    for (size_t i = from; i < n && !is_stat; i++)
        if (strncmp(cells[i], "HWThread ", 9) != 0 && strncmp(cells[i], "Core ", 5) != 0)
            return ert_lines_fail(reader->in->lines, error,
                                  "column '%.40s', must be 'HWThread N' or 'Core N' "
                                  "(likwid-mpirun and GPUs are not supported)",
                                  cells[i]);
    reader->table = is_stat && title->table == INFO ? NO_TABLE : title->table;
    reader->is_stat = is_stat;
    reader->skip = title->skip;
    reader->n_values = n > from ? n - from : 0;
    return ERT_OK;
}

static enum ert_status likwid_read_row(struct reader *reader, char *const *cells, size_t n,
                                       struct ert_error *error)
{
    if (n == 0)
        return ERT_OK;
    const struct title *title = likwid_title_of(cells[0]);
    if (title)
        return likwid_header(reader, title, cells, n, error);
    if (reader->table == NO_TABLE)
        return ERT_OK;
    size_t from = 1 + reader->skip;
    if (n != from + reader->n_values)
        return ert_lines_fail(reader->in->lines, error,
                              "%.80s: %zu cells, must be %zu as in the table's head",
                              cells[0], n, from + reader->n_values);
    const struct row row = {reader->in,   reader->table, cells[0],
                            cells + from, n - from,      reader->is_stat};
    return likwid_take_row(&reader->group, &row, error);
}

/* Reads lines outside tables: "CPU type:\tIntel ..." or "CPU type:,Intel ...,,", warnings, -t. */
static enum ert_status likwid_notice(struct reader *reader, const char *line,
                                     struct ert_error *error)
{
    static const char separators[] = " \t,";
    bool is_name = strncmp(line, "CPU name:", 9) == 0;
    const char *known = reader->in->points->origin;
    if (strncmp(line, "# GID", 5) == 0 || strncmp(line, "# HWThreads", 11) == 0)
        return ert_lines_fail(reader->in->lines, error,
                              "output of likwid's timeline mode (-t), which is not "
                              "supported: run without it, or with markers (-m)");
    if (is_name || strstr(line, "Perf_event uses multiplexing"))
        reader->is_multiplexed = !is_name;
    /* the name is more specific than the type */
    if (is_name || (strncmp(line, "CPU type:", 9) == 0 &&
                    !(known && strstr(known, "likwid-perfctr")))) {
        const char *name = line + 9 + strspn(line + 9, separators);
        size_t length = strlen(name);
        while (length && strchr(separators, name[length - 1]))
            length--;
        reader->in->points->origin = ert_strings_format(
            &reader->in->points->strings, "likwid-perfctr, %.*s", (int)length, name);
    }
    return ERT_OK;
}

/*
 * The last "Group N" in a line, behind `mark` where a region's name precedes it, which can hold commas; the
 * region is what lies between `prefix` and it. NULL: the line begins no group.
 */
static char *likwid_find_group(char *line, const char *prefix, const char *mark,
                               char **region, size_t *length)
{
    char *group = NULL;
    size_t begin = strlen(prefix);
    *region = line + begin;
    *length = 0;
    if (strncmp(line, prefix, begin) != 0)
        return NULL;
    if (strncmp(line + begin, "Region ", 7) != 0)
        return line + begin;
    for (char *at = line; (at = strstr(at, mark)); at++)
        group = at;
    *region += 7;
    *length = group ? (size_t)(group - *region) : 0;
    return group ? group + strlen(mark) - strlen("Group ") : NULL;
}

/*
 * Begins a group at a line "Group 1: MEM", "Region copy, Group 1: MEM", or, in release 4.0, "Group 1 MEM:
 * Region copy"; false for other lines.
 */
static bool likwid_group_line(struct reader *reader, char *line)
{
    size_t length;
    char *region, *group = likwid_find_group(line, "", ", Group ", &region, &length);
    if (!group || strncmp(group, "Group ", 6) != 0 || !isdigit((unsigned char)group[6]))
        return false;
    const char *rest = group + 6 + strspn(group + 6, "0123456789");
    const char *old = strstr(rest, ": Region ");
    if (*rest == ' ' && old)
        likwid_begin_group(reader, old + 9, strlen(old + 9), rest + 1, false);
    else if (*rest == ':')
        likwid_begin_group(reader, region, length, rest + 1 + strspn(rest + 1, " "), false);
    else
        return false;
    return true;
}

static enum ert_status likwid_text_line(struct reader *reader, char *line,
                                        struct ert_error *error)
{
    if (likwid_group_line(reader, line) || line[0] != '|')
        return ERT_OK;
    /* "L3|MEM evict data volume" is a name: bars between cells have blanks around them */
    for (char *bar = line + 1; *bar; bar++)
        if (*bar == '|' && bar[1] && (bar[-1] != ' ' || bar[1] != ' '))
            *bar = '/';
    ert_lines_split(reader->in->lines, '|');
    size_t n = reader->in->lines->n_cells;
    return n < 3 ? ERT_OK
                 : likwid_read_row(reader, reader->in->lines->cells + 1, n - 2, error);
}

/* Reads "TABLE,[Region R,]Group 1 Raw,MEM,12": tables other than "Raw" continue their group. */
static enum ert_status likwid_csv_table(struct reader *reader, struct ert_error *error)
{
    struct ert_lines *lines = reader->in->lines;
    size_t length;
    char *begin,
        *group = likwid_find_group(lines->line, "TABLE,", ",Group ", &begin, &length);
    if (!group || strncmp(group, "Group ", 6) != 0)
        return ert_lines_fail(
            lines, error, "table '%.40s', must be 'Group N Raw', 'Metric' or their STAT",
            lines->line);
    const char *region =
        ert_strings_format(&reader->in->points->strings, "%.*s", (int)length, begin);
    memmove(lines->line, group, strlen(group) + 1);
    ert_lines_split(lines, ',');
    const char *table = ert_lines_cell(lines, 0);
    const char *kind = table + 6 + strspn(table + 6, "0123456789");
    likwid_begin_group(reader, region, strlen(region), ert_lines_cell(lines, 1),
                       strcmp(kind, " Raw") != 0);
    return ERT_OK;
}

static enum ert_status likwid_csv_line(struct reader *reader, struct ert_error *error)
{
    struct ert_lines *lines = reader->in->lines;
    if (strncmp(lines->line, "TABLE", 5) == 0)
        return likwid_csv_table(reader, error);
    ert_lines_split(lines, ',');
    size_t n = lines->n_cells;
    if (strcmp(ert_lines_cell(lines, 0), "STRUCT") == 0 || !*reader->group.name) {
        reader->table = NO_TABLE;
        return ERT_OK;
    }
    /* rows are padded with commas to the widest table */
    size_t used = 1 + reader->skip + reader->n_values;
    if (likwid_title_of(lines->cells[0]))
        while (n && !*lines->cells[n - 1])
            n--;
    else if (reader->table != NO_TABLE && n > used)
        n = used;
    return likwid_read_row(reader, lines->cells, n, error);
}

static enum ert_status likwid_read(const struct rfl_import *in, struct ert_error *error)
{
    struct reader reader = {.in = in};
    bool is_csv = in->importer == &rfl_import_likwid_csv;
    enum ert_status status = ERT_OK;
    likwid_free_group(&reader);
    for (char *line; status == ERT_OK && (line = ert_lines_next(in->lines));) {
        status = likwid_notice(&reader, line, error);
        if (status == ERT_OK)
            status = is_csv ? likwid_csv_line(&reader, error)
                            : likwid_text_line(&reader, line, error);
    }
    if (status == ERT_OK)
        likwid_end_group(&reader);
    likwid_free_group(&reader);
    ert_strings_free(&reader.joined);
    return status;
}

static bool likwid_recognizes_csv(const char *head)
{
    return strstr(head, "STRUCT,Info") || strstr(head, "TABLE,Group ") ||
           strstr(head, "TABLE,Region ");
}

static bool likwid_recognizes_text(const char *head)
{
    return !likwid_recognizes_csv(head) &&
           (strstr(head, "CPU type:\t") || strstr(head, "| Counter |") ||
            strstr(head, ", Group 1: ") || strstr(head, "|    Region Info    |") ||
            strstr(head, "# GID,") ||
            (strstr(head, "Metric ") && strstr(head, "Runtime (RDTSC) [s]")));
}

const struct rfl_importer rfl_import_likwid = {
    .name = "likwid",
    .summary = "likwid-perfctr: its tables as text, with or without markers",
    .how = "likwid-perfctr -C 0-3 -g MEM_DP -m ./a.out > FILE",
    .device = RFL_PROFILED_CPU,
    .recognizes = likwid_recognizes_text,
    .read = likwid_read,
};

const struct rfl_importer rfl_import_likwid_csv = {
    .name = "likwid-csv",
    .summary = "likwid-perfctr: its tables as CSV (-O, or -o FILE.csv)",
    .how = "likwid-perfctr -C 0-3 -g MEM_DP -m -O -o FILE.csv ./a.out",
    .device = RFL_PROFILED_CPU,
    .recognizes = likwid_recognizes_csv,
    .read = likwid_read,
};
