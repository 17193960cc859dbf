/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert fleet run: runs `ert fleet node` on all nodes of a job, measures suspects again and the links, and
 * writes the report. Keeps records however the run ends, and waits for no node beyond its time limit.
 */
#include "ert/base/alloc.h"
#include "ert/base/clock.h"
#include "ert/base/file.h"
#include "ert/base/text.h"
#include "ert/base/tool.h"
#include "ert/cli/commands.h"
#include "ert/cli/measure.h"
#include "ert/fleet/gather.h"
#include "ert/fleet/launch.h"
#include "ert/fleet/network.h"
#include "ert/fleet/outputs.h"
#include "ert/fleet/topology.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WORDS = 40 };

struct options {
    const char *launcher, *hosts, *out, *resume, *device, *ert, *net, *topology, *sbatch;
    double budget_s, answer_s, deadline_s, net_deadline_s, time_s, false_alarms;
    uint64_t fanout, repeats, nodes;
};

static const struct ert_opt rows[] = {
    ERT_OPT("launcher", TEXT, launcher, "NAME",
            "srun, mpirun (Open MPI), mpiexec (MPICH), ssh, local (default: the job's)"),
    ERT_OPT("hosts", TEXT, hosts, "LIST",
            "the nodes, as node[01-16],gpu3 (default: all of the job)"),
    ERT_OPT("out", TEXT, out, "DIR", "folder of the report (default ert-fleet-JOB)"),
    ERT_OPT("resume", TEXT, resume, "DIR",
            "continue an interrupted run: measure its nodes that have no valid record"),
    ERT_OPT("device", TEXT, device, "NAME",
            "devices of each node: all (default), cpu, gpu, gpuN, fake"),
    ERT_OPT_WITHIN("budget", TIME, budget_s, "TIME",
                   "seconds per device of a node (default 25)", 0.1, 1e6),
    ERT_OPT_WITHIN("repeats", COUNT, repeats, "N",
                   "how often suspects are measured again (default 2)", 0, 10),
    ERT_CLI_FALSE_ALARMS,
    ERT_OPT_WITHIN("answer", TIME, answer_s, "TIME",
                   "give up a node that has not begun TIME after its launch (default 60)",
                   0.1, 1e6),
    ERT_OPT_WITHIN(
        "deadline", TIME, deadline_s, "TIME",
        "give up a node whose record has not arrived TIME after it began (default: "
        "twice its own estimate and 30 s)",
        0.1, 1e6),
    ERT_OPT_WITHIN(
        "fanout", COUNT, fanout, "N",
        "how many processes run at once, where each starts one node (default 64)", 1,
        10000),
    ERT_OPT("ert", TEXT, ert, "PROGRAM",
            "path of `ert` on the nodes (default: that of this one)"),
    ERT_OPT(
        "net", TEXT, net, "PROGRAM",
        "path of `ert-net`, which measures the links (default: beside this program or on "
        "the PATH); none: do not measure them"),
    ERT_OPT_WITHIN("net-deadline", TIME, net_deadline_s, "TIME",
                   "end `ert-net` TIME after its launch (default 10min)", 0.1, 1e6),
    ERT_OPT(
        "topology", TEXT, topology, "FILE",
        "which switch each host is connected to: what scontrol show topology prints, or "
        "lines SWITCH HOSTS"),
    ERT_OPT("sbatch", TEXT, sbatch, "FILE",
            "write a Slurm job script for this run (\"-\": to stdout), and run nothing"),
    ERT_OPT_WITHIN("nodes", COUNT, nodes, "N", "with --sbatch: number of nodes", 1,
                   1000000),
    ERT_OPT_WITHIN("time", TIME, time_s, "TIME",
                   "with --sbatch: time limit (default 10min)", 60, 1e7),
};

