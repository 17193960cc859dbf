/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/cuda/session.h"

#include "ert/core/base/clock.h"
#include "ert/ext/ncu/ncu.h"

/*
 * Cycles that the device waits before a region, some 20 us: long enough for the host to enqueue the first
 * launch after the begin event, so that the region does not include its latency.
 */
enum { LEAD_CYCLES = 40000 };

static __global__ void ERT_NCU_LEAD_IN(void)
{
    long long begin = clock64();
    while (clock64() - begin < LEAD_CYCLES)
        ;
}

enum ert_status ert_cuda_session_fail(struct ert_session *session, struct ert_error *error,
                                      cudaError_t code, const char *format, ...)
{
    char call[256];
    ERT_FORMAT(call, sizeof call, format);
    session->is_lost = session->is_lost || ert_cuda_is_lost(code);
    return ert_cuda_fail(error, code, session->label, "%s", call);
}

enum ert_status ert_cuda_take(struct ert_session *session, struct ert_error *error)
{
    SESSION_TRY(cudaSetDevice(session->ordinal), "cudaSetDevice(%d)", session->ordinal);
    return ERT_OK;
}

static enum ert_status launch_once(struct ert_session *session, dim3 grid, uint32_t passes,
                                   struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    session->arguments.passes = passes;
    void *parameters[] = {&session->arguments};
    cudaError_t code = cudaLaunchKernel(row->function, grid, dim3(session->work.threads),
                                        parameters, session->shared_bytes, session->stream);
    if (code == cudaSuccess)
        code = cudaPeekAtLastError();
    SESSION_TRY(code, "launch of %s (%s), grid %u x %u, %u threads, %zu shared bytes",
                session->kernel_name, row->name, grid.x, grid.y, session->work.threads,
                session->shared_bytes);
    session->launches_done++;
    return ERT_OK;
}

enum ert_status ert_cuda_launch(struct ert_session *session, uint64_t passes,
                                struct ert_error *error)
{
    const struct ert_cuda_kind *kind = session->row->kind;
    const uint64_t most =
        kind->max_passes ? kind->max_passes : UINT32_MAX / session->pass_steps;
    if ((kind->run || kind->starts_afresh) && passes > most)
        return ert_fail(error, ERT_FAILED,
                        "%s: %s: %llu passes, at most %llu in one region", session->label,
                        session->kernel_name, (unsigned long long)passes,
                        (unsigned long long)most);
    if (kind->run) {
        ERT_TRY(kind->run(session, passes, error));
        session->passes_done += passes;
        return ERT_OK;
    }
    for (uint64_t left = passes; left > 0;) {
        uint32_t now = (uint32_t)(left < most ? left : most);
        session->arguments.first_pass = session->passes_done + passes - left;
        ERT_TRY(launch_once(session,
                            dim3(session->work.blocks, kind->passes_in_grid ? now : 1), now,
                            error));
        left -= now;
    }
    session->passes_done += passes;
    session->last_passes = passes;
    return ERT_OK;
}

static enum ert_status cuda_time_give_up(struct ert_session *session, const char *what,
                                         bool is_stopped, struct ert_error *error)
{
    if (is_stopped)
        return ert_fail(error, ERT_FAILED, "%s: %s: interrupted", session->label, what);
    session->is_lost = true;
    return ert_fail(error, ERT_FAILED, "%s: %s: did not end within %g s, the device hangs",
                    session->label, what, session->options.timeout_s);
}

enum ert_status ert_cuda_wait_event(struct ert_session *session, cudaEvent_t event,
                                    const char *what, void (*meanwhile)(void *context),
                                    void *context, struct ert_error *error)
{
    double begin_s = ert_clock_now_s();
    for (;;) {
        cudaError_t code = cudaEventQuery(event);
        if (code == cudaSuccess)
            return ERT_OK;
        if (code != cudaErrorNotReady)
            return ert_cuda_session_fail(session, error, code, "%s", what);
        bool is_stopped = session->options.stop && *session->options.stop;
        if (is_stopped || ert_clock_now_s() - begin_s > session->options.timeout_s)
            return cuda_time_give_up(session, what, is_stopped, error);
        if (meanwhile)
            meanwhile(context);
        ert_clock_sleep_s(20e-6);
    }
}

/* An NVML reading, taken at once and again while the work goes on: the last one is of the work alone. */
struct look {
    struct ert_nvml_device device;
    struct ert_nvml_reading *reading;
    double next_s;
};

/* Between two readings: clock, power and throttle reasons change every 20 to 100 ms. */
static const double look_every_s = 0.1;

static void look_again(void *context)
{
    struct look *look = (struct look *)context;
    const double now_s = ert_clock_now_s();
    if (!look->reading || now_s < look->next_s)
        return;
    ert_nvml_read(look->device, look->reading);
    look->next_s = now_s + look_every_s;
}

