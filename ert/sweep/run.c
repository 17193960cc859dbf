#include "ert/sweep/run.h"

#include "ert/base/clock.h"
#include "ert/machine/activity.h"
#include "ert/sweep/plan.h"
#include "ert/sweep/rounds.h"
#include "ert/sweep/together.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One device and its part of the run. */
struct part {
    struct ert_bench bench;
    enum ert_rounds_end end;
    bool *chosen;
    pthread_t thread;
    bool is_thread;
    struct ert_activity_cpus cpus; /* that we may use, before threads are pinned */
    struct ert_activity_snapshot before;
};

/* Copies over a link that others use meanwhile would measure the others: one device at a time. */
static const bool side_by_side[ERT_N_SECTIONS] = {
    [ERT_SECTION_LEVELS] = true, [ERT_SECTION_COMPUTE] = true,
    [ERT_SECTION_MIXED] = true,  [ERT_SECTION_LATENCY] = true,
    [ERT_SECTION_ACCESS] = true, [ERT_SECTION_CONCURRENCY] = true,
    [ERT_SECTION_PLACES] = true, [ERT_SECTION_ERT110] = true,
};
static const bool alone[ERT_N_SECTIONS] = {[ERT_SECTION_LINKS] = true};

static void conclude(struct part *part)
{
    static const char *const words[] = {"complete", "budget", "failed", "interrupted"};
    struct ert_bench *bench = &part->bench;
    struct ert_device_samples *device = bench->device;
    bool is_fault = bench->fault.status != ERT_OK && part->end != ERT_ROUNDS_STOPPED;
    snprintf(device->status, sizeof device->status, "%s",
             words[is_fault ? ERT_ROUNDS_LOST : part->end]);
    device->seconds = ert_clock_now_s() - bench->start_s;
    struct ert_activity_snapshot after;
    ert_activity_look("", &part->cpus, &after);
    device->activity = ert_activity_between(&part->before, &after);
    if (bench->fault.status != ERT_OK)
        snprintf(device->reason, sizeof device->reason, "%.255s", bench->fault.text);
    else if (part->end == ERT_ROUNDS_OUT_OF_TIME)
        snprintf(
            device->reason, sizeof device->reason,
            "the time budget of %g s ended before all points were measured; --budget gives "
            "more",
            bench->samples->config.budget_s);
}

/* What the open device shows of itself stays with its samples. */
static enum ert_status observe(struct ert_bench *bench, struct ert_error *error)
{
    struct ert_observation seen;
    if (!bench->backend->observe)
        return ERT_OK;
    ERT_TRY(bench->backend->observe(bench->session, &seen, error));
    uint32_t *cpus = calloc(seen.n_cpus + 1, sizeof *cpus);
    if (!cpus)
        return ert_fail(error, ERT_FAILED, "no memory for %u CPUs", seen.n_cpus);
    memcpy(cpus, seen.cpus, seen.n_cpus * sizeof *cpus);
    seen.cpus = cpus;
    bench->device->observation = seen;
    bench->window_s = ert_bench_window_s(bench);
    return ERT_OK;
}

static bool open_part(struct part *part)
{
    struct ert_bench *bench = &part->bench;
    struct ert_device_samples *device = bench->device;
    struct ert_session_options options =
        ert_plan_options(&bench->samples->config, &device->context);
    struct ert_error error = {0};
    options.stop = bench->hooks->stop;
    bench->start_s = ert_clock_now_s();
    ert_bench_report(bench, "opening", NULL);
    part->chosen = calloc(device->n_points + 1, sizeof *part->chosen);
    if (!part->chosen) {
        ert_fail(&bench->fault, ERT_FAILED, "no memory for %zu points", device->n_points);
        return false;
    }
    if (bench->backend->open(bench->about, &options, &bench->session, device->notes,
                             sizeof device->notes, &error) == ERT_OK &&
        observe(bench, &error) == ERT_OK)
        return true;
    if (ert_bench_stopped(bench))
        part->end = ERT_ROUNDS_STOPPED;
    else
        ert_fail(&bench->fault, error.status, "%s: %s", device->device, error.text);
    return false;
}

