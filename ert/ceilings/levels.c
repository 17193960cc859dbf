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

/* A statistic of a point's rates; NaN without samples. */
static double of_rates(const struct ert_point *point, ert_rate rate,
                       double (*statistic)(const double *, size_t))
{
    double *values = malloc((point->n_samples + 1) * sizeof *values), result = NAN;
    for (size_t i = 0; values && i < point->n_samples; i++)
        values[i] = rate(point, &point->samples[i]);
    if (values)
        result = statistic(values, point->n_samples);
    free(values);
    return result;
}

static double rate_estimate(const double *values, size_t n)
{
    return ert_estimate_of(values, n, ERT_BETTER_HIGH);
}

static double time_estimate(const double *values, size_t n)
{
    return ert_estimate_of(values, n, ERT_BETTER_LOW);
}

double ert_levels_estimate(const struct ert_point *point, ert_rate rate)
{
    return of_rates(point, rate, rate == ert_point_latency ? time_estimate : rate_estimate);
}

/* The fastest variant's rate at each working set, ascending; n = 0 when nothing was measured. */
struct curve {
    size_t n;
    uint64_t
        requested[ERT_MAX_SETS]; /* the plan's sizes, which variants round in their ways */
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

/* The place of a requested size in the curve, opened when it is new; ERT_MAX_SETS when full. */
static size_t place(struct curve *curve, uint64_t requested)
{
    size_t at = curve->n;
    while (at > 0 && curve->requested[at - 1] >= requested)
        at--;
    if (at < curve->n && curve->requested[at] == requested)
        return at;
    if (curve->n == ERT_MAX_SETS)
        return ERT_MAX_SETS;
    size_t behind = curve->n++ - at;
    memmove(curve->requested + at + 1, curve->requested + at,
            behind * sizeof curve->requested[0]);
    memmove(curve->sizes + at + 1, curve->sizes + at, behind * sizeof curve->sizes[0]);
    memmove(curve->rates + at + 1, curve->rates + at, behind * sizeof curve->rates[0]);
    curve->requested[at] = requested;
    curve->rates[at] = 0;
    return at;
}

static void make_curve(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                       enum ert_path path, struct curve *curve)
{
    double noises[ERT_MAX_SWEEP];
    size_t n_noises = 0;
    curve->n = 0;
    for (size_t i = 0; i < samples->n_points; i++) {
        const struct ert_point *point = &samples->points[i];
        if (!is_of(point, kernel, path))
            continue;
        size_t at = place(curve, point->spec.requested_bytes);
        double rate = ert_levels_estimate(point, ert_point_bandwidth);
        if (n_noises < ERT_LENGTH(noises))
            noises[n_noises++] = of_rates(point, ert_point_bandwidth, ert_stats_mad) / rate;
        if (at < ERT_MAX_SETS && rate > curve->rates[at]) {
            curve->rates[at] = rate;
            curve->sizes[at] = (double)point->work.actual_bytes;
        }
    }
    curve->noise = n_noises ? ert_stats_median(noises, n_noises) : 0;
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

/* Only sets of 4 times the caches prove memory; where there is none, the largest, with a warning. */
static double least_memory_set(const struct ert_device *device,
                               const struct ert_level *level, const struct curve *curve,
                               struct ert_candidates *candidates)
{
    char set[ERT_UNITS_TEXT], cache[ERT_UNITS_TEXT];
    double caches, infinite, end = curve->sizes[curve->n - 1];
    ert_sets_level_range(device, level, &caches, &infinite);
    if (end >= ert_sets_least_bytes(device, level))
        return ert_sets_least_bytes(device, level);
    snprintf(
        candidates->warning, sizeof candidates->warning,
        "the largest set, %s, is below 4 times the caches, %s: part of it may be cached",
        ert_units_capacity((uint64_t)end, set),
        ert_units_capacity((uint64_t)caches, cache));
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
    char cache[ERT_UNITS_TEXT], text[ERT_UNITS_TEXT];
    candidates->has_plateau = true;
    candidates->plateau_bytes[0] = candidates->plateau_bytes[1] = set;
    candidates->warning[0] = '\0';
    ert_sets_level_range(device, level, &caches, &infinite);
    if (set < ert_sets_least_bytes(device, level))
        snprintf(candidates->warning, sizeof candidates->warning,
                 "the set, %s, is below 4 times the caches, %s: part of it may be cached",
                 ert_units_capacity((uint64_t)set, text),
                 ert_units_capacity((uint64_t)caches, cache));
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
