/* SPDX-License-Identifier: BSD-3-Clause */
/* json: typed getters with their errors, and numbers that come back bit for bit. */
#include "tests/unit/json_fixture.h"

#include <float.h>

static void missing_files_and_folders(void **state)
{
    cJSON *root = NULL, *empty = cJSON_CreateArray();
    struct ert_error error = {0};
    assert_int_equal(ert_json_read("/tmp/ert/none.json", &root, &error), ERT_USAGE);
    assert_contains(error.text, "/tmp/ert/none.json: cannot read: No such file");
    assert_int_equal(ert_json_read("/tmp", &root, &error), ERT_USAGE);
    assert_int_equal(ert_json_write("/dev/full", empty, &error), ERT_FAILED);
    cJSON_Delete(empty);
    assert_contains(error.text, "No space left");
    assert_null(root);
}

static void numbers_come_back_bit_for_bit(void **state)
{
    static const double values[] = {
        0.0,
        -0.0,
        1,
        -1,
        0.1,
        0.1 + 0.2,
        1.0 / 3,
        2.0 / 3,
        1e22,
        1e23,
        9007199254740993.0,
        4611686018427387904.0,
        DBL_MAX,
        -DBL_MAX,
        DBL_MIN,
        5e-324,
        2.5e-310,
        1 + DBL_EPSILON,
        1 - DBL_EPSILON / 2,
        33.45e12,
        1.2345678901234567e-5,
        0x1.fffffffffffffp-3,
    };
    enum { N = sizeof values / sizeof values[0] };
    cJSON *root = cJSON_CreateDoubleArray(values, N), *back = NULL;
    struct ert_error error = {0};
    assert_int_equal(ert_json_write(file, root, &error), ERT_OK);
    assert_int_equal(ert_json_read(file, &back, &error), ERT_OK);
    struct ert_json array = ert_json_root(back, file);
    assert_int_equal(ert_json_length(array), N);
    for (size_t i = 0; i < N; i++) {
        double value = 42;
        assert_int_equal(ert_json_as_double(ert_json_element(&array, i), -DBL_MAX, DBL_MAX,
                                            &value, &error),
                         ERT_OK);
        assert_memory_equal(&value, &values[i], sizeof value);
    }
    cJSON_Delete(back);
    cJSON_Delete(root);
}

static void the_text_is_as_short_as_it_can_be(void **state)
{
    cJSON *root = cJSON_CreateObject();
    const double row[] = {0.1,  5e-324,  0.30000000000000004, 4294967296.0,      -0.0,
                          9.95, 1.0 / 3, 999999999999999.0,   8563722936774270.0};
    cJSON_AddItemToObject(root, "row", cJSON_CreateDoubleArray(row, ERT_LENGTH(row)));
    cJSON_AddNumberToObject(root, "nan", NAN);
    cJSON_AddNumberToObject(root, "inf", -INFINITY);
    cJSON_AddStringToObject(root, "te\"xt", "a\\b\n\t\x01 \xc3\xa9 \xff|");
    cJSON_AddItemToObject(root, "none", cJSON_CreateArray());
    cJSON *list = cJSON_AddArrayToObject(root, "list");
    cJSON_AddItemToArray(list, cJSON_CreateObject());
    cJSON_AddItemToArray(list, cJSON_CreateTrue());
    struct ert_error error = {0};
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(ert_json_write(file, root, &error), ERT_OK);
    assert_int_equal(ert_file_read(file, 10000, &text, &size, &error), ERT_OK);
    assert_string_equal(text,
                        "{\n"
                        "  \"row\": [0.1,5e-324,0.30000000000000004,4294967296,-0,"
                        "9.95,0.3333333333333333,999999999999999,8.56372293677427e+15],\n"
                        "  \"nan\": null,\n"
                        "  \"inf\": null,\n"
                        "  \"te\\\"xt\": \"a\\\\b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
                        "\xc3\xa9 \xef\xbf\xbd|\",\n"
                        "  \"none\": [],\n"
                        "  \"list\": [\n"
                        "    {},\n"
                        "    true\n"
                        "  ]\n"
                        "}\n");
    free(text);
    cJSON_Delete(root);
}

static void what_is_not_json_is_not_written(void **state)
{
    struct ert_error error = {0};
    cJSON *old = read_good("[1]");
    cJSON *raw = cJSON_CreateRaw("}}}");
    assert_int_equal(ert_json_write(file, raw, &error), ERT_FAILED);
    assert_int_equal(ert_json_write(file, NULL, &error), ERT_FAILED);
    cJSON *back = NULL;
    assert_int_equal(ert_json_read(file, &back, &error), ERT_OK);
    assert_true(cJSON_Compare(old, back, true)); /* the old file is whole */
    cJSON_Delete(back);
    cJSON_Delete(raw);
    cJSON_Delete(old);
}

