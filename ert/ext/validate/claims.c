/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/validate/claims.h"

#include <stdio.h>
#include <string.h>

enum { N_PARTS = 4 }; /* at most, of a claim in kernels.def */

/* A claim of kernels.def; without a claim the first part's count is 0. */
struct claim {
    struct part {
        enum ert_operation operation;
        uint32_t count;
    } parts[N_PARTS];
    unsigned share_percent, beside; /* bits of operations, and those below */
};

#define PART(operation, count)                                                             \
    {                                                                                      \
        ERT_OP_##operation, count                                                          \
    }
#define BESIDE(operation) (1u << ERT_OP_##operation)
#define AS_FP16           (1u << 28)
#define CHAIN             (1u << 29)
#define AS_FMA            (1u << 30)
#define ONE_RESULT        (1u << 31)
#define OF(share, beside, ...)                                                             \
    {                                                                                      \
        {__VA_ARGS__}, share, beside                                                       \
    }
#define NONE OF(0, 0, PART(OTHER, 0))
#define CLAIMS(cpu, gpu)                                                                   \
    {                                                                                      \
        cpu, gpu                                                                           \
    }
#define CLAIM(...) CLAIMS(OF(__VA_ARGS__), OF(__VA_ARGS__))
#define NO_CLAIM   CLAIMS(NONE, NONE)

/* For CPUs and for GPUs; all 0 without a claim. */
static const struct claim claims[ERT_N_KERNELS][2] = {
#define ERT_KERNEL(id, kind, type, op, flops, loads, stores, formula, purpose, result,     \
                   planted, ...)                                                           \
    [ERT_KERNEL_##id] = __VA_ARGS__,
#include "ert/core/kernels/kernels.def"
};

static const struct claim *claims_find(enum ert_device_kind kind, enum ert_kernel_id kernel)
{
    return &claims[kernel][kind == ERT_DEVICE_GPU];
}

/* Adds a number of operations; without fused instructions an FMA is two. */
static void want(const struct ert_code *code, enum ert_operation operation, size_t count,
                 size_t wanted[ERT_N_OPERATIONS])
{
    if (operation == ERT_OP_FMA && !code->is_fused) {
        wanted[ERT_OP_MUL] += count;
        wanted[ERT_OP_ADD] += count;
    } else {
        wanted[operation] += count;
    }
}

/*
 * ERT's chain (ert110.h), x = x*w + 2, starting with 1: the compiler reduces the first step to an addition,
 * w + 2. The negation is an addition on GPUs, and flips a bit on CPUs.
 */
static void want_chain(enum ert_device_kind kind, const struct ert_code *code,
                       size_t wanted[ERT_N_OPERATIONS])
{
    size_t steps = code->flops / 2;
    want(code, ERT_OP_FMA, code->passes * (steps - (steps > 0)), wanted);
    want(code, ERT_OP_ADD, code->passes + (kind == ERT_DEVICE_GPU), wanted);
}

/* The number of units in an iteration to which the claim's counts refer: vectors, or groups of operations. */
static size_t unit_of(enum ert_device_kind kind, const struct ert_code *code)
{
    bool is_gpu = kind == ERT_DEVICE_GPU;
    if (code->passes > 0)
        return 1;
    if (code->chains > 0)
        return is_gpu ? (size_t)code->chains * code->steps : 4 * (size_t)code->chains;
    return code->vectors;
}

static void count_wanted(enum ert_device_kind kind, enum ert_kernel_id kernel,
                         const struct ert_code *code, size_t wanted[ERT_N_OPERATIONS])
{
    const struct claim *claim = claims_find(kind, kernel);
    bool computes = code->chains > 0;
    size_t unit = unit_of(kind, code);
    size_t elements = 1; /* per arithmetic instruction of a memory kernel */
    if (kind == ERT_DEVICE_GPU && !computes)
        elements = code->vector_bytes / ert_type_bytes(ert_kernel_row(kernel)->type);
    for (int i = 0; i < ERT_N_OPERATIONS; i++)
        wanted[i] = 0;
    for (size_t i = 0; i < N_PARTS; i++) {
        struct part part = claim->parts[i];
        size_t count = computes ? part.count * unit / 4 : part.count * unit;
        if (code->is_moves && ert_operation_computes(part.operation))
            continue;
        want(code, part.operation,
             ert_operation_computes(part.operation) ? count * elements : count, wanted);
    }
    wanted[ERT_OP_OTHER] = 0;
    wanted[ERT_OP_PREFETCH] = code->prefetches;
    if (code->passes > 0)
        want_chain(kind, code, wanted);
}

