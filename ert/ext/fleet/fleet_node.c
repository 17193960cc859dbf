/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert fleet node: measures this node and writes its record, one line on stdout or in a shared folder, even
 * after an error, except for usage errors. Messages for people go to stderr.
 */
#include "ert/cli/commands.h"
#include "ert/cli/measure.h"
#include "ert/core/backend/backend.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/config.h"
#include "ert/core/fit/conditions.h"
#include "ert/core/fit/evidence.h"
#include "ert/core/fit/fit.h"
#include "ert/core/stats/differ.h"
#include "ert/core/sweep/plan.h"
#include "ert/ext/fleet/fleet.h"
#include "ert/ext/verify/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *verify, *config, *device, *host, *into;
    double budget_s;
    bool is_dedicated;
};

static const struct ert_opt rows[] = {
    ERT_OPT("verify", TEXT, verify, "CEILINGS",
            "compare with these, as `ert verify` does (default: measure)"),
    ERT_OPT_SWITCH("dedicated", is_dedicated,
                   "with --verify: the host of this virtual machine has no other guests"),
    ERT_OPT("config", TEXT, config, "NAME",
            "what to measure: a preset or a file (default quick)"),
    ERT_OPT("device", TEXT, device, "NAME", "devices: all (default), cpu, gpu, gpuN, fake"),
    ERT_OPT_WITHIN(
        "budget", TIME, budget_s, "TIME",
        "seconds per device; 0 for no limit (default: 30 with --verify, else the "
        "preset's)",
        0, 1e6),
    ERT_OPT("host", TEXT, host, "NAME",
            "the node's name in the record (default $SLURMD_NODENAME, else the host name)"),
    ERT_OPT(
        "into", TEXT, into, "DIR",
        "write the record into the shared folder DIR, as a further line of HOST.ndjson, "
        "for `ert fleet merge DIR` (default: to stdout)"),
};

/* State of the measurement. */
struct node {
    const struct options *options;
    int argc;
    char **argv;
    FILE *progress;
    struct ert_node_record record;
    struct ert_folder_file into; /* with --into */
};

/* Gets the name that --host gives, or that of this host. */
static enum ert_status name_host(const char *wanted, char host[ERT_HOST_TEXT],
                                 struct ert_error *error)
{
    if (wanted)
        snprintf(host, ERT_HOST_TEXT, "%s", wanted);
    else
        ert_host_own(host);
    if (ert_host_is_name(wanted ? wanted : host))
        return ERT_OK;
    return ert_fail(error, ERT_USAGE,
                    "%s: '%.100s', must be a host's name: letters, digits, '.', '-' and "
                    "'_'; --host gives another",
                    wanted ? "--host" : "the host's name", wanted ? wanted : host);
}

/* ---- the fingerprint ---- */

/* The widest instruction set that programs may use, among those that distinguish nodes. */
static const char *isa_name(const struct ert_isa *isa)
{
    const struct {
        bool has;
        const char *name;
    } names[] = {
        {isa->amx_tile, "amx"   },
        {isa->avx512f,  "avx512"},
        {isa->avx2,     "avx2"  },
        {isa->avx,      "avx"   },
        {isa->sse2,     "sse2"  },
        {isa->sve,      "sve"   },
        {isa->neon,     "neon"  },
    };
    for (size_t i = 0; i < ERT_LENGTH(names); i++)
        if (names[i].has)
            return names[i].name;
    return "";
}

static void node_add_cpu(struct ert_node_fingerprint *to, const struct ert_device *device)
{
    const struct ert_cpu *cpu = &device->cpu;
    snprintf(to->cpu, sizeof to->cpu, "%s", device->name);
    snprintf(to->isa, sizeof to->isa, "%s", isa_name(&cpu->isa));
    snprintf(to->governor, sizeof to->governor, "%s", cpu->governor);
    to->packages = cpu->n_packages;
    to->cores = cpu->n_cores;
    to->pus = cpu->n_pus;
    to->memory_bytes = 0;
    for (uint32_t i = 0; i < cpu->n_numa; i++)
        to->memory_bytes += (double)cpu->numa[i].size_bytes;
}

static void add_gpu(struct ert_node_fingerprint *to, const struct ert_device *device,
                    const char *driver)
{
    if (to->n_gpus == ERT_NODE_MAX_GPUS)
        return;
    struct ert_node_gpu *gpu = &to->gpus[to->n_gpus++];
    *gpu = (struct ert_node_gpu){.memory_bytes = (double)device->gpu.memory_bytes,
                                 .power_limit_w = device->gpu.power_limit_w,
                                 .boost_hz = device->boost_hz};
    snprintf(gpu->device, sizeof gpu->device, "%s", device->id);
    snprintf(gpu->model, sizeof gpu->model, "%s", device->name);
    snprintf(gpu->driver, sizeof gpu->driver, "%s", driver);
}

