/* SPDX-License-Identifier: BSD-3-Clause */
#include "examples/gpu/gpu.h"

#include "ert/ext/cuda/nvml.h"

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cudaError_t result, const char *what)
{
    if (result == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
    exit(ERT_FAILED);
}

enum ert_status example_gpu_open(struct ert_error *error)
{
    int n = 0;
    const cudaError_t result = cudaGetDeviceCount(&n);
    if (result == cudaSuccess && n > 0)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE, "no GPU: %s",
                    result == cudaSuccess ? "CUDA sees none" : cudaGetErrorString(result));
}

size_t example_gpu_l2_bytes(void)
{
    int device = 0, bytes = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device), "the size of L2");
    return (size_t)bytes;
}

/* Copies through pages that are locked meanwhile: else a recording is of copies, not of kernels. */
static void copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    void *host = kind == cudaMemcpyHostToDevice ? (void *)(uintptr_t)from : to;
    const bool is_locked =
        cudaHostRegister(host, bytes, cudaHostRegisterDefault) == cudaSuccess;
    check(cudaMemcpy(to, from, bytes, kind), "a copy");
    if (is_locked)
        check(cudaHostUnregister(host), "cudaHostUnregister");
    else
        cudaGetLastError();
}

double *example_gpu_doubles(size_t n, const double *host)
{
    double *memory = NULL;
    check(cudaMalloc(&memory, n * sizeof *memory), "cudaMalloc");
    if (host)
        copy(memory, host, n * sizeof *memory, cudaMemcpyHostToDevice);
    return memory;
}

void example_gpu_free(double *memory)
{
    cudaFree(memory);
}

void example_gpu_spoil(double *memory, size_t n)
{
    check(cudaMemset(memory, 0xff, n * sizeof *memory), "cudaMemset");
}

void example_gpu_read(const double *memory, size_t n, double *host)
{
    copy(host, memory, n * sizeof *host, cudaMemcpyDeviceToHost);
}

void example_gpu_wait(void)
{
    check(cudaGetLastError(), "a kernel's launch");
    check(cudaDeviceSynchronize(), "a kernel");
}

double example_gpu_energy_j(const char **why)
{
    static struct ert_nvml *library;
    cudaDeviceProp properties;
    uint64_t energy_mj = 0;
    int device = 0;
    *why = "NVML has no energy counter of this GPU";
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    if (!library)
        library = ert_nvml_open();
    const struct ert_nvml_device found =
        ert_nvml_find(library, (const unsigned char *)properties.uuid.bytes, "");
    return ert_nvml_energy(found, &energy_mj) ? (double)energy_mj * 1e-3 : -1;
}
