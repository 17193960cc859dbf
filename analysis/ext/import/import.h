/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * import: reads profiles of other tools as points. A format is one file and its line in formats.def; only
 * that file knows the tool. Importers read line by line (lines.h): profiles can be larger than memory. They
 * never guess: an unknown unit, column or group is an error that names it; if a counter is missing, the point
 * lacks its level, with the reason.
 */
#ifndef RFL_IMPORT_H
#define RFL_IMPORT_H

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
    double cc;          /* compute capability of launches whose file has none; 0: unknown */
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

/* ---- the text of a profile (input.c) ---- */

/* The key of the events of a trace (kineto.c), which can be too large to be searched for a schema. */
#define RFL_TRACE_KEY "\"traceEvents\""

/* Of the results of LBNL's ERT, which are ceilings. */
#define RFL_LBNL_KEY "\"empirical\":"

/* Enough of a file to tell its format. */
enum { RFL_HEAD_BYTES = 1 << 16 };

/*
 * Reads the first bytes of a file to head[size], with a NUL and, of one of our JSON files, its schema,
 * wherever it is. *text (malloc; the caller's): all of it, if it is a pipe; NULL: the file can be read as it
 * is. ERT_USAGE if it cannot be read, or is UTF-16.
 */
enum ert_status rfl_input_read(const char *file, char *head, size_t size, char **text,
                               struct ert_error *error);

/* The same first bytes, without the rest; of a pipe, which can be read only once, none. */
enum ert_status rfl_head_read(const char *file, char *head, size_t size,
                              struct ert_error *error);

/* Why importers cannot read a text: Python does, tags of a launcher, another separator; NULL: unknown. */
const char *rfl_input_cause(const char *head);

/* ---- several files (combine.c) ---- */

/*
 * RFL_RANKS: files of processes that ran at the same time. Of points with one name the work is summed, and
 * the time is the longest; the value rank_imbalance is its excess over the mean. What any of them lacks, the
 * sum lacks. RFL_JOIN: files of tools that each ran the same program. A point has what the first file with
 * it says; points of one name are one, and so are all where each file has one. ERT_USAGE where nothing has
 * a counterpart in another file.
 */
enum ert_status rfl_points_combine(struct rfl_points *points, enum rfl_combining how,
                                   struct ert_error *error);

/*
 * Makes DRAM's bytes of those of its channels 0 to 3 and 4 to 7, which likwid counts in runs of their own on
 * AMD's Zen 3 (values "dram_bytes_channels_0_3" and "dram_bytes_channels_4_7"), if the point has both.
 */
void rfl_halves_join(struct rfl_point *point);

/* ---- events of `perf stat` (perf_recipes.def) ---- */

struct rfl_perf_recipe {
    const char *cpus;   /* "AMD Zen 5" */
    const char *hint;   /* events of FP64 to type after -e */
    const char *memory; /* options after -a that count the whole machine's memory traffic */
    const char *fp64,
        *fp32; /* events of a type that fit into a core's counters; "": none */
    const char *vendor;
    struct {
        uint32_t family, first, last;
    } models[3]; /* inclusive; family 0: none */
};

/* NULL: no events are known for this CPU. */
const struct rfl_perf_recipe *rfl_perf_recipe(const struct ert_cpu *cpu);

#endif
