/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/chart/scene.h"

#include "analysis/core/place/model.h"
#include "analysis/core/place/place.h"
#include "analysis/core/points/levels.h"
#include "analysis/core/points/reader.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- roofs: bandwidths and peaks of the devices ---- */

static int compare_roofs(const void *left, const void *right)
{
    const struct rfl_roof *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? 1 : -1;
    return strcmp(a->brief, b->brief);
}

/* Makes a roof "L2 load 8903 GB/s". */
static struct rfl_roof make_roof(const char *brief, const char *name, const char *value,
                                 const struct rfl_rate *rate)
{
    struct rfl_roof roof = {.value = rate->value,
                            .low = rate->low > 0 ? rate->low : rate->value,
                            .high = fmax(rate->high, rate->value),
                            .has_warning = *rate->warning};
    snprintf(roof.brief, sizeof roof.brief, "%.24s", brief);
    snprintf(roof.full, sizeof roof.full, "%s %s", name, value);
    return roof;
}

#define LEAST_DRAWN 1 /* lower values would add a decade for each power of ten */

static const struct rfl_roof *scene_find_level(const struct rfl_scene *scene,
                                               const char *level)
{
    for (size_t i = 0; i < scene->n_levels; i++)
        if (strcmp(scene->levels[i].level, level) == 0)
            return &scene->levels[i];
    return NULL;
}

static void scene_add_level(struct rfl_scene *scene, const struct rfl_bandwidth *line)
{
    struct rfl_roof *roof = &scene->levels[scene->n_levels++];
    char name[40];
    snprintf(name, sizeof name, "%s %s", line->level, line->pattern);
    *roof = make_roof(
        line->level, name,
        scene->view == rfl_views
            ? ert_units_bandwidth(line->rate.value).text
            : ert_units_amount(line->rate.value, scene->view->chart.per_unit).text,
        &line->rate);
    snprintf(roof->level, sizeof roof->level, "%s", line->level);
}

/* Whether any point with operations has bytes of a level, so that it can be drawn there. */
static bool scene_has_work_at(const struct rfl_points *points, const char *level)
{
    for (size_t i = 0; i < points->n; i++)
        if (points->points[i].n_work > 0 && rfl_point_traffic(&points->points[i], level))
            return true;
    return false;
}

/* Each level's roof; of the host or the network, the first one, and only if points have such bytes. */
static void scene_add_levels(struct rfl_scene *scene, const struct rfl_points *points)
{
    const struct rfl_roofs *roofs = scene->of;
    const char *before = "";
    for (size_t i = 0; i < roofs->n_bandwidths; i++) {
        const struct rfl_bandwidth *line = &roofs->bandwidths[i];
        bool is_line = line->is_transfer
                           ? strcmp(before, line->level) != 0 && points &&
                                 scene_has_work_at(points, line->level)
                           : rfl_roofs_level(roofs, line->level, NULL) == line;
        if (is_line && line->rate.value >= LEAST_DRAWN)
            scene_add_level(scene, line);
        before = line->level;
    }
}

/* The operations that are roofs, with their names; others (divisions) are in the file. */
static const struct flat {
    const char *op, *name;
    enum rfl_roof_kind kind;
} flats[] = {
    {"fma",        "FMA",              RFL_ROOF_FMA       },
    {"mad",        "MAD",              RFL_ROOF_FMA       },
    {"dot",        "dot",              RFL_ROOF_FMA       },
    {"add",        "no FMA",           RFL_ROOF_NO_FMA    },
    {"mul",        "no FMA",           RFL_ROOF_NO_FMA    },
    {"addmul",     "no FMA",           RFL_ROOF_NO_FMA    },
    {"fmaadd",     "FMA + add",        RFL_ROOF_FMA_ADD   },
    {"fma-3reg",   "FMA, 3 registers", RFL_ROOF_3_REGISTER},
    {"mma",        "tensor",           RFL_ROOF_UNIT      },
    {"wgmma",      "tensor",           RFL_ROOF_UNIT      },
    {"tcgen05",    "tensor",           RFL_ROOF_UNIT      },
    {"tcgen05-mx", "tensor",           RFL_ROOF_UNIT      },
    {"tcgen05-nv", "tensor",           RFL_ROOF_UNIT      },
    {"amx",        "AMX",              RFL_ROOF_UNIT      },
    {"gemm",       "library",          RFL_ROOF_LIBRARY   },
    {"issue",      "of instructions",  RFL_ROOF_UNIT      },
};

