/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flip: flips a bit in the data of a program that runs on a GPU, each time that the file $FLIP appears, which
 * it then removes. The CUDA driver loads this library into the program (CUDA_INJECTION64_PATH). The data are
 * the program's two largest allocations of one size; $FLIP holds which, 0 or 1, and how far from its start.
 *
 *     cc -O2 -shared -fPIC -I/usr/local/cuda/include -o libflip.so flip.c -lcuda -lpthread
 *
 * (nvcc would want CUDA's runtime of it, and the driver says nothing of a library that it cannot load.)
 */
#include <cuda.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The regions have 34 MiB or more. */
enum { STEP = 16 << 20, REACH = 1 << 13, MOST = 256 };

struct area {
    CUdeviceptr begin;
    size_t size;
};

/* The allocations within 128 GiB of a new one. */
static int find_areas(CUdeviceptr near, struct area areas[MOST])
{
    int n = 0;
    for (long long i = -REACH; i < REACH && n < MOST; i++) {
        struct area area;
        if (cuMemGetAddressRange(&area.begin, &area.size, near + i * STEP) ==
                CUDA_SUCCESS &&
            (n == 0 || areas[n - 1].begin != area.begin))
            areas[n++] = area;
    }
    return n;
}

/* Where the two largest allocations of one size begin; returns whether it is so. */
static int find_data(CUdeviceptr near, CUdeviceptr begins[2])
{
    struct area areas[MOST];
    size_t most = 0;
    const int n = find_areas(near, areas);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (areas[i].size == areas[j].size && areas[i].size > most) {
                most = areas[i].size;
                begins[0] = areas[i].begin;
                begins[1] = areas[j].begin;
            }
    for (int i = 0; i < n && most < STEP; i++)
        fprintf(stderr, "flip: %zu bytes at %llx\n", areas[i].size, areas[i].begin);
    return most >= STEP;
}

static void flip(unsigned which, unsigned long long bit)
{
    CUdeviceptr probe, begins[2];
    unsigned char byte;
    CUstream stream;
    if (cuMemAlloc(&probe, STEP) != CUDA_SUCCESS)
        return;
    if (find_data(probe, begins) &&
        cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS) {
        const CUdeviceptr at = begins[which] + bit / 8;
        cuMemcpyDtoHAsync(&byte, at, 1, stream);
        cuStreamSynchronize(stream);
        byte ^= 1 << bit % 8;
        cuMemcpyHtoDAsync(at, &byte, 1, stream);
        cuStreamSynchronize(stream);
        cuStreamDestroy(stream);
        fprintf(stderr, "flip: bit %llu of region %u at %llx\n", bit, which, begins[which]);
    } else {
        fprintf(stderr, "flip: no two allocations of one size\n");
    }
    cuMemFree(probe);
}

static void *run(void *name)
{
    CUcontext context = NULL;
    unsigned flags;
    for (int active = 0; !active; usleep(2000))
        cuDevicePrimaryCtxGetState(0, &flags, &active);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    for (;; usleep(5000)) {
        unsigned which;
        unsigned long long bit;
        FILE *file = fopen((const char *)name, "r");
        const int n = file ? fscanf(file, "%u %llu", &which, &bit) : 0;
        if (file)
            fclose(file);
        if (n != 2 || which > 1)
            continue;
        flip(which, bit);
        unlink((const char *)name);
    }
    return NULL;
}

int InitializeInjection(void)
{
    pthread_t thread;
    if (getenv("FLIP"))
        pthread_create(&thread, NULL, run, getenv("FLIP"));
    return 1;
}
