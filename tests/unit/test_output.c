/* SPDX-License-Identifier: BSD-3-Clause */
/* output: every extension's file is of its format, the same for the same input, and safe to read. */
#include "tests/unit/planted.h"
#include "tests/unit/points_fixture.h"

#include "analysis/core/chart/chart.h"
#include "analysis/core/chart/draw.h"
#include "ert/core/base/file.h"

#include <stdint.h>

static struct rfl_scene scene;

static void make(const char *name)
{
    struct ert_ceilings ceilings = planted_make(PLANTED_NASTY);
    const struct rfl_scene_device device = {&ceilings, 0};
    struct rfl_points points = {0};
    struct rfl_scene_options options = {.points = &points};
    fixture_bytes(fixture_point(&points, name, "", 1, 1e12, 0.5), "L2", 1e11);
    rfl_scene_free(&scene); /* of the test before */
    assert_int_equal(rfl_scene_make(&device, &options, &scene, NULL), ERT_OK);
    assert_int_equal(scene.n_kernels, 1);
    rfl_points_free(&points);
    ert_ceilings_free(&ceilings);
}

/* What is drawn, twice: the caller frees the first. */
static char *draw_twice(ert_file_make *draw, size_t *size)
{
    char *first = NULL, *second = NULL;
    size_t second_size = 0;
    assert_int_equal(ert_file_collect(draw, &scene, &first, size, NULL), ERT_OK);
    assert_int_equal(ert_file_collect(draw, &scene, &second, &second_size, NULL), ERT_OK);
    assert_int_equal(*size, second_size);
    assert_memory_equal(first, second, *size);
    free(second);
    return first;
}

static uint32_t big_endian(const char *bytes)
{
    const unsigned char *at = (const unsigned char *)bytes;
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void png_is_png(void **state)
{
    size_t size = 0;
    make("f");
    char *bytes = draw_twice(rfl_cairo_png, &size);
    assert_true(size > 1000);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(big_endian(bytes + 16), 1920); /* two pixels per unit of 960 */
    assert_true(big_endian(bytes + 20) > 1200);
    free(bytes);
}

static void pdf_is_pdf_without_a_date(void **state)
{
    size_t size = 0;
    make("f");
    char *bytes = draw_twice(rfl_cairo_pdf, &size);
    assert_memory_equal(bytes, "%PDF-1.", 7);
    assert_null(memmem(bytes, size, "CreationDate", 12));
    assert_non_null(memmem(bytes, size, "%%EOF", 5));
    free(bytes);
}

static void no_cairo_says_so(void **state)
{
    struct ert_error error = {0};
    assert_int_equal(rfl_cairo_png(&scene, stdout, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, rfl_cairo_reason);
    assert_int_equal(rfl_cairo_pdf(&scene, stdout, &error), ERT_UNAVAILABLE);
    assert_int_equal(rfl_plot_check("a.png", &error), ERT_UNAVAILABLE);
}

static void svg_holds_the_point(void **state)
{
    size_t size = 0;
    make("<f & g>");
    char *bytes = draw_twice(rfl_svg_draw, &size);
    assert_contains(bytes, "&lt;f &amp; g&gt;");
    assert_contains(bytes, "FP64 50 % FMA");
    free(bytes);
}

static void other_extensions_are_refused(void **state)
{
    static const char *const bad[] = {"a.jpg",  "a", "a.svg/b", "",
                                      "a.svgz", ".", "a.gp",    "a.svg."};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct ert_error error = {0};
        assert_int_equal(rfl_plot_check(bad[i], &error), ERT_USAGE);
        assert_contains(error.text, "must be one of .svg, .png, .pdf, .html");
    }
    assert_int_equal(rfl_plot_check("a.b/c.svg", NULL), ERT_OK);
    assert_int_equal(rfl_plot_check("a.SVG", NULL), ERT_OK);
}

/* What this build has: Cairo, or a reason. */
int main(void)
{
    const struct CMUnitTest with_cairo[] = {
        cmocka_unit_test(png_is_png),
        cmocka_unit_test(pdf_is_pdf_without_a_date),
        cmocka_unit_test(svg_holds_the_point),
        cmocka_unit_test(other_extensions_are_refused),
    };
    const struct CMUnitTest without_cairo[] = {
        cmocka_unit_test(no_cairo_says_so),
        cmocka_unit_test(svg_holds_the_point),
        cmocka_unit_test(other_extensions_are_refused),
    };
    if (*rfl_cairo_reason)
        return cmocka_run_group_tests(without_cairo, NULL, NULL);
    return cmocka_run_group_tests(with_cairo, NULL, NULL);
}
