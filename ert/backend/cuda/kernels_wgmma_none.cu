/* The rows of wgmma in a build that has no code for sm_90a: no function, so tensor.cu says why. */
#include "ert/backend/cuda/tensor.h"

#define ROW(kernel)                                                                        \
    {ERT_KERNEL_wgmma_##kernel,                                                            \
     ERT_PATH_NONE,                                                                        \
     0,                                                                                    \
     "not in this build",                                                                  \
     ERT_CUDA_TENSOR,                                                                      \
     128,                                                                                  \
     1,                                                                                    \
     0,                                                                                    \
     1,                                                                                    \
     1,                                                                                    \
     NULL},
#define SHAPE(kernel) {90, true, 128, 64, 256, 1, 1, 128, 4, 0},
#define ROWS(X)       X(tf32) X(bf16) X(fp16) X(fp16_acc16) X(fp8) X(int8)

static const struct ert_cuda_row rows[] = {ROWS(ROW)};
static const struct ert_cuda_shape shapes[] = {ROWS(SHAPE)};

const struct ert_cuda_rows ert_cuda_wgmma_rows = {rows, sizeof rows / sizeof rows[0]};
const struct ert_cuda_tensor_rows ert_cuda_wgmma = {&ert_cuda_wgmma_rows, shapes};
