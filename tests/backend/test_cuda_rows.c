/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cuda_rows: what the CUDA backend says of itself without a device: every kernel and path
 * has variants that an SM can hold, or a reason; and a machine without GPUs is no error.
 * Runs in builds with and without CUDA.
 */
#include "tests/unit/test.h"

#include "ert/core/backend/backend.h"
#include "ert/ext/cuda/build.h"
#include "ert/ext/cuda/nvidia.h"
#include "tests/backend/known_rows.h"

static const struct ert_backend *const backend = &ert_backend_cuda;

static const struct ert_session_options options = {.working_set_max_bytes = 1 << 20};

static size_t list_on(uint32_t cc, uint32_t threads_per_sm, enum ert_kernel_id kernel,
                      enum ert_path path, struct ert_variant variants[ERT_MAX_VARIANTS],
                      char reason[256])
{
    struct ert_device device = {.kind = ERT_DEVICE_GPU, .gpu = {.n_sms = 3}};
    device.gpu.cc_major = cc / 10;
    device.gpu.cc_minor = cc % 10;
    device.gpu.max_threads_per_sm = threads_per_sm;
    reason[0] = '\0';
    return backend->variants(&device, &options, kernel, path, variants, reason, 256);
}

static size_t list(enum ert_kernel_id kernel, enum ert_path path,
                   struct ert_variant variants[ERT_MAX_VARIANTS], char reason[256])
{
    return list_on(90, 2048, kernel, path, variants, reason);
}

static bool is_built(void)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[256];
    return list(ERT_KERNEL_load, ERT_PATH_BYPASS_L1, variants, reason) > 0;
}

/* Kernels of memory and CUDA cores; what a device needs for the others has tests of its own. */
static bool is_concerned(enum ert_kernel_id id)
{
    const struct ert_kernel *kernel = ert_kernel_row(id);
    return kernel->kind == ERT_KIND_MEMORY ||
           (kernel->kind == ERT_KIND_COMPUTE && !*kernel->unit);
}

/* Whether a build with CUDA should know the kernel on the path of a device. */
static bool is_expected(uint32_t cc, enum ert_kernel_id id, enum ert_path path)
{
    const struct ert_kernel *kernel = ert_kernel_row(id);
    bool is_load = id == ERT_KERNEL_load, is_store = id == ERT_KERNEL_store;
    if (!ert_kernel_on_gpu(id) || ert_test_cuda() < ert_nvidia_cuda_for(id, cc) ||
        (id == ERT_KERNEL_fma2_fp32 && cc < 100))
        return false;
    if (kernel->type == ERT_BF16 && !*kernel->unit &&
        cc < (id == ERT_KERNEL_fma_bf16 ? 80 : 90))
        return false;
    if (strcmp(kernel->unit, "tensor") == 0) /* cc 9.0 has all; test_tensor_rows */
        return path == ERT_PATH_NONE && cc == 90 && strstr(" " ERT_CUDA_ARCH " ", " 90 ");
    if (kernel->kind == ERT_KIND_COMPUTE)
        return path == ERT_PATH_NONE;
    return path == ERT_PATH_BYPASS_L1 || (path == ERT_PATH_CACHED && is_load) ||
           (path == ERT_PATH_SHARED && (is_load || is_store));
}

static void every_case_has_variants_or_a_reason(void **state)
{
    static const uint32_t capabilities[] = {75, 80, 86, 90, 120};
    for (size_t c = 0; c < sizeof capabilities / sizeof capabilities[0]; c++) {
        for (int k = 0; k < ERT_N_KERNELS; k++) {
            for (int path = 0; path < ERT_N_PATHS; path++) {
                struct ert_variant variants[ERT_MAX_VARIANTS];
                char reason[256];
                size_t n = list_on(capabilities[c], 1024, k, path, variants, reason);
                if (is_concerned(k))
                    assert_int_equal(n > 0,
                                     is_built() && is_expected(capabilities[c], k, path));
                if (n == 0)
                    assert_true(strlen(reason) > 10);
            }
        }
    }
}

/* 1024 threads: cc 7.5. Names tell variants apart; no block is larger than an SM holds. */
static void variants_fit_an_sm(void **state)
{
    static const uint32_t threads_per_sm[] = {1024, 1536, 2048};
    for (size_t t = 0; t < 3; t++) {
        for (int k = 0; k < ERT_N_KERNELS; k++) {
            for (int path = 0; path < ERT_N_PATHS; path++) {
                struct ert_variant variants[ERT_MAX_VARIANTS];
                char reason[256];
                size_t n = list_on(90, threads_per_sm[t], k, path, variants, reason);
                for (size_t i = 0; i < n && is_concerned(k); i++) {
                    assert_in_range(variants[i].threads, 32, 1024);
                    assert_int_equal(variants[i].threads % 32, 0);
                    assert_true(variants[i].threads * variants[i].blocks <=
                                threads_per_sm[t]);
                    for (size_t j = 0; j < i; j++)
                        assert_string_not_equal(variants[i].name, variants[j].name);
                }
            }
        }
    }
}