/* Sets the fingerprint, with the host's firmware unless the machine is a planted one. */
static void node_identify(struct ert_node_record *record, const struct ert_machine *machine)
{
    const struct ert_provenance *provenance = &machine->provenance;
    struct ert_node_fingerprint *fingerprint = &record->fingerprint;
    *fingerprint = (struct ert_node_fingerprint){.packages = 0};
    snprintf(record->git, sizeof record->git, "%s", provenance->git);
    snprintf(fingerprint->kernel, sizeof fingerprint->kernel, "%s", provenance->kernel);
    bool is_planted = false;
    for (uint32_t i = 0; i < machine->n_devices; i++) {
        const struct ert_device *device = &machine->devices[i];
        is_planted = is_planted || ert_backend_is_fake(device);
        if (device->kind == ERT_DEVICE_CPU)
            node_add_cpu(fingerprint, device);
        else
            add_gpu(fingerprint, device, provenance->nvidia_driver);
    }
    if (is_planted)
        return;
    ert_file_value("/proc/cpuinfo", "microcode", fingerprint->microcode,
                   sizeof fingerprint->microcode);
    ert_file_first_line(fingerprint->bios, sizeof fingerprint->bios,
                        "/sys/class/dmi/id/bios_version");
}

/* ---- measured ceilings ---- */

static void add_measured(struct ert_node_record *record, const char *device,
                         const struct ert_ceiling *ceiling)
{
    const char *unit = ert_unit_words[ceiling->unit];
    const struct ert_evidence *evidence = ceiling->evidence;
    const enum ert_better better =
        strcmp(unit, "s") == 0 ? ERT_BETTER_LOW : ERT_BETTER_HIGH;
    const struct ert_differ_side side = {
        .rounds = evidence->rounds,
        .n = evidence->n_rounds,
        .value = ceiling->value,
        .error = ert_differ_error_of(ceiling->low, ceiling->high, ceiling->value),
        .n_samples = evidence->n_samples,
        .between = evidence->between,
        .n_runs = evidence->n_runs};
    const struct ert_differ again = ert_differ(&side, &side, better, 0);
    struct ert_node_ceiling *to = ert_node_add_ceiling(record);
    *to = (struct ert_node_ceiling){
        .value = ceiling->value,
        .low = ceiling->low,
        .high = ceiling->high,
        .error = again.error / sqrt(2), /* of one of two equal sides */
        .detectable = again.detectable,
        .clock_hz = evidence->clock_hz,
        .is_main = ceiling->kind == ERT_CEILING_COMPUTE
                       ? strcmp(ceiling->name, "fp64-fma") == 0
                       : ceiling->kind == ERT_CEILING_MEMORY && ceiling->is_roof};
    snprintf(to->device, sizeof to->device, "%s", device);
    snprintf(to->name, sizeof to->name, "%s", ceiling->name);
    snprintf(to->unit, sizeof to->unit, "%s", unit);
    snprintf(to->reason, sizeof to->reason, "%s", evidence->warning);
}

static void node_add_device(struct ert_node_record *record,
                            const struct ert_device_ceilings *of)
{
    for (size_t i = 0; i < of->n; i++) {
        const struct ert_ceiling *ceiling = &of->ceilings[i];
        if (ceiling->kind <= ERT_CEILING_LATENCY || ceiling->kind == ERT_CEILING_LINK)
            add_measured(record, of->device, ceiling);
    }
    for (size_t i = 0; i < of->n_not_measured; i++) {
        struct ert_node_ceiling *to = ert_node_add_ceiling(record);
        snprintf(to->device, sizeof to->device, "%s", of->device);
        snprintf(to->name, sizeof to->name, "%s", of->not_measured[i].name);
        snprintf(to->reason, sizeof to->reason, "%s", of->not_measured[i].reason);
    }
}

/*
 * Adds measured ceilings: compute, memory, latencies and links; those that could not be measured, with the
 * reason; and for each device whose numbers are not valid a warning and the status.
 */
static void node_add_measured(struct ert_node_record *record,
                              const struct ert_ceilings *ceilings)
{
    for (size_t d = 0; d < ceilings->n_devices; d++) {
        const struct ert_device_ceilings *of = &ceilings->devices[d];
        node_add_device(record, of);
        if (of->valid)
            continue;
        ert_node_warn(record, of->device, of->warnings);
        if (record->status != ERT_NODE_OK)
            continue;
        record->status = ERT_NODE_NOT_VALID;
        record->reason[0] = '\0';
        ert_append(record->reason, sizeof record->reason, "%s: %s", of->device,
                   of->warnings);
    }
}

/* ---- verified ceilings ---- */

