/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chart: no label stands on another, on a roof or on a data point, and every roof is named with its value.
 * The canvas's own functions run behind a recording.
 */
#include "tests/unit/planted.h"
#include "tests/unit/points_fixture.h"
#include "tests/unit/test.h"

#include "analysis/core/chart/chart.h"

/* What was drawn last. */
static struct {
    const struct rfl_canvas_ops *ops; /* the canvas's own */
    size_t n_labels, n_lines, n_points;
    struct rfl_box labels[512], points[4096];
    struct rfl_segment lines[4096];
    char words[1 << 16]; /* all texts, with a blank after each */
} drawn;

static void record_line(struct rfl_canvas *canvas, double x0, double y0, double x1,
                        double y1, struct rfl_ink ink)
{
    bool roof = ink.role == RFL_ROLE_LEVEL || ink.role == RFL_ROLE_FLAT ||
                ink.role == RFL_ROLE_PLAIN || ink.role == RFL_ROLE_MIX ||
                ink.role == RFL_ROLE_NO_FMA;
    if (roof)
        drawn.lines[drawn.n_lines++] = (struct rfl_segment){x0, y0, x1, y1};
    drawn.ops->line(canvas, x0, y0, x1, y1, ink);
}

static void record_marker(struct rfl_canvas *canvas, double x, double y,
                          struct rfl_symbol symbol, struct rfl_ink ink)
{
    double half = canvas->metrics.marker * 0.4;
    drawn.points[drawn.n_points++] = (struct rfl_box){x, y, half, half, 0};
    drawn.ops->marker(canvas, x, y, symbol, ink);
}

static void record_text(struct rfl_canvas *canvas, double x, double y, double angle_rad,
                        enum rfl_anchor anchor, enum rfl_font font, struct rfl_ink ink,
                        const char *text)
{
    size_t used = strlen(drawn.words);
    snprintf(drawn.words + used, sizeof drawn.words - used, "%s ", text);
    if (font == RFL_FONT_LABEL)
        drawn.labels[drawn.n_labels++] =
            (struct rfl_box){x, y, drawn.ops->text_width(canvas, font, text) / 2,
                             canvas->metrics.line_height[font] * 0.4, angle_rad};
    drawn.ops->text(canvas, x, y, angle_rad, anchor, font, ink, text);
}

static void draw(struct rfl_canvas *canvas, const struct rfl_scene *scene)
{
    struct rfl_canvas_ops ops = *canvas->ops;
    memset(&drawn, 0, sizeof drawn);
    drawn.ops = canvas->ops;
    ops.line = record_line;
    ops.marker = record_marker;
    ops.text = record_text;
    canvas->ops = &ops;
    rfl_chart_draw(scene, canvas);
    canvas->ops = drawn.ops;
}

static void check_no_collision(const char *what)
{
    for (size_t i = 0; i < drawn.n_labels; i++) {
        const struct rfl_box *box = &drawn.labels[i];
        for (size_t j = i + 1; j < drawn.n_labels; j++)
            if (rfl_box_overlaps(box, &drawn.labels[j]))
                fail_msg("%s: labels %zu and %zu overlap", what, i, j);
        for (size_t j = 0; j < drawn.n_lines; j++)
            if (rfl_box_is_crossed(box, &drawn.lines[j]))
                fail_msg("%s: label %zu stands on roof %zu", what, i, j);
        for (size_t j = 0; j < drawn.n_points; j++)
            if (rfl_box_overlaps(box, &drawn.points[j]))
                fail_msg("%s: label %zu hides a point", what, i);
    }
}

/* Name and number of each roof: merged labels show the unit once, after the last. */
static void check_all_named(const char *what, const struct rfl_scene *scene)
{
    for (size_t i = 0; i < scene->n_levels + scene->n_flats; i++) {
        const struct rfl_roof *roof =
            i < scene->n_levels ? &scene->levels[i] : &scene->flats[i - scene->n_levels];
        char words[96];
        snprintf(words, sizeof words, "%s", roof->full);
        *strrchr(words, ' ') = '\0';
        if (!strstr(drawn.words, words))
            fail_msg("%s: no '%s' in '%s'", what, words, drawn.words);
    }
}

static struct rfl_scene scene;

static void make(int which)
{
    struct ert_ceilings ceilings = planted_make((enum planted)which);
    rfl_scene_free(&scene);
    const struct rfl_scene_device device = {&ceilings, 0};
    const struct rfl_scene_options options = {.points = NULL};
    assert_int_equal(rfl_scene_make(&device, &options, &scene, NULL), ERT_OK);
    ert_ceilings_free(&ceilings);
}

static void svg_labels_do_not_collide(void **state)
{
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    for (int which = 0; which < PLANTED_NONE; which++) {
        struct rfl_svg svg;
        make(which);
        rfl_svg_init(&svg, out);
        draw(&svg.canvas, &scene);
        check_no_collision(planted_names[which]);
        check_all_named(planted_names[which], &scene);
    }
    fclose(out);
}

static void make_crowd(size_t n, bool same, bool trajectory)
{
    struct ert_ceilings ceilings = planted_make(PLANTED_H200);
    const struct rfl_scene_device device = {&ceilings, 0};
    struct rfl_points points = {0};
    struct rfl_scene_options options = {
        .points = &points, .trajectory = trajectory, .max_kernels = 100};
    fixture_crowd(&points, n, same);
    rfl_scene_free(&scene);
    assert_int_equal(rfl_scene_make(&device, &options, &scene, NULL), ERT_OK);
    assert_int_equal(scene.n_kernels, n);
    rfl_points_free(&points);
    ert_ceilings_free(&ceilings);
}

/* Every kernel by its name, in the plot or in the key. */
static void check_kernels_named(void)
{
    for (size_t i = 0; i < scene.n_kernels; i++)
        assert_contains(drawn.words, scene.kernels[i].name);
}

static void labels_of_points_do_not_collide(void **state)
{
    static const size_t sizes[] = {1, 2, 9, 20, 40};
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int kind = 0; kind < 4; kind++) {
            struct rfl_svg svg;
            make_crowd(sizes[i], kind % 2, kind / 2);
            rfl_svg_init(&svg, out);
            draw(&svg.canvas, &scene);
            check_no_collision("points");
            check_all_named("points", &scene);
            check_kernels_named();
        }
    fclose(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(svg_labels_do_not_collide),
        cmocka_unit_test(labels_of_points_do_not_collide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
