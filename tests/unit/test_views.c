/* SPDX-License-Identifier: BSD-3-Clause */
/* views: the rows of each, by hand. */
#include "tests/unit/placed_fixture.h"

#include "analysis/core/place/views.h"

static struct rfl_view_row rows[RFL_MAX_VIEW_ROWS];
static size_t n_rows;

/* 2 s: 8 Tflop, 16 TB of L1 and 4 of shared memory, 4 of HBM, 0.1 T instructions. */
static void view(const char *name)
{
    const struct rfl_view *found;
    struct ert_error error = {ERT_OK, ""};
    struct rfl_point *point = start(PLANTED_H200, 2);
    roofs.instructions_per_s = 1e12;
    point->instructions = 0.1e12;
    bytes(point, "L1", 16e12);
    bytes(point, "shared", 4e12);
    loads(point, "HBM", 4e12);
    work(point, "fp64", "core", 8e12, 1);
    struct rfl_placement p = placed(point);
    assert_int_equal(rfl_view_find(name, &found, &error), ERT_OK);
    n_rows = found->rows(&p, rows);
}

static const struct rfl_view_row *row(const char *roof)
{
    for (size_t i = 0; i < n_rows; i++)
        if (strcmp(rows[i].roof, roof) == 0)
            return &rows[i];
    fail_msg("no row '%s'", roof);
    return NULL;
}

static void hierarchical(void **state)
{
    (void)state;
    view("hierarchical");
    assert_int_equal(n_rows, 5);
    assert_true(row("HBM load")->intensity == 2 && row("HBM load")->reached == 2e12);
    assert_close(row("HBM load")->fraction, 2 / 4.62, 1e-15);
    assert_true(row("HBM load")->bounds && !row("L1 load")->bounds);
    assert_true(row("FP64 FMA")->reached == 4e12 && isnan(row("FP64 FMA")->intensity));
    assert_true(row("FP64 FMA")->measured == 33.3e12);
    assert_true(row("issue")->value == 1e12);
    assert_close(row("issue")->fraction, 0.05, 1e-15);
}

/* 4 TB in 2 s of a memory of which reads and writes are not known apart: 4.28 to 4.62 TB/s. */
static void bands(void **state)
{
    static const char *const names[] = {"hierarchical", "instructions"};
    const double values[] = {4.62e12, 0.8 * 4.62e12 / 32},
                 lows[] = {4.28e12, 0.8 * 4.28e12 / 32};
    struct ert_error error = {ERT_OK, ""};
    const struct rfl_view *found = NULL;
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 2);
    bytes(point, "HBM", 4e12);
    point->instructions = 0.1e12;
    struct rfl_placement p = placed(point);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(rfl_view_find(names[i], &found, &error), ERT_OK);
        n_rows = found->rows(&p, rows);
        const struct rfl_view_row *band = row("HBM copy .. load");
        assert_close(band->value, values[i], 1e-14);
        assert_close(band->value_low, lows[i], 1e-14);
        assert_close(band->fraction, 2 / 4.62, 1e-14);
        assert_close(band->fraction_high, 2 / 4.28, 1e-14);
        assert_true(isnan(band->read_share));
    }
}

/* 0.1 T instructions over 4 TB / 32 B of HBM: 0.8 each; HBM moves 144.375 G of them per second. */
static void instructions(void **state)
{
    (void)state;
    view("instructions");
    assert_int_equal(n_rows, 4);
    assert_close(row("HBM load")->intensity, 0.8, 1e-15);
    assert_close(row("HBM load")->value, 0.8 * 4.62e12 / 32, 1e-15);
    assert_close(row("HBM load")->reached, 0.05e12, 1e-15);
    assert_close(row("HBM load")->fraction, 0.05e12 / (0.8 * 4.62e12 / 32), 1e-14);
}

static void of_nothing(void **state)
{
    (void)state;
    const struct rfl_view *found;
    struct ert_error error = {ERT_OK, ""};
    struct rfl_placement p = placed(start(PLANTED_H200, 0));
    for (size_t i = 0; i < RFL_N_VIEWS; i++)
        assert_int_equal(rfl_views[i].rows(&p, rows), 0);
    assert_int_equal(rfl_view_find("polar", &found, &error), ERT_USAGE);
    assert_contains(error.text, "hierarchical, instructions");
}

/* As many roofs as a point can have fit every view. */
static void of_all(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    roofs.instructions_per_s = 1e12;
    point->instructions = 1e9;
    for (int i = 0; i < RFL_MAX_TRAFFIC; i++) {
        char level[8];
        snprintf(level, sizeof level, "L%d", i);
        bytes(point, level, 1e9);
        snprintf(level, sizeof level, "t%d", i);
        work(point, level, "", 1e9, NAN);
    }
    struct rfl_placement p = placed(point);
    for (size_t i = 0; i < RFL_N_VIEWS; i++)
        assert_true(rfl_views[i].rows(&p, rows) <= RFL_MAX_VIEW_ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(hierarchical, unload),
        cmocka_unit_test_teardown(bands, unload),
        cmocka_unit_test_teardown(instructions, unload),
        cmocka_unit_test_teardown(of_nothing, unload),
        cmocka_unit_test_teardown(of_all, unload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
