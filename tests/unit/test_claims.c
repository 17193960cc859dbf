/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * claims: recorded machine code of this project's kernels agrees with the rows of kernels.def; kernels with
 * planted faults (tests/data/disassembly/broken.*) do not, and the reason is named.
 */
#include "tests/unit/fixture_file.h"

#include "ert/ext/validate/claims.h"

static const struct ert_code avx512 = {.vector_bytes = 64, .chains = 24, .is_fused = true};
static const struct ert_code avx512_memory = {
    .vector_bytes = 64, .vectors = 32, .is_fused = true};
static const struct ert_code avx512_x4 = {
    .vector_bytes = 64, .vectors = 4, .is_fused = true};
static const struct ert_code avx512_x64 = {
    .vector_bytes = 64, .vectors = 64, .is_fused = true};
static const struct ert_code avx512_ahead = {
    .vector_bytes = 64, .vectors = 32, .prefetches = 32, .is_fused = true};
static const struct ert_code avx512_moves = {
    .vector_bytes = 64, .vectors = 32, .is_moves = true, .is_fused = true};
static const struct ert_code gpu_chains = {
    .vector_bytes = 16, .chains = 8, .steps = 32, .is_fused = true};
static const struct ert_code gpu_loop = {
    .vector_bytes = 16, .vectors = 8, .is_fused = true};
static const struct ert_code pointers = {.vector_bytes = 8, .vectors = 1};
static const struct ert_code offsets = {.vector_bytes = 4, .vectors = 1};
static const struct ert_code gpu_flat = {
    .vector_bytes = 16, .vectors = 1, .is_fused = true, .is_flat = true};

/* One recorded function and what should be said of it. */
struct row {
    const char *file;
    uint64_t start;       /* x86 */
    const char *function; /* GPU */
    enum ert_kernel_id kernel;
    enum ert_path path;
    const struct ert_code *code;
    const char *word, *text;
};

#define ROW(file, start, function, kernel, path, code, word, text)                         \
    {                                                                                      \
        "disassembly/" file ".txt", start, function, ERT_KERNEL_##kernel, ERT_PATH_##path, \
            &code, ERT_##word, text                                                        \
    }
#define CPU(file, start, ...)    ROW("x86-" file, start, NULL, __VA_ARGS__)
#define GPU(file, function, ...) ROW("sass-" file, 0, function, __VA_ARGS__)

#define FMA   "_Z6chainsI6fma_opdLi8ELi32EEv18ert_cuda_arguments"
#define L1    "_Z7load_l1ILi512ELi8ELi2EEv18ert_cuda_arguments"
#define WALK  "_Z12chase_globalI7past_l1Lb0EEv18ert_cuda_arguments"
#define TRIAD "_Z11stream_flatI5triadLi256ELi1E11evict_firstEv18ert_cuda_arguments"

