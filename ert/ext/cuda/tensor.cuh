/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tensor: the tensor-core kernels: which rows a GPU can run, and how such a row is prepared and checked.
 * ert/ext/cuda/tiles.h gives their operands and results.
 */
#ifndef ERT_BACKEND_CUDA_TENSOR_CUH
#define ERT_BACKEND_CUDA_TENSOR_CUH

#include "ert/ext/cuda/rows.cuh"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a row multiplies; its kernel is built with the same constants. tile_threads threads share a tile of
 * m x n accumulators. One sweep adds A*B, k products per accumulator; a pass is `sweeps` (odd) sweeps, with A
 * and -A in turn. Such a row's chains are instructions per sweep, its steps sweeps.
 */
struct ert_cuda_shape {
    uint32_t cc_least; /* 10 * major + minor: the least capability with the instruction */
    bool
        is_cc_only; /* no later one has it, and only code for sm_90a, sm_100a ... can use it */
    uint32_t tile_threads, m, n, k, sweeps;
    uint32_t row_bytes;         /* from one row of A or column of B to the next */
    uint32_t accumulator_bytes; /* of one element */
    uint32_t shared_bytes;      /* of a block */
    uint32_t cc_unit =
        0; /* the last capability with a unit for it; 0: all later ones have it */
    uint32_t cc_also = 0; /* if is_cc_only: another one that has it; 0: none */
};

/* The largest m, n and bytes of k of any shape. */
enum { ERT_CUDA_TILE_M = 128, ERT_CUDA_TILE_N = 256, ERT_CUDA_TILE_ROW_BYTES = 128 };

/* A, -A and B as the kernels read them, and the products A*B for the check. */
struct ert_cuda_tiles {
    uint8_t a[2 * ERT_CUDA_TILE_M * ERT_CUDA_TILE_ROW_BYTES];
    uint8_t b[ERT_CUDA_TILE_N * ERT_CUDA_TILE_ROW_BYTES];
    int64_t products[ERT_CUDA_TILE_M * ERT_CUDA_TILE_N];
};

/* The kind of their rows, whose `extra` is a shape. */
const struct ert_cuda_kind *ert_cuda_tensor_kind(void);

#endif
