/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/machine/features.h"

#include "ert/core/base/file.h"
#include "ert/core/machine/host.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

/* The kernel's words: those of x86, then those of aarch64 (hwcap.h). */
static const struct {
    const char *word;
    size_t offset;
} rows[] = {
    {"sse2",        offsetof(struct ert_isa, sse2)      },
    {"avx",         offsetof(struct ert_isa, avx)       },
    {"avx2",        offsetof(struct ert_isa, avx2)      },
    {"fma",         offsetof(struct ert_isa, fma)       },
    {"avx512f",     offsetof(struct ert_isa, avx512f)   },
    {"avx512_vnni", offsetof(struct ert_isa, avx512vnni)},
    {"avx512_fp16", offsetof(struct ert_isa, avx512fp16)},
    {"avx512_bf16", offsetof(struct ert_isa, avx512bf16)},
    {"avx_vnni",    offsetof(struct ert_isa, avxvnni)   },
    {"amx_tile",    offsetof(struct ert_isa, amx_tile)  },
    {"amx_bf16",    offsetof(struct ert_isa, amx_bf16)  },
    {"amx_int8",    offsetof(struct ert_isa, amx_int8)  },
    {"asimd",       offsetof(struct ert_isa, neon)      },
    {"asimd",       offsetof(struct ert_isa, fma)       }, /* FMLA is part of it */
    {"asimdhp",     offsetof(struct ert_isa, neonfp16)  },
    {"asimddp",     offsetof(struct ert_isa, neondot)   },
    {"sve",         offsetof(struct ert_isa, sve)       },
};

/* The hypervisor's signature in CPUID leaf 0x40000000; the kernel says only that there is one. */
#ifdef __x86_64__
#include <cpuid.h>

static void read_signature(char signature[13])
{
    unsigned words[4];
    __cpuid(0x40000000, words[0], words[1], words[2], words[3]);
    memcpy(signature, &words[1], 12);
    signature[12] = '\0';
}
#else
static void read_signature(char signature[13])
{
    signature[0] = '\0';
}
#endif

static void read_hypervisor(char *name, size_t size)
{
    static const char *const names[][2] = {
        {"KVMKVMKVM",    "KVM"    },
        {"Microsoft Hv", "Hyper-V"},
        {"VMwareVMware", "VMware" },
        {"XenVMMXenVMM", "Xen"    },
        {"TCGTCGTCGTCG", "QEMU"   },
    };
    char signature[13];
    read_signature(signature);
    snprintf(name, size, "%s", signature[0] ? signature : "unnamed");
    for (size_t i = 0; i < ERT_LENGTH(names); i++)
        if (strcmp(signature, names[i][0]) == 0)
            snprintf(name, size, "%s", names[i][1]);
}

void ert_features_read(const char *root, struct ert_features *features)
{
    char file[PATH_MAX], list[4096];
    struct ert_isa *isa = &features->isa;
    *features = (struct ert_features){0};
    snprintf(file, sizeof file, "%s/proc/cpuinfo", root);
    if (!ert_file_value(file, "flags", list, sizeof list))
        ert_file_value(file, "Features", list, sizeof list);
    for (size_t i = 0; i < ERT_LENGTH(rows); i++)
        if (ert_host_has_word(list, rows[i].word))
            *((bool *)isa + rows[i].offset) = true;
    const int sve_bits = isa->sve ? 8 * (prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) : 0;
    isa->sve128 = sve_bits == 128;
    isa->sve256 = sve_bits == 256;
    isa->sve512 = sve_bits == 512;
    if (ert_host_has_word(list, "hypervisor"))
        read_hypervisor(features->hypervisor, sizeof features->hypervisor);
}
