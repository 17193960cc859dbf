/* SPDX-License-Identifier: BSD-3-Clause */
/* theory, GPUs: peaks that were computed by hand, and capabilities that nobody knows. */
#include "tests/unit/theory_fixture.h"

#include "ert/ext/cuda/nvidia.h"

static void h200(void **state)
{
    struct ert_device device = gpu(9, 0, 132);
    device.gpu.memory_clock_hz = 3201e6;
    device.gpu.bus_width_bits = 6016;
    ert_backend_peaks(&device, 0, 1.98e9, peaks, &n_peaks);
    assert_close(value("fp64-fma", "held"), 33.45408e12, 1e-12);
    assert_close(value("fp64-add", "held"), 16.72704e12, 1e-12);
    assert_close(value("fp64-mul", "held"), 16.72704e12, 1e-12);
    assert_close(value("fp32-fma", "held"), 66.90816e12, 1e-12);
    assert_close(value("L1-load", "held"), 33.45408e12, 1e-12);
    assert_close(value("shared-load", "held"), 33.45408e12, 1e-12);
    assert_close(value("HBM", "memory"), 4814.304e9, 1e-12);
    assert_contains(row("fp64-fma")->formula, "132 SM x 64 lanes x 2 flop x 1.980 GHz");
    assert_contains(row("fp64-fma")->source, "CUDA C++ Programming Guide");
    assert_true(row("L2")->value == 0);
    assert_contains(row("L2")->unknown, "no L2 bandwidth");
}

/*
 * 80 x 32 x 2: 6.7 TFLOP/s at the nominal 1.312 GHz, 7.83 at 1.53. The data sheet of the V100 SXM2 says
 * 7.8, 15.7, 125 (tensor cores) TFLOP/s and 900 GB/s.
 */
static void v100(void **state)
{
    struct ert_device device = gpu(7, 0, 80);
    device.base_hz = 1.312e9;
    device.boost_hz = 1.53e9;
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_close(value("fp64-fma", "base"), 6.71744e12, 1e-12);
    assert_close(value("fp64-fma", "boost"), 7.8336e12, 1e-12);
    assert_close(value("L1-load", "boost"), 80 * 128 * 1.53e9, 1e-12);
    assert_close(value("fp32-fma", "boost"), 15.6672e12, 1e-12);
    assert_close(value("fp16-mma", "boost"), 125.3376e12, 1e-12);
    assert_contains(row("HBM")->unknown, "memory clock");
    device.gpu.memory_clock_hz = 877e6;
    device.gpu.bus_width_bits = 4096;
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_close(value("HBM", "memory"), 898.048e9, 1e-12);
}

/* As quoted of data sheets: HGX B200 dense BF16 2.25 PFLOP/s, FP8 4.5, FP4 9; HGX B300 FP4 108 of 8 GPUs. */
static void b200(void **state)
{
    struct ert_device device = gpu(10, 0, 148);
    ert_backend_peaks(&device, 0, 1.856e9, peaks, &n_peaks);
    assert_close(value("bf16-tcgen05", "held"), 2.25e15, 1e-3);
    assert_close(value("fp8-tcgen05", "held"), 4.5e15, 1e-3);
    assert_close(value("fp4-tcgen05-nv", "held"), 9e15, 1e-3);
    assert_contains(row("bf16-tcgen05")->source, "HGX B200");
    assert_contains(row("bf16-tcgen05")->source, "never run on hardware");
    assert_null(strstr(row("bf16-mma")->source, "never run"));
    device = gpu(10, 3, 148);
    ert_backend_peaks(&device, 0, 1.856e9, peaks, &n_peaks);
    assert_close(value("fp4-tcgen05-mx", "held"), 108e15 / 8, 1e-3);
    assert_null(ert_theory_find(peaks, n_peaks, "int8-tcgen05"));
}

