/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * extras: fits the ceilings of other kinds: latencies, concurrency, links,
 * NUMA nodes, multi-GPU; and keeps the list of what is not measured. Pure.
 */
#ifndef ERT_CEILINGS_EXTRAS_H
#define ERT_CEILINGS_EXTRAS_H

#include "ert/core/ceilings/ceilings.h"
#include "ert/core/sweep/samples.h"

/* The fit of one device. */
struct ert_extras {
    const struct ert_machine *machine;
    const struct ert_device *device;
    const struct ert_device_samples *samples;
    struct ert_device_ceilings *out;
};

/* Adds the ceilings of all other kinds to out, and those missing to out->not_measured. */
void ert_extras_fit(struct ert_extras *extras);

/* Fills the aggregates of multi-GPU ceilings, once all devices are fitted. */
void ert_extras_add_up(struct ert_ceilings *ceilings);

/* Adds a ceiling to a device's list (ert_ceiling_add()), for those who need not live without memory. */
struct ert_ceiling *ert_extras_add(struct ert_device_ceilings *out,
                                   enum ert_ceiling_kind kind);

/* Appends to the list of what is not measured, unless the name is already there. */
void ert_extras_not_measured(struct ert_device_ceilings *out, const char *name,
                             const char *reason);

#endif
