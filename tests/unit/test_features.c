/* SPDX-License-Identifier: BSD-3-Clause */
/* features: what processors' own answers to CPUID mean; x86 only. */
#include "tests/unit/test.h"

#include "ert/core/backend/backend.h"
#include "ert/core/machine/features.h"

enum { ALL_STATE = 0xe7, AVX_STATE = 0x7, AMX_STATE = 0x600e7 };

/*
 * Leaf 7 of a Xeon Phi 7210: AVX2, AVX-512F (16), PF (26), ER (27), CD (28); neither DQ (17) nor BW
 * (30) nor VL (31), nor anything in EDX. Leaf 1: FMA (12), AVX (28), SSE2 (EDX 26).
 */
static bool knights_landing(uint32_t leaf, uint32_t subleaf, uint32_t words[4])
{
    static const uint32_t one[4] = {0x50671, 0, 0x7ff8f3bf, 0xbfebfbff};
    static const uint32_t seven[4] = {0, 0x1c0d23ab, 1, 0};
    memset(words, 0, 4 * sizeof words[0]);
    if (leaf == 1)
        memcpy(words, one, sizeof one);
    if (leaf == 7 && subleaf == 0)
        memcpy(words, seven, sizeof seven);
    return leaf <= 0xd;
}

/* All bits of leaves 1 and 7: a processor with everything. */
static bool everything(uint32_t leaf, uint32_t subleaf, uint32_t words[4])
{
    (void)leaf, (void)subleaf;
    memset(words, 0xff, 4 * sizeof words[0]);
    return true;
}

static bool nothing(uint32_t leaf, uint32_t subleaf, uint32_t words[4])
{
    (void)leaf, (void)subleaf;
    memset(words, 0xff, 4 * sizeof words[0]); /* not to be looked at */
    return false;
}

static void knl_has_avx512f_alone(void **state)
{
    (void)state;
    struct ert_isa isa = ert_features_decode(knights_landing, ALL_STATE);
    assert_true(isa.sse2 && isa.avx && isa.avx2 && isa.fma && isa.avx512f);
    assert_false(isa.avx512vnni || isa.avx512fp16 || isa.avx512bf16 || isa.avxvnni);
    assert_false(isa.amx_tile || isa.amx_bf16 || isa.amx_int8);
}

/* Its kernels are AVX-512F's, and those of later extensions have a reason why not. */
static void knl_runs_avx512f(void **state)
{
    (void)state;
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192] = "";
    struct ert_device device = {.kind = ERT_DEVICE_CPU, .cpu.n_cores_usable = 64};
    struct ert_session_options options = {0};
    device.cpu.isa = ert_features_decode(knights_landing, ALL_STATE);
    static const enum ert_kernel_id kernels[] = {ERT_KERNEL_load, ERT_KERNEL_fma_fp64,
                                                 ERT_KERNEL_mixed_fp64};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        enum ert_path path = i == 1 ? ERT_PATH_NONE : ERT_PATH_CACHED;
        assert_true(ert_backend_cpu.variants(&device, &options, kernels[i], path, variants,
                                             reason, sizeof reason) > 0);
        assert_string_equal(variants[0].isa, "avx512");
        assert_int_equal(variants[0].threads, 64);
    }
    assert_int_equal(ert_backend_cpu.variants(&device, &options, ERT_KERNEL_dot_int8,
                                              ERT_PATH_NONE, variants, reason,
                                              sizeof reason),
                     0);
    assert_contains(reason, "does not have");
}

/* Without the system's word for ZMM or tiles, their instructions would fault. */
static void the_system_must_save_the_state(void **state)
{
    (void)state;
    struct ert_isa isa = ert_features_decode(knights_landing, AVX_STATE);
    assert_true(isa.avx2 && isa.fma && !isa.avx512f);
    isa = ert_features_decode(everything, 0);
    assert_true(isa.sse2 && !isa.avx && !isa.avx2 && !isa.avx512f);
    isa = ert_features_decode(everything, ALL_STATE);
    assert_true(isa.avx512fp16 && isa.avx512vnni && isa.avxvnni && !isa.amx_tile);
    isa = ert_features_decode(everything, AMX_STATE);
    assert_true(isa.amx_tile && isa.amx_bf16 && isa.amx_int8);
    isa = ert_features_decode(nothing, AMX_STATE);
    assert_false(isa.sse2 || isa.avx512f || isa.amx_tile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knl_has_avx512f_alone),
        cmocka_unit_test(knl_runs_avx512f),
        cmocka_unit_test(the_system_must_save_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
