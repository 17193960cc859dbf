/*
 * events: which events of a CPU's core count what perf.h asks for, by vendor, family and model. Pure: it
 * opens no counter.
 */
#ifndef ERT_VALIDATE_EVENTS_H
#define ERT_VALIDATE_EVENTS_H

#include "ert/kernels/kernel.h"
#include "ert/machine/machine.h"

enum { ERT_MAX_EVENTS = 3 };

/* A raw event, as perf_event_open(2) and `perf stat -e rNNN` take it, and what one count stands for. */
struct ert_event {
    uint64_t config; /* unit mask << 8 | event */
    double weight;   /* operations or bytes */
};

/* A quantity is the weighted sum of these; n 0: no event of this core counts it. */
struct ert_events {
    size_t n;
    struct ert_event list[ERT_MAX_EVENTS];
};

/* ERT_UNAVAILABLE names vendor, family and model where the table has no row for them. */
enum ert_status ert_events_known(const struct ert_cpu *cpu, struct ert_error *error);

/* Operations of a type in registers of so many bytes; 0: of all vectors' widths. */
struct ert_events ert_events_operations(const struct ert_cpu *cpu, enum ert_type type,
                                        uint32_t vector_bytes);

/* Bytes of loads and stores that move access_bytes each, between core and L1. */
struct ert_events ert_events_accesses(const struct ert_cpu *cpu, uint32_t access_bytes);

/* Bytes that came into L1 from beyond a cache: "L1", "L2" or "L3". */
struct ert_events ert_events_fills(const struct ert_cpu *cpu, const char *beyond);

#endif
