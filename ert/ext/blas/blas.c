/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * blas: matrix products of the machine's BLAS, opened at run time: what code that calls it can attain. Each
 * thread multiplies matrices of its own, with one thread of the library, so that all cores work at once
 * without waiting for one another. Sizes from 256 to 2048 differ by 3 % (results/xeon-emr-vm).
 *
 * C = C + A*B and C = C - A*B by turns, with A = u x' and B = y v' of small integers: an element of A*B is
 * u * v * (x . y), so that results are exact, also in FP32, and a wrong place or operand shows.
 */
#include "ert/core/backend/cpu/isa.h"
#include "ert/core/base/random.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { N = 512 };

#ifdef __aarch64__
#define VEC_REGISTER "w"
#else
#define VEC_REGISTER "x"
#endif
#include "ert/core/backend/cpu/kernels_common.inc"

/* The Fortran interface, which all have; the lengths of the two texts come last. */
typedef void gemm(const char *, const char *, const int *, const int *, const int *,
                  const void *, const void *, const int *, const void *, const int *,
                  const void *, void *, const int *, size_t, size_t);

/* X(a number, file) */
#define LIBRARIES(X, ...)                                                                  \
    X(0, "libmkl_rt.so.2", __VA_ARGS__)                                                    \
    X(1, "libopenblas.so.0", __VA_ARGS__)                                                  \
    X(2, "libblis.so.4", __VA_ARGS__)                                                      \
    X(3, "libarmpl_lp64.so", __VA_ARGS__)
enum { N_LIBRARIES = 4 };
#define FILES(i, file, ...) [i] = file,
static const char *const files[N_LIBRARIES] = {LIBRARIES(FILES, )};

/* What was opened, and matrices that all threads read. */
static struct {
    struct {
        gemm *dgemm, *sgemm;
    } of[N_LIBRARIES];
    double a[N * N], b[N * N];
    float a32[N * N], b32[N * N];
    double left[N], right[N], inner; /* u, v, and x . y */
} blas;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static double blas_small(uint64_t place)
{
    return (double)(int)(ert_random_u64(0x626c6173, place) % 7) - 3;
}

static void blas_fill(void)
{
    double x[N], y[N];
    for (size_t i = 0; i < N; i++) {
        blas.left[i] = blas_small(i);
        blas.right[i] = blas_small(N + i);
        x[i] = blas_small(2 * N + i);
        y[i] = blas_small(3 * N + i);
        blas.inner += x[i] * y[i];
    }
    for (size_t i = 0; i < (size_t)N * N; i++) { /* column by column, as Fortran has them */
        blas.a[i] = blas.left[i % N] * x[i / N];
        blas.b[i] = y[i % N] * blas.right[i / N];
        blas.a32[i] = (float)blas.a[i];
        blas.b32[i] = (float)blas.b[i];
    }
}

static void blas_open(void)
{
    /* How many threads of its own a library starts, or a call uses. */
    static const char *const threads[] = {"MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                          "BLIS_NUM_THREADS", "OMP_NUM_THREADS"};
    for (size_t i = 0; i < N_LIBRARIES; i++) {
        setenv(threads[i], "1", 1);
        void *library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
        if (!library)
            continue;
        *(void **)&blas.of[i].dgemm = dlsym(library, "dgemm_");
        *(void **)&blas.of[i].sgemm = dlsym(library, "sgemm_");
    }
    blas_fill();
}

static bool blas_has(size_t library)
{
    pthread_once(&once, blas_open);
    return blas.of[library].dgemm && blas.of[library].sgemm;
}

static bool blas_available(const struct ert_isa *isa)
{
    (void)isa;
    for (size_t i = 0; i < N_LIBRARIES; i++)
        if (blas_has(i))
            return true;
    return false;
}

static void blas_operands(enum ert_kernel_id kernel, size_t block_bytes, void *operands)
{
    (void)kernel, (void)block_bytes, (void)operands;
}

static double blas_start(enum ert_kernel_id kernel, uint64_t index)
{
    (void)kernel;
    return blas_small(4 * N + index % 1021);
}

static double blas_after(enum ert_kernel_id kernel, size_t block_bytes,
                         const void *operands, size_t chain, size_t lane, double start,
                         uint64_t steps)
{
    (void)kernel, (void)block_bytes, (void)operands, (void)chain;
    return start +
           (steps % 2 ? blas.left[lane % N] * blas.right[lane / N] * blas.inner : 0);
}

static const struct ert_cpu_products products = {
    .operands = blas_operands, .start = blas_start, .after = blas_after};

#define HAS(i, ...)                                                                        \
    static bool blas_has_##i(const struct ert_isa *isa)                                    \
    {                                                                                      \
        (void)isa;                                                                         \
        return blas_has(i);                                                                \
    }
LIBRARIES(HAS, )

/* Pass 0 has a product more (isa.h). */
#define SWEEP(i, file, id, function, type, of_a, of_b)                                     \
    static void id##_sweep_##i(struct ert_cpu_sweep *sweep)                                \
    {                                                                                      \
        static const int n = N;                                                            \
        static const type one[2] = {1, -1};                                                \
        const uint64_t begin = sweep->first_pass > 0;                                      \
        for (uint64_t step = begin; step <= sweep->passes * sweep->steps; step++)          \
            blas.of[i].function("N", "N", &n, &n, &n, &one[step % 2], blas.of_a, &n,       \
                                blas.of_b, &n, &one[0], sweep->chains, &n, 1, 1);          \
    }
#define VARIANT(i, file, id)                                                               \
    {.name = file, .kernel = id##_sweep_##i, .available = blas_has_##i},
#define BLAS(id, function, type, of_a, of_b)                                               \
    LIBRARIES(SWEEP, id, function, type, of_a, of_b)                                       \
    static const struct ert_cpu_variant id##_variants[N_LIBRARIES + 1] = {                 \
        LIBRARIES(VARIANT, id){0}};                                                        \
    const struct ert_cpu_isa ert_cpu_isa_##id = {                                          \
        .name = "library",                                                                 \
        .available = blas_available,                                                       \
        .vector_bytes = sizeof(type) * N * N,                                              \
        .lane_operand_bytes = sizeof(type) * N,                                            \
        .products = &products,                                                             \
        .chains = 1,                                                                       \
        .add_chain = add_chain,                                                            \
        .variants = {[ERT_KERNEL_##id] = id##_variants},                                   \
    };
BLAS(blas_fp64, dgemm, double, a, b)
BLAS(blas_fp32, sgemm, float, a32, b32)
