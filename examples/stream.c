/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * STREAM triad (McCalpin): a = b + s c, with ordinary and with streaming stores. 2 flops and 24 bytes an
 * element.
 */
#include "examples/example.h"

#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct arrays {
    size_t n;
    double *a, *b, *c;
};

static const double SCALE = 3;

EXAMPLE_WIDEST static void triad(double *restrict a, const double *restrict b,
                                 const double *restrict c, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        a[i] = b[i] + SCALE * c[i];
}

static void run_ordinary(void *data, const struct example_step *step,
                         struct example_team team)
{
    const struct arrays *x = data;
    (void)step;
    const struct example_range range = example_share(x->n, team);
    triad(x->a, x->b, x->c, range.begin, range.end);
}

#ifdef __SSE2__
static const bool HAS_STREAMING = true;

/* 16 bytes at a time: write-combining buffers gather them into lines, wider stores gain nothing at DRAM. */
static void run_streaming(void *data, const struct example_step *step,
                          struct example_team team)
{
    const struct arrays *x = data;
    (void)step;
    const struct example_range range = example_share(x->n, team);
    const __m128d scale = _mm_set1_pd(SCALE);
    double *a = x->a; /* copies: for all the compiler knows, the stores change *x */
    const double *b = x->b, *c = x->c;
    size_t i = range.begin;
    for (; i < range.end && i % 2 != 0; i++)
        a[i] = b[i] + SCALE * c[i];
    for (; i + 2 <= range.end; i += 2)
        _mm_stream_pd(
            a + i, _mm_add_pd(_mm_load_pd(b + i), _mm_mul_pd(scale, _mm_load_pd(c + i))));
    for (; i < range.end; i++)
        a[i] = b[i] + SCALE * c[i];
    _mm_sfence();
}
#else
static const bool HAS_STREAMING = false;

static void run_streaming(void *data, const struct example_step *step,
                          struct example_team team)
{
    run_ordinary(data, step, team);
}
#endif

static const struct example_step steps[] = {
    EXAMPLE_STEP("triad", run_ordinary, 0, true,
                 "a line is read before it is written: 32 bytes move"),
    EXAMPLE_STEP("triad-streaming", run_streaming, 1, false,
                 "past the caches: 24 bytes move"),
};

static void close_arrays(void *data)
{
    struct arrays *x = data;
    free(x->a);
    free(x->b);
    free(x->c);
    free(x);
}

static enum ert_status open_arrays(size_t n, size_t threads, void **data,
                                   struct ert_error *error)
{
    struct arrays *x = calloc(1, sizeof *x);
    if (!x || !(x->a = example_doubles(n)) || !(x->b = example_doubles(n)) ||
        !(x->c = example_doubles(n))) {
        if (x)
            close_arrays(x);
        return ert_fail(error, ERT_FAILED, "no memory for 3 arrays of %zu doubles", n);
    }
    x->n = n;
#pragma omp parallel for num_threads((int)threads)
    for (size_t i = 0; i < n; i++) {
        x->a[i] = 0;
        x->b[i] = example_whole(2 * i);
        x->c[i] = example_whole(2 * i + 1);
    }
    *data = x;
    return ERT_OK;
}

static const char *lacks(void *data, const struct example_step *step)
{
    (void)data;
    return step->parameter == 0 || HAS_STREAMING ? NULL : "its stores are written for x86";
}

static void spoil(void *data, const struct example_step *step)
{
    const struct arrays *x = data;
    (void)step;
    for (size_t i = 0; i < x->n; i++)
        x->a[i] = -1e9;
}

static struct example_work work(const void *data, const struct example_step *step)
{
    const struct arrays *x = data;
    (void)step;
    return (struct example_work){2 * (double)x->n, 24 * (double)x->n};
}

static size_t wrong(void *data, const struct example_step *step)
{
    const struct arrays *x = data;
    size_t n_wrong = 0;
    (void)step;
    for (size_t i = 0; i < x->n; i++)
        n_wrong += x->a[i] != example_whole(2 * i) + SCALE * example_whole(2 * i + 1);
    return n_wrong;
}

int main(int argc, char **argv)
{
    static const struct example example = {
        .name = "stream",
        .purpose = "STREAM triad, a = b + s c, under the DRAM roof.",
        .n_is = "elements of each of three arrays; default 8000000 (192 MB)",
        .n = 8000000,
        .least = 1,
        .most = (size_t)1 << 36,
        .repeat = 10,
        .steps = steps,
        .n_steps = ERT_LENGTH(steps),
        .open = open_arrays,
        .close = close_arrays,
        .lacks = lacks,
        .spoil = spoil,
        .work = work,
        .wrong = wrong,
    };
    return example_main(&example, argc, argv);
}
