#include "ert/ert110/series.h"

#include "ert/stats/bands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets this close to a level's rate stand on its plateau: ERT's own width. */
static const double plateau_width = 1.05;

bool ert110_is_measured(const struct ert_point *point)
{
    return point->section == ERT_SECTION_ERT110 && point->status == ERT_POINT_MEASURED &&
           point->n_samples > 0;
}

static int compare_times(const void *a, const void *b)
{
    double x = ((const struct ert_sample *)a)->time_s,
           y = ((const struct ert_sample *)b)->time_s;
    return (x > y) - (x < y);
}

double ert110_rate(const struct ert_point *point, ert_rate rate)
{
    struct ert_sample *sorted = malloc(point->n_samples * sizeof *sorted);
    if (!sorted)
        return 0;
    memcpy(sorted, point->samples, point->n_samples * sizeof *sorted);
    qsort(sorted, point->n_samples, sizeof *sorted, compare_times);
    double result = rate(point, &sorted[point->n_samples / 2]);
    free(sorted);
    return result;
}

/* Whether two points are of one series: the plan has a series' points one after the other. */
static bool is_same_series(const struct ert_point *a, const struct ert_point *b)
{
    return a->case_.kernel == b->case_.kernel &&
           a->case_.flops_per_element == b->case_.flops_per_element &&
           a->case_.variant == b->case_.variant &&
           a->case_.concurrency == b->case_.concurrency &&
           a->case_.blocks == b->case_.blocks &&
           a->case_.block_threads == b->case_.block_threads;
}

bool ert110_series_next(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                        size_t *from, struct ert110_series *series)
{
    const struct ert_point *first = NULL;
    series->n = 0;
    for (; *from < samples->n_points; (*from)++) {
        const struct ert_point *point = &samples->points[*from];
        if (!ert110_is_measured(point) || point->case_.kernel != kernel)
            continue;
        if (first && !is_same_series(first, point))
            break;
        first = first ? first : point;
        series->points[series->n] = point;
        series->set_bytes[series->n] = (double)point->work.working_set_bytes;
        series->rates[series->n] = ert110_rate(point, ert_point_bandwidth);
        if (!(series->rates[series->n++] > 0))
            return false;
    }
    series->weight = ert_bands_weight(series->set_bytes, series->rates, series->n);
    return true;
}

bool ert110_series_open(struct ert110_series *series, size_t n)
{
    *series = (struct ert110_series){.points = calloc(n + 1, sizeof *series->points),
                                     .set_bytes = calloc(n + 1, sizeof *series->set_bytes),
                                     .rates = calloc(n + 1, sizeof *series->rates)};
    return series->points && series->set_bytes && series->rates;
}

void ert110_series_close(struct ert110_series *series)
{
    free(series->rates);
    free(series->set_bytes);
    free(series->points);
}

/* Where the rising flank has come to the top. */
static size_t find_top(const struct ert110_series *series)
{
    double most = 0;
    size_t top = 0;
    for (size_t i = 0; i < series->n; i++)
        most = fmax(most, series->rates[i]);
    while (top < series->n && series->rates[top] < most / plateau_width)
        top++;
    return top;
}

struct ert110_plateau ert110_series_plateau(const struct ert110_series *series, double rate)
{
    const size_t top = find_top(series);
    struct ert110_plateau plateau = {.low = rate, .high = rate, .nearest = top};
    for (size_t i = top; i < series->n; i++) {
        double here = series->rates[i], set = series->set_bytes[i];
        if (fabs(here - rate) < fabs(series->rates[plateau.nearest] - rate))
            plateau.nearest = i;
        if (here < rate / plateau_width || here > rate * plateau_width)
            continue;
        bool is_first = plateau.n_samples == 0;
        plateau.low = is_first ? here : fmin(plateau.low, here);
        plateau.high = is_first ? here : fmax(plateau.high, here);
        plateau.bytes[0] = is_first ? set : plateau.bytes[0];
        plateau.bytes[1] = set;
        plateau.n_samples += (uint32_t)series->points[i]->n_samples;
    }
    return plateau;
}
