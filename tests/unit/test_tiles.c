/* SPDX-License-Identifier: BSD-3-Clause */
/* tiles: operands fit their types, sums are exact in any order, and data are what power needs. */
#include "tests/unit/test.h"

#include "ert/ext/cuda/tcgen05.h"
#include "ert/ext/cuda/tiles.h"

enum { M = 64, N = 256, K_MAX = 192 };

static int32_t a[M * K_MAX], b[N * K_MAX];
static int64_t products[M * N];

static const uint64_t seeds[] = {1, 20260101, UINT64_C(0xffffffffffffffff)};

static bool is_tensor(int kernel)
{
    return strcmp(ert_kernel_row((enum ert_kernel_id)kernel)->unit, "tensor") == 0;
}

/* Calls with every tensor kernel and seed, tiles filled as a wgmma kernel has them. */
static void for_all(void (*each)(enum ert_kernel_id kernel,
                                 const struct ert_tiles_numbers *numbers))
{
    for (int k = 0; k < ERT_N_KERNELS; k++)
        for (size_t s = 0; s < sizeof seeds / sizeof seeds[0] && is_tensor(k); s++) {
            enum ert_kernel_id kernel = (enum ert_kernel_id)k;
            const struct ert_tiles_numbers *numbers = ert_tiles_numbers(kernel);
            assert_non_null(numbers);
            assert_in_range(numbers->k_max, 1, K_MAX);
            ert_tiles_fill(kernel, ERT_TILES_RANDOM, seeds[s], M, N, numbers->k_max, a, b,
                           products);
            each(kernel, numbers);
        }
}

static void tensor_kernels_have_numbers(void **state)
{
    for (int k = 0; k < ERT_N_KERNELS; k++)
        assert_int_equal(ert_tiles_numbers((enum ert_kernel_id)k) != NULL, is_tensor(k));
}

/* The value that bits of a floating-point format have, from the format's definition. */
static double decode(uint32_t bits, int exponent_bits, int mantissa_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    int exponent = (int)(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
    uint32_t fraction = bits & ((1u << mantissa_bits) - 1);
    double sign = bits >> (exponent_bits + mantissa_bits) & 1 ? -1 : 1;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - mantissa_bits);
    return sign * ldexp(fraction + (1u << mantissa_bits), exponent - bias - mantissa_bits);
}

static double read_back(enum ert_kernel_id kernel, int32_t value)
{
    const struct ert_tiles_numbers *numbers = ert_tiles_numbers(kernel);
    const int exponent = (int)numbers->exponent_bits,
              fraction = (int)numbers->fraction_bits;
    uint64_t bits = 0;
    double wide;
    ert_tiles_encode(kernel, value, &bits, 0);
    memcpy(&wide, &bits, sizeof wide);
    if (ert_kernel_row(kernel)->type == ERT_TF32)
        assert_int_equal(bits & 0x1fff, 0); /* the 13 bits that TF32 ignores */
    return ert_kernel_row(kernel)->type == ERT_FP64 ? wide
           : exponent ? decode((uint32_t)bits, exponent, fraction)
                      : (int8_t)bits;
}

static void check_operands(enum ert_kernel_id kernel,
                           const struct ert_tiles_numbers *numbers)
{
    for (uint32_t i = 0; i < M * numbers->k_max; i++) {
        assert_true(read_back(kernel, a[i]) == a[i]);
        assert_true(read_back(kernel, -a[i]) == -a[i]);
    }
    for (uint32_t i = 0; i < N * numbers->k_max; i++)
        assert_true(read_back(kernel, b[i]) == b[i]);
}

static void operands_are_exact_in_their_type(void **state)
{
    for_all(check_operands);
}

