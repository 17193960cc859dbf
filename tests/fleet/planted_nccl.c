/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * planted_nccl: libcuda.so.1 and libnccl.so.2 in one file, as far as `ert nccl` uses them: GPUs
 * whose memory is the host's, and links whose time is a formula. Found by LD_LIBRARY_PATH under both names,
 * which must be links to one file. An operation is done when its group ends, and the stream is busy until
 *     latency + bus bytes / bandwidth
 * behind the one before. PLANTED_NCCL holds words:
 *     gpus=4 latency=1e-4 bandwidth=1e9   (these are the defaults; s and byte/s)
 *     version=22907                       NCCL's
 *     pci=6                               the PCI address of the first GPU: 0000:00:06.0
 *     slow=0-1,1e8                        the bandwidth of GPU 0 to 1, this way alone
 *     no-init, hang-init                  ncclCommInitRank: fails, hangs
 *     wrong=OPERATION hang=OPERATION fail=OPERATION, of 4 KiB a GPU and more
 *     no-memory                           cuMemAlloc has no 4 KiB
 * OPERATION: all-reduce, send-recv. Compiled with -DPLANTED_OLD it is an NCCL
 * before 2.7, without ncclSend and ncclRecv. 16 GPUs and 32 KiB at most.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX = 16, FLOAT32 = 7, SUM = 0, LARGE = 4096, ROOM = 8192 };
enum { ALL_REDUCE, SEND, RECEIVE };
static const char *const words[] = {"all-reduce", "send-recv", "send-recv"};

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
    snprintf(text, (size_t)length, "0000:00:%02X.0", (int)number("pci=", 6) + device - 100);
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
            for (double left_s; (left_s = streams[i].free_s - now_s()) > 0;) {
                usleep(left_s < 5e-4 ? (useconds_t)(1e6 * left_s) + 1 : 500);
            }
            return 0;
        }
    return 1;
}

/* ---- NCCL ---- */

struct comm {
    int rank, n, device;
};

/* What each rank sends in a group of operations. */
static float data[MAX][ROOM];
static int n_own; /* ranks */

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

struct id {
    char bytes[128];
};

int ncclGetUniqueId(struct id *id)
{
    memset(id, 7, sizeof *id);
    return 0;
}

int ncclCommInitRank(struct comm **comm, int n, struct id id, int rank)
{
    if (planted("hang-init"))
        hang();
    if (planted("no-init"))
        return 2;
    *comm = malloc(sizeof **comm);
    **comm = (struct comm){rank, n, current};
    n_own++;
    return is_open && id.bytes[127] == 7 ? 0 : 4;
}

int ncclGroupStart(void)
{
    n_ops = 0;
    is_open = 1;
    return 0;
}

static int put(struct op op, int type, int sum)
{
    if (!is_open || type != FLOAT32 || sum != SUM || op.n == 0 || op.n > ROOM ||
        n_ops == MAX)
        return 4;
    ops[n_ops++] = op;
    return is_planted("fail=", op.kind) && 4 * op.n >= LARGE ? 3 : 0;
}

int ncclAllReduce(const float *from, float *to, size_t n, int type, int sum,
                  const struct comm *comm, void *stream)
{
    return put((struct op){ALL_REDUCE, 0, from, to, n, comm, stream}, type, sum);
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

/* The sum of what all put in at a place. */
static float sum_at(const struct op *op, size_t i)
{
    float sum = 0;
    for (int r = 0; r < op->comm->n; r++)
        sum += data[r][i];
    return sum;
}

static void carry_out(const struct op *op)
{
    for (size_t i = 0; i < op->n && op->kind == ALL_REDUCE; i++)
        op->to[i] = sum_at(op, i);
    if (op->kind == RECEIVE)
        memcpy(op->to, data[op->peer], op->n * sizeof *op->to);
    if (is_planted("wrong=", op->kind) && op->to && 4 * op->n >= LARGE)
        op->to[op->n - 1] += 1;
}

static void carry_out_all(void)
{
    if (n_ops > 0 && ops[0].kind < SEND && n_ops < n_own)
        hang(); /* a rank is missing */
    for (int i = 0; i < n_ops; i++)
        if (ops[i].from)
            memcpy(data[ops[i].comm->rank], ops[i].from, ops[i].n * sizeof(float));
    for (int i = 0; i < n_ops; i++)
        carry_out(&ops[i]);
}

static double time_of(const struct op *op)
{
    double n = op->comm->n, bytes = 4.0 * (double)op->n, rate = number("bandwidth=", 1e9);
    const char *slow = planted("slow=");
    int from, to;
    double slow_rate;
    if (op->kind == ALL_REDUCE)
        bytes *= 2 * (n - 1) / n;
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
    carry_out_all();
    for (int i = 0; i < n_ops; i++) {
        time_s = time_of(&ops[i]) > time_s ? time_of(&ops[i]) : time_s;
    }
    for (int i = 0; i < n_ops; i++) {
        int device = ops[i].comm->device;
        int is_large = 4 * ops[i].n >= LARGE;
        if (ops[i].stream != &streams[device])
            return 4;
        streams[device].hangs |= is_planted("hang=", ops[i].kind) && is_large;
        if (streams[device].free_s < at_s)
            streams[device].free_s = at_s;
        streams[device].free_s += time_s;
    }
    return 0;
}
