/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory_rows: which latency, access and link kernels the CUDA backend says it has, without a
 * device. Runs in builds with and without CUDA.
 */
#include "tests/unit/test.h"

#include "ert/core/backend/backend.h"

static const struct ert_backend *const backend = &ert_backend_cuda;

static const struct ert_session_options options = {.working_set_max_bytes = 1 << 20};

/* 1024 threads: an SM of cc 7.5. */
static size_t list(enum ert_kernel_id kernel, enum ert_path path,
                   struct ert_variant variants[ERT_MAX_VARIANTS], char reason[256])
{
    struct ert_device device = {.kind = ERT_DEVICE_GPU, .gpu = {.n_sms = 3}};
    device.gpu.max_threads_per_sm = 1024;
    reason[0] = '\0';
    return backend->variants(&device, &options, kernel, path, variants, reason, 256);
}

static bool is_built(void)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[256];
    return list(ERT_KERNEL_load, ERT_PATH_BYPASS_L1, variants, reason) > 0;
}

static void latencies_are_for_paths_to_memory(void **state)
{
    for (int path = 0; path < ERT_N_PATHS; path++) {
        struct ert_variant variants[ERT_MAX_VARIANTS];
        char reason[256];
        size_t n = list(ERT_KERNEL_chase, path, variants, reason);
        assert_int_equal(n > 0, is_built() && path != ERT_PATH_NONE);
        if (n == 0)
            assert_contains(reason, is_built() ? "path to memory" : "no CUDA module");
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                assert_string_not_equal(variants[i].name, variants[j].name);
    }
}

/* As many shares of the SMs as a CPU has paces. */
static void loads_are_past_l1(void **state)
{
    for (int k = ERT_KERNEL_loaded_load; k <= ERT_KERNEL_loaded_update; k++)
        for (int path = 0; path < ERT_N_PATHS; path++) {
            struct ert_variant variants[ERT_MAX_VARIANTS];
            char reason[256];
            assert_int_equal(list(k, path, variants, reason),
                             is_built() && path == ERT_PATH_BYPASS_L1 ? 8 : 0);
        }
}

static void links_have_no_path(void **state)
{
    for (int k = ERT_KERNEL_h2d_pinned; k <= ERT_KERNEL_peer_duplex; k++)
        for (int path = 0; path < ERT_N_PATHS; path++) {
            struct ert_variant variants[ERT_MAX_VARIANTS];
            char reason[256];
            size_t n = list(k, path, variants, reason);
            assert_int_equal(n, is_built() && path == ERT_PATH_NONE ? 1 : 0);
            if (n == 0)
                assert_contains(reason, is_built() ? "it has no path" : "no CUDA module");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies_are_for_paths_to_memory),
        cmocka_unit_test(loads_are_past_l1),
        cmocka_unit_test(links_have_no_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
