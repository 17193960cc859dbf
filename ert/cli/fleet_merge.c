/* SPDX-License-Identifier: BSD-3-Clause */
/* ert fleet merge: finds slow, broken, missing and different nodes in the records of many nodes. */
#include "ert/base/alloc.h"
#include "ert/base/file.h"
#include "ert/base/text.h"
#include "ert/base/tool.h"
#include "ert/cli/commands.h"
#include "ert/fleet/fleet.h"
#include "ert/fleet/hosts.h"
#include "ert/fleet/network.h"
#include "ert/fleet/outputs.h"
#include "ert/fleet/page.h"
#include "ert/fleet/past.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *expect, *topology, *baseline, *history, *out, *page, *output;
    double false_alarms;
    bool drain, yes;
};

static const char *const forms[] = {"text",  "json",  "csv",      "markdown", "prometheus",
                                    "junit", "hosts", "suspects", "html",     NULL};

static const struct ert_opt rows[] = {
    ERT_OPT("expect", TEXT, expect, "HOSTS",
            "nodes that should have a record, a Slurm host list: node[001-128],gpu[1-4]"),
    ERT_OPT(
        "topology", TEXT, topology, "FILE",
        "which switch each host is connected to: what scontrol show topology prints, or "
        "lines SWITCH HOSTS"),
    ERT_OPT("baseline", TEXT, baseline, "FLEET",
            "an earlier fleet.json: which nodes have become slower since"),
    ERT_OPT(
        "history", TEXT, history, "FILE",
        "append the values to FILE, and report nodes that became slower over its dates"),
    ERT_OPT("out", TEXT, out, "DIR", "write the report in all forms into this folder"),
    ERT_OPT("page", TEXT, page, "FILE",
            "write the report as one HTML file that loads nothing else"),
    ERT_OPT_OF(
        "output", output, "FORM",
        "what to print (default text); hosts: the bad nodes, suspects: nodes to measure "
        "again",
        forms),
    ERT_CLI_FALSE_ALARMS,
    ERT_OPT_SWITCH("drain", drain, "print the scontrol lines that drain bad nodes"),
    ERT_OPT_SWITCH("yes", yes, "with --drain: run them"),
};

static enum ert_status print_form(const struct ert_fleet *fleet, const char *name,
                                  struct ert_error *error)
{
    size_t i = 0;
    while (strcmp(ert_fleet_forms[i].name, name) != 0)
        i++;
    return ert_fleet_forms[i].make(fleet, stdout, error);
}

/* "ert: slow: cpu fp64-fma -5.2 %": letters, digits and characters not special to Slurm or a shell. */
static void reason_of(const struct ert_fleet *fleet,
                      const struct ert_fleet_finding *finding, char *text, size_t size)
{
    snprintf(text, size, "reason=ert: %s", ert_fleet_kind_name(finding->kind));
    if (finding->column >= 0)
        ert_append(text, size, ": %s %s %.1f %%", fleet->columns[finding->column].device,
                   fleet->columns[finding->column].name, 100 * finding->change);
    for (char *at = text; *at; at++)
        if ((unsigned char)*at >= 0x80 ||
            (!isalnum((unsigned char)*at) && !strchr(" =:.%+-_", *at)))
            *at = '_';
}

static enum ert_status drain_node(const struct ert_fleet *fleet,
                                  const struct ert_fleet_finding *finding, bool is_run,
                                  const char *scontrol, struct ert_error *error)
{
    static const double longest_s = 60;
    char node[ERT_HOST_TEXT + 16], reason[256];
    struct ert_tool_output output = {0};
    snprintf(node, sizeof node, "nodename=%s", finding->host);
    reason_of(fleet, finding, reason, sizeof reason);
    printf("scontrol update %s state=drain '%s'\n", node, reason);
    if (!is_run)
        return ERT_OK;
    const char *const argv[] = {scontrol, "update", node, "state=drain", reason, NULL};
    ERT_TRY(ert_tool_run(argv, longest_s, &output, error));
    enum ert_status status = ERT_OK;
    if (output.exit_code != 0)
        status = ert_fail(error, ERT_FAILED, "scontrol update %s: exit code %d: %.200s",
                          node, output.exit_code, output.err);
    ert_tool_free(&output);
    return status;
}

