/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/validate/listing.h"

#include "ert/core/base/alloc.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE       ERT_N_TYPES
#define ROWS(rows) (rows), ERT_LENGTH(rows)

/* The meaning of a mnemonic: the first row whose glob (fnmatch(3)) matches it. */
struct operation_row {
    const char *glob;
    enum ert_operation operation;
    enum ert_type type;
};

static void find_operation(const struct operation_row *rows, size_t n, const char *word,
                           struct ert_instruction *instruction)
{
    for (size_t i = 0; i < n; i++)
        if (fnmatch(rows[i].glob, word, 0) == 0) {
            instruction->operation = rows[i].operation;
            instruction->type = rows[i].type;
            return;
        }
}

static struct ert_instruction new_instruction(uint64_t address)
{
    return (struct ert_instruction){.address = address,
                                    .target = ERT_NO_TARGET,
                                    .type = NONE,
                                    .result = ERT_NO_RESULT,
                                    .base = ERT_NO_RESULT};
}

void ert_listing_add(struct ert_listing *listing, const struct ert_instruction *instruction)
{
    listing->list =
        ert_xgrow(listing->list, listing->n, &listing->capacity, sizeof *listing->list);
    listing->list[listing->n++] = *instruction;
}

/* The part of a line that is examined; mangled names are the longest. */
enum { LINE_BYTES = 1024 };

/* Copies the first line of the text, cut at the size; returns where the next one begins. */
static const char *listing_take_line(const char *text, char *line, size_t size)
{
    size_t length = strcspn(text, "\n");
    snprintf(line, size, "%.*s", (int)(length < size ? length : size - 1), text);
    return text[length] ? text + length + 1 : text + length;
}

void ert_listing_free(struct ert_listing *listing)
{
    if (!listing)
        return;
    free(listing->list);
    *listing = (struct ert_listing){0};
}

static bool has_end(const struct ert_listing *listing, size_t first, size_t last)
{
    while (first < last && !listing->list[first].ends)
        first++;
    return first < last;
}

/*
 * Whether the i-th instruction jumps back to repeat the code in between; *head: where to. A jump from after
 * an end only returns from cold code, such as cc 7.0's shuffle in a diverged warp. The target may lie before
 * an instruction: on cc 6.x there is scheduling information in between.
 */
static bool jumps_back(const struct ert_listing *listing, size_t i, size_t *head)
{
    const struct ert_instruction *jump = &listing->list[i];
    if (jump->operation != ERT_OP_BRANCH || jump->target >= jump->address ||
        jump->target < listing->list[0].address) /* into another function */
        return false;
    *head = 0;
    while (listing->list[*head].address < jump->target)
        (*head)++;
    return !has_end(listing, *head, i);
}

static bool holds_another(const struct ert_listing *listing, size_t head, size_t end)
{
    for (size_t i = head; i < end; i++) {
        size_t inner;
        if (jumps_back(listing, i, &inner) && inner >= head)
            return true;
    }
    return false;
}

struct ert_range ert_listing_main(const struct ert_listing *listing)
{
    struct ert_range range = {0, listing->n ? listing->n - 1 : 0};
    for (size_t i = 0; i < range.last; i++)
        if (listing->list[i].ends)
            range.last = i;
    return range;
}

bool ert_listing_loop(const struct ert_listing *listing, struct ert_range *loop)
{
    bool found = false;
    for (size_t i = 0; i < listing->n; i++) {
        size_t head;
        if (!jumps_back(listing, i, &head) || holds_another(listing, head, i))
            continue;
        if (!found || i - head > loop->last - loop->first)
            *loop = (struct ert_range){head, i};
        found = true;
    }
    return found;
}

bool ert_operation_computes(enum ert_operation operation)
{
    return operation >= ERT_OP_FMA && operation <= ERT_OP_MMA;
}

const char *ert_operation_name(enum ert_operation operation)
{
    static const char *const names[ERT_N_OPERATIONS] = {
        "other",      "move",        "logic",    "atomic",   "shared atomic",
        "FMA",        "add",         "multiply", "divide",   "square root",
        "reciprocal", "dot product", "MMA",      "prefetch", "load",
        "store",      "spill",       "branch",   "call",     "no-op"};
    return names[operation];
}

