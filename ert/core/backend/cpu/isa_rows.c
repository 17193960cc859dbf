/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instruction sets for which this build has kernels: general ones, best first, then extensions that the
 * compiler supports. None on other architectures: the backend says so.
 */
#include "ert/core/backend/cpu/isa.h"
#include "ert/core/base/config.h"

/* Those of extensions. */
#define ERT_ISA(name) extern const struct ert_cpu_isa ert_cpu_isa_##name;
#include "ert/core/backend/cpu/isas.def"

const struct ert_cpu_isa *const ert_cpu_isas[] = {
#if defined ERT_CPU_X86
    &ert_cpu_isa_avx512,
    &ert_cpu_isa_avx2,
    &ert_cpu_isa_sse2,
    &ert_cpu_isa_scalar_fma,
    &ert_cpu_isa_scalar_sse2,
#elif defined ERT_CPU_AARCH64
#ifdef ERT_CPU_SVE
    &ert_cpu_isa_sve512,
    &ert_cpu_isa_sve256,
    &ert_cpu_isa_sve128,
#endif
    &ert_cpu_isa_neon,
    &ert_cpu_isa_scalar_aarch64,
#endif
#ifdef ERT_CPU_AVX512FP16
    &ert_cpu_isa_avx512fp16,
#endif
#ifdef ERT_CPU_AVX512BF16
    &ert_cpu_isa_avx512bf16,
#endif
#ifdef ERT_CPU_AVX512VNNI
    &ert_cpu_isa_avx512vnni,
#endif
#ifdef ERT_CPU_AVXVNNI
    &ert_cpu_isa_avxvnni,
#endif
#ifdef ERT_CPU_AMX
    &ert_cpu_isa_amx_bf16,
    &ert_cpu_isa_amx_int8,
#endif
#ifdef ERT_CPU_NEONFP16
    &ert_cpu_isa_neonfp16,
#endif
#ifdef ERT_CPU_NEONDOT
    &ert_cpu_isa_neondot,
#endif
#define ERT_ISA(name) &ert_cpu_isa_##name,
#include "ert/core/backend/cpu/isas.def"
    NULL};

#define NEED(kernel, feature, flag)                                                        \
    {                                                                                      \
        ERT_KERNEL_##kernel, feature, offsetof(struct ert_isa, flag)                       \
    }
const struct ert_cpu_need ert_cpu_needs[] = {
#if defined ERT_CPU_X86
    NEED(fma_fp16, "AVX512-FP16", avx512fp16),
    NEED(add_fp16, "AVX512-FP16", avx512fp16),
    NEED(mul_fp16, "AVX512-FP16", avx512fp16),
    NEED(dot_bf16, "AVX512-BF16", avx512bf16),
    NEED(dot_int8, "AVX512-VNNI", avx512vnni),
    NEED(dot_int8, "AVX-VNNI", avxvnni),
    NEED(amx_bf16, "AMX-BF16", amx_bf16),
    NEED(amx_int8, "AMX-INT8", amx_int8),
#elif defined ERT_CPU_AARCH64
    NEED(fma_fp16, "FEAT_FP16", neonfp16),
    NEED(add_fp16, "FEAT_FP16", neonfp16),
    NEED(mul_fp16, "FEAT_FP16", neonfp16),
    NEED(dot_int8, "FEAT_DotProd", neondot),
#endif
    {0, NULL, 0}
};
