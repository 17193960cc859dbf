/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/messages.h"

#include "ert/base/alloc.h"
#include "ert/base/file.h"
#include "ert/base/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROW struct rfl_message_row
static const struct {
    const char *name;
    size_t offset; /* of the double; SIZE_MAX: a text */
} columns[] = {
    {"rank",        offsetof(ROW, rank)      },
    {"host",        SIZE_MAX    },
    {"ranks", offsetof(ROW,       ranks)           },
    {"call",     SIZE_MAX            },
    {"size_bytes",  offsetof(ROW,              size_bytes)},
    {"calls",       offsetof(ROW,                   calls)},
    {"messages",    offsetof(ROW,                messages)     },
    {"bytes",       offsetof(ROW,                   bytes)  },
    {"net_bytes",   offsetof(ROW,               net_bytes)},
    {"seconds",      offsetof(ROW,                  time_s)},
};
#undef ROW
enum { HOST = 1, CALL = 3, N_COLUMNS = ERT_LENGTH(columns) };

static const char head_line[] = "rank\thost\tranks\tcall\tsize_bytes\tcalls\tmessages\t"
                                "bytes\tnet_bytes\tseconds";
static const char received[] = "received";

bool rfl_messages_recognizes(const char *head)
{
    return strncmp(head, head_line, strlen(head_line)) == 0;
}

static enum ert_status read_row(const struct ert_lines *lines,
                                struct rfl_messages *messages, struct ert_error *error)
{
    struct rfl_message_row row = {0};
    if (lines->n_cells != N_COLUMNS || !*ert_lines_cell(lines, HOST) ||
        !*ert_lines_cell(lines, CALL))
        return ert_lines_fail(lines, error, "%zu cells, must be %d", lines->n_cells,
                              N_COLUMNS);
    for (size_t i = 0; i < N_COLUMNS; i++) {
        enum ert_number kind = ERT_NUMBER;
        if (columns[i].offset != SIZE_MAX)
            ERT_TRY(ert_lines_number(lines, columns[i].name, ert_lines_cell(lines, i),
                                     (double *)((char *)&row + columns[i].offset), &kind,
                                     error));
        if (kind != ERT_NUMBER)
            return ert_lines_fail(lines, error, "%s: no number", columns[i].name);
    }
    row.call = ert_strings_keep(&messages->calls, ert_lines_cell(lines, CALL));
    row.host = ert_strings_index(&messages->hosts, ert_lines_cell(lines, HOST));
    messages->rows =
        ert_xgrow(messages->rows, messages->n, &messages->capacity, sizeof *messages->rows);
    messages->rows[messages->n++] = row;
    return ERT_OK;
}

enum ert_status rfl_messages_read(const char *file, struct rfl_messages *messages,
                                  struct ert_error *error)
{
    struct ert_lines lines;
    enum ert_status status = ERT_OK;
    ERT_TRY(ert_lines_open(file, &lines, error));
    for (char *line; status == ERT_OK && (line = ert_lines_next(&lines));) {
        if (lines.number == 1 && strcmp(line, head_line) != 0)
            status = ert_lines_fail(&lines, error,
                                    "must be the columns of "
                                    "libroofline-messages");
        ert_lines_split(&lines, '\t');
        if (lines.number > 1 && status == ERT_OK)
            status = read_row(&lines, messages, error);
    }
    if (status == ERT_OK)
        status = ert_lines_end(&lines, error);
    ert_lines_close(&lines);
    return status;
}

static enum ert_status print(const void *about, FILE *out, struct ert_error *error)
{
    const struct rfl_messages *messages = about;
    (void)error;
    fprintf(out, "%s\n", head_line);
    for (size_t i = 0; i < messages->n; i++) {
        const struct rfl_message_row *row = &messages->rows[i];
        fprintf(out, "%.0f\t%s\t%.0f\t%s\t%.0f\t%.0f\t%.0f\t%.17g\t%.17g\t%.9f\n",
                row->rank, messages->hosts.texts[row->host], row->ranks, row->call,
                row->size_bytes, row->calls, row->messages, row->bytes, row->net_bytes,
                row->time_s);
    }
    return ERT_OK;
}

enum ert_status rfl_messages_write(const char *file, const struct rfl_messages *messages,
                                   struct ert_error *error)
{
    return ert_file_write_made(file, print, messages, error);
}

void rfl_messages_sum(const struct rfl_messages *messages, struct rfl_point *point,
                      const char **host)
{
    static const char recipe[] = "sent to other hosts by the ranks of a host (PMPI)";
    double sent = 0, n_messages = 0, got = 0, time_s = 0, ranks = 0;
    double *net = ert_xcalloc(messages->hosts.n_texts + 1, sizeof *net);
    size_t most = 0;
    for (size_t i = 0; i < messages->n; i++) {
        const struct rfl_message_row *row = &messages->rows[i];
        ranks = fmax(ranks, row->ranks);
        if (strcmp(row->call, received) == 0) {
            got += row->bytes;
            continue;
        }
        sent += row->bytes;
        n_messages += row->messages;
        time_s += row->time_s;
        net[row->host] += row->net_bytes;
        most = net[row->host] > net[most] ? row->host : most;
    }
    *host = messages->hosts.n_texts ? messages->hosts.texts[most] : "";
    if (messages->hosts.n_texts < 2)
        rfl_points_missing(point, "NET bytes", "all %.0f ranks were on one host", ranks);
    else {
        rfl_points_accesses(point, "NET", net[most], net[most], true, recipe);
        rfl_point_remove_missing(point, "bytes");
    }
    rfl_points_value(point, "mpi_ranks", ranks);
    rfl_points_value(point, "mpi_messages", n_messages);
    rfl_points_value(point, "mpi_sent_bytes", sent);
    rfl_points_value(point, "mpi_received_bytes", got);
    rfl_points_value(point, "mpi_time_s", ranks > 0 ? time_s / ranks : 0);
    free(net);
}

void rfl_messages_free(struct rfl_messages *messages)
{
    free(messages->rows);
    ert_strings_free(&messages->calls);
    ert_strings_free(&messages->hosts);
    *messages = (struct rfl_messages){0};
}
