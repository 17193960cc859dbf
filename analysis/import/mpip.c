/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpiP's report (https://github.com/LLNL/mpiP, 3.5): what the ranks of an MPI program sent, as bytes of the
 * level NET. A node's roofs are of one host: the point is that of the host whose ranks sent most, with the
 * time of the slowest rank. mpiP counts what was handed to MPI: also messages that stay on a host, and the
 * buffer of a collective once, whatever its algorithm sends.
 */
#include "analysis/import/import.h"

#include "ert/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum section { OTHER, TIMES, SENT };

static const struct {
    const char *head;
    enum section section;
} sections[] = {
    {"@--- MPI Time (seconds)",               TIMES},
    {"@--- Callsite Message Sent statistics", SENT },
    {"@---",                                  OTHER},
};

struct report {
    const struct rfl_import *in;
    enum section section;
    const char *command;
    struct ert_strings hosts;
    double *sent_bytes; /* of each host; malloc */
    size_t n_hosts, room_hosts;
    size_t *host_of; /* of each rank; malloc */
    size_t n_ranks, room_ranks;
    double time_s;
    bool has_sent;
};

/* "@ MPI Task Assignment      : 3 n1": ranks come in their order. */
static enum ert_status read_assignment(struct report *report, char *text,
                                       struct ert_error *error)
{
    double rank;
    enum ert_number kind;
    const char *number = ert_lines_word(&text), *host = ert_lines_word(&text);
    ERT_TRY(ert_lines_number(report->in->lines, "MPI Task Assignment", number, &rank, &kind,
                             error));
    if (rank != (double)report->n_ranks || !*host)
        return ert_lines_fail(report->in->lines, error,
                              "MPI Task Assignment: '%.40s' '%.60s', must be rank %zu and "
                              "its host",
                              number, host, report->n_ranks);
    size_t index = ert_strings_index(&report->hosts, host);
    if (index == report->n_hosts) {
        report->sent_bytes = ert_xgrow(report->sent_bytes, report->n_hosts,
                                       &report->room_hosts, sizeof *report->sent_bytes);
        report->sent_bytes[report->n_hosts++] = 0;
    }
    report->host_of = ert_xgrow(report->host_of, report->n_ranks, &report->room_ranks,
                                sizeof *report->host_of);
    report->host_of[report->n_ranks++] = index;
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
        report->command = rfl_points_text(report->in->points, colon);
    }
    return ERT_OK;
}

/* "   0      0.708      0.703    99.29": task, its seconds, those within MPI. */
static enum ert_status read_time(struct report *report, char *text, struct ert_error *error)
{
    double time_s;
    enum ert_number kind;
    const char *task = ert_lines_word(&text);
    if (strspn(task, "0123456789") != strlen(task))
        return ERT_OK; /* the heads, and the sum of all */
    ERT_TRY(ert_lines_number(report->in->lines, "AppTime", ert_lines_word(&text), &time_s,
                             &kind, error));
    report->time_s = fmax(report->time_s, time_s);
    return ERT_OK;
}

/* "Sendrecv 4 0 50 8e+05 8e+05 8e+05 4e+07": call, site, rank, times, bytes: most, mean, least, all. */
static enum ert_status read_sent(struct report *report, char *text, struct ert_error *error)
{
    enum { RANK = 2, SUM = 7, N_WORDS };
    const char *words[N_WORDS];
    double rank, sum_bytes;
    enum ert_number kind;
    for (size_t i = 0; i < N_WORDS; i++)
        words[i] = ert_lines_word(&text);
    report->has_sent = true;
    if (!*words[RANK] || strspn(words[RANK], "0123456789") != strlen(words[RANK]))
        return ERT_OK; /* the heads, empty lines, and the sum of all ranks */
    ERT_TRY(ert_lines_number(report->in->lines, "Rank", words[RANK], &rank, &kind, error));
    ERT_TRY(
        ert_lines_number(report->in->lines, "Sum", words[SUM], &sum_bytes, &kind, error));
    if (rank >= (double)report->n_ranks)
        return ert_lines_fail(report->in->lines, error,
                              "rank %.0f: there are %zu in the MPI Task Assignment", rank,
                              report->n_ranks);
    report->sent_bytes[report->host_of[(size_t)rank]] += sum_bytes;
    return ERT_OK;
}

static enum ert_status read_line(struct report *report, char *line, struct ert_error *error)
{
    for (size_t i = 0; i < ERT_LENGTH(sections); i++)
        if (strncmp(line, sections[i].head, strlen(sections[i].head)) == 0) {
            report->section = sections[i].section;
            return ERT_OK;
        }
    if (strncmp(line, "@ ", 2) == 0)
        return read_head(report, line, error);
    if (*line == '-')
        return ERT_OK;
    return report->section == TIMES  ? read_time(report, line, error)
           : report->section == SENT ? read_sent(report, line, error)
                                     : ERT_OK;
}

static void put(const struct report *report)
{
    static const char recipe[] = "sent by the ranks of a host (mpiP)";
    struct rfl_point *point = rfl_points_add(
        report->in->points, report->command ? report->command : "MPI program");
    size_t most = 0;
    for (size_t i = 1; i < report->n_hosts; i++)
        if (report->sent_bytes[i] > report->sent_bytes[most])
            most = i;
    point->time_s = report->time_s;
    point->time_recipe = "AppTime of the slowest rank (mpiP)";
    if (report->n_hosts < 2) {
        rfl_points_missing(point, "NET bytes", "all %zu ranks were on one host",
                           report->n_ranks);
        return;
    }
    if (!report->has_sent) {
        rfl_points_missing(point, "NET bytes",
                           "no section 'Callsite Message Sent statistics': not with mpiP's "
                           "option -c (concise)");
        return;
    }
    rfl_points_accesses(point, "NET", report->sent_bytes[most], report->sent_bytes[most],
                        true, recipe);
    rfl_points_warn(
        point,
        "NET: what the ranks of %s sent, the most of %zu hosts; messages between "
        "its own ranks count as well, a collective's buffer once",
        report->hosts.texts[most], report->n_hosts);
}

static enum ert_status mpip_read(const struct rfl_import *in, struct ert_error *error)
{
    struct report report = {.in = in};
    enum ert_status status = ERT_OK;
    for (char *line; status == ERT_OK && (line = ert_lines_next(in->lines));)
        status = read_line(&report, line, error);
    if (status == ERT_OK)
        status = ert_lines_end(in->lines, error);
    if (status == ERT_OK && report.n_ranks == 0)
        status = ert_fail(error, ERT_USAGE, "%.200s: contains no MPI Task Assignment",
                          in->lines->file);
    if (status == ERT_OK)
        put(&report);
    ert_strings_free(&report.hosts);
    free(report.sent_bytes);
    free(report.host_of);
    return status;
}

static bool recognizes(const char *head)
{
    return strncmp(head, "@ mpiP\n", 7) == 0;
}

const struct rfl_importer rfl_import_mpip = {
    .name = "mpip",
    .summary = "mpiP: what an MPI program sends, as bytes of the level NET",
    .how = "LD_PRELOAD=libmpiP.so srun PROGRAM (writes PROGRAM.*.mpiP)",
    .device = RFL_IMPORT_ANY,
    .recognizes = recognizes,
    .read = mpip_read,
};
