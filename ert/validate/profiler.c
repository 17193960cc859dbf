#include "ert/validate/profiler.h"

#include "ert/validate/events.h"
#include "ert/validate/ncu.h"
#include "ert/validate/perf.h"
#include "ert/validate/symbols.h"
#include "ert/validate/tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double timeout_s = 600;

enum { MAX_WORDS = 32 };

/* A kernel of known work. */
struct known {
    const char *name;
    enum ert_kernel_id kernel;
    bool moves_bytes;
};

/* A store reads the line it writes to, on most CPUs and unseen by the program: so loads there. */
enum { N_KNOWN = 2 };
static const struct known known_cpu[N_KNOWN] = {
    {"fma_fp64", ERT_KERNEL_fma_fp64, false},
    {"load",     ERT_KERNEL_load,     true },
};
static const struct known known_gpu[N_KNOWN] = {
    {"fma_fp64", ERT_KERNEL_fma_fp64, false},
    {"triad",    ERT_KERNEL_triad,    true },
};

static const struct ert_device *find_device(const struct ert_machine *machine,
                                            enum ert_device_kind kind)
{
    for (uint32_t i = 0; i < machine->n_devices; i++)
        if (machine->devices[i].kind == kind)
            return &machine->devices[i];
    return NULL;
}

static const struct ert_level *find_memory(const struct ert_device *device)
{
    for (uint32_t i = 0; i < device->n_levels; i++)
        if (device->levels[i].kind == ERT_LEVEL_MEMORY)
            return &device->levels[i];
    return NULL;
}

/* Appends a NULL-terminated list of words to another. */
static void append(const char **argv, const char *const *words)
{
    size_t n = 0;
    while (argv[n])
        n++;
    for (; *words && n + 1 < MAX_WORDS; words++)
        argv[n++] = *words;
    argv[n] = NULL;
}

static void keep(struct ert_profiled *results, size_t *n, const struct known *of,
                 const char *what, double counted, double ours)
{
    if (!isfinite(counted) || !(ours > 0) || *n == ERT_MAX_PROFILED)
        return;
    struct ert_profiled *result = &results[(*n)++];
    *result = (struct ert_profiled){.counted = counted, .ours = ours};
    snprintf(result->kernel, sizeof result->kernel, "%s", of->name);
    snprintf(result->what, sizeof result->what, "%s", what);
}

/*
 * Runs `WORDS... ert bench KERNEL --json BENCH-WORDS...`; *text (malloc, the caller's) is all that
 * was printed, totals the region's work.
 */
static enum ert_status run_bench(const char *const *words, const struct known *of,
                                 const char *const *bench_words, char **text,
                                 struct ert_region_totals *totals, struct ert_error *error)
{
    char program[4096];
    const char *argv[MAX_WORDS] = {NULL};
    struct ert_tool_output output;
    ert_symbols_program(program, sizeof program);
    const char *const bench[] = {program, "bench", of->name, "--json", NULL};
    append(argv, words);
    append(argv, bench);
    append(argv, bench_words);
    ERT_TRY(ert_tool_run(argv, timeout_s, &output, error));
    *text = NULL;
    if (asprintf(text, "%s\n%s", output.out, output.err) < 0)
        *text = NULL;
    ert_tool_free(&output);
    if (!*text)
        return ert_fail(error, ERT_FAILED, "no memory for the output of %s", argv[0]);
    if (ert_regions_read(*text, totals, 1) != 1)
        totals->passes = 0;
    return ERT_OK;
}

/* Passes of about a second, found without the profiler: it counts the search too. */
static enum ert_status find_passes(const struct known *of, const char *const *bench_words,
                                   char passes[32], struct ert_error *error)
{
    static const char *const none[] = {NULL};
    const char *words[MAX_WORDS] = {"--time", "1", NULL};
    struct ert_region_totals totals = {0};
    char *text;
    append(words, bench_words);
    ERT_TRY(run_bench(none, of, words, &text, &totals, error));
    free(text);
    if (totals.passes == 0)
        return ert_fail(error, ERT_FAILED, "ert bench %s printed no result", of->name);
    snprintf(passes, 32, "%llu", (unsigned long long)totals.passes);
    return ERT_OK;
}

/* What a counter-based profiler of CPUs is: its words, and how its text is read. */
struct cpu_profiler {
    const char *program;
    const char *words[8];
    enum ert_status (*read)(const char *text, const struct ert_events *events,
                            double *flops, double *bytes, struct ert_error *error);
    struct ert_events events; /* perf: of FP64 operations */
};

enum { EVENT_BYTES = 24 };

/* As perf is given an event, and as it writes it: of the program's own instructions. */
static void name_event(struct ert_event event, char name[EVENT_BYTES])
{
    snprintf(name, EVENT_BYTES, "r%llx:u", (unsigned long long)event.config);
}

static enum ert_status read_perf(const char *text, const struct ert_events *events,
                                 double *flops, double *bytes, struct ert_error *error)
{
    *flops = 0;
    *bytes = NAN; /* memory is counted outside of the cores, by root only */
    for (size_t i = 0; i < events->n; i++) {
        char name[EVENT_BYTES];
        double count;
        name_event(events->list[i], name);
        ERT_TRY(ert_profiler_perf(text, name, &count, error));
        *flops += events->list[i].weight * count;
    }
    return ERT_OK;
}

static enum ert_status read_likwid(const char *text, const struct ert_events *events,
                                   double *flops, double *bytes, struct ert_error *error)
{
    (void)events;
    return ert_profiler_likwid(text, flops, bytes, error);
}

