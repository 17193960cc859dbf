/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `perf stat -x SEP`: one event per row. The fields, from linux/tools/perf/Documentation/
 * perf-stat.txt, "CSV FORMAT": [time stamp with -I], [socket, die, node, core or CPU, and how many were added
 * up], value, unit, event, [cgroup], [variance with -r], nanoseconds that the counter ran, per cent of the
 * time that it ran, [metric, its unit]. If a counter ran only part of the time, its value is already scaled
 * up. The file has no elapsed time of its own: duration_time is an event like others. With `-r` the values
 * are means over the runs. JSON (-j) is not supported.
 *
 * Its events. fp_arith_inst_retired: common.h. Memory: a CAS of an Intel memory controller moves 64 bytes.
 * The kernel scales uncore_imc's cas_count_read and cas_count_write to MiB (the file cas_count_read.scale
 * below /sys/bus/event_source/devices/uncore_imc_0/events has 6.103515625e-5, 64 / 2^20), as the unit column
 * shows; the same holds for data_read and data_write of desktop CPUs; under their long names
 * (unc_m_cas_count.rd) the same events are plain counts. AMD: fp_ret_sse_avx_ops count operations, a
 * multiply-add as two (Processor Programming Reference, PMCx003); .dp_ and .sp_ (Zen), single and double (Zen
 * 5) and the names of perf_recipes.def give the type; .all does not, nor do .mac_flops and the like, which
 * are parts of it. AMD's memory controllers (umc_cas_cmd, Zen 4), and before them the channels of the data
 * fabric (dram_channel_data_controller_N), count requests of 64 bytes.
 */
#include "analysis/import/perf.h"

#include "analysis/import/common.h"
#include "analysis/import/import.h"

#include "ert/base/units.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <string.h>

struct row {
    bool is_event, is_interval;       /* is_interval: begins with a time stamp */
    const char *value, *unit, *event; /* of the lines' current line */
    double percent;                   /* of the time that the counter ran */
};

/* What events count; requests of memory controllers count as bytes. */
enum amount {
    DURATION_S,
    TASK_CLOCK_S,
    CYCLES,
    INSTRUCTIONS,
    ENERGY_J,
    ALL_FLOPS,
    DP_FLOPS,
    SP_FLOPS,
    READ_BYTES,
    WRITTEN_BYTES,
    ALL_BYTES,
    N_AMOUNTS
};

enum { LOST_MEMORY = RFL_FP_TYPES };

struct counts {
    struct rfl_points *points; /* own the texts */
    size_t n_rows;
    struct rfl_fp_arith fp_arith;
    double sums[N_AMOUNTS]; /* over the rows of sockets, memory channels ... */
    size_t n[N_AMOUNTS];
    bool is_mixed_width;       /* an event that sums types was counted */
    struct ert_strings listed; /* the events in these two, since each CPU can have a row */
    struct rfl_names ignored,
        zero; /* unknown events; events of operations that counted none */
    const char
        *lost[RFL_FP_TYPES + 1]; /* an event of fp64 ..., memory without a count; NULL */
    const char *unsupported, *multiplexed; /* NULL none; the event that ran least */
    double least_percent;
};

/*
 * The separator of a row, which has at least five fields. Characters that occur in no event's name are tried
 * before the comma, which occurs in values of some locales and in "cpu/event=1,umask=2/". '\0': none.
 */
static char separator_of(const char *line)
{
    for (const char *separator = "\t;|!~@^&,:"; *separator; separator++) {
        size_t n = 0;
        for (const char *at = line; *at; at++)
            n += *at == *separator;
        if (n >= 4)
            return *separator;
    }
    return '\0';
}

static bool is_number(const char *cell)
{
    size_t digits = strspn(cell, "0123456789.,");
    return digits && !cell[digits] && isdigit((unsigned char)cell[0]);
}

static bool is_value(const char *cell)
{
    return is_number(cell) || strcmp(cell, "<not counted>") == 0 ||
           strcmp(cell, "<not supported>") == 0;
}

/* Units and events begin with a letter and have no blanks. */
static bool is_word(const char *cell)
{
    return isalpha((unsigned char)*cell) && !strchr(cell, ' ');
}

/* The column of the value, before unit and event; SIZE_MAX if the line is not a row. */
static size_t value_column(const struct ert_lines *lines)
{
    for (size_t i = 0; i + 2 < lines->n_cells && i < 5; i++)
        if (is_value(lines->cells[i]) &&
            (!*lines->cells[i + 1] || is_word(lines->cells[i + 1])) &&
            is_word(lines->cells[i + 2]))
            return i;
    return SIZE_MAX;
}

