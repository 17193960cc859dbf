/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * outputs: what a fleet says, in the forms that administrators and their tools read. Each writes to a stream,
 * whose faults stay in it.
 */
#ifndef ERT_FLEET_OUTPUTS_H
#define ERT_FLEET_OUTPUTS_H

#include "ert/base/file.h"
#include "ert/fleet/fleet.h"

#include <stdio.h>

struct ert_fleet_form {
    const char *name;    /* "text", "csv" */
    const char *file;    /* what it is called in a folder: "fleet.csv" */
    ert_file_make *make; /* about: a struct ert_fleet */
};

/* text first, then json, csv, markdown, prometheus, junit, hosts (of bad nodes), suspects, html (page.h). */
enum { ERT_N_FLEET_FORMS = 9 };
extern const struct ert_fleet_form ert_fleet_forms[ERT_N_FLEET_FORMS];

/* Writes all of them into a folder that is there. */
enum ert_status ert_fleet_write_forms(const struct ert_fleet *fleet, const char *folder,
                                      struct ert_error *error);

/* Kinds of findings, as bits, for which a node may be drained: proven, and no mere lack of a record. */
#define ERT_FLEET_DRAINS                                                                   \
    (1U << ERT_FLEET_SLOW | 1U << ERT_FLEET_BROKEN | 1U << ERT_FLEET_UNHEALTHY |           \
     1U << ERT_FLEET_CHANGED)

/* fleet.json, "ert-fleet/1" (fleet.schema.json). */
enum ert_status ert_fleet_write_json(const void *about, FILE *out, struct ert_error *error);

#endif