struct run {
    const struct options *options;
    const char *const *words; /* options for `ert fleet node` */
    const struct ert_launcher *launcher;
    char ert[PATH_MAX], net[PATH_MAX], folder[PATH_MAX];
    struct ert_hosts job; /* sorted: the hosts where a resumed run can launch; none: all */
    struct ert_gather gather;
    FILE *log, *links;
    char *topology; /* text of the file; malloc */
    size_t logged_bytes;
    double links_limit_s; /* in terms of ert_clock_now_s() */
    bool links_are_done;  /* their last line arrived */
    bool is_each;         /* this launch has one process per node */
    bool is_last;         /* no other launch follows for nodes not started by this one */
    char said[200];       /* last line of its standard error, for reasons */
    size_t n_answers, n_dead;
    int exit_code; /* of its last process */
    double begin_s, shown_s;
    const volatile bool *stop;
};

/* Opens a file in the folder for appending. */
static enum ert_status open_file(const struct run *run, const char *name, FILE **stream,
                                 struct ert_error *error)
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%.3900s/%s", run->folder, name);
    *stream = fopen(file, "a+e");
    if (!*stream)
        return ert_fail(error, ERT_FAILED, "%s: cannot write: %s", file, strerror(errno));
    ert_file_end_line(fileno(*stream));
    return ERT_OK;
}

/* ---- progress ---- */

static void show(struct run *run, bool is_end)
{
    const bool is_terminal = isatty(STDERR_FILENO);
    const double now_s = ert_clock_now_s();
    if (!is_end && now_s < run->shown_s + (is_terminal ? 0.5 : 10))
        return;
    run->shown_s = now_s;
    struct ert_gather_counts counts = ert_gather_count(&run->gather);
    char left[64] = "";
    if (counts.states[ERT_GATHER_BEGUN] > 0 && counts.left_s > 0)
        snprintf(left, sizeof left, ", about %.0f s left", counts.left_s);
    fprintf(
        stderr,
        "%snodes: %zu of %zu done, %zu failed, %zu given up, %zu late, %zu at work; %.0f "
        "s%s%s",
        is_terminal ? "\r\033[K" : "", counts.states[ERT_GATHER_DONE], run->gather.hosts.n,
        counts.states[ERT_GATHER_FAILED], counts.states[ERT_GATHER_GIVEN_UP], counts.n_late,
        counts.states[ERT_GATHER_BEGUN], now_s - run->begin_s, left,
        is_terminal && !is_end ? "" : "\n");
}

/* ---- callbacks of ert_launch() ---- */

/* Gives up a node that the launcher reports as not reached. */
static void note_dead(struct run *run, const char *line)
{
    const char *before = run->launcher->names_dead,
               *at = before ? strstr(line, before) : NULL;
    char name[ERT_HOST_TEXT] = "";
    if (!at)
        return;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at + strlen(before), ": ,"),
             at + strlen(before));
    struct ert_gather_host *host = ert_gather_find(&run->gather, name);
    if (host && host->state == ERT_GATHER_WAITING) {
        ert_gather_give_up(host, "not reached: %.200s", line);
        run->n_dead++;
    }
}

/* Logs output that is not a record, up to a size, since a node may print without end. */
static void write_log(struct run *run, const char *who, const char *line)
{
    enum { MOST = 16 << 20 };
    if (run->logged_bytes > MOST)
        return;
    run->logged_bytes += strlen(line) + strlen(who);
    fprintf(run->log, "%s%s%s\n", who, *who ? ": " : "", line);
    if (run->logged_bytes > MOST)
        fprintf(run->log, "and more: %d MiB are kept\n", MOST >> 20);
}

static void take_line(void *about, const struct ert_launched *of, bool is_error,
                      const char *line)
{
    struct run *run = about;
    if (!is_error && ert_gather_line(&run->gather, line)) {
        run->n_answers++;
        return;
    }
    if (!*line)
        return;
    write_log(run, of->n == 1 ? of->hosts[0] : "", line);
    if (!is_error)
        return;
    note_dead(run, line);
    snprintf(run->said, sizeof run->said, "%s", line);
}

