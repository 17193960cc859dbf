/*
 * roofs_parts: the conditions that roofs are taken to, each noted. Private to roofs.
 */
#ifndef RFL_ROOFS_PARTS_H
#define RFL_ROOFS_PARTS_H

#include "analysis/roofs.h"

/* Adds a note, cut at its room. */
void rfl_roofs_note(struct rfl_roofs *roofs, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Names in a note, "L1-load, L2-load and 7 more"; all zero at first. */
struct rfl_names {
    char text[160];
    size_t used, n, left_out;
};

void rfl_roofs_name(struct rfl_names *names, const char *name);

/* Adds the note "before: names", unless there are none. */
void rfl_roofs_note_names(struct rfl_roofs *roofs, const char *before,
                          const struct rfl_names *names);

/* Multiply value and interval. */
void rfl_roofs_scale_bandwidth(struct rfl_bandwidth *roof, double factor);
void rfl_roofs_scale_peak(struct rfl_peak *roof, double factor);

/* Puts theoretical peaks in the place of measured values, where options ask and there are such. */
void rfl_roofs_at_theory(const struct ert_device_ceilings *from,
                         const struct rfl_roofs_options *options, struct rfl_roofs *roofs);

/* Rescales to the options' clocks; device may be NULL. */
void rfl_roofs_at_clock(const struct ert_device_ceilings *from,
                        const struct ert_device *device,
                        const struct rfl_roofs_options *options, struct rfl_roofs *roofs);

/* Lowers to what the options' warps per SM or threads reached in the sweep. */
void rfl_roofs_at_concurrency(const struct ert_device_ceilings *from,
                              const struct rfl_roofs_options *options,
                              struct rfl_roofs *roofs);

#endif
