/* SPDX-License-Identifier: BSD-3-Clause */
/* presence: runs of one device know of each other, whoever began first; those of another device do not. */
#include "tests/unit/test.h"

#include "ert/core/machine/presence.h"

#include <sys/wait.h>
#include <unistd.h>

/* A device that only this test has. */
static const char *device(const char *name)
{
    static char text[2][64];
    static int next;
    next = !next;
    snprintf(text[next], sizeof text[next], "test %ld %s", (long)getpid(), name);
    return text[next];
}

static const char *end(struct ert_presence *presence)
{
    static char others[256];
    ert_presence_end(presence, others, sizeof others);
    return others;
}

static void both_know_whoever_began_first(void **state)
{
    struct ert_presence first, second, elsewhere, later;
    char self[64];
    snprintf(self, sizeof self, "pid %ld (user %ld)", (long)getpid(), (long)geteuid());
    ert_presence_begin(device("a"), &first);
    ert_presence_begin(device("b"), &elsewhere);
    ert_presence_begin(device("a"), &second);
    assert_string_equal(end(&second), self);
    assert_string_equal(end(&elsewhere), "");
    assert_string_equal(end(&first), self); /* although the other one has ended */
    ert_presence_begin(device("a"), &later);
    assert_string_equal(end(&later), "");
}

/* Each once, and those of processes that were killed no more. */
static void each_process_is_named_once(void **state)
{
    enum { N = 3 };
    struct ert_presence own, late;
    const char *name = device("c");
    pid_t children[N];
    int ready[2], go[2];
    char word[64], byte;
    assert_int_equal(pipe(ready) | pipe(go), 0);
    ert_presence_begin(name, &own);
    fflush(stdout);
    for (int i = 0; i < N; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            struct ert_presence theirs;
            ert_presence_begin(name, &theirs);
            if (write(ready[1], "x", 1) != 1 || close(go[1]) != 0)
                _exit(1);
            _exit(read(go[0], &byte, 1) == 0
                      ? 0
                      : 2); /* killed, as it were: nothing is ended */
        }
    }
    for (int i = 0; i < N; i++)
        assert_int_equal(read(ready[0], &byte, 1), 1);
    ert_presence_begin(name, &late);
    assert_int_equal(late.n, N + 1);
    close(go[1]);
    for (int i = 0; i < N; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    end(&late);
    const char *others = end(&own);
    for (int i = 0; i < N; i++) {
        snprintf(word, sizeof word, "pid %ld (user ", (long)children[i]);
        assert_contains(others, word);
        assert_null(strstr(strstr(others, word) + 1, word));
    }
    ert_presence_begin(name, &late);
    assert_string_equal(end(&late), "");
    close(ready[0]);
    close(ready[1]);
    close(go[0]);
}

/* More than are told apart: still no error, and nobody waits. */
static void too_many_are_no_error(void **state)
{
    struct ert_presence all[ERT_PRESENCE_MOST + 3];
    char self[64];
    snprintf(self, sizeof self, "pid %ld (user %ld)", (long)getpid(), (long)geteuid());
    for (size_t i = 0; i < ERT_LENGTH(all); i++)
        ert_presence_begin(device("d"), &all[i]);
    for (size_t i = 0; i < ERT_LENGTH(all); i++)
        assert_string_equal(end(&all[i]), self); /* a process once */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_know_whoever_began_first),
        cmocka_unit_test(each_process_is_named_once),
        cmocka_unit_test(too_many_are_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
