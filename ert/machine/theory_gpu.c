#include "ert/machine/theory_tables.h"

#include "ert/base/units.h"

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

static const struct ert_sm sms[] = {
    {6,  0, 32, 64,  64,  128, LANES, VOLTA,  BANKS},
    {6,  1, 4,  128, 0,   128, LANES, NULL,   BANKS},
    {7,  0, 32, 64,  128, 128, LANES, VOLTA,  BANKS},
    {7,  5, 2,  64,  64,  64,  LANES, TURING, GA102},
    {8,  0, 32, 64,  128, 128, LANES, UNITED, BANKS},
    {8,  6, 2,  128, 128, 128, LANES, GA102,  GA102},
    {8,  9, 2,  128, 128, 128, LANES, UNITED, BANKS},
    {9,  0, 64, 128, 128, 128, LANES, UNITED, BANKS},
    {10, 0, 64, 128, 128, 128, LANES, UNITED, BANKS},
    {12, 0, 2,  128, 128, 128, LANES, UNITED, BANKS},
};

const struct ert_sm *ert_theory_sm(uint32_t cc_major, uint32_t cc_minor)
{
    for (size_t i = 0; i < sizeof sms / sizeof sms[0]; i++)
        if (sms[i].cc_major == cc_major && sms[i].cc_minor == cc_minor)
            return &sms[i];
    return NULL;
}

static void add_compute(const struct ert_gpu *gpu, const struct ert_sm *sm,
                        struct ert_peak_list *list)
{
    char formula[96];
    for (int i = 0; i < ERT_N_PEAK_OPS; i++) {
        const struct ert_peak_op *op = &ert_peak_ops[i];
        uint32_t lanes = op->element_bits == 64 ? sm->fp64_lanes : sm->fp32_lanes;
        snprintf(formula, sizeof formula, "%u SM x %u lanes x %u flop", gpu->n_sms, lanes,
                 op->flops);
        ert_peak_add(list, op->name, ERT_PEAK_FLOP_PER_S,
                     (double)gpu->n_sms * lanes * op->flops, formula, sm->lanes_source);
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
    const struct ert_sm *sm = ert_theory_sm(gpu->cc_major, gpu->cc_minor);
    char reason[96];
    if (sm && gpu->n_sms > 0) {
        add_compute(gpu, sm, list);
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
    for (int i = 0; i < ERT_N_PEAK_OPS; i++)
        ert_peak_add_unknown(list, ert_peak_ops[i].name, ERT_PEAK_FLOP_PER_S, reason);
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
