/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * team: the OpenMP threads of the CPU backend: how many there are, which CPU each runs on, and a way to run a
 * function on all of them. It ignores OMP_ variables and knows no kernels.
 */
#ifndef ERT_BACKEND_CPU_TEAM_H
#define ERT_BACKEND_CPU_TEAM_H

#include "ert/core/base/error.h"

#include <stddef.h>
#include <stdint.h>

struct ert_cpu_team; /* opaque; made by ert_cpu_team_open() */

/*
 * Starts and pins n_threads threads: one per core in topology order (second hardware threads only if there
 * are more threads than cores), on CPUs of the calling thread's affinity mask, which cgroups and job managers
 * have set. If pinning is refused, the threads are not pinned and notes[size] says why; otherwise notes is
 * unchanged. ERT_USAGE when there are fewer CPUs than threads, ERT_FAILED when memory runs out or the system
 * or OpenMP gives fewer threads.
 */
enum ert_status ert_cpu_team_open(uint32_t n_threads, struct ert_cpu_team **team,
                                  char *notes, size_t size, struct ert_error *error);

/*
 * From now on only n threads run, 1 <= n <= n_threads, numbered 0 ... n - 1 in work() and in the functions
 * below: the planned threads members[i], or if members is NULL the first n. The others do not exist
 * meanwhile: a thread that spins at OpenMP's barrier would take issue slots from the core that it shares.
 */
void ert_cpu_team_choose(struct ert_cpu_team *team, uint32_t n, const uint32_t *members);

/*
 * The same for those of the first n planned threads whose CPUs are in a package (0, 1 ... in topology order;
 * without topology all are in package 0); returns how many. If there is none, returns 0 and all n run.
 */
uint32_t ert_cpu_team_choose_of(struct ert_cpu_team *team, uint32_t n, uint32_t package);

/* Frees the team and restores the calling thread's affinity. Accepts NULL. */
void ert_cpu_team_close(struct ert_cpu_team *team);

/* The OS number of the CPU that a thread was planned for. */
uint32_t ert_cpu_team_cpu(const struct ert_cpu_team *team, uint32_t thread);

/*
 * Calls work(context, thread) on every thread and waits for all. ERT_FAILED, without a call, when OpenMP
 * gives fewer threads than planned (OMP_THREAD_LIMIT, a limit of the system).
 */
enum ert_status ert_cpu_team_run(struct ert_cpu_team *team,
                                 void (*work)(void *context, uint32_t thread),
                                 void *context, struct ert_error *error);

/* Inside work(): waits until all threads of the team have called it. */
void ert_cpu_team_barrier(struct ert_cpu_team *team);

#endif
