/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tally: the counts of one run or region, and what they say together. A reader feeds it every count that a
 * tool printed, as it was printed; the tally decides what may be added (events.def):
 *
 * - The same event of the same unit at the same place is one count, also under another spelling or modifier,
 *   and so is the sum over units or places beside their parts.
 * - Alternatives (families) are not added.
 * - Kinds of cores of a hybrid CPU ran the task one after the other, and perf extrapolates the count of each
 *   to the whole time: each is multiplied by its share of the time.
 * - A lost count makes its sum missing, but a kind of core or a place at which nothing was counted was not
 *   used: its counts are 0.
 * - Events that are not known but look like operations or bytes are named in a warning.
 *
 * Private to import.
 */
#ifndef RFL_IMPORT_TALLY_H
#define RFL_IMPORT_TALLY_H

#include "analysis/core/points/levels.h"
#include "analysis/ext/import/common.h"

/* What events count: names of sums; requests of memory controllers count as bytes. */
enum rfl_sum_of {
    RFL_DURATION_S,
    RFL_TASK_CLOCK_S,
    RFL_CYCLES,
    RFL_INSTRUCTIONS,
    RFL_ENERGY_J,
    RFL_FP64,
    RFL_FP32,
    RFL_FP16,
    RFL_ALL_TYPES, /* operations of all types together */
    RFL_ACCESSES,  /* loads and stores */
    RFL_DRAM_READ,
    RFL_DRAM_WRITE,
    RFL_DRAM_ALL,
    RFL_MCDRAM_READ,
    RFL_MCDRAM_WRITE,
    RFL_MCDRAM_ALL
};

struct rfl_count {
    const char *event; /* as printed, with PMU, unit and modifiers */
    const char *unit;  /* of the value, "": that of the event's row */
    const char *where; /* thread, CPU, socket ...: their counts are added; "" all */
    struct rfl_cell cell;
    double share; /* of the time in which the counter ran */
    bool is_unsupported;
};

struct rfl_tally {
    const struct rfl_import *in;
    const char *tool; /* "perf" */
    const char *lost; /* why the tool loses counts, or "" */
    const char *help; /* what counts operations where these events do not; or NULL */
    struct rfl_tally_entry *entries;
    struct rfl_tally_group *groups;
    size_t n, capacity, n_groups, group_capacity;
    struct ert_strings keys, listed;
    struct rfl_names ignored, twice, suspect;
    const char *unsupported, *multiplexed;
    double least_share;
    char shares[256]; /* of the kinds of cores, if they shared the time */
    size_t n_known;   /* counts that the rows know */
};

/* Whether a row knows the event. */
bool rfl_tally_knows(const char *event);

void rfl_tally_add(struct rfl_tally *tally, const struct rfl_count *count);

/* Names an event of which nothing is known in the warning if it looks like operations or bytes. */
bool rfl_tally_suspects(const char *event);

/* A sum; NaN: none of its events was counted, or one was lost (*why). Call rfl_tally_settle first. */
double rfl_tally_sum(const struct rfl_tally *tally, enum rfl_sum_of sum, const char **why);

/* Decides which counts are added, once all are there. */
void rfl_tally_settle(struct rfl_tally *tally);

/* Puts operations, and traffic at the memories, into a point, with all warnings and what is missing. */
void rfl_tally_put(struct rfl_tally *tally, struct rfl_point *point);

/* Frees all but in, tool, lost and help, so that the next run can be tallied. */
void rfl_tally_clear(struct rfl_tally *tally);

#endif