/* x86-64 as GNU objdump prints it: "  53804:\tvfmadd231pd (%rax),%zmm0,%zmm9". */
/* By the mnemonic without AVX's v. FMA to SQRT end with the type, after "s" (scalar) or "p" (packed). */
static const struct operation_row x86_rows[] = {
    {"f*[0-9][ps][dsh]", ERT_OP_FMA,      NONE    },
    {"add[ps][dsh]",     ERT_OP_ADD,      NONE    },
    {"sub[ps][dsh]",     ERT_OP_ADD,      NONE    },
    {"mul[ps][dsh]",     ERT_OP_MUL,      NONE    },
    {"div[ps][dsh]",     ERT_OP_DIV,      NONE    },
    {"sqrt[ps][dsh]",    ERT_OP_SQRT,     NONE    },
    {"dpbf16ps",         ERT_OP_DOT,      ERT_BF16},
    {"pdpbusd",          ERT_OP_DOT,      ERT_INT8},
    {"tdpbf16ps",        ERT_OP_MMA,      ERT_BF16},
    {"tdpb[su][su]d",    ERT_OP_MMA,      ERT_INT8},
    {"movnt*",           ERT_OP_MOVE,     NONE    },
    {"mov[au]p[sd]",     ERT_OP_MOVE,     NONE    },
    {"movdq*",           ERT_OP_MOVE,     NONE    },
    {"mov",              ERT_OP_MOVE,     NONE    },
    {"mov[bwlq]",        ERT_OP_MOVE,     NONE    },
    {"lddqu",            ERT_OP_MOVE,     NONE    },
    {"prefetch*",        ERT_OP_PREFETCH, NONE    },
    {"pternlog*",        ERT_OP_LOGIC,    NONE    },
    {"pxor*",            ERT_OP_LOGIC,    NONE    },
    {"xorp[sd]",         ERT_OP_LOGIC,    NONE    },
    {"call*",            ERT_OP_CALL,     NONE    },
    {"j*",               ERT_OP_BRANCH,   NONE    },
    {"loop*",            ERT_OP_BRANCH,   NONE    },
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

/* The names of each register by width: 8, 4, 2, 1 bytes. */
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

/* Prefixes of the mnemonic that do not matter here. */
static const char *const prefixes[] = {"bnd",  "notrack", "data16", "cs",    "rep",
                                       "repz", "lock",    "{vex}",  "{evex}"};

/* Copies the text up to the next comma outside brackets; returns where the next operand begins. */
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

/* Instructions that name memory without accessing it. */
static bool names_memory_only(const char *mnemonic)
{
    return strncmp(mnemonic, "lea", 3) == 0 || strncmp(mnemonic, "nop", 3) == 0;
}

/* Whether the last two letters of the mnemonic give form and type: addsd, vfmadd231ps. */
static bool has_forms(const struct ert_instruction *instruction)
{
    return instruction->operation >= ERT_OP_FMA && instruction->operation <= ERT_OP_SQRT;
}

/* The number of the general register whose name begins the text; *bytes: its width. */
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

/* Sets the base of an address like "0x8(%rax)", without index and segment ("%fs:"). */
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
    for (size_t i = 0; i < ERT_LENGTH(registers); i++) {
        if (strncmp(operand, registers[i].name, strlen(registers[i].name)) != 0)
            continue;
        if (registers[i].bytes > instruction->bytes)
            instruction->bytes = registers[i].bytes;
        /* In AT&T syntax the last register is the one written. */
        instruction->result = atoi(operand + strlen(registers[i].name));
        instruction->is_general = false;
    }
}

/*
 * Reads operands, source to target. rbp addresses the stack, too, if it is a frame pointer (has_frame); code
 * with frames does not use it for anything else.
 */
static void read_operands(const char *text, bool has_frame,
                          struct ert_instruction *instruction)
{
    char operand[96];
    const size_t length = strlen(instruction->mnemonic);
    const bool is_scalar =
        has_forms(instruction) && instruction->mnemonic[length - 2] == 's';
    bool is_broadcast = false;
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
    if (is_scalar || is_broadcast)
        instruction->bytes = (uint32_t)ert_type_bytes(instruction->type);
}

