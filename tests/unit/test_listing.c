/* SPDX-License-Identifier: BSD-3-Clause */
/* listing: disassemblers' text as instructions: operands, jumps, ends, and text that is none. */
#include "tests/unit/fixture_file.h"

#include "ert/ext/validate/listing.h"

static const char sample[] =
    "\nert/ert:     file format elf64-x86-64\n\n"
    "0000000000001000 <kernel>:\n"
    "    1000:\tmov    %rsp,%rbp\n"
    "    1003:\tvfmadd231pd 0x40(%rax),%zmm0,%zmm8\n"
    "    100a:\tvmovapd %zmm9,(%r15)\n"
    "    1010:\tvmovntpd %ymm1,0x20(%rdi)\n"
    "    1018:\tvaddsd 0x8a1e0(%rip),%xmm0,%xmm0        # dd978 <x+0x38>\n"
    "    1020:\tvmulpd (%rax){1to8},%zmm1,%zmm2\n"
    "    1028:\tvmovapd -0x70(%rbp),%zmm3\n"
    "    1030:\tvmovapd %zmm3,0x40(%rsp)\n"
    "    1038:\tje     1048 <kernel+0x48>\n"
    "    103a:\tbnd jmp 1003 <kernel+0x3>\n"
    "    1040:\tret\n"
    "    1048:\tcall   2000 <other>\n"
    "    104c:\t{vex} vpdpbusd %ymm1,%ymm4,%ymm0\n"
    "    1050:\tret\n"
    "    1051:\tnopl   0x0(%rax)\n";

static struct ert_listing read_sample(uint64_t start)
{
    struct ert_listing listing;
    struct ert_error error = {0};
    assert_int_equal(ert_listing_x86(sample, start, &listing, &error), ERT_OK);
    return listing;
}

static void operands_are_understood(void **state)
{
    static const struct {
        enum ert_operation operation;
        enum ert_type type;
        uint32_t bytes;
        bool loads, stores, spills;
        int result;
    } expected[] = {
        {ERT_OP_MOVE, ERT_N_TYPES, 8,  false, false, false, ERT_GENERAL_REGISTER + 5},
        {ERT_OP_FMA,  ERT_FP64,    64, true,  false, false, 8                       },
        {ERT_OP_MOVE, ERT_N_TYPES, 64, false, true,  false, 9                       },
        {ERT_OP_MOVE, ERT_N_TYPES, 32, false, true,  false, 1                       },
        {ERT_OP_ADD,  ERT_FP64,    8,  true,  false, false, 0                       },
        {ERT_OP_MUL,  ERT_FP64,    8,  true,  false, false, 2                       },
        {ERT_OP_MOVE, ERT_N_TYPES, 64, true,  false, true,  3                       },
        {ERT_OP_MOVE, ERT_N_TYPES, 64, false, true,  true,  3                       },
    };
    struct ert_listing listing = read_sample(0x1000);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct ert_instruction *found = &listing.list[i];
        assert_int_equal(found->operation, expected[i].operation);
        assert_int_equal(found->type, expected[i].type);
        assert_int_equal(found->bytes, expected[i].bytes);
        assert_int_equal(found->loads, expected[i].loads);
        assert_int_equal(found->stores, expected[i].stores);
        assert_int_equal(found->spills, expected[i].spills);
        assert_int_equal(found->result, expected[i].result);
    }
    ert_listing_free(&listing);
}

