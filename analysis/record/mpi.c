/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/record/mpi.h"

#include "analysis/messages.h"
#include "ert/base/units.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char messages_folder[] = "messages";

bool rfl_mpi_is_launcher(const char *program)
{
    /* Each also with a suffix: "mpirun.mpich", "mpiexec.hydra". */
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun",
                                        "srun",   "aprun",   "jsrun"};
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    for (size_t i = 0; i < ERT_LENGTH(names); i++)
        if (strlen(names[i]) == strcspn(name, ".") &&
            strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

void rfl_mpi_prepare(struct rfl_record *record, uint64_t ranks_per_host)
{
    struct ert_strings *strings = &record->points->strings;
    struct ert_error error;
    const char *library = rfl_record_shipped(record, "mpi", "libroofline-messages.so");
    const char *folder, *others = getenv("LD_PRELOAD");
    if (!library || rfl_record_fresh(record, messages_folder, &folder, &error) != ERT_OK) {
        record->say("messages are not counted: %s",
                    library ? error.text : "libroofline-messages.so is not there");
        return;
    }
    rfl_record_set(record, "LD_PRELOAD",
                   others && *others ? ert_strings_format(strings, "%s:%s", library, others)
                                     : library);
    rfl_record_set(record, "RFL_MESSAGES", folder);
    if (ranks_per_host)
        rfl_record_set(
            record, "RFL_RANKS_PER_HOST",
            ert_strings_format(strings, "%llu", (unsigned long long)ranks_per_host));
}

static enum ert_status read_folder(const char *folder, struct rfl_messages *messages,
                                   struct ert_error *error)
{
    char pattern[PATH_MAX];
    glob_t found = {0};
    enum ert_status status = ERT_OK;
    snprintf(pattern, sizeof pattern, "%s/%s/*.tsv", folder, messages_folder);
    if (glob(pattern, 0, NULL, &found) != 0)
        found.gl_pathc = 0;
    for (size_t i = 0; i < found.gl_pathc && status == ERT_OK; i++)
        status = rfl_messages_read(found.gl_pathv[i], messages, error);
    globfree(&found);
    return status;
}

static enum ert_status read_all(const char *folder, size_t n_folders,
                                struct rfl_messages *messages, struct ert_error *error)
{
    char of_rank[PATH_MAX];
    for (size_t i = 0; i < n_folders; i++) {
        snprintf(of_rank, sizeof of_rank, "%s/rank-%zu", folder, i);
        ERT_TRY(read_folder(of_rank, messages, error));
    }
    return n_folders ? ERT_OK : read_folder(folder, messages, error);
}

/* The rows "received", one per rank of each of the programs. */
static double ranks_that_wrote(const struct rfl_messages *messages)
{
    double n = 0;
    for (size_t i = 0; i < messages->n; i++)
        n += strcmp(messages->rows[i].call, "received") == 0;
    return n;
}

static void tell(const struct rfl_messages *messages, const struct rfl_point *point,
                 const char *host, const char *file, void (*say)(const char *format, ...))
{
    const double ranks = rfl_point_value(point, "mpi_ranks"),
                 n = ranks_that_wrote(messages);
    const struct rfl_traffic *net = rfl_point_traffic(point, "NET");
    say("messages: %.0f ranks on %zu host%s sent %s, %.3g s each in MPI: %s", ranks,
        messages->hosts.n_texts, messages->hosts.n_texts == 1 ? "" : "s",
        ert_units_amount(rfl_point_value(point, "mpi_sent_bytes"), "B").text,
        rfl_point_value(point, "mpi_time_s"), file);
    if (net)
        say("messages: %s of them from %s to other hosts, the most of all: level NET",
            ert_units_amount(net->bytes, "B").text, host);
    if (n < ranks)
        say("messages: of %.0f of %.0f ranks: the others did not come to MPI_Finalize", n,
            ranks);
}

enum ert_status rfl_mpi_add(const char *folder, size_t n_folders, struct rfl_points *points,
                            void (*say)(const char *format, ...), bool *has,
                            struct ert_error *error)
{
    struct rfl_messages messages = {0};
    const char *host,
        *file = ert_strings_format(&points->strings, "%s/%s.tsv", folder, messages_folder);
    enum ert_status status = read_all(folder, n_folders, &messages, error);
    *has = messages.n > 0;
    if (status == ERT_OK && *has)
        status = rfl_messages_write(file, &messages, error);
    if (status == ERT_OK && *has) {
        struct rfl_point *point = rfl_points_named(points, 0, rfl_record_whole_name);
        if (!point)
            point = rfl_points_add(points, rfl_record_whole_name);
        rfl_messages_sum(&messages, point, &host);
        tell(&messages, point, host, file, say);
        status = rfl_points_status(points, error);
    }
    rfl_messages_free(&messages);
    return status;
}
