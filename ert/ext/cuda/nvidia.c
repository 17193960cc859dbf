/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/cuda/nvidia.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NVML API Reference Guide, nvmlClocksEventReasons. The power limit is not a fault: tensor cores reach it. */
const struct ert_throttle ert_nvidia_throttle[] = {
    {0x1,   "idle",                        false, false},
    {0x2,   "applications clocks setting", false, false},
    {0x4,   "SW power cap",                false, true },
    {0x8,   "HW slowdown",                 true,  false},
    {0x10,  "sync boost",                  true,  false},
    {0x20,  "SW thermal slowdown",         true,  false},
    {0x40,  "HW thermal slowdown",         true,  false},
    {0x80,  "HW power brake slowdown",     true,  false},
    {0x100, "display clocks setting",      false, false},
    {0,     NULL,                          false, false},
};

uint32_t ert_nvidia_code_for(const char *built, uint32_t cc)
{
    uint32_t best = 0, last = 0;
    for (char *end; *built; built = end) {
        uint32_t arch = (uint32_t)strtoul(built, &end, 10);
        if (end == built)
            break;
        last = arch;
        if (arch / 10 == cc / 10 && arch <= cc && arch > best)
            best = arch;
    }
    return best != 0 ? best : last <= cc ? last : 0;
}

uint32_t ert_nvidia_cuda_for(enum ert_kernel_id kernel, uint32_t cc)
{
    /* Seen in the machine code of 11.8, 12.0 to 12.6, 12.8, 12.9 and 13.0; for cc 8.x all are alike. */
    static const struct {
        enum ert_kernel_id kernel;
        uint32_t cuda;
    } rows[] = {
        {ERT_KERNEL_fma_bf16,  12080}, /* HFMA2.MMA.BF16 and HFMA2.BF16 in turn */
        {ERT_KERNEL_add_bf16,  12080},
        {ERT_KERNEL_mul_bf16,  12080},
        {ERT_KERNEL_add_int32, 12030}, /* VIADD, not IADD3 */
        {ERT_KERNEL_issue,     12000}, /* FFMA and integers in turn */
    };
    for (size_t i = 0; i < ERT_LENGTH(rows) && cc >= 90; i++)
        if (rows[i].kernel == kernel)
            return rows[i].cuda;
    return 0;
}

enum ert_status ert_nvidia_model(const char *architecture, struct ert_device *device,
                                 struct ert_error *error)
{
    /* For variants(): an SM that can hold every shape (cc 7.0, 8.0 and 9.0 have this many threads). */
    enum { MOST_THREADS = 2048 };
    uint32_t major, minor;
    char rest;
    if (sscanf(architecture, "%2u.%1u%c", &major, &minor, &rest) != 2 || major == 0)
        return ert_fail(error, ERT_USAGE, "'%.32s' is no compute capability like 7.0",
                        architecture);
    *device = (struct ert_device){
        .id = "gpu0",
        .backend = "cuda",
        .kind = ERT_DEVICE_GPU,
        .gpu = {.n_sms = 1,
                .max_threads_per_sm = MOST_THREADS,
                .cc_major = major,
                .cc_minor = minor}
    };
    snprintf(device->name, sizeof device->name, "GPU of compute capability %u.%u", major,
             minor);
    return ERT_OK;
}

/* One compute capability: results per clock and SM; 0 if not published, or if models differ. */
struct sm {
    uint32_t cc_major, cc_minor;
    uint32_t fp64_lanes, fp32_lanes; /* of FMA, add and mul */
    uint32_t fp16_lanes;             /* as half2: each counts 2 */
    uint32_t bf16_lanes, int32_lanes;
    uint32_t issue;                  /* warp instructions */
    uint32_t l1_bytes, shared_bytes; /* loaded per clock; 0 unknown */
    const char *lanes_source, *l1_source, *shared_source;
};

