/* listing_x86: x86-64 code as GNU objdump prints it: "  53804:\tvfmadd231pd (%rax),%zmm0,%zmm9". */
#include "ert/validate/listing.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE ERT_N_TYPES

/* By the mnemonic without the v of AVX. Scalar forms are told from packed ones by is_scalar(). */
static const struct ert_operation_row rows[] = {
    {"f*[0-9][ps]d",  ERT_OP_FMA,      ERT_FP64},
    {"f*[0-9][ps]s",  ERT_OP_FMA,      ERT_FP32},
    {"f*[0-9][ps]h",  ERT_OP_FMA,      ERT_FP16},
    {"add[ps]d",      ERT_OP_ADD,      ERT_FP64},
    {"add[ps]s",      ERT_OP_ADD,      ERT_FP32},
    {"add[ps]h",      ERT_OP_ADD,      ERT_FP16},
    {"sub[ps]d",      ERT_OP_ADD,      ERT_FP64},
    {"sub[ps]s",      ERT_OP_ADD,      ERT_FP32},
    {"sub[ps]h",      ERT_OP_ADD,      ERT_FP16},
    {"mul[ps]d",      ERT_OP_MUL,      ERT_FP64},
    {"mul[ps]s",      ERT_OP_MUL,      ERT_FP32},
    {"mul[ps]h",      ERT_OP_MUL,      ERT_FP16},
    {"div[ps]d",      ERT_OP_DIV,      ERT_FP64},
    {"div[ps]s",      ERT_OP_DIV,      ERT_FP32},
    {"div[ps]h",      ERT_OP_DIV,      ERT_FP16},
    {"sqrt[ps]d",     ERT_OP_SQRT,     ERT_FP64},
    {"sqrt[ps]s",     ERT_OP_SQRT,     ERT_FP32},
    {"sqrt[ps]h",     ERT_OP_SQRT,     ERT_FP16},
    {"dpbf16ps",      ERT_OP_DOT,      ERT_BF16},
    {"pdpbusd",       ERT_OP_DOT,      ERT_INT8},
    {"tdpbf16ps",     ERT_OP_MMA,      ERT_BF16},
    {"tdpb[su][su]d", ERT_OP_MMA,      ERT_INT8},
    {"movnt*",        ERT_OP_MOVE,     NONE    },
    {"mov[au]p[sd]",  ERT_OP_MOVE,     NONE    },
    {"movdq*",        ERT_OP_MOVE,     NONE    },
    {"mov",           ERT_OP_MOVE,     NONE    },
    {"mov[bwlq]",     ERT_OP_MOVE,     NONE    },
    {"lddqu",         ERT_OP_MOVE,     NONE    },
    {"prefetch*",     ERT_OP_PREFETCH, NONE    },
    {"pternlog*",     ERT_OP_LOGIC,    NONE    },
    {"pxor*",         ERT_OP_LOGIC,    NONE    },
    {"xorp[sd]",      ERT_OP_LOGIC,    NONE    },
    {"call*",         ERT_OP_CALL,     NONE    },
    {"j*",            ERT_OP_BRANCH,   NONE    },
    {"loop*",         ERT_OP_BRANCH,   NONE    },
};

static const struct {
    const char *name;
    uint32_t bytes;
} registers[] = {
    {"%tmm", 1024},
    {"%zmm", 64  },
    {"%ymm", 32  },
    {"%xmm", 16  },
};

/* Names of one register, by its width: 8, 4, 2, 1 byte. */
enum { N_GENERAL = 16, N_WIDTHS = 4 };
static const char *const general[N_GENERAL][N_WIDTHS] = {
    {"rax", "eax",  "ax",   "al"  },
    {"rcx", "ecx",  "cx",   "cl"  },
    {"rdx", "edx",  "dx",   "dl"  },
    {"rbx", "ebx",  "bx",   "bl"  },
    {"rsp", "esp",  "sp",   "spl" },
    {"rbp", "ebp",  "bp",   "bpl" },
    {"rsi", "esi",  "si",   "sil" },
    {"rdi", "edi",  "di",   "dil" },
    {"r8",  "r8d",  "r8w",  "r8b" },
    {"r9",  "r9d",  "r9w",  "r9b" },
    {"r10", "r10d", "r10w", "r10b"},
    {"r11", "r11d", "r11w", "r11b"},
    {"r12", "r12d", "r12w", "r12b"},
    {"r13", "r13d", "r13w", "r13b"},
    {"r14", "r14d", "r14w", "r14b"},
    {"r15", "r15d", "r15w", "r15b"},
};

