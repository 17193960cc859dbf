/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launches: what the library of analysis/cupti saw a program's GPUs run, without a profiler: kernels, copies
 * and fills by class, with their true times. It places and profiles nothing.
 */
#ifndef RFL_RECORD_LAUNCHES_H
#define RFL_RECORD_LAUNCHES_H

#include "analysis/strings.h"
#include "ert/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Launches of one kernel with one grid and block, on one device, of all processes. */
struct rfl_launch_class {
    const char *name, *mangled; /* texts of the set: equal ones are one pointer */
    const char *device;         /* its number, as CUDA counts in the process */
    const char *grid, *block;   /* "(256, 1, 1)", as ncu writes them; "" of copies */
    bool is_kernel;             /* else a copy or a fill */
    double launches, time_s;    /* summed */
    double time_s2;             /* squares of the launches' times, summed */
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
    double n_dropped; /* launches whose time is not known */
};

/* Reads all files BASE.*; that there is none is fine. ERT_USAGE for one that is no such file. */
enum ert_status rfl_launches_read(const char *base, struct rfl_launches *launches,
                                  struct ert_error *error);

/* Removes the files of an earlier recording. */
void rfl_launches_remove(const char *base);

/* Standard deviation of the launches' times over their mean: 0 where all take as long. */
double rfl_launches_spread(const struct rfl_launch_class *class);

/* All zero is fine. */
void rfl_launches_free(struct rfl_launches *launches);

#endif
