#include "ert/machine/theory_tables.h"

#include "ert/base/units.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

/* cc, fp64, fp32, fp16, bf16, int32, issue, L1, shared. Issue: 4 schedulers, 1 warp per clock each. */
static const struct ert_sm sms[] = {
    {6,  0, 32, 64,  128, 0,   64, 0, 64,  128, LANES, VOLTA,  BANKS},
    {6,  1, 4,  128, 2,   0,   0,  0, 0,   128, LANES, NULL,   BANKS},
    {7,  0, 32, 64,  128, 0,   64, 4, 128, 128, LANES, VOLTA,  BANKS},
    {7,  5, 2,  64,  128, 0,   64, 4, 64,  64,  LANES, TURING, GA102},
    {8,  0, 32, 64,  256, 128, 64, 4, 128, 128, LANES, UNITED, BANKS},
    {8,  6, 2,  128, 128, 128, 64, 4, 128, 128, LANES, GA102,  GA102},
    {8,  9, 2,  128, 128, 128, 64, 4, 128, 128, LANES, UNITED, BANKS},
    {9,  0, 64, 128, 256, 256, 64, 4, 128, 128, LANES, UNITED, BANKS},
    {10, 0, 64, 128, 0,   0,   0,  4, 128, 128, LANES, UNITED, BANKS},
    {12, 0, 2,  128, 0,   0,   0,  4, 128, 128, LANES, UNITED, BANKS},
};

/*
 * Boards of cc 8.6 and 8.9 differ: GeForce accumulates FP32 at half the rate of the RTX and data
 * centre boards, so that only FP16 accumulation is a property of the capability.
 */
#define V100                                                                               \
    "NVIDIA Tesla V100 GPU Architecture white paper: 8 tensor cores x 64 FMA per SM"
#define T4   "NVIDIA Turing GPU Architecture white paper: 8 tensor cores x 64 FMA per SM"
#define A100 "NVIDIA A100 Tensor Core GPU Architecture white paper: 1024 FP16 FMA per SM"
#define AD   "NVIDIA Ampere GA102 GPU Architecture white paper: 512 FP16 FMA per SM"
#define H100                                                                               \
    "NVIDIA H100 Tensor Core GPU Architecture white paper: twice A100 per SM and clock"
static const struct ert_sm_tensor tensors[] = {
    {7, 0, 0,   0,    0,    512,  512,  0,    0,    0, V100},
    {7, 5, 0,   0,    0,    512,  512,  0,    1024, 0, T4  },
    {8, 0, 64,  512,  1024, 1024, 1024, 0,    2048, 0, A100},
    {8, 6, 0,   0,    0,    0,    512,  0,    1024, 0, AD  },
    {8, 9, 0,   0,    0,    0,    512,  0,    1024, 0, AD  },
    {9, 0, 128, 1024, 2048, 2048, 2048, 4096, 4096, 1, H100},
};

static const struct ert_sm_tensor *find_tensor(const struct ert_gpu *gpu)
{
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        if (tensors[i].cc_major == gpu->cc_major && tensors[i].cc_minor == gpu->cc_minor)
            return &tensors[i];
    return NULL;
}

static const struct ert_sm *find_sm(const struct ert_gpu *gpu)
{
    for (size_t i = 0; i < sizeof sms / sizeof sms[0]; i++)
        if (sms[i].cc_major == gpu->cc_major && sms[i].cc_minor == gpu->cc_minor)
            return &sms[i];
    return NULL;
}

