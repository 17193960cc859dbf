/*
 * Nsight Compute's CSV, both layouts: one row per launch and metric (--csv with --metrics or the
 * details page), or one per launch with a row of units first (--csv --page raw). Columns are found by
 * name; what the program and ncu print between the rows is skipped.
 */
#include "analysis/import/import.h"
#include "analysis/import/ncu_sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns that say which launch a row is of. */
enum cell { ID, PROCESS, KERNEL, DEVICE, CC, N_CELLS };

/* And those of the long layout. */
enum { NAME = N_CELLS, UNIT, VALUE, N_LONG_CELLS };

static const char *const cell_names[N_LONG_CELLS] = {
    "ID", "Process ID",  "Kernel Name", "Device",
    "CC", "Metric Name", "Metric Unit", "Metric Value"};

/* A metric's column in the wide layout. */
struct column {
    const struct rfl_ncu_name *name;
    size_t column;
    double factor;
};

struct reader {
    struct ert_lines *lines;
    struct rfl_points *points;
    struct rfl_ncu_sums sums;
    struct rfl_ncu_names names;
    struct rfl_ncu_launch launch;
    bool is_open;   /* the long layout: rows of this launch may follow */
    bool has_units; /* the wide layout: the row of units was read */
    enum { NO_TABLE, LONG, WIDE } layout;
    size_t cells[N_LONG_CELLS], gpu_name;
    struct column columns[NCU_N_METRICS];
    size_t n_columns;
    char complaint[256]; /* the first ==ERROR== line */
    bool is_forbidden;
};

static enum ert_status flush(struct reader *reader, struct ert_error *error)
{
    if (!reader->is_open)
        return ERT_OK;
    reader->is_open = false;
    return rfl_ncu_sums_add(&reader->sums, &reader->launch, error);
}

static const char *keep(struct reader *reader, enum cell cell)
{
    return rfl_points_text(reader->points,
                           ert_lines_cell(reader->lines, reader->cells[cell]));
}

/* "Nsight Compute, NVIDIA H200, cc 9.0", once per set of points. */
static void note_origin(struct reader *reader)
{
    const struct rfl_ncu_launch *launch = &reader->launch;
    const char *gpu = ert_lines_cell(reader->lines, reader->gpu_name);
    char text[256];
    if (reader->points->origin)
        return;
    snprintf(text, sizeof text, "Nsight Compute%s%.100s%s%.16s", *gpu ? ", " : "", gpu,
             *launch->cc ? ", cc " : "", launch->cc);
    reader->points->origin = rfl_points_text(reader->points, text);
}

static void begin_launch(struct reader *reader)
{
    struct rfl_ncu_launch *launch = &reader->launch;
    memset(launch->names, 0, sizeof launch->names);
    launch->id = keep(reader, ID);
    launch->process = keep(reader, PROCESS);
    launch->device = keep(reader, DEVICE);
    launch->cc = keep(reader, CC);
    launch->name = keep(reader, KERNEL);
    launch->row = reader->lines->number;
    note_origin(reader);
}

/* Keeps a metric's value, unless the launch has it by a better name. */
static enum ert_status set_value(struct reader *reader, const struct rfl_ncu_name *name,
                                 double factor, const char *text, struct ert_error *error)
{
    struct rfl_ncu_launch *launch = &reader->launch;
    enum rfl_ncu_metric metric = name->metric;
    double value;
    enum ert_number kind;
    if (launch->names[metric] && launch->names[metric] <= name)
        return ERT_OK;
    ERT_TRY(ert_lines_number(reader->lines, name->name, text, &value, &kind, error));
    launch->names[metric] = name;
    launch->values[metric] = value * factor;
    launch->kinds[metric] = kind;
    launch->rows[metric] = reader->lines->number;
    return ERT_OK;
}

