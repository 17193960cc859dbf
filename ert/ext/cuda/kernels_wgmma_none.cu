/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of wgmma in a build without code for sm_90a: they have no function, and tensor.cu says why. */
#include "ert/ext/cuda/tensor.cuh"

static const struct ert_cuda_shape shape = {90, true, 128, 64, 256, 1, 1, 128, 4, 0};

#define KERNEL(kernel)                                                                     \
    ERT_CUDA_KERNEL(wgmma_##kernel,                                                        \
                    {ERT_KERNEL_wgmma_##kernel, ERT_PATH_NONE, 0, "not in this build",     \
                     ert_cuda_tensor_kind(), 128, 1, 0, 1, 1, NULL, 0, false, &shape})
KERNEL(tf32)
KERNEL(bf16)
KERNEL(fp16)
KERNEL(fp16_acc16)
KERNEL(fp8)
KERNEL(int8)
