/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu: the engine of the CPU versions: selects a table, makes layouts, adds the threads' sums. */
#include "gpp/versions.h"

#include "gpp/cpu/kernels.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/machine/features.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GPP_CPU_ISAS(ISA) of local.mk: the instruction sets of this build, best first; none elsewhere. */
#define ISA(name)                                                                          \
    extern const struct gpp_cpu_table gpp_cpu_##name##_fma, gpp_cpu_##name##_nofma;
GPP_CPU_ISAS(ISA)
#undef ISA

#define ISA(name) &gpp_cpu_##name##_fma, &gpp_cpu_##name##_nofma,
static const struct gpp_cpu_table *const tables[] = {GPP_CPU_ISAS(ISA) NULL};

struct gpp_session {
    const struct gpp_cpu_table *table;
    size_t version; /* of the table's functions */
    struct gpp_cpu_work work;
};

enum { MAX_THREADS = 4096 };

/*
 * Splits pairs [rows][ncouls] into two arrays [rows][ld]; `pad` is the real part of padding columns. The
 * threads share the columns as from c6 on: each touches first what it will read, so that these pages lie in
 * its NUMA node if it is pinned (OMP_PROC_BIND).
 */
static void cpu_split(const struct gpp_cpu_work *work, const double *pairs, size_t rows,
                      double pad, double *real, double *imag)
{
    const size_t columns = work->problem->sizes.ncouls, ld = work->ld;
#pragma omp parallel num_threads(work->n_threads)
    for (size_t row = 0; row < rows; row++)
#pragma omp for schedule(static) nowait
        for (size_t first = 0; first < ld; first += GPP_LANES)
            for (size_t i = first; i < first + GPP_LANES; i++) {
                real[row * ld + i] = i < columns ? pairs[2 * (row * columns + i)] : pad;
                imag[row * ld + i] = i < columns ? pairs[2 * (row * columns + i) + 1] : 0;
            }
}

/* Sorts bands by falling occupation, stably: order[] and the segments of equal occupation. */
static void cpu_sort_bands(const struct gpp_problem *p, size_t *order,
                           struct gpp_cpu_work *work)
{
    size_t nbands = p->sizes.nbands, placed = 0;
    double below = 0;
    while (placed < nbands) {
        double largest = 0;
        size_t first = placed, found = 0;
        for (size_t n = 0; n < nbands; n++)
            if ((placed == 0 || p->occ[n] < below) && (!found || p->occ[n] > largest)) {
                largest = p->occ[n];
                found = 1;
            }
        for (size_t n = 0; n < nbands; n++)
            if (p->occ[n] == largest)
                order[placed++] = n;
        work->segments[work->n_segments++] = (struct gpp_segment){largest, first, placed};
        below = largest;
    }
}

static void fill_tiles(const struct gpp_problem *p, const size_t *order,
                       struct gpp_cpu_work *work)
{
    const size_t nbands = p->sizes.nbands, ncouls = p->sizes.ncouls;
#pragma omp parallel for schedule(static) num_threads(work->n_threads)
    for (size_t tile = 0; tile < work->ld; tile += GPP_LANES)
        for (size_t n = 0; n < nbands; n++)
            for (size_t lane = 0; lane < GPP_LANES; lane++) {
                double *to = work->tiles + 2 * (tile * nbands + n * GPP_LANES) + lane;
                const double *from = p->aqsn + 2 * (order[n] * ncouls + tile + lane);
                to[0] = tile + lane < ncouls ? from[0] : 0;
                to[GPP_LANES] = tile + lane < ncouls ? from[1] : 0;
            }
}

static void fill_sorted(const struct gpp_problem *p, const size_t *order,
                        struct gpp_cpu_work *work)
{
    const struct gpp_sizes *s = &p->sizes;
    for (size_t n = 0; n < s->nbands; n++) {
        memcpy(work->w + n * s->nw, p->wx + order[n] * s->nw, s->nw * sizeof(double));
        for (size_t igp = 0; igp < s->ngpown; igp++)
            memcpy(work->m + 2 * (igp * s->nbands + n),
                   p->aqsm + 2 * (order[n] * s->ngpown + igp), 2 * sizeof(double));
    }
}

static void make_sorted(struct gpp_cpu_work *work)
{
    const size_t nbands = work->problem->sizes.nbands;
    size_t *order = ert_xcalloc(nbands, sizeof *order);
    work->segments = ert_xcalloc(nbands, sizeof *work->segments);
    cpu_sort_bands(work->problem, order, work);
    fill_tiles(work->problem, order, work);
    fill_sorted(work->problem, order, work);
    free(order);
}

/*
 * Copies the problem's arrays in the order in which a version reads them (kernels.h), before any clock runs,
 * with the threads that will run it. ERT_UNAVAILABLE with the bytes if there is too little memory. The caller
 * frees the arrays, also after a failure.
 */
