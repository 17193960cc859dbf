/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/ceilings/table.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/text.h"
#include "ert/core/base/units.h"
#include "ert/core/ceilings/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ert_columns_row(struct ert_columns *table)
{
    table->rows = ert_xgrow(table->rows, table->n, &table->capacity, sizeof *table->rows);
    memset(&table->rows[table->n++], 0, sizeof *table->rows);
}

void ert_columns_texts(struct ert_columns *table, const char *const *names)
{
    ert_columns_row(table);
    for (size_t c = 0; names[c]; c++)
        ert_columns_add(table, c, "%s", names[c]);
}

void ert_columns_add(struct ert_columns *table, size_t column, const char *format, ...)
{
    char *cell = table->rows[table->n - 1].cells[column];
    size_t used = strlen(cell);
    if (used)
        used += (size_t)snprintf(cell + used, ERT_COLUMN_TEXT - used, ", ");
    if (used >= ERT_COLUMN_TEXT)
        return;
    ERT_FORMAT(cell + used, ERT_COLUMN_TEXT - used, format);
}

void ert_columns_write(FILE *out, struct ert_columns *table)
{
    size_t widths[ERT_N_COLUMNS] = {0};
    for (size_t i = 0; i < table->n; i++)
        for (size_t c = 0; c < ERT_N_COLUMNS; c++)
            if (strlen(table->rows[i].cells[c]) > widths[c])
                widths[c] = strlen(table->rows[i].cells[c]);
    for (size_t i = 0; i < table->n; i++) {
        const struct ert_columns_row *row = &table->rows[i];
        size_t last = 0;
        for (size_t c = 0; c < ERT_N_COLUMNS; c++)
            if (row->cells[c][0])
                last = c;
        for (size_t c = 0; c < last; c++)
            if (widths[c])
                fprintf(out, "  %-*s", (int)widths[c], row->cells[c]);
        fprintf(out, "  %s\n", row->cells[last]);
    }
    free(table->rows);
    *table = (struct ert_columns){0};
}

enum { PEAK_COLUMNS = 100 };

enum column { NAME, VALUE, INTERVAL, THEORY, CLOCK, KERNEL, POWER, NOTE };

/* A warning about one or more ceilings, with texts that differ at most in their numbers. */
struct warning {
    const char *text; /* the first */
    size_t n;
};

/* The rows of one device, and the warnings that they refer to by number. */
struct table {
    struct ert_columns columns;
    struct warning *warnings;
    size_t n_warnings, capacity;
};

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

/* The number, from 1, of a warning in the table; warnings with the same words share it. */
static size_t warning_number(struct table *table, const char *text)
{
    size_t i = 0;
    while (i < table->n_warnings && !is_like(table->warnings[i].text, text))
        i++;
    if (i == table->n_warnings) {
        table->warnings = ert_xgrow(table->warnings, table->n_warnings++, &table->capacity,
                                    sizeof *table->warnings);
        table->warnings[i] = (struct warning){.text = text};
    }
    table->warnings[i].n++;
    return i + 1;
}

static void add_warning(struct table *table, const struct ert_ceiling *ceiling)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    struct ert_columns *columns = &table->columns;
    char *cell = columns->rows[columns->n - 1].cells[NOTE];
    if (evidence->throttle_reasons[0])
        ert_columns_add(columns, NOTE, "throttle reason %s", evidence->throttle_reasons);
    char why[sizeof evidence->warning];
    if (!ert_settled_is(ceiling, why, sizeof why))
        ert_columns_add(columns, NOTE, "not settled%s%s",
                        strstr(evidence->warning, why) ? "" : ": ",
                        strstr(evidence->warning, why) ? "" : why);
    if (evidence->warning[0])
        ert_append(cell, ERT_COLUMN_TEXT, "%s[%zu]", *cell ? " " : "",
                   warning_number(table, evidence->warning));
}

