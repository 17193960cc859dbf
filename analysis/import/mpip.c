/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpiP's report (https://github.com/LLNL/mpiP, 3.5): what the ranks of an MPI program sent, as bytes of level
 * NET. Roofs are those of one host: so the point is that of the host whose ranks sent most, with the time of
 * the slowest rank. mpiP counts what was passed to MPI: also messages that stay on a host, and a collective's
 * buffer once, whatever its algorithm sends.
 */
#include "analysis/import/import.h"

#include "analysis/messages.h"

#include <string.h>

static void put(const struct rfl_messages *messages, struct rfl_points *points)
{
    static const char recipe[] = "sent by the ranks of a host (mpiP)";
    const struct rfl_mpip *mpip = &messages->mpip;
    struct rfl_point *point = rfl_points_add(
        points, mpip->command ? rfl_points_text(points, mpip->command) : "MPI program");
    size_t most = 0;
    for (size_t i = 1; i < messages->hosts.n_texts; i++)
        if (mpip->sent_bytes[i] > mpip->sent_bytes[most])
            most = i;
    point->time_s = mpip->time_s;
    point->time_recipe = "AppTime of the slowest rank (mpiP)";
    if (messages->hosts.n_texts < 2) {
        rfl_points_missing(point, "NET bytes", "all %zu ranks were on one host",
                           mpip->n_ranks);
        return;
    }
    if (!mpip->has_sent) {
        rfl_points_missing(point, "NET bytes",
                           "no section 'Callsite Message Sent statistics': not with mpiP's "
                           "option -c (concise)");
        return;
    }
    rfl_points_accesses(point, "NET", mpip->sent_bytes[most], mpip->sent_bytes[most], true,
                        recipe);
    rfl_points_warn(
        point,
        "NET: what the ranks of %s sent, the most of %zu hosts; messages between "
        "its own ranks count as well, a collective's buffer once",
        messages->hosts.texts[most], messages->hosts.n_texts);
}

static enum ert_status mpip_read(const struct rfl_import *in, struct ert_error *error)
{
    struct rfl_messages messages = {0};
    enum ert_status status = rfl_messages_read_mpip(in->lines, &messages, error);
    if (status == ERT_OK && messages.mpip.n_ranks == 0)
        status = ert_fail(error, ERT_USAGE, "%.200s: contains no MPI Task Assignment",
                          in->lines->file);
    if (status == ERT_OK)
        put(&messages, in->points);
    rfl_messages_free(&messages);
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
