/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * team: the OpenMP threads of the CPU backend: how many, which CPU each stands on, and a
 * way to run a function on all of them. It takes nothing from OMP_ variables. It knows no
 * kernels.
 */
#ifndef ERT_BACKEND_CPU_TEAM_H
#define ERT_BACKEND_CPU_TEAM_H

#include "ert/base/error.h"

#include <stddef.h>
#include <stdint.h>

struct ert_cpu_team; /* opaque; made by ert_cpu_team_open() */

/*
 * Plans n_threads threads: one per core in the order of the topology (second hardware
 * threads only when there are more threads than cores), on CPUs of the calling thread's
 * affinity mask, which cgroups and job managers have set. Starts them and pins them. When
 * pinning is refused the threads float and notes[size] says why; otherwise notes is left
 * alone. ERT_USAGE when there are fewer CPUs than threads, ERT_FAILED without memory or
 * when the system or OpenMP gives fewer threads.
 */
enum ert_status ert_cpu_team_open(uint32_t n_threads, struct ert_cpu_team **team,
                                  char *notes, size_t size, struct ert_error *error);

/*
 * From now on only n threads run, numbered 0 ... n - 1 in work() and in the functions below:
 * members[i] of those planned, or, where members is NULL, the first n. n is 1 to what was planned.
 * The others have no thread meanwhile: one that spun at OpenMP's barrier would take issue slots
 * from the core that it shares.
 */
void ert_cpu_team_choose(struct ert_cpu_team *team, uint32_t n, const uint32_t *members);

/*
 * The same of those planned threads among the first n whose CPUs are in a package, or are cores of a kind (0,
 * 1 ... in the order of the topology; without one all are of kind 0 in package 0); returns how many. Where
 * there is none, all n run.
 */
enum ert_cpu_team_group { ERT_CPU_PACKAGE, ERT_CPU_CORE_KIND };
uint32_t ert_cpu_team_choose_of(struct ert_cpu_team *team, uint32_t n,
                                enum ert_cpu_team_group group, uint32_t number);

/* Gives the calling thread its affinity back. NULL is fine. */
void ert_cpu_team_close(struct ert_cpu_team *team);

/* How many run. */
uint32_t ert_cpu_team_threads(const struct ert_cpu_team *team);

/* The operating system's number of the CPU that a thread was planned for. */
uint32_t ert_cpu_team_cpu(const struct ert_cpu_team *team, uint32_t thread);

/* The package of that CPU, 0, 1 ... in the order of the topology; 0 without one. */
uint32_t ert_cpu_team_package(const struct ert_cpu_team *team, uint32_t thread);

/*
 * Calls work(context, thread) on every thread and waits for all; returns ERT_FAILED,
 * without a call, when OpenMP gives fewer threads than planned (OMP_THREAD_LIMIT, a
 * system's limit).
 */
enum ert_status ert_cpu_team_run(struct ert_cpu_team *team,
                                 void (*work)(void *context, uint32_t thread),
                                 void *context, struct ert_error *error);

/*
 * Inside work(): waits until all threads of the team are here, so that they go on together.
 */
void ert_cpu_team_barrier(struct ert_cpu_team *team);

#endif