/* Tensor cores of a compute capability: multiply-adds per clock and SM, dense; 0 none or unknown. */
struct sm_tensor {
    uint32_t cc_major, cc_minor;
    uint32_t fp64, tf32, bf16, fp16, fp16_acc16, fp8, int8;
    uint32_t fp4_scaled; /* of kind::mxf4 and mxf4nvf4; others as FP8 */
    enum generation { MMA, WGMMA, TCGEN05 } generation;
    const char *source;
};

/*
 * Results per clock and SM. The lanes are NVIDIA's table "Throughput of Native Arithmetic
 * Instructions" (64-bit and 32-bit add, multiply, multiply-add).
 */
#define LANES "CUDA C++ Programming Guide, Throughput of Native Arithmetic Instructions"
#define BANKS "CUDA C++ Programming Guide, shared memory: 32 banks of 4 B per clock"
#define UNITED                                                                             \
    "as shared memory, of whose unified array L1 is a part: 32 banks of 4 B per clock"
#define VOLTA  "Jia et al., Dissecting the NVIDIA Volta GPU Architecture, arXiv:1804.06826"
#define TURING "Jia et al., Dissecting the NVidia Turing T4 GPU, arXiv:1903.07486"
#define GA102  "NVIDIA Ampere GA102 GPU Architecture white paper: 128 B per clock, Turing 64"

#define HGX_B                                                                              \
    "dense peaks quoted of NVIDIA's HGX B200 and B300 datasheets, of 148 SMs at 1.86 "     \
    "GHz, "                                                                                \
    "per SM and clock"

/* cc, fp64, fp32, fp16, bf16, int32, issue, L1, shared. Issue: 4 schedulers, 1 warp per clock each. */
static const struct sm sms[] = {
    {6,  0, 32, 64,  128, 0,   64, 0, 64,  128, LANES, VOLTA,  BANKS},
    {6,  1, 4,  128, 2,   0,   0,  0, 0,   128, LANES, NULL,   BANKS},
    {7,  0, 32, 64,  128, 0,   64, 4, 128, 128, LANES, VOLTA,  BANKS},
    {7,  5, 2,  64,  128, 0,   64, 4, 64,  64,  LANES, TURING, GA102},
    {8,  0, 32, 64,  256, 128, 64, 4, 128, 128, LANES, UNITED, BANKS},
    {8,  6, 2,  128, 128, 128, 64, 4, 128, 128, LANES, GA102,  GA102},
    {8,  9, 2,  128, 128, 128, 64, 4, 128, 128, LANES, UNITED, BANKS},
    {9,  0, 64, 128, 256, 256, 64, 4, 128, 128, LANES, UNITED, BANKS},
    {10, 0, 64, 128, 0,   0,   0,  4, 128, 128, LANES, UNITED, BANKS},
    {10, 3, 2,  128, 0,   0,   0,  4, 128, 128, HGX_B, UNITED, BANKS},
    {12, 0, 2,  128, 0,   0,   0,  4, 128, 128, LANES, UNITED, BANKS},
};

/*
 * Boards of cc 8.6 and 8.9 differ: GeForce accumulates in FP32 at half the rate of the RTX and data centre
 * boards, so that only the rate of FP16 accumulation follows from the capability.
 */
#define V100                                                                               \
    "NVIDIA Tesla V100 GPU Architecture white paper: 8 tensor cores x 64 FMA per SM"
#define T4   "NVIDIA Turing GPU Architecture white paper: 8 tensor cores x 64 FMA per SM"
#define A100 "NVIDIA A100 Tensor Core GPU Architecture white paper: 1024 FP16 FMA per SM"
#define AD   "NVIDIA Ampere GA102 GPU Architecture white paper: 512 FP16 FMA per SM"
#define H100                                                                               \
    "NVIDIA H100 Tensor Core GPU Architecture white paper: twice A100 per SM and clock"
