/* upload: transposed and sorted copies, made on the host before any clock runs. */
#include "gpp/cuda/upload.h"

#include "ert/backend/cuda/check.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <vector>

/* A host-side failure to get memory is an error like any other. */
#define HOST_TRY(error, statement)                                                         \
    try {                                                                                  \
        statement;                                                                         \
    } catch (const std::bad_alloc &) {                                                     \
        return ert_fail(error, ERT_FAILED, "no memory for layouts");                       \
    }

struct host {
    std::vector<int> order; /* of bands */
    std::vector<double> aqsn, aqsm, wx;
    std::vector<gpp_cuda_segment> segments;
};

/* Whether the cutoff is to be looked for: some w < 0 of a band that is not empty. */
static int has_negative(const struct gpp_problem *p, int n)
{
    const double *wx = p->wx + n * p->sizes.nw;
    return p->occ[n] > 0 &&
           std::any_of(wx, wx + p->sizes.nw, [](double w) { return w < 0; });
}

static void sort_bands(const struct gpp_problem *p, enum gpp_cuda_order order,
                       struct host *host)
{
    int nbands = (int)p->sizes.nbands;
    host->order.resize(nbands);
    std::iota(host->order.begin(), host->order.end(), 0);
    if (order == GPP_CUDA_AS_GIVEN)
        return;
    const bool by_sign = order == GPP_CUDA_BY_SIGN;
    auto is_before = [=](int a, int b) {
        return p->occ[a] != p->occ[b] ? p->occ[a] > p->occ[b]
                                      : by_sign && has_negative(p, a) < has_negative(p, b);
    };
    std::stable_sort(host->order.begin(), host->order.end(), is_before);
    for (int n = 0; n < nbands; n++) {
        int from = host->order[n];
        if (n == 0 || is_before(host->order[n - 1], from))
            host->segments.push_back({p->occ[from], n, n, has_negative(p, from)});
        host->segments.back().end = n + 1;
    }
}

/* aqsn, aqsm and wx as the row wants them. */
static void lay_out(const struct gpp_cuda_row *row, const struct gpp_problem *p,
                    struct host *host)
{
    const struct gpp_sizes *s = &p->sizes;
    const bool is_sorted = row->sorted != GPP_CUDA_AS_GIVEN;
    const bool transposed = row->transposed || is_sorted;
    sort_bands(p, row->sorted, host);
    if (is_sorted)
        host->aqsn.resize(2 * s->nbands * s->ncouls);
    host->aqsm.resize(2 * s->nbands * s->ngpown);
    host->wx.resize(s->nbands * s->nw);
    for (size_t n = 0; n < s->nbands; n++) {
        const size_t from = (size_t)host->order[n];
        if (is_sorted)
            std::copy_n(p->aqsn + 2 * from * s->ncouls, 2 * s->ncouls,
                        host->aqsn.data() + 2 * n * s->ncouls);
        for (size_t igp = 0; igp < s->ngpown; igp++)
            std::copy_n(p->aqsm + 2 * (from * s->ngpown + igp), 2,
                        host->aqsm.data() +
                            2 * (transposed ? igp * s->nbands + n : n * s->ngpown + igp));
        for (size_t iw = 0; iw < s->nw; iw++)
            host->wx[row->transposed ? iw * s->nbands + n : n * s->nw + iw] =
                p->wx[from * s->nw + iw];
    }
}

static enum ert_status upload(const void *from, size_t bytes, const char *label,
                              struct gpp_cuda_arrays *arrays, const void **to,
                              struct ert_error *error)
{
    void *memory = nullptr;
    CUDA_TRY(label, error, cudaMalloc(&memory, bytes), "cudaMalloc of %zu bytes", bytes);
    arrays->blocks[arrays->n++] = memory;
    *to = memory;
    if (from)
        CUDA_TRY(label, error, cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice),
                 "cudaMemcpy of %zu bytes to the device", bytes);
    return ERT_OK;
}

uint64_t gpp_cuda_arrays_bytes(const struct gpp_problem *problem)
{
    return gpp_sizes_bytes(&problem->sizes) +
           problem->sizes.nbands * sizeof(struct gpp_cuda_segment) +
           GPP_CUDA_SLOTS * GPP_CUDA_SUMS * sizeof(double) + 16 * 512;
}

enum ert_status gpp_cuda_arrays_upload(const struct gpp_cuda_row *row,
                                       const struct gpp_problem *problem, const char *label,
                                       struct gpp_cuda_arrays *arrays,
                                       struct gpp_cuda_arguments *arguments,
                                       struct ert_error *error)
{
    const struct gpp_sizes *s = &problem->sizes;
    struct host host;
    HOST_TRY(error, lay_out(row, problem, &host));
    const double *aqsn = host.aqsn.empty() ? problem->aqsn : host.aqsn.data();
    const size_t pair = sizeof(double2), plane = s->ngpown * s->ncouls * pair;
    struct copy {
        const void *from;
        size_t bytes;
        const void **to;
    };
    const size_t bands = s->nbands * sizeof(double),
                 rows_bytes = s->ngpown * sizeof(double);
    const size_t slots = GPP_CUDA_SLOTS * GPP_CUDA_SUMS * sizeof(double);
    auto to = [](auto &pointer) { return (const void **)&pointer; };
    const copy rows[] = {
        {problem->wtilde,  plane,                        to(arguments->wtilde)},
        {problem->eps,     plane,                        to(arguments->eps)   },
        {aqsn,             s->nbands * s->ncouls * pair, to(arguments->aqsn)  },
        {host.aqsm.data(), s->nbands * s->ngpown * pair, to(arguments->aqsm)  },
        {host.wx.data(),   s->nw * bands,                to(arguments->wx)    },
        {problem->vcoul,   rows_bytes,                   to(arguments->vcoul) },
        {problem->occ,     bands,                        to(arguments->occ)   },
        {nullptr,          slots,                        to(arguments->slots) },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ERT_TRY(upload(rows[i].from, rows[i].bytes, label, arrays, rows[i].to, error));
    if (!host.segments.empty())
        ERT_TRY(upload(host.segments.data(), host.segments.size() * sizeof host.segments[0],
                       label, arrays, (const void **)&arguments->segments, error));
    arguments->n_segments = (int)host.segments.size();
    arguments->nbands = (int)s->nbands;
    arguments->ngpown = (int)s->ngpown;
    arguments->ncouls = (int)s->ncouls;
    arguments->nw = (int)s->nw;
    return ERT_OK;
}

void gpp_cuda_arrays_free(struct gpp_cuda_arrays *arrays)
{
    for (size_t i = 0; i < arrays->n; i++)
        cudaFree(arrays->blocks[i]);
    arrays->n = 0;
}
