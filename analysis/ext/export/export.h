/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * export: writes ceilings in the formats of other tools. A format is one file and its line in
 * formats.def; only that file knows the tool. Unknown values are left out if the format allows it, else
 * written as the format's own word for "unknown".
 */
#ifndef RFL_EXPORT_H
#define RFL_EXPORT_H

#include "ert/core/base/text.h"
#include "ert/core/ceilings/ceilings.h"

struct rfl_export_options {
    const char *device; /* "gpu0"; NULL: all, or the first that the format is for */
    const char *type;   /* "fp32", for a format with one type; NULL: fp64 */
    bool force;         /* also ceilings of a run that was not valid */
};

/* The devices in a file: all that have ceilings, or one, of any kind or a GPU. */
enum rfl_export_devices { RFL_EXPORT_ALL, RFL_EXPORT_ONE, RFL_EXPORT_ONE_GPU };

/* A device and its ceilings; the ceilings file owns both. */
struct rfl_export_device {
    const struct ert_device *machine;
    const struct ert_device_ceilings *ceilings;
};

/* What a format writes, and where. At least one of the devices has a ceiling. */
struct rfl_export {
    const struct ert_ceilings *ceilings;
    struct rfl_export_device devices[ERT_MAX_DEVICES];
    size_t n_devices;
    const char *type; /* from the options; NULL: not given */
    FILE *out;
};

struct rfl_exporter {
    const char *name;      /* "ncu-section" */
    const char *summary;   /* "Nsight Compute section file: ncu --section-folder DIR ..." */
    const char *extension; /* ".section" */
    enum rfl_export_devices devices;
    bool takes_type;
    /* ERT_UNAVAILABLE with the reason when there is nothing that the format can express. */
    enum ert_status (*write)(const struct rfl_export *export, struct ert_error *error);
};

#define RFL_EXPORTER(name) extern const struct rfl_exporter rfl_export_##name;
#include "analysis/ext/export/formats.def"

/* All formats; *n: how many. */
const struct rfl_exporter *const *rfl_exporters(size_t *n);

/* ERT_USAGE lists the formats. */
enum ert_status rfl_exporter_find(const char *name, const struct rfl_exporter **exporter,
                                  struct ert_error *error);

/*
 * Writes to out. ERT_NOT_VALID, with the reason, for ceilings of a run that was not
 * valid: who reads the file may not see it (options->force: they are marked). ERT_USAGE for options
 * that the format cannot express; ERT_UNAVAILABLE when it can express none of the ceilings. Errors
 * begin with the format's name.
 */
enum ert_status rfl_export_write(const struct rfl_exporter *exporter,
                                 const struct ert_ceilings *ceilings,
                                 const struct rfl_export_options *options, FILE *out,
                                 struct ert_error *error);

/* For use by the formats. */

/* " (NOT VALID)" for a device whose run was not valid, which only --force exports; "" else. */
const char *rfl_export_mark(const struct rfl_export_device *device);

/* They select a device's ceilings. */

/*
 * The peak of that type on the first device: of FMA, or the highest without FMA. ERT_USAGE, with the device's
 * types, when it has no peak of the type that the options give, and when the type's operations are not FLOPs;
 * ERT_UNAVAILABLE when it has no peak of the default type.
 */
enum ert_status rfl_export_peak(const struct rfl_export *export,
                                const struct ert_ceiling **peak, struct ert_error *error);

/* The best ceiling of a type and operation, or NULL. */
const struct ert_ceiling *rfl_export_compute(const struct rfl_export_device *device,
                                             const char *type, const char *op);

/* The ceiling of a level and pattern (NULL: its one number: the loads, else its roof), or NULL. */
const struct ert_ceiling *rfl_export_level(const struct rfl_export_device *device,
                                           const char *level, const char *pattern);

/* The first level of the kind memory (of several the fastest: MCDRAM, HBM), or NULL. */
const char *rfl_export_memory(const struct rfl_export_device *device);

/*
 * The roofs of the first device's caches and memories, without a GPU's shared memory, fastest first; *n: how
 * many. ERT_UNAVAILABLE when there is none.
 */
enum ert_status rfl_export_roofs(const struct rfl_export *export,
                                 const struct ert_ceiling *roofs[ERT_MAX_LEVELS], size_t *n,
                                 struct ert_error *error);

#endif
