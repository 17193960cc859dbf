/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops whose work is known, for the Valgrind tool: STREAM's four, a 7-point stencil, a matrix product of an
 * odd size, in one precision (-DREAL=float), with the instructions that the compiler is told.
 *
 *     known N PASSES SIDE ORDER   elements of the arrays, passes; the cube's side, the matrices'
 */
#include <rfl_region.h>

#ifndef REAL
#define REAL double
#endif

static REAL *make(size_t n)
{
    REAL *array = aligned_alloc(64, (n * sizeof(REAL) + 63) / 64 * 64);
    for (size_t i = 0; i < n; i++)
        array[i] = (REAL)(i % 7);
    return array;
}

/* Functions of their own, so that nothing in a loop is kept in memory for want of registers. */
#define LOOP(name, statement)                                                              \
    static __attribute__((noinline)) void name(size_t n, REAL s, REAL *restrict a,         \
                                               REAL *restrict b, REAL *restrict c)         \
    {                                                                                      \
        (void)s, (void)a, (void)b, (void)c;                                                \
        for (size_t i = 0; i < n; i++)                                                     \
            statement;                                                                     \
        __asm__ volatile("" ::: "memory");                                                 \
    }
LOOP(copy, c[i] = a[i])
LOOP(scale, b[i] = s * c[i])
LOOP(add, c[i] = a[i] + b[i])
LOOP(triad, a[i] = b[i] + s * c[i])

static const struct {
    const char *name;
    void (*run)(size_t n, REAL s, REAL *restrict a, REAL *restrict b, REAL *restrict c);
    int flops, arrays;
} loops[] = {
    {"copy",  copy,  0, 2},
    {"scale", scale, 1, 2},
    {"add",   add,   1, 3},
    {"triad", triad, 2, 3}
};

/* Each loop once to bring its arrays into the caches, then the passes that count. */
static void stream(size_t n, int passes)
{
    REAL *a = make(n), *b = make(n), *c = make(n);
    for (size_t l = 0; l < sizeof loops / sizeof loops[0]; l++) {
        loops[l].run(n, 3, a, b, c);
        for (int pass = 0; pass < passes; pass++) {
            rfl_region_begin(loops[l].name);
            loops[l].run(n, 3, a, b, c);
            rfl_region_end(loops[l].name);
            rfl_region_work(loops[l].name, (double)loops[l].flops * n,
                            (double)loops[l].arrays * sizeof(REAL) * n);
        }
    }
    free(a), free(b), free(c);
}

/* Inner points of a cube: 6 additions, 1 subtraction and 1 product; all of a is read, the inner b written. */
static void stencil(size_t n, int passes)
{
    const size_t inner = (n - 2) * (n - 2) * (n - 2);
    REAL *restrict a = make(n * n * n), *restrict b = make(n * n * n);
    for (int pass = 0; pass < passes; pass++) {
        rfl_region_begin("stencil");
        for (size_t k = 1; k + 1 < n; k++)
            for (size_t j = 1; j + 1 < n; j++)
                for (size_t i = 1; i + 1 < n; i++) {
                    const size_t p = (k * n + j) * n + i;
                    b[p] = a[p - n * n] + a[p - n] + a[p - 1] + a[p + 1] + a[p + n] +
                           a[p + n * n] - (REAL)6 * a[p];
                }
        rfl_region_end("stencil");
        rfl_region_work("stencil", 7.0 * inner, (double)sizeof(REAL) * (n * n * n + inner));
    }
    free(a), free(b);
}

static void product(size_t n)
{
    REAL *restrict a = make(n * n), *restrict b = make(n * n), *restrict c = make(n * n);
    rfl_region_begin("gemm");
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    rfl_region_end("gemm");
    rfl_region_work("gemm", 2.0 * n * n * n, 4.0 * sizeof(REAL) * n * n);
    free(a), free(b), free(c);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? (size_t)atol(argv[1]) : 100003;
    int passes = argc > 2 ? atoi(argv[2]) : 3;
    stream(n, passes);
    stencil(argc > 3 ? (size_t)atol(argv[3]) : 61, passes);
    product(argc > 4 ? (size_t)atol(argv[4]) : 101);
    return 0;
}
