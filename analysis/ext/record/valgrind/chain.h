/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chain: how long operations wait for each other. In a block of code each register's value at the end depends
 * on registers at its begin; what leads from a register to itself is a chain that repeats with the block. Its
 * length is the sum of the least latencies of its operations on x86-64 cores since Zen and Skylake, with
 * loads from L1: additions and products 3 cycles, FMAs and loads 4, divisions 10, roots 13, others 0 (Fog,
 * "Instruction tables"). Chains through memory are not seen, nor those whose registers change within a loop
 * of several blocks; those that begin anew after few rounds, as sums of short rows, overlap in truth.
 */
#ifndef RFL_VALGRIND_CHAIN_H
#define RFL_VALGRIND_CHAIN_H

#include <pub_tool_basics.h>
#include <pub_tool_tooliface.h>

/* The longest chain so far, and the loads on the one with most. */
struct rfl_chain {
    ULong cycles, loads;
};

/* Begins a block, and takes its statements in their order. */
void rfl_chain_begin(void);
void rfl_chain_take(const IRTypeEnv *types, const IRStmt *statement);

/* What the chains have grown by since the last call. */
struct rfl_chain rfl_chain_grown(void);

#endif
