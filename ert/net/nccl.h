/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nccl: what NCCL attains between the GPUs of this host. libcuda.so.1 and libnccl.so.2 are opened at run
 * time, with the types of cuda.h and nccl.h; nothing is linked, and no header of theirs is needed.
 *
 * A process of its own does all work on a group of GPUs, for a call of NCCL or CUDA that hangs or crashes
 * takes its process along: ncclCommInitRank() cannot be interrupted, and after a fault a process's CUDA
 * context is of no use. The caller's process keeps the deadlines, ends what is late and starts another for
 * the rest: no ncclCommAbort() is needed. It must not have used CUDA, whose contexts do not outlive a fork.
 */
#ifndef ERT_NET_NCCL_H
#define ERT_NET_NCCL_H

#include "ert/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    ERT_NCCL_MAX_GPUS = 16,     /* of a host (DGX-2); sums of their data are exact */
    ERT_NCCL_SAMPLES = 15,      /* of a result */
    ERT_NCCL_LEAST_SIZE = 1024, /* of the largest message: 8 B a GPU have room */
    ERT_NCCL_REASON = 192
};

enum ert_nccl_operation {
    ERT_NCCL_ALL_REDUCE,
    ERT_NCCL_ALL_GATHER,
    ERT_NCCL_REDUCE_SCATTER,
    ERT_NCCL_SEND_RECV, /* one GPU to another */
    ERT_NCCL_N_OPERATIONS
};

/* "all-reduce" ... "send-recv", and NULL. */
extern const char *const ert_nccl_words[ERT_NCCL_N_OPERATIONS + 1];

/*
 * TIMEOUT: not done by the deadline. WRONG: other data than must arrive did. FAILED: said NCCL or CUDA, or
 * their process ended. NOT_TRIED: after one of these.
 */
enum ert_nccl_state {
    ERT_NCCL_OK,
    ERT_NCCL_TIMEOUT,
    ERT_NCCL_WRONG,
    ERT_NCCL_FAILED,
    ERT_NCCL_NOT_TRIED
};

/* What is there: the GPUs that CUDA shows, in its order. */
struct ert_nccl_host {
    uint32_t version; /* 22907: 2.29.7 */
    uint32_t n_gpus;
    char pci[ERT_NCCL_MAX_GPUS][20]; /* "0000:1b:00.0", in small letters */
};

/*
 * An operation of a size among the GPUs first, first + 1 ... first + n_gpus - 1. Sizes are those of
 * nccl-tests: the larger of what a GPU puts in and gets, a multiple of 8 B for each GPU.
 */
struct ert_nccl_round {
    enum ert_nccl_operation operation;
    uint32_t first, n_gpus;
    uint32_t from, to;      /* send-recv: these GPUs */
    uint64_t nominal_bytes; /* what the name says; less than 8 B a GPU above the size */
    uint64_t size_bytes;
    bool is_latency; /* the least size of its operation, or a single GPU: the time counts */
};

struct ert_nccl_result {
    struct ert_nccl_round round;
    enum ert_nccl_state state;
    char reason[ERT_NCCL_REASON];     /* "" where state is OK */
    double times_s[ERT_NCCL_SAMPLES]; /* of one operation, each the mean of many */
};

struct ert_nccl_plan {
    uint32_t n_gpus; /* the first of those there are */
    uint64_t
        max_bytes; /* the largest size, at least ERT_NCCL_LEAST_SIZE; each GPU needs it twice */
    double time_s;     /* for the samples of a result */
    double deadline_s; /* of the start of a group, and of each result */
    uint64_t seed;     /* of the data */
};

/*
 * Looks for the libraries and the GPUs. ERT_UNAVAILABLE with the reason: no library, an NCCL before 2.7, no
 * GPU; ERT_FAILED: the driver failed, or did not answer within deadline_s.
 */
enum ert_status ert_nccl_find(double deadline_s, struct ert_nccl_host *host,
                              struct ert_error *error);

