/* listing_sass: NVIDIA machine code as cuobjdump prints it: address, predicate, words. */
#include "ert/validate/listing.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE ERT_N_TYPES

/* Of a line that is looked at; mangled names are the longest part. */
enum { LINE_BYTES = 1024 };

/* "CUDA Binary Utilities", instruction sets of compute capability 6.x to 12.0. */
static const struct ert_operation_row rows[] = {
    {"DFMA*",       ERT_OP_FMA,    ERT_FP64 },
    {"DADD*",       ERT_OP_ADD,    ERT_FP64 },
    {"DMUL*",       ERT_OP_MUL,    ERT_FP64 },
    {"FFMA*",       ERT_OP_FMA,    ERT_FP32 },
    {"FADD*",       ERT_OP_ADD,    ERT_FP32 },
    {"FMUL*",       ERT_OP_MUL,    ERT_FP32 },
    {"HFMA2*BF16*", ERT_OP_FMA,    ERT_BF16 },
    {"HADD2*BF16*", ERT_OP_ADD,    ERT_BF16 },
    {"HMUL2*BF16*", ERT_OP_MUL,    ERT_BF16 },
    {"HFMA2*",      ERT_OP_FMA,    ERT_FP16 },
    {"HADD2*",      ERT_OP_ADD,    ERT_FP16 },
    {"HMUL2*",      ERT_OP_MUL,    ERT_FP16 },
    {"IMAD",        ERT_OP_FMA,    ERT_INT32},
    {"IMAD.MOV*",   ERT_OP_MOVE,   NONE     },
    {"MOV*",        ERT_OP_MOVE,   NONE     },
    {"IADD3",       ERT_OP_ADD,    ERT_INT32},
    {"IADD",        ERT_OP_ADD,    ERT_INT32},
    {"IADD32I",     ERT_OP_ADD,    ERT_INT32},
    {"VIADD",       ERT_OP_ADD,    ERT_INT32},
    {"IMAD.IADD",   ERT_OP_ADD,    ERT_INT32},
    {"LOP*",        ERT_OP_LOGIC,  ERT_INT32},
    {"MUFU.RCP64*", ERT_OP_RCP,    ERT_FP64 },
    {"MUFU.RSQ64*", ERT_OP_SQRT,   ERT_FP64 },
    {"MUFU.RCP*",   ERT_OP_RCP,    ERT_FP32 },
    {"MUFU.RSQ*",   ERT_OP_SQRT,   ERT_FP32 },
    {"DMMA*",       ERT_OP_MMA,    ERT_FP64 },
    {"HMMA*TF32*",  ERT_OP_MMA,    ERT_TF32 },
    {"HMMA*BF16*",  ERT_OP_MMA,    ERT_BF16 },
    {"HMMA*",       ERT_OP_MMA,    ERT_FP16 },
    {"IMMA*",       ERT_OP_MMA,    ERT_INT8 },
    {"QMMA*",       ERT_OP_MMA,    ERT_FP8  },
    {"HGMMA*TF32*", ERT_OP_MMA,    ERT_TF32 },
    {"HGMMA*BF16*", ERT_OP_MMA,    ERT_BF16 },
    {"HGMMA*",      ERT_OP_MMA,    ERT_FP16 },
    {"IGMMA*",      ERT_OP_MMA,    ERT_INT8 },
    {"QGMMA*",      ERT_OP_MMA,    ERT_FP8  },
    {"BRA*",        ERT_OP_BRANCH, NONE     },
    {"CALL*",       ERT_OP_CALL,   NONE     },
    {"CAL",         ERT_OP_CALL,   NONE     },
    {"NOP*",        ERT_OP_NOP,    NONE     },
};

