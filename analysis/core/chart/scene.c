/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/chart/scene.h"

#include "analysis/core/place/curve.h"
#include "analysis/core/place/model.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void rfl_scene_note(struct rfl_scene *scene, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ert_strings_vformat(&scene->notes, format, arguments);
    va_end(arguments);
}

/* ---- roofs: bandwidths and peaks of the devices ---- */

static int compare_roofs(const void *left, const void *right)
{
    const struct rfl_roof *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? 1 : -1;
    return strcmp(a->brief, b->brief);
}

static bool drawable(struct rfl_scene *scene, const struct ert_ceiling *ceiling)
{
    if (ceiling->value >= 1) /* lower values would add a decade for each power of ten */
        return true;
    rfl_scene_note(scene, "Not drawn: %s: its value is %g; a chart begins at 1 per second.",
                   ceiling->name, ceiling->value);
    return false;
}

/* Makes a roof "L2 load 8903 GB/s (85.1 %)", with the share of its theoretical peak. */
static struct rfl_roof make_roof(const struct rfl_scene *scene, size_t machine,
                                 const char *brief, const char *name, const char *value,
                                 const struct ert_ceiling *ceiling)
{
    const char *letter = scene->machines[machine].letter, *blank = *letter ? " " : "";
    struct rfl_roof roof = {.machine = machine, .value = ceiling->value};
    snprintf(roof.brief, sizeof roof.brief, "%s%s%.24s", letter, blank, brief);
    snprintf(roof.full, sizeof roof.full, "%s%s%s %s", letter, blank, name, value);
    if (scene->theory && ceiling->theory > 0) {
        roof.theory = ceiling->theory;
        ert_append(roof.full, sizeof roof.full, " (%.1f %%)",
                   100 * ceiling->value / ceiling->theory);
    }
    return roof;
}

/* roofs: for the bands of mixes of reads and writes; NULL: none. */
static void scene_add_level(struct rfl_scene *scene, size_t machine,
                            const struct ert_ceiling *ceiling, const char *level,
                            const char *pattern, const struct rfl_roofs *roofs)
{
    const struct rfl_accesses unknown = {.read_share = NAN};
    struct rfl_roof *roof = &scene->levels[scene->n_levels++];
    char name[40];
    snprintf(name, sizeof name, "%s %s", level, pattern);
    *roof = make_roof(scene, machine, level, name, ert_units_bandwidth(ceiling->value).text,
                      ceiling);
    snprintf(roof->level, sizeof roof->level, "%s", level);
    if (!roofs)
        return;
    struct rfl_reach reach = rfl_curve_reach(roofs, roof->level, &unknown);
    if (reach.kind == RFL_REACH_BAND) {
        roof->band_low = reach.low;
        roof->band_high = reach.bytes_per_s;
        memcpy(roof->band, reach.name, sizeof roof->band);
    }
}

static void scene_add_levels(struct rfl_scene *scene, size_t machine,
                             const struct rfl_scene_device *at,
                             const struct rfl_points *points)
{
    const struct ert_device_ceilings *device = &at->ceilings->devices[at->index];
    const struct rfl_roofs_options as_measured = {0};
    struct ert_error none;
    struct rfl_roofs *roofs = ert_xcalloc(1, sizeof *roofs); /* some 70 KiB */
    bool has_bands =
        scene->n_machines == 1 &&
        rfl_roofs_make(at->ceilings, at->index, &as_measured, roofs, &none) == ERT_OK;
    const struct ert_ceiling_span memory = ert_ceilings_of(device, ERT_CEILING_MEMORY);
    for (size_t i = 0; i < memory.n; i++) {
        const struct ert_ceiling *ceiling = &memory.at[i];
        if (drawable(scene, ceiling) && ceiling->is_roof)
            scene_add_level(scene, machine, ceiling, ceiling->key.level,
                            ceiling->key.pattern, has_bands ? roofs : NULL);
    }
    free(roofs);
    for (const char *const *level = rfl_transfer_levels; *level; level++) {
        const char *pattern;
        const struct ert_ceiling *ceiling = rfl_transfer(device, *level, &pattern);
        if (ceiling && points && rfl_points_work_at(points, *level) &&
            drawable(scene, ceiling))
            scene_add_level(scene, machine, ceiling, *level, pattern, NULL);
    }
}

/*
 * The compute ceilings that a chart with an axis of FLOP/s shows, and their names. Other types and operations
 * (divisions, integers, 8 bit) are in the file and in the note on what is not drawn: dozens of horizontal
 * lines would hide each other.
 */
static const struct flat {
    const char *type, *op, *name;
    enum rfl_roof_kind kind;
} flats[] = {
    {"fp64", "fma",      "FP64 FMA",              RFL_ROOF_FMA       },
    {"fp64", "add",      "FP64 no FMA",           RFL_ROOF_NO_FMA    },
    {"fp64", "mul",      "FP64 no FMA",           RFL_ROOF_NO_FMA    },
    {"fp64", "addmul",   "FP64 no FMA",           RFL_ROOF_NO_FMA    },
    {"fp64", "fmaadd",   "FP64 FMA + add",        RFL_ROOF_FMA_ADD   },
    {"fp64", "fma-3reg", "FP64 FMA, 3 registers", RFL_ROOF_3_REGISTER},
    {"fp64", "mma",      "FP64 tensor",           RFL_ROOF_UNIT      },
    {"fp32", "fma",      "FP32 FMA",              RFL_ROOF_FMA       },
    {"fp32", "add",      "FP32 no FMA",           RFL_ROOF_NO_FMA    },
    {"fp32", "mul",      "FP32 no FMA",           RFL_ROOF_NO_FMA    },
    {"fp32", "addmul",   "FP32 no FMA",           RFL_ROOF_NO_FMA    },
    {"fp32", "fmaadd",   "FP32 FMA + add",        RFL_ROOF_FMA_ADD   },
    {"tf32", "mma",      "TF32 tensor",           RFL_ROOF_UNIT      },
    {"tf32", "wgmma",    "TF32 tensor",           RFL_ROOF_UNIT      },
    {"fp16", "mma",      "FP16 tensor",           RFL_ROOF_UNIT      },
    {"fp16", "wgmma",    "FP16 tensor",           RFL_ROOF_UNIT      },
    {"bf16", "amx",      "BF16 AMX",              RFL_ROOF_UNIT      },
};

