#include "ert/ceilings/choose.h"

bool ert_choose_is_sampled(const struct ert_point *point, size_t most)
{
    return point->n_samples >= ERT_ENOUGH_SAMPLES || 2 * point->n_samples >= most;
}

size_t ert_choose_winner(const struct ert_point *const *points, size_t n,
                         ert_point_estimate estimate)
{
    size_t most = 0, best = n;
    double best_rate = 0;
    for (size_t i = 0; i < n; i++)
        if (points[i]->n_samples > most)
            most = points[i]->n_samples;
    for (size_t i = 0; i < n; i++) {
        double rate = estimate(points[i]);
        if (ert_choose_is_sampled(points[i], most) && rate > best_rate) {
            best = i;
            best_rate = rate;
        }
    }
    return best;
}

void ert_choose_fastest(const struct ert_device_samples *samples,
                        const struct ert_point **points, size_t n_points, size_t most,
                        ert_point_estimate estimate, bool *chosen)
{
    for (size_t k = 0; k < most && k < n_points; k++) {
        size_t best = k + ert_choose_winner(points + k, n_points - k, estimate);
        if (best == n_points)
            return;
        const struct ert_point *point = points[best];
        points[best] = points[k];
        points[k] = point;
        chosen[point - samples->points] = true;
    }
}

bool ert_choose_is_main(const struct ert_point *point)
{
    return point->section == ERT_SECTION_LEVELS || point->section == ERT_SECTION_COMPUTE ||
           point->section == ERT_SECTION_MIXED || point->section == ERT_SECTION_ERT110;
}

const struct ert_point *ert_choose_planned(const struct ert_device_samples *samples,
                                           enum ert_kernel_id kernel, enum ert_path path)
{
    for (size_t i = 0; i < samples->n_points; i++)
        if (ert_choose_is_main(&samples->points[i]) &&
            samples->points[i].case_.kernel == kernel &&
            samples->points[i].case_.path == path)
            return &samples->points[i];
    return NULL;
}

const char *ert_choose_reason(const struct ert_device_samples *samples,
                              enum ert_kernel_id kernel, enum ert_path path)
{
    for (size_t i = 0; i < samples->n_points; i++)
        if (ert_choose_is_main(&samples->points[i]) &&
            samples->points[i].case_.kernel == kernel &&
            samples->points[i].case_.path == path && *samples->points[i].reason)
            return samples->points[i].reason;
    return *samples->reason ? samples->reason : "not measured";
}
