/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/base/alloc.h"

#include "ert/core/base/error.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The bytes of n elements, at least 1, so that NULL always means failure; SIZE_MAX for too many. */
static size_t alloc_bytes_of(size_t n, size_t size)
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

/* errno as it was before: ert_calloc() says why. */
static void *checked(void *memory, size_t bytes, int before)
{
    ert_xcheck(memory, bytes);
    errno = before;
    return memory;
}

void *ert_xcalloc(size_t n, size_t size)
{
    size_t bytes = alloc_bytes_of(n, size);
    int before = errno;
    return checked(calloc(1, bytes), bytes, before);
}

void *ert_xrealloc(void *memory, size_t n, size_t size)
{
    size_t bytes = alloc_bytes_of(n, size);
    int before = errno;
    return checked(realloc(memory, bytes), bytes, before);
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
    int before = errno;
    return memcpy(checked(malloc(bytes), bytes, before), text, bytes);
}

char *ert_xvprintf(const char *format, va_list arguments)
{
    char *text = NULL;
    int before = errno, length = vasprintf(&text, format, arguments);
    return checked(length < 0 ? NULL : text, length < 0 ? 0 : (size_t)length + 1, before);
}

char *ert_xprintf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = ert_xvprintf(format, arguments);
    va_end(arguments);
    return text;
}
