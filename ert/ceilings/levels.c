#include "ert/ceilings/levels.h"

#include "ert/base/units.h"
#include "ert/stats/plateau.h"
#include "ert/stats/stats.h"
#include "ert/sweep/sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ert_levels_is_measured(const struct ert_point *point)
{
    return point->status == ERT_POINT_MEASURED && point->n_samples > 0;
}

/* What the samples of a point say, the caller's (free); NULL without memory. */
static double *rates_of(const struct ert_point *point, ert_rate rate)
{
    double *values = malloc((point->n_samples + 1) * sizeof *values);
    for (size_t i = 0; values && i < point->n_samples; i++)
        values[i] = rate(point, &point->samples[i]);
    return values;
}

double ert_levels_estimate(const struct ert_point *point, ert_rate rate)
{
    enum ert_better better = rate == ert_point_latency ? ERT_BETTER_LOW : ERT_BETTER_HIGH;
    double *values = rates_of(point, rate);
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

/* Whether a point of the sweeps was measured; those with bound buffers are no part of a sweep. */
static bool is_of(const struct ert_point *point, enum ert_kernel_id kernel,
                  enum ert_path path)
{
    return ert_levels_is_measured(point) && point->section == ERT_SECTION_LEVELS &&
           point->spec.kernel == kernel && point->spec.path == path && point->spec.to == 0;
}

/* By the plan's sizes, which variants round in their ways; else in the plan's order. */
static int compare_sets(const void *a, const void *b)
{
    const struct ert_point *x = *(const struct ert_point *const *)a,
                           *y = *(const struct ert_point *const *)b;
    uint64_t first = x->spec.requested_bytes, second = y->spec.requested_bytes;
    return first == second ? (x > y) - (x < y) : (first > second) - (first < second);
}

static void make_curve(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                       enum ert_path path, struct curve *curve)
{
    const struct ert_point *points[ERT_MAX_SWEEP];
    double noises[ERT_MAX_SWEEP];
    size_t n = 0, i;
    for (size_t p = 0; p < samples->n_points && n < ERT_MAX_SWEEP; p++)
        if (is_of(&samples->points[p], kernel, path))
            points[n++] = &samples->points[p];
    qsort(points, n, sizeof points[0], compare_sets);
    curve->n = 0;
    for (i = 0; i < n; i++) {
        uint64_t set = points[i]->spec.requested_bytes;
        bool is_new = i == 0 || set != points[i - 1]->spec.requested_bytes;
        double rate = ert_levels_estimate(points[i], ert_point_bandwidth);
        double *rates = rates_of(points[i], ert_point_bandwidth);
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
}

enum { MAX_PLATEAUS = 32 };

/* A set may be a little larger than a cache before its rate falls (replacement is not LRU). */
static const double capacity_slack = 1.25;

/* Octaves of [low, high] that lie inside [from, to]. */
static double overlap(double low, double high, double from, double to)
{
    double a = fmax(low, fmax(from, 1)), b = fmin(high, to);
    return b > a ? log2(b / a) : 0;
}

/*
 * The level on the path that a plateau proves, or NULL with the reason. `past` is set when the
 * plateau lies beyond all that this path is to prove (a GPU's L1 sweep running into L2).
 */
static const struct ert_level *attribute(const struct ert_device *device,
                                         enum ert_path path, const struct curve *curve,
                                         const struct ert_plateau *plateau, bool *past,
                                         char *why, size_t size)
{
    double begin = curve->sizes[plateau->first], end = curve->sizes[plateau->last];
    char text[ERT_UNITS_TEXT];
    *past = false;
    why[0] = '\0';
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        double low, high;
        if (level->path != path)
            continue;
        ert_sets_level_range(device, level, &low, &high);
        if (level->kind == ERT_LEVEL_MEMORY || end > capacity_slack * high)
            continue;
        if (overlap(begin, end, low, capacity_slack * high) >= 0.5 * log2(end / begin))
            return level;
        snprintf(why, size, "ends inside %s, but lies mostly below its range", level->name);
        return NULL;
    }
    const struct ert_level *last = ert_sets_last_level(device, path);
    double low, high;
    ert_sets_level_range(device, last, &low, &high);
    if (last->kind != ERT_LEVEL_MEMORY) {
        *past = true;
        return NULL;
    }
    if (plateau->last + 1 == curve->n && end > low)
        return last;
    snprintf(why, size, "above the caches (%s), but the rate changes again for larger sets",
             ert_units_capacity((uint64_t)low, text));
    return NULL;
}

/* Every plateau of a curve with the level that it proves. */
struct named_plateau {
    struct ert_plateau plateau;
    const struct ert_level *level; /* NULL: unattributed, why says why */
    bool past;
    char why[160];
};

static size_t name_plateaus(const struct ert_device *device, enum ert_path path,
                            const struct curve *curve, struct named_plateau *named)
{
    struct ert_plateau found[MAX_PLATEAUS];
    if (!ert_sets_last_level(device, path))
        return 0; /* a file whose device has no level on the path */
    size_t n = ert_plateau_find(curve->sizes, curve->rates, curve->n, curve->noise, found,
                                MAX_PLATEAUS);
    for (size_t i = 0; i < n; i++) {
        struct named_plateau *row = &named[i];
        row->plateau = found[i];
        row->level = attribute(device, path, curve, &found[i], &row->past, row->why,
                               sizeof row->why);
        /*
         * One level, one plateau: the one with more octaves inside the range, because a fast short
         * one may be the tail of the cache before. Where there is none before (L1) the faster one:
         * small sets only pay more for the loop. The other stays unattributed.
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

static void add_points(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                       enum ert_path path, double low, double high,
                       struct ert_candidates *candidates)
{
    for (size_t i = 0; i < samples->n_points; i++) {
        const struct ert_point *point = &samples->points[i];
        double size = (double)point->work.actual_bytes;
        if (is_of(point, kernel, path) && size >= low && size <= high &&
            candidates->n < ERT_MAX_SWEEP)
            candidates->points[candidates->n++] = point;
    }
}

static void warn_small(const char *which, double set_bytes, double caches_bytes,
                       struct ert_candidates *candidates)
{
    char set[ERT_UNITS_TEXT], caches[ERT_UNITS_TEXT];
    snprintf(candidates->warning, sizeof candidates->warning,
             "the %s, %s, is below 4 times the caches, %s: part of it may be cached", which,
             ert_units_capacity((uint64_t)set_bytes, set),
             ert_units_capacity((uint64_t)caches_bytes, caches));
}

/* Only sets of 4 times the caches prove memory; where there is none, the largest, with a warning. */
static double least_memory_set(const struct ert_device *device,
                               const struct ert_level *level, const struct curve *curve,
                               struct ert_candidates *candidates)
{
    double caches, infinite, end = curve->sizes[curve->n - 1];
    ert_sets_level_range(device, level, &caches, &infinite);
    if (end >= ert_sets_least_bytes(device, level))
        return ert_sets_least_bytes(device, level);
    warn_small("largest set", end, caches, candidates);
    return end;
}

/*
 * A cache that is not twice as large as those before it answers no set alone: part of each still lies in
 * those, or no longer in it. The set nearest to the geometric middle of the two has the least of both.
 */
static void add_middle(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                       const struct ert_level *level, double low, double high,
                       struct ert_candidates *candidates)
{
    double middle = sqrt(low * high), best = 0;
    for (size_t i = 0; i < samples->n_points; i++) {
        const struct ert_point *point = &samples->points[i];
        double size = (double)point->work.actual_bytes;
        if (is_of(point, kernel, level->path) && size > low && size < high &&
            (best == 0 || fabs(log(size / middle)) < fabs(log(best / middle))))
            best = size;
    }
    if (best > 0)
        add_points(samples, kernel, level->path, 0.99 * best, 1.01 * best, candidates);
    if (candidates->n > 0)
        snprintf(candidates->warning, sizeof candidates->warning,
                 "%s is not twice the caches before it: sets between both, of which each "
                 "holds a part",
                 level->name);
}

static bool without_plateau(const struct ert_device *device,
                            const struct ert_device_samples *samples,
                            enum ert_kernel_id kernel, const struct ert_level *level,
                            const struct curve *curve, struct ert_candidates *candidates)
{
    double low, high;
    ert_sets_level_range(device, level, &low, &high);
    if (level->kind == ERT_LEVEL_MEMORY) {
        double least = least_memory_set(device, level, curve, candidates);
        if (curve->sizes[curve->n - 1] > low)
            add_points(samples, kernel, level->path, least, INFINITY, candidates);
    } else {
        /* Well inside the range: not the way in, not the way out. */
        add_points(samples, kernel, level->path, ert_sets_least_bytes(device, level),
                   fmin(0.75 * high, ert_sets_most_bytes(level)), candidates);
    }
    if (candidates->n == 0 && level->kind == ERT_LEVEL_CACHE && low > 0)
        add_middle(samples, kernel, level, low, high, candidates);
    if (!*candidates->warning)
        snprintf(candidates->warning, sizeof candidates->warning,
                 "the sweep shows no plateau for %s; the fastest set in its range",
                 level->name);
    if (candidates->n == 0)
        snprintf(candidates->warning, sizeof candidates->warning,
                 "no plateau and no working set inside the range of %s", level->name);
    return candidates->n > 0;
}

/* The points whose buffers were bound to the nodes of a memory; their sets were chosen to prove it. */
static bool far_candidates(const struct ert_device *device,
                           const struct ert_device_samples *samples,
                           enum ert_kernel_id kernel, const struct ert_level *level,
                           uint32_t node, struct ert_candidates *candidates)
{
    snprintf(candidates->warning, sizeof candidates->warning, "not measured");
    for (size_t i = 0; i < samples->n_points && candidates->n < ERT_MAX_SWEEP; i++) {
        const struct ert_point *point = &samples->points[i];
        if (point->section != ERT_SECTION_LEVELS || point->spec.kernel != kernel ||
            point->spec.path != level->path || point->spec.to != node)
            continue;
        if (ert_levels_is_measured(point))
            candidates->points[candidates->n++] = point;
        else if (*point->reason)
            snprintf(candidates->warning, sizeof candidates->warning, "%.159s",
                     point->reason);
    }
    if (candidates->n == 0)
        return false;
    double caches, infinite, set = (double)candidates->points[0]->work.actual_bytes;
    candidates->has_plateau = true;
    candidates->plateau_bytes[0] = candidates->plateau_bytes[1] = set;
    candidates->warning[0] = '\0';
    ert_sets_level_range(device, level, &caches, &infinite);
    if (set < ert_sets_least_bytes(device, level))
        warn_small("set", set, caches, candidates);
    return true;
}

bool ert_levels_candidates(const struct ert_device *device,
                           const struct ert_device_samples *samples,
                           enum ert_kernel_id kernel, const struct ert_level *level,
                           struct ert_candidates *candidates)
{
    struct curve curve;
    struct named_plateau named[MAX_PLATEAUS];
    *candidates = (struct ert_candidates){0};
    uint32_t far_node = ert_sets_far_node(device, level);
    if (far_node)
        return far_candidates(device, samples, kernel, level, far_node, candidates);
    make_curve(samples, kernel, level->path, &curve);
    if (curve.n == 0) {
        snprintf(candidates->warning, sizeof candidates->warning, "not measured");
        return false;
    }
    size_t n = name_plateaus(device, level->path, &curve, named);
    const struct ert_plateau *plateau = NULL;
    for (size_t i = 0; i < n; i++)
        if (named[i].level == level)
            plateau = &named[i].plateau;
    if (!plateau)
        return without_plateau(device, samples, kernel, level, &curve, candidates);

    candidates->has_plateau = true;
    candidates->plateau_bytes[0] = curve.sizes[plateau->first];
    candidates->plateau_bytes[1] = curve.sizes[plateau->last];
    if (plateau->last + 1 < curve.n)
        candidates->capacity_measured_bytes =
            sqrt(curve.sizes[plateau->last] * curve.sizes[plateau->last + 1]);
    double least = candidates->plateau_bytes[0],
           proof = ert_sets_least_bytes(device, level);
    if (level->kind == ERT_LEVEL_MEMORY)
        least = fmax(least, least_memory_set(device, level, &curve, candidates));
    else if (proof <= candidates->plateau_bytes[1])
        least = fmax(least, proof);
    add_points(samples, kernel, level->path, least,
               fmin(candidates->plateau_bytes[1], fmax(least, ert_sets_most_bytes(level))),
               candidates);
    return candidates->n > 0;
}

size_t ert_levels_unattributed(const struct ert_device *device,
                               const struct ert_device_samples *samples,
                               enum ert_kernel_id kernel, enum ert_path path,
                               struct ert_unattributed_plateau *unattributed, size_t max)
{
    struct curve curve;
    struct named_plateau named[MAX_PLATEAUS];
    make_curve(samples, kernel, path, &curve);
    size_t n = name_plateaus(device, path, &curve, named), n_unattributed = 0;
    for (size_t i = 0; i < n && n_unattributed < max; i++) {
        if (named[i].level || named[i].past)
            continue;
        struct ert_unattributed_plateau *plateau = &unattributed[n_unattributed++];
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
    return n_unattributed;
}
