/* SPDX-License-Identifier: BSD-3-Clause */
/* ert run: plans, measures, fits ceilings, prints tables and draws charts. */
#include "ert/cli/commands.h"
#include "ert/cli/measure.h"
#include "ert/cli/results.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"
#include "ert/core/ceilings/table.h"
#include "ert/core/fit/evidence.h"
#include "ert/core/fit/fit.h"
#include "ert/core/machine/dram.h"
#include "ert/core/sweep/mode.h"
#include "ert/core/sweep/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the plan, for --dry-run ---- */

/* Whether two points share a line; ERT's own sweep has a line per thread count or launch. */
static bool is_alike(const struct ert_point *a, const struct ert_point *b)
{
    return a->spec.kernel == b->spec.kernel && a->spec.path == b->spec.path &&
           a->spec.from == b->spec.from && a->spec.to == b->spec.to &&
           (a->most_passes == 0 || strcmp(a->variant.name, b->variant.name) == 0);
}

/* "sets of 1 MiB to 32 MiB", and the first variant. */
static void print_line(const struct ert_point *first, const struct ert_point *last)
{
    const struct ert_spec *spec = &first->spec;
    const struct ert_text low = ert_units_capacity(spec->requested_bytes),
                          high = ert_units_capacity(last->spec.requested_bytes);
    size_t n = (size_t)(last - first) + 1;
    printf("  %-12s %-10s %4zu %-7s", ert_kernel_row(spec->kernel)->name,
           ert_path_name(spec->path), n, n == 1 ? "point," : "points,");
    if (spec->requested_bytes)
        printf(strcmp(low.text, high.text) == 0 ? " sets of %s," : " sets of %s to %s,",
               low.text, high.text);
    printf(" %s\n", first->variant.name);
}

/* For each device: points and time, then a line per kernel and path, and what cannot be measured. */
static void print_plan(const struct ert_samples *samples)
{
    for (size_t d = 0; d < samples->n_devices; d++) {
        const struct ert_device_samples *plan = &samples->devices[d];
        printf("%s: %zu points, about %s\n", plan->device, plan->n_points,
               ert_units_time(ert_plan_estimate_s(samples, d)).text);
        for (size_t i = 0, last; i < plan->n_points; i = last + 1) {
            for (last = i; last + 1 < plan->n_points &&
                           is_alike(&plan->points[i], &plan->points[last + 1]);)
                last++;
            print_line(&plan->points[i], &plan->points[last]);
        }
        for (size_t i = 0; i < plan->n_not_measured; i++)
            printf("  %-12s not measured: %s\n", plan->not_measured[i].name,
                   plan->not_measured[i].reason);
    }
}

/* ---- the run ---- */

struct options {
    const char *config, *device, *out, *isa, *dram_bandwidth;
    uint64_t threads, repeat;
    double budget_s;
    bool quick, full, dry_run, verbose, strict, ert_compatible;
};

static const struct ert_opt rows[] = {
    ERT_OPT("device", TEXT, device, "NAME",
            "what to measure: all (default), cpu, gpu, gpuN, fake"),
    ERT_OPT("out", TEXT, out, "DIR", "where the results go (default results/HOSTNAME)"),
    ERT_OPT_SWITCH("quick", quick, "a coarser sweep, at most 25 s per device"),
    ERT_OPT_SWITCH("full", full,
                   "everything: concurrency, NUMA nodes, power, libraries; at most 3 "
                   "minutes per device"),
    ERT_OPT_SWITCH("ert-compatible", ert_compatible,
                   "measure as LBNL's ERT 1.1.0 does, to compare with its results"),
    ERT_OPT_WITHIN("repeat", COUNT, repeat, "N",
                   "runs, merged into one reference for `ert verify` (default 1)", 1, 100),
    ERT_OPT("config", TEXT, config, "NAME",
            "a preset, such as knl or h200, or a file (configs/README.md)"),
    ERT_OPT_WITHIN("threads", COUNT, threads, "N",
                   "CPU threads (default one per usable core)", 1, 65536),
    ERT_OPT("isa", TEXT, isa, "NAME",
            "CPU instruction set: avx512, avx2, sse2, neon, sve256 ... (default the best)"),
    ERT_OPT("dram-bandwidth", TEXT, dram_bandwidth, "SPEC",
            "theoretical bandwidth of all DRAM: 8xDDR5-4800 (channels, type) or 307.2GB/s"),
    ERT_OPT_WITHIN("budget", TIME, budget_s, "TIME",
                   "time limit per device in seconds; 0 for none (default 28)", 0, 1e6),
    ERT_OPT_SWITCH("dry-run", dry_run,
                   "show the plan and the expected time, measure nothing"),
    ERT_OPT_SWITCH(
        "strict", strict,
        "exit with 4 if a main ceiling (FP64 FMA, a level's roof) is not settled, "
        "not only if none is"),
    ERT_OPT_SWITCH("verbose", verbose, "also print every ceiling (later: `ert show`)"),
};

