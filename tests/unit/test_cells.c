/* table: cells as aligned text, Markdown and CSV. */
#include "tests/unit/test.h"

#include "analysis/table.h"

#include <math.h>

static struct rfl_table table;

static void fill(void)
{
    table = (struct rfl_table){.n_columns = 0};
    rfl_table_column(&table, "kernel", false);
    rfl_table_column(&table, "time", true);
    rfl_table_column(&table, "note", false);
    rfl_table_cell(&table, "%s", "k|<1, 2>\\");
    rfl_table_cell(&table, "%d s", 12345);
    rfl_table_end_row(&table);
    rfl_table_cell(&table, "%s", "\303\251t\303\251"); /* 3 characters, 5 bytes */
    rfl_table_cell(&table, "%s", "");
    rfl_table_cell(&table, "say \"%s\"\nagain", "a,b");
    rfl_table_end_row(&table);
    rfl_table_end_row(&table); /* nothing began */
}

static void is_written(enum rfl_table_format format, const char *wanted)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    rfl_table_write(&table, format, out);
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
    rfl_table_column(&table, "kernel", false);
    rfl_table_cell(&table, "%s", text);
    assert_string_equal(table.cells[0], text);
    rfl_table_free(&table);
}

static void aligned_text(void **state)
{
    (void)state;
    fill();
    is_written(RFL_TABLE_TEXT, "kernel        time  note\n"
                               "k|<1, 2>\\  12345 s\n"
                               "\303\251t\303\251                 say \"a,b\"\nagain\n");
}

static void markdown(void **state)
{
    (void)state;
    fill();
    is_written(RFL_TABLE_MARKDOWN, "| kernel | time | note |\n"
                                   "| --- | ---: | --- |\n"
                                   "| k\\|&lt;1, 2>\\\\ | 12345 s |  |\n"
                                   "| \303\251t\303\251 |  | say \"a,b\" again |\n");
}

static void csv(void **state)
{
    (void)state;
    fill();
    is_written(RFL_TABLE_CSV, "kernel,time,note\n"
                              "\"k|<1, 2>\\\",12345 s,\n"
                              "\303\251t\303\251,,\"say \"\"a,b\"\"\nagain\"\n");
}

static void continued_csv_has_no_header(void **state)
{
    (void)state;
    table = (struct rfl_table){.is_continued = true};
    rfl_table_column(&table, "a", false);
    rfl_table_cell(&table, "%d", 1);
    is_written(RFL_TABLE_CSV, "1\n");
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
    is_written(RFL_TABLE_MARKDOWN, "| kernel | time | share |\n"
                                   "| --- | ---: | ---: |\n"
                                   "| a | 1.50 s | - |\n");
}

static void empty_tables(void **state)
{
    (void)state;
    table = (struct rfl_table){.n_columns = 0};
    is_written(RFL_TABLE_TEXT, "");
    rfl_table_column(&table, "a", false);
    is_written(RFL_TABLE_CSV, "a\n");
}

static void many_rows_and_columns(void **state)
{
    (void)state;
    table = (struct rfl_table){.n_columns = 0};
    for (int c = 0; c < RFL_MAX_TABLE_COLUMNS + 3; c++)
        rfl_table_column(&table, "c", true);
    assert_int_equal(table.n_columns, RFL_MAX_TABLE_COLUMNS);
    for (int i = 0; i < 100 * RFL_MAX_TABLE_COLUMNS; i++)
        rfl_table_cell(&table, "%d", i);
    assert_int_equal(table.n_cells, 100 * RFL_MAX_TABLE_COLUMNS);
    assert_string_equal(table.cells[2399], "2399");
    rfl_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_cell_is_whole),
        cmocka_unit_test(aligned_text),
        cmocka_unit_test(markdown),
        cmocka_unit_test(csv),
        cmocka_unit_test(continued_csv_has_no_header),
        cmocka_unit_test(columns_of_one_text),
        cmocka_unit_test(empty_tables),
        cmocka_unit_test(many_rows_and_columns),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
