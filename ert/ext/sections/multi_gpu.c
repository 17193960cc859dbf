/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/fit/extras.h"
#include "ert/core/sweep/device_run.h"
#include "ert/core/sweep/section.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Multi-GPU: whether devices slow each other. Measures the decisive ceilings of some open devices, first each
 * alone, then all at once.
 */

/* A window, 2,000 times the jitter of threads released together, about 10 us. */
static const double window_s = 20e-3;

enum { ROUNDS = 3 };

/* What the devices run at once. */
struct task {
    enum ert_kernel_id kernel;
    size_t shift; /* between GPUs: the partner of device i is i + shift; else 0 */
    bool alone;   /* measure alone, too: the main rounds ran side by side */
};

/*
 * How the threads of a task start: each passes the gate, which is closed until it is known whether every
 * worker has a thread, and meets the others at the barrier before each window.
 */
struct start {
    pthread_mutex_t gate;
    bool is_off, alone;
    pthread_barrier_t meeting;
    size_t n;
};

/* One device's part of a task, prepared once for both of its points: alone, and with all others. */
struct worker {
    struct ert_device_run *run;
    size_t number, alone, at_once; /* among the workers; of the points */
    struct start *start;
    pthread_t thread;
    bool is_thread;
};

/* Whether a point has one of the largest sets, which measure memory. */
static bool is_largest(const struct ert_device_samples *device,
                       const struct ert_point *point)
{
    for (size_t i = 0; i < device->n_points; i++)
        if (device->points[i].spec.kernel == point->spec.kernel &&
            device->points[i].section == point->section &&
            device->points[i].spec.requested_bytes > 2 * point->spec.requested_bytes)
            return false;
    return true;
}

/* The rate of the fastest sample. */
static double multi_gpu_fastest(const struct ert_point *point)
{
    double most = 0;
    for (size_t i = 0; i < point->n_samples; i++)
        most = fmax(most, ert_point_rate(point, ert_sample_rate(&point->samples[i])));
    return most;
}

static const struct ert_point *find_point(const struct ert_device_samples *device,
                                          const struct task *task)
{
    const struct ert_point *best = NULL;
    for (size_t p = 0; p < device->n_points; p++) {
        const struct ert_point *point = &device->points[p];
        bool is_main = point->section == ERT_SECTION_LEVELS ||
                       point->section == ERT_SECTION_COMPUTE ||
                       point->section == ERT_SECTION_LINKS;
        if (is_main && point->spec.kernel == task->kernel &&
            point->status == ERT_POINT_MEASURED && is_largest(device, point) &&
            (!best || multi_gpu_fastest(point) > multi_gpu_fastest(best)))
            best = point;
    }
    return best;
}

static bool multi_gpu_append(struct ert_device_run *run, const struct ert_point *from,
                             uint32_t at_once, size_t *index)
{
    struct ert_device_samples *device = run->device;
    struct ert_point copy = {.section = ERT_SECTION_MULTI_GPU,
                             .at_once = at_once,
                             .spec = from->spec,
                             .variant = from->variant};
    copy.passes = from->passes;
    pthread_mutex_lock(&run->shared->lock);
    struct ert_point *grown =
        realloc(device->points, (device->n_points + 1) * sizeof *grown);
    if (grown) {
        device->points = grown;
        *index = device->n_points++;
        device->points[*index] = copy;
    }
    pthread_mutex_unlock(&run->shared->lock);
    return grown != NULL;
}

/* One window of the prepared spec, added to a point. */
static enum ert_status take_window(struct ert_device_run *run, struct ert_point *point,
                                   struct ert_error *error)
{
    struct ert_sample sample;
    ERT_TRY(run->backend->window(run->session, window_s, &sample, &run->lost, error));
    pthread_mutex_lock(&run->shared->lock);
    enum ert_status status = ert_point_add(point, &sample, error);
    pthread_mutex_unlock(&run->shared->lock);
    return status;
}

static void conclude_point(struct worker *worker, size_t index,
                           const struct ert_error *error)
{
    struct ert_point *point = &worker->run->device->points[index];
    if (error->status != ERT_OK)
        ert_device_run_keep_fault(worker->run, point, error);
    else if (point->n_samples > 0)
        point->status = ERT_POINT_MEASURED;
}

/*
 * In each round all devices share a window, after each had one for itself, if `alone`. Every worker waits at
 * every window's barrier, or the others would wait for ever.
 */
