/*
 * nvprof's output without --csv: a table of metrics (Device and Kernel on lines of their own, then
 * invocations, name, description, min, max, avg), and a summary of times (type, percent, time,
 * calls, avg, min, max, name). Columns are told by blanks: only the last and the first are read.
 */
#include "analysis/import/nvprof_kernels.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum table { NO_TABLE, METRICS, TIMES };

struct reader {
    struct ert_lines *lines;
    struct rfl_nvprof nvprof;
    enum table table;
    const char *device, *kernel; /* kept; "" none yet */
};

static char *skip_blanks(char *text)
{
    return text + strspn(text, " \t");
}

/* Cuts the first word off; "" at the end. */
static char *next_word(char **text)
{
    char *word = skip_blanks(*text);
    char *end = word + strcspn(word, " \t");
    *text = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static const char *last_word(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    while (length > 0 && !isspace((unsigned char)text[length - 1]))
        length--;
    return text + length;
}

static bool is_number(const char *word)
{
    return *word && strspn(word, "0123456789") == strlen(word);
}

/* "          3   flop_count_dp   Floating Point Operations(Double Precision)   1   1   1" */
static enum ert_status read_metric(struct reader *reader, char *line,
                                   struct ert_error *error)
{
    char *rest = line;
    const char *invocations = next_word(&rest), *metric = next_word(&rest);
    if (!is_number(invocations) || !*metric || !*reader->kernel)
        return ERT_OK;
    return rfl_nvprof_metric(&reader->nvprof, reader->kernel, reader->device, metric,
                             invocations, last_word(rest), error);
}

/* "8.6348ms" into number and unit. */
static const char *split_unit(char *time, char unit[16])
{
    size_t digits = strspn(time, "0123456789.e+-");
    strncpy(unit, time + digits, 15);
    unit[15] = '\0';
    time[digits] = '\0';
    return time;
}

/* " GPU activities:   67.08%  8.6348ms  14  616.77us  512ns  3.1952ms  kernel(int)" */
static enum ert_status read_time(struct reader *reader, char *line, struct ert_error *error)
{
    static const char gpu[] = "GPU activities:";
    char *rest = skip_blanks(line), unit[16];
    enum ert_number kind;
    double calls;
    if (strncmp(rest, "API calls:", 10) == 0) {
        reader->table = NO_TABLE; /* the host's from here on */
        return ERT_OK;
    }
    if (strncmp(rest, gpu, sizeof gpu - 1) == 0)
        rest += sizeof gpu - 1;
    const char *share = next_word(&rest);
    if (!strchr(share, '%'))
        return ERT_OK;
    const char *time = split_unit(next_word(&rest), unit);
    ERT_TRY(
        ert_lines_number(reader->lines, "Calls", next_word(&rest), &calls, &kind, error));
    for (size_t i = 0; i < 3; i++)
        next_word(&rest); /* avg, min, max */
    return rfl_nvprof_time(&reader->nvprof, skip_blanks(rest), "", time, unit, calls,
                           error);
}

/* Device "Tesla K20c (0)" */
static void read_device(struct reader *reader, char *text)
{
    char *name = skip_blanks(text);
    name += *name == '"';
    name[strcspn(name, "\"")] = '\0';
    reader->device = rfl_points_text(reader->nvprof.points, name);
    reader->kernel = "";
}

static enum ert_status read_line(struct reader *reader, char *line, struct ert_error *error)
{
    char *text = skip_blanks(line);
    if (strncmp(line, "==", 2) == 0) {
        rfl_nvprof_remark(&reader->nvprof, line);
        reader->table = NO_TABLE;
    } else if (strncmp(text, "Invocations", 11) == 0) {
        reader->table = strstr(text, "Metric Name") ? METRICS : NO_TABLE;
    } else if (strstr(text, "Time(%)") && strstr(text, "Calls")) {
        reader->table = TIMES;
    } else if (reader->table == METRICS && strncmp(text, "Device \"", 8) == 0) {
        read_device(reader, text + 7);
    } else if (reader->table == METRICS && strncmp(text, "Kernel: ", 8) == 0) {
        reader->kernel = rfl_points_text(reader->nvprof.points, text + 8);
    } else if (reader->table == METRICS) {
        return read_metric(reader, line, error);
    } else if (reader->table == TIMES) {
        return read_time(reader, line, error);
    }
    return ERT_OK;
}

static enum ert_status read(struct ert_lines *lines,
                            const struct rfl_import_options *options,
                            struct rfl_points *points, struct ert_error *error)
{
    struct reader reader = {
        .lines = lines,
        .nvprof = {.lines = lines, .options = options, .points = points},
        .device = "",
        .kernel = ""
    };
    enum ert_status status = ERT_OK;
    for (char *line; status == ERT_OK && (line = ert_lines_next(lines));)
        status = read_line(&reader, line, error);
    if (status == ERT_OK)
        status = rfl_nvprof_finish(&reader.nvprof, error);
    rfl_nvprof_free(&reader.nvprof);
    return status;
}

static bool recognizes(const char *head)
{
    bool is_csv = strstr(head, "\"Kernel\",\"Invocations\"") || strstr(head, "\"Calls\"") ||
                  strstr(head, "\"Start\",\"Duration\"");
    bool is_nvprof = strstr(head, "NVPROF is profiling") ||
                     strstr(head, "Profiling result:") || strstr(head, "Metric result:");
    return is_nvprof && !is_csv &&
           ((strstr(head, "Invocations") && strstr(head, "Metric Name")) ||
            strstr(head, "Time(%)") || strstr(head, "ERR_NVGPUCTRPERM"));
}

const struct rfl_importer rfl_import_nvprof_text = {
    .name = "nvprof-text",
    .summary = "what nvprof prints without --csv: metrics, and the summary of times",
    .how = "nvprof --log-file METRICS --metrics ... PROGRAM; nvprof --log-file TIMES "
           "PROGRAM",
    .recognizes = recognizes,
    .read = read,
    .join = rfl_nvprof_join,
};
