/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/cuda/split.h"

#include <stdlib.h>
#include <string.h>

static const double least_explained = 0.81, least_share = 0.10, least_gap = 0.10;

/*
 * Between two groups there is a valley, with at most this share of the values in the middle fifth of the gap.
 * Slices at many distances from an SM form one broad hill, which Otsu's criterion cuts in half, too.
 */
static const double most_in_valley = 0.05;

static double share_in_valley(const uint32_t *values, size_t n,
                              const struct ert_split *split)
{
    double gap = split->means[1] - split->means[0];
    double low = split->means[0] + 0.4 * gap, high = split->means[0] + 0.6 * gap;
    size_t inside = 0;
    for (size_t i = 0; i < n; i++)
        inside += (double)values[i] > low && (double)values[i] < high;
    return (double)inside / (double)n;
}

static int split_compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void ert_split_values(uint32_t *values, size_t n, struct ert_split *split)
{
    double sum = 0, total = 0, low_sum = 0, best = 0;
    memset(split, 0, sizeof *split);
    if (n == 0)
        return;
    qsort(values, n, sizeof *values, split_compare);
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    for (size_t i = 0; i < n; i++)
        total += (values[i] - sum / (double)n) * (values[i] - sum / (double)n);
    split->n[0] = n;
    split->means[0] = sum / (double)n;
    split->last_low = values[n - 1];
    for (size_t i = 1; i < n; i++) {
        low_sum += values[i - 1];
        if (values[i] == values[i - 1])
            continue;
        double low = low_sum / (double)i, high = (sum - low_sum) / (double)(n - i);
        double between =
            (double)i * (double)(n - i) / (double)n * (high - low) * (high - low);
        if (!(between > best))
            continue;
        best = between;
        *split = (struct ert_split){
            .means = {low, high },
            .n = {i,   n - i},
            .last_low = values[i - 1],
            .explained = between / total
        };
    }
    double least = least_share * (double)n;
    split->has_two = split->explained >= least_explained && (double)split->n[0] >= least &&
                     (double)split->n[1] >= least &&
                     split->means[1] >= (1 + least_gap) * split->means[0] &&
                     share_in_valley(values, n, split) <= most_in_valley;
}
