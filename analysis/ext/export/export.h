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
    const char *device; /* "gpu0"; NULL: all */
    bool force;         /* also ceilings of a run that was not valid */
};

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
    FILE *out;
};

struct rfl_exporter {
    const char *name;      /* "csv" */
    const char *summary;   /* "all ceilings, one row each, in SI units" */
    const char *extension; /* ".csv" */
    void (*write)(const struct rfl_export *export);
};

#define RFL_EXPORTER(name) extern const struct rfl_exporter rfl_export_##name;
#include "analysis/ext/export/formats.def"

/* All formats; *n: how many. */
const struct rfl_exporter *const *rfl_exporters(size_t *n);

/* ERT_USAGE lists the formats. */
enum ert_status rfl_exporter_find(const char *name, const struct rfl_exporter **exporter,
                                  struct ert_error *error);

/*
 * Writes to out. ERT_NOT_VALID, with the reason, for ceilings of a run that was not valid: who reads the file
 * may not see it (options->force: they are marked). ERT_UNAVAILABLE when there are no ceilings.
 */
enum ert_status rfl_export_write(const struct rfl_exporter *exporter,
                                 const struct ert_ceilings *ceilings,
                                 const struct rfl_export_options *options, FILE *out,
                                 struct ert_error *error);

/* For use by the formats. */

/*
 * A ceiling's key in three words of a table, which the ceiling owns: type, operation, unit; level, pattern,
 * ""; of other kinds level or from, pattern or ceiling, to.
 */
struct rfl_key_words {
    const char *of, *how, *on;
};
struct rfl_key_words rfl_key_words(const struct ert_ceiling *ceiling);

#endif
