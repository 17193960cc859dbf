/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_none: the CUDA backend without ert-cuda.so, which has no device to open: its row, and the reason. */
#include "ert/ext/cuda/nvidia.h"
#include "ert/ext/module/module.h"

#include <stdio.h>

static const char *backend_cuda_none_unavailable(char *reason, size_t size)
{
    const char *why;
    ert_module_find("cuda", &why);
    snprintf(reason, size, "no CUDA module: %s", why);
    return reason;
}

static size_t backend_cuda_none_variants(const struct ert_device *device,
                                         const struct ert_session_options *options,
                                         enum ert_kernel_id kernel, enum ert_path path,
                                         struct ert_variant variants_[ERT_MAX_VARIANTS],
                                         char *reason, size_t size)
{
    (void)device, (void)options, (void)kernel, (void)path, (void)variants_;
    backend_cuda_none_unavailable(reason, size);
    return 0;
}

static const struct ert_backend *backend_cuda_none_load(void)
{
    const char *why;
    const struct ert_module *module = ert_module_find("cuda", &why);
    return module ? module->backend : NULL;
}

const struct ert_backend ert_backend_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs (CUDA): a separate module",
    ERT_NVIDIA_FIELDS,
    .unavailable = backend_cuda_none_unavailable,
    .variants = backend_cuda_none_variants,
    .load = backend_cuda_none_load,
};
