/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gemm: matrix products of NVIDIA's library, cuBLASLt, which is opened where it is: what a code that calls it
 * attains, beside the rate of the units. A pass is one product C = A*B of n x n matrices, A stored by rows
 * and B by columns, the layout that has a kernel of every type, or of wide types A by columns, too. The
 * variants are sizes; of the algorithms that the library offers for one, prepare() takes the fastest.
 */
#include "ert/core/base/random.h"
#include "ert/ext/cuda/session.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <dlfcn.h>
#include <library_types.h>
#include <stdio.h>
#include <stdlib.h>

/* Of cublasLt.h, whose binary interface is stable since CUDA 11: what is called here. */
struct lt_result {
    uint64_t algorithm[8];
    size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
};
enum { LT_TRANS_A = 3, LT_SCALE_A = 17, LT_SCALE_B = 18 };
enum { LT_WORKSPACE = 1 };
enum { LT_32F = 68, LT_64F = 70, LT_32I = 72, LT_TF32 = 77 };

static struct {
    int (*create)(void **handle);
    int (*desc)(void **desc, int compute, int scale);
    int (*set)(void *desc, int attribute, const void *value, size_t bytes);
    int (*layout)(void **layout, int type, uint64_t rows, uint64_t columns,
                  int64_t leading);
    int (*preference)(void **preference);
    int (*prefer)(void *preference, int attribute, const void *value, size_t bytes);
    int (*choose)(void *handle, void *desc, void *a, void *b, void *c, void *d,
                  void *preference, int most, struct lt_result *results, int *n);
    int (*multiply)(void *handle, void *desc, const void *alpha, const void *a, void *a_of,
                    const void *b, void *b_of, const void *beta, const void *c, void *c_of,
                    void *d, void *d_of, const uint64_t *algorithm, void *workspace,
                    size_t bytes, cudaStream_t stream);
    bool is_there;
} lt;

/* Opens the library of the runtime's version; false: it is not there. */
static bool lt_open(void)
{
    static bool is_tried;
    char file[32];
    if (is_tried)
        return lt.is_there;
    is_tried = true;
    snprintf(file, sizeof file, "libcublasLt.so.%d", CUDART_VERSION / 1000);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const struct {
        void *function;
        const char *name;
    } functions[] = {
        {&lt.create,     "cublasLtCreate"                      },
        {&lt.desc,       "cublasLtMatmulDescCreate"            },
        {&lt.set,        "cublasLtMatmulDescSetAttribute"      },
        {&lt.layout,     "cublasLtMatrixLayoutCreate"          },
        {&lt.preference, "cublasLtMatmulPreferenceCreate"      },
        {&lt.prefer,     "cublasLtMatmulPreferenceSetAttribute"},
        {&lt.choose,     "cublasLtMatmulAlgoGetHeuristic"      },
        {&lt.multiply,   "cublasLtMatmul"                      },
    };
    lt.is_there = library != NULL;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *found = library ? dlsym(library, functions[i].name) : NULL;
        lt.is_there = lt.is_there && found;
        memcpy(functions[i].function, &found, sizeof found);
    }
    return lt.is_there;
}

/* Types as the library numbers them: of the operands, the result, and the sums. */
struct gemm_types {
    enum ert_kernel_id kernel;
    cudaDataType_t in, out, scale;
    int compute;
};
static const struct gemm_types gemm_types[] = {
    {ERT_KERNEL_gemm_fp64, CUDA_R_64F,     CUDA_R_64F,  CUDA_R_64F, LT_64F },
    {ERT_KERNEL_gemm_tf32, CUDA_R_32F,     CUDA_R_32F,  CUDA_R_32F, LT_TF32},
    {ERT_KERNEL_gemm_bf16, CUDA_R_16BF,    CUDA_R_16BF, CUDA_R_32F, LT_32F },
    {ERT_KERNEL_gemm_fp16, CUDA_R_16F,     CUDA_R_16F,  CUDA_R_32F, LT_32F },
    {ERT_KERNEL_gemm_fp8,  CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_32F, LT_32F },
    {ERT_KERNEL_gemm_int8, CUDA_R_8I,      CUDA_R_32I,  CUDA_R_32I, LT_32I },
};