/* One line per compute capability, against the guide's table. */
static void sm_table(void **state)
{
    static const struct {
        uint32_t major, minor;
        double fp64, fp32, l1, shared;
    } expected[] = {
        {6,  0, 32, 64,  64,  128},
        {6,  1, 4,  128, 0,   128},
        {7,  0, 32, 64,  128, 128},
        {7,  5, 2,  64,  64,  64 },
        {8,  0, 32, 64,  128, 128},
        {8,  6, 2,  128, 128, 128},
        {8,  9, 2,  128, 128, 128},
        {9,  0, 64, 128, 128, 128},
        {10, 0, 64, 128, 128, 128},
        {10, 3, 2,  128, 128, 128},
        {12, 0, 2,  128, 128, 128},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct ert_device device = gpu(expected[i].major, expected[i].minor, 1);
        ert_backend_peaks(&device, 0, 1, peaks, &n_peaks);
        assert_true(row("fp64-fma")->per_clock == 2 * expected[i].fp64);
        assert_true(row("fp64-add")->per_clock == expected[i].fp64);
        assert_true(row("fp32-fma")->per_clock == 2 * expected[i].fp32);
        assert_true(row("L1-load")->per_clock == expected[i].l1);
        assert_true(row("shared-load")->per_clock == expected[i].shared);
        assert_true(row("fp32-fma")->source[0]);
    }
}

static void unknown_capability(void **state)
{
    struct ert_device device = gpu(9, 9, 100);
    ert_backend_peaks(&device, 0, 2e9, peaks, &n_peaks);
    assert_true(n_peaks >= 8);
    for (size_t i = 0; i < n_peaks; i++) {
        assert_true(peaks[i].value == 0 && peaks[i].per_clock == 0);
        assert_true(peaks[i].unknown[0]);
    }
    assert_contains(row("fp64-fma")->unknown, "9.9 is not in the table");
    assert_null(ert_theory_find(peaks, n_peaks, "fp64-fma"));
}

static void find_prefers_the_held_clock(void **state)
{
    struct ert_device device = gpu(9, 0, 132);
    device.base_hz = 1e9;
    device.boost_hz = 2e9;
    device.gpu.memory_clock_hz = 3201e6;
    device.gpu.bus_width_bits = 6016;
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_string_equal(ert_theory_find(peaks, n_peaks, "fp64-fma")->clock, "boost");
    ert_backend_peaks(&device, 0, 1.5e9, peaks, &n_peaks);
    assert_string_equal(ert_theory_find(peaks, n_peaks, "fp64-fma")->clock, "held");
    device.boost_hz = 0;
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_string_equal(ert_theory_find(peaks, n_peaks, "fp64-fma")->clock, "base");
    assert_string_equal(ert_theory_find(peaks, n_peaks, "HBM-copy")->name, "HBM");
    assert_string_equal(ert_theory_find(peaks, n_peaks, "HBM-store-nt")->clock, "memory");
    assert_string_equal(ert_theory_find(peaks, n_peaks, "L1-load")->name, "L1-load");
    assert_string_equal(ert_theory_find(peaks, n_peaks, "L1-load-twice")->name, "L1-load");
    assert_null(ert_theory_find(peaks, n_peaks, "L1-copy"));
    assert_null(ert_theory_find(peaks, n_peaks, "L2-load"));
    assert_null(ert_theory_find(peaks, n_peaks, ""));
    assert_null(ert_theory_find(peaks, 0, "HBM"));
}

/* Half of Hopper's rate is not its ceiling. */
static void what_older_compilers_cannot(void **state)
{
    assert_int_equal(ert_nvidia_cuda_for(ERT_KERNEL_fma_bf16, 90), 12080);
    assert_int_equal(ert_nvidia_cuda_for(ERT_KERNEL_fma_bf16, 89), 0);
    assert_int_equal(ert_nvidia_cuda_for(ERT_KERNEL_add_int32, 90), 12030);
    assert_int_equal(ert_nvidia_cuda_for(ERT_KERNEL_issue, 90), 12000);
    assert_int_equal(ert_nvidia_cuda_for(ERT_KERNEL_fma_fp16, 90), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(h200),
        cmocka_unit_test(v100),
        cmocka_unit_test(b200),
        cmocka_unit_test(sm_table),
        cmocka_unit_test(unknown_capability),
        cmocka_unit_test(what_older_compilers_cannot),
        cmocka_unit_test(find_prefers_the_held_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
