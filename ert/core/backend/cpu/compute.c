/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/backend/cpu/compute.h"

#include "ert/core/backend/expected.h"

#include <math.h>
#include <string.h>

/*
 * A pass takes 0.3 to 4 us: the clock is measured between passes, because a core raises it again some
 * microseconds after its last wide operation (time.c). Slow operations need fewer steps.
 */
static const struct {
    const char *op; /* NULL: any other */
    uint64_t steps;
} steps_of[] = {
    {"div",   16  },
    {"sqrt",  16  },
    {"amx",   16  },
    {"gemm",  4   },
    {"issue", 1024},
    {NULL,    256 }
};

/* Reads and writes a chain's numbers in memory, only as needed for the kernels' exact values. */
#define NUMBER(name, type)                                                                 \
    static double get_##name(const void *place)                                            \
    {                                                                                      \
        type value;                                                                        \
        memcpy(&value, place, sizeof value);                                               \
        return (double)value;                                                              \
    }                                                                                      \
    static void put_##name(void *place, double value)                                      \
    {                                                                                      \
        type number = (type)value;                                                         \
        memcpy(place, &number, sizeof number);                                             \
    }
NUMBER(fp64, double)
NUMBER(fp32, float)
NUMBER(int32, int32_t)
NUMBER(int64, int64_t)

/* IEEE binary16; infinities and NaNs become numbers of 2^16 or more, which no correct value is. */
static double get_fp16(const void *place)
{
    uint16_t bits;
    memcpy(&bits, place, sizeof bits);
    int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double value =
        exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -value : value;
}

/* For normal numbers only. */
static void put_fp16(void *place, double value)
{
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* in [1/2, 1) */
    uint16_t bits = (uint16_t)((exponent + 14) << 10 | ((int)ldexp(fraction, 11) & 0x3ff));
    bits |= value < 0 ? 0x8000 : 0;
    memcpy(place, &bits, sizeof bits);
}

/* By the kernel's type: sums of bfloat16 are FP32, those of bytes 32-bit integers. */
static const struct number {
    size_t bytes;
    double (*get)(const void *place);
    void (*put)(void *place, double value);
} numbers[ERT_N_TYPES] = {
    [ERT_FP64] = {8, get_fp64,  put_fp64 },
      [ERT_FP32] = {4, get_fp32,  put_fp32 },
    [ERT_FP16] = {2, get_fp16,  put_fp16 },
      [ERT_BF16] = {4, get_fp32,  put_fp32 },
    [ERT_INT8] = {4, get_int32, put_int32},
      [ERT_INST] = {8, get_int64, put_int64},
};

static const struct number *compute_number_of(enum ert_kernel_id kernel)
{
    return &numbers[ert_kernel_row(kernel)->type];
}

/* The number of numbers in one chain. */
static size_t chain_lanes(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel)
{
    return isa->vector_bytes ? isa->vector_bytes / compute_number_of(kernel)->bytes : 1;
}

size_t ert_cpu_chains(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel)
{
    if (ert_expected_kernel(kernel, 0) == kernel)
        return isa->chains;
    return ert_kernel_row(kernel)->flops > 1 ? isa->fmaadd_chains : isa->addmul_chains;
}

size_t ert_cpu_chains_bytes(const struct ert_cpu_isa *isa)
{
    size_t chains = isa->chains > isa->addmul_chains ? isa->chains : isa->addmul_chains;
    return chains * (isa->vector_bytes ? isa->vector_bytes : sizeof(double));
}

size_t ert_cpu_compute_lanes(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel)
{
    return ert_cpu_chains(isa, kernel) * chain_lanes(isa, kernel);
}

/* Steps of each chain in any pass but the first (isa.h), some microseconds; a multiple of 4. */
static uint64_t compute_steps_of(enum ert_kernel_id kernel)
{
    size_t i = 0;
    while (steps_of[i].op && strcmp(ert_kernel_row(kernel)->op, steps_of[i].op) != 0)
        i++;
    return steps_of[i].steps;
}

double ert_cpu_compute_operations(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    size_t depth =
        isa->lane_operand_bytes ? isa->lane_operand_bytes / ert_type_bytes(row->type) : 1;
    /* Such a kernel does three operations per two elements (kernels.def). */
    double flops = ert_expected_kernel(kernel, 0) != kernel && row->flops > 1
                       ? row->flops / 2.
                       : row->flops;
    return (double)(ert_cpu_compute_lanes(isa, kernel) * compute_steps_of(kernel) * depth) *
           flops;
}

static double start_of(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                       uint64_t index)
{
    return isa->products ? isa->products->start(kernel, index)
                         : ert_expected_start(kernel, index);
}

/* For kernels that alternate two operations: the even chains' last constant, and what odd ones add. */
static void put_operands(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                         const struct ert_constants *even, char *operands)
{
    const struct number *number = compute_number_of(kernel);
    size_t lanes = chain_lanes(isa, kernel);
    bool is_fma = ert_kernel_row(kernel)->flops > 1;
    double added = ert_expected_constants(ert_expected_kernel(kernel, 1)).b;
    for (size_t i = 0; i < lanes; i++) {
        number->put(operands + i * number->bytes, is_fma ? even->d : even->c);
        number->put(operands + (lanes + i) * number->bytes, added);
    }
}

void ert_cpu_compute_start(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                           uint64_t first, struct ert_cpu_sweep *sweep, void *operands)
{
    const struct number *number = compute_number_of(kernel);
    char *chains = sweep->chains;
    struct ert_constants constants = ert_expected_constants(ert_expected_kernel(kernel, 0));
    if (isa->products)
        isa->products->operands(kernel, isa->vector_bytes, operands);
    else if (ert_expected_kernel(kernel, 0) != kernel)
        put_operands(isa, kernel, &constants, operands);
    sweep->operands = operands;
    sweep->steps = compute_steps_of(kernel);
    sweep->constants[0] = constants.a;
    sweep->constants[1] = constants.b;
    sweep->constants[2] = constants.c;
    sweep->constants[3] = constants.d;
    for (size_t i = 0; i < ert_cpu_compute_lanes(isa, kernel); i++)
        number->put(chains + i * number->bytes, start_of(isa, kernel, first + i));
}

/* The correct value of number i. */
static double expected(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                       uint64_t first, const struct ert_cpu_sweep *sweep, uint64_t steps,
                       size_t i)
{
    double start = start_of(isa, kernel, first + i);
    size_t lanes = chain_lanes(isa, kernel);
    if (!isa->products)
        return ert_expected_after(ert_expected_kernel(kernel, i / lanes), start, steps);
    return isa->products->after(kernel, isa->vector_bytes, sweep->operands, i / lanes,
                                i % lanes, start, steps);
}

bool ert_cpu_compute_check(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                           uint64_t first, const struct ert_cpu_sweep *sweep,
                           uint64_t passes, struct ert_cpu_wrong *wrong)
{
    const struct number *number = compute_number_of(kernel);
    const char *chains = sweep->chains;
    uint64_t steps = passes ? 1 + passes * compute_steps_of(kernel) : 0;
    for (size_t i = 0; i < ert_cpu_compute_lanes(isa, kernel); i++) {
        double is = number->get(chains + i * number->bytes);
        double should = expected(isa, kernel, first, sweep, steps, i);
        if (memcmp(&is, &should, sizeof is) != 0) {
            *wrong = (struct ert_cpu_wrong){i, is, should};
            return false;
        }
    }
    return true;
}