/* Drains each node once, for its worst finding. Tries all; the first failure is the error. */
static enum ert_status drain(const struct ert_fleet *fleet, bool is_run,
                             struct ert_error *error)
{
    char scontrol[PATH_MAX] = "scontrol";
    const char *const nowhere[] = {NULL};
    enum ert_status status = ERT_OK;
    char *list = ert_fleet_hosts(fleet, ERT_FLEET_DRAINS);
    struct ert_hosts hosts = {0};
    if (*list)
        status = ert_hosts_expand(list, &hosts, error);
    free(list);
    if (status == ERT_OK && is_run && hosts.n > 0)
        status = ert_tool_find("scontrol", nowhere, scontrol, sizeof scontrol, error);
    for (size_t i = 0, n = status == ERT_OK ? hosts.n : 0; i < n; i++) {
        struct ert_error why = {0};
        const struct ert_fleet_finding *finding = fleet->findings;
        while (!(ERT_FLEET_DRAINS & 1U << finding->kind) ||
               strcmp(finding->host, hosts.names[i]) != 0)
            finding++;
        if (drain_node(fleet, finding, is_run, scontrol, &why) != ERT_OK &&
            status == ERT_OK)
            status = ert_fail(error, why.status, "%s", why.text);
    }
    ert_hosts_free(&hosts);
    return status;
}

static enum ert_status judge_network(struct ert_fleet *fleet, const char *topology,
                                     struct ert_error *error)
{
    struct ert_lines lines;
    if (!topology)
        return ert_fleet_judge_network(fleet, NULL, error);
    ERT_TRY(ert_lines_open(topology, &lines, error));
    enum ert_status status = ert_fleet_judge_network(fleet, &lines, error);
    ert_lines_close(&lines);
    return status;
}

static enum ert_status merge(const struct options *options, const char *const *files,
                             size_t n_files, struct ert_fleet *fleet,
                             struct ert_error *error)
{
    for (size_t i = 0; i < n_files; i++)
        ERT_TRY(ert_fleet_read(fleet, files[i], error));
    if (options->expect)
        ERT_TRY(ert_fleet_expect(fleet, options->expect, error));
    ert_fleet_judge(fleet, options->false_alarms);
    ERT_TRY(judge_network(fleet, options->topology, error));
    if (options->baseline)
        ERT_TRY(ert_fleet_compare_baseline(fleet, options->baseline, error));
    if (options->history)
        ERT_TRY(ert_fleet_compare_history(fleet, options->history, error));
    ert_fleet_sort(fleet);
    ERT_TRY(print_form(fleet, options->output, error));
    if (options->out)
        ERT_TRY(ert_file_make_folder(options->out, error));
    if (options->out)
        ERT_TRY(ert_fleet_write_forms(fleet, options->out, error));
    if (options->page)
        ERT_TRY(ert_file_write_made(options->page, ert_fleet_page_make, fleet, error));
    if (options->history)
        ERT_TRY(ert_fleet_append_history(fleet, options->history, error));
    if (options->drain)
        ERT_TRY(drain(fleet, options->yes, error));
    return ert_fleet_status(fleet, error);
}

static enum ert_status run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.output = "text", .false_alarms = ERT_FLEET_FALSE_ALARMS};
    const size_t most = (size_t)argc + 1;
    const char **files = ert_xcalloc(most, sizeof *files);
    size_t n_files;
    struct ert_fleet fleet;
    enum ert_status status = ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options,
                                           files, most, &n_files, error);
    if (status == ERT_OK && n_files == 0)
        status = ert_fail(error, ERT_USAGE,
                          "merge: name files of records, or - for standard input");
    if (status == ERT_OK && options.yes && !options.drain)
        status = ert_fail(error, ERT_USAGE, "--yes needs --drain");
    if (status == ERT_OK && options.drain && strcmp(options.output, "text") != 0)
        status = ert_fail(error, ERT_USAGE, "--drain works with --output text only");
    if (status == ERT_OK) {
        ert_fleet_begin(&fleet);
        status = merge(&options, files, n_files, &fleet, error);
        ert_fleet_free(&fleet);
    }
    free(files);
    return status;
}

static void notes(FILE *out)
{
    fputs("\nNodes of the same hardware are compared with their median. A node is slow if "
          "it is slower every time it was\n"
          "measured, by more than 2 % and by more than sound nodes differ. Several records "
          "of a node are repeated\n"
          "measurements. Exit codes: 0 nothing found, 1 bad nodes or links, 4 no verdict: "
          "measure the suspects again,\n"
          "or there are too few nodes. Missing and late nodes are never drained.\n",
          out);
}

const struct ert_command ert_command_fleet_merge = {
    .name = "merge",
    .words = "RECORDS...",
    .summary = "the records of many nodes: which are slow, broken or missing",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = run_command,
    .notes = notes,
};