static bool waits(void *about, const struct ert_launched *of)
{
    struct run *run = about;
    bool is_waited_for = false;
    for (size_t i = 0; i < of->n; i++)
        is_waited_for = ert_gather_waits(&run->gather, of->hosts[i]) || is_waited_for;
    show(run, false);
    return is_waited_for;
}

/* In the last launch, gives up nodes without a record, with the launcher's message as the reason. */
static void note_end(void *about, const struct ert_launched *of, int exit_code)
{
    struct run *run = about;
    run->exit_code = exit_code;
    for (size_t i = 0; i < of->n && run->is_last && !*run->stop; i++) {
        struct ert_gather_host *host = ert_gather_find(&run->gather, of->hosts[i]);
        if (host->state == ERT_GATHER_WAITING || host->state == ERT_GATHER_BEGUN)
            ert_gather_give_up(host, "%s ended with exit code %d and sent no record%s%s",
                               run->launcher->name, exit_code, *run->said ? ": " : "",
                               run->said);
    }
    if (of->n == 1)
        *run->said = '\0';
}

/* ---- nodes ---- */

static enum ert_status launch_nodes(struct run *run, const char **hosts, size_t n,
                                    struct ert_error *error)
{
    char budget[32];
    const char *command[ERT_TOOL_WORDS] = {run->ert, "fleet", "node", "--parts"};
    snprintf(budget, sizeof budget, "%.9gs", run->options->budget_s);
    ert_tool_append(command, (const char *const[]){"--device", run->options->device,
                                                   "--budget", budget, NULL});
    if (run->is_each)
        ert_tool_append(command, (const char *const[]){"--host", "%h", NULL});
    ert_tool_append(command, run->words);
    for (size_t i = 0; i < n; i++)
        ert_gather_start(&run->gather, hosts[i]);
    const struct ert_launch launch = {.launcher = run->launcher,
                                      .command = command,
                                      .is_each = run->is_each,
                                      .fanout = run->options->fanout,
                                      .stop = run->stop,
                                      .about = run,
                                      .line = take_line,
                                      .waits = waits,
                                      .ended = note_end};
    run->n_answers = run->n_dead = 0;
    *run->said = '\0';
    return ert_launch(&launch, hosts, n, error);
}

/* Hosts of the job that are still waited for after their launch ended, to be launched again. */
static const char **unanswered(struct run *run, size_t *n)
{
    size_t n_all;
    const char **names = ert_gather_names(
        &run->gather, 1U << ERT_GATHER_WAITING | 1U << ERT_GATHER_BEGUN, &n_all);
    *n = 0;
    for (size_t i = 0; i < n_all; i++)
        if (run->job.n == 0 || ert_hosts_find(&run->job, names[i]) != SIZE_MAX)
            names[(*n)++] = names[i];
    return names;
}

/*
 * Launches on all waiting hosts. Slurm's one process for all ends with all nodes if it cannot reach one of
 * them: the others are launched once more, and then each remaining node by its own process.
 */
static enum ert_status measure_nodes(struct run *run, struct ert_error *error)
{
    enum ert_status status = ERT_OK;
    enum { MOST_TRIES = 3 };
    run->is_each = !run->launcher->takes_many;
    for (int try = 0; try < MOST_TRIES && status == ERT_OK && !*run->stop; try++) {
        size_t n;
        const char **hosts = unanswered(run, &n);
        run->is_each =
            run->is_each || try == MOST_TRIES - 1 || (try > 0 && run->n_dead == 0);
        run->is_last = run->is_each;
        if (n > 0)
            status = launch_nodes(run, hosts, n, error);
        free(hosts);
        if (n > 0 && status == ERT_OK && try == 0 && !run->is_each && !*run->stop &&
            run->n_answers == 0 && run->n_dead == 0 && run->exit_code != 0)
            status = ert_fail(error, ERT_FAILED,
                              "%s ended with exit code %d before any node answered: %s",
                              run->launcher->name, run->exit_code,
                              *run->said ? run->said : "it printed nothing");
    }
    show(run, true);
    return status;
}

/* ---- links ---- */