static const struct flat *flat_of(const char *op)
{
    for (size_t i = 0; i < ERT_LENGTH(flats); i++)
        if (strcmp(flats[i].op, op) == 0)
            return &flats[i];
    return NULL;
}

/* "FP64 FMA" */
static void name_flat(const char *type, const char *what, char name[32])
{
    snprintf(name, 32, "%s %s", type, what);
    for (char *at = name; *at != ' ' && strpbrk(type, "0123456789"); at++)
        *at = (char)toupper((unsigned char)*at);
}

static bool is_integer(const char *type)
{
    return strncmp(type, "int", 3) == 0;
}

/* Shown if nobody asks: of types below 32 bits matrix units, of BF16 and FP16 one, with its library. */
static bool is_main(const struct rfl_roofs *roofs, const char *type,
                    enum rfl_roof_kind kind)
{
    if (kind == RFL_ROOF_LIBRARY && !strstr(type, "16"))
        return false;
    if (strcmp(type, "fp64") == 0 || strcmp(type, "fp32") == 0)
        return true;
    if (strcmp(type, "fp16") == 0 && rfl_roofs_peak(roofs, "bf16", "tensor", NAN, NULL) > 0)
        return false;
    return (kind == RFL_ROOF_UNIT || kind == RFL_ROOF_LIBRARY) && !is_integer(type) &&
           strlen(type) > 3; /* FP8 and below */
}

static bool draws(const struct rfl_scene *scene, const struct rfl_roof *roof)
{
    return *scene->types
               ? strstr(scene->types, roof->type) || strcmp(scene->types, "all") == 0
               : roof->is_main;
}

/* Whether FMA and add units at once exceed FMAs alone, with separate adders: then they are a roof. */
static bool is_beyond_fma(const struct rfl_roofs *roofs, const struct rfl_peak *peak)
{
    for (size_t i = 0; i < roofs->n_peaks; i++)
        if (strcmp(roofs->peaks[i].type, peak->type) == 0 &&
            strcmp(roofs->peaks[i].op, "fma") == 0 &&
            roofs->peaks[i].rate.value >= peak->rate.value)
            return false;
    return true;
}

static struct rfl_roof make_flat(const struct rfl_scene *scene, const char *type,
                                 const char *what, enum rfl_roof_kind kind,
                                 const struct rfl_rate *rate)
{
    char name[32];
    name_flat(type, what, name);
    struct rfl_roof roof = make_roof(
        name, name,
        scene->view == rfl_views
            ? ert_units_rate(rate->value, ert_unit_words[ert_unit_of_type(type)]).text
            : ert_units_amount(rate->value, scene->view->chart.y_unit).text,
        rate);
    roof.kind = kind;
    snprintf(roof.type, sizeof roof.type, "%s", type);
    return roof;
}

static void add_flats(struct rfl_scene *scene)
{
    const struct rfl_roofs *roofs = scene->of;
    for (size_t i = 0; i < roofs->n_peaks; i++) {
        const struct rfl_peak *peak = &roofs->peaks[i];
        const struct flat *flat = peak->rate.is_roof ? flat_of(peak->op) : NULL;
        if (!flat || (flat->kind == RFL_ROOF_FMA_ADD && !is_beyond_fma(roofs, peak)) ||
            peak->rate.value < LEAST_DRAWN)
            continue;
        struct rfl_roof made = make_flat(
            scene, peak->type,
            is_integer(peak->type) && flat->kind == RFL_ROOF_NO_FMA ? peak->op : flat->name,
            flat->kind, &peak->rate);
        made.is_main = is_main(roofs, peak->type, flat->kind);
        struct rfl_roof *roof = scene->flats, *end = roof + scene->n_flats;
        while (roof < end && strcmp(roof->brief, made.brief) != 0)
            roof++;
        if (!draws(scene, &made) || (roof < end && roof->value >= made.value))
            continue; /* the fastest of its name is the roof */
        scene->n_flats += roof == end;
        *roof = made;
    }
}

