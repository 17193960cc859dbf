/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/base/tool.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const size_t limit_bytes = (size_t)256 << 20;

static bool is_program(const char *folder, size_t length, const char *name, char *path,
                       size_t size)
{
    int n = snprintf(path, size, "%.*s/%s", (int)length, folder, name);
    return n > 0 && (size_t)n < size && access(path, X_OK) == 0;
}

static bool is_on_path(const char *name, char *path, size_t size)
{
    for (const char *at = getenv("PATH"); at && *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        if (is_program(at, length, name, path, size))
            return true;
        at += length;
    }
    return false;
}

static bool is_in_folders(const char *name, const char *pattern, char *path, size_t size)
{
    glob_t found;
    bool is_found = false;
    if (glob(pattern, 0, NULL, &found) != 0)
        return false;
    for (size_t i = found.gl_pathc; i > 0 && !is_found; i--)
        is_found = is_program(found.gl_pathv[i - 1], strlen(found.gl_pathv[i - 1]), name,
                              path, size);
    globfree(&found);
    return is_found;
}

enum ert_status ert_tool_find(const char *name, const char *const *folders, char *path,
                              size_t size, struct ert_error *error)
{
    if (is_on_path(name, path, size))
        return ERT_OK;
    for (; folders && *folders; folders++)
        if (is_in_folders(name, *folders, path, size))
            return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE, "%s is not installed", name);
}

static size_t tool_size_of(FILE *file)
{
    struct stat status;
    return fstat(fileno(file), &status) == 0 ? (size_t)status.st_size : 0;
}

static char *tool_read_all(FILE *file)
{
    size_t size = tool_size_of(file);
    char *text = ert_xcalloc(size + 1, 1);
    rewind(file);
    text[fread(text, 1, size, file)] = '\0';
    return text;
}

/* In the child: its streams, signals and environment, and the program. Returns errno, if at all. */
static int become(const struct ert_tool_job *job)
{
    for (int i = 0; i < 3; i++)
        if (job->streams[i] && dup2(fileno(job->streams[i]), i) < 0)
            return errno;
    for (const char *const *at = job->environment; at && *at; at++)
        if (putenv((char *)*at) != 0)
            return errno;
    signal(SIGXFSZ, SIG_DFL); /* which the programs ignore (program.c), and exec keeps */
    execvp(job->argv[0], (char *const *)job->argv);
    return errno;
}

/*
 * Starts the program: is_group in a process group of its own; with these signals blocked, or NULL: as ours.
 * What went wrong in the child comes through a pipe that a started program closes.
 */
static enum ert_status tool_start(const struct ert_tool_job *job, bool is_group,
                                  const sigset_t *mask, pid_t *child,
                                  struct ert_error *error)
{
    int report[2], reason = 0;
    if (pipe2(report, O_CLOEXEC) != 0)
        return ert_fail(error, ERT_FAILED, "%s: pipe: %s", job->argv[0], strerror(errno));
    *child = fork();
    if (*child == 0) {
        if (is_group)
            setpgid(0, 0);
        if (mask)
            sigprocmask(SIG_SETMASK, mask, NULL);
        reason = become(job);
        _exit(write(report[1], &reason, sizeof reason) == sizeof reason ? 127 : 126);
    }
    if (*child < 0)
        reason = errno;
    close(report[1]);
    ssize_t n = *child < 0 ? 0 : read(report[0], &reason, sizeof reason);
    close(report[0]);
    if (n > 0)
        waitpid(*child, NULL, 0);
    if (*child < 0 || n > 0)
        return ert_fail(error, ERT_USAGE, "%s: cannot be started: %s", job->argv[0],
                        strerror(reason));
    return ERT_OK;
}

