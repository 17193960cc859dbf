/* SPDX-License-Identifier: BSD-3-Clause */
/* alloc: memory is given, and where there is none the program says so and ends with exit code 1. */
#include "tests/unit/test.h"

#include "ert/core/base/alloc.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

static void memory_is_zeroed_and_never_null(void **state)
{
    (void)state;
    int *numbers = ert_xcalloc(1000, sizeof *numbers);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], 0);
    numbers[999] = 7;
    numbers = ert_xrealloc(numbers, 100000, sizeof *numbers);
    assert_int_equal(numbers[999], 7);
    void *nothing = ert_xcalloc(0, sizeof *numbers);
    assert_non_null(nothing);
    nothing = ert_xrealloc(nothing, 0, 1);
    assert_non_null(nothing);
    char *text = ert_xstrdup("a text");
    assert_string_equal(text, "a text");
    free(text);
    text = ert_xprintf("%s %d", "a number:", 7);
    assert_string_equal(text, "a number: 7");
    free(text);
    free(nothing);
    free(numbers);
}

#ifndef HAS_SANITIZER
enum { BLOCK_BYTES = 1 << 20, UNLIMITED = 77 };

/* Each asks until there is no more. */
static void exhaust_calloc(void)
{
    for (;;)
        ert_xcalloc(BLOCK_BYTES / 8, 8);
}

static void exhaust_realloc(void)
{
    void *memory = NULL;
    for (size_t n = 1;; n *= 2)
        memory = ert_xrealloc(memory, n, BLOCK_BYTES);
}

static void exhaust_strdup(void)
{
    char *text = ert_xcalloc(BLOCK_BYTES, 1);
    memset(text, 'x', BLOCK_BYTES - 1);
    for (;;)
        ert_xstrdup(text);
}

static void ask_for_too_many(void)
{
    ert_xcalloc(SIZE_MAX / 2, 3);
}

/* Runs it in a child with little memory; its standard error into text[size]. The exit code, or UNLIMITED. */
static int run_out(void (*ask)(void), char *text, size_t size)
{
    int ends[2], state = 0;
    size_t length = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        if (limit_memory(256 << 20))
            ask();
        _exit(UNLIMITED);
    }
    close(ends[1]);
    for (ssize_t n;
         length + 1 < size && ((n = read(ends[0], text + length, size - 1 - length)) > 0 ||
                               (n < 0 && errno == EINTR));)
        length += n > 0 ? (size_t)n : 0;
    text[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &state, 0), child);
    assert_true(WIFEXITED(state));
    return WEXITSTATUS(state);
}

static void without_memory_the_program_ends(void **state)
{
    (void)state;
    static const struct {
        void (*ask)(void);
        const char *asked;
    } rows[] = {
        {exhaust_calloc,   "1048576"             },
        {exhaust_realloc,  NULL                  },
        {exhaust_strdup,   "1048576"             },
        {ask_for_too_many, "18446744073709551615"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256], expected[128];
        int code = run_out(rows[i].ask, text, sizeof text);
        if (code == UNLIMITED) {
            printf("# not tried: no limit of memory holds here\n");
            return;
        }
        assert_int_equal(code, 1);
        if (rows[i].asked)
            snprintf(expected, sizeof expected, "%s: out of memory (asked for %s bytes)\n",
                     program_invocation_short_name, rows[i].asked);
        else
            snprintf(expected, sizeof expected, "%s: out of memory (asked for ",
                     program_invocation_short_name);
        assert_ptr_equal(strstr(text, expected), text);
        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
    }
}
#else
/* A sanitizer's allocator ends the program itself, and its shadow needs terabytes of addresses. */
static void without_memory_the_program_ends(void **state)
{
    (void)state;
    printf("# not tried: the sanitizer's own memory leaves no limit to reach\n");
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_never_null),
        cmocka_unit_test(without_memory_the_program_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