static const struct row rows[] = {
    CPU("fma_fp64", 0x5b5a0, fma_fp64, NONE, avx512, AGREES, "96 FMA in 24 chains"),
    CPU("fma_fp64", 0x5b5a0, add_fp64, NONE, avx512, DIFFERS, "not in the row: vfmadd"),
    CPU("fma_fp64", 0x5b5a0, fma_fp32, NONE, avx512, DIFFERS, "not in the row"),
    CPU("load", 0x5c950, load, CACHED, avx512_memory, AGREES, "32 load of 64 byte"),
    CPU("load", 0x5c950, load, CACHED, avx512_x4, AGREES, "32 load of 64 byte"),
    CPU("load", 0x5c950, load, CACHED, avx512_x64, DIFFERS,
        "has 32 load; an iteration is 64 load"),
    CPU("load", 0x5c950, load, CACHED, avx512_ahead, DIFFERS,
        "has 0 prefetch, 32 load; an iteration is 32 prefetch, 32 load"),
    CPU("triad", 0x5d000, triad, CACHED, avx512_moves, DIFFERS, "not in the row: vfmadd"),
    CPU("triad", 0x5d000, triad, CACHED, avx512_memory, AGREES,
        "32 FMA, 64 load, 32 store of 64 byte"),
    CPU("triad", 0x5d000, update, CACHED, avx512_memory, DIFFERS,
        "has 32 FMA, 64 load, 32 store; an iteration is 32 FMA, 32 load, 32 store"),
    CPU("broken", 0x0, fma_fp64, NONE, avx512, DIFFERS,
        "has 4 FMA; an iteration is 96 FMA"),
    CPU("broken", 0xf0, load, CACHED, avx512_memory, DIFFERS,
        "has 0 load; an iteration is 32 load"),
    CPU("fma_fp64", 0x5b5a0, h2d_pinned, CACHED, avx512, NOT_THERE, "no claim"),
    CPU("chase", 0x718d0, chase, CACHED, pointers, AGREES,
        "64 load of 8 byte, each address from the load before, 67 instructions"),
    CPU("chase", 0x718d0, chase, CACHED, offsets, DIFFERS, "width or path: mov at"),
    CPU("fma_fp64", 0x5b5a0, chase, CACHED, pointers, DIFFERS, "arithmetic that is not"),
    CPU("load", 0x5c950, chase, CACHED, pointers, DIFFERS, "an access of another width"),
    GPU("good", FMA, fma_fp64, NONE, gpu_chains, AGREES, "256 FMA in 8 chains, 259"),
    GPU("good", L1, load, CACHED, gpu_loop, AGREES, "16 load of 16 byte"),
    GPU("good", L1, load, BYPASS_L1, gpu_loop, DIFFERS, "width or path: LDG.E.128"),
    GPU("good", TRIAD, triad, BYPASS_L1, gpu_flat, AGREES, "2 FMA, 2 load, 1 store of 16"),
    GPU("broken", "_Z6mergedPdddj", fma_fp64, NONE, gpu_chains, DIFFERS,
        "has 32 FMA; an iteration is 256 FMA"),
    GPU("broken", "_Z7hoistedPK5uint4Pjj", load, CACHED, gpu_loop, DIFFERS,
        "has 0 load; an iteration is 8 load; its code: 8 IMAD.SHL.U32, 1 VIADD, 16 "
        "LOP3.LUT, "),
    GPU("broken", "_Z6narrowPKdPdd", triad, BYPASS_L1, gpu_flat, DIFFERS,
        "width or path: LDG.E.64"),
    GPU("chase", WALK, chase, BYPASS_L1, pointers, AGREES,
        "128 load of 8 byte, each address from the load before, 131 instructions"),
    GPU("chase", WALK, chase, CACHED, pointers, DIFFERS, "width or path: LDG.E.64.STRONG"),
    GPU("chase", "_Z12chase_shared18ert_cuda_arguments", chase, SHARED, offsets, AGREES,
        "128 load of 4 byte, each address from the load before, 131 instructions"),
    GPU("broken", "_Z6besidePyyj", chase, CACHED, pointers, DIFFERS,
        "whose address is not from the load before: LDG.E.64 at 0x2e0"),
    GPU("broken", "_Z9two_walksPyj", chase, CACHED, pointers, DIFFERS,
        "whose address is not from the load before: LDG.E.64 at 0x90"),
    GPU("broken", "_Z5addedPyj", chase, CACHED, pointers, DIFFERS,
        "whose address is not from the load before: LDG.E.64 at 0x100"),
};

static void check(const struct row *row, struct ert_verdict *verdict)
{
    char *text = fixture_text(row->file);
    struct ert_listing listing;
    struct ert_error error = {0};
    enum ert_status status =
        row->function ? ert_listing_sass(text, row->function, 9, 0, &listing, &error)
                      : ert_listing_x86(text, row->start, &listing, &error);
    if (status != ERT_OK)
        fail_msg("%s: %s", row->file, error.text);
    ert_claims_check(&listing, row->function ? ERT_DEVICE_GPU : ERT_DEVICE_CPU, row->kernel,
                     row->path, row->code, verdict);
    ert_listing_free(&listing);
    free(text);
}

static void recorded_code_is_judged(void **state)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ert_verdict verdict;
        check(&rows[i], &verdict);
        if (strcmp(verdict.word, rows[i].word) != 0 || !strstr(verdict.text, rows[i].text))
            fail_msg("row %zu: %s: %s; expected %s: %s", i, verdict.word, verdict.text,
                     rows[i].word, rows[i].text);
    }
}

/*
 * The addresses of the broken kernels move with the compiler; their names do not. Not inlined: gcc
 * 12 sees dangling pointers there.
 */