/* A header says which layout follows; ERT_USAGE when columns are not there. */
static enum ert_status read_header(struct reader *reader, struct ert_error *error)
{
    struct ert_lines *lines = reader->lines;
    ERT_TRY(flush(reader, error));
    for (size_t c = 0; c < N_LONG_CELLS; c++)
        reader->cells[c] = ert_lines_column(lines, cell_names[c]);
    reader->gpu_name = ert_lines_column(lines, "device__attribute_display_name");
    if (ert_lines_column(lines, "Average") != SIZE_MAX)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: row %zu: a summary (--print-summary): give the launches "
                        "themselves",
                        lines->file, lines->number);
    reader->layout = reader->cells[NAME] == SIZE_MAX ? WIDE : LONG;
    for (size_t c = KERNEL; c < N_LONG_CELLS; c++)
        if (reader->cells[c] == SIZE_MAX &&
            (c == KERNEL || (c > NAME && reader->layout == LONG)))
            return ert_fail(error, ERT_USAGE, "%.200s: row %zu: no column '%s'",
                            lines->file, lines->number, cell_names[c]);
    reader->n_columns = 0;
    reader->has_units = false;
    for (size_t i = 0; i < lines->n_cells && reader->layout == WIDE; i++) {
        const struct rfl_ncu_name *name =
            rfl_ncu_names_find(&reader->names, lines->cells[i]);
        if (!name || name->is_label)
            continue;
        size_t c = 0;
        while (c < reader->n_columns && reader->columns[c].name->metric != name->metric)
            c++;
        if (c == reader->n_columns)
            reader->columns[reader->n_columns++] = (struct column){name, i, 1};
        else if (name < reader->columns[c].name)
            reader->columns[c] = (struct column){name, i, 1};
    }
    return ERT_OK;
}

static enum ert_status read_units(struct reader *reader, struct ert_error *error)
{
    bool fits;
    for (size_t i = 0; i < reader->n_columns; i++) {
        struct column *column = &reader->columns[i];
        ERT_TRY(rfl_ncu_unit(reader->lines, column->name,
                             ert_lines_cell(reader->lines, column->column), &column->factor,
                             &fits, error));
    }
    reader->has_units = true;
    return ERT_OK;
}

static enum ert_status read_wide(struct reader *reader, struct ert_error *error)
{
    const struct ert_lines *lines = reader->lines;
    if (!*ert_lines_cell(lines, reader->cells[KERNEL]))
        return read_units(reader, error);
    if (!reader->has_units && reader->n_columns)
        return ert_fail(error, ERT_USAGE, "%.200s: row %zu: no row of units before it",
                        lines->file, lines->number);
    begin_launch(reader);
    for (size_t i = 0; i < reader->n_columns; i++) {
        const struct column *column = &reader->columns[i];
        if (column->column >= lines->n_cells)
            return ert_fail(error, ERT_USAGE,
                            "%.200s: row %zu: %zu columns, no %s: cut off", lines->file,
                            lines->number, lines->n_cells, column->name->name);
        ERT_TRY(set_value(reader, column->name, column->factor,
                          lines->cells[column->column], error));
    }
    return rfl_ncu_sums_add(&reader->sums, &reader->launch, error);
}

static bool is_same_launch(const struct reader *reader)
{
    const struct rfl_ncu_launch *launch = &reader->launch;
    const struct ert_lines *lines = reader->lines;
    return reader->is_open &&
           strcmp(ert_lines_cell(lines, reader->cells[ID]), launch->id) == 0 &&
           strcmp(ert_lines_cell(lines, reader->cells[PROCESS]), launch->process) == 0 &&
           strcmp(ert_lines_cell(lines, reader->cells[KERNEL]), launch->name) == 0;
}

static enum ert_status read_long(struct reader *reader, struct ert_error *error)
{
    const struct ert_lines *lines = reader->lines;
    double factor = 1;
    bool fits;
    if (!is_same_launch(reader)) {
        ERT_TRY(flush(reader, error));
        begin_launch(reader);
        reader->is_open = true;
    }
    const struct rfl_ncu_name *name =
        rfl_ncu_names_find(&reader->names, ert_lines_cell(lines, reader->cells[NAME]));
    if (!name)
        return ERT_OK;
    if (reader->cells[VALUE] >= lines->n_cells)
        return ert_fail(error, ERT_USAGE, "%.200s: row %zu: %zu columns, no value: cut off",
                        lines->file, lines->number, lines->n_cells);
    ERT_TRY(rfl_ncu_unit(lines, name, ert_lines_cell(lines, reader->cells[UNIT]), &factor,
                         &fits, error));
    return fits ? set_value(reader, name, factor,
                            ert_lines_cell(lines, reader->cells[VALUE]), error)
                : ERT_OK;
}

