// SPDX-License-Identifier: BSD-3-Clause
/*
 * probe: what a planted slowdown (plant.cu) costs, by another program than the one under trial: FP64 FMAs in
 * two blocks of 256 threads on each SM, reads of 3 GiB and of 16 MiB, which L2 holds, and copies of 128 MiB
 * from page-locked memory, in regions of about 3 ms for half a second each. Prints the median rates in FLOP/s
 * and byte/s.
 *
 *     nvcc -arch=sm_90 -O3 -o probe probe.cu
 */
#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <vector>

__global__ void __launch_bounds__(256) fma(int rounds, double a, double b, double *sink)
{
    double x[8];
    for (int i = 0; i < 8; i++)
        x[i] = i + threadIdx.x;
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < 8; i++)
            x[i] = x[i] * a + b;
    double sum = 0;
    for (int i = 0; i < 8; i++)
        sum += x[i];
    if (sum == 12345)
        *sink = sum;
}

__global__ void read(const double2 *from, size_t n, double *sink)
{
    const size_t first = (size_t)blockIdx.x * blockDim.x * 16 + threadIdx.x;
    double sum = 0;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        const size_t at = first + (size_t)i * blockDim.x;
        if (at < n) {
            const double2 v = __ldcg(&from[at]);
            sum += v.x + v.y;
        }
    }
    if (sum == 12345)
        *sink = sum;
}

/* What L2 holds; each block begins elsewhere, and is short: one that waits for a plant's delays no region. */
__global__ void __launch_bounds__(256)
    again(const double2 *from, unsigned n, int rounds, double *sink)
{
    unsigned at = blockIdx.x * 12345 % (n / 256) * 256 + threadIdx.x;
    double sum = 0;
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const double2 v = __ldcg(&from[(at + i * 256) & (n - 1)]);
            sum += v.x + v.y;
        }
        at += 8 * 256;
    }
    if (sum == 12345)
        *sink = sum;
}

template <class Launch> static double median(Launch launch, double work)
{
    std::vector<double> rates;
    cudaEvent_t begin, end;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int i = 0; i < 170; i++) {
        float ms = 0;
        cudaEventRecord(begin, stream);
        const int n = launch(stream);
        cudaEventRecord(end, stream);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        if (i >= 20)
            rates.push_back(n * work / (1e-3 * ms));
    }
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2];
}

int main()
{
    int sms = 0;
    double *sink;
    double2 *from;
    const size_t n = (size_t)3 << 26;
    const int rounds = 49152;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaMalloc((void **)&sink, 8);
    cudaMalloc((void **)&from, n * sizeof *from);
    cudaMemset(from, 0, n * sizeof *from);
    cudaDeviceSynchronize();
    usleep(300000); /* the plant has begun */
    const double fp64 = median(
        [&](cudaStream_t s) {
            fma<<<2 * sms, 256, 0, s>>>(rounds, 0.999, 1e-3, sink);
            return 1;
        },
        2.0 * 8 * rounds * 512 * sms);
    const double hbm = median(
        [&](cudaStream_t s) {
            for (int i = 0; i < 4; i++)
                read<<<(unsigned)((n + 128 * 16 - 1) / (128 * 16)), 128, 0, s>>>(from, n,
                                                                                 sink);
            return 4;
        },
        (double)n * sizeof *from);
    const int reads = 12;
    const unsigned few = 1 << 20;
    const size_t copy = (size_t)128 << 20;
    const double l2 = median(
        [&](cudaStream_t s) {
            again<<<512 * sms, 256, 0, s>>>(from, few, reads, sink);
            return 1;
        },
        8.0 * reads * 512 * sms * 256 * sizeof *from);
    void *host;
    cudaHostAlloc(&host, copy, cudaHostAllocDefault);
    const double link = median(
        [&](cudaStream_t s) {
            cudaMemcpyAsync(from, host, copy, cudaMemcpyHostToDevice, s);
            return 1;
        },
        (double)copy);
    printf("%.6g %.6g %.6g %.6g %s\n", fp64, hbm, l2, link,
           cudaGetErrorString(cudaGetLastError()));
    return 0;
}
