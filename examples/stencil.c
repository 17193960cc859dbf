/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 7-point stencil: out = sum of the six neighbours - 6 x the cell, on n^3 cells with a border. 7 flops a
 * cell (5 additions, one multiplication, one subtraction; the last two may be one FMA). 16 bytes where
 * caches keep all but one read and one write, 64 where they keep nothing.
 */
#include "examples/example.h"

#include <stdlib.h>
#include <string.h>

/* (n + 2)^3 values; a line is contiguous, a plane is `side` lines. */
struct grid {
    size_t n, side;
    double *in, *out;
};

struct grids {
    struct grid whole, small; /* small: both of its arrays together fill half of L2 */
};

static const struct grid *grid_of(const void *data, const struct example_step *step)
{
    const struct grids *grids = data;
    return step->parameter == 0 ? &grids->whole : &grids->small;
}

static size_t at(const struct grid *grid, size_t z, size_t y, size_t x)
{
    return (z * grid->side + y) * grid->side + x;
}

/* Cells x = 1 ... n of one line; `plane` and `line` are the distances of the neighbours. */
EXAMPLE_WIDEST static void stencil_line(double *restrict out, const double *restrict in,
                                        size_t n, size_t plane, size_t line)
{
    const double *below = in - plane, *above = in + plane;
    const double *north = in - line, *south = in + line;
    for (size_t x = 0; x < n; x++)
        out[x] =
            below[x] + above[x] + north[x] + south[x] + in[x - 1] + in[x + 1] - 6 * in[x];
}

static void run_lines(const struct grid *grid, struct example_range z, size_t first_y,
                      size_t end_y)
{
    const size_t plane = grid->side * grid->side;
    for (size_t i = z.begin + 1; i <= z.end; i++)
        for (size_t y = first_y; y < end_y; y++)
            stencil_line(grid->out + at(grid, i, y, 1), grid->in + at(grid, i, y, 1),
                         grid->n, plane, grid->side);
}

/* The indices in the order of a Fortran loop nest: neighbours in time are a plane apart in memory. */
static void run_strided(void *data, const struct example_step *step,
                        struct example_team team)
{
    const struct grid *grid = grid_of(data, step);
    const struct example_range range = example_share(grid->n, team);
    const size_t plane = grid->side * grid->side, line = grid->side;
    const double *in = grid->in;
    for (size_t x = 1; x <= grid->n; x++)
        for (size_t y = 1; y <= grid->n; y++)
            for (size_t z = range.begin + 1; z <= range.end; z++) {
                const size_t i = at(grid, z, y, x);
                grid->out[i] = in[i - plane] + in[i + plane] + in[i - line] + in[i + line] +
                               in[i - 1] + in[i + 1] - 6 * in[i];
            }
}

static void run_naive(void *data, const struct example_step *step, struct example_team team)
{
    const struct grid *grid = grid_of(data, step);
    run_lines(grid, example_share(grid->n, team), 1, grid->n + 1);
}

/* Lines of a plane that let three planes of the input and one of the output stay in half of L2. */
static size_t lines_in_l2(const struct grid *grid)
{
    const size_t lines = example_cache_bytes(2) / 2 / (4 * grid->side * sizeof(double));
    return lines < 1 ? 1 : lines;
}

static void run_blocked(void *data, const struct example_step *step,
                        struct example_team team)
{
    const struct grid *grid = grid_of(data, step);
    const size_t lines = lines_in_l2(grid);
    for (size_t y = 1; y <= grid->n; y += lines)
        run_lines(grid, example_share(grid->n, team), y,
                  y + lines <= grid->n ? y + lines : grid->n + 1);
}

enum { SMALL_SWEEPS = 100 };

static void run_small(void *data, const struct example_step *step, struct example_team team)
{
    const struct grid *grid = grid_of(data, step);
    for (size_t i = 0; i < SMALL_SWEEPS; i++)
        run_lines(grid, example_share(grid->n, team), 1, grid->n + 1);
}