static enum ert_status make_config(const struct options *options, struct ert_config *config,
                                   struct ert_error *error)
{
    if (options->quick && options->full)
        return ert_fail(error, ERT_USAGE, "--quick and --full exclude each other");
    if (options->ert_compatible && (options->quick || options->full))
        return ert_fail(error, ERT_USAGE, "--ert-compatible and --%s exclude each other",
                        options->quick ? "quick" : "full");
    ert_config_default(config);
    if (options->quick)
        ert_config_quick(config);
    if (options->full)
        ert_config_full(config);
    if (options->ert_compatible)
        ERT_TRY(ert_mode_option("ert-compatible", config, error));
    if (options->config)
        ERT_TRY(ert_cli_preset(options->config, config, error));
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

static void run_print_notes(const struct ert_samples *samples)
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

/* The parameters of a run. */
struct job {
    struct ert_samples *samples;
    const char *folder;
    bool is_strict;
    bool is_verbose, is_last; /* is_last: of the runs of --repeat, or the only one */
};

/* Prints all ceilings if the user wants this, or if the files are not in their folder. */
static void print_details(const struct job *job, const struct ert_ceilings *ceilings,
                          bool has_files)
{
    if (job->is_verbose || !has_files)
        ert_ceilings_table(stdout, ceilings);
}

/*
 * Measures once, alone (all: NULL) or as a part of several runs, and fits *ceilings, which the caller frees,
 * also after an error. After any error, what was measured is first saved and shown.
 */
static enum ert_status run_measure(const struct job *job, const struct ert_cli_results *all,
                                   size_t number, struct ert_ceilings *ceilings,
                                   struct ert_error *error)
{
    struct ert_samples *samples = job->samples;
    struct ert_error run_error = {0};
    struct ert_cli_results results;
    ERT_TRY(all ? ert_cli_results_open_part(all, number, &results, error)
                : ert_cli_results_open(job->folder, &results, error));
    enum ert_status run_status = ert_cli_measure(samples, &results, stderr, &run_error);
    if (!ert_cli_has_samples(samples) && run_status != ERT_OK) {
        ert_cli_results_close(&results);
        return ert_fail(error, run_status, "%s; nothing was measured", run_error.text);
    }
    ert_fit(samples, ceilings);
    enum ert_status written = ert_cli_results_finish(&results, samples, ceilings, error);
    run_print_notes(samples);
    print_details(job, ceilings, written == ERT_OK);
    if (job->is_last || run_status != ERT_OK || written != ERT_OK)
        ert_cli_answer(stdout, ceilings, samples, &results);
    ert_cli_results_close(&results);
    if (run_status == ERT_OK)
        return written;
    char kept[sizeof error->text];
    snprintf(kept, sizeof kept, "%s",
             written == ERT_OK ? "what was measured is kept" : error->text);
    return ert_fail(error, run_status, "%s; %s", run_error.text, kept);
}

/* is_strict: also whether each main ceiling is settled. */
static enum ert_status check_valid(const struct ert_ceilings *ceilings, bool is_strict,
                                   struct ert_error *error)
{
    char open[ERT_WARNINGS_TEXT];
    size_t n_main;
    for (size_t i = 0; i < ceilings->n_devices && is_strict; i++)
        if (ert_settled_open(&ceilings->devices[i], open, sizeof open, &n_main) > 0)
            return ert_fail(error, ERT_NOT_VALID, "%s: not settled: %.600s (--strict)",
                            ceilings->devices[i].device, open);
    for (size_t i = 0; i < ceilings->n_devices; i++)
        if (!ceilings->devices[i].valid && ert_ceilings_main(&ceilings->devices[i]).n > 0)
            return ert_fail(error, ERT_NOT_VALID,
                            "measured, but not valid (exit code 4): see 'verdict' above");
    return ERT_OK;
}

static enum ert_status measure_once(const struct job *job, struct ert_error *error)
{
    struct ert_ceilings ceilings = {0};
    enum ert_status status = run_measure(job, NULL, 0, &ceilings, error);
    if (status == ERT_OK)
        status = check_valid(&ceilings, job->is_strict, error);
    ert_ceilings_free(&ceilings);
    return status;
}

/* Each run's results are in run-1, run-2 ... beside the merged ceilings. */
static enum ert_status measure_runs(const struct job *job, struct ert_ceilings *runs,
                                    size_t n, struct ert_cli_results *results,
                                    struct ert_error *error)
{
    for (size_t i = 0; i < n; i++) {
        const struct job one = {
            .samples = job->samples, .folder = job->folder, .is_verbose = job->is_verbose};
        if (i > 0) { /* the same plan, without the samples of the previous run */
            ert_samples_free(job->samples);
            ERT_TRY(ert_plan_make(job->samples, error));
        }
        ERT_TRY(run_measure(&one, results, i + 1, &runs[i], error));
    }
    ert_runs_merge(runs, n);
    enum ert_status written = ert_cli_results_finish(results, NULL, &runs[0], error);
    print_details(job, &runs[0], written == ERT_OK);
    for (size_t d = 0; d < runs[0].n_devices; d++) {
        const char *name;
        double spread = ert_runs_spread(&runs[0].devices[d], &name);
        if (name)
            printf("%s: %zu runs differ by at most %.2f %% (%s)\n",
                   runs[0].devices[d].device, n, 100 * spread, name);
    }
    ert_cli_answer(stdout, &runs[0], NULL, results);
    ERT_TRY(written);
    return check_valid(&runs[0], job->is_strict, error);
}

static enum ert_status measure_repeated(const struct job *job, size_t n,
                                        struct ert_error *error)
{
    struct ert_cli_results results;
    ERT_TRY(ert_cli_results_open(job->folder, &results, error));
    struct ert_ceilings *runs = ert_xcalloc(n, sizeof *runs);
    enum ert_status status = measure_runs(job, runs, n, &results, error);
    ert_cli_results_close(&results);
    for (size_t i = 0; i < n; i++)
        ert_ceilings_free(&runs[i]);
    free(runs);
    return status;
}

static enum ert_status run_run(const struct options *options, const struct job *job,
                               int argc, char **argv, struct ert_error *error)
{
    struct ert_samples *samples = job->samples;
    struct ert_config *config = &samples->config;
    ERT_TRY(make_config(options, config, error));
    for (uint32_t i = 0; i < config->n_remarks; i++) /* unused settings of the file */
        fprintf(stderr, "%s: %s\n", config->name, config->remarks[i]);
    ERT_TRY(ert_cli_devices(config->device, argc, argv, &samples->machine, error));
    if (*config->dram_bandwidth)
        ERT_TRY(ert_dram_state(&samples->machine, config->dram_bandwidth, error));
    ERT_TRY(ert_plan_make(samples, error));
    if (options->dry_run) {
        print_plan(samples);
        return ERT_OK;
    }
    return options->repeat > 1 ? measure_repeated(job, (size_t)options->repeat, error)
                               : measure_once(job, error);
}

static enum ert_status run_run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.budget_s = -1};
    ert_cli_catch_signals();
    char host[128] = "", folder[256];
    ERT_TRY(
        ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, NULL, 0, NULL, error));
    if (gethostname(host, sizeof host - 1) != 0 || !*host || strchr(host, '/'))
        snprintf(host, sizeof host, "this-machine");
    snprintf(folder, sizeof folder, "results/%s", host);
    const struct job job = {.samples = ert_xcalloc(1, sizeof *job.samples),
                            .folder = options.out ? options.out : folder,
                            .is_strict = options.strict,
                            .is_verbose = options.verbose,
                            .is_last = true};
    enum ert_status status = run_run(&options, &job, argc, argv, error);
    ert_samples_free(job.samples);
    free(job.samples);
    return status;
}

const struct ert_command ert_command_run = {
    .name = "run",
    .words = "",
    .summary = "measure the ceilings of this machine",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = run_run_command,
};
