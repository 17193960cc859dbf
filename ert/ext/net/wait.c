/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/net/net.h"

#include "ert/core/base/clock.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum ert_net_state ert_net_check(int code, char reason[ERT_NET_REASON])
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    if (code == MPI_SUCCESS)
        return ERT_NET_OK;
    MPI_Error_string(code, text, &length);
    snprintf(reason, ERT_NET_REASON, "MPI: %.140s", text);
    return ERT_NET_FAILED;
}

/* The clock is read every POLLS_PER_CLOCK polls; after POLLS_BEFORE_YIELD polls the core is then yielded. */
enum { POLLS_PER_CLOCK = 16, POLLS_BEFORE_YIELD = 1024 };

/* An idle wait sleeps after awake_s, a tenth of the time waited so far, at most longest_sleep_s. */
static const double awake_s = 1e-3, longest_sleep_s = 2e-3;

/*
 * Ranks that share cores sleep: a process that yields its core to one that polls, or to one of low priority,
 * gets it back when that time slice ends, milliseconds later; after sleeping it gets it at once.
 */
static const double nap_s = 50e-6;
static bool is_shared;

void ert_net_wait_shared(void)
{
    is_shared = true;
}

static enum ert_net_state wait_for(int n, MPI_Request *requests, double deadline_s,
                                   bool is_idle, char reason[ERT_NET_REASON])
{
    const double start_s = is_idle ? ert_clock_now_s() : 0;
    double sleep_s = 0;
    for (unsigned polls = 1;; polls++) {
        int done = 0;
        enum ert_net_state state =
            ert_net_check(MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE), reason);
        if (done || state != ERT_NET_OK)
            return state;
        if (sleep_s == 0 && polls % POLLS_PER_CLOCK)
            continue;
        double now_s = ert_clock_now_s();
        if (now_s > deadline_s) {
            snprintf(reason, ERT_NET_REASON, "not done by the deadline");
            return ERT_NET_TIMEOUT;
        }
        sleep_s = is_idle && now_s - start_s > awake_s
                      ? fmin((now_s - start_s) / 10, longest_sleep_s)
                  : is_shared ? nap_s
                              : 0;
        if (sleep_s > 0)
            ert_clock_sleep_s(sleep_s);
        else if (polls > POLLS_BEFORE_YIELD)
            sched_yield();
    }
}

enum ert_net_state ert_net_wait(int n, MPI_Request *requests, double deadline_s,
                                char reason[ERT_NET_REASON])
{
    return wait_for(n, requests, deadline_s, false, reason);
}

enum ert_net_state ert_net_wait_idle(MPI_Request *request, char reason[ERT_NET_REASON])
{
    return wait_for(1, request, INFINITY, true, reason);
}

/* For the signal handler, which takes no arguments. */
static struct {
    int descriptor;
    const char *volatile last;
} final_words;

static void wait_give_up(int signal_number)
{
    static const char text[] = "ert-net: MPI did not return in time\n";
    (void)signal_number;
    const char *last = final_words.last;
    if (!last || write(final_words.descriptor, last, strlen(last)) > 0)
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(ERT_FAILED);
}

void ert_net_guard(double time_s, int descriptor, const char *last)
{
    const struct sigaction action = {.sa_handler = wait_give_up};
    const struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)time_s,
                     .tv_usec = (suseconds_t)((time_s - (double)(time_t)time_s) * 1e6)}
    };
    final_words.descriptor = descriptor;
    final_words.last = last;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}
