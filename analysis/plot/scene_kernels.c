/* Profiled points in a scene: which are drawn, where, and what becomes of the rest. */
#include "analysis/plot/names.h"
#include "analysis/plot/scene_drops.h"
#include "analysis/plot/scene_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What axes can show, flop/byte and flop/s: far beyond any machine, so nothing but bad input. */
static const double intensity_limits[] = {1e-9, 1e12}, perf_limits[] = {1e-3, 1e24};

/* What choosing needs. */
struct choice {
    struct rfl_scene *scene;
    const struct rfl_points *points;
    const char *type;            /* NULL: all */
    const struct rfl_roof *only; /* the level's that is asked for, or NULL */
    char no_bytes[32];           /* "no bytes at HBM" */
    struct rfl_drops drops;
};

/* A point that can be drawn. */
struct candidate {
    size_t index;
    double time_s;
};

static bool within(double value, const double limits[2])
{
    return value >= limits[0] && value <= limits[1];
}

/* A point's operations: of one type, or (NULL) all floating-point ones. */
static double flops_of(const struct rfl_point *point, const char *type)
{
    double sum = 0;
    for (size_t i = 0; i < point->n_work; i++) {
        const char *own = point->work[i].type;
        if (type ? strcasecmp(type, own) == 0 : strncmp(own, "int", 3) != 0)
            sum += point->work[i].flops;
    }
    return sum;
}

static bool is_drawn_at(const struct choice *choice, const struct rfl_point *point,
                        const struct rfl_traffic *traffic)
{
    const struct rfl_roof *roof = rfl_scene_level(choice->scene, traffic->level);
    if (!roof || (choice->only && strcmp(choice->only->level, roof->level) != 0))
        return false;
    return within(flops_of(point, choice->type) / traffic->bytes, intensity_limits);
}

/* The reason that the point itself has for lacking something, or a general one. */
static const char *reason_of(const struct rfl_point *point, const char *what,
                             const char *general)
{
    for (size_t i = 0; i < point->n_missing; i++)
        if (strstr(point->missing[i].what, what))
            return point->missing[i].reason;
    return general;
}

/* Why a point with time and operations has no mark. */
static void drop_marks(struct choice *choice, const struct rfl_point *point)
{
    const char *level = choice->only ? choice->only->level : "";
    for (size_t i = 0; i < point->n_traffic; i++) {
        const struct rfl_roof *roof =
            rfl_scene_level(choice->scene, point->traffic[i].level);
        if (!roof || (*level && strcmp(roof->level, level) != 0))
            continue;
        rfl_drops_add(&choice->drops, point->name, "outside of any axis",
                      "1e-9 to 1e12 FLOP/byte, 1e-3 to 1e24 FLOP/s");
        return;
    }
    rfl_drops_add(
        &choice->drops, point->name, choice->no_bytes,
        reason_of(point, *level ? level : "bytes",
                  point->n_traffic ? "only of levels that are not drawn here" : ""));
}

/* Whether a point has a mark; if not, it is dropped with the reason. */
static bool can_be_drawn(struct choice *choice, const struct rfl_point *point)
{
    double flops = flops_of(point, choice->type);
    if (!(point->time_s > 0)) {
        rfl_drops_add(&choice->drops, point->name, "no time", reason_of(point, "time", ""));
        return false;
    }
    if (!(flops > 0)) {
        rfl_drops_add(&choice->drops, point->name, "no operations of the types drawn",
                      reason_of(point, choice->type ? choice->type : "operations",
                                reason_of(point, "flops", "")));
        return false;
    }
    for (size_t i = 0; i < point->n_traffic; i++)
        if (is_drawn_at(choice, point, &point->traffic[i]) &&
            within(flops / point->time_s, perf_limits))
            return true;
    drop_marks(choice, point);
    return false;
}

/* The longest first; of equal time in the files' order. */
static int longer_first(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->time_s != b->time_s)
        return a->time_s < b->time_s ? 1 : -1;
    return a->index < b->index ? -1 : 1;
}