/* What a walk is made of: general registers by any of their names, and addresses of one of them. */
static void general_registers_and_addresses_are_understood(void **state)
{
    static const struct {
        const char *text;
        bool loads, stores, spills;
        uint32_t bytes;
        int result, base; /* general registers from 0 on; -1: none */
    } lines[] = {
        {"mov    (%rax),%rax",        true,  false, false, 8,  0,  0 },
        {"mov    0x40(%r15),%rcx",    true,  false, false, 8,  1,  15},
        {"mov    (%rdx,%rsi,8),%rdi", true,  false, false, 8,  7,  -1},
        {"mov    0x0(,%rax,8),%rbx",  true,  false, false, 8,  3,  -1},
        {"mov    %fs:(%rax),%rbx",    true,  false, false, 8,  3,  -1},
        {"mov    0x8a1e0(%rip),%rax", true,  false, false, 8,  0,  -1},
        {"mov    (%r8),%r9d",         true,  false, false, 4,  9,  8 },
        {"mov    %r9w,(%rbp)",        false, true,  false, 2,  9,  5 },
        {"movq   $0x0,(%rdx)",        false, true,  false, 0,  -1, 2 },
        {"mov    0x8(%rsp),%rsi",     true,  false, true,  8,  6,  4 },
        {"add    $0x1,%dl",           false, false, false, 1,  2,  -1},
        {"xor    %r10d,%r10d",        false, false, false, 4,  10, -1},
        {"lock add %ecx,(%rax)",      true,  false, false, 4,  1,  0 },
        {"lea    -0x40(%rsp),%r11",   false, false, false, 8,  11, -1},
        {"nopl   0x0(%rax,%rax,1)",   false, false, false, 0,  -1, -1},
        {"vmovd  %xmm3,%eax",         false, false, false, 16, 0,  -1},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[96];
        struct ert_listing listing;
        struct ert_error error;
        snprintf(text, sizeof text, "  10:\t%s\n  20:\tret\n", lines[i].text);
        assert_int_equal(ert_listing_x86(text, 0x10, &listing, &error), ERT_OK);
        const struct ert_instruction *found = &listing.list[0];
        int result =
            lines[i].result < 0 ? ERT_NO_RESULT : ERT_GENERAL_REGISTER + lines[i].result;
        int base = lines[i].base < 0 ? ERT_NO_RESULT : ERT_GENERAL_REGISTER + lines[i].base;
        if (found->loads != (lines[i].loads) || found->stores != lines[i].stores ||
            found->spills != lines[i].spills || found->bytes != lines[i].bytes ||
            found->result != result || found->base != base ||
            found->is_general != (result != ERT_NO_RESULT))
            fail_msg("%s: %d %d %d, %u bytes, result %d, base %d", lines[i].text,
                     found->loads, found->stores, found->spills, found->bytes,
                     found->result, found->base);
        ert_listing_free(&listing);
    }
}

