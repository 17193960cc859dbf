/*
 * The kernels of mma.sync: the tensor cores as every architecture since 7.5 has them. One pass is S
 * sweeps over the I x J accumulators of each warp, 2*m*n*k flop per instruction, no memory between
 * the first and the last value. Bound: the tensor cores. On cc 9.0 mma.sync reaches some two
 * thirds of them (FP64: all); only wgmma feeds them fully. The older shapes m8n8k4 (FP64), m16n8k8
 * (FP16) and m8n8k16 (INT8) run at half rate and less where later ones exist.
 *
 * FP8: cc 8.9 has the instruction. On 9.0 ptxas makes of each a conversion to FP16, two HMMA and
 * four FADD, so the row shows what a program of mma.sync gets there, not what the unit can. And it
 * knows then that equal operands have equal products: of several sweeps in one body it kept the
 * products of the first and only added. Hence one sweep per pass.
 */
#include "ert/backend/cuda/mma.cuh"

/* X(kernel, instruction, name, blocks per SM, threads, I, J, S); ascending in cc, then in size. */
// clang-format off
#define ROWS(X) \
    X(fp64, fp64_m8n8k4,    "m8n8k4, 4x256, 2x4 tiles",   4, 256, 2, 4, 15) \
    X(fp64, fp64_m16n8k8,   "m16n8k8, 1x256, 2x4 tiles",  1, 256, 2, 4, 15) \
    X(fp64, fp64_m16n8k16,  "m16n8k16, 2x256, 1x4 tiles", 2, 256, 1, 4, 15) \
    X(tf32, tf32_m16n8k8,   "m16n8k8, 1x256, 2x4 tiles",  1, 256, 2, 4, 15) \
    X(tf32, tf32_m16n8k8,   "m16n8k8, 2x256, 4x4 tiles",  2, 256, 4, 4, 15) \
    X(bf16, bf16_m16n8k16,  "m16n8k16, 1x256, 2x4 tiles", 1, 256, 2, 4, 15) \
    X(bf16, bf16_m16n8k16,  "m16n8k16, 1x256, 4x8 tiles", 1, 256, 4, 8, 15) \
    X(bf16, bf16_m16n8k16,  "m16n8k16, 2x256, 4x4 tiles", 2, 256, 4, 4, 15) \
    X(fp16, fp16_m16n8k8,   "m16n8k8, 2x256, 2x4 tiles",  2, 256, 2, 4, 15) \
    X(fp16, fp16_m16n8k16,  "m16n8k16, 1x256, 4x8 tiles", 1, 256, 4, 8, 15) \
    X(fp16, fp16_m16n8k16,  "m16n8k16, 2x256, 4x4 tiles", 2, 256, 4, 4, 15) \
    X(fp16_acc16, fp16_acc16_m16n8k8,  "m16n8k8, 2x256, 2x4 tiles",  2, 256, 2, 4, 15) \
    X(fp16_acc16, fp16_acc16_m16n8k16, "m16n8k16, 1x256, 4x8 tiles", 1, 256, 4, 8, 15) \
    X(fp16_acc16, fp16_acc16_m16n8k16, "m16n8k16, 2x256, 4x4 tiles", 2, 256, 4, 4, 15) \
    X(fp8,  fp8_m16n8k32,   "m16n8k32, 1x256, 4x4 tiles", 1, 256, 4, 4, 1) \
    X(fp8,  fp8_m16n8k32,   "m16n8k32, 2x256, 2x4 tiles", 2, 256, 2, 4, 1) \
    X(int8, int8_m8n8k16,   "m8n8k16, 2x256, 2x4 tiles",  2, 256, 2, 4, 15) \
    X(int8, int8_m16n8k32,  "m16n8k32, 1x256, 4x4 tiles", 1, 256, 4, 4, 15) \
    X(int8, int8_m16n8k32,  "m16n8k32, 2x256, 2x4 tiles", 2, 256, 2, 4, 15)
// clang-format on

#define ROW(kernel, op, name, blocks, threads, i, j, s)                                    \
    {ERT_KERNEL_mma_##kernel,                                                              \
     ERT_PATH_NONE,                                                                        \
     0,                                                                                    \
     name,                                                                                 \
     ERT_CUDA_TENSOR,                                                                      \
     threads,                                                                              \
     blocks,                                                                               \
     0,                                                                                    \
     (i) * (j),                                                                            \
     s,                                                                                    \
     (const void *)mma_kernel<op, i, j, s, threads>},
#define SHAPE(kernel, op, name, blocks, threads, i, j, s) mma_shape<op, i, j, s>(),

static const struct ert_cuda_row rows[] = {ROWS(ROW)};
static const struct ert_cuda_shape shapes[] = {ROWS(SHAPE)};

const struct ert_cuda_rows ert_cuda_mma_rows = {rows, sizeof rows / sizeof rows[0]};
const struct ert_cuda_tensor_rows ert_cuda_mma = {&ert_cuda_mma_rows, shapes};
