/*
 * What likwid's metrics mean. The formulas stand in groups/<architecture>/<GROUP>.txt of likwid
 * (github.com/RRZE-HPC/likwid): a "data volume" is bytes that crossed the upper edge of a level
 * (L2: between L1 and L2), in units of 1e9; "DP [MFLOP/s]" is a thread's operations in 1e6 by that
 * thread's runtime. So operations are the sum over threads of rate x the same thread's runtime, and
 * the time of a region is that of its slowest thread. Uncore counters (memory, L3 of some) have
 * their number on one thread of a socket and 0, "-" or nan on the others: the sum is right.
 */
#include "analysis/import/likwid.h"

#include <ctype.h>
#include <string.h>

/* "<stem> data volume" and "<stem> bandwidth"; totals, or parts that add up to one. */
static const struct volume_row {
    const char *stem;
    int level;
    enum { TOTAL, READ, WRITTEN } part;
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

/* Bytes or bytes/s of a unit ("GBytes"); 0 when it is not known. */
static double bytes_of(const char *unit)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {
        {"GBytes",   1e9},
        {"GByte",    1e9},
        {"MBytes",   1e6},
        {"MByte",    1e6},
        {"MBytes/s", 1e6},
        {"MByte/s",  1e6},
        {"GBytes/s", 1e9}
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].unit, unit) == 0)
            return units[i].factor;
    return 0;
}

/* Cuts " data volume" or " bandwidth" off a metric and finds the rest. */
static const struct volume_row *find_volume(const char *name, bool *is_bandwidth)
{
    size_t length = strlen(name);
    static const char volume[] = " data volume", bandwidth[] = " bandwidth";
    size_t end = length >= 12 && strcmp(name + length - 12, volume) == 0      ? length - 12
                 : length >= 10 && strcmp(name + length - 10, bandwidth) == 0 ? length - 10
                                                                              : 0;
    *is_bandwidth = end && length - end == 10;
    for (size_t i = 0; end && i < sizeof volumes / sizeof volumes[0]; i++)
        if (strlen(volumes[i].stem) == end && strncmp(volumes[i].stem, name, end) == 0)
            return &volumes[i];
    return NULL;
}

static enum ert_status take_volume(struct rfl_likwid_group *group,
                                   const struct volume_row *row, bool is_bandwidth,
                                   const char *unit, const struct ert_lines *lines,
                                   const char *name, char *const *values, size_t n,
                                   bool is_stat, struct ert_error *error)
{
    struct rfl_likwid_level *level = &group->levels[row->level];
    double factor = bytes_of(unit), bytes;
    struct rfl_likwid_totals totals;
    bool has;
    if (factor == 0)
        return ert_fail(
            error, ERT_USAGE,
            "%.200s: row %zu: %.80s: unit '%.40s' is not known, must be GBytes, "
            "MBytes or MBytes/s",
            lines->file, lines->number, name, unit);
    if (is_bandwidth) {
        ERT_TRY(rfl_likwid_integrate(group, lines, name, values, n, is_stat, true, &bytes,
                                     &has, error));
        if (row->part == TOTAL && has) {
            level->bandwidth_bytes = factor * bytes;
            level->has_bandwidth = true;
        }
        return ERT_OK;
    }
    ERT_TRY(rfl_likwid_totals(lines, name, values, n, is_stat, true, &totals, error));
    if (totals.n == 0)
        return ERT_OK;
    if (row->part == TOTAL) {
        level->total = factor * totals.sum;
        level->stem = row->stem;
        level->has_total = true;
    } else {
        level->parts += factor * totals.sum;
        level->read += row->part == READ ? factor * totals.sum : 0;
        level->has_parts = true;
        level->has_written |= row->part == WRITTEN;
        level->has_read |= row->part == READ;
    }
    return ERT_OK;
}

static enum ert_status take_rate(struct rfl_likwid_group *group, const char *name,
                                 const char *tail, const struct ert_lines *lines,
                                 char *const *values, size_t n, bool is_stat,
                                 struct ert_error *error)
{
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        int type = rates[i].type;
        double flops;
        bool has;
        if (strcmp(rates[i].name, name) != 0)
            continue;
        if (*tail) { /* "DP [MFLOP/s] (AVX512 assumed)": KNL counts instructions of any width */
            group->is_assumed = true;
            continue;
        }
        ERT_TRY(rfl_likwid_integrate(group, lines, name, values, n, is_stat, false, &flops,
                                     &has, error));
        if (!has || (rates[i].is_packed && group->has_rate[type]))
            continue;
        group->rate_flops[type] = 1e6 * flops;
        group->has_rate[type] = true;
        group->is_packed[type] = rates[i].is_packed;
    }
    return ERT_OK;
}

/* Splits "L2 data volume [GBytes] STAT" in place; of old releases "DP MFLOP/s". */
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

