/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device: finds GPUs and what the CUDA runtime and NVML report about them, without making a context or
 * allocating memory; and turns CUDA errors into the project's errors: what was called, on what, what CUDA
 * reported, and whether the device is lost. C++ only.
 */
#ifndef ERT_BACKEND_CUDA_DEVICE_H
#define ERT_BACKEND_CUDA_DEVICE_H

#include "ert/core/machine/machine.h"

#include <cuda_runtime.h>
#include <stddef.h>

/* backend.h's unavailable() and discover(). */
const char *ert_cuda_unavailable(char *reason, size_t size);
enum ert_status ert_cuda_discover(struct ert_machine *machine, struct ert_error *error);

/* Writes "gpu0 (NAME): CALL: CUDA's message" and returns the status. */
enum ert_status ert_cuda_fail(struct ert_error *error, cudaError_t code, const char *device,
                              const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether the device cannot be used any more after this error. */
bool ert_cuda_is_lost(cudaError_t code);

/* Returns with the error if a CUDA call fails; the further arguments format what was called, on what. */
#define CUDA_TRY(device, error, call, ...)                                                 \
    do {                                                                                   \
        cudaError_t cuda_try_code = (call);                                                \
        if (cuda_try_code != cudaSuccess)                                                  \
            return ert_cuda_fail(error, cuda_try_code, device, __VA_ARGS__);               \
    } while (0)

#endif
