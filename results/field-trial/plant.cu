// SPDX-License-Identifier: BSD-3-Clause
/*
 * plant: a real slowdown of a GPU, without rights. The CUDA driver loads this library into the program under
 * trial (CUDA_INJECTION64_PATH); it then runs a kernel beside that program's, in the same context, that takes
 * a fixed share of one resource all the time, in portions of microseconds: the trial's regions of 3 ms each
 * lose as much. It counts what it took.
 *
 *     nvcc -arch=sm_90 -O3 -shared -Xcompiler -fPIC -cudart static -o libplant.so plant.cu -lcuda
 *     CUDA_INJECTION64_PATH=./libplant.so CUDA_MODULE_LOADING=EAGER PLANT=hbm:140e9 ert verify ...
 *
 * PLANT: fp64:RATE in FLOP/s, hbm:RATE in byte/s, l2:RATE, link:RATE (reads of the host's pinned memory),
 * pulse:RATE (as hbm, but 8 times as much for an eighth of each second: a disturbance, not a slow GPU).
 * PLANT_LOG: a file with one line, written again and again: how long it runs, the rate that it takes, CUDA's
 * last error.
 */
#include <cuda.h>
#include <cuda_runtime.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    THREADS = 128,
    READERS = 256,
    STEPS = 32,
    CHAINS = 4,
    LOADS = 16,
    LINK_BLOCKS = 8, /* enough for the link, and each takes its turn often */
    SLICE_NS = 50000000,
    FP64_SLICE_NS = 200000000 /* rarely: what begins anew takes other places */
};

static __device__ unsigned long long now_ns(void)
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

/*
 * Portions of FMAs, each when clock64() says that it is due: the global timer may advance in steps of a
 * microsecond. hz: the highest clock; at a lower one less is taken, which the count shows.
 */
__global__ void take_fp64(double rate, double hz, unsigned long long *taken, double *sink)
{
    double x[CHAINS];
    const double a = 1 - 1e-9 * threadIdx.x;
    for (int i = 0; i < CHAINS; i++)
        x[i] = i + threadIdx.x;
    const double portion = 2.0 * STEPS * CHAINS * THREADS;
    const long long every = (long long)(portion / rate * hz), begin = clock64();
    const unsigned long long from_ns = now_ns();
    unsigned long long n = 0;
    while (now_ns() - from_ns < FP64_SLICE_NS) {
        while (clock64() - begin < (long long)n * every && now_ns() - from_ns < FP64_SLICE_NS)
            __nanosleep(1000);
        for (int s = 0; s < STEPS; s++)
            for (int i = 0; i < CHAINS; i++)
                x[i] = x[i] * a + 1e-9;
        n++;
    }
    if (threadIdx.x == 0)
        atomicAdd(taken, n * (unsigned long long)portion);
    if (x[0] + x[1] + x[2] + x[3] == 12345)
        *sink = x[0];
}

/* Far beyond L2: of memory; far within: of L2. */
__global__ void take_bytes(const double2 *from, size_t elements, double rate, double hz,
                           unsigned long long seed, unsigned long long *taken, double *sink)
{
    double2 sum = {0, 0};
    const double portion = (double)LOADS * READERS * sizeof(double2);
    const long long every = (long long)(portion / rate * hz), begin = clock64();
    const unsigned long long from_ns = now_ns(), step = LOADS * READERS;
    unsigned long long n = 0, at = (seed + blockIdx.x * 7919ULL) * step * 31;
    while (now_ns() - from_ns < SLICE_NS) {
        while (clock64() - begin < (long long)n * every && now_ns() - from_ns < SLICE_NS)
            __nanosleep(1000);
        at = (at + step * gridDim.x) % (elements - step) / step * step;
        for (int i = 0; i < LOADS; i++) {
            const double2 v = __ldcg(&from[at + i * READERS + threadIdx.x]);
            sum.x += v.x;
            sum.y += v.y;
        }
        n++;
    }
    if (threadIdx.x == 0)
        atomicAdd(taken, n * (unsigned long long)portion);
    if (sum.x + sum.y == 12345)
        *sink = sum.x;
}