/* Whether the line is of the kind "end"; a host may have that name. */
static bool is_end(const char *line)
{
    static const char key[] = "\"line\":";
    const char *at = strstr(line, key);
    return at &&
           strncmp(at + strlen(key) + strspn(at + strlen(key), " "), "\"end\"", 5) == 0;
}

static void take_net_line(void *about, const struct ert_launched *of, bool is_error,
                          const char *line)
{
    struct run *run = about;
    (void)of;
    if (is_error || *line != '{') {
        write_log(run, "ert-net", line);
        if (is_error && *line)
            snprintf(run->said, sizeof run->said, "%s", line);
        return;
    }
    fprintf(run->links, "%s\n", line);
    fflush(run->links); /* so that each round is kept */
    run->links_are_done = run->links_are_done || is_end(line);
}

/* Does not wait for its exit: MPICH may hang in MPI_Finalize() (seen in 4.0.2 on UCX). */
static bool waits_for_links(void *about, const struct ert_launched *of)
{
    const struct run *run = about;
    (void)of;
    return !run->links_are_done && ert_clock_now_s() < run->links_limit_s;
}

static void note_net_end(void *about, const struct ert_launched *of, int exit_code)
{
    (void)of;
    ((struct run *)about)->exit_code = exit_code;
}

/* Finds the program; "" if there is none. */
static void find_net(struct run *run)
{
    const char *wanted = run->options->net;
    ssize_t n = readlink("/proc/self/exe", run->net, sizeof run->net - 16);
    char *slash = n > 0 ? memrchr(run->net, '/', (size_t)n) : NULL;
    if (slash)
        snprintf(slash, sizeof "/ert-net", "/ert-net");
    if (wanted)
        snprintf(run->net, sizeof run->net, "%s", strcmp(wanted, "none") ? wanted : "");
    else if ((!slash || access(run->net, X_OK) != 0) &&
             ert_tool_find("ert-net", NULL, run->net, sizeof run->net, NULL) != ERT_OK)
        *run->net = '\0';
}

static enum ert_status launch_links(struct run *run, const char *const *hosts, size_t n,
                                    struct ert_error *error)
{
    const char *const command[] = {run->net, NULL};
    const struct ert_launch launch = {.launcher = run->launcher,
                                      .command = command,
                                      .is_net = true,
                                      .fanout = 1,
                                      .stop = run->stop,
                                      .about = run,
                                      .line = take_net_line,
                                      .waits = waits_for_links,
                                      .ended = note_net_end};
    ERT_TRY(open_file(run, "net.ndjson", &run->links, error));
    run->links_limit_s = ert_clock_now_s() + run->options->net_deadline_s;
    *run->said = '\0';
    fprintf(stderr, "links: %zu nodes, at most %.4g s\n", n, run->options->net_deadline_s);
    enum ert_status status = ert_launch(&launch, hosts, n, error);
    bool is_written = !ferror(run->links);
    if ((fclose(run->links) != 0 || !is_written) && status == ERT_OK)
        status = ert_fail(error, ERT_FAILED, "%s/net.ndjson: cannot write", run->folder);
    if (status == ERT_OK && !run->links_are_done && !*run->stop)
        status = ert_fail(
            error, ERT_FAILED,
            "links: %s ended with exit code %d before all links were measured: %s",
            run->net, run->exit_code, *run->said ? run->said : "it printed nothing");
    return status;
}

/* Measures between the nodes that answered: with a dead node, none would be measured. */
static enum ert_status measure_links(struct run *run, struct ert_error *error)
{
    size_t n;
    const char *why = NULL;
    find_net(run);
    const char **hosts =
        ert_gather_names(&run->gather, 1U << ERT_GATHER_DONE | 1U << ERT_GATHER_FAILED, &n);
    if (!*run->net)
        why = run->options->net ? NULL : "ert-net is not installed";
    else if (!run->launcher->net_words)
        why = "this launcher cannot start MPI programs";
    else if (n < 2)
        why = "fewer than two nodes answered";
    if (why)
        fprintf(stderr, "links: not measured: %s\n", why);
    enum ert_status status =
        why || !*run->net || *run->stop ? ERT_OK : launch_links(run, hosts, n, error);
    free(hosts);
    return status;
}