static enum ert_status add_roofs(struct rfl_scene *scene, const struct rfl_points *points,
                                 struct ert_error *error)
{
    scene_add_levels(scene, points);
    scene->flats = scene->levels + scene->n_levels;
    add_flats(scene);
    qsort(scene->levels, scene->n_levels, sizeof scene->levels[0], compare_roofs);
    qsort(scene->flats, scene->n_flats, sizeof scene->flats[0], compare_roofs);
    if (scene->n_levels || scene->n_flats)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "%s: nothing to draw: no ceiling of 1 %s or more", scene->of->device,
                    scene->view->chart.y_unit);
}

/* ---- profiled points: which are drawn, where, and notes on the others ---- */

static bool precedes(const struct rfl_kernel *a, const struct rfl_kernel *b, bool scaled)
{
    return scaled && a->scale != b->scale ? a->scale < b->scale : a->point < b->point;
}

/* The next kernel of a run, by scale if all have one, else in the order of the files; NULL: none. */
static const struct rfl_kernel *next_of(const struct rfl_scene *scene,
                                        const struct rfl_kernel *kernel)
{
    const struct rfl_kernel *end = scene->kernels + scene->n_kernels, *next = NULL;
    bool scaled = true;
    for (const struct rfl_kernel *other = scene->kernels; other < end; other++)
        scaled = scaled && (other->series != kernel->series || other->scale > 0);
    for (const struct rfl_kernel *other = scene->kernels; other < end; other++)
        if (other->series == kernel->series && precedes(kernel, other, scaled) &&
            (!next || precedes(other, next, scaled)))
            next = other;
    return next;
}

static void link_kernels(struct rfl_scene *scene, bool trajectory)
{
    scene->n_series = trajectory || scene->series.n_texts > 1 ? scene->series.n_texts : 0;
    for (size_t i = 0; i < scene->n_kernels; i++) {
        struct rfl_kernel *kernel = &scene->kernels[i];
        const struct rfl_kernel *next = trajectory ? next_of(scene, kernel) : NULL;
        for (size_t j = 0; next && j < kernel->n_marks; j++)
            for (size_t k = 0; k < next->n_marks && !kernel->marks[j].next; k++)
                if (next->marks[k].level == kernel->marks[j].level)
                    kernel->marks[j].next = &next->marks[k];
        if (!scene->n_series)
            kernel->series = i;
    }
}

/* A share of FMA closer to none or all than this has their roofs. */
#define SAME_SHARE 0.005

/* The limits of axes, flop/byte and flop/s or s, far beyond any machine: values outside are bad input. */
static const double intensity_limits[] = {1e-9, 1e12}, perf_limits[] = {1e-9, 1e24};

static bool within(double value, const double limits[2])
{
    return value >= limits[0] && value <= limits[1];
}

/* Of a share of FMA that bounds a point: the flat of its mix, if it is one of the first few. */
static void add_mix(struct rfl_scene *scene, const struct rfl_work *work)
{
    struct rfl_rate rate = {
        .value = rfl_roofs_peak(scene->of, work->type, work->unit, work->fma_share, NULL)};
    char what[16];
    size_t n = 0;
    snprintf(what, sizeof what, "%.0f %% FMA", 100 * work->fma_share);
    const struct rfl_roof made = make_flat(scene, work->type, what, RFL_ROOF_MIX, &rate);
    for (size_t i = 0; i < scene->n_flats; i++)
        n += strcmp(scene->flats[i].brief, made.brief) == 0
                 ? RFL_MAX_MIXES
                 : scene->flats[i].kind == RFL_ROOF_MIX;
    if (n < RFL_MAX_MIXES)
        scene->flats[scene->n_flats++] = made;
}

