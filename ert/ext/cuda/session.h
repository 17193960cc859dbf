/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session: one GPU opened for measuring: its buffers, stream and events, and the prepared spec. cuda.cu opens
 * and closes it and prepares specs, time.cu runs them, verify.cu checks their results. C++ only.
 */
#ifndef ERT_BACKEND_CUDA_SESSION_H
#define ERT_BACKEND_CUDA_SESSION_H

#include "ert/core/backend/backend.h"
#include "ert/ext/cuda/device.h"
#include "ert/ext/cuda/nvml.h"
#include "ert/ext/cuda/rows.cuh"

#include <cuda_runtime.h>

/* The findings of a checking kernel, in device memory. */
struct ert_cuda_finding {
    unsigned long long first, count; /* first wrong element, number of wrong ones */
    unsigned int sum;                /* of the bits that should have been loaded */
};

struct ert_cuda_gemm;
struct ert_cuda_links;
struct ert_cuda_tiles;

enum { ERT_CUDA_BUFFERS = 9 };

struct ert_session {
    char label[96]; /* "gpu0 (NVIDIA H200)", for errors */
    int ordinal;    /* CUDA's */
    uint32_t n_sms;
    uint64_t shared_per_block_bytes, l2_bytes;
    double boost_hz; /* 0 unknown */
    struct ert_session_options options;
    struct ert_nvml *nvml;
    struct ert_nvml_device nvml_device;

    /* Does not wait for the default stream; copies from the host use it, too (cudaMemcpyAsync). */
    cudaStream_t stream;
    cudaEvent_t begin, end;
    uint64_t region_bytes; /* of each of the two big regions */
    double *sources, *target;
    /* Chains: ERT_CUDA_STARTS values of up to 64 bits each; and their constants. */
    uint64_t *starts, *expected, *constants;
    struct ert_cuda_tiles *tiles; /* of tensor kernels */
    uint32_t *sums;
    unsigned long long *marks;
    struct ert_cuda_finding *finding;
    void *buffers[ERT_CUDA_BUFFERS]; /* these, for close() */

    const struct ert_cuda_row *row; /* of the prepared spec; NULL before the first */
    const char *kernel_name;        /* the row's */
    struct ert_cuda_arguments arguments;
    struct ert_work work;
    uint32_t blocks_per_sm; /* resident; 0 if the set decides */
    size_t shared_bytes;    /* dynamic, per block */
    uint64_t n_elements;    /* of one array; compute kernels: chains in all */
    uint64_t passes_done;   /* since prepare() */
    uint64_t launches_done;
    uint64_t last_passes; /* of the last launch; a compute launch starts afresh */
    uint64_t pass_steps;  /* per pass, counted in 32 bits; 1 unless size() sets it */
    double own_time_s;    /* of the last region, if its kind times itself */
    double own_passes[2]; /* then, if there are two, of those that work at once; else 0 */
    double pass_time_s;   /* of the prepared spec, from its last region; 0: none yet */
    bool is_lost;
    struct ert_cuda_links *links; /* buffers of link kernels; NULL before the first */
    struct ert_cuda_gemm *gemm;   /* of the library's products; NULL before the first */
};

/* Start values, a power of two, that chains take in turn; a, b, c, d. */
enum { ERT_CUDA_STARTS = 4096, ERT_CUDA_CONSTANTS = 4 };

/* The random stream of the start of a target that is read. */
static inline uint64_t ert_cuda_target_seed(const struct ert_session *session)
{
    return session->options.seed + 1;
}

/* The value that `store` writes, and triad's factor: any number with a full mantissa. */
static const double ert_cuda_scalar = 0.7853981633974483;

/*
 * Makes the session's device the calling thread's current one. Every function of the backend begins with it,
 * since one thread or many may use sessions of several devices.
 */
enum ert_status ert_cuda_take(struct ert_session *session, struct ert_error *error);

/* Enqueues: to[i] = ert_element_start(seed, i) for i < n. */
enum ert_status ert_cuda_fill(struct ert_session *session, double *to, uint64_t n,
                              uint64_t seed, struct ert_error *error);

/* Launch parameters of kernels that fill or check, which are not timed. */
#define ERT_CUDA_CHECK_GRID(session) (session)->n_sms * 8, 256, 0, (session)->stream

/* Clears the findings; reads those of the checking kernel just launched. */
enum ert_status ert_cuda_reset_finding(struct ert_session *session,
                                       struct ert_error *error);
enum ert_status ert_cuda_read_finding(struct ert_session *session,
                                      struct ert_cuda_finding *finding,
                                      struct ert_error *error);

/* Enqueues `passes` passes of the prepared spec. */
enum ert_status ert_cuda_launch(struct ert_session *session, uint64_t passes,
                                struct ert_error *error);

/*
 * Waits until all enqueued work is done, at most options.timeout_s, and gives up when options.stop is set.
 * `reading`: from NVML while the device worked, or NULL. Marks a device as lost that does not finish or that
 * reports a fatal error.
 */
enum ert_status ert_cuda_wait(struct ert_session *session, const char *what,
                              struct ert_nvml_reading *reading, struct ert_error *error);

/* The same for a recorded event; calls meanwhile(context) between two queries of it. */
enum ert_status ert_cuda_wait_event(struct ert_session *session, cudaEvent_t event,
                                    const char *what, void (*meanwhile)(void *context),
                                    void *context, struct ert_error *error);

/*
 * The SM clock in Hz between the first and the last of a launch's marks (kernel.cuh); 0 when unknown: too
 * short for the timer's resolution (1 us on some GPUs), or higher than the SM can run.
 */
double ert_cuda_clock_of_marks(const unsigned long long marks[ERT_CUDA_MARKS],
                               double boost_hz);

/* Copies from the host after all enqueued work; `from` may be freed on return. what: for messages. */
enum ert_status ert_cuda_upload(struct ert_session *session, void *to, const void *from,
                                size_t bytes, const char *what, struct ert_error *error);

/* ERT_UNAVAILABLE when a spec needs more than a region: a limitation that open() has noted. */
enum ert_status ert_cuda_check_region(const struct ert_session *session,
                                      uint64_t needed_bytes, struct ert_error *error);

/*
 * Compare, bit for bit, session->target with the correct result of the kernel or of a plain copy of the
 * sources; and the sum of the loaded bits, modulo 2^32, with `expected`.
 */
enum ert_status ert_cuda_verify_target(struct ert_session *session, bool is_copied,
                                       struct ert_error *error);
enum ert_status ert_cuda_compare_sums(struct ert_session *session, uint32_t expected,
                                      struct ert_error *error);

/* The same with `times` times the sum that the checking kernel just launched found. */
enum ert_status ert_cuda_verify_sums(struct ert_session *session, uint32_t times,
                                     struct ert_error *error);

/* As ert_cuda_fail(), but also marks the session as lost if ert_cuda_is_lost(code). */
enum ert_status ert_cuda_session_fail(struct ert_session *session, struct ert_error *error,
                                      cudaError_t code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Of a function that has a `session` and an `error`. */
#define SESSION_TRY(call, ...)                                                             \
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

/* Frees memory of a session's links (links.cu) and products (gemm.cu); its device must be the current one. */
void ert_cuda_links_free(struct ert_session *session);
void ert_cuda_gemm_free(struct ert_session *session);

#endif
