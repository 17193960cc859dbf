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
    .summary = "NVIDIA GPUs (CUDA): memory levels, CUDA and tensor cores, links",
    .unavailable = ert_cuda_unavailable,
    .discover = ert_cuda_discover,
    .variants = ert_cuda_variants,
    .open = ert_cuda_open,
    .observe = NULL,
    .prepare = ert_cuda_prepare,
    .time = ert_cuda_time,
    .window = ert_cuda_window,
    .verify = ert_cuda_verify,
    .sustain = ert_cuda_sustain,
    .close = ert_cuda_close,
    .code = ert_cuda_code,
};
