/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay: finds the spec that reproduces a ceiling of a file, or a kernel of the build, to examine its code
 * or to run a region of it again. `ert bench` prints regions, one JSON object per line, for the
 * program that reads its profile.
 */
#ifndef ERT_VALIDATE_REPLAY_H
#define ERT_VALIDATE_REPLAY_H

#include "ert/core/backend/backend.h"
#include "ert/core/ceilings/ceilings.h"

#include <stdio.h>

enum { ERT_MAX_REPLAYS = 512 };

/* A ceiling and how to run it again. */
struct ert_replay {
    struct ert_ceiling *ceiling;   /* in the file's data, not owned */
    const struct ert_level *level; /* of the device; NULL: compute, or ERT's mode */
    const struct ert_backend *backend;
    struct ert_spec spec;
    char reason[192]; /* why this build cannot run or examine it, or "" */
};

/*
 * Fills replays[ERT_MAX_REPLAYS] with a device's compute and memory ceilings, and the extras that are one
 * kernel on one level (latencies). Returns how many.
 */
size_t ert_replay_list(const struct ert_machine *machine,
                       struct ert_device_ceilings *ceilings, struct ert_replay *replays);

/*
 * The options of a session that can run all replays: capacity for the largest set; for a file in a mode what
 * that needs. The caller sets time limit and seed.
 */
enum ert_status ert_replay_options(const struct ert_ceilings *ceilings,
                                   const struct ert_device *device,
                                   const struct ert_replay *replays, size_t n,
                                   struct ert_session_options *options,
                                   struct ert_error *error);

/*
 * Fills replays[ERT_MAX_REPLAYS] with every variant of every kernel on every path that this build has for a
 * device, which need not be present. Each gets a ceiling with the names of kernel and variant in *ceilings,
 * an empty list that the caller frees. Returns how many.
 */
size_t ert_replay_build(const struct ert_backend *backend, const struct ert_device *device,
                        struct ert_replay *replays, struct ert_device_ceilings *ceilings);

/* One timed region of one spec, with verified results: what a profiler measures. */
struct ert_region {
    char name[32]; /* of the ceiling, else of the kernel */
    struct ert_spec spec;
    uint64_t passes; /* 0: as many as take about time_s, by calibration */
    double time_s;
    struct ert_work work;     /* set by ert_region_run() */
    struct ert_sample sample; /* the same */
};

/*
 * Makes a region for a ceiling. passes 0: enough that cold misses of a cache are below 1 %, and
 * that a profiler's replay takes milliseconds.
 */
void ert_region_make(const struct ert_device *device, const struct ert_replay *replay,
                     uint64_t passes, struct ert_region *region);

/*
 * Prepares, times and verifies a region; if region->passes is given, runs exactly one. ERT_FAILED with the
 * backend's message; sets *lost when the device is lost.
 */
enum ert_status ert_region_run(const struct ert_backend *backend,
                               struct ert_session *session, struct ert_region *region,
                               bool *lost, struct ert_error *error);

/* Prints one line: {"ert-region": NAME, "passes": ..., "bytes": ..., ...}. Numbers are exact. */
void ert_region_print(FILE *out, const struct ert_region *region);

/* What ert_region_print() printed, as read back. */
struct ert_region_totals {
    char name[32];
    uint64_t passes;
    double time_s, bytes, flops, loads;
};

/*
 * Finds such lines in a text that has others too; fills totals[0..max), returns how many. A malformed line
 * of this kind ends the list.
 */
size_t ert_regions_read(const char *text, struct ert_region_totals *totals, size_t max);

#endif
