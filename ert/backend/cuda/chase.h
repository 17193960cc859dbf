/*
 * chase: what the latency kernels (kernels_chase.cu) and the code that lays out their chains and
 * checks where they end (chase.cu) share. C++ only.
 */
#ifndef ERT_BACKEND_CUDA_CHASE_H
#define ERT_BACKEND_CUDA_CHASE_H

#include "ert/backend/cuda/rows.h"

/* A step's line: that of L1 and L2; DRAM is fetched in halves of it, so no step helps the next. */
enum { ERT_CUDA_LINE_BYTES = 128 };

/* Turns of the kernels' loop in a pass; the row has the loads. */
enum { ERT_CUDA_CHASE_TURNS = 8 };

/* The rows of ert_cuda_chase_rows. */
enum ert_cuda_chase_row {
    ERT_CUDA_CHASE_L1,
    ERT_CUDA_CHASE_SHARED,
    ERT_CUDA_CHASE_PAST_L1,
    ERT_CUDA_CHASE_WINDOWS,
    ERT_CUDA_CHASE_NEAR,
    ERT_CUDA_CHASE_FAR
};

/* Where a walk stands, an address; and on which SM it was and, of halves of L2, should have been. */
struct ert_cuda_place {
    uint64_t at, sm, wanted_sm;
};

#endif
