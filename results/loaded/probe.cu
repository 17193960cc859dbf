// SPDX-License-Identifier: BSD-3-Clause
/*
 * probe: what a GPU's L2 gives when all but one SM read and write slices of 20 MB, each at its own pace, for
 * 30 ms: the sum of what they moved over the time by CUDA's events. Prints byte/s three times.
 *
 *     nvcc -arch=sm_90 -O3 -o probe probe.cu
 */
#include <cstdint>
#include <cstdio>

enum { WARP = 32, TOGETHER = 4, TURN = 64, SET = 20132608 };

__global__ void __launch_bounds__(1024)
    work(uint4 *data, volatile uint64_t *words, uint64_t ns)
{
    const unsigned warps = blockDim.x / WARP, warp = threadIdx.x / WARP,
                   step = TOGETHER * WARP;
    const unsigned slice = SET / sizeof *data / (gridDim.x - 1) / step * step;
    uint64_t begin, now, moved = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin)::"memory");
    if (blockIdx.x == 0 && threadIdx.x > 0)
        return;
    if (blockIdx.x == 0) {
        do
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
        while (now < begin + ns);
        words[0] = 1;
        return;
    }
    unsigned at = warp * step;
    for (uint4 *from = data + (blockIdx.x - 1) * slice + threadIdx.x % WARP; !words[0];
         moved += TURN)
#pragma unroll 1
        for (int i = 0; i < TURN; i += TOGETHER) {
            uint4 v[TOGETHER];
            for (int j = 0; j < TOGETHER; j++)
                v[j] = __ldcg(from + at + j * WARP);
            for (int j = 0; j < TOGETHER; j++)
                from[at + j * WARP] = v[j];
            for (at += warps * step; at >= slice;)
                at -= slice;
        }
    if (threadIdx.x % WARP == 0)
        atomicAdd((unsigned long long *)&words[1], moved);
}

int main()
{
    uint4 *data;
    uint64_t *words, moved;
    int sms;
    cudaEvent_t begin, end;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaMalloc(&data, SET);
    cudaMalloc(&words, 2 * sizeof *words);
    cudaMemset(data, 1, SET);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int i = 0; i < 3; i++) {
        float ms;
        cudaMemset(words, 0, 2 * sizeof *words);
        cudaEventRecord(begin);
        work<<<sms, 512>>>(data, words, 30000000);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        cudaMemcpy(&moved, words + 1, sizeof moved, cudaMemcpyDeviceToHost);
        printf("%.4g %s\n", 2 * 16. * WARP * (double)moved / (1e-3 * ms),
               cudaGetErrorString(cudaGetLastError()));
    }
}