static void add_verified(struct ert_node_record *record, const struct ert_verify_row *row,
                         const struct ert_samples *samples)
{
    static const double reach = 1.645; /* 90 % of a normal distribution lie within */
    struct ert_node_ceiling *to = ert_node_add_ceiling(record);
    to->value = row->verdict == ERT_VERIFY_MISSING ? 0 : row->now;
    to->error = ert_verify_error(row, samples, &to->clock_hz);
    to->low = fmax(to->value * (1 - reach * to->error), 0);
    to->high = to->value * (1 + reach * to->error);
    to->detectable = row->differ.detectable;
    to->is_main = row->is_main;
    to->verdict = (enum ert_node_verdict)(ERT_NODE_VERDICT_SAME + row->verdict);
    to->change = row->differ.change;
    snprintf(to->device, sizeof to->device, "%s", row->device);
    snprintf(to->name, sizeof to->name, "%.31s", row->name);
    snprintf(to->unit, sizeof to->unit, "%s", row->operation);
    snprintf(to->reason, sizeof to->reason, "%s", row->reason);
}

/*
 * Adds ceilings that were compared with recorded ones, and the clocks that they follow. A missing ceiling
 * makes the record a failed one; a slower one does not: its verdict shows it.
 */
static void node_add_verified(struct ert_node_record *record,
                              const struct ert_cli_verification *verification)
{
    for (size_t i = 0; i < verification->n; i++) {
        const struct ert_verify_row *row = &verification->rows[i];
        add_verified(record, row, verification->samples);
        if (row->verdict != ERT_VERIFY_MISSING || record->status != ERT_NODE_OK)
            continue;
        record->status = ERT_NODE_FAILED;
        snprintf(record->reason, sizeof record->reason, "%s %s is missing: %s", row->device,
                 row->name, row->reason);
    }
}

/* ---- measuring ---- */

/*
 * Sets the record's status from the status of the measurement, and its reason from the error. A command that
 * is wrong on this node, or a file that it cannot read, is no fault of the node's: all nodes may have it.
 */
static void node_conclude(struct ert_node_record *record, enum ert_status status,
                          const struct ert_samples *samples, struct ert_error *error)
{
    bool is_stopped = strcmp(samples->status, "interrupted") == 0;
    record->status = is_stopped                                       ? ERT_NODE_INTERRUPTED
                     : status == ERT_NOT_VALID || status == ERT_USAGE ? ERT_NODE_NOT_VALID
                                                                      : ERT_NODE_FAILED;
    if (is_stopped)
        ert_fail(error, status, "interrupted");
    snprintf(record->reason, sizeof record->reason, "%.511s", error->text);
}

static enum ert_status plan(struct node *node, struct ert_samples *samples,
                            struct ert_error *error)
{
    const struct options *options = node->options;
    struct ert_config *config = &samples->config;
    ert_config_default(config);
    if (options->config)
        ERT_TRY(ert_cli_preset(options->config, config, error));
    else
        ert_config_quick(config);
    if (options->budget_s >= 0)
        config->budget_s = options->budget_s;
    if (options->device)
        snprintf(config->device, sizeof config->device, "%s", options->device);
    ERT_TRY(
        ert_cli_devices(config->device, node->argc, node->argv, &samples->machine, error));
    node_identify(&node->record, &samples->machine);
    return ert_plan_make(samples, error);
}

static enum ert_status node_measure(struct node *node, struct ert_error *error)
{
    struct ert_node_record *record = &node->record;
    struct ert_samples *samples = ert_xcalloc(1, sizeof *samples);
    struct ert_ceilings ceilings = {0};
    record->kind = ERT_NODE_MEASURE;
    enum ert_status status = plan(node, samples, error);
    if (status == ERT_OK)
        status = ert_cli_measure(samples, NULL, node->progress, error);
    if (ert_cli_has_samples(samples)) {
        ert_fit(samples, &ceilings);
        node_add_measured(record, &ceilings);
    }
    if (status != ERT_OK)
        node_conclude(record, status, samples, error);
    else if (record->status != ERT_NODE_OK)
        status = ert_fail(error, ERT_NOT_VALID, "%s", record->reason);
    ert_ceilings_free(&ceilings);
    ert_samples_free(samples);
    free(samples);
    return status;
}

static void warn_of_conditions(struct ert_node_record *record,
                               const struct ert_samples *samples)
{
    for (size_t i = 0; i < samples->n_devices; i++) {
        const struct ert_device_samples *device = &samples->devices[i];
        char why[256];
        ert_conditions_reach(&device->context.device, device, why, sizeof why);
        if (*why)
            ert_node_warn(record, device->device, why);
    }
}

