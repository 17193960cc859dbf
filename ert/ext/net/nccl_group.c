/* SPDX-License-Identifier: BSD-3-Clause */
/* nccl_group: calls CUDA and NCCL, and checks data; one thread drives all GPUs. */
#include "ert/ext/net/nccl.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/random.h"

#include <ctype.h>
#include <dlfcn.h>
#include <math.h>
#include <string.h>

enum { FLOAT32 = 7, SUM = 0 }; /* nccl.h: ncclFloat32, ncclSum */

/* ncclUniqueId */
struct group_id {
    char bytes[128];
};

/* cuda.h and nccl.h: results and enumerations are ints, handles pointers, a device pointer has 64 bits. */
static struct {
    int (*init)(unsigned flags);
    int (*error_name)(int code, const char **name);
    int (*device_count)(int *count);
    int (*device_get)(int *device, int ordinal);
    int (*device_pci)(char *text, int length, int device);
    int (*context_retain)(void **context, int device);
    int (*context_set)(void *context);
    int (*context_wait)(void);
    int (*alloc)(uint64_t *at, size_t bytes);
    int (*set)(uint64_t at, unsigned char value, size_t bytes);
    int (*put)(uint64_t to, const void *from, size_t bytes);
    int (*get)(void *to, uint64_t from, size_t bytes);
    int (*stream)(void **stream, unsigned flags);
    int (*stream_wait)(void *stream);
} cuda;

static struct {
    int (*version)(int *version);
    const char *(*error_text)(int code);
    int (*unique_id)(struct group_id *id);
    int (*init_rank)(void **comm, int n, struct group_id id, int rank);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*all_reduce)(const void *from, void *to, size_t n, int type, int sum, void *comm,
                      void *stream);
    int (*send)(const void *from, size_t n, int type, int to, void *comm, void *stream);
    int (*receive)(void *to, size_t n, int type, int from, void *comm, void *stream);
} nccl;

struct symbol {
    const char *name;
    void *function; /* where to store it */
};

static const struct symbol cuda_symbols[] = {
    {"cuInit",                   &cuda.init          },
    {"cuGetErrorName",           &cuda.error_name    },
    {"cuDeviceGetCount",         &cuda.device_count  },
    {"cuDeviceGet",              &cuda.device_get    },
    {"cuDeviceGetPCIBusId",      &cuda.device_pci    },
    {"cuDevicePrimaryCtxRetain", &cuda.context_retain},
    {"cuCtxSetCurrent",          &cuda.context_set   },
    {"cuCtxSynchronize",         &cuda.context_wait  },
    {"cuMemAlloc_v2",            &cuda.alloc         },
    {"cuMemsetD8_v2",            &cuda.set           },
    {"cuMemcpyHtoD_v2",          &cuda.put           },
    {"cuMemcpyDtoH_v2",          &cuda.get           },
    {"cuStreamCreate",           &cuda.stream        },
    {"cuStreamSynchronize",      &cuda.stream_wait   },
};

/*
 * All in NCCL 2.7: the last two are new in it (NCCL user guide, "Point-to-point communication", "(Since NCCL
 * 2.7)"), every libnccl.so.2 has the others.
 */
static const struct symbol nccl_symbols[] = {
    {"ncclGetVersion",     &nccl.version    },
    {"ncclGetErrorString", &nccl.error_text },
    {"ncclGetUniqueId",    &nccl.unique_id  },
    {"ncclCommInitRank",   &nccl.init_rank  },
    {"ncclGroupStart",     &nccl.group_start},
    {"ncclGroupEnd",       &nccl.group_end  },
    {"ncclAllReduce",      &nccl.all_reduce },
    {"ncclSend",           &nccl.send       },
    {"ncclRecv",           &nccl.receive    },
};

static enum ert_status nccl_group_load(const char *file, const char *needs,
                                       const struct symbol *symbols, size_t n,
                                       struct ert_error *error)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return ert_fail(error, ERT_UNAVAILABLE, "%s (LD_LIBRARY_PATH says where it is)",
                        dlerror());
    for (size_t i = 0; i < n; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol)
            return ert_fail(error, ERT_UNAVAILABLE, "%s has no %s: %s is needed", file,
                            symbols[i].name, needs);
        memcpy(symbols[i].function, &symbol, sizeof symbol);
    }
    return ERT_OK;
}

