/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * import: profiles of other tools as points. A format is one file and its line in formats.def; the file
 * knows its tool, and nothing else does. Importers read line by line (lines.h): profiles can be larger
 * than memory. They never guess: a unit, column or group that is not known is an error that names
 * it; a counter that is missing leaves its level out of the point, with the reason.
 */
#ifndef RFL_IMPORT_H
#define RFL_IMPORT_H

#include "analysis/points.h"
#include "ert/base/lines.h"
#include "ert/machine/machine.h"

struct rfl_import_options {
    bool list; /* each launch a point of its own; else launches of a kernel are summed */
    const char
        *l2; /* ncu: "sm" (bytes to and from the SMs) or "lts" (lts__t_bytes); NULL: sm
                         where it was counted */
    const char *region; /* only kernels or regions with this in their name; NULL: all */
    /*
     * ncu: launches of a kernel are summed by grid and block, those of all processes and devices; names stay
     * as they are, and a point's run is its rfl_launch_configuration().
     */
    bool by_configuration;
    bool
        without_first; /* then: the first launch of a grid and block only where it has no other */
};

/* What tells launches of a kernel apart: "grid (8, 1, 1), block (256, 1, 1)", a text of the store. */
const char *rfl_launch_configuration(struct ert_strings *strings, const char *grid,
                                     const char *block);

/* The devices that a profiler counts on. */
enum rfl_import_device { RFL_IMPORT_ANY, RFL_IMPORT_CPU, RFL_IMPORT_GPU };

/* A profile that is read: its lines, and the points that it gets, those from `first` on. */
struct rfl_import {
    const struct rfl_importer *importer; /* that reads it */
    struct ert_lines *lines;
    const struct rfl_import_options *options;
    struct rfl_points *points;
    size_t first;
};

struct rfl_importer {
    const char *name;    /* "ncu" */
    const char *summary; /* "Nsight Compute: ncu --csv, raw or details page" */
    /* How to make such a file, for the help: "ncu --csv --page raw --metrics ... > FILE". */
    const char *how;
    enum rfl_import_device device;
    /* Whether the first bytes of a file (NUL-terminated, at most 64 KiB) are of this format. */
    bool (*recognizes)(const char *head);
    /*
     * Makes the text that is read of a file that is none (malloc, the caller's), by the tool that wrote it;
     * *text stays NULL where the file is text. NULL: it always is.
     */
    enum ert_status (*convert)(const char *file, char **text, struct ert_error *error);
    /* Appends the file's points. Errors name file, row and column. */
    enum ert_status (*read)(const struct rfl_import *in, struct ert_error *error);
    /*
     * Counts and times of a kernel come in separate files: its points of this file are joined with
     * those of earlier ones, by name and run. NULL: never. False: these are not joined.
     */
    bool (*join)(struct rfl_point *earlier, const struct rfl_point *later);
    /* Says in its points what would count on this CPU what they lack. NULL: nothing to say. */
    void (*advise)(struct rfl_points *points, const struct ert_cpu *cpu);
};

#define RFL_IMPORTER(name) extern const struct rfl_importer rfl_import_##name;
#include "analysis/import/formats.def"

/* All; *n of them. */
const struct rfl_importer *const *rfl_importers(size_t *n);

/* ERT_USAGE names those that there are. */
enum ert_status rfl_importer_find(const char *name, const struct rfl_importer **importer,
                                  struct ert_error *error);

/* Appends the points of the lines to the end, as the importer reads them. */
enum ert_status rfl_import_lines(const struct rfl_importer *importer,
                                 struct ert_lines *lines,
                                 const struct rfl_import_options *options,
                                 struct rfl_points *points, struct ert_error *error);

/*
 * Appends the points of a file, their source and format set, and judges them. importer NULL: the
 * format is recognized, points.json too; ERT_USAGE when none or, naming them, several do.
 */
enum ert_status rfl_import_file(const char *file, const struct rfl_importer *importer,
                                const struct rfl_import_options *options,
                                struct rfl_points *points, struct ert_error *error);

/* Says in points what would count on this CPU what they lack. */
void rfl_import_advise(struct rfl_points *points, const struct ert_cpu *cpu);

#endif
