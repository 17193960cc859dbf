/*
 * nvprof's CSV: --csv --metrics, and of a run without them the summary or --print-gpu-trace. A table
 * begins with a row of names; those of times have a row of units below it.
 */
#include "analysis/import/nvprof_kernels.h"

#include <stdlib.h>
#include <string.h>

enum table { NO_TABLE, METRICS, SUMMARY, TRACE, OTHER };

enum column {
    KERNEL,
    DEVICE,
    METRIC,
    INVOCATIONS,
    AVERAGE,
    NAME,
    TYPE,
    TIME,
    CALLS,
    DURATION
};
static const char *const names[] = {"Kernel", "Device",  "Metric Name", "Invocations",
                                    "Avg",    "Name",    "Type",        "Time",
                                    "Calls",  "Duration"};
enum { N_COLUMNS = sizeof names / sizeof names[0] };

struct reader {
    struct ert_lines *lines;
    struct rfl_nvprof nvprof;
    enum table table;
    bool has_units;
    size_t columns[N_COLUMNS], n_cells;
    char unit[16]; /* of the times */
};

static const char *cell(const struct reader *reader, enum column column)
{
    return ert_lines_cell(reader->lines, reader->columns[column]);
}

/* Which table a row of names begins, NO_TABLE when it is none. */
static enum table table_of(const struct reader *reader)
{
    const size_t *columns = reader->columns;
    bool has_kernel = columns[KERNEL] != SIZE_MAX, has_name = columns[NAME] != SIZE_MAX;
    if (has_kernel && columns[METRIC] != SIZE_MAX && columns[INVOCATIONS] != SIZE_MAX &&
        columns[AVERAGE] != SIZE_MAX)
        return METRICS;
    if (has_name && columns[TIME] != SIZE_MAX && columns[CALLS] != SIZE_MAX)
        return SUMMARY;
    if (has_name && columns[DURATION] != SIZE_MAX)
        return TRACE;
    return has_kernel ? OTHER : NO_TABLE;
}

/* Whether the row is one of names; the columns are then where it says. */
static bool read_header(struct reader *reader)
{
    struct reader found = *reader;
    for (size_t c = 0; c < N_COLUMNS; c++)
        found.columns[c] = ert_lines_column(reader->lines, names[c]);
    found.table = table_of(&found);
    if (found.table == NO_TABLE)
        return false;
    found.n_cells = reader->lines->n_cells;
    found.has_units = false;
    *reader = found;
    return true;
}

static enum ert_status read_units(struct reader *reader, struct ert_error *error)
{
    const char *unit = cell(reader, reader->table == SUMMARY ? TIME : DURATION);
    if (strlen(unit) >= sizeof reader->unit)
        return ert_fail(error, ERT_USAGE, "%.200s: row %zu: '%.40s' is no unit of time",
                        reader->lines->file, reader->lines->number, unit);
    strcpy(reader->unit, unit);
    reader->has_units = true;
    return ERT_OK;
}

static enum ert_status read_summary(struct reader *reader, struct ert_error *error)
{
    enum ert_number kind;
    double calls;
    /* Times of API calls are the host's. Before CUDA 9 there was no such column. */
    if (reader->columns[TYPE] != SIZE_MAX &&
        strcmp(cell(reader, TYPE), "GPU activities") != 0)
        return ERT_OK;
    ERT_TRY(ert_lines_number(reader->lines, "Calls", cell(reader, CALLS), &calls, &kind,
                             error));
    return rfl_nvprof_time(&reader->nvprof, cell(reader, NAME), "", cell(reader, TIME),
                           reader->unit, calls, error);
}

static enum ert_status read_trace(struct reader *reader, struct ert_error *error)
{
    char *name = reader->lines->cells[reader->columns[NAME]];
    /* "kernel(int) [212]": older ones put the correlation ID there. */
    char *id = strrchr(name, '[');
    if (id && id > name && id[-1] == ' ' && strspn(id + 1, "0123456789]") == strlen(id + 1))
        id[-1] = '\0';
    return rfl_nvprof_time(&reader->nvprof, name, cell(reader, DEVICE),
                           cell(reader, DURATION), reader->unit, 1, error);
}

static enum ert_status read_row(struct reader *reader, struct ert_error *error)
{
    const struct ert_lines *lines = reader->lines;
    if (lines->n_cells != reader->n_cells) {
        if (lines->n_cells < 2 || reader->table == OTHER)
            return ERT_OK; /* the program's own output */
        return ert_fail(error, ERT_USAGE, "%.200s: row %zu: %zu columns, must be %zu",
                        lines->file, lines->number, lines->n_cells, reader->n_cells);
    }
    if (reader->table == METRICS)
        return rfl_nvprof_metric(&reader->nvprof, cell(reader, KERNEL),
                                 cell(reader, DEVICE), cell(reader, METRIC),
                                 cell(reader, INVOCATIONS), cell(reader, AVERAGE), error);
    if (reader->table == OTHER)
        return ERT_OK;
    if (!reader->has_units)
        return read_units(reader, error);
    return reader->table == SUMMARY ? read_summary(reader, error)
                                    : read_trace(reader, error);
}

static enum ert_status read_line(struct reader *reader, const char *line,
                                 struct ert_error *error)
{
    if (strncmp(line, "==", 2) == 0) {
        rfl_nvprof_remark(&reader->nvprof, line);
        reader->table = NO_TABLE;
        return ERT_OK;
    }
    if (reader->table == NO_TABLE && *line != '"')
        return ERT_OK;
    ERT_TRY(ert_lines_split(reader->lines, ',', error));
    return read_header(reader) || reader->table == NO_TABLE ? ERT_OK
                                                            : read_row(reader, error);
}

static enum ert_status read(struct ert_lines *lines,
                            const struct rfl_import_options *options,
                            struct rfl_points *points, struct ert_error *error)
{
    struct reader reader = {
        .lines = lines, .nvprof = {.lines = lines, .options = options, .points = points}
    };
    enum ert_status status = ERT_OK;
    for (const char *line; status == ERT_OK && (line = ert_lines_next(lines));)
        status = read_line(&reader, line, error);
    if (status == ERT_OK)
        status = rfl_nvprof_finish(&reader.nvprof, error);
    rfl_nvprof_free(&reader.nvprof);
    return status;
}

static bool recognizes(const char *head)
{
    return strstr(head, "\"Kernel\",\"Invocations\",\"Metric Name\"") ||
           strstr(head, "\"Time(%)\",\"Time\",\"Calls\"") ||
           strstr(head, "\"Start\",\"Duration\",\"Grid X\"");
}

const struct rfl_importer rfl_import_nvprof = {
    .name = "nvprof",
    .summary = "nvprof's CSV: metrics, and the times of a run without them (two files)",
    .how = "nvprof --csv --log-file METRICS --metrics "
           "flop_count_dp,flop_count_dp_fma,gld_transactions,gst_transactions,"
           "l2_read_transactions,l2_write_transactions,dram_read_transactions,"
           "dram_write_transactions PROGRAM; nvprof --csv --log-file TIMES PROGRAM",
    .recognizes = recognizes,
    .read = read,
    .join = rfl_nvprof_join,
};
