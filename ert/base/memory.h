/*
 * memory: allocations that do not fail. Where the system has none left, the program prints one line,
 * "ert: out of memory (asked for N bytes)", and ends with exit code 1 (ERT_FAILED), as git's xmalloc
 * does: nothing that it could still do would be of use.
 *
 * Three kinds of code must not use it, and return an error instead: libroofline, which must never end
 * its user's process (tests/style/memory.sh); what a run calls while it measures (backend, stats,
 * ert_run(), ert_fit_leaders()), which would lose the samples since the last checkpoint; and buffers of
 * a size that the user or the machine decides, which is worth a better answer.
 */
#ifndef ERT_BASE_MEMORY_H
#define ERT_BASE_MEMORY_H

#include <stddef.h>

/* n elements of `size` bytes, all zero. Never NULL, also for n = 0. The caller's (free). */
void *ert_alloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));

/*
 * The same in the place of a block that ert_alloc or this gave (NULL: a new one); what is added is
 * uninitialized.
 */
void *ert_realloc(void *block, size_t n, size_t size) __attribute__((returns_nonnull));

/* An array with room for one element more than the n that it has; *room is how many it has room for. */
void *ert_grow(void *array, size_t n, size_t *room, size_t size);

/* A text made as by printf(); the caller's (free). */
char *ert_format(const char *format, ...)
    __attribute__((malloc, returns_nonnull, format(printf, 1, 2)));

/* Says that memory ran out, for so many bytes (0: not known), and ends the program. */
_Noreturn void ert_no_memory(size_t bytes);

#endif
