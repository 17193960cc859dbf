/* SPDX-License-Identifier: BSD-3-Clause */
/* json: what is read as JSON, and what is refused with its place. */
#include "tests/unit/json_fixture.h"

static void good_texts_are_read(void **state)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        " \t\r\n 1 \n",
        "-0",
        "1e308",
        "-1.5E-7",
        "5e-324",
        "1e-400",
        "true",
        "false",
        "null",
        "\"\"",
        "\"\\u00e9 \\\" \\\\ \\/ \\u00a0 \\ud83d\\ude00\"",
        "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf\xc2\xa0\"",
        "[1, [2, {\"a\": [], \"b\": {}}], null]",
        "{\"a\": 1, \"A\": 2, \"\": 3}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        cJSON_Delete(read_good(texts[i]));
}

/* Some of what cJSON refuses, at its place; all of what it takes and we do not, with its key. */
static void bad_texts_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *text, *place;
    } rows[] = {
        {"",                                      ":1:1: "           },
        {"{\"a\": 1,\n  \"b\": }",                ":2:8: "           },
        {"{\"a\": 1} x",                          ":1:10: "          },
        {"{\"a\": 1",                             ":1:7: "           },
        {"{\"k\": 1e400}",                        ": 'k': a number"  },
        {"{\"k\": [-1e309]}",                     ": 'k': a number"  },
        {"1.2.3",                                 ":1:4: "           },
        {"{\"k\": \"a\\n\"}",                     ": 'k': a control" },
        {"{\"k\": \"\\u001b[2J\"}",               ": 'k': a control" },
        {"{\"k\": \"\\u009b\"}",                  ": 'k': a control" },
        {"{\"k\": \"\x7f\"}",                     ": 'k': a control" },
        {"{\"k\": \"\xc2\x85\"}",                 ": 'k': a control" },
        {"{\"k\": \"\\u2028\"}",                  ": 'k': a control" },
        {"{\"k\": [\"\\u202e\"]}",                ": 'k': a control" },
        {"{\"k\": \"\xe2\x81\xa6\"}",             ": 'k': a control" },
        {"{\"k\": \"a\nb\"}",                     ": 'k': a control" },
        {"{\"\\u001b[2J\": 1}",                   ": a control"      },
        {"\"\\ud800\"",                           ":1:2: "           },
        {"{\"k\": \"\xff\"}",                     ": 'k': bytes"     },
        {"{\"k\": \"\xc3\"}",                     ": 'k': bytes"     },
        {"{\"k\": \"\xc0\xaf\"}",                 ": 'k': bytes"     },
        {"{\"k\": \"\xed\xa0\x80\"}",             ": 'k': bytes"     },
        {"{\"k\": \"\xf4\x90\x80\x80\"}",         ": 'k': bytes"     },
        {"{\"a\": 1, \"b\": 2, \"a\": 3}",        "'a' appears twice"},
        {"[{\"x\": {\"k\": 1, \"\\u006b\": 2}}]", "'k' appears twice"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cJSON *root = NULL;
        struct ert_error error = {0};
        enum ert_status status =
            read_bytes(rows[i].text, strlen(rows[i].text), &root, &error);
        if (status != ERT_USAGE)
            fail_msg("'%s' gives status %d", rows[i].text, (int)status);
        assert_null(root);
        assert_contains(error.text, file);
        assert_contains(error.text, rows[i].place);
    }
}

static void a_nul_byte_is_not_an_end(void **state)
{
    static const struct {
        const char *text;
        size_t size;
    } rows[] = {
        {"{}\0",   3},
        {"{}\0{}", 5},
        {"\0",     1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cJSON *root = NULL;
        struct ert_error error = {0};
        assert_int_equal(read_bytes(rows[i].text, rows[i].size, &root, &error), ERT_USAGE);
        assert_null(root);
    }
}

static void depth_is_limited(void **state)
{
    static char text[200001];
    cJSON *root = NULL;
    struct ert_error error = {0};
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    assert_int_equal(read_bytes(text, 128, &root, &error), ERT_OK);
    assert_int_equal(ert_json_write(file, root, &error),
                     ERT_OK); /* what is read can be written */
    cJSON_Delete(root);
    root = NULL;
    memset(text, '[', 200000);
    assert_int_equal(read_bytes(text, 200000, &root, &error), ERT_USAGE);
    assert_contains(error.text, "not JSON from here on");
    assert_null(root);
}

/* 100000 keys, the last one twice: a comparison of each with each would take minutes. */
static void twice_is_found_among_many_keys(void **state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputc('{', out);
    for (int i = 0; i < 100000; i++)
        fprintf(out, "\"key%d\": %d, ", i, i);
    fputs("\"key99999\": 0}", out);
    fclose(out);
    cJSON *root = NULL;
    struct ert_error error = {0};
    assert_int_equal(read_bytes(text, size, &root, &error), ERT_USAGE);
    assert_contains(error.text, "'key99999' appears twice");
    free(text);
}

/* A list of n zeros; the caller frees it. */
static char *zeros(size_t n, size_t *size)
{
    char *text = malloc(2 * n + 2);
    assert_non_null(text);
    text[0] = '[';
    for (size_t i = 0; i < n; i++)
        memcpy(text + 1 + 2 * i, "0,", 2);
    memcpy(text + 2 * n, "]", 2);
    *size = 2 * n + 1;
    return text;
}

/* The elements one by one: from the first each time, a million would take half a trillion steps. */
static void a_long_list_is_walked_once(void **state)
{
    size_t size, n = 1000000;
    char *text = zeros(n, &size);
    cJSON *root = NULL;
    struct ert_error error = {0};
    assert_int_equal(read_bytes(text, size, &root, &error), ERT_OK);
    struct ert_json list = ert_json_root(root, file);
    for (size_t i = 0; i < n; i++)
        assert_non_null(ert_json_element(&list, i).node);
    assert_null(ert_json_element(&list, n).node);
    assert_ptr_equal(ert_json_element(&list, 1).node, root->child->next);
    assert_string_equal(ert_json_element(&list, 7).path, "[7]");
    cJSON_Delete(root);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(good_texts_are_read),
        JSON_TEST(bad_texts_are_refused_with_their_place),
        JSON_TEST(a_nul_byte_is_not_an_end),
        JSON_TEST(depth_is_limited),
        JSON_TEST(a_long_list_is_walked_once),
        JSON_TEST(twice_is_found_among_many_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