static enum ert_status cuda_says(int code, const char *what, struct ert_error *error)
{
    const char *name = "unknown";
    if (code == 0)
        return ERT_OK;
    cuda.error_name(code, &name);
    return ert_fail(error, ERT_FAILED, "%s: CUDA error %d, %s", what, code, name);
}

static enum ert_status nccl_says(int code, const char *what, struct ert_error *error)
{
    return code == 0 ? ERT_OK
                     : ert_fail(error, ERT_FAILED, "%s: NCCL error %d, %s", what, code,
                                nccl.error_text(code));
}

#define CUDA_TRY(call, what) ERT_TRY(cuda_says(call, what, error))
#define NCCL_TRY(call, what) ERT_TRY(nccl_says(call, what, error))

enum ert_status ert_nccl_find(struct ert_nccl_host *host, struct ert_error *error)
{
    int version, n = 0;
    ERT_TRY(nccl_group_load("libcuda.so.1", "the driver of CUDA 7.0 or newer", cuda_symbols,
                            ERT_LENGTH(cuda_symbols), error));
    ERT_TRY(nccl_group_load("libnccl.so.2", "NCCL 2.7 or newer", nccl_symbols,
                            ERT_LENGTH(nccl_symbols), error));
    int code = cuda.init(0);
    if (code == 0)
        code = cuda.device_count(&n);
    NCCL_TRY(nccl.version(&version), "ncclGetVersion");
    if (code != 0 || n == 0) {
        const char *name = "";
        if (code != 0)
            cuda.error_name(code, &name);
        return ert_fail(error, ERT_UNAVAILABLE, "CUDA's driver shows no GPU%s%s",
                        code == 0 ? "" : ": ", name);
    }
    if (n > ERT_NCCL_MAX_GPUS)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%d GPUs, at most %d can be measured: CUDA_VISIBLE_DEVICES chooses",
                        n, ERT_NCCL_MAX_GPUS);
    *host = (struct ert_nccl_host){.version = (uint32_t)version, .n_gpus = (uint32_t)n};
    for (int i = 0; i < n; i++) {
        int device;
        CUDA_TRY(cuda.device_get(&device, i), "cuDeviceGet");
        CUDA_TRY(cuda.device_pci(host->pci[i], sizeof host->pci[i], device),
                 "cuDeviceGetPCIBusId");
        for (char *at = host->pci[i]; *at; at++)
            *at = (char)tolower((unsigned char)*at);
    }
    return ERT_OK;
}

/*
 * Element i that a GPU sends is its pattern at i % PERIOD: hashes below 2^20, so that a float holds the
 * sums of 16 exactly. The period is a prime, so that no two pieces of a
 * power of two, into which NCCL divides data, are equal.
 */
enum { PERIOD = 1048573, BITS = 20 };

struct gpu {
    void *context, *stream, *comm;
    uint64_t out, in; /* of the plan's max_bytes each */
};

struct ert_nccl_group {
    struct ert_nccl_plan plan;
    uint32_t n; /* GPUs, as CUDA counts */
    struct gpu gpus[ERT_NCCL_MAX_GPUS];
    /* PERIOD elements each: the sum of all patterns, one pattern, and a buffer for reading back */
    float *sum, *pattern, *host;
};

/* The number of elements of a pattern that the largest message uses. */
static size_t length_of(const struct ert_nccl_group *group)
{
    const size_t n = group->plan.max_bytes / sizeof(float);
    return n < PERIOD ? n : PERIOD;
}

/* The pattern of the i-th GPU, valid until the next call. */
static const float *pattern_of(const struct ert_nccl_group *group, uint32_t i)
{
    for (size_t k = 0; k < length_of(group); k++)
        group->pattern[k] = (float)(ert_random_u64(1 + i, k) & ((1U << BITS) - 1));
    return group->pattern;
}

/* Fills memory of a GPU with repetitions of its pattern. */
static enum ert_status nccl_group_fill(const struct ert_nccl_group *group, uint32_t i,
                                       uint64_t to, size_t bytes, struct ert_error *error)
{
    const size_t period = PERIOD * sizeof(float);
    const float *pattern = pattern_of(group, i);
    for (size_t at = 0; at < bytes; at += period) {
        size_t left = bytes - at;
        CUDA_TRY(cuda.put(to + at, pattern, left < period ? left : period), "cuMemcpyHtoD");
    }
    CUDA_TRY(cuda.context_wait(), "cuCtxSynchronize");
    return ERT_OK;
}