/* Words before the mnemonic that change nothing here. */
static const char *const prefixes[] = {"bnd",  "notrack", "data16", "cs",    "rep",
                                       "repz", "lock",    "{vex}",  "{evex}"};

/* What stands between two commas outside of brackets; returns where the next one begins. */
static const char *next_operand(const char *at, char *operand, size_t size)
{
    int depth = 0;
    size_t n = 0;
    for (; *at && (*at != ',' || depth > 0); at++) {
        depth += (*at == '(') - (*at == ')');
        if (n + 1 < size)
            operand[n++] = *at;
    }
    operand[n] = '\0';
    return *at ? at + 1 : at;
}

static bool is_memory(const char *operand)
{
    return strchr(operand, '(') ||
           (!strchr("%$*", *operand) && isxdigit((unsigned char)*operand));
}

/* Of an address and of nothing are no accesses. */
static bool names_memory_only(const char *mnemonic)
{
    return strncmp(mnemonic, "lea", 3) == 0 || strncmp(mnemonic, "nop", 3) == 0;
}

/* A scalar instruction works on one element of its register: addsd, vfmadd231ss. */
static bool is_scalar(const struct ert_instruction *instruction)
{
    size_t length = strlen(instruction->mnemonic);
    bool has_forms =
        instruction->operation >= ERT_OP_FMA && instruction->operation <= ERT_OP_SQRT;
    return has_forms && length > 2 && instruction->mnemonic[length - 2] == 's';
}

/* The number of the general register whose name the text begins with, its width into *bytes. */
static int general_register(const char *text, uint32_t *bytes)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789");
    for (int i = 0; i < N_GENERAL; i++)
        for (int width = 0; width < N_WIDTHS; width++)
            if (strlen(general[i][width]) == length &&
                strncmp(general[i][width], text, length) == 0) {
                *bytes = 8u >> width;
                return ERT_GENERAL_REGISTER + i;
            }
    return ERT_NO_RESULT;
}

/* "0x8(%rax)" has no index, and no "%fs:" before it. */
static void note_base(const char *operand, struct ert_instruction *instruction)
{
    uint32_t bytes;
    const char *base = strstr(operand, "(%");
    instruction->base = ERT_NO_RESULT;
    if (base && *operand != '%' && !strchr(base, ','))
        instruction->base = general_register(base + 2, &bytes);
}

static void note_register(const char *operand, struct ert_instruction *instruction)
{
    uint32_t bytes = 0;
    int number = *operand == '%' ? general_register(operand + 1, &bytes) : ERT_NO_RESULT;
    if (number != ERT_NO_RESULT) {
        if (bytes > instruction->bytes)
            instruction->bytes = bytes;
        instruction->result = number;
        instruction->is_general = true;
    }
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        if (strncmp(operand, registers[i].name, strlen(registers[i].name)) != 0)
            continue;
        if (registers[i].bytes > instruction->bytes)
            instruction->bytes = registers[i].bytes;
        /* The last register of AT&T syntax is the one that is written. */
        instruction->result = atoi(operand + strlen(registers[i].name));
        instruction->is_general = false;
    }
}

/*
 * Operands from source to target. A frame pointer is the stack too; a loop that uses rbp for
 * anything else does not exist in code with frames, and `has_frame` tells them apart.
 */
static void read_operands(const char *text, bool has_frame,
                          struct ert_instruction *instruction)
{
    char operand[96];
    bool is_broadcast = false;
    instruction->result = ERT_NO_RESULT;
    while (*text) {
        text = next_operand(text, operand, sizeof operand);
        note_register(operand, instruction);
        if (!is_memory(operand) || names_memory_only(instruction->mnemonic))
            continue;
        bool is_target = !*text;
        note_base(operand, instruction);
        instruction->spills |=
            strstr(operand, "(%rsp") || (has_frame && strstr(operand, "(%rbp"));
        instruction->stores |= is_target && instruction->operation == ERT_OP_MOVE;
        instruction->loads |= !(is_target && instruction->operation == ERT_OP_MOVE);
        is_broadcast |= strstr(operand, "{1to") != NULL;
    }
    /* "(%rax){1to8}": one element is loaded, not a vector. */
    if (is_scalar(instruction) || is_broadcast)
        instruction->bytes = (uint32_t)ert_type_bytes(instruction->type);
}