static enum ert_status take_metric(struct rfl_likwid_group *group,
                                   const struct ert_lines *lines, char *name,
                                   char *const *values, size_t n, bool is_stat,
                                   struct ert_error *error)
{
    const char *unit, *tail;
    struct rfl_likwid_totals totals;
    bool is_bandwidth;
    split_name(name, &unit, &tail);
    const struct volume_row *row = find_volume(name, &is_bandwidth);
    if (row)
        return take_volume(group, row, is_bandwidth, unit, lines, name, values, n, is_stat,
                           error);
    if (strcmp(unit, "MFLOP/s") == 0)
        return take_rate(group, name, tail, lines, values, n, is_stat, error);
    if (strcmp(name, "Runtime (RDTSC)") == 0)
        return group->has_info
                   ? ERT_OK
                   : rfl_likwid_runtimes(group, lines, name, values, n, is_stat, error);
    if (strcmp(name, "Clock") == 0 && strcmp(unit, "MHz") == 0 && !is_stat) {
        ERT_TRY(rfl_likwid_totals(lines, name, values, n, is_stat, false, &totals, error));
        group->clock_sum_hz = 1e6 * totals.sum;
        group->n_clocks = (double)totals.n;
    }
    if (strcmp(name, "Energy") == 0 && strcmp(unit, "J") == 0) {
        ERT_TRY(rfl_likwid_totals(lines, name, values, n, is_stat, false, &totals, error));
        group->energy_j = totals.sum;
    }
    return ERT_OK;
}

static enum ert_status take_event(struct rfl_likwid_group *group,
                                  const struct ert_lines *lines, const char *name,
                                  char *const *values, size_t n, bool is_stat,
                                  struct ert_error *error)
{
    struct rfl_likwid_totals totals;
    if (strcmp(name, "Runtime (RDTSC) [s]") == 0)
        return group->has_info
                   ? ERT_OK
                   : rfl_likwid_runtimes(group, lines, name, values, n, is_stat, error);
    ERT_TRY(rfl_likwid_totals(lines, name, values, n, is_stat, false, &totals, error));
    if (totals.n == 0)
        return ERT_OK;
    if (strcmp(name, "INSTR_RETIRED_ANY") == 0 ||
        strcmp(name, "RETIRED_INSTRUCTIONS") == 0 || strcmp(name, "INST_RETIRED") == 0)
        group->instructions = totals.sum;
    group->counts_all_types |= strstr(name, "SSE_AVX_FLOPS_ALL") != NULL;
    group->counts_accesses |= strstr(name, "MEM_UOPS_RETIRED") != NULL ||
                              strstr(name, "MEM_INST_RETIRED_ALL") != NULL ||
                              strstr(name, "LS_DISPATCH") != NULL;
    rfl_fp_arith_add(&group->events, name, totals.sum);
    return ERT_OK;
}

enum ert_status rfl_likwid_row(struct rfl_likwid_group *group, enum rfl_likwid_table table,
                               const struct ert_lines *lines, char *name,
                               char *const *values, size_t n, struct ert_error *error)
{
    struct rfl_likwid_totals totals;
    switch (table) {
    case RFL_LIKWID_NO_TABLE:
        return ERT_OK;
    case RFL_LIKWID_INFO:
        if (strcmp(name, "RDTSC Runtime [s]") == 0) {
            group->has_info = true;
            return rfl_likwid_runtimes(group, lines, name, values, n, false, error);
        }
        if (strcmp(name, "call count") != 0)
            return ERT_OK;
        ERT_TRY(rfl_likwid_totals(lines, name, values, n, false, false, &totals, error));
        group->calls = totals.largest;
        return ERT_OK;
    case RFL_LIKWID_EVENT:
        group->has_event = true;
        return take_event(group, lines, name, values, n, false, error);
    case RFL_LIKWID_METRIC:
        group->has_metric = true;
        return take_metric(group, lines, name, values, n, false, error);
    case RFL_LIKWID_EVENT_STAT: /* the same counts again, where there are those of threads */
        return group->has_event ? ERT_OK
                                : take_event(group, lines, name, values, n, true, error);
    case RFL_LIKWID_METRIC_STAT:
        return group->has_metric ? ERT_OK
                                 : take_metric(group, lines, name, values, n, true, error);
    }
    return ERT_OK;
}

void rfl_likwid_group_line(const char *line, const char **region, size_t *length,
                           const char **name)
{
    const char *group = line;
    *region = "";
    *length = 0;
    *name = NULL;
    if (strncmp(line, "Region ", 7) == 0) {
        group = strstr(line, ", Group ");
        if (!group)
            return;
        *region = line + 7;
        *length = (size_t)(group - *region);
        group += 2;
    }
    if (strncmp(group, "Group ", 6) != 0 || !isdigit((unsigned char)group[6]))
        return;
    const char *rest = group + 6 + strspn(group + 6, "0123456789");
    const char *old = strstr(rest, ": Region ");
    if (*rest == ' ' && old) {
        *region = old + 9;
        *length = strlen(*region);
        *name = rest + 1;
    } else if (*rest == ':') {
        *name = rest + 1 + strspn(rest + 1, " ");
    }
}
