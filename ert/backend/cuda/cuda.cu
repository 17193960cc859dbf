/*
 * cuda: NVIDIA GPUs through the CUDA runtime. The ops table; its functions stand in their
 * files.
 */
#include "ert/backend/backend.h"
#include "ert/backend/cuda/device.h"
#include "ert/backend/cuda/rows.h"
#include "ert/backend/cuda/session.h"

const struct ert_backend ert_backend_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs (CUDA): L1, shared memory, L2, device memory, FP64 and FP32",
    .unavailable = ert_cuda_unavailable,
    .discover = ert_cuda_discover,
    .variants = ert_cuda_variants,
    .open = ert_cuda_open,
    .prepare = ert_cuda_prepare,
    .time = ert_cuda_time,
    .verify = ert_cuda_verify,
    .power = ert_cuda_power,
    .close = ert_cuda_close,
    .code = ert_cuda_code,
};