/* A slower node was still measured well, so only the exit code, not the record's status, is about that. */
static enum ert_status node_compare(struct node *node,
                                    struct ert_cli_verification *verification,
                                    struct ert_error *error)
{
    struct ert_node_record *record = &node->record;
    const struct ert_samples *samples = verification->samples;
    enum ert_status status = ert_cli_verify_measure(verification, error);
    node_add_verified(record, verification);
    warn_of_conditions(record, samples);
    if (status != ERT_OK) {
        node_conclude(record, status, samples, error);
        return status;
    }
    status = ert_cli_verify_judge(verification, error);
    if (status == ERT_NOT_VALID)
        node_conclude(record, status, samples, error);
    else if (status != ERT_OK && record->status == ERT_NODE_OK)
        snprintf(record->reason, sizeof record->reason, "%.511s", error->text);
    return status;
}

static enum ert_status node_verify(struct node *node, struct ert_error *error)
{
    const struct options *options = node->options;
    struct ert_cli_verification verification;
    struct ert_cli_verify_options how = ERT_CLI_VERIFY_OPTIONS;
    how.progress = node->progress;
    how.dedicated = options->is_dedicated;
    if (options->device)
        how.device = options->device;
    if (options->budget_s >= 0)
        how.budget_s = options->budget_s;
    node->record.kind = ERT_NODE_VERIFY;
    enum ert_status status = ert_cli_verify_open(options->verify, &how, node->argc,
                                                 node->argv, &verification, error);
    const struct ert_samples *samples = verification.samples;
    node_identify(&node->record, &samples->machine);
    if (status == ERT_OK)
        status = ert_cli_verify_plan(&verification, error);
    if (status == ERT_OK)
        status = node_compare(node, &verification, error);
    else /* a file of other devices is the command's fault, too */
        node_conclude(&node->record, status == ERT_UNAVAILABLE ? ERT_USAGE : status,
                      samples, error);
    ert_cli_verify_close(&verification);
    return status;
}

/* ---- the record ---- */

static enum ert_status node_write_record(const struct node *node, struct ert_error *error)
{
    return node->options->into ? ert_folder_write(&node->into, &node->record, error)
                               : ert_node_write(stdout, &node->record, error);
}

/*
 * Opens the node's file, and writes that it has begun, which its record replaces: whatever ends the node, the
 * merge can tell that it was there. Records of a node are told apart by their dates, in seconds.
 */
static enum ert_status begin_into(struct node *node, struct ert_error *error)
{
    struct ert_node_record *record = &node->record;
    char before[sizeof record->created];
    ERT_TRY(ert_folder_open(node->options->into, record->host, &node->into, error));
    snprintf(before, sizeof before, "%s", record->created);
    if (node->into.size > 0 && strstr(node->into.before, before)) {
        ert_clock_sleep_s(1);
        ert_clock_date(record->created, sizeof record->created);
    }
    record->status = ERT_NODE_INTERRUPTED;
    snprintf(record->reason, sizeof record->reason,
             "it began, and neither ended nor said why not");
    ERT_TRY(node_write_record(node, error));
    record->status = ERT_NODE_OK;
    record->reason[0] = '\0';
    return ERT_OK;
}

static enum ert_status run_node(struct node *node, struct ert_error *error)
{
    const struct options *options = node->options;
    struct ert_node_record *record = &node->record;
    const double begin_s = ert_clock_now_s();
    snprintf(record->tool, sizeof record->tool, "%s", PACKAGE_VERSION);
    snprintf(record->job, sizeof record->job, "%.63s", ert_host_job());
    ert_clock_date(record->created, sizeof record->created);
    record->kind = options->verify ? ERT_NODE_VERIFY : ERT_NODE_MEASURE;
    if (options->into)
        ERT_TRY(begin_into(node, error));
    enum ert_status status =
        options->verify ? node_verify(node, error) : node_measure(node, error);
    record->elapsed_s = ert_clock_now_s() - begin_s;
    struct ert_error not_written;
    if (node_write_record(node, &not_written) != ERT_OK)
        status = ert_fail(error, ERT_FAILED, "%s", not_written.text);
    return status;
}

static enum ert_status node_run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.budget_s = -1};
    struct node node = {.options = &options,
                        .argc = argc,
                        .argv = argv,
                        .progress = isatty(STDERR_FILENO) ? stderr : NULL};
    ert_cli_catch_signals();
    ERT_TRY(
        ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, NULL, 0, NULL, error));
    if (options.verify && options.config)
        return ert_fail(error, ERT_USAGE, "--verify and --config: give one of them");
    ERT_TRY(name_host(options.host, node.record.host, error));
    enum ert_status status = run_node(&node, error);
    ert_node_free(&node.record);
    ert_folder_close(&node.into);
    return status;
}

const struct ert_command ert_command_fleet_node = {
    .name = "node",
    .words = "",
    .summary = "measures or verifies this node, and writes its record",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = node_run_command,
};