static const struct gemm_types *types_of(enum ert_kernel_id kernel)
{
    const struct gemm_types *types = gemm_types;
    while (types->kernel != kernel)
        types++;
    return types;
}

enum { N_TYPES = sizeof gemm_types / sizeof gemm_types[0], N_SIZES = 2 };

/*
 * On an H200 16384 is nowhere faster, and such products, of 10 ms and more at the power limit, lower the
 * clock of what is measured after them.
 */
static const uint32_t gemm_sizes[N_SIZES] = {4096, 8192};
enum { GEMM_MOST = 8192, GEMM_MOST_BYTES = 4 }; /* FP64 has the smaller one alone */
static const size_t matrix_bytes = (size_t)GEMM_MOST * GEMM_MOST * GEMM_MOST_BYTES;
static const size_t workspace_bytes = 64u
                                      << 20; /* cuBLAS' documentation: 32 MiB for cc 9.0 */

/* A product as the library knows it, and its fastest algorithm. */
struct product {
    void *desc, *of_in, *of_out;
    int by_rows; /* A is stored so */
    float best_ms;
    struct lt_result algorithm;
};

/* Of a session: made by its first product, freed with it; the library's own descriptions stay. */
struct ert_cuda_gemm {
    void *handle, *preference;
    char *memory, *a, *b, *d, *workspace; /* memory: all of them, and the scale */
    float *scale;
    uint32_t n;
    struct product *now, products[N_TYPES][N_SIZES];
};

void ert_cuda_gemm_free(struct ert_session *session)
{
    if (session->gemm)
        cudaFree(session->gemm->memory);
    free(session->gemm);
    session->gemm = NULL;
}

#define LT_TRY(call, what)                                                                 \
    do {                                                                                   \
        const int lt_try_code = (call);                                                    \
        if (lt_try_code != 0)                                                              \
            return ert_fail(error, ERT_UNAVAILABLE, "cuBLASLt: %s: status %d", what,       \
                            lt_try_code);                                                  \
    } while (0)

/* Random numbers of [-1, 1), of INT8 -127 to 127, as element i of a type. */
static __device__ void put(cudaDataType_t type, void *to, uint64_t i, double x)
{
    switch (type) {
    case CUDA_R_64F:
        ((double *)to)[i] = x;
        break;
    case CUDA_R_32F:
        ((float *)to)[i] = (float)x;
        break;
    case CUDA_R_16BF:
        ((__nv_bfloat16 *)to)[i] = __float2bfloat16((float)x);
        break;
    case CUDA_R_16F:
        ((__half *)to)[i] = __float2half((float)x);
        break;
    case CUDA_R_8F_E4M3:
        ((__nv_fp8_e4m3 *)to)[i] = __nv_fp8_e4m3((float)x);
        break;
    default:
        ((int8_t *)to)[i] = (int8_t)(127 * x);
    }
}

static __device__ double get(cudaDataType_t type, const void *from, uint64_t i)
{
    switch (type) {
    case CUDA_R_64F:
        return ((const double *)from)[i];
    case CUDA_R_32F:
        return ((const float *)from)[i];
    case CUDA_R_16BF:
        return __bfloat162float(((const __nv_bfloat16 *)from)[i]);
    case CUDA_R_16F:
        return __half2float(((const __half *)from)[i]);
    case CUDA_R_8F_E4M3:
        return (float)((const __nv_fp8_e4m3 *)from)[i];
    case CUDA_R_32I:
        return ((const int32_t *)from)[i];
    default:
        return ((const int8_t *)from)[i];
    }
}