static const struct flat *flat_of(const struct ert_ceiling *ceiling)
{
    for (size_t i = 0; i < ERT_LENGTH(flats) && ceiling->is_roof; i++)
        if (strcmp(flats[i].type, ceiling->key.type) == 0 &&
            strcmp(flats[i].op, ceiling->key.op) == 0)
            return &flats[i];
    return NULL;
}

const char *rfl_scene_flat_name(const struct ert_ceiling *ceiling)
{
    const struct flat *flat = flat_of(ceiling);
    return flat ? flat->name : NULL;
}

static bool draws_type(const struct rfl_scene *scene, const char *type)
{
    return !*scene->types || strcasestr(scene->types, type);
}

/* Whether FMA and add units at once exceed FMAs alone, with separate adders: then they are a roof. */
static bool is_beyond_fma(const struct ert_device_ceilings *device,
                          const struct ert_ceiling *ceiling)
{
    const struct ert_ceiling_span compute = ert_ceilings_of(device, ERT_CEILING_COMPUTE);
    for (size_t i = 0; i < compute.n; i++)
        if (strcmp(compute.at[i].key.type, ceiling->key.type) == 0 &&
            strcmp(compute.at[i].key.op, "fma") == 0 &&
            compute.at[i].value >= ceiling->value)
            return false;
    return true;
}

static void add_flats(struct rfl_scene *scene, size_t machine,
                      const struct ert_device_ceilings *device)
{
    const struct ert_ceiling_span compute = ert_ceilings_of(device, ERT_CEILING_COMPUTE);
    for (size_t i = 0; i < compute.n; i++) {
        const struct ert_ceiling *ceiling = &compute.at[i];
        const struct flat *flat = flat_of(ceiling);
        if (!flat || !draws_type(scene, flat->type) ||
            (flat->kind == RFL_ROOF_FMA_ADD && !is_beyond_fma(device, ceiling)) ||
            (scene->n_machines > 1 && flat->kind > RFL_ROOF_UNIT) ||
            !drawable(scene, ceiling))
            continue;
        struct rfl_roof *roof = scene->flats, *end = roof + scene->n_flats;
        while (roof < end && (roof->machine != machine || roof->kind != flat->kind ||
                              strcmp(roof->type, flat->type) != 0))
            roof++;
        if (roof < end && roof->value >= ceiling->value)
            continue; /* the fastest of its name is the roof */
        scene->n_flats += roof == end;
        *roof = make_roof(scene, machine, flat->name, flat->name,
                          ert_units_performance(ceiling->value).text, ceiling);
        roof->kind = flat->kind;
        snprintf(roof->type, sizeof roof->type, "%s", flat->type);
    }
}

const struct rfl_roof *rfl_scene_level(const struct rfl_scene *scene, const char *level)
{
    for (size_t i = 0; i < scene->n_levels; i++)
        if (strcmp(scene->levels[i].level, level) == 0)
            return &scene->levels[i];
    for (size_t machine = 0;
         machine < scene->n_machines && rfl_level_depth(level) == RFL_DEPTH_MEMORY;
         machine++) {
        const struct rfl_roof *memory = NULL;
        size_t n = 0;
        for (size_t i = 0; i < scene->n_levels; i++)
            if (scene->levels[i].machine == machine &&
                rfl_level_depth(scene->levels[i].level) == RFL_DEPTH_MEMORY) {
                memory = &scene->levels[i];
                n++;
            }
        if (n == 1)
            return memory;
    }
    return NULL;
}

static enum ert_status add_roofs(struct rfl_scene *scene,
                                 const struct rfl_scene_device *devices,
                                 const struct rfl_points *points, struct ert_error *error)
{
    const struct ert_device_ceilings *from = NULL;
    for (size_t i = 0; i < scene->n_machines; i++)
        scene_add_levels(scene, i, &devices[i], points);
    scene->flats = scene->levels + scene->n_levels;
    for (size_t i = 0; i < scene->n_machines; i++) {
        from = &devices[i].ceilings->devices[devices[i].index];
        add_flats(scene, i, from);
    }
    qsort(scene->levels, scene->n_levels, sizeof scene->levels[0], compare_roofs);
    qsort(scene->flats, scene->n_flats, sizeof scene->flats[0], compare_roofs);
    if (scene->n_levels || scene->n_flats)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "%s: nothing to draw: no ceiling of 1 per second or more%s%s",
                    from->device, from->n_not_measured ? "; " : "",
                    from->n_not_measured ? from->not_measured[0].reason : "");
}

/* ---- points that are not drawn, and why: a note per reason ---- */

/* Limits for reasons, and for names per reason, for profiles of 100,000 launches. */
enum { MAX_REASONS = 24, MAX_NAMES = 100, NAME_TEXT = 48 };

/*
 * A point that is left out: reason and name, as indexes in the texts, in the order of the points. Reasons of
 * one kind, which differ only in their numbers, share a note.
 */
struct drop {
    size_t kind, why, name;
};

struct drops {
    size_t n, capacity;
    struct drop *list; /* malloc */
    struct ert_strings texts, kinds;
};

/* Adds a drop for a reason such as "no time (no time was given)"; `reason` may be "". */
static void add_drop(struct drops *drops, const char *name, const char *what,
                     const char *reason)
{
    char why[320], brief[NAME_TEXT];
    snprintf(why, sizeof why, "%.100s%s%.200s%s", what, *reason ? " (" : "", reason,
             *reason ? ")" : "");
    rfl_name_short(name, brief, sizeof brief);
    drops->list = ert_xgrow(drops->list, drops->n, &drops->capacity, sizeof *drops->list);
    char *kind = rfl_text_kind(why);
    drops->list[drops->n++] = (struct drop){ert_strings_index(&drops->kinds, kind),
                                            ert_strings_index(&drops->texts, why),
                                            ert_strings_index(&drops->texts, brief)};
    free(kind);
}

