/* SPDX-License-Identifier: BSD-3-Clause */
/* topology, bad input: a file that hwloc refuses and an environment that misleads give one clear error. */
#include "tests/unit/topology_fixture.h"

#include <unistd.h>

static void bad_files(void **state)
{
    static const char *const texts[] = {
        NULL, /* no such file */
        "",
        "this is no XML",
        "{\"schema\": \"ert-ceilings/4\"}",
        "<topology version=\"2.0\"></topology>",
        "<topology version=\"2.0\"><object/>",
    };
    for (size_t i = 0; i < ERT_LENGTH(texts); i++) {
        char file[] = "/tmp/ert-topology-XXXXXX";
        int descriptor = mkstemp(file);
        assert_true(descriptor >= 0);
        if (texts[i])
            assert_int_equal(write(descriptor, texts[i], strlen(texts[i])),
                             strlen(texts[i]));
        else
            unlink(file);
        close(descriptor);
        enum ert_status status = discover(file);
        if (texts[i])
            unlink(file);
        assert_int_equal(status, ERT_USAGE);
        assert_contains(error.text, file);
        assert_contains(error.text, "hwloc cannot read it");
        assert_int_equal(machine.n_devices, 0);
    }
}

static void folder_is_refused(void **state)
{
    assert_int_equal(discover("/tmp"), ERT_USAGE);
    assert_contains(error.text, "/tmp: hwloc cannot read it");
}

/* hwloc itself would pass over it and look at this machine. */
static void bad_environment_is_an_error(void **state)
{
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
        cmocka_unit_test(folder_is_refused),
        cmocka_unit_test(bad_environment_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