/* "650 W, 51.2 GFLOP/J", if power was metered. */
static void add_power(struct ert_columns *table, const struct ert_ceiling *ceiling)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    if (!(evidence->power_w > 0))
        return;
    ert_columns_add(table, POWER, "%.0f W", evidence->power_w);
    struct ert_text rate =
        ert_units_rate(evidence->per_joule, ert_unit_words[ceiling->unit]);
    char *per_s = strstr(rate.text, "/s");
    if (per_s)
        memcpy(per_s, "/J", 2);
    if (evidence->per_joule > 0)
        ert_columns_add(table, POWER, "%s", rate.text);
}

static void table_add_ceiling(struct ert_columns *table, const struct ert_ceiling *ceiling)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    const char *operation = ert_unit_words[ceiling->unit];
    ert_columns_row(table);
    ert_columns_add(table, NAME, "%s", ceiling->name);
    ert_columns_add(table, VALUE, "%s", ert_units_rate(ceiling->value, operation).text);
    ert_columns_add(table, INTERVAL, "%s",
                    ert_units_pair(ceiling->low, " .. ", ceiling->high, operation).text);
    if (ceiling->theory > 0)
        ert_columns_add(table, THEORY, "%.1f %% of %s", 100 * ceiling->fraction_of_theory,
                        ert_units_rate(ceiling->theory, operation).text);
    else
        ert_columns_add(table, THEORY, "unknown");
    ert_columns_add(table, CLOCK, "%s",
                    evidence->clock_hz > 0 ? ert_units_frequency(evidence->clock_hz).text
                                           : "unknown");
    ert_columns_add(table, KERNEL, "%s", ceiling->kernel);
    if (evidence->launch.name[0])
        ert_columns_add(table, KERNEL, "%s", evidence->launch.name);
    if (evidence->flops_per_element) /* such launch names include the threads */
        ert_columns_add(table, KERNEL, "%u flops", evidence->flops_per_element);
    else if (evidence->launch.threads && !evidence->blocks)
        ert_columns_add(table, KERNEL, "%u thread%s", (unsigned)evidence->launch.threads,
                        evidence->launch.threads == 1 ? "" : "s");
    if (evidence->falls_after_s > 0) /* the burst: "968 TFLOP/s for 30 ms" */
        ert_columns_add(table, NOTE, "%s for %s",
                        ert_units_rate(evidence->burst, operation).text,
                        ert_units_time(evidence->falls_after_s).text);
    add_power(table, ceiling);
}

/* "75 % reads, moves 1.33x": the pattern's share of reads, and bytes moved per useful byte. */
static void table_add_memory(struct ert_columns *table, const struct ert_device *device,
                             const struct ert_ceiling *ceiling)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    struct ert_traffic traffic;
    if (evidence->actual_bytes > 0 && evidence->actual_bytes < 0x1p62)
        ert_columns_add(table, KERNEL, "%s",
                        ert_units_capacity((uint64_t)evidence->actual_bytes).text);
    bool is_known = ert_traffic_of(device, ceiling, &traffic);
    if (is_known)
        ert_columns_add(table, NOTE, "%.0f %% reads", 100 * traffic.reads);
    if (is_known && traffic.allocated > 0)
        ert_columns_add(table, NOTE, "moves %s%.3gx by write-allocate",
                        traffic.is_upper ? "up to " : "", traffic.actual);
    if (ceiling->is_roof)
        ert_columns_add(table, NOTE, "fastest of %s", ceiling->key.level);
}