static __global__ void gemm_fill(cudaDataType_t type, void *to, uint64_t n, uint64_t seed)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        put(type, to, i, 2 * ert_random_unit(seed, i) - 1);
}

/*
 * Compares elements that are spread over the result with sums of their own; a thread each. A sum of n
 * products of numbers from -1 to 1 has the standard deviation sqrt(n) / 3; it may differ by a fiftieth of
 * that, and by the result's rounding. Integers must be equal.
 */
static __global__ void gemm_check(cudaDataType_t in, cudaDataType_t out, const void *a,
                                  const void *b, const void *d, uint64_t n, int by_rows,
                                  struct ert_cuda_finding *finding)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x,
                   e = i * 2654435769u % (n * n), row = e % n, column = e / n;
    double sum = 0;
    for (uint64_t k = 0; k < n; k++)
        sum += get(in, a, by_rows ? row * n + k : k * n + row) * get(in, b, column * n + k);
    const double most = in == CUDA_R_8I ? 0 : 0.02 / 3 * sqrt((double)n) + fabs(sum) / 128;
    if (!(fabs(get(out, d, e) - sum) <= most)) {
        atomicMin(&finding->first, (unsigned long long)e);
        atomicAdd(&finding->count, 1ull);
    }
}

/* Opens the library for the session, with memory for its largest matrices. */
static enum ert_status gemm_open(struct ert_session *session, struct ert_error *error)
{
    const float one = 1;
    struct ert_cuda_gemm *gemm = (struct ert_cuda_gemm *)calloc(1, sizeof *gemm);
    session->gemm = gemm;
    if (!gemm || cudaMalloc((void **)&gemm->memory,
                            3 * matrix_bytes + workspace_bytes + sizeof *gemm->scale) !=
                     cudaSuccess) {
        cudaGetLastError();
        ert_cuda_gemm_free(session);
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s: %zu MiB of device memory for matrices are not free",
                        session->label, (3 * matrix_bytes + workspace_bytes) >> 20);
    }
    gemm->a = gemm->memory;
    gemm->b = gemm->a + matrix_bytes;
    gemm->d = gemm->b + matrix_bytes;
    gemm->workspace = gemm->d + matrix_bytes;
    gemm->scale = (float *)(gemm->workspace + workspace_bytes);
    LT_TRY(lt.create(&gemm->handle), "Create");
    LT_TRY(lt.preference(&gemm->preference), "MatmulPreferenceCreate");
    LT_TRY(
        lt.prefer(gemm->preference, LT_WORKSPACE, &workspace_bytes, sizeof workspace_bytes),
        "MAX_WORKSPACE_BYTES");
    return ert_cuda_upload(session, gemm->scale, &one, sizeof one, "a scale", error);
}

static enum ert_status gemm_describe(struct ert_cuda_gemm *gemm,
                                     const struct gemm_types *types,
                                     struct ert_error *error)
{
    struct product *product = gemm->now;
    const uint64_t n = gemm->n;
    LT_TRY(lt.desc(&product->desc, types->compute, types->scale), "MatmulDescCreate");
    if (types->in == CUDA_R_8F_E4M3) {
        LT_TRY(lt.set(product->desc, LT_SCALE_A, &gemm->scale, sizeof gemm->scale),
               "A_SCALE");
        LT_TRY(lt.set(product->desc, LT_SCALE_B, &gemm->scale, sizeof gemm->scale),
               "B_SCALE");
    }
    LT_TRY(lt.layout(&product->of_in, types->in, n, n, (int64_t)n), "MatrixLayoutCreate");
    LT_TRY(lt.layout(&product->of_out, types->out, n, n, (int64_t)n), "MatrixLayoutCreate");
    return ERT_OK;
}

