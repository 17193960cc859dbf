/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvidia: what is known about NVIDIA's GPUs by compute capability, without having one: peaks per SM and
 * clock, names of NVML's throttle reasons, a device for code() alone. Part of every build, since recorded
 * ceilings may be of such a GPU.
 */
#ifndef ERT_BACKEND_CUDA_NVIDIA_H
#define ERT_BACKEND_CUDA_NVIDIA_H

#include "ert/core/backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* backend.h's peaks(), throttle and model(); an architecture is a compute capability: "7.0". */
void ert_nvidia_peaks(const struct ert_device *device, struct ert_peak_list *list);
extern const struct ert_throttle ert_nvidia_throttle[];
enum ert_status ert_nvidia_model(const char *architecture, struct ert_device *device,
                                 struct ert_error *error);

/*
 * The architecture, 10 * major + minor, whose code a GPU of compute capability `cc` runs from a build for the
 * architectures `built` ("80 90"): machine code of its major version, else the last one's PTX; 0: none.
 */
uint32_t ert_nvidia_code_for(const char *built, uint32_t cc);

/*
 * The first CUDA, 1000 * major + 10 * minor, whose assembler makes code for a GPU of `cc` that reaches the
 * GPU's rate of a kernel; 0: any. Older ones use one of two pipes for it, or fill one after the other, so
 * that half or two thirds of the rate are measured (results/h200, "nvcc 11.8").
 */
uint32_t ert_nvidia_cuda_for(enum ert_kernel_id kernel, uint32_t cc);

/* The fields of struct ert_backend from has_gpus to model. */
#define ERT_NVIDIA_FIELDS                                                                  \
    .has_gpus = true, .is_fake = false, .peaks = ert_nvidia_peaks,                         \
    .throttle = ert_nvidia_throttle, .disassembler = "cuobjdump", .profiler = "ncu",       \
    .shows_processes = "nvidia-smi", .shows_clocks = "nvidia-smi -q -d PERFORMANCE",       \
    .model = ert_nvidia_model

#ifdef __cplusplus
}
#endif
#endif
