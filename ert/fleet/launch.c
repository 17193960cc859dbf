/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/fleet/launch.h"

#include "ert/base/alloc.h"
#include "ert/base/clock.h"
#include "ert/base/file.h"
#include "ert/base/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * srun: a node's exit or failure does not end the others; nothing is bound, since `ert` pins its threads; and
 * the launch does not wait for a step of an earlier try that does not end (overlap). The launchers of Open
 * MPI and MPICH give up all nodes if one is dead, and mpirun mixes their lines: so a process for each node.
 */
#define SRUN                                                                               \
    "--nodes=%n --ntasks=%n --ntasks-per-node=1 --nodelist=%h --cpu-bind=none --overlap "  \
    "--input=none"
const struct ert_launcher ert_launchers[] = {
    {.name = "srun",
     .program = "srun",
     .job = "SLURM_JOB_ID",
     .hosts = "SLURM_JOB_NODELIST",
     .words = SRUN " --kill-on-bad-exit=0 --no-kill --mpi=none",
     .net_words = SRUN " --kill-on-bad-exit=1",
     .names_dead = "failed on node ",
     .takes_many = true},
    {.name = "mpirun",
     .program = "mpirun.openmpi",
     .other = "mpirun",
     .job = "PBS_JOBID",
     .hosts = "PBS_NODEFILE",
     .words = "-np 1 --host %h --bind-to none",
     .net_words = "-np %n --host %h --map-by node --bind-to none"},
    {.name = "mpiexec",
     .program = "mpiexec.hydra",
     .other = "mpiexec",
     .words = "-n 1 -hosts %h -bind-to none",
     .net_words = "-n %n -ppn 1 -hosts %h -bind-to none"},
    {.name = "ssh",
     .program = "ssh",
     .words = "-o BatchMode=yes -o ConnectTimeout=10 %h",
     .has_shell = true},
    {.name = "local",              .words = ""                                   },
};
const size_t ert_n_launchers = ERT_LENGTH(ert_launchers);

static enum ert_status find_program(const struct ert_launcher *launcher, char *path,
                                    size_t size, struct ert_error *error)
{
    if (!launcher->program ||
        ert_tool_find(launcher->program, NULL, path, size, NULL) == ERT_OK)
        return ERT_OK;
    return ert_tool_find(launcher->other ? launcher->other : launcher->program, NULL, path,
                         size, error);
}

enum ert_status ert_launcher_find(const char *name, const struct ert_launcher **launcher,
                                  struct ert_error *error)
{
    char list[ERT_LIST_TEXT] = "", path[PATH_MAX];
    *launcher = NULL;
    for (size_t i = 0; i < ert_n_launchers && !*launcher; i++) {
        const struct ert_launcher *row = &ert_launchers[i];
        const char *job = row->job ? getenv(row->job) : NULL;
        if (name ? strcmp(name, row->name) == 0 : job && *job)
            *launcher = row;
        ert_list_add(list, sizeof list, row->name);
    }
    if (!*launcher && name)
        return ert_fail(error, ERT_USAGE, "no launcher '%.64s'; there are: %s", name, list);
    if (!*launcher)
        return ert_fail(error, ERT_USAGE,
                        "not in a job: neither SLURM_JOB_ID nor PBS_JOBID is set; "
                        "--launcher takes one of %s",
                        list);
    return find_program(*launcher, path, sizeof path, error);
}

/* Reads a file with a name per line, as of PBS, often once for each CPU of a host; skips empty ones. */
static enum ert_status read_hosts(const char *file, char **list, struct ert_error *error)
{
    size_t size;
    ERT_TRY(
        ert_file_read(file, (size_t)ERT_HOSTS_MOST * ERT_HOST_TEXT, list, &size, error));
    char *to = *list;
    for (const char *at = *list; *at; at++)
        if (*at != '\r' && *at != '\n')
            *to++ = *at;
        else if (to > *list && to[-1] != ',')
            *to++ = ',';
    to -= to > *list && to[-1] == ',';
    *to = '\0';
    return ERT_OK;
}

enum ert_status ert_launcher_hosts(const struct ert_launcher *launcher,
                                   struct ert_hosts *hosts, struct ert_error *error)
{
    const char *value = launcher->hosts ? getenv(launcher->hosts) : NULL;
    char *list = NULL;
    if (!value)
        return ert_fail(error, ERT_USAGE, "no hosts: give --hosts%s%s",
                        launcher->hosts ? ", or run in a job that sets $" : "",
                        launcher->hosts ? launcher->hosts : "");
    if (strchr(value, '/'))
        ERT_TRY(read_hosts(value, &list, error));
    enum ert_status status = ert_hosts_expand(list ? list : value, hosts, error);
    free(list);
    return status;
}

/* ---- one process ---- */

enum { STREAMS = 2, LONGEST_LINE = 2 << 20 };
static const double grace_s = 2, patience_s = 3; /* until SIGTERM, then until SIGKILL */