static void *work_at_once(void *context)
{
    struct worker *worker = context;
    struct start *start = worker->start;
    struct ert_device_run *run = worker->run;
    struct ert_point *points = run->device->points, *point = &points[worker->at_once];
    struct ert_error error = {0};
    struct ert_sample sample;
    enum ert_status status =
        run->backend->prepare(run->session, &point->spec, &point->work, &error);
    ert_device_run_report(run, ert_point_describe(point).text, NULL);
    if (start->alone)
        points[worker->alone].work = point->work;
    /* A region first, so that the window does not begin with measuring how long a pass takes. */
    if (status == ERT_OK)
        status = run->backend->time(run->session, point->passes ? point->passes : 1,
                                    &sample, &run->lost, &error);
    pthread_mutex_lock(&start->gate);
    bool is_off = start->is_off;
    pthread_mutex_unlock(&start->gate);
    for (int round = 0; round < ROUNDS && !is_off; round++)
        for (size_t turn = start->alone ? 0 : start->n; turn <= start->n; turn++) {
            pthread_barrier_wait(&start->meeting);
            if (status == ERT_OK && !run->lost && !ert_device_run_stopped(run) &&
                (turn == worker->number || turn == start->n))
                status = take_window(
                    run, &points[turn == start->n ? worker->at_once : worker->alone],
                    &error);
        }
    if (is_off)
        status =
            ert_fail(&error, ERT_UNAVAILABLE,
                     "the host cannot start a thread for each of %zu devices", start->n);
    if (status == ERT_OK && point->n_samples > 0)
        run->backend->verify(run->session, &error);
    conclude_point(worker, worker->at_once, &error);
    if (start->alone)
        conclude_point(worker, worker->alone, &error);
    return NULL;
}

/* Runs n workers, which have their points, at once; or none if they cannot all have threads. */
static void run_workers(struct worker *workers, size_t n, bool alone)
{
    struct start start = {.gate = PTHREAD_MUTEX_INITIALIZER, .alone = alone, .n = n};
    size_t n_threads = 1;
    pthread_barrier_init(&start.meeting, NULL, (unsigned)n);
    pthread_mutex_lock(&start.gate);
    for (size_t i = 0; i < n; i++) {
        workers[i].start = &start;
        workers[i].is_thread = i > 0 && pthread_create(&workers[i].thread, NULL,
                                                       work_at_once, &workers[i]) == 0;
        n_threads += workers[i].is_thread;
    }
    start.is_off = n_threads < n;
    pthread_mutex_unlock(&start.gate);
    for (size_t i = 0; i < n; i++)
        if (!workers[i].is_thread)
            work_at_once(&workers[i]);
    for (size_t i = 1; i < n; i++)
        if (workers[i].is_thread)
            pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&start.meeting);
}

/*
 * Finds the point that device i is to run. A pair of GPUs is planned from its first one only, so that the
 * last GPU uses another GPU's point.
 */
static bool multi_gpu_find_case(struct ert_device_run *const *runs, size_t n, size_t i,
                                const struct task *task, struct ert_point *found)
{
    const struct ert_point *point = find_point(runs[i]->device, task);
    for (size_t k = 0; k < n && !point && task->shift; k++)
        point = find_point(runs[k]->device, task);
    if (!point)
        return false;
    *found = *point;
    if (task->shift)
        found->spec.to = 1 + (uint32_t)runs[(i + task->shift) % n]->about->gpu.ordinal;
    return true;
}

static void run_task(struct ert_device_run *const *runs, size_t n, const struct task *task)
{
    struct worker all[ERT_MAX_DEVICES];
    size_t n_all = 0;
    for (size_t i = 0; i < n; i++) {
        struct ert_point from;
        struct worker worker = {.run = runs[i], .number = i};
        if (runs[i]->lost || !multi_gpu_find_case(runs, n, i, task, &from))
            return; /* all at once, or not at all */
        if ((task->alone && !multi_gpu_append(runs[i], &from, 1, &worker.alone)) ||
            !multi_gpu_append(runs[i], &from, (uint32_t)n, &worker.at_once))
            return;
        all[n_all++] = worker;
    }
    run_workers(all, n_all, task->alone);
}

/* The tensor kernel with the most operations per second on a device; ERT_N_KERNELS: none. */
static enum ert_kernel_id fastest_tensor(const struct ert_device_samples *device)
{
    enum ert_kernel_id best = ERT_N_KERNELS;
    double best_rate = 0;
    for (size_t i = 0; i < device->n_points; i++) {
        const struct ert_point *point = &device->points[i];
        if (point->section == ERT_SECTION_COMPUTE &&
            strcmp(ert_kernel_row(point->spec.kernel)->unit, "tensor") == 0 &&
            multi_gpu_fastest(point) > best_rate) {
            best_rate = multi_gpu_fastest(point);
            best = point->spec.kernel;
        }
    }
    return best;
}

/*
 * Appends points of section multi_gpu to each device and measures them: copies of the points that won FP64
 * FMA, the fastest tensor kernel, the load of the largest sets, and the links, with at_once = 1 (alone; not
 * for links) and at_once = n. Links between GPUs have n - 1 shifts, in which device i works with device
 * i + shift, so that every pair is busy in one of them. All start together and work until a common window
 * ends, each at its own rate. Faults are kept with their points; the runs' sessions are open.
 */
