/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf: which events of `perf stat` count operations and memory on a CPU (perf_recipes.def), in the words
 * that the importer perf reads.
 */
#ifndef RFL_IMPORT_PERF_H
#define RFL_IMPORT_PERF_H

#include "ert/machine/machine.h"

struct rfl_perf_recipe {
    const char *cpus;   /* "AMD Zen 5" */
    const char *hint;   /* events of FP64 behind -e, as people type them */
    const char *memory; /* options that count the whole machine's memory, behind -a */
    const char *fp64,
        *fp32; /* what counts a type and fits into a core's counters; "": nothing of its own */
    const char *vendor;
    struct {
        uint32_t family, first, last;
    } models[3]; /* inclusive; family 0: none */
};

/* NULL: no events are known for this CPU. */
const struct rfl_perf_recipe *rfl_perf_recipe(const struct ert_cpu *cpu);

#endif
