/* SPDX-License-Identifier: BSD-3-Clause */
/* ert bench: runs one kernel in one timed region, under a profiler or alone. */
#include "ert/cli/commands.h"
#include "ert/cli/measure.h"
#include "ert/core/backend/backend.h"
#include "ert/core/base/alloc.h"
#include "ert/core/sweep/mode.h"
#include "ert/core/sweep/plan.h"
#include "ert/ext/validate/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As given by the user; 0 and NULL: not given. */
struct words {
    const char *path, *variant; /* variant "": the first */
    uint64_t set_bytes, threads, concurrency;
};

/* Sets the given path, or else the first path with a variant of the kernel on the device. */
static enum ert_status bench_find_path(const struct words *words,
                                       const struct ert_device *device,
                                       struct ert_spec *spec, struct ert_error *error)
{
    struct ert_session_options any = {.threads = (uint32_t)words->threads};
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192] = "";
    const struct ert_backend *backend = ert_backend_find(device->backend);
    if (words->path)
        spec->path = (enum ert_path)ert_word_find(ert_path_words, words->path, NULL, 0);
    for (int path = 0; !words->path; path++) {
        if (path == ERT_N_PATHS)
            return ert_fail(error, ERT_UNAVAILABLE, "%s: %s: %s", device->id,
                            ert_kernel_row(spec->kernel)->name, reason);
        spec->path = (enum ert_path)path;
        if (backend->variants(device, &any, spec->kernel, spec->path, variants, reason,
                              sizeof reason) > 0)
            break;
    }
    return ert_plan_variant(device, &any, words->variant, spec, variants, error);
}

/* ERT_USAGE for an unknown kernel or path, ERT_UNAVAILABLE if the device cannot run it. */
static enum ert_status make_spec(const struct words *words, const char *kernel,
                                 const struct ert_device *device, struct ert_spec *spec,
                                 struct ert_error *error)
{
    ERT_TRY(ert_kernel_find(kernel, &spec->kernel, error));
    const struct ert_kernel *row = ert_kernel_row(spec->kernel);
    if (row->kind == ERT_KIND_MODE)
        return ert_fail(error, ERT_USAGE,
                        "%s is a mode's kernel: run the mode, or --from its ceilings",
                        row->name);
    ERT_TRY(bench_find_path(words, device, spec, error));
    spec->flops_per_element = row->flops;
    spec->concurrency = (uint32_t)words->concurrency;
    spec->requested_bytes = words->set_bytes;
    if (!ert_kernel_has_set(spec->kernel) || words->set_bytes)
        return ERT_OK;
    for (uint32_t i = 0; i < device->n_levels && !spec->requested_bytes; i++)
        if (device->levels[i].path == spec->path)
            spec->requested_bytes = ert_level_total_bytes(&device->levels[i]) / 2;
    if (!spec->requested_bytes)
        return ert_fail(error, ERT_USAGE,
                        "%s: --set is required: path %s has no known level", row->name,
                        ert_path_name(spec->path));
    return ERT_OK;
}

struct options {
    const char *device, *from;
    uint64_t passes;
    double time_s;
    struct words words;
};

static const struct ert_opt rows[] = {
    ERT_OPT("device", TEXT, device, "NAME", "cpu (default), gpuN, fake0, fake1"),
    ERT_OPT_OF("path", words.path, "NAME", "path to the level (default the kernel's first)",
               ert_path_words),
    ERT_OPT_WITHIN("set", SIZE, words.set_bytes, "BYTES",
                   "working set of all arrays (default half of the path's first level)", 1,
                   0x1p62),
    ERT_OPT("variant", TEXT, words.variant, "NAME",
            "variant of the kernel, as in `ert show` (default the first)"),
    ERT_OPT_WITHIN("passes", COUNT, passes, "N",
                   "passes of the region (default as many as fit into --time)", 1, 0x1p40),
    ERT_OPT_WITHIN("time", TIME, time_s, "TIME",
                   "approximate length of the region (default 0.1 s)", 1e-6, 3600),
    ERT_OPT_WITHIN("threads", COUNT, words.threads, "N",
                   "CPU threads (default one per usable core)", 1, 65536),
    ERT_OPT_WITHIN("concurrency", COUNT, words.concurrency, "N",
                   "working CPU threads or warps per SM (default the variant's)", 1, 65536),
    ERT_OPT("from", TEXT, from, "CEILINGS",
            "instead of KERNEL: run every ceiling of the device in CEILINGS once"),
};

/* A device and its session. */
struct bench {
    struct ert_machine *machine;
    const struct ert_device *device;
    const struct ert_backend *backend;
    struct ert_session *session;
};

