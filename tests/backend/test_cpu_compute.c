/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cpu_compute: every compute kernel of every table that this CPU can run, called directly: what its
 * chains hold after odd and even numbers of passes, bit for bit, and that what is wrong is seen.
 */
#include "tests/backend/cpu_tables.h"

#include "ert/core/backend/cpu/compute.h"
#include "ert/core/backend/expected.h"

/* Chains, operands and the sweep of a compute kernel of any table, at their start. */
static struct ert_cpu_sweep compute_sweep(const struct ert_cpu_isa *isa,
                                          enum ert_kernel_id kernel)
{
    static char chains[8192] __attribute__((aligned(64)));
    static char operands[ERT_CPU_OPERANDS_BYTES] __attribute__((aligned(64)));
    struct ert_cpu_sweep sweep = {.chains = chains};
    assert_true(ert_cpu_chains_bytes(isa) <= sizeof chains);
    assert_true(4 * isa->vector_bytes <= sizeof operands);
    memset(operands, 0xff, sizeof operands); /* NaNs, where nothing is set */
    ert_cpu_compute_start(isa, kernel, 1000, &sweep, operands);
    return sweep;
}

static bool is_right(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                     const struct ert_cpu_sweep *sweep, uint64_t passes,
                     struct ert_cpu_wrong *wrong)
{
    return ert_cpu_compute_check(isa, kernel, 1000, sweep, passes, wrong);
}

/* Calls of 1, 2 and 4 passes: odd and even numbers. */
static void check_compute(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel)
{
    struct ert_cpu_sweep sweep = compute_sweep(isa, kernel);
    struct ert_cpu_wrong wrong;
    assert_true(is_right(isa, kernel, &sweep, 0, &wrong));
    if (is_right(isa, kernel, &sweep, 1, &wrong))
        fail_msg("%s %s: a pass that was not run is not seen", isa->name,
                 ert_kernel_row(kernel)->name);
    for (uint64_t calls = 1, p = 0; calls <= 4; p += calls, calls *= 2) {
        sweep.first_pass = p;
        sweep.passes = calls;
        isa->variants[kernel]->kernel(&sweep);
        if (!is_right(isa, kernel, &sweep, p + calls, &wrong))
            fail_msg("%s %s: number %zu after %d passes is %.17g, not %.17g", isa->name,
                     ert_kernel_row(kernel)->name, wrong.index, (int)(p + calls), wrong.is,
                     wrong.should);
    }
}

/* Of kernels of two operations in turn, whose operands are two more constants. */
static bool is_in_turn(enum ert_kernel_id kernel)
{
    return ert_expected_kernel(kernel, 0) != kernel;
}

/* Whether the result is still taken for right with one constant, and operand, of 0 to 5 wrong. */
static bool passes_with(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                        int planted)
{
    static char planted_operands[ERT_CPU_OPERANDS_BYTES] __attribute__((aligned(64)));
    struct ert_cpu_sweep sweep = compute_sweep(isa, kernel);
    struct ert_cpu_wrong wrong;
    void *operands = sweep.operands;
    int operand = is_in_turn(kernel) ? planted - 4 : planted;
    size_t bytes = isa->vector_bytes ? isa->vector_bytes
                                     : ert_type_bytes(ert_kernel_row(kernel)->type);
    memcpy(planted_operands, operands, sizeof planted_operands);
    if (operand >= 0)
        planted_operands[(size_t)operand * bytes + 2] ^= 1;
    sweep.operands = planted_operands;
    if (planted < 4)
        sweep.constants[planted] *= 1 + 0x1p-8;
    sweep.passes = 1;
    isa->variants[kernel]->kernel(&sweep);
    sweep.operands = operands;
    return is_right(isa, kernel, &sweep, 1, &wrong);
}

/*
 * Additions and roots have no factor; products, quotients and a*x + x no offset. addmul has a, and c
 * as an operand; fmaadd a, b and c, and d as an operand; what both add is one too.
 */
static bool uses(enum ert_kernel_id kernel, int constant)
{
    const char *op = ert_kernel_row(kernel)->op;
    bool is_factor = constant % 2 == 0;
    if (strcmp(op, "issue") == 0) /* a wrong operand: test_cpu.c */
        return false;
    if (is_in_turn(kernel))
        return constant == 0 || constant > 3 || (constant < 3 && strcmp(op, "fmaadd") == 0);
    if (constant > 3)
        return false;
    if (strcmp(op, "add") == 0 || strcmp(op, "sqrt") == 0)
        return !is_factor;
    if (strcmp(op, "mul") == 0 || strcmp(op, "div") == 0 || kernel == ERT_KERNEL_fma_fp16)
        return is_factor;
    return true;
}

/* Calls `check` with every compute kernel that this CPU can run; the others are named. */
static void for_each_compute(void (*check)(const struct ert_cpu_isa *isa,
                                           enum ert_kernel_id kernel))
{
    for (size_t k = 0; ert_cpu_isas[k]; k++) {
        const struct ert_cpu_isa *isa = ert_cpu_isas[k];
        int refused = has(isa) && isa->enable ? isa->enable() : 0;
        if (!has(isa) || refused)
            printf("# %s is not run: %s\n", isa->name,
                   refused ? strerror(refused) : "this CPU does not have it");
        for (int kernel = 0; has(isa) && !refused && kernel < ERT_N_KERNELS; kernel++)
            if (isa->variants[kernel] && ert_kernel_row(kernel)->kind == ERT_KIND_COMPUTE &&
                !(ert_kernel_row(kernel)->limits & ERT_LIBRARY) && /* test_cpu runs it */
                (isa->fused || strncmp(ert_kernel_row(kernel)->op, "fma", 3) != 0))
                check(isa, kernel);
    }
}

