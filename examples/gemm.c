/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C = A B of n x n doubles, row by row in memory, in six steps after Ilic, Pratas, Sousa, "Beyond the
 * Roofline: Cache-Aware Power and Energy-Efficiency Modeling for Multi-Cores" (IEEE ToC 66, 2017,
 * doi:10.1109/TC.2016.2582151). 2 n^3 flops and, at the least, 24 n^2 bytes: what steps change is the bytes
 * between the levels, and then how many operations each loaded value serves. Threads share the rows of C.
 */
#include "examples/example.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* cblas_dgemm of any BLAS: row-major 101, not transposed 111. */
typedef void dgemm_function(int order, int a_way, int b_way, int m, int n, int k,
                            double alpha, const double *a, int lda, const double *b,
                            int ldb, double beta, double *c, int ldc);

/* The part of C that step 5 keeps in registers. */
struct tile {
    size_t rows, columns;
    void (*multiply)(size_t depth, const double *a, const double *b, double *c,
                     size_t stride);
};
enum { MAX_TILE = 12 * 16 };

struct matrices {
    size_t n, threads;
    double *a, *b, *c;
    double *b_other;   /* B transposed, or in panels */
    double **a_packed; /* a thread's block of A */
    struct tile tile;
    dgemm_function *dgemm;
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t at_least_1(size_t n)
{
    return n > 0 ? n : 1;
}

/* Step 1. Every b[k][j] is a line of its own for the inner loop. */
static void run_naive(void *data, const struct example_step *step, struct example_team team)
{
    const struct matrices *m = data;
    const struct example_range rows = example_share(m->n, team);
    (void)step;
    for (size_t i = rows.begin; i < rows.end; i++)
        for (size_t j = 0; j < m->n; j++) {
            double sum = 0;
            for (size_t k = 0; k < m->n; k++)
                sum += m->a[i * m->n + k] * m->b[k * m->n + j];
            m->c[i * m->n + j] = sum;
        }
}

static void transpose(const struct matrices *m, struct example_team team)
{
    const struct example_range columns = example_share(m->n, team);
    for (size_t k = 0; k < m->n; k++)
        for (size_t j = columns.begin; j < columns.end; j++)
            m->b_other[j * m->n + k] = m->b[k * m->n + j];
#pragma omp barrier
}

/* c[0 ... columns - 1] += one row of A, `depth` long, with rows of B transposed, which are `stride` apart. */
EXAMPLE_WIDEST static void add_dots(double *restrict c, const double *restrict a,
                                    const double *restrict b, size_t columns, size_t depth,
                                    size_t stride)
{
    for (size_t j = 0; j < columns; j++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t k = 0; k < depth; k++)
            sum += a[k] * b[j * stride + k];
        c[j] += sum;
    }
}

/* All of C's own rows, B's transposed columns in blocks of `width` and `depth`. */
static void run_blocks(const struct matrices *m, size_t width, size_t depth,
                       struct example_team team)
{
    const struct example_range rows = example_share(m->n, team);
    transpose(m, team);
    memset(m->c + rows.begin * m->n, 0, (rows.end - rows.begin) * m->n * sizeof(double));
    for (size_t k = 0; k < m->n; k += depth)
        for (size_t j = 0; j < m->n; j += width)
            for (size_t i = rows.begin; i < rows.end; i++)
                add_dots(m->c + i * m->n + j, m->a + i * m->n + k,
                         m->b_other + j * m->n + k, smaller(width, m->n - j),
                         smaller(depth, m->n - k), m->n);
}

static void run_transposed(void *data, const struct example_step *step,
                           struct example_team team)
{
    const struct matrices *m = data;
    (void)step;
    run_blocks(m, m->n, m->n, team);
}

/* Half of a cache holds the block of B, which all rows of A pass by. */
static void run_l3(void *data, const struct example_step *step, struct example_team team)
{
    const struct matrices *m = data;
    (void)step;
    run_blocks(m, at_least_1(example_cache_bytes(3) / 2 / (m->n * sizeof(double))), m->n,
               team);
}

