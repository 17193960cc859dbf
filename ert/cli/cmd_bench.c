/* ert bench: one kernel, one timed region: what a profiler is wrapped around. */
#include "ert/base/units.h"
#include "ert/cli/cmd.h"
#include "ert/cli/devices.h"
#include "ert/sweep/plan.h"
#include "ert/validate/once.h"
#include "ert/validate/regions.h"
#include "ert/validate/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *device, *path, *variant, *from;
    uint64_t set_bytes, passes, threads, stride_bytes, concurrency, flops;
    double time_s;
    bool json;
};

static const struct ert_opt rows[] = {
#define ROW(name, kind, field, ...)                                                        \
    {                                                                                      \
        name, kind, offsetof(struct options, field), __VA_ARGS__                           \
    }
    ROW("device", ERT_OPT_TEXT, device, "NAME", "cpu (default), gpuN, fake0, fake1", 0, 0,
        NULL),
    ROW("path", ERT_OPT_TEXT, path, "NAME",
        "cached, bypass-l1, shared (default: the first that the kernel has)", 0, 0, NULL),
    ROW("set", ERT_OPT_SIZE, set_bytes, "BYTES",
        "working set of all arrays (default: half of the path's first level)", 1, 0x1p62,
        NULL),
    ROW("variant", ERT_OPT_TEXT, variant, "NAME",
        "as `ert show` names it (default the first)", 0, 0, NULL),
    ROW("passes", ERT_OPT_COUNT, passes, "N",
        "passes of the region (default: as many as take --time)", 1, 0x1p40, NULL),
    ROW("time", ERT_OPT_TIME, time_s, "TIME",
        "about how long the region is (default 0.1 s)", 1e-6, 3600, NULL),
    ROW("threads", ERT_OPT_COUNT, threads, "N", "CPU threads (default one per usable core)",
        1, 65536, NULL),
    ROW("stride", ERT_OPT_SIZE, stride_bytes, "BYTES", "of access kernels", 1, 1 << 20,
        NULL),
    ROW("concurrency", ERT_OPT_COUNT, concurrency, "N",
        "CPU threads or warps per SM that work (default the variant's)", 1, 65536, NULL),
    ROW("flops", ERT_OPT_COUNT, flops, "N", "per element, of the mixed kernel", 1, 1024,
        NULL),
    ROW("json", ERT_OPT_FLAG, json, NULL, "print one JSON object instead of text", 0, 0,
        NULL),
    ROW("from", ERT_OPT_TEXT, from, "CEILINGS",
        "instead of KERNEL: run every ceiling of the device once", 0, 0, NULL),
#undef ROW
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

/* A device that is open. */
struct bench {
    struct ert_machine *machine;
    const struct ert_device *device;
    const struct ert_backend *backend;
    struct ert_session *session;
};

static enum ert_status find_device(const struct options *options, struct bench *bench,
                                   struct ert_error *error)
{
    ERT_TRY(ert_cli_devices(options->device, 0, NULL, bench->machine, error));
    char list[256] = "";
    for (uint32_t i = 0; i < bench->machine->n_devices; i++) {
        const struct ert_device *device = &bench->machine->devices[i];
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", device->id);
        if (strcmp(device->id, options->device) == 0)
            bench->device = device;
    }
    if (!bench->device)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "no device '%.32s' on this machine; there are: %s", options->device,
                        *list ? list : "none");
    bench->backend = ert_backend_find(bench->device->backend);
    return ERT_OK;
}

static enum ert_status open_device(const struct options *options, struct bench *bench,
                                   uint64_t set_bytes, struct ert_error *error)
{
    struct ert_config config;
    char notes[512] = "";
    ert_config_default(&config);
    config.threads = options->threads;
    struct ert_session_options session = ert_plan_options(&config, bench->device);
    session.working_set_max_bytes = set_bytes;
    if (bench->device->kind == ERT_DEVICE_CPU)
        session.max_threads = (uint32_t)options->concurrency;
    /* A profiler makes a region longer: a tenfold time is no hang. */
    session.timeout_s = fmax(10 * session.timeout_s, 10 * options->time_s);
    ERT_TRY(bench->backend->open(bench->device, &session, &bench->session, notes,
                                 sizeof notes, error));
    if (*notes)
        fprintf(stderr, "note: %s: %s\n", bench->device->id, notes);
    return ERT_OK;
}

