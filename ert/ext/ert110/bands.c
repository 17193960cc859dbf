/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/ert110/ert110.h"

#include <math.h>

/* ERT's own constants. */
enum { STEPS = 10000, FIRST_WEIGHT = 1000, FEW = 6 };
static const double width = 1.05;

/* Some sets taken together. */
struct cluster {
    double sum;
    double n;
};

static double bands_mean(const struct cluster *cluster)
{
    return cluster->sum / cluster->n;
}

/* The sets within the width of a rate. */
static struct cluster around(const double *rates, size_t n, double rate)
{
    struct cluster cluster = {0, 0};
    for (size_t i = 0; i < n; i++)
        if (rates[i] >= rate / width && rates[i] <= rate * width) {
            cluster.sum += rates[i];
            cluster.n++;
        }
    return cluster;
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
static size_t bands_take(struct cluster *clusters, size_t n_clusters,
                         const struct cluster *best, double merge)
{
    struct cluster *last = &clusters[n_clusters - 1];
    if (merge * bands_mean(best) < bands_mean(last) && n_clusters < ERT_MAX_BANDS) {
        clusters[n_clusters] = *best;
        return n_clusters + 1;
    }
    last->sum += best->sum;
    last->n += best->n;
    return n_clusters;
}

size_t ert_bands_of(const double *rates, size_t n, double merge,
                    double bands[ERT_MAX_BANDS])
{
    struct cluster clusters[ERT_MAX_BANDS], best = {0, 0};
    size_t n_clusters = 1;
    if (n == 0)
        return 0;
    size_t start = fastest(rates, n);
    double most = rates[start], step = most / (STEPS - 1);
    clusters[0] = (struct cluster){FIRST_WEIGHT * most, FIRST_WEIGHT};
    /* ERT leaves out the two steps at each end, and a run that has not ended at the slow end. */
    for (int i = STEPS - 3; i > 1; i--) {
        struct cluster here = around(rates + start, n - start, i * step);
        if (here.n > FEW) {
            if (here.n > best.n)
                best = here;
            continue;
        }
        if (best.n > 0)
            n_clusters = bands_take(clusters, n_clusters, &best, merge);
        best = (struct cluster){0, 0};
    }
    for (size_t i = 0; i < n_clusters; i++)
        bands[i] = bands_mean(&clusters[i]);
    return n_clusters;
}

double ert_bands_weight(const double *set_bytes, const double *rates, size_t n)
{
    double weight = 0;
    for (size_t i = 0; i + 1 < n; i++)
        weight +=
            (rates[i] + rates[i + 1]) / 2 * (log(set_bytes[i + 1]) - log(set_bytes[i]));
    return weight;
}
