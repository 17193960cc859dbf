/* SPDX-License-Identifier: BSD-3-Clause */
/* test: cmocka's headers in the order that they need, and what every unit test uses. */
#ifndef ERT_TESTS_UNIT_TEST_H
#define ERT_TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "ert/core/base/error.h"

/* cmocka gives each test a state, which few of them need. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Leaves this process so many bytes of addresses; false where nothing holds it to that (qemu-user). */
static inline bool limit_memory(size_t bytes)
{
    const struct rlimit limit = {bytes, bytes};
    return setrlimit(RLIMIT_AS, &limit) == 0 &&
           mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}

/* Writes a file at once: ert_file_write() waits for the disk, a second for a hundred of them. */
__attribute__((unused)) static void put_file(const char *file, const void *bytes,
                                             size_t size)
{
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

/* Fails unless |actual - expected| <= tolerance * |expected|. */
#define assert_close(actual, expected, tolerance)                                          \
    do {                                                                                   \
        double close_a = (actual), close_e = (expected);                                   \
        if (!(fabs(close_a - close_e) <= (tolerance)*fabs(close_e)))                       \
            fail_msg("%s = %.17g, expected %.17g within %g", #actual, close_a, close_e,    \
                     (double)(tolerance));                                                 \
    } while (0)

/* Fails unless the text holds the words. */
/* Not inlined: gcc 12 does not know that cmocka does not return and warns of NULL texts. */
__attribute__((noinline, unused)) static void assert_contains(const char *text,
                                                              const char *words)
{
    if (!strstr(text, words))
        fail_msg("'%s' does not hold '%s'", text, words);
}

#endif