/* The path of the words, else the first on which the device has the kernel. */
static enum ert_status find_path(const struct options *options, const struct bench *bench,
                                 struct ert_case *case_, struct ert_error *error)
{
    struct ert_session_options any = {.threads = (uint32_t)options->threads};
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192] = "";
    if (options->path && !ert_path_find(options->path, &case_->path))
        return ert_fail(
            error, ERT_USAGE,
            "--path: '%.32s', must be one of cached, bypass-l1, shared, registers",
            options->path);
    for (int path = 0; !options->path; path++) {
        if (path == ERT_N_PATHS)
            return ert_fail(error, ERT_UNAVAILABLE, "%s: %s: %s", bench->device->id,
                            ert_kernel_row(case_->kernel)->name, reason);
        case_->path = (enum ert_path)path;
        if (bench->backend->variants(bench->device, &any, case_->kernel, case_->path,
                                     variants, reason, sizeof reason) > 0)
            break;
    }
    return ert_replay_variant(bench->backend, bench->device, &any, case_->kernel,
                              case_->path, options->variant, &case_->variant, error);
}

static enum ert_status make_case(const struct options *options, const char *kernel,
                                 const struct bench *bench, struct ert_case *case_,
                                 struct ert_error *error)
{
    ERT_TRY(ert_kernel_find(kernel, &case_->kernel, error));
    const struct ert_kernel *row = ert_kernel_row(case_->kernel);
    ERT_TRY(find_path(options, bench, case_, error));
    case_->flops_per_element = row->class_ == ERT_CLASS_MIXED ? 2 : row->flops;
    if (options->flops)
        case_->flops_per_element = (uint32_t)options->flops;
    case_->stride_bytes = (uint32_t)options->stride_bytes;
    case_->concurrency = (uint32_t)options->concurrency;
    case_->working_set_bytes = options->set_bytes;
    if (row->class_ == ERT_CLASS_COMPUTE || options->set_bytes)
        return ERT_OK;
    for (uint32_t i = 0; i < bench->device->n_levels && !case_->working_set_bytes; i++)
        if (bench->device->levels[i].path == case_->path)
            case_->working_set_bytes = ert_level_total_bytes(&bench->device->levels[i]) / 2;
    if (!case_->working_set_bytes)
        return ert_fail(error, ERT_USAGE,
                        "%s: --set is missing: no level is known on path %s", row->name,
                        ert_path_name(case_->path));
    return ERT_OK;
}

/* What one pass is, in the words of text and JSON. */
static void print_result(const struct options *options, const struct ert_region *region)
{
    if (options->json) {
        ert_region_print(stdout, region);
        return;
    }
    const struct ert_once *once = &region->once;
    double passes = (double)once->sample.passes, time_s = once->sample.time_s;
    double bytes = once->work.bytes_per_pass * passes;
    double flops = once->work.flops_per_pass * passes;
    double loads = once->work.loads_per_pass * passes;
    char text[ERT_UNITS_TEXT];
    printf("%s: %llu passes in %s", region->name, (unsigned long long)once->sample.passes,
           ert_units_time(time_s, text));
    if (once->work.working_set_bytes)
        printf(", set of %s", ert_units_capacity(once->work.working_set_bytes, text));
    if (bytes > 0)
        printf(", %.0f byte, %s", bytes, ert_units_bandwidth(bytes / time_s, text));
    if (flops > 0)
        printf(", %.0f flop, %s", flops, ert_units_performance(flops / time_s, text));
    if (loads > 0)
        printf(", %s per load", ert_units_time(time_s / loads, text));
    putchar('\n');
}

