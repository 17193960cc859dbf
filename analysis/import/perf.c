/*
 * `perf stat -x SEP`: one event per row. The fields, from linux/tools/perf/Documentation/
 * perf-stat.txt, "CSV FORMAT": [time stamp with -I], [socket, die, node, core or CPU, and how many
 * were added up], value, unit, event, [cgroup], [variance with -r], nanoseconds that the counter
 * ran, per cent of the time that it ran, [metric, its unit]. The value is scaled up already where
 * it ran for a part of the time only. The file has no elapsed time of its own: duration_time is an
 * event like others. With `-r` the values are means over the runs. JSON (-j) is not supported.
 *
 * Its events. fp_arith_inst_retired: common.h. Memory: a CAS of an Intel memory controller moves
 * 64 bytes. The kernel scales uncore_imc's cas_count_read and cas_count_write to MiB (the file
 * cas_count_read.scale below /sys/bus/event_source/devices/uncore_imc_0/events holds 6.103515625e-5,
 * 64 / 2^20) and says so in the unit column, so do data_read and data_write of desktop CPUs; the same
 * events by their long names (unc_m_cas_count.rd) are plain counts. AMD: fp_ret_sse_avx_ops count
 * operations, a multiply-add as two (Processor Programming Reference, PMCx003); .dp_ and .sp_ (Zen), single
 * and double (Zen 5) and the names of perf_recipes.def tell the type, .all does not, nor do .mac_flops and
 * the like, which are parts of it. Its memory controllers (umc_cas_cmd, Zen 4) and before them the channels
 * of the data fabric (dram_channel_data_controller_N) count requests of 64 bytes.
 */
#include "analysis/import/common.h"
#include "analysis/import/import.h"

#include "ert/base/units.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <string.h>

struct row {
    bool is_event, is_interval;       /* the last: begins with a time stamp */
    const char *value, *unit, *event; /* of the lines' current line */
    double percent;                   /* of the time that the counter ran */
};

enum { LIST_BYTES = 160 }; /* bytes of a list of events; longer ones end with "..." */

/* An amount that several rows (sockets, memory channels) add up to. */
struct amount {
    double sum;
    size_t n;
};

struct counts {
    size_t n_rows;
    struct rfl_fp_arith fp_arith;
    struct amount duration_s, task_clock_s, cycles, instructions, energy_j, amd_all_flops,
        amd_dp_flops, amd_sp_flops, read_bytes, written_bytes, all_bytes;
    bool is_mixed_width;      /* an event that adds types up was counted */
    char ignored[LIST_BYTES]; /* events that mean nothing here: "a, b" */
    char zero[LIST_BYTES];    /* events of operations that counted none */
    char lost[RFL_FP_TYPES + 1]
             [64]; /* an event of fp64, fp32, fp16, memory without a count */
    char unsupported[64];
    char multiplexed[64]; /* the event that ran least, and how long */
    double least_percent;
};

/*
 * The separator: a row has five fields at least. One that stands in no event's name goes before the
 * comma, which stands in values of some locales and in "cpu/event=1,umask=2/". '\0': none.
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

/* Where value, unit and event stand: SIZE_MAX when the row is none. */
static size_t value_column(const struct ert_lines *lines)
{
    for (size_t i = 0; i + 2 < lines->n_cells && i < 5; i++)
        if (is_value(lines->cells[i]) &&
            (!*lines->cells[i + 1] || is_word(lines->cells[i + 1])) &&
            is_word(lines->cells[i + 2]))
            return i;
    return SIZE_MAX;
}

/* The per cent behind the running time, which may have a cgroup and a variance before it. */
static bool running_percent(const struct ert_lines *lines, size_t event, double *percent,
                            struct ert_error *error)
{
    for (size_t i = event + 1; i + 1 < lines->n_cells && i <= event + 3; i++) {
        enum ert_number kind;
        if (!is_number(lines->cells[i]) || !is_number(lines->cells[i + 1]))
            continue;
        return ert_lines_number(lines, "per cent running", lines->cells[i + 1], percent,
                                &kind, error) == ERT_OK &&
               *percent <= 100;
    }
    return false;
}

/* Splits the current line; row->is_event false when it is no row of perf stat. */
static enum ert_status read_row(struct ert_lines *lines, struct row *row,
                                struct ert_error *error)
{
    *row = (struct row){0};
    char separator = separator_of(lines->line);
    if (!separator || lines->line[0] == '#' || strchr(lines->line, '"'))
        return ERT_OK; /* perf quotes nothing; other tools' CSV can look alike otherwise */
    ERT_TRY(ert_lines_split(lines, separator, error));
    size_t at = value_column(lines);
    if (at == SIZE_MAX || !running_percent(lines, at + 2, &row->percent, NULL))
        return ERT_OK;
    row->is_event = true;
    row->is_interval = at > 0 && is_number(lines->cells[0]);
    row->value = lines->cells[at];
    row->unit = lines->cells[at + 1];
    row->event = lines->cells[at + 2];
    return ERT_OK;
}

