/*
 * perf: the core's own counters on CPUs, through Linux's perf_event_open(2).
 */
#ifndef ERT_VALIDATE_PERF_H
#define ERT_VALIDATE_PERF_H

#include "ert/validate/counters.h"

/*
 * Runs the replays of a CPU of a file with counters and fills the counters' part of their proofs: operations,
 * the bytes that loads and stores move between core and L1, and on AMD those that came from beyond the level
 * (events.h). What cannot be counted is "unavailable" with the reason.
 */
void ert_perf_prove(const struct ert_ceilings *ceilings, const struct ert_device *device,
                    struct ert_replay *replays, size_t n);

#endif
