/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tensor_rows: which kernels of the tensor cores a GPU of some compute capability is offered, and
 * why not. Runs without a device, in builds with and without CUDA.
 */
#include "tests/unit/test.h"

#include "ert/core/backend/backend.h"
#include "ert/ext/cuda/build.h"

static const struct ert_backend *const backend = &ert_backend_cuda;

static size_t list(uint32_t cc, enum ert_kernel_id kernel,
                   struct ert_variant variants[ERT_MAX_VARIANTS], char reason[256])
{
    static const struct ert_session_options options = {.working_set_max_bytes = 1 << 20};
    struct ert_device device = {.kind = ERT_DEVICE_GPU, .gpu = {.n_sms = 3}};
    device.gpu.max_threads_per_sm = 2048;
    device.gpu.cc_major = (int)cc / 10;
    device.gpu.cc_minor = (int)cc % 10;
    reason[0] = '\0';
    return backend->variants(&device, &options, kernel, ERT_PATH_NONE, variants, reason,
                             256);
}

static bool is_built(void)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[256];
    return list(90, ERT_KERNEL_fma_fp64, variants, reason) > 0;
}

/* Instructions that an architecture lacks are absent, with both capabilities in the reason. */
static void older_gpus_lack_instructions(void **state)
{
    static const struct {
        uint32_t cc;
        enum ert_kernel_id kernel;
        const char *reason;
    } rows[] = {
        {61,  ERT_KERNEL_mma_fp16,     "7.0 at least, this GPU has 6.1"         },
        {70,  ERT_KERNEL_mma_int8,     "7.5 at least, this GPU has 7.0"         },
        {75,  ERT_KERNEL_mma_fp64,     "8.0 at least, this GPU has 7.5"         },
        {75,  ERT_KERNEL_mma_bf16,     "8.0 at least, this GPU has 7.5"         },
        {80,  ERT_KERNEL_mma_fp8,      "8.9 at least, this GPU has 8.0"         },
        {89,  ERT_KERNEL_wgmma_bf16,   "9.0 exactly, this GPU has 8.9"          },
        {100, ERT_KERNEL_wgmma_fp8,    "9.0 exactly, this GPU has 10.0"         },
        {120, ERT_KERNEL_wgmma_fp8,    "9.0 exactly, this GPU has 12.0"         },
        {120, ERT_KERNEL_tcgen05_tf32, "10.0 or 10.3 exactly, this GPU has 12.0"},
        {103, ERT_KERNEL_tcgen05_int8, "10.0 exactly, this GPU has 10.3"        },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ert_variant variants[ERT_MAX_VARIANTS];
        char reason[256];
        assert_int_equal(list(rows[i].cc, rows[i].kernel, variants, reason), 0);
        assert_contains(reason, is_built() ? rows[i].reason : "no CUDA module");
    }
}

/* A GPU runs the code of its own major version, or PTX of an older one: else none is offered. */
static void code_that_a_gpu_runs_decides(void **state)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[256];
    bool is_only_90 = is_built() && strcmp(ERT_CUDA_ARCH, "90") == 0;
    size_t older = list(80, ERT_KERNEL_mma_bf16, variants, reason);
    assert_true(!is_only_90 || older == 0);
    if (is_only_90)
        assert_contains(reason, "needs code for sm_80 to sm_80, this build has \"90\"");
    size_t newer = list(120, ERT_KERNEL_mma_fp16, variants, reason); /* PTX of 9.0 */
    assert_true(!is_only_90 || newer > 1);
    bool has_own = is_built() && strstr(ERT_CUDA_OWN_CODE, "sm_103a");
    size_t own = list(103, ERT_KERNEL_tcgen05_nvfp4, variants, reason);
    assert_int_equal(own, has_own ? 2 : 0); /* one has k of 96 */
    assert_true(own || !is_built() || strstr(reason, "no code for sm_103a"));
}

/* Of a build for both: the larger FP64 shapes came with 9.0. */
static void variants_grow_with_the_architecture(void **state)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[256];
    bool has_both = is_built() && strstr(" " ERT_CUDA_ARCH " ", " 80 ") &&
                    strstr(" " ERT_CUDA_ARCH " ", " 90 ");
    size_t older = list(80, ERT_KERNEL_mma_fp64, variants, reason);
    size_t newer = list(90, ERT_KERNEL_mma_fp64, variants, reason);
    assert_true(!has_both || (older > 0 && newer > older));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(older_gpus_lack_instructions),
        cmocka_unit_test(code_that_a_gpu_runs_decides),
        cmocka_unit_test(variants_grow_with_the_architecture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