/* Finds the per cent after the running time, before which there may be a cgroup and a variance. */
static bool running_percent(const struct ert_lines *lines, size_t event, double *percent)
{
    for (size_t i = event + 1; i + 1 < lines->n_cells && i <= event + 3; i++) {
        enum ert_number kind;
        if (!is_number(lines->cells[i]) || !is_number(lines->cells[i + 1]))
            continue;
        return ert_lines_number(lines, "per cent running", lines->cells[i + 1], percent,
                                &kind, NULL) == ERT_OK &&
               *percent <= 100;
    }
    return false;
}

/* Writes the decimal comma of some locales as a point. perf -x groups no digits. */
static void write_point(char *cell)
{
    char *comma = strchr(cell, ',');
    if (comma && is_number(cell) && !strpbrk(comma + 1, ",.") && !strchr(cell, '.'))
        *comma = '.';
}

/* Splits the current line; row->is_event is false if it is not a row of perf stat. */
static void read_row(struct ert_lines *lines, struct row *row)
{
    *row = (struct row){0};
    char separator = separator_of(lines->line);
    if (!separator || lines->line[0] == '#' || strchr(lines->line, '"'))
        return; /* perf quotes nothing; other tools' CSV can look alike otherwise */
    ert_lines_split(lines, separator);
    for (size_t i = 0; i < lines->n_cells; i++)
        write_point(lines->cells[i]);
    size_t at = value_column(lines);
    if (at == SIZE_MAX || !running_percent(lines, at + 2, &row->percent))
        return;
    row->is_event = true;
    row->is_interval = at > 0 && is_number(lines->cells[0]);
    row->value = lines->cells[at];
    row->unit = lines->cells[at + 1];
    row->event = lines->cells[at + 2];
}

static const struct event_row {
    const char *name; /* a glob of fnmatch(3) */
    enum amount amount;
    const char *unit; /* of the value if the unit column is empty */
} rows[] = {
    {"duration_time",                     DURATION_S,    "ns"    },
    {"task-clock",                        TASK_CLOCK_S,  "msec"  },
    {"cpu-clock",                         TASK_CLOCK_S,  "msec"  },
    {"cycles",                            CYCLES,        ""      },
    {"cpu-cycles",                        CYCLES,        ""      },
    {"instructions",                      INSTRUCTIONS,  ""      },
    {"energy-pkg",                        ENERGY_J,      "Joules"},
    {"cas_count_read",                    READ_BYTES,    "CAS"   },
    {"cas_count_write",                   WRITTEN_BYTES, "CAS"   },
    {"cas_count_all",                     ALL_BYTES,     "CAS"   },
    {"data_reads",                        READ_BYTES,    "CAS"   },
    {"data_writes",                       WRITTEN_BYTES, "CAS"   },
    {"data_read",                         READ_BYTES,    "CAS"   },
    {"data_write",                        WRITTEN_BYTES, "CAS"   },
    {"unc_m_cas_count.rd",                READ_BYTES,    "CAS"   },
    {"unc_m_cas_count.wr",                WRITTEN_BYTES, "CAS"   },
    {"unc_m_cas_count.all",               ALL_BYTES,     "CAS"   },
    {"umc_cas_cmd.rd",                    READ_BYTES,    "CAS"   },
    {"umc_cas_cmd.wr",                    WRITTEN_BYTES, "CAS"   },
    {"umc_cas_cmd.all",                   ALL_BYTES,     "CAS"   },
    {"dram_channel_data_controller_*",    ALL_BYTES,     "CAS"   },
    {"fp64_flops",                        DP_FLOPS,      ""      },
    {"fp64_packed_flops",                 DP_FLOPS,      ""      },
    {"fp64_scalar_flops",                 DP_FLOPS,      ""      },
    {"fp32_flops",                        SP_FLOPS,      ""      },
    {"fp32_packed_flops",                 SP_FLOPS,      ""      },
    {"fp32_scalar_flops",                 SP_FLOPS,      ""      },
    {"fp_ret_sse_avx_ops.all",            ALL_FLOPS,     ""      },
    {"retired_sse_avx_flops",             ALL_FLOPS,     ""      },
    {"retired_sse_avx_flops.all",         ALL_FLOPS,     ""      },
    {"fp_ret_sse_avx_ops.dp_*_flops",     DP_FLOPS,      ""      },
    {"fp_ret_sse_avx_ops.sp_*_flops",     SP_FLOPS,      ""      },
    {"fp_ret_sse_avx_ops.*_double_flops", DP_FLOPS,      ""      },
    {"fp_ret_sse_avx_ops.*_single_flops", SP_FLOPS,      ""      },
};