/* Larger SMs are offered more shapes, never others in place of those of smaller ones. */
static void larger_sms_add_variants(void **state)
{
    struct ert_variant small[ERT_MAX_VARIANTS], large[ERT_MAX_VARIANTS];
    char reason[256];
    for (int k = 0; k < ERT_N_KERNELS; k++) {
        size_t n_small = list_on(90, 1024, k, ERT_PATH_NONE, small, reason);
        size_t n_large = list_on(90, 2048, k, ERT_PATH_NONE, large, reason);
        assert_true(n_large >= n_small);
        for (size_t i = 0; i < n_small; i++)
            assert_string_equal(small[i].name, large[i].name);
    }
}

static void reasons_name_what_is_missing(void **state)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[256];
    list(ERT_KERNEL_copy, ERT_PATH_CACHED, variants, reason);
    assert_contains(reason, is_built() ? "write-through" : "no CUDA module");
    list(ERT_KERNEL_store_nt, ERT_PATH_BYPASS_L1, variants, reason);
    assert_contains(reason, is_built() ? "CPU" : "no CUDA module");
    list_on(86, 1536, ERT_KERNEL_add_bf16, ERT_PATH_NONE, variants, reason);
    assert_contains(reason, is_built() ? "9.0, this is 8.6" : "no CUDA module");
    list(ERT_KERNEL_add_bf16, ERT_PATH_CACHED, variants, reason);
    assert_contains(reason, is_built() ? "in registers" : "no CUDA module");
}

static void no_device_is_no_error(void **state)
{
    static struct ert_machine machine;
    struct ert_error error = {0};
    char reason[256] = "";
    const char *why = backend->unavailable(reason, sizeof reason);
    if (why)
        assert_true(strlen(why) > 10);
    if (!is_built()) { /* a row alone */
        assert_non_null(why);
        return;
    }
    assert_int_equal(backend->discover(&machine, &error), ERT_OK);
    assert_string_equal(error.text, "");
    assert_int_equal(why ? machine.n_devices : 0, 0);
    backend->close(NULL);
}

/* The disassembler and the profiler are told them; a file that is stripped has no other. */
static void kernels_have_names(void **state)
{
    struct ert_device device = {.kind = ERT_DEVICE_GPU, .gpu = {.cc_major = 9}};
    size_t n = 0;
    for (int k = 0; k < ERT_N_KERNELS; k++)
        for (int p = 0; p < ERT_N_PATHS; p++) {
            const struct ert_spec spec = {.kernel = k, .path = p};
            struct ert_code code = {0};
            struct ert_error error;
            if (!is_built() || backend->code(&device, &spec, &code, &error) != ERT_OK)
                continue;
            if (!code.name || strncmp(code.name, "_Z", 2) != 0)
                fail_msg("%s: no name", ert_kernel_row(k)->name);
            n++;
        }
    assert_true(is_built() ? n > 0 : n == 0);
}

/* The lookups of a kernel's chains and of its copies end with their tables. */
static void kernels_that_no_table_knows_are_refused(void **state)
{
    static const struct {
        enum ert_kernel_id kernel;
        enum ert_path path;
        enum ert_kernel_id stranger;
    } rows[] = {
        {ERT_KERNEL_fma_fp64,   ERT_PATH_NONE, ERT_KERNEL_mma_tf32}, /* no chains */
        {ERT_KERNEL_h2d_pinned, ERT_PATH_NONE, ERT_KERNEL_triad   },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int expected = is_built() ? 0 : -1;
        assert_int_equal(
            ert_test_row_is_known(rows[i].kernel, rows[i].path, 0, rows[i].stranger),
            expected);
    }
    size_t n = 0;
    for (int k = 0; k < ERT_N_KERNELS; k++)
        for (int p = 0; p < ERT_N_PATHS; p++)
            for (uint32_t variant = 0; variant < ERT_MAX_VARIANTS; variant++) {
                int is_known = ert_test_row_is_known(k, p, variant, k);
                if (is_known == 0)
                    fail_msg("%s: it is not known what it leaves", ert_kernel_row(k)->name);
                n += is_known > 0;
            }
    assert_true(is_built() ? n > 70 : n == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_has_variants_or_a_reason),
        cmocka_unit_test(variants_fit_an_sm),
        cmocka_unit_test(larger_sms_add_variants),
        cmocka_unit_test(reasons_name_what_is_missing),
        cmocka_unit_test(no_device_is_no_error),
        cmocka_unit_test(kernels_have_names),
        cmocka_unit_test(kernels_that_no_table_knows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
