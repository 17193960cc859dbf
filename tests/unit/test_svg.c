/* SPDX-License-Identifier: BSD-3-Clause */
/* svg: every planted machine gives well-formed XML, checked by the small reader below. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/planted.h"
#include "tests/unit/test.h"

#include "analysis/core/chart/draw.h"
#include "ert/core/base/text.h"

#include <ctype.h>
#include <unistd.h>

/* Skips a name, or an attribute with its value. NULL when there is none. */
static const char *skip_name(const char *at)
{
    const char *start = at;
    while (isalnum((unsigned char)*at) || *at == '-' || *at == ':')
        at++;
    return at > start ? at : NULL;
}

/* Skips text up to `stop`, checking that every & starts one of XML's entities and no < is there. */
static const char *skip_text(const char *at, char stop)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    while (*at && *at != stop) {
        size_t known = 0;
        if (*at == '<')
            return NULL;
        for (size_t e = 0; e < 4; e++)
            known += strncmp(at, entities[e], strlen(entities[e])) == 0;
        if (*at == '&' && !known)
            return NULL;
        const char *before = at;
        if (ert_utf8_next(&at) == 0xfffd && *before != '\n' &&
            strncmp(before, "\xef\xbf\xbd", 3) != 0)
            return NULL; /* a control character, or no UTF-8 */
    }
    return at;
}

static const char *skip_attributes(const char *at)
{
    while (at && isspace((unsigned char)*at)) {
        at += strspn(at, " \n");
        if (*at == '/' || *at == '>')
            return at;
        at = skip_name(at);
        if (!at || at[0] != '=' || at[1] != '"')
            return NULL;
        at = skip_text(at + 2, '"');
        if (!at || *at++ != '"')
            return NULL;
    }
    return at;
}

/* NULL when the text is one well-formed XML element; else where it is not. */
static const char *xml_fault(const char *text)
{
    const char *stack[16], *at = text;
    size_t lengths[16], depth = 0;
    if (strncmp(at, "<?xml ", 6) != 0 || !(at = strstr(at, "?>")))
        return text;
    for (at += 2; *at;) {
        const char *before = at;
        at = skip_text(at, '<');
        if (!at || (!depth && (size_t)(at - before) != strspn(before, "\n")))
            return before;
        if (!*at)
            break;
        bool closing = at[1] == '/';
        const char *name = at + 1 + closing, *end = skip_name(name);
        if (!end)
            return at;
        size_t length = (size_t)(end - name);
        if (closing) {
            if (!depth || lengths[depth - 1] != length ||
                strncmp(stack[depth - 1], name, length) != 0 || *end != '>')
                return at;
            depth--;
            at = end + 1;
            continue;
        }
        end = skip_attributes(end);
        if (!end || depth == 16)
            return at;
        if (*end == '>') {
            stack[depth] = name;
            lengths[depth++] = length;
        } else if (strncmp(end, "/>", 2) != 0) {
            return at;
        }
        at = end + (*end == '>' ? 1 : 2);
    }
    return depth ? at : NULL;
}

static const struct rfl_scene_options plain = {0};

/* The SVG of a planted machine; the caller frees it. */
static char *draw(const struct ert_ceilings *ceilings)
{
    const struct rfl_scene_device device = {ceilings, 0};
    const struct rfl_scene_options options = {.points = NULL};
    char file[] = "/tmp/ert-chart-XXXXXX.svg";
    struct ert_error error = {0};
    int descriptor = mkstemps(file, 4);
    assert_true(descriptor >= 0);
    close(descriptor);
    if (rfl_plot_file(&device, &options, file, &error) != ERT_OK)
        fail_msg("%s", error.text);
    FILE *in = fopen(file, "r");
    assert_non_null(in);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, in) > 0);
    fclose(in);
    unlink(file);
    return text;
}