static int compare_drops(const void *left, const void *right)
{
    const struct drop *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

/* Notes n drops for one kind of reason: "Not drawn: WHY: a, b (3 of them), c and 4 more." */
static void note_drop(const struct drop *drops, size_t n, const struct drops *all,
                      struct rfl_scene *scene)
{
    const struct ert_strings *texts = &all->texts;
    const char *why = texts->texts[drops->why];
    char text[320 + MAX_NAMES * (NAME_TEXT + 32)];
    size_t i = 0, same;
    for (size_t k = 1; k < n; k++)
        why = drops[k].why == drops->why ? why : all->kinds.texts[drops->kind];
    snprintf(text, sizeof text, "Not drawn: %s:", why);
    for (size_t names = 0; i < n && names < MAX_NAMES; i += same, names++) {
        for (same = 1; i + same < n && drops[i + same].name == drops[i].name;)
            same++;
        ert_append(text, sizeof text, "%s %s", i ? "," : "", texts->texts[drops[i].name]);
        if (same > 1)
            ert_append(text, sizeof text, " (%zu of them)", same);
    }
    if (i < n)
        ert_append(text, sizeof text, " and %zu more", n - i);
    rfl_scene_note(scene, "%s.", text);
}

/* Writes the notes and frees the drops. */
static void note_drops(struct drops *drops, struct rfl_scene *scene)
{
    const struct drop *list = drops->list;
    size_t n_reasons = 0;
    if (drops->n)
        qsort(drops->list, drops->n, sizeof *list, compare_drops);
    for (size_t first = 0, end; first < drops->n; first = end) {
        for (end = first; end < drops->n && list[end].kind == list[first].kind;)
            end++;
        if (n_reasons++ == MAX_REASONS) {
            rfl_scene_note(scene, "Not drawn: %zu more, for more than %d reasons.",
                           drops->n - first, MAX_REASONS);
            break;
        }
        note_drop(list + first, end - first, drops, scene);
    }
    ert_strings_free(&drops->texts);
    ert_strings_free(&drops->kinds);
    free(drops->list);
}

/* ---- profiled points: which are drawn, where, and notes on the others ---- */

static bool precedes(const struct rfl_kernel *a, const struct rfl_kernel *b, bool scaled)
{
    return scaled && a->scale != b->scale ? a->scale < b->scale : a->order < b->order;
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

/* A flat closer to another than this, in FMA share, would only make it thicker. */
#define SAME_SHARE 0.005

static void add_mix(struct rfl_scene *scene, const struct rfl_roof *fma, double share)
{
    struct rfl_roof roof = {.kind = RFL_ROOF_MIX, .machine = fma->machine};
    if (!(share > SAME_SHARE && share < 1 - SAME_SHARE))
        return;
    roof.value = rfl_model_mix(fma->value, share);
    memcpy(roof.type, fma->type, sizeof roof.type);
    /* "A FP64 FMA" gives "A FP64 58 % FMA". */
    snprintf(roof.brief, sizeof roof.brief, "%.*s %.0f %% FMA",
             (int)(strstr(fma->brief, " FMA") - fma->brief), fma->brief, 100 * share);
    snprintf(roof.full, sizeof roof.full, "%s %s", roof.brief,
             ert_units_performance(roof.value).text);
    scene->flats[scene->n_flats++] = roof;
}

/*
 * Adds roofs for the FMA shares, in whole per cent, of the drawn kernels' work of a peak's type on the cores;
 * if there are more than a few, one for the share of all their instructions together.
 */
static void add_mixes_of(struct rfl_scene *scene, const struct rfl_points *points,
                         const struct rfl_roof *fma)
{
    double shares[RFL_MAX_MIXES + 1], least = 1, most = 0, instructions = 0, fmas = 0;
    size_t n = 0;
    for (size_t i = 0; i < scene->n_kernels; i++) {
        const struct rfl_point *point = &points->points[scene->kernels[i].order];
        for (size_t j = 0, k; j < point->n_work; j++) {
            const struct rfl_work *work = &point->work[j];
            double share = round(100 * work->fma_share) / 100;
            if (!isfinite(share) || strcmp(work->type, fma->type) != 0 ||
                strcmp(work->unit, "tensor") == 0)
                continue;
            instructions += work->flops / (1 + work->fma_share);
            fmas += work->flops / (1 + work->fma_share) * work->fma_share;
            least = fmin(least, share);
            most = fmax(most, share);
            for (k = 0; k < n && shares[k] != share;)
                k++;
            if (k == n && n <= RFL_MAX_MIXES)
                shares[n++] = share;
        }
    }
    if (n <= RFL_MAX_MIXES) {
        for (size_t i = 0; i < n; i++)
            add_mix(scene, fma, shares[i]);
        return;
    }
    add_mix(scene, fma, fmas / instructions);
    rfl_scene_note(scene,
                   "The points' FMA shares (%s) are %.0f to %.0f %%; the roof is for their "
                   "overall share, %.0f %%.",
                   fma->type, 100 * least, 100 * most, 100 * fmas / instructions);
}

static void add_mixes(struct rfl_scene *scene, const struct rfl_points *points)
{
    size_t n = scene->n_flats;
    for (size_t i = 0; i < n && scene->n_kernels; i++)
        if (scene->flats[i].kind == RFL_ROOF_FMA)
            add_mixes_of(scene, points, &scene->flats[i]);
    qsort(scene->flats, scene->n_flats, sizeof scene->flats[0], compare_roofs);
}

/* The limits of axes, flop/byte and flop/s, far beyond any machine: values outside are bad input. */
static const double intensity_limits[] = {1e-9, 1e12}, perf_limits[] = {1e-3, 1e24};

/* The selection of points for a scene. */
struct choice {
    struct rfl_scene *scene;
    const struct rfl_points *points;
    const char *type;            /* NULL: all */
    const struct rfl_roof *only; /* the requested level's, or NULL */
    struct drops drops;
};

static bool within(double value, const double limits[2])
{
    return value >= limits[0] && value <= limits[1];
}

/* A point's operations of one type, or (NULL) all floating-point ones. */
static double scene_flops_of(const struct rfl_point *point, const char *type)
{
    double sum = 0;
    for (size_t i = 0; i < point->n_work; i++) {
        const char *own = point->work[i].type;
        if (type ? strcasecmp(type, own) == 0 : strncmp(own, "int", 3) != 0)
            sum += point->work[i].flops;
    }
    return sum;
}

/* The level at which a point's traffic is drawn; NULL: it is not requested, or has no roof here. */
static const char *scene_level_of(const struct choice *choice,
                                  const struct rfl_traffic *traffic)
{
    const struct rfl_roof *roof = rfl_scene_level(choice->scene, traffic->level);
    bool wanted = roof && (!choice->only || strcmp(choice->only->level, roof->level) == 0);
    return wanted ? roof->level : NULL;
}

/* Whether a traffic of a point is drawn, at a level or (NULL) at any. */
static bool is_drawn_at(const struct choice *choice, const struct rfl_point *point,
                        const struct rfl_traffic *traffic, const char *level)
{
    const char *own = scene_level_of(choice, traffic);
    return own && (!level || strcmp(own, level) == 0) &&
           !rfl_traffic_is_passed_by(point, traffic) &&
           within(scene_flops_of(point, choice->type) / traffic->bytes, intensity_limits);
}

static const char *scene_reason_of(const struct rfl_point *point, const char *what,
                                   const char *general)
{
    for (size_t i = 0; i < point->n_missing; i++)
        if (strstr(point->missing[i].what, what))
            return point->missing[i].reason;
    return general;
}

/* Whether a point can be drawn; if not, drops it with the reason. */
static bool can_be_drawn(struct choice *choice, const struct rfl_point *point)
{
    const char *type = choice->type, *level = choice->only ? choice->only->level : "";
    double flops = scene_flops_of(point, type);
    bool has_level = false;
    char what[32];
    if (!(point->time_s > 0)) {
        add_drop(&choice->drops, point->name, "no time",
                 scene_reason_of(point, "time", ""));
        return false;
    }
    if (!(flops > 0)) {
        add_drop(&choice->drops, point->name, "no operations of the types drawn",
                 scene_reason_of(point, type ? type : "operations",
                                 scene_reason_of(point, "flops", "")));
        return false;
    }
    for (size_t i = 0; i < point->n_traffic; i++) {
        if (is_drawn_at(choice, point, &point->traffic[i], NULL) &&
            within(flops / point->time_s, perf_limits))
            return true;
        has_level = has_level || scene_level_of(choice, &point->traffic[i]);
    }
    snprintf(what, sizeof what, "no bytes%s%s", *level ? " at " : "", level);
    if (has_level)
        add_drop(&choice->drops, point->name, "outside any axis",
                 "1e-9 to 1e12 FLOP/byte, 1e-3 to 1e24 FLOP/s");
    else
        add_drop(&choice->drops, point->name, what,
                 scene_reason_of(point, *level ? level : "bytes",
                                 point->n_traffic ? "only of levels that are not drawn here"
                                                  : ""));
    return false;
}

/* The longest first, then in the order of the files. */
static int scene_compare_points(const void *left, const void *right)
{
    const struct rfl_point *a = *(const struct rfl_point *const *)left,
                           *b = *(const struct rfl_point *const *)right;
    if (a->time_s != b->time_s)
        return a->time_s < b->time_s ? 1 : -1;
    return a < b ? -1 : 1;
}

/* Notes those of n points that are not drawn: "Not drawn: 80 with 3.1 % of the time: ..." */
static void note_shorter(struct rfl_scene *scene, const struct rfl_point *const *points,
                         size_t drawn, size_t n)
{
    struct drops drops = {.n = 0};
    double all_s = 0, left_s = 0;
    char what[96];
    for (size_t i = 0; i < n; i++) {
        all_s += points[i]->time_s;
        left_s += i < drawn ? 0 : points[i]->time_s;
    }
    snprintf(what, sizeof what,
             "%zu with %.2g %% of the time (--points: the longest %zu are drawn)",
             n - drawn, 100 * left_s / all_s, drawn);
    for (size_t i = drawn; i < n; i++)
        add_drop(&drops, points[i]->name, what, "");
    note_drops(&drops, scene);
}

/* Adds the levels at which points are drawn, fastest first: shapes follow the order of the roofs. */
static void add_mark_levels(const struct choice *choice,
                            const struct rfl_point *const *points, size_t n)
{
    struct rfl_scene *scene = choice->scene;
    for (size_t l = 0; l < scene->n_levels; l++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < points[i]->n_traffic; j++)
                if (is_drawn_at(choice, points[i], &points[i]->traffic[j],
                                scene->levels[l].level))
                    ert_strings_index(&scene->mark_levels, scene->levels[l].level);
}

static void scene_add_kernel(const struct choice *choice, const struct rfl_point *point)
{
    struct rfl_scene *scene = choice->scene;
    struct rfl_kernel *kernel = &scene->kernels[scene->n_kernels++];
    double flops = scene_flops_of(point, choice->type);
    char run[64];
    rfl_name_short(point->name, kernel->brief, sizeof kernel->brief);
    rfl_name_cut(point->run, run, sizeof run);
    kernel->series = ert_strings_index(&scene->series, run);
    kernel->order = (size_t)(point - choice->points->points);
    kernel->scale = point->scale;
    for (size_t level = 0; level < scene->mark_levels.n_texts; level++)
        for (size_t i = 0; i < point->n_traffic; i++)
            if (is_drawn_at(choice, point, &point->traffic[i],
                            scene->mark_levels.texts[level]))
                kernel->marks[kernel->n_marks++] = (struct rfl_mark){
                    level, flops / point->traffic[i].bytes, flops / point->time_s, NULL};
}

/* Names the drawn kernels with the template arguments that tell instances apart. */
static void name_instances(const struct choice *choice,
                           const struct rfl_point *const *points)
{
    struct rfl_scene *scene = choice->scene;
    struct ert_strings strings = {.n_texts = 0};
    const char *names[RFL_MAX_KERNELS];
    for (size_t i = 0; i < scene->n_kernels; i++)
        names[i] = points[i]->name;
    rfl_names_short(&strings, names, scene->n_kernels, sizeof scene->kernels->instance - 1,
                    names);
    for (size_t i = 0; i < scene->n_kernels; i++)
        snprintf(scene->kernels[i].instance, sizeof scene->kernels[i].instance, "%s",
                 names[i]);
    ert_strings_free(&strings);
}

/* Notes levels at which a drawn point has bytes but that have no roof here, and why it lacks others. */
static void note_undrawn_levels(struct choice *choice, const struct rfl_point *point)
{
    for (size_t i = 0; i < point->n_traffic && !choice->only; i++)
        if (!is_drawn_at(choice, point, &point->traffic[i], NULL))
            add_drop(&choice->drops, point->name, point->traffic[i].level,
                     !scene_level_of(choice, &point->traffic[i])
                         ? "no roof of this level here"
                     : rfl_traffic_is_passed_by(point, &point->traffic[i])
                         ? "most bytes of the next level bypass it, as TMA does L1"
                         : "its intensity is outside any axis");
    for (size_t i = 0; i < point->n_missing && !choice->only; i++)
        add_drop(&choice->drops, point->name, point->missing[i].what,
                 point->missing[i].reason);
}

static enum ert_status scene_find_level(struct choice *choice, const char *level,
                                        struct ert_error *error)
{
    char list[256] = "";
    choice->only = level ? rfl_scene_level(choice->scene, level) : NULL;
    if (choice->only || !level)
        return ERT_OK;
    for (size_t i = 0; i < choice->scene->n_levels; i++)
        ert_list_add(list, sizeof list, choice->scene->levels[i].level);
    return ert_fail(error, ERT_USAGE, "no roof of level '%.16s'; there are: %s", level,
                    list[0] ? list : "none");
}

/*
 * Adds the points of the options (kernels, marks, series, arrows), after the levels; notes those that it
 * leaves out. ERT_USAGE for a level that no point or device has.
 */
static enum ert_status add_profiled(struct rfl_scene *scene,
                                    const struct rfl_scene_options *options,
                                    struct ert_error *error)
{
    const struct rfl_points *points = options->points;
    size_t limit = options->max_kernels ? options->max_kernels : RFL_DEFAULT_KERNELS, n = 0;
    struct choice choice = {.scene = scene, .points = points};
    if (limit > RFL_MAX_KERNELS)
        return ert_fail(error, ERT_USAGE, "%zu points in a chart, must be at most %d",
                        limit, RFL_MAX_KERNELS);
    if (options->type && strcasecmp(options->type, "all") != 0)
        choice.type = options->type;
    ERT_TRY(scene_find_level(&choice, options->level, error));
    const struct rfl_point **chosen = ert_xcalloc(points->n, sizeof *chosen);
    for (size_t i = 0; i < points->n; i++)
        if (can_be_drawn(&choice, &points->points[i]))
            chosen[n++] = &points->points[i];
    qsort(chosen, n, sizeof *chosen, scene_compare_points);
    size_t drawn = n < limit ? n : limit;
    add_mark_levels(&choice, chosen, drawn);
    for (size_t i = 0; i < drawn; i++) {
        scene_add_kernel(&choice, chosen[i]);
        note_undrawn_levels(&choice, chosen[i]);
    }
    name_instances(&choice, chosen);
    if (drawn < n)
        note_shorter(scene, chosen, drawn, n);
    note_drops(&choice.drops, scene);
    link_kernels(scene, options->trajectory);
    free(chosen);
    return ERT_OK;
}

/* ---- the mixed kernel's points, and the axes ---- */

static const char mixed_kernel[] = "mixed_fp64";

static bool scene_on_plateau(const struct ert_device_ceilings *from, const char *level,
                             double size_bytes)
{
    const struct ert_ceiling_span memory = ert_ceilings_of(from, ERT_CEILING_MEMORY);
    for (size_t i = 0; i < memory.n; i++) {
        const double *plateau_bytes = memory.at[i].evidence->plateau_bytes;
        if (strcmp(memory.at[i].key.level, level) == 0 && size_bytes >= plateau_bytes[0] &&
            size_bytes <= plateau_bytes[1])
            return true;
    }
    return false;
}

/* The level on whose plateau a point's set lies, else the first that holds the set; NULL: none. */
static const char *level_of_set(const struct ert_curve_point *point,
                                const struct ert_device_ceilings *from,
                                const struct ert_device *device)
{
    enum ert_path path;
    const char *holds = NULL;
    if (!ert_path_find(point->path, &path))
        return NULL;
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        if (level->path != path || ert_level_is_far(device, level))
            continue;
        if (scene_on_plateau(from, level->name, point->actual_bytes))
            return level->name;
        if (!holds && (level->kind == ERT_LEVEL_MEMORY ||
                       point->actual_bytes <= (double)ert_level_total_bytes(level)))
            holds = level->name;
    }
    return holds;
}

/* Adds a rate at a level and intensity (to 0.1 %), or replaces a lower one there. */
static void add_dot(struct rfl_scene *scene, size_t level, double intensity, double perf)
{
    struct rfl_dot *dot = scene->dots, *end = dot + scene->n_dots;
    while (dot < end && (dot->level != level ||
                         fabs(dot->intensity_flop_per_byte - intensity) > 1e-3 * intensity))
        dot++;
    if (dot == end)
        scene->dots[scene->n_dots++] = (struct rfl_dot){level, intensity, perf};
    dot->perf_flop_per_s = fmax(dot->perf_flop_per_s, perf);
}

/* The mixed kernel's points lie on the roofs: with profiled points they would only take space for labels. */
static void add_dots(struct rfl_scene *scene, const struct rfl_scene_device *at)
{
    const struct ert_device_ceilings *from = &at->ceilings->devices[at->index];
    const struct ert_device *device =
        ert_machine_device(at->ceilings->machine, from->device);
    size_t lost = 0;
    scene->dots = ert_xcalloc(from->n_curve, sizeof *scene->dots);
    for (size_t i = 0; i < from->n_curve; i++) {
        const struct ert_curve_point *point = &from->curve[i];
        if (strcmp(point->kernel, mixed_kernel) != 0)
            continue;
        double intensity = point->perf_flop_per_s / point->rate_bytes_per_s;
        const char *name = level_of_set(point, from, device);
        size_t level = 0;
        while (name && level < scene->n_levels &&
               strcmp(scene->levels[level].level, name) != 0)
            level++;
        if (name && level < scene->n_levels && isfinite(intensity) && intensity > 0)
            add_dot(scene, level, intensity, point->perf_flop_per_s);
        else
            lost++;
    }
    if (lost)
        rfl_scene_note(scene,
                       "Not drawn: %zu points of the mixed kernel: no rate, or no level "
                       "with a roof that their working set belongs to.",
                       lost);
}

/*
 * How far a chart extends beyond its outermost ridges and points and its highest roof, as factors: space for
 * labels that cover no data.
 */
#define ROOM_LEFT   15.
#define ROOM_RIGHT  40.
#define ROOM_POINTS 5.
#define ROOM_ABOVE  2.2

/* With profiled points or several machines, data matter more than space for labels. */
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

/* Sets the range of intensities: ridges of each machine, the mixed kernel's points, profiled points. */
static void set_x(struct rfl_scene *scene, bool close)
{
    bool near = scene->n_kernels || scene->n_machines > 1;
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < scene->n_levels; i++)
        for (size_t j = 0; j < scene->n_flats; j++)
            if (scene->levels[i].machine == scene->flats[j].machine)
                include(rfl_model_ridge(scene->levels[i].value, scene->flats[j].value),
                        &low, &high);
    if (!(high > 0)) /* only diagonals or only flats: the usual range of codes */
        low = high = 1;
    low /= close ? CLOSE_BY : near ? NEAR_LEFT : ROOM_LEFT;
    high *= close ? CLOSE_BY : near ? NEAR_RIGHT : ROOM_RIGHT;
    for (size_t i = 0; i < scene->n_dots; i++) {
        include(scene->dots[i].intensity_flop_per_byte / ROOM_POINTS, &low, &high);
        include(scene->dots[i].intensity_flop_per_byte, &low, &high);
    }
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
        include(fmax(scene->flats[i].value, scene->flats[i].theory), &low, &high);
    }
    for (size_t i = 0; i < scene->n_dots; i++)
        include(scene->dots[i].perf_flop_per_s, &low, &high);
    for (size_t i = 0; i < scene->n_kernels; i++) {
        include(scene->kernels[i].marks[0].perf_flop_per_s / NEAR_POINTS, &low, &high);
        include(scene->kernels[i].marks[0].perf_flop_per_s, &low, &high);
    }
    scene->y_min = round_125(low, false);
    scene->y_max = round_125(high * (close ? CLOSE_BY : ROOM_ABOVE), true);
}

