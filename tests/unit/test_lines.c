/* SPDX-License-Identifier: BSD-3-Clause */
/* lines: ends of lines, cells of CSV, and every rule of numbers. */
#include "tests/unit/test.h"

#include "ert/ext/base/lines.h"

#include <unistd.h>

static struct ert_lines lines;
static struct ert_error error;

static void open_text(const char *text)
{
    assert_int_equal(ert_lines_open_text("a.csv", text, &lines, &error), ERT_OK);
}

static void ends_of_lines(void **state)
{
    open_text("one\r\n\ntwo words\nlast");
    assert_string_equal(ert_lines_next(&lines), "one");
    assert_string_equal(ert_lines_next(&lines), "");
    assert_string_equal(ert_lines_next(&lines), "two words");
    assert_string_equal(ert_lines_next(&lines), "last");
    assert_int_equal(lines.number, 4);
    assert_null(ert_lines_next(&lines));
    assert_null(ert_lines_next(&lines));
    assert_int_equal(ert_lines_end(&lines, &error), ERT_OK);
    ert_lines_close(&lines);
    open_text("");
    assert_null(ert_lines_next(&lines));
    assert_int_equal(ert_lines_end(&lines, &error), ERT_OK);
    ert_lines_close(&lines);
}

/* Escape sequences and marks of direction of a file never reach a terminal; tabs are between cells. */
static void controls_are_shown(void **state)
{
    open_text("a\t\x1b[31m,\"b\xe2\x80\xae\"\r\nc\xc3\xa9\n");
    assert_string_equal(ert_lines_next(&lines), "a\t\\x1b[31m,\"bU+202E\"");
    ert_lines_split(&lines, ',');
    assert_string_equal(ert_lines_cell(&lines, 1), "bU+202E");
    assert_string_equal(ert_lines_next(&lines), "c\xc3\xa9");
    ert_lines_close(&lines);
}

static void a_line_beyond_the_limit_is_an_error(void **state)
{
    size_t size = ((size_t)16 << 20) + 2;
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, 'x', size);
    text[size] = '\0';
    open_text(text);
    assert_null(ert_lines_next(&lines));
    assert_null(ert_lines_next(&lines));
    assert_int_equal(ert_lines_end(&lines, &error), ERT_USAGE);
    assert_contains(error.text, "a.csv: row 1: ");
    ert_lines_close(&lines);
    free(text);
}

/* /dev/zero has no end: what comes behind the limit is not read. */
static void reading_ends_at_the_limit(void **state)
{
    char name[] = "test_lines_XXXXXX";
    int descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    assert_int_equal(ftruncate(descriptor, 64 << 20), 0); /* of zeros, and no blocks */
    close(descriptor);
    assert_int_equal(ert_lines_open(name, &lines, &error), ERT_OK);
    unlink(name);
    assert_null(ert_lines_next(&lines));
    assert_true(ftell(lines.stream) <= 17 << 20);
    assert_true(lines.capacity <= 32 << 20);
    assert_int_equal(ert_lines_end(&lines, &error), ERT_USAGE);
    ert_lines_close(&lines);
}

static void folders_and_missing_files(void **state)
{
    assert_int_equal(ert_lines_open("/tmp", &lines, &error), ERT_USAGE);
    assert_contains(error.text, "folder");
    assert_int_equal(ert_lines_open("/nowhere/a.csv", &lines, &error), ERT_USAGE);
    assert_contains(error.text, "/nowhere/a.csv: No such file");
    ert_lines_close(&lines);
}

