/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The multigrid smoother of smoother.c on a GPU, a launch for a sweep: x' = x / 4 + (f + sum of the six
 * neighbours) / 8. 9 flops and 24 bytes a cell on all levels; what bounds it moves from HBM into L2 and then
 * to the launch itself.
 */
#include "examples/gpu/gpu.h"

#include <stdlib.h>

namespace
{
enum { WIDE = 32, HIGH = 8, MAX_LEVELS = 8, MOST_SWEEPS = 256 };

struct level {
    size_t n, side, sweeps;
    double *x[2], *f;
};

struct levels {
    struct level levels[MAX_LEVELS];
};

/* A kernel for each level, all the same, so that a profile tells them apart. */
template <int LEVEL>
__global__ void smooth(double *__restrict__ out, const double *__restrict__ in,
                       const double *__restrict__ f, size_t n)
{
    const size_t x = (size_t)blockIdx.x * WIDE + threadIdx.x + 1;
    const size_t y = (size_t)blockIdx.y * HIGH + threadIdx.y + 1, z = blockIdx.z + 1;
    const size_t line = n + 2, plane = line * line, i = z * plane + y * line + x;
    if (x > n || y > n)
        return;
    out[i] = 0.25 * in[i] + 0.125 * (f[i] + in[i - plane] + in[i + plane] + in[i - line] +
                                     in[i + line] + in[i - 1] + in[i + 1]);
}

typedef void kernel(double *, const double *, const double *, size_t);
kernel *const kernels[MAX_LEVELS] = {smooth<0>, smooth<1>, smooth<2>, smooth<3>,
                                     smooth<4>, smooth<5>, smooth<6>, smooth<7>};

struct level *level_of(const void *data, const struct example_step *step)
{
    return &((struct levels *)data)->levels[(size_t)step->parameter];
}

void run(void *data, const struct example_step *step, struct example_team)
{
    const struct level *level = level_of(data, step);
    const dim3 blocks((unsigned)((level->n + WIDE - 1) / WIDE),
                      (unsigned)((level->n + HIGH - 1) / HIGH), (unsigned)level->n);
    for (size_t i = 0; i < level->sweeps; i++)
        kernels[(size_t)step->parameter]<<<blocks, dim3(WIDE, HIGH)>>>(
            level->x[1 - i % 2], level->x[i % 2], level->f, level->n);
    example_gpu_wait();
}

const struct example_step steps[MAX_LEVELS] = {
    EXAMPLE_STEP("level-0", run, 0, true, "side n, 2 sweeps"),
    EXAMPLE_STEP("level-1", run, 1, true, "n/2, 16 sweeps"),
    EXAMPLE_STEP("level-2", run, 2, true, "n/4, 128 sweeps"),
    EXAMPLE_STEP("level-3", run, 3, true, "n/8, 256 sweeps"),
    EXAMPLE_STEP("level-4", run, 4, true, "n/16, 256 sweeps"),
    EXAMPLE_STEP("level-5", run, 5, true, "n/32, 256 sweeps"),
    EXAMPLE_STEP("level-6", run, 6, true, "n/64, 256 sweeps"),
    EXAMPLE_STEP("level-7", run, 7, true, "n/128, 256 sweeps"),
};

void close_levels(void *data)
{
    struct levels *levels = (struct levels *)data;
    for (size_t i = 0; i < MAX_LEVELS; i++) {
        example_gpu_free(levels->levels[i].x[0]);
        example_gpu_free(levels->levels[i].x[1]);
        example_gpu_free(levels->levels[i].f);
    }
    free(levels);
}

/*
 * x whole numbers with a border of zeros, f such that x is the solution: each sweep must give x again,
 * exactly.
 */
bool open_level(struct level *level, size_t n, size_t sweeps)
{
    const size_t line = n + 2, plane = line * line, cells = plane * line;
    double *x = example_doubles(2 * cells), *f = x + cells;
    if (!x)
        return false;
    for (size_t i = 0; i < cells; i++) {
        const size_t px = i % line, py = i / line % line, pz = i / plane;
        const bool is_inside =
            px >= 1 && px <= n && py >= 1 && py <= n && pz >= 1 && pz <= n;
        x[i] = is_inside ? example_whole(i) : 0;
    }
    for (size_t i = 0; i < cells; i++)
        f[i] = i < plane || i >= cells - plane
                   ? 0
                   : 6 * x[i] - x[i - 1] - x[i + 1] - x[i - line] - x[i + line] -
                         x[i - plane] - x[i + plane];
    *level = {
        n,
        line,
        sweeps,
        {example_gpu_doubles(cells, x), example_gpu_doubles(cells, x)},
        example_gpu_doubles(cells, f)
    };
    free(x);
    return true;
}

enum ert_status open_levels(size_t n, size_t, void **data, struct ert_error *error)
{
    ERT_TRY(example_gpu_open(error));
    struct levels *levels = (struct levels *)calloc(1, sizeof *levels);
    size_t sweeps = 2;
    bool is_open = levels;
    for (size_t i = 0; is_open && i < MAX_LEVELS && n > 0; i++, n /= 2) {
        is_open = open_level(&levels->levels[i], n, sweeps);
        if ((sweeps *= 8) > MOST_SWEEPS)
            sweeps = MOST_SWEEPS;
    }
    if (!is_open) {
        if (levels)
            close_levels(levels);
        return ert_fail(error, ERT_FAILED, "no memory for 2 grids of %zu^3 doubles", n + 2);
    }
    *data = levels;
    return ERT_OK;
}

const char *lacks(void *data, const struct example_step *step)
{
    return level_of(data, step)->n > 0 ? NULL : "no cell is left on this level";
}

/* The other array; its border, zeros, stays: it is read and never written. */
void spoil(void *data, const struct example_step *step)
{
    const struct level *level = level_of(data, step);
    const size_t line = level->side, plane = line * line;
    for (size_t z = 1; z <= level->n; z++)
        for (size_t y = 1; y <= level->n; y++)
            example_gpu_spoil(level->x[1] + z * plane + y * line + 1, level->n);
}

struct example_work work(const void *data, const struct example_step *step)
{
    const struct level *level = level_of(data, step);
    const double n = (double)level->n, cells = (double)level->sweeps * n * n * n;
    return {9 * cells, 24 * cells};
}

size_t wrong(void *data, const struct example_step *step)
{
    const struct level *level = level_of(data, step);
    const size_t line = level->side, plane = line * line;
    size_t n_wrong = 0;
    double *x = example_doubles(plane * line);
    for (size_t array = 0; x && array < 2; array++) {
        example_gpu_read(level->x[array], plane * line, x);
        for (size_t z = 1; z <= level->n; z++)
            for (size_t y = 1; y <= level->n; y++)
                for (size_t i = z * plane + y * line + 1;
                     i <= z * plane + y * line + level->n; i++)
                    n_wrong += !(x[i] == example_whole(i));
    }
    n_wrong += !x;
    free(x);
    return n_wrong;
}
} // namespace

int main(int argc, char **argv)
{
    struct example example = {};
    example.name = "gpu/smoother";
    example.purpose = "A multigrid smoother, level by level: from HBM to the launch.";
    example.n_is =
        "cells along a side of the finest level; default 384 (three grids of 460 MB)";
    example.n = 384;
    example.least = 1;
    example.most = 2000;
    example.repeat = 3;
    example.is_gpu = true;
    example.steps = steps;
    example.n_steps = ERT_LENGTH(steps);
    example.open = open_levels;
    example.close = close_levels;
    example.lacks = lacks;
    example.spoil = spoil;
    example.work = work;
    example.wrong = wrong;
    example.energy_j = example_gpu_energy_j;
    return example_main(&example, argc, argv);
}