static void add_ridges(struct rfl_scene *scene)
{
    if (!scene->n_flats || scene->n_machines > 1)
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

/* Lengths of lists of names in notes about ceilings, about roofs, and about one kind of warning. */
enum { LIST_TEXT = 224, ROOFS_TEXT = 992, WARNING_NAMES = 96 };

static void note_ridges(struct rfl_scene *scene)
{
    const struct rfl_roof *reference = &scene->flats[scene->reference];
    struct rfl_names list = {.left_out = 0};
    if (scene->n_machines > 1)
        return;
    for (size_t i = 0; i < scene->n_ridges; i++)
        rfl_names_add(&list, ROOFS_TEXT, scene->levels[i].ridge);
    if (scene->n_ridges)
        rfl_scene_note(scene, "Ridge points with %s, in FLOP/byte: %s.", reference->brief,
                       rfl_names_end(&list));
    else
        rfl_scene_note(scene, "No ridge points: there is no %s.",
                       scene->n_levels ? "compute ceiling" : "bandwidth");
    if (scene->n_ridges && !*scene->types && strcmp(reference->type, "fp64") != 0)
        rfl_scene_note(scene,
                       "There is no FP64 ceiling: ridge points are with the highest roof.");
}

static bool is_drawn(const struct rfl_scene *scene, size_t machine, const char *level,
                     double value)
{
    for (size_t i = 0; i < scene->n_levels + scene->n_flats; i++) {
        const struct rfl_roof *roof = &scene->roofs[i];
        if (roof->machine == machine && roof->kind != RFL_ROOF_MIX &&
            roof->value == value && strcmp(roof->level, level) == 0)
            return true;
    }
    return false;
}

/* A warning about a drawn roof. */
struct warning {
    const char *text, *name;
};

/* warnings[]: as many as the device has ceilings. Returns how many there are. */
static size_t collect_warnings(const struct rfl_scene *scene, size_t machine,
                               const struct ert_device_ceilings *from,
                               struct warning *warnings)
{
    static const char *const no_reason[] = {
        [ERT_CONFIDENCE_MEDIUM] = "medium confidence without a reason",
        [ERT_CONFIDENCE_LOW] = "low confidence without a reason"};
    const struct ert_ceiling_span of = ert_ceilings_main(from);
    size_t n = 0;
    for (size_t i = 0; i < of.n; i++) {
        const struct ert_ceiling *ceiling = &of.at[i];
        const char *text = ceiling->evidence->warning;
        bool is_memory = ceiling->kind == ERT_CEILING_MEMORY;
        if ((is_memory ? ceiling->is_roof : !!flat_of(ceiling)) &&
            is_drawn(scene, machine, ceiling->key.level, ceiling->value) &&
            ceiling->confidence != ERT_CONFIDENCE_HIGH)
            warnings[n++] = (struct warning){*text ? text : no_reason[ceiling->confidence],
                                             ceiling->name};
    }
    return n;
}

/*
 * The words before the first number: "wide interval: " of "wide interval: 41 % of the value". The digits of a
 * name, such as L2 and gpu0, are none.
 */
static size_t kind_length(const char *text)
{
    size_t length = strcspn(text, "0123456789");
    while (text[length] && length > 0 &&
           (isalnum((unsigned char)text[length - 1]) || strchr("._-", text[length - 1]))) {
        length += strspn(text + length, "0123456789.");
        length += strcspn(text + length, "0123456789");
    }
    return length;
}

static bool same_kind(const char *a, const char *b)
{
    return kind_length(a) == kind_length(b) && strncmp(a, b, kind_length(a)) == 0;
}

/* Notes all warnings of a device in one sentence: each kind once, with its worst number and the names. */
static void note_warnings(struct rfl_scene *scene, size_t machine,
                          const struct ert_device_ceilings *from)
{
    const char *letter = scene->machines[machine].letter;
    struct warning *warnings = ert_xcalloc(from->n, sizeof *warnings);
    size_t n = collect_warnings(scene, machine, from, warnings);
    char *text = from->valid ? ert_xstrdup("")
                             : ert_xprintf("measured on a disturbed machine (%s)",
                                           *from->warnings ? from->warnings
                                                           : "the file gives no reason");
    while (n) {
        const char *worst = warnings[0].text;
        size_t length = kind_length(worst), same = 0, others = 0;
        struct rfl_names names = {.left_out = 0};
        for (size_t i = 0; i < n; i++) {
            const struct warning warning = warnings[i];
            if (!same_kind(worst, warning.text)) {
                warnings[others++] = warning;
                continue;
            }
            if (strtod(warning.text + length, NULL) > strtod(worst + length, NULL))
                worst = warning.text;
            rfl_names_add(&names, WARNING_NAMES, warning.name);
            same++;
        }
        char *more = ert_xprintf("%s%s%.*s%s%s: %s", text, *text ? "; " : "", (int)length,
                                 worst, same > 1 && worst[length] ? "up to " : "",
                                 worst + length, rfl_names_end(&names));
        free(text);
        text = more;
        n = others;
    }
    if (*text)
        rfl_scene_note(scene, "Warning%s%s: %s.", *letter ? " of " : "", letter, text);
    free(text);
    free(warnings);
}

static void note_bands(struct rfl_scene *scene)
{
    struct rfl_names list = {.left_out = 0};
    for (size_t i = 0; i < scene->n_levels; i++) {
        const struct rfl_roof *roof = &scene->levels[i];
        char text[192];
        if (!(roof->band_high > 0))
            continue;
        snprintf(text, sizeof text, "%s %s (%s)", roof->level,
                 ert_units_pair(roof->band_low, " .. ", roof->band_high, "byte/s").text,
                 roof->band);
        rfl_names_add(&list, ROOFS_TEXT, text);
    }
    if (*list.text)
        rfl_scene_note(scene, "Shaded: what mixes of reads and writes attain: %s.",
                       rfl_names_end(&list));
}

static void note_undrawn(struct rfl_scene *scene, const struct ert_device_ceilings *from)
{
    struct rfl_names names = {.left_out = 0};
    const struct ert_ceiling_span compute = ert_ceilings_of(from, ERT_CEILING_COMPUTE);
    for (size_t i = 0; i < compute.n; i++)
        if (!flat_of(&compute.at[i]) || !draws_type(scene, compute.at[i].key.type))
            rfl_names_add(&names, LIST_TEXT, compute.at[i].name);
    if (*names.text)
        rfl_scene_note(scene, "Measured, not drawn: %s.", rfl_names_end(&names));
}

/* Adds one note per reason, with all names that have it. */
static void note_not_measured(struct rfl_scene *scene,
                              const struct ert_device_ceilings *from)
{
    for (size_t i = 0; i < from->n_not_measured; i++) {
        const char *reason = from->not_measured[i].reason;
        struct rfl_names names = {.left_out = 0};
        size_t first = 0;
        while (strcmp(from->not_measured[first].reason, reason) != 0)
            first++;
        for (size_t j = i; j < from->n_not_measured && first == i; j++)
            if (strcmp(from->not_measured[j].reason, reason) == 0)
                rfl_names_add(&names, LIST_TEXT, from->not_measured[j].name);
        if (first == i)
            rfl_scene_note(scene, "Not measured: %s: %s.", rfl_names_end(&names), reason);
    }
}

/* Notes levels of the machine that neither a roof nor a reason mentions. */
static void note_levels(struct rfl_scene *scene, const struct ert_device_ceilings *from,
                        const struct ert_device *device)
{
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const char *name = device->levels[i].name;
        bool told = false;
        for (size_t j = 0; j < scene->n_levels; j++)
            told = told || strcmp(scene->levels[j].level, name) == 0;
        for (size_t j = 0; j < from->n_not_measured; j++)
            told = told || strncmp(from->not_measured[j].name, name, strlen(name)) == 0;
        if (!told)
            rfl_scene_note(scene, "Not drawn: %s: the file has no bandwidth for it.", name);
    }
}

