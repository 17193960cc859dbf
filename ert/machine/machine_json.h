/*
 * machine_json: struct ert_machine to JSON and back. Every field round-trips.
 */
#ifndef ERT_MACHINE_MACHINE_JSON_H
#define ERT_MACHINE_MACHINE_JSON_H

#include "ert/base/json.h"
#include "ert/machine/machine.h"

/* A new object, the caller's; NULL only when memory runs out. Devices stand under "devices". */
cJSON *ert_machine_to_json(const struct ert_machine *machine);

/* Reads it back; unknown keys are accepted, missing ones stay unknown (0, ""). */
enum ert_status ert_machine_from_json(struct ert_json at, struct ert_machine *machine,
                                      struct ert_error *error);

#endif