static void multi_gpu_meet(struct ert_device_run *const *runs, size_t n)
{
    const struct task tasks[] = {
        {ERT_KERNEL_fma_fp64,             0, true },
        {ERT_KERNEL_load,                 0, true },
        {fastest_tensor(runs[0]->device), 0, true },
        {ERT_KERNEL_h2d_pinned,           0, false},
        {ERT_KERNEL_d2h_pinned,           0, false},
        {ERT_KERNEL_duplex_pinned,        0, false},
    };
    static const enum ert_kernel_id pairs[] = {ERT_KERNEL_peer_write,
                                               ERT_KERNEL_peer_duplex};
    if (!runs[0]->backend->window)
        return;
    for (size_t t = 0; t < ERT_LENGTH(tasks); t++)
        if (tasks[t].kernel != ERT_N_KERNELS && !ert_device_run_stopped(runs[0]))
            run_task(runs, n, &tasks[t]);
    for (size_t shift = 1; shift < n; shift++)
        for (size_t p = 0; p < ERT_LENGTH(pairs); p++) {
            const struct task task = {pairs[p], shift, false};
            if (!ert_device_run_stopped(runs[0]))
                run_task(runs, n, &task);
        }
    ert_device_run_checkpoint(runs[0]);
}

static bool multi_gpu_is_same(const struct ert_spec *a, const struct ert_spec *b)
{
    return a->kernel == b->kernel && a->path == b->path && a->variant == b->variant &&
           a->requested_bytes == b->requested_bytes && a->to == b->to;
}

/* The point with the same spec measured alone: in section multi_gpu, or for links in section links. */
static const struct ert_point *multi_gpu_alone(const struct ert_device_samples *samples,
                                               const struct ert_point *point)
{
    for (size_t i = 0; i < samples->n_points; i++) {
        const struct ert_point *other = &samples->points[i];
        bool is_alone = (other->section == ERT_SECTION_MULTI_GPU && other->at_once == 1) ||
                        (other->section == ERT_SECTION_LINKS &&
                         ert_kernel_row(other->spec.kernel)->kind == ERT_KIND_LINK);
        if (is_alone && ert_levels_is_measured(other) &&
            multi_gpu_is_same(&other->spec, &point->spec))
            return other;
    }
    return NULL;
}

/* The device's rate while all devices ran the same at once, with its rate alone. */
static void multi_gpu_fit(struct ert_extras *extras, const struct ert_point *point)
{
    const struct ert_point *alone = multi_gpu_alone(extras->samples, point);
    char of[32], to[16] = "";
    if (point->at_once <= 1 || !ert_levels_is_measured(point))
        return;
    ert_extras_name(point, ert_extras_level(extras, point), of);
    if (point->spec.to)
        ert_extras_far_end(extras, point->spec.to, to);
    struct ert_ceiling *extra = ert_extras_add_point(
        extras, ERT_CEILING_MULTI_GPU, point, NULL, "%.19s%s%.7s", of, *to ? "-" : "", to);
    if (!extra)
        return;
    memcpy(extra->key.of, of, sizeof extra->key.of);
    memcpy(extra->key.to, to, sizeof extra->key.to);
    snprintf(extra->key.from, sizeof extra->key.from, "%s", extras->device->id);
    extra->key.count = point->at_once;
    if (alone)
        extra->evidence->alone =
            ert_levels_estimate(alone, ert_extras_rate(point, &extra->unit));
}

static const struct ert_ceiling *multi_gpu_twin(const struct ert_device_ceilings *device,
                                                const struct ert_ceiling *extra)
{
    const struct ert_ceiling_span of = ert_ceilings_of(device, ERT_CEILING_MULTI_GPU);
    for (size_t i = 0; i < of.n; i++)
        if (strcmp(of.at[i].name, extra->name) == 0 &&
            of.at[i].key.count == extra->key.count)
            return &of.at[i];
    return NULL;
}

static void multi_gpu_add_up(struct ert_ceilings *ceilings)
{
    for (size_t d = 0; d < ceilings->n_devices; d++) {
        const struct ert_ceiling_span of =
            ert_ceilings_of(&ceilings->devices[d], ERT_CEILING_MULTI_GPU);
        for (size_t i = 0; i < of.n; i++) {
            struct ert_ceiling *extra = &of.at[i];
            double sum = 0, slowest = extra->value;
            uint32_t n = 0;
            for (size_t o = 0; o < ceilings->n_devices; o++) {
                const struct ert_ceiling *twin =
                    multi_gpu_twin(&ceilings->devices[o], extra);
                if (!twin)
                    continue;
                n++;
                sum += twin->value;
                slowest = fmin(slowest, twin->value);
            }
            if (*extra->key.to || n != extra->key.count)
                continue;
            extra->evidence->aggregate = sum;
            extra->evidence->lockstep = n * slowest;
        }
    }
}

const struct ert_section_row ert_section_multi_gpu = {
    .by_default = true,
    .meet = multi_gpu_meet,
    .fit = multi_gpu_fit,
    .fit_machine = multi_gpu_add_up,
};