static enum ert_status run_one(const struct options *options, const char *kernel,
                               struct bench *bench, struct ert_error *error)
{
    struct ert_region region = {
        .once = {.passes = options->passes, .time_s = options->time_s}
    };
    bool lost;
    ERT_TRY(make_case(options, kernel, bench, &region.once.case_, error));
    ERT_TRY(open_device(options, bench, region.once.case_.working_set_bytes, error));
    ERT_TRY(ert_once_run(bench->backend, bench->session, &region.once, &lost, error));
    snprintf(region.name, sizeof region.name, "%s", kernel);
    print_result(options, &region);
    return ERT_OK;
}

/* Every ceiling of the device once, in the file's order; what cannot be run is passed over. */
static enum ert_status run_all(const struct options *options, struct bench *bench,
                               struct ert_ceilings *ceilings, struct ert_error *error)
{
    struct ert_device_ceilings *of = NULL;
    for (size_t i = 0; i < ceilings->n_devices; i++)
        if (strcmp(ceilings->devices[i].device, options->device) == 0)
            of = &ceilings->devices[i];
    if (!of)
        return ert_fail(error, ERT_USAGE, "%s: no ceilings of device '%.32s'",
                        options->from, options->device);
    struct ert_replay *replays = calloc(ERT_MAX_REPLAYS, sizeof *replays);
    if (!replays)
        return ert_fail(error, ERT_FAILED, "no memory for %d ceilings", ERT_MAX_REPLAYS);
    size_t n = ert_replay_list(ceilings->machine, of, replays, ERT_MAX_REPLAYS);
    uint64_t largest = 0;
    for (size_t i = 0; i < n; i++)
        if (replays[i].case_.working_set_bytes > largest)
            largest = replays[i].case_.working_set_bytes;
    enum ert_status status = open_device(options, bench, largest, error);
    for (size_t i = 0; i < n && status == ERT_OK; i++) {
        struct ert_region region;
        struct ert_error reason = {0};
        bool lost = false;
        if (*replays[i].reason)
            continue;
        ert_region_make(bench->device, &replays[i], options->passes, &region);
        status = ert_once_run(bench->backend, bench->session, &region.once, &lost, &reason);
        if (status == ERT_OK)
            print_result(options, &region);
        /* Not even prepared: no region to count. After any other fault regions are uncertain. */
        else if (status == ERT_UNAVAILABLE && !lost) {
            fprintf(stderr, "note: %s: %s\n", region.name, reason.text);
            status = ERT_OK;
        } else
            ert_fail(error, status, "%s: %s", region.name, reason.text);
    }
    free(replays);
    return status;
}

static enum ert_status run(const struct options *options, const char *kernel,
                           struct ert_error *error)
{
    struct bench bench = {.machine = calloc(1, sizeof *bench.machine)};
    struct ert_ceilings ceilings = {0};
    if (!bench.machine)
        return ert_fail(error, ERT_FAILED, "no memory for a machine");
    enum ert_status status = find_device(options, &bench, error);
    if (status == ERT_OK && options->from)
        status = ert_ceilings_read(options->from, &ceilings, error);
    if (status == ERT_OK)
        status = options->from ? run_all(options, &bench, &ceilings, error)
                               : run_one(options, kernel, &bench, error);
    if (bench.session)
        bench.backend->close(bench.session);
    ert_ceilings_free(&ceilings);
    free(bench.machine);
    return status;
}

enum ert_status ert_cmd_bench(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.device = "cpu", .variant = "", .time_s = 0.1};
    const char *words[1] = {NULL};
    size_t n_words;
    if (ert_cmd_help("bench", rows, N_ROWS, argc, argv))
        return ERT_OK;
    ERT_TRY(ert_opt_parse(rows, N_ROWS, argc, argv, &options, words, 1, &n_words, error));
    if (n_words == 0 && !options.from)
        return ert_fail(error, ERT_USAGE,
                        "bench: name a kernel (`ert list`) or --from CEILINGS");
    if (n_words == 1 && options.from)
        return ert_fail(error, ERT_USAGE, "bench: '%.32s' and --from exclude each other",
                        words[0]);
    return run(&options, words[0], error);
}