static const struct {
    const char *name; /* of the mnemonic up to its first dot */
    enum ert_space space;
    bool loads, stores, spills;
} accesses[] = {
    {"LDG", ERT_SPACE_MEMORY, true,  false, false},
    {"LD",  ERT_SPACE_MEMORY, true,  false, false},
    {"STG", ERT_SPACE_MEMORY, false, true,  false},
    {"ST",  ERT_SPACE_MEMORY, false, true,  false},
    {"LDS", ERT_SPACE_SHARED, true,  false, false},
    {"STS", ERT_SPACE_SHARED, false, true,  false},
    {"LDL", ERT_SPACE_MEMORY, true,  false, true },
    {"STL", ERT_SPACE_MEMORY, false, true,  true },
};

static const struct {
    const char *part;
    uint32_t bytes;
} sizes[] = {
    {".128", 16},
    {".64",  8 },
    {".U16", 2 },
    {".S16", 2 },
    {".U8",  1 },
    {".S8",  1 },
};

static void read_access(struct ert_instruction *instruction)
{
    size_t length = strcspn(instruction->mnemonic, ".");
    for (size_t i = 0; i < sizeof accesses / sizeof accesses[0]; i++) {
        if (strlen(accesses[i].name) != length ||
            strncmp(instruction->mnemonic, accesses[i].name, length) != 0)
            continue;
        instruction->space = accesses[i].space;
        instruction->loads = accesses[i].loads;
        instruction->stores = accesses[i].stores;
        instruction->spills = accesses[i].spills;
        instruction->bytes = 4;
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            if (strstr(instruction->mnemonic + length, sizes[k].part)) {
                instruction->bytes = sizes[k].bytes;
                break;
            }
        /* ld.global.cg compiles to a load that is strong in the GPU's scope; on cc 6.x to .CG. */
        instruction->bypasses_l1 =
            instruction->loads && (strstr(instruction->mnemonic, ".STRONG.") ||
                                   strstr(instruction->mnemonic, ".CG"));
    }
}

/* Jumps name their target last, behind predicates: "BRA P0, 0x280", "BRA 0x280". */
static uint64_t jump_target(const char *operands)
{
    const char *number = NULL;
    for (const char *at = operands; (at = strstr(at, "0x")); at += 2)
        number = at;
    return number ? strtoull(number, NULL, 16) : ERT_NO_TARGET;
}

/* "[R6]", "desc[UR8][R6.64+0x8]": one register and a constant. "[R6.64+UR4]" has two. */
static int base_register(const char *operands)
{
    const char *at = strstr(operands, "[R");
    int number, used = 0;
    if (!at || sscanf(at, "[R%d%n", &number, &used) != 1)
        return ERT_NO_RESULT;
    at += used;
    at += strncmp(at, ".64", 3) == 0 ? 3 : 0;
    at += strspn(at, "+-x0123456789abcdef");
    return *at == ']' ? number : ERT_NO_RESULT;
}

/* False for a line that is no instruction. */
static bool read_line(const char *line, struct ert_instruction *instruction)
{
    unsigned long long address;
    char predicate[16] = "", operands[200] = "";
    int used = 0;
    line += strspn(line, " \t");
    if (sscanf(line, "/*%llx*/ %n", &address, &used) != 1 || used == 0)
        return false;
    /* "{" and "}": two that cc 6.x issues together, on a line each. */
    const char *text = line + used;
    text += strspn(text, "{ ");
    *instruction = (struct ert_instruction){.address = address,
                                            .target = ERT_NO_TARGET,
                                            .type = NONE,
                                            .result = ERT_NO_RESULT,
                                            .base = ERT_NO_RESULT};
    if (*text == '@' && sscanf(text, "%15s %n", predicate, &used) == 1)
        text += used;
    if (sscanf(text, "%31[^ ;}] %199[^;}]", instruction->mnemonic, operands) < 1)
        return false;
    const char *mnemonic = instruction->mnemonic;
    ert_operation_find(rows, sizeof rows / sizeof rows[0], mnemonic, instruction);
    read_access(instruction);
    /* "HFMA2.MMA R5, -RZ, RZ, 0, 1": a constant, by the pipe that is free. */
    if (instruction->operation == ERT_OP_FMA && strstr(operands, "-RZ, RZ,"))
        ert_operation_find(rows, sizeof rows / sizeof rows[0], "MOV", instruction);
    if (instruction->operation == ERT_OP_BRANCH || instruction->operation == ERT_OP_CALL)
        instruction->target = jump_target(operands);
    /* The first operand is the one that is written: "R4", or of a warp group's "R24". */
    if (operands[0] == 'R' && isdigit((unsigned char)operands[1]))
        instruction->result = atoi(operands + 1);
    instruction->base = base_register(operands);
    instruction->ends =
        !*predicate && (strcmp(mnemonic, "EXIT") == 0 || strncmp(mnemonic, "RET", 3) == 0);
    return true;
}

