#include "ert/sweep/together.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A common window, long against the jitter of threads that are let go together, some 10 us. */
static const double window_s = 50e-3;

enum { ROUNDS = 3 };

/* What the devices run at once. */
struct task {
    enum ert_kernel_id kernel;
    size_t shift; /* between GPUs: partner of device i is i + shift; else 0 */
    bool alone;   /* also measured alone here: the main rounds ran side by side */
};

/* Where n threads wait for each other, again and again, unless it is called off. */
struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t is_changed;
    size_t n, n_waiting;
    uint64_t n_held; /* meetings so far */
    bool is_off;
};

/* False when it is called off. */
static bool meet(struct meeting *meeting)
{
    pthread_mutex_lock(&meeting->lock);
    const uint64_t before = meeting->n_held;
    if (++meeting->n_waiting == meeting->n) {
        meeting->n_waiting = 0;
        meeting->n_held++;
        pthread_cond_broadcast(&meeting->is_changed);
    }
    while (meeting->n_held == before && !meeting->is_off)
        pthread_cond_wait(&meeting->is_changed, &meeting->lock);
    const bool is_on = !meeting->is_off;
    pthread_mutex_unlock(&meeting->lock);
    return is_on;
}

static void call_off(struct meeting *meeting)
{
    pthread_mutex_lock(&meeting->lock);
    meeting->is_off = true;
    pthread_cond_broadcast(&meeting->is_changed);
    pthread_mutex_unlock(&meeting->lock);
}

/* One device's part of a task. */
struct worker {
    struct ert_bench *bench;
    size_t index; /* of the point */
    struct meeting *start;
    pthread_t thread;
    bool is_thread;
};

static double rate_of(const struct ert_point *point)
{
    double best = 0;
    for (size_t i = 0; i < point->n_samples; i++) {
        double work = point->work.bytes_per_pass > 0 ? point->work.bytes_per_pass
                                                     : point->work.flops_per_pass;
        double rate = work * ert_sample_rate(&point->samples[i]);
        best = rate > best ? rate : best;
    }
    return best;
}

/* What memory is proven by: the largest sets only. */
static bool is_largest(const struct ert_device_samples *device,
                       const struct ert_point *point)
{
    for (size_t i = 0; i < device->n_points; i++)
        if (device->points[i].case_.kernel == point->case_.kernel &&
            device->points[i].section == point->section &&
            device->points[i].case_.working_set_bytes > 2 * point->case_.working_set_bytes)
            return false;
    return true;
}

/* The fastest measured point of the task's kernel on one device; between GPUs with any partner. */
static const struct ert_point *find_point(const struct ert_device_samples *device,
                                          const struct task *task)
{
    const struct ert_point *best = NULL;
    for (size_t p = 0; p < device->n_points; p++) {
        const struct ert_point *point = &device->points[p];
        bool is_main = point->section == ERT_SECTION_LEVELS ||
                       point->section == ERT_SECTION_COMPUTE ||
                       point->section == ERT_SECTION_LINKS;
        if (is_main && point->case_.kernel == task->kernel &&
            point->status == ERT_POINT_MEASURED && is_largest(device, point) &&
            (!best || rate_of(point) > rate_of(best)))
            best = point;
    }
    return best;
}

/* Appends a copy of the point without samples; false when memory runs out. */
static bool append(struct ert_bench *bench, const struct ert_point *from, uint32_t at_once,
                   size_t *index)
{
    struct ert_device_samples *device = bench->device;
    struct ert_point copy = {.section = ERT_SECTION_TOGETHER,
                             .at_once = at_once,
                             .case_ = from->case_,
                             .variant = from->variant};
    copy.passes = from->passes;
    pthread_mutex_lock(&bench->shared->lock);
    struct ert_point *grown =
        realloc(device->points, (device->n_points + 1) * sizeof *grown);
    if (grown) {
        device->points = grown;
        *index = device->n_points++;
        device->points[*index] = copy;
    }
    pthread_mutex_unlock(&bench->shared->lock);
    return grown != NULL;
}

static enum ert_status time_once(struct ert_bench *bench, size_t index,
                                 struct ert_error *error)
{
    struct ert_point *point = &bench->device->points[index];
    struct ert_sample sample;
    ERT_TRY(bench->backend->window(bench->session, window_s, &sample, &bench->lost, error));
    pthread_mutex_lock(&bench->shared->lock);
    enum ert_status status = ert_point_add(point, &sample, error);
    pthread_mutex_unlock(&bench->shared->lock);
    return status;
}

