/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fault_shim: faults that LD_PRELOAD plants between a program and libc, for test_faults.sh and torture.py.
 *   SHIM_KILL=N      the process is killed (SIGKILL) at its N-th rename of a file that is there
 *   SHIM_NO_LOCKS=1  flock() finds a file system without locks
 *   SHIM_CLOCK=1     CLOCK_REALTIME is set back by an hour each time it is read
 *   SHIM_MEMORY=N    after N allocations of main() there is no memory left
 *   SHIM_FAIL=N      the N-th allocation of main() fails, and only that one
 *   SHIM_COUNT=FILE  at its end the process writes how many allocations it asked for
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

int rename(const char *from, const char *to)
{
    static int n;
    const char *at = getenv("SHIM_KILL");
    int (*next)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
    if (at && access(from, F_OK) == 0 && ++n == atoi(at))
        raise(SIGKILL);
    return next(from, to);
}

int flock(int descriptor, int operation)
{
    int (*next)(int, int) = dlsym(RTLD_NEXT, "flock");
    if (!getenv("SHIM_NO_LOCKS"))
        return next(descriptor, operation);
    errno = ENOLCK;
    return -1;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int n;
    int (*next)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int result = next(clock, time);
    if (getenv("SHIM_CLOCK") && clock == CLOCK_REALTIME)
        time->tv_sec -= 3600 * n++;
    return result;
}

time_t time(time_t *out)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
    *__libc_realloc(void *, size_t);

/* What libraries allocate before main(), as CUDA's do for its kernels, is theirs to check. */
static int (*program)(int, char **, char **), has_begun;

static int begin(int argc, char **argv, char **environment)
{
    has_begun = 1;
    return program(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void), void (*end)(void),
                      void *stack)
{
    int (*next)(int (*)(int, char **, char **), int, char **, void (*)(void),
                void (*)(void), void (*)(void), void *) =
        dlsym(RTLD_NEXT, "__libc_start_main");
    program = main;
    return next(begin, argc, argv, init, fini, end, stack);
}

static long n_allocations;

static int is_spent(void)
{
    if (!has_begun)
        return 0;
    long n = __atomic_add_fetch(&n_allocations, 1, __ATOMIC_RELAXED);
    const char *most = getenv("SHIM_MEMORY"), *at = getenv("SHIM_FAIL");
    int is = (most && n > atol(most)) || (at && n == atol(at));
    if (is)
        errno = ENOMEM;
    return is;
}

__attribute__((destructor)) static void tell_count(void)
{
    const char *file = getenv("SHIM_COUNT");
    int fd = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd < 0)
        return;
    dprintf(fd, "%ld\n", n_allocations);
    close(fd);
}

void *malloc(size_t size)
{
    return is_spent() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return is_spent() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
    return is_spent() ? NULL : __libc_realloc(memory, size);
}