enum ert_status ert_cuda_wait(struct ert_session *session, const char *what,
                              struct ert_nvml_reading *reading, struct ert_error *error)
{
    struct look look = {session->nvml_device, reading, 0};
    SESSION_TRY(cudaEventRecord(session->end, session->stream), "cudaEventRecord after %s",
                what);
    return ert_cuda_wait_event(session, session->end, what, look_again, &look, error);
}

enum ert_status ert_cuda_upload(struct ert_session *session, void *to, const void *from,
                                size_t bytes, const char *what, struct ert_error *error)
{
    SESSION_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, session->stream),
                "%s", what);
    return ert_cuda_wait(session, what, NULL, error);
}

double ert_cuda_clock_of_marks(const unsigned long long marks[ERT_CUDA_MARKS],
                               double boost_hz)
{
    if (marks[2] <= marks[0] || marks[3] < marks[1] + 100000)
        return 0;
    double clock_hz =
        (double)(marks[2] - marks[0]) / ((double)(marks[3] - marks[1]) * 1e-9);
    double most_hz = boost_hz > 0 ? 1.1 * boost_hz : 5e9;
    return clock_hz >= 1e8 && clock_hz <= most_hz ? clock_hz : 0;
}

/* Prepares the region: resets the marks and clears old results. */
static enum ert_status clear_results(struct ert_session *session, struct ert_error *error)
{
    static const unsigned long long unset[ERT_CUDA_MARKS] = {~0ull, ~0ull, 0, 0};
    SESSION_TRY(cudaMemcpyAsync(session->marks, unset, sizeof unset, cudaMemcpyHostToDevice,
                                session->stream),
                "resetting the clock marks");
    return session->row->kind->clear ? session->row->kind->clear(session, error) : ERT_OK;
}

static enum ert_status launch_lead(struct ert_session *session, struct ert_error *error)
{
    ERT_NCU_LEAD_IN<<<1, 1, 0, session->stream>>>();
    SESSION_TRY(cudaGetLastError(), "launch of the lead-in");
    return ERT_OK;
}

/*
 * The clocks are NVML's immediately after the region, which contains only the kind's own work. The kind waits
 * for the end of the lead-in, by which profilers recognize regions.
 */
static enum ert_status run_own_region(struct ert_session *session, uint64_t passes,
                                      struct ert_sample *sample, struct ert_error *error)
{
    struct ert_nvml_reading reading = {};
    ERT_TRY(launch_lead(session, error));
    ERT_TRY(ert_cuda_launch(session, passes, error));
    ert_nvml_read(session->nvml_device, &reading);
    sample->time_s = session->own_time_s;
    sample->passes = passes;
    sample->n_threads = session->own_passes[0] > 0 ? 2 : 0;
    sample->thread_passes = session->own_passes;
    sample->clock_hz = reading.clock_hz;
    sample->memory_clock_hz = reading.memory_clock_hz;
    sample->power_w = reading.power_w;
    sample->throttle = reading.throttle;
    return ERT_OK;
}

static enum ert_status cuda_time_run_region(struct ert_session *session, uint64_t passes,
                                            struct ert_sample *sample,
                                            struct ert_error *error)
{
    const char *name = session->kernel_name;
    struct ert_nvml_reading reading = {};
    unsigned long long marks[ERT_CUDA_MARKS];
    float time_ms = 0;
    const struct ert_cuda_kind *kind = session->row->kind;
    if (kind->times_itself)
        return run_own_region(session, passes, sample, error);
    ERT_TRY(clear_results(session, error));
    ERT_TRY(launch_lead(session, error));
    SESSION_TRY(cudaEventRecord(session->begin, session->stream),
                "cudaEventRecord before %s", name);
    double begin_s = ert_clock_now_s();
    ERT_TRY(ert_cuda_launch(session, passes, error));
    double host_s = kind->is_synchronous ? ert_clock_now_s() - begin_s : 0;
    ERT_TRY(ert_cuda_wait(session, name, &reading, error));
    SESSION_TRY(cudaEventElapsedTime(&time_ms, session->begin, session->end),
                "cudaEventElapsedTime");
    SESSION_TRY(cudaMemcpy(marks, session->marks, sizeof marks, cudaMemcpyDeviceToHost),
                "reading the clock marks");
    double clock_hz = ert_cuda_clock_of_marks(marks, session->boost_hz);
    if (!session->row->function) /* copies do not use the SMs or their clock */
        clock_hz = reading.clock_hz = 0;
    sample->time_s = host_s > 0 ? host_s : time_ms * 1e-3;
    sample->passes = passes;
    sample->clock_hz = clock_hz > 0 ? clock_hz : reading.clock_hz;
    sample->memory_clock_hz = reading.memory_clock_hz;
    sample->power_w = reading.power_w;
    sample->throttle = reading.throttle;
    return ERT_OK;
}

