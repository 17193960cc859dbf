/* SPDX-License-Identifier: BSD-3-Clause */
/* text: what each format writes for texts that want out of it, and what no terminal may get. */
#include "tests/unit/test.h"

#include "ert/core/base/text.h"

#include <stdlib.h>

#define NONE "\xef\xbf\xbd" /* U+FFFD */

static void is_written(enum ert_format format, const char *text, const char *wanted)
{
    char *written = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&written, &size);
    assert_non_null(out);
    ert_text_write(out, format, text);
    fclose(out);
    assert_string_equal(written, wanted);
    free(written);
}

/* A line feed, ESC, CSI as a character and as a byte, a mark of direction, a separator, no character. */
static void what_acts_is_shown_or_replaced(void **state)
{
    static const char text[] =
        "a\n\x1b[2J\xc2\x9b\x9b\xe2\x80\xae\xe2\x80\xa8\xef\xbf\xbe\x7f\xc3\xa9";
    static const char shown[] = "a\\n\\x1b[2J\\x9b\\x9bU+202EU+2028U+FFFE\\x7f\xc3\xa9";
    is_written(ERT_TEXT_PLAIN, text, shown);
    assert_int_equal(ert_text_width(text), strlen(shown) - 1);
    is_written(ERT_TEXT_CSV, "a\nb\r\x1b", "\"a\\nb\\r\\x1b\"");
    is_written(ERT_TEXT_MARKDOWN, "a\n\x1b", "a\\n\\x1b");
    for (enum ert_format format = ERT_TEXT_XML; format <= ERT_TEXT_QUOTED; format++)
        is_written(format, text,
                   "a" NONE NONE "[2J" NONE NONE NONE NONE NONE NONE "\xc3\xa9");
}

/* Each of the characters that turn text around, or end a line, and their neighbours, which do not. */
static void directions_are_shown(void **state)
{
    is_written(ERT_TEXT_PLAIN,
               "\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xa8"
               "\xe2\x80\xae\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa",
               "\xe2\x80\x8dU+200EU+200F\xe2\x80\x90\xe2\x80\xa7U+2028U+202E\xe2\x80\xaf"
               "\xe2\x81\xa5U+2066U+2069\xe2\x81\xaa");
}

static void tabs_stay_where_they_are_seen(void **state)
{
    is_written(ERT_TEXT_PLAIN, "a\tb", "a\tb");
    is_written(ERT_TEXT_CSV, "a\tb", "\"a\tb\"");
    is_written(ERT_TEXT_QUOTED, "a\tb", "a" NONE "b");
    assert_null(ert_text_control("a\tb \xc3\xa9 \xf6"));
    assert_string_equal(ert_text_control("ab\x9b"), "\x9b");
    assert_string_equal(ert_text_control("ab\xe2\x80\x8f"), "\xe2\x80\x8f");
    assert_string_equal(ert_text_control("\x1b"), "\x1b");
}

static void no_text_leaves_its_place(void **state)
{
    static const char text[] = "a\"b'c\\d<e>&|";
    is_written(ERT_TEXT_PLAIN, text, text);
    is_written(ERT_TEXT_MARKDOWN, text, "a\"b'c\\\\d&lt;e>&amp;\\|");
    is_written(ERT_TEXT_CSV, text, "\"a\"\"b'c\\d<e>&|\"");
    is_written(ERT_TEXT_XML, text, "a&quot;b'c\\d&lt;e&gt;&amp;|");
    is_written(ERT_TEXT_QUOTED, text, "a\\\"b'c\\\\d<e>&|");
    is_written(ERT_TEXT_MARKDOWN, "[a](b) `c` *d* #~", "\\[a\\](b) \\`c\\` \\*d\\* \\#\\~");
    is_written(ERT_TEXT_MARKDOWN, "load_f64 _a_ __b", "load_f64 \\_a\\_ \\_\\_b");
}

static void layouts_are_ours(void **state)
{
    char *written = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&written, &size);
    assert_non_null(out);
    ert_text_print(out, ERT_TEXT_XML, "<b>%s</b>\n%s.", "<%s>", "");
    fclose(out);
    assert_string_equal(written, "<b>&lt;%s&gt;</b>\n.");
    free(written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_acts_is_shown_or_replaced),
        cmocka_unit_test(directions_are_shown),
        cmocka_unit_test(tabs_stay_where_they_are_seen),
        cmocka_unit_test(no_text_leaves_its_place),
        cmocka_unit_test(layouts_are_ours),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