static const char *skip_prefixes(const char *text)
{
    for (size_t i = 0; i < ERT_LENGTH(prefixes); i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(text, prefixes[i], length) == 0 && text[length] == ' ')
            return skip_prefixes(text + length + strspn(text + length, " "));
    }
    return text;
}

/* read() parses a line from the mnemonic on; false if it is not an instruction. */
struct reader {
    bool (*read)(struct reader *reader, const char *text,
                 struct ert_instruction *instruction);
    bool has_frame;     /* a frame pointer was set up so far */
    uint32_t sve_bytes; /* of aarch64 */
};

static bool read_x86(struct reader *reader, const char *text,
                     struct ert_instruction *instruction)
{
    char *mnemonic = instruction->mnemonic, operands[160] = "";
    if (sscanf(skip_prefixes(text), "%31s %159[^#\n]", mnemonic, operands) < 1)
        return false;
    find_operation(ROWS(x86_rows), mnemonic + (*mnemonic == 'v'), instruction);
    char last = mnemonic[strlen(mnemonic) - 1];
    if (strncmp(text, "lock add", 8) == 0 || strncmp(text, "lock inc", 8) == 0) {
        instruction->operation = ERT_OP_ATOMIC;
        instruction->type = ERT_INT64;
        instruction->bytes = last == 'q' ? 8 : 0; /* else by its register */
        instruction->is_general = true;
    }
    if (has_forms(instruction))
        instruction->type = last == 'd' ? ERT_FP64 : last == 's' ? ERT_FP32 : ERT_FP16;
    instruction->ends = strncmp(mnemonic, "ret", 3) == 0 || strcmp(mnemonic, "jmp") == 0 ||
                        strcmp(mnemonic, "ud2") == 0;
    if (instruction->operation == ERT_OP_BRANCH) {
        if (isxdigit((unsigned char)*operands))
            instruction->target = strtoull(operands, NULL, 16);
        return true;
    }
    if (instruction->operation == ERT_OP_CALL)
        return true;
    reader->has_frame |=
        strcmp(mnemonic, "mov") == 0 && strncmp(operands, "%rsp,%rbp", 9) == 0;
    read_operands(operands, reader->has_frame, instruction);
    return true;
}

/* "0000000000053730 <triad_sweep>:" */
static bool is_symbol(const char *line)
{
    return isxdigit((unsigned char)*line) && strstr(line, ">:");
}

/* Reads a function of objdump's text. */
static enum ert_status read_function(const char *text, uint64_t start,
                                     struct reader *reader, struct ert_listing *listing,
                                     struct ert_error *error)
{
    char line[LINE_BYTES];
    uint64_t furthest = start;
    bool complete = false;
    *listing = (struct ert_listing){0};
    while (*text && !complete) {
        char *end;
        text = listing_take_line(text, line, sizeof line);
        struct ert_instruction instruction = new_instruction(strtoull(line, &end, 16));
        complete = listing->n > 0 && is_symbol(line);
        if (complete || end == line || strncmp(end, ":\t", 2) != 0 ||
            !reader->read(reader, end + 2, &instruction) || instruction.address < start)
            continue;
        ert_listing_add(listing, &instruction);
        if (instruction.target != ERT_NO_TARGET && instruction.target > furthest)
            furthest = instruction.target;
        complete = instruction.ends && instruction.address >= furthest;
    }
    enum ert_status status = ERT_OK;
    if (listing->n == 0)
        status = ert_fail(error, ERT_UNAVAILABLE,
                          "the disassembly shows no code at address %#llx",
                          (unsigned long long)start);
    else if (!complete)
        status = ert_fail(error, ERT_UNAVAILABLE,
                          "the disassembly ends inside the function at %#llx",
                          (unsigned long long)start);
    if (status != ERT_OK)
        ert_listing_free(listing);
    return status;
}

enum ert_status ert_listing_x86(const char *text, uint64_t start,
                                struct ert_listing *listing, struct ert_error *error)
{
    struct reader reader = {.read = read_x86};
    return read_function(text, start, &reader, listing, error);
}

