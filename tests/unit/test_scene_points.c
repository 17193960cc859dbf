/* SPDX-License-Identifier: BSD-3-Clause */
/* scene with profiled points: where they are, which are left out and why, and what goes with them. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/planted.h"
#include "tests/unit/points_fixture.h"

#include "analysis/core/chart/scene.h"

static struct rfl_scene scene;
static struct rfl_points points;

static int clear(void **state)
{
    (void)state;
    rfl_points_free(&points);
    rfl_scene_free(&scene);
    memset(&scene, 0, sizeof scene);
    return 0;
}

static enum ert_status make_options(enum planted which, struct rfl_scene_options options,
                                    struct ert_error *error)
{
    struct ert_ceilings ceilings = planted_make(which);
    const struct rfl_scene_device device = {&ceilings, 0};
    options.points = &points;
    rfl_scene_free(&scene);
    enum ert_status status = rfl_scene_make(&device, &options, &scene, error);
    ert_ceilings_free(&ceilings);
    return status;
}

static void make(enum planted which)
{
    assert_int_equal(make_options(which, (struct rfl_scene_options){.level = NULL}, NULL),
                     ERT_OK);
}

static bool noted(const char *words)
{
    for (size_t i = 0; i < scene.notes.n_texts; i++)
        if (strstr(scene.notes.texts[i], words))
            return true;
    return false;
}

/* 2e12 flops in 0.5 s, from 1e12 bytes of L1 and 4e11 of HBM: 4 TFLOP/s at 2 and 5 FLOP/byte. */
static void a_point_has_a_mark_per_level(void **state)
{
    (void)state;
    struct rfl_point *point = fixture_point(&points, "void f<3>(int)", "", 0.5, 2e12, NAN);
    fixture_bytes(point, "HBM", 4e11);
    fixture_bytes(point, "L1", 1e12);
    make(PLANTED_H200);
    assert_int_equal(scene.n_kernels, 1);
    assert_string_equal(scene.kernels[0].name, "f");
    assert_int_equal(scene.kernels[0].n_marks, 2);
    assert_int_equal(scene.mark_levels.n_texts, 2);
    assert_string_equal(scene.mark_levels.texts[0], "L1"); /* the fastest first */
    assert_string_equal(scene.mark_levels.texts[1], "HBM");
    assert_close(scene.kernels[0].marks[0].intensity_flop_per_byte, 2, 1e-12);
    assert_close(scene.kernels[0].marks[1].intensity_flop_per_byte, 5, 1e-12);
    assert_close(scene.kernels[0].marks[0].perf_flop_per_s, 4e12, 1e-12);
    assert_int_equal(scene.kernels[0].marks[1].level, 1);
}

static void memory_has_many_names(void **state)
{
    (void)state;
    struct rfl_point *point = fixture_point(&points, "f", "", 1, 1e12, NAN);
    fixture_bytes(point, "memory", 1e11);
    make(PLANTED_H200);
    assert_int_equal(scene.kernels[0].n_marks, 1);
    assert_string_equal(scene.mark_levels.texts[0], "HBM");
    assert_int_equal(
        make_options(PLANTED_H200, (struct rfl_scene_options){.level = "MCDRAM"}, NULL),
        ERT_OK);
    assert_int_equal(scene.kernels[0].n_marks, 1);
}

static void what_is_not_drawn_is_counted(void **state)
{
    (void)state;
    fixture_bytes(fixture_point(&points, "drawn", "", 1, 1e12, NAN), "L2", 1e11);
    fixture_bytes(fixture_point(&points, "timeless", "", 0, 1e12, NAN), "L2", 1);
    fixture_bytes(fixture_point(&points, "idle", "", 1, 0, NAN), "L2", 1);
    fixture_point(&points, "dry", "", 1, 1e12, NAN);
    fixture_bytes(fixture_point(&points, "deep", "", 1, 1e12, NAN), "L3", 1);
    fixture_bytes(fixture_point(&points, "far", "", 1, 1e30, NAN), "L2", 1);
    struct rfl_point *partly = fixture_point(&points, "partly", "", 1, 1e12, NAN);
    fixture_bytes(partly, "L2", 1e11);
    fixture_bytes(partly, "L3", 1e11);
    rfl_points_missing(partly, "HBM bytes", "dram__bytes was not counted");
    rfl_points_judge(&points, 0);
    make(PLANTED_H200);
    assert_int_equal(scene.n_kernels, 2);
    assert_true(noted("2 of 7 points: the others have no time, no operations or no bytes"));
}

