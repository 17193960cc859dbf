/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * STREAM triad on a GPU, a = b + s c: 2 flops and 24 bytes an element, and no write-allocate: L2 writes
 * sectors whole.
 */
#include "examples/gpu/gpu.h"

#include <stdlib.h>

namespace
{
enum { BLOCK = 256, SMALL_PASSES = 100 };

const double SCALE = 3;

struct arrays {
    size_t n,
        small; /* small: three arrays together fit well into half of L2, of which an SM is near */
    double *a, *b, *c;
};

__global__ void triad(double *__restrict__ a, const double *__restrict__ b,
                      const double *__restrict__ c, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = b[i] + SCALE * c[i];
}

/* Loads and stores that ask L2 to drop the lines first. */
__global__ void triad_streaming(double *__restrict__ a, const double *__restrict__ b,
                                const double *__restrict__ c, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        __stcs(a + i, __ldcs(b + i) + SCALE * __ldcs(c + i));
}

/* The same on arrays that stay in L2; a kernel of its own, so that a profile tells them apart. */
__global__ void triad_in_l2(double *__restrict__ a, const double *__restrict__ b,
                            const double *__restrict__ c, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = b[i] + SCALE * c[i];
}

typedef void kernel(double *, const double *, const double *, size_t);
const struct {
    kernel *launch;
    size_t passes;
} kernels[] = {
    {triad,           1           },
    {triad_streaming, 1           },
    {triad_in_l2,     SMALL_PASSES}
};

size_t size_of(const struct arrays *x, const struct example_step *step)
{
    return step->parameter == 2 ? x->small : x->n;
}

void run(void *data, const struct example_step *step, struct example_team)
{
    const struct arrays *x = (const struct arrays *)data;
    const size_t kind = (size_t)step->parameter, n = size_of(x, step);
    for (size_t i = 0; i < kernels[kind].passes; i++)
        kernels[kind].launch<<<(unsigned)((n + BLOCK - 1) / BLOCK), BLOCK>>>(x->a, x->b,
                                                                             x->c, n);
    example_gpu_wait();
}

const struct example_step steps[] = {
    EXAMPLE_STEP("triad", run, 0, true, "one element a thread"),
    EXAMPLE_STEP("triad-streaming", run, 1, false, "loads and stores marked as streaming"),
    EXAMPLE_STEP("triad-in-l2", run, 2, false, "arrays in L2, 100 launches"),
};

void close_arrays(void *data)
{
    struct arrays *x = (struct arrays *)data;
    example_gpu_free(x->a);
    example_gpu_free(x->b);
    example_gpu_free(x->c);
    free(x);
}

enum ert_status open_arrays(size_t n, size_t, void **data, struct ert_error *error)
{
    ERT_TRY(example_gpu_open(error));
    struct arrays *x = (struct arrays *)calloc(1, sizeof *x);
    double *host = example_doubles(2 * n);
    if (!x || !host) {
        free(x);
        free(host);
        return ert_fail(error, ERT_FAILED, "no memory for 2 arrays of %zu doubles", n);
    }
    for (size_t i = 0; i < n; i++) {
        host[i] = example_whole(2 * i);
        host[n + i] = example_whole(2 * i + 1);
    }
    const size_t small = example_gpu_l2_bytes() / 2 * 3 / 4 / (3 * sizeof(double));
    *x = {n, small < n ? small : n, example_gpu_doubles(n, NULL),
          example_gpu_doubles(n, host), example_gpu_doubles(n, host + n)};
    free(host);
    *data = x;
    return ERT_OK;
}

void spoil(void *data, const struct example_step *)
{
    const struct arrays *x = (const struct arrays *)data;
    example_gpu_spoil(x->a, x->n);
}

struct example_work work(const void *data, const struct example_step *step)
{
    const size_t n = size_of((const struct arrays *)data, step);
    const double elements = (double)n * (double)kernels[(size_t)step->parameter].passes;
    return {2 * elements, 24 * elements};
}

size_t wrong(void *data, const struct example_step *step)
{
    const size_t n = size_of((const struct arrays *)data, step);
    size_t n_wrong = 0;
    double *host = example_doubles(n);
    if (!host)
        return n;
    example_gpu_read(((const struct arrays *)data)->a, n, host);
    for (size_t i = 0; i < n; i++)
        n_wrong += !(host[i] == example_whole(2 * i) + SCALE * example_whole(2 * i + 1));
    free(host);
    return n_wrong;
}
} // namespace

int main(int argc, char **argv)
{
    struct example example = {};
    example.name = "gpu/stream";
    example.purpose = "STREAM triad, a = b + s c, under the roofs of HBM and L2.";
    example.n_is = "elements of each of three arrays; default 50000000 (1.2 GB)";
    example.n = 50000000;
    example.least = 1;
    example.most = (size_t)1 << 32;
    example.repeat = 10;
    example.is_gpu = true;
    example.steps = steps;
    example.n_steps = ERT_LENGTH(steps);
    example.open = open_arrays;
    example.close = close_arrays;
    example.spoil = spoil;
    example.work = work;
    example.wrong = wrong;
    example.energy_j = example_gpu_energy_j;
    return example_main(&example, argc, argv);
}