/* One comparison: the code that is examined, and what was counted in it. */
struct check {
    const struct ert_listing *listing;
    enum ert_device_kind kind;
    const struct ert_kernel *row;
    enum ert_path path;
    const struct ert_code *code;
    const struct claim *claim;
    struct ert_range range;
    size_t wanted[ERT_N_OPERATIONS],
        found[ERT_N_OPERATIONS]; /* with PREFETCH, LOAD, STORE */
    size_t n_results;            /* distinct registers that the claimed arithmetic writes */
    size_t n_waits, n_copies;    /* instructions that the share leaves out */
    const struct ert_instruction *foreign; /* the first that should not be there */
    const char *why;
};

void ert_verdict_set(struct ert_verdict *verdict, const char *word, const char *format, ...)
{
    snprintf(verdict->word, sizeof verdict->word, "%s", word);
    ERT_FORMAT(verdict->text, sizeof verdict->text, format);
}

static void reject(struct check *check, const struct ert_instruction *instruction,
                   const char *why)
{
    if (!check->foreign) {
        check->foreign = instruction;
        check->why = why;
    }
}

/* Whether the access has the width and kind of the row. */
static bool is_claimed_access(const struct check *check,
                              const struct ert_instruction *instruction)
{
    bool is_gpu = check->kind == ERT_DEVICE_GPU;
    if (instruction->bytes != check->code->vector_bytes)
        return false;
    bool is_shared = instruction->space == ERT_SPACE_SHARED;
    if (is_gpu && is_shared != (check->path == ERT_PATH_SHARED))
        return false;
    return !is_gpu || !instruction->loads || is_shared ||
           instruction->bypasses_l1 == (check->path == ERT_PATH_BYPASS_L1);
}

static bool may(const struct check *check, unsigned bits)
{
    return check->claim->beside & bits;
}

/* Whether the kernel is a chain of loads, which uses general registers only. */
static bool is_walk(const struct check *check)
{
    return may(check, CHAIN);
}

/* Counts memory operands of vectors. A CPU's integer loads and stores are of addresses and counters. */
static void count_access(struct check *check, const struct ert_instruction *instruction)
{
    bool is_integer = check->kind == ERT_DEVICE_CPU && !is_walk(check) &&
                      check->row->type != ERT_INST &&
                      (instruction->bytes == 0 || instruction->is_general);
    if (instruction->spills && !may(check, BESIDE(SPILL)))
        reject(check, instruction, "a spill to the stack");
    if (instruction->spills)
        return;
    if (!(instruction->loads || instruction->stores) || is_integer)
        return;
    if (!is_claimed_access(check, instruction))
        reject(check, instruction, "an access of another width or path");
    if (!may(check, BESIDE(LOAD)))
        check->found[ERT_OP_LOAD] += instruction->loads;
    check->found[ERT_OP_STORE] += instruction->stores;
}

/* Whether the type is one that the row computes with; `issue` has several. */
static bool is_claimed_type(const struct check *check, enum ert_type type)
{
    return type == check->row->type || check->row->type == ERT_INST ||
           (type == ERT_FP16 && may(check, AS_FP16));
}

static enum ert_operation role_of(const struct check *check,
                                  const struct ert_instruction *instruction)
{
    bool is_stand_in = instruction->operation == ERT_OP_FMA &&
                       check->claim->beside & AS_FMA &&
                       instruction->type == check->row->type;
    if (check->row->type == ERT_INST && check->kind == ERT_DEVICE_CPU &&
        strcmp(instruction->mnemonic, "add") == 0) /* elsewhere it counts iterations */
        return ERT_OP_ADD;
    return is_stand_in ? check->claim->parts[0].operation : instruction->operation;
}

static void count_operation(struct check *check, const struct ert_instruction *instruction,
                            bool written[ERT_N_RESULTS])
{
    enum ert_operation operation = role_of(check, instruction);
    unsigned bit = 1u << operation;
    bool is_wide = check->kind == ERT_DEVICE_GPU || operation == ERT_OP_MMA ||
                   instruction->bytes == check->code->vector_bytes;
    bool is_claimed = check->wanted[operation] > 0 &&
                      is_claimed_type(check, instruction->type) && is_wide;
    check->found[ERT_OP_PREFETCH] += operation == ERT_OP_PREFETCH;
    bool is_integer = instruction->type == ERT_INT32 || instruction->type == ERT_N_TYPES;
    if (operation == ERT_OP_CALL && !(check->claim->beside & bit))
        reject(check, instruction, "a call");
    if (is_claimed) {
        check->found[operation]++;
        int result = instruction->result;
        if (result >= 0 && result < ERT_N_RESULTS && !written[result]) {
            written[result] = true;
            check->n_results++;
        }
    } else if (ert_operation_computes(operation) && !is_integer &&
               !(check->claim->beside & bit)) {
        reject(check, instruction, "arithmetic that is not in the row");
    }
}

