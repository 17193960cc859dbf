/* cpu: the engine of the CPU versions: picks a table, makes layouts, places threads, adds their sums. */
#include "gpp/versions.h"

#include "gpp/cpu/layouts.h"

#include "ert/backend/cpu/pin.h"
#include "ert/base/clock.h"
#include "ert/machine/features.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gpp_session {
    const struct gpp_cpu_table *table;
    size_t version; /* of the table's functions */
    struct gpp_cpu_work work;
    struct ert_pin_mask mask; /* before pinning; set NULL: nothing was pinned */
};

enum { MAX_THREADS = 4096 };

static const char *unavailable(char *reason, size_t size)
{
    if (gpp_cpu_tables[0])
        return NULL;
    snprintf(reason, size, "no CPU kernels for this architecture in this build");
    return reason;
}

/* The best table that this machine can run, with or without contraction, of one ISA if named. */
static enum ert_status choose(const struct gpp_version *version,
                              const struct gpp_options *options,
                              const struct gpp_cpu_table **chosen, struct ert_error *error)
{
    struct ert_features features;
    char list[128] = "";
    size_t used = 0;
    bool is_known = false;
    ert_features_read(&features);
    for (size_t i = 0; gpp_cpu_tables[i]; i++) {
        const struct gpp_cpu_table *table = gpp_cpu_tables[i];
        if (table->has_fma == options->no_fma)
            continue;
        if (options->isa && strcmp(options->isa, table->isa) != 0) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                     used ? ", " : "", table->isa);
            continue;
        }
        is_known = true;
        if (!table->available(&features.isa) || !table->run[version->id - GPP_c0])
            continue;
        *chosen = table;
        return ERT_OK;
    }
    if (options->isa && !is_known)
        return ert_fail(error, ERT_USAGE,
                        "no instruction set '%.32s' in this build; there are: %s",
                        options->isa, list);
    return ert_fail(error, ERT_UNAVAILABLE, "%s: not for %s on this CPU", version->name,
                    options->isa ? options->isa : "any instruction set");
}

/* Pins the calling OpenMP pool thread by thread; the first reason why not goes into notes. */
static void pin(struct gpp_session *session, struct gpp_facts *facts)
{
    const int n = session->work.n_threads;
    struct ert_error error;
    struct ert_pin_place *places = calloc((size_t)n, sizeof *places);
    bool by_topology = false;
    int failures = 0;
    if (!places || ert_pin_get_mask(&session->mask, &error) != ERT_OK) {
        snprintf(facts->notes, sizeof facts->notes, "threads float: no affinity mask");
        session->mask.set = NULL;
        free(places);
        return;
    }
    if (ert_pin_plan(&session->mask, (uint32_t)n, places, &by_topology, &error) == ERT_OK) {
#pragma omp parallel num_threads(n) reduction(+ : failures)
        failures += ert_pin_to(places[omp_get_thread_num()].cpu) != 0;
        facts->is_pinned = failures == 0;
        if (failures)
            snprintf(facts->notes, sizeof facts->notes, "%d threads refused their CPU",
                     failures);
    } else {
        snprintf(facts->notes, sizeof facts->notes, "threads float: %.120s", error.text);
    }
    free(places);
}

static void close_(struct gpp_session *session)
{
    if (!session)
        return;
    if (session->mask.set) {
#pragma omp parallel num_threads(session->work.n_threads)
        ert_pin_set_mask(&session->mask);
        ert_pin_free_mask(&session->mask);
    }
    gpp_cpu_layouts_free(&session->work);
    free(session);
}

static enum ert_status check(const struct gpp_problem *problem,
                             const struct gpp_options *options, struct ert_error *error)
{
    if (options->stride < 1 || options->stride > problem->sizes.ncouls)
        return ert_fail(error, ERT_USAGE, "stride: %zu, must be 1 to ncouls, %zu",
                        options->stride, problem->sizes.ncouls);
    if (options->threads > MAX_THREADS)
        return ert_fail(error, ERT_USAGE, "threads: %u, must be at most %d",
                        options->threads, MAX_THREADS);
    return ERT_OK;
}

static enum ert_status open_(const struct gpp_version *version,
                             const struct gpp_problem *problem,
                             const struct gpp_options *options,
                             struct gpp_session **session, struct gpp_facts *facts,
                             struct ert_error *error)
{
    const struct gpp_cpu_table *table = NULL;
    ERT_TRY(check(problem, options, error));
    ERT_TRY(choose(version, options, &table, error));
    struct gpp_session *made = calloc(1, sizeof *made);
    if (!made)
        return ert_fail(error, ERT_FAILED, "no memory for a session");
    *facts = (struct gpp_facts){.device = ""};
    made->table = table;
    made->version = (size_t)(version->id - GPP_c0);
    made->work.problem = problem;
    made->work.stride = options->stride;
    made->work.n_threads = version->id == GPP_c0 ? 1
                           : options->threads    ? (int)options->threads
                                                 : omp_get_num_procs();
    enum ert_status status = gpp_cpu_layouts_make(version->id, &made->work, error);
    if (status != ERT_OK) {
        close_(made);
        return status;
    }
    if (version->id >= GPP_c5)
        pin(made, facts);
    facts->threads = (uint32_t)made->work.n_threads;
    snprintf(facts->device, sizeof facts->device, "cpu, %s%s", table->isa,
             table->has_fma ? "" : ", no FMA");
    *session = made;
    return ERT_OK;
}

static enum ert_status run(struct gpp_session *session, struct gpp_result *result,
                           double *time_s, struct ert_error *error)
{
    struct gpp_cpu_work *work = &session->work;
    const size_t n_sums = (size_t)work->n_threads * GPP_CPU_SUMS;
    int n_given = 0;
#pragma omp parallel num_threads(work->n_threads)
#pragma omp single
    n_given = omp_get_num_threads();
    if (n_given != work->n_threads)
        return ert_fail(error, ERT_FAILED, "OpenMP gave %d threads of %d", n_given,
                        work->n_threads);
    memset(work->sums, 0, n_sums * sizeof(double));
    struct gpp_result sum = {{{0}}, {{0}}};
    double begin_s = ert_clock_now_s();
    session->table->run[session->version](work);
    for (int thread = 0; thread < work->n_threads; thread++)
        for (size_t iw = 0; iw < work->problem->sizes.nw; iw++)
            for (size_t part = 0; part < 2; part++) {
                const double *sums = work->sums + thread * GPP_CPU_SUMS + 4 * iw;
                sum.asx[iw][part] += sums[part];
                sum.ach[iw][part] += sums[2 + part];
            }
    *time_s = ert_clock_now_s() - begin_s;
    *result = sum;
    return ERT_OK;
}

const struct gpp_engine gpp_engine_cpu = {
    .name = "cpu",
    .unavailable = unavailable,
    .open = open_,
    .run = run,
    .close = close_,
};
