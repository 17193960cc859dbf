/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * features: what the processor that this code runs on reports (CPUID and XCR0 on x86, AT_HWCAP on
 * aarch64; nothing elsewhere). gpp selects its kernels by it.
 */
#ifndef ERT_MACHINE_FEATURES_H
#define ERT_MACHINE_FEATURES_H

#include "ert/core/machine/machine.h"

/* Frequencies in Hz; 0 where the processor does not say. */
struct ert_features {
    struct ert_isa isa;
    char hypervisor[32];    /* "" on bare metal or where unknown */
    double base_hz, max_hz; /* CPUID leaf 0x16 */
    double tsc_hz;          /* CPUID leaf 0x15, or what the hypervisor says */
    const char *tsc_source;
};

void ert_features_read(struct ert_features *features);

/* Reads EAX, EBX, ECX and EDX of a CPUID leaf into words[]; false where there is no such leaf. */
typedef bool ert_features_leaf(uint32_t leaf, uint32_t subleaf, uint32_t words[4]);

/*
 * x86 only: the instruction sets that the leaves of a CPUID report. xcr0: the register states that the
 * operating system saves, 0 without XGETBV.
 */
struct ert_isa ert_features_decode(ert_features_leaf *leaf, uint32_t xcr0);

#endif
