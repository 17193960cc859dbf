/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/base/alloc.h"

#include "ert/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of n elements, at least 1, so that NULL always means failure; SIZE_MAX for too many. */
static size_t bytes_of(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        return SIZE_MAX;
    return bytes ? bytes : 1;
}

void *ert_xcheck(void *memory, size_t bytes)
{
    if (memory)
        return memory;
    fprintf(stderr, "%s: out of memory (asked for %zu bytes)\n",
            program_invocation_short_name, bytes);
    exit(ERT_FAILED);
}

void *ert_xcalloc(size_t n, size_t size)
{
    size_t bytes = bytes_of(n, size);
    return ert_xcheck(calloc(1, bytes), bytes);
}

void *ert_xrealloc(void *memory, size_t n, size_t size)
{
    size_t bytes = bytes_of(n, size);
    return ert_xcheck(realloc(memory, bytes), bytes);
}

void *ert_xgrow(void *array, size_t n, size_t *capacity, size_t size)
{
    if (n < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : 16;
    return ert_xrealloc(array, *capacity, size);
}

char *ert_xstrdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(ert_xcheck(malloc(bytes), bytes), text, bytes);
}

char *ert_xprintf(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return ert_xcheck(length < 0 ? NULL : text, length < 0 ? 0 : (size_t)length + 1);
}
