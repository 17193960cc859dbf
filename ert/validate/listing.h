/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * listing: machine code as data: the text of a disassembler, line by line, in a few words that
 * are the same for CPUs and GPUs. Pure functions over text; they run no disassembler.
 */
#ifndef ERT_VALIDATE_LISTING_H
#define ERT_VALIDATE_LISTING_H

#include "ert/base/error.h"
#include "ert/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an instruction does. OTHER: addresses, comparisons, conversions and the like. */
enum ert_operation {
    ERT_OP_OTHER,
    ERT_OP_MOVE,
    ERT_OP_LOGIC, /* and, or, xor, shifts */
    ERT_OP_FMA,
    ERT_OP_ADD, /* and subtract */
    ERT_OP_MUL,
    ERT_OP_DIV,
    ERT_OP_SQRT, /* on GPUs: the approximation that a square root starts from */
    ERT_OP_RCP,  /* GPU: the same of a division */
    ERT_OP_DOT,  /* CPU: dot products of lanes */
    ERT_OP_MMA,  /* matrix multiply-adds, of one warp or of a warp group */
    ERT_OP_PREFETCH,
    ERT_OP_GATHER, /* of a claim: loads through indices */
    ERT_OP_LOAD,   /* of a claim; in a listing `loads`, `stores` and `spills` say so */
    ERT_OP_STORE,
    ERT_OP_SPILL,
    ERT_OP_BRANCH,
    ERT_OP_CALL,
    ERT_OP_NOP, /* GPU: a wait */
    ERT_N_OPERATIONS
};

/* Numbers of registers; on CPUs those of general registers begin behind the vectors'. */
enum { ERT_NO_RESULT = -1, ERT_GENERAL_REGISTER = 64, ERT_N_RESULTS = 256 };
#define ERT_NO_TARGET UINT64_MAX

/* Where a GPU's access goes; CPUs have only the first. */
enum ert_space { ERT_SPACE_MEMORY, ERT_SPACE_SHARED };

struct ert_instruction {
    uint64_t address, target; /* of a jump; ERT_NO_TARGET for others and computed ones */
    enum ert_operation operation;
    enum ert_type type; /* of arithmetic; ERT_N_TYPES where it has none */
    enum ert_space space;
    uint32_t bytes; /* CPU: of its registers, of scalars one element; GPU: of an access */
    uint32_t loads, stores; /* accesses of memory: 0 or 1, of aarch64's pairs 2 */
    bool bypasses_l1;       /* GPU: a load that L1 does not serve */
    bool spills;            /* the operand is on the stack */
    bool ends;              /* nothing runs on from here */
    bool is_general;        /* CPU: its last register is no vector */
    bool is_indexed;        /* CPU: its address is a register and another one, of indices */
    int result;             /* number of the register that it writes; or ERT_NO_RESULT */
    int base; /* of the one that, with a constant, is all of its access's address; or the same */
    char mnemonic[32];
};

struct ert_listing {
    size_t n, capacity;
    struct ert_instruction *list; /* malloc, owned */
};

/*
 * One function of `objdump -d --no-show-raw-insn` (x86-64: in AT&T syntax), from the address `start` to its
 * end: the next symbol, or where nothing can run on. ERT_UNAVAILABLE when the text holds no
 * instruction there, or not the end. sve_bytes: what the code takes an SVE register to hold.
 */
enum ert_status ert_listing_x86(const char *text, uint64_t start,
                                struct ert_listing *listing, struct ert_error *error);
enum ert_status ert_listing_aarch64(const char *text, uint64_t start, uint32_t sve_bytes,
                                    struct ert_listing *listing, struct ert_error *error);

/*
 * One function of `cuobjdump -sass`, by its mangled name: the machine code that a device of
 * compute capability major.minor runs, of the architectures in the text: the same major version
 * and the highest minor not above. ERT_UNAVAILABLE when there is none.
 */
enum ert_status ert_listing_sass(const char *text, const char *function, uint32_t cc_major,
                                 uint32_t cc_minor, struct ert_listing *listing,
                                 struct ert_error *error);

/* Appends one. */
void ert_listing_add(struct ert_listing *listing,
                     const struct ert_instruction *instruction);

/* NULL and all zero are fine. */
void ert_listing_free(struct ert_listing *listing);

/* A part of a listing: list[first..last]. */
struct ert_range {
    size_t first, last;
};

/* From the first instruction to the first end: without what compilers put aside behind it. */
struct ert_range ert_listing_main(const struct ert_listing *listing);

/*
 * The loop that the time is spent in: of the loops that hold no other, the one of most
 * instructions. False when there is none; a jump to itself (what stands behind a GPU's code) is
 * none, nor is a jump back from behind an end.
 */
bool ert_listing_loop(const struct ert_listing *listing, struct ert_range *loop);

/* Whether it computes: FMA to MMA. */
bool ert_operation_computes(enum ert_operation operation);

/* "FMA", "load" ...: for texts. */
const char *ert_operation_name(enum ert_operation operation);

#endif
