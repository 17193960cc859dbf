/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel: code that the CUDA versions (paper.cu, poles.cu) share: arguments, complex arithmetic, the sum over
 * a block, and the row that describes a version to the engine. Built twice: with FMA, and with -fmad=false.
 */
#ifndef GPP_CUDA_KERNEL_CUH
#define GPP_CUDA_KERNEL_CUH

#include "gpp/problem.h"

#include <cuda_runtime.h>

/* Partial sums: blocks add to slot (block % SLOTS), so that few blocks share one; [SLOTS][4][GPP_MAX_NW]. */
enum { GPP_CUDA_SLOTS = 1024, GPP_CUDA_SUMS = 4 * GPP_MAX_NW };

/* Consecutive bands of one occupation, in sorted order. has_negative: some have w < 0 (BY_SIGN). */
struct gpp_cuda_segment {
    double occ;
    int first, end;
    int has_negative;
};

/* The order of bands of a version: as given, by falling occupation, and then by has_negative. */
enum gpp_cuda_order { GPP_CUDA_AS_GIVEN, GPP_CUDA_BY_OCCUPATION, GPP_CUDA_BY_SIGN };

/* All on the device. Complex arrays as double2. */
struct gpp_cuda_arguments {
    int nbands, ngpown, ncouls, nw;
    int iw; /* versions that launch once per energy */
    const double2 *wtilde, *eps, *aqsn, *aqsm;
    const double *wx, *vcoul, *occ;
    const struct gpp_cuda_segment *segments;
    int n_segments;
    double *slots;
};

/* The layout and launch shape of a version. */
struct gpp_cuda_row {
    const char *name;
    const void *kernels[GPP_MAX_NW]; /* by nw - 1 */
    unsigned int block_x, block_y;   /* threads in ig, in igp */
    unsigned int igs, igps, bands;   /* of one block; bands 0: all */
    int each_energy;                 /* one launch per iw */
    int transposed;                  /* aqsm [igp][n] and wx [iw][n] */
    enum gpp_cuda_order sorted;      /* if not AS_GIVEN: aqsm [igp][n], wx [n][iw] */
    int igp_first;                   /* neighbouring blocks have the same ig */
};

#define GPP_CUDA_PASTE(name, c) gpp_cuda_##name##_##c
#define GPP_CUDA_NAME(name, c)  GPP_CUDA_PASTE(name, c)

#define GPP_CUDA_KERNELS(kernel)                                                           \
    (const void *)kernel<1>, (const void *)kernel<2>, (const void *)kernel<3>,             \
        (const void *)kernel<4>, (const void *)kernel<5>, (const void *)kernel<6>

/* The row of a version in this build (GPP_CONTRACTION: fma or nofma). */
#define GPP_CUDA_ROW(name_, kernel, ...)                                                   \
    extern const struct gpp_cuda_row GPP_CUDA_NAME(name_, GPP_CONTRACTION);                \
    const struct gpp_cuda_row GPP_CUDA_NAME(name_, GPP_CONTRACTION) = {                    \
        #name_, GPP_CUDA_KERNELS(kernel), __VA_ARGS__}

#define GPP_DEVICE static __device__ __forceinline__

GPP_DEVICE double2 operator+(double2 a, double2 b)
{
    return make_double2(a.x + b.x, a.y + b.y);
}

GPP_DEVICE double2 operator-(double2 a, double2 b)
{
    return make_double2(a.x - b.x, a.y - b.y);
}

GPP_DEVICE double2 operator*(double2 a, double2 b)
{
    return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

GPP_DEVICE double2 operator*(double a, double2 b)
{
    return make_double2(a * b.x, a * b.y);
}

GPP_DEVICE double2 gpp_conj(double2 a)
{
    return make_double2(a.x, -a.y);
}

GPP_DEVICE double gpp_norm(double2 a)
{
    return a.x * a.x + a.y * a.y;
}

/*
 * Adds every thread's sums[4][NW] (asx real, imaginary, ach real, imaginary) to the block's slot. Over a
 * warp, two exchanges each halve the sums that a lane holds (16 lanes apart, then 8: 3 NW additions); 3 NW
 * more additions follow, instead of 20 NW. All threads of the block must call it.
 */
template <int NW>
GPP_DEVICE void gpp_add_block(const gpp_cuda_arguments &p, int first_iw, double sums[4][NW])
{
    __shared__ double of_warps[32][4 * NW];
    const int thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % 32;
    const int n_warps = (blockDim.x * blockDim.y + 31) / 32;
    double two[2][NW], one[NW];
#pragma unroll
    for (int i = 0; i < 2 * NW; i++) {
        double low = sums[i / NW][i % NW], high = sums[2 + i / NW][i % NW];
        double give = lane & 16 ? low : high, keep = lane & 16 ? high : low;
        two[i / NW][i % NW] = keep + __shfl_xor_sync(0xffffffffu, give, 16);
    }
#pragma unroll
    for (int i = 0; i < NW; i++) {
        double give = lane & 8 ? two[0][i] : two[1][i],
               keep = lane & 8 ? two[1][i] : two[0][i];
        one[i] = keep + __shfl_xor_sync(0xffffffffu, give, 8);
        one[i] += __shfl_xor_sync(0xffffffffu, one[i], 4);
        one[i] += __shfl_xor_sync(0xffffffffu, one[i], 2);
        one[i] += __shfl_xor_sync(0xffffffffu, one[i], 1);
        if (lane % 8 == 0)
            of_warps[thread / 32][lane / 8 * NW + i] = one[i];
    }
    __syncthreads();
    if (thread < 4 * NW) {
        double sum = 0;
        for (int warp = 0; warp < n_warps; warp++)
            sum += of_warps[warp][thread];
        unsigned int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        double *slot = p.slots + block % GPP_CUDA_SLOTS * GPP_CUDA_SUMS;
        atomicAdd(&slot[thread / NW * GPP_MAX_NW + first_iw + thread % NW], sum);
    }
}

#endif