/* ---- the report ---- */

static bool is_regular(const char *file)
{
    struct stat there;
    return stat(file, &there) == 0 && S_ISREG(there.st_mode);
}

/* Judges the records, and nodes without one by the reasons for that. */
static enum ert_status judge(struct run *run, struct ert_fleet *fleet,
                             struct ert_error *error)
{
    ert_fleet_begin(fleet);
    char links[PATH_MAX];
    snprintf(links, sizeof links, "%.3900s/net.ndjson", run->folder);
    if (is_regular(run->gather.file))
        ERT_TRY(ert_fleet_read(fleet, run->gather.file, error));
    if (is_regular(links))
        ERT_TRY(ert_fleet_read(fleet, links, error));
    if (*run->gather.elsewhere)
        ERT_TRY(ert_fleet_read(fleet, run->gather.elsewhere, error));
    for (size_t i = 0; i < run->gather.hosts.n; i++) {
        const struct ert_gather_host *host = &run->gather.list[i];
        if (host->state == ERT_GATHER_GIVEN_UP)
            ert_fleet_find(fleet, host->begun_s > 0 ? ERT_FLEET_LATE : ERT_FLEET_MISSING,
                           run->gather.hosts.names[i], "%s: %s", run->gather.hosts.names[i],
                           host->reason);
        else if (host->state == ERT_GATHER_WAITING || host->state == ERT_GATHER_BEGUN)
            ert_fleet_find(fleet, ERT_FLEET_MISSING, run->gather.hosts.names[i],
                           "%s: not measured: the run ended before its record came",
                           run->gather.hosts.names[i]);
    }
    ert_fleet_judge(fleet, run->options->false_alarms);
    if (!run->topology)
        return ert_fleet_judge_network(fleet, NULL, error);
    struct ert_lines lines;
    ERT_TRY(ert_lines_open_text(run->options->topology, run->topology, &lines, error));
    enum ert_status status = ert_fleet_judge_network(fleet, &lines, error);
    ert_lines_close(&lines);
    return status;
}

/*
 * Measures suspects, and nodes so close to their limit that noise may hide a slow one, `repeats` times more
 * without the others: a momentary disturbance does not repeat.
 */
static enum ert_status measure_suspects(struct run *run, struct ert_error *error)
{
    struct ert_fleet fleet = {0};
    struct ert_hosts suspects = {0};
    char *list = NULL;
    if (run->options->repeats == 0 || *run->stop)
        return ERT_OK;
    enum ert_status status = judge(run, &fleet, error);
    if (status == ERT_OK)
        list = ert_fleet_hosts(&fleet, 1U << ERT_FLEET_SUSPECT | 1U << ERT_FLEET_NEAR);
    if (list && *list)
        status = ert_hosts_expand(list, &suspects, error);
    ert_fleet_free(&fleet);
    for (uint64_t i = 0;
         i < run->options->repeats && suspects.n > 0 && status == ERT_OK && !*run->stop;
         i++) {
        fprintf(stderr, "measuring again: %s\n", list);
        ert_clock_sleep_s(1); /* records are distinguished by their dates, in seconds */
        for (size_t k = 0; k < suspects.n; k++)
            ert_gather_start(&run->gather, suspects.names[k]);
        status = measure_nodes(run, error);
    }
    ert_hosts_free(&suspects);
    free(list);
    return status;
}

static enum ert_status report(struct run *run, struct ert_error *error)
{
    struct ert_fleet fleet = {0};
    enum ert_status status = judge(run, &fleet, error);
    if (status == ERT_OK)
        status = ert_fleet_forms[0].make(&fleet, stdout, error);
    if (status == ERT_OK)
        status = ert_fleet_write_forms(&fleet, run->folder, error);
    if (status == ERT_OK)
        status = ert_fleet_status(&fleet, error);
    ert_fleet_free(&fleet);
    return status;
}

