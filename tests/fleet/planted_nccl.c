/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * planted_nccl: libcuda.so.1 and libnccl.so.2 in one file, as far as `ert nccl` uses them: GPUs whose memory
 * is the host's, and links whose time is a formula. Found by LD_LIBRARY_PATH under both names, which must be
 * links to one file. An operation is done when its group ends, and the stream is busy until
 *     latency + bus bytes / bandwidth
 * behind the one before. PLANTED_NCCL holds words:
 *     gpus=4 latency=1e-4 bandwidth=1e9   (these are the defaults; s and byte/s)
 *     version=22907                       NCCL's
 *     slow=0-1,1e8                        the bandwidth of GPU 0 to 1, this way alone
 *     no-init, crash-init, hang-init      ncclCommInitAll: fails, crashes, hangs
 *     wrong=OPERATION hang=OPERATION fail=OPERATION crash=OPERATION, of 4 KiB a GPU and more
 *     no-memory                           cuMemAlloc has no 4 KiB
 * OPERATION: all-reduce, all-gather, reduce-scatter, send-recv. Compiled with -DPLANTED_OLD it is an NCCL
 * before 2.7, without ncclSend and ncclRecv.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX = 16, FLOAT32 = 7, SUM = 0, LARGE = 4096 };
enum { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, SEND, RECEIVE };
static const char *const words[] = {"all-reduce", "all-gather", "reduce-scatter",
                                    "send-recv", "send-recv"};

/* What is behind "KEY=" in PLANTED_NCCL, or NULL; the word itself where the key has no '='. */
static const char *planted(const char *key)
{
    const char *text = getenv("PLANTED_NCCL");
    size_t length = strlen(key);
    for (const char *at = text ? text : ""; *at; at += strspn(at, " ")) {
        if (strncmp(at, key, length) == 0)
            return at + length;
        at += strcspn(at, " ");
    }
    return NULL;
}

static double number(const char *key, double otherwise)
{
    const char *text = planted(key);
    return text ? strtod(text, NULL) : otherwise;
}

static int is_planted(const char *fault, int kind)
{
    const char *at = planted(fault);
    return at && strncmp(at, words[kind], strlen(words[kind])) == 0;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void hang(void)
{
    for (;;)
        pause();
}

/* ---- CUDA ---- */

int cuInit(unsigned flags)
{
    return flags ? 1 : 0;
}

int cuGetErrorName(int code, const char **name)
{
    *name = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_PLANTED";
    return 0;
}

int cuDeviceGetCount(int *count)
{
    *count = (int)number("gpus=", 4);
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = 100 + ordinal; /* a handle is no ordinal */
    return 0;
}

int cuDeviceGetPCIBusId(char *text, int length, int device)
{
    snprintf(text, (size_t)length, "0000:00:%02X.0", 6 + device - 100);
    return 0;
}

static int current;

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = (void *)(uintptr_t)device;
    return 0;
}

int cuCtxSetCurrent(void *context)
{
    current = (int)(uintptr_t)context - 100;
    return current < 0;
}

int cuCtxSynchronize(void)
{
    return 0;
}

int cuMemAlloc_v2(uint64_t *at, size_t bytes)
{
    if (planted("no-memory") && bytes >= LARGE)
        return 2;
    *at = (uintptr_t)malloc(bytes);
    return *at ? 0 : 2;
}

int cuMemsetD8_v2(uint64_t at, unsigned char value, size_t bytes)
{
    memset((void *)(uintptr_t)at, value, bytes);
    return 0;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return 0;
}

static struct {
    double free_s; /* when all that was put into it is done */
    int hangs;
} streams[MAX];

int cuStreamCreate(void **stream, unsigned flags)
{
    (void)flags;
    *stream = &streams[current];
    return 0;
}

int cuStreamSynchronize(void *stream)
{
    for (int i = 0; i < MAX; i++)
        if (&streams[i] == stream) {
            if (streams[i].hangs)
                hang();
            while (now_s() < streams[i].free_s)
                ;
            return 0;
        }
    return 1;
}

/* ---- NCCL ---- */

struct comm {
    int rank, n, device;
};

static struct op {
    int kind, peer;
    const float *from;
    float *to;
    size_t n;
    const struct comm *comm;
    void *stream;
} ops[MAX];
static int n_ops, is_open;

int ncclGetVersion(int *version)
{
    *version = (int)number("version=", 22907);
    return 0;
}

const char *ncclGetErrorString(int code)
{
    return code == 4 ? "invalid argument" : "a planted failure";
}

