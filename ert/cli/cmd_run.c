/* ert run: plan, measure, fit, table, chart: the main job. */
#include "ert/base/units.h"
#include "ert/ceilings/fit.h"
#include "ert/ceilings/runs.h"
#include "ert/ceilings/table.h"
#include "ert/cli/answer.h"
#include "ert/cli/cmd.h"
#include "ert/cli/devices.h"
#include "ert/cli/measure.h"
#include "ert/cli/plan_text.h"
#include "ert/cli/presets.h"
#include "ert/cli/results.h"
#include "ert/ert110/config.h"
#include "ert/machine/dram.h"
#include "ert/sweep/plan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *config, *device, *out, *isa, *dram_bandwidth;
    uint64_t threads, repeat;
    double budget_s;
    bool quick, full, dry_run, verbose, ert110, ert_copies;
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
    ROW("full", ERT_OPT_FLAG, full, NULL,
        "everything: strides, concurrency, NUMA nodes, power; at most 3 minutes a device",
        0, 0, NULL),
    ROW("ert-compatible", ERT_OPT_FLAG, ert110, NULL,
        "what LBNL's ERT 1.1.0 measures, as it does, to compare with its results", 0, 0,
        NULL),
    ROW("ert-copies", ERT_OPT_FLAG, ert_copies, NULL,
        "with ERT's C sources on a GPU: their copies before each region too (minutes)", 0,
        0, NULL),
    ROW("repeat", ERT_OPT_COUNT, repeat, "N",
        "runs, merged into one record of what is normal, for `ert verify` (default 1)", 1,
        100, NULL),
    ROW("config", ERT_OPT_TEXT, config, "NAME",
        "a preset, such as knl or h200, or a file (configs/README.md)", 0, 0, NULL),
    ROW("threads", ERT_OPT_COUNT, threads, "N", "CPU threads (default one per usable core)",
        1, 65536, NULL),
    ROW("isa", ERT_OPT_TEXT, isa, "NAME",
        "CPU instruction set: avx512, avx2, sse2, neon (default the best)", 0, 0, NULL),
    ROW("dram-bandwidth", ERT_OPT_TEXT, dram_bandwidth, "SPEC",
        "theory of all DRAM: channels and type (8xDDR5-4800), or a rate (307.2GB/s)", 0, 0,
        NULL),
    ROW("budget", ERT_OPT_TIME, budget_s, "TIME",
        "seconds per device; 0 for no limit (default 28)", 0, 1e6, NULL),
    ROW("dry-run", ERT_OPT_FLAG, dry_run, NULL,
        "show the plan and the expected time, measure nothing", 0, 0, NULL),
    ROW("verbose", ERT_OPT_FLAG, verbose, NULL,
        "also print every ceiling and all charts (later: `ert show`, `roofline plot`)", 0,
        0, NULL),
#undef ROW
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static enum ert_status make_config(const struct options *options, struct ert_config *config,
                                   struct ert_error *error)
{
    if (options->quick && options->full)
        return ert_fail(error, ERT_USAGE, "--quick and --full: give one of them");
    if (options->ert110 && (options->quick || options->full))
        return ert_fail(error, ERT_USAGE, "--ert-compatible and --%s: give one of them",
                        options->quick ? "quick" : "full");
    ert_config_default(config);
    if (options->quick)
        ert_config_quick(config);
    if (options->full)
        ert_config_full(config);
    if (options->ert110)
        ert110_preset(config);
    if (options->config) {
        char file[4096];
        ERT_TRY(ert_cli_find_preset(options->config, file, sizeof file, error));
        ERT_TRY(ert_config_read(file, config, error));
    }
    if (options->ert_copies && !config->sections[ERT_SECTION_ERT110])
        return ert_fail(
            error, ERT_USAGE,
            "--ert-copies: goes with --ert-compatible, or with a config of ERT's");
    if (options->ert_copies)
        config->ert110.memory.copies = true;
    if (options->device)
        snprintf(config->device, sizeof config->device, "%s", options->device);
    if (options->isa)
        snprintf(config->isa, sizeof config->isa, "%s", options->isa);
    if (options->dram_bandwidth) {
        struct ert_dram dram;
        ERT_TRY(ert_dram_parse("--dram-bandwidth", options->dram_bandwidth, &dram, error));
        snprintf(config->dram_bandwidth, sizeof config->dram_bandwidth, "%s",
                 options->dram_bandwidth);
    }
    if (options->threads)
        config->threads = options->threads;
    if (options->budget_s >= 0)
        config->budget_s = options->budget_s;
    return ERT_OK;
}