__attribute__((noinline)) static uint64_t symbol_address(const char *text,
                                                         const char *symbol)
{
    char word[64];
    snprintf(word, sizeof word, " <%s>:", symbol);
    const char *at = strstr(text, word);
    assert_non_null(at);
    return strtoull(at - 16, NULL, 16);
}

static void spills_and_scalars_are_seen(void **state)
{
    static const struct {
        const char *symbol, *text;
    } broken[] = {
        {"spilled", "a spill to the stack"},
        {"scalar",  "not in the row: vfm" },
    };
    char *text = fixture_text("disassembly/x86-broken.txt");
    for (size_t i = 0; i < 2; i++) {
        struct ert_listing listing;
        struct ert_verdict verdict;
        struct ert_error error;
        assert_int_equal(
            ert_listing_x86(text, symbol_address(text, broken[i].symbol), &listing, &error),
            ERT_OK);
        ert_claims_check(&listing, ERT_DEVICE_CPU, ERT_KERNEL_fma_fp64, ERT_PATH_NONE,
                         &avx512, &verdict);
        assert_string_equal(verdict.word, ERT_DIFFERS);
        assert_contains(verdict.text, broken[i].text);
        ert_listing_free(&listing);
    }
    free(text);
}

static void walks_that_take_another_time_are_seen(void **state)
{
    static const struct {
        const char *symbol, *text;
    } broken[] = {
        {"two_walks", "a load whose address is not from the load before: mov at 0x9c0"},
        {"beside",    "a load whose address is not from the load before: mov at 0xa2b"},
        {"added",     "the address is written between two loads: add at 0xaa7"        },
        {"indexed",   "a load whose address is not from the load before: mov at 0xaf0"},
        {"narrow",    "an access of another width or path: mov at 0xb30"              },
        {"repeated",  "a load whose address is not from the load before: mov at 0xb74"},
        {"divided",   "more than loads and a counter: xor at 0xbb8"                   },
    };
    char *text = fixture_text("disassembly/x86-broken.txt");
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct ert_listing listing;
        struct ert_verdict verdict;
        struct ert_error error;
        assert_int_equal(
            ert_listing_x86(text, symbol_address(text, broken[i].symbol), &listing, &error),
            ERT_OK);
        ert_claims_check(&listing, ERT_DEVICE_CPU, ERT_KERNEL_chase, ERT_PATH_CACHED,
                         &pointers, &verdict);
        if (strcmp(verdict.word, ERT_DIFFERS) != 0 ||
            strcmp(verdict.text, broken[i].text) != 0)
            fail_msg("%s: %s: %s", broken[i].symbol, verdict.word, verdict.text);
        ert_listing_free(&listing);
    }
    free(text);
}

enum { LOADS = 40 };

/* A loop of loads, one line more behind the first of them, and a counter. */
static void check_walk(bool is_gpu, const char *load, const char *line,
                       struct ert_verdict *verdict)
{
    static const char *const forms[] = {"  %x:\t%s\n", "        /*%04x*/    %s ;\n"};
    char text[8192] = "\tcode for sm_90\n\t\tFunction : f\n";
    size_t used = is_gpu ? strlen(text) : 0;
    struct ert_listing listing;
    struct ert_error error;
    const char *const ends[] = {is_gpu ? "IADD3 R2, R2, 0x1, RZ" : "add    $0x1,%rdx",
                                is_gpu ? "@P0 BRA 0x100" : "jne    100 <f>",
                                is_gpu ? "EXIT" : "ret"};
    for (unsigned i = 0, address = 0x100; i < LOADS + 4; i++) {
        const char *words = i == 1 ? line : i <= LOADS ? load : ends[i - LOADS - 1];
        if (!*words)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, forms[is_gpu], address,
                                 words);
        address += 0x10;
    }
    assert_true(used < sizeof text);
    assert_int_equal(is_gpu ? ert_listing_sass(text, "f", 9, 0, &listing, &error)
                            : ert_listing_x86(text, 0x100, &listing, &error),
                     ERT_OK);
    ert_claims_check(&listing, is_gpu ? ERT_DEVICE_GPU : ERT_DEVICE_CPU, ERT_KERNEL_chase,
                     ERT_PATH_CACHED, &pointers, verdict);
    ert_listing_free(&listing);
}

