#include "ert/stats/bands.h"

#include <math.h>

/* ERT's own constants. */
enum { STEPS = 10000, FIRST_WEIGHT = 1000, FEW = 6 };
static const double width = 1.05;

/* Some sets taken together. */
struct heap {
    double sum;
    double n;
};

static double mean(const struct heap *heap)
{
    return heap->sum / heap->n;
}

/* The sets within the width of a rate. */
static struct heap around(const double *rates, size_t n, double rate)
{
    struct heap heap = {0, 0};
    for (size_t i = 0; i < n; i++)
        if (rates[i] >= rate / width && rates[i] <= rate * width) {
            heap.sum += rates[i];
            heap.n++;
        }
    return heap;
}

static size_t fastest(const double *rates, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (rates[i] > rates[best])
            best = i;
    return best;
}

/* Ends a run of rates with enough sets: a level of its own, or part of the last one. */
static size_t take(struct heap *heaps, size_t n_heaps, const struct heap *best,
                   double merge)
{
    struct heap *last = &heaps[n_heaps - 1];
    if (merge * mean(best) < mean(last) && n_heaps < ERT_MAX_BANDS) {
        heaps[n_heaps] = *best;
        return n_heaps + 1;
    }
    last->sum += best->sum;
    last->n += best->n;
    return n_heaps;
}

size_t ert_bands_of(const double *rates, size_t n, double merge,
                    double bands[ERT_MAX_BANDS])
{
    struct heap heaps[ERT_MAX_BANDS], best = {0, 0};
    size_t n_heaps = 1;
    if (n == 0)
        return 0;
    size_t start = fastest(rates, n);
    double most = rates[start], step = most / (STEPS - 1);
    heaps[0] = (struct heap){FIRST_WEIGHT * most, FIRST_WEIGHT};
    /* ERT leaves out the two steps at each end, and a run that is not over at the slow end. */
    for (int i = STEPS - 3; i > 1; i--) {
        struct heap here = around(rates + start, n - start, i * step);
        if (here.n > FEW) {
            if (here.n > best.n)
                best = here;
            continue;
        }
        if (best.n > 0)
            n_heaps = take(heaps, n_heaps, &best, merge);
        best = (struct heap){0, 0};
    }
    for (size_t i = 0; i < n_heaps; i++)
        bands[i] = mean(&heaps[i]);
    return n_heaps;
}

double ert_bands_weight(const double *set_bytes, const double *rates, size_t n)
{
    double weight = 0;
    for (size_t i = 0; i + 1 < n; i++)
        weight +=
            (rates[i] + rates[i + 1]) / 2 * (log(set_bytes[i + 1]) - log(set_bytes[i]));
    return weight;
}