/* ---- the run ---- */

static enum ert_status write_hosts(struct run *run, const struct ert_hosts *hosts,
                                   struct ert_error *error)
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%.3900s/hosts", run->folder);
    char *list = ert_hosts_compress((const char **)hosts->names, hosts->n);
    char *line = ert_xprintf("%s\n", list);
    enum ert_status status = ert_file_write(file, line, strlen(line), error);
    free(line);
    free(list);
    return status;
}

/* A resumed run has all hosts it began with; those outside of this job cannot be launched. */
static enum ert_status read_hosts(struct run *run, struct ert_hosts *hosts,
                                  struct ert_error *error)
{
    char file[PATH_MAX], *text;
    size_t size;
    snprintf(file, sizeof file, "%.3900s/hosts", run->folder);
    ERT_TRY(
        ert_file_read(file, (size_t)ERT_HOSTS_MOST * ERT_HOST_TEXT, &text, &size, error));
    text[strcspn(text, "\n")] = '\0';
    enum ert_status status = ert_hosts_expand(text, hosts, error);
    free(text);
    return status;
}

static enum ert_status choose_hosts(struct run *run, struct ert_hosts *hosts,
                                    struct ert_error *error)
{
    if (run->options->resume && run->launcher->hosts && getenv(run->launcher->hosts)) {
        ERT_TRY(ert_launcher_hosts(run->launcher, &run->job, error));
        ert_hosts_sort(&run->job);
    }
    if (run->options->resume)
        return read_hosts(run, hosts, error);
    if (run->options->hosts)
        ERT_TRY(ert_hosts_expand(run->options->hosts, hosts, error));
    else
        ERT_TRY(ert_launcher_hosts(run->launcher, hosts, error));
    return write_hosts(run, hosts, error);
}

static enum ert_status open_folder(struct run *run, struct ert_error *error)
{
    char file[PATH_MAX];
    struct stat there;
    const char *job = run->launcher->job ? getenv(run->launcher->job) : NULL;
    if (run->options->resume || run->options->out)
        snprintf(run->folder, sizeof run->folder, "%s",
                 run->options->resume ? run->options->resume : run->options->out);
    else
        snprintf(run->folder, sizeof run->folder, "ert-fleet-%.100s", job ? job : "local");
    const bool is_resumed = run->options->resume != NULL;
    snprintf(file, sizeof file, "%.3900s/%s", run->folder,
             is_resumed ? "hosts" : "records.ndjson");
    const bool is_there = stat(file, &there) == 0;
    if (is_resumed && !is_there)
        return ert_fail(error, ERT_USAGE, "%s: nothing to resume: there is no file 'hosts'",
                        run->folder);
    if (!is_resumed && is_there)
        return ert_fail(
            error, ERT_USAGE,
            "%s: holds the records of an earlier run; continue it with --resume, or "
            "name another folder with --out",
            run->folder);
    return ert_file_make_folder(run->folder, error);
}

/* Reads it first, lest hours on many nodes end without a report, and once, since it may be a pipe. */
static enum ert_status read_topology(struct run *run, struct ert_error *error)
{
    enum { MOST_BYTES = 64 << 20 };
    const char *file = run->options->topology;
    struct ert_lines lines;
    struct ert_topology topology;
    size_t size;
    ERT_TRY(ert_file_read(file, MOST_BYTES, &run->topology, &size, error));
    ERT_TRY(ert_lines_open_text(file, run->topology, &lines, error));
    enum ert_status status =
        ert_topology_read(&lines, &(struct ert_strings){0}, &topology, error);
    ert_topology_free(&topology);
    ert_lines_close(&lines);
    return status;
}

