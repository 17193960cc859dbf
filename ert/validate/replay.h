/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay: from a ceiling of a file, or a kernel of the build, to the case that gives it, so that its code
 * can be looked at, or a region of it run once more. Regions are what `ert bench --json` prints, one JSON
 * object a line, for the program that reads a profile of it.
 */
#ifndef ERT_VALIDATE_REPLAY_H
#define ERT_VALIDATE_REPLAY_H

#include "ert/backend/backend.h"
#include "ert/ceilings/ceilings.h"

#include <stdio.h>

enum { ERT_MAX_REPLAYS = 512 };

/* A ceiling and how to run it again. */
struct ert_replay {
    struct ert_ceiling *ceiling;   /* in the file's data, not owned */
    const struct ert_level *level; /* of the device; NULL: compute, ERT's mode */
    const struct ert_backend *backend;
    struct ert_spec spec;
    char reason[192]; /* why it cannot be run or looked at in this build, or "" */
};

/*
 * Fills replays[0..max) with the ceilings of a device: compute, memory, and those extras that are
 * one kernel on one level (latencies, accesses). Returns how many.
 */
size_t ert_replay_list(const struct ert_machine *machine,
                       struct ert_device_ceilings *ceilings, struct ert_replay *replays,
                       size_t max);

/*
 * Sets the case's variant to that of the name for its kernel and path on the device; ERT_UNAVAILABLE
 * with the names when this build has none. "": the first; an instruction set's: the first of it. Of
 * ERT's kernels the name may end with the launch.
 */
enum ert_status ert_replay_variant(const struct ert_backend *backend,
                                   const struct ert_device *device,
                                   const struct ert_session_options *options,
                                   const char *name, struct ert_spec *spec,
                                   struct ert_error *error);

/*
 * What a session for all of them needs: room for the largest set; of a file in ERT's mode its memory. Time
 * limit and seed are the caller's.
 */
struct ert_session_options ert_replay_options(const struct ert_ceilings *ceilings,
                                              const struct ert_device *device,
                                              const struct ert_replay *replays, size_t n);

/*
 * Fills replays[0..max) with every variant of every kernel on every path that this build has for a device,
 * which need not be here, each with the ceiling of the same index of ceilings[0..max), which the caller owns
 * and which gets the kernel's name and the variant's. Returns how many.
 */
size_t ert_replay_build(const struct ert_backend *backend, const struct ert_device *device,
                        struct ert_replay *replays, struct ert_ceiling *ceilings,
                        size_t max);

/* One case, one timed region, its results checked: what a profiler is wrapped around. */
struct ert_region {
    char name[32]; /* of the ceiling, else of the kernel */
    struct ert_spec spec;
    uint64_t passes; /* 0: as many as take about time_s, found by calibration */
    double time_s;
    struct ert_work work; /* by ert_region_run() */
    struct ert_sample sample;
};

/*
 * A region for a ceiling. passes 0: so many that what a cache misses when it is cold is below half a
 * percent, and that a replay by a profiler takes milliseconds.
 */
void ert_region_make(const struct ert_device *device, const struct ert_replay *replay,
                     uint64_t passes, struct ert_region *region);

/*
 * Prepares, times and verifies. With `passes` given exactly one region is run. ERT_FAILED as the
 * backend says; *lost when the device is.
 */
enum ert_status ert_region_run(const struct ert_backend *backend,
                               struct ert_session *session, struct ert_region *region,
                               bool *lost, struct ert_error *error);

/* One line: {"ert-region": NAME, "passes": ..., "bytes": ..., ...}. Numbers are exact. */
void ert_region_print(FILE *out, const struct ert_region *region);

/* What was printed, as read back. */
struct ert_region_totals {
    char name[32];
    uint64_t passes;
    double time_s, bytes, flops, loads;
};

/*
 * Finds such lines in a text that holds others too; fills totals[0..max), returns how many. A line
 * that begins like one and is none ends the list.
 */
size_t ert_regions_read(const char *text, struct ert_region_totals *totals, size_t max);

#endif
