#include "ert/base/memory.h"

#include "ert/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void ert_no_memory(size_t bytes)
{
    fprintf(stderr, "%s: out of memory", program_invocation_short_name);
    if (bytes > 0)
        fprintf(stderr, " (asked for %zu bytes)", bytes);
    fputc('\n', stderr);
    exit(ERT_FAILED);
}

/* The bytes of n elements, at least 1, so that NULL always means failure; SIZE_MAX for too many. */
static size_t bytes_of(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        return SIZE_MAX;
    return bytes ? bytes : 1;
}

void *ert_alloc(size_t n, size_t size)
{
    size_t bytes = bytes_of(n, size);
    void *block = calloc(1, bytes);
    if (!block)
        ert_no_memory(bytes);
    return block;
}

void *ert_realloc(void *block, size_t n, size_t size)
{
    size_t bytes = bytes_of(n, size);
    void *moved = realloc(block, bytes);
    if (!moved)
        ert_no_memory(bytes);
    return moved;
}

void *ert_grow(void *array, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return array;
    *room = *room ? 2 * *room : 16;
    return ert_realloc(array, *room, size);
}

char *ert_format(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        ert_no_memory(0);
    va_end(arguments);
    return text;
}
