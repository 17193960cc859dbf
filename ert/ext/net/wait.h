/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait: waits for MPI, but not longer than a deadline. Requests not done by then are abandoned with their
 * buffers: MPI cannot reliably cancel a message.
 */
#ifndef ERT_NET_WAIT_H
#define ERT_NET_WAIT_H

#include "ert/ext/fleet/net_record.h"

#include <mpi.h>

/*
 * Polls until all n requests are done, and yields the core during long waits. ERT_NET_TIMEOUT at deadline_s
 * of ert_clock_now_s(); ERT_NET_FAILED with MPI's text in reason.
 */
enum ert_net_state ert_net_wait(int n, MPI_Request *requests, double deadline_s,
                                char reason[ERT_NET_REASON]);

/* The same without a deadline, for the next order: sleeps between polls after a millisecond. */
enum ert_net_state ert_net_wait_idle(MPI_Request *request, char reason[ERT_NET_REASON]);

/*
 * For ranks that share cores: all later waits sleep between polls, so that the awaited rank can run. This
 * lengthens times, which are no measure of a network then anyway.
 */
void ert_net_wait_shared(void);

/* ERT_NET_OK, or ERT_NET_FAILED with MPI's text in reason. */
enum ert_net_state ert_net_check(int code, char reason[ERT_NET_REASON]);

/*
 * Sets a guard: after time_s seconds the process writes `last` (whole lines, kept by the caller) to the
 * descriptor, prints to stderr that MPI did not return, and ends with exit code 1, even inside an MPI call. 0
 * removes the guard.
 */
void ert_net_guard(double time_s, int descriptor, const char *last);

#endif
