/*
 * extras: the parts of the fit beside memory levels: compute ceilings, and ceilings of other kinds
 * (struct ert_extra): latencies, access sizes, concurrency, links, places, all devices at once. Pure.
 */
#ifndef ERT_CEILINGS_EXTRAS_H
#define ERT_CEILINGS_EXTRAS_H

#include "ert/ceilings/ceilings.h"
#include "ert/ceilings/evidence.h"
#include "ert/sweep/samples.h"

/* The fit of one device, as fit.c has it. */
struct ert_extras {
    const struct ert_machine *machine;
    const struct ert_device *device;
    const struct ert_device_samples *samples;
    struct ert_device_ceilings *out;
};

/* Adds the compute ceilings of a kernel to out->compute. False when memory runs out. */
bool ert_extras_compute(struct ert_extras *extras, enum ert_kernel_id kernel);

/* Marks the per_ceiling fastest points of a compute kernel and of each instruction set. */
void ert_extras_choose_compute(const struct ert_device_samples *samples,
                               enum ert_kernel_id kernel, size_t per_ceiling, bool *chosen);

/*
 * Each adds its ceilings to out->extra[kind], or what is missing to out->absent. False when memory
 * runs out.
 */
bool ert_extras_latency(struct ert_extras *extras);
bool ert_extras_access(struct ert_extras *extras);
bool ert_extras_concurrency(struct ert_extras *extras);
bool ert_extras_links(struct ert_extras *extras);
bool ert_extras_places(struct ert_extras *extras);
bool ert_extras_together(struct ert_extras *extras);

/* Once all devices are fitted: what they did at once, added up. */
void ert_extras_add_up(struct ert_ceilings *ceilings);

/*
 * Fills value, interval, launch and clock of a new extra of the kind from one point and its samples,
 * judges it, and appends it. NULL when the point has no samples, the list is full (which the
 * device's absent list then says), or memory runs out (*done is then false).
 */
struct ert_extra *ert_extras_add(struct ert_extras *extras, enum ert_extra_kind kind,
                                 const struct ert_point *point, ert_rate rate,
                                 const char *operation, bool *done);

/*
 * Appends to the device's absent list; a name that is there already is dropped. Where the list is
 * full its last row says how many more there are.
 */
void ert_extras_absent(struct ert_device_ceilings *out, const char *name,
                       const char *reason);

/* Says in the absent list that a ceiling was measured and is not kept: its list holds `max`. */
void ert_extras_full(struct ert_device_ceilings *out, const char *name, size_t max);

/*
 * The level whose range holds the point's set on its path, or NULL. On CPUs the range is that of the
 * caches that the point's threads reach (case.concurrency). Buffers that were bound to another
 * memory than first touch takes (case.to) are in its level.
 */
const struct ert_level *ert_extras_level(const struct ert_device *device,
                                         const struct ert_point *point);

#endif