/* Draws what decides a point: the roof of its mix, or all that its level's roof can be. */
static void scene_add_bound(struct rfl_scene *scene, const struct rfl_placement *placement)
{
    const struct rfl_placed *bound = &placement->placed[placement->bound_index];
    if (placement->bound == RFL_BOUND_UNIT && bound->work->fma_share > SAME_SHARE &&
        bound->work->fma_share < 1 - SAME_SHARE && !rfl_is_matrix_unit(bound->work->unit))
        add_mix(scene, bound->work);
    for (size_t l = 0; l < scene->n_levels && placement->bound == RFL_BOUND_LEVEL; l++)
        if (strcmp(scene->levels[l].level, bound->name) == 0 &&
            bound->low < 0.98 * bound->value)
            scene->levels[l].low = fmin(scene->levels[l].low, bound->low);
}

/* Whether a view's row is of a level; one of all bytes together is at the first level. */
static bool scene_is_at(const struct rfl_placement *placement,
                        const struct rfl_view_row *row, size_t l,
                        const struct rfl_roof *roof)
{
    for (size_t i = 0; i < placement->n_levels; i++)
        if (placement->placed[i].traffic == row->traffic)
            return strcmp(placement->placed[i].name, roof->level) == 0 &&
                   !rfl_traffic_is_passed_by(placement->point, row->traffic);
    return !row->traffic && row->is_of_all && l == 0;
}

/* Adds a point with a mark at each level (or the only one) that has a roof and its bytes, if there is one. */
static void scene_add_kernel(struct rfl_scene *scene, const struct rfl_placement *placement,
                             const struct rfl_roof *only)
{
    struct rfl_kernel *kernel = &scene->kernels[scene->n_kernels];
    struct rfl_view_row rows[RFL_MAX_VIEW_ROWS];
    char run[64];
    *kernel = (struct rfl_kernel){.scale = placement->point->scale};
    const struct rfl_view *view = scene->view;
    const size_t n = (view->chart.rows ? view->chart.rows : view->rows)(placement, rows);
    for (size_t l = 0; l < scene->n_levels; l++) { /* the fastest first */
        const struct rfl_roof *roof = &scene->levels[l];
        if (scene_find_level(scene, roof->level) != roof || (only && roof != only))
            continue;
        for (size_t r = 0; r < n; r++) {
            const double x = rows[r].intensity,
                         y = rows[r].reached * (strcmp(rows[r].unit, "byte/s") ? 1 : x);
            if (scene_is_at(placement, &rows[r], l, roof) && within(x, intensity_limits) &&
                within(y, perf_limits) && kernel->n_marks < RFL_MAX_TRAFFIC)
                kernel->marks[kernel->n_marks++] = (struct rfl_mark){l, x, y, NULL};
        }
    }
    if (!kernel->n_marks)
        return;
    rfl_name_cut(placement->point->run, run, sizeof run);
    kernel->series = ert_strings_index(&scene->series, run);
    kernel->point = placement->point;
    if (placement->point->time_low_s > 0 && !view->chart.rows) { /* y falls with the time */
        const double at = kernel->marks->perf_flop_per_s * placement->point->time_s;
        kernel->low_flop_per_s = at / placement->point->time_high_s;
        kernel->high_flop_per_s = at / placement->point->time_low_s;
    }
    if (scene->view == rfl_views)
        scene_add_bound(scene, placement);
    scene->n_kernels++;
}

/* Numbers the levels that have marks, fastest first: shapes follow the order of the roofs. */
static void number_levels(struct rfl_scene *scene)
{
    const char *at = scene->view->chart.at;
    for (size_t l = 0; l < scene->n_levels; l++)
        for (size_t k = 0; k < scene->n_kernels; k++)
            for (size_t i = 0; i < scene->kernels[k].n_marks; i++)
                if (scene->kernels[k].marks[i].level == l)
                    ert_strings_index(&scene->mark_levels,
                                      at ? at : scene->levels[l].level);
    for (size_t k = 0; k < scene->n_kernels; k++)
        for (size_t i = 0; i < scene->kernels[k].n_marks; i++) {
            size_t *level = &scene->kernels[k].marks[i].level;
            *level = ert_strings_index(&scene->mark_levels,
                                       at ? at : scene->levels[*level].level);
        }
}