static void cells(void **state)
{
    static const struct {
        const char *line;
        char separator;
        size_t n;
        const char *cells[5];
    } rows[] = {
        {"a,b,c",                    ',', 3, {"a", "b", "c"}              },
        {"",                         ',', 1, {""}                         },
        {",",                        ',', 2, {"", ""}                     },
        {"a,,c,",                    ',', 4, {"a", "", "c", ""}           },
        {"\"a,b\",c",                ',', 2, {"a,b", "c"}                 },
        {"\"a\"\"b\",\"\"\"\"",      ',', 2, {"a\"b", "\""}               },
        {"\"\",\"\"",                ',', 2, {"", ""}                     },
        {"  a b  ,  \" c \"  , d",   ',', 3, {"a b", " c ", "d"}          },
        {"\"open,end",               ',', 1, {"open,end"}                 },
        {"\"a\"x,b",                 ',', 2, {"a", "b"}                   },
        {"a|b, c|\"d|e\"",           '|', 3, {"a", "b, c", "d|e"}         },
        {"a  b",                     ' ', 3, {"a", "", "b"}               },
        {"k<1, 2>(int),\"f(a, b)\"", ',', 3, {"k<1", "2>(int)", "f(a, b)"}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        open_text(*rows[r].line ? rows[r].line : "\n");
        assert_non_null(ert_lines_next(&lines));
        ert_lines_split(&lines, rows[r].separator);
        assert_int_equal(lines.n_cells, rows[r].n);
        for (size_t c = 0; c < rows[r].n; c++)
            assert_string_equal(ert_lines_cell(&lines, c), rows[r].cells[c]);
        assert_string_equal(ert_lines_cell(&lines, rows[r].n), "");
        assert_string_equal(ert_lines_cell(&lines, SIZE_MAX), "");
        ert_lines_close(&lines);
    }
}

static void columns_by_name(void **state)
{
    open_text("x,\"y, z\",x\nnext");
    ert_lines_next(&lines);
    ert_lines_split(&lines, ',');
    assert_int_equal(ert_lines_column(&lines, "x"), 0);
    assert_int_equal(ert_lines_column(&lines, "y, z"), 1);
    assert_true(ert_lines_column(&lines, "y") == SIZE_MAX);
    ert_lines_next(&lines);
    assert_int_equal(lines.n_cells, 0);
    ert_lines_close(&lines);
}

/* More cells than there is room for at first. */
static void many_cells(void **state)
{
    char text[2001];
    memset(text, ',', 2000);
    text[2000] = '\0';
    open_text(text);
    ert_lines_next(&lines);
    ert_lines_split(&lines, ',');
    assert_int_equal(lines.n_cells, 2001);
    ert_lines_close(&lines);
}

static void words_of_a_line(void **state)
{
    char line[] = "  one\ttwo   three ", *rest = line;
    assert_string_equal(ert_lines_word(&rest), "one");
    assert_string_equal(ert_lines_word(&rest), "two");
    assert_string_equal(rest, "  three ");
    assert_string_equal(ert_lines_word(&rest), "three");
    assert_string_equal(ert_lines_word(&rest), "");
    assert_string_equal(ert_lines_word(&rest), "");
}

static void good_numbers(void **state)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"0",                0             },
        {"007",              7             },
        {"1.5",              1.5           },
        {"1e9",              1e9           },
        {"1.25E-3",          1.25e-3       },
        {".5",               .5            },
        {"5.",               5             },
        {"+3",               3             },
        {"-0",               0             },
        {"134,957,158,144",  134957158144.0},
        {"1,619,726,202.90", 1619726202.90 },
        {"12,345",           12345         },
        {"123,456.5",        123456.5      },
    };
    lines = (struct ert_lines){.file = "a.csv", .number = 7};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value;
        enum ert_number kind;
        if (ert_lines_number(&lines, "x", rows[i].text, &value, &kind, &error) != ERT_OK)
            fail_msg("%s", error.text);
        assert_int_equal(kind, ERT_NUMBER);
        assert_close(value, rows[i].value, 0);
    }
}

static void no_numbers(void **state)
{
    static const char *const none[] = {
        "", "-", "n/a", "N/A", "<not counted>", "<not supported>"};
    static const char *const nan[] = {"nan", "NaN", "-nan", "NAN(0x1)", "-nan(ind)"};
    static const char *const bad[] = {
        "x",      "1x",   "1 2",    "-1",       "inf",        "-inf",    "1e999",  "65,77",
        "1,23,4", ",123", "1,234,", "1234,567", "27.595.520", "1.234,5", "0x10",   "1,2345",
        "12e",    "--1",  "+",      "1e5,000",  "5%",         "6.0GB/s", "1,,234", "."};
    double value;
    enum ert_number kind;
    lines = (struct ert_lines){.file = "a.csv", .number = 7};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_int_equal(ert_lines_number(&lines, "x", none[i], &value, &kind, &error),
                         ERT_OK);
        assert_int_equal(kind, ERT_NUMBER_NONE);
    }
    for (size_t i = 0; i < sizeof nan / sizeof nan[0]; i++) {
        assert_int_equal(ert_lines_number(&lines, "x", nan[i], &value, &kind, &error),
                         ERT_OK);
        assert_int_equal(kind, ERT_NUMBER_NAN);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (ert_lines_number(&lines, "a column", bad[i], &value, &kind, &error) !=
            ERT_USAGE)
            fail_msg("'%s' is taken for %g", bad[i], value);
        assert_contains(error.text, "a.csv: row 7: a column: '");
        assert_contains(error.text, bad[i]);
    }
}

/* Far longer than any number. */
static void a_very_long_number(void **state)
{
    char text[200];
    double value;
    enum ert_number kind;
    memset(text, '1', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    lines = (struct ert_lines){.file = "a.csv", .number = 1};
    assert_int_equal(ert_lines_number(&lines, "x", text, &value, &kind, &error), ERT_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_lines),
        cmocka_unit_test(controls_are_shown),
        cmocka_unit_test(a_line_beyond_the_limit_is_an_error),
        cmocka_unit_test(reading_ends_at_the_limit),
        cmocka_unit_test(folders_and_missing_files),
        cmocka_unit_test(cells),
        cmocka_unit_test(columns_by_name),
        cmocka_unit_test(many_cells),
        cmocka_unit_test(words_of_a_line),
        cmocka_unit_test(good_numbers),
        cmocka_unit_test(no_numbers),
        cmocka_unit_test(a_very_long_number),
    };
    return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
