/* ert run: plan, measure, fit, table, chart: the main job. */
#include "ert/base/units.h"
#include "ert/ceilings/fit.h"
#include "ert/cli/cmd.h"
#include "ert/cli/devices.h"
#include "ert/cli/progress.h"
#include "ert/cli/results.h"
#include "ert/sweep/plan.h"
#include "ert/sweep/run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *config, *device, *out, *isa;
    uint64_t threads;
    double budget_s;
    bool quick, dry_run;
};

static const struct ert_opt rows[] = {
#define ROW(name, kind, field, ...)                                                        \
    {                                                                                      \
        name, kind, offsetof(struct options, field), __VA_ARGS__                           \
    }
    ROW("device", ERT_OPT_TEXT, device, "NAME",
        "what to measure: all (default), cpu, gpu, gpuN, fake", 0, 0, NULL),
    ROW("out", ERT_OPT_TEXT, out, "DIR", "where the results go (default results/HOSTNAME)",
        0, 0, NULL),
    ROW("quick", ERT_OPT_FLAG, quick, NULL, "a coarser sweep, at most 25 s a device", 0, 0,
        NULL),
    ROW("config", ERT_OPT_TEXT, config, "FILE", "a preset (configs/README.md)", 0, 0, NULL),
    ROW("threads", ERT_OPT_COUNT, threads, "N", "CPU threads (default one per usable core)",
        1, 65536, NULL),
    ROW("isa", ERT_OPT_TEXT, isa, "NAME",
        "CPU instruction set: avx512, avx2, sse2, neon (default the best)", 0, 0, NULL),
    ROW("budget", ERT_OPT_TIME, budget_s, "TIME",
        "seconds per device; 0 for no limit (default 50)", 0, 1e6, NULL),
    ROW("dry-run", ERT_OPT_FLAG, dry_run, NULL,
        "show the plan and the expected time, measure nothing", 0, 0, NULL),
#undef ROW
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

/* The one global variable: a signal handler can reach nothing else. */
static volatile bool stop_requested;

static void request_stop(int signal_number)
{
    stop_requested = true;
    /* A second Ctrl-C ends the program the usual way, should a kernel hang. */
    signal(signal_number, SIG_DFL);
}

static enum ert_status make_config(const struct options *options, struct ert_config *config,
                                   struct ert_error *error)
{
    ert_config_default(config);
    if (options->quick)
        ert_config_quick(config);
    if (options->config)
        ERT_TRY(ert_config_read(options->config, config, error));
    if (options->device)
        snprintf(config->device, sizeof config->device, "%s", options->device);
    if (options->isa)
        snprintf(config->isa, sizeof config->isa, "%s", options->isa);
    if (options->threads)
        config->threads = options->threads;
    if (options->budget_s >= 0)
        config->budget_s = options->budget_s;
    return ERT_OK;
}

static void show_plan(const struct ert_samples *samples)
{
    for (size_t d = 0; d < samples->n_devices; d++) {
        const struct ert_device_samples *plan = &samples->devices[d];
        char time[ERT_UNITS_TEXT], low[ERT_UNITS_TEXT], high[ERT_UNITS_TEXT];
        printf("%s: %zu points, about %s\n", plan->device, plan->n_points,
               ert_units_time(ert_plan_estimate_s(samples, d), time));
        for (size_t i = 0, last; i < plan->n_points; i = last + 1) {
            const struct ert_point *first = &plan->points[i];
            for (last = i; last + 1 < plan->n_points &&
                           plan->points[last + 1].case_.kernel == first->case_.kernel &&
                           plan->points[last + 1].case_.path == first->case_.path;)
                last++;
            ert_units_capacity(first->case_.working_set_bytes, low);
            ert_units_capacity(plan->points[last].case_.working_set_bytes, high);
            printf("  %-12s %-10s %4zu points", ert_kernel_row(first->case_.kernel)->name,
                   ert_path_name(first->case_.path), last - i + 1);
            if (first->case_.working_set_bytes)
                printf(", sets of %s to %s", low, high);
            printf(", %s\n", first->variant.name);
        }
        for (size_t i = 0; i < plan->n_absent; i++)
            printf("  %-12s not here: %s\n", plan->absent[i].name, plan->absent[i].reason);
    }
}

/* What the hooks of the measuring loop need. */
struct run_context {
    struct ert_cli_progress progress;
    struct ert_cli_results results;
};

static void on_progress(const struct ert_progress *state, void *context)
{
    ert_cli_progress_show(state, &((struct run_context *)context)->progress);
}

static bool has_samples(const struct ert_samples *samples)
{
    for (size_t d = 0; d < samples->n_devices; d++)
        for (size_t i = 0; i < samples->devices[d].n_points; i++)
            if (samples->devices[d].points[i].n_samples > 0)
                return true;
    return false;
}

static enum ert_status on_checkpoint(const struct ert_samples *samples, void *context,
                                     struct ert_error *error)
{
    struct run_context *run = context;
    if (!has_samples(samples))
        return ERT_OK;
    return ert_cli_results_samples(&run->results, samples, stderr, error);
}

static void print_notes(const struct ert_samples *samples)
{
    for (uint32_t i = 0; i < samples->machine.n_notes; i++)
        printf("note: %s\n", samples->machine.notes[i]);
    for (size_t i = 0; i < samples->n_devices; i++) {
        const struct ert_device_samples *device = &samples->devices[i];
        const struct ert_device *about =
            ert_machine_device(&samples->machine, device->device);
        if (*about->gpu.busy)
            printf("note: %s: busy: %s\n", device->device, about->gpu.busy);
        if (*device->notes)
            printf("note: %s: %s\n", device->device, device->notes);
        if (*device->reason)
            printf("note: %s: %s: %s\n", device->device, device->status, device->reason);
    }
}

static enum ert_status measure(struct ert_samples *samples, const char *folder,
                               struct ert_error *error)
{
    struct run_context context;
    ERT_TRY(ert_cli_results_open(folder, &context.results, error));
    ert_cli_progress_open(&context.progress, stderr);
    const struct ert_run_hooks hooks = {.progress = on_progress,
                                        .checkpoint = on_checkpoint,
                                        .leaders = ert_fit_leaders,
                                        .context = &context,
                                        .stop = &stop_requested};
    signal(SIGINT, request_stop);
    signal(SIGTERM, request_stop);
    struct ert_error run_error = {0};
    enum ert_status run_status = ert_run(samples, &hooks, &run_error);
    ert_cli_progress_close(&context.progress);

    /* Whatever went wrong, what was measured is written first. */
    bool trusted = true;
    if (!has_samples(samples) && run_status != ERT_OK)
        return ert_fail(error, run_status, "%s; nothing was measured", run_error.text);
    ERT_TRY(ert_cli_results_samples(&context.results, samples, stderr, error));
    print_notes(samples);
    ERT_TRY(ert_cli_results_finish(&context.results, samples, stdout, &trusted, error));
    if (run_status != ERT_OK)
        return ert_fail(error, run_status, "%s", run_error.text);
    if (!trusted)
        return ert_fail(error, ERT_UNTRUSTED, "measured, but not trustworthy: see above");
    return ERT_OK;
}

static void default_folder(char *folder, size_t size)
{
    char host[128] = "";
    if (gethostname(host, sizeof host - 1) != 0 || !*host || strchr(host, '/'))
        snprintf(host, sizeof host, "this-machine");
    snprintf(folder, size, "results/%s", host);
}

enum ert_status ert_cmd_run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.budget_s = -1};
    size_t n_words;
    char folder[256];
    if (ert_cmd_help("run", rows, N_ROWS, argc, argv))
        return ERT_OK;
    ERT_TRY(ert_opt_parse(rows, N_ROWS, argc, argv, &options, NULL, 0, &n_words, error));
    struct ert_samples *samples = calloc(1, sizeof *samples);
    if (!samples)
        return ert_fail(error, ERT_FAILED, "no memory for the samples");
    default_folder(folder, sizeof folder);
    enum ert_status status = make_config(&options, &samples->config, error);
    if (status == ERT_OK)
        status =
            ert_cli_devices(samples->config.device, argc, argv, &samples->machine, error);
    if (status == ERT_OK)
        status = ert_plan_make(samples, error);
    if (status == ERT_OK && options.dry_run)
        show_plan(samples);
    else if (status == ERT_OK)
        status = measure(samples, options.out ? options.out : folder, error);
    ert_samples_free(samples);
    free(samples);
    return status;
}
