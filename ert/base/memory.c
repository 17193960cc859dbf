#include "ert/base/memory.h"

#include "ert/base/error.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void ert_no_memory(void)
{
    fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
    exit(ERT_FAILED);
}

void *ert_alloc(size_t n, size_t size)
{
    void *block = calloc(n ? n : 1, size);
    if (!block)
        ert_no_memory();
    return block;
}

void *ert_realloc(void *block, size_t n, size_t size)
{
    void *moved = n > SIZE_MAX / size ? NULL : realloc(block, n ? n * size : size);
    if (!moved)
        ert_no_memory();
    return moved;
}

void *ert_grow(void *array, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return array;
    *room = *room ? 2 * *room : 16;
    return ert_realloc(array, *room, size);
}