/*
 * aarch64 as GNU objdump prints it: "  c0:\tfmad\tz16.d, p0/m, z5.d, z4.d". The first operand is written, by
 * stores it is read; its name gives type and width.
 */
static const struct operation_row aarch64_rows[] = {
    {"fml[as]",       ERT_OP_FMA,      NONE     },
    {"fmad*",         ERT_OP_FMA,      NONE     },
    {"fms[bu]*",      ERT_OP_FMA,      NONE     },
    {"fnml[as]",      ERT_OP_FMA,      NONE     },
    {"fnmad*",        ERT_OP_FMA,      NONE     },
    {"fnms[bu]*",     ERT_OP_FMA,      NONE     },
    {"fadd",          ERT_OP_ADD,      NONE     },
    {"fsub*",         ERT_OP_ADD,      NONE     },
    {"fmul",          ERT_OP_MUL,      NONE     },
    {"fnmul",         ERT_OP_MUL,      NONE     },
    {"fdiv*",         ERT_OP_DIV,      NONE     },
    {"fsqrt",         ERT_OP_SQRT,     NONE     },
    {"[su]dot",       ERT_OP_DOT,      ERT_INT8 },
    {"prf*",          ERT_OP_PREFETCH, NONE     },
    {"eor",           ERT_OP_LOGIC,    NONE     },
    {"eor3",          ERT_OP_LOGIC,    NONE     },
    {"ld[0-9nprt]*",  ERT_OP_MOVE,     NONE     },
    {"ldur*",         ERT_OP_MOVE,     NONE     },
    {"st[0-9nprtu]*", ERT_OP_MOVE,     NONE     },
    {"mov",           ERT_OP_MOVE,     NONE     },
    {"movprfx",       ERT_OP_MOVE,     NONE     },
    {"fmov",          ERT_OP_MOVE,     NONE     },
    {"stadd",         ERT_OP_ATOMIC,   ERT_INT64},
    {"ldadd",         ERT_OP_ATOMIC,   ERT_INT64},
    {"bl",            ERT_OP_CALL,     NONE     },
    {"blr",           ERT_OP_CALL,     NONE     },
    {"b",             ERT_OP_BRANCH,   NONE     },
    {"b.*",           ERT_OP_BRANCH,   NONE     },
    {"br",            ERT_OP_BRANCH,   NONE     },
    {"[ct]b*z",       ERT_OP_BRANCH,   NONE     },
};

/* The register number in "z16.d", "{v3.2d}", "q0", "x19"; sets is_general, bytes and, if known, *type. */
static int aarch64_register(const char *text, uint32_t sve_bytes,
                            struct ert_instruction *instruction, enum ert_type *type)
{
    static const struct {
        char letter;
        bool is_general;
        uint32_t bytes; /* 0: of SVE */
        enum ert_type type;
    } names[] = {
        {'z', false, 0,  NONE    },
        {'v', false, 16, NONE    },
        {'q', false, 16, NONE    },
        {'d', false, 8,  ERT_FP64},
        {'s', false, 4,  ERT_FP32},
        {'h', false, 2,  ERT_FP16},
        {'x', true,  8,  NONE    },
        {'w', true,  4,  NONE    }
    };
    static const char *const halves[] = {".1d", ".2s", ".4h", ".8b"}; /* of "v0.2s" */
    int number = -1, used = 0;
    text += *text == '{';
    for (size_t i = 0; i < ERT_LENGTH(names); i++) {
        if (*text != names[i].letter || sscanf(text + 1, "%2d%n", &number, &used) != 1)
            continue;
        const char *lane = strchr(text, '.');
        char last = lane ? lane[strcspn(lane, " ,}[/") - 1] : ' ';
        instruction->is_general = names[i].is_general;
        instruction->bytes = names[i].bytes ? names[i].bytes : sve_bytes;
        for (size_t half = 0; lane && half < ERT_LENGTH(halves); half++)
            if (strncmp(lane, halves[half], 3) == 0)
                instruction->bytes = 8;
        *type = last == 'd'   ? ERT_FP64
                : last == 's' ? ERT_FP32
                : last == 'h' ? ERT_FP16
                              : names[i].type;
        return names[i].is_general ? ERT_GENERAL_REGISTER + number : number;
    }
    return ERT_NO_RESULT;
}