static void the_longest_are_drawn(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, i < 90 ? "k%d" : "twin", i);
        fixture_bytes(fixture_point(&points, name, "", 100 - i, 1e12, NAN), "L2", 1e11);
    }
    make(PLANTED_H200);
    assert_int_equal(scene.n_kernels, 20);
    assert_string_equal(scene.kernels[0].name, "k0");
    assert_string_equal(scene.kernels[19].name, "k19");
    assert_true(noted("The longest 20 of 100 points (--points)."));
    assert_int_equal(
        make_options(PLANTED_H200, (struct rfl_scene_options){.max_kernels = 3}, NULL),
        ERT_OK);
    assert_int_equal(scene.n_kernels, 3);
    struct ert_error error = {0};
    assert_int_equal(
        make_options(PLANTED_H200, (struct rfl_scene_options){.max_kernels = 101}, &error),
        ERT_USAGE);
    assert_contains(error.text, "101 points in a chart, must be at most 100");
}

static void axes_hold_all_points(void **state)
{
    (void)state;
    static const double intensities[] = {1e-5, 1, 1e6}, times[] = {1e3, 1, 1e-3};
    for (int i = 0; i < 3; i++)
        fixture_bytes(fixture_point(&points, "f", "", times[i], 1e9, NAN), "HBM",
                      1e9 / intensities[i]);
    for (int which = 0; which < PLANTED_NO_FLATS; which++) {
        if (which != PLANTED_H200 && which != PLANTED_BOTH)
            continue; /* no HBM, and not one memory */
        make((enum planted)which);
        assert_int_equal(scene.n_kernels, 3);
        for (size_t i = 0; i < scene.n_kernels; i++) {
            const struct rfl_mark *mark = &scene.kernels[i].marks[0];
            assert_true(mark->intensity_flop_per_byte > scene.x_min);
            assert_true(mark->intensity_flop_per_byte < scene.x_max);
            assert_true(mark->perf_flop_per_s > scene.y_min);
            assert_true(mark->perf_flop_per_s < scene.y_max);
        }
        for (size_t i = 0; i < scene.n_flats; i++)
            assert_true(scene.flats[i].value < scene.y_max);
    }
}

/* Close axes still hold the points, the ridges and the highest roof, with less around them. */
static void close_axes_hold_them_too(void **state)
{
    (void)state;
    struct rfl_point *point = fixture_point(&points, "f", "", 0.5, 2e12, NAN);
    fixture_bytes(point, "HBM", 4e11);
    make(PLANTED_H200);
    const double x = scene.x_max / scene.x_min, y = scene.y_max / scene.y_min;
    const struct rfl_scene_options options = {.close = true, .title = "f on it"};
    assert_int_equal(make_options(PLANTED_H200, options, NULL), ERT_OK);
    assert_true(scene.x_max / scene.x_min < x && scene.y_max / scene.y_min < y);
    assert_true(scene.y_max > scene.flats[0].value && scene.y_min < 4e12);
    for (size_t i = 0; i < scene.n_ridges; i++)
        assert_true(scene.levels[i].ridge_flop_per_byte > scene.x_min &&
                    scene.levels[i].ridge_flop_per_byte < scene.x_max);
    assert_string_equal(scene.title, "f on it");
    assert_contains(scene.subtitle, "H200");
}

static void level_and_type_choose(void **state)
{
    (void)state;
    struct rfl_point *point = fixture_point(&points, "f", "", 1, 1e12, NAN);
    struct ert_error error = {0};
    fixture_bytes(point, "L2", 1e11);
    fixture_bytes(point, "HBM", 1e10);
    assert_int_equal(rfl_points_work(point, "fp32", "core", 3e12, NAN, ""), ERT_OK);
    assert_int_equal(
        make_options(PLANTED_H200, (struct rfl_scene_options){.level = "HBM"}, NULL),
        ERT_OK);
    assert_int_equal(scene.kernels[0].n_marks, 1);
    assert_close(scene.kernels[0].marks[0].intensity_flop_per_byte, 400,
                 1e-12); /* of both types */
    assert_int_equal(scene.n_flats, 4);
    assert_int_equal(
        make_options(PLANTED_H200, (struct rfl_scene_options){.type = "fp32"}, NULL),
        ERT_OK);
    assert_close(scene.kernels[0].marks[1].intensity_flop_per_byte, 400, 1e-12);
    assert_int_equal(scene.n_flats, 2);
    assert_string_equal(scene.flats[0].type, "fp32");
    assert_int_equal(
        make_options(PLANTED_H200, (struct rfl_scene_options){.level = "L9"}, &error),
        ERT_USAGE);
    assert_contains(error.text, "no roof of level 'L9'; there are: L1, shared, L2, HBM");
    assert_int_equal(
        make_options(PLANTED_H200, (struct rfl_scene_options){.type = "fp99"}, &error),
        ERT_USAGE);
    assert_contains(error.text, "no peak of type 'fp99'; there are: fp64, fp32, all");
}

