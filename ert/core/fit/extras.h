/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * extras: what sections (sweep/section.h) fit their ceilings with, those of other kinds than compute and
 * memory; and the list of what is not measured. Pure.
 */
#ifndef ERT_CEILINGS_EXTRAS_H
#define ERT_CEILINGS_EXTRAS_H

#include "ert/core/ceilings/ceilings.h"
#include "ert/core/fit/levels.h"

/* The fit of one device. */
struct ert_extras {
    const struct ert_machine *machine;
    const struct ert_device *device;
    const struct ert_device_samples *samples;
    struct ert_device_ceilings *out;
};

/* Adds the ceilings of all sections to out, and those missing to out->not_measured. */
void ert_extras_fit(struct ert_extras *extras);

/* Fills what depends on all devices, once they are fitted. */
void ert_extras_fit_machine(struct ert_ceilings *ceilings);

/* Adds a ceiling to a device's list (ert_ceiling_add()), for those who need not live without memory. */
struct ert_ceiling *ert_extras_add(struct ert_device_ceilings *out,
                                   enum ert_ceiling_kind kind);

/* Appends to the list of what is not measured, unless the name is already there. */
void ert_extras_not_measured(struct ert_device_ceilings *out, const char *name,
                             const char *reason);

/*
 * Adds a ceiling of the kind with the point's value, at a level (or NULL), and judges it. Returns NULL for a
 * point without samples, which the list of what is not measured then notes.
 */
struct ert_ceiling *ert_extras_add_point(struct ert_extras *extras,
                                         enum ert_ceiling_kind kind,
                                         const struct ert_point *point,
                                         const struct ert_level *level, const char *format,
                                         ...) __attribute__((format(printf, 5, 6)));

/* The rate function for a point's samples, and its unit. */
ert_rate ert_extras_rate(const struct ert_point *point, enum ert_unit *unit);

/*
 * The level in whose range the point's set lies on its path, or NULL, also without a path. On CPUs the
 * range is that of the caches that the point's threads reach (spec.concurrency). Buffers
 * bound to a memory (spec.to) belong to its level. A point that was never prepared has its planned set.
 */
const struct ert_level *ert_extras_level(const struct ert_extras *extras,
                                         const struct ert_point *point);

/* Writes the name of the point's ceiling, "fp64-fma" or "L2-load"; false, and "load", without a level. */
bool ert_extras_name(const struct ert_point *point, const struct ert_level *level,
                     char name[32]);

/* The other end of a link: the id of a GPU, "host" (to: 0), or the number of one that is not listed. */
void ert_extras_far_end(const struct ert_extras *extras, uint32_t to, char text[16]);

#endif
