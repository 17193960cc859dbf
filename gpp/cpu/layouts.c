/* layouts: split, padded, tiled and sorted copies. */
#include "gpp/cpu/layouts.h"

#include <stdlib.h>
#include <string.h>

static double *take(size_t n)
{
    return aligned_alloc(64, (n * sizeof(double) + 63) / 64 * 64);
}

/* Split pairs [rows][columns] into two arrays [rows][ld]; `pad` stands behind the columns. */
static void split(const double *pairs, size_t rows, size_t columns, size_t ld, double pad,
                  double *real, double *imag)
{
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < ld; i++) {
            real[row * ld + i] = i < columns ? pairs[2 * (row * columns + i)] : pad;
            imag[row * ld + i] = i < columns ? pairs[2 * (row * columns + i) + 1] : 0;
        }
}

/* Bands by falling occupation, stable: order[] and the runs of equal occupation. */
static void sort_bands(const struct gpp_problem *p, size_t *order,
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
#pragma omp parallel for schedule(static)
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

/* As gpp_column() has it on GPUs: first column, first + stride ..., then those from first + 1. */
static enum ert_status make_columns(struct gpp_cpu_work *work, struct ert_error *error)
{
    const size_t ncouls = work->problem->sizes.ncouls, stride = work->stride;
    const size_t rows = (ncouls + stride - 1) / stride;
    work->n_columns = work->ld;
    if (stride == 1)
        return ERT_OK;
    work->n_columns = (rows * stride + GPP_LANES - 1) / GPP_LANES * GPP_LANES;
    work->columns = calloc(work->n_columns, sizeof *work->columns);
    if (!work->columns)
        return ert_fail(error, ERT_FAILED, "no memory for the order of columns");
    for (size_t i = 0; i < work->n_columns; i++) {
        size_t column = i % rows * stride + i / rows;
        work->columns[i] =
            (long long)(i < rows * stride && column < ncouls ? column : ncouls);
    }
    return ERT_OK;
}

static enum ert_status make_sorted(struct gpp_cpu_work *work, struct ert_error *error)
{
    const struct gpp_sizes *s = &work->problem->sizes;
    size_t *order = calloc(s->nbands, sizeof *order);
    work->tiles = take(2 * s->nbands * work->ld);
    work->m = take(2 * s->nbands * s->ngpown);
    work->w = take(s->nbands * s->nw);
    work->segments = calloc(s->nbands, sizeof *work->segments);
    if (!order || !work->tiles || !work->m || !work->w || !work->segments) {
        free(order);
        return ert_fail(error, ERT_FAILED, "no memory for sorted bands");
    }
    sort_bands(work->problem, order, work);
    fill_tiles(work->problem, order, work);
    fill_sorted(work->problem, order, work);
    free(order);
    return make_columns(work, error);
}

static enum ert_status make_split(int with_bands, struct gpp_cpu_work *work,
                                  struct ert_error *error)
{
    const struct gpp_problem *p = work->problem;
    const struct gpp_sizes *s = &p->sizes;
    size_t n_plane = s->ngpown * work->ld, n_bands = with_bands ? s->nbands * work->ld : 1;
    double **const arrays[] = {&work->wr, &work->wi, &work->er, &work->ei};
    int is_short = 0;
    for (size_t i = 0; i < 4; i++)
        is_short |= !(*arrays[i] = take(n_plane));
    work->nr = take(n_bands);
    work->ni = take(n_bands);
    if (is_short || !work->nr || !work->ni)
        return ert_fail(error, ERT_FAILED, "no memory for split arrays");
    split(p->wtilde, s->ngpown, s->ncouls, work->ld, 1, work->wr, work->wi);
    split(p->eps, s->ngpown, s->ncouls, work->ld, 0, work->er, work->ei);
    if (with_bands)
        split(p->aqsn, s->nbands, s->ncouls, work->ld, 0, work->nr, work->ni);
    return ERT_OK;
}

enum ert_status gpp_cpu_layouts_make(enum gpp_version_id version, struct gpp_cpu_work *work,
                                     struct ert_error *error)
{
    const struct gpp_sizes *s = &work->problem->sizes;
    const size_t padded = s->ncouls + (version >= GPP_c6 && work->stride > 1);
    work->ld = (padded + GPP_LANES - 1) / GPP_LANES * GPP_LANES;
    work->sums = calloc((size_t)work->n_threads * GPP_CPU_SUMS, sizeof(double));
    if (!work->sums)
        return ert_fail(error, ERT_FAILED, "no memory for sums");
    if (version < GPP_c2)
        return ERT_OK;
    uint64_t bytes = 32 * (uint64_t)work->ld * s->ngpown +
                     16 * (uint64_t)work->ld * s->nbands +
                     16 * (uint64_t)s->nbands * s->ngpown;
    ERT_TRY(gpp_memory_check("layouts", bytes, gpp_memory_available_bytes(), error));
    ERT_TRY(make_split(version < GPP_c6, work, error));
    return version < GPP_c6 ? ERT_OK : make_sorted(work, error);
}

void gpp_cpu_layouts_free(struct gpp_cpu_work *work)
{
    double *const arrays[] = {work->wr, work->wi,    work->er, work->ei, work->nr,
                              work->ni, work->tiles, work->m,  work->w,  work->sums};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    free(work->segments);
    free(work->columns);
}