/* Short names, with the template arguments that tell instances apart. */
static void name_kernels(struct rfl_scene *scene)
{
    struct ert_strings strings = {.n_texts = 0};
    const char *names[RFL_MAX_KERNELS];
    for (size_t i = 0; i < scene->n_kernels; i++)
        names[i] = scene->kernels[i].point->name;
    rfl_names_short(&strings, names, scene->n_kernels, sizeof scene->kernels->name - 1,
                    names);
    for (size_t i = 0; i < scene->n_kernels; i++)
        snprintf(scene->kernels[i].name, sizeof scene->kernels[i].name, "%s", names[i]);
    ert_strings_free(&strings);
}

/* "memory" and the like are the level that stands for them, as in rfl_roofs_level(). */
static enum ert_status choose_level(const struct rfl_scene *scene, const char *level,
                                    const struct rfl_roof **only, struct ert_error *error)
{
    const struct rfl_bandwidth *line =
        level ? rfl_roofs_level(scene->of, level, NULL) : NULL;
    char list[256] = "";
    *only = level ? scene_find_level(scene, line ? line->level : level) : NULL;
    if (*only || !level)
        return ERT_OK;
    for (size_t i = 0; i < scene->n_levels; i++)
        ert_list_add(list, sizeof list, scene->levels[i].level);
    return ert_fail(error, ERT_USAGE, "no roof of level '%.16s'; there are: %s", level,
                    list[0] ? list : "none");
}

enum undrawn { NO_TIME, NO_OPERATIONS, NO_BYTES, NO_NUMBERS, N_UNDRAWN };
static const char *const undrawn_words[N_UNDRAWN] = {
    "no time", "no operations", "no bytes at these levels", "no numbers for this view"};

static void add_undrawn(const struct rfl_scene *scene, const struct rfl_point *point,
                        struct rfl_names undrawn[N_UNDRAWN])
{
    char name[40];
    rfl_name_cut(point->name, name, sizeof name);
    rfl_names_add(&undrawn[scene->view != rfl_views ? NO_NUMBERS
                           : !(point->time_s > 0)   ? NO_TIME
                           : !point->n_work         ? NO_OPERATIONS
                                                    : NO_BYTES],
                  160, name);
}

/* Adds the longest points, after the levels, and a note on the others. ERT_USAGE: no point has the level. */
static enum ert_status add_profiled(struct rfl_scene *scene,
                                    const struct rfl_scene_options *options,
                                    struct ert_error *error)
{
    const struct rfl_points *points = options->points;
    size_t limit = options->max_kernels ? options->max_kernels : RFL_DEFAULT_KERNELS,
           at = 0;
    const struct rfl_roof *only;
    struct rfl_names undrawn[N_UNDRAWN] = {{.left_out = 0}};
    if (limit > RFL_MAX_KERNELS)
        return ert_fail(error, ERT_USAGE, "%zu points in a chart, must be at most %d",
                        limit, RFL_MAX_KERNELS);
    ERT_TRY(choose_level(scene, options->level, &only, error));
    const struct rfl_point **sorted = ert_xcalloc(points->n, sizeof *sorted);
    for (size_t i = 0; i < points->n; i++)
        sorted[i] = &points->points[i];
    qsort(sorted, points->n, sizeof *sorted, rfl_point_compare_times);
    for (; at < points->n && scene->n_kernels < limit; at++) {
        struct rfl_placement placement;
        const size_t before = scene->n_kernels;
        rfl_place(sorted[at], scene->of, &placement);
        scene_add_kernel(scene, &placement, only);
        if (scene->n_kernels == before)
            add_undrawn(scene, sorted[at], undrawn);
    }
    for (enum undrawn i = 0; i < N_UNDRAWN; i++)
        if (undrawn[i].left_out || *undrawn[i].text)
            ert_strings_format(scene->more, "%s: not drawn, %s: %s", scene->of->device,
                               undrawn_words[i], rfl_names_end(&undrawn[i]));
    if (at < points->n)
        ert_strings_format(&scene->notes, "The longest %zu of %zu points (--points).",
                           scene->n_kernels, points->n);
    else if (scene->n_kernels < at)
        ert_strings_format(&scene->notes,
                           "%zu of %zu points: the others lack a time or counts for it "
                           "(`roofline place`).",
                           scene->n_kernels, points->n);
    number_levels(scene);
    name_kernels(scene);
    link_kernels(scene, options->trajectory);
    free(sorted);
    return ERT_OK;
}