static enum ert_status bench_find_device(const struct options *options, struct bench *bench,
                                         struct ert_error *error)
{
    ERT_TRY(ert_cli_devices(options->device, 0, NULL, bench->machine, error));
    char list[256] = "";
    for (uint32_t i = 0; i < bench->machine->n_devices; i++) {
        const struct ert_device *device = &bench->machine->devices[i];
        ert_list_add(list, sizeof list, device->id);
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

/* Opens the device for `session`, with the given number of threads. */
static enum ert_status open_device(const struct options *options, struct bench *bench,
                                   struct ert_session_options session,
                                   struct ert_error *error)
{
    struct ert_config config;
    char notes[512] = "";
    ert_config_default(&config);
    session.seed = config.seed;
    session.threads = (uint32_t)options->words.threads;
    if (bench->device->kind == ERT_DEVICE_CPU &&
        options->words.concurrency > session.max_threads)
        session.max_threads = (uint32_t)options->words.concurrency;
    /* A profiler makes a region longer, so that ten times the usual time is not a hang. */
    session.timeout_s = fmax(10 * config.timeout_s, 10 * options->time_s);
    ERT_TRY(bench->backend->open(bench->device, &session, &bench->session, notes,
                                 sizeof notes, error));
    if (*notes)
        fprintf(stderr, "note: %s: %s\n", bench->device->id, notes);
    return ERT_OK;
}

static enum ert_status run_one(const struct options *options, const char *kernel,
                               struct bench *bench, struct ert_error *error)
{
    struct ert_region region = {.passes = options->passes, .time_s = options->time_s};
    bool lost;
    struct ert_spec *spec = &region.spec;
    ERT_TRY(make_spec(&options->words, kernel, bench->device, spec, error));
    ERT_TRY(open_device(
        options, bench,
        (struct ert_session_options){.working_set_max_bytes = spec->requested_bytes},
        error));
    ERT_TRY(ert_region_run(bench->backend, bench->session, &region, &lost, error));
    snprintf(region.name, sizeof region.name, "%s", kernel);
    ert_region_print(stdout, &region);
    return ERT_OK;
}

/* Runs every ceiling of the device once, in the file's order; skips those that cannot be run. */
static enum ert_status bench_run_all(const struct options *options, struct bench *bench,
                                     struct ert_ceilings *ceilings, struct ert_error *error)
{
    struct ert_session_options session;
    struct ert_device_ceilings *of = ert_ceilings_device(ceilings, options->device);
    if (!of)
        return ert_fail(error, ERT_USAGE, "%s: no ceilings of device '%.32s'",
                        options->from, options->device);
    struct ert_replay *replays = ert_xcalloc(ERT_MAX_REPLAYS, sizeof *replays);
    size_t n = ert_replay_list(ceilings->machine, of, replays);
    enum ert_status status =
        ert_replay_options(ceilings, bench->device, replays, n, &session, error);
    if (status == ERT_OK)
        status = open_device(options, bench, session, error);
    for (size_t i = 0; i < n && status == ERT_OK; i++) {
        struct ert_region region;
        struct ert_error reason = {0};
        bool lost = false;
        if (*replays[i].reason)
            continue;
        ert_region_make(bench->device, &replays[i], options->passes, &region);
        status = ert_region_run(bench->backend, bench->session, &region, &lost, &reason);
        if (status == ERT_OK)
            ert_region_print(stdout, &region);
        /* Not prepared, so it has no region to count. After other errors it may or may not have one. */
        else if (status == ERT_UNAVAILABLE && !lost) {
            fprintf(stderr, "note: %s: %s\n", region.name, reason.text);
            status = ERT_OK;
        } else
            ert_fail(error, status, "%s: %s", region.name, reason.text);
    }
    free(replays);
    return status;
}

static enum ert_status bench_run(const struct options *options, const char *kernel,
                                 struct ert_error *error)
{
    struct bench bench = {.machine = ert_xcalloc(1, sizeof *bench.machine)};
    struct ert_ceilings ceilings = {0};
    enum ert_status status = bench_find_device(options, &bench, error);
    if (status == ERT_OK && options->from)
        status = ert_ceilings_read(options->from, &ceilings, error);
    if (status == ERT_OK)
        status = options->from ? bench_run_all(options, &bench, &ceilings, error)
                               : run_one(options, kernel, &bench, error);
    if (bench.session)
        bench.backend->close(bench.session);
    ert_ceilings_free(&ceilings);
    free(bench.machine);
    return status;
}

static enum ert_status bench_run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.device = "cpu", .time_s = 0.1, .words.variant = ""};
    const char *words[1] = {NULL};
    size_t n_words;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words, 1, &n_words,
                          error));
    if (n_words == 0 && !options.from)
        return ert_fail(error, ERT_USAGE,
                        "bench: takes a kernel (`ert list`) or --from CEILINGS");
    if (n_words == 1 && options.from)
        return ert_fail(error, ERT_USAGE, "bench: '%.32s' and --from exclude each other",
                        words[0]);
    return bench_run(&options, words[0], error);
}

const struct ert_command ert_command_bench = {
    .name = "bench",
    .words = "KERNEL",
    .summary = "run one kernel for one timed region, for profilers; prints JSON",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = bench_run_command,
};
