/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/record/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool write_all(int descriptor, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t written = write(descriptor, bytes, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        n -= (size_t)written;
    }
    return true;
}

/* Runs as a process of its own: it reads ahead by at most a pipe's capacity, and ends with its reader. */
static void copy(int program, int kept)
{
    char bytes[1 << 16];
    ssize_t n;
    int is_kept = true;
    signal(SIGINT, SIG_IGN); /* from the terminal: the program decides whether to end */
    signal(SIGPIPE, SIG_DFL);
    while ((n = read(STDIN_FILENO, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR)) {
        if (n < 0)
            continue;
        is_kept = is_kept && write_all(kept, bytes, (size_t)n);
        if (!write_all(program, bytes, (size_t)n))
            break;
    }
    _exit(is_kept ? 0 : 1);
}

/* Unlinks the copy at once, so that it never outlives us. */
static enum ert_status begin_copy(struct rfl_input *input, const char *folder,
                                  struct ert_error *error)
{
    char file[PATH_MAX];
    int ends[2];
    snprintf(file, sizeof file, "%s/.input", folder);
    input->kept = fopen(file, "w+e");
    if (!input->kept || unlink(file) != 0 || pipe2(ends, O_CLOEXEC) != 0)
        return ert_fail(error, ERT_FAILED, "%s: the standard input cannot be kept: %s",
                        file, strerror(errno));
    input->copier = fork();
    if (input->copier == 0) {
        close(ends[0]);
        copy(ends[1], fileno(input->kept));
    }
    close(ends[1]);
    input->first = fdopen(ends[0], "r");
    if (input->copier < 0 || !input->first)
        return ert_fail(error, ERT_FAILED, "the standard input cannot be kept: %s",
                        strerror(errno));
    return ERT_OK;
}

enum ert_status rfl_input_begin(struct rfl_input *input, const char *folder,
                                struct ert_error *error)
{
    struct stat status;
    *input = (struct rfl_input){0};
    if (fstat(STDIN_FILENO, &status) != 0)
        return ERT_OK;
    if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
        return begin_copy(input, folder, error);
    if (S_ISREG(status.st_mode)) {
        /* Opened again, so that reading it does not move the position of our caller's script. */
        input->kept = fopen("/proc/self/fd/0", "re");
        input->begin = lseek(STDIN_FILENO, 0, SEEK_CUR);
        input->is_lost = !input->kept;
    }
    return ERT_OK;
}

void rfl_input_end(struct rfl_input *input)
{
    int state = 0;
    if (input->first)
        fclose(input->first);
    input->first = NULL;
    if (input->copier <= 0)
        return;
    kill(input->copier, SIGTERM);
    waitpid(input->copier, &state, 0);
    input->is_lost = WIFEXITED(state) && WEXITSTATUS(state) != 0;
    input->copier = 0;
}

enum ert_status rfl_input_rewind(struct rfl_input *input, FILE **stream,
                                 struct ert_error *error)
{
    if (input->is_lost)
        return ert_fail(error, ERT_FAILED,
                        "the program's standard input could not be kept for a second run: "
                        "use a file (< FILE), or --once");
    if (!input->kept)
        input->kept = fopen("/dev/null", "re");
    if (!input->kept || lseek(fileno(input->kept), input->begin, SEEK_SET) < 0)
        return ert_fail(error, ERT_FAILED, "the program's standard input: %s",
                        strerror(errno));
    *stream = input->kept;
    return ERT_OK;
}

void rfl_input_free(struct rfl_input *input)
{
    rfl_input_end(input);
    if (input->kept)
        fclose(input->kept);
    *input = (struct rfl_input){0};
}
