/*
 * The memory kernels past L1, for L2 and device memory. Every thread moves V vectors of 16
 * bytes per array and ends; grid (chunks, passes), so that one launch holds many passes
 * over a small set and a big set needs no loop: on the H200 a grid-stride loop of 2048
 * threads per SM copied 3978 GB/s where one vector per thread copied 4282 (a loop keeps
 * loads and stores of a thread in step).
 *
 * Loads are ld.global.cg (L2 only): ordinary loads would hit L1, 33 MB in a GPU of 132 SMs.
 * Where a set is smaller than what all resident blocks hold at once (34 MB at V = 8 and 132
 * SMs), blocks of several passes read the same lines, and on the H200 some requests meet
 * before L2: at 2 MiB its counters saw 83 % of the bytes loaded, at 32 MiB all of them. So
 * small sets can read "above" L2.
 *
 * Bound: L2 bandwidth for sets within L2, else device memory. Per element of 8 bytes:
 *   load   sum += bits(r[i])    8 B, 0 flop    copy  w[i] = r[i]             16 B, 0 flop
 *   store  w[i] = a             8 B, 0 flop    triad w[i] = r1[i] + a*r2[i]  24 B, 2 flop
 *   update w[i] = b - a*w[i]   16 B, 2 flop    mix21 w[i] = r1[i] + r2[i]    24 B, 1 flop
 */
#include "ert/backend/cuda/device.cuh"

/* The arithmetic of one element, and how many source arrays it reads. */
struct copy {
    static constexpr int sources = 1;
    static __device__ double apply(const struct ert_cuda_arguments &, double r1, double)
    {
        return r1;
    }
};
struct triad {
    static constexpr int sources = 2;
    static __device__ double apply(const struct ert_cuda_arguments &k, double r1, double r2)
    {
        return fma(k.a, r2, r1);
    }
};
struct mix21 {
    static constexpr int sources = 2;
    static __device__ double apply(const struct ert_cuda_arguments &, double r1, double r2)
    {
        return __dadd_rn(r1, r2);
    }
};
struct store {
    static constexpr int sources = 0;
    static __device__ double apply(const struct ert_cuda_arguments &k, double, double)
    {
        return k.a;
    }
};
struct update {
    static constexpr int sources = 1; /* r1 is w */
    static __device__ double apply(const struct ert_cuda_arguments &k, double w, double)
    {
        return fma(-k.a, w, k.b);
    }
};

/*
 * Stores as usual, or evict-first (.cs): written lines then leave L2 before the lines that
 * will be read again, which keeps rates flat up to half of L2 (copy of 32 MiB: 8740 instead
 * of 8420 GB/s).
 */
struct usual {
    static __device__ void put(double2 *to, double2 value)
    {
        *to = value;
    }
};
struct evict_first {
    static __device__ void put(double2 *to, double2 value)
    {
        store_evict_first(to, value);
    }
};

/* The first of the thread's V vectors, which lie T apart: T threads per block. */
template <int T, int V> static __device__ __forceinline__ size_t first_vector(void)
{
    return (size_t)blockIdx.x * (T * V) + threadIdx.x;
}

template <int T, int V>
static __global__ void __launch_bounds__(T) load_flat(struct ert_cuda_arguments arguments)
{
    const uint4 *from = (const uint4 *)arguments.r1 + first_vector<T, V>();
    uint4 vectors[V];
    unsigned int sum = 0;
#pragma unroll
    for (int v = 0; v < V; v++)
        vectors[v] = load_l2(from + v * T);
#pragma unroll
    for (int v = 0; v < V; v++)
        sum += add_words(vectors[v]);
    add_sum(arguments, sum);
    mark_clock(arguments);
}

template <class Op, int T, int V, class Store>
static __global__ void __launch_bounds__(T) stream_flat(struct ert_cuda_arguments arguments)
{
    size_t first = first_vector<T, V>();
    double2 r1[V], r2[V];
#pragma unroll
    for (int v = 0; v < V; v++) {
        if (Op::sources > 0)
            r1[v] = load_l2((const double2 *)arguments.r1 + first + v * T);
        if (Op::sources > 1)
            r2[v] = load_l2((const double2 *)arguments.r2 + first + v * T);
    }
#pragma unroll
    for (int v = 0; v < V; v++) {
        double2 result = make_double2(Op::apply(arguments, r1[v].x, r2[v].x),
                                      Op::apply(arguments, r1[v].y, r2[v].y));
        Store::put((double2 *)arguments.w + first + v * T, result);
    }
    mark_clock(arguments);
}

#define FLAT(kernel, name, walk, T, V, ...)                                                \
    {                                                                                      \
        ERT_KERNEL_##kernel, ERT_PATH_BYPASS_L1, 0, name, walk, T, 0, V, 0, 0,             \
            (const void *)__VA_ARGS__                                                      \
    }
#define LOAD(name, T, V) FLAT(load, name, ERT_CUDA_FLAT, T, V, load_flat<T, V>)
#define STREAM(kernel, name, T, V, Store)                                                  \
    FLAT(kernel, name, ERT_CUDA_FLAT, T, V, stream_flat<kernel, T, V, Store>)
#define UPDATE(name, T, V, Store)                                                          \
    FLAT(update, name, ERT_CUDA_FLAT_IN_PLACE, T, V, stream_flat<update, T, V, Store>)

/*
 * Threads per block x vectors per thread. The shapes that were best for L2 and for memory.
 */
static const struct ert_cuda_row rows[] = {
    LOAD("256x4", 256, 4),
    LOAD("128x8", 128, 8),
    LOAD("128x16", 128, 16),
    STREAM(store, "256x1", 256, 1, usual),
    STREAM(store, "1024x4", 1024, 4, usual),
    STREAM(copy, "256x1 st.cs", 256, 1, evict_first),
    STREAM(copy, "128x1 st.cs", 128, 1, evict_first),
    STREAM(copy, "1024x4 st.cs", 1024, 4, evict_first),
    STREAM(triad, "256x1 st.cs", 256, 1, evict_first),
    STREAM(triad, "1024x1 st.cs", 1024, 1, evict_first),
    STREAM(mix21, "256x1 st.cs", 256, 1, evict_first),
    STREAM(mix21, "1024x1 st.cs", 1024, 1, evict_first),
    UPDATE("256x1", 256, 1, usual),
};

const struct ert_cuda_rows ert_cuda_stream_rows = {rows, sizeof rows / sizeof rows[0]};
