/*
 * Events of perf. fp_arith_inst_retired: fp_arith.h. Memory: a CAS of an Intel memory controller moves
 * 64 bytes. The kernel scales uncore_imc's cas_count_read and cas_count_write to MiB (the file
 * cas_count_read.scale below /sys/bus/event_source/devices/uncore_imc_0/events holds 6.103515625e-5,
 * 64 / 2^20) and says so in the unit column, so do data_read and data_write of desktop CPUs; the same
 * events by their long names (unc_m_cas_count.rd) are plain counts. AMD: fp_ret_sse_avx_ops count
 * operations, a multiply-add as two (Processor Programming Reference, PMCx003); .dp_ and .sp_ (Zen), single
 * and double (Zen 5) and the names of perf_recipes.def tell the type, .all does not, nor do .mac_flops and
 * the like, which are parts of it. Its memory controllers (umc_cas_cmd, Zen 4) and before them the channels
 * of the data fabric (dram_channel_data_controller_N) count requests of 64 bytes.
 */
#include "analysis/import/perf.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <string.h>

static const char *const types[RFL_FP_TYPES] = {"fp64", "fp32", "fp16"};
enum { LOST_MEMORY = RFL_FP_TYPES };

#define AT(field) offsetof(struct rfl_perf_counts, field)
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

static const struct {
    const char *unit;
    double factor; /* to bytes, seconds, joules or events */
} units[] = {
    {"",       1         },
    {"CAS",    64        },
    {"Bytes",  1         },
    {"KiB",    1024      },
    {"MiB",    1048576   },
    {"GiB",    1073741824},
    {"ns",     1e-9      },
    {"usec",   1e-6      },
    {"msec",   1e-3      },
    {"Joules", 1         }
};

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

static const struct event_row *find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (fnmatch(rows[i].name, name, 0) == 0)
            return &rows[i];
    return NULL;
}

static bool counts_operations(const struct event_row *event)
{
    return event->amount == offsetof(struct rfl_perf_counts, amd_all_flops) ||
           event->amount == offsetof(struct rfl_perf_counts, amd_dp_flops) ||
           event->amount == offsetof(struct rfl_perf_counts, amd_sp_flops);
}

static enum ert_status factor_of(const struct ert_lines *lines,
                                 const struct rfl_perf_row *row, const char *expected,
                                 double *factor, struct ert_error *error)
{
    const char *unit = *row->unit ? row->unit : expected;
    bool is_bytes = strcmp(expected, "CAS") == 0, is_plain = !*expected;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        bool fits = is_bytes           ? i >= 1 && i <= 5
                    : is_plain         ? i == 0
                    : *expected == 'J' ? i == 9
                                       : i >= 6 && i <= 8;
        if (fits && strcmp(units[i].unit, unit) == 0) {
            *factor = units[i].factor;
            return ERT_OK;
        }
    }
    return ert_fail(error, ERT_USAGE, "%.200s: row %zu: %.80s: unit '%.40s' is not known",
                    lines->file, lines->number, row->event, unit);
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
static void list(char text[RFL_PERF_LIST], const char *event)
{
    static const char rest[] = "...";
    size_t used = strlen(text);
    if (is_listed(text, event) || is_listed(text, rest))
        return;
    if (used + strlen(event) + sizeof rest + 4 > RFL_PERF_LIST)
        event = rest;
    snprintf(text + used, RFL_PERF_LIST - used, "%s%s", used ? ", " : "", event);
}

/* An event that has no number: its sum is not known, unless the CPU cannot have it. */
static void lose(struct rfl_perf_counts *counts, const struct rfl_perf_row *row,
                 const struct event_row *event, int type)
{
    if (strcmp(row->value, "<not supported>") == 0)
        keep(counts->unsupported, row->event);
    else if (type >= 0)
        keep(counts->lost[type], row->event);
    else if (event && strcmp(event->unit, "CAS") == 0)
        keep(counts->lost[LOST_MEMORY], row->event);
}

static void note_multiplexing(struct rfl_perf_counts *counts,
                              const struct rfl_perf_row *row)
{
    if (row->percent < 99.95 &&
        (!*counts->multiplexed || row->percent < counts->least_percent)) {
        snprintf(counts->multiplexed, sizeof counts->multiplexed, "%.63s", row->event);
        counts->least_percent = row->percent;
    }
}

static int type_of(const char *name)
{
    const char *type;
    double width;
    if (!rfl_fp_arith_event(name, &type, &width))
        return -1;
    for (int i = 0; i < RFL_FP_TYPES; i++)
        if (strcmp(types[i], type) == 0)
            return i;
    return -1;
}

enum ert_status rfl_perf_count(struct rfl_perf_counts *counts,
                               const struct ert_lines *lines,
                               const struct rfl_perf_row *row, struct ert_error *error)
{
    char name[64];
    double value, factor;
    enum ert_number kind;
    plain_name(row->event, name);
    counts->n_rows++;
    const struct event_row *event = find(name);
    int type = type_of(name);
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
    struct rfl_perf_amount *amount =
        (struct rfl_perf_amount *)(void *)((char *)counts + event->amount);
    amount->sum += factor * value;
    amount->n++;
    return ERT_OK;
}

