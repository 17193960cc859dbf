/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/validate/profiler.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/tool.h"
#include "ert/ext/validate/ncu.h"
#include "ert/ext/validate/perf.h"
#include "ert/ext/validate/symbols.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double timeout_s = 600;

/* A kernel of known work. */
struct known {
    const char *name;
    enum ert_kernel_id kernel;
    bool moves_bytes;
};

/* The first device whose backend has the profiler. */
static const struct ert_device *profiler_find_device(const struct ert_machine *machine,
                                                     const char *profiler)
{
    for (uint32_t i = 0; i < machine->n_devices; i++) {
        const struct ert_backend *backend = ert_backend_find(machine->devices[i].backend);
        if (backend && backend->profiler && strcmp(backend->profiler, profiler) == 0)
            return &machine->devices[i];
    }
    return NULL;
}

static const struct ert_level *profiler_find_memory(const struct ert_device *device)
{
    for (uint32_t i = 0; i < device->n_levels; i++)
        if (device->levels[i].kind == ERT_LEVEL_MEMORY)
            return &device->levels[i];
    return NULL;
}

static void profiler_keep(struct ert_profiled *results, size_t *n, const struct known *of,
                          const char *what, double counted, double ours)
{
    if (!isfinite(counted) || !(ours > 0))
        return;
    struct ert_profiled *result = &results[(*n)++];
    *result = (struct ert_profiled){.counted = counted, .ours = ours};
    snprintf(result->kernel, sizeof result->kernel, "%s", of->name);
    snprintf(result->what, sizeof result->what, "%s", what);
}

/*
 * Runs `WORDS... ert bench KERNEL --json BENCH-WORDS...`; *text (malloc; the caller frees it): all that it
 * printed; *totals: the region's work.
 */
static enum ert_status profiler_run_bench(const char *const *words, const struct known *of,
                                          const char *const *bench_words, char **text,
                                          struct ert_region_totals *totals,
                                          struct ert_error *error)
{
    char program[4096];
    const char *argv[ERT_TOOL_WORDS] = {NULL};
    struct ert_tool_output output;
    ert_symbols_program(program, sizeof program);
    const char *const bench[] = {program, "bench", of->name, "--json", NULL};
    ert_tool_append(argv, words);
    ert_tool_append(argv, bench);
    ert_tool_append(argv, bench_words);
    ERT_TRY(ert_tool_run(argv, timeout_s, &output, error));
    *text = ert_xprintf("%s\n%s", output.out, output.err);
    ert_tool_free(&output);
    if (ert_regions_read(*text, totals, 1) != 1)
        totals->passes = 0;
    return ERT_OK;
}

/* Finds how many passes take about a second, without the profiler, which would count the search, too. */
static enum ert_status find_passes(const struct known *of, const char *const *bench_words,
                                   char passes[32], struct ert_error *error)
{
    static const char *const none[] = {NULL};
    const char *words[ERT_TOOL_WORDS] = {"--time", "1", NULL};
    struct ert_region_totals totals = {0};
    char *text;
    ert_tool_append(words, bench_words);
    ERT_TRY(profiler_run_bench(none, of, words, &text, &totals, error));
    free(text);
    if (totals.passes == 0)
        return ert_fail(error, ERT_FAILED, "ert bench %s printed no result", of->name);
    snprintf(passes, 32, "%llu", (unsigned long long)totals.passes);
    return ERT_OK;
}

/* The rest of the first line that begins with the words, after them, or NULL. */
static const char *find_line(const char *text, const char *words)
{
    size_t length = strlen(words);
    while (*text) {
        if (strncmp(text, words, length) == 0)
            return text + length;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return NULL;
}

/* "8000,,r10c7:u,1000,100.00,," or "<not supported>,,r10c7:u,0,100.00,,". */
enum ert_status ert_profiler_perf(const char *text, const char *event, double *count,
                                  struct ert_error *error)
{
    char line[256];
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
        char *unit = strchr(line, ',');
        char *at = unit ? strchr(unit + 1, ',') : NULL;
        if (!at || strncmp(at + 1, event, strlen(event)) != 0 ||
            at[1 + strlen(event)] != ',')
            continue;
        char *end;
        *count = strtod(line, &end);
        if (end == unit)
            return ERT_OK;
        *unit = '\0';
        return ert_fail(error, ERT_UNAVAILABLE, "perf: %s: %s", event, line);
    }
    return ert_fail(error, ERT_UNAVAILABLE, "perf: no line for the event %s", event);
}

