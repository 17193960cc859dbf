/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loggp: the four parameters of LogGP (Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995) from
 * times of windows of messages. Pure arithmetic.
 *
 * A window is n messages of s bytes, sent before one waits, and the answer of 8 bytes to the last:
 *     T(n, s) = 2 (L + 2 o) + (n - 1) g + n s G
 * where L is the network's latency, o what a process pays per message, g the least time between messages and
 * G that per byte. n is what the message roofline varies (Ding, Haseeb, Groves, Williams, "Evaluating the
 * Performance of One-sided Communication on CPUs and GPUs", P3HPC at SC23): messages per synchronization.
 */
#ifndef ERT_NET_LOGGP_H
#define ERT_NET_LOGGP_H

#include <stdbool.h>
#include <stddef.h>

struct ert_loggp_point {
    double messages, size_bytes, time_s;
};

struct ert_loggp {
    double latency_s, overhead_s, gap_s, gap_per_byte_s; /* L, o, g, G */
    double error; /* root mean square of (model - measured) / measured */
};

/*
 * The model with the least squares of relative deviations, so that a window of a microsecond counts as much
 * as one of a second. overhead_s was measured by itself: times of windows hold L + 2 o alone. False for fewer
 * than three points, or none that differ in messages or in size. What the points say is not clamped: a
 * parameter may come out negative.
 */
bool ert_loggp_fit(const struct ert_loggp_point *points, size_t n, double overhead_s,
                   struct ert_loggp *loggp);

/* T(n, s) of the model, in s. */
double ert_loggp_time(const struct ert_loggp *loggp, double messages, double size_bytes);

#endif
