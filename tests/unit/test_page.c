/* page: JSON that cannot end its script, each text once, what a page refuses, placed points. */
#include "tests/unit/planted.h"
#include "tests/unit/test.h"

#include "analysis/plot/page.h"
#include "analysis/plot/page_json.h"
#include "ert/base/file.h"

#include <unistd.h>

static char text[4096];

/* Begins JSON into text; done() ends it. */
static struct rfl_page_json begin(void)
{
    struct rfl_page_json json = {.out = fmemopen(text, sizeof text, "w")};
    assert_non_null(json.out);
    return json;
}

static const char *done(struct rfl_page_json *json)
{
    rfl_strings_free(&json->texts);
    fclose(json->out);
    return text;
}

static void test_text_cannot_end_its_script(void **state)
{
    (void)state;
    struct rfl_page_json json = begin();
    rfl_page_text(&json, NULL, "</script>&\"\\ \xe2\x80\xa8 \xe2\x80\xa9 \xc3\xa9 \xff \n");
    assert_string_equal(done(&json),
                        "\"\\u003c/script\\u003e\\u0026\\u0022\\u005c \\u2028 \\u2029 "
                        "\xc3\xa9 \xef\xbf\xbd \xef\xbf\xbd\"");
}

static void test_html_is_escaped(void **state)
{
    (void)state;
    FILE *out = fmemopen(text, sizeof text, "w");
    rfl_page_html(out, "<b a='1'>\"&\xc3\xa9");
    fclose(out);
    assert_string_equal(text, "&#60;b a=&#39;1&#39;&#62;&#34;&#38;\xc3\xa9");
}

static void test_numbers_read_back(void **state)
{
    static const double values[] = {0.1, 1. / 3, 1e300, 33169193291475.258, 5e-324, 4096};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct rfl_page_json json = begin();
        rfl_page_number(&json, NULL, values[i]);
        assert_true(strtod(done(&json), NULL) == values[i]);
    }
}

static void test_unknown_is_left_out(void **state)
{
    (void)state;
    struct rfl_page_json json = begin();
    rfl_page_open(&json, NULL, '{');
    rfl_page_number(&json, "a", NAN);
    rfl_page_known(&json, "b", 0);
    rfl_page_known(&json, "c", INFINITY);
    rfl_page_known(&json, "d", 2);
    rfl_page_words(&json, "e", "");
    rfl_page_words(&json, "f", NULL);
    rfl_page_short(&json, "g", 1. / 3);
    rfl_page_bool(&json, "h", true);
    rfl_page_close(&json, '}');
    assert_string_equal(done(&json), "{\"a\":null,\"d\":2,\"g\":0.333333,\"h\":true}");
}

static void test_texts_stand_once(void **state)
{
    (void)state;
    char first[] = "L2", again[] = "L2";
    struct rfl_page_json json = begin();
    rfl_page_open(&json, NULL, '[');
    rfl_page_index(&json, NULL, first);
    rfl_page_index(&json, NULL, NULL);
    rfl_page_index(&json, NULL, again);
    rfl_page_index(&json, NULL, "");
    rfl_page_list(&json, NULL);
    rfl_page_close(&json, ']');
    assert_string_equal(done(&json), "[0,1,0,1,[\"L2\",\"\"]]");
}

/* More texts than the first table of slots holds. */
static void test_many_texts(void **state)
{
    static char names[5000][8];
    (void)state;
    struct rfl_page_json json = {.out = fopen("/dev/null", "w")};
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < 5000; i++) {
            snprintf(names[i], sizeof names[i], "n%zu", i);
            rfl_page_index(&json, NULL, names[i]);
        }
    assert_int_equal(json.texts.n_texts, 5000);
    assert_string_equal(json.texts.texts[4999], "n4999");
    rfl_strings_free(&json.texts);
    fclose(json.out);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    struct ert_error error = {ERT_OK, ""};
    struct ert_ceilings none = planted_make(PLANTED_NONE);
    struct rfl_page_input input = {&none, 0, "none.json"};
    assert_int_equal(rfl_page_write(&input, 1, NULL, false, "no-page.html", &error),
                     ERT_UNAVAILABLE);
    assert_contains(error.text, "nothing to draw");
    input.device = 7;
    assert_int_equal(rfl_page_write(&input, 1, NULL, false, "no-page.html", &error),
                     ERT_USAGE);
    assert_contains(error.text, "none.json: no device 7");
    assert_int_not_equal(access("no-page.html", F_OK), 0);
    ert_ceilings_free(&none);
}

/* 1e12 FLOP on 1e11 byte of HBM in 0.1 s: 10 FLOP/byte, 10 TFLOP/s; and a CPU's profile. */
static void test_points_are_placed(void **state)
{
    (void)state;
    char file[] = "/tmp/test_page.XXXXXX", *page = NULL;
    size_t size;
    struct ert_error error = {ERT_OK, ""};
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    struct rfl_page_input input = {&h200, 0, "h200.json"};
    struct rfl_points points = {0};
    struct rfl_point *point = rfl_points_add(&points, "a<b");
    point->time_s = 0.1;
    assert_int_equal(rfl_points_work(point, "fp64", "core", 1e12, 1, NULL), ERT_OK);
    assert_int_equal(rfl_points_traffic(point, "HBM", 1e11, "counter"), ERT_OK);
    point = rfl_points_add(&points, "cpu");
    point->format = "likwid";
    close(mkstemp(file));
    assert_int_equal(rfl_page_write(&input, 1, &points, true, file, &error), ERT_OK);
    assert_int_equal(ert_file_read(file, 1 << 24, &page, &size, &error), ERT_OK);
    assert_contains(page, "{\"theory\":true,");
    assert_contains(page, "\"flops\":1000000000000,\"perf\":10000000000000,\"time\":0.1,");
    assert_contains(page, "\"bytes\":100000000000,\"intensity\":10,\"rate\":1e+12,");
    assert_contains(page, "\"placed\":[{\"machine\":0,\"bound\":\"FP64 FMA\",");
    assert_contains(page, "\"placed\":[]"); /* of the profile of CPUs */
    assert_contains(page, "\"a\\u003cb\"");
    unlink(file);
    free(page);
    rfl_points_free(&points);
    ert_ceilings_free(&h200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_cannot_end_its_script),
        cmocka_unit_test(test_html_is_escaped),
        cmocka_unit_test(test_numbers_read_back),
        cmocka_unit_test(test_unknown_is_left_out),
        cmocka_unit_test(test_texts_stand_once),
        cmocka_unit_test(test_many_texts),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_points_are_placed),
    };
    return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
