/* SPDX-License-Identifier: BSD-3-Clause */
/* json_fixture: a file of its own for each test of the json module. */
#ifndef ERT_TESTS_UNIT_JSON_FIXTURE_H
#define ERT_TESTS_UNIT_JSON_FIXTURE_H

#include "tests/unit/test.h"

#include "ert/core/base/file.h"
#include "ert/core/base/json.h"

#include <unistd.h>

static char file[64];

static inline int set_up(void **state)
{
    snprintf(file, sizeof file, "/tmp/ert-test-json-XXXXXX");
    int descriptor = mkstemp(file);
    return descriptor < 0 ? -1 : close(descriptor);
}

static inline int tear_down(void **state)
{
    return unlink(file);
}

static inline enum ert_status read_bytes(const char *text, size_t size, cJSON **root,
                                         struct ert_error *error)
{
    assert_int_equal(ert_file_write(file, text, size, error), ERT_OK);
    return ert_json_read(file, root, error);
}

static inline cJSON *read_good(const char *text)
{
    cJSON *root = NULL;
    struct ert_error error = {0};
    if (read_bytes(text, strlen(text), &root, &error) != ERT_OK)
        fail_msg("%s: %s", text, error.text);
    return root;
}

#define JSON_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
