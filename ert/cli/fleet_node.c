/*
 * ert fleet node: measures this node and prints its record: one line on stdout whatever goes wrong, but for
 * words that it does not take. What is for a person goes to stderr.
 */
#include "ert/base/alloc.h"
#include "ert/base/clock.h"
#include "ert/base/config.h"
#include "ert/base/file.h"
#include "ert/ceilings/fit.h"
#include "ert/cli/commands.h"
#include "ert/cli/measure.h"
#include "ert/fleet/node.h"
#include "ert/fleet/parts.h"
#include "ert/sweep/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *device, *host;
    double budget_s;
    bool in_parts;
};

static const struct ert_opt rows[] = {
    ERT_OPT("device", TEXT, device, "NAME",
            "which devices: all (default), cpu, gpu, gpuN, fake"),
    ERT_OPT_WITHIN("budget", TIME, budget_s, "TIME",
                   "seconds per device; 0 for no limit (default 25)", 0, 1e6),
    ERT_OPT("host", TEXT, host, "NAME",
            "the node's name in the record (default $SLURMD_NODENAME, else the host name)"),
    ERT_OPT_SWITCH("parts", in_parts,
                   "as `ert fleet run` reads it: how long it means to take, and the record "
                   "in short lines"),
};

/* The name by which the launcher knows this node; the host's own without its domain. */
static enum ert_status name_host(const char *wanted, char host[ERT_HOST_TEXT],
                                 struct ert_error *error)
{
    const char *slurm = getenv("SLURMD_NODENAME"), *who = "--host";
    if (!wanted && slurm && *slurm) {
        who = "SLURMD_NODENAME";
        wanted = slurm;
    }
    if (wanted) {
        snprintf(host, ERT_HOST_TEXT, "%s", wanted);
    } else {
        who = "the host's name";
        gethostname(host, ERT_HOST_TEXT - 1);
        host[strcspn(host, ".")] = '\0';
        wanted = host;
    }
    if (ert_host_is_name(wanted))
        return ERT_OK;
    return ert_fail(error, ERT_USAGE,
                    "%s: '%.100s', must be a host's name: letters, digits, '.', '-' and "
                    "'_'; --host gives another",
                    who, wanted);
}

/* The job's number as the batch system says it, or "". */
static const char *job_of_environment(void)
{
    static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID",
                                        "FLUX_JOB_ID"};
    for (size_t i = 0; i < ERT_LENGTH(names); i++) {
        const char *job = getenv(names[i]);
        if (job && *job)
            return job;
    }
    return "";
}

static enum ert_status measure(const struct options *options, int argc, char **argv,
                               struct ert_samples *samples, struct ert_node_record *record,
                               struct ert_error *error)
{
    struct ert_config *config = &samples->config;
    struct ert_ceilings ceilings = {0};
    ert_config_default(config);
    ert_config_quick(config);
    config->budget_s = options->budget_s;
    snprintf(config->device, sizeof config->device, "%s", options->device);
    ERT_TRY(ert_cli_devices(config->device, argc, argv, &samples->machine, error));
    if (options->in_parts) {
        printf("ert-begin %s %g\n", record->host,
               options->budget_s * (double)samples->machine.n_devices);
        fflush(stdout);
    }
    ert_node_identify(record, &samples->machine);
    ERT_TRY(ert_plan_make(samples, error));
    enum ert_status status = ert_cli_measure(samples, NULL, error);
    if (ert_cli_has_samples(samples)) {
        ert_fit(samples, &ceilings);
        ert_node_measured(record, &ceilings);
        ert_ceilings_free(&ceilings);
    }
    return status;
}

/* What the record says of how it ended, and the exit code for it. */
static enum ert_status conclude(enum ert_status status, const struct ert_samples *samples,
                                struct ert_node_record *record, struct ert_error *error)
{
    if (status == ERT_OK && record->status == ERT_NODE_NOT_VALID)
        return ert_fail(error, ERT_NOT_VALID, "%s", record->reason);
    if (status == ERT_OK)
        return ERT_OK;
    record->status = strcmp(samples->status, "interrupted") == 0 ? ERT_NODE_INTERRUPTED
                                                                 : ERT_NODE_FAILED;
    snprintf(record->reason, sizeof record->reason, "%.511s", error->text);
    return status;
}

static enum ert_status make_record(const void *about, FILE *out, struct ert_error *error)
{
    return ert_node_write(out, about, error);
}

static enum ert_status write_record(const struct ert_node_record *record, bool in_parts,
                                    struct ert_error *error)
{
    char *text = NULL;
    size_t size;
    if (!in_parts)
        return ert_node_write(stdout, record, error);
    enum ert_status status = ert_file_collect(make_record, record, &text, &size, error);
    if (status == ERT_OK) {
        text[strcspn(text, "\n")] = '\0';
        ert_parts_write(stdout, text);
    }
    free(text);
    return status;
}

static enum ert_status run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.device = "all", .budget_s = 25};
    struct ert_node_record record = {.kind = ERT_NODE_MEASURE};
    size_t n_words;
    const double begin_s = ert_clock_now_s();
    ert_cli_catch_signals();
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, NULL, 0, &n_words,
                          error));
    ERT_TRY(name_host(options.host, record.host, error));
    snprintf(record.tool, sizeof record.tool, "%s", PACKAGE_VERSION);
    snprintf(record.job, sizeof record.job, "%.63s", job_of_environment());
    ert_clock_date(record.created, sizeof record.created);
    struct ert_samples *samples = ert_xcalloc(1, sizeof *samples);
    enum ert_status status = measure(&options, argc, argv, samples, &record, error);
    status = conclude(status, samples, &record, error);
    record.elapsed_s = ert_clock_now_s() - begin_s;
    struct ert_error not_written;
    if (write_record(&record, options.in_parts, &not_written) != ERT_OK)
        status = ert_fail(error, ERT_FAILED, "%s", not_written.text);
    ert_samples_free(samples);
    free(samples);
    ert_node_free(&record);
    return status;
}

const struct ert_command ert_command_fleet_node = {
    .name = "node",
    .words = "",
    .summary = "measures this node and prints its record, one line of JSON",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = run_command,
};