static enum ert_status make_layouts(enum gpp_version_id version, struct gpp_cpu_work *work,
                                    struct ert_error *error)
{
    const struct gpp_problem *p = work->problem;
    const struct gpp_sizes *s = &p->sizes;
    const bool is_sorted = version >= GPP_c6;
    work->ld = (s->ncouls + GPP_LANES - 1) / GPP_LANES * GPP_LANES;
    work->sums = ert_xcalloc((size_t)work->n_threads * GPP_CPU_SUMS, sizeof(double));
    if (version < GPP_c2)
        return ERT_OK;
    const size_t plane = s->ngpown * work->ld, bands = s->nbands * work->ld;
    const struct {
        double **array;
        size_t n;
    } rows[] = {
        {&work->wr,    plane                                    },
        {&work->wi,    plane                                    },
        {&work->er,    plane                                    },
        {&work->ei,    plane                                    },
        {&work->nr,    is_sorted ? 0 : bands                    },
        {&work->ni,    is_sorted ? 0 : bands                    },
        {&work->tiles, is_sorted ? 2 * bands : 0                },
        {&work->m,     is_sorted ? 2 * s->nbands * s->ngpown : 0},
        {&work->w,     is_sorted ? s->nbands * s->nw : 0        },
    };
    uint64_t bytes = 16 * (2 * (uint64_t)plane + bands + (uint64_t)s->nbands * s->ngpown);
    ERT_TRY(gpp_memory_check("layouts", bytes, gpp_memory_available_bytes(), error));
    for (size_t i = 0; i < ERT_LENGTH(rows); i++) {
        *rows[i].array = aligned_alloc(64, (rows[i].n * sizeof(double) + 63) / 64 * 64);
        if (rows[i].n && !*rows[i].array)
            return ert_fail(error, ERT_FAILED, "no memory for layouts: %zu doubles",
                            rows[i].n);
    }
    cpu_split(work, p->wtilde, s->ngpown, 1, work->wr, work->wi);
    cpu_split(work, p->eps, s->ngpown, 0, work->er, work->ei);
    if (is_sorted)
        make_sorted(work);
    else
        cpu_split(work, p->aqsn, s->nbands, 0, work->nr, work->ni);
    return ERT_OK;
}

static void free_layouts(struct gpp_cpu_work *work)
{
    double *const arrays[] = {work->wr, work->wi,    work->er, work->ei, work->nr,
                              work->ni, work->tiles, work->m,  work->w,  work->sums};
    for (size_t i = 0; i < ERT_LENGTH(arrays); i++)
        free(arrays[i]);
    free(work->segments);
}

/* Selects the best table that this machine can run, with or without contraction, of one ISA if named. */
static enum ert_status cpu_choose(const struct gpp_version *version,
                                  const struct gpp_options *options,
                                  const struct gpp_cpu_table **chosen,
                                  struct ert_error *error)
{
    struct ert_features features;
    char list[128] = "";
    bool is_known = false;
    ert_features_read("", &features);
    for (size_t i = 0; tables[i]; i++) {
        const struct gpp_cpu_table *table = tables[i];
        if (table->has_fma == options->no_fma)
            continue;
        if (options->isa && strcmp(options->isa, table->isa) != 0) {
            ert_list_add(list, sizeof list, table->isa);
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

static void cpu_close_(struct gpp_session *session)
{
    if (!session)
        return;
    free_layouts(&session->work);
    free(session);
}

static enum ert_status cpu_open_(const struct gpp_version *version,
                                 const struct gpp_problem *problem,
                                 const struct gpp_options *options,
                                 struct gpp_session **session, struct gpp_facts *facts,
                                 struct ert_error *error)
{
    const struct gpp_cpu_table *table = NULL;
    if (options->threads > MAX_THREADS)
        return ert_fail(error, ERT_USAGE, "threads: %u, must be at most %d",
                        options->threads, MAX_THREADS);
    ERT_TRY(cpu_choose(version, options, &table, error));
    struct gpp_session *made = ert_xcalloc(1, sizeof *made);
    *facts = (struct gpp_facts){.device = ""};
    made->table = table;
    made->version = (size_t)(version->id - GPP_c0);
    made->work.problem = problem;
    made->work.n_threads = version->id == GPP_c0 ? 1
                           : options->threads    ? (int)options->threads
                                                 : omp_get_num_procs();
    enum ert_status status = make_layouts(version->id, &made->work, error);
    if (status != ERT_OK) {
        cpu_close_(made);
        return status;
    }
    facts->threads = (uint32_t)made->work.n_threads;
    snprintf(facts->device, sizeof facts->device, "cpu, %s%s", table->isa,
             table->has_fma ? "" : ", no FMA");
    *session = made;
    return ERT_OK;
}

static enum ert_status cpu_run(struct gpp_session *session, struct gpp_result *result,
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
    .open = cpu_open_,
    .run = cpu_run,
    .close = cpu_close_,
};