static const struct sm_tensor tensors[] = {
    {7,  0, 0,   0,    0,    512,  512,  0,    0,    0,     MMA,     V100 },
    {7,  5, 0,   0,    0,    512,  512,  0,    1024, 0,     MMA,     T4   },
    {8,  0, 64,  512,  1024, 1024, 1024, 0,    2048, 0,     MMA,     A100 },
    {8,  6, 0,   0,    0,    0,    512,  0,    1024, 0,     MMA,     AD   },
    {8,  9, 0,   0,    0,    0,    512,  0,    1024, 0,     MMA,     AD   },
    {9,  0, 128, 1024, 2048, 2048, 2048, 4096, 4096, 0,     WGMMA,   H100 },
    {10, 0, 64,  2048, 4096, 4096, 4096, 8192, 8192, 16384, TCGEN05, HGX_B},
    {10, 3, 0,   2048, 4096, 4096, 4096, 8192, 0,    24576, TCGEN05, HGX_B},
};

/* The peaks of the CUDA cores: lanes of struct sm, operations per lane. */
static const struct {
    const char *name;
    size_t lanes;
    uint32_t operations;
    const char *what;
} core_peaks[] = {
    {"fp64-fma",   offsetof(struct sm, fp64_lanes),  2, "lanes x 2 flop"     },
    {"fp64-add",   offsetof(struct sm, fp64_lanes),  1, "lanes x 1 flop"     },
    {"fp64-mul",   offsetof(struct sm, fp64_lanes),  1, "lanes x 1 flop"     },
    {"fp32-fma",   offsetof(struct sm, fp32_lanes),  2, "lanes x 2 flop"     },
    {"fp32-add",   offsetof(struct sm, fp32_lanes),  1, "lanes x 1 flop"     },
    {"fp32-mul",   offsetof(struct sm, fp32_lanes),  1, "lanes x 1 flop"     },
    {"fp16-fma",   offsetof(struct sm, fp16_lanes),  2, "lanes x 2 flop"     },
    {"fp16-add",   offsetof(struct sm, fp16_lanes),  1, "lanes x 1 flop"     },
    {"fp16-mul",   offsetof(struct sm, fp16_lanes),  1, "lanes x 1 flop"     },
    {"bf16-fma",   offsetof(struct sm, bf16_lanes),  2, "lanes x 2 flop"     },
    {"bf16-add",   offsetof(struct sm, bf16_lanes),  1, "lanes x 1 flop"     },
    {"bf16-mul",   offsetof(struct sm, bf16_lanes),  1, "lanes x 1 flop"     },
    {"int32-mad",  offsetof(struct sm, int32_lanes), 2, "lanes x 2 op"       },
    {"inst-issue", offsetof(struct sm, issue),       1, "schedulers x 1 inst"},
};

static uint32_t member(const void *base, size_t offset)
{
    return *(const uint32_t *)(const void *)((const char *)base + offset);
}

/* Multiply-adds of a tensor kernel. 0: unknown, none, or by an instruction that other GPUs have. */
static uint32_t tensor_rate(const struct sm_tensor *tensor, const struct ert_kernel *row)
{
    static const char *const newest[] = {
        [MMA] = "mma", [WGMMA] = "wgmma", [TCGEN05] = "tcgen05"};
    static const size_t rates[ERT_N_TYPES] = {
        [ERT_FP64] = offsetof(struct sm_tensor, fp64),
        [ERT_TF32] = offsetof(struct sm_tensor, tf32),
        [ERT_BF16] = offsetof(struct sm_tensor, bf16),
        [ERT_FP16] = offsetof(struct sm_tensor, fp16),
        [ERT_FP8] = offsetof(struct sm_tensor, fp8),
        [ERT_FP6] = offsetof(struct sm_tensor, fp8),
        [ERT_FP4] = offsetof(struct sm_tensor, fp8),
        [ERT_INT8] = offsetof(struct sm_tensor, int8),
    };
    const size_t length = strcspn(row->op, "-");
    const bool is_newest = strncmp(row->op, newest[tensor->generation], length) == 0;
    if (!is_newest && strncmp(row->op, "mma", length) != 0)
        return 0;
    if (strstr(row->op, "acc16"))
        return tensor->fp16_acc16;
    return row->type == ERT_FP4 && row->op[length] ? tensor->fp4_scaled
                                                   : member(tensor, rates[row->type]);
}

