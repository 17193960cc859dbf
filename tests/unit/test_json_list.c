/* SPDX-License-Identifier: BSD-3-Clause */
/* json: a file's long list an element at a time gives what the whole tree gives. */
#include "tests/unit/json_fixture.h"

static enum ert_status open_text(const char *text, struct ert_json_list *list,
                                 struct ert_error *error)
{
    put_file(file, text, strlen(text));
    return ert_json_list_open(file, "points", list, error);
}

/* The elements as text, "1;[2];..."; the rest of the file must read as the words. */
static void list_is(const char *text, const char *elements, const char *rest)
{
    struct ert_json_list list;
    struct ert_json element;
    struct ert_error error = {0};
    char seen[512] = "", path[32];
    if (open_text(text, &list, &error) != ERT_OK)
        fail_msg("%s: %s", text, error.text);
    for (size_t i = 0;; i++) {
        assert_int_equal(ert_json_list_next(&list, &element, &error), ERT_OK);
        if (!element.node)
            break;
        char *one = cJSON_PrintUnformatted(element.node);
        strcat(strcat(seen, one), ";");
        cJSON_free(one);
        snprintf(path, sizeof path, "points[%zu]", i);
        assert_string_equal(element.path, path);
    }
    assert_string_equal(seen, elements);
    char *other = cJSON_PrintUnformatted(list.root);
    assert_string_equal(other, rest);
    cJSON_free(other);
    ert_json_list_close(&list);
}

static void elements_of_all_kinds(void **state)
{
    (void)state;
    list_is("{\"points\":[]}", "", "{\"points\":[]}");
    list_is("{\"a\":1,\"points\":[1],\"b\":[2,3]}", "1;",
            "{\"a\":1,\"points\":[],\"b\":[2,3]}");
    list_is(" {\"points\" :\n[ 1 , -2.5e3 ,true,null\t, \"x\" ] } \n",
            "1;-2500;true;null;\"x\";", "{\"points\":[]}");
    list_is("{\"points\":[[1,[2]],{\"a\":[{}]},[],{}]}", "[1,[2]];{\"a\":[{}]};[];{};",
            "{\"points\":[]}");
    list_is("{\"points\":[\"]\",\"\\\"]\",\"\\\\\",{\"}\":\"{\"}]}",
            "\"]\";\"\\\"]\";\"\\\\\";{\"}\":\"{\"};", "{\"points\":[]}");
}

/* Not the list: a deeper key, a value of that text, another kind of value, no object at all. */
static void other_places(void **state)
{
    (void)state;
    list_is("{\"a\":{\"points\":[1]},\"points\":[2]}", "2;",
            "{\"a\":{\"points\":[1]},\"points\":[]}");
    list_is("{\"a\":\"points\",\"points\":[2]}", "2;", "{\"a\":\"points\",\"points\":[]}");
    list_is("{\"a\":[\"points\",[7]]}", "", "{\"a\":[\"points\",[7]]}");
    list_is("{\"points\":{\"x\":1}}", "", "{\"points\":{\"x\":1}}");
    list_is("{\"points\":7}", "", "{\"points\":7}");
    list_is("{}", "", "{}");
    list_is("[1,2]", "", "[1,2]");
    list_is("3", "", "3");
    /* Spelled with an escape it is the same key: the tree has it. */
    list_is("{\"p\\u006fints\":[1,{\"a\":2}]}", "1;{\"a\":2};",
            "{\"points\":[1,{\"a\":2}]}");
}

static void faults(void **state)
{
    (void)state;
    struct ert_json_list list;
    struct ert_json element;
    struct ert_error error = {0};
    /* In the list: told when it is that element's turn, or that of the one before. */
    static const char *const broken[] = {"[1,]", "[1 2]", "[1,,2]", "[1,{\"a\"}]",
                                         "[1, tru]"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char text[64];
        snprintf(text, sizeof text, "{\"a\":0,\n\"points\":%s}", broken[i]);
        assert_int_equal(open_text(text, &list, &error), ERT_OK);
        enum ert_status status = ert_json_list_next(&list, &element, &error);
        if (status == ERT_OK)
            status = ert_json_list_next(&list, &element, &error);
        if (status != ERT_USAGE)
            fail_msg("%s gives status %d", broken[i], (int)status);
        assert_contains(error.text, ":2:");
        ert_json_list_close(&list);
    }
    /* Behind it: at once, with the place in the whole file. */
    assert_int_equal(open_text("{\"points\":[1,2],\n\"b\":tru}", &list, &error), ERT_USAGE);
    assert_contains(error.text, ":2:5: ");
    assert_int_equal(open_text("{\"points\":[1]} x", &list, &error), ERT_USAGE);
    assert_int_equal(open_text("{\"points\":[1", &list, &error), ERT_USAGE);
    assert_int_equal(open_text("{\"points\":[1],\"points\":[2]}", &list, &error),
                     ERT_USAGE);
    assert_contains(error.text, "'points' appears twice");
    assert_int_equal(open_text("{\"points\":[1,{\"a\":1,\"a\":2}]}", &list, &error),
                     ERT_OK);
    assert_int_equal(ert_json_list_next(&list, &element, &error), ERT_OK);
    assert_int_equal(ert_json_list_next(&list, &element, &error), ERT_USAGE);
    assert_contains(error.text, "'a' appears twice");
    ert_json_list_close(&list);
    ert_json_list_close(&list);
    ert_json_list_close(NULL);
    assert_int_equal(ert_json_list_open("/no/such/file", "points", &list, &error),
                     ERT_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(elements_of_all_kinds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_places, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
