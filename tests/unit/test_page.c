/* SPDX-License-Identifier: BSD-3-Clause */
/* page: JSON that cannot end its script, the longest points, what a page refuses, placed points. */
#include "tests/unit/planted.h"
#include "tests/unit/test.h"

#include "analysis/core/chart/page.h"
#include "ert/core/base/file.h"
#include "ert/core/base/json.h"

#include <unistd.h>

/* The page of the planted H200 under a file's name with points; the caller frees it. */
static char *page_of(const char *name, const struct rfl_points *points)
{
    char file[] = "/tmp/test_page.XXXXXX", *page = NULL;
    size_t size;
    struct ert_error error = {ERT_OK, ""};
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    const struct rfl_page_input input = {&h200, 0, name};
    close(mkstemp(file));
    assert_int_equal(rfl_page_write(&input, 1, points, file, &error), ERT_OK);
    assert_int_equal(ert_file_read(file, 1 << 24, &page, &size, &error), ERT_OK);
    unlink(file);
    ert_ceilings_free(&h200);
    return page;
}

/* The page's data, read as any JSON. */
static cJSON *data_of(const char *page)
{
    const char *begin = strstr(page, "id=\"data\">"), *end;
    struct ert_error error = {ERT_OK, ""};
    cJSON *root = NULL;
    assert_non_null(begin);
    begin += strlen("id=\"data\">");
    end = strstr(begin, "</script>");
    assert_non_null(end);
    char *text = strndup(begin, (size_t)(end - begin));
    if (ert_json_parse(text, strlen(text), "data", &root, &error) != ERT_OK)
        fail_msg("%s", error.text);
    free(text);
    return root;
}

static void test_text_cannot_end_its_script(void **state)
{
    static const char name[] = "</script><!--&\"\\  x: [ \xc3\xa9";
    (void)state;
    char *page = page_of(name, NULL);
    cJSON *data = data_of(page);
    const cJSON *machine = cJSON_GetObjectItem(data, "machines")->child;
    assert_string_equal(cJSON_GetObjectItem(machine, "file")->valuestring, name);
    assert_contains(page, "{\"machines\":[{\"id\":\"gpu0\",");
    assert_contains(page,
                    "\"\\u003c/script\\u003e\\u003c!--\\u0026\\\"\\\\  x: [ \xc3\xa9\"");
    cJSON_Delete(data);
    free(page);
}

static void test_html_is_escaped(void **state)
{
    (void)state;
    struct ert_error error = {ERT_OK, ""};
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    const struct rfl_page_input input = {&h200, 0, "h200.json"};
    char file[] = "/tmp/test_page.XXXXXX", *page = NULL;
    size_t size;
    snprintf(h200.machine->devices[0].name, sizeof h200.machine->devices[0].name,
             "<b a='1'>\"&\xc3\xa9");
    close(mkstemp(file));
    assert_int_equal(rfl_page_write(&input, 1, NULL, file, &error), ERT_OK);
    assert_int_equal(ert_file_read(file, 1 << 24, &page, &size, &error), ERT_OK);
    assert_contains(page, "<title>Roofline of &lt;b a='1'&gt;&quot;&amp;\xc3\xa9<");
    unlink(file);
    free(page);
    ert_ceilings_free(&h200);
}

/* Counts bit for bit; the longest of more points than a page has. */
static void test_numbers_and_longest(void **state)
{
    static const double values[] = {0.1, 1. / 3, 1e300, 33169193291475.258, 4096};
    (void)state;
    struct rfl_points points = {0};
    for (size_t i = 0; i < RFL_PAGE_POINTS + 3; i++) {
        struct rfl_point *point = rfl_points_add(&points, i < 5 ? "long" : "short");
        assert_int_equal(rfl_points_traffic(point, "L2", values[i % 5], "counter"), ERT_OK);
        point->time_s = i < 5 ? 3 : 1e-6 / (double)i;
    }
    char *page = page_of("h200.json", &points);
    cJSON *data = data_of(page);
    const cJSON *list = cJSON_GetObjectItem(data, "points"), *point = list->child;
    assert_int_equal(cJSON_GetArraySize(list), RFL_PAGE_POINTS);
    assert_int_equal(cJSON_GetObjectItem(data, "n_all")->valueint, RFL_PAGE_POINTS + 3);
    for (size_t i = 0; i < 5; i++, point = point->next) {
        const cJSON *level = cJSON_GetObjectItem(point, "bytes")->child;
        double bytes = cJSON_GetObjectItem(level, "count")->valuedouble;
        assert_string_equal(cJSON_GetObjectItem(point, "name")->valuestring, "long");
        assert_true(bytes == values[0] || bytes == values[1] || bytes == values[2] ||
                    bytes == values[3] || bytes == values[4]);
    }
    cJSON_Delete(data);
    free(page);
    rfl_points_free(&points);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    struct ert_error error = {ERT_OK, ""};
    struct ert_ceilings none = planted_make(PLANTED_NONE);
    struct rfl_page_input input = {&none, 0, "none.json"};
    assert_int_equal(rfl_page_write(&input, 1, NULL, "no-page.html", &error),
                     ERT_UNAVAILABLE);
    assert_contains(error.text, "nothing to draw");
    input.device = 7;
    assert_int_equal(rfl_page_write(&input, 1, NULL, "no-page.html", &error), ERT_USAGE);
    assert_contains(error.text, "none.json: no device 7");
    assert_int_not_equal(access("no-page.html", F_OK), 0);
    ert_ceilings_free(&none);
}

/* 1e12 FLOP on 1e11 byte of HBM in 0.1 s: 10 FLOP/byte, 10 TFLOP/s; and a CPU's profile. */
static void test_points_are_placed(void **state)
{
    (void)state;
    struct rfl_points points = {0};
    struct rfl_point *point = rfl_points_add(&points, "a<b");
    point->time_s = 0.1;
    assert_int_equal(rfl_points_work(point, "fp64", "core", 1e12, 1, NULL), ERT_OK);
    assert_int_equal(rfl_points_traffic(point, "HBM", 1e11, "counter"), ERT_OK);
    point = rfl_points_add(&points, "cpu");
    point->format = "likwid";
    char *page = page_of("h200.json", &points);
    cJSON *data = data_of(page);
    const cJSON *machine = cJSON_GetObjectItem(data, "machines")->child,
                *kernel = cJSON_GetObjectItem(machine, "kernels")->child,
                *row = cJSON_GetObjectItem(kernel, "rows")->child;
    assert_string_equal(cJSON_GetObjectItem(row, "level")->valuestring, "HBM");
    assert_true(cJSON_GetObjectItem(row, "intensity")->valuedouble == 10);
    assert_true(cJSON_GetObjectItem(row, "reached")->valuedouble == 1e12);
    assert_true(cJSON_GetObjectItem(kernel, "flop_per_s")->valuedouble == 1e13);
    assert_contains(page, "\"bound\":{\"kind\":\"unit\",\"name\":\"FP64 FMA\"");
    assert_true(cJSON_IsNull(kernel->next)); /* the profile of CPUs */
    assert_contains(page, "\"a\\u003cb\"");
    cJSON_Delete(data);
    free(page);
    rfl_points_free(&points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_cannot_end_its_script),
        cmocka_unit_test(test_html_is_escaped),
        cmocka_unit_test(test_numbers_and_longest),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_points_are_placed),
    };
    return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
