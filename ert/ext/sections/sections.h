/* SPDX-License-Identifier: BSD-3-Clause */
/* sections: the parts of the sections that can be examined alone. */
#ifndef ERT_EXT_SECTIONS_SECTIONS_H
#define ERT_EXT_SECTIONS_SECTIONS_H

#include "ert/core/backend/cpu/session.h"
#include "ert/core/sweep/sets.h"

/* concurrency.c: how many threads, or warps per SM, the concurrency section measures with. */

enum { ERT_MAX_COUNTS = 64 };

/*
 * Writes the counts of the concurrency section, ascending; returns how many. On CPUs threads: 1 to 8, then
 * factors of 1.5 and 1.33 in turn (12, 16, 24 ...), the cores of one package, 1, 2 ... threads on each core
 * (SMT), and the maximum. On GPUs warps per SM: 1, 2, 4, 8, 12, 16, 24, 32, 48, 64 up to what an SM holds.
 */
size_t ert_counts_list(const struct ert_context *context, uint32_t counts[ERT_MAX_COUNTS]);

/*
 * Whether `threads` threads share a level and all caches before it evenly: if one package or cluster is
 * full and another half full, equal shares of a set are unequal shares of the caches. GPUs: true.
 */
bool ert_counts_even(const struct ert_device *device, const struct ert_level *level,
                     uint32_t threads);

/* chase.c: the CPU kernel of latencies, a walk of one thread through all lines of a set. */

/*
 * The position in the set, in lines, of the step-th line of a cycle through n_lines lines: a seeded
 * permutation of 0 ... n_lines - 1. step is taken modulo n_lines.
 */
uint64_t ert_cpu_chase_line(uint64_t seed, uint64_t n_lines, uint64_t step);

/* Dependent loads of one pass of the chase: 6 us where a load takes 5 clocks, 0.5 ms in DRAM. */
enum { ERT_CPU_CHASE_STEPS = 4096 };

#endif