static void add_notes(struct rfl_scene *scene, const struct rfl_scene_device *devices)
{
    const struct ert_ceilings *ceilings = devices[0].ceilings;
    const struct ert_device_ceilings *from = &ceilings->devices[devices[0].index];
    note_ridges(scene);
    note_bands(scene);
    if (scene->theory)
        rfl_scene_note(scene, "Thin broken lines: theoretical peaks; in parentheses: the "
                              "percentage of its peak that a roof attains, where known.");
    for (size_t i = 0; i < scene->n_machines; i++) {
        const char *status = devices[i].ceilings->status,
                   *letter = scene->machines[i].letter;
        if (*status && strcmp(status, "complete") != 0)
            rfl_scene_note(scene, "The run %s%s%sdid not complete: %s.",
                           *letter ? "of " : "", letter, *letter ? " " : "", status);
        note_warnings(scene, i, &devices[i].ceilings->devices[devices[i].index]);
    }
    if (scene->n_machines > 1 || scene->n_kernels) {
        rfl_scene_note(
            scene,
            "Not drawn here: other ceilings (`roofline show` lists them) and the mixed "
            "kernel's points (`roofline plot` of the ceilings alone shows them).");
        return;
    }
    note_undrawn(scene, from);
    note_not_measured(scene, from);
    note_levels(scene, from, ert_machine_device(ceilings->machine, from->device));
}

