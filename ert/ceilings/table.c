#include "ert/ceilings/table.h"

#include "ert/base/alloc.h"
#include "ert/base/units.h"
#include "ert/ceilings/traffic.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void write_row(FILE *out, const struct ert_columns_row *row, const size_t *widths)
{
    size_t last = 0;
    for (size_t c = 0; c < ERT_N_COLUMNS; c++)
        if (row->cells[c][0])
            last = c;
    for (size_t c = 0; c < last; c++)
        if (widths[c])
            fprintf(out, "  %-*s", (int)widths[c], row->cells[c]);
    fprintf(out, "  %s\n", row->cells[last]);
}

void ert_columns_write(FILE *out, const struct ert_columns_row *rows, size_t n_rows)
{
    size_t widths[ERT_N_COLUMNS] = {0};
    for (size_t i = 0; i < n_rows; i++)
        for (size_t c = 0; c < ERT_N_COLUMNS; c++)
            if (strlen(rows[i].cells[c]) > widths[c])
                widths[c] = strlen(rows[i].cells[c]);
    for (size_t i = 0; i < n_rows; i++)
        write_row(out, &rows[i], widths);
}

enum { MAX_ROWS = 1 + ERT_MAX_COMPUTE + ERT_MAX_MEMORY };

enum column { NAME, VALUE, INTERVAL, THEORY, CLOCK, KERNEL, POWER, NOTE };

/* A warning about one ceiling or more, whose texts differ in their numbers at most. */
struct warning {
    const char *first;
    size_t n;
    const char *all[MAX_ROWS];
};

/* The rows of one device, and the warnings that they point to by number. */
struct table {
    size_t n_rows, n_warnings;
    struct ert_columns_row rows[MAX_ROWS];
    struct warning warnings[MAX_ROWS];
};

static const struct ert_columns_row head = {
    {"ceiling", "value", "interval (90 %)", "of theory", "at clock",
     "kernel, configuration", "power", "note"}
};

/* Adds to a cell, after ", " when there is something in it already. */
static void __attribute__((format(printf, 2, 3)))
add(char cell[ERT_COLUMN_TEXT], const char *format, ...)
{
    size_t used = strlen(cell);
    if (used)
        used += (size_t)snprintf(cell + used, ERT_COLUMN_TEXT - used, ", ");
    if (used >= ERT_COLUMN_TEXT)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell + used, ERT_COLUMN_TEXT - used, format, arguments);
    va_end(arguments);
}

