/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/sweep/run.h"

#include "ert/core/base/clock.h"
#include "ert/core/machine/activity.h"
#include "ert/core/machine/presence.h"
#include "ert/core/sweep/device_run.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The sections whose cases take turns, or all others but those that meet. */
static enum ert_rounds_end run_rounds(struct ert_device_run *run, bool in_turns)
{
    bool chosen[ERT_N_SECTIONS];
    for (int s = 0; s < ERT_N_SECTIONS; s++) {
        const struct ert_section_row *row = ert_sections[s];
        chosen[s] = !row->meet && row->takes_turns == in_turns;
    }
    return ert_rounds_all(run, chosen);
}

static const char *status_of(enum ert_rounds_end end, const struct ert_error *fault)
{
    static const char *const words[] = {"complete", "budget", "failed", "interrupted"};
    bool is_fault = fault->status != ERT_OK && end != ERT_ROUNDS_STOPPED;
    return words[is_fault ? ERT_ROUNDS_LOST : end];
}

static void run_conclude(struct part *part)
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
static enum ert_status run_observe(struct ert_device_run *run, struct ert_error *error)
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
        run_observe(run, &error) == ERT_OK)
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
    part->end = ERT_ROUNDS_LOST;
    if (!open_part(part))
        return NULL;
    part->end = run_rounds(&part->run, false);
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
 * what would share it, one device after the other; then what they measure together.
 */
static enum ert_rounds_end run_run_group(struct part *parts, size_t n)
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
            parts[i].end = run_rounds(&parts[i].run, true);
    struct ert_device_run *runs[ERT_MAX_DEVICES];
    size_t n_runs = 0;
    for (size_t i = 0; i < n; i++)
        if (parts[i].end == ERT_ROUNDS_DONE)
            runs[n_runs++] = &parts[i].run;
    for (int s = 0; s < ERT_N_SECTIONS && n_runs > 1; s++)
        if (runs[0]->samples->config.sections[s] && ert_sections[s]->meet)
            ert_sections[s]->meet(runs, n_runs);
    for (size_t i = 0; i < n; i++) {
        if (parts[i].run.session)
            parts[i].run.backend->close(parts[i].run.session);
        ert_schedule_close(&parts[i].run.schedule);
        run_conclude(&parts[i]);
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

static enum ert_status run_judge(struct ert_samples *samples, enum ert_rounds_end worst,
                                 const struct ert_error *first, struct ert_error *error)
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
        enum ert_rounds_end end = run_run_group(parts + i, n);
        worst = end > worst ? end : worst;
        for (size_t k = i; k < i + n && first.status == ERT_OK; k++)
            first = parts[k].run.fault;
    }
    pthread_mutex_destroy(&shared.lock);
    free(parts);
    return run_judge(samples, worst, &first, error);
}
