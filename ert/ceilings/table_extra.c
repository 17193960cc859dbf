#include "ert/ceilings/table_extra.h"

#include "ert/base/units.h"
#include "ert/ceilings/columns.h"

#include <stdlib.h>
#include <string.h>

/* A block of rows under a title. */
struct block {
    struct ert_columns_row *rows; /* ERT_MAX_EXTRA + 1 of them */
    size_t n;
};

static void set(struct block *block, size_t column, const char *text)
{
    snprintf(block->rows[block->n - 1].cells[column], ERT_COLUMN_TEXT, "%s", text);
}

static void new_row(struct block *block)
{
    memset(&block->rows[block->n++], 0, sizeof block->rows[0]);
}

static const char *value_text(const struct ert_extra *extra, double value,
                              char text[ERT_UNITS_TEXT])
{
    if (strcmp(extra->operation, "s") == 0)
        return ert_units_time(value, text);
    return strcmp(extra->operation, "byte/s") == 0
               ? ert_units_bandwidth(value, text)
               : ert_units_operations(value, extra->operation, text);
}

static void add_doubt(struct block *block, size_t column, const struct ert_ceiling *ceiling)
{
    if (ceiling->confidence != ERT_CONFIDENCE_HIGH)
        set(block, column, ceiling->doubt);
}

static void add_latency(struct block *block, const struct ert_extra *extra)
{
    char text[ERT_UNITS_TEXT], clocks[48] = "";
    set(block, 0, extra->common.name);
    set(block, 1, value_text(extra, extra->common.value, text));
    if (extra->common.clock_hz > 0)
        snprintf(clocks, sizeof clocks, "%.0f clocks",
                 extra->common.value * extra->common.clock_hz);
    set(block, 2, clocks);
    set(block, 3, ert_units_capacity((uint64_t)extra->working_set_bytes, text));
    set(block, 4, extra->common.launch.name);
    add_doubt(block, 5, &extra->common);
}

static void add_link(struct block *block, const struct ert_extra *extra)
{
    char text[ERT_UNITS_TEXT], interval[2 * ERT_UNITS_TEXT + 8], high[ERT_UNITS_TEXT];
    set(block, 0, extra->common.name);
    set(block, 1, value_text(extra, extra->common.value, text));
    snprintf(interval, sizeof interval, "%s .. %s",
             value_text(extra, extra->common.low, text),
             value_text(extra, extra->common.high, high));
    set(block, 2, interval);
    add_doubt(block, 3, &extra->common);
}

static void add_together(struct block *block, const struct ert_extra *extra)
{
    char text[ERT_UNITS_TEXT], alone[ERT_UNITS_TEXT + 32] = "alone: unknown";
    char count[32];
    set(block, 0, extra->common.name);
    set(block, 1, value_text(extra, extra->common.value, text));
    snprintf(count, sizeof count, "%u at once", extra->count);
    set(block, 2, count);
    if (extra->alone > 0)
        snprintf(alone, sizeof alone, "alone %s: %.1f %%",
                 value_text(extra, extra->alone, text),
                 100 * extra->common.value / extra->alone);
    set(block, 3, alone);
    if (extra->aggregate > 0) {
        char all[ERT_UNITS_TEXT + 48];
        snprintf(all, sizeof all, "all %s, slowest / mean %.3f",
                 value_text(extra, extra->aggregate, text), extra->imbalance);
        set(block, 4, all);
    }
}

/* The numbers by which a matrix is laid out: its name, row and column of an element. */
struct place {
    char title[112];
    uint32_t row, column;
};

static struct place access_place(const struct ert_extra *extra)
{
    struct place place = {.row = extra->stride_bytes, .column = extra->access_bytes};
    snprintf(place.title, sizeof place.title,
             "%s, useful bytes: stride down, access size across (byte)", extra->level);
    return place;
}

static struct place concurrency_place(const struct ert_extra *extra)
{
    struct place place = {.row = extra->count, .column = extra->ilp};
    snprintf(place.title, sizeof place.title, "%s: %s down%s", extra->of, extra->axis,
             extra->ilp ? ", independent operations per thread across" : "");
    return place;
}