static void table_fill(struct table *table, const struct ert_machine *machine,
                       const struct ert_device_ceilings *device)
{
    static const char *const head[] = {"ceiling",   "value",    "interval (90 %)",
                                       "of theory", "at clock", "kernel, configuration",
                                       "power",     "note",     NULL};
    const struct ert_device *known =
        machine ? ert_machine_device(machine, device->device) : NULL;
    ert_columns_texts(&table->columns, head);
    const struct ert_ceiling_span of = ert_ceilings_main(device);
    for (size_t i = 0; i < of.n; i++) {
        table_add_ceiling(&table->columns, &of.at[i]);
        if (of.at[i].kind == ERT_CEILING_MEMORY)
            table_add_memory(&table->columns, known, &of.at[i]);
        add_warning(table, &of.at[i]);
    }
}

static void table_write_head(FILE *out, const struct ert_ceilings *ceilings,
                             const struct ert_device_ceilings *device)
{
    const struct ert_device *found =
        ceilings->machine ? ert_machine_device(ceilings->machine, device->device) : NULL;
    fprintf(out, "%s: %s", device->device,
            found && found->name[0] ? found->name : "no name");
    if (device->held_hz > 0)
        fprintf(out, ", clock held %s", ert_units_frequency(device->held_hz).text);
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
    for (size_t i = 0; i < table->n_warnings; i++) {
        const struct warning *warning = &table->warnings[i];
        fprintf(out, "  [%zu] %s", i + 1, warning->text);
        if (warning->n > 1)
            fprintf(out, " (the first of %zu ceilings)", warning->n);
        fputc('\n', out);
    }
    free(table->warnings);
    for (size_t i = 0; i < device->n_unattributed; i++) {
        const struct ert_unattributed_plateau *plateau = &device->unattributed[i];
        fprintf(out, "  unattributed: %s, %s, %s to %s: %s: %s\n", plateau->kernel,
                plateau->path,
                ert_units_capacity((uint64_t)fmin(plateau->bytes[0], 0x1p62)).text,
                ert_units_capacity((uint64_t)fmin(plateau->bytes[1], 0x1p62)).text,
                ert_units_bandwidth(plateau->rate_bytes_per_s).text, plateau->why);
    }
    write_not_measured(out, device);
}

static void add_confidence(struct ert_columns *table, size_t column,
                           const struct ert_ceiling *ceiling)
{
    if (ceiling->confidence != ERT_CONFIDENCE_HIGH)
        ert_columns_add(table, column, "%s", ceiling->evidence->warning);
}

static void table_add_latency(struct ert_columns *table, const struct ert_ceiling *extra)
{
    const struct ert_evidence *evidence = extra->evidence;
    if (evidence->clock_hz > 0)
        ert_columns_add(table, 2, "%.0f clocks", extra->value * evidence->clock_hz);
    ert_columns_add(table, 3, "%s",
                    ert_units_capacity((uint64_t)evidence->actual_bytes).text);
    if (evidence->aggregate > 0)
        ert_columns_add(table, 3, "beside %s",
                        ert_units_bandwidth(evidence->aggregate).text);
    ert_columns_add(table, 4, "%s", evidence->launch.name);
    if (evidence->power_w > 0)
        ert_columns_add(table, 4, "constant power %.0f W", evidence->power_w);
    add_confidence(table, 5, extra);
}

static void add_interval(struct ert_columns *table, const struct ert_ceiling *extra)
{
    ert_columns_add(table, 2, "%s .. %s",
                    ert_units_rate(extra->low, ert_unit_words[extra->unit]).text,
                    ert_units_rate(extra->high, ert_unit_words[extra->unit]).text);
}

static void add_rate(struct ert_columns *table, const struct ert_ceiling *extra)
{
    const uint32_t threads = extra->evidence->launch.threads;
    add_interval(table, extra);
    if (threads)
        ert_columns_add(table, 3, "%u thread%s", threads, threads == 1 ? "" : "s");
    add_confidence(table, 4, extra);
}