/* The peaks of the CUDA cores: lanes of struct ert_sm, operations per lane. */
static const struct {
    const char *name;
    size_t lanes;
    uint32_t operations;
    const char *what;
} core_peaks[] = {
    {"fp64-fma",   offsetof(struct ert_sm, fp64_lanes),  2, "lanes x 2 flop"     },
    {"fp64-add",   offsetof(struct ert_sm, fp64_lanes),  1, "lanes x 1 flop"     },
    {"fp64-mul",   offsetof(struct ert_sm, fp64_lanes),  1, "lanes x 1 flop"     },
    {"fp32-fma",   offsetof(struct ert_sm, fp32_lanes),  2, "lanes x 2 flop"     },
    {"fp32-add",   offsetof(struct ert_sm, fp32_lanes),  1, "lanes x 1 flop"     },
    {"fp32-mul",   offsetof(struct ert_sm, fp32_lanes),  1, "lanes x 1 flop"     },
    {"fp16-fma",   offsetof(struct ert_sm, fp16_lanes),  2, "lanes x 2 flop"     },
    {"fp16-add",   offsetof(struct ert_sm, fp16_lanes),  1, "lanes x 1 flop"     },
    {"fp16-mul",   offsetof(struct ert_sm, fp16_lanes),  1, "lanes x 1 flop"     },
    {"bf16-fma",   offsetof(struct ert_sm, bf16_lanes),  2, "lanes x 2 flop"     },
    {"bf16-add",   offsetof(struct ert_sm, bf16_lanes),  1, "lanes x 1 flop"     },
    {"bf16-mul",   offsetof(struct ert_sm, bf16_lanes),  1, "lanes x 1 flop"     },
    {"int32-mad",  offsetof(struct ert_sm, int32_lanes), 2, "lanes x 2 op"       },
    {"inst-issue", offsetof(struct ert_sm, issue),       1, "schedulers x 1 inst"},
};
enum { N_CORE_PEAKS = sizeof core_peaks / sizeof core_peaks[0] };

/* The peaks of the tensor cores: multiply-adds of struct ert_sm_tensor, 2 operations each. */
static const struct {
    const char *mma, *wgmma; /* names; NULL: no such instruction */
    size_t rate;
    const char *what;
} tensor_peaks[] = {
    {"fp64-mma",       NULL,               offsetof(struct ert_sm_tensor, fp64),       "flop"},
    {"tf32-mma",       "tf32-wgmma",       offsetof(struct ert_sm_tensor, tf32),       "flop"},
    {"bf16-mma",       "bf16-wgmma",       offsetof(struct ert_sm_tensor, bf16),       "flop"},
    {"fp16-mma",       "fp16-wgmma",       offsetof(struct ert_sm_tensor, fp16),       "flop"},
    {"fp16-mma-acc16", "fp16-wgmma-acc16", offsetof(struct ert_sm_tensor, fp16_acc16),
     "flop"                                                                                  },
    {"fp8-mma",        "fp8-wgmma",        offsetof(struct ert_sm_tensor, fp8),        "flop"},
    {"int8-mma",       "int8-wgmma",       offsetof(struct ert_sm_tensor, int8),       "op"  },
};
enum { N_TENSOR_PEAKS = sizeof tensor_peaks / sizeof tensor_peaks[0] };

static uint32_t member(const void *base, size_t offset)
{
    return *(const uint32_t *)(const void *)((const char *)base + offset);
}

static void add_compute(const struct ert_gpu *gpu, const struct ert_sm *sm,
                        struct ert_peak_list *list)
{
    char formula[96];
    for (size_t i = 0; i < N_CORE_PEAKS; i++) {
        uint32_t lanes = member(sm, core_peaks[i].lanes);
        if (lanes == 0) {
            ert_peak_add_unknown(list, core_peaks[i].name, ERT_PEAK_FLOP_PER_S,
                                 "no published number for this compute capability");
            continue;
        }
        snprintf(formula, sizeof formula, "%u SM x %u %s", gpu->n_sms, lanes,
                 core_peaks[i].what);
        ert_peak_add(list, core_peaks[i].name, ERT_PEAK_FLOP_PER_S,
                     (double)gpu->n_sms * lanes * core_peaks[i].operations, formula,
                     sm->lanes_source);
    }
}