static double number_behind(const char *text, const char *words)
{
    const char *at = find_line(text, words);
    char *end;
    if (!at)
        return NAN;
    double value = strtod(at, &end);
    return end == at ? NAN : value;
}

/*
 * One core: "DP [MFLOP/s],123.4," next to "Runtime (RDTSC) [s],0.5,"; "Memory data volume
 * [GBytes],12.3,".
 */
enum ert_status ert_profiler_likwid(const char *text, double *flops, double *bytes,
                                    struct ert_error *error)
{
    static const char *const words[] = {"Cannot", "ERROR", "annot", NULL};
    char line[256];
    *flops = 1e6 * number_behind(text, "DP [MFLOP/s],") *
             number_behind(text, "Runtime (RDTSC) [s],");
    *bytes = 1e9 * number_behind(text, "Memory data volume [GBytes],");
    if (isfinite(*flops) || isfinite(*bytes))
        return ERT_OK;
    ert_tool_line(text, words, line, sizeof line);
    return ert_fail(error, ERT_UNAVAILABLE, "likwid-perfctr: %s",
                    *line ? line : "printed nothing");
}

/* The counts of a kernel (NaN: not counted), and the program's own. */
struct counted {
    double flops, bytes;
    struct ert_region_totals totals;
};

/* Runs the kernel on one core under a program with options; *text: malloc; the caller frees it. */
static enum ert_status run_core(const char *program, const char *const *options,
                                const struct known *of, char **text,
                                struct counted *counted, struct ert_error *error)
{
    char path[256], passes[32];
    ERT_TRY(ert_tool_find(program, NULL, path, sizeof path, error));
    const char *words[ERT_TOOL_WORDS] = {path, NULL};
    const char *bench[ERT_TOOL_WORDS] = {"--threads", "1", NULL};
    /* Larger than all caches, but small enough for most machines. */
    static const char *const memory[] = {"--set", "1073741824", NULL};
    const char *const fixed[] = {"--passes", passes, NULL};
    ert_tool_append(words, options);
    if (of->moves_bytes)
        ert_tool_append(bench, memory);
    ERT_TRY(find_passes(of, bench, passes, error));
    ert_tool_append(bench, fixed);
    return profiler_run_bench(words, of, bench, text, &counted->totals, error);
}

enum { EVENT_BYTES = 24 };

/* The name of an event in perf's options and output: for the program's own instructions. */
static void name_event(struct ert_event event, char name[EVENT_BYTES])
{
    snprintf(name, EVENT_BYTES, "r%llx:u", (unsigned long long)event.config);
}

static enum ert_status count_perf(const struct ert_device *cpu, const struct known *of,
                                  struct counted *counted, struct ert_error *error)
{
    char names[ERT_MAX_EVENTS * EVENT_BYTES] = "", name[EVENT_BYTES], *text;
    const char *const options[] = {"stat", "-x,", "-e", names, "--", NULL};
    ERT_TRY(ert_events_known(&cpu->cpu, error));
    const struct ert_events events = ert_events_operations(&cpu->cpu, ERT_FP64, 0);
    for (size_t i = 0; i < events.n; i++) {
        name_event(events.list[i], name);
        ert_append(names, sizeof names, "%s%s", *names ? "," : "", name);
    }
    ERT_TRY(run_core("perf", options, of, &text, counted, error));
    enum ert_status status = ERT_OK;
    counted->flops = 0;
    counted->bytes = NAN; /* counters of memory are outside the cores, for root only */
    for (size_t i = 0; i < events.n && status == ERT_OK; i++) {
        double count = 0;
        name_event(events.list[i], name);
        status = ert_profiler_perf(text, name, &count, error);
        counted->flops += events.list[i].weight * count;
    }
    free(text);
    return status;
}

