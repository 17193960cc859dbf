/* SPDX-License-Identifier: BSD-3-Clause */
/* clock: the one host clock of the project, and dates. It does not know what is timed. */
#ifndef ERT_BASE_CLOCK_H
#define ERT_BASE_CLOCK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of CLOCK_MONOTONIC (adjusted in rate by NTP, never set back); differences only. */
double ert_clock_now_s(void);

/* Seconds since 1970 in UTC, as other programs on this host have them; may be set back. */
double ert_clock_unix_s(void);

/* Sleeps for at least time_s seconds; a signal ends it early. */
void ert_clock_sleep_s(double time_s);

/* The present UTC time as ISO 8601 to the second, e.g. "2026-11-21T03:10:00Z" (20 bytes + NUL). */
void ert_clock_date(char *text, size_t size);

/* Seconds since 1970 of such a time; -1 for any other text. */
double ert_clock_read_date(const char *text);

#ifdef __cplusplus
}
#endif
#endif
