/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * import: reads profiles of other tools as points. A format is one file and its line in formats.def; only
 * that file knows the tool. Importers read line by line (lines.h): profiles can be larger than memory. They
 * never guess: an unknown unit, column or group is an error that names it; if a counter is missing, the point
 * lacks its level, with the reason.
 */
#ifndef RFL_IMPORT_H
#define RFL_IMPORT_H

#include "analysis/core/points/points.h"
#include "analysis/core/points/reader.h"
#include "ert/core/machine/machine.h"
#include "ert/ext/base/lines.h"

struct rfl_import_options {
    bool list;          /* one point per launch; else launches of a kernel are summed */
    const char *region; /* only kernels or regions with this in their name; NULL: all */
    /*
     * ncu: launches of a kernel are summed by grid and block, over all processes and devices; names are
     * unchanged, and a point's run is its rfl_launch_configuration().
     */
    bool by_configuration;
    bool without_first; /* then: without the first of a grid and block that has others */
};

/* The launch configuration of a kernel, stored in `strings`: "grid (8, 1, 1), block (256, 1, 1)". */
const char *rfl_launch_configuration(struct ert_strings *strings, const char *grid,
                                     const char *block);

/* A profile while it is read: its lines, and the set of points, in which its own begin at `first`. */
struct rfl_import {
    const struct rfl_importer *importer;
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
    enum rfl_profiled device;
    /* Whether the first bytes of a file (NUL-terminated, at most 64 KiB) are of this format. */
    bool (*recognizes)(const char *head);
    /*
     * Converts a binary file to text (malloc; the caller frees it) with the tool that wrote it; *text stays
     * NULL if the file is text. NULL: all files are text.
     */
    enum ert_status (*convert)(const char *file, char **text, struct ert_error *error);
    /* Appends the file's points. Errors name file, row and column. */
    enum ert_status (*read)(const struct rfl_import *in, struct ert_error *error);
    /*
     * For tools that write a kernel's counts and times to separate files: joins a point of this file with one
     * of an earlier file, by name and run; false: they do not match. NULL: never joins.
     */
    bool (*join)(struct rfl_point *earlier, const struct rfl_point *later);
    /* Notes in its points how to count on this CPU what they lack. NULL: no advice. */
    void (*advise)(struct rfl_points *points, const struct ert_cpu *cpu);
};

#define RFL_IMPORTER(name) extern const struct rfl_importer rfl_import_##name;
#include "analysis/ext/import/formats.def"

/* All formats; *n: how many. */
const struct rfl_importer *const *rfl_importers(size_t *n);

/* ERT_USAGE lists the formats. */
enum ert_status rfl_importer_find(const char *name, const struct rfl_importer **importer,
                                  struct ert_error *error);

/* Reads all lines with the importer and appends their points. */
enum ert_status rfl_import_lines(const struct rfl_importer *importer,
                                 struct ert_lines *lines,
                                 const struct rfl_import_options *options,
                                 struct rfl_points *points, struct ert_error *error);

/*
 * Appends the points of a file, sets their source and format, and checks them (rfl_points_judge). importer
 * NULL: recognizes the format, also points.json; ERT_USAGE when no importer recognizes the file, or several.
 */
enum ert_status rfl_import_file(const char *file, const struct rfl_importer *importer,
                                const struct rfl_import_options *options,
                                struct rfl_points *points, struct ert_error *error);

/*
 * Of struct rfl_reader (names.c). Names are without return type, scopes, template arguments and parameters:
 * "void ns::f<4, float>(int)" gives "f". Names that would be equal get the template arguments that tell them
 * apart, without scopes: "void at::native::f<4, at::native::Add<float>>(int)" beside
 * "...::f<4, at::native::Mul>(int)" gives "f<Add<float>>". Too long a name loses its end or, if the end tells
 * it apart, its middle.
 */
void rfl_names_shorten(struct ert_strings *strings, const char *const *names, size_t n,
                       size_t width, const char **texts);

#endif
