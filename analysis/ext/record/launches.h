/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launches: kernels, copies and fills of a program's GPUs by class, with the times that the library of
 * analysis/ext/record/cupti measured without a profiler. It places and profiles nothing.
 */
#ifndef RFL_RECORD_LAUNCHES_H
#define RFL_RECORD_LAUNCHES_H

#include "ert/core/base/error.h"
#include "ert/core/base/strings.h"

#include <stdbool.h>
#include <stddef.h>

/* The launches, in all processes, of one kernel with one grid and block on one device. */
struct rfl_launch_class {
    const char *name, *mangled; /* owned by the set: equal texts are one pointer */
    const char *device;         /* CUDA's number of it within the process */
    const char *grid, *block;   /* "(256, 1, 1)", as ncu writes them; "" for copies */
    bool is_kernel;             /* else a copy or a fill */
    double launches, time_s;    /* sums */
    double time_s2;             /* sum of the squared times of launches */
    double bytes;               /* copies and fills */
    double registers;           /* kernels: per thread */
};

struct rfl_launches {
    size_t n, capacity;
    struct rfl_launch_class *classes; /* malloc, owned; longest time first */
    struct ert_strings strings;
    size_t n_files;   /* processes that used CUDA */
    size_t n_devices; /* that ran something */
    double time_s;    /* of all classes */
    double n_dropped; /* launches without a known time */
};

/* Reads all files BASE.*, if there are any. ERT_USAGE for files in another format. */
enum ert_status rfl_launches_read(const char *base, struct rfl_launches *launches,
                                  struct ert_error *error);

/* Removes the files of an earlier recording. */
void rfl_launches_remove(const char *base);

/* Standard deviation of the launches' times / their mean; 0 if all times are equal. */
double rfl_launches_spread(const struct rfl_launch_class *class);

/* Accepts an all-zero struct. */
void rfl_launches_free(struct rfl_launches *launches);

#endif
