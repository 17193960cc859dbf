/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chain: how long operations wait for each other, as far as registers tell. Each register has the time at
 * which its value is ready: that of the operands plus the least latency of the operation on x86-64 cores
 * since Zen and Skylake, with loads from L1: additions and products 3 cycles, FMAs and loads 4, divisions 10,
 * roots 13, others 0 (Fog, "Instruction tables"). The chain is the latest of these times. What depends on
 * nothing may begin one to two windows of instructions earlier, the most that a core looks ahead, so that
 * short chains overlap as they do there. Chains through memory and through flags are not seen.
 */
#ifndef RFL_VALGRIND_CHAIN_H
#define RFL_VALGRIND_CHAIN_H

#include <emmintrin.h>
#include <pub_tool_basics.h>
#include <pub_tool_tooliface.h>

/* General registers, then vector registers. */
enum { RFL_CHAIN_GENERAL = 16, RFL_CHAIN_REGISTERS = 2 * RFL_CHAIN_GENERAL };

/* Lengths of two chains: the cycles of one and the loads of another; whole numbers. */
typedef __m128d rfl_chain;

/* Of a thread: its registers, as they were when the running block began, and 0; zeroed at first. */
struct rfl_chains {
    rfl_chain ready[2 * RFL_CHAIN_REGISTERS + 1];
    rfl_chain latest, last_window, least; /* least: when a value of now may begin */
    ULong instructions;                   /* of this window */
};

/* A way from one of these registers to one at the segment's end; is_more: not the first to that one. */
struct rfl_way {
    rfl_chain length;
    UShort to, from, is_more;
};

/* What a segment of a block does to the registers. */
struct rfl_ways {
    UInt n, n_kept, instructions;
    UChar kept[RFL_CHAIN_REGISTERS]; /* registers, as they are when the block begins */
    struct rfl_way at[];
};

/* Begins a block, and takes its statements in their order. */
void rfl_chain_begin(void);
void rfl_chain_take(const IRTypeEnv *types, const IRStmt *statement);

/* The ways from the block's begin to here; the caller frees them. NULL: no register has changed. */
struct rfl_ways *rfl_chain_ways(ULong instructions);

/* Runs a segment; returns what the chains grow by. */
rfl_chain rfl_chain_run(struct rfl_chains *chains, const struct rfl_ways *ways);

#endif
