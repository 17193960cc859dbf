/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/base/clock.h"

#include <math.h>
#include <string.h>
#include <time.h>

double ert_clock_now_s(void)
{
    /* Not CLOCK_MONOTONIC_RAW: that one is a system call on older kernels and virtual machines. */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double ert_clock_unix_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void ert_clock_sleep_s(double time_s)
{
    if (!(time_s > 0))
        return;
    const double longest_s = 1e9; /* 31 years: keeps the conversion to time_t defined */
    double whole_s = 0;
    double fraction_s = modf(fmin(time_s, longest_s), &whole_s);
    struct timespec pause = {.tv_sec = (time_t)whole_s,
                             .tv_nsec = (long)(1e9 * fraction_s)};
    nanosleep(&pause, NULL); /* a signal ends it early on purpose: Ctrl-C must not wait */
}

static const char date_format[] = "%Y-%m-%dT%H:%M:%SZ";

void ert_clock_date(char *text, size_t size)
{
    if (size == 0)
        return;
    time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || strftime(text, size, date_format, &utc) == 0)
        text[0] = '\0';
}

double ert_clock_read_date(const char *text)
{
    struct tm utc = {0};
    char again[24] = "";
    if (!strptime(text, date_format, &utc))
        return -1;
    double unix_s = (double)timegm(&utc); /* February 30 becomes March 2 */
    strftime(again, sizeof again, date_format, &utc);
    return strcmp(text, again) == 0 ? unix_s : -1;
}