/* A page of depth keeps the streams few; the rest of half of L2 is width. */
enum { L2_DEPTH = 512 };

static void run_l2(void *data, const struct example_step *step, struct example_team team)
{
    (void)step;
    run_blocks(data, at_least_1(example_cache_bytes(2) / 2 / (L2_DEPTH * sizeof(double))),
               L2_DEPTH, team);
}

/*
 * c += a b for a tile of C, `rows` x `vectors`, whose sums stay in registers; c's lines are `stride` apart,
 * a and b are packed as they are read. As many sums as there are registers for, beside those for a row of B
 * and a value of A.
 */
#define MULTIPLY(name, target, bytes, rows, vectors)                                       \
    target static void name(size_t depth, const double *restrict a,                        \
                            const double *restrict b, double *restrict c, size_t stride)   \
    {                                                                                      \
        typedef double vector __attribute__((vector_size(bytes), aligned(8)));             \
        enum { LANES = (bytes) / sizeof(double) };                                         \
        vector sum[rows][vectors] = {0}, right[vectors];                                   \
        for (size_t k = 0; k < depth; k++) {                                               \
            EACH(j, vectors)                                                               \
            right[j] = *(const vector *)(b + (k * (vectors) + j) * LANES);                 \
            EACH(i, rows) EACH(j, vectors) sum[i][j] += a[k * (rows) + i] * right[j];      \
        }                                                                                  \
        EACH(i, rows) EACH(j, vectors)                                                     \
        {                                                                                  \
            vector *place = (vector *)(c + i * stride + j * LANES);                        \
            *place += sum[i][j];                                                           \
        }                                                                                  \
    }
#define EACH(i, n) _Pragma("GCC unroll 16") for (size_t i = 0; i < (n); i++)

#ifdef __x86_64__
MULTIPLY(multiply_avx512, __attribute__((target("avx512f"))), 64, 12, 2)
MULTIPLY(multiply_avx2, __attribute__((target("avx2,fma"))), 32, 6, 2)
#endif
MULTIPLY(multiply_any, , 16, 4, 2)

static struct tile best_tile(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        return (struct tile){12, 16, multiply_avx512};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (struct tile){6, 8, multiply_avx2};
#endif
    return (struct tile){4, 4, multiply_any};
}

/* B in panels as wide as a tile, zeros beyond its edge: panel p begins at p x width x n. */
static void pack_b(const struct matrices *m, struct example_team team)
{
    const size_t width = m->tile.columns, panels = (m->n + width - 1) / width;
    const struct example_range own = example_share(panels, team);
    for (size_t p = own.begin; p < own.end; p++)
        for (size_t k = 0; k < m->n; k++)
            for (size_t j = 0; j < width; j++)
                m->b_other[(p * m->n + k) * width + j] =
                    p * width + j < m->n ? m->b[k * m->n + p * width + j] : 0;
#pragma omp barrier
}

/* Rows of A from `first`, `depth` of each from column k, a tile's rows side by side. */
static void pack_a(const struct matrices *m, double *packed, size_t first, size_t end,
                   size_t k, size_t depth)
{
    for (size_t i = first; i < end; i += m->tile.rows)
        for (size_t l = 0; l < depth; l++)
            for (size_t r = 0; r < m->tile.rows; r++)
                *packed++ = i + r < end ? m->a[(i + r) * m->n + k + l] : 0;
}

/* Adds a tile's product to C; one over C's edge goes through a place of its own. */
static void add_product(const struct matrices *m, size_t depth, const double *a,
                        const double *b, size_t i, size_t end, size_t j)
{
    const struct tile *tile = &m->tile;
    const size_t width = tile->columns;
    const size_t rows = smaller(tile->rows, end - i), columns = smaller(width, m->n - j);
    double *c = m->c + i * m->n + j, whole[MAX_TILE] = {0};
    if (rows == tile->rows && columns == width) {
        tile->multiply(depth, a, b, c, m->n);
        return;
    }
    tile->multiply(depth, a, b, whole, width);
    for (size_t r = 0; r < rows; r++)
        for (size_t s = 0; s < columns; s++)
            c[r * m->n + s] += whole[r * width + s];
}