/* Registers of NEON and of SVE (here 32 bytes), pairs, addresses. */
static void instructions_of_aarch64_are_understood(void **state)
{
    enum { X = ERT_GENERAL_REGISTER, NO = ERT_NO_RESULT, NONE = ERT_N_TYPES };
    static const struct {
        const char *text;
        enum ert_operation operation;
        int type;
        uint32_t bytes, loads, stores;
        bool spills;
        int result, base;
    } lines[] = {
        {"fmla\tv1.2d, v2.2d, v3.2d",            ERT_OP_FMA,      ERT_FP64,  16, 0, 0, 0, 1,     NO   },
        {"fmad\tz16.d, p0/m, z5.d, z4.d",        ERT_OP_FMA,      ERT_FP64,  32, 0, 0, 0, 16,    NO   },
        {"fmul\tz7.s, z1.s, z2.s",               ERT_OP_MUL,      ERT_FP32,  32, 0, 0, 0, 7,     NO   },
        {"fadd\tv31.2s, v0.2s, v1.2s",           ERT_OP_ADD,      ERT_FP32,  8,  0, 0, 0, 31,    NO   },
        {"fmadd\td1, d2, d3, d4",                ERT_OP_FMA,      ERT_FP64,  8,  0, 0, 0, 1,     NO   },
        {"fsqrt\ts9, s9",                        ERT_OP_SQRT,     ERT_FP32,  4,  0, 0, 0, 9,     NO   },
        {"fmla\tv4.8h, v5.8h, v6.8h",            ERT_OP_FMA,      ERT_FP16,  16, 0, 0, 0, 4,     NO   },
        {"sdot\tv0.4s, v1.16b, v2.16b",          ERT_OP_DOT,      ERT_INT8,  16, 0, 0, 0, 0,     NO   },
        {"eor\tz0.d, z0.d, z1.d",                ERT_OP_LOGIC,    NONE,      32, 0, 0, 0, 0,     NO   },
        {"eor\tx0, x0, x1",                      ERT_OP_OTHER,    NONE,      8,  0, 0, 0, X,     NO   },
        {"stadd\tx1, [x0]",                      ERT_OP_ATOMIC,   ERT_INT64, 8,  0, 0, 0, X + 1, NO   },
        {"ldr\tq3, [x5, #16]",                   ERT_OP_MOVE,     NONE,      16, 1, 0, 0, 3,     X + 5},
        {"ldp\tq3, q4, [x5], #32",               ERT_OP_MOVE,     NONE,      16, 2, 0, 0, 3,     X + 5},
        {"stnp\td1, d2, [x7]",                   ERT_OP_MOVE,     ERT_FP64,  16, 0, 1, 0, 1,     X + 7},
        {"ld1d\t{z4.d}, p0/z, [x2, #1, mul vl]", ERT_OP_MOVE,     ERT_FP64,  32, 1, 0, 0, 4,
         X + 2                                                                                        },
        {"stnt1d\t{z4.d}, p0, [x2]",             ERT_OP_MOVE,     ERT_FP64,  32, 0, 1, 0, 4,     X + 2},
        {"ld1rd\t{z4.d}, p0/z, [x2]",            ERT_OP_MOVE,     ERT_FP64,  8,  1, 0, 0, 4,     X + 2},
        {"str\tq0, [sp, #48]",                   ERT_OP_MOVE,     NONE,      16, 0, 1, 1, 0,     NO   },
        {"ldr\tx3, [x1, x2, lsl #3]",            ERT_OP_MOVE,     NONE,      8,  1, 0, 0, X + 3, NO   },
        {"ldr\tx0, [x0]",                        ERT_OP_MOVE,     NONE,      8,  1, 0, 0, X,     X    },
        {"prfm\tpldl1keep, [x0, #4096]",         ERT_OP_PREFETCH, NONE,      0,  0, 0, 0, NO,    NO   },
        {"mov\tv1.16b, v9.16b",                  ERT_OP_MOVE,     NONE,      16, 0, 0, 0, 1,     NO   },
    };
    for (size_t i = 0; i < ERT_LENGTH(lines); i++) {
        char text[128];
        struct ert_listing listing;
        struct ert_error error;
        snprintf(text, sizeof text, "  10:\t%s\n  14:\tret\n", lines[i].text);
        assert_int_equal(ert_listing_aarch64(text, 0x10, 32, &listing, &error), ERT_OK);
        const struct ert_instruction *found = &listing.list[0];
        if (found->operation != lines[i].operation || (int)found->type != lines[i].type ||
            found->bytes != lines[i].bytes || found->loads != lines[i].loads ||
            found->stores != lines[i].stores || found->spills != lines[i].spills ||
            found->result != lines[i].result || found->base != lines[i].base)
            fail_msg("%s: %s, type %d, %u bytes, %u loads, %u stores, spills %d, "
                     "result %d, base %d",
                     lines[i].text, ert_operation_name(found->operation), (int)found->type,
                     found->bytes, found->loads, found->stores, found->spills,
                     found->result, found->base);
        ert_listing_free(&listing);
    }
}

