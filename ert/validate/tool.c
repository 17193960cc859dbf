#include "ert/validate/tool.h"

#include "ert/base/alloc.h"
#include "ert/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* One of the program's streams, as it comes in. */
struct stream {
    int fd; /* -1 at its end */
    char *text;
    size_t n, capacity;
};

static bool take(struct stream *stream)
{
    if (stream->n + 1 >= stream->capacity) {
        size_t capacity = stream->capacity ? 2 * stream->capacity : 64 << 10;
        if (capacity > limit_bytes)
            return false;
        stream->text = ert_xrealloc(stream->text, capacity, 1);
        stream->capacity = capacity;
    }
    ssize_t got =
        read(stream->fd, stream->text + stream->n, stream->capacity - stream->n - 1);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    stream->text[stream->n += (size_t)got] = '\0';
    if (got == 0) {
        close(stream->fd);
        stream->fd = -1;
    }
    return true;
}

static enum ert_status listen_to(struct stream streams[2], const char *name,
                                 double timeout_s, struct ert_error *error)
{
    double begin_s = ert_clock_now_s();
    while (streams[0].fd >= 0 || streams[1].fd >= 0) {
        struct pollfd polled[2] = {
            {.fd = streams[0].fd, .events = POLLIN},
            {.fd = streams[1].fd, .events = POLLIN}
        };
        if (poll(polled, 2, 100) < 0 && errno != EINTR)
            return ert_fail(error, ERT_FAILED, "%s: poll: %s", name, strerror(errno));
        for (int i = 0; i < 2; i++)
            if (polled[i].revents && !take(&streams[i]))
                return ert_fail(error, ERT_FAILED, "%s: prints more than %zu MiB", name,
                                limit_bytes >> 20);
        if (ert_clock_now_s() - begin_s > timeout_s)
            return ert_fail(error, ERT_FAILED, "%s: did not end within %g s", name,
                            timeout_s);
    }
    return ERT_OK;
}

/* In the child: its streams, its own process group, the program. Does not return. */
static void become(const char *const *argv, int pipes[2][2])
{
    int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(pipes[0][1], STDOUT_FILENO);
    dup2(pipes[1][1], STDERR_FILENO);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

static enum ert_status start(const char *const *argv, struct stream streams[2],
                             pid_t *child, struct ert_error *error)
{
    int pipes[2][2];
    if (pipe2(pipes[0], O_CLOEXEC) != 0)
        return ert_fail(error, ERT_FAILED, "%s: pipe: %s", argv[0], strerror(errno));
    streams[0].fd = pipes[0][0];
    if (pipe2(pipes[1], O_CLOEXEC) != 0) {
        close(pipes[0][1]);
        return ert_fail(error, ERT_FAILED, "%s: pipe: %s", argv[0], strerror(errno));
    }
    streams[1].fd = pipes[1][0];
    *child = fork();
    if (*child == 0)
        become(argv, pipes);
    int reason = errno;
    close(pipes[0][1]);
    close(pipes[1][1]);
    if (*child < 0)
        return ert_fail(error, ERT_FAILED, "%s: fork: %s", argv[0], strerror(reason));
    return ERT_OK;
}

enum ert_status ert_tool_run(const char *const *argv, double timeout_s,
                             struct ert_tool_output *output, struct ert_error *error)
{
    struct stream streams[2] = {{.fd = -1}, {.fd = -1}};
    pid_t child = -1;
    int state = 0;
    *output = (struct ert_tool_output){0};
    enum ert_status status = start(argv, streams, &child, error);
    if (status == ERT_OK)
        status = listen_to(streams, argv[0], timeout_s, error);
    for (int i = 0; i < 2; i++)
        if (streams[i].fd >= 0)
            close(streams[i].fd);
    if (child > 0 && status != ERT_OK)
        kill(-child, SIGKILL);
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    output->out = streams[0].text;
    output->err = streams[1].text;
    output->exit_code = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    if (status == ERT_OK && output->exit_code == 127)
        status = ert_fail(error, ERT_FAILED, "%s: cannot be started", argv[0]);
    if (status != ERT_OK)
        ert_tool_free(output);
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
