/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nccl: measures NCCL between the GPUs of this host. libcuda.so.1 and libnccl.so.2 are opened at run time,
 * with types as in cuda.h and nccl.h: nothing is linked, and their headers are not needed.
 *
 * A separate process does all work on the GPUs, since a call of NCCL or CUDA that hangs or crashes
 * takes its process with it: ncclCommInitRank() cannot be interrupted, and after a fault a CUDA context is
 * unusable. The calling process watches deadlines, ends late processes and starts another one for the rest,
 * so that ncclCommAbort() is not needed. It must not have used CUDA, whose contexts do not survive fork().
 */
#ifndef ERT_NET_NCCL_H
#define ERT_NET_NCCL_H

#include "ert/core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    ERT_NCCL_MAX_GPUS = 16,     /* of a host (DGX-2); sums of their data are exact */
    ERT_NCCL_SAMPLES = 15,      /* of a result */
    ERT_NCCL_LEAST_SIZE = 1024, /* of the largest message: space for 8 B per GPU */
    ERT_NCCL_REASON = 192
};

enum ert_nccl_operation {
    ERT_NCCL_ALL_REDUCE,
    ERT_NCCL_ALL_GATHER,
    ERT_NCCL_REDUCE_SCATTER,
    ERT_NCCL_SEND_RECV, /* one GPU to another */
    ERT_NCCL_N_OPERATIONS
};

/* "all-reduce" ... "send-recv", then NULL. */
extern const char *const ert_nccl_words[ERT_NCCL_N_OPERATIONS + 1];

/*
 * TIMEOUT: not done by the deadline. WRONG: other data arrived than were sent. FAILED: an error of NCCL or
 * CUDA, or their process ended. NOT_TRIED: after one of these.
 */
enum ert_nccl_state {
    ERT_NCCL_OK,
    ERT_NCCL_TIMEOUT,
    ERT_NCCL_WRONG,
    ERT_NCCL_FAILED,
    ERT_NCCL_NOT_TRIED
};

/* The NCCL version, and the GPUs visible to CUDA, in its order. */
struct ert_nccl_host {
    uint32_t version; /* 22907: 2.29.7 */
    uint32_t n_gpus;
    char pci[ERT_NCCL_MAX_GPUS][20]; /* "0000:1b:00.0", in lower case */
};

/*
 * An operation of one size among the first n_gpus GPUs. Sizes are as in
 * nccl-tests: the larger of what a GPU contributes and receives, a multiple of 8 B for each GPU.
 */
struct ert_nccl_round {
    enum ert_nccl_operation operation;
    uint32_t n_gpus;
    uint32_t from, to;      /* send-recv: these GPUs */
    uint64_t nominal_bytes; /* size in the name; less than 8 B per GPU above size_bytes */
    uint64_t size_bytes;
    bool is_latency; /* its value is the time: the least size */
};

struct ert_nccl_result {
    struct ert_nccl_round round;
    enum ert_nccl_state state;
    char reason[ERT_NCCL_REASON];     /* "" if state is OK */
    double times_s[ERT_NCCL_SAMPLES]; /* per operation, each the mean of many */
};

struct ert_nccl_plan {
    uint32_t n_gpus; /* uses the first n_gpus of the host */
    uint64_t
        max_bytes; /* the largest size, at least ERT_NCCL_LEAST_SIZE; each GPU needs it twice */
    double time_s;     /* of all samples of a result */
    double deadline_s; /* for the start of NCCL, and for each result */
    uint64_t seed;     /* of the data */
};

/*
 * Finds the libraries and GPUs. ERT_UNAVAILABLE with the reason: no library, an NCCL before 2.7, no GPU;
 * ERT_FAILED: the driver failed, or did not answer within deadline_s.
 */
enum ert_status ert_nccl_find(double deadline_s, struct ert_nccl_host *host,
                              struct ert_error *error);

/*
 * Measures all GPUs together, sizes from 8 B to the largest in steps of a factor of 8, and each pair in both
 * directions, with the least and the largest size. Passes each result, also bad ones, to take() in the order
 * of measurement.
 */
typedef void ert_nccl_take(void *about, const struct ert_nccl_result *result);
void ert_nccl_measure(const struct ert_nccl_plan *plan, ert_nccl_take *take, void *about);

/*
 * Bytes that a link must carry: size times 2 (n - 1) / n for all-reduce, (n - 1) / n for all-gather and
 * reduce-scatter, 1 for send-recv. Divided by the time: the bus bandwidth (nccl-tests, doc/PERFORMANCE.md).
 */
double ert_nccl_bus_bytes(const struct ert_nccl_round *round);

/* Writes "2.29.7" for NCCL_VERSION_CODE (nccl.h) 22907; up to 2.8 the code has four digits: 2804. */
void ert_nccl_version(uint32_t code, char text[24]);

/* The values of the samples and their unit: times, "s", or bus bandwidths, "byte/s". */
const char *ert_nccl_values(const struct ert_nccl_result *result,
                            double values[ERT_NCCL_SAMPLES]);

/*
 * Names the result as a ceiling: "all-reduce-4gpus-1GiB"; between two GPUs with the ID of the receiver:
 * "send-recv-to-gpu1-8B".
 */
void ert_nccl_name(const struct ert_nccl_round *round, const char *to, char name[32]);

/* ---- for that process ---- */

/*
 * Opens libraries and GPUs; allocates and fills their memory. The process uses CUDA for nothing else.
 */
struct ert_nccl_group;
enum ert_status ert_nccl_group_open(const struct ert_nccl_plan *plan,
                                    struct ert_nccl_group **group, struct ert_error *error);

/* Measures and checks the data; state is OK, WRONG or FAILED. */
void ert_nccl_group_measure(struct ert_nccl_group *group, struct ert_nccl_result *result);

/* As ert_nccl_find(), but in this process. */
enum ert_status ert_nccl_group_find(struct ert_nccl_host *host, struct ert_error *error);

#endif
