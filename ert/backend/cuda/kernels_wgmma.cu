/*
 * The kernels of wgmma, compiled for sm_90a alone: the only way to the full rate of cc 9.0's tensor
 * cores. Persistent blocks, one per SM, of two warpgroups with a 64 x 256 tile of accumulators each;
 * one pass is S sweeps over the slices of k, 2*64*256*k flop per instruction. An instruction reads
 * 8 KiB of B and 2 KiB of A in the 128 clocks that it takes, 80 of the 128 bytes per clock of shared
 * memory; A in registers leaves 64. Bound: the tensor cores' rate per clock (99 % of it, measured on
 * an H200), and then the power limit, which decides the clock.
 */
#include "ert/backend/cuda/wgmma.cuh"

/* X(kernel, instruction, name, warpgroups, kernel template, S) */
// clang-format off
#define TWO(X, kernel) \
    X(kernel, "m64n256, 2 warpgroups",                 2, wgmma_kernel, 7) \
    X(kernel, "m64n256, 2 warpgroups, A in registers", 2, wgmma_registers_kernel, 7)
#define ROWS(X) \
    TWO(X, tf32) TWO(X, bf16) TWO(X, fp16) TWO(X, fp16_acc16) TWO(X, fp8) TWO(X, int8)
// clang-format on

#define ROW(kernel, name, groups, function, s)                                             \
    {ERT_KERNEL_wgmma_##kernel,                                                            \
     ERT_PATH_NONE,                                                                        \
     0,                                                                                    \
     name,                                                                                 \
     ERT_CUDA_TENSOR,                                                                      \
     (groups)*128,                                                                         \
     1,                                                                                    \
     0,                                                                                    \
     groups,                                                                               \
     s,                                                                                    \
     (const void *)function<wg_##kernel, s, 1>},
#define SHAPE(kernel, name, groups, function, s) wgmma_shape<wg_##kernel, s>(),

static const struct ert_cuda_row rows[] = {ROWS(ROW)};
static const struct ert_cuda_shape shapes[] = {ROWS(SHAPE)};

const struct ert_cuda_rows ert_cuda_wgmma_rows = {rows, sizeof rows / sizeof rows[0]};
const struct ert_cuda_tensor_rows ert_cuda_wgmma = {&ert_cuda_wgmma_rows, shapes};
