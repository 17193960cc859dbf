/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alloc: memory that is there. Where the system has none left, the program prints one line,
 * "ert: out of memory (asked for N bytes)", and ends with exit code 1 (ERT_FAILED), as git's xmalloc
 * does: nothing that it could still do would be of use.
 *
 * Three kinds of code must not use it, and return an error instead: libroofline, which must never end
 * its user's process (tests/style/alloc.sh); what a run calls while it measures (backend, stats,
 * ert_run(), ert_fit_candidates()), which would lose the samples since the last checkpoint; and buffers of
 * a size that the user or the machine decides, which is worth a better answer.
 */
#ifndef ERT_BASE_ALLOC_H
#define ERT_BASE_ALLOC_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * n elements of `size` bytes, all zero; NULL, and errno ENOMEM, without memory. For the others: where there
 * is memory, errno is as before. glibc leaves ENOMEM there when the heap cannot grow in place and maps pages
 * instead, so that who looks at errno once, at the end (ert_fit()), may call nothing else.
 */
static inline void *ert_calloc(size_t n, size_t size)
{
    int before = errno;
    void *memory = calloc(n, size);
    if (memory)
        errno = before;
    return memory;
}

/* n elements of `size` bytes, all zero. Never NULL, also for n = 0. The caller's (free). */
void *ert_xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));

/* The same memory (NULL: new) with space for n elements of `size` bytes. Never NULL, also for n = 0. */
void *ert_xrealloc(void *memory, size_t n, size_t size) __attribute__((returns_nonnull));

/* An array with space for one element more than its n; *capacity: for how many (0 at first). */
void *ert_xgrow(void *array, size_t n, size_t *capacity, size_t size);

/* The memory of a function that asked the system for `bytes` at least. Never NULL. */
void *ert_xcheck(void *memory, size_t bytes) __attribute__((returns_nonnull));

/* A copy of a text; a text made as by printf(). The caller's (free). */
char *ert_xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
char *ert_xprintf(const char *format, ...)
    __attribute__((malloc, returns_nonnull, format(printf, 1, 2)));
char *ert_xvprintf(const char *format, va_list arguments)
    __attribute__((malloc, returns_nonnull, format(printf, 1, 0)));

#endif