static void add_multi_gpu(struct ert_columns *table, const struct ert_ceiling *extra)
{
    const struct ert_evidence *evidence = extra->evidence;
    ert_columns_add(table, 2, "%u at once", extra->key.count);
    if (evidence->alone > 0)
        ert_columns_add(table, 3, "alone %s: %.1f %%",
                        ert_units_rate(evidence->alone, ert_unit_words[extra->unit]).text,
                        100 * extra->value / evidence->alone);
    else
        ert_columns_add(table, 3, "alone: unknown");
    if (evidence->aggregate > 0)
        ert_columns_add(
            table, 4, "all %s, slowest / mean %.3f",
            ert_units_rate(evidence->aggregate, ert_unit_words[extra->unit]).text,
            evidence->lockstep / evidence->aggregate);
}

/* Between hosts, or GPUs by NCCL. */
static void add_network(struct ert_columns *table, const struct ert_ceiling *extra)
{
    add_interval(table, extra);
    if (extra->key.access_bytes > 0)
        ert_columns_add(table, 3, "%s", ert_units_capacity(extra->key.access_bytes).text);
    if (extra->kind == ERT_CEILING_NETWORK)
        ert_columns_add(table, 4, "%u hosts", extra->key.count);
    else
        ert_columns_add(table, 4, "%s", extra->evidence->launch.name);
    add_confidence(table, 5, extra);
}

/*
 * Writes a line of a matrix of concurrency: the ceilings of list[first]'s `of` and count, each behind its
 * independent operations; those before it of the same were written with it.
 */
static void write_line(FILE *out, const struct ert_ceiling *list, size_t n, size_t first)
{
    const struct ert_ceiling_key *own = &list[first].key;
    bool is_new = true;
    for (size_t i = 0; i < first; i++) {
        const bool is_same = strcmp(list[i].key.of, own->of) == 0;
        if (is_same && list[i].key.count == own->count)
            return;
        is_new = is_new && !is_same;
    }
    if (is_new)
        fprintf(out, "\n  %s by %s%s\n", own->of, own->axis,
                own->ilp ? ": independent operations per thread" : "");
    fprintf(out, "  %6u", own->count);
    for (size_t i = first; i < n; i++) {
        const struct ert_ceiling_key *key = &list[i].key;
        if (key->count != own->count || strcmp(key->of, own->of) != 0)
            continue;
        if (key->ilp)
            fprintf(out, "  %u:", key->ilp);
        fprintf(out, " %12s",
                ert_units_rate(list[i].value, ert_unit_words[list[i].unit]).text);
    }
    fputc('\n', out);
}

static const char *const titles[] = {
#define TITLE(id, word, title) title,
    ERT_CEILING_KINDS(TITLE)
#undef TITLE
};

/* What a kind has behind name and value; NULL: interval, threads and warning. */
static void (*const columns[ERT_N_CEILING_KINDS])(struct ert_columns *table,
                                                  const struct ert_ceiling *extra) = {
    [ERT_CEILING_LATENCY] = table_add_latency, [ERT_CEILING_MULTI_GPU] = add_multi_gpu,
    [ERT_CEILING_NETWORK] = add_network,       [ERT_CEILING_COLLECTIVE] = add_network,
    [ERT_CEILING_LOADED] = table_add_latency,
};

static void write_extras(FILE *out, const struct ert_device_ceilings *device)
{
    for (int kind = ERT_CEILING_MEMORY + 1; kind < ERT_N_CEILING_KINDS; kind++) {
        const struct ert_ceiling_span of =
            ert_ceilings_of(device, (enum ert_ceiling_kind)kind);
        const bool is_matrix = kind == ERT_CEILING_CONCURRENCY;
        struct ert_columns table = {0};
        for (size_t i = 0; i < of.n && is_matrix; i++)
            write_line(out, of.at, of.n, i);
        for (size_t i = 0; i < of.n && !is_matrix; i++) {
            const struct ert_ceiling *extra = &of.at[i];
            ert_columns_row(&table);
            ert_columns_add(&table, 0, "%s", extra->name);
            ert_columns_add(&table, 1, "%s",
                            ert_units_rate(extra->value, ert_unit_words[extra->unit]).text);
            (columns[kind] ? columns[kind] : add_rate)(&table, extra);
        }
        if (of.n > 0 && !is_matrix)
            fprintf(out, "\n  %s\n", titles[kind]);
        ert_columns_write(out, &table);
    }
}