/*
 * Measures: all GPUs, sizes from 8 B in steps of 8 up to the largest; the least and the largest size between
 * each two, both ways, and, of four GPUs or more, in disjoint groups of two. Each result is passed to take(),
 * in the order of time, also one that is not good.
 */
typedef void ert_nccl_take(void *about, const struct ert_nccl_result *result);
void ert_nccl_measure(const struct ert_nccl_plan *plan, ert_nccl_take *take, void *about);

/*
 * Bytes that a link must carry: size times 2 (n - 1) / n for an all-reduce, (n - 1) / n for an all-gather and
 * a reduce-scatter, 1 for send-recv; over the time: the bus bandwidth (nccl-tests, doc/PERFORMANCE.md).
 */
double ert_nccl_bus_bytes(const struct ert_nccl_round *round);

/* "2.29.7" of NCCL_VERSION_CODE (nccl.h): 22907, up to 2.8 2804. */
void ert_nccl_version(uint32_t code, char text[24]);

/* The samples as what counts, and its unit: times, "s", or bus bandwidths, "byte/s". */
const char *ert_nccl_values(const struct ert_nccl_result *result,
                            double values[ERT_NCCL_SAMPLES]);

/*
 * What the result is called as a ceiling: "all-reduce-4gpus-1GiB"; between two GPUs "send-recv-to-" and the
 * id of the receiver: "send-recv-to-gpu1-8B".
 */
void ert_nccl_name(const struct ert_nccl_round *round, const char *to, char name[32]);

/* ---- for several hosts (nccl_world.h) ---- */

/* The rounds of a group of GPUs, in the order in which they are measured. */
struct ert_nccl_rounds {
    struct ert_nccl_round *list; /* malloc */
    size_t n, capacity;
};

/* Adds the round with the least size, with those above of 8 B times powers of `factor`, and the largest. */
void ert_nccl_add_sizes(struct ert_nccl_rounds *rounds, struct ert_nccl_round round,
                        uint64_t factor, uint64_t max_bytes);

/* The first round behind that one that is another operation, or between other GPUs. */
size_t ert_nccl_behind(const struct ert_nccl_rounds *rounds, size_t i);

struct ert_nccl_process {
    pid_t id;
    int at; /* what it reports is read here */
};

/* A report, of `size` bytes; TIMEOUT, or FAILED where the process has ended before. */
enum ert_nccl_state ert_nccl_receive(const struct ert_nccl_process *process,
                                     double deadline_s, void *what, size_t size);

/*
 * Ends the process, which has nothing more to say, and says how it ended where it did so before: "ended by
 * signal 11". One that not even SIGKILL ends, as a driver can hold it, is left behind.
 */
void ert_nccl_stop(const struct ert_nccl_process *process, char text[64]);

/* ---- for the process of a group ---- */

/* What the processes of a group have in common: ncclUniqueId. */
struct ert_nccl_id {
    char bytes[128];
};

/* A process's part of a group. */
struct ert_nccl_part {
    uint32_t device, n; /* its GPUs: the first, as CUDA counts them, and how many */
    uint32_t rank,
        total;     /* NCCL's rank of the first of them, and the ranks of all processes */
    uint32_t base; /* rounds count GPUs from this number on, which has rank 0 */
    struct ert_nccl_id id;
};

enum ert_status ert_nccl_group_id(struct ert_nccl_id *id, struct ert_error *error);

/*
 * Opens libraries and GPUs; allocates and fills their memory; all processes of the group call it. Each has
 * nothing else to do.
 */
struct ert_nccl_group;
enum ert_status ert_nccl_group_open(const struct ert_nccl_plan *plan,
                                    const struct ert_nccl_part *part,
                                    struct ert_nccl_group **group, struct ert_error *error);

/* Measures and checks; state is OK, WRONG or FAILED. */
void ert_nccl_group_measure(struct ert_nccl_group *group, struct ert_nccl_result *result);

/* ert_nccl_find(), in the process itself. */
enum ert_status ert_nccl_group_find(struct ert_nccl_host *host, struct ert_error *error);

#endif
