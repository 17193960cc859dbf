/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/fit/levels.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"
#include "ert/core/stats/plateau.h"
#include "ert/core/stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool ert_levels_is_measured(const struct ert_point *point)
{
    return point->status == ERT_POINT_MEASURED && point->n_samples > 0;
}

/* The rates of a point's samples; the caller frees them. NULL without memory. */
static double *levels_rates_of(const struct ert_point *point, ert_rate rate)
{
    double *values = ert_calloc(point->n_samples + 1, sizeof *values);
    for (size_t i = 0; values && i < point->n_samples; i++)
        values[i] = rate(point, &point->samples[i]);
    return values;
}

double ert_levels_estimate(const struct ert_point *point, ert_rate rate)
{
    enum ert_better better = rate == ert_point_latency ? ERT_BETTER_LOW : ERT_BETTER_HIGH;
    double *values = levels_rates_of(point, rate);
    double estimate = values ? ert_estimate_of(values, point->n_samples, better) : NAN;
    free(values);
    return estimate;
}

/* The fastest variant's rate at each working set, ascending; n = 0 when nothing was measured. */
struct curve {
    size_t n;
    double sizes[ERT_MAX_SETS], rates[ERT_MAX_SETS]; /* byte, byte/s */
    double noise; /* median over the points of their samples' relative deviation */
};

/* Whether a point is measured and part of the sweep; points with bound buffers are not. */
static bool levels_is_of(const struct ert_point *point, enum ert_kernel_id kernel,
                         enum ert_path path)
{
    return ert_levels_is_measured(point) && point->section == ERT_SECTION_LEVELS &&
           point->spec.kernel == kernel && point->spec.path == path &&
           point->spec.to == 0 && point->spec.concurrency == 0;
}

/* Orders by the requested sizes, since variants round them differently; then in the plan's order. */
static int compare_sets(const void *a, const void *b)
{
    const struct ert_point *x = *(const struct ert_point *const *)a,
                           *y = *(const struct ert_point *const *)b;
    uint64_t first = x->spec.requested_bytes, second = y->spec.requested_bytes;
    return first == second ? (x > y) - (x < y) : (first > second) - (first < second);
}

static void levels_make_curve(const struct ert_device_samples *samples,
                              enum ert_kernel_id kernel, enum ert_path path,
                              struct curve *curve)
{
    const struct ert_point **points = ert_calloc(samples->n_points, sizeof *points);
    double *noises = ert_calloc(samples->n_points, sizeof *noises);
    const size_t most = points && noises ? ERT_MAX_SWEEP : 0;
    size_t n = 0, i;
    for (size_t p = 0; p < samples->n_points && n < most; p++)
        if (levels_is_of(&samples->points[p], kernel, path))
            points[n++] = &samples->points[p];
    qsort(points, n, sizeof *points, compare_sets);
    curve->n = 0;
    for (i = 0; i < n; i++) {
        uint64_t set = points[i]->spec.requested_bytes;
        bool is_new = i == 0 || set != points[i - 1]->spec.requested_bytes;
        double rate = ert_levels_estimate(points[i], ert_point_bandwidth);
        double *rates = levels_rates_of(points[i], ert_point_bandwidth);
        noises[i] = rates ? ert_stats_mad(rates, points[i]->n_samples) / rate : NAN;
        free(rates);
        if (is_new && curve->n == ERT_MAX_SETS)
            break;
        curve->n += is_new;
        if (is_new || rate > curve->rates[curve->n - 1]) {
            curve->rates[curve->n - 1] = rate;
            curve->sizes[curve->n - 1] = (double)points[i]->work.actual_bytes;
        }
    }
    curve->noise = i ? ert_stats_median(noises, i) : 0;
    free(noises);
    free(points);
}

/* A set may be a little larger than a cache before its rate falls (replacement is not LRU). */
static const double capacity_slack = 1.25;

/* Octaves of [low, high] that lie inside [from, to]. */
static double overlap(double low, double high, double from, double to)
{
    double a = fmax(low, fmax(from, 1)), b = fmin(high, to);
    return b > a ? log2(b / a) : 0;
}

