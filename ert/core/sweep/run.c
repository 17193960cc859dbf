/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/sweep/run.h"

#include "ert/core/base/clock.h"
#include "ert/core/machine/activity.h"
#include "ert/core/machine/presence.h"
#include "ert/core/sweep/device_run.h"
#include "ert/core/sweep/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Multi-GPU: whether devices slow each other. Measures the decisive ceilings of some open devices, first each
 * alone, then all at once.
 */

/* A common window, long compared with the jitter of threads released together, about 10 us. */
static const double window_s = 50e-3;

enum { ROUNDS = 3 };

/* What the devices run at once. */
struct task {
    enum ert_kernel_id kernel;
    size_t shift; /* between GPUs: the partner of device i is i + shift; else 0 */
    bool alone;   /* measure alone, too: the main rounds ran side by side */
};

/*
 * How the threads of a task start: each passes the gate, which is closed until it is known whether every
 * worker has a thread, and meets the others at the barrier before each round.
 */
struct start {
    pthread_mutex_t gate;
    bool is_off;
    pthread_barrier_t meeting;
    size_t n;
};

/* One device's part of a task. */
struct worker {
    struct ert_device_run *run;
    size_t index; /* of the point */
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
            (!best || ert_point_fastest(point) > ert_point_fastest(best)))
            best = point;
    }
    return best;
}

