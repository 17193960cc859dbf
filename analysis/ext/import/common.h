/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * common: what several importers need: cells of tables, which kernel of a profile a row belongs to, plain
 * names of GPU kernels, and regions timed by another tool. Private to import.
 */
#ifndef RFL_IMPORT_COMMON_H
#define RFL_IMPORT_COMMON_H

#include "analysis/ext/import/import.h"

/* The types of operations that counters of CPUs tell apart; a format's sums and rows have this order. */
enum { RFL_N_FP_TYPES = 3 };
extern const char *const rfl_fp_types[RFL_N_FP_TYPES];

/* A number as it was printed. */
struct rfl_cell {
    double value;    /* 0 without a number */
    const char *why; /* there is no number: "row 3: '-'", of the points; NULL: there is */
    unsigned digits; /* significant ones */
    bool is_nan;
};

/*
 * Reads a cell of the current line. What is no number is no error, but a cell with a reason, and so is one of
 * 2^63 or more: a counter that was read before it began, or overflowed. ERT_USAGE for a number of another
 * locale, since then all others are in doubt.
 */
enum ert_status rfl_cell_read(const struct rfl_import *in, const char *what,
                              const char *text, struct rfl_cell *cell,
                              struct ert_error *error);

/* The number, from 0, of a profile's kernel with this name and run; a new one gets the next. */
size_t rfl_kernel_number(struct ert_strings *kernels, const char *name, const char *run);

/* Returns ERT_USAGE: the driver denied access to the GPU's counters (ERR_NVGPUCTRPERM), and what helps. */
enum ert_status rfl_kernels_forbidden(const char *file, struct ert_error *error);

/*
 * Call it when all kernels of a profile are read: removes the run if all have the same one, and makes names
 * plain, unless two different ones would become equal. " #12" at the end of a name stays.
 */
void rfl_kernels_end(const struct rfl_import *in);

/*
 * Whether a region's counts and a region of rfl_region.h's file (`times`) have the same name. Then `counts`
 * gets the file's seconds, which no profiler lengthened, and the work that the author stated: in place of
 * what was not counted, else as values ("author_flops", "author_bytes").
 */
bool rfl_region_join(struct rfl_point *counts, const struct rfl_point *times);

/*
 * A copy (malloc; the caller frees it) of a kernel's name without "void", parameters and what follows them:
 * "void ns::f<4, float>(int) const" gives "ns::f<4, float>". Names that are not C++ signatures are unchanged:
 * "v0 (baseline)".
 */
char *rfl_name_plain(const char *name);

#endif
