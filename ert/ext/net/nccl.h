/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nccl: measures NCCL between the GPUs of this host. libcuda.so.1 and libnccl.so.2 are opened at run time,
 * with types as in cuda.h and nccl.h: nothing is linked, and their headers are not needed. One thread drives
 * all GPUs. A call of NCCL or CUDA that hangs cannot be interrupted: the command ends the program at its
 * deadline.
 */
#ifndef ERT_NET_NCCL_H
#define ERT_NET_NCCL_H

#include "ert/core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ERT_NCCL_MAX_GPUS = 16,     /* of a host (DGX-2); sums of their data are exact */
    ERT_NCCL_SAMPLES = 15,      /* of a result */
    ERT_NCCL_LEAST_SIZE = 1024, /* of the largest message: space for 8 B per GPU */
    ERT_NCCL_REASON = 192
};

enum ert_nccl_operation {
    ERT_NCCL_ALL_REDUCE,
    ERT_NCCL_SEND_RECV, /* one GPU to another */
    ERT_NCCL_N_OPERATIONS
};

/* "all-reduce", "send-recv", NULL. */
extern const char *const ert_nccl_words[ERT_NCCL_N_OPERATIONS + 1];

/* The NCCL version, and the GPUs visible to CUDA, in its order. */
struct ert_nccl_host {
    uint32_t version; /* 22907: 2.29.7 */
    uint32_t n_gpus;
    char pci[ERT_NCCL_MAX_GPUS][20]; /* "0000:1b:00.0", in lower case */
};

/* An operation of one size among the first n_gpus GPUs: of what a GPU contributes, a multiple of 8 B. */
struct ert_nccl_round {
    enum ert_nccl_operation operation;
    uint32_t n_gpus;
    uint32_t from, to; /* send-recv: these GPUs */
    uint64_t size_bytes;
    bool is_latency; /* its value is the time: the least size */
};

struct ert_nccl_result {
    struct ert_nccl_round round;
    char reason[ERT_NCCL_REASON];     /* "", or which other data arrived than were sent */
    double times_s[ERT_NCCL_SAMPLES]; /* per operation, each the mean of many */
};

struct ert_nccl_plan {
    uint32_t n_gpus; /* uses the first n_gpus of the host */
    uint64_t
        max_bytes; /* the largest size, at least ERT_NCCL_LEAST_SIZE; each GPU needs it twice */
    double time_s; /* of all samples of a result */
};

/*
 * Finds the libraries and GPUs. ERT_UNAVAILABLE with the reason: no library, an NCCL before 2.7, no GPU;
 * ERT_FAILED: the driver failed.
 */
enum ert_status ert_nccl_find(struct ert_nccl_host *host, struct ert_error *error);

/*
 * Results to be measured, in this order (malloc, owned by the caller), *n: all GPUs together, sizes from 8 B
 * to the largest in steps of a factor of 8, and each pair in both directions, with the least and the largest.
 */
struct ert_nccl_result *ert_nccl_plan_results(const struct ert_nccl_plan *plan, size_t *n);

/* After ert_nccl_find(): allocates and fills the GPUs' memory, and starts NCCL, until the process ends. */
struct ert_nccl_group;
enum ert_status ert_nccl_open(const struct ert_nccl_plan *plan,
                              struct ert_nccl_group **group, struct ert_error *error);

/* Measures result->round, and checks the data. ERT_FAILED: CUDA or NCCL did; nothing more can be measured. */
enum ert_status ert_nccl_measure(struct ert_nccl_group *group,
                                 struct ert_nccl_result *result, struct ert_error *error);

/* Writes "2.29.7" for NCCL_VERSION_CODE (nccl.h) 22907; up to 2.8 the code has four digits: 2804. */
void ert_nccl_version(uint32_t code, char text[24]);

/*
 * The values of the samples and their unit: times, "s", or bus bandwidths, "byte/s": bytes that a link must
 * carry over the time, size times 2 (n - 1) / n for all-reduce, 1 for send-recv (nccl-tests,
 * doc/PERFORMANCE.md).
 */
const char *ert_nccl_values(const struct ert_nccl_result *result,
                            double values[ERT_NCCL_SAMPLES]);

/*
 * Names the result as a ceiling: "all-reduce-4gpus-1GiB"; between two GPUs with the ID of the receiver:
 * "send-recv-to-gpu1-8B".
 */
void ert_nccl_name(const struct ert_nccl_round *round, const char *to, char name[32]);

#endif