/*
 * Reads an access, whose address is between "[" and "]". A pair of whole vectors is two accesses; STNP of
 * vector halves, NEON's only streaming store, is one access of a vector.
 */
static void read_aarch64_access(const struct reader *reader, const char *operands,
                                struct ert_instruction *instruction)
{
    const char *mnemonic = instruction->mnemonic, *address = strchr(operands, '[');
    struct ert_instruction base;
    enum ert_type type;
    bool is_pair = strcmp(mnemonic, "ldp") == 0 || strcmp(mnemonic, "ldnp") == 0 ||
                   strcmp(mnemonic, "stp") == 0 || strcmp(mnemonic, "stnp") == 0;
    uint32_t accesses = 1;
    if (is_pair && instruction->bytes == 8 && !instruction->is_general)
        instruction->bytes = 16;
    else if (is_pair)
        accesses = 2;
    if (strncmp(mnemonic, "ld1r", 4) == 0) /* one element, for all lanes */
        instruction->bytes = (uint32_t)ert_type_bytes(instruction->type);
    *(mnemonic[0] == 's' ? &instruction->stores : &instruction->loads) = accesses;
    instruction->spills = strncmp(address, "[sp", 3) == 0 ||
                          (reader->has_frame && strncmp(address, "[x29", 4) == 0);
    const char *second = strchr(address, ',');
    bool is_indexed = second && second < strchr(address, ']') &&
                      strchr("xwz", second[strspn(second, ", ")]);
    if (!is_indexed)
        instruction->base = aarch64_register(address + 1, 0, &base, &type);
}

static bool read_aarch64(struct reader *reader, const char *text,
                         struct ert_instruction *instruction)
{
    char *mnemonic = instruction->mnemonic, operands[160] = "";
    enum ert_type type = NONE;
    if (sscanf(text, "%31s %159[^\n]", mnemonic, operands) < 1)
        return false;
    char *comment = strstr(operands, "//");
    if (comment)
        *comment = '\0';
    find_operation(ROWS(aarch64_rows), mnemonic, instruction);
    instruction->ends = strcmp(mnemonic, "ret") == 0 || strcmp(mnemonic, "b") == 0 ||
                        strcmp(mnemonic, "br") == 0;
    if (instruction->operation == ERT_OP_CALL)
        return true;
    if (instruction->operation == ERT_OP_BRANCH) { /* "tbz w0, #3, 1048 <kernel+0x48>" */
        const char *target = strrchr(operands, ',');
        target = target ? target + 1 : operands;
        if (strcmp(mnemonic, "br") != 0)
            instruction->target = strtoull(target, NULL, 16);
        return true;
    }
    reader->has_frame |=
        strcmp(mnemonic, "mov") == 0 && strncmp(operands, "x29, sp", 7) == 0;
    instruction->result = aarch64_register(operands, reader->sve_bytes, instruction, &type);
    if (has_forms(instruction) || instruction->operation == ERT_OP_MOVE)
        instruction->type = type;
    if (instruction->operation == ERT_OP_LOGIC && instruction->is_general)
        instruction->operation = ERT_OP_OTHER;
    if (instruction->operation == ERT_OP_MOVE && strchr(operands, '['))
        read_aarch64_access(reader, operands, instruction);
    return true;
}

enum ert_status ert_listing_aarch64(const char *text, uint64_t start, uint32_t sve_bytes,
                                    struct ert_listing *listing, struct ert_error *error)
{
    struct reader reader = {.read = read_aarch64, .sve_bytes = sve_bytes};
    return read_function(text, start, &reader, listing, error);
}