static enum ert_status check_interval(const struct ert_lines *lines, const struct row *row,
                                      struct ert_error *error)
{
    if (row->is_interval)
        return ert_lines_fail(lines, error,
                              "begins with a time stamp: counts per interval (perf stat "
                              "-I), which are no counts of a run; run without -I");
    if (strchr(row->value, ','))
        return ert_lines_fail(lines, error,
                              "%.80s: '%.40s' has a comma in it: run perf with LC_ALL=C",
                              row->event, row->value);
    return ERT_OK;
}

enum { LOST_MEMORY = RFL_FP_TYPES };

#define AT(field) offsetof(struct counts, field)
static const struct event_row {
    const char *name; /* a glob of fnmatch(3) */
    size_t amount;
    const char *unit; /* that the value has when the unit column is empty */
} rows[] = {
    {"duration_time",                     AT(duration_s),    "ns"    },
    {"task-clock",                        AT(task_clock_s),  "msec"  },
    {"cpu-clock",                         AT(task_clock_s),  "msec"  },
    {"cycles",                            AT(cycles),        ""      },
    {"cpu-cycles",                        AT(cycles),        ""      },
    {"instructions",                      AT(instructions),  ""      },
    {"energy-pkg",                        AT(energy_j),      "Joules"},
    {"cas_count_read",                    AT(read_bytes),    "CAS"   },
    {"cas_count_write",                   AT(written_bytes), "CAS"   },
    {"cas_count_all",                     AT(all_bytes),     "CAS"   },
    {"data_reads",                        AT(read_bytes),    "CAS"   },
    {"data_writes",                       AT(written_bytes), "CAS"   },
    {"data_read",                         AT(read_bytes),    "CAS"   },
    {"data_write",                        AT(written_bytes), "CAS"   },
    {"unc_m_cas_count.rd",                AT(read_bytes),    "CAS"   },
    {"unc_m_cas_count.wr",                AT(written_bytes), "CAS"   },
    {"unc_m_cas_count.all",               AT(all_bytes),     "CAS"   },
    {"umc_cas_cmd.rd",                    AT(read_bytes),    "CAS"   },
    {"umc_cas_cmd.wr",                    AT(written_bytes), "CAS"   },
    {"umc_cas_cmd.all",                   AT(all_bytes),     "CAS"   },
    {"dram_channel_data_controller_*",    AT(all_bytes),     "CAS"   },
    {"fp64_flops",                        AT(amd_dp_flops),  ""      },
    {"fp64_packed_flops",                 AT(amd_dp_flops),  ""      },
    {"fp64_scalar_flops",                 AT(amd_dp_flops),  ""      },
    {"fp_ret_sse_avx_ops.all",            AT(amd_all_flops), ""      },
    {"retired_sse_avx_flops",             AT(amd_all_flops), ""      },
    {"retired_sse_avx_flops.all",         AT(amd_all_flops), ""      },
    {"fp_ret_sse_avx_ops.dp_*_flops",     AT(amd_dp_flops),  ""      },
    {"fp_ret_sse_avx_ops.sp_*_flops",     AT(amd_sp_flops),  ""      },
    {"fp_ret_sse_avx_ops.*_double_flops", AT(amd_dp_flops),  ""      },
    {"fp_ret_sse_avx_ops.*_single_flops", AT(amd_sp_flops),  ""      },
};
#undef AT

/*
 * The event's own name in small letters: without "pmu/.../" around it and modifiers ("cycles:u",
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

static bool counts_operations(const struct event_row *event)
{
    return event->amount == offsetof(struct counts, amd_all_flops) ||
           event->amount == offsetof(struct counts, amd_dp_flops) ||
           event->amount == offsetof(struct counts, amd_sp_flops);
}

/* What a value is multiplied by; expected: of the event's row. */
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

static void keep(char text[64], const char *event)
{
    if (!*text)
        snprintf(text, 64, "%.63s", event);
}

