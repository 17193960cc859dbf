/* SPDX-License-Identifier: BSD-3-Clause */
/* hosts: names, lists of them, and lists with brackets as Slurm prints them; and what is none. */
#include "tests/unit/test.h"

#include "ert/ext/fleet/hosts.h"

#include <stdlib.h>
#include <unistd.h>

struct made {
    char text[512];
    size_t n;
};

static enum ert_status take(void *about, const char *name, struct ert_error *error)
{
    struct made *made = about;
    (void)error;
    if (made->n++ < 8)
        ert_list_add(made->text, sizeof made->text, name);
    return ERT_OK;
}

static void expands_to(const char *list, const char *expected)
{
    struct made made = {.n = 0};
    struct ert_error error = {0};
    size_t left = 100;
    if (ert_hosts_expand(list, &left, take, &made, &error) != ERT_OK)
        fail_msg("%s", error.text);
    assert_string_equal(made.text, expected);
    assert_int_equal(left, 100 - made.n);
}

static void brackets_are_expanded(void **state)
{
    (void)state;
    expands_to("login", "login");
    expands_to("a,b,a", "a, b, a");
    expands_to("node[008-011,200]", "node008, node009, node010, node011, node200");
    expands_to("n[1-2],gpu[9-10]x", "n1, n2, gpu9x, gpu10x");
    expands_to("r[1-2]n[0-1]", "r1n0, r1n1, r2n0, r2n1");
    expands_to("x[7],y", "x7, y");
}

static void what_is_no_list_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *list, *words;
    } cases[] = {
        {"",                "'' is not a host name"   },
        {"a,,b",            "'' is not a host name"   },
        {"a,",              "'' is not a host name"   },
        {"n[1-",            "not a range"             },
        {"n[]",             "not a range"             },
        {"n[3-1]",          "not a range"             },
        {"n[1-2,x]",        "not a range"             },
        {"n[1;2]",          "not a range"             },
        {"n[0-9999999999]", "not a range"             },
        {"n]1",             "'n]1' is not a host name"},
        {"a$(reboot)",      "is not a host name"      },
        {"-rf",             "is not a host name"      },
        {"..",              "is not a host name"      },
        {"a b",             "'a b' is not a host name"},
    };
    for (size_t i = 0; i < ERT_LENGTH(cases); i++) {
        struct made made = {.n = 0};
        struct ert_error error = {0};
        size_t left = 1000;
        assert_int_equal(ert_hosts_expand(cases[i].list, &left, take, &made, &error),
                         ERT_USAGE);
        assert_contains(error.text, cases[i].words);
    }
}

/* Not one is made: 10^36 would take longer than there is time. */
static void too_many_are_counted_before_one_is_made(void **state)
{
    (void)state;
    static const char *const lists[] = {
        "n[0-999999],m[0-999]", "z[1-100001]",
        "n[1-999999999][1-999999999][1-999999999][1-999999999]"};
    for (size_t i = 0; i < ERT_LENGTH(lists); i++) {
        struct made made = {.n = 0};
        struct ert_error error = {0};
        size_t left = 100000;
        assert_int_equal(ert_hosts_expand(lists[i], &left, take, &made, &error), ERT_USAGE);
        assert_contains(error.text, "more than 1000000 names");
        assert_int_equal(made.n, 0);
    }
}

/* Brackets multiply, and each is a level of recursion. */
static void a_name_of_many_brackets_is_too_long(void **state)
{
    (void)state;
    enum { N = 200000 };
    struct made made = {.n = 0};
    size_t left = 100;
    char *list = calloc(N, 3), text[] = "[1]";
    assert_non_null(list);
    for (size_t i = 0; i < 3 * (N - 1); i++)
        list[i] = text[i % 3];
    assert_int_equal(ert_hosts_expand(list, &left, take, &made, NULL), ERT_USAGE);
    free(list);
}

static void reads_to(const char *list, const char *expected)
{
    struct ert_hosts hosts;
    struct ert_error error = {0};
    char text[512] = "";
    if (ert_hosts_read(list, &hosts, &error) != ERT_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < hosts.n; i++)
        ert_list_add(text, sizeof text, hosts.names[i]);
    assert_string_equal(text, expected);
    ert_hosts_free(&hosts);
}

static void lists_are_read(void **state)
{
    (void)state;
    char file[] = "/tmp/ert-hosts-XXXXXX";
    const int descriptor = mkstemp(file);
    assert_true(descriptor >= 0 && write(descriptor, "n10\r\n\nn2 n1\nn2", 14) == 14);
    close(descriptor);
    reads_to("n10,n2,n1,n2", "n1, n2, n10");
    reads_to("n01, n1", "n01, n1");
    reads_to(file, "n1, n2, n10");
    unlink(file);
    static const struct {
        const char *list, *words;
    } cases[] = {
        {"",           "the list of hosts is empty"                                         },
        {"n[1-3]",     "'n[1-3]' is not a host name; for lists with brackets: scontrol show"},
        {"a,b;reboot", "'b;reboot' is not a host name"                                      },
        {"./none",     "./none: No such file"                                               },
        {"/",          "/: "                                                                },
    };
    for (size_t i = 0; i < ERT_LENGTH(cases); i++) {
        struct ert_hosts hosts;
        struct ert_error error = {0};
        assert_int_equal(ert_hosts_read(cases[i].list, &hosts, &error), ERT_USAGE);
        assert_contains(error.text, cases[i].words);
        assert_true(hosts.n == 0 && hosts.names == NULL);
    }
}

static void numbers_are_compared_by_value(void **state)
{
    (void)state;
    assert_true(ert_hosts_compare("n2", "n10") < 0);
    assert_true(ert_hosts_compare("n01", "n1") != 0);
    assert_true(ert_hosts_compare("n1", "n1") == 0);
    assert_true(ert_hosts_compare("n", "n1") < 0);
}

static void names_are_names(void **state)
{
    (void)state;
    char longest[202];
    memset(longest, 'x', 201);
    longest[201] = '\0';
    assert_false(ert_host_is_name(longest));
    longest[200] = '\0';
    assert_true(ert_host_is_name(longest));
    assert_false(ert_host_is_name("."));
    assert_false(ert_host_is_name("a/b"));
    assert_true(ert_host_is_name("node-1.example.org"));
    assert_false(ert_host_is_name(""));
    assert_false(ert_host_is_name("a b"));
    assert_false(ert_host_is_name("a\xc3\xa9"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brackets_are_expanded),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(too_many_are_counted_before_one_is_made),
        cmocka_unit_test(a_name_of_many_brackets_is_too_long),
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(numbers_are_compared_by_value),
        cmocka_unit_test(names_are_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
