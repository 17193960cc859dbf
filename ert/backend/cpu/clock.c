#include "ert/base/clock.h"
#include "ert/backend/cpu/session.h"

/* A chain of 3200 adds, about 1 us. */
enum { ROUNDS = 50 };

double ert_cpu_clock_overhead_s(void)
{
    double best_s = 1;
    for (int i = 0; i < 16; i++) {
        double begin_s = ert_clock_now_s();
        double time_s = ert_clock_now_s() - begin_s;
        best_s = time_s < best_s ? time_s : best_s;
    }
    return best_s;
}

double ert_cpu_clock_now(const struct ert_cpu_isa *isa, double overhead_s)
{
    double begin_s = ert_clock_now_s();
    isa->add_chain(ROUNDS);
    double time_s = ert_clock_now_s() - begin_s - overhead_s;
    return time_s > 0 ? ROUNDS * 64 / time_s : 0;
}