/* ---- the scene ---- */

/* Selects the types whose peaks are drawn: the requested one, else the points'; for several machines FP64. */
static enum ert_status choose_types(struct rfl_scene *scene,
                                    const struct rfl_scene_device *devices,
                                    const struct rfl_scene_options *options,
                                    struct ert_error *error)
{
    const struct rfl_points *points = options->points;
    const char *wanted = options->type;
    char list[128] = "";
    for (size_t i = 0; i < scene->n_machines; i++) {
        const struct ert_ceiling_span compute = ert_ceilings_of(
            &devices[i].ceilings->devices[devices[i].index], ERT_CEILING_COMPUTE);
        for (size_t j = 0; j < compute.n; j++) {
            const struct flat *flat = flat_of(&compute.at[j]);
            if (flat && !strstr(list, flat->type))
                ert_list_add(list, sizeof list, flat->type);
            if (flat && wanted && strcasecmp(wanted, flat->type) == 0)
                snprintf(scene->types, sizeof scene->types, "%s", flat->type);
        }
    }
    if (wanted && !*scene->types && strcasecmp(wanted, "all") != 0)
        return ert_fail(error, ERT_USAGE, "no peak of type '%.16s'; there are: %s, all",
                        wanted, list[0] ? list : "none");
    if (wanted)
        return ERT_OK;
    for (size_t i = 0; points && i < points->n; i++)
        for (size_t j = 0; j < points->points[i].n_work; j++) {
            const char *type = points->points[i].work[j].type;
            if (strstr(list, type) && !strcasestr(scene->types, type))
                ert_list_add(scene->types, sizeof scene->types, type);
        }
    if (!*scene->types && scene->n_machines > 1 && strstr(list, "fp64"))
        snprintf(scene->types, sizeof scene->types, "fp64");
    return ERT_OK;
}

