/* SPDX-License-Identifier: BSD-3-Clause */
/* json: what is read as JSON, and what is refused with its place. */
#include "tests/unit/json_fixture.h"

static void good_texts_are_read(void **state)
{
    (void)state;
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

static void bad_texts_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"",                                      ":1:1: unexpected end, expected a value"},
        {"  \n ",                                 ":2:2: unexpected end"                  },
        {"{\"a\": 1,\n  \"b\": }",                ":2:8: not a JSON value"                },
        {"{\"a\": 1} x",                          ":1:10: text after the value"           },
        {"1 2",                                   ":1:3: text after the value"            },
        {"{} {}",                                 "text after the value"                  },
        {"{\"a\": 1,}",                           "expected a key in quotes"              },
        {"{a: 1}",                                "expected a key in quotes"              },
        {"{\"a\" 1}",                             "expected ':'"                          },
        {"{\"a\": 1",                             "expected ',' or '}'"                   },
        {"[1 2]",                                 "expected ',' or ']'"                   },
        {"[1,]",                                  "not a JSON value"                      },
        {"[,1]",                                  "not a JSON value"                      },
        {"[1",                                    "expected ',' or ']'"                   },
        {"[",                                     "unexpected end"                        },
        {"]",                                     "not a JSON value"                      },
        {"NaN",                                   "not a JSON value"                      },
        {"Infinity",                              "not a JSON value"                      },
        {"-Infinity",                             "malformed number"                      },
        {"[nan]",                                 "not a JSON value"                      },
        {"1e400",                                 "too large for a double"                },
        {"[-1e309]",                              ":1:2: a number too large for a double" },
        {"01",                                    "malformed number"                      },
        {"-",                                     "malformed number"                      },
        {"+1",                                    "not a JSON value"                      },
        {"1.",                                    "malformed number"                      },
        {".5",                                    "not a JSON value"                      },
        {"1e",                                    "malformed number"                      },
        {"0x10",                                  "malformed number"                      },
        {"1.2.3",                                 "malformed number"                      },
        {"1-2",                                   "malformed number"                      },
        {"truth",                                 "not a JSON value"                      },
        {"trueish",                               "text after the value"                  },
        {"'a'",                                   "not a JSON value"                      },
        {"\"a",                                   ":1:1: unterminated string"             },
        {"\"a\\\"",                               "unterminated string"                   },
        {"\"\\",                                  "unknown escape"                        },
        {"\"\\x41\"",                             "unknown escape"                        },
        {"\"\\u12g4\"",                           "four hexadecimal digits"               },
        {"\"\\u12",                               "four hexadecimal digits"               },
        {"\"\\u0000\"",                           ":1:2: a control character in a string" },
        {"\"a\\n\"",                              ":1:3: a control character in a string" },
        {"\"\\u001b[2J\"",                        "a control character"                   },
        {"\"\\u009b\"",                           "a control character"                   },
        {"\"\x7f\"",                              "a control character"                   },
        {"\"\xc2\x85\"",                          "a control character"                   },
        {"\"\\u2028\"",                           "a control character"                   },
        {"\"\\u202e\"",                           "a control character"                   },
        {"\"\xe2\x81\xa6\"",                      "a control character"                   },
        {"\"\\ud800\"",                           "unpaired surrogate"                    },
        {"\"\\ud800\\u0041\"",                    "unpaired surrogate"                    },
        {"\"\\udc00\\ud800\"",                    "unpaired surrogate"                    },
        {"\"a\nb\"",                              "a control character"                   },
        {"\"\xff\"",                              ":1:2: bytes that are not UTF-8"        },
        {"\"\xc3\"",                              "not UTF-8"                             },
        {"\"\xc0\xaf\"",                          "not UTF-8"                             },
        {"\"\xe0\x80\xaf\"",                      "not UTF-8"                             },
        {"\"\xed\xa0\x80\"",                      "not UTF-8"                             },
        {"\"\xf4\x90\x80\x80\"",                  "not UTF-8"                             },
        {"\"\xe2\x82",                            "not UTF-8"                             },
        {"\xef\xbb\xbf\xef\xbb\xbf{}",            "not a JSON value"                      },
        {"{\"a\": 1, \"b\": 2, \"a\": 3}",        "the key 'a' appears twice"             },
        {"[{\"x\": {\"k\": 1, \"\\u006b\": 2}}]", "the key 'k' appears twice"             },
        {"/* no */ 1",                            "not a JSON value"                      },
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
        assert_contains(error.text, rows[i].words);
    }
}

static void a_nul_byte_is_not_an_end(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
    } rows[] = {
        {"{}\0",     3},
        {"{}\0{}",   5},
        {"\"a\0b\"", 5},
        {"\0",       1},
        {"[1,\0 2]", 7}
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
    (void)state;
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
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    assert_int_equal(read_bytes(text, 130, &root, &error), ERT_USAGE);
    assert_contains(error.text, ":1:65: nested deeper than 64");
    memset(text, '[', 200000);
    assert_int_equal(read_bytes(text, 200000, &root, &error), ERT_USAGE);
    assert_contains(error.text, "nested deeper than 64");
    assert_null(root);
}

/* 100000 keys, the last one twice: a comparison of each with each would take minutes. */
static void twice_is_found_among_many_keys(void **state)
{
    (void)state;
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

/* Ten megabytes of zeros took 405 MB. */
static void values_are_limited_not_text_alone(void **state)
{
    (void)state;
    size_t size;
    char *text = zeros(5000000, &size);
    cJSON *root = NULL;
    struct ert_error error = {0};
    assert_int_equal(read_bytes(text, size, &root, &error), ERT_USAGE);
    assert_contains(error.text, ":1:4194304: more than 2097152 values");
    assert_null(root);
    free(text);
}

/* The elements one by one: from the first each time, a million would take half a trillion steps. */
static void a_long_list_is_walked_once(void **state)
{
    (void)state;
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

static void long_numbers_are_refused_not_cut(void **state)
{
    (void)state;
    char text[80] = "1.";
    cJSON *root = NULL;
    struct ert_error error = {0};
    memset(text + 2, '1', 61);
    assert_int_equal(read_bytes(text, 63, &root, &error), ERT_OK);
    assert_close(root->valuedouble, 10.0 / 9, 1e-15);
    cJSON_Delete(root);
    text[63] = '1';
    assert_int_equal(read_bytes(text, 64, &root, &error), ERT_USAGE);
    assert_contains(error.text, "more than 63 characters");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(good_texts_are_read),
        JSON_TEST(bad_texts_are_refused_with_their_place),
        JSON_TEST(a_nul_byte_is_not_an_end),
        JSON_TEST(depth_is_limited),
        JSON_TEST(values_are_limited_not_text_alone),
        JSON_TEST(a_long_list_is_walked_once),
        JSON_TEST(twice_is_found_among_many_keys),
        JSON_TEST(long_numbers_are_refused_not_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