struct process {
    struct ert_launched of;
    pid_t pid;
    int streams[STREAMS]; /* -1: at its end */
    char *lines[STREAMS];
    size_t n[STREAMS], capacity[STREAMS];
    bool has_ended;
    double done_s; /* since when it is not waited for; 0: it is */
    bool is_asked; /* SIGTERM was sent */
};

struct words {
    const char **list; /* NULL-terminated; each malloc */
    size_t n, capacity;
};

static void add(struct words *words, char *word)
{
    words->list =
        ert_xgrow(words->list, words->n + 1, &words->capacity, sizeof *words->list);
    words->list[words->n++] = word;
    words->list[words->n] = NULL;
}

static void free_words(struct words *words)
{
    for (size_t i = 0; i < words->n; i++)
        free((char *)words->list[i]);
    free(words->list);
}

/* Replaces "%h" and "%n" in a word; quotes it for a shell. */
static char *fill_in(const char *word, const char *hosts, size_t n, bool is_quoted)
{
    char *text = NULL;
    size_t size;
    FILE *out = ert_xcheck(open_memstream(&text, &size), 1);
    fputs(is_quoted ? "'" : "", out);
    for (; *word; word++) {
        const bool is_host = word[0] == '%' && word[1] == 'h';
        const bool is_number = word[0] == '%' && word[1] == 'n';
        if (is_host)
            fputs(hosts, out);
        else if (is_number)
            fprintf(out, "%zu", n);
        else
            fputs(is_quoted && *word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
        word += is_host || is_number;
    }
    fputs(is_quoted ? "'" : "", out);
    fclose(out);
    return ert_xcheck(text, 1);
}

/* Open MPI and MPICH only take full names; for Slurm the short form has no limit on nodes. */
static char *list_hosts(const struct ert_launch *launch, const struct ert_launched *of)
{
    const char **names = ert_xcalloc(of->n, sizeof *names);
    char *list = NULL;
    size_t size;
    memcpy(names, of->hosts, of->n * sizeof *names);
    if (launch->launcher->takes_many) {
        list = ert_hosts_compress(names, of->n);
    } else {
        FILE *out = ert_xcheck(open_memstream(&list, &size), 1);
        for (size_t i = 0; i < of->n; i++)
            fprintf(out, "%s%s", i ? "," : "", names[i]);
        fclose(out);
    }
    free(names);
    return ert_xcheck(list, 1);
}

static enum ert_status make_words(const struct ert_launch *launch,
                                  const struct ert_launched *of, struct words *words,
                                  struct ert_error *error)
{
    const struct ert_launcher *launcher = launch->launcher;
    char path[PATH_MAX], *hosts = list_hosts(launch, of), *rest = NULL;
    enum ert_status status = find_program(launcher, path, sizeof path, error);
    char *row = ert_xstrdup(launch->is_net ? launcher->net_words : launcher->words);
    if (launcher->program)
        add(words, ert_xstrdup(path));
    for (char *word = strtok_r(row, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        add(words, fill_in(word, hosts, of->n, false));
    for (const char *const *word = launch->command; *word; word++)
        add(words, fill_in(*word, hosts, of->n, launcher->has_shell));
    free(row);
    free(hosts);
    return status;
}

static enum ert_status start(const struct ert_launch *launch, struct process *process,
                             struct ert_error *error)
{
    struct words words = {0};
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    FILE *streams[3] = {fopen("/dev/null", "re"), NULL, NULL};
    enum ert_status status = make_words(launch, &process->of, &words, error);
    if (status == ERT_OK && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0) {
        streams[1] = fdopen(out[1], "w");
        streams[2] = fdopen(err[1], "w");
    } else if (out[1] >= 0) {
        close(out[1]);
    }
    if (status == ERT_OK && (!streams[0] || !streams[1] || !streams[2]))
        status = ert_fail(error, ERT_FAILED, "%s: cannot create a pipe: %s",
                          launch->launcher->name, strerror(errno));
    if (status == ERT_OK)
        status = ert_tool_start(
            &(struct ert_tool_job){
                words.list, NULL, {streams[0], streams[1], streams[2]}
        },
            &process->pid, error);
    for (int i = 0; i < 3; i++)
        if (streams[i])
            fclose(streams[i]);
    process->streams[0] = out[0];
    process->streams[1] = err[0];
    for (int i = 0; i < STREAMS; i++) {
        if (status != ERT_OK && process->streams[i] >= 0)
            close(process->streams[i]);
        else if (process->streams[i] >= 0)
            fcntl(process->streams[i], F_SETFL, O_NONBLOCK);
    }
    free_words(&words);
    return status;
}

/* Passes on all whole lines, and at the end of the stream the rest. */
static void pass_lines(const struct ert_launch *launch, struct process *process, int i)
{
    char *begin = process->lines[i], *end = begin + process->n[i], *newline;
    while (begin < end && (newline = memchr(begin, '\n', (size_t)(end - begin)))) {
        *newline = '\0';
        launch->line(launch->about, &process->of, i == 1, begin);
        begin = newline + 1;
    }
    process->n[i] = (size_t)(end - begin);
    if (process->n[i] > 0 && (process->streams[i] < 0 || process->n[i] >= LONGEST_LINE)) {
        *end = '\0';
        launch->line(launch->about, &process->of, i == 1, begin);
        process->n[i] = 0;
    }
    if (process->n[i] > 0)
        memmove(process->lines[i], begin, process->n[i]);
}

/* Reads once: a process that prints faster than it is read must not delay the others or the deadlines. */
static bool read_stream(const struct ert_launch *launch, struct process *process, int i)
{
    enum { PIECE = 65536 }; /* what a pipe holds */
    while (process->capacity[i] < process->n[i] + PIECE + 1) {
        process->capacity[i] = 2 * process->capacity[i] + PIECE + 1;
        process->lines[i] = ert_xrealloc(process->lines[i], process->capacity[i], 1);
    }
    ssize_t n = read(process->streams[i], process->lines[i] + process->n[i], PIECE);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
        close(process->streams[i]);
        process->streams[i] = -1;
    }
    process->n[i] += n > 0 ? (size_t)n : 0;
    pass_lines(launch, process, i);
    return n > 0;
}

/* Closes streams that a child of an ended process may keep open, and reports the end. */
static void finish(const struct ert_launch *launch, struct process *process, int state)
{
    enum { MOST_PIECES = 64 };    /* for a child that still prints */
    kill(-process->pid, SIGKILL); /* the rest of its process group */
    for (int i = 0; i < STREAMS; i++) {
        for (int k = 0; k < MOST_PIECES && process->streams[i] >= 0; k++)
            if (!read_stream(launch, process, i))
                break;
        if (process->streams[i] >= 0) {
            close(process->streams[i]);
            process->streams[i] = -1;
            pass_lines(launch, process, i);
        }
        free(process->lines[i]);
    }
    process->has_ended = true;
    launch->ended(launch->about, &process->of,
                  WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state));
}

/* Returns whether the process has ended. is_stopped: end it now. */
static bool look_after(const struct ert_launch *launch, struct process *process,
                       bool is_stopped)
{
    int state = 0;
    if (waitpid(process->pid, &state, WNOHANG) == process->pid) {
        finish(launch, process, state);
        return true;
    }
    const double now_s = ert_clock_now_s();
    if (process->done_s == 0 && (is_stopped || !launch->waits(launch->about, &process->of)))
        process->done_s = now_s;
    if (process->done_s == 0)
        return false;
    const double since_s = now_s - process->done_s;
    if (since_s > grace_s + patience_s) {
        kill(-process->pid, SIGKILL);
    } else if (!process->is_asked && (is_stopped || since_s > grace_s)) {
        kill(-process->pid, SIGTERM);
        kill(-process->pid, SIGCONT);
        process->is_asked = true;
    }
    return false;
}

/*
 * Waits a tenth of a second for output of running processes, and reads it. Leaves out closed streams, since
 * poll(2) takes no more entries than RLIMIT_NOFILE.
 */
static void read_all(const struct ert_launch *launch, struct process *list, size_t n)
{
    struct pollfd *polled = ert_xcalloc(STREAMS * n, sizeof *polled);
    nfds_t n_polled = 0;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < STREAMS; k++)
            if (list[i].streams[k] >= 0)
                polled[n_polled++] =
                    (struct pollfd){.fd = list[i].streams[k], .events = POLLIN};
    poll(polled, n_polled, 100);
    n_polled = 0;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < STREAMS; k++)
            if (list[i].streams[k] >= 0 && polled[n_polled++].revents)
                read_stream(launch, &list[i], k);
    free(polled);
}

