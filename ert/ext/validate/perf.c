/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/validate/perf.h"

#include "ert/core/base/alloc.h"
#include "ert/core/fit/replay.h"
#include "ert/ext/validate/claims.h"

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

/* Opens a counter of one thread, for this program's own instructions only. -1 with errno. */
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

/* One event on every thread of this process. */
struct counter {
    double weight;
    size_t n, capacity;
    int *fds; /* malloc, owned until close_all() */
};

static bool open_all(struct counter *counter, struct ert_event event)
{
    DIR *tasks = opendir("/proc/self/task");
    bool done = tasks != NULL;
    counter->weight = event.weight;
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        pid_t thread = (pid_t)atoi(entry->d_name);
        if (thread <= 0)
            continue;
        int fd = open_counter(event.config, thread);
        done = done && fd >= 0;
        if (fd < 0)
            continue;
        counter->fds = ert_xgrow(counter->fds, counter->n, &counter->capacity, sizeof fd);
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

/* The data that read(2) returns for the read_format above. */
struct reading {
    uint64_t count, enabled_ns, running_ns;
};

/* The share of its time that a counter must have run; else it was multiplexed. */
static const double least_running = 0.999;

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
    free(counter->fds);
    return counter->n ? sum : NAN;
}

/*
 * Counts one quantity of one region, so that there are enough counters: AMD's cores have six, of which
 * operations take two and the kernel's watchdog one. *sum is NaN if no event counts it.
 */
static enum ert_status validate_perf_count(const struct ert_replay *replay,
                                           struct ert_session *session, uint64_t passes,
                                           struct ert_events events, double *sum,
                                           struct ert_error *error)
{
    struct ert_sample sample;
    bool lost, opened = true;
    *sum = NAN;
    if (events.n == 0)
        return ERT_OK;
    struct counter *counters = ert_xcalloc(events.n, sizeof *counters);
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
                          "the counters were multiplexed, or could not be read");
    return status;
}

/*
 * The time of a region. Warm-up and clock measurement, which it runs besides its passes, take less than
 * 0.1 ms, 0.2 % of it.
 */
static const double region_s = 0.05;

static enum ert_status prove_one(const struct ert_device *device, struct ert_replay *replay,
                                 struct ert_session *session, struct ert_error *error)
{
    const struct ert_kernel *row = ert_kernel_row(replay->spec.kernel);
    struct ert_events operations = {0}, accesses = {0}, fills = {0};
    struct ert_counters counters = {NAN, NAN, NAN, NAN};
    struct ert_code code;
    struct ert_region region = {.spec = replay->spec, .time_s = region_s};
    bool lost;
    ERT_TRY(replay->backend->code(device, &replay->spec, &code, error));
    ERT_TRY(ert_region_run(replay->backend, session, &region, &lost, error));
    if (region.work.flops_per_pass > 0)
        operations = ert_events_operations(&device->cpu, row->type, code.vector_bytes);
    /* A prefetch counts as a load on Intel's cores; on AMD's that is undocumented. */
    if (region.work.bytes_per_pass > 0 && code.prefetches == 0)
        accesses = ert_events_accesses(&device->cpu, code.vector_bytes);
    if (region.work.bytes_per_pass > 0 && replay->level)
        fills = ert_events_fills(&device->cpu, replay->level->name);
    ERT_TRY(validate_perf_count(replay, session, region.passes, operations, &counters.flops,
                                error));
    ERT_TRY(validate_perf_count(replay, session, region.passes, accesses,
                                &counters.level_bytes, error));
    ERT_TRY(validate_perf_count(replay, session, region.passes, fills,
                                &counters.deeper_bytes, error));
    const struct ert_region_totals totals = {
        .bytes = region.work.bytes_per_pass * (double)region.passes,
        .flops = ert_claims_flops(device->kind, &replay->spec, &code,
                                  region.work.flops_per_pass * (double)region.passes,
                                  region.passes)};
    ert_counters_judge(&counters, &totals, replay->spec.kernel, "perf",
                       &replay->ceiling->evidence->proof);
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
        struct ert_session_options options;
        enum ert_status status =
            ert_replay_options(ceilings, device, replays, n, &options, &error);
        options.timeout_s = 60;
        options.seed = 1;
        if (status == ERT_OK)
            status = backend->open(device, &options, &session, notes, sizeof notes, &error);
        if (status != ERT_OK)
            snprintf(reason, sizeof reason, "%.191s", error.text);
    }
    for (size_t i = 0; i < n; i++) {
        struct ert_error why = {0};
        if (*reason || *replays[i].reason)
            ert_counters_missing(&replays[i].ceiling->evidence->proof,
                                 *reason ? reason : replays[i].reason);
        else if (prove_one(device, &replays[i], session, &why) != ERT_OK)
            ert_counters_missing(&replays[i].ceiling->evidence->proof, why.text);
    }
    if (session)
        backend->close(session);
}