static void nothing_but_a_counter_is_beside_a_walk(void **state)
{
    static const char cpu[] = "mov    (%rax),%rax";
    static const char gpu[] = "LDG.E.64 R6, desc[UR4][R6.64]";
    static const struct {
        bool is_gpu;
        const char *load, *line, *word, *text;
    } walks[] = {
        {false, cpu,                         "",                              ERT_AGREES,  "40 load of 8 byte, each address from"},
        {false, cpu,                         "lea    0x8(%rsp),%rcx",         ERT_AGREES,  "40 load"                             },
        {false, cpu,                         "nopl   0x0(%rax)",              ERT_AGREES,  "40 load"                             },
        {false, cpu,                         "cmp    %rsi,%rdx",              ERT_AGREES,  "40 load"                             },
        {false, "mov    0x18(%rax),%rax",    "",                              ERT_AGREES,  "40 load"                             },
        {false, "mov    (%rax,%rcx,8),%rax", "",                              ERT_DIFFERS, "not from the load"                   },
        {false, cpu,                         "mov    (%rax),%rcx",            ERT_DIFFERS, "not from the load"                   },
        {false, cpu,                         "mov    (%rcx),%rax",            ERT_DIFFERS, "not from the load"                   },
        {false, cpu,                         "mov    (%rcx),%ecx",            ERT_DIFFERS, "of another width"                    },
        {false, cpu,                         "movzbl (%rcx),%ecx",            ERT_DIFFERS, "of another width"                    },
        {false, cpu,                         "mov    0x8(%rsp),%rcx",         ERT_DIFFERS, "a spill"                             },
        {false, cpu,                         "add    (%rcx),%rdx",            ERT_DIFFERS, "an access outside the chain"         },
        {false, cpu,                         "mov    %rax,(%rax)",            ERT_DIFFERS, "an access outside the chain"         },
        {false, cpu,                         "mov    %rcx,%rax",              ERT_DIFFERS, "the address is written"              },
        {false, cpu,                         "xor    %eax,%eax",              ERT_DIFFERS, "the address is written"              },
        {false, cpu,                         "mul    %rcx",                   ERT_DIFFERS, "more than loads and a counter: mul"  },
        {false, cpu,                         "je     180 <f+0x80>",           ERT_DIFFERS, "a jump inside"                       },
        {false, cpu,                         "call   2000 <g>",               ERT_DIFFERS, "a call"                              },
        {true,  gpu,                         "",                              ERT_AGREES,  "40 load of 8 byte, each address from"},
        {true,  gpu,                         "UIADD3 UR4, UR4, -0x4, URZ",    ERT_AGREES,  "40 load"                             },
        {true,  gpu,                         "IMAD.MOV.U32 R8, RZ, RZ, R4",   ERT_AGREES,  "40 load"                             },
        {true,  gpu,                         "IMAD.MOV.U32 R6, RZ, RZ, R4",   ERT_DIFFERS, "the address is written"              },
        {true,  gpu,                         "IMAD.MOV.U32 R7, RZ, RZ, R4",   ERT_DIFFERS, "the address is written"              },
        {true,  gpu,                         "LDG.E.64 R8, desc[UR4][R6.64]", ERT_DIFFERS, "not from the load"                   },
        {true,  gpu,                         "LDG.E.64 R6, desc[UR4][R8.64]", ERT_DIFFERS, "not from the load"                   },
        {true,  gpu,                         "STG.E.64 desc[UR4][R8.64], R6", ERT_DIFFERS, "an access outside"                   },
        {true,  "LDG.E.64 R6, [R6.64+UR4]",  "",                              ERT_DIFFERS, "not from the load"                   },
        {true,  gpu,                         "@P0 BRA 0x200",                 ERT_DIFFERS, "a jump inside"                       },
    };
    for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++) {
        struct ert_verdict verdict;
        check_walk(walks[i].is_gpu, walks[i].load, walks[i].line, &verdict);
        if (strcmp(verdict.word, walks[i].word) != 0 ||
            !strstr(verdict.text, walks[i].text))
            fail_msg("row %zu, '%s': %s: %s", i, walks[i].line, verdict.word, verdict.text);
    }
}