static void the_xml_reader_finds_faults(void **state)
{
    (void)state;
    assert_null(xml_fault("<?xml v?>\n<a b=\"c\"><d/>e &amp; f</a>\n"));
    static const char *const bad[] = {
        "<a/>",
        "<?xml v?><a>",
        "<?xml v?><a></b>",
        "<?xml v?><a>&</a>",
        "<?xml v?><a>\x01</a>",
        "<?xml v?><a>\xff</a>",
        "<?xml v?><a b=c/>",
        "<?xml v?><a b=\"<\"/>",
        "<?xml v?><a/>x",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_non_null(xml_fault(bad[i]));
}

static void every_svg_is_valid_xml(void **state)
{
    (void)state;
    for (int which = 0; which < PLANTED_NONE; which++) {
        struct ert_ceilings ceilings = planted_make((enum planted)which);
        char *name = ceilings.machine->devices[0].name;
        if (which == PLANTED_NASTY) /* a name as broken firmware might have it */
            memcpy(name + strlen(name), " \x80\xff\x01\x7f\xed\xa0\x80", 8);
        char *svg = draw(&ceilings);
        const char *fault = xml_fault(svg);
        if (fault)
            fail_msg("%s: not XML at: %.60s", planted_names[which], fault);
        free(svg);
        ert_ceilings_free(&ceilings);
    }
}

static void svg_shows_roofs_ridges_and_points(void **state)
{
    (void)state;
    struct ert_ceilings ceilings = planted_make(PLANTED_H200);
    char *svg = draw(&ceilings);
    static const char *const words[] = {"Roofline of NVIDIA H200",
                                        ">L2 load 8900 GB/s<",
                                        ">HBM load 4620 GB/s<",
                                        ">L1 load 33.30, shared load 33.00 TB/s<",
                                        ">FP32 no FMA 33.40, FP64 FMA 33.30 TFLOP/s<",
                                        ">HBM 7.21<",
                                        "[FLOP/byte]",
                                        "[FLOP/s]",
                                        "2026-11-21"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_contains(svg, words[i]);
    size_t markers = 0;
    for (const char *at = svg; (at = strpbrk(at, "<")); at++)
        markers +=
            strncmp(at, "<circle ", 8) == 0 || strncmp(at, "<polygon points", 15) == 0;
    assert_int_equal(markers, 4 + 1); /* ridges, and the key's */
    assert_contains(svg, "<polygon class=\"band\"");
    free(svg);
    ert_ceilings_free(&ceilings);
}

static void files_are_named_after_devices(void **state)
{
    (void)state;
    char folder[] = "/tmp/ert-chart-XXXXXX", file[64], second[64];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/roof.line.svg", folder);
    snprintf(second, sizeof second, "%s/roof.line-cpu.svg", folder);
    struct ert_ceilings ceilings = planted_make(PLANTED_BOTH);
    struct rfl_plots plots;
    assert_int_equal(rfl_plot_files(&ceilings, &plain, file, &plots, NULL), ERT_OK);
    assert_int_equal(plots.n_plots, 2);
    assert_string_equal(plots.plots[0].file, file);
    assert_string_equal(plots.plots[1].file, second);
    assert_int_equal(unlink(second), 0);

    /* A device with nothing to draw gets a reason; the next one gets the plain name. */
    keep_ceilings(&ceilings.devices[0], ERT_CEILING_COMPUTE, 0);
    keep_ceilings(&ceilings.devices[0], ERT_CEILING_MEMORY, 0);
    assert_int_equal(rfl_plot_files(&ceilings, &plain, file, &plots, NULL), ERT_OK);
    assert_string_equal(plots.plots[0].file, "");
    assert_contains(plots.plots[0].reason, "gpu0: no ceiling");
    assert_string_equal(plots.plots[1].file, file);
    assert_int_equal(unlink(file), 0);

    keep_ceilings(&ceilings.devices[1], ERT_CEILING_COMPUTE, 0);
    keep_ceilings(&ceilings.devices[1], ERT_CEILING_MEMORY, 0);
    assert_int_equal(rfl_plot_files(&ceilings, &plain, file, &plots, NULL),
                     ERT_UNAVAILABLE);
    assert_int_not_equal(access(file, F_OK), 0);
    ert_ceilings_free(&ceilings);
    assert_int_equal(rmdir(folder), 0);
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    struct ert_ceilings ceilings = planted_make(PLANTED_SINGLE);
    const struct rfl_scene_device device = {&ceilings, 0};
    struct ert_error error = {0};
    assert_int_equal(rfl_plot_file(&device, &plain, "/nonexistent/a.svg", &error),
                     ERT_FAILED);
    assert_contains(error.text, "/nonexistent");
    ert_ceilings_free(&ceilings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_xml_reader_finds_faults),
        cmocka_unit_test(every_svg_is_valid_xml),
        cmocka_unit_test(svg_shows_roofs_ridges_and_points),
        cmocka_unit_test(files_are_named_after_devices),
        cmocka_unit_test(a_file_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
