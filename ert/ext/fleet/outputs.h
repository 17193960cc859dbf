/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * outputs: writes a fleet in the forms that administrators and their tools read. Errors of a stream remain in
 * the stream.
 */
#ifndef ERT_FLEET_OUTPUTS_H
#define ERT_FLEET_OUTPUTS_H

#include "ert/core/base/file.h"
#include "ert/ext/fleet/fleet.h"

#include <stdio.h>

struct ert_fleet_form {
    const char *name;    /* "text", "json" */
    const char *file;    /* file name in a folder: "fleet.json" */
    ert_file_make *make; /* about: a struct ert_fleet */
};

/* text first, then json, "ert-fleet/1" (fleet.schema.json), and lists of hosts: bad, suspects, missing. */
enum { ERT_N_FLEET_FORMS = 5 };
extern const struct ert_fleet_form ert_fleet_forms[ERT_N_FLEET_FORMS];

/* Writes all forms into an existing folder. */
enum ert_status ert_fleet_write_forms(const struct ert_fleet *fleet, const char *folder,
                                      struct ert_error *error);

/* Kinds of findings, as bits, for which a node may be drained: proven faults, not just a missing record. */
#define ERT_FLEET_DRAINS                                                                   \
    (1U << ERT_FLEET_SLOW | 1U << ERT_FLEET_BROKEN | 1U << ERT_FLEET_CHANGED)

/* Nodes to measure again: suspects; and those without a whole record. */
#define ERT_FLEET_AGAIN      (1U << ERT_FLEET_SUSPECT | 1U << ERT_FLEET_NEAR)
#define ERT_FLEET_AGAIN_LATE (1U << ERT_FLEET_MISSING | 1U << ERT_FLEET_LATE)

#endif
