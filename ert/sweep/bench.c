#include "ert/sweep/bench.h"

#include <math.h>
#include <string.h>

/* Set sizes whose results are checked after every region; larger ones in the first and last round. */
static const double always_verified_bytes = 4e6;

static enum ert_status check_sample(const struct ert_sample *sample,
                                    struct ert_error *error)
{
    if (!(isfinite(sample->time_s) && sample->time_s > 0))
        return ert_fail(error, ERT_FAILED, "the region took %g s, must be above 0",
                        sample->time_s);
    if (sample->passes == 0)
        return ert_fail(error, ERT_FAILED, "no pass was run");
    return ERT_OK;
}

/*
 * Finds the number of passes that makes a region long enough, by doubling from one pass. *sample
 * is the last region: where even one pass is long enough, it is as good as any other.
 */
static enum ert_status calibrate(struct ert_bench *bench, struct ert_point *point,
                                 struct ert_sample *sample, struct ert_error *error)
{
    double wanted = bench->samples->config.region_s;
    uint64_t passes = 1;
    for (;;) {
        ERT_TRY(bench->backend->time(bench->session, passes, sample, &bench->lost, error));
        if (sample->time_s >= wanted / 4 || passes >= UINT64_C(1) << 40)
            break;
        /* At least twice, at most 64 times as many: short regions predict badly. */
        double factor = sample->time_s > 0 ? wanted / 2 / sample->time_s : 64;
        passes = (uint64_t)((double)passes * fmax(2, fmin(factor, 64)));
    }
    ERT_TRY(check_sample(sample, error));
    double needed = ceil((double)sample->passes * wanted / sample->time_s);
    point->passes = needed < 1 ? 1 : (uint64_t)needed;
    return ERT_OK;
}

/*
 * Whether another point of the same section and case but for the wanted set was measured with the
 * same set: small sets round to the same number of sweeps. Once is enough.
 */
static bool is_measured_already(const struct ert_bench *bench,
                                const struct ert_point *point)
{
    for (size_t i = 0; i < bench->device->n_points; i++) {
        const struct ert_point *other = &bench->device->points[i];
        struct ert_case same = other->case_;
        same.working_set_bytes = point->case_.working_set_bytes;
        if (other != point && other->passes > 0 && other->section == point->section &&
            memcmp(&same, &point->case_, sizeof same) == 0 &&
            other->work.working_set_bytes == point->work.working_set_bytes)
            return true;
    }
    return false;
}

enum ert_status ert_bench_power(struct ert_bench *bench, struct ert_point *point,
                                struct ert_error *error)
{
    struct ert_work work;
    ERT_TRY(bench->backend->prepare(bench->session, &point->case_, &work, error));
    return bench->backend->power(bench->session, bench->samples->config.power_s,
                                 point->passes, &point->power, error);
}

enum ert_status ert_bench_measure(struct ert_bench *bench, struct ert_point *point,
                                  bool last_round, struct ert_error *error)
{
    const struct ert_backend *backend = bench->backend;
    struct ert_sample sample = {0};
    ERT_TRY(backend->prepare(bench->session, &point->case_, &point->work, error));
    bool first = point->passes == 0;
    if (first && is_measured_already(bench, point))
        return ert_fail(error, ERT_UNAVAILABLE, "rounds to the same set as another point");
    if (first)
        ERT_TRY(calibrate(bench, point, &sample, error));
    if (sample.passes == 0 || sample.passes < point->passes)
        ERT_TRY(backend->time(bench->session, point->passes, &sample, &bench->lost, error));
    ERT_TRY(check_sample(&sample, error));
    if (first || last_round || point->work.bytes_per_pass <= always_verified_bytes)
        ERT_TRY(backend->verify(bench->session, error));
    ERT_TRY(ert_point_add(point, &sample, error));
    point->status = ERT_POINT_MEASURED;
    return ERT_OK;
}
