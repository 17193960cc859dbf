/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/backend/cpu/team.h"

#include "ert/core/backend/cpu/pin.h"

#include <assert.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ert_cpu_team {
    uint32_t n_planned;
    struct ert_pin_place *places; /* of those planned */
    uint32_t n_threads;
    uint32_t *members;        /* indices in places[] of the threads that run */
    struct ert_pin_mask mask; /* of the calling thread, before it was pinned */
    atomic_int pin_refused;   /* errno of a refusal, or 0 */
    atomic_uint arrived, round;
};

/*
 * Every region pins its threads again: the runtime decides which of OpenMP's threads run it, and a call costs
 * only a microsecond. After a refusal it does not try again.
 */
static void team_pin(struct ert_cpu_team *team, uint32_t thread)
{
    if (atomic_load(&team->pin_refused))
        return;
    int reason = ert_pin_to(ert_cpu_team_cpu(team, thread));
    if (reason)
        atomic_store(&team->pin_refused, reason);
}

enum ert_status ert_cpu_team_run(struct ert_cpu_team *team,
                                 void (*work)(void *context, uint32_t thread),
                                 void *context, struct ert_error *error)
{
    int given = 0;
#pragma omp parallel num_threads((int)team->n_threads) shared(given)
    {
#pragma omp single
        given = omp_get_num_threads();
        if (given == (int)team->n_threads) {
            team_pin(team, (uint32_t)omp_get_thread_num());
            work(context, (uint32_t)omp_get_thread_num());
        }
    }
    if (given == (int)team->n_threads)
        return ERT_OK;
    return ert_fail(
        error, ERT_FAILED,
        "cpu: OpenMP started %d of %u threads; OMP_THREAD_LIMIT (here %d) or a limit of "
        "the system prevents more",
        given, team->n_threads, omp_get_thread_limit());
}

/*
 * Spins, because a sleeping thread wakes up tens of microseconds late; yields now and then, in case the
 * thread that it waits for needs this CPU.
 */
void ert_cpu_team_barrier(struct ert_cpu_team *team)
{
    unsigned round = atomic_load(&team->round);
    if (atomic_fetch_add(&team->arrived, 1) + 1 == team->n_threads) {
        atomic_store(&team->arrived, 0);
        atomic_fetch_add(&team->round, 1);
        return;
    }
    for (unsigned spins = 1; atomic_load(&team->round) == round; spins++)
        if (spins % 65536 == 0)
            sched_yield();
}

static void do_nothing(void *context, uint32_t thread)
{
    (void)context, (void)thread;
}

static enum ert_status team_start(struct ert_cpu_team *team, char *notes, size_t size,
                                  struct ert_error *error)
{
    bool by_topology;
    ERT_TRY(ert_pin_plan(team->n_planned, &team->mask, team->places, &by_topology, error));
    ert_pin_alone();
    omp_set_dynamic(0);
    ERT_TRY(ert_cpu_team_run(team, do_nothing, NULL, error));
    int refused = atomic_load(&team->pin_refused);
    if (refused)
        snprintf(notes, size, "threads are not pinned: %s", strerror(refused));
    else if (!by_topology)
        snprintf(notes, size,
                 "threads are pinned in the order of CPU numbers: hwloc gives no "
                 "topology of this machine");
    return ERT_OK;
}

enum ert_status ert_cpu_team_open(uint32_t n_threads, struct ert_cpu_team **team,
                                  char *notes, size_t size, struct ert_error *error)
{
    struct ert_cpu_team *new = calloc(1, sizeof *new);
    if (new) {
        new->places = calloc(n_threads, sizeof *new->places);
        new->members = calloc(n_threads, sizeof *new->members);
    }
    if (!new || !new->places || !new->members) {
        ert_cpu_team_close(new);
        return ert_fail(error, ERT_FAILED, "cpu: no memory for %u threads", n_threads);
    }
    new->n_planned = n_threads;
    ert_cpu_team_choose(new, n_threads, NULL);
    enum ert_status status = team_start(new, notes, size, error);
    if (status != ERT_OK) {
        ert_cpu_team_close(new);
        return status;
    }
    *team = new;
    return ERT_OK;
}

void ert_cpu_team_choose(struct ert_cpu_team *team, uint32_t n, const uint32_t *members)
{
    assert(n >= 1 && n <= team->n_planned);
    team->n_threads = n;
    for (uint32_t i = 0; i < n; i++)
        team->members[i] = members ? members[i] : i;
}

uint32_t ert_cpu_team_choose_of(struct ert_cpu_team *team, uint32_t n, uint32_t package)
{
    uint32_t found = 0;
    assert(n <= team->n_planned);
    for (uint32_t i = 0; i < n; i++)
        if (team->places[i].package == package)
            team->members[found++] = i;
    if (found == 0)
        ert_cpu_team_choose(team, n, NULL);
    else
        team->n_threads = found;
    return found;
}

void ert_cpu_team_close(struct ert_cpu_team *team)
{
    if (!team)
        return;
    ert_pin_set_mask(&team->mask);
    free(team->members);
    free(team->places);
    free(team);
}

uint32_t ert_cpu_team_cpu(const struct ert_cpu_team *team, uint32_t thread)
{
    return team->places[team->members[thread]].cpu;
}
