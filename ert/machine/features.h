/*
 * features: what the processor that this code runs on says of itself (CPUID and XCR0 on x86,
 * AT_HWCAP on aarch64; nothing elsewhere). One file per architecture. gpp picks its kernels by it.
 */
#ifndef ERT_MACHINE_FEATURES_H
#define ERT_MACHINE_FEATURES_H

#include "ert/machine/machine.h"

/* Frequencies in Hz; 0 where the processor does not say. */
struct ert_features {
    struct ert_isa isa;
    char hypervisor[32];    /* "" on bare metal or where unknown */
    double base_hz, max_hz; /* CPUID leaf 0x16 */
    double tsc_hz;          /* CPUID leaf 0x15, or what the hypervisor says */
    const char *tsc_source;
};

void ert_features_read(struct ert_features *features);

#endif
