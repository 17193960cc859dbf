/* common: what several formats need: which of a device's ceilings, and texts. Private to export. */
#ifndef RFL_EXPORT_COMMON_H
#define RFL_EXPORT_COMMON_H

#include "analysis/export/export.h"

#include <stdbool.h>
#include <stddef.h>

/* The type that was chosen, or "fp64". */
const char *rfl_export_type(const struct rfl_export *export);

/*
 * The peak of that type on the first device: its FMA, or the highest where it has none. ERT_USAGE for a
 * type that was chosen and the device has no peak of, which lists those it has, and for one of which
 * the operations are no FLOPs; ERT_UNAVAILABLE when none was chosen.
 */
enum ert_status rfl_export_peak(const struct rfl_export *export,
                                const struct ert_compute_ceiling **peak,
                                struct ert_error *error);

/* The best ceiling of a type and operation, or NULL. */
const struct ert_compute_ceiling *rfl_export_compute(const struct rfl_export_device *device,
                                                     const char *type, const char *op);

/* The ceiling of a level and pattern, with pattern NULL what stands for the level (roofs.h,
 * rfl_is_line): its loads; or NULL. */
const struct ert_memory_ceiling *rfl_export_level(const struct rfl_export_device *device,
                                                  const char *level, const char *pattern);

/* The level of the kind memory that is nearest (of several the first: MCDRAM, HBM), or NULL. */
const char *rfl_export_memory(const struct rfl_export_device *device);

/*
 * The roofs of the first device's caches and memories, fastest first, *n of them; a GPU's shared memory
 * is none. ERT_UNAVAILABLE when there is none.
 */
enum ert_status rfl_export_roofs(const struct rfl_export *export,
                                 const struct ert_memory_ceiling *roofs[ERT_MAX_LEVELS],
                                 size_t *n, struct ert_error *error);

/* "flop", "op" or "inst": what the operations of a type are called. */
const char *rfl_export_operation(const char *type);

/* Writes a text with each byte of `special` behind a backslash, newlines as \n; no other control
 * characters. */
void rfl_export_escaped(FILE *out, const char *text, const char *special);

/* Seconds since 1970 of ceilings->created ("2026-11-21T03:10:00Z"); 0 when it is no date. */
double rfl_export_epoch(const struct ert_ceilings *ceilings);

#endif
