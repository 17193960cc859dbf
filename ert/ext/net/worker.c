/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/net/worker.h"

#include "ert/core/base/clock.h"
#include "ert/ext/net/wait.h"

#include <float.h>

void ert_net_obey(struct ert_net_world *world, const struct ert_net_order *order,
                  struct ert_net_report *report)
{
    enum { TAGS = 8000 }; /* twice as many are below the limit of any MPI */
    *report = (struct ert_net_report){.number = order->number};
    struct ert_net_link link = {.comm = world->data,
                                .peer = order->peer,
                                .tag = 2 * (int)(order->number % TAGS),
                                .deadline_s = ert_clock_now_s() + order->deadline_s,
                                .time_s = order->time_s,
                                .seed = order->seed,
                                .out = world->out,
                                .in = world->in,
                                .report = report};
    /* The one that leads first has all results, the other one way back. */
    for (int turn = 0; turn < 2 && !link.is_dead; turn++) {
        if ((int)order->leads == turn) {
            ert_net_follow(&link);
            continue;
        }
        if (turn == 0)
            ert_net_lead_latency(&link);
        ert_net_lead_rate(&link, ERT_NET_ONE_WAY, order->size_bytes);
        if (turn == 0)
            ert_net_lead_rate(&link, ERT_NET_BOTH_WAYS, order->size_bytes);
        ert_net_lead_end(&link);
    }
}

void ert_net_serve(struct ert_net_world *world)
{
    for (;;) {
        static struct ert_net_report report; /* static, in case it is never received */
        struct ert_net_order order;
        MPI_Request request;
        MPI_Irecv(&order, sizeof order, MPI_BYTE, 0, ERT_NET_TAG_ORDER, world->control,
                  &request);
        ert_net_guard(0, -1, NULL);
        ert_net_wait_idle(&request, DBL_MAX, report.reason);
        if (order.kind == ERT_NET_ORDER_END)
            break;
        /* rank 0's own guard is earlier, so that it can write its last line */
        ert_net_guard(2 * order.deadline_s + 4 * ERT_NET_GRACE, -1, NULL);
        ert_net_obey(world, &order, &report);
        MPI_Send(&report, sizeof report, MPI_BYTE, 0, ERT_NET_TAG_REPORT, world->control);
    }
}
