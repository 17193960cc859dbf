/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * listing: machine code as data: parses a disassembler's text into instructions in terms that are the same
 * for CPUs and GPUs. Pure functions over text; they run no disassembler.
 */
#ifndef ERT_VALIDATE_LISTING_H
#define ERT_VALIDATE_LISTING_H

#include "ert/core/base/error.h"
#include "ert/core/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an instruction does. OTHER: address arithmetic, comparisons, conversions and the like. */
enum ert_operation {
    ERT_OP_OTHER,
    ERT_OP_MOVE,
    ERT_OP_LOGIC,  /* and, or, xor, shifts */
    ERT_OP_ATOMIC, /* an atomic addition in memory */
    ERT_OP_ATOMS,  /* GPU: the same in shared memory */
    ERT_OP_FMA,
    ERT_OP_ADD, /* and subtract */
    ERT_OP_MUL,
    ERT_OP_DIV,
    ERT_OP_SQRT, /* on GPUs: the approximation that a square root starts from */
    ERT_OP_RCP,  /* GPU: the approximation that a division starts from */
    ERT_OP_DOT,  /* CPU: dot products of lanes */
    ERT_OP_MMA,  /* matrix multiply-adds, of one warp or of a warp group */
    ERT_OP_PREFETCH,
    ERT_OP_LOAD, /* with STORE, SPILL: only in claims; listings have `loads` and so on */
    ERT_OP_STORE,
    ERT_OP_SPILL,
    ERT_OP_BRANCH,
    ERT_OP_CALL,
    ERT_OP_NOP, /* GPU: a wait */
    ERT_N_OPERATIONS
};

/* Register numbers; on CPUs general registers are numbered after vector registers. */
enum { ERT_NO_RESULT = -1, ERT_GENERAL_REGISTER = 64, ERT_N_RESULTS = 256 };
#define ERT_NO_TARGET UINT64_MAX

/* The memory space of a GPU's access; CPUs have only the first. */
enum ert_space { ERT_SPACE_MEMORY, ERT_SPACE_SHARED };

struct ert_instruction {
    uint64_t address, target; /* target: of a direct jump, else ERT_NO_TARGET */
    enum ert_operation operation;
    enum ert_type type; /* of arithmetic; else ERT_N_TYPES */
    enum ert_space space;
    uint32_t bytes; /* CPU: register width, scalars: one element; GPU: access size */
    uint32_t loads, stores; /* memory accesses: 0 or 1, 2 for aarch64's pairs */
    bool bypasses_l1;       /* GPU: a load that L1 does not serve */
    bool spills;            /* the operand is on the stack */
    bool ends;              /* execution does not continue after it */
    bool is_general;        /* CPU: its last register is not a vector register */
    int result;             /* the register that it writes, or ERT_NO_RESULT */
    int base; /* the register of an address that is register + constant, or ERT_NO_RESULT */
    char mnemonic[32];
};

struct ert_listing {
    size_t n, capacity;
    struct ert_instruction *list; /* malloc, owned */
};

/*
 * Reads one function from the output of `objdump -d --no-show-raw-insn` (x86-64: AT&T syntax), from the
 * address `start` to its end: the next symbol, or where execution cannot continue. ERT_UNAVAILABLE when the
 * text has no instruction there, or not the end. sve_bytes: the SVE register size that the code assumes.
 */
enum ert_status ert_listing_x86(const char *text, uint64_t start,
                                struct ert_listing *listing, struct ert_error *error);
enum ert_status ert_listing_aarch64(const char *text, uint64_t start, uint32_t sve_bytes,
                                    struct ert_listing *listing, struct ert_error *error);

/*
 * Reads one function, by its mangled name, from the output of `cuobjdump -sass`: of the architectures in the
 * text the one that a device of compute capability major.minor runs, with the same major version and the
 * highest minor not above the device's. ERT_UNAVAILABLE when there is none.
 */
enum ert_status ert_listing_sass(const char *text, const char *function, uint32_t cc_major,
                                 uint32_t cc_minor, struct ert_listing *listing,
                                 struct ert_error *error);

void ert_listing_add(struct ert_listing *listing,
                     const struct ert_instruction *instruction);

/* Accepts NULL and an all-zero struct. */
void ert_listing_free(struct ert_listing *listing);

/* A part of a listing: list[first] to list[last], inclusive. */
struct ert_range {
    size_t first, last;
};

/* From the first instruction to the first that ends: without the cold code that compilers put after it. */
struct ert_range ert_listing_main(const struct ert_listing *listing);

/*
 * Finds the loop that takes the time: the innermost loop with the most instructions. False when there is
 * none; a jump to itself (the padding after a GPU's code) is no loop, nor is a jump back from cold code after
 * an end.
 */
bool ert_listing_loop(const struct ert_listing *listing, struct ert_range *loop);

/* Whether it is arithmetic: FMA to MMA. */
bool ert_operation_computes(enum ert_operation operation);

/* Its name in messages: "FMA", "load" ... */
const char *ert_operation_name(enum ert_operation operation);

#endif
