#include "ert/validate/perf.h"

#include "ert/validate/claims.h"
#include "ert/validate/events.h"
#include "ert/validate/once.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of one thread, this program's own instructions only. -1 with errno. */
static int open_counter(uint64_t config, pid_t thread)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_RAW,
                                         .size = sizeof attributes,
                                         .config = config,
                                         .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                        PERF_FORMAT_TOTAL_TIME_RUNNING,
                                         .disabled = 1,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1,
                        PERF_FLAG_FD_CLOEXEC);
}

/* Whether a counter can be had at all; the reason into reason[size] when not. */
static bool is_available(const struct ert_device *device, char *reason, size_t size)
{
    struct ert_error unknown = {0};
    if (ert_events_known(&device->cpu, &unknown) != ERT_OK) {
        snprintf(reason, size, "%.191s", unknown.text);
        return false;
    }
    int fd =
        open_counter(ert_events_operations(&device->cpu, ERT_FP64, 0).list[0].config, 0);
    if (fd >= 0) {
        close(fd);
        return true;
    }
    snprintf(reason, size, "no hardware counters: perf_event_open: %s%s", strerror(errno),
             errno == EACCES || errno == EPERM
                 ? " (see /proc/sys/kernel/perf_event_paranoid)"
                 : "");
    return false;
}

enum { MAX_THREADS = 1024 };

/* One event on every thread of this process. */
struct counter {
    double weight;
    size_t n;
    int fds[MAX_THREADS];
};

static bool open_all(struct counter *counter, struct ert_event event)
{
    DIR *tasks = opendir("/proc/self/task");
    bool done = tasks != NULL;
    counter->weight = event.weight;
    counter->n = 0;
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        pid_t thread = (pid_t)atoi(entry->d_name);
        if (thread <= 0 || counter->n == MAX_THREADS)
            continue;
        int fd = open_counter(event.config, thread);
        done = done && fd >= 0;
        if (fd >= 0)
            counter->fds[counter->n++] = fd;
    }
    if (tasks)
        closedir(tasks);
    return done;
}

static void switch_all(struct counter *counter, unsigned long request)
{
    for (size_t i = 0; i < counter->n; i++)
        ioctl(counter->fds[i], request, 0);
}

/* What read(2) gives with the read_format above. */
struct reading {
    uint64_t count, enabled_ns, running_ns;
};

/* Of its time that a counter must have run; else it took turns with others. */
static const double least_running = 0.999;

/* The weighted sum; closes the counters. NaN when one could not be read, or did not run throughout. */
static double close_all(struct counter *counter)
{
    double sum = 0;
    for (size_t i = 0; i < counter->n; i++) {
        struct reading reading;
        if (read(counter->fds[i], &reading, sizeof reading) != sizeof reading ||
            (double)reading.running_ns < least_running * (double)reading.enabled_ns)
            sum = NAN;
        else
            sum += counter->weight * (double)reading.count;
        close(counter->fds[i]);
    }
    return counter->n ? sum : NAN;
}

/*
 * One quantity of one region, so that there are counters enough: AMD's have six, operations take two of
 * them, and the kernel's watchdog one. *sum is NaN where no event says it.
 */
static enum ert_status count(const struct ert_replay *replay, struct ert_session *session,
                             uint64_t passes, struct ert_events events, double *sum,
                             struct ert_error *error)
{
    struct ert_sample sample;
    bool lost, opened = true;
    *sum = NAN;
    if (events.n == 0)
        return ERT_OK;
    struct counter *counters = calloc(events.n, sizeof *counters);
    if (!counters)
        return ert_fail(error, ERT_FAILED, "no memory for counters");
    for (size_t i = 0; i < events.n; i++)
        opened = open_all(&counters[i], events.list[i]) && opened;
    int reason = errno;
    for (size_t i = 0; i < events.n; i++)
        switch_all(&counters[i], PERF_EVENT_IOC_ENABLE);
    enum ert_status status = replay->backend->time(session, passes, &sample, &lost, error);
    for (size_t i = 0; i < events.n; i++)
        switch_all(&counters[i], PERF_EVENT_IOC_DISABLE);
    *sum = 0;
    for (size_t i = 0; i < events.n; i++)
        *sum += close_all(&counters[i]);
    free(counters);
    if (status == ERT_OK && !opened)
        status = ert_fail(error, ERT_UNAVAILABLE, "perf_event_open: %s", strerror(reason));
    else if (status == ERT_OK && isnan(*sum))
        status = ert_fail(error, ERT_UNAVAILABLE,
                          "the counters were shared with others, or could not be read");
    return status;
}