static const struct example_step steps[] = {
    EXAMPLE_STEP("strided", run_strided, 0, true,
                 "inner loop along z: a line for every value"),
    EXAMPLE_STEP("naive", run_naive, 0, false, "inner loop along x: contiguous, vectors"),
    EXAMPLE_STEP("blocked", run_blocked, 0, false, "y in blocks: three planes stay in L2"),
    EXAMPLE_STEP("in-cache", run_small, 1, false, "a grid that fits L2, 100 sweeps"),
};

static void close_grids(void *data)
{
    struct grids *grids = data;
    free(grids->whole.in);
    free(grids->whole.out);
    free(grids->small.in);
    free(grids->small.out);
    free(grids);
}

static bool open_grid(struct grid *grid, size_t n, size_t threads)
{
    grid->n = n;
    grid->side = n + 2;
    const size_t plane = grid->side * grid->side;
    if (!(grid->in = example_doubles(plane * grid->side)) ||
        !(grid->out = example_doubles(plane * grid->side)))
        return false;
#pragma omp parallel for num_threads((int)threads)
    for (size_t z = 0; z < grid->side; z++)
        for (size_t i = z * plane; i < (z + 1) * plane; i++) {
            grid->in[i] = example_whole(i);
            grid->out[i] = 0;
        }
    return true;
}

/* The largest grid of which a thread's part of both arrays fills half of its L2. */
static size_t small_side(size_t threads, size_t most)
{
    size_t n = 1;
    while (n < most && 2 * (n + 3) * (n + 3) * (n + 3) * sizeof(double) <=
                           threads * example_cache_bytes(2) / 2)
        n++;
    return n;
}

static enum ert_status open_grids(size_t n, size_t threads, void **data,
                                  struct ert_error *error)
{
    struct grids *grids = calloc(1, sizeof *grids);
    if (!grids || !open_grid(&grids->whole, n, threads) ||
        !open_grid(&grids->small, small_side(threads, n), threads)) {
        if (grids)
            close_grids(grids);
        return ert_fail(error, ERT_FAILED, "no memory for 2 grids of %zu^3 doubles", n + 2);
    }
    *data = grids;
    return ERT_OK;
}

static void spoil(void *data, const struct example_step *step)
{
    const struct grid *grid = grid_of(data, step);
    for (size_t i = 0; i < grid->side * grid->side * grid->side; i++)
        grid->out[i] = -1e9;
}

static struct example_work work(const void *data, const struct example_step *step)
{
    const struct grid *grid = grid_of(data, step);
    const double sweeps = step->parameter == 0 ? 1 : SMALL_SWEEPS;
    const double cells = sweeps * (double)grid->n * (double)grid->n * (double)grid->n;
    return (struct example_work){7 * cells, 16 * cells};
}

static size_t wrong(void *data, const struct example_step *step)
{
    const struct grid *grid = grid_of(data, step);
    size_t n_wrong = 0;
    for (size_t z = 1; z <= grid->n; z++)
        for (size_t y = 1; y <= grid->n; y++)
            for (size_t x = 1; x <= grid->n; x++) {
                const double sum =
                    grid->in[at(grid, z - 1, y, x)] + grid->in[at(grid, z + 1, y, x)] +
                    grid->in[at(grid, z, y - 1, x)] + grid->in[at(grid, z, y + 1, x)] +
                    grid->in[at(grid, z, y, x - 1)] + grid->in[at(grid, z, y, x + 1)];
                n_wrong +=
                    grid->out[at(grid, z, y, x)] != sum - 6 * grid->in[at(grid, z, y, x)];
            }
    return n_wrong;
}

int main(int argc, char **argv)
{
    static const struct example example = {
        .name = "stencil",
        .purpose = "The 7-point stencil: what caches keep decides its intensity.",
        .n_is = "cells along a side; default 256 (two grids of 137 MB)",
        .n = 256,
        .least = 1,
        .most = 4096,
        .repeat = 5,
        .steps = steps,
        .n_steps = ERT_LENGTH(steps),
        .open = open_grids,
        .close = close_grids,
        .spoil = spoil,
        .work = work,
        .wrong = wrong,
    };
    return example_main(&example, argc, argv);
}