static enum ert_status gemm_multiply(struct ert_session *session, uint64_t passes,
                                     struct ert_error *error)
{
    const struct ert_cuda_gemm *gemm = session->gemm;
    const struct product *now = gemm->now;
    const float one = 1, zero = 0;
    const double wide_one = 1, wide_zero = 0;
    const int whole_one = 1, whole_zero = 0;
    const cudaDataType_t scale = types_of(session->row->kernel)->scale;
    const void *alpha = scale == CUDA_R_64F   ? (const void *)&wide_one
                        : scale == CUDA_R_32I ? (const void *)&whole_one
                                              : &one,
               *beta = scale == CUDA_R_64F   ? (const void *)&wide_zero
                       : scale == CUDA_R_32I ? (const void *)&whole_zero
                                             : &zero;
    for (uint64_t pass = 0; pass < passes; pass++)
        LT_TRY(lt.multiply(gemm->handle, now->desc, alpha, gemm->a, now->of_in, gemm->b,
                           now->of_in, beta, gemm->d, now->of_out, gemm->d, now->of_out,
                           now->algorithm.algorithm, gemm->workspace, workspace_bytes,
                           session->stream),
               "Matmul");
    return ERT_OK;
}

/* Of the algorithms that the library proposes for a layout, the one whose second product is the fastest. */
static enum ert_status gemm_choose(struct ert_session *session, int by_rows,
                                   struct product *best, struct ert_error *error)
{
    enum { MOST = 8 };
    struct ert_cuda_gemm *gemm = session->gemm;
    struct product *now = gemm->now;
    struct lt_result results[MOST];
    int n = 0;
    now->by_rows = by_rows;
    LT_TRY(lt.set(now->desc, LT_TRANS_A, &by_rows, sizeof by_rows), "TRANSA");
    LT_TRY(lt.choose(gemm->handle, now->desc, now->of_in, now->of_in, now->of_out,
                     now->of_out, gemm->preference, MOST, results, &n),
           "MatmulAlgoGetHeuristic");
    for (int i = 0; i < n; i++) {
        now->algorithm = results[i];
        ERT_TRY(gemm_multiply(session, 1, error));
        SESSION_TRY(cudaEventRecord(session->begin, session->stream), "cudaEventRecord");
        ERT_TRY(gemm_multiply(session, 1, error));
        ERT_TRY(ert_cuda_wait(session, session->kernel_name, NULL, error));
        SESSION_TRY(cudaEventElapsedTime(&now->best_ms, session->begin, session->end),
                    "cudaEventElapsedTime");
        if (now->best_ms < best->best_ms)
            *best = *now;
    }
    return ERT_OK;
}

/* Describes a product and chooses its algorithm, the first time that it is prepared. */
static enum ert_status gemm_know(struct ert_session *session,
                                 const struct gemm_types *types, struct ert_error *error)
{
    struct product *now = session->gemm->now, best = {};
    best.best_ms = INFINITY;
    if (now->best_ms > 0)
        return ERT_OK;
    ERT_TRY(gemm_describe(session->gemm, types, error));
    for (int by_rows = 1;
         by_rows >= (ert_type_bytes(ert_kernel_row(types->kernel)->type) == 1); by_rows--)
        ERT_TRY(gemm_choose(session, by_rows, &best, error));
    if (!(best.best_ms < INFINITY))
        return ert_fail(error, ERT_UNAVAILABLE, "cuBLASLt has no algorithm for %s",
                        session->kernel_name);
    *now = best;
    LT_TRY(lt.set(now->desc, LT_TRANS_A, &now->by_rows, sizeof now->by_rows), "TRANSA");
    return ERT_OK;
}

