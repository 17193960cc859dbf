/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * extras: ceilings of other kinds (struct ert_extra): latencies, access sizes, concurrency, links,
 * NUMA nodes, all devices at once; and the list of what is not measured. Pure.
 */
#ifndef ERT_CEILINGS_EXTRAS_H
#define ERT_CEILINGS_EXTRAS_H

#include "ert/ceilings/ceilings.h"
#include "ert/sweep/samples.h"

/* The fit of one device. */
struct ert_extras {
    const struct ert_machine *machine;
    const struct ert_device *device;
    const struct ert_device_samples *samples;
    struct ert_device_ceilings *out;
};

/* Adds the ceilings of all kinds to out->extra, and what is missing to out->not_measured. */
void ert_extras_fit(struct ert_extras *extras);

/* Once all devices are fitted: what they did at once, added up. */
void ert_extras_add_up(struct ert_ceilings *ceilings);

/*
 * Appends to the list of what is not measured; a name that is there already is dropped. Where the list is
 * full its last row says how many more there are.
 */
void ert_extras_not_measured(struct ert_device_ceilings *out, const char *name,
                             const char *reason);

/* Says in that list that a ceiling was measured and is not kept: its list holds `max`. */
void ert_extras_full(struct ert_device_ceilings *out, const char *name, size_t max);

#endif
