/*
 * Kernels with the faults that ert validate must see; their machine code is recorded here.
 * nvcc -arch=sm_90 -O3 -cubin broken.cu && cuobjdump -sass broken.cubin
 */

/* What a compiler makes of eight chains that start from one value: one, stored eight times. */
__global__ void merged(double *out, double a, double b, unsigned passes)
{
    double x = out[threadIdx.x];
#pragma unroll 1
    for (unsigned p = 0; p < passes; p++)
#pragma unroll
        for (int s = 0; s < 32; s++)
            x = fma(a, x, b);
    for (int i = 0; i < 8; i++)
        out[threadIdx.x + 1024 * i] = x;
}

/* Addresses that do not change: the loads are taken out of the loop. */
__global__ void hoisted(const uint4 *__restrict__ in, unsigned *out, unsigned passes)
{
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned p = 0; p < passes; p++)
#pragma unroll
        for (int i = 0; i < 8; i++) {
            uint4 v = in[threadIdx.x + 512 * i];
            sum = (sum << 1) ^ v.x ^ v.y ^ v.z ^ v.w;
        }
    out[threadIdx.x] = sum;
}

/* Two loads of 8 bytes instead of one of 16. */
__global__ void narrow(const double *in, double *out, double a)
{
    size_t i = blockIdx.x * 256ull + threadIdx.x;
    out[i] = __ldcg(in + i) + a * __ldcg(in + i + 65536);
}

__device__ __forceinline__ unsigned long long load(unsigned long long at)
{
    unsigned long long value;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}

/* Walks of pointers: with a load beside, two at a time, and with an addition between two loads. */
__global__ void beside(unsigned long long *out, unsigned long long other, unsigned turns)
{
    unsigned long long at = *out, sum = 0;
#pragma unroll 1
    for (unsigned t = 0; t < turns; t++)
#pragma unroll
        for (int i = 0; i < 32; i++) {
            at = load(at);
            sum += i == 16 ? load(other + 8 * t) : 0;
        }
    *out = at + sum;
}

__global__ void two_walks(unsigned long long *out, unsigned turns)
{
    unsigned long long a = out[0], b = out[1];
#pragma unroll 1
    for (unsigned t = 0; t < turns; t++)
#pragma unroll
        for (int i = 0; i < 32; i++) {
            a = load(a);
            b = load(b);
        }
    *out = a + b;
}

__global__ void added(unsigned long long *out, unsigned turns)
{
    unsigned long long at = *out;
#pragma unroll 1
    for (unsigned t = 0; t < turns; t++)
#pragma unroll
        for (int i = 0; i < 32; i++)
            at = i == 5 ? load(at) + turns : load(at);
    *out = at;
}
