/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpp/measure.h"

#include "ert/core/base/alloc.h"
#include "ert/core/machine/presence.h"
#include "ert/core/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Above this number of iterations the reference, 10 ns each, takes longer than the versions. */
static const double full_iterations = 3e8;

const char *const gpp_reference_words[] = {"auto", "full", "sample", "none", NULL};

enum ert_status gpp_subject_prepare(struct gpp_subject *subject, const char *reference,
                                    struct ert_error *error)
{
    const struct gpp_problem *problem = &subject->problem;
    const struct gpp_sizes *s = &problem->sizes;
    const bool is_auto = strcmp(reference, "auto") == 0;
    gpp_shares_count(problem, 2e7, &subject->shares);
    if (strcmp(reference, "none") == 0)
        return ERT_OK;
    subject->checked = problem;
    if (s->ngpown > GPP_SAMPLED_ROWS &&
        ((is_auto && gpp_sizes_iterations(s) > full_iterations) ||
         strcmp(reference, "sample") == 0)) {
        ERT_TRY(gpp_problem_rows(problem, 0, (s->ngpown - 1) / (GPP_SAMPLED_ROWS - 1),
                                 GPP_SAMPLED_ROWS, &subject->part, error));
        subject->checked = &subject->part;
    }
    return gpp_reference_compute(subject->checked, &subject->reference, error);
}

void gpp_subject_free(struct gpp_subject *subject)
{
    gpp_problem_free(&subject->problem);
    gpp_problem_free(&subject->part);
}

/* times_s: at least one element, since the first run warms up or is the only one. */
static enum ert_status gpp_measure_run_all(const struct gpp_engine *engine,
                                           struct gpp_session *session, double *times_s,
                                           struct gpp_measurement *m,
                                           struct ert_error *error)
{
    const size_t n = m->repeat ? m->repeat : 1;
    ERT_TRY(engine->run(session, &m->result, &times_s[0], error));
    m->is_repeatable = true;
    for (size_t i = 0; i < m->repeat; i++) {
        struct gpp_result again;
        ERT_TRY(engine->run(session, &again, &times_s[i], error));
        m->is_repeatable =
            m->is_repeatable && memcmp(&again, &m->result, sizeof again) == 0;
    }
    m->time_s = ert_stats_median(times_s, n);
    m->best_s = ert_stats_quantile(times_s, n, 0);
    ert_stats_interval(times_s, n, &m->low_s, &m->high_s);
    return ERT_OK;
}

enum ert_status gpp_measure(const struct gpp_version *version,
                            const struct gpp_problem *problem,
                            const struct gpp_options *options, size_t repeat,
                            struct gpp_measurement *measurement, struct ert_error *error)
{
    const struct gpp_engine *engine;
    ERT_TRY(gpp_engine_of(version->device, &engine, error));
    struct gpp_measurement made = {
        .version = version, .options = *options, .repeat = repeat};
    struct gpp_session *session = NULL;
    double *times_s = ert_xcalloc(repeat + 1, sizeof *times_s);
    enum ert_status status =
        engine->open(version, problem, options, &session, &made.facts, error);
    if (status == ERT_OK) {
        struct ert_presence presence;
        ert_presence_begin(*made.facts.uuid ? made.facts.uuid : "cpu", &presence);
        status = gpp_measure_run_all(engine, session, times_s, &made, error);
        ert_presence_end(&presence, made.others, sizeof made.others);
        engine->close(session);
    }
    free(times_s);
    if (status == ERT_OK)
        *measurement = made;
    return status;
}

enum ert_status gpp_subject_compare(const struct gpp_subject *subject,
                                    const struct gpp_measurement *measurement,
                                    double *worst, struct ert_error *error)
{
    struct gpp_measurement part = *measurement;
    *worst = -1;
    if (!subject->checked)
        return ERT_OK;
    if (subject->checked != &subject->problem)
        ERT_TRY(
            gpp_measure(part.version, subject->checked, &part.options, 1, &part, error));
    *worst = gpp_result_error(&part.result, &subject->reference, subject->problem.sizes.nw);
    return ERT_OK;
}

void gpp_measure_point(const struct gpp_measurement *m, const struct gpp_sizes *sizes,
                       const struct gpp_counts *counts, const char *system, double worst,
                       struct rfl_points *points)
{
    const bool is_gpu = m->version->device == GPP_GPU;
    const double iterations = gpp_sizes_iterations(sizes);
    const struct rfl_value values[] = {
        {"iterations",            iterations                                             },
        {"repeat",                (double)m->repeat                                      },
        {"repeats_bit_for_bit",   m->repeat ? m->is_repeatable : NAN                     },
        {"best_s",                m->best_s                                              },
        {"relative_error",        worst >= 0 ? worst : NAN                               },
        {"block_threads",         m->facts.block_threads ? m->facts.block_threads : NAN  },
        {"resident_warps_per_sm", m->facts.warps_per_sm > 0 ? m->facts.warps_per_sm : NAN},
    };
    struct rfl_point *point = rfl_points_add(points, m->version->name);
    point->run = ert_strings_format(&points->strings, "%s nw=%zu%s", system, sizes->nw,
                                    m->options.no_fma ? " no-fma" : "");
    point->format = "points";
    point->time_s = m->time_s;
    point->time_low_s = m->low_s;
    point->time_high_s = m->high_s;
    point->time_recipe = is_gpu ? "CUDA events, median" : "CLOCK_MONOTONIC, median";
    point->launches = counts->launches;
    point->warps_per_sm = m->facts.warps_per_sm;
    point->threads = m->facts.threads;
    point->registers = m->facts.registers;
    if (*m->others)
        rfl_points_warn(point, "measured at the same time as %s", m->others);
    for (size_t i = 0; i < ERT_LENGTH(values); i++)
        rfl_points_value(point, values[i].name, values[i].value);
    rfl_points_work(point, "fp64", "core", counts->flops * iterations, counts->fma_share,
                    counts->flops_recipe);
    rfl_points_traffic(point, is_gpu ? "HBM" : "DRAM", counts->bytes, counts->bytes_recipe);
}