static const struct ert_device *
find_cpu(const char *program, const struct ert_machine *machine, struct ert_error *error)
{
    const struct ert_device *cpu = find_device(machine, ERT_DEVICE_CPU);
    if (!cpu)
        ert_fail(error, ERT_UNAVAILABLE, "%s: no CPU in the machine's description",
                 program);
    return cpu;
}

static enum ert_status check_cpu(const struct cpu_profiler *profiler,
                                 struct ert_profiled *results, size_t *n,
                                 struct ert_error *error)
{
    char path[256], passes[32], set[32];
    ERT_TRY(ert_tool_find(profiler->program, NULL, path, sizeof path, error));
    /* Beyond all caches, and within what most machines can spare. */
    snprintf(set, sizeof set, "%llu", 1ull << 30);
    for (size_t i = 0; i < N_KNOWN; i++) {
        const char *words[MAX_WORDS] = {path, NULL};
        const char *bench[MAX_WORDS] = {"--threads", "1", NULL};
        const char *const memory[] = {"--set", set, NULL};
        struct ert_region_totals totals = {0};
        double flops, bytes;
        char *text;
        append(words, profiler->words);
        if (known_cpu[i].moves_bytes)
            append(bench, memory);
        ERT_TRY(find_passes(&known_cpu[i], bench, passes, error));
        const char *const fixed[] = {"--passes", passes, NULL};
        append(bench, fixed);
        ERT_TRY(run_bench(words, &known_cpu[i], bench, &text, &totals, error));
        enum ert_status status =
            profiler->read(text, &profiler->events, &flops, &bytes, error);
        free(text);
        ERT_TRY(status);
        keep(results, n, &known_cpu[i], "operations", flops, totals.flops);
        if (known_cpu[i].moves_bytes)
            keep(results, n, &known_cpu[i], "bytes", bytes, totals.bytes);
    }
    return ERT_OK;
}

static enum ert_status check_perf(const struct ert_machine *machine,
                                  struct ert_profiled *results, size_t *n,
                                  struct ert_error *error)
{
    char names[ERT_MAX_EVENTS * EVENT_BYTES] = "";
    struct cpu_profiler perf = {
        .program = "perf",
        .words = {"stat", "-x,", "-e", names, "--"},
        .read = read_perf,
    };
    const struct ert_device *cpu = find_cpu(perf.program, machine, error);
    if (!cpu)
        return ERT_UNAVAILABLE;
    ERT_TRY(ert_events_known(&cpu->cpu, error));
    perf.events = ert_events_operations(&cpu->cpu, ERT_FP64, 0);
    for (size_t i = 0; i < perf.events.n; i++) {
        char name[EVENT_BYTES];
        size_t used = strlen(names);
        name_event(perf.events.list[i], name);
        snprintf(names + used, sizeof names - used, "%s%s", used ? "," : "", name);
    }
    return check_cpu(&perf, results, n, error);
}

static enum ert_status check_likwid(const struct ert_machine *machine,
                                    struct ert_profiled *results, size_t *n,
                                    struct ert_error *error)
{
    static const struct cpu_profiler likwid = {
        .program = "likwid-perfctr",
        .words = {"-O", "-f", "-C", "0", "-g", "MEM_DP"},
        .read = read_likwid,
    };
    return find_cpu(likwid.program, machine, error) ? check_cpu(&likwid, results, n, error)
                                                    : ERT_UNAVAILABLE;
}

static enum ert_status check_ncu(const struct ert_machine *machine,
                                 struct ert_profiled *results, size_t *n,
                                 struct ert_error *error)
{
    const struct ert_device *gpu = find_device(machine, ERT_DEVICE_GPU);
    if (!gpu)
        return ert_fail(error, ERT_UNAVAILABLE, "ncu: no GPU on this machine");
    for (size_t i = 0; i < N_KNOWN; i++) {
        const struct ert_level *memory = known_gpu[i].moves_bytes ? find_memory(gpu) : NULL;
        const char *words[MAX_WORDS] = {known_gpu[i].name, "--device", gpu->id, "--passes",
                                        NULL};
        const char *const passes[] = {memory ? "1" : "64", NULL};
        const char *const set[] = {"--path", "bypass-l1", "--set", "3GiB", NULL};
        struct ert_region_totals totals;
        struct ert_counters counters;
        append(words, passes);
        if (memory)
            append(words, set);
        ERT_TRY(ert_ncu_count(gpu, known_gpu[i].kernel, memory, words, &counters, &totals,
                              error));
        keep(results, n, &known_gpu[i], "operations", counters.flops, totals.flops);
        if (memory)
            keep(results, n, &known_gpu[i], "bytes", counters.level_bytes, totals.bytes);
    }
    return ERT_OK;
}

const char *const ert_profiler_names[] = {"ncu", "likwid", "perf", NULL};

enum ert_status ert_profiler_check(const char *name, const struct ert_machine *machine,
                                   struct ert_profiled results[ERT_MAX_PROFILED], size_t *n,
                                   struct ert_error *error)
{
    static const struct {
        const char *name;
        enum ert_status (*check)(const struct ert_machine *machine,
                                 struct ert_profiled *results, size_t *n,
                                 struct ert_error *error);
    } profilers[] = {
        {"ncu",    check_ncu   },
        {"likwid", check_likwid},
        {"perf",   check_perf  },
    };
    *n = 0;
    for (size_t i = 0; i < sizeof profilers / sizeof profilers[0]; i++) {
        if (strcmp(profilers[i].name, name) != 0)
            continue;
        ERT_TRY(profilers[i].check(machine, results, n, error));
        if (*n == 0)
            return ert_fail(error, ERT_UNAVAILABLE, "%s counted nothing", name);
        return ERT_OK;
    }
    return ert_fail(error, ERT_USAGE, "unknown profiler '%.32s'", name);
}