int ncclCommInitAll(struct comm **comms, int n, const int *devices)
{
    if (planted("hang-init"))
        hang();
    if (planted("crash-init"))
        abort();
    if (planted("no-init"))
        return 2;
    for (int i = 0; i < n; i++) {
        comms[i] = malloc(sizeof *comms[i]);
        *comms[i] = (struct comm){i, n, devices[i]};
    }
    return 0;
}

int ncclGroupStart(void)
{
    n_ops = 0;
    is_open = 1;
    return 0;
}

static int put(struct op op, int type, int sum)
{
    if (!is_open || type != FLOAT32 || sum != SUM || op.n == 0 || n_ops == MAX)
        return 4;
    ops[n_ops++] = op;
    return is_planted("fail=", op.kind) && 4 * op.n >= LARGE ? 3 : 0;
}

int ncclAllReduce(const float *from, float *to, size_t n, int type, int sum,
                  const struct comm *comm, void *stream)
{
    return put((struct op){ALL_REDUCE, 0, from, to, n, comm, stream}, type, sum);
}

int ncclAllGather(const float *from, float *to, size_t n, int type, const struct comm *comm,
                  void *stream)
{
    return put((struct op){ALL_GATHER, 0, from, to, n, comm, stream}, type, SUM);
}

int ncclReduceScatter(const float *from, float *to, size_t n, int type, int sum,
                      const struct comm *comm, void *stream)
{
    return put((struct op){REDUCE_SCATTER, 0, from, to, n, comm, stream}, type, sum);
}

#ifndef PLANTED_OLD
int ncclSend(const float *from, size_t n, int type, int peer, const struct comm *comm,
             void *stream)
{
    return put((struct op){SEND, peer, from, NULL, n, comm, stream}, type, SUM);
}

int ncclRecv(float *to, size_t n, int type, int peer, const struct comm *comm, void *stream)
{
    return put((struct op){RECEIVE, peer, NULL, to, n, comm, stream}, type, SUM);
}
#endif

static const struct op *of_rank(int rank)
{
    for (int i = 0; i < n_ops; i++)
        if (ops[i].comm->rank == rank)
            return &ops[i];
    hang(); /* a rank is missing */
    return NULL;
}

/* The sum of what all put in at a place. */
static float sum_at(size_t i)
{
    float sum = 0;
    for (int k = 0; k < n_ops; k++)
        sum += ops[k].from[i];
    return sum;
}

static void carry_out(const struct op *op)
{
    size_t rank = (size_t)op->comm->rank;
    if (op->kind == ALL_REDUCE)
        for (size_t i = 0; i < op->n; i++)
            op->to[i] = sum_at(i);
    if (op->kind == REDUCE_SCATTER)
        for (size_t i = 0; i < op->n; i++)
            op->to[i] = sum_at(rank * op->n + i);
    for (int k = 0; k < op->comm->n && op->kind == ALL_GATHER; k++)
        memcpy(op->to + (size_t)k * op->n, of_rank(k)->from, op->n * sizeof *op->to);
    if (op->kind == RECEIVE)
        memcpy(op->to, of_rank(op->peer)->from, op->n * sizeof *op->to);
    if (is_planted("wrong=", op->kind) && op->to && 4 * op->n >= LARGE)
        op->to[op->n - 1] += 1;
}

static double time_of(const struct op *op)
{
    double n = op->comm->n, bytes = 4.0 * (double)op->n, rate = number("bandwidth=", 1e9);
    const char *slow = planted("slow=");
    int from, to;
    double slow_rate;
    if (op->kind == ALL_REDUCE)
        bytes *= 2 * (n - 1) / n;
    if (op->kind == ALL_GATHER || op->kind == REDUCE_SCATTER)
        bytes *= n - 1;
    if (op->kind == RECEIVE && slow &&
        sscanf(slow, "%d-%d,%lf", &from, &to, &slow_rate) == 3 && op->peer == from &&
        op->comm->rank == to)
        rate = slow_rate;
    return number("latency=", 1e-4) + bytes / rate;
}

int ncclGroupEnd(void)
{
    double at_s = now_s(), time_s = 0;
    is_open = 0;
    for (int i = 0; i < n_ops; i++) {
        carry_out(&ops[i]);
        time_s = time_of(&ops[i]) > time_s ? time_of(&ops[i]) : time_s;
    }
    for (int i = 0; i < n_ops; i++) {
        int device = ops[i].comm->device;
        int is_large = 4 * ops[i].n >= LARGE;
        if (ops[i].stream != &streams[device])
            return 4;
        if (is_planted("crash=", ops[i].kind) && is_large)
            abort();
        streams[device].hangs |= is_planted("hang=", ops[i].kind) && is_large;
        if (streams[device].free_s < at_s)
            streams[device].free_s = at_s;
        streams[device].free_s += time_s;
    }
    return 0;
}
