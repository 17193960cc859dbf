/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu: what the CUDA examples share. They are programs: a CUDA call that fails says so and ends them. */
#ifndef EXAMPLES_GPU_H
#define EXAMPLES_GPU_H

#include "examples/example.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ERT_UNAVAILABLE with CUDA's reason where there is no GPU. */
enum ert_status example_gpu_open(struct ert_error *error);

/* Bytes of the L2 of the GPU. */
size_t example_gpu_l2_bytes(void);

/* n doubles on the GPU, copies of host[0 ... n - 1], or (NULL) nothing yet. */
double *example_gpu_doubles(size_t n, const double *host);
void example_gpu_free(double *memory);

/* All bytes 0xff: NaN, which no result is. */
void example_gpu_spoil(double *memory, size_t n);

/* n doubles into host[]. */
void example_gpu_read(const double *memory, size_t n, double *host);

/* Waits for what was launched; every launch before is checked. */
void example_gpu_wait(void);

/* Of struct example: NVML's counter. */
double example_gpu_energy_j(const char **why);

#ifdef __cplusplus
}
#endif
#endif