static enum ert_status measure(struct run *run, struct ert_hosts *hosts,
                               struct ert_error *error)
{
    char file[PATH_MAX];
    if (run->options->topology)
        ERT_TRY(read_topology(run, error));
    ERT_TRY(choose_hosts(run, hosts, error));
    ERT_TRY(open_file(run, "launcher.log", &run->log, error));
    snprintf(file, sizeof file, "%.3900s/records.ndjson", run->folder);
    ERT_TRY(ert_gather_open(&run->gather, hosts, file, error));
    fprintf(
        stderr,
        "%zu nodes by %s; a node is given up %.4g s after its launch if it has not begun, "
        "and %s%.4g s after it began if its record has not arrived\n",
        run->gather.hosts.n, run->launcher->name, run->gather.answer_s,
        run->gather.deadline_s > 0 ? "" : "twice its estimate and ",
        run->gather.deadline_s > 0 ? run->gather.deadline_s : 30);
    ERT_TRY(measure_nodes(run, error));
    ERT_TRY(measure_suspects(run, error));
    return measure_links(run, error);
}

/* Always writes the report, and then returns the first error. */
static enum ert_status measure_and_report(struct run *run, struct ert_error *error)
{
    struct ert_error later = {0};
    struct ert_hosts hosts = {0};
    enum ert_status status = measure(run, &hosts, error);
    ert_hosts_free(&hosts);
    ert_hosts_free(&run->job);
    if (run->gather.is_open && report(run, &later) != ERT_OK && status == ERT_OK)
        status = ert_fail(error, later.status, "%s", later.text);
    if (run->gather.n_foreign > 0) {
        fprintf(stderr, "%zu lines of the nodes' output are not from `ert`, the first: '",
                run->gather.n_foreign);
        ert_text_print(stderr, ERT_TEXT_PLAIN, "%s'; see %s/launcher.log\n",
                       run->gather.foreign, run->folder);
    }
    ert_gather_close(&run->gather);
    free(run->topology);
    if (run->log)
        fclose(run->log);
    if (*run->stop)
        return ert_fail(error, ERT_FAILED,
                        "interrupted; continue with `ert fleet run --resume %s`",
                        run->folder);
    if (run->gather.not_written.status != ERT_OK)
        return ert_fail(error, ERT_FAILED, "%s", run->gather.not_written.text);
    return status;
}

/* The path of this program, also on nodes that share the file system. */
static enum ert_status find_self(struct run *run, struct ert_error *error)
{
    if (run->options->ert) {
        snprintf(run->ert, sizeof run->ert, "%s", run->options->ert);
        return ERT_OK;
    }
    ssize_t n = readlink("/proc/self/exe", run->ert, sizeof run->ert - 1);
    if (n <= 0)
        return ert_fail(error, ERT_FAILED, "/proc/self/exe: %s; give its path with --ert",
                        strerror(errno));
    run->ert[n] = '\0';
    return ERT_OK;
}

static enum ert_status run_nodes(const struct options *options, const char *const *words,
                                 struct ert_error *error)
{
    struct run run = {
        .options = options,
        .words = words,
        .begin_s = ert_clock_now_s(),
        .stop = ert_cli_stop(),
        .gather = {.answer_s = options->answer_s,
                   .deadline_s = options->deadline_s,
                   .spare = stdout}
    };
    struct ert_file_lock lock = {.file = ""};
    char file[PATH_MAX];
    ERT_TRY(ert_launcher_find(options->launcher, &run.launcher, error));
    ERT_TRY(find_self(&run, error));
    ERT_TRY(open_folder(&run, error));
    snprintf(file, sizeof file, "%.3900s/.lock", run.folder);
    enum ert_status status = ert_file_lock(file, &lock, error);
    if (status == ERT_UNAVAILABLE)
        fprintf(stderr, "note: %s: another run into this folder would not be noticed\n",
                error->text);
    else if (status != ERT_OK)
        return status;
    status = measure_and_report(&run, error);
    ert_file_unlock(&lock);
    return status;
}

/* ---- the job script ---- */

