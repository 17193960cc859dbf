/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * accumulators: start values and results of accumulators, for all tensor-core kernels. Device code only.
 *
 * Layout of accumulators (PTX ISA, "Matrix fragments" of mma and wgmma): a warp's piece of 8 or 16 rows is
 * divided into blocks of 8 columns. Of each block, lane l holds columns 2*(l%4) and 2*(l%4) + 1 of row l/4
 * and then, if the piece has 16 rows, of row l/4 + 8. So element q of a lane is at row l/4 + 8*(q/2 %
 * HALVES), column 8*(q/(2*HALVES)) + 2*(l%4) + q%2. Elements q and q + 1 of all layouts are neighbours.
 */
#ifndef ERT_BACKEND_CUDA_ACCUMULATORS_CUH
#define ERT_BACKEND_CUDA_ACCUMULATORS_CUH

#include "ert/ext/cuda/kernel.cuh"
#include "ert/ext/cuda/tiles.h"

#include <cuda_fp16.h>

/* A register of an accumulator holds one element, or two of FP16. */
template <class T>
static __device__ __forceinline__ void set_pair(T *x, int first, int second)
{
    x[0] = (T)first;
    x[1] = (T)second;
}
static __device__ __forceinline__ void set_pair(unsigned int *x, int first, int second)
{
    __half2 pair = __floats2half2_rn((float)first, (float)second);
    memcpy(x, &pair, sizeof pair);
}

/* Elements of a register: 2 for packed FP16. */
template <class T> static constexpr int elements_of = 1;
template <> constexpr int elements_of<unsigned int> = 2;

struct place {
    int m, n;
};

template <int HALVES> struct by_rows {
    static __device__ __forceinline__ place of(int lane, int q)
    {
        return {lane / 4 + 8 * (q / 2 % HALVES), 8 * (q / (2 * HALVES)) + 2 * (lane % 4)};
    }
};

/*
 * Sets the registers x[N] of a lane to their start values, for a piece that begins at `row`, `column` of a
 * tile of `columns` columns. Element e of the whole device starts as ert_tiles_start(e).
 */
template <class Layout, int N, class T>
static __device__ __forceinline__ void set_starts(T (&x)[N], unsigned int tile_first,
                                                  int row, int column, int columns,
                                                  unsigned int n_starts)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int q = 0; q < N * elements_of<T>; q += 2) {
        const place at = Layout::of(lane, q);
        unsigned int e = tile_first + (row + at.m) * columns + column + at.n;
        set_pair(&x[q / elements_of<T>], ert_tiles_start(e, n_starts),
                 ert_tiles_start(e + 1, n_starts));
    }
}

/* Writes the registers to results[] at the element numbers that set_starts() uses. */
template <class Layout, int N, class T>
static __device__ __forceinline__ void store_results(const T (&x)[N], void *results,
                                                     unsigned int tile_first, int row,
                                                     int column, int columns)
{
    const int lane = threadIdx.x % 32;
    constexpr int e_of = elements_of<T>;
#pragma unroll
    for (int q = 0; q < N * e_of; q += 2) {
        const place at = Layout::of(lane, q);
        T *to = (T *)results + (tile_first + (row + at.m) * columns + column + at.n) / e_of;
#pragma unroll
        for (int i = 0; i < 2 / e_of; i++)
            to[i] = x[q / e_of + i];
    }
}

#endif