static enum ert_status put_work(const struct rfl_perf_counts *counts,
                                struct rfl_points *points, struct rfl_point *point,
                                struct ert_error *error)
{
    struct rfl_fp_arith whole = counts->fp_arith;
    for (size_t i = 0; i < RFL_FP_TYPES; i++) {
        char what[16];
        if (!*counts->lost[i])
            continue;
        snprintf(what, sizeof what, "%s flops", types[i]);
        rfl_points_missing(points, point, what,
                           "perf did not count %s (too many events at once, or too short a "
                           "run)",
                           counts->lost[i]);
        whole.seen[i] = false;
    }
    ERT_TRY(rfl_fp_arith_put(&whole, "perf", points, point, error));
    ERT_TRY(rfl_points_work(points, point, "fp64", "core", counts->amd_dp_flops.sum, NAN,
                            "operations of FP64, PMCx003 of AMD's cores (perf)", error));
    ERT_TRY(rfl_points_work(points, point, "fp32", "core", counts->amd_sp_flops.sum, NAN,
                            "operations of FP32, PMCx003 of AMD's cores (perf)", error));
    if (counts->amd_all_flops.sum > 0 && point->n_work == 0) {
        ERT_TRY(rfl_points_work(points, point, "fp64", "core", counts->amd_all_flops.sum,
                                NAN, "SSE and AVX operations of all types (perf)", error));
        rfl_points_warn(
            points, point,
            "the event of this AMD CPU counts fp64 and fp32 operations alike: "
            "all of them stand as fp64, right only for code in double precision");
    }
    if (counts->is_mixed_width)
        rfl_points_warn(
            points, point,
            "events that add types up (fp_arith_inst_retired.scalar, .4_flops) are "
            "not used: they do not tell fp64 from fp32");
    if (point->n_work == 0 && (*counts->ignored || *counts->zero))
        rfl_points_missing(points, point, "operations",
                           "no operations were counted%s%s%s%s",
                           *counts->zero ? "; 0 by " : "", counts->zero,
                           *counts->ignored ? "; not used: " : "", counts->ignored);
    return ERT_OK;
}

static enum ert_status put_bytes(const struct rfl_perf_counts *counts,
                                 struct rfl_points *points, struct rfl_point *point,
                                 struct ert_error *error)
{
    const struct rfl_perf_amount *read = &counts->read_bytes, *all = &counts->all_bytes;
    const struct rfl_perf_amount *written = &counts->written_bytes;
    if (*counts->lost[LOST_MEMORY]) {
        rfl_points_missing(points, point, "DRAM bytes", "perf did not count %s",
                           counts->lost[LOST_MEMORY]);
        return ERT_OK;
    }
    if (all->n)
        return rfl_points_accesses(points, point, "DRAM", all->sum, NAN, true,
                                   "memory controllers: all requests x 64 B (perf)", error);
    if (read->n && written->n) {
        rfl_points_warn(points, point,
                        "memory controllers count what the whole machine moves, not this "
                        "program alone");
        return rfl_points_accesses(
            points, point, "DRAM", read->sum + written->sum, read->sum, true,
            "memory controllers: (read + write CAS) x 64 B (perf)", error);
    }
    if (read->n || written->n)
        rfl_points_missing(points, point, "DRAM bytes",
                           "only %s were counted, both are needed",
                           read->n ? "reads" : "writes");
    else
        rfl_points_missing(points, point, "DRAM bytes",
                           "no memory controller was counted: `roofline import --help` has "
                           "the events");
    return ERT_OK;
}

static void put_rest(const struct rfl_perf_counts *counts, struct rfl_points *points,
                     struct rfl_point *point)
{
    if (counts->duration_s.n) {
        /* of each socket, core or thread the same time again */
        point->time_s = counts->duration_s.sum / (double)counts->duration_s.n;
        point->time_recipe = rfl_points_text(points, "duration_time (perf)");
    } else {
        rfl_points_missing(points, point, "time",
                           "perf stat -x writes no elapsed time: add -e duration_time");
    }
    point->instructions = counts->instructions.sum;
    point->energy_j = counts->energy_j.sum;
    if (counts->cycles.n && counts->task_clock_s.sum > 0)
        point->clock_hz = counts->cycles.sum / counts->task_clock_s.sum;
    if (*counts->unsupported)
        rfl_points_warn(
            points, point,
            "%s is not supported here: its count is taken as 0 if other events of "
            "its type were counted",
            counts->unsupported);
    if (*counts->multiplexed)
        rfl_points_warn(
            points, point,
            "%s ran %.4g %% of the time and was scaled up: events took turns, count "
            "fewer at once",
            counts->multiplexed, counts->least_percent);
}

enum ert_status rfl_perf_put(const struct rfl_perf_counts *counts,
                             struct rfl_points *points, struct ert_error *error)
{
    struct rfl_point *point;
    ERT_TRY(rfl_points_add(points, "whole run", &point, error));
    ERT_TRY(put_work(counts, points, point, error));
    ERT_TRY(put_bytes(counts, points, point, error));
    put_rest(counts, points, point);
    return ERT_OK;
}
