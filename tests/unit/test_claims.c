/*
 * claims: recorded machine code of this project's kernels agrees with claims.def; kernels with
 * planted faults (tests/data/disassembly/broken.*) do not, and the reason is named.
 */
#include "tests/unit/fixture_file.h"

#include "ert/validate/claims.h"

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
#define TRIAD "_Z11stream_flatI5triadLi256ELi1E11evict_firstEv18ert_cuda_arguments"

static const struct row rows[] = {
    CPU("fma_fp64", 0x5b5a0, fma_fp64, NONE, avx512, AGREES, "96 FMA in 24 chains"),
    CPU("fma_fp64", 0x5b5a0, add_fp64, NONE, avx512, DIFFERS, "does not have: vfmadd"),
    CPU("fma_fp64", 0x5b5a0, fma_fp32, NONE, avx512, DIFFERS, "does not have"),
    CPU("load", 0x5c950, load, CACHED, avx512_memory, AGREES, "32 load of 64 byte"),
    CPU("load", 0x5c950, load, CACHED, avx512_x4, AGREES, "32 load of 64 byte"),
    CPU("load", 0x5c950, load, CACHED, avx512_x64, DIFFERS,
        "has 32 load; a turn is 64 load"),
    CPU("load", 0x5c950, load, CACHED, avx512_ahead, DIFFERS,
        "has 0 prefetch, 32 load; a turn is 32 prefetch, 32 load"),
    CPU("triad", 0x5d000, triad, CACHED, avx512_moves, DIFFERS, "does not have: vfmadd"),
    CPU("triad", 0x5d000, triad, CACHED, avx512_memory, AGREES,
        "32 FMA, 64 load, 32 store of 64 byte"),
    CPU("triad", 0x5d000, update, CACHED, avx512_memory, DIFFERS,
        "has 32 FMA, 64 load, 32 store; a turn is 32 FMA, 32 load, 32 store"),
    CPU("broken", 0x0, fma_fp64, NONE, avx512, DIFFERS, "has 4 FMA; a turn is 96 FMA"),
    CPU("broken", 0xf0, load, CACHED, avx512_memory, DIFFERS,
        "has 0 load; a turn is 32 load"),
    CPU("fma_fp64", 0x5b5a0, chase, CACHED, avx512, NOT_THERE, "no claim"),
    GPU("good", FMA, fma_fp64, NONE, gpu_chains, AGREES, "256 FMA in 8 chains, 259"),
    GPU("good", L1, load, CACHED, gpu_loop, AGREES, "16 load of 16 byte"),
    GPU("good", L1, load, BYPASS_L1, gpu_loop, DIFFERS, "width or path: LDG.E.128"),
    GPU("good", TRIAD, triad, BYPASS_L1, gpu_flat, AGREES, "2 FMA, 2 load, 1 store of 16"),
    GPU("broken", "_Z6mergedPdddj", fma_fp64, NONE, gpu_chains, DIFFERS,
        "has 32 FMA; a turn is 256 FMA"),
    GPU("broken", "_Z7hoistedPK5uint4Pjj", load, CACHED, gpu_loop, DIFFERS,
        "has 0 load; a turn is 8 load"),
    GPU("broken", "_Z6narrowPKdPdd", triad, BYPASS_L1, gpu_flat, DIFFERS,
        "width or path: LDG.E.64"),
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
    (void)state;
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
    (void)state;
    static const struct {
        const char *symbol, *text;
    } broken[] = {
        {"spilled", "a spill to the stack"},
        {"scalar",  "does not have: vfm"  },
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

/* A loop of n FMAs to distinct registers, of which some are replaced by moves. */
static void make_loop(struct ert_listing *listing, int n_fma, int n_registers, int n_moves)
{
    struct ert_error error;
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
        assert_int_equal(ert_listing_add(listing, next, &error), ERT_OK);
    }
    assert_int_equal(ert_listing_add(listing, &jump, &error), ERT_OK);
}

static void chains_and_shares_are_counted(void **state)
{
    (void)state;
    static const struct {
        int n_fma, n_registers, n_moves;
        const char *word, *text;
    } loops[] = {
        {96,  24, 2,  ERT_AGREES,  "96 FMA in 24 chains, 99 instructions"},
        {192, 24, 2,  ERT_AGREES,  "192 FMA"                             },
        {48,  24, 0,  ERT_DIFFERS, "has 48 FMA; a turn is 96"            },
        {96,  12, 2,  ERT_DIFFERS, "in 12 chains, must be 24"            },
        {96,  24, 20, ERT_DIFFERS, "must be 90 %"                        },
        {144, 24, 0,  ERT_DIFFERS, "has 144 FMA; a turn is 96"           },
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
    (void)state;
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
    (void)state;
    char text[64];
    ert_claims_text(ERT_DEVICE_GPU, ERT_KERNEL_fma_fp64, &gpu_chains, text, sizeof text);
    assert_string_equal(text, "256 FMA");
    ert_claims_text(ERT_DEVICE_GPU, ERT_KERNEL_triad, &gpu_flat, text, sizeof text);
    assert_string_equal(text, "2 FMA, 2 load, 1 store");
    ert_claims_text(ERT_DEVICE_GPU, ERT_KERNEL_triad, &gpu_flat, text, 6);
    assert_string_equal(text, "2 FMA");
    ert_claims_text(ERT_DEVICE_GPU, ERT_KERNEL_mixed_fp64, &gpu_flat, text, sizeof text);
    assert_string_equal(text, "");
}

/*
 * ERT's chain: from 1 (C++) the first step is an addition, and a negation is one on GPUs; the C sources do as
 * they say. 64 operations of which a CPU does 2*31 + 1.
 */
static void the_claim_of_ert_is_as_long_as_the_case(void **state)
{
    (void)state;
    static const struct {
        enum ert_device_kind kind;
        enum ert_kernel_id kernel;
        uint32_t flops, passes;
        bool is_fused;
        const char *text;
        double done;
    } cases[] = {
        {ERT_DEVICE_GPU, ERT_KERNEL_ert_fp64,   256, 1, true,
         "127 FMA, 2 add, 1 load, 1 store",                                                      1        },
        {ERT_DEVICE_GPU, ERT_KERNEL_ert_fp32,   2,   1, true,  "2 add, 1 load, 1 store",         1        },
        {ERT_DEVICE_GPU, ERT_KERNEL_ert_fp64,   1,   1, true,  "2 add, 1 load, 1 store",         2        },
        {ERT_DEVICE_GPU, ERT_KERNEL_ert_c_fp64, 256, 1, true,  "128 FMA, 1 load, 1 store",
         1                                                                                                },
        {ERT_DEVICE_GPU, ERT_KERNEL_ert_c_fp64, 1,   1, true,  "1 add, 1 load, 1 store",         1        },
        {ERT_DEVICE_CPU, ERT_KERNEL_ert_fp64,   64,  2, true,  "62 FMA, 2 add, 1 load, 1 store",
         63.0 / 64                                                                                        },
        {ERT_DEVICE_CPU, ERT_KERNEL_ert_fp64,   64,  1, false,
         "32 add, 31 multiply, 1 load, 1 store",                                                 63.0 / 64},
        {ERT_DEVICE_CPU, ERT_KERNEL_fma_fp64,   0,   0, true,  "96 FMA",                         1        },
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
        const struct ert_case case_ = {
            .kernel = cases[i].kernel, .blocks = 10, .block_threads = 32};
        bool decays = cases[i].kernel == ERT_KERNEL_ert_c_fp64;
        assert_close(ert_claims_flops(cases[i].kind, &case_, &code, 1e6, 7),
                     1e6 * cases[i].done + (decays ? 7 * 320 : 0), 1e-15);
    }
}

static void code_without_a_loop_differs(void **state)
{
    (void)state;
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
        cmocka_unit_test(chains_and_shares_are_counted),
        cmocka_unit_test(waits_are_not_counted_where_they_cost_nothing),
        cmocka_unit_test(the_claim_has_words),
        cmocka_unit_test(the_claim_of_ert_is_as_long_as_the_case),
        cmocka_unit_test(code_without_a_loop_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
