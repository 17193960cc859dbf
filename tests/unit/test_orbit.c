/* orbit: chains come back with period two, stay bounded, differ from each other. */
#include "tests/unit/test.h"

#include "ert/backend/orbit.h"

static const enum ert_kernel_id compute[] = {ERT_KERNEL_fma_fp64, ERT_KERNEL_add_fp64,
                                             ERT_KERNEL_mul_fp64, ERT_KERNEL_fma_fp32,
                                             ERT_KERNEL_add_fp32, ERT_KERNEL_mul_fp32};
enum { N_COMPUTE = sizeof compute / sizeof compute[0], N_CHAINS = 20000 };

static void every_kernel_of_the_class_has_an_orbit(void **state)
{
    (void)state;
    int n = 0;
    for (int i = 0; i < ERT_N_KERNELS; i++)
        if (ert_kernel_row((enum ert_kernel_id)i)->class_ == ERT_CLASS_COMPUTE) {
            assert_true(isfinite(ert_orbit_after((enum ert_kernel_id)i, 1.3, 5)));
            n++;
        }
    assert_int_equal(n, N_COMPUTE);
}

/* The shortcut of ert_orbit_after is right only if every orbit has settled long before. */
static void orbits_have_period_two_after_settling(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_COMPUTE; k++)
        for (uint64_t i = 0; i < N_CHAINS; i++) {
            double start = ert_orbit_start(compute[k], i);
            double even = ert_orbit_after(compute[k], start, 16);
            double odd = ert_orbit_after(compute[k], start, 17);
            assert_true(even == ert_orbit_after(compute[k], start, 18));
            assert_true(odd == ert_orbit_after(compute[k], start, 19));
            assert_true(even != odd);
            assert_true(even >= 1.24 && even < 1.51 && odd >= 2 && odd < 4);
            assert_true(even == ert_orbit_after(compute[k], start, 1000000));
        }
}

static void starts_differ_and_are_of_the_type(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_COMPUTE; k++)
        for (uint64_t i = 1; i < N_CHAINS; i++) {
            double start = ert_orbit_start(compute[k], i);
            assert_true(start != ert_orbit_start(compute[k], i - 1));
            if (ert_kernel_row(compute[k])->type == ERT_FP32)
                assert_true(start == (float)start);
        }
}

/* By hand: one step of each, from 1.25. */
static void first_step_is_the_formula(void **state)
{
    (void)state;
    struct ert_orbit o = ert_orbit_constants(ERT_KERNEL_fma_fp64);
    assert_true(ert_orbit_after(ERT_KERNEL_fma_fp64, 1.25, 1) == fma(o.a, 1.25, o.b));
    assert_true(ert_orbit_after(ERT_KERNEL_mul_fp64, 1.25, 1) == o.a * 1.25);
    o = ert_orbit_constants(ERT_KERNEL_add_fp64);
    assert_true(ert_orbit_after(ERT_KERNEL_add_fp64, 1.25, 1) == 1.25 + o.b);
    assert_true(o.d == -o.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_of_the_class_has_an_orbit),
        cmocka_unit_test(orbits_have_period_two_after_settling),
        cmocka_unit_test(starts_differ_and_are_of_the_type),
        cmocka_unit_test(first_step_is_the_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
