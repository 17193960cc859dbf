#if defined(__aarch64__)

#include "ert/machine/features.h"

#include <sys/auxv.h>

/* AT_HWCAP bits: Linux, arch/arm64/include/uapi/asm/hwcap.h. */
#define ERT_HWCAP_ASIMD   (1ul << 1)
#define ERT_HWCAP_ASIMDHP (1ul << 10)
#define ERT_HWCAP_ASIMDDP (1ul << 20)
#define ERT_HWCAP_SVE     (1ul << 22)

/* Arm has no word for clocks that programs may read; CNTFRQ counts a timer, not the core. */
void ert_features_read(struct ert_features *features)
{
    unsigned long hwcap = getauxval(AT_HWCAP);
    *features = (struct ert_features){0};
    features->isa.neon = (hwcap & ERT_HWCAP_ASIMD) != 0;
    features->isa.neonfp16 = (hwcap & ERT_HWCAP_ASIMDHP) != 0;
    features->isa.neondot = (hwcap & ERT_HWCAP_ASIMDDP) != 0;
    features->isa.sve = (hwcap & ERT_HWCAP_SVE) != 0;
    features->isa.fma = features->isa.neon; /* FMLA is part of ASIMD */
}

#else
typedef int ert_features_aarch64_is_empty; /* ISO C wants a declaration in every file */
#endif