/* Every worker is at every round's meeting, or the others would wait for ever. */
static void *work(void *context)
{
    struct worker *worker = context;
    struct ert_bench *bench = worker->bench;
    struct ert_point *point = &bench->device->points[worker->index];
    struct ert_error error = {0};
    struct ert_work pass = {0};
    char name[128];
    enum ert_status status =
        bench->backend->prepare(bench->session, &point->case_, &pass, &error);
    ert_bench_report(bench, ert_point_describe(point, name, sizeof name), NULL);
    point->work = pass;
    /* A region first, so that the window's beginning is not spent on finding how long a pass is. */
    struct ert_sample warm;
    if (status == ERT_OK)
        status = bench->backend->time(bench->session, point->passes ? point->passes : 1,
                                      &warm, &bench->lost, &error);
    for (int round = 0; round < ROUNDS; round++) {
        if (!meet(worker->start)) {
            ert_fail(&error, ERT_UNAVAILABLE,
                     "the host has no thread for each of %zu devices", worker->start->n);
            ert_bench_keep_fault(bench, point, &error);
            return NULL;
        }
        if (status == ERT_OK && !bench->lost && !ert_bench_stopped(bench))
            status = time_once(bench, worker->index, &error);
    }
    if (status == ERT_OK && point->n_samples > 0)
        status = bench->backend->verify(bench->session, &error);
    if (status != ERT_OK)
        ert_bench_keep_fault(bench, point, &error);
    else if (point->n_samples > 0)
        point->status = ERT_POINT_MEASURED;
    return NULL;
}

/*
 * Runs n workers, which have their points, at once. Without a thread for each there is no "at once":
 * those that have one are told, and then those that have none find the meeting called off too.
 */
static void run_workers(struct worker *workers, size_t n)
{
    struct meeting start = {
        .lock = PTHREAD_MUTEX_INITIALIZER, .is_changed = PTHREAD_COND_INITIALIZER, .n = n};
    size_t n_threads = 0;
    for (size_t i = 0; i < n; i++) {
        workers[i].start = &start;
        workers[i].is_thread =
            i > 0 && pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
        n_threads += workers[i].is_thread;
    }
    if (n_threads + 1 < n)
        call_off(&start);
    for (size_t i = 0; i < n; i++)
        if (!workers[i].is_thread)
            work(&workers[i]);
    for (size_t i = 1; i < n; i++)
        if (workers[i].is_thread)
            pthread_join(workers[i].thread, NULL);
}

/*
 * What device i is to run. A pair of GPUs is planned from its first one only, so that the last GPU
 * takes over another's point.
 */
static bool find_case(struct ert_bench *const *benches, size_t n, size_t i,
                      const struct task *task, struct ert_point *found)
{
    const struct ert_point *point = find_point(benches[i]->device, task);
    for (size_t k = 0; k < n && !point && task->shift; k++)
        point = find_point(benches[k]->device, task);
    if (!point)
        return false;
    *found = *point;
    if (task->shift)
        found->case_.to = 1 + (uint32_t)benches[(i + task->shift) % n]->about->gpu.ordinal;
    return true;
}

static void run_task(struct ert_bench *const *benches, size_t n, const struct task *task)
{
    struct worker all[ERT_MAX_DEVICES];
    size_t n_all = 0;
    for (size_t i = 0; i < n; i++) {
        struct ert_point from;
        struct worker worker = {.bench = benches[i]};
        if (benches[i]->lost || !find_case(benches, n, i, task, &from))
            return; /* all at once, or not at all */
        if (task->alone && append(benches[i], &from, 1, &worker.index))
            run_workers(&worker, 1);
        if (!append(benches[i], &from, (uint32_t)n, &worker.index))
            return;
        all[n_all++] = worker;
    }
    run_workers(all, n_all);
}

/* The tensor kernel with the most operations per second on the first device; ERT_N_KERNELS: none. */
static enum ert_kernel_id fastest_tensor(const struct ert_device_samples *device)
{
    enum ert_kernel_id best = ERT_N_KERNELS;
    double best_rate = 0;
    for (size_t i = 0; i < device->n_points; i++) {
        const struct ert_point *point = &device->points[i];
        if (point->section == ERT_SECTION_COMPUTE &&
            strcmp(ert_kernel_row(point->case_.kernel)->unit, "tensor") == 0 &&
            rate_of(point) > best_rate) {
            best_rate = rate_of(point);
            best = point->case_.kernel;
        }
    }
    return best;
}

void ert_together(struct ert_bench *const *benches, size_t n)
{
    const struct task tasks[] = {
        {ERT_KERNEL_fma_fp64,                0, true },
        {ERT_KERNEL_load,                    0, true },
        {fastest_tensor(benches[0]->device), 0, true },
        {ERT_KERNEL_h2d_pinned,              0, false},
        {ERT_KERNEL_d2h_pinned,              0, false},
        {ERT_KERNEL_duplex_pinned,           0, false},
    };
    static const enum ert_kernel_id pairs[] = {ERT_KERNEL_peer_write,
                                               ERT_KERNEL_peer_duplex};
    if (!benches[0]->samples->config.sections[ERT_SECTION_TOGETHER] ||
        !benches[0]->backend->window)
        return;
    for (size_t t = 0; t < sizeof tasks / sizeof tasks[0]; t++)
        if (tasks[t].kernel != ERT_N_KERNELS && !ert_bench_stopped(benches[0]))
            run_task(benches, n, &tasks[t]);
    for (size_t shift = 1; shift < n; shift++)
        for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
            const struct task task = {pairs[p], shift, false};
            if (!ert_bench_stopped(benches[0]))
                run_task(benches, n, &task);
        }
    ert_bench_checkpoint(benches[0]);
}