/*
 * Intel: SDM volume 3, chapter 20, and Intel's event lists (perfmon-events.intel.com): FP_ARITH_INST_RETIRED
 * (0xC7) counts instructions by register width since Broadwell, an FMA as two; MEM_INST_RETIRED (0xD0) since
 * Skylake. No fills: each generation has other events for where lines come from.
 *
 * AMD: "Core Performance Monitor Counters" in the Processor Programming References 54945 (Zen), 55803
 * (Zen 2), 55898 (Zen 3) and 55901 (Zen 4), and section 1.4 of "Performance Monitor Counters for AMD Family
 * 1Ah Model 00h-0Fh Processors", 58550 (Zen 5), as Linux's tools/perf/pmu-events/arch/x86/amdzen1 to amdzen5
 * (floating-point, memory, cache, load-store.json) and illumos' usr/src/data/amdpmc have them.
 *   PMCx003, fp_ret_sse_avx_ops: retired operations, a multiply-add as two. Zen has masks for each type; from
 *     Zen 2 on ".all" counts all types together, which suffices for known code. Above 15 per clock it needs a
 *     second counter, which Linux adds by itself (arch/x86/events/amd/core.c). BF16 has its own mask on
 *     Zen 4; for Zen 5 the documents contradict each other. FP16 and integers: no event.
 *   PMCx029, ls_dispatch: loads (1) and stores (2) dispatched to the load-store unit; masks add up. It
 *     includes the few that never retire. Its count of accesses wider than the path is undocumented: no row.
 *   PMCx044, ls_any_fills_from_sys: lines that entered L1, by source. On Zen and Zen 2 demand fills
 *     (PMCx043), software (x059) and hardware prefetches (x05A) are separate, and another CCX of the same die
 *     counts as the own L3. Lines that the L2 prefetcher fetched in time count as L2's: beyond L2 and L3 the
 *     counts are lower bounds. They show that a level did not have its data, not which bytes L3 or DRAM
 *     delivered.
 *   DRAM controllers are counted for the whole machine, and only by root: no row.
 */
/* Sets of cores. */
enum { INTEL = 1, ZEN = 2, ZEN2 = 4, ZEN3 = 8, ZEN4 = 16, ZEN5 = 32 };

/*
 * Generations of Zen by model: Linux's arch/x86/kernel/cpu/amd.c. path_bytes, the width of a load: as in
 * theory_cores.def, which has no document for Zen 5's models 20h-2Fh and 60h-7Fh: these have at least 32.
 */
static const struct model {
    const char *vendor;
    uint32_t family, first, last;
    unsigned core;
    uint32_t path_bytes;
} models[] = {
    {"GenuineIntel", 0x06, 0x00, 0xff, INTEL, 64},
    {"AuthenticAMD", 0x17, 0x00, 0x2f, ZEN,   16},
    {"AuthenticAMD", 0x17, 0x50, 0x5f, ZEN,   16},
    {"AuthenticAMD", 0x17, 0x30, 0x4f, ZEN2,  32},
    {"AuthenticAMD", 0x17, 0x60, 0x7f, ZEN2,  32},
    {"AuthenticAMD", 0x17, 0x90, 0x91, ZEN2,  32},
    {"AuthenticAMD", 0x17, 0xa0, 0xaf, ZEN2,  32},
    {"AuthenticAMD", 0x19, 0x00, 0x0f, ZEN3,  32},
    {"AuthenticAMD", 0x19, 0x10, 0x1f, ZEN4,  32},
    {"AuthenticAMD", 0x19, 0x20, 0x5f, ZEN3,  32},
    {"AuthenticAMD", 0x19, 0x60, 0xaf, ZEN4,  32},
    {"AuthenticAMD", 0x1a, 0x00, 0x1f, ZEN5,  64},
    {"AuthenticAMD", 0x1a, 0x20, 0x2f, ZEN5,  32},
    {"AuthenticAMD", 0x1a, 0x40, 0x4f, ZEN5,  64},
    {"AuthenticAMD", 0x1a, 0x60, 0x7f, ZEN5,  32},
};

