/* SPDX-License-Identifier: BSD-3-Clause */
/* hosts: names, lists of them, and what is none. */
#include "tests/unit/test.h"

#include "ert/ext/fleet/hosts.h"

#include <unistd.h>

static void reads_to(const char *list, const char *expected)
{
    struct ert_strings hosts = {0};
    struct ert_error error = {0};
    char text[512] = "";
    if (ert_hosts_read(list, &hosts, &error) != ERT_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < hosts.n_texts; i++)
        ert_list_add(text, sizeof text, hosts.texts[i]);
    assert_string_equal(text, expected);
    ert_strings_free(&hosts);
}

static void lists_are_read(void **state)
{
    char file[] = "/tmp/ert-hosts-XXXXXX";
    const int descriptor = mkstemp(file);
    assert_true(descriptor >= 0 && write(descriptor, "n10\r\n\nn2 n1\nn2", 14) == 14);
    close(descriptor);
    reads_to("n10,n2,n1,n2", "n10, n2, n1");
    reads_to("n01, n1", "n01, n1");
    reads_to(file, "n10, n2, n1");
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
        struct ert_strings hosts = {0};
        struct ert_error error = {0};
        assert_int_equal(ert_hosts_read(cases[i].list, &hosts, &error), ERT_USAGE);
        assert_contains(error.text, cases[i].words);
        ert_strings_free(&hosts);
    }
}

static void names_are_names(void **state)
{
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
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(names_are_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
