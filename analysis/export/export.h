/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * export: ceilings and points in the formats of other tools. A format is one file and its line in
 * formats.def; the file knows its tool, and nothing else does. What a format needs and we do not know
 * is left out where the format allows it, else written as the format's own word for "unknown".
 */
#ifndef RFL_EXPORT_H
#define RFL_EXPORT_H

#include "analysis/points.h"
#include "ert/base/text.h"
#include "ert/ceilings/ceilings.h"

struct rfl_export_options {
    const char *device; /* "gpu0"; NULL: all, or the first that the format is for */
    const char *type;   /* "fp32", of a format that holds one type; NULL: fp64 */
};

/* The devices of a file: all that the ceilings have, or one, of any kind or of one kind. */
enum rfl_export_devices {
    RFL_EXPORT_ALL,
    RFL_EXPORT_ONE,
    RFL_EXPORT_ONE_CPU,
    RFL_EXPORT_ONE_GPU
};

/* A device and its ceilings; both the ceilings file's. */
struct rfl_export_device {
    const struct ert_device *machine;
    const struct ert_device_ceilings *ceilings;
};

/* What a format writes, and where to. At least one of the devices has a ceiling. */
struct rfl_export {
    const struct ert_ceilings *ceilings;
    struct rfl_export_device devices[ERT_MAX_DEVICES];
    size_t n_devices;
    const struct rfl_points *points; /* empty unless the format takes them */
    const char *type;                /* of the options; NULL: none was chosen */
    FILE *out;
};

struct rfl_exporter {
    const char *name;      /* "ncu-section" */
    const char *summary;   /* "Nsight Compute section file: ncu --section-folder DIR ..." */
    const char *extension; /* ".section" */
    enum rfl_export_devices devices;
    bool takes_type, takes_points;
    /* ERT_UNAVAILABLE with the reason when there is nothing that the format has a place for. */
    enum ert_status (*write)(const struct rfl_export *export, struct ert_error *error);
};

#define RFL_EXPORTER(name) extern const struct rfl_exporter rfl_export_##name;
#include "analysis/export/formats.def"

/* All; *n of them. */
const struct rfl_exporter *const *rfl_exporters(size_t *n);

/* ERT_USAGE names those that there are. */
enum ert_status rfl_exporter_find(const char *name, const struct rfl_exporter **exporter,
                                  struct ert_error *error);

/*
 * Writes to out. points may be NULL. ERT_USAGE for options and points that the format has no place for;
 * ERT_UNAVAILABLE when it has no place for any of the ceilings. Errors begin with the format's name.
 */
enum ert_status rfl_export_write(const struct rfl_exporter *exporter,
                                 const struct ert_ceilings *ceilings,
                                 const struct rfl_points *points,
                                 const struct rfl_export_options *options, FILE *out,
                                 struct ert_error *error);

/* For the formats: which of a device's ceilings, and texts. */

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

#endif