/* NVIDIA's machine code as cuobjdump prints it: address, predicate, words. */
/* "CUDA Binary Utilities", instruction sets of compute capability 6.x to 12.0. */
static const struct operation_row sass_rows[] = {
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
    {"HMMA*STEP0*", ERT_OP_MMA,    ERT_FP16 }, /* cc 7.0: a product is two or four steps */
    {"HMMA*STEP*",  ERT_OP_NOP,    NONE     },
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
    {"RED*.F32*",   ERT_OP_ATOMIC, ERT_FP32 }, /* cc 9.0: REDG */
    {"RED*.ADD.S*", ERT_OP_ATOMIC, ERT_INT32}, /* .STRONG.GPU; of 64 bits .64 */
    {"ATOMS.ADD",   ERT_OP_ATOMS,  ERT_INT32},
    {"ATOMS.POPC*", ERT_OP_ATOMS,  ERT_INT32}, /* .INC.32, from cc 8.0 on */
    {"UTC?MMA*",    ERT_OP_MMA,    NONE     }, /* read_descriptor() */
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
    for (size_t i = 0; i < ERT_LENGTH(accesses); i++) {
        if (strlen(accesses[i].name) != length ||
            strncmp(instruction->mnemonic, accesses[i].name, length) != 0)
            continue;
        instruction->space = accesses[i].space;
        instruction->loads = accesses[i].loads;
        instruction->stores = accesses[i].stores;
        instruction->spills = accesses[i].spills;
        instruction->bytes = 4;
        for (size_t k = 0; k < ERT_LENGTH(sizes); k++)
            if (strstr(instruction->mnemonic + length, sizes[k].part)) {
                instruction->bytes = sizes[k].bytes;
                break;
            }
        /* ld.global.cg compiles to a .STRONG load of GPU scope, on cc 6.x to .CG. */
        instruction->bypasses_l1 =
            instruction->loads && (strstr(instruction->mnemonic, ".STRONG.") ||
                                   strstr(instruction->mnemonic, ".CG"));
    }
}

/* Jumps name their target last, after predicates: "BRA P0, 0x280", "BRA 0x280". */
static uint64_t jump_target(const char *operands)
{
    const char *number = NULL;
    for (const char *at = operands; (at = strstr(at, "0x")); at += 2)
        number = at;
    return number ? strtoull(number, NULL, 16) : ERT_NO_TARGET;
}

/* The base of "[R6]" or "desc[UR8][R6.64+0x8]", a register and a constant; "[R6.64+UR4]" has none. */
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

/* Uniform registers: their constants, or UNKNOWN. */
enum { N_UNIFORM = 256, UNKNOWN = -1 };

/*
 * The type of a tcgen05.mma, by its kind and by the format of A in its instruction descriptor (PTX ISA), a
 * constant that "UMOV UR29, 0x8400490" loads and "idesc[UR29]" names.
 */
static void read_descriptor(const char *operands, int64_t uniform[N_UNIFORM],
                            struct ert_instruction *instruction)
{
    static const struct {
        const char *kind;
        enum ert_type types[8];
    } formats[] = {
        {"UTCHMMA", {ERT_FP16, ERT_BF16, ERT_TF32, NONE, NONE, NONE, NONE, NONE}   },
        {"UTCQMMA", {ERT_FP8, ERT_FP8, NONE, ERT_FP6, ERT_FP6, ERT_FP4, NONE, NONE}},
        {"UTCOMMA", {NONE, ERT_FP4, NONE, NONE, NONE, NONE, NONE, NONE}            },
        {"UTCIMMA", {NONE, ERT_INT8, NONE, NONE, NONE, NONE, NONE, NONE}           },
    };
    const char *at = strstr(operands, "idesc[UR");
    unsigned number, value;
    if (sscanf(operands, "UR%3u, %x", &number, &value) >= 1 && number < N_UNIFORM)
        uniform[number] =
            strcmp(instruction->mnemonic, "UMOV") == 0 && strstr(operands, "0x")
                ? (int64_t)value
                : UNKNOWN;
    if (!at || sscanf(at, "idesc[UR%3u", &number) != 1 || number >= N_UNIFORM)
        return;
    for (size_t i = 0; i < ERT_LENGTH(formats) && uniform[number] != UNKNOWN; i++)
        if (strncmp(instruction->mnemonic, formats[i].kind, strlen(formats[i].kind)) == 0)
            instruction->type = formats[i].types[uniform[number] >> 7 & 7];
}

