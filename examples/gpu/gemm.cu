/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C = A B of n x n doubles on a GPU, in the six steps of gemm.c: from threads whose loads are scattered to
 * the vendor's library, which has the tensor cores. 2 n^3 flops and, at the least, 24 n^2 bytes.
 */
#include "examples/gpu/gpu.h"

#include <dlfcn.h>
#include <stdlib.h>

namespace
{
struct matrices {
    size_t n;
    double *a, *b, *c;
    void *cublas;
    /* cublasDgemm_v2 of a library that is opened at run time. */
    int (*dgemm)(void *, int, int, int, int, int, const double *, const double *, int,
                 const double *, int, const double *, double *, int);
};

__device__ void element(double *__restrict__ c, const double *__restrict__ a,
                        const double *__restrict__ b, size_t n, size_t i, size_t j)
{
    double sum = 0;
    if (i >= n || j >= n)
        return;
    for (size_t k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}

/* Neighbouring threads are neighbouring rows: each load of A is 32 lines. */
__global__ void gemm_scattered(double *c, const double *a, const double *b, size_t n)
{
    element(c, a, b, n, (size_t)blockIdx.x * blockDim.x + threadIdx.x,
            (size_t)blockIdx.y * blockDim.y + threadIdx.y);
}

/* Neighbouring columns: loads of B are whole lines, those of A one value for all. */
__global__ void gemm_coalesced(double *c, const double *a, const double *b, size_t n)
{
    element(c, a, b, n, (size_t)blockIdx.y * blockDim.y + threadIdx.y,
            (size_t)blockIdx.x * blockDim.x + threadIdx.x);
}

/*
 * A block has a tile of C, TILE x TILE, and goes through A's rows and B's columns in parts of DEPTH, which
 * wait in shared memory: a value of global memory serves TILE threads' sums. A thread has OWN x OWN of the
 * tile, in registers: a value of shared memory serves OWN sums. Beyond the matrices are zeros.
 */
template <int TILE, int DEPTH, int OWN>
__global__ void gemm_tile(double *__restrict__ c, const double *__restrict__ a,
                          const double *__restrict__ b, size_t n)
{
    constexpr int SIDE = TILE / OWN, THREADS = SIDE * SIDE;
    __shared__ double rows[DEPTH][TILE + 1], columns[DEPTH][TILE];
    const size_t i0 = (size_t)blockIdx.y * TILE, j0 = (size_t)blockIdx.x * TILE;
    const int x = (int)threadIdx.x % SIDE, y = (int)threadIdx.x / SIDE;
    double sum[OWN][OWN] = {};
    for (size_t k0 = 0; k0 < n; k0 += DEPTH) {
        for (int e = (int)threadIdx.x; e < TILE * DEPTH; e += THREADS) {
            const int i = e / DEPTH, k = e % DEPTH, l = e / TILE, j = e % TILE;
            rows[k][i] = i0 + i < n && k0 + k < n ? a[(i0 + i) * n + k0 + k] : 0;
            columns[l][j] = j0 + j < n && k0 + l < n ? b[(k0 + l) * n + j0 + j] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            double right[OWN];
#pragma unroll
            for (int s = 0; s < OWN; s++)
                right[s] = columns[k][x + s * SIDE];
#pragma unroll
            for (int r = 0; r < OWN; r++) {
                const double left = rows[k][y + r * SIDE];
#pragma unroll
                for (int s = 0; s < OWN; s++)
                    sum[r][s] += left * right[s];
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < OWN; r++)
        for (int s = 0; s < OWN; s++) {
            const size_t i = i0 + y + r * SIDE, j = j0 + x + s * SIDE;
            if (i < n && j < n)
                c[i * n + j] = sum[r][s];
        }
}

unsigned parts(size_t n, size_t size)
{
    return (unsigned)((n + size - 1) / size);
}

void run_elements(void *data, const struct example_step *step, struct example_team)
{
    const struct matrices *m = (const struct matrices *)data;
    const dim3 blocks(parts(m->n, 32), parts(m->n, 8)), threads(32, 8);
    if (step->parameter == 1)
        gemm_scattered<<<blocks, threads>>>(m->c, m->a, m->b, m->n);
    else
        gemm_coalesced<<<blocks, threads>>>(m->c, m->a, m->b, m->n);
    example_gpu_wait();
}

template <int TILE, int DEPTH, int OWN>
void run_tile(void *data, const struct example_step *, struct example_team)
{
    const struct matrices *m = (const struct matrices *)data;
    const dim3 blocks(parts(m->n, TILE), parts(m->n, TILE));
    gemm_tile<TILE, DEPTH, OWN>
        <<<blocks, (TILE / OWN) * (TILE / OWN)>>>(m->c, m->a, m->b, m->n);
    example_gpu_wait();
}

/* cuBLAS has columns where we have rows: C' = B' A'. */
void run_library(void *data, const struct example_step *, struct example_team)
{
    const struct matrices *m = (const struct matrices *)data;
    const double one = 1, zero = 0;
    const int n = (int)m->n;
    if (m->dgemm(m->cublas, 0, 0, n, n, n, &one, m->b, n, m->a, n, &zero, m->c, n) != 0)
        example_gpu_spoil(m->c, m->n * m->n);
    example_gpu_wait();
}

const struct example_step steps[] = {
    EXAMPLE_STEP("1-scattered", run_elements, 1, true,
                 "threads along rows: 32 lines a load"),
    EXAMPLE_STEP("2-coalesced", run_elements, 2, false,
                 "threads along columns: whole lines"),
    EXAMPLE_STEP("3-shared", (run_tile<32, 32, 1>), 3, false,
                 "tiles of 32 x 32 in shared memory"),
    EXAMPLE_STEP("4-registers-4x4", (run_tile<64, 16, 4>), 4, false,
                 "and 4 x 4 sums a thread"),
    EXAMPLE_STEP("5-registers-8x8", (run_tile<128, 8, 8>), 5, false, "8 x 8 sums a thread"),
    EXAMPLE_STEP("6-library", run_library, 6, false, "cuBLAS: tensor cores"),
};

void find_library(struct matrices *m)
{
    const char *const files[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
    for (const char *file : files) {
        void *library = dlopen(file, RTLD_NOW);
        if (!library)
            continue;
        int (*create)(void **);
        *(void **)&create = dlsym(library, "cublasCreate_v2");
        *(void **)&m->dgemm = dlsym(library, "cublasDgemm_v2");
        if (!create || create(&m->cublas) != 0)
            m->dgemm = NULL;
        return;
    }
}

const char *lacks(void *data, const struct example_step *step)
{
    const struct matrices *m = (const struct matrices *)data;
    return step->parameter != 6 || m->dgemm ? NULL
                                            : "no cuBLAS was found (LD_LIBRARY_PATH)";
}

void close_matrices(void *data)
{
    struct matrices *m = (struct matrices *)data;
    example_gpu_free(m->a);
    example_gpu_free(m->b);
    example_gpu_free(m->c);
    free(m);
}

enum ert_status open_matrices(size_t n, size_t, void **data, struct ert_error *error)
{
    ERT_TRY(example_gpu_open(error));
    struct matrices *m = (struct matrices *)calloc(1, sizeof *m);
    double *host = example_doubles(2 * n * n);
    if (!m || !host) {
        free(m);
        free(host);
        return ert_fail(error, ERT_FAILED, "no memory for 2 matrices of %zu^2 doubles", n);
    }
    for (size_t i = 0; i < n * n; i++) {
        host[i] = example_whole(2 * i);
        host[n * n + i] = example_whole(2 * i + 1);
    }
    m->n = n;
    m->a = example_gpu_doubles(n * n, host);
    m->b = example_gpu_doubles(n * n, host + n * n);
    m->c = example_gpu_doubles(n * n, NULL);
    find_library(m);
    free(host);
    *data = m;
    return ERT_OK;
}

void spoil(void *data, const struct example_step *)
{
    const struct matrices *m = (const struct matrices *)data;
    example_gpu_spoil(m->c, m->n * m->n);
}

struct example_work work(const void *data, const struct example_step *)
{
    const double n = (double)((const struct matrices *)data)->n;
    return {2 * n * n * n, 24 * n * n};
}

/* As in gemm.c: rows in which C x differs from A (B x), in whole numbers. */
size_t wrong(void *data, const struct example_step *)
{
    const struct matrices *m = (const struct matrices *)data;
    const size_t n = m->n;
    size_t n_wrong = 0;
    double *c = example_doubles(n * n + 2 * n), *x = c + n * n, *bx = x + n;
    if (!c)
        return n;
    example_gpu_read(m->c, n * n, c);
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(1 + i * 31 % 97);
    for (size_t k = 0; k < n; k++) {
        bx[k] = 0;
        for (size_t j = 0; j < n; j++)
            bx[k] += example_whole(2 * (k * n + j) + 1) * x[j];
    }
    for (size_t i = 0; i < n; i++) {
        double cx = 0, abx = 0;
        for (size_t j = 0; j < n; j++) {
            cx += c[i * n + j] * x[j];
            abx += example_whole(2 * (i * n + j)) * bx[j];
        }
        n_wrong += !(cx == abx);
    }
    free(c);
    return n_wrong;
}
} // namespace

int main(int argc, char **argv)
{
    struct example example = {};
    example.name = "gpu/gemm";
    example.purpose = "Matrix multiplication in six steps on a GPU, FP64.";
    example.n_is = "rows and columns; default 4096 (134 MB each)";
    example.n = 4096;
    example.least = 1;
    example.most = 30000;
    example.repeat = 3;
    example.is_gpu = true;
    example.steps = steps;
    example.n_steps = ERT_LENGTH(steps);
    example.open = open_matrices;
    example.close = close_matrices;
    example.lacks = lacks;
    example.spoil = spoil;
    example.work = work;
    example.wrong = wrong;
    example.energy_j = example_gpu_energy_j;
    return example_main(&example, argc, argv);
}