/* Whether an instruction counts a CPU's iterations: the last register it names is the only one it writes. */
static bool is_counting(const struct ert_instruction *instruction)
{
    static const char *const words[] = {"add",  "sub", "inc", "dec", "cmp",
                                        "test", "lea", "mov", "nop"};
    for (size_t i = 0; i < ERT_LENGTH(words); i++)
        if (strncmp(instruction->mnemonic, words[i], strlen(words[i])) == 0)
            return true;
    return instruction->operation == ERT_OP_BRANCH;
}

/* Whether it only loads: on CPUs "mov" or "ldr", with a value of the claimed width. */
static bool is_link(const struct check *check, const struct ert_instruction *instruction)
{
    bool is_plain =
        check->kind == ERT_DEVICE_GPU ||
        (instruction->is_general && (strcmp(instruction->mnemonic, "mov") == 0 ||
                                     strcmp(instruction->mnemonic, "ldr") == 0));
    return is_plain && instruction->loads && !instruction->stores &&
           is_claimed_access(check, instruction);
}

/* Whether the instruction overwrites the register, or the second of a pair, that the last load wrote. */
static bool breaks(const struct check *check, const struct ert_instruction *instruction,
                   const struct ert_instruction *last)
{
    bool is_pair = check->kind == ERT_DEVICE_GPU && last->bytes == 8;
    return instruction->result == last->result ||
           (is_pair && instruction->result == last->result + 1);
}

/* Follows the chain through one iteration, starting with the last load of the previous one. */
static void follow_chain(struct check *check)
{
    const struct ert_instruction *list = check->listing->list, *last = NULL;
    for (size_t i = check->range.first; i <= check->range.last; i++)
        if (is_link(check, &list[i]))
            last = &list[i];
    for (size_t i = check->range.first; last && i <= check->range.last; i++) {
        if (is_link(check, &list[i])) {
            if (list[i].base == ERT_NO_RESULT || list[i].base != last->result)
                reject(check, &list[i], "a load whose address is not from the load before");
            last = &list[i];
        } else if (list[i].loads || list[i].stores) {
            reject(check, &list[i], "an access outside the chain");
        } else if (list[i].operation == ERT_OP_BRANCH && i != check->range.last) {
            reject(check, &list[i], "a jump inside the chain");
        } else if (breaks(check, &list[i], last)) {
            reject(check, &list[i], "the address is written between two loads");
        } else if (check->kind == ERT_DEVICE_CPU && !is_counting(&list[i])) {
            reject(check, &list[i], "more than loads and a counter");
        }
    }
}

/*
 * "mov v1.16b, v9.16b" (x86: vmovapd): NEON's FMLA overwrites its addend, so that compilers copy it first.
 * Server cores eliminate such copies by renaming.
 */
static bool is_copy(const struct ert_instruction *instruction)
{
    return strcmp(instruction->mnemonic, "mov") == 0 && !instruction->is_general &&
           !instruction->loads && !instruction->stores;
}

static void claims_count(struct check *check)
{
    bool written[ERT_N_RESULTS] = {false};
    for (size_t i = check->range.first; i <= check->range.last; i++) {
        bool is_wait = check->listing->list[i].operation == ERT_OP_NOP;
        check->n_waits += is_wait && may(check, BESIDE(NOP));
        check->n_copies +=
            check->wanted[ERT_OP_FMA] > 0 && is_copy(&check->listing->list[i]);
        count_operation(check, &check->listing->list[i], written);
        count_access(check, &check->listing->list[i]);
    }
}

/* With integer kernels the loop's own counter is one more addition. */
static size_t loops_own(const struct check *check, int operation)
{
    bool has_integers = check->row->type == ERT_INT32 || check->row->type == ERT_INST;
    return has_integers && operation == ERT_OP_ADD;
}

static size_t turns(const struct check *check)
{
    size_t n = 0;
    for (int i = ERT_OP_LOGIC; i <= ERT_OP_STORE; i++) {
        size_t wanted = check->wanted[i], found = check->found[i];
        if (wanted == 0 && found == 0)
            continue;
        if (wanted == 0 || found < wanted || found % wanted > loops_own(check, i) ||
            (n && found / wanted != n))
            return 0;
        n = found / wanted;
    }
    return n;
}

static void list_counts(const struct check *check, const size_t counts[ERT_N_OPERATIONS],
                        char *text, size_t size)
{
    text[0] = '\0';
    for (int i = ERT_OP_LOGIC; i <= ERT_OP_STORE; i++)
        if (check->wanted[i] || check->found[i])
            ert_append(text, size, "%s%zu %s", *text ? ", " : "", counts[i],
                       ert_operation_name((enum ert_operation)i));
}