/* "Not drawn: 80 more, 3.1 % of the time: ..." */
static void note_shorter(struct choice *choice, const struct candidate *candidates,
                         size_t drawn, size_t n)
{
    double all_s = 0, left_s = 0;
    char what[96];
    for (size_t i = 0; i < n; i++) {
        all_s += candidates[i].time_s;
        left_s += i < drawn ? 0 : candidates[i].time_s;
    }
    snprintf(what, sizeof what,
             "%zu with %.2g %% of the time (--points: the longest %zu are drawn)",
             n - drawn, 100 * left_s / all_s, drawn);
    struct rfl_drops drops = {0};
    for (size_t i = drawn; i < n; i++)
        rfl_drops_add(&drops, choice->points->points[candidates[i].index].name, what, "");
    rfl_drops_note(&drops, choice->scene);
    rfl_drops_free(&drops);
}

static void add_marks(struct choice *choice, const struct rfl_point *point, size_t kernel)
{
    struct rfl_scene *scene = choice->scene;
    struct rfl_kernel *to = &scene->kernels[kernel];
    double flops = flops_of(point, choice->type);
    to->perf_flop_per_s = flops / point->time_s;
    to->first_mark = scene->n_marks;
    for (size_t level = 0; level < scene->n_mark_levels; level++)
        for (size_t i = 0; i < point->n_traffic; i++) {
            const struct rfl_traffic *traffic = &point->traffic[i];
            const struct rfl_roof *roof = rfl_scene_level(scene, traffic->level);
            if (!is_drawn_at(choice, point, traffic) ||
                strcmp(roof->level, scene->mark_levels[level]) != 0)
                continue;
            scene->marks[scene->n_marks++] = (struct rfl_mark){
                kernel, level, flops / traffic->bytes, to->perf_flop_per_s};
        }
    to->n_marks = scene->n_marks - to->first_mark;
}

/* The levels that marks are at, the fastest first: their shapes follow the order of the roofs. */
static void add_mark_levels(struct choice *choice, const struct candidate *candidates,
                            size_t n)
{
    struct rfl_scene *scene = choice->scene;
    for (size_t l = 0; l < scene->n_levels; l++) {
        const char *level = scene->levels[l].level;
        bool used = false;
        for (size_t i = 0; i < scene->n_mark_levels && !used; i++)
            used = strcmp(scene->mark_levels[i], level) == 0;
        if (used)
            continue;
        for (size_t i = 0; i < n && !used; i++) {
            const struct rfl_point *point = &choice->points->points[candidates[i].index];
            for (size_t j = 0; j < point->n_traffic && !used; j++)
                used = is_drawn_at(choice, point, &point->traffic[j]) &&
                       strcmp(rfl_scene_level(scene, point->traffic[j].level)->level,
                              level) == 0;
        }
        if (used && scene->n_mark_levels == RFL_MAX_TRAFFIC)
            rfl_scene_note(scene, "Not drawn: points at %s: a chart has them at %d levels.",
                           level, RFL_MAX_TRAFFIC);
        else if (used)
            snprintf(scene->mark_levels[scene->n_mark_levels++],
                     sizeof scene->mark_levels[0], "%s", level);
    }
}

/* The run of a kernel in the list of runs, added when it is new. */
static size_t series_of(struct rfl_scene *scene, const char *run)
{
    char name[sizeof scene->series[0]];
    size_t i = 0;
    rfl_name_cut(run, name, sizeof name);
    while (i < scene->n_series && strcmp(scene->series[i], name) != 0)
        i++;
    if (i == scene->n_series)
        snprintf(scene->series[scene->n_series++], sizeof scene->series[0], "%s", name);
    return i;
}

