/* SPDX-License-Identifier: BSD-3-Clause */
/* topology, bad input: damaged files and an environment that misleads give one clear error. */
#include "tests/unit/topology_fixture.h"

#include "ert/core/base/file.h"

#include <unistd.h>

static void bad_files(void **state)
{
    (void)state;
    static const char hollow[] = "<topology version=\"2.0\"><object type=\"Machine\" "
                                 "cpuset=\"0x1\"><object type=\"PU\" os_index=\"0\"/>"
                                 "</object></topology>";
    static const struct {
        const char *text, *words; /* text NULL: no such file */
    } cases[] = {
        {NULL,                                          "No such file"},
        {"",                                            "empty"       },
        {"this is no XML",                              "</topology>" },
        {"{\"schema\": \"ert-ceilings/2\"}",            "</topology>" },
        {"<?xml version=\"1.0\"?>\n<a></a></topology>", "damaged"     },
        {"<topology version=\"2.0\"></topology>",       "damaged"     },
        {"<topology version=\"2.0\"><object/>",         "</topology>" },
        {hollow,                                        "damaged"     },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char file[] = "/tmp/ert-topology-XXXXXX";
        int descriptor = mkstemp(file);
        assert_true(descriptor >= 0);
        if (cases[i].text)
            assert_int_equal(write(descriptor, cases[i].text, strlen(cases[i].text)),
                             strlen(cases[i].text));
        else
            unlink(file);
        close(descriptor);
        enum ert_status status = discover(file);
        if (cases[i].text)
            unlink(file);
        assert_int_equal(status, ERT_USAGE);
        assert_contains(error.text, file);
        assert_contains(error.text, cases[i].words);
        assert_int_equal(machine.n_devices, 0);
    }
}

/* A good file, in which what stands behind two words, one after the other, begins with other bytes. */
static void refuses_changed(const char *first, const char *second, const char *bytes,
                            const char *words)
{
    char *text, good[1024], file[] = "/tmp/ert-topology-XXXXXX";
    size_t size;
    const char *source = getenv("top_srcdir");
    snprintf(good, sizeof good, "%s/tests/data/topologies/hetero-memory.xml",
             source ? source : ".");
    assert_int_equal(ert_file_read(good, 1 << 20, &text, &size, &error), ERT_OK);
    char *at = strstr(text, first);
    at = at ? strstr(at, second) : NULL;
    assert_non_null(at);
    memcpy(at + strlen(second), bytes, strlen(bytes));
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, size), size);
    close(descriptor);
    free(text);
    enum ert_status status = discover(file);
    unlink(file);
    assert_int_equal(status, ERT_USAGE);
    assert_contains(error.text, words);
}

/* A PU without its complete CPU set: hwloc 2.9 follows a null pointer there. */
static void crash_of_hwloc_is_an_error(void **state)
{
    (void)state;
    refuses_changed("type=\"PU\"", " complete_", "xpuset", "damaged");
}

/* Names are printed: a terminal's CSI among them, in UTF-8. */
static void names_that_act_are_refused(void **state)
{
    (void)state;
    refuses_changed("<info name=", "value=\"", "\xc2\x9b", "a control character in a name");
}

static void folder_is_refused(void **state)
{
    (void)state;
    assert_int_equal(discover("/tmp"), ERT_USAGE);
    assert_contains(error.text, "/tmp: cannot read: Is a directory");
}

/* hwloc itself would pass over it and look at this machine. */
static void bad_environment_is_an_error(void **state)
{
    (void)state;
    setenv("HWLOC_XMLFILE", "/nonexistent/topology.xml", 1);
    enum ert_status status = discover(NULL);
    unsetenv("HWLOC_XMLFILE");
    assert_int_equal(status, ERT_USAGE);
    assert_contains(error.text, "/nonexistent/topology.xml");
}

int main(void)
{
    forget_environment();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files),
        cmocka_unit_test(crash_of_hwloc_is_an_error),
        cmocka_unit_test(names_that_act_are_refused),
        cmocka_unit_test(folder_is_refused),
        cmocka_unit_test(bad_environment_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