/* False for a line that is not an instruction. */
static bool read_sass(const char *line, int64_t uniform[N_UNIFORM],
                      struct ert_instruction *instruction)
{
    unsigned long long address;
    char predicate[16] = "", operands[200] = "";
    int used = 0;
    line += strspn(line, " \t");
    if (sscanf(line, "/*%llx*/ %n", &address, &used) != 1 || used == 0)
        return false;
    /* "{" and "}" enclose two instructions, on a line each, that cc 6.x issues together. */
    const char *text = line + used;
    text += strspn(text, "{ ");
    *instruction = new_instruction(address);
    if (*text == '@' && sscanf(text, "%15s %n", predicate, &used) == 1)
        text += used;
    if (sscanf(text, "%31[^ ;}] %199[^;}]", instruction->mnemonic, operands) < 1)
        return false;
    const char *mnemonic = instruction->mnemonic;
    find_operation(ROWS(sass_rows), mnemonic, instruction);
    read_access(instruction);
    /* "HFMA2.MMA R5, -RZ, RZ, 0, 1" loads a constant on a pipe that is free. */
    if (instruction->operation == ERT_OP_FMA && strstr(operands, "-RZ, RZ,"))
        find_operation(ROWS(sass_rows), "MOV", instruction);
    if (instruction->operation == ERT_OP_BRANCH || instruction->operation == ERT_OP_CALL)
        instruction->target = jump_target(operands);
    /* The first operand is written: "R4"; of warp-group instructions "R24". */
    if (operands[0] == 'R' && isdigit((unsigned char)operands[1]))
        instruction->result = atoi(operands + 1);
    instruction->base = base_register(operands);
    read_descriptor(operands, uniform, instruction);
    instruction->ends =
        !*predicate && (strcmp(mnemonic, "EXIT") == 0 || strncmp(mnemonic, "RET", 3) == 0);
    return true;
}

static const char *named_function(const char *line)
{
    static const char key[] = "Function : ";
    const char *at = strstr(line, key);
    return at ? at + sizeof key - 1 : NULL;
}

/*
 * How well an architecture's section suits the device; below 0: not at all. sm_90a is for 9.0 alone, and is
 * what such a device runs if it has both.
 */
static int listing_rank_of(unsigned arch, char suffix, uint32_t cc_major, uint32_t cc_minor)
{
    bool is_special = isalpha((unsigned char)suffix);
    if (arch / 10 != cc_major || arch % 10 > cc_minor ||
        (is_special && arch % 10 != cc_minor))
        return -1;
    return (int)(2 * (arch % 10)) + is_special;
}

/* The line after the function's name in the section of the best architecture, or NULL. */
static const char *listing_find_function(const char *text, const char *function,
                                         uint32_t cc_major, uint32_t cc_minor)
{
    const char *best = NULL;
    int best_rank = -1, rank = -1;
    char line[LINE_BYTES];
    while (*text) {
        unsigned arch = 0;
        char suffix = ' ';
        text = listing_take_line(text, line, sizeof line);
        if (sscanf(line, " code for sm_%u%c", &arch, &suffix) >= 1)
            rank = listing_rank_of(arch, suffix, cc_major, cc_minor);
        const char *name = named_function(line);
        if (!name || rank <= best_rank || strcmp(name, function) != 0)
            continue;
        best_rank = rank;
        best = text;
    }
    return best;
}

/*
 * Called functions follow the kernel's end. A call to an address before that is a jump: nvcc 13 leaves loops
 * for cc 8.x in this way, with "@P1 CALL.REL.NOINC" to the next instruction but one.
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
    int64_t uniform[N_UNIFORM];
    char line[LINE_BYTES];
    const char *at = listing_find_function(text, function, cc_major, cc_minor);
    if (!at)
        return ert_fail(error, ERT_UNAVAILABLE, "no code of %s for cc %u.%u in this build",
                        function, cc_major, cc_minor);
    for (size_t i = 0; i < N_UNIFORM; i++)
        uniform[i] = UNKNOWN;
    while (*at) {
        struct ert_instruction instruction;
        at = listing_take_line(at, line, sizeof line);
        if (named_function(line) || strstr(line, "......"))
            break;
        if (read_sass(line, uniform, &instruction))
            ert_listing_add(listing, &instruction);
    }
    if (listing->n == 0)
        return ert_fail(error, ERT_UNAVAILABLE, "the code of %s is empty", function);
    find_jumps(listing);
    return ERT_OK;
}
