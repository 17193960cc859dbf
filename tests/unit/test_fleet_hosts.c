/* SPDX-License-Identifier: BSD-3-Clause */
/* hosts: lists as Slurm writes them, there and back; and what is none. */
#include "tests/unit/test.h"

#include "ert/fleet/hosts.h"

static void expands_to(const char *list, const char *expected)
{
    struct ert_hosts hosts;
    struct ert_error error = {0};
    char text[512] = "";
    if (ert_hosts_expand(list, &hosts, &error) != ERT_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < hosts.n; i++)
        ert_list_add(text, sizeof text, hosts.names[i]);
    assert_string_equal(text, expected);
    ert_hosts_free(&hosts);
}

static void brackets_are_expanded(void **state)
{
    (void)state;
    expands_to("login", "login");
    expands_to("a,b,a", "a, b");
    expands_to("node[008-011,200]", "node008, node009, node010, node011, node200");
    expands_to("n[1-2],gpu[9-10]x", "n1, n2, gpu9x, gpu10x");
    expands_to("r[1-2]n[0-1]", "r1n0, r1n1, r2n0, r2n1");
    expands_to("x[7], y\n", "x7, y");
}

static void many_are_counted(void **state)
{
    (void)state;
    struct ert_hosts hosts;
    assert_int_equal(ert_hosts_expand("n[000000-099999]", &hosts, NULL), ERT_OK);
    assert_int_equal(hosts.n, 100000);
    assert_string_equal(hosts.names[99999], "n099999");
    ert_hosts_free(&hosts);
}

static void what_is_no_list_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *list, *words;
    } cases[] = {
        {"",                     "the host list is empty"  },
        {"a,,b",                 "an empty name"           },
        {"a,",                   "an empty name"           },
        {"n[1-",                 "has no ']'"              },
        {"n[]",                  "not a range"             },
        {"n[3-1]",               "not a range"             },
        {"n[1-2,x]",             "not a range"             },
        {"n[1;2]",               "not a range"             },
        {"n[0-9999999999]",      "not a range"             },
        {"n]1",                  "'n]1' is not a host name"},
        {"a$(reboot)",           "is not a host name"      },
        {"-rf",                  "is not a host name"      },
        {"a b",                  "'a b' is not a host name"},
        {"n[0-999999],m[0-999]", "more than 1000000 names" },
    };
    for (size_t i = 0; i < ERT_LENGTH(cases); i++) {
        struct ert_hosts hosts;
        struct ert_error error = {0};
        assert_int_equal(ert_hosts_expand(cases[i].list, &hosts, &error), ERT_USAGE);
        assert_contains(error.text, cases[i].words);
        assert_true(hosts.n == 0 && hosts.names == NULL);
    }
}

/* Brackets multiply, and each is a level of recursion. */
static void a_name_of_many_brackets_is_too_long(void **state)
{
    (void)state;
    enum { N = 200000 };
    struct ert_hosts hosts;
    char *list = calloc(N, 3), text[] = "[1]";
    assert_non_null(list);
    for (size_t i = 0; i < 3 * (N - 1); i++)
        list[i] = text[i % 3];
    assert_int_equal(ert_hosts_expand(list, &hosts, NULL), ERT_USAGE);
    free(list);
}

static void compresses_to(const char *names, const char *expected)
{
    struct ert_hosts hosts;
    assert_int_equal(ert_hosts_expand(names, &hosts, NULL), ERT_OK);
    char *text = ert_hosts_compress((const char **)hosts.names, hosts.n);
    assert_string_equal(text, expected);
    free(text);
    ert_hosts_free(&hosts);
}

static void names_are_compressed(void **state)
{
    (void)state;
    compresses_to("n10,n2,n1,n3", "n[1-3,10]");
    compresses_to("n099,n100,n098", "n[098-100]");
    compresses_to("n9,n10,n11", "n[9-11]");
    compresses_to("b,a", "a,b");
    compresses_to("gpu1-ib,gpu2-ib,login", "gpu[1-2]-ib,login");
    compresses_to("r1n1,r1n2,r2n1", "r1n[1-2],r2n1");
    compresses_to("n01,n1", "n01,n1");
    const char *twice[] = {"b1", "a", "b2", "b1"};
    char *text = ert_hosts_compress(twice, 4);
    assert_string_equal(text, "a,b[1-2]");
    free(text);
    char *none = ert_hosts_compress(NULL, 0);
    assert_string_equal(none, "");
    free(none);
}

static void and_expanded_again_they_are_the_same(void **state)
{
    (void)state;
    static const char list[] = "a[01-09]-x,a[1-12]-x,n[0001-0007,0009],z";
    struct ert_hosts hosts, again;
    assert_int_equal(ert_hosts_expand(list, &hosts, NULL), ERT_OK);
    char *text = ert_hosts_compress((const char **)hosts.names, hosts.n);
    assert_int_equal(ert_hosts_expand(text, &again, NULL), ERT_OK);
    assert_int_equal(again.n, hosts.n);
    for (size_t i = 0; i < again.n; i++)
        assert_string_equal(again.names[i], hosts.names[i]);
    free(text);
    ert_hosts_free(&hosts);
    ert_hosts_free(&again);
}

static void names_are_names(void **state)
{
    (void)state;
    char longest[ERT_HOST_TEXT + 1];
    memset(longest, 'x', ERT_HOST_TEXT);
    longest[ERT_HOST_TEXT] = '\0';
    assert_false(ert_host_is_name(longest));
    longest[ERT_HOST_TEXT - 1] = '\0';
    assert_true(ert_host_is_name(longest));
    assert_true(ert_host_is_name("node-1.example.org"));
    assert_false(ert_host_is_name(""));
    assert_false(ert_host_is_name("a b"));
    assert_false(ert_host_is_name("a\xc3\xa9"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brackets_are_expanded),
        cmocka_unit_test(many_are_counted),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(a_name_of_many_brackets_is_too_long),
        cmocka_unit_test(names_are_compressed),
        cmocka_unit_test(and_expanded_again_they_are_the_same),
        cmocka_unit_test(names_are_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
