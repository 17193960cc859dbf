/* SPDX-License-Identifier: BSD-3-Clause */
/* import: which format a file is of, and files that are of none. */
#include "tests/unit/import_fixture.h"
#include "tests/unit/json_fixture.h"

static enum ert_status import_bytes(const char *text, size_t size, struct ert_error *error)
{
    struct rfl_points points = {0};
    put_file(file, text, size);
    enum ert_status status = rfl_import_file(file, NULL, &plain_options, &points, error);
    rfl_points_free(&points);
    return status;
}

static void formats_by_name(void **state)
{
    size_t n;
    struct ert_error error = {0};
    const struct rfl_importer *const *all = rfl_importers(&n), *found = NULL;
    assert_true(n >= 3);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(rfl_importer_find(all[i]->name, &found, &error), ERT_OK);
        assert_ptr_equal(found, all[i]);
        assert_true(*all[i]->summary && *all[i]->how);
        assert_false(all[i]->recognizes(""));
    }
    assert_int_equal(rfl_importer_find("excel", &found, &error), ERT_USAGE);
    assert_contains(error.text, "no format 'excel'; there are: ncu");
}

static void files_of_no_format(void **state)
{
    static const char binary[] = "\177ELF\0\1\2\"ID\",\"Kernel Name\",\n\0\377";
    struct ert_error error = {0};
    assert_int_equal(import_bytes("", 0, &error), ERT_USAGE);
    assert_contains(error.text, ": is empty");
    assert_int_equal(import_bytes("hello\n", 6, &error), ERT_USAGE);
    assert_int_equal(import_bytes(binary, sizeof binary, &error), ERT_USAGE);
    assert_contains(error.text, "unrecognised format");
    struct rfl_points points = {0};
    assert_int_equal(rfl_import_file("/tmp", NULL, &plain_options, &points, &error),
                     ERT_USAGE);
    assert_contains(error.text, "folder");
    assert_int_equal(rfl_import_file("/nowhere", NULL, &plain_options, &points, &error),
                     ERT_USAGE);
    assert_contains(error.text, "/nowhere");
}

static void a_file_of_two_formats(void **state)
{
    static const char text[] = "==PROF== Connected\n# Mix output version\n";
    struct ert_error error = {0};
    assert_int_equal(import_bytes(text, strlen(text), &error), ERT_USAGE);
    assert_contains(error.text, "matches several formats (ncu, sde)");
}

static void points_json_is_recognized(void **state)
{
    static const char text[] =
        " {\"schema\": \"ert-points/1\", \"points\": [{\"name\": \"k\"}]}";
    struct ert_error error = {0};
    assert_int_equal(import_bytes(text, strlen(text), &error), ERT_OK);
}

/* A table without launches, and a choice that leaves none. */
static void no_kernel_is_an_error(void **state)
{
    static const char text[] = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\","
                               "\"Metric Value\"\n\"0\",\"k\",\"x\",\"\",\"1\"\n";
    const struct rfl_import_options only = {.region = "other"};
    struct rfl_points points = {0};
    struct ert_error error = {0};
    assert_int_equal(import_bytes(text, strchr(text, '\n') + 1 - text, &error), ERT_USAGE);
    assert_contains(error.text, "contains no kernel or region");
    put_file(file, text, strlen(text));
    assert_int_equal(rfl_import_file(file, NULL, &only, &points, &error), ERT_USAGE);
    assert_contains(error.text, "'other'");
    rfl_points_free(&points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_by_name), JSON_TEST(files_of_no_format),
        JSON_TEST(a_file_of_two_formats),  JSON_TEST(points_json_is_recognized),
        JSON_TEST(no_kernel_is_an_error),
    };
    return cmocka_run_group_tests_name("import", tests, NULL, NULL);
}