static const char *skip_prefixes(const char *text)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(text, prefixes[i], length) == 0 && text[length] == ' ')
            return skip_prefixes(text + length + strspn(text + length, " "));
    }
    return text;
}

/* False for a line that is no instruction. */
static bool read_line(char *line, bool *has_frame, struct ert_instruction *instruction)
{
    char *end, mnemonic[sizeof instruction->mnemonic], operands[160] = "";
    unsigned long long address = strtoull(line, &end, 16);
    if (end == line || *end != ':' || end[1] != '\t')
        return false;
    const char *text = skip_prefixes(end + 2);
    if (sscanf(text, "%31s %159[^#\n]", mnemonic, operands) < 1)
        return false;
    *instruction = (struct ert_instruction){.address = address,
                                            .target = ERT_NO_TARGET,
                                            .type = NONE,
                                            .result = ERT_NO_RESULT,
                                            .base = ERT_NO_RESULT};
    memcpy(instruction->mnemonic, mnemonic, sizeof mnemonic);
    ert_operation_find(rows, sizeof rows / sizeof rows[0], mnemonic + (*mnemonic == 'v'),
                       instruction);
    instruction->ends = strncmp(mnemonic, "ret", 3) == 0 || strcmp(mnemonic, "jmp") == 0 ||
                        strcmp(mnemonic, "ud2") == 0;
    if (instruction->operation == ERT_OP_BRANCH) {
        if (isxdigit((unsigned char)*operands))
            instruction->target = strtoull(operands, NULL, 16);
        return true;
    }
    if (instruction->operation == ERT_OP_CALL)
        return true;
    *has_frame |= strcmp(mnemonic, "mov") == 0 && strncmp(operands, "%rsp,%rbp", 9) == 0;
    read_operands(operands, *has_frame, instruction);
    return true;
}

/* "0000000000053730 <triad_sweep>:" */
static bool is_symbol(const char *line)
{
    return isxdigit((unsigned char)*line) && strstr(line, ">:");
}

/* Appends instructions to the function's end; *complete: the end was seen. */
static enum ert_status read_function(char *text, uint64_t start,
                                     struct ert_listing *listing, bool *complete,
                                     struct ert_error *error)
{
    uint64_t furthest = start;
    bool has_frame = false;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        struct ert_instruction instruction;
        *complete = listing->n > 0 && is_symbol(line);
        if (*complete)
            return ERT_OK;
        if (!read_line(line, &has_frame, &instruction) || instruction.address < start)
            continue;
        ERT_TRY(ert_listing_add(listing, &instruction, error));
        if (instruction.target != ERT_NO_TARGET && instruction.target > furthest)
            furthest = instruction.target;
        *complete = instruction.ends && instruction.address >= furthest;
        if (*complete)
            return ERT_OK;
    }
    return ERT_OK;
}

enum ert_status ert_listing_x86(const char *text, uint64_t start,
                                struct ert_listing *listing, struct ert_error *error)
{
    *listing = (struct ert_listing){0};
    char *copy = strdup(text);
    if (!copy)
        return ert_fail(error, ERT_FAILED, "no memory for a listing of %zu bytes",
                        strlen(text));
    bool complete = false;
    enum ert_status status = read_function(copy, start, listing, &complete, error);
    free(copy);
    if (status == ERT_OK && listing->n == 0)
        status = ert_fail(error, ERT_UNAVAILABLE,
                          "the disassembly shows no code at address %#llx",
                          (unsigned long long)start);
    else if (status == ERT_OK && !complete)
        status = ert_fail(error, ERT_UNAVAILABLE,
                          "the disassembly ends inside the function at %#llx",
                          (unsigned long long)start);
    if (status != ERT_OK)
        ert_listing_free(listing);
    return status;
}
