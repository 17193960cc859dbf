/*
 * ert110: what LBNL's ERT 1.1.0 runs on GPUs (ert110.h): in place, by ordinary accesses; the
 * thread t of all takes the elements t, t + all threads ..., and a launch does all its passes, each
 * thread going on by itself. 2 accesses of one element and F flops, in one dependent chain: occupancy
 * alone hides its latency. One instance per F, type and set of sources in this one binary. Bound: as
 * stores of an L1 go through to L2, by L2 or device memory for small F; the units for large F where
 * the grid is large enough. ERT calls the fastest plateau L1, which on GPUs is L2.
 *
 * The compiler gets plain loops as ERT's has, with its types of index (64 bits in its C sources, 32
 * in those in C++), and makes the same of them: one load, F/2 operations and one store per element.
 */
#include "ert/backend/cuda/device.cuh"

#include <cuda_fp16.h>

struct fp64 {
    typedef double value;
    enum { FLOPS_PER_STEP = 2 };
};
struct fp32 {
    typedef float value;
    enum { FLOPS_PER_STEP = 2 };
};
struct fp16 {
    typedef half2 value;
    enum { FLOPS_PER_STEP = 4 };
};

template <class V> static __device__ __forceinline__ V make(float x)
{
    return (V)x;
}
template <> __device__ __forceinline__ half2 make<half2>(float x)
{
    return __float2half2_rn(x);
}
/* Left to the compiler to fuse, as in ERT: it then negates by an operation of its own, as there. */
static __device__ __forceinline__ double step(double a, double b, double c)
{
    return a * b + c;
}
static __device__ __forceinline__ float step(float a, float b, float c)
{
    return a * b + c;
}
static __device__ __forceinline__ half2 step(half2 a, half2 b, half2 c)
{
    return __hfma2(a, b, c);
}

/* F flops: where they are fewer than those of a step, one addition. */
template <class Type, int F>
static __device__ __forceinline__ typename Type::value
chain(typename Type::value first, typename Type::value w, typename Type::value addend)
{
    if constexpr (F < Type::FLOPS_PER_STEP) {
        return w + addend;
    } else {
        typename Type::value x = first;
#pragma unroll
        for (int i = 0; i < F / Type::FLOPS_PER_STEP; i++)
            x = step(x, w, addend);
        return x;
    }
}

/* The C++ sources. */
template <class Type, int F>
static __global__ void ert110(struct ert_cuda_arguments arguments)
{
    typedef typename Type::value V;
    V *w = (V *)arguments.w;
    const uint32_t n = (uint32_t)arguments.slice_vectors;
    const uint32_t all = gridDim.x * blockDim.x;
    const uint32_t first = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t end = first + (n + (all - 1)) / all * all;
    if (end > n)
        end = n;
    const V one = make<V>(1), two = make<V>(2);
    for (uint32_t pass = 0; pass < arguments.passes; pass++)
        for (uint32_t i = first; i < end; i += all)
            w[i] = -chain<Type, F>(one, w[i], two);
}

/* The C sources. */
template <int F> static __global__ void ert110_c(struct ert_cuda_arguments arguments)
{
    double *w = arguments.w;
    const uint64_t n = arguments.slice_vectors;
    const uint64_t all = gridDim.x * blockDim.x;
    const uint64_t first = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t end = first + (n + (all - 1)) / all * all;
    if (end > n)
        end = n;
    double addend = arguments.b;
    for (uint64_t pass = 0; pass < arguments.passes; pass++) {
        for (uint64_t i = first; i < end; i += all)
            w[i] = chain<fp64, F>(arguments.a, w[i], addend);
        addend *= 1 - 1e-8;
    }
}

/* Threads: of a variant as listed; the case brings the real shape. */
#define ROW(kernel, F, ...)                                                                \
    {                                                                                      \
        ERT_KERNEL_##kernel, ERT_PATH_CACHED, F, "ERT's", ERT_CUDA_ERT110, 256, 0, 1, 0,   \
            0, (const void *)__VA_ARGS__                                                   \
    }
#define ROW_FP64(F) ROW(ert_fp64, F, ert110<fp64, F>),
#define ROW_FP32(F) ROW(ert_fp32, F, ert110<fp32, F>),
#define ROW_FP16(F) ROW(ert_fp16, F, ert110<fp16, F>),
#define ROW_C(F)    ROW(ert_c_fp64, F, ert110_c<F>),

/* ERT's FP16 kernel does nothing for 1 flop: no row. */
static const struct ert_cuda_row rows[] = {
    ERT_MIXED_FLOPS(ROW_FP64) ERT_MIXED_FLOPS(ROW_FP32) ERT_MIXED_FLOPS(ROW_C) ROW_FP16(2)
        ROW_FP16(4) ROW_FP16(8) ROW_FP16(16) ROW_FP16(32) ROW_FP16(64) ROW_FP16(128)
            ROW_FP16(256) ROW_FP16(512) ROW_FP16(1024)};

const struct ert_cuda_rows ert_cuda_ert110_rows = {rows, sizeof rows / sizeof rows[0]};