static void add_tensor_peaks(const struct sm_tensor *tensor, uint32_t n_sms,
                             struct ert_peak_list *list)
{
    for (int i = 0; i < ERT_N_KERNELS; i++) {
        const struct ert_kernel *row = ert_kernel_row((enum ert_kernel_id)i);
        const bool is_untried = row->limits & ERT_UNTRIED;
        const uint32_t rate =
            strcmp(row->unit, "tensor") == 0 ? tensor_rate(tensor, row) : 0;
        char name[32], source[160];
        snprintf(name, sizeof name, "%s-%s", ert_type_name(row->type), row->op);
        snprintf(source, sizeof source, "%s%s%s", tensor->source,
                 is_untried ? "; kernel " : "", is_untried ? ERT_UNTRIED_TEXT : "");
        if (rate)
            ert_peaks_add(list, name, ERT_PEAK_FLOP_PER_S, 2.0 * n_sms * rate, source,
                          "%u SM x %u FMA x 2 %s", n_sms, rate,
                          ert_type_operation(row->type));
    }
}

/* Adds the peaks of the CUDA cores, the tensor cores, and on-chip memories. */
void ert_nvidia_peaks(const struct ert_device *device, struct ert_peak_list *list)
{
    static const struct sm unknown = {0};
    const struct ert_gpu *gpu = &device->gpu;
    const struct sm *sm = NULL;
    const struct sm_tensor *tensor = NULL;
    char reason[96] = "no published number for this compute capability";
    for (size_t i = 0; i < ERT_LENGTH(sms); i++)
        if (sms[i].cc_major == gpu->cc_major && sms[i].cc_minor == gpu->cc_minor)
            sm = &sms[i];
    for (size_t i = 0; i < ERT_LENGTH(tensors); i++)
        if (tensors[i].cc_major == gpu->cc_major && tensors[i].cc_minor == gpu->cc_minor)
            tensor = &tensors[i];
    if (gpu->cc_major == 0)
        snprintf(reason, sizeof reason, "the compute capability is not known");
    else if (!sm)
        snprintf(reason, sizeof reason, "compute capability %u.%u is not in the table",
                 gpu->cc_major, gpu->cc_minor);
    else if (gpu->n_sms == 0)
        snprintf(reason, sizeof reason, "the number of SMs is not known");
    if (!sm || gpu->n_sms == 0) {
        sm = &unknown;
        tensor = NULL;
    }
    for (size_t i = 0; i < ERT_LENGTH(core_peaks); i++) {
        uint32_t lanes = member(sm, core_peaks[i].lanes);
        if (lanes == 0)
            ert_peaks_unknown(list, core_peaks[i].name, ERT_PEAK_FLOP_PER_S, reason);
        else
            ert_peaks_add(list, core_peaks[i].name, ERT_PEAK_FLOP_PER_S,
                          (double)gpu->n_sms * lanes * core_peaks[i].operations,
                          sm->lanes_source, "%u SM x %u %s", gpu->n_sms, lanes,
                          core_peaks[i].what);
    }
    if (tensor)
        add_tensor_peaks(tensor, gpu->n_sms, list);
    const struct {
        const char *name, *source;
        uint32_t bytes;
    } on_chip[] = {
        {"L1-load",     sm->l1_source,     sm->l1_bytes    },
        {"shared-load", sm->shared_source, sm->shared_bytes}
    };
    for (size_t i = 0; i < 2; i++)
        if (on_chip[i].bytes == 0)
            ert_peaks_unknown(list, on_chip[i].name, ERT_PEAK_BYTE_PER_S, reason);
        else
            ert_peaks_add(list, on_chip[i].name, ERT_PEAK_BYTE_PER_S,
                          (double)gpu->n_sms * on_chip[i].bytes, on_chip[i].source,
                          "%u SM x %u B", gpu->n_sms, on_chip[i].bytes);
    ert_peaks_unknown(list, "L2", ERT_PEAK_BYTE_PER_S, "NVIDIA publishes no L2 bandwidth");
}
