/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instruction sets for which this build has kernels: general ones, best first, then those of extensions.
 * None on other architectures: the backend says so.
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
#define ERT_ISA(name) &ert_cpu_isa_##name,
#include "ert/core/backend/cpu/isas.def"
    NULL};

const struct ert_cpu_need ert_cpu_needs[] = {
#define NEED(kernel, feature, flag)                                                        \
    {                                                                                      \
        kernel, feature, flag                                                              \
    }
#define ERT_NEED(kernel, feature, flag)                                                    \
    NEED(ERT_KERNEL_##kernel, feature, offsetof(struct ert_isa, flag)),
#include "ert/core/backend/cpu/isas.def"
    NEED(0, NULL, 0)};