/*
 * How much a level holds if the rate of full SMs does not show its end: the largest set that loads by few
 * warps (plan.c), like all smaller sets, found there; 0: not measured. Such loads wait for each result, 2.3
 * times as long from memory as from L2: at a loss of a tenth of the rate, 9 % came from memory. On an H100
 * (50 MiB) and an H200 (60 MiB) sets up to 40 MiB differ by 1 to 2 %, depending on the SMs; beyond, half the
 * rate is lost.
 */
static double held_bytes(const struct ert_device_samples *samples,
                         const struct ert_level *level)
{
    static const double all_answered = 0.9;
    double most = 0, fails = INFINITY, holds = 0;
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < samples->n_points; i++) {
            const struct ert_point *point = &samples->points[i];
            if (point->section != ERT_SECTION_LEVELS || point->spec.concurrency == 0 ||
                point->spec.path != level->path || !ert_levels_is_measured(point))
                continue;
            double rate = ert_levels_estimate(point, ert_point_bandwidth);
            double set = (double)point->work.actual_bytes;
            if (pass == 0)
                most = fmax(most, rate);
            else if (pass == 1 && rate < all_answered * most)
                fails = fmin(fails, set);
            else if (pass == 2 && set < fails)
                holds = fmax(holds, set);
        }
    return holds;
}

/* A plateau of a curve and its level. */
struct named_plateau {
    struct ert_plateau plateau;
    const struct ert_level *level; /* NULL: unattributed; `why` is the reason */
    bool past; /* beyond all levels of the path: a GPU's L1 sweep that runs into L2 */
    char why[160];
};

/* Finds the level on the path. */
static void levels_attribute(const struct ert_device *device, enum ert_path path,
                             const struct curve *curve, struct named_plateau *row)
{
    double begin = curve->sizes[row->plateau.first], end = curve->sizes[row->plateau.last];
    double low, high;
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        ert_sets_level_range(device, level, &low, &high);
        if (level->path != path || level->kind == ERT_LEVEL_MEMORY ||
            end > capacity_slack * high)
            continue;
        if (overlap(begin, end, low, capacity_slack * high) >= 0.5 * log2(end / begin))
            row->level = level;
        else
            snprintf(row->why, sizeof row->why,
                     "ends inside %s, but lies mostly below its range", level->name);
        return;
    }
    const struct ert_level *last = ert_sets_last_level(device, path);
    ert_sets_level_range(device, last, &low, &high);
    row->past = last->kind != ERT_LEVEL_MEMORY;
    if (!row->past && row->plateau.last + 1 == curve->n && end > low)
        row->level = last;
    else if (!row->past)
        snprintf(row->why, sizeof row->why,
                 "above the caches (%s), but the rate changes again for larger sets",
                 ert_units_capacity((uint64_t)low).text);
}

static size_t name_plateaus(const struct ert_device *device, enum ert_path path,
                            const struct curve *curve, struct named_plateau *named)
{
    struct ert_plateau found[ERT_MAX_PLATEAUS];
    if (!ert_sets_last_level(device, path))
        return 0; /* a file whose device has no level on the path */
    size_t n = ert_plateau_find(curve->sizes, curve->rates, curve->n, curve->noise, found,
                                ERT_MAX_PLATEAUS);
    for (size_t i = 0; i < n; i++) {
        struct named_plateau *row = &named[i];
        *row = (struct named_plateau){.plateau = found[i]};
        levels_attribute(device, path, curve, row);
        /*
         * A level gets one plateau: the one with more octaves inside its range, because a fast short one may
         * be the tail of the previous cache. Without a previous cache (L1) the faster one, because the other
         * has more loop overhead with small sets. The other stays unattributed.
         */
        for (size_t j = 0; j < i && row->level; j++) {
            double low, high;
            if (named[j].level != row->level)
                continue;
            ert_sets_level_range(device, row->level, &low, &high);
            double mine = overlap(curve->sizes[found[i].first], curve->sizes[found[i].last],
                                  low, high);
            double other = overlap(curve->sizes[found[j].first],
                                   curve->sizes[found[j].last], low, high);
            if (low == 0 && path == ERT_PATH_CACHED) {
                mine = found[i].rate;
                other = found[j].rate;
            }
            struct named_plateau *loser = mine > other ? &named[j] : row;
            snprintf(loser->why, sizeof loser->why,
                     "a second plateau inside the range of %s", loser->level->name);
            loser->level = NULL;
        }
    }
    return n;
}