/*
 * The event's own name in small letters, without "pmu/.../" around it and modifiers ("cycles:u",
 * "cpu_core/cycles/u", "uncore_imc_3/cas_count_read/").
 */
static void plain_name(const char *event, char name[64])
{
    const char *slash = strchr(event, '/');
    const char *from = slash ? slash + 1 : event;
    size_t n = strcspn(from, slash ? "/" : ":");
    if (n > 63)
        n = 63;
    for (size_t i = 0; i < n; i++)
        name[i] = (char)tolower((unsigned char)from[i]);
    name[n] = '\0';
}

static const struct event_row *find_event(const char *name)
{
    for (size_t i = 0; i < ERT_LENGTH(rows); i++)
        if (fnmatch(rows[i].name, name, 0) == 0)
            return &rows[i];
    return NULL;
}

/* The factor of a value; expected: the unit of the event's row. */
static enum ert_status factor_of(const struct ert_lines *lines, const struct row *row,
                                 const char *expected, double *factor,
                                 struct ert_error *error)
{
    const char *unit = *row->unit ? row->unit : expected;
    bool is_bytes = strcmp(expected, "CAS") == 0;
    enum ert_measure measure, wanted = is_bytes    ? ERT_IN_BYTES
                                       : *expected ? ERT_IN_SECONDS
                                                   : ERT_IN_COUNTS;
    if (strcmp(unit, expected) == 0 && (is_bytes || *expected == 'J')) {
        *factor = is_bytes ? 64 : 1;
        return ERT_OK;
    }
    if (*expected != 'J' && ert_units_read(unit, &measure, factor) && measure == wanted)
        return ERT_OK;
    return ert_lines_fail(lines, error, "%.80s: unit '%.40s' is not known", row->event,
                          unit);
}

/* Keeps the event if it is the first. */
static void keep(struct counts *counts, const char **event, const struct row *row)
{
    if (!*event)
        *event = rfl_points_text(counts->points, row->event);
}

/* Adds an event to a list, once. */
static void list(struct counts *counts, struct rfl_names *names, const char *event)
{
    size_t before = counts->listed.n_texts;
    ert_strings_index(&counts->listed, event);
    if (counts->listed.n_texts > before)
        rfl_names_add(names, 160, event);
}

/* Handles an event without a number: its sum is unknown, unless the CPU does not support it. */
static void lose(struct counts *counts, const struct row *row,
                 const struct event_row *event, int type)
{
    if (strcmp(row->value, "<not supported>") == 0)
        keep(counts, &counts->unsupported, row);
    else if (type >= 0)
        keep(counts, &counts->lost[type], row);
    else if (strcmp(event->unit, "CAS") == 0)
        keep(counts, &counts->lost[LOST_MEMORY], row);
}

static enum ert_status count_row(struct counts *counts, const struct ert_lines *lines,
                                 const struct row *row, struct ert_error *error)
{
    char name[64];
    double value, factor;
    enum ert_number kind;
    if (row->is_interval)
        return ert_lines_fail(lines, error,
                              "begins with a time stamp: counts per interval (perf stat "
                              "-I), not of a run; run without -I");
    if (strchr(row->value, ','))
        return ert_lines_fail(lines, error,
                              "%.80s: '%.40s' contains a comma: run perf with LC_ALL=C",
                              row->event, row->value);
    plain_name(row->event, name);
    counts->n_rows++;
    const struct event_row *event = find_event(name);
    int type = rfl_fp_arith_type(name);
    counts->is_mixed_width |= type < 0 && strncmp(name, "fp_arith_inst_retired", 21) == 0;
    if (!event && type < 0) {
        list(counts, &counts->ignored, row->event);
        return ERT_OK;
    }
    ERT_TRY(ert_lines_number(lines, row->event, row->value, &value, &kind, error));
    if (kind != ERT_NUMBER) {
        lose(counts, row, event, type);
        return ERT_OK;
    }
    if (row->percent < 99.95 &&
        (!counts->multiplexed || row->percent < counts->least_percent)) {
        counts->multiplexed = rfl_points_text(counts->points, row->event);
        counts->least_percent = row->percent;
    }
    if (value == 0 &&
        (type >= 0 || (event->amount >= ALL_FLOPS && event->amount <= SP_FLOPS)))
        list(counts, &counts->zero, row->event);
    ERT_TRY(factor_of(lines, row, type >= 0 ? "" : event->unit, &factor, error));
    if (rfl_fp_arith_add(&counts->fp_arith, name, value))
        return ERT_OK;
    counts->sums[event->amount] += factor * value;
    counts->n[event->amount]++;
    return ERT_OK;
}

