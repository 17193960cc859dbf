/*
 * likwid: the rows of likwid-perfctr's tables, of text and CSV alike, gathered into groups and made
 * points. likwid.c reads the two layouts, likwid_group.c knows events and metrics.
 */
#ifndef RFL_IMPORT_LIKWID_H
#define RFL_IMPORT_LIKWID_H

#include "analysis/import/fp_arith.h"
#include "analysis/import/import.h"

enum { RFL_LIKWID_TYPES = 3, RFL_LIKWID_LEVELS = 5 };

/* The five kinds of tables; of STAT tables the sum over all threads is taken. */
enum rfl_likwid_table {
    RFL_LIKWID_NO_TABLE,
    RFL_LIKWID_INFO,   /* of a marker region: runtime, calls */
    RFL_LIKWID_EVENT,  /* raw counts */
    RFL_LIKWID_METRIC, /* derived by the group's formulas */
    RFL_LIKWID_EVENT_STAT,
    RFL_LIKWID_METRIC_STAT
};

/* One group of one region. */
struct rfl_likwid_group {
    const char *region, *name; /* kept by the points; region "" without markers */
    size_t n_threads, room;
    double *runtimes_s; /* malloc; per thread, 0 unknown */
    bool has_info, has_event, has_metric, has_runtime;
    double runtime_s; /* of the slowest thread */
    double calls, instructions, energy_j;
    double clock_sum_hz, n_clocks;
    struct rfl_fp_arith events;
    double rate_flops[RFL_LIKWID_TYPES]; /* sum over threads of rate x runtime */
    bool has_rate[RFL_LIKWID_TYPES], is_packed[RFL_LIKWID_TYPES], is_assumed;
    bool counts_all_types; /* AMD: the event does not tell fp32 from fp64 */
    bool counts_accesses;  /* loads and stores as instructions */
    bool is_multiplexed;   /* likwid said that it scaled the counts */
    struct rfl_likwid_level {
        double total, parts, bandwidth_bytes; /* the last: bandwidth x runtime */
        double read;                          /* of the parts */
        bool has_total, has_parts, has_bandwidth, has_read, has_written;
        const char *stem; /* of the total: "L2" of "L2 data volume" */
    } levels[RFL_LIKWID_LEVELS];
};

/* Which groups a point has already: a group that comes again is of another run. */
struct rfl_likwid_joined {
    size_t first; /* of the file's points */
    size_t n, room;
    struct rfl_likwid_member {
        size_t point;
        const char *group;
    } * members; /* malloc */
};

/* Sum and largest over the cells of a row, of a STAT row its Sum and Max; n: that are numbers. */
struct rfl_likwid_totals {
    double sum, largest;
    size_t n;
};

enum ert_status rfl_likwid_totals(const struct ert_lines *lines, const char *name,
                                  char *const *values, size_t n, bool is_stat,
                                  bool may_be_negative, struct rfl_likwid_totals *totals,
                                  struct ert_error *error);

/* Keeps the runtimes of a row's threads in the group. ERT_FAILED without memory. */
enum ert_status rfl_likwid_runtimes(struct rfl_likwid_group *group,
                                    const struct ert_lines *lines, const char *name,
                                    char *const *values, size_t n, bool is_stat,
                                    struct ert_error *error);

/*
 * Sum over threads of rate x the same thread's runtime; of a STAT row the summed rate x the slowest
 * thread's runtime. *has: there was a number, and a runtime.
 */
enum ert_status rfl_likwid_integrate(const struct rfl_likwid_group *group,
                                     const struct ert_lines *lines, const char *name,
                                     char *const *values, size_t n, bool is_stat,
                                     bool may_be_negative, double *amount, bool *has,
                                     struct ert_error *error);

/*
 * "Group 1: MEM", "Region copy, Group 1: MEM", or, of release 4.0, "Group 1 MEM: Region copy": where
 * the group's name and the region (of a length) begin. *name NULL when the line is another.
 */
void rfl_likwid_group_line(const char *line, const char **region, size_t *length,
                           const char **name);

/*
 * Takes a row of a table: its name, and n values as text, one per thread (of STAT tables: the sum,
 * minimum, maximum, average). ERT_USAGE names the row for numbers and units that are not known.
 */
enum ert_status rfl_likwid_row(struct rfl_likwid_group *group, enum rfl_likwid_table table,
                               const struct ert_lines *lines, char *name,
                               char *const *values, size_t n, struct ert_error *error);

/*
 * Adds the group to the point of its region: a new one, or one that has other groups already. A group
 * without any number adds nothing.
 */
enum ert_status rfl_likwid_put(const struct rfl_likwid_group *group,
                               struct rfl_likwid_joined *joined, struct rfl_points *points,
                               struct ert_error *error);

#endif
