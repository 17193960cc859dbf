/* measure: warm-up, repetitions, and the point that they make. */
#include "gpp/measure.h"

#include "ert/stats/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first run warms up, or is all there is. */
static enum ert_status run_all(const struct gpp_engine *engine, struct gpp_session *session,
                               bool once, double *times_s, struct gpp_measurement *m,
                               struct ert_error *error)
{
    ERT_TRY(engine->run(session, &m->result, &times_s[0], error));
    m->is_repeatable = true;
    for (size_t i = 0; i < m->repeat && !once; i++) {
        struct gpp_result again;
        ERT_TRY(engine->run(session, &again, &times_s[i], error));
        m->is_repeatable =
            m->is_repeatable && memcmp(&again, &m->result, sizeof again) == 0;
    }
    m->time_s = ert_stats_median(times_s, m->repeat);
    m->best_s = ert_stats_quantile(times_s, m->repeat, 0);
    ert_stats_interval(times_s, m->repeat, &m->low_s, &m->high_s);
    return ERT_OK;
}

static enum ert_status measure(const struct gpp_version *version,
                               const struct gpp_problem *problem,
                               const struct gpp_options *options, bool once, size_t repeat,
                               struct gpp_measurement *measurement, struct ert_error *error)
{
    const struct gpp_engine *engine = gpp_engine_of(version->device);
    struct gpp_measurement made = {
        .version = version, .options = *options, .repeat = repeat};
    struct gpp_session *session = NULL;
    if (repeat < 1)
        return ert_fail(error, ERT_USAGE, "repeat: 0, must be at least 1");
    double *times_s = calloc(repeat, sizeof *times_s);
    if (!times_s)
        return ert_fail(error, ERT_FAILED, "no memory for %zu times", repeat);
    enum ert_status status =
        engine->open(version, problem, options, &session, &made.facts, error);
    if (status == ERT_OK)
        status = run_all(engine, session, once, times_s, &made, error);
    engine->close(session);
    free(times_s);
    if (status == ERT_OK)
        *measurement = made;
    return status;
}

enum ert_status gpp_measure(const struct gpp_version *version,
                            const struct gpp_problem *problem,
                            const struct gpp_options *options, size_t repeat,
                            struct gpp_measurement *measurement, struct ert_error *error)
{
    return measure(version, problem, options, false, repeat, measurement, error);
}

enum ert_status gpp_measure_once(const struct gpp_version *version,
                                 const struct gpp_problem *problem,
                                 const struct gpp_options *options,
                                 struct gpp_measurement *measurement,
                                 struct ert_error *error)
{
    return measure(version, problem, options, true, 1, measurement, error);
}

enum ert_status gpp_measure_add(const struct gpp_measurement *m,
                                const struct gpp_sizes *sizes, const char *system,
                                struct rfl_points *points, struct rfl_point **added,
                                struct ert_error *error)
{
    struct rfl_point *point;
    char run[128];
    ERT_TRY(rfl_points_add(points, m->version->name, &point, error));
    snprintf(run, sizeof run, "%s nw=%zu%s", system, sizes->nw,
             m->options.no_fma ? " no-fma" : "");
    point->run = rfl_points_text(points, run);
    point->format = "points";
    point->time_s = m->time_s;
    point->time_low_s = m->low_s;
    point->time_high_s = m->high_s;
    point->time_recipe =
        m->version->device == GPP_GPU ? "CUDA events, median" : "CLOCK_MONOTONIC, median";
    point->launches = 1;
    point->warps_per_sm = m->facts.warps_per_sm;
    point->threads = m->facts.threads;
    point->registers = m->facts.registers;
    *added = point;
    return ERT_OK;
}

enum ert_status gpp_measure_point(const struct gpp_measurement *m,
                                  const struct gpp_sizes *sizes,
                                  const struct gpp_counts *counts, const char *system,
                                  struct rfl_points *points, struct ert_error *error)
{
    struct rfl_point *point;
    ERT_TRY(gpp_measure_add(m, sizes, system, points, &point, error));
    ERT_TRY(rfl_points_work(points, point, "fp64", "core",
                            counts->flops * gpp_sizes_iterations(sizes), counts->fma_share,
                            counts->flops_recipe, error));
    return rfl_points_traffic(points, point, m->version->device == GPP_GPU ? "HBM" : "DRAM",
                              counts->bytes, counts->bytes_recipe, error);
}