/* A loop closed by "b.ne" or "cbnz", and where a function ends. */
static void jumps_of_aarch64_are_understood(void **state)
{
    static const char text[] = "0000000000000010 <f>:\n"
                               "  10:\tcbz\tx1, 24 <f+0x14>\n"
                               "  14:\tfadd\tv0.2d, v0.2d, v1.2d\n"
                               "  18:\tsubs\tx1, x1, #0x1\n"
                               "  1c:\tb.ne\t14 <f+0x4>  // b.any\n"
                               "  20:\tret\n"
                               "  24:\ttbz\tw0, #3, 20 <f+0x10>\n"
                               "  28:\tb\t14 <f+0x4>\n"
                               "  2c:\tnop\n";
    struct ert_listing listing;
    struct ert_range loop;
    struct ert_error error;
    assert_int_equal(ert_listing_aarch64(text, 0x10, 0, &listing, &error), ERT_OK);
    assert_int_equal(listing.n, 7);
    assert_true(ert_listing_loop(&listing, &loop));
    assert_int_equal(loop.first, 1);
    assert_int_equal(loop.last, 3);
    ert_listing_free(&listing);
}

/* The last register says what an instruction writes, whichever came before. */
static void a_vector_behind_a_general_register_counts(void **state)
{
    static const char text[] = "  10:\tvpbroadcastq %rax,%zmm1\n  20:\tret\n";
    struct ert_listing listing;
    struct ert_error error;
    assert_int_equal(ert_listing_x86(text, 0x10, &listing, &error), ERT_OK);
    assert_int_equal(listing.list[0].result, 1);
    assert_int_equal(listing.list[0].bytes, 64);
    assert_false(listing.list[0].is_general);
    ert_listing_free(&listing);
}

/* The same of a GPU: "[R6.64+UR4]" is no address of one register. */
static void addresses_of_a_gpu_are_understood(void **state)
{
    static const struct {
        const char *text;
        int result, base;
    } lines[] = {
        {"LDG.E.64.STRONG.GPU R10, desc[UR8][R6.64]", 10,            6            },
        {"LDG.E.64 R8, desc[UR8][R2.64+0x10]",        8,             2            },
        {"LDG.E.64.CG R2, [R4]",                      2,             4            },
        {"LDS R12, [R11]",                            12,            11           },
        {"LDS R12, [R11+-0x8]",                       12,            11           },
        {"LDG.E.64 R8, [R6.64+UR4]",                  8,             ERT_NO_RESULT},
        {"LDS R3, [R4.X4+UR5]",                       3,             ERT_NO_RESULT},
        {"LDS R3, [UR5]",                             3,             ERT_NO_RESULT},
        {"LDS R3, [RZ+0x10]",                         3,             ERT_NO_RESULT},
        {"IADD3 R6, R6, 0x1, RZ",                     6,             ERT_NO_RESULT},
        {"ISETP.NE.AND P0, PT, R5, RZ, PT",           ERT_NO_RESULT, ERT_NO_RESULT},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[160];
        struct ert_listing listing;
        struct ert_error error;
        snprintf(text, sizeof text,
                 "\tcode for sm_90\n\t\tFunction : f\n        /*0000*/    %s ;\n",
                 lines[i].text);
        assert_int_equal(ert_listing_sass(text, "f", 9, 0, &listing, &error), ERT_OK);
        if (listing.list[0].result != lines[i].result ||
            listing.list[0].base != lines[i].base)
            fail_msg("%s: result %d, base %d", lines[i].text, listing.list[0].result,
                     listing.list[0].base);
        ert_listing_free(&listing);
    }
}

/* The first ret is jumped over: the function goes on behind it. */
static void the_function_ends_where_nothing_runs_on(void **state)
{
    struct ert_listing listing = read_sample(0x1000);
    assert_int_equal(listing.n, 14);
    assert_int_equal(listing.list[8].target, 0x1048);
    assert_int_equal(listing.list[9].operation, ERT_OP_BRANCH);
    assert_int_equal(listing.list[9].target, 0x1003);
    assert_int_equal(listing.list[11].operation, ERT_OP_CALL);
    assert_int_equal(listing.list[12].operation, ERT_OP_DOT);
    assert_int_equal(listing.list[12].bytes, 32);
    ert_listing_free(&listing);
}

