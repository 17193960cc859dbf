/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * concurrency: how many threads, or warps per SM, the concurrency section measures with.
 */
#ifndef ERT_EXT_SECTIONS_CONCURRENCY_H
#define ERT_EXT_SECTIONS_CONCURRENCY_H

#include "ert/core/sweep/sets.h"

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

#endif
