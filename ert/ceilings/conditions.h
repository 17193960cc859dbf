/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * conditions: under what conditions a device was measured, and which of them make its numbers
 * invalid. Pure: from the machine's description and the samples.
 */
#ifndef ERT_CEILINGS_CONDITIONS_H
#define ERT_CEILINGS_CONDITIONS_H

#include "ert/ceilings/ceilings.h"
#include "ert/machine/machine.h"
#include "ert/sweep/samples.h"

/* UNKNOWN: the machine does not say. NOTE: worth knowing, no reason to warn. */
enum ert_condition_verdict {
    ERT_CONDITION_GOOD,
    ERT_CONDITION_NOTE,
    ERT_CONDITION_UNKNOWN,
    ERT_CONDITION_BAD
};

struct ert_condition {
    char name[24]; /* "load", "throttling" */
    enum ert_condition_verdict verdict;
    char text[160];
};

enum { ERT_MAX_CONDITIONS = 8 };

/*
 * Of the time of the CPUs that we may use, and of the rate of their cores: from the least share on other
 * work, steal or other work on our cores is worth a note, from the most share on it is bad. A rate that
 * all CPUs make together is too low by about that share; how far a single ceiling is settled, its own
 * interval says (ert_settled_width).
 */
#define ERT_ACTIVITY_NOTED 0.02
#define ERT_ACTIVITY_BAD   0.20

/*
 * Fills conditions[] and returns how many there are for this kind of device. samples: of the device,
 * or NULL where only the machine is known.
 */
size_t ert_conditions_list(const struct ert_provenance *provenance,
                           const struct ert_device *device,
                           const struct ert_device_samples *samples,
                           struct ert_condition conditions[ERT_MAX_CONDITIONS]);

/*
 * The same of a device of a file; samples: of its run, or NULL: then its ceilings still say who had the
 * CPUs' time.
 */
size_t ert_conditions_of(const struct ert_ceilings *ceilings,
                         const struct ert_device_ceilings *of,
                         const struct ert_samples *samples,
                         struct ert_condition conditions[ERT_MAX_CONDITIONS]);

/*
 * Whether the conditions under which a device was measured were bad; text: which, joined by "; ", or
 * "". Of a planted machine never: what its host does is nothing to it.
 */
bool ert_conditions_disturbed(const struct ert_provenance *provenance,
                              const struct ert_device *device,
                              const struct ert_device_samples *samples, char *text,
                              size_t size);

/* "good", "note", "unknown", "bad". */
const char *ert_condition_word(enum ert_condition_verdict verdict);

/*
 * "SW power cap, HW thermal slowdown": what the device's backend calls the throttle reasons; "" for none.
 * Returns text.
 */
const char *ert_throttle_names(const struct ert_device *device, uint64_t reasons,
                               char *text, size_t size);

/* The reasons that at least half of a point's samples were taken under. */
uint64_t ert_throttle_usual(const struct ert_point *point);

#endif
