/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/record/ranks.h"

#include "analysis/core/points/points_json.h"
#include "analysis/ext/record/merge.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Open MPI; MPICH, Intel MPI and others with PMI; srun (outside of a step SLURM_PROCID is that of the batch
 * script). PMIX_RANK comes with one of these, but without the number of ranks.
 */
static const struct {
    const char *rank, *n, *local;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMI_RANK",             "PMI_SIZE",             "MPI_LOCALRANKID"           },
    {"SLURM_PROCID",         "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"             },
};

static bool ranks_read_number(const char *name, size_t *number)
{
    const char *text = getenv(name);
    char *end = NULL;
    if (!text || *text < '0' || *text > '9')
        return false;
    *number = strtoul(text, &end, 10);
    return *end == '\0';
}

bool rfl_rank_find(struct rfl_rank *rank)
{
    for (size_t i = 0; i < ERT_LENGTH(launchers); i++) {
        size_t local;
        if (!ranks_read_number(launchers[i].rank, &rank->rank) ||
            !ranks_read_number(launchers[i].n, &rank->n) || rank->n < 2 ||
            rank->rank >= rank->n)
            continue;
        rank->is_first_on_node =
            (ranks_read_number(launchers[i].local, &local) ? local : rank->rank) == 0;
        return true;
    }
    return false;
}

bool rfl_rank_is_launcher(const char *program)
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

static enum ert_status add_rank(const char *file, struct rfl_points *points,
                                struct ert_error *error)
{
    struct rfl_points own = {0};
    enum ert_status status = rfl_points_read(file, &own, error);
    if (status == ERT_OK)
        status = rfl_merge(points, &own, error);
    points->elapsed_s = fmax(points->elapsed_s, own.elapsed_s);
    points->busy_s += own.busy_s; /* each rank has its own GPU */
    rfl_points_free(&own);
    return status;
}

enum ert_status rfl_ranks_merge(const char *folder, size_t n, struct rfl_points *points,
                                size_t *n_there, struct ert_error *error)
{
    char file[PATH_MAX];
    *n_there = 0;
    for (size_t i = 0; i < n; i++) {
        snprintf(file, sizeof file, "%s/rank-%zu/points.json", folder, i);
        if (access(file, R_OK) != 0)
            continue;
        ERT_TRY(add_rank(file, points, error));
        ++*n_there;
    }
    return ERT_OK;
}