/* Writes all elements from `first` on that share its matrix. */
static void write_matrix(FILE *out, const struct ert_extra *list, size_t n, size_t first,
                         struct place (*place_of)(const struct ert_extra *),
                         struct block *block)
{
    struct place origin = place_of(&list[first]);
    uint32_t columns[ERT_N_COLUMNS - 1];
    size_t n_columns = 0;
    block->n = 0;
    new_row(block);
    for (size_t i = first; i < n; i++) {
        struct place place = place_of(&list[i]);
        char text[ERT_UNITS_TEXT], number[16];
        if (strcmp(place.title, origin.title) != 0)
            continue;
        size_t column = 0, row = 1;
        while (column < n_columns && columns[column] != place.column)
            column++;
        if (column == ERT_N_COLUMNS - 1)
            continue; /* wider than a table: the file has it */
        if (column == n_columns) {
            columns[n_columns++] = place.column;
            snprintf(number, sizeof number, "%u", place.column);
            snprintf(block->rows[0].cells[1 + column], ERT_COLUMN_TEXT, "%s",
                     place.column ? number : "");
        }
        snprintf(number, sizeof number, "%u", place.row);
        while (row < block->n && strcmp(block->rows[row].cells[0], number) != 0)
            row++;
        if (row == block->n) {
            new_row(block);
            set(block, 0, number);
        }
        snprintf(block->rows[row].cells[1 + column], ERT_COLUMN_TEXT, "%s",
                 value_text(&list[i], list[i].common.value, text));
    }
    fprintf(out, "\n  %s\n", origin.title);
    ert_columns_write(out, block->rows, block->n);
}

/* One matrix per title, in the order of first elements. */
static void write_matrices(FILE *out, const struct ert_extra *list, size_t n,
                           struct place (*place_of)(const struct ert_extra *),
                           struct block *block)
{
    for (size_t i = 0; i < n; i++) {
        struct place place = place_of(&list[i]);
        bool is_first = true;
        for (size_t j = 0; j < i && is_first; j++)
            is_first = strcmp(place_of(&list[j]).title, place.title) != 0;
        if (is_first)
            write_matrix(out, list, n, i, place_of, block);
    }
}

/* How each kind is shown: rows under a title, or matrices. */
static const struct {
    const char *title;
    void (*add)(struct block *block, const struct ert_extra *extra);
    struct place (*place_of)(const struct ert_extra *extra);
} kinds[ERT_N_EXTRA_KINDS] = {
    [ERT_EXTRA_LATENCY] = {"latency of dependent loads", add_latency,  NULL             },
    [ERT_EXTRA_ACCESS] = {NULL,                         NULL,         access_place     },
    [ERT_EXTRA_CONCURRENCY] = {NULL,                         NULL,         concurrency_place},
    [ERT_EXTRA_LINK] = {"links",                      add_link,     NULL             },
    [ERT_EXTRA_PLACE] = {"memories from packages",     add_link,     NULL             },
    [ERT_EXTRA_TOGETHER] = {"all devices at once",        add_together, NULL             },
};

void ert_table_extras(FILE *out, const struct ert_device_ceilings *device)
{
    struct block block = {calloc(ERT_MAX_EXTRA + 1, sizeof *block.rows), 0};
    for (int kind = 0; kind < ERT_N_EXTRA_KINDS && block.rows; kind++) {
        const struct ert_extra *list = device->extra[kind];
        size_t n = device->n_extra[kind];
        if (n == 0)
            continue;
        if (kinds[kind].place_of) {
            write_matrices(out, list, n, kinds[kind].place_of, &block);
            continue;
        }
        block.n = 0;
        for (size_t i = 0; i < n; i++) {
            new_row(&block);
            kinds[kind].add(&block, &list[i]);
        }
        fprintf(out, "\n  %s\n", kinds[kind].title);
        ert_columns_write(out, block.rows, block.n);
    }
    if (!block.rows)
        fprintf(out, "  more ceilings: out of memory\n");
    free(block.rows);
}
