/*
 * The instruction sets that an x86-64 build has kernels for: those of general use, then extensions
 * as far as the compiler knew them.
 */
#include "ert/backend/cpu/isa.h"
#include "ert/base/config.h"

const struct ert_cpu_isa *const ert_cpu_isas[] = {
    &ert_cpu_isa_avx512,        &ert_cpu_isa_avx2,
    &ert_cpu_isa_sse2,          &ert_cpu_isa_scalar_fma,
    &ert_cpu_isa_scalar_sse2,
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
    &ert_cpu_isa_amx_bf16,      &ert_cpu_isa_amx_int8,
#endif
    &ert_cpu_isa_ert110_avx512, &ert_cpu_isa_ert110_avx2,
    &ert_cpu_isa_ert110_sse2,   NULL};

const struct ert_cpu_need ert_cpu_needs[] = {
    {ERT_KERNEL_fma_fp16,      "AVX512-FP16",      offsetof(struct ert_isa,                             avx512fp16)},
    {ERT_KERNEL_add_fp16,                        "AVX512-FP16",                        offsetof(struct ert_isa,                                       avx512fp16)},
    {ERT_KERNEL_mul_fp16,             "AVX512-FP16",                               offsetof(struct ert_isa,                          avx512fp16)},
    {ERT_KERNEL_dot_bf16, "AVX512-BF16",offsetof(struct ert_isa,    avx512bf16)},
    {ERT_KERNEL_dot_int8,           "AVX512-VNNI",                             offsetof(struct ert_isa,                                                                  avx512vnni)},
    {ERT_KERNEL_dot_int8,      "AVX-VNNI", offsetof(struct ert_isa, avxvnni)},
    {ERT_KERNEL_amx_bf16,                        "AMX-BF16",                        offsetof(struct ert_isa,                                                            amx_bf16)},
    {ERT_KERNEL_amx_int8,                "AMX-INT8",                                  offsetof(struct ert_isa,                                                                   amx_int8)},
    {0, NULL,0},
};
