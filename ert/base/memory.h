/*
 * memory: allocations that do not fail: where there is no memory, the program says so and ends with
 * ERT_FAILED's exit code, since nothing else could be done about it. Functions that libroofline offers
 * to other programs do not use it.
 */
#ifndef ERT_BASE_MEMORY_H
#define ERT_BASE_MEMORY_H

#include <stddef.h>

/* n elements of `size` bytes, all zero; the caller's (free). n 0 is fine. */
void *ert_alloc(size_t n, size_t size);

/* The same, uninitialized, in the place of a block that ert_alloc or this gave; NULL is fine. */
void *ert_realloc(void *block, size_t n, size_t size);

/* An array with room for one element more than the n that it has; *room is how many it has room for. */
void *ert_grow(void *array, size_t n, size_t *room, size_t size);

/* Says that memory ran out, and ends the program. */
_Noreturn void ert_no_memory(void);

#endif
