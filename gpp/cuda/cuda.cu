/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda: the engine of the GPU versions: copies in their layouts, launches, CUDA events, sums. */
#include "gpp/cuda/kernel.cuh"
#include "gpp/versions.h"

#include "ert/ext/cuda/device.h"
#include "ert/ext/cuda/nvml.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

/* Each version defines two rows: without FMA and with it. */
#define ROWS_CPU(name)
#define ROWS_GPU(name)                                                                     \
    extern const struct gpp_cuda_row GPP_CUDA_NAME(name, fma), GPP_CUDA_NAME(name, nofma);
#define VERSION(name, device, idea) ROWS_##device(name)
#include "gpp/versions.def"

static const struct gpp_cuda_row *const version_rows[][2] = {
#define PAIR_CPU(name)
#define PAIR_GPU(name)              {&GPP_CUDA_NAME(name, nofma), &GPP_CUDA_NAME(name, fma)},
#define VERSION(name, device, idea) PAIR_##device(name)
#include "gpp/versions.def"
};
static_assert(sizeof version_rows / sizeof version_rows[0] == GPP_N_VERSIONS - GPP_v0,
              "a version has no row");

/* Reports a lack of host memory as an error like any other. */
#define HOST_TRY(error, statement, what)                                                   \
    try {                                                                                  \
        statement;                                                                         \
    } catch (const std::bad_alloc &) {                                                     \
        return ert_fail(error, ERT_FAILED, "no memory for %s", what);                      \
    }

struct gpp_session {
    const struct gpp_cuda_row *row;
    struct gpp_cuda_arguments arguments;
    char label[16];
    int ordinal;
    dim3 grid, block;
    cudaEvent_t begin, end;
    void *blocks[16]; /* device memory */
    size_t n_blocks;
};

/* Transposed and sorted copies, which the host makes before any clock runs. */
struct host {
    std::vector<int> order; /* of bands */
    std::vector<double> aqsn, aqsm, wx;
    std::vector<gpp_cuda_segment> segments;
};

/* Whether the cutoff can occur: some w < 0 of a band that is not empty. */
static int has_negative(const struct gpp_problem *p, int n)
{
    const double *wx = p->wx + n * p->sizes.nw;
    return p->occ[n] > 0 &&
           std::any_of(wx, wx + p->sizes.nw, [](double w) { return w < 0; });
}