/* ---- the axes ---- */

/* Factors by which a chart extends beyond ridges, points and the highest roof: space for labels. */
#define ROOM_LEFT  15.
#define ROOM_RIGHT 40.
#define ROOM_ABOVE 2.2

/* With profiled points, data matter more than space for labels. */
#define NEAR_LEFT   6.
#define NEAR_RIGHT  12.
#define NEAR_POINTS 3.
#define NEAR_BELOW  30.
#define CLOSE_BY    1.5

/* At most this factor between the lowest flat and the lower edge. */
#define MAX_BELOW 1e3

/* The nearest 1, 2 or 5 times a power of ten that is at most (up: at least) the value. */
static double round_125(double value, bool up)
{
    static const double steps[] = {1, 2, 5, 10};
    double decade = pow(10, floor(log10(value)));
    double rounded = decade;
    for (size_t i = 0; i < 4; i++) {
        double step = steps[i] * decade;
        if (up && step >= value * (1 - 1e-9))
            return step;
        if (!up && step <= value * (1 + 1e-9))
            rounded = step;
    }
    return up ? 10 * decade : rounded;
}

static void include(double value, double *low, double *high)
{
    *low = fmin(value, *low);
    *high = fmax(value, *high);
}

/* Sets the range of intensities: ridges and profiled points. */
static void set_x(struct rfl_scene *scene, bool close)
{
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < scene->n_levels; i++)
        for (size_t j = 0; j < scene->n_flats; j++)
            include(rfl_model_ridge(scene->levels[i].value, scene->flats[j].value), &low,
                    &high);
    if (!(high > 0)) /* no ridges: the points, or the usual range of codes */
        low = high = scene->n_kernels ? scene->kernels->marks->intensity_flop_per_byte : 1;
    low /= close ? CLOSE_BY : scene->n_kernels ? NEAR_LEFT : ROOM_LEFT;
    high *= close ? CLOSE_BY : scene->n_kernels ? NEAR_RIGHT : ROOM_RIGHT;
    for (size_t i = 0; i < scene->n_kernels; i++)
        for (size_t j = 0; j < scene->kernels[i].n_marks; j++) {
            double intensity = scene->kernels[i].marks[j].intensity_flop_per_byte;
            include(intensity / NEAR_POINTS, &low, &high);
            include(intensity * NEAR_POINTS, &low, &high);
        }
    scene->x_min = round_125(low / 1.2, false);
    scene->x_max = round_125(high * 1.2, true);
}

/* The lower edge is where the lowest diagonal starts; with profiled points it is below them. */
static double lowest(const struct rfl_scene *scene)
{
    double low = INFINITY, high = 0, flat = INFINITY;
    for (size_t i = 0; i < scene->n_flats; i++)
        flat = fmin(flat, scene->flats[i].value);
    for (size_t i = 0; i < scene->n_levels; i++)
        include(rfl_model_attainable(scene->x_min, scene->levels[i].value,
                                     scene->n_flats ? scene->flats[0].value : INFINITY),
                &low, &high);
    if (scene->n_kernels && scene->n_flats)
        low = fmax(low, flat / NEAR_BELOW);
    /* Slow levels enter from below, so that they do not compress the rest. */
    return scene->n_flats ? fmax(low, flat / MAX_BELOW) : low;
}

static void set_axes(struct rfl_scene *scene, bool close)
{
    double low, high = 0;
    set_x(scene, close);
    low = close && scene->n_flats ? INFINITY : lowest(scene);
    for (size_t i = 0; i < scene->n_levels && !scene->n_flats; i++)
        include(scene->x_max * scene->levels[i].value, &low, &high);
    for (size_t i = 0; i < scene->n_flats; i++) {
        include(scene->n_levels ? scene->flats[i].value : scene->flats[i].value / 30, &low,
                &high);
        include(scene->flats[i].value, &low, &high);
    }
    for (size_t i = 0; i < scene->n_kernels; i++) {
        include(scene->kernels[i].marks[0].perf_flop_per_s / NEAR_POINTS, &low, &high);
        include(scene->kernels[i].marks[0].perf_flop_per_s, &low, &high);
    }
    scene->y_min = round_125(low, false);
    scene->y_max = round_125(high * (close ? CLOSE_BY : ROOM_ABOVE), true);
}