void ert_ceilings_table(FILE *out, const struct ert_ceilings *ceilings)
{
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        const struct ert_device_ceilings *device = &ceilings->devices[i];
        struct table table = {0};
        table_fill(&table, ceilings->machine, device);
        fprintf(out, "%s", i ? "\n" : "");
        table_write_head(out, ceilings, device);
        if (table.columns.n == 1) {
            fprintf(out, "  no roofs\n");
            table.columns.n = 0;
        }
        ert_columns_write(out, &table.columns);
        write_tail(out, &table, device);
        write_extras(out, device);
    }
}

/* Texts that rows share, in order of appearance; a row has the number of its text. */
struct texts {
    const char *text[ERT_MAX_PEAKS];
    size_t n;
};

static size_t text_number(struct texts *texts, const char *text)
{
    for (size_t i = 0; i < texts->n; i++)
        if (strcmp(texts->text[i], text) == 0)
            return i + 1;
    texts->text[texts->n++] = text;
    return texts->n;
}

/* Peaks without a formula, a paragraph per reason. */
static void write_unknown_peaks(FILE *out, const struct ert_peak *peaks, size_t n_peaks)
{
    struct texts reasons = {.n = 0};
    for (size_t i = 0; i < n_peaks; i++) {
        size_t known = reasons.n;
        if (peaks[i].unknown[0] == '\0' || text_number(&reasons, peaks[i].unknown) <= known)
            continue;
        char text[1024] = "";
        for (size_t j = i; j < n_peaks; j++)
            if (strcmp(peaks[j].unknown, peaks[i].unknown) == 0)
                ert_list_add(text, sizeof text, peaks[j].name);
        ert_append(text, sizeof text, ": %s", peaks[i].unknown);
        ert_text_wrap(out, "  unknown  ", 0, text, PEAK_COLUMNS);
    }
}

/* A peak's name begins with its type: "int8-mma". */
static const char *peak_operation(const struct ert_peak *peak)
{
    char type[sizeof peak->name];
    snprintf(type, sizeof type, "%.*s", (int)strcspn(peak->name, "-"), peak->name);
    return ert_unit_words[peak->unit == ERT_PEAK_BYTE_PER_S ? ERT_UNIT_BYTE_PER_S
                                                            : ert_unit_of_type(type)];
}

void ert_peaks_table(FILE *out, const struct ert_peak *peaks, size_t n_peaks)
{
    struct texts sources = {.n = 0};
    fprintf(out, "  %-16s %-6s %14s   %s\n", "peak", "clock", "value", "formula [source]");
    for (size_t i = 0; i < n_peaks; i++) {
        const struct ert_peak *peak = &peaks[i];
        struct ert_text text = ert_units_rate(peak->value, peak_operation(peak));
        if (!peak->formula[0])
            continue;
        if (!(peak->value > 0)) /* without a clock, the known part */
            snprintf(text.text, sizeof text.text, "%.6g %s/clock", peak->per_clock,
                     peak->unit == ERT_PEAK_FLOP_PER_S ? "flop" : "B");
        fprintf(out, "  %-16s %-6s %14s   %s [%zu]\n", peak->name,
                peak->clock[0] ? peak->clock : "-", text.text, peak->formula,
                text_number(&sources, peak->source));
    }
    write_unknown_peaks(out, peaks, n_peaks);
    for (size_t i = 0; i < sources.n; i++) {
        char first[32];
        snprintf(first, sizeof first, "  [%zu] ", i + 1);
        ert_text_wrap(out, first, 0, sources.text[i], PEAK_COLUMNS);
    }
}
