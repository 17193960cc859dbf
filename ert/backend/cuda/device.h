/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device: which GPUs are there, and what the CUDA runtime and NVML say about them. It makes
 * no context and takes no memory. And CUDA errors as the project's errors: what was called, on what,
 * and what CUDA said; and which of them mean that the device is lost. C++ only.
 */
#ifndef ERT_BACKEND_CUDA_DEVICE_H
#define ERT_BACKEND_CUDA_DEVICE_H

#include "ert/machine/machine.h"

#include <cuda_runtime.h>
#include <stddef.h>

/* backend.h's unavailable() and discover(). */
const char *ert_cuda_unavailable(char *reason, size_t size);
enum ert_status ert_cuda_discover(struct ert_machine *machine, struct ert_error *error);

/* Writes "gpu0 (NAME): CALL: CUDA's text" and returns the status. */
enum ert_status ert_cuda_fail(struct ert_error *error, cudaError_t code, const char *device,
                              const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether nothing more can be done with the device after this error. */
bool ert_cuda_is_lost(cudaError_t code);

/* Passes on a failure of a CUDA call; the words say what was called, with what. */
#define CUDA_TRY(device, error, call, ...)                                                 \
    do {                                                                                   \
        cudaError_t cuda_try_code = (call);                                                \
        if (cuda_try_code != cudaSuccess)                                                  \
            return ert_cuda_fail(error, cuda_try_code, device, __VA_ARGS__);               \
    } while (0)

#endif
