/*
 * bench_case: the words of `ert bench` -> the one case that it runs, and what a session for it needs.
 */
#ifndef ERT_CLI_BENCH_CASE_H
#define ERT_CLI_BENCH_CASE_H

#include "ert/backend/backend.h"

/* As typed; 0 and NULL: not. */
struct ert_bench_words {
    const char *path, *variant; /* variant "": the first */
    uint64_t set_bytes, threads, stride_bytes, concurrency, flops, blocks, block_threads;
};

/* ERT_USAGE for a kernel or path that is not known, ERT_UNAVAILABLE for one that the device cannot run. */
enum ert_status ert_bench_case(const struct ert_bench_words *words, const char *kernel,
                               const struct ert_device *device, struct ert_case *case_,
                               struct ert_error *error);

/* Room for the case's set; of ERT's kernels also their memory. Time limit and seed are the caller's. */
struct ert_session_options ert_bench_session(const struct ert_device *device,
                                             const struct ert_case *case_);

#endif
