/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The smoother of a multigrid cycle on each of its levels, of sides n, n/2, n/4 ...: damped Jacobi for 6 x -
 * (sum of the six neighbours) = f, x' = x / 4 + (f + sum) / 8 (a weight of 3/4). 9 flops a cell (6
 * additions, 2 multiplications, another addition), 24 bytes (x and f read, x' written). All levels do the
 * same work per cell; what bounds it moves from DRAM into the caches and, where a sweep is as short as the
 * wait for the other threads, to that wait.
 */
#include "examples/example.h"

#include <stdlib.h>

enum { MAX_LEVELS = 8, MOST_SWEEPS = 1024 };

struct level {
    size_t n, side, sweeps;
    double *x[2], *f;
};

struct levels {
    struct level levels[MAX_LEVELS];
};

EXAMPLE_WIDEST static void smooth_line(double *restrict out, const double *restrict in,
                                       const double *restrict f, size_t n, size_t plane,
                                       size_t line)
{
    const double *below = in - plane, *above = in + plane;
    const double *north = in - line, *south = in + line;
    for (size_t x = 0; x < n; x++)
        out[x] = 0.25 * in[x] + 0.125 * (f[x] + below[x] + above[x] + north[x] + south[x] +
                                         in[x - 1] + in[x + 1]);
}

static struct level *level_of(const void *data, const struct example_step *step)
{
    return &((struct levels *)data)->levels[(size_t)step->parameter];
}

static void sweep(const struct level *level, size_t from, struct example_range z)
{
    const size_t line = level->side, plane = line * line;
    for (size_t i = z.begin + 1; i <= z.end; i++)
        for (size_t y = 1; y <= level->n; y++) {
            const size_t at = i * plane + y * line + 1;
            smooth_line(level->x[1 - from] + at, level->x[from] + at, level->f + at,
                        level->n, plane, line);
        }
}

/* A barrier a sweep: what a launch is on a GPU. */
static void run(void *data, const struct example_step *step, struct example_team team)
{
    const struct level *level = level_of(data, step);
    const struct example_range z = example_share(level->n, team);
    for (size_t i = 0; i < level->sweeps; i++) {
        sweep(level, i % 2, z);
#pragma omp barrier
    }
}

static const struct example_step steps[MAX_LEVELS] = {
    EXAMPLE_STEP("level-0", run, 0, true, "side n, 2 sweeps"),
    EXAMPLE_STEP("level-1", run, 1, true, "n/2, 16 sweeps"),
    EXAMPLE_STEP("level-2", run, 2, true, "n/4, 128 sweeps"),
    EXAMPLE_STEP("level-3", run, 3, true, "n/8, 1024 sweeps"),
    EXAMPLE_STEP("level-4", run, 4, true, "n/16, 1024 sweeps"),
    EXAMPLE_STEP("level-5", run, 5, true, "n/32, 1024 sweeps"),
    EXAMPLE_STEP("level-6", run, 6, true, "n/64, 1024 sweeps"),
    EXAMPLE_STEP("level-7", run, 7, true, "n/128, 1024 sweeps"),
};

static void close_levels(void *data)
{
    struct levels *levels = data;
    for (size_t i = 0; i < MAX_LEVELS; i++) {
        free(levels->levels[i].x[0]);
        free(levels->levels[i].x[1]);
        free(levels->levels[i].f);
    }
    free(levels);
}

/*
 * x whole numbers with a border of zeros, f such that x is the solution: each sweep must give x again,
 * exactly.
 */
static void fill(struct level *level, size_t threads)
{
    const size_t line = level->side, plane = line * line, n = level->n;
#pragma omp parallel for num_threads((int)threads)
    for (size_t i = 0; i < plane * line; i++) {
        const size_t z = i / plane, y = i / line % line, x = i % line;
        const bool is_inside = z >= 1 && z <= n && y >= 1 && y <= n && x >= 1 && x <= n;
        level->x[0][i] = is_inside ? example_whole(i) : 0;
        level->x[1][i] = level->x[0][i];
        level->f[i] = 0;
    }
#pragma omp parallel for num_threads((int)threads)
    for (size_t z = 1; z <= n; z++)
        for (size_t i = z * plane + line; i < z * plane + (n + 1) * line; i++) {
            const double *x = level->x[0] + i;
            level->f[i] =
                6 * x[0] - x[-1] - x[1] - *(x - line) - x[line] - *(x - plane) - x[plane];
        }
}

static enum ert_status open_levels(size_t n, size_t threads, void **data,
                                   struct ert_error *error)
{
    struct levels *levels = calloc(1, sizeof *levels);
    size_t sweeps = 2;
    for (size_t i = 0; levels && i < MAX_LEVELS && n > 0; i++, n /= 2) {
        struct level *level = &levels->levels[i];
        *level = (struct level){.n = n, .side = n + 2, .sweeps = sweeps};
        const size_t cells = level->side * level->side * level->side;
        if (!(level->x[0] = example_doubles(cells)) ||
            !(level->x[1] = example_doubles(cells)) ||
            !(level->f = example_doubles(cells))) {
            close_levels(levels);
            return ert_fail(error, ERT_FAILED, "no memory for 3 grids of %zu^3 doubles",
                            n + 2);
        }
        fill(level, threads);
        if ((sweeps *= 8) > MOST_SWEEPS)
            sweeps = MOST_SWEEPS;
    }
    *data = levels;
    return levels ? ERT_OK : ert_fail(error, ERT_FAILED, "no memory");
}

static const char *lacks(void *data, const struct example_step *step)
{
    return level_of(data, step)->n > 0 ? NULL : "no cell is left on this level";
}

/* The other array: what a sweep does not write is read by the next one. */
static void spoil(void *data, const struct example_step *step)
{
    const struct level *level = level_of(data, step);
    const size_t line = level->side;
    for (size_t z = 1; z <= level->n; z++)
        for (size_t y = 1; y <= level->n; y++)
            for (size_t x = 1; x <= level->n; x++)
                level->x[1][(z * line + y) * line + x] = -1e9;
}

static struct example_work work(const void *data, const struct example_step *step)
{
    const struct level *level = level_of(data, step);
    const double cells =
        (double)level->sweeps * (double)level->n * (double)level->n * (double)level->n;
    return (struct example_work){9 * cells, 24 * cells};
}

static size_t wrong(void *data, const struct example_step *step)
{
    const struct level *level = level_of(data, step);
    const size_t line = level->side;
    size_t n_wrong = 0;
    for (size_t z = 1; z <= level->n; z++)
        for (size_t y = 1; y <= level->n; y++)
            for (size_t x = 1; x <= level->n; x++) {
                const size_t i = (z * line + y) * line + x;
                n_wrong += level->x[0][i] != example_whole(i) ||
                           level->x[1][i] != example_whole(i);
            }
    return n_wrong;
}

int main(int argc, char **argv)
{
    static const struct example example = {
        .name = "smoother",
        .purpose =
            "A multigrid smoother, level by level: from DRAM to the wait for a barrier.",
        .n_is =
            "cells along a side of the finest level; default 256 (three grids of 137 MB)",
        .n = 256,
        .least = 1,
        .most = 4096,
        .repeat = 3,
        .steps = steps,
        .n_steps = ERT_LENGTH(steps),
        .open = open_levels,
        .close = close_levels,
        .lacks = lacks,
        .spoil = spoil,
        .work = work,
        .wrong = wrong,
    };
    return example_main(&example, argc, argv);
}