/* The search for the points of a kernel that may set a level's ceiling. */
struct search {
    const struct ert_device *device;
    const struct ert_device_samples *samples;
    enum ert_kernel_id kernel;
    const struct ert_level *level;
    double low, high, least; /* the level's range; the least set that measures it alone */
    double most, holds;      /* the largest such set; how much was seen to fit, or 0 */
    struct ert_candidates *found;
};

static void levels_add_points(const struct search *search, double low, double high)
{
    struct ert_candidates *found = search->found;
    for (size_t i = 0; i < search->samples->n_points; i++) {
        const struct ert_point *point = &search->samples->points[i];
        double size = (double)point->work.actual_bytes;
        if (levels_is_of(point, search->kernel, search->level->path) && size >= low &&
            size <= high && found->n < ERT_MAX_SWEEP)
            found->points[found->n++] = point;
    }
}

static void warn_small(const struct search *search, const char *which, double set_bytes)
{
    snprintf(search->found->warning, sizeof search->found->warning,
             "the %s, %s, is below 4 times the caches, %s: part of it may be cached", which,
             ert_units_capacity((uint64_t)set_bytes).text,
             ert_units_capacity((uint64_t)search->low).text);
}

/* Only sets of nearly 4 times the caches measure memory; if none is, the largest, with a warning. */
static double least_memory_set(const struct search *search, const struct curve *curve)
{
    double end = curve->sizes[curve->n - 1];
    if (end < search->least)
        warn_small(search, "largest set", end);
    return fmin(end, search->least);
}

/*
 * A cache that is not twice as large as those before it serves no set alone: part of every set is in those,
 * or no longer fits in it. The set nearest to the geometric mean of the two sizes is the best compromise.
 */
static void add_middle(const struct search *search)
{
    double middle = sqrt(search->low * search->high), best = 0;
    for (size_t i = 0; i < search->samples->n_points; i++) {
        const struct ert_point *point = &search->samples->points[i];
        double size = (double)point->work.actual_bytes;
        if (levels_is_of(point, search->kernel, search->level->path) &&
            size > search->low && size < search->high &&
            (best == 0 || fabs(log(size / middle)) < fabs(log(best / middle))))
            best = size;
    }
    if (best > 0)
        levels_add_points(search, 0.99 * best, 1.01 * best);
    if (search->found->n > 0)
        snprintf(search->found->warning, sizeof search->found->warning,
                 "%s is less than twice the caches before it: measured with sets between "
                 "both, which each cache holds in part",
                 search->level->name);
}

static void without_plateau(const struct search *search, const struct curve *curve)
{
    const struct ert_level *level = search->level;
    struct ert_candidates *found = search->found;
    if (level->kind == ERT_LEVEL_MEMORY) {
        double least = least_memory_set(search, curve);
        if (curve->sizes[curve->n - 1] > search->low)
            levels_add_points(search, least, INFINITY);
    } else {
        /* Well inside the range, away from both transitions. */
        levels_add_points(search, search->least, fmin(0.75 * search->high, search->most));
    }
    if (found->n == 0 && level->kind == ERT_LEVEL_CACHE && search->low > 0)
        add_middle(search);
    if (!*found->warning)
        snprintf(found->warning, sizeof found->warning,
                 "the sweep shows no plateau for %s; the fastest set in its range",
                 level->name);
    if (found->n == 0)
        snprintf(found->warning, sizeof found->warning,
                 "no plateau and no working set inside the range of %s", level->name);
}

/* The points whose buffers were bound to the nodes of a memory, with sets chosen to measure it alone. */
static void find_far(const struct search *search, uint32_t node)
{
    struct ert_candidates *found = search->found;
    for (size_t i = 0; i < search->samples->n_points && found->n < ERT_MAX_SWEEP; i++) {
        const struct ert_point *point = &search->samples->points[i];
        if (point->section != ERT_SECTION_LEVELS || point->spec.kernel != search->kernel ||
            point->spec.path != search->level->path || point->spec.to != node)
            continue;
        if (ert_levels_is_measured(point))
            found->points[found->n++] = point;
        else if (*point->reason)
            snprintf(found->warning, sizeof found->warning, "%.159s", point->reason);
    }
    if (found->n == 0)
        return;
    double set = (double)found->points[0]->work.actual_bytes;
    found->has_plateau = true;
    found->warning[0] = '\0';
    if (set < search->least)
        warn_small(search, "set", set);
}

