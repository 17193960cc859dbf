/*
 * cuda_rows: what the CUDA backend says of itself without a device: every kernel and path
 * has variants that an SM can hold, or a reason; and a machine without GPUs is no error.
 * Runs in builds with and without CUDA.
 */
#include "tests/unit/test.h"

#include "ert/backend/backend.h"
#include "ert/base/config.h"

static const struct ert_backend *const backend = &ert_backend_cuda;

static const struct ert_session_options options = {.working_set_max_bytes = 1 << 20};

static size_t list(uint32_t threads_per_sm, enum ert_kernel_id kernel, enum ert_path path,
                   struct ert_variant variants[ERT_MAX_VARIANTS], char reason[256])
{
    struct ert_device device = {
        .kind = ERT_DEVICE_GPU, .gpu = {.n_sms = 3, .cc_major = 9}
    };
    device.gpu.max_threads_per_sm = threads_per_sm;
    reason[0] = '\0';
    return backend->variants(&device, &options, kernel, path, variants, reason, 256);
}

static bool is_built(void)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[256];
    return list(2048, ERT_KERNEL_load, ERT_PATH_BYPASS_L1, variants, reason) > 0;
}

/* Whether a build with CUDA should know the kernel on the path. */
static bool is_expected(enum ert_kernel_id id, enum ert_path path)
{
    const struct ert_kernel *kernel = ert_kernel_row(id);
    bool is_load = id == ERT_KERNEL_load, is_store = id == ERT_KERNEL_store;
    if (!ert_kernel_on_gpu(id))
        return false;
    if (strcmp(kernel->unit, "tensor") ==
        0) /* cc 9.0 has all; tests/backend/test_tensor_rows */
        return path == ERT_PATH_NONE && strstr(" " ERT_CUDA_ARCH " ", " 90 ");
    if (kernel->class_ == ERT_CLASS_COMPUTE)
        return path == ERT_PATH_NONE;
    return path == ERT_PATH_BYPASS_L1 || (path == ERT_PATH_CACHED && is_load) ||
           (path == ERT_PATH_SHARED && (is_load || is_store));
}

static void every_case_has_variants_or_a_reason(void **state)
{
    (void)state;
    for (int k = 0; k < ERT_N_KERNELS; k++) {
        for (int path = 0; path < ERT_N_PATHS; path++) {
            struct ert_variant variants[ERT_MAX_VARIANTS];
            char reason[256];
            size_t n = list(2048, k, path, variants, reason);
            if (is_built())
                assert_int_equal(n > 0, is_expected(k, path));
            else
                assert_int_equal(n, 0);
            if (n == 0)
                assert_true(strlen(reason) > 10);
        }
    }
}

/* 1024 threads: cc 7.5. Names tell variants apart; no block is larger than an SM holds. */
static void variants_fit_an_sm(void **state)
{
    (void)state;
    static const uint32_t threads_per_sm[] = {1024, 1536, 2048};
    for (size_t t = 0; t < 3; t++) {
        for (int k = 0; k < ERT_N_KERNELS; k++) {
            for (int path = 0; path < ERT_N_PATHS; path++) {
                struct ert_variant variants[ERT_MAX_VARIANTS];
                char reason[256];
                size_t n = list(threads_per_sm[t], k, path, variants, reason);
                assert_int_equal(n > 0, is_built() && is_expected(k, path));
                for (size_t i = 0; i < n; i++) {
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

static void reasons_name_what_is_missing(void **state)
{
    (void)state;
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[256];
    list(2048, ERT_KERNEL_copy, ERT_PATH_CACHED, variants, reason);
    assert_contains(reason, is_built() ? "write-through" : "no CUDA in this build");
    list(2048, ERT_KERNEL_store_nt, ERT_PATH_BYPASS_L1, variants, reason);
    assert_contains(reason, is_built() ? "CPU" : "no CUDA in this build");
}

static void no_device_is_no_error(void **state)
{
    (void)state;
    static struct ert_machine machine;
    struct ert_error error = {0};
    char reason[256] = "";
    const char *why = backend->unavailable(reason, sizeof reason);
    assert_int_equal(backend->discover(&machine, &error), ERT_OK);
    assert_string_equal(error.text, "");
    if (why) {
        assert_true(strlen(why) > 10);
        assert_int_equal(machine.n_devices, 0);
    }
    backend->close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_has_variants_or_a_reason),
        cmocka_unit_test(variants_fit_an_sm),
        cmocka_unit_test(reasons_name_what_is_missing),
        cmocka_unit_test(no_device_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