static const struct {
    unsigned cores;
    enum ert_type type;
    uint32_t vector_bytes; /* 0: any */
    struct ert_event event;
} operations[] = {
    {INTEL,       ERT_FP64, 16, {0x04c7, 2} },
    {INTEL,       ERT_FP64, 32, {0x10c7, 4} },
    {INTEL,       ERT_FP64, 64, {0x40c7, 8} },
    {INTEL,       ERT_FP32, 16, {0x08c7, 4} },
    {INTEL,       ERT_FP32, 32, {0x20c7, 8} },
    {INTEL,       ERT_FP32, 64, {0x80c7, 16}},
    {ZEN,         ERT_FP64, 0,  {0xf003, 1} }, /* .dp_*_flops */
    {ZEN,         ERT_FP32, 0,  {0x0f03, 1} }, /* .sp_*_flops */
    {ZEN2 | ZEN3, ERT_FP64, 0,  {0xff03, 1} }, /* .all */
    {ZEN2 | ZEN3, ERT_FP32, 0,  {0xff03, 1} },
    {ZEN4,        ERT_FP64, 0,  {0x1f03, 1} }, /* .all */
    {ZEN4,        ERT_FP32, 0,  {0x1f03, 1} },
    {ZEN4,        ERT_BF16, 0,  {0x1003, 1} }, /* .bfloat_mac_flops */
    {ZEN5,        ERT_FP64, 0,  {0x0f03, 1} }, /* .all */
    {ZEN5,        ERT_FP32, 0,  {0x0f03, 1} },
};

static const struct {
    unsigned cores;
    uint64_t config;
} accesses[] = {
    {INTEL,                           0x81d0}, /* .ALL_LOADS */
    {INTEL,                           0x82d0}, /* .ALL_STORES */
    {ZEN | ZEN2 | ZEN3 | ZEN4 | ZEN5, 0x0329}, /* .ld_dispatch and .store_dispatch */
};

enum { FILL_BYTES = 64 };
static const char *const caches[] = {"L1", "L2", "L3"};
static const struct {
    unsigned cores;
    uint64_t event;
    uint64_t masks[3]; /* of the sources beyond L1, L2, L3 */
} fills[] = {
    {ZEN | ZEN2,  0x43, {0x5b, 0x5a, 0x58}}, /* ls_refills_from_sys */
    {ZEN | ZEN2,  0x59, {0x5b, 0x5a, 0x58}}, /* ls_sw_pf_dc_fill */
    {ZEN | ZEN2,  0x5a, {0x5b, 0x5a, 0x58}}, /* ls_hw_pf_dc_fill */
    {ZEN3,        0x44, {0x5f, 0x5e, 0x5c}}, /* ls_any_fills_from_sys */
    {ZEN4 | ZEN5, 0x44, {0xff, 0xfe, 0xdc}}, /* ls_any_fills_from_sys.all */
};

static const struct model *validate_perf_find(const struct ert_cpu *cpu)
{
    for (size_t i = 0; i < ERT_LENGTH(models); i++)
        if (strcmp(models[i].vendor, cpu->vendor) == 0 && models[i].family == cpu->family &&
            models[i].first <= cpu->model && cpu->model <= models[i].last)
            return &models[i];
    return NULL;
}

static unsigned core_of(const struct ert_cpu *cpu)
{
    const struct model *model = validate_perf_find(cpu);
    return model ? model->core : 0;
}

static void validate_perf_add(struct ert_events *events, uint64_t config, double weight)
{
    events->list[events->n++] = (struct ert_event){config, weight};
}

enum ert_status ert_events_known(const struct ert_cpu *cpu, struct ert_error *error)
{
    if (validate_perf_find(cpu))
        return ERT_OK;
    if (!*cpu->vendor)
        return ert_fail(error, ERT_UNAVAILABLE, "no table of hardware events for this CPU");
    return ert_fail(error, ERT_UNAVAILABLE,
                    "no table of hardware events for %s family %Xh model %Xh", cpu->vendor,
                    cpu->family, cpu->model);
}

struct ert_events ert_events_operations(const struct ert_cpu *cpu, enum ert_type type,
                                        uint32_t vector_bytes)
{
    struct ert_events events = {0};
    for (size_t i = 0; i < ERT_LENGTH(operations); i++) {
        bool is_width = operations[i].vector_bytes == 0 || vector_bytes == 0 ||
                        operations[i].vector_bytes == vector_bytes;
        if (operations[i].cores & core_of(cpu) && operations[i].type == type && is_width)
            validate_perf_add(&events, operations[i].event.config,
                              operations[i].event.weight);
    }
    return events;
}

struct ert_events ert_events_accesses(const struct ert_cpu *cpu, uint32_t access_bytes)
{
    struct ert_events events = {0};
    const struct model *model = validate_perf_find(cpu);
    if (!model || access_bytes > model->path_bytes)
        return events;
    for (size_t i = 0; i < ERT_LENGTH(accesses); i++)
        if (accesses[i].cores & model->core)
            validate_perf_add(&events, accesses[i].config, access_bytes);
    return events;
}

struct ert_events ert_events_fills(const struct ert_cpu *cpu, const char *beyond)
{
    struct ert_events events = {0};
    for (size_t cache = 0; cache < ERT_LENGTH(caches); cache++)
        for (size_t i = 0; i < ERT_LENGTH(fills); i++)
            if (strcmp(caches[cache], beyond) == 0 && fills[i].cores & core_of(cpu))
                validate_perf_add(&events, fills[i].masks[cache] << 8 | fills[i].event,
                                  FILL_BYTES);
    return events;
}
