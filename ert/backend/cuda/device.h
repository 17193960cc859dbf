/*
 * device: which GPUs are there, and what the CUDA runtime and NVML say about them. It makes
 * no context and takes no memory.
 */
#ifndef ERT_BACKEND_CUDA_DEVICE_H
#define ERT_BACKEND_CUDA_DEVICE_H

#include "ert/machine/machine.h"

#include <stddef.h>

/* backend.h's unavailable() and discover(). */
const char *ert_cuda_unavailable(char *reason, size_t size);
enum ert_status ert_cuda_discover(struct ert_machine *machine, struct ert_error *error);

#endif
