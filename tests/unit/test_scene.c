/* SPDX-License-Identifier: BSD-3-Clause */
/* scene: what is drawn of planted ceilings, and what the caption says of the rest. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/planted.h"
#include "tests/unit/test.h"

#include "analysis/core/chart/scene.h"

static struct rfl_scene scene; /* 500 KiB */

/* Of one device, without points. */
static enum ert_status make_one(const struct ert_ceilings *ceilings, size_t index,
                                struct ert_error *error)
{
    const struct rfl_scene_device device = {ceilings, index};
    const struct rfl_scene_options options = {.points = NULL};
    return rfl_scene_make(&device, &options, &scene, error);
}

static enum ert_status make(enum planted which, struct ert_error *error)
{
    struct ert_ceilings ceilings = planted_make(which);
    rfl_scene_free(&scene);
    enum ert_status status = make_one(&ceilings, 0, error);
    ert_ceilings_free(&ceilings);
    return status;
}

static bool noted(const char *words)
{
    for (size_t i = 0; i < scene.notes.n_texts; i++)
        if (strstr(scene.notes.texts[i], words))
            return true;
    return false;
}

static void each_level_has_its_roof(void **state)
{
    (void)state;
    assert_int_equal(make(PLANTED_H200, NULL), ERT_OK);
    static const char *const full[] = {"L1 load 33.30 TB/s", "shared load 33.00 TB/s",
                                       "L2 load 8900 GB/s", "HBM load 4620 GB/s"};
    assert_int_equal(scene.n_levels, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(scene.levels[i].full, full[i]);
    assert_contains(scene.title, "NVIDIA H200");
    assert_contains(scene.subtitle, "2026-11-21");
    assert_contains(scene.subtitle, "1.980 GHz");
}

static void flats_are_per_type_and_fma(void **state)
{
    (void)state;
    assert_int_equal(make(PLANTED_H200, NULL), ERT_OK);
    static const char *const full[] = {
        "FP32 FMA 65.20 TFLOP/s", "FP32 no FMA 33.40 TFLOP/s", "FP64 FMA 33.30 TFLOP/s",
        "FP64 no FMA 16.70 TFLOP/s"};
    assert_int_equal(scene.n_flats, 4); /* add and mul are one: the faster */
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(scene.flats[i].full, full[i]);
        assert_int_equal(scene.flats[i].kind, i % 2 ? RFL_ROOF_NO_FMA : RFL_ROOF_FMA);
    }
    assert_int_equal(make(PLANTED_NASTY, NULL), ERT_OK);
    assert_string_equal(scene.flats[0].brief, "FP64 FMA");
    assert_string_equal(scene.flats[2].brief, "FP64 tensor");
    assert_int_equal(scene.n_flats, 5); /* FP16 of the cores is in the notes only */
}

/* 33.3 / 33.3, 33.3 / 33.0, 33.3 / 8.9, 33.3 / 4.62 */
static void ridges_are_at_fp64_fma(void **state)
{
    (void)state;
    static const double expected[] = {1, 1.0090909090909, 3.7415730337079, 7.2077922077922};
    assert_int_equal(make(PLANTED_H200, NULL), ERT_OK);
    assert_int_equal(scene.n_ridges, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_close(scene.levels[i].ridge_flop_per_byte, expected[i], 1e-12);
        assert_close(scene.flats[scene.reference].value, 33.3e12, 1e-12);
    }
    assert_string_equal(scene.levels[3].ridge, "HBM 7.21");
}

static void axes_hold_everything(void **state)
{
    (void)state;
    for (int which = 0; which < PLANTED_NONE; which++) {
        assert_int_equal(make((enum planted)which, NULL), ERT_OK);
        assert_true(scene.x_min > 0 && scene.x_min < scene.x_max);
        assert_true(scene.y_min > 0 && scene.y_min < scene.y_max);
        for (size_t i = 0; i < scene.n_flats; i++) {
            assert_true(scene.flats[i].value >= scene.y_min);
            assert_true(scene.flats[i].value < scene.y_max);
        }
        for (size_t i = 0; i < scene.n_ridges; i++) {
            assert_true(scene.levels[i].ridge_flop_per_byte > scene.x_min);
            assert_true(scene.levels[i].ridge_flop_per_byte < scene.x_max);
        }
    }
}