static void add_ridges(struct rfl_scene *scene)
{
    if (!scene->n_flats)
        return;
    while (scene->reference < scene->n_flats &&
           strcmp(scene->flats[scene->reference].brief, "FP64 FMA") != 0)
        scene->reference++;
    scene->reference %= scene->n_flats; /* without FP64, the highest */
    scene->n_ridges = scene->n_levels;
    for (size_t i = 0; i < scene->n_ridges; i++) {
        struct rfl_roof *roof = &scene->levels[i];
        double ridge = rfl_model_ridge(roof->value, scene->flats[scene->reference].value);
        roof->ridge_flop_per_byte = ridge;
        snprintf(roof->ridge, sizeof roof->ridge, ridge < 100 ? "%s %#.3g" : "%s %.3g",
                 roof->level, ridge);
    }
}

/* ---- the caption: what the picture alone does not show ---- */

static void note_warnings(struct rfl_scene *scene)
{
    struct rfl_names names = {.left_out = 0};
    for (size_t i = 0; i < scene->n_levels + scene->n_flats; i++)
        if (scene->roofs[i].has_warning)
            rfl_names_add(&names, 96, scene->roofs[i].brief);
    if (*names.text)
        ert_strings_format(&scene->notes, "With a warning, which `ert show` has: %s.",
                           rfl_names_end(&names));
}

static void note_state(struct rfl_scene *scene, const struct rfl_scene_device *at)
{
    const struct ert_device_ceilings *from = &at->ceilings->devices[at->index];
    const char *status = at->ceilings->status;
    if (*status && strcmp(status, "complete") != 0)
        ert_strings_format(&scene->notes, "The run did not complete: %s.", status);
    if (!from->valid)
        ert_strings_format(&scene->notes, "Not valid, measured on a disturbed machine: %s.",
                           *from->warnings ? from->warnings : "the file gives no reason");
}

static void add_notes(struct rfl_scene *scene, const struct rfl_scene_device *device)
{
    const size_t n_not_measured = device->ceilings->devices[device->index].n_not_measured;
    size_t n = scene->of->n_bandwidths + scene->of->n_peaks - scene->n_levels;
    for (size_t i = 0; i < scene->n_flats; i++)
        n -= scene->flats[i].kind != RFL_ROOF_MIX; /* which is no ceiling of its own */
    note_state(scene, device);
    note_warnings(scene);
    if (n + n_not_measured)
        ert_strings_format(scene->more,
                           "%s: %zu more ceilings, %zu not measured: `ert show`",
                           scene->of->device, n, n_not_measured);
}

/* ---- the scene ---- */

/* Selects the types whose peaks are drawn: the requested one, else the points' but integers (other unit). */
static enum ert_status choose_types(struct rfl_scene *scene,
                                    const struct rfl_scene_options *options,
                                    struct ert_error *error)
{
    const struct rfl_points *points = options->points;
    const char *wanted = options->type;
    char list[128] = "";
    for (size_t j = 0; j < scene->of->n_peaks; j++) {
        const char *type = scene->of->peaks[j].type;
        if (flat_of(scene->of->peaks[j].op) && !strstr(list, type))
            ert_list_add(list, sizeof list, type);
        if (wanted && strcasecmp(wanted, type) == 0)
            snprintf(scene->types, sizeof scene->types, "%s", type);
    }
    if (wanted && strcasecmp(wanted, "all") == 0)
        snprintf(scene->types, sizeof scene->types, "all");
    if (wanted && !*scene->types)
        return ert_fail(error, ERT_USAGE, "no peak of type '%.16s'; there are: %s, all",
                        wanted, list[0] ? list : "none");
    if (wanted)
        return ERT_OK;
    for (size_t i = 0; points && i < points->n; i++)
        for (size_t j = 0; j < points->points[i].n_work; j++) {
            const char *type = points->points[i].work[j].type;
            if (strstr(list, type) && !is_integer(type) && !strstr(scene->types, type))
                ert_list_add(scene->types, sizeof scene->types, type);
        }
    return ERT_OK;
}