static bool is_listed(const char *text, const char *event)
{
    size_t length = strlen(event);
    for (const char *at = text; (at = strstr(at, event)); at += length)
        if ((at == text || at[-1] == ' ') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

/* Adds an event to a list, once: each CPU can have a row of it. What does not fit is "...". */
static void list(char text[LIST_BYTES], const char *event)
{
    static const char rest[] = "...";
    size_t used = strlen(text);
    if (is_listed(text, event) || is_listed(text, rest))
        return;
    if (used + strlen(event) + sizeof rest + 4 > LIST_BYTES)
        event = rest;
    snprintf(text + used, LIST_BYTES - used, "%s%s", used ? ", " : "", event);
}

/* An event that has no number: its sum is not known, unless the CPU cannot have it. */
static void lose(struct counts *counts, const struct row *row,
                 const struct event_row *event, int type)
{
    if (strcmp(row->value, "<not supported>") == 0)
        keep(counts->unsupported, row->event);
    else if (type >= 0)
        keep(counts->lost[type], row->event);
    else if (event && strcmp(event->unit, "CAS") == 0)
        keep(counts->lost[LOST_MEMORY], row->event);
}

static void note_multiplexing(struct counts *counts, const struct row *row)
{
    if (row->percent < 99.95 &&
        (!*counts->multiplexed || row->percent < counts->least_percent)) {
        snprintf(counts->multiplexed, sizeof counts->multiplexed, "%.63s", row->event);
        counts->least_percent = row->percent;
    }
}

static enum ert_status count_row(struct counts *counts, const struct ert_lines *lines,
                                 const struct row *row, struct ert_error *error)
{
    char name[64];
    double value, factor;
    enum ert_number kind;
    plain_name(row->event, name);
    counts->n_rows++;
    const struct event_row *event = find_event(name);
    int type = rfl_fp_arith_type(name);
    counts->is_mixed_width |= type < 0 && strncmp(name, "fp_arith_inst_retired", 21) == 0;
    if (!event && type < 0) {
        list(counts->ignored, row->event);
        return ERT_OK;
    }
    ERT_TRY(ert_lines_number(lines, row->event, row->value, &value, &kind, error));
    if (kind != ERT_NUMBER) {
        lose(counts, row, event, type);
        return ERT_OK;
    }
    note_multiplexing(counts, row);
    if (value == 0 && (type >= 0 || counts_operations(event)))
        list(counts->zero, row->event);
    if (type >= 0) {
        ERT_TRY(factor_of(lines, row, "", &factor, error));
        rfl_fp_arith_add(&counts->fp_arith, name, value);
        return ERT_OK;
    }
    ERT_TRY(factor_of(lines, row, event->unit, &factor, error));
    struct amount *amount = (struct amount *)(void *)((char *)counts + event->amount);
    amount->sum += factor * value;
    amount->n++;
    return ERT_OK;
}

static void put_work(const struct counts *counts, struct rfl_point *point)
{
    struct rfl_fp_arith whole = counts->fp_arith;
    for (size_t i = 0; i < RFL_FP_TYPES; i++) {
        char what[16];
        if (!*counts->lost[i])
            continue;
        snprintf(what, sizeof what, "%s flops", rfl_fp_types[i]);
        rfl_points_missing(
            point, what,
            "perf did not count %s (too many events at once, or too short a run)",
            counts->lost[i]);
        whole.seen[i] = false;
    }
    rfl_fp_arith_put(&whole, "perf", point);
    rfl_points_work(point, "fp64", "core", counts->amd_dp_flops.sum, NAN,
                    "operations of FP64, PMCx003 of AMD's cores (perf)");
    rfl_points_work(point, "fp32", "core", counts->amd_sp_flops.sum, NAN,
                    "operations of FP32, PMCx003 of AMD's cores (perf)");
    if (counts->amd_all_flops.sum > 0 && point->n_work == 0) {
        rfl_points_work(point, "fp64", "core", counts->amd_all_flops.sum, NAN,
                        "SSE and AVX operations of all types (perf)");
        rfl_points_warn(
            point, "the event of this AMD CPU counts fp64 and fp32 operations alike: all "
                   "of them stand as fp64, right only for code in double precision");
    }
    if (counts->is_mixed_width)
        rfl_points_warn(point, "events that add types up (fp_arith_inst_retired.scalar, "
                               ".4_flops) are not used: they do not tell fp64 from fp32");
    if (point->n_work == 0 && (*counts->ignored || *counts->zero))
        rfl_points_missing(point, "operations", "no operations were counted%s%s%s%s",
                           *counts->zero ? "; 0 by " : "", counts->zero,
                           *counts->ignored ? "; not used: " : "", counts->ignored);
}

static void put_bytes(const struct counts *counts, struct rfl_point *point)
{
    const struct amount *read = &counts->read_bytes, *all = &counts->all_bytes;
    const struct amount *written = &counts->written_bytes;
    if (*counts->lost[LOST_MEMORY]) {
        rfl_points_missing(point, "DRAM bytes", "perf did not count %s",
                           counts->lost[LOST_MEMORY]);
    } else if (all->n) {
        rfl_points_accesses(point, "DRAM", all->sum, NAN, true,
                            "memory controllers: all requests x 64 B (perf)");
    } else if (read->n && written->n) {
        rfl_points_warn(point, "memory controllers count what the whole machine moves, not "
                               "this program alone");
        rfl_points_accesses(point, "DRAM", read->sum + written->sum, read->sum, true,
                            "memory controllers: (read + write CAS) x 64 B (perf)");
    } else if (read->n || written->n) {
        rfl_points_missing(point, "DRAM bytes", "only %s were counted, both are needed",
                           read->n ? "reads" : "writes");
    } else {
        rfl_points_missing(
            point, "DRAM bytes",
            "no memory controller was counted: `roofline import --help` has the events");
    }
}

static void put_rest(const struct counts *counts, struct rfl_point *point)
{
    if (counts->duration_s.n) {
        /* of each socket, core or thread the same time again */
        point->time_s = counts->duration_s.sum / (double)counts->duration_s.n;
        point->time_recipe = "duration_time (perf)";
    } else {
        rfl_points_missing(point, "time",
                           "perf stat -x writes no elapsed time: add -e duration_time");
    }
    point->instructions = counts->instructions.sum;
    point->energy_j = counts->energy_j.sum;
    if (counts->cycles.n && counts->task_clock_s.sum > 0)
        point->clock_hz = counts->cycles.sum / counts->task_clock_s.sum;
    if (*counts->unsupported)
        rfl_points_warn(point,
                        "%s is not supported here: its count is taken as 0 if other events "
                        "of its type were counted",
                        counts->unsupported);
    if (*counts->multiplexed)
        rfl_points_warn(point,
                        "%s ran %.4g %% of the time and was scaled up: events took turns, "
                        "count fewer at once",
                        counts->multiplexed, counts->least_percent);
}

static const char how[] =
    "perf stat -x ';' -o FILE -e duration_time,task-clock,cycles,EVENTS ./a.out; EVENTS, "
    "and what counts the memory of the whole machine, by CPU:"
#define RFL_PERF_RECIPE(id, cpus, operations, memory)                                      \
    "\n                    " cpus ": " operations "; -a " memory
#define RFL_PERF_CPUS(...)
#include "analysis/import/perf_recipes.def"
    ;

enum recipe_id {
#define RFL_PERF_RECIPE(id, ...) RECIPE_##id,
#define RFL_PERF_CPUS(...)
#include "analysis/import/perf_recipes.def"
};

static const struct recipe {
    const char *cpus, *operations, *memory;
} recipes[] = {
#define RFL_PERF_RECIPE(id, ...) [RECIPE_##id] = {__VA_ARGS__},
#define RFL_PERF_CPUS(...)
#include "analysis/import/perf_recipes.def"
};

static const struct {
    const char *vendor;
    uint32_t family, first, last;
    enum recipe_id id;
} cpus[] = {
#define RFL_PERF_RECIPE(...)
#define RFL_PERF_CPUS(vendor, family, first, last, id)                                     \
    {vendor, family, first, last, RECIPE_##id},
#include "analysis/import/perf_recipes.def"
};

static const struct recipe *find_recipe(const struct ert_cpu *cpu)
{
    for (size_t i = 0; i < ERT_LENGTH(cpus); i++)
        if (strcmp(cpus[i].vendor, cpu->vendor) == 0 && cpus[i].family == cpu->family &&
            cpus[i].first <= cpu->model && cpu->model <= cpus[i].last)
            return &recipes[cpus[i].id];
    return NULL;
}

/* Says in points of perf that lack operations or DRAM bytes which events count them on this CPU. */
static void perf_advise(struct rfl_points *points, const struct ert_cpu *cpu)
{
    const struct recipe *recipe = find_recipe(cpu);
    for (size_t i = 0; recipe && i < points->n; i++)
        for (size_t j = 0; j < points->points[i].n_missing; j++) {
            struct rfl_missing *missing = &points->points[i].missing[j];
            bool is_work = strcmp(missing->what, "operations") == 0;
            if (strcmp(points->points[i].format, "perf") == 0 &&
                (is_work || strcmp(missing->what, "DRAM bytes") == 0))
                missing->reason = rfl_points_format(
                    points, "%.400s; on %s: perf stat %s %s", missing->reason, recipe->cpus,
                    is_work ? "-e" : "-a", is_work ? recipe->operations : recipe->memory);
        }
}

static enum ert_status perf_read(const struct rfl_import *in, struct ert_error *error)
{
    const char *region = in->options->region, name[] = "whole run";
    struct counts counts = {0};
    struct row row;
    while (ert_lines_next(in->lines)) {
        ERT_TRY(read_row(in->lines, &row, error));
        if (!row.is_event)
            continue;
        ERT_TRY(check_interval(in->lines, &row, error));
        ERT_TRY(count_row(&counts, in->lines, &row, error));
    }
    in->points->origin = "perf stat";
    if (counts.n_rows == 0 || (region && !strstr(name, region)))
        return ERT_OK;
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
        if (read_row(&lines, &row, NULL) != ERT_OK)
            break;
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