/* Hand-computed bits: IEEE 754 binary16 and binary32, bfloat16, E4M3, two's complement. */
static void known_values_have_known_bits(void **state)
{
    static const struct {
        enum ert_kernel_id kernel;
        int32_t value;
        uint32_t bits;
    } rows[] = {
        {ERT_KERNEL_mma_fp16, 1,   0x3c00    },
        {ERT_KERNEL_mma_fp16, -3,  0xc200    },
        {ERT_KERNEL_mma_fp16, 511, 0x5ffc    },
        {ERT_KERNEL_mma_bf16, 1,   0x3f80    },
        {ERT_KERNEL_mma_bf16, 255, 0x437f    },
        {ERT_KERNEL_mma_tf32, -5,  0xc0a00000},
        {ERT_KERNEL_mma_fp8,  15,  0x57      },
        {ERT_KERNEL_mma_fp8,  -8,  0xd0      },
        {ERT_KERNEL_mma_fp8,  0,   0x00      },
        {ERT_KERNEL_mma_int8, -1,  0xff      },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t bits = 0; /* little-endian, as every host of CUDA */
        ert_tiles_encode(rows[i].kernel, rows[i].value, &bits, 0);
        assert_int_equal(bits, rows[i].bits);
    }
}

/* By hand from the PTX ISA's tables: D 4-5, A 7-9, B 10-12, N/8 17-22, scale 23, M/16 24-28, K96 31. */
static void descriptors_have_the_bits_of_the_tables(void **state)
{
    assert_true(ert_tcgen05_instruction(1, 1, 0, 16, 128, 256) == 0x08400490); /* BF16 */
    assert_true(ert_tcgen05_instruction(4, 1, 0, 32, 128, 256) == 0x08401210); /* E3M2 */
    assert_true(ert_tcgen05_instruction(0, 0, 1, 32, 128, 256) == 0x08c00000); /* MXFP8 */
    assert_true(ert_tcgen05_instruction(1, 0, 0, 96, 128, 256) == 0x88400480); /* NVFP4 */
    assert_true(ert_tcgen05_matrix(0x12400) == UINT64_C(0x4000404000011240));
}

/* E2M1 of 2 is 4, of -3 13; E3M2 of 4 is 20, of 7 23. */
static void small_formats_have_their_places(void **state)
{
    uint8_t row[32] = {0};
    ert_tiles_encode(ERT_KERNEL_tcgen05_nvfp4, 2, row, 0);
    ert_tiles_encode(ERT_KERNEL_tcgen05_nvfp4, -3, row, 1);
    ert_tiles_encode(ERT_KERNEL_tcgen05_fp4, -3, row, 15);
    ert_tiles_encode(ERT_KERNEL_tcgen05_fp6, 4, row, 16);
    ert_tiles_encode(ERT_KERNEL_tcgen05_fp6, 7, row, 17);
    assert_true(row[0] == 0xd4 && row[7] == 0xd0 && row[16] == 0xd4 && row[17] == 0x5);
}

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

/* In any order: the magnitudes of all terms together stay within what an accumulator holds. */
static void check_sums(enum ert_kernel_id kernel, const struct ert_tiles_numbers *numbers)
{
    (void)kernel;
    uint32_t k = numbers->k_max;
    int64_t start = numbers->n_starts / 2;
    for (uint32_t i = 0; i < M * N; i++) {
        int64_t sum = 0, terms = 0;
        for (uint32_t l = 0; l < k; l++) {
            int64_t product = (int64_t)a[i / N * k + l] * b[i % N * k + l];
            sum += product;
            terms += magnitude(product);
            /* Paired: 24 bits inside an instruction, the accumulator's own between two. */
            if (numbers->is_paired && l % 16 == 15) {
                assert_true(terms + numbers->exact_max <= 1 << 24);
                assert_true(magnitude(sum) + start <= numbers->exact_max);
                terms = 0;
            }
        }
        assert_true(products[i] == sum);
        assert_true(numbers->is_paired || terms + start <= numbers->exact_max);
    }
}

static void sums_are_exact_in_any_order(void **state)
{
    for_all(check_sums);
}

