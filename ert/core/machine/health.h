/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * health: facts that a machine reports about its own state without root: memory errors, links below their
 * width or speed, throttling. A fact is judged by the device's own maximum, never by a limit of ours; what
 * cannot be read is unknown, with the reason. Backends read the GPUs' state, `ert fleet node` the host's.
 */
#ifndef ERT_MACHINE_HEALTH_H
#define ERT_MACHINE_HEALTH_H

#include "ert/core/base/error.h"
#include "ert/core/base/fields.h"
#include "ert/core/machine/machine.h"

/* NOTE: worth knowing, but no fault. UNKNOWN: cannot be read here; the text says why. */
enum ert_health_state {
    ERT_HEALTH_OK,
    ERT_HEALTH_NOTE,
    ERT_HEALTH_BAD,
    ERT_HEALTH_UNKNOWN
};

struct ert_health_fact {
    char device[16];     /* "cpu", "gpu0" */
    char fact[32];       /* "pcie-width", "ecc-uncorrected" */
    double value, limit; /* negative: unknown, or no limit */
    char unit[16];       /* "lanes", "transfer/s", "" of counts */
    enum ert_health_state state;
    char text[160]; /* "8 of 16 lanes" */
};

/* "ok", "note", "bad", "unknown", NULL: indexed by enum ert_health_state. */
extern const char *const ert_health_words[];

/* The members of a fact as rows, for files. */
enum { ERT_N_HEALTH_ROWS = 7 };
extern const struct ert_field ert_health_rows[ERT_N_HEALTH_ROWS];

/* A growing list of facts; all zero is empty. */
struct ert_health {
    uint32_t n;
    struct ert_health_fact *facts; /* malloc; the caller frees it */
};

/* Appends a fact without limit, with the formatted text. */
struct ert_health_fact *ert_health_add(struct ert_health *health, const char *device,
                                       const char *fact, double value,
                                       enum ert_health_state state, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Appends a fact that cannot be read. */
void ert_health_unknown(struct ert_health *health, const char *device, const char *fact,
                        const char *why);

/* Appends a count that should be 0; else its state is `state`. what: "rows could not be remapped" */
void ert_health_count(struct ert_health *health, const char *device, const char *fact,
                      double count, enum ert_health_state state, const char *what);

/* Appends a value that should be at its limit; below it, its state is `state`. unit: "lanes" */
void ert_health_of(struct ert_health *health, const char *device, const char *fact,
                   double value, double limit, const char *unit,
                   enum ert_health_state state);

#endif