/* A thread's work: all that can be measured beside other devices. */
static void *measure_part(void *context)
{
    struct part *part = context;
    part->end = ERT_ROUNDS_LOST;
    if (!open_part(part))
        return NULL;
    part->end = ert_rounds_all(&part->bench, side_by_side, part->chosen);
    if (part->end == ERT_ROUNDS_DONE)
        part->end = ert_rounds_sustained(&part->bench, part->chosen);
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

static void measure_together(struct part *parts, size_t n)
{
    struct ert_bench *benches[ERT_MAX_DEVICES];
    size_t n_benches = 0;
    for (size_t i = 0; i < n; i++)
        if (parts[i].end == ERT_ROUNDS_DONE)
            benches[n_benches++] = &parts[i].bench;
    if (n_benches > 1)
        ert_together(benches, n_benches);
}

/*
 * Measures some devices of one backend: side by side, since their ceilings do not share anything
 * but the host; then what they do share, the links, one after the other; then the decisive ceilings
 * alone and all at once, which says whether they slow each other.
 */
static enum ert_rounds_end run_group(struct part *parts, size_t n)
{
    enum ert_rounds_end worst = ERT_ROUNDS_DONE;
    for (size_t i = 0; i < n; i++) {
        ert_activity_usable(&parts[i].cpus);
        ert_activity_look("", &parts[i].cpus, &parts[i].before);
    }
    measure_side_by_side(parts, n);
    for (size_t i = 0; i < n; i++)
        if (parts[i].end == ERT_ROUNDS_DONE)
            parts[i].end = ert_rounds_all(&parts[i].bench, alone, parts[i].chosen);
    measure_together(parts, n);
    for (size_t i = 0; i < n; i++) {
        if (parts[i].bench.session)
            parts[i].bench.backend->close(parts[i].bench.session);
        free(parts[i].chosen);
        conclude(&parts[i]);
        worst = parts[i].end > worst ? parts[i].end : worst;
    }
    return worst;
}

/* How many devices from `first` on are measured side by side: GPUs of one backend. */
static size_t group_size(const struct part *parts, size_t n)
{
    size_t size = 1;
    while (size < n && parts[0].bench.about->kind == ERT_DEVICE_GPU &&
           parts[size].bench.about->kind == ERT_DEVICE_GPU &&
           parts[size].bench.backend == parts[0].bench.backend)
        size++;
    return size;
}

static enum ert_status judge(struct ert_samples *samples, enum ert_rounds_end worst,
                             const struct ert_error *first, struct ert_error *error)
{
    const char *status = "complete";
    if (worst == ERT_ROUNDS_STOPPED)
        status = "interrupted";
    else if (first->status != ERT_OK)
        status = "failed";
    else if (worst == ERT_ROUNDS_OUT_OF_TIME)
        status = "budget";
    snprintf(samples->status, sizeof samples->status, "%s", status);
    if (worst == ERT_ROUNDS_STOPPED)
        return ert_fail(error, ERT_FAILED, "interrupted; what was measured is kept");
    if (first->status != ERT_OK)
        return ert_fail(error, first->status, "%s", first->text);
    return ERT_OK;
}

enum ert_status ert_run(struct ert_samples *samples, const struct ert_run_hooks *hooks,
                        struct ert_error *error)
{
    struct part parts[ERT_MAX_DEVICES] = {0};
    struct ert_error first = {0};
    enum ert_rounds_end worst = ERT_ROUNDS_DONE;
    struct ert_bench_shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
    for (size_t i = 0; i < samples->n_devices; i++) {
        struct ert_bench *bench = &parts[i].bench;
        *bench = (struct ert_bench){.samples = samples,
                                    .device = &samples->devices[i],
                                    .about = &samples->devices[i].context.device,
                                    .hooks = hooks,
                                    .shared = &shared};
        bench->backend = ert_backend_find(bench->about->backend);
    }
    for (size_t i = 0, n; i < samples->n_devices && worst != ERT_ROUNDS_STOPPED; i += n) {
        n = group_size(parts + i, samples->n_devices - i);
        enum ert_rounds_end end = run_group(parts + i, n);
        worst = end > worst ? end : worst;
        for (size_t k = i; k < i + n && first.status == ERT_OK; k++)
            first = parts[k].bench.fault;
    }
    pthread_mutex_destroy(&shared.lock);
    return judge(samples, worst, &first, error);
}