static void cuda_sort_bands(const struct gpp_problem *p, enum gpp_cuda_order order,
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

/* Copies aqsn, aqsm and wx in the layout of the row. */
static void lay_out(const struct gpp_cuda_row *row, const struct gpp_problem *p,
                    struct host *host)
{
    const struct gpp_sizes *s = &p->sizes;
    const bool is_sorted = row->sorted != GPP_CUDA_AS_GIVEN;
    const bool transposed = row->transposed || is_sorted;
    cuda_sort_bands(p, row->sorted, host);
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

static enum ert_status upload(struct gpp_session *session, const void *from, size_t bytes,
                              const void **to, struct ert_error *error)
{
    void *memory = nullptr;
    CUDA_TRY(session->label, error, cudaMalloc(&memory, bytes), "cudaMalloc of %zu bytes",
             bytes);
    session->blocks[session->n_blocks++] = memory;
    *to = memory;
    if (from)
        CUDA_TRY(session->label, error,
                 cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice),
                 "cudaMemcpy of %zu bytes to the device", bytes);
    return ERT_OK;
}

/* The most bytes that upload_arrays() allocates. */
static uint64_t arrays_bytes(const struct gpp_problem *problem)
{
    return gpp_sizes_bytes(&problem->sizes) +
           problem->sizes.nbands * sizeof(struct gpp_cuda_segment) +
           GPP_CUDA_SLOTS * GPP_CUDA_SUMS * sizeof(double) + 16 * 512;
}

/* Copies the arrays to the current device and sets the arguments' pointers and sizes; close_() frees them. */
static enum ert_status upload_arrays(struct gpp_session *session,
                                     const struct gpp_problem *problem,
                                     struct ert_error *error)
{
    const struct gpp_sizes *s = &problem->sizes;
    struct gpp_cuda_arguments *arguments = &session->arguments;
    struct host host;
    HOST_TRY(error, lay_out(session->row, problem, &host), "layouts");
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
    for (const copy &row : rows)
        ERT_TRY(upload(session, row.from, row.bytes, row.to, error));
    if (!host.segments.empty())
        ERT_TRY(upload(session, host.segments.data(),
                       host.segments.size() * sizeof host.segments[0],
                       to(arguments->segments), error));
    arguments->n_segments = (int)host.segments.size();
    arguments->nbands = (int)s->nbands;
    arguments->ngpown = (int)s->ngpown;
    arguments->ncouls = (int)s->ncouls;
    arguments->nw = (int)s->nw;
    return ERT_OK;
}

/* CUDA C++ Programming Guide, technical specifications: largest y and z of a grid. */
enum { MAX_GRID_YZ = 65535 };

/* The kernels' indices are int; those of the last block go beyond the arrays by less than 1024. */
enum { MAX_INDEX = INT32_MAX - 1024 };

static void cuda_close_(struct gpp_session *session)
{
    if (!session)
        return;
    if (session->begin)
        cudaEventDestroy(session->begin);
    if (session->end)
        cudaEventDestroy(session->end);
    for (size_t i = 0; i < session->n_blocks; i++)
        cudaFree(session->blocks[i]);
    free(session);
}

static unsigned int tiles(size_t n, unsigned int tile)
{
    return (unsigned int)((n + tile - 1) / tile);
}

static enum ert_status shape(struct gpp_session *session, const struct gpp_problem *problem,
                             struct ert_error *error)
{
    const struct gpp_sizes *s = &problem->sizes;
    const struct gpp_cuda_row *row = session->row;
    if (s->nbands * s->nw > MAX_INDEX || s->ngpown > MAX_INDEX || s->ncouls > MAX_INDEX)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s: nbands x nw %zu, ngpown %zu, ncouls %zu: must be at most %d "
                        "each on GPUs",
                        row->name, s->nbands * s->nw, s->ngpown, s->ncouls, MAX_INDEX);
    unsigned int x = tiles(s->ncouls, row->igs), y = tiles(s->ngpown, row->igps);
    unsigned int z = row->bands ? tiles(s->nbands, row->bands) : 1;
    session->grid = row->igp_first ? dim3(y, x, z) : dim3(x, y, z);
    session->block = dim3(row->block_x, row->block_y);
    if (session->grid.y > MAX_GRID_YZ || session->grid.z > MAX_GRID_YZ)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s: a grid of %u x %u x %u blocks, y and z at most %d", row->name,
                        session->grid.x, session->grid.y, session->grid.z, MAX_GRID_YZ);
    return ERT_OK;
}

