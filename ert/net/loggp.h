/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loggp: fits the four parameters of LogGP (Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995) to
 * times of windows of messages. Pure arithmetic.
 *
 * A window is n messages of s bytes, all sent before waiting, and an answer of 8 bytes to the last:
 *     T(n, s) = 2 (L + 2 o) + (n - 1) g + n s G
 * with the network's latency L, the overhead o of a process per message, the least time g between messages,
 * and the same per byte, G. The message roofline also varies n, messages per synchronization (Ding, Haseeb,
 * Groves, Williams, "Evaluating the Performance of One-sided Communication on CPUs and GPUs", P3HPC at SC23).
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
 * Fits the model by least squares of relative deviations, so that a window of a microsecond counts as much as
 * one of a second. overhead_s is measured separately: times of windows only determine L + 2 o. False for
 * fewer than three points, or if all have the same number of messages or the same size. Parameters are not
 * clamped and may be negative.
 */
bool ert_loggp_fit(const struct ert_loggp_point *points, size_t n, double overhead_s,
                   struct ert_loggp *loggp);

/* T(n, s) of the model, in s. */
double ert_loggp_time(const struct ert_loggp *loggp, double messages, double size_bytes);

#endif