/* What of a foreign config is not applied. */
static void show_remarks(const struct ert_config *config)
{
    for (uint32_t i = 0; i < config->n_remarks; i++)
        fprintf(stderr, "%s: %s\n", config->name, config->remarks[i]);
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

/* What a run is told on its way. */
struct job {
    struct ert_samples *samples;
    const char *folder;
    bool is_verbose,
        is_last; /* is_last: of the runs of --repeat; the only one is the last, too */
};

/* Everything about the ceilings, where it was asked for or the files are not where they should be. */
static void print_details(const struct job *job, const struct ert_ceilings *ceilings,
                          bool has_files)
{
    if (job->is_verbose || !has_files)
        ert_ceilings_table(stdout, ceilings);
    if (job->is_last)
        ert_cli_answer_charts(stdout, ceilings, job->is_verbose);
}

/*
 * One run into a folder, its fit into *ceilings (the caller's to free, also after an error). Whatever
 * goes wrong, what was measured is kept and shown first.
 */
static enum ert_status measure(const struct job *job, const char *folder,
                               struct ert_cli_results *results,
                               struct ert_ceilings *ceilings, struct ert_error *error)
{
    struct ert_samples *samples = job->samples;
    struct ert_error run_error = {0};
    ERT_TRY(ert_cli_results_open(folder, results, error));
    enum ert_status run_status = ert_cli_measure(samples, results, &run_error);
    if (!ert_cli_has_samples(samples) && run_status != ERT_OK)
        return ert_fail(error, run_status, "%s; nothing was measured", run_error.text);
    enum ert_status fitted = ert_fit(samples, ceilings, error);
    if (fitted != ERT_OK) {
        ert_cli_results_finish(results, samples, NULL, stderr, error);
        return fitted;
    }
    enum ert_status written =
        ert_cli_results_finish(results, samples, ceilings, stderr, error);
    print_notes(samples);
    print_details(job, ceilings, written == ERT_OK);
    if (run_status != ERT_OK)
        return ert_fail(error, run_status, "%s", run_error.text);
    return written;
}

static enum ert_status check_trust(const struct ert_ceilings *ceilings,
                                   struct ert_error *error)
{
    for (size_t i = 0; i < ceilings->n_devices; i++)
        if (!ceilings->devices[i].trusted &&
            ceilings->devices[i].n_compute + ceilings->devices[i].n_memory > 0)
            return ert_fail(error, ERT_UNTRUSTED,
                            "measured, but not to be trusted (exit code 4): see 'verdict'");
    return ERT_OK;
}

static enum ert_status measure_once(const struct job *job, struct ert_error *error)
{
    struct ert_ceilings ceilings = {0};
    struct ert_cli_results results;
    enum ert_status status = measure(job, job->folder, &results, &ceilings, error);
    if (ceilings.n_devices > 0)
        ert_cli_answer(stdout, &ceilings, job->samples, &results);
    if (status == ERT_OK)
        status = check_trust(&ceilings, error);
    ert_ceilings_free(&ceilings);
    return status;
}

/* Plans again what was planned, without the samples of the run before. */
static enum ert_status plan_again(struct ert_samples *samples, struct ert_error *error)
{
    ert_samples_free(samples);
    return ert_plan_make(samples, error);
}

/* The runs' own results lie in run-1, run-2 ...; the merged ceilings in the folder itself. */
static enum ert_status measure_runs(const struct job *job, struct ert_ceilings *runs,
                                    size_t n, struct ert_error *error)
{
    struct ert_cli_results results;
    for (size_t i = 0; i < n; i++) {
        const struct job one = {job->samples, job->folder, job->is_verbose, false};
        char own[1024];
        snprintf(own, sizeof own, "%.990s/run-%zu", job->folder, i + 1);
        if (i > 0)
            ERT_TRY(plan_again(job->samples, error));
        ERT_TRY(measure(&one, own, &results, &runs[i], error));
    }
    ERT_TRY(ert_runs_merge(runs, n, error));
    ERT_TRY(ert_cli_results_open(job->folder, &results, error));
    enum ert_status written =
        ert_cli_results_finish(&results, NULL, &runs[0], stderr, error);
    print_details(job, &runs[0], written == ERT_OK);
    for (size_t d = 0; d < runs[0].n_devices; d++) {
        const char *name;
        double spread = ert_runs_spread(&runs[0].devices[d], &name);
        if (name)
            printf("%s: %zu runs differ by at most %.2f %% (%s)\n",
                   runs[0].devices[d].device, n, 100 * spread, name);
    }
    ert_cli_answer(stdout, &runs[0], NULL, &results);
    ERT_TRY(written);
    return check_trust(&runs[0], error);
}

static enum ert_status measure_repeated(const struct job *job, size_t n,
                                        struct ert_error *error)
{
    struct ert_ceilings *runs = calloc(n, sizeof *runs);
    if (!runs)
        return ert_fail(error, ERT_FAILED, "no memory for %zu runs", n);
    enum ert_status status = measure_runs(job, runs, n, error);
    for (size_t i = 0; i < n; i++)
        ert_ceilings_free(&runs[i]);
    free(runs);
    return status;
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
    const struct job job = {samples, options.out ? options.out : folder, options.verbose,
                            true};
    enum ert_status status = make_config(&options, &samples->config, error);
    if (status == ERT_OK)
        show_remarks(&samples->config);
    if (status == ERT_OK)
        status =
            ert_cli_devices(samples->config.device, argc, argv, &samples->machine, error);
    if (status == ERT_OK && *samples->config.dram_bandwidth)
        status = ert_dram_state(&samples->machine, samples->config.dram_bandwidth, error);
    if (status == ERT_OK && options.dry_run)
        ert_cli_assume_isa(&samples->machine);
    if (status == ERT_OK)
        status = ert_plan_make(samples, error);
    if (status == ERT_OK && options.dry_run)
        ert_cli_print_plan(stdout, samples);
    else if (status == ERT_OK && options.repeat > 1)
        status = measure_repeated(&job, (size_t)options.repeat, error);
    else if (status == ERT_OK)
        status = measure_once(&job, error);
    ert_samples_free(samples);
    free(samples);
    return status;
}
