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
#include "ert/core/base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_TYPES = 3, N_LEVELS = 5 };
static const struct {
    const char *name;
    enum rfl_sum_of sum;
} types[N_TYPES] = {
    {"fp64", RFL_FP64},
    {"fp32", RFL_FP32},
    {"fp16", RFL_FP16}
};

/* INFO: runtime and calls of a marker region; EVENT: raw counts; METRIC: results of the group's formulas. */
enum table { NO_TABLE, INFO, EVENT, METRIC };

/* Parts of a level's bytes. */
enum part { TOTAL, READ, WRITTEN, N_PARTS };

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
    bool has_event, has_metric, has_runtime;
    double runtime_s; /* of the slowest thread */
    double calls, energy_j;
    double clock_hz; /* mean of the threads */
    struct rfl_tally events;
    struct rfl_names
        unread; /* events of sockets that nothing is known of, unless the metrics use them */
    double rate_flops[N_TYPES]; /* sum over threads of rate x runtime */
    bool has_rate[N_TYPES], is_packed[N_TYPES], is_assumed;
    const char *why_rate[N_TYPES]; /* a thread has none; or NULL */
    bool is_multiplexed;           /* likwid said that it scaled the counts */
    struct level {
        double bytes[N_PARTS], bandwidth_bytes; /* bandwidth x runtime, 0 none */
        unsigned digits,
            bandwidth_digits; /* printed, of the total and of bandwidth and runtime */
        bool has[N_PARTS];
        const char *why;  /* a part has no number; or NULL */
        const char *stem; /* of the total: "L2" for "L2 data volume" */
    } levels[N_LEVELS];
};

/*
 * Reads the cells of a row into *numbers. may_be_negative: for differences of counters, such as for KNL's
 * MCDRAM in cache mode. Errors as rfl_cell_read.
 */
