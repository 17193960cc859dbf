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

#include <pub_tool_basics.h>

enum { N_FP_TYPES = 2, N_WIDTHS = 3 };

/* The work of a segment, known at translation. All counts are ULong: rfl_add_all() treats it as an array. */
struct work {
    ULong instructions, load_bytes, store_bytes, streamed_bytes, x87_flops;
    ULong chain_cycles, chain_loads; /* chain.h */
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

#endif