static void put_work(struct counts *counts, struct rfl_point *point)
{
    struct rfl_fp_arith whole = counts->fp_arith;
    for (size_t i = 0; i < RFL_FP_TYPES; i++) {
        char what[16];
        if (!counts->lost[i])
            continue;
        snprintf(what, sizeof what, "%s flops", rfl_fp_types[i]);
        rfl_points_missing(
            point, what,
            "perf did not count %s (too many events at once, or too short a run)",
            counts->lost[i]);
        whole.seen[i] = false;
    }
    rfl_fp_arith_put(&whole, "perf", point);
    rfl_points_work(point, "fp64", "core", counts->sums[DP_FLOPS], NAN,
                    "operations of FP64, PMCx003 of AMD's cores (perf)");
    rfl_points_work(point, "fp32", "core", counts->sums[SP_FLOPS], NAN,
                    "operations of FP32, PMCx003 of AMD's cores (perf)");
    if (counts->sums[ALL_FLOPS] > 0 && point->n_work == 0) {
        rfl_points_work(point, "fp64", "core", counts->sums[ALL_FLOPS], NAN,
                        "SSE and AVX operations of all types (perf)");
        rfl_points_warn(
            point,
            "the event of this AMD CPU counts fp64 and fp32 operations together: all are "
            "taken as fp64, correct only for code in double precision");
    }
    if (counts->is_mixed_width)
        rfl_points_warn(point,
                        "events that combine types (fp_arith_inst_retired.scalar, "
                        ".4_flops) are not used: they do not distinguish fp64 and fp32");
    const char *zero = rfl_names_end(&counts->zero);
    const char *ignored = rfl_names_end(&counts->ignored);
    if (point->n_work == 0 && (*ignored || *zero))
        rfl_points_missing(point, "operations", "no operations were counted%s%s%s%s",
                           *zero ? "; 0 by " : "", zero, *ignored ? "; not used: " : "",
                           ignored);
}

static void put_bytes(const struct counts *counts, struct rfl_point *point)
{
    double read = counts->sums[READ_BYTES];
    size_t n_read = counts->n[READ_BYTES], n_written = counts->n[WRITTEN_BYTES];
    if (counts->lost[LOST_MEMORY]) {
        rfl_points_missing(point, "DRAM bytes", "perf did not count %s",
                           counts->lost[LOST_MEMORY]);
    } else if (counts->n[ALL_BYTES]) {
        rfl_points_accesses(point, "DRAM", counts->sums[ALL_BYTES], NAN, true,
                            "memory controllers: all requests x 64 B (perf)");
    } else if (n_read && n_written) {
        rfl_points_warn(point, "memory controllers count the traffic of the whole machine, "
                               "not only of this program");
        rfl_points_accesses(point, "DRAM", read + counts->sums[WRITTEN_BYTES], read, true,
                            "memory controllers: (read + write CAS) x 64 B (perf)");
    } else if (n_read || n_written) {
        rfl_points_missing(point, "DRAM bytes", "only %s were counted, both are needed",
                           n_read ? "reads" : "writes");
    } else {
        rfl_points_missing(
            point, "DRAM bytes",
            "no memory controller was counted: `roofline import --help` has the events");
    }
}

