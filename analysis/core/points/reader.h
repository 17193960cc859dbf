/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reader: reads files that users give, ceilings or profiles. The core knows ceilings.json and points.json; an
 * extension that knows other programs' files defines rfl_reader.
 */
#ifndef RFL_POINTS_READER_H
#define RFL_POINTS_READER_H

#include "analysis/core/points/points.h"
#include "ert/core/base/error.h"
#include "ert/core/ceilings/ceilings.h"

#include <stdbool.h>

/* The kind of device that a format profiles. */
enum rfl_profiled { RFL_PROFILED_ANY, RFL_PROFILED_CPU, RFL_PROFILED_GPU };

struct rfl_reading {
    const char *format; /* "ncu"; NULL: recognized by content */
    const char *region; /* only kernels or regions with this in their name; NULL: all */
    bool list;          /* one point per launch; else launches of a kernel are summed */
    double cc; /* compute capability of a GPU's profile that has none; 0: unknown */
};

/* Several files: as they are; processes that ran at once, summed; tools that ran the program; an error. */
enum rfl_combining { RFL_APART, RFL_RANKS, RFL_JOIN, RFL_BOTH };

/* The functions below, for all formats that the extension knows and for the core's. */
struct rfl_reader {
    enum ert_status (*profile)(const char *file, const struct rfl_reading *how,
                               struct rfl_points *points, struct ert_error *error);
    enum ert_status (*any)(const char *file, struct ert_ceilings *ceilings,
                           struct rfl_points *points, bool *is_ceilings,
                           struct ert_error *error);
    enum ert_status (*combine)(struct rfl_points *points, enum rfl_combining how,
                               struct ert_error *error);
    enum rfl_profiled (*profiled)(const char *format);
    void (*advise)(struct rfl_points *points, const struct ert_cpu *cpu);
    void (*shorten)(struct ert_strings *strings, const char *const *names, size_t n,
                    size_t width, const char **texts);
};

/* All NULL: this build has no such extension. */
extern const struct rfl_reader rfl_reader;

/* Appends the points of a profile. ERT_USAGE for a file or a format that is not known. */
enum ert_status rfl_profile_read(const char *file, const struct rfl_reading *how,
                                 struct rfl_points *points, struct ert_error *error);

/*
 * Reads a file: ceilings, which the caller frees (ert_ceilings_free), or a profile, whose points are
 * appended. *is_ceilings tells which. ERT_USAGE as the readers.
 */
enum ert_status rfl_file_read(const char *file, struct ert_ceilings *ceilings,
                              struct rfl_points *points, bool *is_ceilings,
                              struct ert_error *error);

/* RFL_PROFILED_ANY where it is not known. */
enum rfl_profiled rfl_format_profiled(const char *format);

/* Notes in points how to count on this CPU what they lack, where that is known. */
void rfl_profile_advise(struct rfl_points *points, const struct ert_cpu *cpu);

/*
 * Names of n kernels for labels, stored in `strings`, of at most `width` bytes (16 to 1023): different for
 * different kernels if the extension can tell how; without it cut.
 */
void rfl_names_short(struct ert_strings *strings, const char *const *names, size_t n,
                     size_t width, const char **texts);

#define RFL_POINTS_SCHEMA "ert-points/1"

/* Whether a text begins like such a file, or like one of `roofline place`, which has the same keys. */
bool rfl_points_recognizes(const char *head);

/* Appends the points of a file. ERT_USAGE names file, path, value and limit. */
enum ert_status rfl_points_read(const char *file, struct rfl_points *points,
                                struct ert_error *error);

#endif