static void the_largest_inner_loop_is_found(void **state)
{
    struct ert_range loop;
    struct ert_listing listing = read_sample(0x1000);
    assert_true(ert_listing_loop(&listing, &loop));
    assert_int_equal(loop.first, 1);
    assert_int_equal(loop.last, 9);
    ert_listing_free(&listing);

    char *text = fixture_text("disassembly/x86-triad.txt");
    struct ert_error error;
    assert_int_equal(ert_listing_x86(text, 0x5d000, &listing, &error), ERT_OK);
    assert_true(ert_listing_loop(&listing, &loop));
    assert_int_equal(loop.last - loop.first + 1, 107);
    ert_listing_free(&listing);
    free(text);
}

static void text_without_the_function_is_refused(void **state)
{
    struct ert_listing listing;
    struct ert_error error;
    assert_int_equal(ert_listing_x86("", 0, &listing, &error), ERT_UNAVAILABLE);
    assert_int_equal(ert_listing_x86(sample, 0x9000, &listing, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "0x9000");
    assert_int_equal(ert_listing_x86("  10:\tmov %rax,%rbx\n", 0x10, &listing, &error),
                     ERT_UNAVAILABLE);
    assert_contains(error.text, "ends inside");
    assert_int_equal(ert_listing_sass("", "f", 9, 0, &listing, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "cc 9.0");
}

/* Two architectures, and one for 9.0 alone. */
static void the_device_runs_the_best_architecture(void **state)
{
    static const char text[] =
        "\tcode for sm_80\n\t\tFunction : f\n"
        "        /*0000*/                   EXIT ;\n"
        "\tcode for sm_86\n\t\tFunction : f\n"
        "        /*0000*/                   NOP;\n"
        "        /*0010*/                   EXIT ;\n"
        "\tcode for sm_90\n\t\tFunction : f\n"
        "        /*0000*/                   DADD R2, R4, R6 ;\n"
        "\tcode for sm_90a\n\t\tFunction : f\n"
        "        /*0000*/               @P0 DFMA R12, R4, R6, R8 ;\n";
    static const struct {
        uint32_t major, minor;
        size_t n;
        const char *first;
    } devices[] = {
        {8, 0, 1, "EXIT"},
        {8, 9, 2, "NOP" },
        {9, 0, 1, "DFMA"},
        {7, 5, 0, NULL  },
    };
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        struct ert_listing listing;
        struct ert_error error;
        enum ert_status status = ert_listing_sass(text, "f", devices[i].major,
                                                  devices[i].minor, &listing, &error);
        assert_int_equal(status, devices[i].n ? ERT_OK : ERT_UNAVAILABLE);
        assert_int_equal(listing.n, devices[i].n);
        if (devices[i].n)
            assert_string_equal(listing.list[0].mnemonic, devices[i].first);
        ert_listing_free(&listing);
    }
}

static void gpu_words_are_understood(void **state)
{
    static const char text[] =
        "\tcode for sm_90\n\t\tFunction : f\n"
        "        /*0000*/                   LDG.E.128.STRONG.GPU R8, desc[UR6][R8.64] ;\n"
        "        /*0010*/                   STG.E.EF.128 desc[UR6][R14.64], R4 ;\n"
        "        /*0020*/                   LDS.128 R20, [R28] ;\n"
        "        /*0030*/                   HFMA2.BF16_V2 R3, R4, R5, R6 ;\n"
        "        /*0040*/                   HMMA.16816.F32.BF16 R24, R4, R6, R24 ;\n"
        "        /*0050*/                   STL.64 [R1], R4 ;\n"
        "        /*0060*/               @P0 BRA 0x10 ;\n"
        "        /*0070*/                   IMAD.MOV.U32 R5, RZ, RZ, RZ ;\n"
        "        /*0080*/                   HFMA2.MMA R3, -RZ, RZ, 0, 1 ;\n"
        "        /*0090*/                   REDG.E.ADD.STRONG.GPU desc[UR6][R2.64], R5 ;\n"
        "        /*00a0*/                   REDG.E.ADD.64.STRONG.GPU desc[UR6][R2.64], R4 "
        ";\n"
        "        /*00b0*/                   ATOMS.POPC.INC.32 RZ, [R2+URZ] ;\n"
        "        /*00c0*/                   UMOV UR29, 0x8400490 ;\n"
        "        /*00d0*/       UTCHMMA gdesc[UR4], gdesc[UR6], tmem[UR8], idesc[UR29] ;\n";
    struct ert_listing listing;
    struct ert_error error;
    assert_int_equal(ert_listing_sass(text, "f", 9, 0, &listing, &error), ERT_OK);
    const struct ert_instruction *list = listing.list;
    assert_int_equal(listing.n, 14);
    assert_true(list[13].operation == ERT_OP_MMA && list[13].type == ERT_BF16);
    assert_int_equal(list[8].operation, ERT_OP_MOVE); /* a constant */
    assert_true(list[9].operation == ERT_OP_ATOMIC && list[9].type == ERT_INT32);
    assert_int_equal(list[10].operation, ERT_OP_OTHER); /* of no kernel */
    assert_int_equal(list[11].operation, ERT_OP_ATOMS);
    assert_true(list[0].loads && list[0].bypasses_l1 && list[0].bytes == 16);
    assert_true(list[1].stores && list[1].bytes == 16);
    assert_true(list[2].loads && list[2].space == ERT_SPACE_SHARED);
    assert_true(list[3].operation == ERT_OP_FMA && list[3].type == ERT_BF16);
    assert_true(list[4].operation == ERT_OP_MMA && list[4].type == ERT_BF16 &&
                list[4].result == 24);
    assert_true(list[5].spills);
    assert_int_equal(list[6].target, 0x10);
    assert_int_equal(list[7].operation, ERT_OP_MOVE);
    ert_listing_free(&listing);
}

/*
 * As ptxas 12 lays out a shuffle for cc 7.0: behind the kernel's end what diverged warps do, which
 * calls, and jumps back into the middle of the kernel.
 */
static void what_was_put_aside_is_no_loop(void **state)
{
    static const char text[] =
        "\tcode for sm_70\n\t\tFunction : f\n"
        "        /*0000*/                   LDG.E.128.STRONG.GPU R8, [R22] ;\n"
        "        /*0010*/               @P0 BRA 0x0 ;\n"
        "        /*0020*/                   BRA.DIV ~URZ, 0x60 ;\n"
        "        /*0030*/                   SHFL.BFLY PT, R5, R16, 0x10, 0x1f ;\n"
        "        /*0040*/               @P1 EXIT ;\n"
        "        /*0050*/                   EXIT ;\n"
        "        /*0060*/                   MOV R2, 0x80 ;\n"
        "        /*0070*/                   CALL.REL.NOINC 0x90 ;\n"
        "        /*0080*/                   BRA 0x40 ;\n"
        "        /*0090*/                   RET.REL.NODEC R2 0x0 ;\n"
        "        /*00a0*/                   BRA 0xa0;\n";
    struct ert_listing listing;
    struct ert_error error;
    struct ert_range loop, all;
    assert_int_equal(ert_listing_sass(text, "f", 7, 0, &listing, &error), ERT_OK);
    assert_int_equal(listing.n, 11);
    assert_true(ert_listing_loop(&listing, &loop));
    assert_int_equal(loop.first, 0);
    assert_int_equal(loop.last, 1);
    all = ert_listing_main(&listing);
    assert_int_equal(all.first, 0);
    assert_int_equal(all.last, 5);
    ert_listing_free(&listing);
    all = ert_listing_main(&listing); /* of nothing */
    assert_int_equal(all.last, 0);
}

/* As nvcc 13 leaves a loop on cc 8.x; a division's calls are calls. */
static void a_call_inside_the_kernel_is_a_jump(void **state)
{
    static const char text[] =
        "\tcode for sm_80\n\t\tFunction : f\n"
        "        /*0000*/                   DADD R4, R4, R8 ;\n"
        "        /*0010*/               @P1 CALL.REL.NOINC 0x30 ;\n"
        "        /*0020*/                   BRA 0x0 ;\n"
        "        /*0030*/                   CALL.REL.NOINC 0x50 ;\n"
        "        /*0040*/                   EXIT ;\n"
        "        /*0050*/                   RET.REL.NODEC R2 0x0 ;\n";
    struct ert_listing listing;
    struct ert_error error;
    struct ert_range loop;
    assert_int_equal(ert_listing_sass(text, "f", 8, 0, &listing, &error), ERT_OK);
    assert_int_equal(listing.list[1].operation, ERT_OP_BRANCH);
    assert_int_equal(listing.list[3].operation, ERT_OP_CALL);
    assert_true(ert_listing_loop(&listing, &loop));
    assert_int_equal(loop.last, 2);
    ert_listing_free(&listing);
}

/* cc 6.x: pairs in braces, loads past L1 by their name, and a loop that begins at a scheduler's word. */
static void pairs_of_pascal_are_understood(void **state)
{
    static const char text[] =
        "\tcode for sm_60\n\t\tFunction : f\n"
        "        /*0008*/                   LDG.E.CG.128 R4, [R2] ;\n"
        "                                                         /* 0x001fb */\n"
        "        /*0028*/         {         DADD R14, R14, c[0x0][0x1a0] ;  /* 0x4c */\n"
        "        /*0030*/              @!P1 BRA 0x20         }\n"
        "        /*0038*/                   LDG.E.128 R8, [R2] ;\n"
        "        /*0048*/                   IADD32I R9, R9, 0x1 ;\n"
        "        /*0050*/                   LOP.XOR R9, R9, R1 ;\n"
        "        /*0058*/                   EXIT ;\n"
        "        /*0068*/                   CAL 0x8 ;\n";
    struct ert_listing listing;
    struct ert_error error;
    struct ert_range loop;
    assert_int_equal(ert_listing_sass(text, "f", 6, 0, &listing, &error), ERT_OK);
    const struct ert_instruction *list = listing.list;
    assert_int_equal(listing.n, 8);
    assert_true(list[0].loads && list[0].bypasses_l1 && list[0].bytes == 16);
    assert_true(list[1].operation == ERT_OP_ADD && list[1].type == ERT_FP64);
    assert_int_equal(list[1].result, 14);
    assert_int_equal(list[2].target, 0x20);
    assert_true(list[3].loads && !list[3].bypasses_l1);
    assert_int_equal(list[4].operation, ERT_OP_ADD);
    assert_int_equal(list[5].operation, ERT_OP_LOGIC);
    assert_int_equal(list[7].operation, ERT_OP_CALL);
    assert_true(ert_listing_loop(&listing, &loop));
    assert_int_equal(loop.first, 1);
    assert_int_equal(loop.last, 2);
    ert_listing_free(&listing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_are_understood),
        cmocka_unit_test(instructions_of_aarch64_are_understood),
        cmocka_unit_test(jumps_of_aarch64_are_understood),
        cmocka_unit_test(general_registers_and_addresses_are_understood),
        cmocka_unit_test(a_vector_behind_a_general_register_counts),
        cmocka_unit_test(addresses_of_a_gpu_are_understood),
        cmocka_unit_test(the_function_ends_where_nothing_runs_on),
        cmocka_unit_test(the_largest_inner_loop_is_found),
        cmocka_unit_test(text_without_the_function_is_refused),
        cmocka_unit_test(the_device_runs_the_best_architecture),
        cmocka_unit_test(gpu_words_are_understood),
        cmocka_unit_test(what_was_put_aside_is_no_loop),
        cmocka_unit_test(a_call_inside_the_kernel_is_a_jump),
        cmocka_unit_test(pairs_of_pascal_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