/* How deep and how high the blocks of step 5 are: a panel of B fills half of L1, a block of A half of L2. */
static size_t block_depth(const struct tile *tile)
{
    return at_least_1(example_cache_bytes(1) / 2 / (tile->columns * sizeof(double)));
}

static size_t block_rows(const struct tile *tile)
{
    const size_t rows = example_cache_bytes(2) / 2 / (block_depth(tile) * sizeof(double));
    return at_least_1(rows / tile->rows) * tile->rows;
}

/* The three loops around the tile are those of Goto and van de Geijn (ACM TOMS 34, 2008). */
static void run_registers(void *data, const struct example_step *step,
                          struct example_team team)
{
    const struct matrices *m = data;
    const struct tile *tile = &m->tile;
    const struct example_range rows = example_share(m->n, team);
    const size_t width = tile->columns, height = block_rows(tile);
    double *packed = m->a_packed[team.thread];
    (void)step;
    pack_b(m, team);
    memset(m->c + rows.begin * m->n, 0, (rows.end - rows.begin) * m->n * sizeof(double));
    for (size_t k = 0; k < m->n; k += block_depth(tile)) {
        const size_t depth = smaller(block_depth(tile), m->n - k);
        for (size_t first = rows.begin; first < rows.end; first += height) {
            const size_t end = smaller(first + height, rows.end);
            pack_a(m, packed, first, end, k, depth);
            for (size_t j = 0; j < m->n; j += width)
                for (size_t i = first; i < end; i += tile->rows)
                    add_product(m, depth, packed + (i - first) * depth,
                                m->b_other + j * m->n + k * width, i, end, j);
        }
    }
}

/* Each thread its rows, so that the region counts what each of them does. */
static void run_library(void *data, const struct example_step *step,
                        struct example_team team)
{
    const struct matrices *m = data;
    const struct example_range rows = example_share(m->n, team);
    const int n = (int)m->n, height = (int)(rows.end - rows.begin);
    (void)step;
    if (height > 0)
        m->dgemm(101, 111, 111, height, n, n, 1, m->a + rows.begin * m->n, n, m->b, n, 0,
                 m->c + rows.begin * m->n, n);
}

static const struct example_step steps[] = {
    EXAMPLE_STEP("1-naive", run_naive, 0, true, "three loops, B down its columns"),
    EXAMPLE_STEP("2-transposed", run_transposed, 0, false,
                 "B transposed first: contiguous, vectors"),
    EXAMPLE_STEP("3-block-l3", run_l3, 0, false, "columns of B in blocks that stay in L3"),
    EXAMPLE_STEP("4-block-l2", run_l2, 0, false, "and in depth: blocks stay in L2"),
    EXAMPLE_STEP("5-registers", run_registers, 0, false,
                 "panels in L1, a tile of C in registers"),
    EXAMPLE_STEP("6-library", run_library, 1, false,
                 "OpenBLAS, MKL, BLIS or ArmPL, if installed"),
};

/* Opened at run time: the example builds and runs without one. One thread: the team is the parallelism. */
static dgemm_function *find_library(void)
{
    static const struct {
        const char *file, *set_threads;
    } libraries[] = {
        {"libmkl_rt.so.2",   "MKL_Set_Num_Threads"       },
        {"libopenblas.so.0", "openblas_set_num_threads"  },
        {"libblis.so.4",     "bli_thread_set_num_threads"},
        {"libarmpl_lp64.so", NULL                        }
    };
    for (size_t i = 0; i < ERT_LENGTH(libraries); i++) {
        void *library = dlopen(libraries[i].file, RTLD_NOW);
        if (!library)
            continue;
        void (*set_threads)(long) = NULL;
        dgemm_function *dgemm;
        *(void **)&dgemm = dlsym(library, "cblas_dgemm");
        if (libraries[i].set_threads)
            *(void **)&set_threads = dlsym(library, libraries[i].set_threads);
        if (set_threads)
            set_threads(1);
        return dgemm;
    }
    return NULL;
}