/* Writes 'word', quoted for sh. */
static void write_word(FILE *out, const char *word)
{
    fputs(" '", out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    fputc('\'', out);
}

struct script {
    const struct options *options;
    int argc;
    char **argv;
    const char *ert;
};

/*
 * --no-kill, since otherwise a failing node ends the job. `ert` replaces the batch shell and gets the signal
 * a minute before the time limit, in time for the report.
 */
static enum ert_status make_script(const void *about, FILE *out, struct ert_error *error)
{
    const struct script *script = about;
    const struct options *options = script->options;
    (void)error;
    fputs("#!/bin/sh\n#SBATCH --job-name=ert-fleet\n", out);
    if (options->hosts)
        fprintf(out, "#SBATCH --nodelist=%s\n", options->hosts);
    else
        fprintf(out, "#SBATCH --nodes=%llu\n", (unsigned long long)options->nodes);
    fprintf(out,
            "#SBATCH --ntasks-per-node=1 --exclusive --mem=0 --no-kill\n"
            "#SBATCH --time=%.0f\n#SBATCH --signal=B:TERM@60\n"
            "#SBATCH --output=ert-fleet-%%j.log\nexec",
            ceil(options->time_s / 60));
    write_word(out, script->ert);
    fputs(" fleet run", out);
    bool is_passed = false; /* behind "--": words for the nodes */
    for (int i = 0; i < script->argc; i++) {
        static const char *const own[] = {"--sbatch", "--nodes", "--time"};
        bool is_own = false;
        is_passed = is_passed || strcmp(script->argv[i], "--") == 0;
        for (size_t k = 0; k < ERT_LENGTH(own) && !is_own && !is_passed; k++) {
            size_t length = strlen(own[k]);
            is_own = strncmp(script->argv[i], own[k], length) == 0 &&
                     (script->argv[i][length] == '=' || !script->argv[i][length]);
            i += is_own && !script->argv[i][length]; /* its value */
        }
        if (!is_own)
            write_word(out, script->argv[i]);
    }
    fputc('\n', out);
    return ERT_OK;
}

static enum ert_status write_script(const struct options *options, int argc, char **argv,
                                    struct ert_error *error)
{
    struct run run = {.options = options};
    struct ert_hosts hosts = {0};
    if (!options->hosts && options->nodes == 0)
        return ert_fail(error, ERT_USAGE, "--sbatch: give --nodes or --hosts");
    if (options->hosts) /* it is written into the script */
        ERT_TRY(ert_hosts_expand(options->hosts, &hosts, error));
    ert_hosts_free(&hosts);
    ERT_TRY(find_self(&run, error));
    const struct script script = {options, argc, argv, run.ert};
    if (strcmp(options->sbatch, "-") == 0)
        return make_script(&script, stdout, error);
    return ert_file_write_made(options->sbatch, make_script, &script, error);
}

static enum ert_status run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.device = "all",
                              .budget_s = 25,
                              .repeats = 2,
                              .false_alarms = ERT_FLEET_FALSE_ALARMS,
                              .answer_s = 60,
                              .fanout = 64,
                              .net_deadline_s = 600,
                              .time_s = 600};
    const char *words[MOST_WORDS + 1] = {NULL};
    size_t n_words;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words, MOST_WORDS,
                          &n_words, error));
    if (options.resume && (options.out || options.hosts))
        return ert_fail(
            error, ERT_USAGE,
            "--resume: uses the folder and the nodes of that run; --%s does not go with it",
            options.out ? "out" : "hosts");
    if (options.sbatch)
        return write_script(&options, argc, argv, error);
    ert_cli_catch_signals();
    return run_nodes(&options, words, error);
}

static void notes(FILE *out)
{
    fputs("\nWords after -- are passed to `ert fleet node`.\n"
          "The folder gets records.ndjson (a line as soon as a node has ended), "
          "launcher.log, and the report\n"
          "as JSON, text, CSV, Markdown and more. A node without a record is reported "
          "with the reason.\n",
          out);
}

const struct ert_command ert_command_fleet_run = {
    .name = "run",
    .words = "[-- WORDS...]",
    .summary = "measures all nodes of a job, and reports those that differ",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .passes_words = true,
    .run = run_command,
    .notes = notes,
};