/* The roofs are of all threads; `roofline place` has those of a point's fewer ones. */
static void add_threads(struct rfl_scene *scene, const struct rfl_points *points,
                        const struct ert_device_ceilings *of)
{
    const struct ert_ceiling_span memory = ert_ceilings_of(of, ERT_CEILING_MEMORY);
    const double all = memory.n ? memory.at[0].evidence->launch.threads : 0;
    double fewest = all;
    for (size_t i = 0; points && i < points->n; i++)
        if (points->points[i].threads > 0)
            fewest = fmin(fewest, points->points[i].threads);
    if (fewest < all)
        ert_append(scene->subtitle, sizeof scene->subtitle,
                   ", roofs of %.0f threads, a point of %.0f", all, fewest);
}

/* A given title moves the device's name into the subtitle. */
static void add_title(struct rfl_scene *scene, const char *title,
                      const struct ert_ceilings *ceilings)
{
    const struct rfl_roofs *of = scene->of;
    const struct ert_provenance *run = &ceilings->machine->provenance;
    const char *name = *of->name ? of->name : of->device;
    if (title)
        snprintf(scene->title, sizeof scene->title, "%s", title);
    else
        snprintf(scene->title, sizeof scene->title, "%s of %s", scene->view->chart.title,
                 name);
    ert_append(scene->subtitle, sizeof scene->subtitle, "%.100s%s%s", title ? name : "",
               title ? ", " : "", of->device);
    if (run->host[0])
        ert_append(scene->subtitle, sizeof scene->subtitle, " of %.100s", run->host);
    if (ceilings->created[0])
        ert_append(scene->subtitle, sizeof scene->subtitle, ", %s %.10s",
                   strcmp(run->topology_source, "published") ? "measured" : "published",
                   ceilings->created);
    if (of->held_hz > 0)
        ert_append(scene->subtitle, sizeof scene->subtitle, ", clock held %s",
                   ert_units_frequency(of->held_hz).text);
}

enum ert_status rfl_scene_make(const struct rfl_scene_device *device,
                               const struct rfl_scene_options *options,
                               struct rfl_scene *scene, struct ert_error *error)
{
    const struct rfl_roofs_options as_measured = {.clock_hz = 0};
    memset(scene, 0, sizeof *scene);
    scene->view = options->view ? options->view : rfl_views;
    scene->more = options->more ? options->more : &scene->lost;
    scene->levels = scene->flats = scene->roofs;
    scene->of = ert_xcalloc(1, sizeof *scene->of); /* some 70 KiB */
    ERT_TRY(
        rfl_roofs_make(device->ceilings, device->index, &as_measured, scene->of, error));
    if (scene->view->chart.change)
        scene->view->chart.change(scene->of);
    ERT_TRY(choose_types(scene, options, error));
    ERT_TRY(add_roofs(scene, options->points, error));
    add_title(scene, options->title, device->ceilings);
    if (scene->of->kind == ERT_DEVICE_CPU)
        add_threads(scene, options->points, &device->ceilings->devices[device->index]);
    if (scene->view->chart.rows) /* of the roofs as they are */
        ERT_TRY(rfl_roofs_make(device->ceilings, device->index, &as_measured, scene->of,
                               error));
    if (options->points)
        ERT_TRY(add_profiled(scene, options, error));
    qsort(scene->flats, scene->n_flats, sizeof scene->flats[0], compare_roofs);
    add_ridges(scene);
    set_axes(scene, options->close || scene->view->chart.rows);
    add_notes(scene, device);
    return ERT_OK;
}

void rfl_scene_free(struct rfl_scene *scene)
{
    free(scene->of);
    ert_strings_free(&scene->notes);
    ert_strings_free(&scene->lost);
    ert_strings_free(&scene->series);
    ert_strings_free(&scene->mark_levels);
}