static void put_rest(const struct counts *counts, struct rfl_point *point)
{
    if (counts->n[DURATION_S]) {
        /* each socket, core or thread has the same time */
        point->time_s = counts->sums[DURATION_S] / (double)counts->n[DURATION_S];
        point->time_recipe = "duration_time (perf)";
    } else {
        rfl_points_missing(point, "time",
                           "perf stat -x writes no elapsed time: add -e duration_time");
    }
    point->instructions = counts->sums[INSTRUCTIONS];
    point->energy_j = counts->sums[ENERGY_J];
    if (counts->sums[TASK_CLOCK_S] > 0)
        point->clock_hz = counts->sums[CYCLES] / counts->sums[TASK_CLOCK_S];
    if (counts->unsupported)
        rfl_points_warn(point,
                        "%s is not supported here: its count is taken as 0 if other events "
                        "of its type were counted",
                        counts->unsupported);
    if (counts->multiplexed)
        rfl_points_warn(point,
                        "%s was counted %.4g %% of the time and scaled up: events were "
                        "multiplexed, count fewer at once",
                        counts->multiplexed, counts->least_percent);
}

static const char how[] =
    "perf stat -x ';' -o FILE -e duration_time,task-clock,cycles,EVENTS ./a.out; EVENTS, "
    "and those for the memory of the whole machine, by CPU:"
#define RFL_PERF_RECIPE(cpus, hint, memory, ...)                                           \
    "\n                    " cpus ": " hint "; -a " memory
#include "analysis/import/perf_recipes.def"
    ;

static const struct rfl_perf_recipe recipes[] = {
#define RFL_PERF_RECIPE(cpus, hint, memory, fp64, fp32, vendor, ...)                       \
    {cpus, hint, memory, fp64, fp32, vendor, {__VA_ARGS__}},
#include "analysis/import/perf_recipes.def"
};

const struct rfl_perf_recipe *rfl_perf_recipe(const struct ert_cpu *cpu)
{
    for (size_t i = 0; i < ERT_LENGTH(recipes); i++)
        for (size_t j = 0; j < ERT_LENGTH(recipes[i].models); j++)
            if (strcmp(recipes[i].vendor, cpu->vendor) == 0 &&
                recipes[i].models[j].family == cpu->family &&
                recipes[i].models[j].first <= cpu->model &&
                cpu->model <= recipes[i].models[j].last)
                return &recipes[i];
    return NULL;
}

/* Notes in points of perf that lack operations or DRAM bytes which events count them on this CPU. */
static void perf_advise(struct rfl_points *points, const struct ert_cpu *cpu)
{
    const struct rfl_perf_recipe *recipe = rfl_perf_recipe(cpu);
    for (size_t i = 0; recipe && i < points->n; i++)
        for (size_t j = 0; j < points->points[i].n_missing; j++) {
            struct rfl_missing *missing = &points->points[i].missing[j];
            bool is_work = strcmp(missing->what, "operations") == 0;
            if (strcmp(points->points[i].format, "perf") == 0 &&
                (is_work || strcmp(missing->what, "DRAM bytes") == 0))
                missing->reason =
                    ert_strings_format(&points->strings, "%.400s; on %s: perf stat %s %s",
                                       missing->reason, recipe->cpus, is_work ? "-e" : "-a",
                                       is_work ? recipe->hint : recipe->memory);
        }
}

static enum ert_status count_rows(const struct rfl_import *in, struct counts *counts,
                                  struct ert_error *error)
{
    struct row row;
    while (ert_lines_next(in->lines)) {
        read_row(in->lines, &row);
        if (row.is_event)
            ERT_TRY(count_row(counts, in->lines, &row, error));
    }
    return ERT_OK;
}

static enum ert_status perf_read(const struct rfl_import *in, struct ert_error *error)
{
    const char *region = in->options->region, name[] = "whole run";
    struct counts counts = {.points = in->points};
    enum ert_status status = count_rows(in, &counts, error);
    ert_strings_free(&counts.listed);
    in->points->origin = "perf stat";
    if (status != ERT_OK || counts.n_rows == 0 || (region && !strstr(name, region)))
        return status;
    struct rfl_point *point = rfl_points_add(in->points, name);
    put_work(&counts, point);
    put_bytes(&counts, point);
    put_rest(&counts, point);
    return ERT_OK;
}

static bool recognizes(const char *head)
{
    struct ert_lines lines;
    struct row row = {0};
    if (ert_lines_open_text("", head, &lines, NULL) != ERT_OK)
        return false;
    while (!row.is_event && lines.number < 40 && ert_lines_next(&lines))
        read_row(&lines, &row);
    ert_lines_close(&lines);
    return row.is_event;
}

const struct rfl_importer rfl_import_perf = {
    .name = "perf",
    .summary = "perf stat -x: events of Linux perf",
    .how = how,
    .device = RFL_IMPORT_CPU,
    .recognizes = recognizes,
    .read = perf_read,
    .advise = perf_advise,
};
