/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The 7-point stencil of stencil.c on a GPU: out = sum of the six neighbours - 6 x the cell. 7 flops a cell;
 * 16 bytes where caches keep all but one read and one write.
 */
#include "examples/gpu/gpu.h"

#include <stdlib.h>

namespace
{
/* A block of the last two kernels: a warp along x, so that its loads are whole lines. */
enum { WIDE = 32, HIGH = 8, SMALL_SWEEPS = 100 };

struct grid {
    size_t n, side;
    double *in, *out;
};

struct grids {
    struct grid whole, small; /* small: both of its arrays together fill half of L2 */
};

/* Cell (z, y, x), each from 1, of a grid with lines of n + 2. */
__device__ void cell(double *__restrict__ out, const double *__restrict__ in, size_t n,
                     size_t z, size_t y, size_t x)
{
    const size_t line = n + 2, plane = line * line, i = z * plane + y * line + x;
    if (x > n || y > n || z > n)
        return;
    out[i] = in[i - plane] + in[i + plane] + in[i - line] + in[i + line] + in[i - 1] +
             in[i + 1] - 6 * in[i];
}

/* Neighbouring threads are a plane apart: a line of memory for every value. */
__global__ void stencil_strided(double *__restrict__ out, const double *__restrict__ in,
                                size_t n)
{
    cell(out, in, n, (size_t)blockIdx.x * WIDE + threadIdx.x + 1,
         (size_t)blockIdx.y * HIGH + threadIdx.y + 1, blockIdx.z + 1);
}

__global__ void stencil_naive(double *__restrict__ out, const double *__restrict__ in,
                              size_t n)
{
    cell(out, in, n, blockIdx.z + 1, (size_t)blockIdx.y * HIGH + threadIdx.y + 1,
         (size_t)blockIdx.x * WIDE + threadIdx.x + 1);
}

/* The same on a grid in L2; a kernel of its own, so that a profile tells them apart. */
__global__ void stencil_in_l2(double *__restrict__ out, const double *__restrict__ in,
                              size_t n)
{
    cell(out, in, n, blockIdx.z + 1, (size_t)blockIdx.y * HIGH + threadIdx.y + 1,
         (size_t)blockIdx.x * WIDE + threadIdx.x + 1);
}

/*
 * A thread goes up its column with the cells below, at and above in registers: one load along z instead of
 * three. DEPTH cells a thread, so that there are blocks for all SMs.
 */
enum { DEPTH = 32 };
__global__ void stencil_marching(double *__restrict__ out, const double *__restrict__ in,
                                 size_t n)
{
    const size_t x = (size_t)blockIdx.x * WIDE + threadIdx.x + 1;
    const size_t y = (size_t)blockIdx.y * HIGH + threadIdx.y + 1;
    const size_t first = (size_t)blockIdx.z * DEPTH + 1, line = n + 2, plane = line * line;
    if (x > n || y > n)
        return;
    size_t i = first * plane + y * line + x;
    double below = in[i - plane], here = in[i];
    for (size_t z = first; z < first + DEPTH && z <= n; z++, i += plane) {
        const double above = in[i + plane];
        out[i] =
            below + above + in[i - line] + in[i + line] + in[i - 1] + in[i + 1] - 6 * here;
        below = here;
        here = above;
    }
}

typedef void kernel(double *, const double *, size_t);
const struct {
    kernel *launch;
    size_t sweeps, depth;
} kernels[] = {
    {stencil_strided,  1,            1    },
    {stencil_naive,    1,            1    },
    {stencil_marching, 1,            DEPTH},
    {stencil_in_l2,    SMALL_SWEEPS, 1    }
};

const struct grid *grid_of(const void *data, const struct example_step *step)
{
    const struct grids *grids = (const struct grids *)data;
    return step->parameter == 3 ? &grids->small : &grids->whole;
}

unsigned parts(size_t n, size_t size)
{
    return (unsigned)((n + size - 1) / size);
}

void run(void *data, const struct example_step *step, struct example_team)
{
    const struct grid *grid = grid_of(data, step);
    const size_t kind = (size_t)step->parameter, n = grid->n;
    const dim3 blocks(parts(n, WIDE), parts(n, HIGH), parts(n, kernels[kind].depth));
    for (size_t i = 0; i < kernels[kind].sweeps; i++)
        kernels[kind].launch<<<blocks, dim3(WIDE, HIGH)>>>(grid->out, grid->in, n);
    example_gpu_wait();
}

const struct example_step steps[] = {
    EXAMPLE_STEP("strided", run, 0, true, "threads along z: a line for every value"),
    EXAMPLE_STEP("naive", run, 1, false, "threads along x: whole lines"),
    EXAMPLE_STEP("marching", run, 2, false,
                 "a thread goes along z with its column in registers"),
    EXAMPLE_STEP("in-l2", run, 3, false, "a grid that fits L2, 100 launches"),
};

size_t cells(const struct grid *grid)
{
    return grid->side * grid->side * grid->side;
}

bool open_grid(struct grid *grid, size_t n)
{
    grid->n = n;
    grid->side = n + 2;
    double *host = example_doubles(cells(grid));
    if (!host)
        return false;
    for (size_t i = 0; i < cells(grid); i++)
        host[i] = example_whole(i);
    grid->in = example_gpu_doubles(cells(grid), host);
    grid->out = example_gpu_doubles(cells(grid), host);
    free(host);
    return true;
}

void close_grids(void *data)
{
    struct grids *grids = (struct grids *)data;
    example_gpu_free(grids->whole.in);
    example_gpu_free(grids->whole.out);
    example_gpu_free(grids->small.in);
    example_gpu_free(grids->small.out);
    free(grids);
}

enum ert_status open_grids(size_t n, size_t, void **data, struct ert_error *error)
{
    ERT_TRY(example_gpu_open(error));
    size_t small = 1;
    while (small < n && 2 * (small + 3) * (small + 3) * (small + 3) * sizeof(double) <=
                            example_gpu_l2_bytes() / 2)
        small++;
    struct grids *grids = (struct grids *)calloc(1, sizeof *grids);
    if (!grids || !open_grid(&grids->whole, n) || !open_grid(&grids->small, small)) {
        if (grids)
            close_grids(grids);
        return ert_fail(error, ERT_FAILED, "no memory for a grid of %zu^3 doubles", n + 2);
    }
    *data = grids;
    return ERT_OK;
}

void spoil(void *data, const struct example_step *step)
{
    const struct grid *grid = grid_of(data, step);
    example_gpu_spoil(grid->out, cells(grid));
}

struct example_work work(const void *data, const struct example_step *step)
{
    const double n = (double)grid_of(data, step)->n;
    const double all = n * n * n * (double)kernels[(size_t)step->parameter].sweeps;
    return {7 * all, 16 * all};
}

/* What is in the grid is known by its index, so only the result is read back. */
size_t wrong(void *data, const struct example_step *step)
{
    const struct grid *grid = grid_of(data, step);
    const size_t line = grid->side, plane = line * line;
    size_t n_wrong = 0;
    double *out = example_doubles(2 * cells(grid)), *in = out + cells(grid);
    if (!out)
        return cells(grid);
    example_gpu_read(grid->out, cells(grid), out);
    for (size_t i = 0; i < cells(grid); i++)
        in[i] = example_whole(i);
    for (size_t z = 1; z <= grid->n; z++)
        for (size_t y = 1; y <= grid->n; y++)
            for (size_t x = 1; x <= grid->n; x++) {
                const size_t i = z * plane + y * line + x;
                const double sum = in[i - plane] + in[i + plane] + in[i - line] +
                                   in[i + line] + in[i - 1] + in[i + 1];
                n_wrong += !(out[i] == sum - 6 * in[i]);
            }
    free(out);
    return n_wrong;
}
} // namespace

int main(int argc, char **argv)
{
    struct example example = {};
    example.name = "gpu/stencil";
    example.purpose = "The 7-point stencil on a GPU: coalescing, reuse, L2.";
    example.n_is = "cells along a side; default 384 (two grids of 460 MB)";
    example.n = 384;
    example.least = 1;
    example.most = 2000;
    example.repeat = 5;
    example.is_gpu = true;
    example.steps = steps;
    example.n_steps = ERT_LENGTH(steps);
    example.open = open_grids;
    example.close = close_grids;
    example.spoil = spoil;
    example.work = work;
    example.wrong = wrong;
    example.energy_j = example_gpu_energy_j;
    return example_main(&example, argc, argv);
}
