/* Groups of likwid-perfctr as points: several groups of one region are one point. */
#include "analysis/import/likwid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const types[RFL_LIKWID_TYPES] = {"fp64", "fp32", "fp16"};
static const char *const levels[RFL_LIKWID_LEVELS] = {"L2", "L3", "DRAM", "HBM", "MCDRAM"};

/* Runs of the same code differ by less; more means that the groups counted different work. */
static const double same_time = 0.1;

/* Volumes are printed with four decimals of 1e9 bytes: below this, with less than three digits. */
static const double few_digits_bytes = 0.1e9;

static void flops_missing(struct rfl_points *points, struct rfl_point *point,
                          const struct rfl_likwid_group *group)
{
    if (group->is_assumed)
        rfl_points_missing(
            points, point, "operations",
            "%s counts vector instructions of any width (likwid prints a rate "
            "per assumed width): count operations with Intel SDE",
            group->name);
}

static enum ert_status put_flops(const struct rfl_likwid_group *group,
                                 struct rfl_points *points, struct rfl_point *point,
                                 struct ert_error *error)
{
    ERT_TRY(rfl_fp_arith_put(&group->events, "likwid", points, point, error));
    for (size_t i = 0; i < RFL_LIKWID_TYPES; i++) {
        if (group->events.seen[i] || !group->has_rate[i])
            continue;
        ERT_TRY(rfl_points_work(
            points, point, types[i], "core", group->rate_flops[i], NAN,
            rfl_points_format(points,
                              "likwid %s: MFLOP/s x runtime, summed over threads; the FMA "
                              "share is unknown",
                              group->name),
            error));
        if (group->is_packed[i])
            rfl_points_warn(points, point,
                            "%s: %s counts packed AVX operations only, scalar and SSE ones "
                            "are not in it",
                            types[i], group->name);
        if (group->counts_all_types)
            rfl_points_warn(
                points, point,
                "%s: the event RETIRED_SSE_AVX_FLOPS_ALL counts all types alike; "
                "%s is what the group %s calls it",
                types[i], types[i], group->name);
    }
    flops_missing(points, point, group);
    return ERT_OK;
}

static enum ert_status put_level(const struct rfl_likwid_group *group, size_t i,
                                 struct rfl_points *points, struct rfl_point *point,
                                 struct ert_error *error)
{
    const struct rfl_likwid_level *level = &group->levels[i];
    char what[24];
    double bytes = level->has_total ? level->total : level->parts;
    bool has_both = level->has_read && level->has_written && level->read >= 0 &&
                    level->read <= level->parts && level->parts > 0;
    double share = has_both ? level->read / level->parts : NAN;
    if (!level->has_total && !level->has_parts)
        return ERT_OK;
    snprintf(what, sizeof what, "%s bytes", levels[i]);
    /* Releases of 2018 printed MB as GB for KNL's L2 (NERSC's scripts divide by 1000). */
    if (level->has_total && level->has_bandwidth && level->bandwidth_bytes > 0 &&
        (bytes > 30 * level->bandwidth_bytes || 30 * bytes < level->bandwidth_bytes)) {
        rfl_points_missing(points, point, what,
                           "%s: the data volume is %.3g times its bandwidth x runtime: "
                           "this likwid prints a wrong unit (KNL: MB as GB)",
                           group->name, bytes / level->bandwidth_bytes);
        return ERT_OK;
    }
    if (bytes < 0) {
        rfl_points_missing(points, point, what,
                           "%s: %.3g bytes, a difference of counters that were not read at "
                           "once",
                           group->name, bytes);
        return ERT_OK;
    }
    if (bytes < few_digits_bytes && level->has_total && level->bandwidth_bytes > 0) {
        return rfl_points_accesses(
            points, point, levels[i], level->bandwidth_bytes,
            share * level->bandwidth_bytes, true,
            rfl_points_format(points, "likwid %s: %s bandwidth x runtime, all threads",
                              group->name, level->stem),
            error);
    }
    return rfl_points_accesses(
        points, point, levels[i], bytes, share * bytes, true,
        rfl_points_format(points, "likwid %s: %s data volume, all threads", group->name,
                          level->has_total ? level->stem : "read + write (load + evict)"),
        error);
}

static enum ert_status put_bytes(const struct rfl_likwid_group *group,
                                 struct rfl_points *points, struct rfl_point *point,
                                 struct ert_error *error)
{
    for (size_t i = 0; i < RFL_LIKWID_LEVELS; i++) {
        const struct rfl_likwid_level *level = &group->levels[i];
        if (!level->has_total && !level->has_parts)
            continue;
        if (rfl_point_traffic(point, levels[i])) {
            rfl_points_warn(points, point,
                            "%s bytes of group %s are not used: another group gave them",
                            levels[i], group->name);
            continue;
        }
        ERT_TRY(put_level(group, i, points, point, error));
    }
    if (group->counts_accesses)
        rfl_points_missing(points, point, "L1 bytes",
                           "%s counts loads and stores, not their width: bytes at L1 need "
                           "Intel SDE",
                           group->name);
    return ERT_OK;
}