static enum ert_status import_likwid_read_numbers(const struct row *row,
                                                  bool may_be_negative,
                                                  struct numbers *numbers,
                                                  struct ert_error *error)
{
    *numbers = (struct numbers){
        .cells = ert_xrealloc(numbers->cells, row->n, sizeof *numbers->cells)};
    for (size_t i = 0; i < row->n; i++) {
        const char *text = row->values[i];
        bool is_negative =
            may_be_negative && text[0] == '-' && text[1] >= '0' && text[1] <= '9';
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
 * thread's runtime. *has: whether each thread that ran has a number.
 */
static double integrate(const struct group *group, const struct row *row, bool *has)
{
    const struct numbers *rates = &group->numbers;
    double amount = 0;
    *has = group->has_runtime && rates->n > 0;
    for (size_t i = 0; i < row->n && !(row->is_stat && i > 0); i++) {
        bool is_thread = !row->is_stat && i < group->n_threads;
        double own_s = is_thread ? group->runtimes.cells[i].value : 0;
        *has &= !rates->cells[i].why || (is_thread && own_s == 0);
        amount += rates->cells[i].value * (own_s > 0 ? own_s : group->runtime_s);
    }
    return amount;
}

/* The stems of "<stem> data volume" and "<stem> bandwidth": totals, or parts of a total. */
static const struct volume_row {
    const char *stem;
    int level;
    enum part part;
} volumes[] = {
    {"L2",                      0, TOTAL  },
    {"L1 to/from L2",           0, TOTAL  },
    {"L2D load",                0, READ   },
    {"L2D evict",               0, WRITTEN},
    {"L3",                      1, TOTAL  },
    {"L2 to/from L3",           1, TOTAL  },
    {"L3 load",                 1, READ   },
    {"L3 evict",                1, WRITTEN},
    {"Memory",                  2, TOTAL  },
    {"DDR",                     2, TOTAL  },
    {"DDR Memory",              2, TOTAL  },
    {"Memory read",             2, READ   },
    {"Memory write",            2, WRITTEN},
    {"DDR read",                2, READ   },
    {"DDR write",               2, WRITTEN},
    {"HBM",                     3, TOTAL  },
    {"HBM read",                3, READ   },
    {"HBM write",               3, WRITTEN},
    {"MCDRAM Memory",           4, TOTAL  },
    {"MCDRAM Memory read",      4, READ   },
    {"MCDRAM Memory writeback", 4, WRITTEN}
};

static const struct rate_row {
    const char *name;
    int type;
    bool is_packed; /* only vector operations */
} rates[] = {
    {"DP",        0, false},
    {"SP",        1, false},
    {"HP",        2, false},
    {"Packed DP", 0, true },
    {"Packed SP", 1, true }
};

/* Removes " data volume" or " bandwidth" from a metric and finds the row of the rest. */
static const struct volume_row *find_volume(const char *name, bool *is_bandwidth)
{
    size_t length = strlen(name);
    static const char volume[] = " data volume", bandwidth[] = " bandwidth";
    size_t end = length >= 12 && strcmp(name + length - 12, volume) == 0      ? length - 12
                 : length >= 10 && strcmp(name + length - 10, bandwidth) == 0 ? length - 10
                                                                              : 0;
    *is_bandwidth = end && length - end == 10;
    for (size_t i = 0; end && i < ERT_LENGTH(volumes); i++)
        if (strlen(volumes[i].stem) == end && strncmp(volumes[i].stem, name, end) == 0)
            return &volumes[i];
    return NULL;
}

/* 2^63: a count of bytes above it was below 0. */
static const double largest_bytes = 9223372036854775808.0;

static enum ert_status take_volume(struct group *group, const struct volume_row *volume,
                                   bool is_bandwidth, const char *unit,
                                   const struct row *row, struct ert_error *error)
{
    struct level *level = &group->levels[volume->level];
    enum ert_measure measure;
    double factor;
    if (!ert_units_read(unit, &measure, &factor) ||
        (measure != ERT_IN_BYTES && measure != ERT_IN_BYTES_PER_S))
        return ert_lines_fail(
            row->in->lines, error,
            "%.80s: unit '%.40s' is not known, must be GBytes, MBytes or MBytes/s",
            row->name, unit);
    ERT_TRY(import_likwid_read_numbers(row, true, &group->numbers, error));
    const struct numbers *numbers = &group->numbers;
    if (is_bandwidth) {
        bool has_all; /* often only one thread of a socket has a number */
        double bytes = factor * integrate(group, row, &has_all);
        if (volume->part == TOTAL && group->has_runtime && numbers->n > 0 &&
            bytes < largest_bytes) {
            level->bandwidth_bytes = bytes;
            level->bandwidth_digits = numbers->digits < group->runtimes.digits
                                          ? numbers->digits
                                          : group->runtimes.digits;
        }
        return ERT_OK;
    }
    double *bytes = &level->bytes[volume->part], read = factor * numbers->sum;
    if (numbers->n == 0 || read >= largest_bytes) {
        level->why = ert_strings_format(
            &row->in->points->strings, "likwid %s: %s: %s", group->name, row->name,
            numbers->n == 0 ? numbers->why
                            : "more bytes than a counter can have: it overflowed");
        return ERT_OK;
    }
    *bytes = read + (volume->part == TOTAL ? 0 : *bytes);
    level->has[volume->part] = true;
    if (volume->part == TOTAL) {
        level->stem = volume->stem;
        level->digits = numbers->digits;
    }
    return ERT_OK;
}

static enum ert_status take_rate(struct group *group, const char *tail,
                                 const struct row *row, struct ert_error *error)
{
    for (size_t i = 0; i < ERT_LENGTH(rates); i++) {
        int type = rates[i].type;
        bool has;
        if (strcmp(rates[i].name, row->name) != 0)
            continue;
        if (*tail) { /* "DP [MFLOP/s] (AVX512 assumed)": KNL counts instructions of any width */
            group->is_assumed = true;
            continue;
        }
        ERT_TRY(import_likwid_read_numbers(row, false, &group->numbers, error));
        double flops = integrate(group, row, &has);
        if (!has && group->has_runtime && group->numbers.why)
            group->why_rate[type] =
                ert_strings_format(&row->in->points->strings, "likwid %s: %s: %s",
                                   group->name, row->name, group->numbers.why);
        if (!has || (rates[i].is_packed && group->has_rate[type]))
            continue;
        group->rate_flops[type] = 1e6 * flops;
        group->has_rate[type] = true;
        group->is_packed[type] = rates[i].is_packed;
    }
    return ERT_OK;
}

/* Splits "L2 data volume [GBytes] STAT" in place; in old releases "DP MFLOP/s". */
static void split_name(char *name, const char **unit, const char **tail)
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

/* Rows that are one number of the group; unit NULL: any. */
static const struct number_row {
    enum table table;
    const char *name, *unit;
    enum { RUNTIME, LARGEST, SUM, MEAN_MHZ } what;
    size_t offset; /* of the number in struct group */
} number_rows[] = {
#define AT(member) offsetof(struct group, member)
    {INFO,   "RDTSC Runtime [s]",   NULL,  RUNTIME,  AT(runtime_s)},
    {INFO,   "call count",          NULL,  LARGEST,  AT(calls)    },
    {EVENT,  "Runtime (RDTSC) [s]", NULL,  RUNTIME,  AT(runtime_s)},
    {METRIC, "Runtime (RDTSC)",     NULL,  RUNTIME,  AT(runtime_s)},
    {METRIC, "Clock",               "MHz", MEAN_MHZ, AT(clock_hz) },
    {METRIC, "Energy",              "J",   SUM,      AT(energy_j) },
#undef AT
};

static enum ert_status take_number(struct group *group, const struct number_row *known,
                                   const struct row *row, struct ert_error *error)
{
    double *number = (double *)(void *)((char *)group + known->offset);
    if (known->what == MEAN_MHZ && row->is_stat)
        return ERT_OK;
    ERT_TRY(import_likwid_read_numbers(row, false, &group->numbers, error));
    const struct numbers *numbers = &group->numbers;
    if (known->what == RUNTIME && group->has_runtime &&
        numbers->digits <= group->runtimes.digits)
        return ERT_OK; /* the one with more digits counts */
    *number = known->what == SUM        ? numbers->sum
              : known->what != MEAN_MHZ ? numbers->largest
              : numbers->n              ? 1e6 * numbers->sum / (double)numbers->n
                                        : 0;
    if (known->what == RUNTIME && numbers->n > 0) {
        struct numbers before = group->runtimes;
        group->runtimes = group->numbers;
        group->numbers = before;
        group->has_runtime = true;
        group->n_threads = row->is_stat ? 0 : row->n;
    }
    return ERT_OK;
}

/*
 * Feeds the counts of the threads. The counters of a socket (not PMC0, FIXC1 ...) have a number on one of its
 * threads.
 */
static enum ert_status take_event(struct group *group, const struct row *row,
                                  struct ert_error *error)
{
    const char *counter = row->values[-1];
    bool is_core = strncmp(counter, "PMC", 3) == 0 || strncmp(counter, "FIXC", 4) == 0;
    ERT_TRY(import_likwid_read_numbers(row, false, &group->numbers, error));
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

/* Takes a row of a table; a STAT table repeats counts if there is a table of the threads'. */
static enum ert_status take_row(struct group *group, const struct row *row,
                                struct ert_error *error)
{
    const char *unit = "", *tail = "";
    bool *has_own = row->table == EVENT ? &group->has_event : &group->has_metric;
    bool is_bandwidth;
    if (row->table != INFO) {
        *has_own |= !row->is_stat;
        if (row->is_stat && *has_own)
            return ERT_OK;
    }
    if (row->table == METRIC)
        split_name(row->name, &unit, &tail);
    for (size_t i = 0; i < ERT_LENGTH(number_rows); i++)
        if (number_rows[i].table == row->table &&
            strcmp(number_rows[i].name, row->name) == 0 &&
            (!number_rows[i].unit || strcmp(number_rows[i].unit, unit) == 0))
            return take_number(group, &number_rows[i], row, error);
    if (row->table == EVENT)
        return take_event(group, row, error);
    if (row->table == INFO)
        return ERT_OK;
    const struct volume_row *volume = find_volume(row->name, &is_bandwidth);
    if (volume)
        return take_volume(group, volume, is_bandwidth, unit, row, error);
    return strcmp(unit, "MFLOP/s") == 0 ? take_rate(group, tail, row, error) : ERT_OK;
}

static const char *const levels[N_LEVELS] = {"L2", "L3", "DRAM", "HBM", "MCDRAM"};

/* Runs of the same code differ by less; with more the groups counted different work. */
static const double same_time = 0.1;

static void put_rate(const struct group *group, size_t i, struct rfl_point *point)
{
    rfl_points_work(point, types[i].name, "core", group->rate_flops[i], NAN,
                    ert_strings_format(&point->set->strings,
                                       "likwid %s: MFLOP/s x runtime, summed over "
                                       "threads; the FMA share is unknown",
                                       group->name));
    if (group->is_packed[i])
        rfl_points_warn(point,
                        "%s: %s counts only packed AVX operations, not scalar and SSE ones",
                        types[i].name, group->name);
}

/* Takes a rate of which its events are only a part, such as of a group whose events are not all known. */
static void correct_work(const struct group *group, struct rfl_point *point)
{
    for (size_t i = 0; i < N_TYPES; i++)
        for (size_t w = 0; w < point->n_work; w++) {
            struct rfl_work *work = &point->work[w];
            if (strcmp(work->type, types[i].name) != 0 || !group->has_rate[i] ||
                group->runtimes.digits < 3 || group->rate_flops[i] < 1.02 * work->flops)
                continue;
            rfl_points_warn(
                point,
                "%s: the known events are %.3g of the %.3g operations that group "
                "%s prints: the latter are used",
                types[i].name, work->flops, group->rate_flops[i], group->name);
            point->work[w] = point->work[--point->n_work];
            put_rate(group, i, point);
            break;
        }
}

static void put_flops(struct group *group, struct rfl_point *point)
{
    const char *why = NULL;
    bool is_typed = false, is_all = rfl_tally_sum(&group->events, RFL_ALL_TYPES, &why) > 0;
    for (size_t i = 0; i < N_TYPES; i++)
        is_typed |= !isnan(rfl_tally_sum(&group->events, types[i].sum, &why));
    /* one event under two names */
    bool is_either = !is_typed && group->has_rate[0] && group->has_rate[1] &&
                     group->rate_flops[0] == group->rate_flops[1];
    for (size_t i = 0; i < N_TYPES && !is_typed && !why; i++) {
        if (!group->has_rate[i] && group->why_rate[i])
            rfl_points_missing(
                point, ert_strings_format(&point->set->strings, "%s flops", types[i].name),
                "%s", group->why_rate[i]);
        if (!group->has_rate[i] || (is_either && i > 0))
            continue;
        put_rate(group, i, point);
        if (is_either)
            rfl_points_warn(point,
                            "group %s prints the operations of one event as DP and as SP: "
                            "they are of either type, and taken as fp64",
                            group->name);
        else if (is_all)
            rfl_points_warn(point,
                            "%s: the event RETIRED_SSE_AVX_FLOPS_ALL counts all types "
                            "together; %s is their name in group %s",
                            types[i].name, types[i].name, group->name);
    }
    rfl_tally_put(&group->events, point);
    correct_work(group, point);
    if (group->is_assumed)
        rfl_points_missing(point, "operations",
                           "%s counts vector instructions of any width (likwid prints a "
                           "rate per assumed width): count operations with Intel SDE",
                           group->name);
}

static void import_likwid_put_level(const struct group *group, size_t i,
                                    struct rfl_point *point)
{
    const struct level *level = &group->levels[i];
    char what[24];
    double read = level->bytes[READ], parts = read + level->bytes[WRITTEN];
    double bytes = level->has[TOTAL] ? level->bytes[TOTAL] : parts;
    bool has_both =
        level->has[READ] && level->has[WRITTEN] && read >= 0 && read <= parts && parts > 0;
    double share = has_both ? read / parts : NAN;
    snprintf(what, sizeof what, "%s bytes", levels[i]);
    /* Releases of 2018 printed MB as GB for KNL's L2 (NERSC's scripts divide by 1000). */
    if (level->has[TOTAL] && level->bandwidth_bytes > 0 &&
        (bytes > 30 * level->bandwidth_bytes || 30 * bytes < level->bandwidth_bytes))
        rfl_points_missing(point, what,
                           "%s: the data volume is %.3g times its bandwidth x runtime: "
                           "this likwid prints a wrong unit (KNL: MB as GB)",
                           group->name, bytes / level->bandwidth_bytes);
    else if (bytes < 0)
        rfl_points_missing(
            point, what,
            "%s: %.3g bytes, a difference of counters that were not read at once",
            group->name, bytes);
    else if (level->has[TOTAL] && level->bandwidth_bytes > 0 &&
             level->digits < level->bandwidth_digits && level->digits < 4)
        rfl_points_accesses(
            point, levels[i], level->bandwidth_bytes, share * level->bandwidth_bytes, true,
            ert_strings_format(&point->set->strings,
                               "likwid %s: %s bandwidth x runtime, all threads",
                               group->name, level->stem));
    else
        rfl_points_accesses(
            point, levels[i], bytes, share * bytes, true,
            ert_strings_format(
                &point->set->strings, "likwid %s: %s data volume, all threads", group->name,
                level->has[TOTAL] ? level->stem : "read + write (load + evict)"));
}

static void import_likwid_put_bytes(struct group *group, struct rfl_point *point)
{
    bool has_any = false;
    for (size_t i = 0; i < N_LEVELS; i++) {
        const bool *has = group->levels[i].has;
        const char *why = group->levels[i].why;
        if (!has[TOTAL] && !has[READ] && !has[WRITTEN] && !why)
            continue;
        has_any = true;
        if (why && !has[TOTAL])
            rfl_points_missing(
                point, ert_strings_format(&point->set->strings, "%s bytes", levels[i]),
                "%s", why);
        else if (rfl_point_traffic(point, levels[i]))
            rfl_points_warn(point,
                            "%s bytes of group %s are not used: another group has them",
                            levels[i], group->name);
        else
            import_likwid_put_level(group, i, point);
    }
    const char *unread = rfl_names_end(&group->unread);
    if (*unread && !has_any)
        rfl_points_warn(point, "not used, though they can count operations or bytes: %s",
                        unread);
}

static void import_likwid_put_rest(const struct group *group, struct rfl_point *point)
{
    if (group->runtime_s > 0) {
        point->time_s = group->runtime_s;
        point->time_recipe =
            group->n_threads
                ? ert_strings_format(&point->set->strings,
                                     "likwid %s: RDTSC runtime, slowest of %zu threads",
                                     group->name, group->n_threads)
                : ert_strings_format(&point->set->strings,
                                     "likwid %s: RDTSC runtime, slowest thread",
                                     group->name);
    }
    point->launches = group->calls;
    point->threads = (double)group->n_threads;
    point->clock_hz = group->clock_hz;
    point->energy_j = group->energy_j;
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
static bool import_likwid_has_group(struct reader *reader, size_t point)
{
    size_t before = reader->joined.n_texts;
    ert_strings_format(&reader->joined, "%zu %s", point, reader->group.name);
    return reader->joined.n_texts == before;
}

/*
 * The last point of the group's region; a new one (*is_new) if there is none, or if that already has the
 * group and is therefore from another run.
 */
static struct rfl_point *point_of(struct reader *reader, bool *is_new)
{
    struct rfl_points *points = reader->in->points;
    const char *region = reader->group.region, *name = *region ? region : "whole run";
    size_t n_runs = 0, at = SIZE_MAX;
    for (size_t i = reader->in->first; i < points->n; i++)
        if (strcmp(points->points[i].name, name) == 0) {
            at = i;
            n_runs++;
        }
    *is_new = at == SIZE_MAX || import_likwid_has_group(reader, at);
    if (!*is_new)
        return &points->points[at];
    struct rfl_point *point = rfl_points_add(points, name);
    if (n_runs)
        point->run = ert_strings_format(&points->strings, "run %zu", n_runs + 1);
    import_likwid_has_group(reader, points->n - 1);
    return point;
}

/* Whether a further group may join: it counted the same work only if it took the same time. */
static bool joins(const struct group *group, struct rfl_point *point)
{
    double ratio =
        point->time_s > 0 && group->runtime_s > 0 ? group->runtime_s / point->time_s : NAN;
    if (fabs(ratio - 1) <= same_time) {
        rfl_points_warn(point,
                        "group %s comes from another run of the same code, or another part "
                        "of the run (%.4g s and %.4g s)",
                        group->name, group->runtime_s, point->time_s);
        return true;
    }
    rfl_points_missing(
        point, group->name,
        "the group ran %.4g s, the one before it %.4g s: not the same work (likwid "
        "switches between groups), so its counts are left out; run once per group",
        group->runtime_s, point->time_s);
    return false;
}

static bool is_empty(const struct group *group)
{
    return !group->has_runtime && !group->has_event && !group->has_metric &&
           group->events.n == 0;
}

/*
 * Adds the group to the point of its region, a new one or one that already has other groups. A group without
 * any number adds nothing.
 */
static void import_likwid_put_group(struct reader *reader)
{
    struct group *group = &reader->group;
    bool is_new;
    if (is_empty(group))
        return;
    struct rfl_point *point = point_of(reader, &is_new);
    if (is_new)
        import_likwid_put_rest(group, point);
    else if (!joins(group, point))
        return;
    else if (point->energy_j == 0)
        point->energy_j = group->energy_j;
    if (group->is_multiplexed)
        rfl_points_warn(point,
                        "group %s: likwid reports that the kernel multiplexed its events: "
                        "counts are scaled estimates",
                        group->name);
    rfl_tally_settle(&group->events);
    if (point->n_work == 0)
        put_flops(group, point);
    else if (group->has_rate[0] || group->has_rate[1] || group->has_rate[2])
        rfl_points_warn(point,
                        "operations of group %s are not used: another group has them",
                        group->name);
    import_likwid_put_bytes(group, point);
}

static void free_group(struct reader *reader)
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

static void end_group(struct reader *reader)
{
    const char *region = reader->in->options->region;
    if (!region || strstr(reader->group.region, region))
        import_likwid_put_group(reader);
    free_group(reader);
    reader->table = NO_TABLE;
}

/* Begins a group and ends the previous one; with is_same_table the same group continues (CSV). */
static void begin_group(struct reader *reader, const char *region, size_t region_length,
                        const char *name, bool is_same_table)
{
    struct ert_strings *texts = &reader->in->points->strings;
    if (!is_same_table)
        end_group(reader);
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
static const struct title *title_of(const char *cell)
{
    for (size_t i = 0; i < ERT_LENGTH(titles); i++)
        if (strcmp(cell, titles[i].text) == 0)
            return &titles[i];
    return NULL;
}

/* Takes the kind of a table and the number of values in its rows. */
static enum ert_status header(struct reader *reader, const struct title *title,
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

static enum ert_status import_likwid_read_row(struct reader *reader, char *const *cells,
                                              size_t n, struct ert_error *error)
{
    if (n == 0)
        return ERT_OK;
    const struct title *title = title_of(cells[0]);
    if (title)
        return header(reader, title, cells, n, error);
    if (reader->table == NO_TABLE)
        return ERT_OK;
    size_t from = 1 + reader->skip;
    if (n != from + reader->n_values)
        return ert_lines_fail(reader->in->lines, error,
                              "%.80s: %zu cells, must be %zu as in the table's head",
                              cells[0], n, from + reader->n_values);
    const struct row row = {reader->in,   reader->table, cells[0],
                            cells + from, n - from,      reader->is_stat};
    return take_row(&reader->group, &row, error);
}

/* Reads lines outside tables: "CPU type:\tIntel ..." or "CPU type:,Intel ...,,", warnings, -t. */
static enum ert_status notice(struct reader *reader, const char *line,
                              struct ert_error *error)
{
    static const char separators[] = " \t,\"";
    line += *line == '"';
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
 * Begins a group at a line "Group 1: MEM", "Region copy, Group 1: MEM", or, in release 4.0, "Group 1 MEM:
 * Region copy"; false for other lines.
 */
static bool group_line(struct reader *reader, const char *line)
{
    const char *group = line, *region = "";
    if (strncmp(line, "Region ", 7) == 0) {
        group = NULL; /* the last: the name may hold one */
        for (const char *at = line; (at = strstr(at, ", Group ")); at++)
            group = at;
        if (!group)
            return false;
        region = line + 7;
    }
    size_t length = (size_t)(group - line) - (*region ? 7 : 0);
    group += *region ? 2 : 0;
    if (strncmp(group, "Group ", 6) != 0 || !isdigit((unsigned char)group[6]))
        return false;
    const char *rest = group + 6 + strspn(group + 6, "0123456789");
    const char *old = strstr(rest, ": Region ");
    if (*rest == ' ' && old)
        begin_group(reader, old + 9, strlen(old + 9), rest + 1, false);
    else if (*rest == ':')
        begin_group(reader, region, length, rest + 1 + strspn(rest + 1, " "), false);
    else
        return false;
    return true;
}

static enum ert_status import_likwid_text_line(struct reader *reader, char *line,
                                               struct ert_error *error)
{
    if (group_line(reader, line) || line[0] != '|')
        return ERT_OK;
    /* "L3|MEM evict data volume" is a name: bars between cells have blanks around them */
    for (char *bar = line + 1; *bar; bar++)
        if (*bar == '|' && bar[1] && (bar[-1] != ' ' || bar[1] != ' '))
            *bar = '/';
    ert_lines_split(reader->in->lines, '|');
    size_t n = reader->in->lines->n_cells;
    return n < 3
               ? ERT_OK
               : import_likwid_read_row(reader, reader->in->lines->cells + 1, n - 2, error);
}

/*
 * Reads "TABLE,[Region R,]Group 1 Raw,MEM,12": tables other than "Raw" continue their group. likwid quotes
 * nothing, so a region's name can contain commas.
 */
static enum ert_status csv_table(struct reader *reader, struct ert_error *error)
{
    struct ert_lines *lines = reader->in->lines;
    static const char begin[] = "TABLE,Region ";
    const char *region = "", *table, *name;
    char *group = NULL;
    if (strncmp(lines->line, begin, sizeof begin - 1) == 0) {
        for (char *at = lines->line; (at = strstr(at, ",Group ")); at++)
            group = at;
        if (group)
            *group = '\0';
        region = rfl_points_text(reader->in->points, lines->line + sizeof begin - 1);
        if (group)
            *group = ',';
    }
    if (group)
        memmove(lines->line, group, strlen(group) + 1);
    ert_lines_split(lines, ',');
    size_t at = 1;
    if (!group && strncmp(ert_lines_cell(lines, 1), "Region ", 7) == 0)
        region = ert_lines_cell(lines, at++) + 7;
    table = ert_lines_cell(lines, at);
    name = ert_lines_cell(lines, at + 1);
    if (strncmp(table, "Group ", 6) != 0)
        return ert_lines_fail(
            lines, error, "table '%.40s', must be 'Group N Raw', 'Metric' or their STAT",
            table);
    const char *kind = table + 6 + strspn(table + 6, "0123456789");
    begin_group(reader, region, strlen(region), name, strcmp(kind, " Raw") != 0);
    return ERT_OK;
}

static enum ert_status import_likwid_csv_line(struct reader *reader,
                                              struct ert_error *error)
{
    struct ert_lines *lines = reader->in->lines;
    if (strncmp(lines->line + (*lines->line == '"'), "TABLE", 5) == 0)
        return csv_table(reader, error);
    ert_lines_split(lines, ',');
    size_t n = lines->n_cells;
    if (strcmp(ert_lines_cell(lines, 0), "STRUCT") == 0 || !*reader->group.name) {
        reader->table = NO_TABLE;
        return ERT_OK;
    }
    /* rows are padded with commas to the widest table */
    size_t used = 1 + reader->skip + reader->n_values;
    if (title_of(lines->cells[0]))
        while (n && !*lines->cells[n - 1])
            n--;
    else if (reader->table != NO_TABLE && n > used)
        n = used;
    return import_likwid_read_row(reader, lines->cells, n, error);
}

static enum ert_status likwid_read(const struct rfl_import *in, struct ert_error *error)
{
    struct reader reader = {.in = in};
    bool is_csv = in->importer == &rfl_import_likwid_csv;
    enum ert_status status = ERT_OK;
    free_group(&reader);
    for (char *line; status == ERT_OK && (line = ert_lines_next(in->lines));) {
        status = notice(&reader, line, error);
        if (status == ERT_OK)
            status = is_csv ? import_likwid_csv_line(&reader, error)
                            : import_likwid_text_line(&reader, line, error);
    }
    if (status == ERT_OK)
        end_group(&reader);
    free_group(&reader);
    ert_strings_free(&reader.joined);
    return status;
}

/* Whether a cell has this text and the next one begins with another one, with any separator and quotes. */
static bool has_cells(const char *head, const char *cell, const char *next)
{
    for (const char *at = head; (at = strstr(at, cell)); at++) {
        const char *end = at + strlen(cell);
        end += *end == '"';
        end += strspn(end, ",;\t") == 1;
        end += *end == '"';
        if (end > at + strlen(cell) && strncmp(end, next, strlen(next)) == 0)
            return true;
    }
    return false;
}

static bool recognizes_csv(const char *head)
{
    return has_cells(head, "STRUCT", "Info") || has_cells(head, "TABLE", "Group ") ||
           has_cells(head, "TABLE", "Region ");
}

static bool recognizes_text(const char *head)
{
    return !recognizes_csv(head) &&
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
    .recognizes = recognizes_text,
    .read = likwid_read,
};

const struct rfl_importer rfl_import_likwid_csv = {
    .name = "likwid-csv",
    .is_table = true,
    .summary = "likwid-perfctr: its tables as CSV (-O, or -o FILE.csv)",
    .how = "likwid-perfctr -C 0-3 -g MEM_DP -m -O -o FILE.csv ./a.out",
    .device = RFL_PROFILED_CPU,
    .recognizes = recognizes_csv,
    .read = likwid_read,
};