static const char *lacks(void *data, const struct example_step *step)
{
    const struct matrices *m = data;
    return step->parameter == 0 || m->dgemm ? NULL : "no BLAS was found (libopenblas0)";
}

static void close_matrices(void *data)
{
    struct matrices *m = data;
    for (size_t i = 0; m->a_packed && i < m->threads; i++)
        free(m->a_packed[i]);
    free(m->a_packed);
    free(m->a);
    free(m->b);
    free(m->b_other);
    free(m->c);
    free(m);
}

static bool allocate(struct matrices *m)
{
    const size_t width = m->tile.columns;
    if (!(m->a_packed = calloc(m->threads, sizeof *m->a_packed)))
        return false;
    for (size_t i = 0; i < m->threads; i++)
        if (!(m->a_packed[i] =
                  example_doubles(block_rows(&m->tile) * block_depth(&m->tile))))
            return false;
    return (m->a = example_doubles(m->n * m->n)) && (m->b = example_doubles(m->n * m->n)) &&
           (m->c = example_doubles(m->n * m->n)) &&
           (m->b_other = example_doubles((m->n + width) * m->n));
}

static enum ert_status open_matrices(size_t n, size_t threads, void **data,
                                     struct ert_error *error)
{
    struct matrices *m = calloc(1, sizeof *m);
    if (m)
        *m = (struct matrices){
            .n = n, .threads = threads, .tile = best_tile(), .dgemm = find_library()};
    if (!m || !allocate(m)) {
        if (m)
            close_matrices(m);
        return ert_fail(error, ERT_FAILED, "no memory for 4 matrices of %zu^2 doubles", n);
    }
#pragma omp parallel for num_threads((int)threads)
    for (size_t i = 0; i < n * n; i++) {
        m->a[i] = example_whole(2 * i);
        m->b[i] = example_whole(2 * i + 1);
        m->c[i] = m->b_other[i] = 0;
    }
    *data = m;
    return ERT_OK;
}

static void spoil(void *data, const struct example_step *step)
{
    const struct matrices *m = data;
    (void)step;
    for (size_t i = 0; i < m->n * m->n; i++)
        m->c[i] = m->b_other[i] = -1e9;
}

static struct example_work work(const void *data, const struct example_step *step)
{
    const double n = (double)((const struct matrices *)data)->n;
    (void)step;
    return (struct example_work){2 * n * n * n, 24 * n * n};
}

/* y = M x, exact: x are whole numbers up to 97, and all sums are below 2^53. */
static void apply(const double *matrix, const double *x, size_t n, double *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t k = 0; k < n; k++)
            y[i] += matrix[i * n + k] * x[k];
    }
}

/*
 * Rows in which C x differs from A (B x) for an x without zeros (Freivalds, IFIP 1977): n^2 operations
 * instead of n^3, and any single wrong element is seen.
 */
static size_t wrong(void *data, const struct example_step *step)
{
    const struct matrices *m = data;
    size_t n_wrong = 0;
    double *x = example_doubles(4 * m->n), *bx = x + m->n, *abx = bx + m->n,
           *cx = abx + m->n;
    (void)step;
    if (!x)
        return m->n;
    for (size_t i = 0; i < m->n; i++)
        x[i] = (double)(1 + i * 31 % 97);
    apply(m->b, x, m->n, bx);
    apply(m->a, bx, m->n, abx);
    apply(m->c, x, m->n, cx);
    for (size_t i = 0; i < m->n; i++)
        n_wrong += cx[i] != abx[i];
    free(x);
    return n_wrong;
}

int main(int argc, char **argv)
{
    static const struct example example = {
        .name = "gemm",
        .purpose = "Matrix multiplication in six steps, from memory to the FMA units.",
        .n_is = "rows and columns; default 1200 (11.5 MB each)",
        .n = 1200,
        .least = 1,
        .most = 30000,
        .repeat = 1,
        .steps = steps,
        .n_steps = ERT_LENGTH(steps),
        .open = open_matrices,
        .close = close_matrices,
        .lacks = lacks,
        .spoil = spoil,
        .work = work,
        .wrong = wrong,
    };
    return example_main(&example, argc, argv);
}
