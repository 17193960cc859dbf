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
    size_t offset; /* of the double; SIZE_MAX: text */
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

enum section { OTHER, RANK_TIMES, TIMES, SENT };

static const struct {
    const char *head;
    enum section section;
} sections[] = {
    {"@--- MPI Time (seconds)",               RANK_TIMES},
    {"@--- Callsite Time statistics",         TIMES     },
    {"@--- Callsite Message Sent statistics", SENT      },
    {"@---",                                  OTHER     },
};

struct report {
    const struct ert_lines *lines;
    struct rfl_messages *messages;
    enum section section;
    size_t *host_of; /* of each rank; malloc */
    size_t n_hosts;  /* that have an element in sent_bytes */
    size_t room_ranks, room_hosts;
    size_t first; /* row of this report in messages->rows */
    size_t site;  /* row, from first, of the last call site whose bytes were read */
    bool is_cut;  /* a call site has no time */
};

static bool is_digits(const char *word)
{
    return *word && word[strspn(word, "0123456789")] == '\0';
}

static enum ert_status number(const struct report *report, const char *what,
                              const char *word, double *value, struct ert_error *error)
{
    enum ert_number kind;
    ERT_TRY(ert_lines_number(report->lines, what, word, value, &kind, error));
    return kind == ERT_NUMBER ? ERT_OK
                              : ert_lines_fail(report->lines, error, "%s: no number", what);
}

/* "@ MPI Task Assignment : 3 n1": the ranks are in ascending order. */
static enum ert_status read_assignment(struct report *report, char *text,
                                       struct ert_error *error)
{
    struct rfl_mpip *mpip = &report->messages->mpip;
    double rank;
    const char *word = ert_lines_word(&text), *host = ert_lines_word(&text);
    ERT_TRY(number(report, "MPI Task Assignment", word, &rank, error));
    if (rank != (double)mpip->n_ranks || !*host)
        return ert_lines_fail(report->lines, error,
                              "MPI Task Assignment: '%.40s' '%.60s', must be rank %zu and "
                              "its host",
                              word, host, mpip->n_ranks);
    const size_t index = ert_strings_index(&report->messages->hosts, host);
    while (report->n_hosts <= index) { /* also those of earlier files */
        mpip->sent_bytes = ert_xgrow(mpip->sent_bytes, report->n_hosts, &report->room_hosts,
                                     sizeof *mpip->sent_bytes);
        mpip->sent_bytes[report->n_hosts++] = 0;
    }
    report->host_of = ert_xgrow(report->host_of, mpip->n_ranks, &report->room_ranks,
                                sizeof *report->host_of);
    report->host_of[mpip->n_ranks++] = index;
    return ERT_OK;
}

static enum ert_status read_head(struct report *report, char *text, struct ert_error *error)
{
    char *colon = strchr(text, ':');
    if (!colon)
        return ERT_OK;
    if (strncmp(text, "@ MPI Task Assignment", 21) == 0)
        return read_assignment(report, colon + 1, error);
    if (strncmp(text, "@ Command", 9) == 0) {
        colon += 1 + strspn(colon + 1, " ");
        for (size_t n = strlen(colon); n > 0 && colon[n - 1] == ' '; n--)
            colon[n - 1] = '\0';
        report->messages->mpip.command = ert_strings_keep(&report->messages->calls, colon);
    }
    return ERT_OK;
}

/* "   0      0.708      0.703    99.29": task, its seconds, those within MPI. */
static enum ert_status read_rank_time(struct report *report, char *text,
                                      struct ert_error *error)
{
    double time_s;
    if (!is_digits(ert_lines_word(&text)))
        return ERT_OK; /* column heads, and the sum over all tasks */
    ERT_TRY(number(report, "AppTime", ert_lines_word(&text), &time_s, error));
    report->messages->mpip.time_s = fmax(report->messages->mpip.time_s, time_s);
    return ERT_OK;
}

/*
 * "Isend 2 * 100 8e+03 8e+03 8e+03 8e+05": call, site, rank ("*": all), number of calls; maximum, mean and
 * minimum per call; the sum, only for bytes. The section of times, in ms, comes first and has the same order.
 */
enum { NAME, SITE, RANK, COUNT, MEAN = 5, SUM = 7, N_WORDS };

/* Finds the row of a call site. In a truncated report, whose call sites may lack times, it adds a row. */
static struct rfl_message_row *find_site(struct report *report,
                                         const struct rfl_message_row *site)
{
    struct rfl_messages *messages = report->messages;
    const size_t n = messages->n - report->first;
    for (size_t i = 0; i < n && !report->is_cut; i++) {
        report->site = (report->site + 1) % n;
        struct rfl_message_row *row = &messages->rows[report->first + report->site];
        if (row->call == site->call && row->rank == site->rank)
            return row;
    }
    struct rfl_message_row *row = append(messages, site);
    row->time_s = NAN;
    report->is_cut = true;
    return row;
}

