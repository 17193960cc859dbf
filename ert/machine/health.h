/*
 * health: what a machine says of its own state without root: memory errors, links below their width or
 * speed, throttling, governors. A fact is judged by the device's own maximum, never by a limit of ours; what
 * cannot be read is unknown, with the reason. It measures nothing.
 */
#ifndef ERT_MACHINE_HEALTH_H
#define ERT_MACHINE_HEALTH_H

#include "ert/base/error.h"
#include "ert/base/fields.h"
#include "ert/machine/machine.h"

/* NOTE: worth knowing, no fault. UNKNOWN: it cannot be read here; the text says why. */
enum ert_health_state {
    ERT_HEALTH_OK,
    ERT_HEALTH_NOTE,
    ERT_HEALTH_BAD,
    ERT_HEALTH_UNKNOWN
};

struct ert_health_fact {
    char device[16];     /* "cpu", "gpu0" */
    char fact[32];       /* "pcie-width", "ecc-uncorrected" */
    double value, limit; /* negative: unknown, or there is none */
    char unit[16];       /* "lanes", "transfer/s", "1" */
    enum ert_health_state state;
    char text[160]; /* "8 of 16 lanes" */
};

/* "ok", "note", "bad", "unknown", NULL: of enum ert_health_state. */
extern const char *const ert_health_words[];

/* The members of a fact, as files have them. */
enum { ERT_N_HEALTH_ROWS = 7 };
extern const struct ert_field ert_health_rows[ERT_N_HEALTH_ROWS];

#endif
