/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * conditions: the conditions under which a device was measured, and which of them make its results
 * invalid. Derived from the machine's description and the samples alone.
 */
#ifndef ERT_CEILINGS_CONDITIONS_H
#define ERT_CEILINGS_CONDITIONS_H

#include "ert/core/ceilings/ceilings.h"
#include "ert/core/machine/machine.h"
#include "ert/core/sweep/samples.h"

/* UNKNOWN: not reported by the machine. NOTE: worth knowing, but no reason to warn. */
enum ert_condition_verdict {
    ERT_CONDITION_GOOD,
    ERT_CONDITION_NOTE,
    ERT_CONDITION_UNKNOWN,
    ERT_CONDITION_BAD
};

/*
 * What a bad condition makes unusable. Windows in which threads waited are taken again (device_run.c), and
 * what is left of the disturbance widens a ceiling's interval. So only what a steady disturbance lowers
 * without a trace is named here.
 */
enum ert_reach {
    ERT_REACH_NONE,
    ERT_REACH_SHARED, /* memory and the last cache of a CPU, which other cores use, too */
    ERT_REACH_ALL
};

struct ert_condition {
    char name[24]; /* "load", "throttling" */
    enum ert_condition_verdict verdict;
    enum ert_reach reach; /* if it is bad */
    char text[160];
};

enum { ERT_MAX_CONDITIONS = 8 };

/*
 * Limits for the share of our CPUs' time, or of their cores' rate, that other work or other guests (steal)
 * took: at the first it becomes a note, above the second it is bad. A rate of all CPUs together is too low
 * by about that share; each ceiling's interval shows how far it is settled (ert_settled_width).
 */
#define ERT_ACTIVITY_NOTED 0.02
#define ERT_ACTIVITY_BAD   0.20

/*
 * Fills conditions[]; returns how many there are for this kind of device. samples: of the device, or NULL
 * if only the machine is known.
 */
size_t ert_conditions_list(const struct ert_device *device,
                           const struct ert_device_samples *samples,
                           struct ert_condition conditions[ERT_MAX_CONDITIONS]);

/* The same of a ceilings file. samples: of its run, or NULL: the ceilings tell who had the CPUs' time. */
size_t ert_conditions_of(const struct ert_ceilings *ceilings,
                         const struct ert_device_ceilings *of,
                         const struct ert_samples *samples,
                         struct ert_condition conditions[ERT_MAX_CONDITIONS]);

/*
 * How far the bad conditions reach; text: those, joined by "; ", or "". NONE for a fake machine: its host's
 * state does not affect it.
 */
enum ert_reach ert_conditions_reach(const struct ert_device *device,
                                    const struct ert_device_samples *samples, char *text,
                                    size_t size);

/* Whether what reaches that far disturbs ceilings of a level, or ("") of compute. */
bool ert_reach_has(enum ert_reach reach, const struct ert_device *device,
                   const char *level);

/* Writes the names of throttle reasons: "SW power cap, HW thermal slowdown"; "" for none. Returns text. */
const char *ert_throttle_names(const struct ert_device *device, uint64_t reasons,
                               char *text, size_t size);

/* The throttle reasons that held during at least half of a point's samples. */
uint64_t ert_throttle_usual(const struct ert_point *point);

#endif