static struct {
    char kind[16];
    double rate;
    volatile int stop;
    pthread_t thread;
} plant;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The rate so far, so that a program that is killed leaves it, too. */
static void note(unsigned long long total, double time_s)
{
    const char *log = getenv("PLANT_LOG");
    FILE *file = log ? fopen(log, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%.4f %.6g %s\n", time_s, (double)total / time_s,
            cudaGetErrorString(cudaPeekAtLastError()));
    fclose(file);
}

static void *run(void *unused)
{
    (void)unused;
    int active = 0, sms = 0, khz = 0;
    unsigned flags;
    while (!plant.stop && !active) {
        usleep(2000);
        cuDevicePrimaryCtxGetState(0, &flags, &active);
    }
    cudaStream_t stream;
    int least, most;
    unsigned long long *taken;
    double *sink;
    double2 *from = NULL;
    const bool is_l2 = strcmp(plant.kind, "l2") == 0,
               is_link = strcmp(plant.kind, "link") == 0;
    /* 8, 128 and 512 MiB */
    const size_t elements = (size_t)1 << (is_l2 ? 19 : is_link ? 23 : 25);
    cudaSetDevice(0);
    cudaDeviceGetStreamPriorityRange(&least, &most);
    if (cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, most) != cudaSuccess)
        return NULL;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    cudaMallocAsync((void **)&taken, 8, stream);
    cudaMallocAsync((void **)&sink, 8, stream);
    cudaMemsetAsync(taken, 0, 8, stream);
    const int is_fp64 = strcmp(plant.kind, "fp64") == 0;
    if (is_link) {
        cudaHostAlloc((void **)&from, elements * sizeof *from, cudaHostAllocDefault);
    } else if (!is_fp64) {
        cudaMallocAsync((void **)&from, elements * sizeof *from, stream);
        cudaMemsetAsync(from, 0, elements * sizeof *from, stream);
    }
    cudaEvent_t done[2];
    cudaEventCreateWithFlags(&done[0], cudaEventDisableTiming);
    cudaEventCreateWithFlags(&done[1], cudaEventDisableTiming);
    const double hz = 1e3 * khz;
    unsigned long long *total = NULL;
    cudaHostAlloc((void **)&total, sizeof *total, cudaHostAllocDefault);
    *total = 0;
    const int blocks = is_link ? LINK_BLOCKS : sms;
    double begin_s = seconds();
    for (unsigned long long n = 0; !plant.stop; n++) {
        double rate = plant.rate / blocks;
        if (strcmp(plant.kind, "pulse") == 0)
            rate *= fmod(seconds(), 1) < 0.125 ? 8 : 1e-6;
        if (n >= 2)
            cudaEventSynchronize(done[n % 2]);
        if (is_fp64)
            take_fp64<<<blocks, THREADS, 0, stream>>>(rate, hz, taken, sink);
        else
            take_bytes<<<blocks, READERS, 0, stream>>>(from, elements, rate, hz, n, taken,
                                                       sink);
        cudaMemcpyAsync(total, taken, sizeof *total, cudaMemcpyDeviceToHost, stream);
        cudaEventRecord(done[n % 2], stream);
        if (n == 1)
            begin_s = seconds();
        if (n > 1)
            note(*(volatile unsigned long long *)total, seconds() - begin_s);
    }
    return NULL;
}

static void end(void)
{
    plant.stop = 1;
    pthread_join(plant.thread, NULL);
}

extern "C" int InitializeInjection(void)
{
    const char *what = getenv("PLANT");
    if (!what || sscanf(what, "%15[^:]:%lf", plant.kind, &plant.rate) != 2 ||
        !(plant.rate > 0))
        return 1;
    pthread_create(&plant.thread, NULL, run, NULL);
    atexit(end);
    return 1;
}