static enum ert_status count_likwid(const struct ert_device *cpu, const struct known *of,
                                    struct counted *counted, struct ert_error *error)
{
    static const char *const options[] = {"-O", "-f", "-C", "0", "-g", "MEM_DP", NULL};
    char *text;
    (void)cpu;
    ERT_TRY(run_core("likwid-perfctr", options, of, &text, counted, error));
    enum ert_status status =
        ert_profiler_likwid(text, &counted->flops, &counted->bytes, error);
    free(text);
    return status;
}

static enum ert_status count_ncu(const struct ert_device *gpu, const struct known *of,
                                 struct counted *counted, struct ert_error *error)
{
    static const char *const set[] = {"--path", "bypass-l1", "--set", "3GiB", NULL};
    const struct ert_level *memory = of->moves_bytes ? profiler_find_memory(gpu) : NULL;
    const char *words[ERT_TOOL_WORDS] = {of->name,   "--device",          gpu->id,
                                         "--passes", memory ? "1" : "64", NULL};
    struct ert_counters counters;
    if (memory)
        ert_tool_append(words, set);
    ERT_TRY(
        ert_ncu_count(gpu, of->kernel, memory, words, &counters, &counted->totals, error));
    counted->flops = counters.flops;
    counted->bytes = memory ? counters.level_bytes : NAN;
    return ERT_OK;
}

const char *const ert_profiler_names[] = {"ncu", "likwid", "perf", NULL};

enum ert_status ert_profiler_check(const char *name, const struct ert_machine *machine,
                                   struct ert_profiled results[ERT_MAX_PROFILED], size_t *n,
                                   struct ert_error *error)
{
    static const struct known fma = {"fma_fp64", ERT_KERNEL_fma_fp64, false};
    static const struct {
        const char *of; /* as named by its backend: likwid counts what perf does */
        const char *missing;
        enum ert_status (*count)(const struct ert_device *device, const struct known *of,
                                 struct counted *counted, struct ert_error *error);
        /* On most CPUs a store also reads its line, which the program does not count: so loads there. */
        struct known memory;
    } profilers[] = {
        {"ncu",
         "ncu: no GPU on this machine",                         count_ncu,
         {"triad", ERT_KERNEL_triad, true}},
        {"perf",
         "likwid-perfctr: no CPU in the machine's description", count_likwid,
         {"load", ERT_KERNEL_load, true}  },
        {"perf",
         "perf: no CPU in the machine's description",           count_perf,
         {"load", ERT_KERNEL_load, true}  },
    };
    size_t i = 0;
    while (ert_profiler_names[i] && strcmp(ert_profiler_names[i], name) != 0)
        i++;
    *n = 0;
    if (!ert_profiler_names[i])
        return ert_fail(error, ERT_USAGE, "unknown profiler '%.32s'", name);
    const struct ert_device *device = profiler_find_device(machine, profilers[i].of);
    if (!device)
        return ert_fail(error, ERT_UNAVAILABLE, "%s", profilers[i].missing);
    const struct known *const kernels[] = {&fma, &profilers[i].memory};
    for (size_t k = 0; k < 2; k++) {
        struct counted counted = {NAN, NAN, {.name = ""}};
        ERT_TRY(profilers[i].count(device, kernels[k], &counted, error));
        profiler_keep(results, n, kernels[k], "operations", counted.flops,
                      counted.totals.flops);
        if (kernels[k]->moves_bytes)
            profiler_keep(results, n, kernels[k], "bytes", counted.bytes,
                          counted.totals.bytes);
    }
    return *n ? ERT_OK : ert_fail(error, ERT_UNAVAILABLE, "%s counted nothing", name);
}
