/*
 * common: what several formats need: which device, which ceilings of it, and refusing options and
 * profiles that a format has no place for. Private to export.
 */
#ifndef RFL_EXPORT_COMMON_H
#define RFL_EXPORT_COMMON_H

#include "analysis/export/export.h"

#include <stdbool.h>
#include <stddef.h>

/* Which devices a format is for. */
enum rfl_export_for { RFL_EXPORT_FOR_ANY, RFL_EXPORT_FOR_CPU, RFL_EXPORT_FOR_GPU };

/* A device and its ceilings; both the ceilings file's. */
struct rfl_export_device {
    const struct ert_device *machine;
    const struct ert_device_ceilings *ceilings;
};

/*
 * The device of options->device, or the first that the format is for and that has ceilings.
 * ERT_USAGE for an id that is not there or is of the other kind; ERT_UNAVAILABLE when there is none.
 */
enum ert_status rfl_export_pick(const struct ert_ceilings *ceilings,
                                const struct rfl_export_options *options,
                                enum rfl_export_for kind, const char *format,
                                struct rfl_export_device *device, struct ert_error *error);

/*
 * For formats that hold several devices: [*first, *last) of ceilings->devices, one with
 * options->device, else all. ERT_UNAVAILABLE when none of them has a ceiling.
 */
enum ert_status rfl_export_range(const struct ert_ceilings *ceilings,
                                 const struct rfl_export_options *options,
                                 const char *format, size_t *first, size_t *last,
                                 struct ert_error *error);

/* The i-th device of the ceilings. */
struct rfl_export_device rfl_export_at(const struct ert_ceilings *ceilings, size_t index);

/* ERT_USAGE when profiles, or a type, were given to a format that has no place for them. */
enum ert_status rfl_export_no_points(const struct rfl_points *points, const char *format,
                                     struct ert_error *error);
enum ert_status rfl_export_no_type(const struct rfl_export_options *options,
                                   const char *format, struct ert_error *error);

/* options->type, or "fp64". */
const char *rfl_export_type(const struct rfl_export_options *options);

/*
 * The peak of the chosen type: its FMA, or the highest where it has none. ERT_USAGE for a type that
 * the user gave and the device has no peak of, which lists those it has, and for one of which the
 * operations are no FLOPs; ERT_UNAVAILABLE when it was not given.
 */
enum ert_status rfl_export_peak(const struct rfl_export_device *device,
                                const struct rfl_export_options *options,
                                const char *format, const struct ert_compute_ceiling **peak,
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
 * Up to ERT_MAX_LEVELS roofs of caches and memories, fastest first; scratchpads (a GPU's shared
 * memory) only where asked for. Returns how many.
 */
size_t rfl_export_roofs(const struct rfl_export_device *device, bool scratchpads,
                        const struct ert_memory_ceiling *roofs[ERT_MAX_LEVELS]);

/* "flop", "op" or "inst": what the operations of a type are called. */
const char *rfl_export_operation(const char *type);

/* Writes a text with each byte of `special` behind a backslash, newlines as \n; no other control
 * characters. */
void rfl_export_escaped(FILE *out, const char *text, const char *special);

/* Seconds since 1970 of ceilings->created ("2026-11-21T03:10:00Z"); 0 when it is no date. */
double rfl_export_epoch(const struct ert_ceilings *ceilings);

/* Each format's row, in its own file. */
extern const struct rfl_exporter rfl_export_csv, rfl_export_markdown, rfl_export_json_lines,
    rfl_export_prometheus, rfl_export_reframe, rfl_export_ert_json, rfl_export_nersc,
    rfl_export_ncu_section, rfl_export_kerncraft, rfl_export_carm;

#endif
