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

static const char mpip_line[] = "@ mpiP";

bool rfl_messages_recognizes(const char *head)
{
    return strncmp(head, head_line, strlen(head_line)) == 0 || strcmp(head, mpip_line) == 0;
}

static struct rfl_message_row *append(struct rfl_messages *messages,
                                      const struct rfl_message_row *row)
{
    messages->rows =
        ert_xgrow(messages->rows, messages->n, &messages->capacity, sizeof *messages->rows);
    messages->rows[messages->n] = *row;
    return &messages->rows[messages->n++];
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
    append(messages, &row);
    return ERT_OK;
}

/* ---- mpiP ---- */

enum section { OTHER, TIMES, SENT };

static const struct {
    const char *head;
    enum section section;
} sections[] = {
    {"@--- Callsite Time statistics",         TIMES},
    {"@--- Callsite Message Sent statistics", SENT },
    {"@---",                                  OTHER},
};

/*
 * "Isend 2 * 100 8e+03 8e+03 8e+03 8e+05": call, site, all ranks, calls; most, mean and least of a call; the
 * sum, of bytes alone. Times are ms, and come first, in the same order. *at: the last row that was found.
 */
static enum ert_status read_site(const struct ert_lines *lines, enum section section,
                                 char *text, struct rfl_messages *messages, size_t *at,
                                 struct ert_error *error)
{
    enum { NAME, SITE, RANK, COUNT, MEAN = 5, SUM = 7, N_WORDS };
    const char *words[N_WORDS];
    char name[64];
    double site, count, mean, sum = 0;
    enum ert_number kinds[4] = {0};
    for (size_t i = 0; i < N_WORDS; i++)
        words[i] = ert_lines_word(&text);
    if (strcmp(words[RANK], "*") != 0)
        return ERT_OK; /* the heads, empty lines, and each rank */
    ERT_TRY(ert_lines_number(lines, "Site", words[SITE], &site, &kinds[0], error));
    ERT_TRY(ert_lines_number(lines, "Count", words[COUNT], &count, &kinds[1], error));
    ERT_TRY(ert_lines_number(lines, "Mean", words[MEAN], &mean, &kinds[2], error));
    if (section == SENT)
        ERT_TRY(ert_lines_number(lines, "Sum", words[SUM], &sum, &kinds[3], error));
    for (size_t i = 0; i < ERT_LENGTH(kinds); i++)
        if (kinds[i] != ERT_NUMBER)
            return ert_lines_fail(lines, error, "a call site without its numbers");
    snprintf(name, sizeof name, "MPI_%.40s", words[NAME]);
    const char *call = ert_strings_keep(&messages->calls, name);
    if (section == TIMES) {
        append(messages, &(struct rfl_message_row){.call = call,
                                                   .rank = site,
                                                   .calls = count,
                                                   .time_s = count * mean / 1e3});
        return ERT_OK;
    }
    for (size_t i = 0; i < messages->n; i++) {
        *at = (*at + 1) % messages->n;
        struct rfl_message_row *row = &messages->rows[*at];
        if (row->call == call && row->rank == site) {
            row->size_bytes = mean;
            row->bytes = sum;
            row->messages = strcasestr(name, "send") ? count : 0;
            return ERT_OK;
        }
    }
    return ert_lines_fail(lines, error, "%s of call site %.0f has no time", name, site);
}

static enum ert_status read_mpip(struct ert_lines *lines, struct rfl_messages *messages,
                                 struct ert_error *error)
{
    enum section section = OTHER;
    size_t at = 0;
    messages->is_mpip = true;
    for (char *line; (line = ert_lines_next(lines));) {
        size_t i = 0;
        while (i < ERT_LENGTH(sections) &&
               strncmp(line, sections[i].head, strlen(sections[i].head)) != 0)
            i++;
        if (i < ERT_LENGTH(sections))
            section = sections[i].section;
        else if (section != OTHER)
            ERT_TRY(read_site(lines, section, line, messages, &at, error));
    }
    if (messages->n == 0)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: no section 'Callsite Time statistics': not with mpiP's "
                        "option -c (concise)",
                        lines->file);
    return ERT_OK;
}

/* ---- a file ---- */

static enum ert_status read_rows(struct ert_lines *lines, struct rfl_messages *messages,
                                 struct ert_error *error)
{
    for (char *line; (line = ert_lines_next(lines));) {
        if (lines->number == 1 && strcmp(line, mpip_line) == 0)
            return read_mpip(lines, messages, error);
        if (lines->number == 1 && strcmp(line, head_line) != 0)
            return ert_lines_fail(lines, error,
                                  "must be the columns of libroofline-messages");
        ert_lines_split(lines, '\t');
        if (lines->number > 1)
            ERT_TRY(read_row(lines, messages, error));
    }
    return ERT_OK;
}

enum ert_status rfl_messages_read(const char *file, struct rfl_messages *messages,
                                  struct ert_error *error)
{
    struct ert_lines lines;
    ERT_TRY(ert_lines_open(file, &lines, error));
    enum ert_status status = read_rows(&lines, messages, error);
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