static int exit_code_of(int state)
{
    return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

static enum ert_status tool_wait_for(pid_t child, FILE *const files[3], const char *name,
                                     double timeout_s, int *state, struct ert_error *error)
{
    const double begin_s = ert_clock_now_s();
    for (;;) {
        pid_t ended = waitpid(child, state, WNOHANG);
        if (tool_size_of(files[1]) > limit_bytes || tool_size_of(files[2]) > limit_bytes)
            return ert_fail(error, ERT_FAILED, "%s: printed more than %zu MiB", name,
                            limit_bytes >> 20);
        if (ended == child || (ended < 0 && errno != EINTR))
            return ERT_OK;
        if (ert_clock_now_s() - begin_s > timeout_s)
            return ert_fail(error, ERT_FAILED, "%s: did not end within %g s", name,
                            timeout_s);
        ert_clock_sleep_s(1e-3);
    }
}

/* Its streams are files without a name, so that nothing must read while it writes. */
static enum ert_status tool_run(const char *const *argv, FILE *const files[3],
                                double timeout_s, struct ert_tool_output *output,
                                struct ert_error *error)
{
    int state = 0;
    if (!files[0] || !files[1] || !files[2])
        return ert_fail(error, ERT_FAILED, "%s: cannot create a file for its output: %s",
                        argv[0], strerror(errno));
    pid_t child;
    const struct ert_tool_job job = {
        .argv = argv, .streams = {files[0], files[1], files[2]}
    };
    if (tool_start(&job, true, NULL, &child, error) != ERT_OK)
        return ERT_FAILED;
    enum ert_status status = tool_wait_for(child, files, argv[0], timeout_s, &state, error);
    if (status != ERT_OK) {
        kill(-child, SIGKILL);
        waitpid(child, &state, 0);
        return status;
    }
    output->exit_code = exit_code_of(state);
    output->out = tool_read_all(files[1]);
    output->err = tool_read_all(files[2]);
    return ERT_OK;
}

enum ert_status ert_tool_run(const char *const *argv, double timeout_s,
                             struct ert_tool_output *output, struct ert_error *error)
{
    FILE *const files[3] = {fopen("/dev/null", "re"), tmpfile(), tmpfile()};
    *output = (struct ert_tool_output){0};
    enum ert_status status = tool_run(argv, files, timeout_s, output, error);
    for (int i = 0; i < 3; i++)
        if (files[i])
            fclose(files[i]);
    return status;
}

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* The signals that interrupt us: not those that we ignore, under nohup or in a script's background. */
static void interrupting(sigset_t *set)
{
    struct sigaction action;
    sigemptyset(set);
    for (size_t i = 0; i < ERT_LENGTH(interrupts); i++)
        if (sigaction(interrupts[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(set, interrupts[i]);
}

bool ert_tool_hold(void)
{
    bool is_there = false;
    sigset_t held, pending;
    interrupting(&held);
    sigpending(&pending);
    for (size_t i = 0; i < ERT_LENGTH(interrupts); i++)
        is_there = is_there || (sigismember(&held, interrupts[i]) == 1 &&
                                sigismember(&pending, interrupts[i]) == 1);
    sigprocmask(SIG_BLOCK, &held, NULL);
    return is_there;
}

static const int others[] = {SIGUSR1, SIGUSR2, SIGCONT, SIGCHLD};

/* Those of the terminal's keys (SI_KERNEL) went to the program too: it is in our process group. */
static void wait_and_pass(const struct ert_tool_job *job, pid_t child,
                          const sigset_t *awaited, struct ert_tool_end *end)
{
    const double begin_s = ert_clock_now_s();
    double next_s = begin_s + job->every_s;
    int state = 0;
    for (;;) {
        siginfo_t info = {0};
        pid_t ended = waitpid(child, &state, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            break;
        const double wait_s = fmax(next_s - ert_clock_now_s(), 0);
        const struct timespec wait = {(time_t)wait_s,
                                      (long)(1e9 * (wait_s - floor(wait_s)))};
        int number =
            job->still ? sigtimedwait(awaited, &info, &wait) : sigwaitinfo(awaited, &info);
        if (number < 0 && errno == EAGAIN) {
            job->still(job->data, next_s - begin_s);
            next_s += job->every_s;
        }
        for (size_t i = 0; i < ERT_LENGTH(interrupts); i++)
            if (number == interrupts[i])
                end->interrupt = number;
        if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL)
            kill(child, number);
    }
    end->exit_code = exit_code_of(state);
    end->signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
}

/* The user time of all children that were waited for. */
static double children_s(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

enum ert_status ert_tool_pass(const struct ert_tool_job *job, struct ert_tool_end *end,
                              struct ert_error *error)
{
    sigset_t awaited, before, of_child;
    pid_t child;
    *end = (struct ert_tool_end){0};
    interrupting(&awaited);
    sigprocmask(SIG_BLOCK, NULL, &of_child);
    for (size_t i = 0; i < ERT_LENGTH(interrupts); i++)
        sigdelset(&of_child, interrupts[i]); /* which the caller may hold back */
    for (size_t i = 0; i < ERT_LENGTH(others); i++)
        sigaddset(&awaited, others[i]);
    sigprocmask(SIG_BLOCK, &awaited, &before);
    const double begin_s = ert_clock_now_s(), before_s = children_s();
    enum ert_status status = tool_start(job, false, &of_child, &child, error);
    if (status == ERT_OK)
        wait_and_pass(job, child, &awaited, end);
    end->elapsed_s = ert_clock_now_s() - begin_s;
    end->cpu_s = children_s() - before_s;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

void ert_tool_append(const char *argv[ERT_TOOL_WORDS], const char *const *words)
{
    size_t n = 0;
    while (argv[n])
        n++;
    for (; *words && n + 1 < ERT_TOOL_WORDS; words++)
        argv[n++] = *words;
    argv[n] = NULL;
}

void ert_tool_free(struct ert_tool_output *output)
{
    if (!output)
        return;
    free(output->out);
    free(output->err);
    *output = (struct ert_tool_output){0};
}

static bool holds_one(const char *line, size_t length, const char *const *words)
{
    for (; words && *words; words++) {
        const char *at = strstr(line, *words);
        if (at && at < line + length)
            return true;
    }
    return false;
}

void ert_tool_line(const char *text, const char *const *words, char *line, size_t size)
{
    const char *chosen = NULL;
    size_t chosen_length = 0;
    for (size_t length; *text; text += length + (text[length] != '\0')) {
        length = strcspn(text, "\n");
        bool is_wanted = holds_one(text, length, words);
        if (length > 0 && (!chosen || is_wanted)) {
            chosen = text;
            chosen_length = length;
        }
        if (is_wanted)
            break;
    }
    snprintf(line, size, "%.*s", (int)chosen_length, chosen ? chosen : "");
}