/* The number of processes whose pipes the limit of open files allows; some files are ours. */
static size_t limit_fanout(size_t fanout)
{
    enum { OURS = 32 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return fanout;
    const size_t most = limit.rlim_cur > OURS ? (limit.rlim_cur - OURS) / STREAMS : 0;
    return most == 0 ? 1 : fanout < most ? fanout : most;
}

enum ert_status ert_launch(const struct ert_launch *launch, const char *const *hosts,
                           size_t n, struct ert_error *error)
{
    const bool is_one =
        (launch->launcher->takes_many || launch->is_net) && !launch->is_each;
    const size_t n_processes = is_one ? n > 0 : n;
    struct process *list = ert_xcalloc(n_processes, sizeof *list);
    enum ert_status status = ERT_OK;
    const size_t fanout = limit_fanout(launch->fanout);
    size_t n_started = 0, n_running = 0;
    for (;;) {
        bool is_stopped = status != ERT_OK || (launch->stop && *launch->stop);
        while (!is_stopped && n_started < n_processes && n_running < fanout) {
            list[n_started].of = (struct ert_launched){hosts + n_started, is_one ? n : 1};
            status = start(launch, &list[n_started], error);
            is_stopped = status != ERT_OK;
            n_started += status == ERT_OK;
            n_running += status == ERT_OK;
        }
        if (n_running == 0)
            break;
        read_all(launch, list, n_started);
        for (size_t i = 0; i < n_started; i++)
            if (!list[i].has_ended)
                n_running -= look_after(launch, &list[i], is_stopped);
    }
    free(list);
    return status;
}