static void add_machine(struct rfl_scene *scene, const struct rfl_scene_device *at,
                        const struct ert_device *device, size_t n)
{
    const struct ert_ceilings *ceilings = at->ceilings;
    const struct ert_provenance *provenance = &ceilings->machine->provenance;
    const double held_hz = ceilings->devices[at->index].held_hz;
    struct rfl_scene_machine *machine = &scene->machines[scene->n_machines];
    if (n > 1)
        snprintf(machine->letter, sizeof machine->letter, "%c",
                 (char)('A' + scene->n_machines));
    scene->n_machines++;
    snprintf(machine->name, sizeof machine->name, "%s",
             device->name[0] ? device->name : device->id);
    snprintf(machine->text, sizeof machine->text, "%s", device->id);
    if (provenance->host[0])
        ert_append(machine->text, sizeof machine->text, " of %s", provenance->host);
    if (ceilings->created[0])
        ert_append(machine->text, sizeof machine->text, ", measured %.10s",
                   ceilings->created);
    if (held_hz > 0)
        ert_append(machine->text, sizeof machine->text, ", clock held %s",
                   ert_units_frequency(held_hz).text);
}

/* With several machines the title has only their names, the key the rest; a given title is for one. */
static void add_title(struct rfl_scene *scene, const char *title)
{
    const struct rfl_scene_machine *machines = scene->machines;
    const size_t n = scene->n_machines;
    if (title && n == 1) {
        snprintf(scene->title, sizeof scene->title, "%s", title);
        snprintf(scene->subtitle, sizeof scene->subtitle, "%.100s, %.200s",
                 machines[0].name, machines[0].text);
        return;
    }
    if (n == 1)
        snprintf(scene->subtitle, sizeof scene->subtitle, "%.319s", machines[0].text);
    snprintf(scene->title, sizeof scene->title, "Roofline%s of ", n > 1 ? "s" : "");
    for (size_t i = 0; i < n; i++) {
        const char *letter = machines[i].letter;
        ert_append(scene->title, sizeof scene->title, "%s%s%s%s%s",
                   i == 0       ? ""
                   : i + 1 == n ? " and "
                                : ", ",
                   machines[i].name, *letter ? " (" : "", letter, *letter ? ")" : "");
    }
}