static enum ert_status gemm_size(struct ert_session *session, const struct ert_spec *,
                                 struct ert_error *error)
{
    const struct gemm_types *types = types_of(session->row->kernel);
    const uint32_t *size = (const uint32_t *)session->row->extra;
    const uint64_t n = *size;
    if (!session->gemm)
        ERT_TRY(gemm_open(session, error));
    struct ert_cuda_gemm *gemm = session->gemm;
    gemm->n = *size;
    gemm->now = &gemm->products[types - gemm_types][size - gemm_sizes];
    gemm_fill<<<ERT_CUDA_CHECK_GRID(session)>>>(types->in, gemm->a, n * n,
                                                session->options.seed);
    gemm_fill<<<ERT_CUDA_CHECK_GRID(session)>>>(types->in, gemm->b, n * n,
                                                session->options.seed + 1);
    SESSION_TRY(cudaGetLastError(), "filling the matrices");
    ERT_TRY(gemm_know(session, types, error));
    session->work.blocks = session->n_sms; /* the library's own; on all SMs */
    session->n_elements = n * n;
    session->work.flops_per_pass =
        ert_kernel_row(types->kernel)->flops * (double)n * (double)n * (double)n;
    return ERT_OK;
}

static enum ert_status gemm_clear(struct ert_session *session, struct ert_error *error)
{
    SESSION_TRY(cudaMemsetAsync(session->gemm->d, 0xff, matrix_bytes, session->stream),
                "cudaMemsetAsync of the result");
    return ERT_OK;
}

static enum ert_status gemm_verify(struct ert_session *session, struct ert_error *error)
{
    const struct gemm_types *types = types_of(session->row->kernel);
    const struct ert_cuda_gemm *gemm = session->gemm;
    struct ert_cuda_finding finding;
    ERT_TRY(ert_cuda_reset_finding(session, error));
    gemm_check<<<8, 256, 0, session->stream>>>(types->in, types->out, gemm->a, gemm->b,
                                               gemm->d, gemm->n, gemm->now->by_rows,
                                               session->finding);
    ERT_TRY(ert_cuda_read_finding(session, &finding, error));
    if (finding.count == 0)
        return ERT_OK;
    return ert_fail(error, ERT_FAILED,
                    "%s: %s (%s): %llu of 2048 elements are wrong, first %llu",
                    session->label, session->kernel_name, session->row->name, finding.count,
                    finding.first);
}

static bool gemm_runs(const struct ert_gpu *gpu, const struct ert_cuda_row *row,
                      char *reason, size_t size)
{
    const bool is_fp8 = row->kernel == ERT_KERNEL_gemm_fp8;
    if (is_fp8 && gpu->cc_major * 10 + gpu->cc_minor < 89) {
        snprintf(reason, size, "needs compute capability 8.9 at least, this GPU has %u.%u",
                 gpu->cc_major, gpu->cc_minor);
        return false;
    }
    if (!lt_open())
        snprintf(reason, size, "libcublasLt.so.%d is not there (LD_LIBRARY_PATH)",
                 CUDART_VERSION / 1000);
    return lt.is_there;
}

static const struct ert_cuda_kind *gemm_kind(void)
{
    static const struct ert_cuda_kind kind = {
        .size = gemm_size,
        .verify = gemm_verify,
        .max_passes = 1u << 20,
        .clear = gemm_clear,
        .run = gemm_multiply,
        .runs = gemm_runs,
        .has_own_target = true,
        .has_own_split = true,
    };
    return &kind;
}

#define GEMM(kernel, i, name)                                                              \
    {                                                                                      \
        ERT_KERNEL_gemm_##kernel, ERT_PATH_NONE, 0, name, gemm_kind(), 0, 0, 0, 0, 0,      \
            NULL, 0, false, &gemm_sizes[i]                                                 \
    }
#define ALL(kernel) GEMM(kernel, 0, "4096 x 4096"), GEMM(kernel, 1, "8192 x 8192")
ERT_CUDA_KERNEL(gemm_fp64, GEMM(fp64, 0, "4096 x 4096"))
ERT_CUDA_KERNEL(gemm_tf32, ALL(tf32))
ERT_CUDA_KERNEL(gemm_bf16, ALL(bf16))
ERT_CUDA_KERNEL(gemm_fp16, ALL(fp16))
ERT_CUDA_KERNEL(gemm_fp8, ALL(fp8))
ERT_CUDA_KERNEL(gemm_int8, ALL(int8))
