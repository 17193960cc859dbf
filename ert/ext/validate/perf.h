/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf: the hardware counters of CPU cores, through Linux's perf_event_open(2).
 */
#ifndef ERT_VALIDATE_PERF_H
#define ERT_VALIDATE_PERF_H

#include "ert/core/kernels/kernel.h"
#include "ert/core/machine/machine.h"
#include "ert/ext/validate/counters.h"

/*
 * Runs the replays of a file's CPU with counters and fills the counters' part of their proofs: operations,
 * the bytes that loads and stores move between core and L1, and on AMD the bytes that came from beyond the
 * level. What cannot be counted is "unavailable" with the reason.
 */
void ert_perf_prove(const struct ert_ceilings *ceilings, const struct ert_device *device,
                    struct ert_replay *replays, size_t n);

/*
 * The events of a CPU core that count these quantities, by vendor, family and model. Pure: these functions
 * open no counter.
 */
enum { ERT_MAX_EVENTS = 3 };

/* A raw event, as perf_event_open(2) and `perf stat -e rNNN` take it, and the weight of one count. */
struct ert_event {
    uint64_t config; /* unit mask << 8 | event */
    double weight;   /* operations or bytes */
};

/* A quantity is the weighted sum of these events; n 0: no event of this core counts it. */
struct ert_events {
    size_t n;
    struct ert_event list[ERT_MAX_EVENTS];
};

/* ERT_UNAVAILABLE, naming vendor, family and model, when the table has no row for them. */
enum ert_status ert_events_known(const struct ert_cpu *cpu, struct ert_error *error);

/* Operations of a type in registers of vector_bytes; 0: in vectors of any width. */
struct ert_events ert_events_operations(const struct ert_cpu *cpu, enum ert_type type,
                                        uint32_t vector_bytes);

/* Bytes moved between core and L1 by loads and stores of access_bytes each. */
struct ert_events ert_events_accesses(const struct ert_cpu *cpu, uint32_t access_bytes);

/* Bytes that entered L1 from beyond a cache: "L1", "L2" or "L3". */
struct ert_events ert_events_fills(const struct ert_cpu *cpu, const char *beyond);

#endif
