/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session: one GPU taken for measuring: its buffers, stream and events, and the case that
 * is prepared. cuda.cu takes it, readies cases and gives it back, time.cu runs
 * them, verify.cu checks what they left. C++ only.
 */
#ifndef ERT_BACKEND_CUDA_SESSION_H
#define ERT_BACKEND_CUDA_SESSION_H

#include "ert/backend/backend.h"
#include "ert/backend/cuda/device.h"
#include "ert/backend/cuda/nvml.h"
#include "ert/backend/cuda/rows.cuh"

#include <cuda_runtime.h>

/* What a checking kernel found; on the device. */
struct ert_cuda_finding {
    unsigned long long first, count; /* first wrong element, how many are wrong */
    unsigned int sum;                /* of the bits that should have been loaded */
};

struct ert_cuda_links;
struct ert_cuda_tiles;

struct ert_session {
    char label[96]; /* "gpu0 (NVIDIA H200)", for errors */
    int ordinal;    /* CUDA's */
    uint32_t n_sms;
    uint64_t shared_per_block_bytes;
    double boost_hz; /* 0 unknown */
    struct ert_session_options options;
    struct ert_nvml *nvml;
    struct ert_nvml_device nvml_device;

    /* Does not wait for the default stream: data from the host come through it too (cudaMemcpyAsync). */
    cudaStream_t stream;
    cudaEvent_t begin, end;
    uint64_t region_bytes; /* of each of the two big regions */
    double *sources, *target;
    /* Of chains: ERT_CUDA_STARTS values of up to 64 bits each; and their constants. */
    uint64_t *starts, *expected, *constants;
    struct ert_cuda_tiles *tiles; /* of tensor kernels */
    uint32_t *sums;
    unsigned long long *marks;
    struct ert_cuda_finding *finding;

    const struct ert_cuda_row *row; /* of the prepared case; NULL before the first */
    const char *kernel_name;        /* its */
    struct ert_cuda_arguments arguments;
    struct ert_work work;
    uint32_t blocks_per_sm; /* resident; 0 where the set decides */
    size_t shared_bytes;    /* dynamic, per block */
    uint64_t n_elements;    /* of one array; of a compute kernel: chains in all */
    uint64_t passes_done;   /* since prepare() */
    uint64_t launches_done;
    uint64_t last_passes; /* of the last launch; a compute launch starts afresh */
    uint64_t pass_steps;  /* that a thread counts in 32 bits; 1 where size() does not say */
    double own_time_s;    /* of the last region of a kind that times itself */
    double pass_time_s;   /* of the prepared case, by its last region; 0: none yet */
    struct {
        double value; /* what every element is now */
        void *host;   /* room for the largest set on the host; NULL: not yet needed */
    } ert110;         /* of ert110 kernels */
    bool is_lost;
    struct ert_cuda_links *links; /* buffers of link kernels; NULL before the first */
};

/* Start values that chains share out among them, a power of two; a, b, c, d. */
enum { ERT_CUDA_STARTS = 4096, ERT_CUDA_CONSTANTS = 4 };

/* The random stream that fills the target of kernels that work in place. */
static inline uint64_t ert_cuda_target_seed(const struct ert_session *session)
{
    return session->options.seed + 1;
}

/*
 * The value of elements that `store` writes, and triad's factor: any mantissa with bits all
 * over.
 */
static const double ert_cuda_scalar = 0.7853981633974483;

/*
 * Makes the session's device the calling thread's: every function of the backend begins with it,
 * since sessions of several devices may be driven by one thread or by many.
 */
enum ert_status ert_cuda_take(struct ert_session *session, struct ert_error *error);

/* Enqueues: to[i] = ert_random_unit(seed, i) for i < n. */
enum ert_status ert_cuda_fill(struct ert_session *session, double *to, uint64_t n,
                              uint64_t seed, struct ert_error *error);

