/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fields: structs to JSON and back by their rows: what each kind and each meaning of 0 writes, reads and
 * refuses. The expected JSON is written here by hand.
 */
#include "tests/unit/test.h"

#include "ert/core/base/fields.h"

#include <stdlib.h>

static const char *const words[] = {"low", "middle", "high", NULL};

struct thing {
    char text[8], time[24];
    double number, maybe, size, limited;
    uint64_t whole;
    uint32_t count, left_out, inner;
    bool flag, on;
    unsigned word;
};

#define ROW(group, key, kind, member, zero)                                                \
    ERT_ROW(struct thing, group, key, kind, member, zero)
static const struct ert_field rows[] = {
    ERT_ROW_TEXT(struct thing, NULL, "text", text, true),
    ERT_ROW_TIME(struct thing, "time", time, OPTIONAL),
    ERT_ROW(struct thing, NULL, "number", NUMBER, number, NULL),
    ROW(NULL, "maybe", MAYBE, maybe, OPTIONAL),
    ROW(NULL, "size", SIZE, size, VALUE),
    ERT_ROW_WITHIN(struct thing, "limited", NUMBER, limited, OPTIONAL, 1, 10),
    ROW(NULL, "whole", U64, whole, OPTIONAL),
    ROW(NULL, "count", COUNT, count, OPTIONAL),
    ROW(NULL, "left_out", COUNT, left_out, LEFT_OUT),
    ROW("group", "inner", COUNT, inner, OPTIONAL),
    ERT_ROW_FLAG(struct thing, NULL, "flag", flag),
    ROW(NULL, "on", SWITCH, on, OPTIONAL),
    ERT_ROW_WORD(struct thing, "word", words, word),
};

static const struct ert_field columns[] = {
    ERT_ROW_WITHIN(struct thing, "limited", NUMBER, limited, VALUE, 1, 10),
    ROW(NULL, "whole", U64, whole, VALUE),
    ROW(NULL, "number", NUMBER, number, OPTIONAL),
};
#undef ROW

static void assert_json(const cJSON *object, const char *expected)
{
    char *text = cJSON_PrintUnformatted(object);
    assert_string_equal(text, expected);
    free(text);
}

static void every_kind_is_written(void **state)
{
    const struct thing full = {
        "a\"b", "2026-11-21T03:10:00Z", 1.5, 2, 3, 7, 8, 9, 10, 11, true, true, 2};
    const struct thing empty = {.maybe = -1};
    cJSON *object = cJSON_CreateObject();
    ert_fields_write(object, ERT_ROWS(rows), &full);
    assert_json(object, "{\"text\":\"a\\\"b\",\"time\":\"2026-11-21T03:10:00Z\",\"number\":"
                        "1.5,\"maybe\":2,\"size\":3,"
                        "\"limited\":7,\"whole\":8,"
                        "\"count\":9,\"left_out\":10,\"group\":{\"inner\":11},"
                        "\"flag\":true,\"on\":1,\"word\":\"high\"}");
    cJSON_Delete(object);
    object = cJSON_CreateObject();
    ert_fields_write(object, ERT_ROWS(rows), &empty);
    assert_json(object,
                "{\"text\":\"\",\"time\":\"\",\"number\":null,\"maybe\":null,\"size\":0,"
                "\"limited\":0,\"whole\":0,"
                "\"count\":0,\"group\":{\"inner\":0},\"flag\":false,\"on\":0,"
                "\"word\":\"low\"}");
    cJSON_Delete(object);
}

static enum ert_status read_text(const char *text, struct thing *thing,
                                 struct ert_error *error)
{
    char json[512];
    snprintf(json, sizeof json, "%s", text);
    for (char *at = json; (at = strchr(at, '\''));)
        *at = '"';
    cJSON *root = cJSON_Parse(json);
    assert_non_null(root);
    enum ert_status status =
        ert_fields_read(ert_json_root(root, "f"), ERT_ROWS(rows), thing, error);
    cJSON_Delete(root);
    return status;
}

#define NEEDED "'text': 'x', 'size': 1, 'word': 'middle'"

/* What the file lacks stays as it was. */
static void every_kind_is_read(void **state)
{
    struct ert_error error = {0};
    struct thing thing = {.number = 1, .limited = 2, .left_out = 3, .maybe = 4};
    assert_int_equal(read_text("{" NEEDED ", 'whole': 9007199254740992, 'count': "
                               "4294967295, 'group': {'inner': 5}, 'flag': true, 'on': 1, "
                               "'time': '2024-02-29T23:59:59Z', "
                               "'number': null, 'else': []}",
                               &thing, &error),
                     ERT_OK);
    assert_string_equal(thing.text, "x");
    assert_string_equal(thing.time, "2024-02-29T23:59:59Z");
    assert_true(thing.size == 1);
    assert_true(thing.whole == UINT64_C(1) << 53 && thing.count == UINT32_MAX);
    assert_true(thing.inner == 5 && thing.flag && thing.on && thing.word == 1);
    assert_true(thing.number == 1 && thing.limited == 2 && thing.left_out == 3 &&
                thing.maybe == 4);
}