static const char *behind_number(const char *text)
{
    while (*text >= '0' && *text <= '9')
        text++;
    if (*text == '.' && text[1] >= '0' && text[1] <= '9')
        return behind_number(text + 1);
    return text;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_like(const char *a, const char *b)
{
    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            a = behind_number(a);
            b = behind_number(b);
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return *a == *b;
}

/* The number of a warning among the table's, from 1; the same words get the same number. */
static size_t warning_number(struct table *table, const char *warning)
{
    size_t i = 0;
    while (i < table->n_warnings && !is_like(table->warnings[i].first, warning))
        i++;
    if (i == table->n_warnings)
        table->warnings[table->n_warnings++] = (struct warning){.first = warning};
    struct warning *row = &table->warnings[i];
    if (row->n < MAX_ROWS)
        row->all[row->n++] = warning;
    return i + 1;
}

/* Writes the texts of a warning as one: a number that differs as "LEAST to MOST". */
static void write_warning(FILE *out, const struct warning *warning)
{
    const char *at[MAX_ROWS];
    memcpy(at, warning->all, warning->n * sizeof at[0]);
    while (*at[0]) {
        if (!is_digit(*at[0])) {
            fputc(*at[0], out);
            for (size_t i = 0; i < warning->n; i++)
                at[i]++;
            continue;
        }
        const char *least = at[0], *most = at[0];
        for (size_t i = 0; i < warning->n; i++) {
            least = strtod(at[i], NULL) < strtod(least, NULL) ? at[i] : least;
            most = strtod(at[i], NULL) > strtod(most, NULL) ? at[i] : most;
            at[i] = behind_number(at[i]);
        }
        fprintf(out, "%.*s", (int)(behind_number(least) - least), least);
        if (strtod(least, NULL) < strtod(most, NULL))
            fprintf(out, " to %.*s", (int)(behind_number(most) - most), most);
    }
    if (warning->n > 1)
        fprintf(out, " (%zu ceilings)", warning->n);
}

static void add_warning(struct table *table, char cell[ERT_COLUMN_TEXT],
                        const struct ert_ceiling *ceiling)
{
    if (ceiling->throttle_reasons[0])
        add(cell, "throttle reason %s", ceiling->throttle_reasons);
    if (ceiling->confidence != ERT_CONFIDENCE_HIGH)
        add(cell, "confidence %s", ert_confidence_name(ceiling->confidence));
    /* By more than it is uncertain: theory is of a clock that was measured, too. */
    if (ceiling->fraction_of_theory * ceiling->low > ceiling->value)
        add(cell, "above theory: check");
    if (ceiling->warning[0]) {
        ert_append(cell, ERT_COLUMN_TEXT, "%s[%zu]", *cell ? " " : "",
                   warning_number(table, ceiling->warning));
    }
}

/* "968 TFLOP/s for 30 ms": what short kernels get, where it is another rate. */
static void add_burst(char cell[ERT_COLUMN_TEXT], const char *operation,
                      const struct ert_ceiling *ceiling)
{
    char text[ERT_UNITS_TEXT], time[ERT_UNITS_TEXT];
    if (ceiling->falls_after_s > 0)
        add(cell, "%s for %s", ert_units_rate(ceiling->burst, operation, text),
            ert_units_time(ceiling->falls_after_s, time));
}

/* "650 W, 51.2 GFLOP/J": metered, or nothing. */
static void add_power(char cell[ERT_COLUMN_TEXT], const char *operation,
                      const struct ert_ceiling *ceiling)
{
    char text[ERT_UNITS_TEXT];
    if (!(ceiling->power_w > 0))
        return;
    ert_units_rate(ceiling->per_joule, operation, text);
    char *per_s = strstr(text, "/s");
    if (per_s)
        memcpy(per_s, "/J", 2);
    add(cell, "%.0f W", ceiling->power_w);
    if (ceiling->per_joule > 0)
        add(cell, "%s", text);
}

static struct ert_columns_row *add_ceiling(struct table *table, const char *operation,
                                           const struct ert_ceiling *ceiling)
{
    struct ert_columns_row *row = &table->rows[table->n_rows++];
    char text[ERT_UNITS_TEXT], interval[2 * ERT_UNITS_TEXT + 8];
    memset(row, 0, sizeof *row);
    add(row->cells[NAME], "%s", ceiling->name);
    add(row->cells[VALUE], "%s", ert_units_rate(ceiling->value, operation, text));
    add(row->cells[INTERVAL], "%s",
        ert_units_pair(ceiling->low, " .. ", ceiling->high, operation, interval));
    if (ceiling->theory > 0)
        add(row->cells[THEORY], "%.1f %% of %s", 100 * ceiling->fraction_of_theory,
            ert_units_rate(ceiling->theory, operation, text));
    else
        add(row->cells[THEORY], "unknown");
    add(row->cells[CLOCK], "%s",
        ceiling->clock_hz > 0 ? ert_units_frequency(ceiling->clock_hz, text) : "unknown");
    add(row->cells[KERNEL], "%s", ceiling->kernel);
    if (ceiling->launch.name[0])
        add(row->cells[KERNEL], "%s", ceiling->launch.name);
    if (ceiling->ert110.flops_per_element) /* such launches say their threads */
        add(row->cells[KERNEL], "%u flops", ceiling->ert110.flops_per_element);
    else if (ceiling->launch.threads && !ceiling->blocks)
        add(row->cells[KERNEL], "%u thread%s", (unsigned)ceiling->launch.threads,
            ceiling->launch.threads == 1 ? "" : "s");
    add_burst(row->cells[NOTE], operation, ceiling);
    add_power(row->cells[POWER], operation, ceiling);
    return row;
}

/* "75 % reads, moves 1.33x": what a pattern reads, and what its level moves per useful byte. */
static void add_traffic(char cell[ERT_COLUMN_TEXT], const struct ert_device *device,
                        const struct ert_memory_ceiling *ceiling)
{
    struct ert_traffic traffic;
    if (!ert_traffic_of(device, ceiling, &traffic))
        return;
    add(cell, "%.0f %% reads", 100 * traffic.reads);
    if (traffic.allocated > 0)
        add(cell, "moves %s%.3gx by write-allocate", traffic.is_upper ? "up to " : "",
            traffic.actual);
}

static void add_memory(struct table *table, const struct ert_device *device,
                       const struct ert_memory_ceiling *ceiling)
{
    struct ert_columns_row *row = add_ceiling(table, "byte", &ceiling->common);
    char text[ERT_UNITS_TEXT];
    if (ceiling->actual_bytes > 0 && ceiling->actual_bytes < 0x1p62)
        add(row->cells[KERNEL], "%s",
            ert_units_capacity((uint64_t)ceiling->actual_bytes, text));
    add_traffic(row->cells[NOTE], device, ceiling);
    if (ceiling->roof)
        add(row->cells[NOTE], "fastest of %s", ceiling->level);
    add_warning(table, row->cells[NOTE], &ceiling->common);
}

static void fill(struct table *table, const struct ert_machine *machine,
                 const struct ert_device_ceilings *device)
{
    const struct ert_device *known =
        machine ? ert_machine_device(machine, device->device) : NULL;
    table->n_rows = table->n_warnings = 0;
    table->rows[table->n_rows++] = head;
    for (size_t i = 0; i < device->n_compute; i++) {
        const struct ert_ceiling *ceiling = &device->compute[i].common;
        const char *operation = ert_operation_of(device->compute[i].type);
        add_warning(table, add_ceiling(table, operation, ceiling)->cells[NOTE], ceiling);
    }
    for (size_t i = 0; i < device->n_memory; i++)
        add_memory(table, known, &device->memory[i]);
}

static void write_head(FILE *out, const struct ert_ceilings *ceilings,
                       const struct ert_device_ceilings *device)
{
    const struct ert_device *found =
        ceilings->machine ? ert_machine_device(ceilings->machine, device->device) : NULL;
    char text[ERT_UNITS_TEXT];
    fprintf(out, "%s: %s", device->device,
            found && found->name[0] ? found->name : "no name");
    if (device->held_hz > 0)
        fprintf(out, ", clock held %s", ert_units_frequency(device->held_hz, text));
    if (ceilings->created[0])
        fprintf(out, ", %s", ceilings->created);
    fprintf(out, "\n");
    if (!device->valid)
        fprintf(out, "  not valid: %s\n",
                device->warnings[0] ? device->warnings : "no reason given");
}

static void write_not_measured(FILE *out, const struct ert_device_ceilings *device)
{
    const struct ert_not_measured *list = device->not_measured;
    for (size_t i = 0; i < device->n_not_measured; i++) {
        bool is_said = false;
        for (size_t j = 0; j < i && !is_said; j++)
            is_said = strcmp(list[j].reason, list[i].reason) == 0;
        if (is_said)
            continue;
        fprintf(out, "  not measured: %s", list[i].name);
        for (size_t j = i + 1; j < device->n_not_measured; j++)
            if (strcmp(list[j].reason, list[i].reason) == 0)
                fprintf(out, ", %s", list[j].name);
        fprintf(out, ": %s\n", list[i].reason);
    }
}

static void write_tail(FILE *out, const struct table *table,
                       const struct ert_device_ceilings *device)
{
    char low[ERT_UNITS_TEXT], high[ERT_UNITS_TEXT], value[ERT_UNITS_TEXT];
    for (size_t i = 0; i < table->n_warnings; i++) {
        fprintf(out, "  [%zu] ", i + 1);
        write_warning(out, &table->warnings[i]);
        fputc('\n', out);
    }
    for (size_t i = 0; i < device->n_unattributed; i++) {
        const struct ert_unattributed_plateau *plateau = &device->unattributed[i];
        fprintf(out, "  unattributed: %s, %s, %s to %s: %s: %s\n", plateau->kernel,
                plateau->path,
                ert_units_capacity((uint64_t)fmin(plateau->bytes[0], 0x1p62), low),
                ert_units_capacity((uint64_t)fmin(plateau->bytes[1], 0x1p62), high),
                ert_units_bandwidth(plateau->rate_bytes_per_s, value), plateau->why);
    }
    write_not_measured(out, device);
}

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

static void set_warning(struct block *block, size_t column,
                        const struct ert_ceiling *ceiling)
{
    if (ceiling->confidence != ERT_CONFIDENCE_HIGH)
        set(block, column, ceiling->warning);
}

static void add_latency(struct block *block, const struct ert_extra *extra)
{
    char text[ERT_UNITS_TEXT], clocks[48] = "";
    if (extra->common.clock_hz > 0)
        snprintf(clocks, sizeof clocks, "%.0f clocks",
                 extra->common.value * extra->common.clock_hz);
    set(block, 2, clocks);
    set(block, 3, ert_units_capacity((uint64_t)extra->actual_bytes, text));
    set(block, 4, extra->common.launch.name);
    set_warning(block, 5, &extra->common);
}

static void add_link(struct block *block, const struct ert_extra *extra)
{
    char text[ERT_UNITS_TEXT], interval[2 * ERT_UNITS_TEXT + 8], high[ERT_UNITS_TEXT];
    snprintf(interval, sizeof interval, "%s .. %s",
             ert_units_rate(extra->common.low, extra->operation, text),
             ert_units_rate(extra->common.high, extra->operation, high));
    set(block, 2, interval);
    set_warning(block, 3, &extra->common);
}

static void add_core_kind(struct block *block, const struct ert_extra *extra)
{
    char count[32];
    snprintf(count, sizeof count, "%u core%s", extra->count, extra->count == 1 ? "" : "s");
    set(block, 2, count);
    set_warning(block, 3, &extra->common);
}

static void add_multi_gpu(struct block *block, const struct ert_extra *extra)
{
    char text[ERT_UNITS_TEXT], alone[ERT_UNITS_TEXT + 32] = "alone: unknown";
    char count[32];
    snprintf(count, sizeof count, "%u at once", extra->count);
    set(block, 2, count);
    if (extra->alone > 0)
        snprintf(alone, sizeof alone, "alone %s: %.1f %%",
                 ert_units_rate(extra->alone, extra->operation, text),
                 100 * extra->common.value / extra->alone);
    set(block, 3, alone);
    if (extra->aggregate > 0) {
        char all[ERT_UNITS_TEXT + 48];
        snprintf(all, sizeof all, "all %s, slowest / mean %.3f",
                 ert_units_rate(extra->aggregate, extra->operation, text),
                 extra->imbalance);
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
                 ert_units_rate(list[i].common.value, list[i].operation, text));
    }
    fprintf(out, "\n  %s\n", origin.title);
    ert_columns_write(out, block->rows, block->n);
}

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

