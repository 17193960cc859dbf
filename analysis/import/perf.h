/*
 * perf: rows of `perf stat -x` and what their events mean. perf.c reads rows, perf_events.c knows
 * events, perf_recipes.c says which of them a CPU has.
 */
#ifndef RFL_IMPORT_PERF_H
#define RFL_IMPORT_PERF_H

#include "analysis/import/fp_arith.h"
#include "analysis/import/import.h"
#include "ert/machine/machine.h"

struct rfl_perf_row {
    bool is_event, is_interval;       /* the last: begins with a time stamp */
    const char *value, *unit, *event; /* of the lines' current line */
    double percent;                   /* of the time that the counter ran */
};

enum { RFL_PERF_LIST = 160 }; /* bytes of a list of events; longer ones end with "..." */

/* An amount that several rows (sockets, memory channels) add up to. */
struct rfl_perf_amount {
    double sum;
    size_t n;
};

struct rfl_perf_counts {
    size_t n_rows;
    struct rfl_fp_arith fp_arith;
    struct rfl_perf_amount duration_s, task_clock_s, cycles, instructions, energy_j,
        amd_all_flops, amd_dp_flops, amd_sp_flops, read_bytes, written_bytes, all_bytes;
    bool is_mixed_width;         /* an event that adds types up was counted */
    char ignored[RFL_PERF_LIST]; /* events that mean nothing here: "a, b" */
    char zero[RFL_PERF_LIST];    /* events of operations that counted none */
    char lost[RFL_FP_TYPES + 1]
             [64]; /* an event of fp64, fp32, fp16, memory without a count */
    char unsupported[64];
    char multiplexed[64]; /* the event that ran least, and how long */
    double least_percent;
};

/* Adds a row. ERT_USAGE for numbers and units that are not known; other events are left alone. */
enum ert_status rfl_perf_count(struct rfl_perf_counts *counts,
                               const struct ert_lines *lines,
                               const struct rfl_perf_row *row, struct ert_error *error);

/* Appends the point. */
enum ert_status rfl_perf_put(const struct rfl_perf_counts *counts,
                             struct rfl_points *points, struct ert_error *error);

/* How such files are made, for the help: which events by CPU. */
extern const char rfl_perf_how[];

/* Says in points of perf that lack operations or DRAM bytes which events count them on this CPU. */
void rfl_perf_advise(struct rfl_points *points, const struct ert_cpu *cpu);

#endif
