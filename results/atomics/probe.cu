// SPDX-License-Identifier: BSD-3-Clause
// A probe of the ceilings of the sections atomics and unified: plain CUDA, its own loops and timing.
// Prints "NAME RATE UNIT" lines: additions/s or bytes/s; "NAME wrong ..." where a result is not exact.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>
#define TRY(x)                                                                             \
    do {                                                                                   \
        cudaError_t e = (x);                                                               \
        if (e != cudaSuccess) {                                                            \
            printf("%s failed: %s\n", #x, cudaGetErrorString(e));                          \
            return 1;                                                                      \
        }                                                                                  \
    } while (0)
static double now()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
enum { N = 256 };
enum { EACH = 16 }; // counters of a thread
// Each thread adds n times, in turn to the counters from w[index & mask] on, `apart` from each other.
template <class T> __global__ void own(T *w, unsigned mask, unsigned apart, int n)
{
    T *at = w + ((blockIdx.x * blockDim.x + threadIdx.x) & mask);
    for (int i = 0; i < n; i++)
        atomicAdd(at + i % EACH * apart, (T)1);
}
// A histogram of bytes: the data are random, and are loaded.
__device__ void count_bytes(const uint4 *data, unsigned *w, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        uint4 v = data[i];
        unsigned p[4] = {v.x, v.y, v.z, v.w};
        for (int k = 0; k < 4; k++)
            for (int b = 0; b < 32; b += 8)
                atomicAdd(&w[p[k] >> b & 255], 1u);
    }
}
__global__ void bytes_global(const uint4 *data, unsigned *w, size_t n)
{
    count_bytes(data, w, n);
}
__global__ void bytes_shared(const uint4 *data, unsigned *w, size_t n)
{
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    count_bytes(data, s, n);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&w[i], s[i]);
}
// A histogram of the bytes of random numbers, which each thread makes (xorshift, Marsaglia 2003).
__global__ void made_shared(unsigned *w, int n)
{
    __shared__ unsigned s[256];
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        s[i] = 0;
    for (int i = 0; i < 3; i++)
        x = (x ^ x >> 16) * 0x7feb352du; // neighbours begin far apart
    x |= 1;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        for (int b = 0; b < 32; b += 8)
            atomicAdd(&s[x >> b & 255], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&w[i], s[i]);
}
__global__ void shared_own(unsigned *w, unsigned mask, int n)
{
    __shared__ unsigned s[1024];
    s[threadIdx.x] = 0;
    __syncthreads();
    unsigned at = threadIdx.x & mask;
    for (int i = 0; i < n; i++)
        atomicAdd(&s[at], 1u);
    __syncthreads();
    atomicAdd(&w[threadIdx.x], s[threadIdx.x]);
}
__global__ void reads(const uint4 *from, size_t n, unsigned *sum)
{
    unsigned x = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (size_t)blockDim.x) {
        uint4 v = from[i];
        x += v.x + v.y + v.z + v.w;
    }
    atomicAdd(sum, x);
}
__global__ void writes(uint4 *to, size_t n, unsigned value)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (size_t)blockDim.x)
        to[i] = make_uint4(value, value, value, value);
}
static cudaEvent_t begin_, end_;
// Best of five launches, the first one warm.
template <class F> static double best(F launch)
{
    float least = 1e30f;
    for (int i = 0; i < 6; i++) {
        float ms;
        cudaEventRecord(begin_);
        launch();
        cudaEventRecord(end_);
        cudaEventSynchronize(end_);
        cudaEventElapsedTime(&ms, begin_, end_);
        if (i && ms < least)
            least = ms;
    }
    return least * 1e-3;
}
static void rate(const char *name, double what, double s, const char *unit)
{
    printf("%s %.6g %s\n", name, what / s, unit);
    fflush(stdout);
}
#if CUDART_VERSION >= 13000
static cudaError_t prefetch(void *p, size_t n, int d)
{
    cudaMemLocation l;
    l.type = cudaMemLocationTypeDevice;
    l.id = d;
    return cudaMemPrefetchAsync(p, n, l, 0, 0);
}
#else
static cudaError_t prefetch(void *p, size_t n, int d)
{
    return cudaMemPrefetchAsync(p, n, d, 0);
}
#endif
int main()
{
    int sms, has = 0;
    TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    TRY(cudaDeviceGetAttribute(&has, cudaDevAttrConcurrentManagedAccess, 0));
    printf("concurrentManagedAccess %d\n", has);
    TRY(cudaEventCreate(&begin_));
    TRY(cudaEventCreate(&end_));
    unsigned *w;
    unsigned long long *w64;
    float *wf;
    size_t most = (size_t)sms * 2048 * EACH;
    TRY(cudaMalloc(&w, most * 4));
    TRY(cudaMalloc(&w64, most * 8));
    TRY(cudaMalloc(&wf, most * 4));
    TRY(cudaMemset(w, 0, most * 4));
    TRY(cudaMemset(w64, 0, most * 8));
    TRY(cudaMemset(wf, 0, most * 4));
    static const int shapes[][2] = {
        {1, 256 },
        {1, 512 },
        {1, 1024},
        {2, 1024},
        {8, 256 }
    };
    double own32 = 0, own64 = 0, ownf = 0, one = 0, sown = 0, sone = 0;
    for (auto &s : shapes) {
        double adds = (double)sms * s[0] * s[1] * N * 16;
        const int blocks = sms * s[0];
        const unsigned apart = blocks * s[1];
        double a = adds / best([&] { own<<<blocks, s[1]>>>(w, ~0u, apart, N * 16); });
        double b = adds / best([&] { own<<<blocks, s[1]>>>(w64, ~0u, apart, N * 16); });
        double c = adds / best([&] { own<<<blocks, s[1]>>>(wf, ~0u, apart, N * 16); });
        double d = adds / 16 / best([&] { own<<<blocks, s[1]>>>(w, 0, 0, N); });
        double e = adds / best([&] {
                       const int threads = s[1] > 1024 ? s[1] : 1024;
                       shared_own<<<sms * s[0], threads>>>(w, ~0u, N * 16);
                   }) *
                   (s[1] < 1024 ? 1024.0 / s[1] : 1);
        double f = adds / best([&] {
                       const int threads = s[1] > 1024 ? s[1] : 1024;
                       shared_own<<<sms * s[0], threads>>>(w, 0, N * 16);
                   }) *
                   (s[1] < 1024 ? 1024.0 / s[1] : 1);
        printf("# %d x %d per SM: l2 own %.4g, 64 bits %.4g, fp32 %.4g, one %.4g; shared "
               "own %.4g, one %.4g\n",
               s[0], s[1], a, b, c, d, e, f);
        own32 = a > own32 ? a : own32;
        own64 = b > own64 ? b : own64;
        ownf = c > ownf ? c : ownf;
        one = d > one ? d : one;
        sown = e > sown ? e : sown;
        sone = f > sone ? f : sone;
    }
    TRY(cudaGetLastError());
    rate("atomic-l2-own", own32, 1, "op/s");
    rate("atomic-l2-own-u64", own64, 1, "op/s");
    rate("atomic-l2-fp32", ownf, 1, "op/s");
    rate("atomic-l2-one", one, 1, "op/s");
    rate("atomic-smem-own", sown, 1, "op/s");
    rate("atomic-smem-one", sone, 1, "op/s");
    // exactness, by pen: 1 launch of 1 x 256 per SM on one counter
    unsigned got;
    TRY(cudaMemset(w, 0, 4));
    own<<<sms, 256>>>(w, 0, 0, N);
    TRY(cudaMemcpy(&got, w, 4, cudaMemcpyDeviceToHost));
    if (got != (unsigned)sms * 256 * N)
        printf("atomic-l2-one wrong %u\n", got);
    // histograms of random bytes: 16 MB, in L2
    size_t n = 16 << 20;
    std::vector<uint32_t> data(n / 4);
    uint64_t x = 88172645463325252ull;
    for (auto &v : data) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        v = (uint32_t)(x >> 16);
    }
    std::vector<unsigned> want(256), is(256);
    for (auto v : data)
        for (int b = 0; b < 32; b += 8)
            want[v >> b & 255]++;
    uint4 *d;
    TRY(cudaMalloc(&d, n));
    TRY(cudaMemcpy(d, data.data(), n, cudaMemcpyHostToDevice));
    for (int shared = 0; shared < 2; shared++) {
        double most_rate = 0;
        for (auto &s : shapes) {
            double r = n / best([&] {
                           if (shared)
                               bytes_shared<<<sms * s[0], s[1]>>>(d, w, n / 16);
                           else
                               bytes_global<<<sms * s[0], s[1]>>>(d, w, n / 16);
                       });
            most_rate = r > most_rate ? r : most_rate;
        }
        TRY(cudaMemset(w, 0, 1024));
        if (shared)
            bytes_shared<<<sms, 1024>>>(d, w, n / 16);
        else
            bytes_global<<<sms, 256>>>(d, w, n / 16);
        TRY(cudaMemcpy(is.data(), w, 1024, cudaMemcpyDeviceToHost));
        if (memcmp(is.data(), want.data(), 1024))
            printf("histogram %d wrong\n", shared);
        rate(shared ? "atomic-smem-few-loaded" : "atomic-l2-few", most_rate, 1, "op/s");
    }
    double made = 0;
    for (auto &s : shapes) {
        double r = 4.0 * N * 16 * sms * s[0] * s[1] /
                   best([&] { made_shared<<<sms * s[0], s[1]>>>(w, N * 16); });
        made = r > made ? r : made;
    }
    rate("atomic-smem-few", made, 1, "op/s");
    // zero-copy
    size_t big = 128 << 20;
    uint4 *host;
    TRY(cudaHostAlloc((void **)&host, big, cudaHostAllocDefault));
    memset(host, 1, big);
    rate("zero-copy-read", big, best([&] { reads<<<sms * 8, 256>>>(host, big / 16, w); }),
         "byte/s");
    rate("zero-copy-write", big, best([&] { writes<<<sms * 8, 256>>>(host, big / 16, 7); }),
         "byte/s");
    for (size_t i = 0; i < big / 4; i++)
        if (((unsigned *)host)[i] != 7) {
            printf("zero-copy-write wrong at %zu\n", i);
            break;
        }
    void *dev;
    TRY(cudaMalloc(&dev, big));
    rate("h2d-pinned", big,
         best([&] { cudaMemcpyAsync(dev, host, big, cudaMemcpyHostToDevice); }), "byte/s");
    // managed: 64 MiB
    if (!has)
        return 0;
    size_t m = 64 << 20;
    char *u;
    TRY(cudaMallocManaged((void **)&u, m));
    double touch = 1e9, fetched = 1e9, back = 1e9, back_whole = 1e9;
    volatile char *v = u;
    for (int i = 0; i < 6; i++) {
        for (int how = 0; how < 2; how++) {
            memset(u, i + 1, m);
            double t = now();
            if (how)
                TRY(prefetch(u, m, 0));
            reads<<<sms * 8, 256>>>((uint4 *)u, m / 16, w);
            TRY(cudaDeviceSynchronize());
            t = now() - t;
            double &least = how ? fetched : touch;
            if (i && t < least)
                least = t;
            writes<<<sms * 8, 256>>>((uint4 *)u, m / 16, 9);
            TRY(cudaDeviceSynchronize());
            t = now();
            if (how)
                memset(u, 3, m);
            else
                for (size_t k = 0; k < m; k += 4096)
                    v[k] = v[k];
            t = now() - t;
            double &least_back = how ? back_whole : back;
            if (i && t < least_back)
                least_back = t;
        }
    }
    rate("managed-touch", m, touch, "byte/s");
    rate("managed-fetch", m, fetched, "byte/s");
    rate("managed-return", m, back, "byte/s");
    rate("managed-return-memset", m, back_whole, "byte/s");
    return 0;
}
