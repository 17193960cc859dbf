/* SPDX-License-Identifier: BSD-3-Clause */
/* table: cells as aligned text, Markdown and CSV. */
#include "tests/unit/test.h"

#include "analysis/core/points/table.h"

#include <math.h>

static struct rfl_table table;

static void fill(void)
{
    table = (struct rfl_table){.n_columns = 0};
    rfl_table_column(&table, false, "kernel");
    rfl_table_column(&table, true, "time");
    rfl_table_column(&table, false, "note");
    rfl_table_cell(&table, "%s", "k|<1, 2>\\");
    rfl_table_cell(&table, "%d s", 12345);
    rfl_table_end_row(&table);
    rfl_table_cell(&table, "%s", "\303\251t\303\251"); /* 3 characters, 5 bytes */
    rfl_table_cell(&table, "%s", "");
    rfl_table_cell(&table, "say \"%s\"\nagain", "a,b");
    rfl_table_end_row(&table);
    rfl_table_end_row(&table); /* nothing began */
}

static void is_written(enum ert_format format, const char *wanted)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    table.format = format;
    rfl_table_write(&table, out);
    fclose(out);
    assert_string_equal(text, wanted);
    free(text);
    rfl_table_free(&table);
}

static void a_long_cell_is_whole(void **state)
{
    (void)state;
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    table = (struct rfl_table){.n_columns = 0};
    rfl_table_column(&table, false, "kernel");
    rfl_table_cell(&table, "%s", text);
    assert_string_equal(table.cells[1], text);
    rfl_table_free(&table);
}

static void aligned_text(void **state)
{
    (void)state;
    fill();
    is_written(ERT_TEXT_PLAIN, "kernel        time  note\n"
                               "k|<1, 2>\\  12345 s\n"
                               "\303\251t\303\251                 say \"a,b\"\\nagain\n");
}

static void markdown(void **state)
{
    (void)state;
    fill();
    is_written(ERT_TEXT_MARKDOWN, "| kernel | time | note |\n"
                                  "| --- | ---: | --- |\n"
                                  "| k\\|&lt;1, 2>\\\\ | 12345 s |  |\n"
                                  "| \303\251t\303\251 |  | say \"a,b\"\\nagain |\n");
}

static void csv(void **state)
{
    (void)state;
    fill();
    is_written(ERT_TEXT_CSV, "kernel,time,note\n"
                             "\"k|<1, 2>\\\",12345 s,\n"
                             "\303\251t\303\251,,\"say \"\"a,b\"\"\\nagain\"\n");
}

static void rows_of_csv_are_written_one_by_one(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    table = (struct rfl_table){.format = ERT_TEXT_CSV};
    rfl_table_column(&table, false, "%s%d", "a", 1);
    for (int i = 1; i < 3; i++) {
        rfl_table_cell(&table, "%d", i);
        rfl_table_flush(&table, out);
        assert_int_equal(table.n_cells, 0);
    }
    rfl_table_write(&table, out);
    fclose(out);
    assert_string_equal(text, "a1\n1\n2\n");
    free(text);
}

/* For readers with their units, in CSV as SI doubles; what is not known. */
static void numbers_by_their_units(void **state)
{
    static const struct {
        const char *how;
        double value;
        const char *text, *csv;
    } rows[] = {
        {"s",         0.0125,   "12.5 ms",       "0.0125"      },
        {"byte/s",    4.62e12,  "4620 GB/s",     "4.62e+12"    },
        {"byte",      2e9,      "2.000 GB",      "2000000000"  },
        {"flop",      2e9,      "2.000 GFLOP",   "2000000000"  },
        {"flop/s",    2e9,      "2.000 GFLOP/s", "2000000000"  },
        {"op/s",      2e9,      "2.000 GOP/s",   "2000000000"  },
        {"flop/J",    2e10,     "20 GFLOP/J",    "2e+10"       },
        {"flop/byte", 1. / 3,   "0.3333",        "0.3333333333"},
        {"",          1. / 3,   "0.3333",        "0.3333333333"},
        {"%.2f %%",   0.1,      "10.00 %",       "0.1"         },
        {"%+.1f",     0.1,      "+0.1",          "0.1"         },
        {"s",         NAN,      "-",             ""            },
        {"%.1f %%",   INFINITY, "-",             ""            },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        table = (struct rfl_table){.format = ERT_TEXT_PLAIN};
        rfl_table_number(&table, rows[i].how, rows[i].value);
        assert_string_equal(table.cells[0], rows[i].text);
        table.format = ERT_TEXT_CSV;
        rfl_table_number(&table, rows[i].how, rows[i].value);
        assert_string_equal(table.cells[1], rows[i].csv);
        rfl_table_positive(&table, rows[i].how, -rows[i].value);
        assert_string_equal(table.cells[2], "");
        rfl_table_free(&table);
    }
}

static void columns_of_one_text(void **state)
{
    (void)state;
    table = (struct rfl_table){.n_columns = 0};
    rfl_table_columns(&table, "");
    rfl_table_columns(&table, "kernel|>time");
    rfl_table_columns(&table, ">share");
    assert_int_equal(table.n_columns, 3);
    rfl_table_cell(&table, "a");
    rfl_table_number(&table, "%.2f s", 1.5);
    rfl_table_number(&table, "%.2f", NAN);
    is_written(ERT_TEXT_MARKDOWN, "| kernel | time | share |\n"
                                  "| --- | ---: | ---: |\n"
                                  "| a | 1.50 s | - |\n");
}

static void empty_tables(void **state)
{
    (void)state;
    table = (struct rfl_table){.n_columns = 0};
    is_written(ERT_TEXT_PLAIN, "");
    rfl_table_column(&table, false, "a");
    is_written(ERT_TEXT_CSV, "a\n");
}

static void many_rows_and_columns(void **state)
{
    enum { COLUMNS = 35 };
    (void)state;
    table = (struct rfl_table){.n_columns = 0};
    for (int c = 0; c < COLUMNS; c++)
        rfl_table_column(&table, true, "c");
    assert_int_equal(table.n_columns, COLUMNS);
    for (int i = 0; i < 100 * COLUMNS; i++)
        rfl_table_cell(&table, "%d", i);
    assert_int_equal(table.n_cells, 101 * COLUMNS);
    assert_string_equal(table.cells[COLUMNS + 2399], "2399");
    rfl_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_cell_is_whole),
        cmocka_unit_test(aligned_text),
        cmocka_unit_test(markdown),
        cmocka_unit_test(csv),
        cmocka_unit_test(rows_of_csv_are_written_one_by_one),
        cmocka_unit_test(numbers_by_their_units),
        cmocka_unit_test(columns_of_one_text),
        cmocka_unit_test(empty_tables),
        cmocka_unit_test(many_rows_and_columns),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