/* How each kind is shown: rows under a title, behind name and value, or matrices. */
static const struct {
    const char *title;
    void (*add)(struct block *block, const struct ert_extra *extra);
    struct place (*place_of)(const struct ert_extra *extra);
} kinds[ERT_N_EXTRA_KINDS] = {
    [ERT_EXTRA_LATENCY] = {"latency of dependent loads", add_latency,   NULL             },
    [ERT_EXTRA_ACCESS] = {NULL,                         NULL,          access_place     },
    [ERT_EXTRA_CONCURRENCY] = {NULL,                         NULL,          concurrency_place},
    [ERT_EXTRA_LINK] = {"links",                      add_link,      NULL             },
    [ERT_EXTRA_NUMA] = {"NUMA nodes from packages",   add_link,      NULL             },
    [ERT_EXTRA_CORE_KIND] = {"kinds of cores",             add_core_kind, NULL             },
    [ERT_EXTRA_MULTI_GPU] = {"all devices at once",        add_multi_gpu, NULL             },
};

static void write_extras(FILE *out, const struct ert_device_ceilings *device)
{
    struct block block = {ert_xcalloc(ERT_MAX_EXTRA + 1, sizeof *block.rows), 0};
    for (int kind = 0; kind < ERT_N_EXTRA_KINDS; kind++) {
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
            char text[ERT_UNITS_TEXT];
            new_row(&block);
            set(&block, 0, list[i].common.name);
            set(&block, 1, ert_units_rate(list[i].common.value, list[i].operation, text));
            kinds[kind].add(&block, &list[i]);
        }
        fprintf(out, "\n  %s\n", kinds[kind].title);
        ert_columns_write(out, block.rows, block.n);
    }
    free(block.rows);
}