static const char sample[] =
    "{\"sweep\": {\"min_time_s\": 0, \"points\": [1, {\"x\": -2.5}, \"t\"],"
    "\"on\": true, \"name\": \"h200\", \"n\": 7, \"big\": 9007199254740993,"
    "\"half\": 0.5, \"nothing\": null, \"huge\": 1e300}}";

static void good_values_are_got(void **state)
{
    cJSON *root = read_good(sample);
    struct ert_json at, points, element;
    struct ert_error error = {0};
    const char *text = NULL;
    double value = 0;
    uint64_t count = 0;
    bool on = false;
    assert_int_equal(ert_json_object(ert_json_root(root, "c.json"), "sweep", &at, &error),
                     ERT_OK);
    assert_int_equal(ert_json_array(at, "points", &points, &error), ERT_OK);
    assert_int_equal(ert_json_length(points), 3);
    element = ert_json_element(&points, 1);
    assert_string_equal(element.path, "sweep.points[1]");
    assert_int_equal(ert_json_double(element, "x", -3, 0, &value, &error), ERT_OK);
    assert_true(value == -2.5);
    assert_int_equal(ert_json_as_string(ert_json_element(&points, 2), &text, &error),
                     ERT_OK);
    assert_string_equal(text, "t");
    assert_int_equal(ert_json_string(at, "name", &text, &error), ERT_OK);
    assert_string_equal(text, "h200");
    assert_int_equal(ert_json_u64(at, "n", 7, 7, &count, &error), ERT_OK);
    assert_int_equal(count, 7);
    assert_int_equal(ert_json_bool(at, "on", &on, &error), ERT_OK);
    assert_true(on);
    assert_true(ert_json_has(at, "n"));
    assert_false(ert_json_has(at, "N"));
    assert_false(ert_json_has(at, "nothing"));
    assert_false(ert_json_has(points, "n"));
    assert_int_equal(ert_json_length(at), 0); /* an object is not an array */
    assert_null(ert_json_element(&points, 3).node);
    cJSON_Delete(root);
}