/* (1 + 0.58) / 2 of 33.3 TFLOP/s */
static void the_mix_has_its_roof(void **state)
{
    (void)state;
    struct rfl_point *point = fixture_point(&points, "f", "", 1, 1e12, 0.58);
    fixture_bytes(point, "L2", 1e11);
    make(PLANTED_H200);
    assert_int_equal(scene.n_flats, 3); /* FMA, mix, no FMA of fp64 */
    assert_int_equal(scene.flats[1].kind, RFL_ROOF_MIX);
    assert_string_equal(scene.flats[1].full, "FP64 58 % FMA 26.31 TFLOP/s");
    assert_close(scene.flats[1].value, 0.79 * 33.3e12, 1e-12);
    assert_string_equal(scene.flats[scene.reference].brief, "FP64 FMA");
    /* Many shares: one roof, that of all instructions: 1e12 of 0.58 and four of 0 to 0.3. */
    double instructions = 1e12 / 1.58, fma = 0.58 * instructions;
    for (int i = 0; i < 4; i++) {
        fixture_bytes(fixture_point(&points, "g", "", 1, 1e12, 0.1 * i), "L2", 1e11);
        instructions += 1e12 / (1 + 0.1 * i);
        fma += 0.1 * i * 1e12 / (1 + 0.1 * i);
    }
    make(PLANTED_H200);
    assert_int_equal(scene.n_flats, 3);
    assert_close(scene.flats[1].value, (1 + fma / instructions) / 2 * 33.3e12, 1e-12);
    assert_true(noted("FMA shares (fp64) 0 to 58 %"));
}

/* Nine levels of a machine, each of which a kernel has bytes of: more than there are shapes. */
static void points_are_drawn_at_all_levels(void **state)
{
    (void)state;
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    struct ert_device_ceilings *device = &h200.devices[0];
    const struct rfl_scene_device input = {&h200, 0};
    const struct rfl_scene_options options = {.points = &points};
    keep_ceilings(device, ERT_CEILING_MEMORY, 1);
    for (int i = 0; i < 9; i++) {
        char level[16];
        snprintf(level, sizeof level, "x%d", i);
        fixture_bytes(fixture_point(&points, level, "", 0.5, 2e12, NAN), level, 1e12);
        struct ert_ceiling *load =
            i ? copy_ceiling(device, memory_at(device, 0)) : memory_at(device, 0);
        snprintf(load->key.level, sizeof load->key.level, "%s", level);
        snprintf(load->name, sizeof load->name, "%s-load", level);
        load->value = 1e12 * (10 - i);
    }
    rfl_scene_free(&scene);
    assert_int_equal(rfl_scene_make(&input, &options, &scene, NULL), ERT_OK);
    assert_int_equal(scene.mark_levels.n_texts, 9);
    assert_string_equal(scene.mark_levels.texts[8], "x8");
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(scene.kernels[i].n_marks, 1);
        assert_int_equal(scene.kernels[i].marks[0].level, i);
    }
    ert_ceilings_free(&h200);
}

static void runs_are_joined_by_arrows(void **state)
{
    (void)state;
    const struct rfl_scene_options options = {.trajectory = true};
    static const char *const names[] = {"v0", "v1", "v2"};
    for (int i = 0; i < 3; i++)
        for (int run = 0; run < 2; run++) {
            struct rfl_point *point =
                fixture_point(&points, names[i], run ? "b" : "a", 1 + i, 1e12, NAN);
            fixture_bytes(point, "L2", 1e11);
            point->scale = run ? 3 - i : 0;
        }
    assert_int_equal(make_options(PLANTED_H200, options, NULL), ERT_OK);
    assert_int_equal(scene.n_series, 2);
    size_t n_arrows = 0;
    for (size_t i = 0; i < scene.n_kernels; i++) {
        const struct rfl_kernel *from = &scene.kernels[i];
        bool rising =
            strcmp(scene.series.texts[from->series], "a") == 0; /* b falls by scale */
        for (size_t j = 0; j < scene.n_kernels && from->marks[0].next; j++) {
            const struct rfl_kernel *to = &scene.kernels[j];
            if (from->marks[0].next != &to->marks[0])
                continue;
            n_arrows++;
            assert_int_equal(from->series, to->series);
            assert_int_equal(abs(from->name[1] - to->name[1]), 1);
            assert_int_equal(strcmp(from->name, to->name) < 0, rising);
        }
    }
    assert_int_equal(n_arrows, 4);
    make(PLANTED_H200);
    for (size_t i = 0; i < scene.n_kernels; i++)
        assert_null(scene.kernels[i].marks[0].next);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_point_has_a_mark_per_level, clear),
        cmocka_unit_test_teardown(memory_has_many_names, clear),
        cmocka_unit_test_teardown(what_is_not_drawn_is_counted, clear),
        cmocka_unit_test_teardown(the_longest_are_drawn, clear),
        cmocka_unit_test_teardown(axes_hold_all_points, clear),
        cmocka_unit_test_teardown(close_axes_hold_them_too, clear),
        cmocka_unit_test_teardown(level_and_type_choose, clear),
        cmocka_unit_test_teardown(the_mix_has_its_roof, clear),
        cmocka_unit_test_teardown(points_are_drawn_at_all_levels, clear),
        cmocka_unit_test_teardown(runs_are_joined_by_arrows, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