/* Beside vectors, loads of general registers are addresses and counters. */
static void integers_do_not_count_in_memory_loops(void **state)
{
    static const char text[] =
        "  10:\tvmovupd (%rax),%zmm0\n  20:\tvmovupd (%rdx),%zmm1\n"
        "  30:\tmov    0x8(%rbx),%rcx\n  40:\tadd    0x10(%rbx),%esi\n"
        "  50:\tvmovupd (%rcx),%zmm2\n  60:\tvmovupd (%rsi),%zmm3\n"
        "  70:\tjne    10 <f>\n  80:\tret\n";
    struct ert_listing listing;
    struct ert_verdict verdict;
    struct ert_error error;
    assert_int_equal(ert_listing_x86(text, 0x10, &listing, &error), ERT_OK);
    ert_claims_check(&listing, ERT_DEVICE_CPU, ERT_KERNEL_load, ERT_PATH_CACHED, &avx512_x4,
                     &verdict);
    assert_string_equal(verdict.text, "4 load of 64 byte, 7 instructions");
    assert_string_equal(verdict.word, ERT_AGREES);
    ert_listing_free(&listing);
}

/* A loop of n FMAs to distinct registers, of which some are replaced by moves. */
static void make_loop(struct ert_listing *listing, int n_fma, int n_registers, int n_moves)
{
    struct ert_instruction fma = {
        .operation = ERT_OP_FMA, .type = ERT_FP64, .bytes = 64, .target = ERT_NO_TARGET};
    struct ert_instruction move = {.operation = ERT_OP_MOVE,
                                   .type = ERT_N_TYPES,
                                   .result = ERT_NO_RESULT,
                                   .target = ERT_NO_TARGET};
    struct ert_instruction jump = {
        .operation = ERT_OP_BRANCH, .type = ERT_N_TYPES, .address = 1000, .target = 0};
    *listing = (struct ert_listing){0};
    for (int i = 0; i < n_fma + n_moves; i++) {
        struct ert_instruction *next = i < n_fma ? &fma : &move;
        next->address = (uint64_t)i;
        fma.result = i % n_registers;
        ert_listing_add(listing, next);
    }
    ert_listing_add(listing, &jump);
}

static void chains_and_shares_are_counted(void **state)
{
    static const struct {
        int n_fma, n_registers, n_moves;
        const char *word, *text;
    } loops[] = {
        {96,  24, 2,  ERT_AGREES,  "96 FMA in 24 chains, 99 instructions"},
        {192, 24, 2,  ERT_AGREES,  "192 FMA"                             },
        {48,  24, 0,  ERT_DIFFERS, "has 48 FMA; an iteration is 96"      },
        {96,  12, 2,  ERT_DIFFERS, "in 12 chains, must be 24"            },
        {96,  24, 20, ERT_DIFFERS, "must be 90 %"                        },
        {144, 24, 0,  ERT_DIFFERS, "has 144 FMA; an iteration is 96"     },
    };
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        struct ert_listing listing;
        struct ert_verdict verdict;
        make_loop(&listing, loops[i].n_fma, loops[i].n_registers, loops[i].n_moves);
        ert_claims_check(&listing, ERT_DEVICE_CPU, ERT_KERNEL_fma_fp64, ERT_PATH_NONE,
                         &avx512, &verdict);
        assert_string_equal(verdict.word, loops[i].word);
        assert_contains(verdict.text, loops[i].text);
        ert_listing_free(&listing);
    }
}

/* FP64 on a GPU of few lanes waits by no-ops (cc 12.0: four); FP32 may not. */
static void waits_are_not_counted_where_they_cost_nothing(void **state)
{
    static const struct {
        enum ert_kernel_id kernel;
        enum ert_type type;
        const char *word, *text;
    } kernels[] = {
        {ERT_KERNEL_fma_fp64, ERT_FP64, ERT_AGREES,  "256 FMA in 8 chains, 1281"},
        {ERT_KERNEL_fma_fp32, ERT_FP32, ERT_DIFFERS, "are 19 % of 1281"         },
    };
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        struct ert_listing listing;
        struct ert_verdict verdict;
        make_loop(&listing, 256, 8, 1024);
        for (size_t k = 0; k < listing.n; k++) {
            struct ert_instruction *at = &listing.list[k];
            if (at->operation == ERT_OP_MOVE)
                at->operation = ERT_OP_NOP;
            if (at->operation == ERT_OP_FMA)
                at->type = kernels[i].type;
        }
        listing.list[listing.n - 1].address = 2000; /* behind all */
        ert_claims_check(&listing, ERT_DEVICE_GPU, kernels[i].kernel, ERT_PATH_NONE,
                         &gpu_chains, &verdict);
        assert_string_equal(verdict.word, kernels[i].word);
        assert_contains(verdict.text, kernels[i].text);
        ert_listing_free(&listing);
    }
}