/* Copies the first line of the text, cut at the size; returns where the next one begins. */
static const char *take_line(const char *text, char *line, size_t size)
{
    size_t length = strcspn(text, "\n");
    snprintf(line, size, "%.*s", (int)(length < size ? length : size - 1), text);
    return text[length] ? text + length + 1 : text + length;
}

/* The function that the line names, "Function : NAME", or NULL. */
static const char *named_function(const char *line)
{
    static const char key[] = "Function : ";
    const char *at = strstr(line, key);
    return at ? at + sizeof key - 1 : NULL;
}

/*
 * How well the section of an architecture suits the device, below 0: not at all. sm_90a is for
 * 9.0 alone, and what such a device runs when both are there.
 */
static int rank_of(unsigned arch, char suffix, uint32_t cc_major, uint32_t cc_minor)
{
    bool is_special = isalpha((unsigned char)suffix);
    if (arch / 10 != cc_major || arch % 10 > cc_minor ||
        (is_special && arch % 10 != cc_minor))
        return -1;
    return (int)(2 * (arch % 10)) + is_special;
}

/* The line behind the function's name in the section of the best architecture, or NULL. */
static const char *find_function(const char *text, const char *function, uint32_t cc_major,
                                 uint32_t cc_minor)
{
    const char *best = NULL;
    int best_rank = -1, rank = -1;
    char line[LINE_BYTES];
    while (*text) {
        unsigned arch = 0;
        char suffix = ' ';
        text = take_line(text, line, sizeof line);
        if (sscanf(line, " code for sm_%u%c", &arch, &suffix) >= 1)
            rank = rank_of(arch, suffix, cc_major, cc_minor);
        const char *name = named_function(line);
        if (!name || rank <= best_rank || strcmp(name, function) != 0)
            continue;
        best_rank = rank;
        best = text;
    }
    return best;
}

/*
 * Functions that are called stand behind the kernel's end. A call to somewhere before is a jump: nvcc 13
 * leaves loops so for cc 8.x, "@P1 CALL.REL.NOINC" to the next instruction but one.
 */
static void find_jumps(struct ert_listing *listing)
{
    const struct ert_range all = ert_listing_main(listing);
    for (size_t i = all.first; i <= all.last; i++) {
        struct ert_instruction *call = &listing->list[i];
        if (call->operation == ERT_OP_CALL &&
            call->target <= listing->list[all.last].address)
            call->operation = ERT_OP_BRANCH;
    }
}

enum ert_status ert_listing_sass(const char *text, const char *function, uint32_t cc_major,
                                 uint32_t cc_minor, struct ert_listing *listing,
                                 struct ert_error *error)
{
    *listing = (struct ert_listing){0};
    char line[LINE_BYTES];
    const char *at = find_function(text, function, cc_major, cc_minor);
    if (!at)
        return ert_fail(error, ERT_UNAVAILABLE, "no code of %s for cc %u.%u in this build",
                        function, cc_major, cc_minor);
    while (*at) {
        struct ert_instruction instruction;
        at = take_line(at, line, sizeof line);
        if (named_function(line) || strstr(line, "......"))
            break;
        if (!read_line(line, &instruction))
            continue;
        enum ert_status status = ert_listing_add(listing, &instruction, error);
        if (status != ERT_OK) {
            ert_listing_free(listing);
            return status;
        }
    }
    if (listing->n == 0)
        return ert_fail(error, ERT_UNAVAILABLE, "the code of %s is empty", function);
    find_jumps(listing);
    return ERT_OK;
}
