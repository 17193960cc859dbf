/* SPDX-License-Identifier: BSD-3-Clause */
/* ert fleet merge: finds slow, broken, missing and different nodes in the records of many nodes. */
#include "ert/cli/commands.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/text.h"
#include "ert/ext/fleet/fleet.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct options {
    const char *expect, *topology, *out, *output;
    double false_alarms;
    bool drain;
};

static const char *const forms[] = {"text", "json", "hosts", "suspects", "missing", NULL};

static const struct ert_opt rows[] = {
    ERT_OPT(
        "expect", TEXT, expect, "HOSTS",
        "the nodes of the job, of which alone records count: a file of one name a line, - "
        "(standard input), or NAME,NAME..."),
    ERT_OPT("topology", TEXT, topology, "FILE",
            "which switch each host is connected to: lines SWITCH HOST HOST ..."),
    ERT_OPT("out", TEXT, out, "DIR", "write the report in all forms into this folder"),
    ERT_OPT_OF("output", output, "FORM",
               "what to print (default text); hosts: the bad nodes that have records, "
               "suspects: nodes to measure again, missing: nodes without a whole record; "
               "one name a line",
               forms),
    ERT_OPT_WITHIN(
        "false-alarms", NUMBER, false_alarms, "N",
        "accepted false alarms: sound nodes called slow, expected in the whole fleet "
        "(default 0.25)",
        1e-6, 1e4),
    ERT_OPT_SWITCH(
        "drain", drain,
        "print the scontrol lines that drain bad nodes of --expect, for a shell"),
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
static void merge_reason_of(const struct ert_fleet *fleet,
                            const struct ert_fleet_finding *finding, char *text,
                            size_t size)
{
    snprintf(text, size, "reason=ert: %s", ert_fleet_kinds[finding->kind].name);
    if (finding->column >= 0)
        ert_append(text, size, ": %s %s %.1f %%", fleet->columns[finding->column].device,
                   fleet->columns[finding->column].name, 100 * finding->change);
    if (finding->kind == ERT_FLEET_SOAK)
        ert_append(text, size, "%s", finding->sentence + strlen(finding->host));
    for (char *at = text; *at; at++)
        if ((unsigned char)*at >= 0x80 ||
            (!isalnum((unsigned char)*at) && !strchr(" =:.%+-_", *at)))
            *at = '_';
}

/* Words that Slurm takes for other nodes than one of this name. */
static bool drain_is_reserved(const char *host)
{
    return strcasecmp(host, "ALL") == 0 || strcasecmp(host, "localhost") == 0;
}

/* Each node once, for its worst finding, and only nodes of --expect: a record may have any name in it. */
static void print_drains(const struct ert_fleet *fleet)
{
    bool *is_done = ert_xcalloc(fleet->expected.n_texts, sizeof *is_done);
    for (size_t i = 0; i < fleet->n_findings; i++) {
        const struct ert_fleet_finding *finding = &fleet->findings[i];
        char reason[256];
        if (!(ERT_FLEET_DRAINS & 1U << finding->kind) || finding->peer ||
            finding->severity != ERT_FLEET_BAD)
            continue;
        const size_t at = ert_strings_find(&fleet->expected, finding->host);
        if (at == SIZE_MAX || is_done[at] || drain_is_reserved(finding->host))
            continue;
        is_done[at] = true;
        merge_reason_of(fleet, finding, reason, sizeof reason);
        printf("scontrol update nodename=%s state=drain '%s'\n", finding->host, reason);
    }
    free(is_done);
}

static enum ert_status merge_read_switches(const char *file, struct ert_fleet *fleet,
                                           struct ert_error *error)
{
    struct ert_lines lines;
    ERT_TRY(ert_lines_open(file, &lines, error));
    enum ert_status status = ert_switches_read(&lines, &fleet->switches, error);
    ert_lines_close(&lines);
    return status;
}

static bool merge_is_folder(const char *file)
{
    struct stat about;
    return stat(file, &about) == 0 && S_ISDIR(about.st_mode);
}

/* *folder: the last of the files that is one; NULL: none is. */
static enum ert_status merge_read(const struct options *options, const char *const *files,
                                  size_t n_files, struct ert_fleet *fleet,
                                  const char **folder, struct ert_error *error)
{
    if (options->expect)
        ERT_TRY(ert_hosts_read(options->expect, &fleet->expected, error));
    *folder = NULL;
    for (size_t i = 0; i < n_files; i++) {
        const bool is_folder = merge_is_folder(files[i]);
        *folder = is_folder ? files[i] : *folder;
        ERT_TRY(is_folder ? ert_folder_read(fleet, files[i], error)
                          : ert_fleet_read(fleet, files[i], error));
    }
    return ERT_OK;
}

/* Prints which nodes to measure again, and how: into the folder, if there is one. */
static void print_again(const struct ert_fleet *fleet, const char *folder)
{
    enum { MOST = 400 }; /* nodes in a command; the forms have all */
    struct ert_strings hosts =
        ert_fleet_hosts(fleet, ERT_FLEET_AGAIN | ERT_FLEET_AGAIN_LATE);
    if (hosts.n_texts > 0 && hosts.n_texts <= MOST) {
        printf("again, with the options of the first time, then merge again:\n"
               "srun --ntasks-per-node=1 --cpu-bind=none --kill-on-bad-exit=0 --no-kill "
               "--nodelist=");
        for (size_t i = 0; i < hosts.n_texts; i++)
            printf("%s%s", i ? "," : "", hosts.texts[i]);
        printf(" ert fleet node --into '");
        ert_text_write(stdout, ERT_TEXT_PLAIN, folder);
        printf("'\n");
    } else if (hosts.n_texts > 0) {
        printf("again: %zu nodes, which --output suspects and --output missing list\n",
               hosts.n_texts);
    }
    ert_strings_free(&hosts);
}

static enum ert_status merge_merge(const struct options *options, const char *const *files,
                                   size_t n_files, struct ert_fleet *fleet,
                                   struct ert_error *error)
{
    const char *folder;
    ERT_TRY(merge_read(options, files, n_files, fleet, &folder, error));
    ert_fleet_judge(fleet, options->false_alarms);
    if (options->topology)
        ERT_TRY(merge_read_switches(options->topology, fleet, error));
    ert_fleet_judge_network(fleet);
    ERT_TRY(print_form(fleet, options->output, error));
    if (strcmp(options->output, "text") == 0 && n_files == 1 && folder)
        print_again(fleet, folder);
    if (options->out)
        ERT_TRY(ert_file_make_folder(options->out, error));
    if (options->out)
        ERT_TRY(ert_fleet_write_forms(fleet, options->out, error));
    if (options->drain)
        print_drains(fleet);
    return ert_fleet_status(fleet, error);
}

static enum ert_status merge_run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.output = "text", .false_alarms = ERT_FLEET_FALSE_ALARMS};
    const size_t most = (size_t)argc + 1;
    const char **files = ert_xcalloc(most, sizeof *files);
    size_t n_files;
    struct ert_fleet fleet;
    enum ert_status status = ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options,
                                           files, most, &n_files, error);
    if (status == ERT_OK && n_files == 0)
        status =
            ert_fail(error, ERT_USAGE,
                     "merge: name the folder of records, files of them, or - for standard "
                     "input");
    if (status == ERT_OK && options.drain && !options.expect)
        status = ert_fail(error, ERT_USAGE,
                          "--drain needs --expect: only nodes of that list are drained");
    if (status == ERT_OK && options.drain && strcmp(options.output, "text") != 0)
        status = ert_fail(error, ERT_USAGE, "--drain works with --output text only");
    if (status == ERT_OK) {
        ert_fleet_begin(&fleet);
        status = merge_merge(&options, files, n_files, &fleet, error);
        ert_fleet_free(&fleet);
    }
    free(files);
    return status;
}

static void merge_print_notes(FILE *out)
{
    fputs(
        "\nA folder has HOST.ndjson of each node (ert fleet node --into) and NAME.net of "
        "ert-net (ert-net --out).\n"
        "Slurm's lists with brackets become names by `scontrol show hostnames`.\n"
        "Nodes of the same hardware are compared with their median. A node is slow if it "
        "is slower all of the three\n"
        "or more times that it was measured, by more than 2 % and by more than sound nodes "
        "differ; before, it is a\n"
        "suspect. Several records of a node are repeated measurements. Exit codes: 0 "
        "nothing found, 1 bad nodes or\n"
        "links, 4 no verdict: measure the suspects again, or there are too few nodes. "
        "Missing and late nodes are\n"
        "never drained.\n",
        out);
}

const struct ert_command ert_command_fleet_merge = {
    .name = "merge",
    .words = "FOLDER|RECORDS...",
    .summary = "the records of many nodes: which are slow, broken or missing",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = merge_run_command,
    .notes = merge_print_notes,
};