static void add_tensor(const struct ert_gpu *gpu, struct ert_peak_list *list)
{
    const struct ert_sm_tensor *tensor = find_tensor(gpu);
    char formula[96];
    for (size_t i = 0; i < N_TENSOR_PEAKS && tensor; i++) {
        uint32_t rate = member(tensor, tensor_peaks[i].rate);
        const char *names[] = {tensor_peaks[i].mma,
                               tensor->has_wgmma ? tensor_peaks[i].wgmma : NULL};
        snprintf(formula, sizeof formula, "%u SM x %u FMA x 2 %s", gpu->n_sms, rate,
                 tensor_peaks[i].what);
        for (size_t k = 0; k < 2 && rate; k++)
            if (names[k])
                ert_peak_add(list, names[k], ERT_PEAK_FLOP_PER_S, 2.0 * gpu->n_sms * rate,
                             formula, tensor->source);
    }
}

static void add_on_chip(const struct ert_gpu *gpu, const char *name, uint32_t bytes,
                        const char *source, struct ert_peak_list *list)
{
    char formula[96];
    if (bytes == 0) {
        ert_peak_add_unknown(list, name, ERT_PEAK_BYTE_PER_S,
                             "no published number for this compute capability");
        return;
    }
    snprintf(formula, sizeof formula, "%u SM x %u B", gpu->n_sms, bytes);
    ert_peak_add(list, name, ERT_PEAK_BYTE_PER_S, (double)gpu->n_sms * bytes, formula,
                 source);
}

static void add_by_capability(const struct ert_gpu *gpu, struct ert_peak_list *list)
{
    const struct ert_sm *sm = find_sm(gpu);
    char reason[96];
    if (sm && gpu->n_sms > 0) {
        add_compute(gpu, sm, list);
        add_tensor(gpu, list);
        add_on_chip(gpu, "L1-load", sm->l1_bytes, sm->l1_source, list);
        add_on_chip(gpu, "shared-load", sm->shared_bytes, sm->shared_source, list);
        return;
    }
    if (gpu->cc_major == 0)
        snprintf(reason, sizeof reason, "the compute capability is not known");
    else if (!sm)
        snprintf(reason, sizeof reason, "compute capability %u.%u is not in the table",
                 gpu->cc_major, gpu->cc_minor);
    else
        snprintf(reason, sizeof reason, "the number of SMs is not known");
    for (size_t i = 0; i < N_CORE_PEAKS; i++)
        ert_peak_add_unknown(list, core_peaks[i].name, ERT_PEAK_FLOP_PER_S, reason);
    ert_peak_add_unknown(list, "L1-load", ERT_PEAK_BYTE_PER_S, reason);
    ert_peak_add_unknown(list, "shared-load", ERT_PEAK_BYTE_PER_S, reason);
}

/* DDR: two transfers per clock that the driver reports, for HBM and GDDR alike. */
static void add_memory(const struct ert_device *device, struct ert_peak_list *list)
{
    const struct ert_gpu *gpu = &device->gpu;
    const char *name = "DRAM";
    for (uint32_t i = 0; i < device->n_levels; i++)
        if (device->levels[i].kind == ERT_LEVEL_MEMORY)
            name = device->levels[i].name;
    if (!(gpu->memory_clock_hz > 0) || gpu->bus_width_bits == 0) {
        ert_peak_add_unknown(list, name, ERT_PEAK_BYTE_PER_S,
                             "the memory clock or the bus width is not known");
        return;
    }
    char formula[96], text[ERT_UNITS_TEXT];
    double per_clock = 2.0 * gpu->bus_width_bits / 8;
    snprintf(formula, sizeof formula, "2 transfers x %u bit / 8 x %s", gpu->bus_width_bits,
             ert_units_frequency(gpu->memory_clock_hz, text));
    ert_peak_add_memory(list, name, gpu->memory_clock_hz, per_clock,
                        per_clock * gpu->memory_clock_hz, formula,
                        "memory clock and bus width as the driver reports them");
}

void ert_theory_gpu(const struct ert_device *device, struct ert_peak_list *list)
{
    add_by_capability(&device->gpu, list);
    ert_peak_add_unknown(list, "L2", ERT_PEAK_BYTE_PER_S,
                         "NVIDIA publishes no L2 bandwidth");
    add_memory(device, list);
}