static void levels_on_plateau(const struct search *search, const struct curve *curve,
                              const struct ert_plateau *plateau)
{
    struct ert_candidates *found = search->found;
    double begin = curve->sizes[plateau->first], end = curve->sizes[plateau->last];
    double least = begin;
    found->has_plateau = true;
    if (plateau->last + 1 < curve->n)
        found->capacity_measured_bytes = sqrt(end * curve->sizes[plateau->last + 1]);
    if (search->holds > 0)
        found->capacity_measured_bytes = search->holds;
    if (search->level->kind == ERT_LEVEL_MEMORY)
        least = fmax(least, least_memory_set(search, curve));
    else if (search->least <= end)
        least = fmax(least, search->least);
    levels_add_points(search, least, fmin(end, fmax(least, search->most)));
}

/*
 * Narrows the sets for a level whose end the plateau does not show (ert_sets_most_bytes). The largest is half
 * of what the level was seen to hold, since both partitions may keep a line that SMs of both read, which the
 * few warps' own slices do not show. In a small set, blocks request the same lines at once, and such requests
 * merge before they reach L2: on an H200 the counters see 83 % of the bytes at 2 MiB and all of them from
 * 16 MiB on. So sets much below the largest are excluded.
 */
static void narrow(struct search *search, const struct curve *curve)
{
    static const double merge_free_share = 0.75;
    double largest = 0;
    search->holds = held_bytes(search->samples, search->level);
    if (search->holds > 0)
        search->most = search->holds / 2;
    for (size_t i = 0; i < curve->n && curve->sizes[i] <= search->most; i++)
        largest = curve->sizes[i];
    search->least = merge_free_share * (largest > 0 ? largest : search->most);
}

bool ert_levels_candidates(const struct ert_device *device,
                           const struct ert_device_samples *samples,
                           enum ert_kernel_id kernel, const struct ert_level *level,
                           struct ert_candidates *candidates)
{
    struct curve curve;
    struct named_plateau named[ERT_MAX_PLATEAUS];
    struct search search = {device, samples, kernel, level, .found = candidates};
    uint32_t far_node = ert_sets_far_node(device, level);
    ert_sets_level_range(device, level, &search.low, &search.high);
    search.least = ert_sets_least_bytes(device, level);
    search.most = ert_sets_most_bytes(level);
    *candidates = (struct ert_candidates){.warning = "not measured"};
    if (far_node) {
        find_far(&search, far_node);
        return candidates->n > 0;
    }
    levels_make_curve(samples, kernel, level->path, &curve);
    if (curve.n == 0)
        return false;
    candidates->warning[0] = '\0';
    if (isfinite(search.most))
        narrow(&search, &curve);
    size_t n = name_plateaus(device, level->path, &curve, named), i = n;
    while (i > 0 && named[i - 1].level != level)
        i--;
    if (i > 0)
        levels_on_plateau(&search, &curve, &named[i - 1].plateau);
    else
        without_plateau(&search, &curve);
    return candidates->n > 0;
}

size_t ert_levels_unattributed(const struct ert_device *device,
                               const struct ert_device_samples *samples,
                               enum ert_kernel_id kernel, enum ert_path path,
                               struct ert_unattributed_plateau found[ERT_MAX_PLATEAUS])
{
    struct curve curve;
    struct named_plateau named[ERT_MAX_PLATEAUS];
    levels_make_curve(samples, kernel, path, &curve);
    size_t n = name_plateaus(device, path, &curve, named), n_found = 0;
    for (size_t i = 0; i < n; i++) {
        if (named[i].level || named[i].past)
            continue;
        struct ert_unattributed_plateau *plateau = &found[n_found++];
        *plateau = (struct ert_unattributed_plateau){
            .bytes = {curve.sizes[named[i].plateau.first],
                      curve.sizes[named[i].plateau.last]},
            .rate_bytes_per_s = named[i].plateau.rate
        };
        snprintf(plateau->kernel, sizeof plateau->kernel, "%s",
                 ert_kernel_row(kernel)->name);
        snprintf(plateau->path, sizeof plateau->path, "%s", ert_path_name(path));
        snprintf(plateau->why, sizeof plateau->why, "%s", named[i].why);
    }
    return n_found;
}