static enum ert_status open_gpu(struct ert_nccl_group *group, uint32_t i,
                                struct ert_error *error)
{
    const size_t bytes = group->plan.max_bytes;
    struct gpu *gpu = &group->gpus[i];
    char what[64];
    int device;
    CUDA_TRY(cuda.device_get(&device, (int)i), "cuDeviceGet");
    CUDA_TRY(cuda.context_retain(&gpu->context, device), "cuDevicePrimaryCtxRetain");
    CUDA_TRY(cuda.context_set(gpu->context), "cuCtxSetCurrent");
    CUDA_TRY(cuda.stream(&gpu->stream, 1 /* CU_STREAM_NON_BLOCKING */), "cuStreamCreate");
    snprintf(what, sizeof what, "two buffers of %zu bytes on GPU %u", bytes, i);
    CUDA_TRY(cuda.alloc(&gpu->out, bytes), what);
    CUDA_TRY(cuda.alloc(&gpu->in, bytes), what);
    return nccl_group_fill(group, i, gpu->out, bytes, error);
}

enum ert_status ert_nccl_open(const struct ert_nccl_plan *plan,
                              struct ert_nccl_group **made, struct ert_error *error)
{
    const uint32_t n = plan->n_gpus;
    struct ert_nccl_group *group = *made = ert_xcalloc(1, sizeof *group);
    struct group_id id;
    *group = (struct ert_nccl_group){.plan = *plan, .n = n};
    group->sum = ert_xcalloc(PERIOD, sizeof *group->sum);
    group->pattern = ert_xcalloc(PERIOD, sizeof *group->pattern);
    group->host = ert_xcalloc(PERIOD, sizeof *group->host);
    NCCL_TRY(nccl.unique_id(&id), "ncclGetUniqueId");
    for (uint32_t i = 0; i < n; i++) {
        ERT_TRY(open_gpu(group, i, error));
        const float *pattern = pattern_of(group, i);
        for (size_t k = 0; k < length_of(group); k++)
            group->sum[k] += pattern[k];
    }
    NCCL_TRY(nccl.group_start(), "ncclGroupStart");
    for (uint32_t i = 0; i < n; i++) {
        CUDA_TRY(cuda.context_set(group->gpus[i].context), "cuCtxSetCurrent");
        NCCL_TRY(nccl.init_rank(&group->gpus[i].comm, (int)n, id, (int)i),
                 "ncclCommInitRank");
    }
    NCCL_TRY(nccl.group_end(), "ncclCommInitRank");
    return ERT_OK;
}

static int enqueue_on(const struct ert_nccl_group *group,
                      const struct ert_nccl_round *round, uint32_t i)
{
    const struct gpu *gpu = &group->gpus[i];
    const void *out = (const void *)(uintptr_t)gpu->out;
    void *in = (void *)(uintptr_t)gpu->in;
    const size_t n = round->size_bytes / sizeof(float);
    if (round->operation == ERT_NCCL_ALL_REDUCE)
        return nccl.all_reduce(out, in, n, FLOAT32, SUM, gpu->comm, gpu->stream);
    if (i == round->from)
        return nccl.send(out, n, FLOAT32, (int)round->to, gpu->comm, gpu->stream);
    if (i == round->to)
        return nccl.receive(in, n, FLOAT32, (int)round->from, gpu->comm, gpu->stream);
    return 0;
}

static enum ert_status nccl_group_enqueue(const struct ert_nccl_group *group,
                                          const struct ert_nccl_round *round,
                                          struct ert_error *error)
{
    NCCL_TRY(nccl.group_start(), "ncclGroupStart");
    for (uint32_t i = 0; i < group->n; i++)
        NCCL_TRY(enqueue_on(group, round, i), ert_nccl_words[round->operation]);
    NCCL_TRY(nccl.group_end(), "ncclGroupEnd");
    return ERT_OK;
}

static enum ert_status nccl_group_wait_for(const struct ert_nccl_group *group,
                                           const char *what, struct ert_error *error)
{
    for (uint32_t i = 0; i < group->n; i++) {
        CUDA_TRY(cuda.context_set(group->gpus[i].context), "cuCtxSetCurrent");
        CUDA_TRY(cuda.stream_wait(group->gpus[i].stream), what);
    }
    return ERT_OK;
}