void ert_ceilings_table(FILE *out, const struct ert_ceilings *ceilings)
{
    struct table *table = ert_xcalloc(1, sizeof *table);
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        const struct ert_device_ceilings *device = &ceilings->devices[i];
        fill(table, ceilings->machine, device);
        fprintf(out, "%s", i ? "\n" : "");
        write_head(out, ceilings, device);
        if (table->n_rows > 1)
            ert_columns_write(out, table->rows, table->n_rows);
        else
            fprintf(out, "  no ceilings\n");
        write_tail(out, table, device);
        write_extras(out, device);
    }
    free(table);
}

/* A peak's name begins with its type: "int8-mma". */
static const char *peak_operation(const struct ert_peak *peak)
{
    char type[sizeof peak->name];
    snprintf(type, sizeof type, "%.*s", (int)strcspn(peak->name, "-"), peak->name);
    return peak->unit == ERT_PEAK_BYTE_PER_S ? "byte" : ert_operation_of(type);
}

void ert_peaks_table(FILE *out, const struct ert_peak *peaks, size_t n_peaks)
{
    struct ert_columns_row rows[1 + ERT_MAX_PEAKS] = {
        {{"peak", "clock", "at", "value", "formula", "source"}}};
    size_t n_rows = 1;
    for (size_t i = 0; i < n_peaks && i < ERT_MAX_PEAKS; i++) {
        const struct ert_peak *peak = &peaks[i];
        struct ert_columns_row *row = &rows[n_rows++];
        char text[ERT_UNITS_TEXT];
        add(row->cells[0], "%s", peak->name);
        add(row->cells[1], "%s", peak->clock);
        add(row->cells[2], "%s",
            peak->clock_hz > 0 ? ert_units_frequency(peak->clock_hz, text) : "unknown");
        add(row->cells[3], "%s",
            peak->value > 0 ? ert_units_rate(peak->value, peak_operation(peak), text)
                            : "unknown");
        add(row->cells[4], "%s", peak->value > 0 ? peak->formula : peak->unknown);
        add(row->cells[5], "%s", peak->value > 0 ? peak->source : "");
    }
    ert_columns_write(out, rows, n_rows);
}