static void bad_values_name_file_path_and_limit(void **state)
{
    cJSON *root = read_good(sample);
    struct ert_json top = ert_json_root(root, "c.json"), at, other;
    struct ert_error e = {0};
    const char *text = NULL;
    double value = 42;
    uint64_t count = 42;
    bool on = true;
    assert_int_equal(ert_json_object(top, "sweep", &at, &e), ERT_OK);

    assert_int_equal(ert_json_double(at, "min_time_s", 1e-6, 10, &value, &e), ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep.min_time_s: 0, must be at least 1e-06");
    assert_int_equal(ert_json_double(at, "n", 0, 6.5, &value, &e), ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep.n: 7, must be at most 6.5");
    assert_int_equal(ert_json_double(at, "name", 0, 1, &value, &e), ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep.name: a string, must be a number");
    assert_int_equal(ert_json_double(at, "nothing", 0, 1, &value, &e), ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep.nothing: null, must be a number");
    assert_int_equal(ert_json_double(at, "gone", 0, 1, &value, &e), ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep.gone: missing");
    assert_int_equal(ert_json_u64(at, "half", 0, 9, &count, &e), ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep.half: 0.5, must be a whole number");
    assert_int_equal(ert_json_u64(at, "n", 8, 9, &count, &e), ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep.n: 7, must be at least 8");
    assert_int_equal(ert_json_u64(at, "n", 0, 6, &count, &e), ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep.n: 7, must be at most 6");
    assert_int_equal(ert_json_u64(at, "huge", 0, UINT64_MAX, &count, &e), ERT_USAGE);
    assert_contains(e.text, "must be at most 9007199254740992");
    assert_int_equal(ert_json_bool(at, "n", &on, &e), ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep.n: a number, must be true or false");
    assert_int_equal(ert_json_string(at, "on", &text, &e), ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep.on: true, must be a string");
    assert_int_equal(ert_json_array(top, "sweep", &other, &e), ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep: an object, must be an array");
    assert_int_equal(ert_json_object(at, "points", &other, &e), ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep.points: an array, must be an object");
    assert_int_equal(ert_json_array(at, "points", &other, &e), ERT_OK);
    assert_int_equal(ert_json_u64(ert_json_element(&other, 0), "x", 0, 1, &count, &e),
                     ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep.points[0]: a number, must be an object");
    assert_int_equal(ert_json_as_string(ert_json_element(&other, 9), &text, &e), ERT_USAGE);
    assert_string_equal(e.text, "c.json: sweep.points[9]: nothing, must be a string");
    assert_true(value == 42 && count == 42 && on && !text); /* written only on success */
    cJSON_Delete(root);
}

/* Numbers that no text can give but a tree built in memory can. */
static void not_a_number_is_refused(void **state)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        cJSON *root = cJSON_CreateObject();
        cJSON_AddNumberToObject(root, "x", values[i]);
        struct ert_json at = ert_json_root(root, "c.json");
        struct ert_error error = {0};
        double value = 42;
        uint64_t count = 42;
        assert_int_equal(ert_json_double(at, "x", -INFINITY, INFINITY, &value, &error),
                         ERT_USAGE);
        assert_string_equal(error.text, "c.json: x: must be a finite number");
        assert_int_equal(ert_json_u64(at, "x", 0, UINT64_MAX, &count, &error), ERT_USAGE);
        cJSON_Delete(root);
    }
}

static void strings_are_copied_or_refused(void **state)
{
    cJSON *root = read_good("{\"name\": \"h200\", \"n\": 1}");
    struct ert_json at = ert_json_root(root, "c.json");
    struct ert_error error = {0};
    char text[5] = "xxxx", small[4] = "abc";
    assert_int_equal(ert_json_copy_string(at, "name", text, sizeof text, &error), ERT_OK);
    assert_string_equal(text, "h200");
    assert_int_equal(ert_json_copy_string(at, "name", small, sizeof small, &error),
                     ERT_USAGE);
    assert_string_equal(error.text, "c.json: name: 4 bytes, must be at most 3");
    assert_string_equal(small, "abc");
    assert_int_equal(ert_json_copy_string(at, "n", text, sizeof text, &error), ERT_USAGE);
    assert_int_equal(ert_json_copy_string(at, "gone", text, sizeof text, &error), ERT_OK);
    assert_string_equal(text, "");
    cJSON_Delete(root);
}

static void unknown_keys_are_named_with_the_known(void **state)
{
    static const char *const keys[] = {"min_time_s", "rounds", NULL}, *const none[] = {
                                                                          NULL};
    cJSON *root = read_good("{\"rounds\": 1, \"round\": 2}");
    cJSON *good = cJSON_Parse("{\"rounds\": 1}"), *list = cJSON_Parse("[1]");
    struct ert_error error = {0};
    assert_int_equal(ert_json_only_keys(ert_json_root(root, "c.json"), keys, &error),
                     ERT_USAGE);
    assert_string_equal(error.text,
                        "c.json: unknown key 'round'; known keys: min_time_s, rounds");
    assert_int_equal(ert_json_only_keys(ert_json_root(good, "c.json"), keys, &error),
                     ERT_OK);
    assert_int_equal(ert_json_only_keys(ert_json_root(good, "c.json"), none, &error),
                     ERT_USAGE);
    assert_int_equal(ert_json_only_keys(ert_json_root(list, "c.json"), keys, &error),
                     ERT_USAGE);
    cJSON_Delete(list);
    cJSON_Delete(good);
    cJSON_Delete(root);
}

/* Paths and names far longer than struct ert_json and struct ert_error hold. */
static void long_paths_are_cut_not_overrun(void **state)
{
    char key[600], name[600];
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    memset(name, 'f', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    cJSON *root = cJSON_CreateObject(), *inner = cJSON_AddObjectToObject(root, key);
    cJSON_AddItemToObject(inner, key, cJSON_CreateString("x"));
    struct ert_json at;
    struct ert_error error = {0};
    double value = 0;
    assert_int_equal(ert_json_object(ert_json_root(root, name), key, &at, &error), ERT_OK);
    assert_int_equal(ert_json_double(at, key, 0, 1, &value, &error), ERT_USAGE);
    assert_contains(error.text, "a string, must be a number");
    assert_int_equal(strlen(ert_json_element(&at, 5).path), sizeof at.path - 1);
    cJSON_Delete(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(missing_files_and_folders),
        JSON_TEST(numbers_come_back_bit_for_bit),
        JSON_TEST(the_text_is_as_short_as_it_can_be),
        JSON_TEST(what_is_not_json_is_not_written),
        JSON_TEST(good_values_are_got),
        JSON_TEST(bad_values_name_file_path_and_limit),
        JSON_TEST(not_a_number_is_refused),
        JSON_TEST(strings_are_copied_or_refused),
        JSON_TEST(unknown_keys_are_named_with_the_known),
        JSON_TEST(long_paths_are_cut_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