static void put_rest(const struct rfl_likwid_group *group, struct rfl_points *points,
                     struct rfl_point *point)
{
    if (group->has_runtime && group->runtime_s > 0) {
        point->time_s = group->runtime_s;
        point->time_recipe =
            group->n_threads
                ? rfl_points_format(points,
                                    "likwid %s: RDTSC runtime, slowest of %zu threads",
                                    group->name, group->n_threads)
                : rfl_points_format(points, "likwid %s: RDTSC runtime, slowest thread",
                                    group->name);
    }
    point->launches = group->calls;
    point->instructions = group->instructions;
    point->threads = (double)group->n_threads;
    if (group->n_clocks > 0)
        point->clock_hz = group->clock_sum_hz / group->n_clocks;
    point->energy_j = group->energy_j;
}

/* The last point of the group's region from `first` on, SIZE_MAX when there is none. */
static size_t last_point(const struct rfl_likwid_joined *joined, const char *name,
                         const struct rfl_points *points, size_t *n_runs)
{
    size_t last = SIZE_MAX;
    *n_runs = 0;
    for (size_t i = joined->first; i < points->n; i++)
        if (strcmp(points->points[i].name, name) == 0) {
            last = i;
            ++*n_runs;
        }
    return last;
}

static bool has_group(const struct rfl_likwid_joined *joined, size_t point,
                      const char *group)
{
    for (size_t i = 0; i < joined->n; i++)
        if (joined->members[i].point == point &&
            strcmp(joined->members[i].group, group) == 0)
            return true;
    return false;
}

static enum ert_status join(struct rfl_likwid_joined *joined, size_t point,
                            const char *group, struct ert_error *error)
{
    if (joined->n == joined->room) {
        size_t room = joined->room ? 2 * joined->room : 16;
        struct rfl_likwid_member *grown = realloc(joined->members, room * sizeof *grown);
        if (!grown)
            return ert_fail(error, ERT_FAILED, "no memory for %zu groups", room);
        joined->members = grown;
        joined->room = room;
    }
    joined->members[joined->n++] = (struct rfl_likwid_member){point, group};
    return ERT_OK;
}

/* The point of the group's region; *is_new when there was none, or it has this group already. */
static enum ert_status point_of(const struct rfl_likwid_group *group,
                                struct rfl_likwid_joined *joined, struct rfl_points *points,
                                struct rfl_point **point, bool *is_new,
                                struct ert_error *error)
{
    const char *name = *group->region ? group->region : "whole run";
    size_t n_runs, at = last_point(joined, name, points, &n_runs);
    *is_new = at == SIZE_MAX || has_group(joined, at, group->name);
    if (*is_new) {
        char run[32];
        at = points->n;
        ERT_TRY(rfl_points_add(points, name, point, error));
        snprintf(run, sizeof run, "run %zu", n_runs + 1);
        if (n_runs)
            (*point)->run = rfl_points_text(points, run);
    }
    *point = &points->points[at];
    return join(joined, at, group->name, error);
}

/* Whether a further group may join: what it counted is the same work only in the same time. */
static bool joins(const struct rfl_likwid_group *group, struct rfl_points *points,
                  struct rfl_point *point)
{
    double ratio =
        point->time_s > 0 && group->runtime_s > 0 ? group->runtime_s / point->time_s : NAN;
    if (fabs(ratio - 1) <= same_time) {
        rfl_points_warn(
            points, point,
            "group %s is of another run of the same code, or of another part of the "
            "run (%.4g s and %.4g s)",
            group->name, group->runtime_s, point->time_s);
        return true;
    }
    rfl_points_missing(
        points, point, group->name,
        "the group ran %.4g s, the one before it %.4g s: not the same work "
        "(likwid takes turns between groups), so its counts are left out; run "
        "once per group",
        group->runtime_s, point->time_s);
    return false;
}

static bool is_empty(const struct rfl_likwid_group *group)
{
    return !group->has_runtime && !group->has_event && !group->has_metric &&
           group->instructions == 0;
}

enum ert_status rfl_likwid_put(const struct rfl_likwid_group *group,
                               struct rfl_likwid_joined *joined, struct rfl_points *points,
                               struct ert_error *error)
{
    struct rfl_point *point;
    bool is_new;
    if (is_empty(group))
        return ERT_OK;
    ERT_TRY(point_of(group, joined, points, &point, &is_new, error));
    if (is_new)
        put_rest(group, points, point);
    else if (!joins(group, points, point))
        return ERT_OK;
    else if (point->energy_j == 0)
        point->energy_j = group->energy_j;
    if (group->is_multiplexed)
        rfl_points_warn(
            points, point,
            "group %s: likwid says that the kernel multiplexed its events: counts "
            "are scaled estimates",
            group->name);
    if (point->n_work == 0)
        ERT_TRY(put_flops(group, points, point, error));
    else if (group->has_rate[0] || group->has_rate[1] || group->has_rate[2])
        rfl_points_warn(points, point,
                        "operations of group %s are not used: another group gave them",
                        group->name);
    return put_bytes(group, points, point, error);
}