static void compute_kernels_leave_what_they_must(void **state)
{
    for_each_compute(check_compute);
}

static void check_planted(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel)
{
    for (int i = 0; i < 6; i++)
        if (uses(kernel, i) && passes_with(isa, kernel, i))
            fail_msg("%s %s: a wrong constant %d is not seen", isa->name,
                     ert_kernel_row(kernel)->name, i);
}

static void a_wrong_constant_is_seen(void **state)
{
    for_each_compute(check_planted);
}

static void check_last_bit(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel)
{
    struct ert_cpu_sweep sweep = compute_sweep(isa, kernel);
    struct ert_cpu_wrong wrong = {0};
    size_t lanes = ert_cpu_compute_lanes(isa, kernel);
    size_t bytes = isa->vector_bytes
                       ? isa->vector_bytes * ert_cpu_chains(isa, kernel) / lanes
                       : sizeof(double);
    sweep.passes = 3;
    isa->variants[kernel]->kernel(&sweep);
    if (isa->vector_bytes == 0 && ert_kernel_row(kernel)->type == ERT_FP32)
        bytes = sizeof(float); /* chains of one number have room for doubles */
    ((char *)sweep.chains)[(lanes - 1) * bytes] ^= 1;
    assert_false(is_right(isa, kernel, &sweep, 3, &wrong));
    assert_int_equal(wrong.index, lanes - 1);
}

static void a_wrong_last_bit_is_named(void **state)
{
    for_each_compute(check_last_bit);
}

/* Bytes are summed up exactly, so that a pass more or less is another result. */
static void check_count(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel)
{
    struct ert_cpu_sweep sweep = compute_sweep(isa, kernel);
    struct ert_cpu_wrong wrong;
    sweep.passes = 5;
    isa->variants[kernel]->kernel(&sweep);
    if (ert_kernel_row(kernel)->type == ERT_INT8)
        assert_false(is_right(isa, kernel, &sweep, 4, &wrong) ||
                     is_right(isa, kernel, &sweep, 6, &wrong));
}

static void sums_of_bytes_count_the_passes(void **state)
{
    for_each_compute(check_count);
}

/* Operations of a pass: vectors x lanes x operations of a lane x steps. */
static void passes_are_counted(void **state)
{
    static const struct {
        const char *isa;
        enum ert_kernel_id kernel;
        double operations;
    } rows[] = {
        {"avx512",     ERT_KERNEL_fma_fp64,    24. * 8 * 2 * 256           },
        {"avx512",     ERT_KERNEL_add_fp32,    24. * 16 * 256              },
        {"avx512",     ERT_KERNEL_fmaadd_fp64, 10. * 8 * (2 + 1) * 256     },
        {"avx2",       ERT_KERNEL_addmul_fp32, 14. * 8 * 256               },
        {"avx512",     ERT_KERNEL_div_fp64,    24. * 8 * 16                },
        {"avx512",     ERT_KERNEL_sqrt_fp32,   24. * 16 * 16               },
        {"avx2",       ERT_KERNEL_fma_fp32,    12. * 8 * 2 * 256           },
        {"sse2",       ERT_KERNEL_mul_fp64,    12. * 2 * 256               },
        {"neon",       ERT_KERNEL_mul_fp64,    15. * 2 * 256               },
        {"sve512",     ERT_KERNEL_fma_fp64,    24. * 8 * 2 * 256           },
        {"sve256",     ERT_KERNEL_addmul_fp32, 24. * 8 * 256               },
        {"sve128",     ERT_KERNEL_fmaadd_fp64, 10. * 2 * (2 + 1) * 256     },
        {"avx512fp16", ERT_KERNEL_fma_fp16,    24. * 32 * 2 * 256          },
        {"neonfp16",   ERT_KERNEL_fma_fp16,    16. * 8 * 2 * 256           },
#ifndef ERT_WITHOUT_EXTENSIONS
        {"avx512bf16", ERT_KERNEL_dot_bf16,    24. * 16 * 2 * 2 * 256      },
        {"avx512vnni", ERT_KERNEL_dot_int8,    24. * 16 * 4 * 2 * 256      },
        {"avxvnni",    ERT_KERNEL_dot_int8,    12. * 8 * 4 * 2 * 256       },
        {"neondot",    ERT_KERNEL_dot_int8,    24. * 4 * 4 * 2 * 256       },
        {"amx",        ERT_KERNEL_amx_bf16,    4. * (2 * 16 * 16 * 32) * 16},
        {"amx",        ERT_KERNEL_amx_int8,    4. * (2 * 16 * 16 * 64) * 16},
#endif
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t k = 0; ert_cpu_isas[k]; k++)
            if (strcmp(ert_cpu_isas[k]->name, rows[i].isa) == 0 &&
                ert_cpu_isas[k]->variants[rows[i].kernel])
                assert_close(ert_cpu_compute_operations(ert_cpu_isas[k], rows[i].kernel),
                             rows[i].operations, 0);
    for (size_t k = 0; ert_cpu_isas[k]; k++)
        if (strcmp(ert_cpu_isas[k]->name, "scalar") == 0) {
            double chains = (double)ert_cpu_isas[k]->chains;
            assert_close(ert_cpu_compute_operations(ert_cpu_isas[k], ERT_KERNEL_fma_fp64),
                         chains * 2 * 256, 0);
            assert_close(ert_cpu_compute_operations(ert_cpu_isas[k], ERT_KERNEL_fma_fp32),
                         chains * 2 * 256, 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compute_kernels_leave_what_they_must),
        cmocka_unit_test(a_wrong_constant_is_seen),
        cmocka_unit_test(a_wrong_last_bit_is_named),
        cmocka_unit_test(sums_of_bytes_count_the_passes),
        cmocka_unit_test(passes_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
