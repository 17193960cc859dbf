/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/ceilings/clock.h"

#include "ert/core/base/alloc.h"
#include "ert/core/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Physics decides which ceilings may follow the clock; the rounds confirm it. The rounds alone can mislead:
 * dividing by the clock reduces the scatter by 30 % for 70 of 83 points of an H200 that follow it, but by
 * chance also for 11 of 426 points of L2 and memory; with a constant clock they show nothing (results/h200).
 * But a badly measured clock, such as one taken after the region, must not be used for dividing.
 */

/* Fewer rounds do not show a scatter. */
enum { LEAST_ROUNDS = 4 };

/* Rates move with the clock if dividing by it reduces the median scatter to less than this share. */
static const double explained = 0.9;

/* If dividing increases the scatter by more, the clock is noisy; 3 of 80 that follow exceed 1.25. */
static const double worse = 2;

bool ert_clock_may_follow(const struct ert_device *device, const char *level)
{
    const struct ert_level *found = ert_device_level(device, level);
    if (!*level)
        return true;
    if (!found || found->kind == ERT_LEVEL_MEMORY)
        return false;
    if (device->kind == ERT_DEVICE_GPU)
        return found->path == ERT_PATH_CACHED || found->path == ERT_PATH_SHARED;
    for (const struct ert_level *next = found + 1; next < device->levels + device->n_levels;
         next++)
        if (next->kind == ERT_LEVEL_CACHE)
            return true;
    return false;
}

const char *ert_clock_name(const struct ert_device *device)
{
    return device->kind == ERT_DEVICE_GPU ? "SM clock" : "core clock";
}

void ert_clock_per_cycle(const double *rounds, const double *clocks_hz, size_t n,
                         enum ert_better better, double *per_cycle)
{
    for (size_t i = 0; i < n; i++)
        per_cycle[i] =
            better == ERT_BETTER_LOW ? rounds[i] * clocks_hz[i] : rounds[i] / clocks_hz[i];
}

static bool ceilings_clock_is_known(const struct ert_clock_pair *pair)
{
    for (int s = 0; s < 2; s++)
        if (pair->sides[s].n < LEAST_ROUNDS || !pair->sides[s].clocks_hz ||
            !(pair->sides[s].clocks_hz[0] > 0))
            return false;
    return pair->may_follow;
}

/* The median and scatter of the logarithms of a side's rounds, rounds per cycle or clocks. */
enum quantity { ROUNDS, PER_CYCLE, CLOCKS, N_QUANTITIES };
struct spread {
    double median, deviation;
};

/* Rates have a robust deviation, from medians; clocks, which come in steps, a standard deviation. */
static struct spread ceilings_clock_spread_of(const struct ert_clock_pair *pair, int side,
                                              enum quantity quantity)
{
    const struct ert_clock_side *of = &pair->sides[side];
    const size_t n = of->n;
    double *values = ert_xcalloc(n, sizeof *values), square = 0;
    memcpy(values, quantity == CLOCKS ? of->clocks_hz : of->rounds, n * sizeof *values);
    if (quantity == PER_CYCLE)
        ert_clock_per_cycle(values, of->clocks_hz, n, pair->better, values);
    for (size_t i = 0; i < n; i++)
        values[i] = log(values[i]);
    struct spread spread = {ert_stats_median(values, n), ert_stats_mad(values, n)};
    for (size_t i = 0; i < n; i++)
        square += (values[i] - spread.median) * (values[i] - spread.median);
    if (quantity == CLOCKS)
        spread.deviation = sqrt(square / (double)(n - 1));
    free(values);
    return spread;
}

/* What the two runs of a pair show. */
struct evidence {
    double scatter; /* per cycle, relative to that of the rounds */
    double shifts[N_QUANTITIES];
    bool moved; /* the clock was not the same in all rounds */
};

static struct evidence evidence_of(const struct ert_clock_pair *pair)
{
    struct spread spreads[N_QUANTITIES][2];
    struct evidence evidence = {.scatter = 1};
    double both[N_QUANTITIES];
    for (int q = 0; q < N_QUANTITIES; q++) {
        for (int s = 0; s < 2; s++)
            spreads[q][s] = ceilings_clock_spread_of(pair, s, (enum quantity)q);
        both[q] = hypot(spreads[q][0].deviation, spreads[q][1].deviation);
        evidence.shifts[q] = spreads[q][1].median - spreads[q][0].median;
    }
    if (both[ROUNDS] > 0)
        evidence.scatter = both[PER_CYCLE] / both[ROUNDS];
    evidence.moved = both[CLOCKS] > 0 || evidence.shifts[CLOCKS] != 0;
    return evidence;
}

/*
 * Each ceiling's clock is compared with its own: a matrix product runs at a lower one than an addition. A
 * clock that scatters within a run differs as much between runs: so its whole scatter is a run's error.
 */
struct ert_clock_change ert_clock_change_of(const struct ert_clock_pair *pairs, size_t n)
{
    struct ert_clock_change change = {0};
    double *then = ert_xcalloc(2 * n, sizeof *then), *shifts = then + n;
    double squares[2] = {0};
    uint32_t freedom[2] = {0};
    for (size_t i = 0; i < n; i++) {
        if (!pairs[i].follows || !ceilings_clock_is_known(&pairs[i]))
            continue;
        struct spread spreads[2];
        for (int s = 0; s < 2; s++) {
            const uint32_t own = (uint32_t)pairs[i].sides[s].n - 1;
            spreads[s] = ceilings_clock_spread_of(&pairs[i], s, CLOCKS);
            squares[s] += own * spreads[s].deviation * spreads[s].deviation;
            freedom[s] += own;
        }
        then[change.n] = spreads[0].median;
        shifts[change.n++] = spreads[1].median - spreads[0].median;
    }
    if (change.n > 0) {
        double clock = ert_stats_median(then, change.n);
        double shift = ert_stats_median(shifts, change.n);
        for (int s = 0; s < 2; s++)
            change.sides[s] =
                (struct ert_differ_side){.value = exp(clock + s * shift),
                                         .error = sqrt(squares[s] / freedom[s]),
                                         .n_samples = freedom[s] + 1};
    }
    free(then);
    return change;
}