/* Lines that are no rows: the program's output, and what ncu has to say. */
static void read_remark(struct reader *reader, const char *line)
{
    reader->is_forbidden = reader->is_forbidden || strstr(line, "ERR_NVGPUCTRPERM");
    if (strncmp(line, "==ERROR==", 9) == 0 && !*reader->complaint)
        snprintf(reader->complaint, sizeof reader->complaint, "%s", line + 9);
}

static enum ert_status read_line(struct reader *reader, const char *line,
                                 struct ert_error *error)
{
    if (*line != '"') {
        read_remark(reader, line);
        return ERT_OK;
    }
    ERT_TRY(ert_lines_split(reader->lines, ',', error));
    if (ert_lines_column(reader->lines, "Kernel Name") != SIZE_MAX)
        return read_header(reader, error);
    return reader->layout == WIDE   ? read_wide(reader, error)
           : reader->layout == LONG ? read_long(reader, error)
                                    : ERT_OK;
}

static enum ert_status check_any(const struct reader *reader, struct ert_error *error)
{
    const char *file = reader->lines->file;
    if (reader->points->n > reader->sums.first)
        return ERT_OK;
    if (reader->is_forbidden)
        return ert_fail(
            error, ERT_USAGE,
            "%.200s: the user was not allowed to read the GPU's counters "
            "(ERR_NVGPUCTRPERM): profile as root, or have the administrator load the "
            "driver with NVreg_RestrictProfilingToAdminUsers=0; without counters a code is "
            "placed by --flops, --bytes and --seconds",
            file);
    if (*reader->complaint)
        return ert_fail(error, ERT_USAGE, "%.200s: no launch in it; ncu says:%.200s", file,
                        reader->complaint);
    if (reader->layout == NO_TABLE)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: no table in it: was ncu called with --csv?", file);
    return ERT_OK;
}

static enum ert_status read(struct ert_lines *lines,
                            const struct rfl_import_options *options,
                            struct rfl_points *points, struct ert_error *error)
{
    struct reader *reader = calloc(1, sizeof *reader);
    enum ert_status status = ERT_OK;
    if (!reader)
        return ert_fail(error, ERT_FAILED, "no memory for a reader of %zu bytes",
                        sizeof *reader);
    reader->lines = lines;
    reader->points = points;
    reader->sums = (struct rfl_ncu_sums){
        .lines = lines, .options = options, .points = points, .first = points->n};
    rfl_ncu_names_sort(&reader->names);
    for (const char *line; status == ERT_OK && (line = ert_lines_next(lines));)
        status = read_line(reader, line, error);
    if (status == ERT_OK)
        status = flush(reader, error);
    if (status == ERT_OK)
        status = rfl_ncu_sums_finish(&reader->sums, error);
    if (status == ERT_OK)
        status = ert_lines_end(lines, error);
    if (status == ERT_OK && !options->region)
        status = check_any(reader, error);
    rfl_ncu_sums_free(&reader->sums);
    free(reader);
    return status;
}

static bool recognizes(const char *head)
{
    return strstr(head, "==PROF==") || strstr(head, "\"Kernel Name\",") ||
           (strstr(head, "==ERROR==") && strstr(head, "ERR_NVGPUCTRPERM"));
}

const struct rfl_importer rfl_import_ncu = {
    .name = "ncu",
    .summary = "Nsight Compute's CSV: the raw page, the details page, or --metrics",
    .how = "ncu --csv --page raw --metrics gpu__time_duration.sum,"
           "sm__sass_thread_inst_executed_op_{dadd,dmul,dfma}_pred_on.sum,"
           "l1tex__t_bytes.sum,lts__t_sectors_srcunit_tex.sum,"
           "lts__t_sectors_srcunit_tex_op_{read,write}.sum,dram__bytes.sum,"
           "dram__bytes_{read,write}.sum,"
           "sm__cycles_elapsed.avg.per_second PROGRAM > FILE",
    .recognizes = recognizes,
    .read = read,
};