static enum ert_status cuda_describe(struct gpp_session *session, struct gpp_facts *facts,
                                     struct ert_error *error)
{
    cudaFuncAttributes attributes;
    cudaDeviceProp properties;
    int blocks = 0;
    const void *kernel = session->row->kernels[session->arguments.nw - 1];
    const int threads = (int)(session->block.x * session->block.y);
    CUDA_TRY(session->label, error, cudaFuncGetAttributes(&attributes, kernel),
             "cudaFuncGetAttributes(%s)", session->row->name);
    CUDA_TRY(session->label, error, cudaGetDeviceProperties(&properties, session->ordinal),
             "cudaGetDeviceProperties");
    CUDA_TRY(session->label, error,
             cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor(%s)", session->row->name);
    snprintf(facts->device, sizeof facts->device, "%s, %.80s", session->label,
             properties.name);
    ert_nvml_uuid_text("GPU", (const unsigned char *)&properties.uuid, facts->uuid,
                       sizeof facts->uuid);
    facts->registers = (unsigned int)attributes.numRegs;
    facts->block_threads = (unsigned int)threads;
    facts->warps_per_sm = blocks * ((threads + 31) / 32);
    if (attributes.localSizeBytes > 0)
        snprintf(facts->notes, sizeof facts->notes, "%zu bytes of local memory per thread",
                 attributes.localSizeBytes);
    return ERT_OK;
}

static enum ert_status cuda_prepare(struct gpp_session *session,
                                    const struct gpp_problem *problem,
                                    struct gpp_facts *facts, struct ert_error *error)
{
    int n_devices = 0;
    size_t free_bytes = 0, total_bytes = 0;
    CUDA_TRY(session->label, error, cudaGetDeviceCount(&n_devices), "cudaGetDeviceCount");
    if (session->ordinal < 0 || session->ordinal >= n_devices)
        return ert_fail(error, ERT_USAGE, "no device gpu%d; there are %d", session->ordinal,
                        n_devices);
    ERT_TRY(shape(session, problem, error));
    CUDA_TRY(session->label, error, cudaSetDevice(session->ordinal), "cudaSetDevice(%d)",
             session->ordinal);
    CUDA_TRY(session->label, error, cudaMemGetInfo(&free_bytes, &total_bytes),
             "cudaMemGetInfo");
    ERT_TRY(gpp_memory_check(session->label, arrays_bytes(problem), free_bytes, error));
    ERT_TRY(upload_arrays(session, problem, error));
    CUDA_TRY(session->label, error, cudaEventCreate(&session->begin), "cudaEventCreate");
    CUDA_TRY(session->label, error, cudaEventCreate(&session->end), "cudaEventCreate");
    return cuda_describe(session, facts, error);
}

static enum ert_status cuda_open_(const struct gpp_version *version,
                                  const struct gpp_problem *problem,
                                  const struct gpp_options *options,
                                  struct gpp_session **session, struct gpp_facts *facts,
                                  struct ert_error *error)
{
    char reason[160];
    if (ert_cuda_unavailable(reason, sizeof reason))
        return ert_fail(error, ERT_UNAVAILABLE, "%s", reason);
    struct gpp_session *made = (struct gpp_session *)calloc(1, sizeof *made);
    if (!made)
        return ert_fail(error, ERT_FAILED, "no memory for a session");
    memset(facts, 0, sizeof *facts);
    made->ordinal = options->gpu;
    made->row = version_rows[version->id - GPP_v0][!options->no_fma];
    snprintf(made->label, sizeof made->label, "gpu%d", options->gpu);
    enum ert_status status = cuda_prepare(made, problem, facts, error);
    if (status == ERT_OK)
        *session = made;
    else
        cuda_close_(made);
    return status;
}

/* Launches between two events and copies the blocks' sums to slots[GPP_CUDA_SLOTS * GPP_CUDA_SUMS]. */
static enum ert_status cuda_run_once(struct gpp_session *session, double *slots,
                                     float *time_ms, struct ert_error *error)
{
    const size_t bytes = (size_t)GPP_CUDA_SLOTS * GPP_CUDA_SUMS * sizeof *slots;
    const char *label = session->label, *name = session->row->name;
    struct gpp_cuda_arguments arguments = session->arguments;
    const void *kernel = session->row->kernels[arguments.nw - 1];
    const int n_launches = session->row->each_energy ? arguments.nw : 1;
    void *parameters[] = {&arguments};
    CUDA_TRY(label, error, cudaSetDevice(session->ordinal), "run of %s", name);
    CUDA_TRY(label, error, cudaMemset(session->arguments.slots, 0, bytes), "run of %s",
             name);
    CUDA_TRY(label, error, cudaEventRecord(session->begin), "run of %s", name);
    for (arguments.iw = 0; arguments.iw < n_launches; arguments.iw++)
        CUDA_TRY(label, error,
                 cudaLaunchKernel(kernel, session->grid, session->block, parameters, 0, 0),
                 "launch of %s", name);
    CUDA_TRY(label, error, cudaEventRecord(session->end), "run of %s", name);
    CUDA_TRY(label, error, cudaEventSynchronize(session->end), "run of %s", name);
    CUDA_TRY(label, error, cudaEventElapsedTime(time_ms, session->begin, session->end),
             "run of %s", name);
    CUDA_TRY(label, error,
             cudaMemcpy(slots, session->arguments.slots, bytes, cudaMemcpyDeviceToHost),
             "run of %s", name);
    return ERT_OK;
}

static enum ert_status cuda_run(struct gpp_session *session, struct gpp_result *result,
                                double *time_s, struct ert_error *error)
{
    std::vector<double> slots;
    float time_ms = 0;
    HOST_TRY(error, slots.resize((size_t)GPP_CUDA_SLOTS * GPP_CUDA_SUMS), "the sums");
    ERT_TRY(cuda_run_once(session, slots.data(), &time_ms, error));
    memset(result, 0, sizeof *result);
    for (size_t slot = 0; slot < GPP_CUDA_SLOTS; slot++)
        for (int iw = 0; iw < session->arguments.nw; iw++)
            for (int part = 0; part < 2; part++) {
                const double *sums = &slots[slot * GPP_CUDA_SUMS + part * GPP_MAX_NW + iw];
                result->asx[iw][part] += sums[0];
                result->ach[iw][part] += sums[2 * GPP_MAX_NW];
            }
    *time_s = time_ms * 1e-3;
    return ERT_OK;
}

extern "C" const struct gpp_engine gpp_engine_cuda = {cuda_open_, cuda_run, cuda_close_};
