/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait: for MPI, never longer than a deadline. What is not done by then is left as it is, with its buffers:
 * MPI has no sure way to take a message back.
 */
#ifndef ERT_NET_WAIT_H
#define ERT_NET_WAIT_H

#include "ert/fleet/net_record.h"

#include <mpi.h>

/*
 * Polls until all n requests are done; what is long in coming leaves the core to others that want it.
 * ERT_NET_TIMEOUT at deadline_s of ert_clock_now_s(); ERT_NET_FAILED
 * with what MPI says in reason.
 */
enum ert_net_state ert_net_wait(int n, MPI_Request *requests, double deadline_s,
                                char reason[ERT_NET_REASON]);

/*
 * The same for what may take its time, such as the next order: sleeps between polls after a millisecond.
 */
enum ert_net_state ert_net_wait_idle(MPI_Request *request, double deadline_s,
                                     char reason[ERT_NET_REASON]);

/*
 * Of ranks that share cores: all waits from now on sleep between polls, so that who is waited for can run.
 * Times are longer by as much, and are none of a network anyway.
 */
void ert_net_wait_shared(void);

/* ERT_NET_OK or, with MPI's text in reason, ERT_NET_FAILED. */
enum ert_net_state ert_net_check(int code, char reason[ERT_NET_REASON]);

/*
 * From now on time_s seconds are left: then the process writes `last` (whole lines, kept by the caller) to
 * the descriptor, says on stderr that MPI did not return, and ends with exit code 1, even inside a call of
 * MPI. 0 ends the guard.
 */
void ert_net_guard(double time_s, int descriptor, const char *last);

#endif
