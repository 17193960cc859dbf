/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chase: the CPU kernel of latencies, a walk of one thread through all lines of a set.
 */
#ifndef ERT_EXT_SECTIONS_CHASE_H
#define ERT_EXT_SECTIONS_CHASE_H

#include "ert/core/backend/cpu/session.h"

/*
 * The position in the set, in lines, of the step-th line of a cycle through n_lines lines: a seeded
 * permutation of 0 ... n_lines - 1. step is taken modulo n_lines.
 */
uint64_t ert_cpu_chase_line(uint64_t seed, uint64_t n_lines, uint64_t step);

/* Dependent loads of one pass of the chase: 6 us where a load takes 5 clocks, 0.5 ms in DRAM. */
enum { ERT_CPU_CHASE_STEPS = 4096 };

#endif