static void nothing_is_left_out_silently(void **state)
{
    (void)state;
    assert_int_equal(make(PLANTED_NASTY, NULL), ERT_OK);
    assert_true(noted("not measured: `ert show`."));
    assert_true(noted("Not valid, measured on a disturbed machine: the clock fell"));
    assert_true(noted("With a warning, which `ert show` has: L1, "));

    struct ert_ceilings ceilings = planted_make(PLANTED_XEON);
    memory_at(&ceilings.devices[0], 3)->value = 0; /* L3 */
    snprintf(ceilings.status, sizeof ceilings.status, "interrupted");
    rfl_scene_free(&scene);
    assert_int_equal(make_one(&ceilings, 0, NULL), ERT_OK);
    assert_int_equal(scene.n_levels, 3);
    assert_true(noted("interrupted"));
    memory_at(&ceilings.devices[0], 3)->value =
        1e-300; /* 300 decades would be an axis of nan */
    rfl_scene_free(&scene);
    assert_int_equal(make_one(&ceilings, 0, NULL), ERT_OK);
    assert_int_equal(scene.n_levels, 3);
    ert_ceilings_free(&ceilings);
}

/* Named are those of lines that are drawn. */
static void warnings_are_of_lines(void **state)
{
    (void)state;
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    struct ert_device_ceilings *device = &h200.devices[0];
    static const struct {
        size_t compute, memory;
        const char *warning;
    } rows[] = {
        {0, 9, "wide interval: 12 % of the value"}, /* fp64-fma */
        {3, 9, "wide interval: 41 % of the value"}, /* fp32-fma */
        {2, 9, "wide interval: 77 % of the value"}, /* fp64-mul, not drawn: add is faster */
        {9, 2, "few samples"                     }, /* L2 load */
        {9, 4, "wide interval: 88 % of the value"}, /* HBM copy, not drawn */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ert_ceiling *ceiling = rows[i].compute < 9
                                          ? compute_at(device, rows[i].compute)
                                          : memory_at(device, rows[i].memory);
        ceiling->confidence = ERT_CONFIDENCE_LOW;
        snprintf(ceiling->evidence->warning, sizeof ceiling->evidence->warning, "%s",
                 rows[i].warning);
    }
    rfl_scene_free(&scene);
    assert_int_equal(make_one(&h200, 0, NULL), ERT_OK);
    assert_true(noted("With a warning, which `ert show` has: L2, FP32 FMA, FP64 FMA."));
    ert_ceilings_free(&h200);
}

static const struct rfl_roof *level(const char *name)
{
    for (size_t i = 0; i < scene.n_levels; i++)
        if (strcmp(scene.levels[i].level, name) == 0)
            return &scene.levels[i];
    fail_msg("no roof of %s", name);
    return NULL;
}

/* The line is the loads; the band what the other patterns reach, of one machine. */
static void bands_of_levels(void **state)
{
    (void)state;
    assert_int_equal(make(PLANTED_H200, NULL), ERT_OK);
    assert_true(level("HBM")->value == 4.62e12 && level("HBM")->band_low == 4.28e12 &&
                level("HBM")->band_high == 4.62e12);
    assert_true(level("L2")->value == 8.9e12 && level("L2")->band_high == 0);
    assert_true(noted("Shaded: what other mixes of reads and writes attain."));
    assert_int_equal(make(PLANTED_XEON, NULL), ERT_OK);
    assert_true(level("L1")->value == 950e9);
    assert_true(level("L1")->band_high == 950e9);
}

/* FMAs of three different registers: a second line of FP64, and no peak of a share of FMA. */
static void three_registers(void **state)
{
    (void)state;
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    struct ert_device_ceilings *device = &h200.devices[0];
    struct ert_ceiling *ceiling = copy_ceiling(device, compute_at(device, 0));
    snprintf(ceiling->key.op, sizeof ceiling->key.op, "fma-3reg");
    ceiling->value = 22e12;
    rfl_scene_free(&scene);
    assert_int_equal(make_one(&h200, 0, NULL), ERT_OK);
    size_t found = 0;
    for (size_t i = 0; i < scene.n_flats; i++)
        if (scene.flats[i].kind == RFL_ROOF_3_REGISTER) {
            found++;
            assert_string_equal(scene.flats[i].full, "FP64 FMA, 3 registers 22.00 TFLOP/s");
        }
    assert_int_equal(found, 1);
    assert_true(scene.flats[scene.reference].value == 33.3e12);
    ert_ceilings_free(&h200);
}

