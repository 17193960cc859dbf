/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim: for torture.py, by LD_PRELOAD: the TORTURE_FAIL-th allocation after main() begins fails, and only
 * that one. At the end TORTURE_COUNT, a file, gets the number of allocations.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
    *__libc_realloc(void *, size_t);

static int (*program)(int, char **, char **);
static long n_calls, fails_at = -1;

/* What libraries allocate before main() is theirs to check. */
static int shim_begin(int argc, char **argv, char **environment)
{
    const char *at = getenv("TORTURE_FAIL");
    fails_at = at ? atol(at) : 0;
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
    return next(shim_begin, argc, argv, init, fini, end, stack);
}

static int shim_fails(void)
{
    if (fails_at < 0 || __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED) != fails_at)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return shim_fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return shim_fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
    return shim_fails() ? NULL : __libc_realloc(memory, size);
}

__attribute__((destructor)) static void shim_tell(void)
{
    const char *file = getenv("TORTURE_COUNT");
    int fd = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd < 0)
        return;
    dprintf(fd, "%ld\n", n_calls);
    close(fd);
}
