/*
 * perf: the core's own counters on CPUs, through Linux's perf_event_open(2).
 */
#ifndef ERT_VALIDATE_PERF_H
#define ERT_VALIDATE_PERF_H

#include "ert/validate/counters.h"

/* A raw event of Intel's cores and what one count of it stands for. */
struct ert_perf_event {
    uint64_t config; /* umask << 8 | event */
    double weight;   /* operations or bytes */
};

/*
 * Pure: the event that counts the arithmetic of a type in registers of so many bytes; false when
 * there is none. An FMA counts twice.
 */
bool ert_perf_arithmetic(enum ert_type type, uint32_t vector_bytes,
                         struct ert_perf_event *event);

/*
 * Runs the replays of a CPU with counters and fills the counters' part of their proofs: operations,
 * and the bytes that loads and stores move between core and L1; which level answers is not counted.
 * What cannot be counted is "unavailable" with the reason.
 */
void ert_perf_prove(const struct ert_device *device, struct ert_replay *replays, size_t n);

/* Whether a counter can be had at all; the reason into reason[size] when not. */
bool ert_perf_available(const struct ert_device *device, char *reason, size_t size);

#endif