static bool sweep_run_append(struct ert_device_run *run, const struct ert_point *from,
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

/* Every worker waits at every round's barrier, or the others would wait for ever. */
static void *work_at_once(void *context)
{
    struct worker *worker = context;
    struct ert_device_run *run = worker->run;
    struct ert_point *point = &run->device->points[worker->index];
    struct ert_error error = {0};
    struct ert_work pass = {0};
    struct ert_sample sample;
    enum ert_status status =
        run->backend->prepare(run->session, &point->spec, &pass, &error);
    ert_device_run_report(run, ert_point_describe(point).text, NULL);
    point->work = pass;
    /* A region first, so that the window does not begin with measuring how long a pass takes. */
    if (status == ERT_OK)
        status = run->backend->time(run->session, point->passes ? point->passes : 1,
                                    &sample, &run->lost, &error);
    pthread_mutex_lock(&worker->start->gate);
    bool is_off = worker->start->is_off;
    pthread_mutex_unlock(&worker->start->gate);
    for (int round = 0; round < ROUNDS && !is_off; round++) {
        pthread_barrier_wait(&worker->start->meeting);
        if (status != ERT_OK || run->lost || ert_device_run_stopped(run))
            continue;
        status = run->backend->window(run->session, window_s, &sample, &run->lost, &error);
        pthread_mutex_lock(&run->shared->lock);
        if (status == ERT_OK)
            status = ert_point_add(point, &sample, &error);
        pthread_mutex_unlock(&run->shared->lock);
    }
    if (is_off)
        status = ert_fail(&error, ERT_UNAVAILABLE,
                          "the host cannot start a thread for each of %zu devices",
                          worker->start->n);
    if (status == ERT_OK && point->n_samples > 0)
        status = run->backend->verify(run->session, &error);
    if (status != ERT_OK)
        ert_device_run_keep_fault(run, point, &error);
    else if (point->n_samples > 0)
        point->status = ERT_POINT_MEASURED;
    return NULL;
}

/* Runs n workers, which have their points, at once; or none if they cannot all have threads. */
static void run_workers(struct worker *workers, size_t n)
{
    struct start start = {.gate = PTHREAD_MUTEX_INITIALIZER, .n = n};
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
static bool sweep_run_find_case(struct ert_device_run *const *runs, size_t n, size_t i,
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
        struct worker worker = {.run = runs[i]};
        if (runs[i]->lost || !sweep_run_find_case(runs, n, i, task, &from))
            return; /* all at once, or not at all */
        if (task->alone && sweep_run_append(runs[i], &from, 1, &worker.index))
            run_workers(&worker, 1);
        if (!sweep_run_append(runs[i], &from, (uint32_t)n, &worker.index))
            return;
        all[n_all++] = worker;
    }
    run_workers(all, n_all);
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
            ert_point_fastest(point) > best_rate) {
            best_rate = ert_point_fastest(point);
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
static void sweep_run_measure_at_once(struct ert_device_run *const *runs, size_t n)
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
    if (!runs[0]->samples->config.sections[ERT_SECTION_MULTI_GPU] ||
        !runs[0]->backend->window)
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

/* One device and its part of the run. */
struct part {
    struct ert_device_run run;
    enum ert_rounds_end end;
    pthread_t thread;
    bool is_thread;
    struct ert_activity_cpus cpus; /* usable CPUs, before threads are pinned */
    struct ert_activity_snapshot before;
    struct ert_presence presence;
};

/* Copies of several devices would share the host's links, so they are measured alone. */
static const bool alone[ERT_N_SECTIONS] = {[ERT_SECTION_LINKS] = true};

static const char *status_of(enum ert_rounds_end end, const struct ert_error *fault)
{
    static const char *const words[] = {"complete", "budget", "failed", "interrupted"};
    bool is_fault = fault->status != ERT_OK && end != ERT_ROUNDS_STOPPED;
    return words[is_fault ? ERT_ROUNDS_LOST : end];
}

static void sweep_run_conclude(struct part *part)
{
    struct ert_device_run *run = &part->run;
    struct ert_device_samples *device = run->device;
    snprintf(device->status, sizeof device->status, "%s",
             status_of(part->end, &run->fault));
    device->elapsed_s = ert_clock_now_s() - run->start_s;
    struct ert_activity_snapshot after;
    ert_activity_look("", &part->cpus, &after);
    device->activity = ert_activity_between(&part->before, &after);
    if (!ert_backend_is_fake(run->about))
        ert_presence_end(&part->presence, device->activity.other_runs,
                         sizeof device->activity.other_runs);
    if (run->fault.status != ERT_OK)
        snprintf(device->reason, sizeof device->reason, "%.255s", run->fault.text);
    else if (part->end == ERT_ROUNDS_OUT_OF_TIME)
        snprintf(device->reason, sizeof device->reason,
                 "the time budget of %g s ended before all points were measured; increase "
                 "--budget",
                 run->samples->config.budget_s);
}

/* Keeps the observation of the open device with its samples. */
static enum ert_status sweep_run_observe(struct ert_device_run *run,
                                         struct ert_error *error)
{
    struct ert_observation seen;
    if (!run->backend->observe)
        return ERT_OK;
    ERT_TRY(run->backend->observe(run->session, &seen, error));
    uint32_t *cpus = calloc(seen.n_cpus + 1, sizeof *cpus);
    if (!cpus)
        return ert_fail(error, ERT_FAILED, "no memory for %u CPUs", seen.n_cpus);
    memcpy(cpus, seen.cpus, seen.n_cpus * sizeof *cpus);
    seen.cpus = cpus;
    run->device->observation = seen;
    run->window_s = ert_device_run_window_s(run);
    return ERT_OK;
}

static bool open_part(struct part *part)
{
    struct ert_device_run *run = &part->run;
    struct ert_device_samples *device = run->device;
    struct ert_session_options options =
        ert_plan_options(&run->samples->config, &device->context);
    struct ert_error error = {0};
    options.stop = run->hooks->stop;
    run->start_s = ert_clock_now_s();
    ert_device_run_report(run, "opening", NULL);
    if (ert_schedule_open(&run->schedule, &run->samples->config, run->about, device,
                          &error) == ERT_OK &&
        run->backend->open(run->about, &options, &run->session, device->notes,
                           sizeof device->notes, &error) == ERT_OK &&
        sweep_run_observe(run, &error) == ERT_OK)
        return true;
    if (ert_device_run_stopped(run))
        part->end = ERT_ROUNDS_STOPPED;
    else
        ert_fail(&run->fault, error.status, "%s: %s", device->device, error.text);
    return false;
}

static void *measure_part(void *context)
{
    struct part *part = context;
    bool side_by_side[ERT_N_SECTIONS];
    for (int s = 0; s < ERT_N_SECTIONS; s++)
        side_by_side[s] = !alone[s] && s != ERT_SECTION_MULTI_GPU;
    part->end = ERT_ROUNDS_LOST;
    if (!open_part(part))
        return NULL;
    part->end = ert_rounds_all(&part->run, side_by_side);
    if (part->end == ERT_ROUNDS_DONE)
        part->end = ert_rounds_sustained(&part->run);
    return NULL;
}

static void measure_side_by_side(struct part *parts, size_t n)
{
    for (size_t i = 1; i < n; i++)
        parts[i].is_thread =
            pthread_create(&parts[i].thread, NULL, measure_part, &parts[i]) == 0;
    measure_part(&parts[0]);
    for (size_t i = 1; i < n; i++)
        if (parts[i].is_thread)
            pthread_join(parts[i].thread, NULL);
        else
            measure_part(&parts[i]);
}

/*
 * Measures some devices of one backend: side by side, since their ceilings share nothing but the host; then
 * links, which they do share, one device after the other; then the decisive ceilings alone and all at once,
 * which shows whether devices slow each other.
 */
static enum ert_rounds_end sweep_run_run_group(struct part *parts, size_t n)
{
    enum ert_rounds_end worst = ERT_ROUNDS_DONE;
    for (size_t i = 0; i < n; i++) {
        ert_activity_usable(&parts[i].cpus);
        ert_activity_look("", &parts[i].cpus, &parts[i].before);
        const struct ert_device *about = parts[i].run.about;
        if (!ert_backend_is_fake(about)) /* nobody else uses a planted machine */
            ert_presence_begin(*about->gpu.uuid ? about->gpu.uuid : about->id,
                               &parts[i].presence);
    }
    measure_side_by_side(parts, n);
    for (size_t i = 0; i < n; i++)
        if (parts[i].end == ERT_ROUNDS_DONE)
            parts[i].end = ert_rounds_all(&parts[i].run, alone);
    struct ert_device_run *runs[ERT_MAX_DEVICES];
    size_t n_runs = 0;
    for (size_t i = 0; i < n; i++)
        if (parts[i].end == ERT_ROUNDS_DONE)
            runs[n_runs++] = &parts[i].run;
    if (n_runs > 1)
        sweep_run_measure_at_once(runs, n_runs);
    for (size_t i = 0; i < n; i++) {
        if (parts[i].run.session)
            parts[i].run.backend->close(parts[i].run.session);
        ert_schedule_close(&parts[i].run.schedule);
        sweep_run_conclude(&parts[i]);
        worst = parts[i].end > worst ? parts[i].end : worst;
    }
    return worst;
}

static size_t group_size(const struct part *parts, size_t n)
{
    size_t size = 1;
    while (size < n && parts[0].run.about->kind == ERT_DEVICE_GPU &&
           parts[size].run.about->kind == ERT_DEVICE_GPU &&
           parts[size].run.backend == parts[0].run.backend)
        size++;
    return size;
}

static enum ert_status sweep_run_judge(struct ert_samples *samples,
                                       enum ert_rounds_end worst,
                                       const struct ert_error *first,
                                       struct ert_error *error)
{
    snprintf(samples->status, sizeof samples->status, "%s", status_of(worst, first));
    if (worst == ERT_ROUNDS_STOPPED)
        return ert_fail(error, ERT_FAILED, "interrupted");
    if (first->status != ERT_OK)
        return ert_fail(error, first->status, "%s", first->text);
    return ERT_OK;
}

enum ert_status ert_run(struct ert_samples *samples, const struct ert_run_hooks *hooks,
                        struct ert_error *error)
{
    struct part *parts = calloc(samples->n_devices, sizeof *parts);
    struct ert_error first = {0};
    enum ert_rounds_end worst = ERT_ROUNDS_DONE;
    struct ert_device_run_shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
    if (!parts)
        return ert_fail(error, ERT_FAILED, "out of memory for %zu devices",
                        samples->n_devices);
    for (size_t i = 0; i < samples->n_devices; i++) {
        struct ert_device_run *run = &parts[i].run;
        *run = (struct ert_device_run){.samples = samples,
                                       .device = &samples->devices[i],
                                       .about = &samples->devices[i].context.device,
                                       .hooks = hooks,
                                       .shared = &shared};
        run->backend = ert_backend_find(run->about->backend);
    }
    for (size_t i = 0, n; i < samples->n_devices && worst != ERT_ROUNDS_STOPPED; i += n) {
        n = group_size(parts + i, samples->n_devices - i);
        enum ert_rounds_end end = sweep_run_run_group(parts + i, n);
        worst = end > worst ? end : worst;
        for (size_t k = i; k < i + n && first.status == ERT_OK; k++)
            first = parts[k].run.fault;
    }
    pthread_mutex_destroy(&shared.lock);
    free(parts);
    return sweep_run_judge(samples, worst, &first, error);
}
