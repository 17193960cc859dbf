/*
 * regions: the timed regions that `ert bench --json` ran, one JSON object a line, in order: the
 * link between the program that is profiled and the one that reads the profile.
 */
#ifndef ERT_VALIDATE_REGIONS_H
#define ERT_VALIDATE_REGIONS_H

#include "ert/validate/once.h"
#include "ert/validate/replay.h"

#include <stdio.h>

struct ert_region {
    char name[32]; /* of the ceiling, else of the kernel */
    struct ert_once once;
};

/*
 * A region for a ceiling. passes 0: so many that what a cache misses when it is cold is below half a
 * percent, and that a replay by a profiler takes milliseconds.
 */
void ert_region_make(const struct ert_device *device, const struct ert_replay *replay,
                     uint64_t passes, struct ert_region *region);

/* One line: {"ert-region": NAME, "passes": ..., "bytes": ..., ...}. Numbers are exact. */
void ert_region_print(FILE *out, const struct ert_region *region);

/* What was printed, as read back: totals of the region. */
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
