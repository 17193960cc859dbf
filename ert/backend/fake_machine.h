/*
 * fake_machine: the devices of the fake machine, as a discovery would describe them. Their rates are
 * in fake_plant.c.
 */
#ifndef ERT_BACKEND_FAKE_MACHINE_H
#define ERT_BACKEND_FAKE_MACHINE_H

#include "ert/backend/backend.h"

/* The clock of every device, unless a fault lets it fall. */
static const double ert_fake_held_hz = 2.0e9;

/* discover of the backend's table (backend.h): fake0, and as many GPUs as ERT_FAKE says. */
enum ert_status ert_fake_discover(struct ert_machine *machine, struct ert_error *error);

#endif