/* Adds the bytes that a rank sent from a call site to those of its host. */
static enum ert_status add_rank(struct report *report, const char *const *words,
                                struct ert_error *error)
{
    struct rfl_mpip *mpip = &report->messages->mpip;
    double rank, sum_bytes;
    ERT_TRY(number(report, "Rank", words[RANK], &rank, error));
    ERT_TRY(number(report, "Sum", words[SUM], &sum_bytes, error));
    if (rank >= (double)mpip->n_ranks)
        return ert_lines_fail(report->lines, error,
                              "rank %.0f: there are %zu in the MPI Task Assignment", rank,
                              mpip->n_ranks);
    mpip->sent_bytes[report->host_of[(size_t)rank]] += sum_bytes;
    return ERT_OK;
}

static enum ert_status read_site(struct report *report, char *text, struct ert_error *error)
{
    const char *words[N_WORDS];
    char name[64];
    struct rfl_message_row row = {0};
    double mean, sum = 0;
    const bool is_sent = report->section == SENT;
    for (size_t i = 0; i < N_WORDS; i++)
        words[i] = ert_lines_word(&text);
    report->messages->mpip.has_sent |= is_sent;
    if (is_sent && is_digits(words[RANK]))
        return add_rank(report, words, error);
    if (strcmp(words[RANK], "*") != 0)
        return ERT_OK; /* column heads, empty lines, and times of single ranks */
    ERT_TRY(number(report, "Site", words[SITE], &row.rank, error));
    ERT_TRY(number(report, "Count", words[COUNT], &row.calls, error));
    ERT_TRY(number(report, "Mean", words[MEAN], &mean, error));
    if (is_sent)
        ERT_TRY(number(report, "Sum", words[SUM], &sum, error));
    snprintf(name, sizeof name, "MPI_%.40s", words[NAME]);
    row.call = ert_strings_keep(&report->messages->calls, name);
    if (is_sent) {
        struct rfl_message_row *site = find_site(report, &row);
        site->size_bytes = mean;
        site->bytes = sum;
        site->messages = strcasestr(name, "send") ? row.calls : 0;
    } else {
        append(report->messages, &row)->time_s = row.calls * mean / 1e3;
    }
    return ERT_OK;
}

static enum ert_status read_mpip_line(struct report *report, char *line,
                                      struct ert_error *error)
{
    for (size_t i = 0; i < ERT_LENGTH(sections); i++)
        if (strncmp(line, sections[i].head, strlen(sections[i].head)) == 0) {
            report->section = sections[i].section;
            return ERT_OK;
        }
    if (strncmp(line, "@ ", 2) == 0)
        return read_head(report, line, error);
    if (*line == '-' || report->section == OTHER)
        return ERT_OK;
    return report->section == RANK_TIMES ? read_rank_time(report, line, error)
                                         : read_site(report, line, error);
}

enum ert_status rfl_messages_read_mpip(struct ert_lines *lines,
                                       struct rfl_messages *messages,
                                       struct ert_error *error)
{
    struct report report = {.lines = lines, .messages = messages, .first = messages->n};
    enum ert_status status = ERT_OK;
    messages->is_mpip = true;
    free(messages->mpip.sent_bytes);
    messages->mpip = (struct rfl_mpip){0};
    for (char *line; status == ERT_OK && (line = ert_lines_next(lines));)
        status = read_mpip_line(&report, line, error);
    if (status == ERT_OK)
        status = ert_lines_end(lines, error);
    free(report.host_of);
    return status;
}

/* ---- a file ---- */

static enum ert_status read_sites(struct ert_lines *lines, struct rfl_messages *messages,
                                  struct ert_error *error)
{
    ERT_TRY(rfl_messages_read_mpip(lines, messages, error));
    for (size_t i = 0; i < messages->n; i++)
        if (isnan(messages->rows[i].time_s))
            return ert_fail(error, ERT_USAGE, "%.200s: %s of call site %.0f has no time",
                            lines->file, messages->rows[i].call, messages->rows[i].rank);
    return messages->n ? ERT_OK
                       : ert_fail(error, ERT_USAGE,
                                  "%.200s: no section 'Callsite Time statistics': not with "
                                  "mpiP's option -c (concise)",
                                  lines->file);
}

static enum ert_status read_rows(struct ert_lines *lines, struct rfl_messages *messages,
                                 struct ert_error *error)
{
    for (char *line; (line = ert_lines_next(lines));) {
        if (lines->number == 1 && strcmp(line, mpip_line) == 0)
            return read_sites(lines, messages, error);
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
    free(messages->mpip.sent_bytes);
    ert_strings_free(&messages->calls);
    ert_strings_free(&messages->hosts);
    *messages = (struct rfl_messages){0};
}
