/* SPDX-License-Identifier: BSD-3-Clause */
/* points_json: what is written is read back bit for bit. Bad files: tests/data/cases/points. */
#include "tests/unit/json_fixture.h"

#include "analysis/core/points/reader.h"
#include "analysis/ext/json/json.h"

static struct rfl_points written, back;
static struct ert_error error;

static void write_point(void)
{
    struct rfl_point *point;
    written = back = (struct rfl_points){0};
    point = rfl_points_add(&written, "v0 \"quoted\" \303\251");
    written.origin = rfl_points_text(&written, "Nsight Compute, cc 9.0");
    written.elapsed_s = 1.0 / 7;
    written.busy_s = 1.0 / 11;
    point->run = rfl_points_text(&written, "nw=2");
    point->source = rfl_points_text(&written, "a.csv");
    point->format = rfl_points_text(&written, "ncu");
    point->time_recipe = rfl_points_text(&written, "gpu__time_duration.sum");
    point->time_s = 0.1 + 0.2;
    point->time_low_s = 1.0 / 3;
    point->time_high_s = 2.0 / 3;
    point->launches = 3;
    point->instructions = 9007199254740993.0;
    point->clock_hz = 1.98e9 / 7;
    point->memory_clock_hz = 3.2e9 / 7;
    point->warps_per_sm = 14.18;
    point->threads = 2;
    point->registers = 66;
    point->energy_j = 1e-9;
    point->scale = 16;
    rfl_points_work(point, "fp64", "core", 1e12 / 3, 0.547, "dadd");
    rfl_points_work(point, "fp16", "tensor", 7, NAN, "");
    rfl_points_traffic(point, "L2", 1e9 / 7, "lts");
    rfl_points_streaming(point, "L2", true);
    rfl_points_value(point, "l2_hit_fraction", 0.1 + 0.2);
    rfl_points_value(point, "shift", -3);
    rfl_points_missing(point, "HBM bytes", "row %d", 3);
    rfl_points_warn(point, "careful");
}

static void numbers_round_trip(void **state)
{
    write_point();
    assert_int_equal(rfl_points_write(file, &written, &error), ERT_OK);
    assert_int_equal(rfl_points_read(file, &back, &error), ERT_OK);
    assert_int_equal(back.n, 1);
    assert_string_equal(back.origin, written.origin);
    assert_true(back.elapsed_s == 1.0 / 7);
    assert_true(back.busy_s == 1.0 / 11);
    const struct rfl_point *a = &written.points[0], *b = &back.points[0];
    assert_string_equal(b->name, a->name);
    assert_string_equal(b->run, "nw=2");
    assert_string_equal(b->source, "a.csv");
    assert_string_equal(b->format, "ncu");
    assert_string_equal(b->time_recipe, "gpu__time_duration.sum");
    assert_memory_equal(&b->time_s, &a->time_s,
                        offsetof(struct rfl_point, time_recipe) -
                            offsetof(struct rfl_point, time_s));
    assert_memory_equal(&b->launches, &a->launches,
                        offsetof(struct rfl_point, n_work) -
                            offsetof(struct rfl_point, launches));
    assert_int_equal(b->n_work, 2);
    assert_memory_equal(&b->work[0].flops, &a->work[0].flops, 2 * sizeof(double));
    assert_string_equal(b->work[1].unit, "tensor");
    assert_true(isnan(b->work[1].fma_share));
    assert_memory_equal(&b->traffic[0].bytes, &a->traffic[0].bytes, sizeof(double));
    assert_string_equal(b->traffic[0].recipe, "lts");
    assert_true(b->traffic[0].is_streaming);
    assert_int_equal(b->n_values, 2);
    assert_true(rfl_point_value(b, "l2_hit_fraction") == 0.1 + 0.2);
    assert_true(rfl_point_value(b, "shift") == -3);
    assert_int_equal(b->n_missing, 1);
    assert_string_equal(b->missing[0].reason, "row 3");
    assert_int_equal(b->n_warnings, 1);
    rfl_points_free(&written);
    rfl_points_free(&back);
}

static void a_stream_has_the_same_text(void **state)
{
    char *text = NULL;
    size_t size = 0;
    write_point();
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(rfl_points_print(&written, out, &error), ERT_OK);
    fclose(out);
    assert_true(rfl_points_recognizes(text));
    assert_int_equal(ert_file_write(file, text, size, &error), ERT_OK);
    assert_int_equal(rfl_points_read(file, &back, &error), ERT_OK);
    assert_int_equal(back.n, 1);
    free(text);
    rfl_points_free(&written);
    rfl_points_free(&back);
}

/* Two files one after the other: the first one's origin, both points, the time of both. */
static void files_add_up(void **state)
{
    write_point();
    assert_int_equal(rfl_points_write(file, &written, &error), ERT_OK);
    assert_int_equal(rfl_points_read(file, &back, &error), ERT_OK);
    assert_int_equal(rfl_points_read(file, &back, &error), ERT_OK);
    assert_int_equal(back.n, 2);
    assert_true(back.elapsed_s == 2.0 / 7);
    written.elapsed_s = 0; /* of the third it is not known, and so not of all three */
    assert_int_equal(rfl_points_write(file, &written, &error), ERT_OK);
    assert_int_equal(rfl_points_read(file, &back, &error), ERT_OK);
    assert_true(back.elapsed_s == 0);
    assert_true(back.busy_s == 3.0 / 11);
    rfl_points_free(&written);
    rfl_points_free(&back);
}

#define FILE_OF(points) "{\"schema\": \"ert-points/1\", \"points\": [" points "]}"

static void unknown_keys_are_fine(void **state)
{
    static const char text[] =
        FILE_OF("{\"name\": \"k\", \"colour\": \"red\", \"run\": null}");
    back = (struct rfl_points){0};
    assert_int_equal(ert_file_write(file, text, strlen(text), &error), ERT_OK);
    assert_int_equal(rfl_points_read(file, &back, &error), ERT_OK);
    assert_int_equal(back.points[0].n_missing, 3);
    rfl_points_free(&back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(numbers_round_trip),
        JSON_TEST(a_stream_has_the_same_text),
        JSON_TEST(files_add_up),
        JSON_TEST(unknown_keys_are_fine),
    };
    return cmocka_run_group_tests_name("points_json", tests, NULL, NULL);
}
