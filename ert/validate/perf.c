#include "ert/validate/perf.h"

#include "ert/validate/claims.h"
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

/*
 * Intel SDM volume 3, chapter 20, and Intel's event lists (perfmon-events.intel.com):
 * FP_ARITH_INST_RETIRED (0xC7) counts by register width since Broadwell, an FMA as two;
 * MEM_INST_RETIRED (0xD0) since Skylake.
 */
static const struct {
    enum ert_type type;
    uint32_t vector_bytes;
    uint64_t config;
} arithmetic_rows[] = {
    {ERT_FP64, 16, 0x04C7},
    {ERT_FP32, 16, 0x08C7},
    {ERT_FP64, 32, 0x10C7},
    {ERT_FP32, 32, 0x20C7},
    {ERT_FP64, 64, 0x40C7},
    {ERT_FP32, 64, 0x80C7},
};
static const uint64_t all_loads = 0x81D0, all_stores = 0x82D0;

/* A raw event of Intel's cores and what one count of it stands for. */
struct event {
    uint64_t config; /* umask << 8 | event */
    double weight;   /* operations or bytes */
};

/* The event that counts a type's arithmetic in registers of so many bytes; false: there is none. */
static bool find_arithmetic(enum ert_type type, uint32_t vector_bytes, struct event *event)
{
    for (size_t i = 0; i < sizeof arithmetic_rows / sizeof arithmetic_rows[0]; i++) {
        if (arithmetic_rows[i].type != type ||
            arithmetic_rows[i].vector_bytes != vector_bytes)
            continue;
        *event = (struct event){arithmetic_rows[i].config,
                                vector_bytes / (double)ert_type_bytes(type)};
        return true;
    }
    return false;
}

/* Of one thread, this program's own instructions only. -1 with errno. */
static int open_counter(uint64_t config, pid_t thread)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_RAW,
                                         .size = sizeof attributes,
                                         .config = config,
                                         .disabled = 1,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1,
                        PERF_FLAG_FD_CLOEXEC);
}

/* Whether a counter can be had at all; the reason into reason[size] when not. */
static bool is_available(const struct ert_device *device, char *reason, size_t size)
{
    if (strcmp(device->cpu.vendor, "GenuineIntel") != 0) {
        snprintf(reason, size, "no table of hardware events for %s",
                 *device->cpu.vendor ? device->cpu.vendor : "this CPU");
        return false;
    }
    int fd = open_counter(all_loads, 0);
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

static bool open_all(struct counter *counter, struct event event)
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

/* The weighted sum; closes the counters. NaN when one could not be read. */
static double close_all(struct counter *counter)
{
    double sum = 0;
    for (size_t i = 0; i < counter->n; i++) {
        uint64_t count;
        if (read(counter->fds[i], &count, sizeof count) != sizeof count)
            sum = NAN;
        else
            sum += counter->weight * (double)count;
        close(counter->fds[i]);
    }
    return counter->n ? sum : NAN;
}

/* Events of one replay: its arithmetic, and its loads and stores. */
enum { N_COUNTERS = 3 };

static enum ert_status count(const struct ert_replay *replay, struct ert_session *session,
                             uint64_t passes, const struct event events[N_COUNTERS],
                             double sums[N_COUNTERS], struct ert_error *error)
{
    struct counter *counters = calloc(N_COUNTERS, sizeof *counters);
    struct ert_sample sample;
    bool lost, opened = counters != NULL;
    if (!counters)
        return ert_fail(error, ERT_FAILED, "no memory for counters");
    for (int i = 0; i < N_COUNTERS; i++)
        if (events[i].weight > 0)
            opened = open_all(&counters[i], events[i]) && opened;
    for (int i = 0; i < N_COUNTERS; i++)
        switch_all(&counters[i], PERF_EVENT_IOC_ENABLE);
    enum ert_status status = replay->backend->time(session, passes, &sample, &lost, error);
    for (int i = 0; i < N_COUNTERS; i++)
        switch_all(&counters[i], PERF_EVENT_IOC_DISABLE);
    for (int i = 0; i < N_COUNTERS; i++)
        sums[i] = close_all(&counters[i]);
    free(counters);
    if (status == ERT_OK && !opened)
        status = ert_fail(error, ERT_UNAVAILABLE, "perf_event_open: %s", strerror(errno));
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
    struct event events[N_COUNTERS] = {{0}};
    struct ert_counters counters = {NAN, NAN, NAN, NAN};
    struct ert_code code;
    struct ert_once once = {.case_ = replay->case_, .time_s = region_s};
    double sums[N_COUNTERS];
    bool lost;
    ERT_TRY(replay->backend->code(device, &replay->case_, &code, error));
    ERT_TRY(ert_once_run(replay->backend, session, &once, &lost, error));
    bool has_event = once.work.flops_per_pass > 0 &&
                     find_arithmetic(row->type, code.vector_bytes, &events[0]);
    if (once.work.bytes_per_pass > 0) {
        events[1] = (struct event){all_loads, code.vector_bytes};
        events[2] = (struct event){all_stores, code.vector_bytes};
    }
    ERT_TRY(count(replay, session, once.passes, events, sums, error));
    if (has_event)
        counters.flops = sums[0];
    if (once.work.bytes_per_pass > 0)
        counters.level_bytes = sums[1] + sums[2];
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