static void bad_values_are_named(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"'text': 7",                      "text: a number, must be a string"              },
        {"'text': 'longer than it'",       "text"                                          },
        {"'time': '2026-02-30T00:00:00Z'",
         "time: '2026-02-30T00:00:00Z', must be a time like 20"                            },
        {"'time': '2026-1-1T0:0:0Z'",      "must be a time"                                },
        {"'time': 'yesterday'",            "must be a time"                                },
        {"'size': -1",                     "size: -1, must be at least 0"                  },
        {"'limited': 0.5",                 "limited: 0.5, must be at least 1"              },
        {"'limited': 11",                  "limited: 11, must be at most 10"               },
        {"'number': -1",                   "number: -1, must be at least 0"                },
        {"'count': 4294967296",            "count: 4294967296, must be at most 4294967295" },
        {"'count': 1.5",                   "count: 1.5"                                    },
        {"'on': 2",                        "on: 2, must be at most 1"                      },
        {"'flag': 1",                      "flag: a number"                                },
        {"'group': {'inner': 'x'}",        "group.inner: a string"                         },
        {"'word': 'none'",                 "word: 'none', must be one of low, middle, high"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ert_error error = {0};
        struct thing thing = {.number = 1};
        char text[512]; /* of two keys cJSON gives the first */
        snprintf(text, sizeof text, "{%s, " NEEDED "}", cases[i].text);
        if (read_text(text, &thing, &error) != ERT_USAGE)
            fail_msg("accepted: %s", text);
        assert_contains(error.text, cases[i].words);
    }
    struct ert_error error = {0};
    struct thing thing = {.number = 1};
    assert_int_equal(read_text("{'text': 'x'}", &thing, &error), ERT_USAGE);
    assert_contains(error.text, "size: missing");
    assert_int_equal(read_text("{'size': 1}", &thing, &error), ERT_USAGE);
    assert_contains(error.text, "text: missing");
}

/* An array per row: all of one length, in order, within their limits. */
static void columns_come_back(void **state)
{
    struct ert_error error = {0};
    const struct thing written[] = {
        {.limited = 1,  .whole = 2},
        {.limited = 10, .whole = 4}
    };
    struct thing back[2] = {{.number = 7}, {.number = 8}};
    cJSON *object = cJSON_CreateObject();
    ert_fields_write_columns(object, ERT_ROWS(columns), written, sizeof written[0], 2);
    assert_json(object, "{\"limited\":[1,10],\"whole\":[2,4],\"number\":[0,0]}");
    cJSON_DeleteItemFromObject(object, "number");
    struct ert_json at = ert_json_root(object, "f");
    assert_int_equal(
        ert_fields_read_columns(at, ERT_ROWS(columns), back, sizeof back[0], 2, &error),
        ERT_OK);
    assert_true(back[0].limited == 1 && back[1].limited == 10 && back[0].whole == 2 &&
                back[1].whole == 4 && back[0].number == 7 && back[1].number == 8);
    assert_int_equal(
        ert_fields_read_columns(at, ERT_ROWS(columns), back, sizeof back[0], 1, &error),
        ERT_USAGE);
    assert_contains(error.text, "limited: 2 values, limited has 1");
    cJSON_SetNumberValue(cJSON_GetArrayItem(cJSON_GetObjectItem(object, "limited"), 1), 11);
    assert_int_equal(
        ert_fields_read_columns(at, ERT_ROWS(columns), back, sizeof back[0], 2, &error),
        ERT_USAGE);
    assert_contains(error.text, "limited[1]: must be a number from 1 to 10");
    cJSON_SetNumberValue(cJSON_GetArrayItem(cJSON_GetObjectItem(object, "limited"), 1), 2);
    cJSON_DeleteItemFromObject(object, "whole");
    assert_int_equal(
        ert_fields_read_columns(at, ERT_ROWS(columns), back, sizeof back[0], 2, &error),
        ERT_USAGE);
    assert_contains(error.text, "whole: missing");
    cJSON_Delete(object);
}

static void lists_come_back(void **state)
{
    struct ert_error error = {0};
    static const struct ert_field inner[] = {
        ERT_ROW_EXACT(struct thing, "count", COUNT, count),
    };
    const struct thing written[] = {{.count = 1}, {.count = 2}};
    struct thing back[2] = {{.count = 0}};
    uint32_t n = 0;
    cJSON *object = cJSON_CreateObject();
    ert_fields_write_list(object, "list", ERT_ROWS(inner), written, sizeof written[0], 2);
    assert_json(object, "{\"list\":[{\"count\":1},{\"count\":2}]}");
    struct ert_json at = ert_json_root(object, "f");
    assert_int_equal(ert_fields_read_list(at, "list", ERT_ROWS(inner), back, sizeof back[0],
                                          2, &n, &error),
                     ERT_OK);
    assert_true(n == 2 && back[0].count == 1 && back[1].count == 2);
    assert_int_equal(ert_fields_read_list(at, "list", ERT_ROWS(inner), back, sizeof back[0],
                                          1, &n, &error),
                     ERT_USAGE);
    assert_contains(error.text, "f: list: 2 elements, at most 1");
    cJSON_Delete(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_written), cmocka_unit_test(every_kind_is_read),
        cmocka_unit_test(bad_values_are_named),  cmocka_unit_test(columns_come_back),
        cmocka_unit_test(lists_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