static void the_claim_has_words(void **state)
{
    char text[64];
    ert_claims_text(ERT_DEVICE_GPU, ERT_KERNEL_fma_fp64, &gpu_chains, text, sizeof text);
    assert_string_equal(text, "256 FMA");
    ert_claims_text(ERT_DEVICE_GPU, ERT_KERNEL_triad, &gpu_flat, text, sizeof text);
    assert_string_equal(text, "2 FMA, 2 load, 1 store");
    ert_claims_text(ERT_DEVICE_GPU, ERT_KERNEL_triad, &gpu_flat, text, 6);
    assert_string_equal(text, "2 FMA");
    ert_claims_text(ERT_DEVICE_GPU, ERT_KERNEL_h2d_pinned, &gpu_flat, text, sizeof text);
    assert_string_equal(text, "");
}

/*
 * ERT's chain: from 1 the first step is an addition, and a negation is one on GPUs. 64 operations of which a
 * CPU does 2*31 + 1.
 */
static void the_claim_of_ert_is_as_long_as_the_case(void **state)
{
    static const struct {
        enum ert_device_kind kind;
        enum ert_kernel_id kernel;
        uint32_t flops, passes;
        bool is_fused;
        const char *text;
        double done;
    } cases[] = {
        {ERT_DEVICE_GPU, ERT_KERNEL_ert_fp64, 256, 1, true,
         "127 FMA, 2 add, 1 load, 1 store",                                                    1        },
        {ERT_DEVICE_GPU, ERT_KERNEL_ert_fp32, 2,   1, true,  "2 add, 1 load, 1 store",         1        },
        {ERT_DEVICE_GPU, ERT_KERNEL_ert_fp64, 1,   1, true,  "2 add, 1 load, 1 store",         2        },
        {ERT_DEVICE_CPU, ERT_KERNEL_ert_fp64, 64,  2, true,  "62 FMA, 2 add, 1 load, 1 store",
         63.0 / 64                                                                                      },
        {ERT_DEVICE_CPU, ERT_KERNEL_ert_fp64, 64,  1, false,
         "32 add, 31 multiply, 1 load, 1 store",                                               63.0 / 64},
        {ERT_DEVICE_CPU, ERT_KERNEL_fma_fp64, 0,   0, true,  "96 FMA",                         1        },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        const struct ert_code code = {.vector_bytes =
                                          cases[i].kernel == ERT_KERNEL_ert_fp32 ? 4 : 8,
                                      .vectors = 1,
                                      .chains = cases[i].passes ? 0 : 24,
                                      .flops = cases[i].flops,
                                      .passes = cases[i].passes,
                                      .is_fused = cases[i].is_fused};
        ert_claims_text(cases[i].kind, cases[i].kernel, &code, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        if (cases[i].kind == ERT_DEVICE_GPU)
            assert_close(ert_claims_flops(cases[i].kernel, &code, 1e6), 1e6 * cases[i].done,
                         1e-15);
    }
}

static void code_without_a_loop_differs(void **state)
{
    struct ert_listing none = {0};
    struct ert_verdict verdict;
    ert_claims_check(&none, ERT_DEVICE_CPU, ERT_KERNEL_load, ERT_PATH_CACHED,
                     &avx512_memory, &verdict);
    assert_string_equal(verdict.word, ERT_DIFFERS);
    assert_contains(verdict.text, "no loop");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_code_is_judged),
        cmocka_unit_test(spills_and_scalars_are_seen),
        cmocka_unit_test(walks_that_take_another_time_are_seen),
        cmocka_unit_test(nothing_but_a_counter_is_beside_a_walk),
        cmocka_unit_test(integers_do_not_count_in_memory_loops),
        cmocka_unit_test(chains_and_shares_are_counted),
        cmocka_unit_test(waits_are_not_counted_where_they_cost_nothing),
        cmocka_unit_test(the_claim_has_words),
        cmocka_unit_test(the_claim_of_ert_is_as_long_as_the_case),
        cmocka_unit_test(code_without_a_loop_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