/* Writes the loop's instructions: "4 vmovupd, 1 add, 1 jne". */
static void list_mnemonics(const struct check *check, char *text, size_t size)
{
    const struct ert_instruction *list = check->listing->list;
    text[0] = '\0';
    for (size_t i = check->range.first; i <= check->range.last; i++) {
        size_t n = 0, first = check->range.last;
        for (size_t k = check->range.last + 1; k-- > check->range.first;)
            if (strcmp(list[k].mnemonic, list[i].mnemonic) == 0) {
                n++;
                first = k;
            }
        if (first == i)
            ert_append(text, size, "%s%zu %s", *text ? ", " : "", n, list[i].mnemonic);
    }
}

static void claims_judge(const struct check *check, struct ert_verdict *verdict)
{
    const struct claim *claim = check->claim;
    size_t n_all = check->range.last - check->range.first + 1;
    size_t n_claimed = check->found[ERT_OP_LOAD];
    char found[64], wanted[64], mnemonics[160];
    for (int i = ERT_OP_LOGIC; i <= ERT_OP_MMA; i++)
        n_claimed += check->found[i];
    size_t n_looked_at = n_all - check->n_waits - check->n_copies;
    list_counts(check, check->found, found, sizeof found);
    list_counts(check, check->wanted, wanted, sizeof wanted);
    if (check->foreign) {
        ert_verdict_set(verdict, ERT_DIFFERS, "%s: %s at %#llx", check->why,
                        check->foreign->mnemonic,
                        (unsigned long long)check->foreign->address);
    } else if (turns(check) == 0) {
        list_mnemonics(check, mnemonics, sizeof mnemonics);
        ert_verdict_set(verdict, ERT_DIFFERS, "has %s; an iteration is %s; its code: %s",
                        found, wanted, mnemonics);
    } else if (100 * n_claimed < claim->share_percent * n_looked_at) {
        ert_verdict_set(verdict, ERT_DIFFERS,
                        "%s are %zu %% of %zu instructions, must be %u %%", found,
                        100 * n_claimed / n_all, n_all, claim->share_percent);
    } else if (check->n_results < check->code->chains &&
               !may(check, BESIDE(SPILL) | ONE_RESULT)) {
        ert_verdict_set(verdict, ERT_DIFFERS, "%s in %zu chains, must be %u", found,
                        check->n_results, check->code->chains);
    } else if (check->code->chains) {
        ert_verdict_set(verdict, ERT_AGREES, "%s in %u chains, %zu instructions", found,
                        check->code->chains, n_all);
    } else {
        ert_verdict_set(verdict, ERT_AGREES, "%s of %u byte%s, %zu instructions", found,
                        check->code->vector_bytes,
                        is_walk(check) ? ", each address from the load before" : "", n_all);
    }
}

bool ert_claims_has(enum ert_device_kind kind, enum ert_kernel_id kernel)
{
    return claims_find(kind, kernel)->parts[0].count > 0;
}

double ert_claims_flops(enum ert_kernel_id kernel, const struct ert_code *code,
                        double flops)
{
    size_t wanted[ERT_N_OPERATIONS];
    if (code->passes == 0 || !ert_claims_has(ERT_DEVICE_GPU, kernel))
        return flops;
    count_wanted(ERT_DEVICE_GPU, kernel, code, wanted);
    double done =
        (double)(2 * wanted[ERT_OP_FMA] + wanted[ERT_OP_ADD] + wanted[ERT_OP_MUL]);
    double counted = (double)code->passes * code->flops;
    return flops * done / counted;
}

void ert_claims_text(enum ert_device_kind kind, enum ert_kernel_id kernel,
                     const struct ert_code *code, char *text, size_t size)
{
    struct check check = {.kind = kind,
                          .row = ert_kernel_row(kernel),
                          .code = code,
                          .claim = claims_find(kind, kernel)};
    count_wanted(kind, kernel, code, check.wanted);
    list_counts(&check, check.wanted, text, size);
}

void ert_claims_check(const struct ert_listing *listing, enum ert_device_kind kind,
                      enum ert_kernel_id kernel, enum ert_path path,
                      const struct ert_code *code, struct ert_verdict *verdict)
{
    struct check check = {.listing = listing,
                          .kind = kind,
                          .row = ert_kernel_row(kernel),
                          .path = path,
                          .code = code,
                          .claim = claims_find(kind, kernel),
                          .range = ert_listing_main(listing)};
    if (!ert_claims_has(kind, kernel)) {
        ert_verdict_set(verdict, ERT_NOT_THERE, "no claim for this kernel");
        return;
    }
    if (listing->n == 0 || (!code->is_flat && !ert_listing_loop(listing, &check.range))) {
        ert_verdict_set(verdict, ERT_DIFFERS, "the code has no loop");
        return;
    }
    count_wanted(kind, kernel, code, check.wanted);
    claims_count(&check);
    if (is_walk(&check))
        follow_chain(&check);
    claims_judge(&check, verdict);
}
