/* The compute ceilings: per kernel the best instruction set under the plain name, then the others. */
#include "ert/ceilings/extras.h"

#include "ert/ceilings/choose.h"
#include "ert/ceilings/levels.h"
#include "ert/ceilings/threads.h"

#include <stdio.h>
#include <string.h>

/* The measured points of a kernel, of one instruction set or (isa NULL) of all. */
static size_t compute_candidates(const struct ert_device_samples *samples,
                                 enum ert_kernel_id kernel, const char *isa,
                                 const struct ert_point *points[ERT_MAX_SWEEP])
{
    size_t n = 0;
    for (size_t i = 0; i < samples->n_points && n < ERT_MAX_SWEEP; i++)
        if (samples->points[i].section == ERT_SECTION_COMPUTE &&
            samples->points[i].case_.kernel == kernel &&
            samples->points[i].status == ERT_POINT_MEASURED &&
            samples->points[i].n_samples > 0 &&
            (!isa || strcmp(samples->points[i].variant.isa, isa) == 0))
            points[n++] = &samples->points[i];
    return n;
}

static bool add_compute(struct ert_extras *fit, enum ert_kernel_id kernel,
                        const struct ert_point *const *points, size_t n, bool roof)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    struct ert_device_ceilings *out = fit->out;
    struct ert_compute_ceiling ceiling = {.roof = roof};
    size_t best = ert_choose_winner(points, n, ert_levels_performance);
    if (best == n)
        return true;
    const char *isa = points[best]->variant.isa;
    if (!ert_evidence_fill(&ceiling.common, points, n, best, ert_point_performance))
        return false;
    ert_threads_fill(&ceiling.common, fit->samples, points[best],
                     points[best]->work.flops_per_pass);
    snprintf(ceiling.common.name, sizeof ceiling.common.name, "%s-%s%s%s",
             ert_type_name(row->type), row->op, roof ? "" : "-", roof ? "" : isa);
    snprintf(ceiling.type, sizeof ceiling.type, "%s", ert_type_name(row->type));
    snprintf(ceiling.op, sizeof ceiling.op, "%s", row->op);
    snprintf(ceiling.unit, sizeof ceiling.unit, "%s",
             *isa ? isa : (*row->unit ? row->unit : "core"));
    if (out->n_compute < ERT_MAX_COMPUTE)
        out->compute[out->n_compute++] = ceiling;
    else
        ert_extras_full(out, ceiling.common.name, ERT_MAX_COMPUTE);
    return true;
}

/*
 * The instruction set of the fastest point, or the plan's first, which is the widest, where that is
 * as fast but for noise: divisions take as long in any width, and luck should not name the ceiling.
 */
static const char *best_isa(const struct ert_point *const *points, size_t n)
{
    static const double noise = 0.02;
    size_t winner = ert_choose_winner(points, n, ert_levels_performance);
    double least = (1 - noise) * ert_levels_performance(points[winner]);
    for (size_t i = 0; i < n; i++)
        if (ert_choose_is_sampled(points[i], points[winner]->n_samples) &&
            ert_levels_performance(points[i]) >= least)
            return points[i]->variant.isa;
    return points[winner]->variant.isa;
}

/*
 * The best of all instruction sets has the plain name, "fp64-fma"; then each of the others,
 * "fp64-fma-avx2", in the order of the plan.
 */
bool ert_extras_compute(struct ert_extras *fit, enum ert_kernel_id kernel)
{
    const struct ert_point *points[ERT_MAX_SWEEP], *others[ERT_MAX_SWEEP];
    const struct ert_kernel *row = ert_kernel_row(kernel);
    size_t n = compute_candidates(fit->samples, kernel, NULL, points);
    if (ert_choose_winner(points, n, ert_levels_performance) == n) {
        char name[32];
        snprintf(name, sizeof name, "%s-%s", ert_type_name(row->type), row->op);
        if (ert_choose_planned(fit->samples, kernel, ERT_PATH_NONE))
            ert_extras_absent(fit->out, name,
                              ert_choose_reason(fit->samples, kernel, ERT_PATH_NONE));
        return true;
    }
    const char *best = best_isa(points, n);
    size_t n_best = compute_candidates(fit->samples, kernel, best, others);
    bool done = add_compute(fit, kernel, others, n_best, true);
    for (size_t i = 0; i < n && done; i++) {
        const char *isa = points[i]->variant.isa;
        bool is_first = strcmp(isa, best) != 0;
        for (size_t j = 0; j < i; j++)
            is_first = is_first && strcmp(points[j]->variant.isa, isa) != 0;
        if (is_first)
            done =
                add_compute(fit, kernel, others,
                            compute_candidates(fit->samples, kernel, isa, others), false);
    }
    return done;
}

/* Of each instruction set. */
void ert_extras_choose_compute(const struct ert_device_samples *samples,
                               enum ert_kernel_id kernel, size_t per_ceiling, bool *chosen)
{
    const struct ert_point *all[ERT_MAX_SWEEP], *points[ERT_MAX_SWEEP];
    size_t n_all = compute_candidates(samples, kernel, NULL, all);
    for (size_t i = 0; i < n_all; i++) {
        size_t n = compute_candidates(samples, kernel, all[i]->variant.isa, points);
        ert_choose_fastest(samples, points, n, per_ceiling, ert_levels_performance, chosen);
    }
}