/* The mean time of `repeat` operations, between which the GPUs do not wait for the host. */
static enum ert_status nccl_group_time_of(const struct ert_nccl_group *group,
                                          const struct ert_nccl_round *round,
                                          uint32_t repeat, double *time_s,
                                          struct ert_error *error)
{
    double begin_s = ert_clock_now_s();
    for (uint32_t k = 0; k < repeat; k++)
        ERT_TRY(nccl_group_enqueue(group, round, error));
    ERT_TRY(nccl_group_wait_for(group, ert_nccl_words[round->operation], error));
    *time_s = (ert_clock_now_s() - begin_s) / repeat;
    return ERT_OK;
}

/* Overwrites receive buffers with NaNs, which no pattern has, so that old data are not taken for new. */
static enum ert_status spoil(const struct ert_nccl_group *group,
                             const struct ert_nccl_round *round, struct ert_error *error)
{
    for (uint32_t i = 0; i < group->n; i++) {
        CUDA_TRY(cuda.context_set(group->gpus[i].context), "cuCtxSetCurrent");
        CUDA_TRY(cuda.set(group->gpus[i].in, 0xff, round->size_bytes), "cuMemsetD8");
        CUDA_TRY(cuda.context_wait(), "cuCtxSynchronize");
    }
    return ERT_OK;
}

/* A GPU must have received this, repeated. Wrong data are no error: *reason tells where they are. */
static enum ert_status nccl_group_check(const struct ert_nccl_group *group, uint32_t i,
                                        const float *pattern, uint64_t size_bytes,
                                        char reason[ERT_NCCL_REASON],
                                        struct ert_error *error)
{
    const struct gpu *gpu = &group->gpus[i];
    const size_t n_all = size_bytes / sizeof(float);
    CUDA_TRY(cuda.context_set(gpu->context), "cuCtxSetCurrent");
    for (size_t done = 0, n; done < n_all && !*reason; done += n) {
        n = n_all - done < PERIOD ? n_all - done : PERIOD;
        CUDA_TRY(cuda.get(group->host, gpu->in + done * sizeof(float), n * sizeof(float)),
                 "cuMemcpyDtoH");
        for (size_t k = 0; k < n && !*reason; k++)
            if (!(group->host[k] == pattern[k]))
                snprintf(reason, ERT_NCCL_REASON,
                         "wrong data on GPU %u: element %zu is %.9g, must be %.9g", i,
                         done + k, (double)group->host[k], (double)pattern[k]);
    }
    return ERT_OK;
}

static enum ert_status check_all(const struct ert_nccl_group *group,
                                 const struct ert_nccl_round *round,
                                 char reason[ERT_NCCL_REASON], struct ert_error *error)
{
    if (round->operation == ERT_NCCL_SEND_RECV)
        return nccl_group_check(group, round->to, pattern_of(group, round->from),
                                round->size_bytes, reason, error);
    for (uint32_t i = 0; i < group->n; i++)
        ERT_TRY(nccl_group_check(group, i, group->sum, round->size_bytes, reason, error));
    return ERT_OK;
}

/* Finds how many operations fill a sample; the first ones of a size set up connections. */
static enum ert_status calibrate(const struct ert_nccl_group *group,
                                 const struct ert_nccl_round *round, uint32_t *repeat,
                                 struct ert_error *error)
{
    const double sample_s = group->plan.time_s / ERT_NCCL_SAMPLES;
    enum { MOST = 1 << 20 };
    double time_s;
    ERT_TRY(nccl_group_time_of(group, round, 1, &time_s, error));
    for (*repeat = 2;; *repeat *= 4) {
        ERT_TRY(nccl_group_time_of(group, round, *repeat, &time_s, error));
        if (time_s * *repeat >= sample_s / 4 || *repeat >= MOST)
            break;
    }
    *repeat = time_s * MOST > sample_s ? (uint32_t)ceil(sample_s / time_s) : MOST;
    return ERT_OK;
}

enum ert_status ert_nccl_measure(struct ert_nccl_group *group,
                                 struct ert_nccl_result *result, struct ert_error *error)
{
    const struct ert_nccl_round *round = &result->round;
    uint32_t repeat;
    ERT_TRY(calibrate(group, round, &repeat, error));
    ERT_TRY(spoil(group, round, error));
    for (int s = 0; s < ERT_NCCL_SAMPLES; s++)
        ERT_TRY(nccl_group_time_of(group, round, repeat, &result->times_s[s], error));
    return check_all(group, round, result->reason, error);
}
