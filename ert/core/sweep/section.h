/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * section: a part of a run with its own cases and ceilings. The core has two, levels and compute, which it
 * also fits; an extension fills the struct and has a row in ert/ext/sections.def. A mode (mode.h) is a
 * section that is measured in another way, and alone.
 */
#ifndef ERT_SWEEP_SECTION_H
#define ERT_SWEEP_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ert_ceilings;
struct ert_device_run;
struct ert_extras;
struct ert_mode;
struct ert_planner;
struct ert_point;

struct ert_section_row {
    const struct ert_mode *mode; /* NULL: ert's own way, by what follows */
    bool by_default;             /* the default config selects it */
    bool uses_all_threads;       /* its cases need all that a device can run (machine.h) */
    bool takes_turns;            /* one device after the other: they would share the host */
    bool cases_are_ceilings;     /* each: measured first, and in every round */
    uint64_t most_rounds;        /* over such cases; 0: the config's number */

    /* Adds its cases, and what is not measured. NULL: they follow from others. */
    void (*plan)(struct ert_planner *planner);
    /* Measures its cases on two or more open devices of a backend, when all others are measured. */
    void (*meet)(struct ert_device_run *const *runs, size_t n);
    /*
     * Adds the ceiling of a case, or that it is missing to the list; then what all cases of a device say
     * together, and what all devices do.
     */
    void (*fit)(struct ert_extras *extras, const struct ert_point *point);
    void (*fit_device)(struct ert_extras *extras);
    void (*fit_machine)(struct ert_ceilings *ceilings);
};

#define ERT_SECTION_ROW(id, name) extern const struct ert_section_row ert_section_##name;
#include "ert/core/sweep/sections.def"

#endif