static void without_a_part_the_rest_is_drawn(void **state)
{
    (void)state;
    assert_int_equal(make(PLANTED_NO_FLATS, NULL), ERT_OK);
    assert_int_equal(scene.n_levels, 4);
    assert_int_equal(scene.n_ridges, 0);
    assert_int_equal(make(PLANTED_NO_LEVELS, NULL), ERT_OK);
    assert_int_equal(scene.n_flats, 4);
}

static void nothing_to_draw_is_an_error(void **state)
{
    (void)state;
    struct ert_error error = {0};
    assert_int_equal(make(PLANTED_NONE, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "cpu: no ceiling");
    struct ert_ceilings ceilings = planted_make(PLANTED_H200);
    rfl_scene_free(&scene);
    assert_int_equal(make_one(&ceilings, 1, &error), ERT_USAGE);
    assert_contains(error.text, "no device 1");
    ert_ceilings_free(&ceilings);
}

/* Without an FP64 ceiling the ridges are at the highest roof. */
static void without_fp64_the_highest_is_the_reference(void **state)
{
    (void)state;
    struct ert_ceilings ceilings = planted_make(PLANTED_H200);
    for (size_t i = 0; i < 3; i++)
        snprintf(compute_at(&ceilings.devices[0], i)->key.type, 8, "fp99");
    rfl_scene_free(&scene);
    assert_int_equal(make_one(&ceilings, 0, NULL), ERT_OK);
    assert_close(scene.flats[scene.reference].value, 65.2e12, 1e-12);
    ert_ceilings_free(&ceilings);
}

/* More than a note, or a chart, has room for: the rest is counted. */
static void long_lists_count_their_rest(void **state)
{
    (void)state;
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    struct ert_device_ceilings *device = &h200.devices[0];
    keep_ceilings(device, ERT_CEILING_MEMORY, 0);
    for (size_t i = 0; i < 96; i += 2)
        for (size_t pattern = 0; pattern < 2; pattern++) {
            struct ert_ceiling *ceiling = add_ceiling(device, ERT_CEILING_MEMORY, "");
            ceiling->value = 1e12 * (double)(100 - i) * (pattern ? 0.5 : 1);
            snprintf(ceiling->key.level, sizeof ceiling->key.level, "level no. %5zu", i);
            snprintf(ceiling->key.pattern, sizeof ceiling->key.pattern,
                     pattern ? "copy" : "load");
            snprintf(ceiling->name, sizeof ceiling->name, "level no. %zu-%s", i,
                     pattern ? "copy" : "load");
            ceiling->is_roof = !pattern;
            ceiling->confidence = pattern ? ERT_CONFIDENCE_HIGH : ERT_CONFIDENCE_LOW;
            snprintf(ceiling->evidence->warning, sizeof ceiling->evidence->warning,
                     "warning %c: 5", 'a' + (int)i / 2 % 26);
        }
    rfl_scene_free(&scene);
    assert_int_equal(make_one(&h200, 0, NULL), ERT_OK);
    assert_int_equal(scene.n_ridges, 48);
    assert_true(noted("With a warning, which `ert show` has: level no.     0, "));
    assert_true(noted(" more."));
    ert_ceilings_free(&h200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_level_has_its_roof),
        cmocka_unit_test(flats_are_per_type_and_fma),
        cmocka_unit_test(ridges_are_at_fp64_fma),
        cmocka_unit_test(axes_hold_everything),
        cmocka_unit_test(nothing_is_left_out_silently),
        cmocka_unit_test(warnings_are_of_lines),
        cmocka_unit_test(bands_of_levels),
        cmocka_unit_test(three_registers),
        cmocka_unit_test(without_a_part_the_rest_is_drawn),
        cmocka_unit_test(nothing_to_draw_is_an_error),
        cmocka_unit_test(without_fp64_the_highest_is_the_reference),
        cmocka_unit_test(long_lists_count_their_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
