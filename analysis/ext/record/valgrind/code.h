/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * code: which function and which innermost loop a piece of code belongs to, by symbols and debug lines, so
 * that a program is counted by both without a change of its source.
 *
 * A loop is a jump back within a function, from its head to that jump; of nested ones the one that contains
 * no other. It is called by the line of the jump, which compilers give the line of "for" or "while". Inlined
 * code belongs to the function that it is inlined into.
 */
#ifndef RFL_VALGRIND_CODE_H
#define RFL_VALGRIND_CODE_H

#include "analysis/ext/record/valgrind/cache.h"

#include <emmintrin.h>
#include <pub_tool_basics.h>
#include <pub_tool_tooliface.h>

enum { N_FP_TYPES = 2, N_WIDTHS = 3 };

/* The work of a segment, known at translation. All counts are ULong: rfl_add_all() treats it as an array. */
struct work {
    ULong instructions, load_bytes, store_bytes, streamed_bytes, x87_flops;
    ULong chain_cycles, chain_loads; /* chain.c */
    ULong flops[N_FP_TYPES][N_WIDTHS];
    ULong fma_flops[N_FP_TYPES][N_WIDTHS]; /* part of flops */
    ULong div_flops[N_FP_TYPES][N_WIDTHS]; /* part of flops: divisions and square roots */
};

struct counts {
    struct work work;
    struct rfl_moved moved;
};

void rfl_add_all(void *sum, const void *more, SizeT bytes, ULong times);

/* What a piece of code did, as far as its translation does not say it. */
struct rfl_code {
    struct rfl_code *next; /* of the same function */
    Addr begin;
    ULong times;         /* that it ran */
    struct work work;    /* each time */
    struct counts found; /* all times: what is known only as it runs */
};

/* Puts a piece of code, with its begin, into its function. Call when it is translated. */
void rfl_code_add(struct rfl_code *code);

/* Notes a jump from an instruction. */
void rfl_code_jump(Addr from, Addr to);

/*
 * Whether a loop may begin at an address, so that a new piece of code must: what is translated first contains
 * the code before a loop and its first iteration. is_behind: it follows the instruction of the last call.
 */
Bool rfl_code_may_be_head(Addr address, Bool is_behind);

/* A function without its innermost loops, or one of these. */
struct rfl_code_row {
    const HChar *name;   /* "triad: loop at stream.c:42 [stream]", with the object */
    const HChar *object; /* its file; "" none, as of code made at run time */
    Addr begin, end;     /* as in the object's symbols */
    struct counts counts;
};

/* Calls put for each row with more than a negligible part of all instructions or bytes. */
void rfl_code_rows(void (*put)(const struct rfl_code_row *row, void *to), void *to);

/* Sets all to never run. */
void rfl_code_forget(void);

/* ---- the operations of an instruction (decode.c) ---- */

enum rfl_fp_type { RFL_FP64, RFL_FP32, RFL_X87 };   /* X87: the 80-bit unit */
enum rfl_fp_width { RFL_SCALAR, RFL_128, RFL_256 }; /* of the register */

struct rfl_instruction {
    unsigned flops;           /* 0: none */
    bool is_fma, is_division; /* is_division: or a square root */
    enum rfl_fp_type type;
    enum rfl_fp_width width;
    bool is_streaming; /* its store is non-temporal */
    bool is_gather;    /* it loads only the elements that a mask selects */
};

/* size: the instruction's length; bytes after it are not read. */
struct rfl_instruction rfl_decode(const unsigned char *code, size_t size);

/* ---- what waits for what (chain.c) ---- */

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

/* Adds a statement; of a fused multiply-add one that does the same faster (fma.c). */
void rfl_fma_add(IRSB *out, IRStmt *statement);

#endif