enum ert_status ert_cuda_time(struct ert_session *session, uint64_t passes,
                              struct ert_sample *sample, bool *lost,
                              struct ert_error *error)
{
    *lost = session->is_lost;
    if (session->is_lost)
        return ert_fail(error, ERT_FAILED, "%s: lost by an earlier error", session->label);
    if (!session->row || passes == 0)
        return ert_fail(error, ERT_FAILED, "%s: %s", session->label,
                        passes == 0 ? "0 passes to time, at least 1 is needed"
                                    : "no case is prepared");
    ERT_TRY(ert_cuda_take(session, error));
    enum ert_status status = cuda_time_run_region(session, passes, sample, error);
    if (status == ERT_OK)
        session->pass_time_s = sample->time_s / (double)passes;
    *lost = session->is_lost;
    return status;
}

/*
 * A window consists of batches of passes ("goes"), each enqueued while two others run or wait: the GPU never
 * waits for the host. For two goes after its window it stays busy, uncounted, while other devices may still
 * count.
 */
enum { N_GOES_AHEAD = 2, N_GOES = 32 };

struct window {
    struct ert_session *session;
    uint64_t passes; /* of a go */
    cudaEvent_t ends[N_GOES_AHEAD + 1];
};

static enum ert_status enqueue_go(struct window *window, uint64_t i,
                                  struct ert_error *error)
{
    struct ert_session *session = window->session;
    ERT_TRY(ert_cuda_launch(session, window->passes, error));
    SESSION_TRY(cudaEventRecord(window->ends[i % (N_GOES_AHEAD + 1)], session->stream),
                "cudaEventRecord in a window");
    return ERT_OK;
}

/* Runs goes until one ends after the window; all these count. */
static enum ert_status run_goes(struct window *window, double window_s,
                                struct ert_sample *sample, struct ert_error *error)
{
    struct ert_session *session = window->session;
    const char *name = session->kernel_name;
    struct ert_nvml_reading reading = {};
    struct look look = {session->nvml_device, &reading, 0};
    float time_ms = 0;
    SESSION_TRY(cudaEventRecord(session->begin, session->stream),
                "cudaEventRecord before %s", name);
    for (uint64_t i = 0; i < N_GOES_AHEAD; i++)
        ERT_TRY(enqueue_go(window, i, error));
    uint64_t n = 0;
    for (; time_ms * 1e-3 < window_s; n++) {
        ERT_TRY(enqueue_go(window, n + N_GOES_AHEAD, error));
        cudaEvent_t end = window->ends[n % (N_GOES_AHEAD + 1)];
        ERT_TRY(ert_cuda_wait_event(session, end, name, look_again, &look, error));
        SESSION_TRY(cudaEventElapsedTime(&time_ms, session->begin, end),
                    "cudaEventElapsedTime");
    }
    sample->time_s = time_ms * 1e-3;
    sample->passes = n * window->passes;
    sample->rate_per_s = sample->lockstep_per_s = (double)sample->passes / sample->time_s;
    sample->clock_hz = session->row->function ? reading.clock_hz : 0;
    sample->memory_clock_hz = reading.memory_clock_hz;
    sample->power_w = reading.power_w;
    sample->throttle = reading.throttle;
    return ert_cuda_wait(session, name, NULL, error);
}

enum ert_status ert_cuda_window(struct ert_session *session, double window_s,
                                struct ert_sample *sample, bool *lost,
                                struct ert_error *error)
{
    struct window window = {session, 1, {}};
    if (session->is_lost || !session->row || session->pass_time_s == 0)
        ERT_TRY(ert_cuda_time(session, 1, sample, lost, error));
    *lost = session->is_lost;
    const struct ert_cuda_kind *kind = session->row->kind;
    if (kind->is_synchronous || kind->times_itself)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s: %s waits for the host: it has no windows", session->label,
                        session->kernel_name);
    const double per_go = window_s / N_GOES / session->pass_time_s;
    window.passes = per_go > 1 ? (uint64_t)per_go : 1;
    *sample = {};
    ERT_TRY(ert_cuda_take(session, error));
    enum ert_status status = clear_results(session, error);
    for (cudaEvent_t &end : window.ends)
        if (status == ERT_OK && cudaEventCreate(&end) != cudaSuccess)
            status = ert_cuda_session_fail(session, error, cudaGetLastError(),
                                           "cudaEventCreate");
    if (status == ERT_OK)
        status = run_goes(&window, window_s, sample, error);
    for (cudaEvent_t &end : window.ends)
        if (end && !session->is_lost)
            cudaEventDestroy(end);
    *lost = session->is_lost;
    return status;
}