static enum ert_status add_machines(struct rfl_scene *scene,
                                    const struct rfl_scene_device *devices, size_t n,
                                    struct ert_error *error)
{
    if (n < 1 || n > RFL_MAX_MACHINES)
        return ert_fail(error, ERT_USAGE, "%zu devices in a chart, must be 1 to %d", n,
                        RFL_MAX_MACHINES);
    for (size_t i = 0; i < n; i++) {
        const struct ert_ceilings *ceilings = devices[i].ceilings;
        if (devices[i].index >= ceilings->n_devices || !ceilings->machine)
            return ert_fail(error, ERT_USAGE,
                            "no device %zu in the ceilings; there are %zu",
                            devices[i].index, ceilings->n_devices);
        const char *id = ceilings->devices[devices[i].index].device;
        const struct ert_device *device = ert_machine_device(ceilings->machine, id);
        if (!device)
            return ert_fail(error, ERT_USAGE, "the machine has no device '%s'", id);
        add_machine(scene, &devices[i], device, n);
    }
    return ERT_OK;
}

enum ert_status rfl_scene_make_of(const struct rfl_scene_device *devices, size_t n,
                                  const struct rfl_scene_options *options,
                                  struct rfl_scene *scene, struct ert_error *error)
{
    memset(scene, 0, sizeof *scene);
    scene->levels = scene->flats = scene->roofs;
    scene->theory = options->theory;
    ERT_TRY(add_machines(scene, devices, n, error));
    ERT_TRY(choose_types(scene, devices, options, error));
    ERT_TRY(add_roofs(scene, devices, options->points, error));
    add_title(scene, options->title);
    if (options->points)
        ERT_TRY(add_profiled(scene, options, error));
    if (n == 1 && !scene->n_kernels)
        add_dots(scene, devices);
    add_mixes(scene, options->points);
    add_ridges(scene);
    set_axes(scene, options->close);
    add_notes(scene, devices);
    return ERT_OK;
}

void rfl_scene_free(struct rfl_scene *scene)
{
    ert_strings_free(&scene->notes);
    ert_strings_free(&scene->series);
    ert_strings_free(&scene->mark_levels);
    free(scene->dots);
}
