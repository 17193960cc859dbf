/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf: the events of `perf stat` that count operations and memory traffic on a CPU (perf_recipes.def), as
 * the importer perf reads them.
 */
#ifndef RFL_IMPORT_PERF_H
#define RFL_IMPORT_PERF_H

#include "ert/core/machine/machine.h"

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
