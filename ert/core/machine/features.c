/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/machine/features.h"

#include <stddef.h>

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

/* Leaves and bits: Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E. */
enum { EAX, EBX, ECX, EDX };

/* State that the operating system saves (XCR0, Intel SDM volume 1, section 13.3). */
#define XCR0_AVX    0x6u     /* XMM and YMM */
#define XCR0_AVX512 0xe6u    /* and masks, ZMM */
#define XCR0_AMX    0x60000u /* tile configuration and data */

static const struct {
    uint32_t leaf, subleaf;
    int word, bit;
    uint32_t state; /* of XCR0, all bits */
    size_t offset;
} rows[] = {
    {1, 0, EDX, 26, 0,           offsetof(struct ert_isa, sse2)      },
    {1, 0, ECX, 28, XCR0_AVX,    offsetof(struct ert_isa, avx)       },
    {1, 0, ECX, 12, XCR0_AVX,    offsetof(struct ert_isa, fma)       },
    {7, 0, EBX, 5,  XCR0_AVX,    offsetof(struct ert_isa, avx2)      },
    {7, 0, EBX, 16, XCR0_AVX512, offsetof(struct ert_isa, avx512f)   },
    {7, 0, ECX, 11, XCR0_AVX512, offsetof(struct ert_isa, avx512vnni)},
    {7, 0, EDX, 23, XCR0_AVX512, offsetof(struct ert_isa, avx512fp16)},
    {7, 1, EAX, 5,  XCR0_AVX512, offsetof(struct ert_isa, avx512bf16)},
    {7, 1, EAX, 4,  XCR0_AVX,    offsetof(struct ert_isa, avxvnni)   },
    {7, 0, EDX, 24, XCR0_AMX,    offsetof(struct ert_isa, amx_tile)  },
    {7, 0, EDX, 22, XCR0_AMX,    offsetof(struct ert_isa, amx_bf16)  },
    {7, 0, EDX, 25, XCR0_AMX,    offsetof(struct ert_isa, amx_int8)  },
};

static bool read_leaf(uint32_t leaf, uint32_t subleaf, uint32_t words[4])
{
    memset(words, 0, 4 * sizeof words[0]);
    return __get_cpuid_count(leaf, subleaf, &words[EAX], &words[EBX], &words[ECX],
                             &words[EDX]) != 0;
}

/* XCR0, or 0 where XGETBV is not enabled (leaf 1, ECX bit 27). */
static uint32_t read_xcr0(void)
{
    uint32_t words[4], low, high;
    if (!read_leaf(1, 0, words) || !(words[ECX] >> 27 & 1))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    (void)high;
    return low;
}

struct ert_isa ert_features_decode(ert_features_leaf *leaf, uint32_t xcr0)
{
    struct ert_isa isa = {0};
    uint32_t words[4];
    for (size_t i = 0; i < ERT_LENGTH(rows); i++) {
        bool *flag = (bool *)((char *)&isa + rows[i].offset);
        *flag = leaf(rows[i].leaf, rows[i].subleaf, words) &&
                (words[rows[i].word] >> rows[i].bit & 1) &&
                (xcr0 & rows[i].state) == rows[i].state;
    }
    return isa;
}

/* The hypervisor's signature in leaf 0x40000000, which __get_cpuid's range check cannot reach. */
static void read_hypervisor(struct ert_features *features)
{
    static const char *const names[][2] = {
        {"KVMKVMKVM",    "KVM"    },
        {"Microsoft Hv", "Hyper-V"},
        {"VMwareVMware", "VMware" },
        {"XenVMMXenVMM", "Xen"    },
        {"TCGTCGTCGTCG", "QEMU"   },
    };
    uint32_t words[4];
    char signature[13] = "";
    if (!read_leaf(1, 0, words) || !(words[ECX] >> 31))
        return;
    __cpuid(0x40000000, words[EAX], words[EBX], words[ECX], words[EDX]);
    memcpy(signature, &words[EBX], 12);
    snprintf(features->hypervisor, sizeof features->hypervisor, "%s",
             signature[0] ? signature : "unnamed");
    for (size_t i = 0; i < ERT_LENGTH(names); i++)
        if (strcmp(signature, names[i][0]) == 0)
            snprintf(features->hypervisor, sizeof features->hypervisor, "%s", names[i][1]);
    /* The TSC frequency in kHz: VMware's convention, which KVM has adopted. */
    if (words[EAX] < 0x40000010 || words[EAX] > 0x400000ff)
        return;
    __cpuid(0x40000010, words[EAX], words[EBX], words[ECX], words[EDX]);
    if (words[EAX] > 0) {
        features->tsc_hz = words[EAX] * 1e3;
        features->tsc_source = "TSC frequency (hypervisor, CPUID 0x40000010)";
    }
}

static void read_clocks(struct ert_features *features)
{
    uint32_t words[4];
    if (read_leaf(0x16, 0, words)) {
        features->base_hz = (words[EAX] & 0xffff) * 1e6;
        features->max_hz = (words[EBX] & 0xffff) * 1e6;
    }
    /* TSC = crystal clock (ECX) times EBX / EAX; some processors do not report the crystal. */
    if (read_leaf(0x15, 0, words) && words[EAX] && words[EBX] && words[ECX]) {
        features->tsc_hz = (double)words[ECX] * words[EBX] / words[EAX];
        features->tsc_source = "TSC frequency (CPUID 0x15)";
    }
}

void ert_features_read(struct ert_features *features)
{
    *features = (struct ert_features){0};
    features->isa = ert_features_decode(read_leaf, read_xcr0());
    read_hypervisor(features);
    read_clocks(features);
}

#elif defined(__aarch64__)

#include <sys/auxv.h>
#include <sys/prctl.h>

/* AT_HWCAP bits: Linux, arch/arm64/include/uapi/asm/hwcap.h. */
#define ERT_HWCAP_ASIMD   (1ul << 1)
#define ERT_HWCAP_ASIMDHP (1ul << 10)
#define ERT_HWCAP_ASIMDDP (1ul << 20)
#define ERT_HWCAP_SVE     (1ul << 22)

/* On Arm, programs cannot read the core's clocks; CNTFRQ is a timer's frequency. */
void ert_features_read(struct ert_features *features)
{
    unsigned long hwcap = getauxval(AT_HWCAP);
    *features = (struct ert_features){0};
    features->isa.neon = (hwcap & ERT_HWCAP_ASIMD) != 0;
    features->isa.neonfp16 = (hwcap & ERT_HWCAP_ASIMDHP) != 0;
    features->isa.neondot = (hwcap & ERT_HWCAP_ASIMDDP) != 0;
    features->isa.sve = (hwcap & ERT_HWCAP_SVE) != 0;
    const int sve_bits =
        features->isa.sve ? 8 * (prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) : 0;
    features->isa.sve128 = sve_bits == 128;
    features->isa.sve256 = sve_bits == 256;
    features->isa.sve512 = sve_bits == 512;
    features->isa.fma = features->isa.neon; /* FMLA is part of ASIMD */
}

#else

/* No method is known here: everything stays unknown. */
void ert_features_read(struct ert_features *features)
{
    *features = (struct ert_features){0};
}

#endif
