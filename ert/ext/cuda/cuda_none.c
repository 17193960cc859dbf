/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_none: the CUDA backend without ert-cuda.so: its row, and the reason. */
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

static enum ert_status backend_cuda_none_discover(struct ert_machine *machine,
                                                  struct ert_error *error)
{
    (void)machine, (void)error;
    return ERT_OK;
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

/* Recorded ceilings may name this backend. */
static enum ert_status backend_cuda_none_open_(const struct ert_device *device,
                                               const struct ert_session_options *options,
                                               struct ert_session **session, char *notes,
                                               size_t size, struct ert_error *error)
{
    const char *why;
    (void)device, (void)options, (void)session;
    if (size > 0)
        notes[0] = '\0';
    ert_module_find("cuda", &why);
    return ert_fail(error, ERT_UNAVAILABLE, "no CUDA module: %s", why);
}

static void backend_cuda_none_close_(struct ert_session *session)
{
    (void)session;
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
    .discover = backend_cuda_none_discover,
    .variants = backend_cuda_none_variants,
    .open = backend_cuda_none_open_,
    .close = backend_cuda_none_close_,
    .load = backend_cuda_none_load,
};
