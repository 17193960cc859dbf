/* SPDX-License-Identifier: BSD-3-Clause */
/* layout: labels collide with nothing; the geometry below it, by hand. */
#include "tests/unit/test.h"

#include "analysis/core/chart/layout.h"

static struct rfl_layout layout;

static void reset(void)
{
    rfl_layout_free(&layout);
    memset(&layout, 0, sizeof layout);
    layout.right = layout.bottom = 100;
    layout.gap = 1;
}

static struct rfl_label label_on(struct rfl_segment line, enum rfl_label_kind kind,
                                 double full, double brief)
{
    struct rfl_label label = {.kind = kind,
                              .upper = line,
                              .lower = line,
                              .full_width = full,
                              .brief_width = brief,
                              .height = 4};
    return label;
}

static void boxes_overlap_by_separating_axes(void **state)
{
    (void)state;
    struct rfl_box flat = {0, 0, 10, 2, 0}, beside = {20.5, 0, 10, 2, 0},
                   near = {19.5, 0, 10, 2, 0};
    assert_false(rfl_box_overlaps(&flat, &beside));
    assert_true(rfl_box_overlaps(&flat, &near));
    /* Falling by 45 degrees past flat's corner (10, -2): only the upright hulls overlap. */
    struct rfl_box turned = {14, -6, 10, 1, -atan(1)};
    assert_false(rfl_box_overlaps(&flat, &turned));
    turned.angle_rad = atan(1);
    assert_true(rfl_box_overlaps(&flat, &turned));
}

static void segments_cross_boxes(void **state)
{
    (void)state;
    struct rfl_box box = {0, 0, 10, 2, 0};
    struct rfl_segment through = {-20, 1, 20, 1}, over = {-20, -3, 20, -3},
                       ends_before = {-20, 0, -11, 0}, corner = {-20, 0, 0, -20};
    assert_true(rfl_box_is_crossed(&box, &through));
    assert_false(rfl_box_is_crossed(&box, &over));
    assert_false(rfl_box_is_crossed(&box, &ends_before));
    assert_false(rfl_box_is_crossed(&box, &corner));
    box.angle_rad = acos(0); /* upright: 4 wide, 20 high */
    assert_true(rfl_box_is_crossed(&box, &over));
    assert_false(rfl_box_is_crossed(&box, &ends_before));
}

static void flat_label_stands_over_its_right_end(void **state)
{
    (void)state;
    struct rfl_segment line = {0, 50, 100, 50};
    reset();
    rfl_layout_line(&layout, line, false);
    struct rfl_label label = label_on(line, RFL_LABEL_FLAT, 40, 10);
    rfl_layout_place(&layout, &label);
    assert_int_equal(label.form, RFL_LABEL_FULL);
    assert_close(label.box.x, 79, 1e-9);   /* 100 - gap - 40 / 2 */
    assert_close(label.box.y, 47.5, 1e-9); /* 50 - 4 / 2 - gap / 2 */
    struct rfl_label second = label_on(line, RFL_LABEL_FLAT, 40, 10);
    rfl_layout_place(&layout, &second);
    assert_int_equal(second.form, RFL_LABEL_FULL);
    assert_false(rfl_box_overlaps(&label.box, &second.box));
}

static void diagonal_label_is_parallel_and_free(void **state)
{
    (void)state;
    struct rfl_segment line = {0, 100, 100, 0}, next = {0, 90, 90, 0};
    reset();
    rfl_layout_line(&layout, line, false);
    rfl_layout_line(&layout, next, false);
    struct rfl_label label = label_on(line, RFL_LABEL_DIAGONAL, 40, 10);
    rfl_layout_place(&layout, &label);
    assert_int_equal(label.form, RFL_LABEL_FULL);
    assert_close(label.box.angle_rad, atan(1), 1e-12);
    assert_false(rfl_box_is_crossed(&label.box, &line));
    assert_false(rfl_box_is_crossed(&label.box, &next));
}

static void too_long_is_brief_and_then_nowhere(void **state)
{
    (void)state;
    struct rfl_segment line = {0, 50, 30, 50};
    reset();
    rfl_layout_line(&layout, line, false);
    struct rfl_label label = label_on(line, RFL_LABEL_FLAT, 40, 10);
    rfl_layout_place(&layout, &label);
    assert_int_equal(label.form, RFL_LABEL_BRIEF);
    struct rfl_label none = label_on(line, RFL_LABEL_FLAT, 40, 0);
    rfl_layout_place(&layout, &none);
    assert_int_equal(none.form, RFL_LABEL_NOWHERE);
    assert_int_equal(layout.n_boxes, 1);
}

static void markers_are_never_covered(void **state)
{
    (void)state;
    struct rfl_segment line = {0, 50, 100, 50};
    reset();
    layout.point_size = 2;
    rfl_layout_line(&layout, line, false);
    for (int x = 5; x < 100; x += 10)
        rfl_layout_point(&layout, x, 48);
    struct rfl_label label = label_on(line, RFL_LABEL_FLAT, 40, 10);
    rfl_layout_place(&layout, &label);
    assert_int_equal(label.form, RFL_LABEL_FULL);
    assert_true(label.box.y > 50); /* under the line, where there are none */
}

/* Thirty points in a cluster: no label on another, on a point, or out of the plot. */
static void labels_of_points_do_not_overlap(void **state)
{
    (void)state;
    size_t placed = 0;
    reset();
    layout.point_size = 2;
    for (int i = 0; i < 30; i++)
        rfl_layout_point(&layout, 40 + 3 * (i % 6), 40 + 3 * (double)(i / 6));
    for (int i = 0; i < 30; i++) {
        double x = 40 + 3 * (i % 6), y = 40 + 3 * (double)(i / 6);
        struct rfl_segment at = {x, y, x, y};
        struct rfl_label label = label_on(at, RFL_LABEL_POINT, 4, 0);
        rfl_layout_place(&layout, &label);
        placed += label.form == RFL_LABEL_FULL;
    }
    assert_int_equal(layout.n_boxes, 30 + placed); /* the points first */
    assert_true(placed >= 12);
    for (size_t i = 0; i < layout.n_boxes; i++) {
        const struct rfl_box *box = &layout.boxes[i];
        assert_true(box->x - box->half_width >= 0 && box->x + box->half_width <= 100);
        for (size_t j = 0; j < i; j++)
            assert_false(rfl_box_overlaps(box, &layout.boxes[j]));
    }
}

static void label_of_a_point_stands_right_of_it(void **state)
{
    (void)state;
    struct rfl_segment span = {20, 50, 60, 50};
    reset();
    layout.point_size = 4;
    rfl_layout_point(&layout, 20, 50);
    rfl_layout_point(&layout, 60, 50);
    struct rfl_label label = label_on(span, RFL_LABEL_POINT, 10, 0);
    rfl_layout_place(&layout, &label);
    assert_int_equal(label.form, RFL_LABEL_FULL);
    assert_close(label.box.x, 68, 1e-12); /* 60 + 4 / 2 + gap + 10 / 2 */
    assert_close(label.box.y, 50, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_overlap_by_separating_axes),
        cmocka_unit_test(segments_cross_boxes),
        cmocka_unit_test(flat_label_stands_over_its_right_end),
        cmocka_unit_test(diagonal_label_is_parallel_and_free),
        cmocka_unit_test(too_long_is_brief_and_then_nowhere),
        cmocka_unit_test(markers_are_never_covered),
        cmocka_unit_test(labels_of_points_do_not_overlap),
        cmocka_unit_test(label_of_a_point_stands_right_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
