/* SPDX-License-Identifier: BSD-3-Clause */
/* gather: how long a node is waited for, and what becomes of its record. */
#include "tests/unit/test.h"

#include "ert/fleet/gather.h"

#include <unistd.h>

static char file[] = "/tmp/ert-gather-XXXXXX";

/* Hosts n1 to n3, started, in a new file. */
static void begin(struct ert_gather *gather)
{
    struct ert_hosts hosts;
    struct ert_error error;
    assert_int_equal(ert_hosts_expand("n[1-3]", &hosts, &error), ERT_OK);
    assert_int_equal(ert_gather_open(gather, &hosts, file, &error), ERT_OK);
    for (size_t i = 0; i < 3; i++)
        ert_gather_start(gather, gather->hosts.names[i]);
}

static double limit_of(struct ert_gather *gather, const char *line, const char *name)
{
    assert_true(ert_gather_line(gather, line));
    const struct ert_gather_host *host = ert_gather_find(gather, name);
    assert_int_equal(host->state, ERT_GATHER_BEGUN);
    return host->limit_s - host->begun_s;
}

static void a_node_has_twice_its_estimate(void **state)
{
    (void)state;
    struct ert_gather gather = {.answer_s = 60, .spare = stderr};
    begin(&gather);
    assert_close(limit_of(&gather, "ert-begin n1 20", "n1"), 70, 1e-9);
    assert_close(limit_of(&gather, "ert-begin n2 0", "n2"), ERT_GATHER_UNKNOWN_S, 1e-9);
    gather.deadline_s = 5;
    assert_close(limit_of(&gather, "ert-begin n3 20", "n3"), 5, 1e-9);
    ert_gather_close(&gather);
}

static void other_lines_are_counted(void **state)
{
    (void)state;
    static const char *const lines[] = {"ert-begin n9 1", "ert-begin n1 -1",
                                        "ert-begin n1 nan", "Module loaded"};
    struct ert_gather gather = {.answer_s = 60, .spare = stderr};
    begin(&gather);
    for (size_t i = 0; i < ERT_LENGTH(lines); i++)
        assert_false(ert_gather_line(&gather, lines[i]));
    assert_int_equal(gather.n_foreign, ERT_LENGTH(lines));
    assert_string_equal(gather.foreign, lines[0]);
    assert_int_equal(ert_gather_count(&gather).states[ERT_GATHER_WAITING], 3);
    ert_gather_close(&gather);
}

/* Beginnings of texts that never end; one of each launch of each node may be the rest of a dead node. */
static void unfinished_texts_are_limited(void **state)
{
    (void)state;
    struct ert_gather gather = {.answer_s = 60, .spare = stderr};
    size_t n = 0;
    char line[64];
    begin(&gather);
    do
        snprintf(line, sizeof line, "ert-part %016zx 1048576 0 a", ++n);
    while (ert_gather_line(&gather, line) && n < 1000);
    assert_int_equal(n - 1, 3 * ERT_GATHER_LAUNCHES);
    assert_string_equal(gather.foreign, line);
    snprintf(line, sizeof line, "ert-part %016zx 1048576 1 b", (size_t)1);
    assert_true(ert_gather_line(&gather, line)); /* those that were begun go on */
    ert_gather_close(&gather);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_has_twice_its_estimate),
        cmocka_unit_test(other_lines_are_counted),
        cmocka_unit_test(unfinished_texts_are_limited),
    };
    int descriptor = mkstemp(file);
    if (descriptor < 0)
        return 1;
    close(descriptor);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    return failed;
}