/*
 * What a region runs besides its passes (warming up, looking at the clock) takes less than 0.1 ms:
 * 0.2 % of this.
 */
static const double region_s = 0.05;

static enum ert_status prove_one(const struct ert_device *device, struct ert_replay *replay,
                                 struct ert_session *session, struct ert_error *error)
{
    const struct ert_kernel *row = ert_kernel_row(replay->case_.kernel);
    struct ert_events operations = {0}, accesses = {0}, fills = {0};
    struct ert_counters counters = {NAN, NAN, NAN, NAN};
    struct ert_code code;
    struct ert_once once = {.case_ = replay->case_, .time_s = region_s};
    bool lost;
    ERT_TRY(replay->backend->code(device, &replay->case_, &code, error));
    ERT_TRY(ert_once_run(replay->backend, session, &once, &lost, error));
    if (once.work.flops_per_pass > 0)
        operations = ert_events_operations(&device->cpu, row->type, code.vector_bytes);
    /* A prefetch counts as a load on Intel's cores; of AMD's no document says. */
    if (once.work.bytes_per_pass > 0 && code.prefetches == 0)
        accesses = ert_events_accesses(&device->cpu, code.vector_bytes);
    if (once.work.bytes_per_pass > 0 && replay->level)
        fills = ert_events_fills(&device->cpu, replay->level->name);
    ERT_TRY(count(replay, session, once.passes, operations, &counters.flops, error));
    ERT_TRY(count(replay, session, once.passes, accesses, &counters.level_bytes, error));
    ERT_TRY(count(replay, session, once.passes, fills, &counters.deeper_bytes, error));
    const struct ert_region_totals totals = {
        .bytes = once.work.bytes_per_pass * (double)once.passes,
        .flops =
            ert_claims_flops(device->kind, &replay->case_, &code,
                             once.work.flops_per_pass * (double)once.passes, once.passes)};
    ert_counters_judge(&counters, &totals, replay->case_.kernel, "perf",
                       &replay->ceiling->proof);
    return ERT_OK;
}

void ert_perf_prove(const struct ert_ceilings *ceilings, const struct ert_device *device,
                    struct ert_replay *replays, size_t n)
{
    struct ert_error error = {0};
    struct ert_session *session = NULL;
    char reason[192] = "", notes[512];
    const struct ert_backend *backend = ert_backend_find(device->backend);
    if (!backend || !backend->code)
        snprintf(reason, sizeof reason, "%s runs no kernel that could be counted",
                 device->id);
    else if (is_available(device, reason, sizeof reason)) {
        struct ert_session_options options =
            ert_replay_options(ceilings, device, replays, n);
        options.timeout_s = 60;
        options.seed = 1;
        if (backend->open(device, &options, &session, notes, sizeof notes, &error) !=
            ERT_OK)
            snprintf(reason, sizeof reason, "%.191s", error.text);
    }
    for (size_t i = 0; i < n; i++) {
        struct ert_error why = {0};
        if (*reason || *replays[i].reason)
            ert_counters_missing(&replays[i].ceiling->proof,
                                 *reason ? reason : replays[i].reason);
        else if (prove_one(device, &replays[i], session, &why) != ERT_OK)
            ert_counters_missing(&replays[i].ceiling->proof, why.text);
    }
    if (session)
        backend->close(session);
}