/* The bound of the ranges themselves, whatever the seed draws. */
static void ranges_keep_the_bound(void **state)
{
    for (int k = 0; k < ERT_N_KERNELS; k++) {
        const struct ert_tiles_numbers *n = ert_tiles_numbers((enum ert_kernel_id)k);
        if (!n)
            continue;
        int64_t most_a = (int64_t)n->a.most << n->a.shifts,
                most_b = (int64_t)n->b.most << n->b.shifts;
        if (n->is_paired) {
            assert_true(n->k_max / 16 * most_a + n->n_starts / 2 <= n->exact_max);
            assert_true(16 * most_a * (most_b + 1) + n->exact_max <= 1 << 24);
            continue;
        }
        assert_true(n->k_max * most_a * most_b + n->n_starts / 2 <= n->exact_max);
    }
}

/* No operand is zero, all mantissas of a range occur, and half of the signs are negative. */
static void check_power(enum ert_kernel_id kernel, const struct ert_tiles_numbers *numbers)
{
    (void)kernel;
    uint32_t n = N * numbers->k_max, negative = 0, low_bits = 0;
    for (uint32_t i = 0; i < n; i++) {
        assert_true(b[i] != 0 || numbers->is_paired);
        negative += b[i] < 0;
        low_bits += (uint32_t)b[i] >> (numbers->b.shifts > 0 ? 1 : 0) & 1;
    }
    assert_in_range(negative, n * 48 / 100, n * 52 / 100);
    assert_in_range(low_bits, n * 40 / 100, n * 60 / 100);
    for (uint32_t i = 0; i < M * numbers->k_max; i++)
        assert_true(a[i] != 0);
}

static void data_are_dense_in_bits(void **state)
{
    for_all(check_power);
}

/* Every product tells: no row of A or column of B is another one's, and no sum is zero for all. */
static void check_products(enum ert_kernel_id kernel,
                           const struct ert_tiles_numbers *numbers)
{
    (void)kernel;
    uint32_t k = numbers->k_max, zeros = 0;
    for (uint32_t m = 1; m < M; m++)
        assert_true(memcmp(a, a + m * k, k * sizeof *a) != 0);
    for (uint32_t n = 1; n < N; n++)
        assert_true(memcmp(b, b + n * k, k * sizeof *b) != 0);
    for (uint32_t i = 0; i < M * N; i++)
        zeros += products[i] == 0;
    assert_in_range(zeros, 0, M * N / 50);
}

static void products_differ(void **state)
{
    for_all(check_products);
}

static void zeros_are_zeros(void **state)
{
    ert_tiles_fill(ERT_KERNEL_wgmma_bf16, ERT_TILES_ZERO, 1, 3, 5, 7, a, b, products);
    for (uint32_t i = 0; i < 15; i++)
        assert_true(products[i] == 0 && a[i] == 0 && b[i] == 0);
}

static void starts_spread_over_their_range(void **state)
{
    const uint32_t n_starts = 128, n = 1 << 20;
    uint32_t counts[128] = {0};
    for (uint32_t i = 0; i < n; i++) {
        int32_t start = ert_tiles_start(i, n_starts);
        assert_true(start >= -64 && start < 64);
        counts[start + 64]++;
    }
    for (uint32_t i = 0; i < n_starts; i++)
        assert_in_range(counts[i], n / n_starts / 2, n / n_starts * 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensor_kernels_have_numbers),
        cmocka_unit_test(operands_are_exact_in_their_type),
        cmocka_unit_test(known_values_have_known_bits),
        cmocka_unit_test(descriptors_have_the_bits_of_the_tables),
        cmocka_unit_test(small_formats_have_their_places),
        cmocka_unit_test(sums_are_exact_in_any_order),
        cmocka_unit_test(ranges_keep_the_bound),
        cmocka_unit_test(data_are_dense_in_bits),
        cmocka_unit_test(products_differ),
        cmocka_unit_test(zeros_are_zeros),
        cmocka_unit_test(starts_spread_over_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
