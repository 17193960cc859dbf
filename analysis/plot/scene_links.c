/* What belongs together among the drawn kernels: series, trajectories, shares of FMA. */
#include "analysis/plot/scene_parts.h"

#include "analysis/model.h"
#include "ert/base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A flat closer to another than this (in FMA share) would only thicken it. */
#define SAME_SHARE 0.005

/* The mark of a kernel at a level, or NULL. */
static const struct rfl_mark *mark_at(const struct rfl_scene *scene,
                                      const struct rfl_kernel *kernel, size_t level)
{
    for (size_t i = 0; i < kernel->n_marks; i++)
        if (scene->marks[kernel->first_mark + i].level == level)
            return &scene->marks[kernel->first_mark + i];
    return NULL;
}

static int by_order(const void *left, const void *right)
{
    const struct rfl_kernel *a = *(const struct rfl_kernel *const *)left;
    const struct rfl_kernel *b = *(const struct rfl_kernel *const *)right;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int by_scale(const void *left, const void *right)
{
    const struct rfl_kernel *a = *(const struct rfl_kernel *const *)left;
    const struct rfl_kernel *b = *(const struct rfl_kernel *const *)right;
    if (a->scale != b->scale)
        return a->scale < b->scale ? -1 : 1;
    return by_order(left, right);
}

static void link_run(struct rfl_scene *scene, size_t series)
{
    const struct rfl_kernel *run[RFL_MAX_KERNELS];
    size_t n = 0;
    bool scaled = true;
    for (size_t i = 0; i < scene->n_kernels; i++)
        if (scene->kernels[i].series == series) {
            run[n++] = &scene->kernels[i];
            scaled = scaled && scene->kernels[i].scale > 0;
        }
    qsort(run, n, sizeof run[0], scaled ? by_scale : by_order);
    for (size_t i = 0; i + 1 < n; i++)
        for (size_t level = 0; level < scene->n_mark_levels; level++) {
            const struct rfl_mark *from = mark_at(scene, run[i], level),
                                  *to = mark_at(scene, run[i + 1], level);
            if (from && to && scene->n_arrows < RFL_MAX_MARKS)
                scene->arrows[scene->n_arrows++] = (struct rfl_arrow){
                    (size_t)(from - scene->marks), (size_t)(to - scene->marks)};
        }
}

void rfl_scene_link_kernels(struct rfl_scene *scene, bool trajectory)
{
    for (size_t i = 0; trajectory && i < scene->n_series; i++)
        link_run(scene, i);
    if (scene->n_series > 1 || trajectory)
        return;
    scene->n_series = 0;
    for (size_t i = 0; i < scene->n_kernels; i++)
        scene->kernels[i].series = i;
}

/* Shares of FMA, rounded to whole percent, and how many instructions have them. */
struct mixes {
    size_t n, unknown;
    double shares[RFL_MAX_KERNELS * RFL_MAX_WORK];
    double instructions, fma; /* sums */
};

static void add_share(struct mixes *mixes, const struct rfl_work *work)
{
    double instructions = work->flops / (1 + work->fma_share);
    double share = round(100 * work->fma_share) / 100;
    size_t i = 0;
    if (!isfinite(share)) {
        mixes->unknown++;
        return;
    }
    mixes->instructions += instructions;
    mixes->fma += instructions * work->fma_share;
    while (i < mixes->n && mixes->shares[i] != share)
        i++;
    if (i == mixes->n)
        mixes->shares[mixes->n++] = share;
}

static void add_mix(struct rfl_scene *scene, const struct rfl_roof *fma, double share)
{
    struct rfl_roof *roof = &scene->flats[scene->n_flats];
    char value[ERT_UNITS_TEXT], name[sizeof roof->brief];
    bool is_other = share > SAME_SHARE && share < 1 - SAME_SHARE;
    if (!is_other || scene->n_flats == ERT_MAX_COMPUTE)
        return;
    scene->n_flats++;
    *roof = (struct rfl_roof){.mix = true, .machine = fma->machine};
    roof->value = rfl_model_mix(fma->value, share);
    snprintf(roof->type, sizeof roof->type, "%s", fma->type);
    /* "A FP64 FMA" gives "A FP64 58 % FMA". */
    snprintf(name, sizeof name, "%.*s %.0f %% FMA",
             (int)(strstr(fma->brief, " FMA") - fma->brief), fma->brief, 100 * share);
    memcpy(roof->brief, name, sizeof name);
    snprintf(roof->full, sizeof roof->full, "%s %s", name,
             ert_units_performance(roof->value, value));
}

/* The shares of the kernels that are drawn, of work like that of a flat: of its type, on the cores. */
static void collect(const struct rfl_scene *scene, const struct rfl_points *points,
                    const struct rfl_roof *fma, struct mixes *mixes)
{
    memset(mixes, 0, sizeof *mixes);
    for (size_t i = 0; i < scene->n_kernels; i++) {
        const struct rfl_point *point = &points->points[scene->kernels[i].order];
        for (size_t j = 0; j < point->n_work; j++)
            if (strcmp(point->work[j].type, fma->type) == 0 &&
                strcmp(point->work[j].unit, "tensor") != 0)
                add_share(mixes, &point->work[j]);
    }
}

static void add_mixes_of(struct rfl_scene *scene, const struct rfl_points *points,
                         const struct rfl_roof *fma)
{
    struct mixes mixes;
    collect(scene, points, fma, &mixes);
    if (mixes.n <= RFL_MAX_MIXES) {
        for (size_t i = 0; i < mixes.n; i++)
            add_mix(scene, fma, mixes.shares[i]);
        return;
    }
    double least = 1, most = 0;
    for (size_t i = 0; i < mixes.n; i++) {
        least = fmin(least, mixes.shares[i]);
        most = fmax(most, mixes.shares[i]);
    }
    add_mix(scene, fma, mixes.fma / mixes.instructions);
    rfl_scene_note(scene,
                   "The points' shares of FMA (%s) are %.0f to %.0f %%; the roof is for "
                   "that of all together, %.0f %%.",
                   fma->type, 100 * least, 100 * most,
                   100 * mixes.fma / mixes.instructions);
}

void rfl_scene_add_mixes(struct rfl_scene *scene, const struct rfl_scene_options *options)
{
    size_t n = scene->n_flats;
    for (size_t i = 0; i < n && scene->n_kernels; i++) {
        const struct rfl_roof fma = scene->flats[i];
        const char *end = strstr(fma.brief, " FMA");
        if (!fma.no_fma && !fma.secondary && end)
            add_mixes_of(scene, options->points, &fma);
    }
    qsort(scene->flats, scene->n_flats, sizeof scene->flats[0], rfl_scene_compare_roofs);
}
