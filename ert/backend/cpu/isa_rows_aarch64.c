/*
 * The instruction sets that an aarch64 build has kernels for: those of general use, then extensions
 * as far as the compiler knew them.
 */
#include "ert/backend/cpu/isa.h"
#include "ert/base/config.h"

const struct ert_cpu_isa *const ert_cpu_isas[] = {
    &ert_cpu_isa_neon,        &ert_cpu_isa_scalar_aarch64,
#ifdef ERT_CPU_NEONFP16
    &ert_cpu_isa_neonfp16,
#endif
#ifdef ERT_CPU_NEONDOT
    &ert_cpu_isa_neondot,
#endif
    &ert_cpu_isa_ert110_neon, NULL};

const struct ert_cpu_need ert_cpu_needs[] = {
    {ERT_KERNEL_fma_fp16,      "FEAT_FP16",    offsetof(struct ert_isa, neonfp16)},
    {ERT_KERNEL_add_fp16,                        "FEAT_FP16",                    offsetof(struct ert_isa,         neonfp16)},
    {ERT_KERNEL_mul_fp16,               "FEAT_FP16",                             offsetof(struct ert_isa,                          neonfp16)},
    {ERT_KERNEL_dot_int8, "FEAT_DotProd",offsetof(struct ert_isa,neondot)},
    {0,          NULL,                        0                                                               },
};