/* The launch of a kernel that fills or checks: nothing that is timed. */
#define ERT_CUDA_CHECK_GRID(session) (session)->n_sms * 8, 256, 0, (session)->stream

/* Nothing found yet; and what the checking kernel just launched found. */
enum ert_status ert_cuda_reset_finding(struct ert_session *session,
                                       struct ert_error *error);
enum ert_status ert_cuda_read_finding(struct ert_session *session,
                                      struct ert_cuda_finding *finding,
                                      struct ert_error *error);

/* Enqueues `passes` passes of the prepared case. */
enum ert_status ert_cuda_launch(struct ert_session *session, uint64_t passes,
                                struct ert_error *error);

/*
 * Waits until all that was enqueued is done, at most options.timeout_s, and gives up when
 * options.stop is set. `reading`: taken through NVML while the device worked, or NULL. A
 * device that does not end, or reports a fatal error, is marked lost.
 */
enum ert_status ert_cuda_wait(struct ert_session *session, const char *what,
                              struct ert_nvml_reading *reading, struct ert_error *error);

/* The same for an event that was recorded; meanwhile(context) is called between two looks at it. */
enum ert_status ert_cuda_wait_event(struct ert_session *session, cudaEvent_t event,
                                    const char *what, void (*meanwhile)(void *context),
                                    void *context, struct ert_error *error);

/*
 * The SM clock between the first and the last of a launch's marks (kernel.cuh); 0 when it cannot be
 * told: too short for the timer's resolution (1 us on some GPUs), or beyond what the SM can run at.
 */
double ert_cuda_clock_of_marks(const unsigned long long marks[ERT_CUDA_MARKS],
                               double boost_hz);

/*
 * Copies from the host, behind what was enqueued; on return `from` may end. what: for messages.
 */
enum ert_status ert_cuda_upload(struct ert_session *session, void *to, const void *from,
                                size_t bytes, const char *what, struct ert_error *error);

/* ERT_UNAVAILABLE when a case needs more than a region: a limitation that open() has noted. */
enum ert_status ert_cuda_check_region(const struct ert_session *session,
                                      uint64_t needed_bytes, struct ert_error *error);

/*
 * Compare, bit for bit: session->target with what the kernel, or a plain copy of the sources, should
 * have left; and the sum of the loaded bits, modulo 2^32, with `expected`.
 */
enum ert_status ert_cuda_verify_target(struct ert_session *session, bool is_copied,
                                       struct ert_error *error);
enum ert_status ert_cuda_compare_sums(struct ert_session *session, uint32_t expected,
                                      struct ert_error *error);

/* The same with `times` the sum that the checking kernel just launched found. */
enum ert_status ert_cuda_verify_sums(struct ert_session *session, uint32_t times,
                                     struct ert_error *error);

/* As ert_cuda_fail(), and marks the session lost where the code says so. */
enum ert_status ert_cuda_session_fail(struct ert_session *session, struct ert_error *error,
                                      cudaError_t code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#define SESSION_TRY(session, error, call, ...)                                             \
    do {                                                                                   \
        cudaError_t session_try_code = (call);                                             \
        if (session_try_code != cudaSuccess)                                               \
            return ert_cuda_session_fail(session, error, session_try_code, __VA_ARGS__);   \
    } while (0)

/* backend.h's functions. */
enum ert_status ert_cuda_time(struct ert_session *session, uint64_t passes,
                              struct ert_sample *sample, bool *lost,
                              struct ert_error *error);
enum ert_status ert_cuda_window(struct ert_session *session, double window_s,
                                struct ert_sample *sample, bool *lost,
                                struct ert_error *error);
enum ert_status ert_cuda_verify(struct ert_session *session, struct ert_error *error);
enum ert_status ert_cuda_sustain(struct ert_session *session, double time_s,
                                 uint64_t passes, struct ert_sustained *sustained,
                                 struct ert_error *error);

/* Gives back all memories of links (links.cu) that a session has; its device must be the current one. */
void ert_cuda_links_free(struct ert_session *session);

#endif