/* The median of the absolute value of a member of the evidence, over the pairs that follow. */
static double ceilings_clock_median_of(const struct evidence *evidence,
                                       const struct ert_clock_pair *pairs, size_t n,
                                       size_t offset)
{
    double *values = ert_xcalloc(n, sizeof *values), median = 0;
    size_t n_values = 0;
    for (size_t i = 0; i < n; i++)
        if (pairs[i].follows)
            values[n_values++] =
                fabs(*(const double *)(const void *)((const char *)&evidence[i] + offset));
    if (n_values > 0)
        median = ert_stats_median(values, n_values);
    free(values);
    return median;
}

/*
 * Divides rates only if that explains something: they scatter less per cycle, or the clock has changed and
 * they differ less per cycle. Then each pair must qualify by its own rounds: its clock moved, by as much as
 * the device's (if it alone fell, for instance by a power limit, the rate counts as slower), and is precise.
 */
static void decide(struct ert_clock_pair *pairs, size_t n, double margin)
{
    struct evidence *evidence = ert_xcalloc(n, sizeof *evidence);
    for (size_t i = 0; i < n; i++) {
        pairs[i].follows = ceilings_clock_is_known(&pairs[i]);
        if (pairs[i].follows)
            evidence[i] = evidence_of(&pairs[i]);
    }
    const struct ert_clock_change change = ert_clock_change_of(pairs, n);
    const struct ert_differ differ =
        ert_differ(&change.sides[0], &change.sides[1], ERT_BETTER_HIGH, margin);
#define MEDIAN(member)                                                                     \
    ceilings_clock_median_of(evidence, pairs, n, offsetof(struct evidence, member))
    bool has_changed =
        differ.verdict == ERT_DIFFER_SLOWER || differ.verdict == ERT_DIFFER_FASTER;
    bool explains = MEDIAN(scatter) < explained ||
                    (has_changed && MEDIAN(shifts[PER_CYCLE]) < MEDIAN(shifts[ROUNDS]));
#undef MEDIAN
    for (size_t i = 0; i < n; i++) {
        double own = evidence[i].shifts[CLOCKS] - log1p(differ.change);
        pairs[i].follows = pairs[i].follows && explains && evidence[i].moved &&
                           evidence[i].scatter <= worse && fabs(own) <= 3 * differ.error;
    }
    free(evidence);
}

/* The drift of a pair's rounds, per cycle if the pair is compared so. */
static bool drift_of_pair(const struct ert_clock_pair *pair, int side,
                          struct ert_drift *drift)
{
    const struct ert_clock_side *of = &pair->sides[side];
    double *rounds = ert_xcalloc(of->n, sizeof *rounds);
    if (pair->follows)
        ert_clock_per_cycle(of->rounds, of->clocks_hz, of->n, pair->better, rounds);
    bool has_drift =
        ert_drift_of(pair->follows ? rounds : of->rounds, of->n, pair->better, drift);
    free(rounds);
    return has_drift;
}

/* The drift of a group's pairs on one side, NULL for all; *n: how many have one. */
static double drift_of(const struct ert_clock_pair *pairs, size_t n_pairs, int side,
                       const char *group, size_t *n)
{
    struct ert_drift *drifts = ert_xcalloc(n_pairs, sizeof *drifts);
    *n = 0;
    for (size_t i = 0; i < n_pairs; i++)
        if (!group || strcmp(group, pairs[i].group) == 0)
            *n += drift_of_pair(&pairs[i], side, &drifts[*n]);
    double between = *n ? ert_differ_between(drifts, *n) : 0;
    free(drifts);
    return between;
}

/*
 * Sets `between` of a side. The clock's effect on pairs that follow is not drift of the others, whose own
 * drift tells little without that of all. Differences between several runs include the clock: subtract its
 * scatter, but keep at least the drift.
 */
static void set_between(struct ert_clock_pair *pairs, size_t n, int side,
                        double clock_error)
{
    size_t n_all, n_own;
    double all = drift_of(pairs, n, side, NULL, &n_all);
    for (size_t i = 0; i < n; i++) {
        struct ert_clock_side *of = &pairs[i].sides[side];
        if (of->n == 0 || (!pairs[i].follows && of->n_runs > 1))
            continue;
        double own = drift_of(pairs, n, side, pairs[i].group, &n_own);
        double drift = n_own ? ert_differ_between_group(own, n_own, all) : all;
        double rest = of->between * of->between - clock_error * clock_error;
        of->between = of->n_runs > 1 ? fmax(sqrt(fmax(rest, 0)), drift) : drift;
    }
}

struct ert_clock_change ert_clock_judge(struct ert_clock_pair *pairs, size_t n,
                                        double margin)
{
    decide(pairs, n, margin);
    const struct ert_clock_change change = ert_clock_change_of(pairs, n);
    for (int s = 0; s < 2 && change.n > 0; s++)
        set_between(pairs, n, s, change.sides[s].error);
    return change;
}