static void add_kernels(struct choice *choice, const struct candidate *candidates, size_t n)
{
    struct rfl_scene *scene = choice->scene;
    add_mark_levels(choice, candidates, n);
    for (size_t i = 0; i < n; i++) {
        const struct rfl_point *point = &choice->points->points[candidates[i].index];
        struct rfl_kernel *kernel = &scene->kernels[scene->n_kernels++];
        rfl_name_cut(point->name, kernel->name, sizeof kernel->name);
        rfl_name_short(point->name, kernel->brief, sizeof kernel->brief);
        rfl_name_instance(point->name, kernel->instance, sizeof kernel->instance);
        kernel->order = candidates[i].index;
        kernel->time_s = point->time_s;
        kernel->scale = point->scale;
        kernel->series = series_of(scene, point->run ? point->run : "");
        add_marks(choice, point, i);
    }
}

/* Levels that drawn points have bytes of and that have no roof here; reasons for those they lack. */
static void note_levels(struct choice *choice)
{
    for (size_t i = 0; i < choice->scene->n_kernels; i++) {
        const struct rfl_point *point =
            &choice->points->points[choice->scene->kernels[i].order];
        for (size_t j = 0; j < point->n_traffic && !choice->only; j++)
            if (!rfl_scene_level(choice->scene, point->traffic[j].level))
                rfl_drops_add(&choice->drops, point->name, point->traffic[j].level,
                              "no roof of this level here");
            else if (!is_drawn_at(choice, point, &point->traffic[j]))
                rfl_drops_add(&choice->drops, point->name, point->traffic[j].level,
                              "its intensity is outside of any axis");
        for (size_t j = 0; j < point->n_missing && !choice->only; j++)
            rfl_drops_add(&choice->drops, point->name, point->missing[j].what,
                          point->missing[j].reason);
    }
}

static enum ert_status find_level(struct choice *choice, const char *level,
                                  struct ert_error *error)
{
    char list[256] = "";
    choice->only = level ? rfl_scene_level(choice->scene, level) : NULL;
    snprintf(choice->no_bytes, sizeof choice->no_bytes, "no bytes%s%s",
             choice->only ? " at " : "", choice->only ? choice->only->level : "");
    if (choice->only || !level)
        return ERT_OK;
    for (size_t i = 0, used = 0; i < choice->scene->n_levels && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 choice->scene->levels[i].level);
    return ert_fail(error, ERT_USAGE, "no roof of level '%.16s'; there are: %s", level,
                    list[0] ? list : "none");
}

static void choose(struct choice *choice, struct candidate *candidates, size_t limit)
{
    size_t n = 0;
    for (size_t i = 0; i < choice->points->n; i++)
        if (can_be_drawn(choice, &choice->points->points[i]))
            candidates[n++] = (struct candidate){i, choice->points->points[i].time_s};
    qsort(candidates, n, sizeof *candidates, longer_first);
    size_t drawn = n < limit ? n : limit;
    add_kernels(choice, candidates, drawn);
    if (drawn < n)
        note_shorter(choice, candidates, drawn, n);
    note_levels(choice);
    rfl_drops_note(&choice->drops, choice->scene);
}

enum ert_status rfl_scene_add_kernels(struct rfl_scene *scene,
                                      const struct rfl_scene_options *options,
                                      struct ert_error *error)
{
    struct choice choice = {.scene = scene, .points = options->points};
    size_t limit = options->max_kernels ? options->max_kernels : RFL_DEFAULT_KERNELS;
    if (limit > RFL_MAX_KERNELS)
        return ert_fail(error, ERT_USAGE, "%zu points in a chart, at most %d are possible",
                        limit, RFL_MAX_KERNELS);
    if (options->type && strcasecmp(options->type, "all") != 0)
        choice.type = options->type;
    ERT_TRY(find_level(&choice, options->level, error));
    struct candidate *candidates = malloc((options->points->n + 1) * sizeof *candidates);
    if (!candidates)
        return ert_fail(error, ERT_FAILED, "no memory for %zu points", options->points->n);
    choose(&choice, candidates, limit);
    free(candidates);
    bool failed = choice.drops.failed;
    rfl_drops_free(&choice.drops);
    if (failed)
        return ert_fail(error, ERT_FAILED, "no memory for %zu points", options->points->n);
    rfl_scene_link_kernels(scene, options->trajectory);
    return ERT_OK;
}
