/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * issue: how many instructions a CPU's cores execute per second, the roof of an instruction roofline. Two
 * integer additions to a load, alternately: no port of its execution limits a core to fewer than it renames
 * per clock (Zen 4: 6, with 4 adders and 3 load ports; Zen 5: 8, with 6 and 4). Measured on Zen 4: 5.84.
 *
 * A step is 12 instructions: each of four loads is followed by additions of its value to two of eight sums.
 * Loads of even and odd steps differ, and what was loaded last is a result, too, so that a missing
 * instruction shows. The chain of an addition per step is no limit: a step takes at least 1.5 clocks.
 */
#include "ert/core/backend/cpu/isa.h"

#ifdef __aarch64__
#define ADD(to, from) "add %" #to ", %" #to ", %" #from "\n"
#define LOAD(to, at)  "ldr %" #to ", [%12, #" #at "]\n"
#else
#define ADD(to, from) "add %" #from ", %" #to "\n"
#define LOAD(to, at)  "movq " #at "(%12), %" #to "\n"
#endif
#include "ert/core/backend/cpu/kernels_common.inc"

/* Four chains of two sums and a loaded value: in memory first all sums, then the values. */
enum { CHAINS_OF_ISSUE = 4, SUMS = 8, NUMBERS = 12, OPERANDS = 8 };

#define THREE(to, at, sum, next) LOAD(to, at) ADD(sum, to) ADD(next, to)
#define TWELVE(a, b, c, d)                                                                 \
    THREE(8, a, 0, 1) THREE(9, b, 2, 3) THREE(10, c, 4, 5) THREE(11, d, 6, 7)
#define EVEN TWELVE(0, 8, 16, 24)
#define ODD  TWELVE(32, 40, 48, 56)
#define RUN(code)                                                                          \
    __asm__ volatile(code                                                                  \
                     : "+&r"(a), "+&r"(b), "+&r"(c), "+&r"(d), "+&r"(e), "+&r"(f),         \
                       "+&r"(g), "+&r"(h), "+&r"(i), "+&r"(j), "+&r"(k), "+&r"(l)          \
                     : "r"(operands)                                                       \
                     : "memory")

static void issue_sweep(struct ert_cpu_sweep *sweep)
{
    const uint64_t *operands = sweep->operands, turns = sweep->passes * (sweep->steps / 16);
    uint64_t *x = sweep->chains;
    /* No array: gcc would also store it in each turn. */
    uint64_t a = x[0], b = x[1], c = x[2], d = x[3], e = x[4], f = x[5], g = x[6], h = x[7],
             i = x[8], j = x[9], k = x[10], l = x[11];
    if (sweep->first_pass == 0)
        RUN(EVEN);
    /* 16 steps: the loop's own instructions are 1 %. */
    for (uint64_t turn = 0; turn < turns; turn++)
        RUN(".rept 8\n" ODD EVEN ".endr\n");
    x[0] = a, x[1] = b, x[2] = c, x[3] = d, x[4] = e, x[5] = f, x[6] = g, x[7] = h;
    x[8] = i, x[9] = j, x[10] = k, x[11] = l;
}

static void issue_operands(enum ert_kernel_id kernel, size_t block_bytes, void *operands)
{
    (void)kernel, (void)block_bytes;
    for (uint64_t i = 0; i < OPERANDS; i++)
        ((uint64_t *)operands)[i] = 2 * i + 1;
}

static double issue_start(enum ert_kernel_id kernel, uint64_t index)
{
    (void)kernel;
    return (double)(index % 1021);
}

static double issue_after(enum ert_kernel_id kernel, size_t block_bytes,
                          const void *operands, size_t chain, size_t lane, double start,
                          uint64_t steps)
{
    (void)kernel;
    const size_t i = chain * (block_bytes / sizeof(uint64_t)) + lane;
    const uint64_t *even = operands, *odd = even + OPERANDS / 2;
    if (i >= SUMS)
        return steps == 0 ? start : (double)(steps % 2 ? even : odd)[i - SUMS];
    return start + (double)((steps + 1) / 2 * even[i / 2] + steps / 2 * odd[i / 2]);
}

static bool issue_available(const struct ert_isa *isa)
{
    return isa->sse2 || isa->neon;
}

static const struct ert_cpu_products products = {
    .operands = issue_operands, .start = issue_start, .after = issue_after};

/* The chains of a kernel whose chains differ (STEPS_OF, which it is on GPUs) are addmul_chains. */
const struct ert_cpu_isa ert_cpu_isa_issue = {
    .name = "general",
    .available = issue_available,
    .vector_bytes = sizeof(uint64_t) * NUMBERS / CHAINS_OF_ISSUE,
    .addmul_chains = CHAINS_OF_ISSUE,
    .products = &products,
    .add_chain = add_chain,
    .variants = {[ERT_KERNEL_issue] =
                     ERT_CPU_ONE_VARIANT(.kernel = issue_sweep, .access_bytes = 8)},
};
