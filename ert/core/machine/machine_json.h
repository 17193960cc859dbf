/* SPDX-License-Identifier: BSD-3-Clause */
/* machine_json: struct ert_machine to JSON and back. Every field round-trips. */
#ifndef ERT_MACHINE_MACHINE_JSON_H
#define ERT_MACHINE_MACHINE_JSON_H

#include "ert/core/base/fields.h"
#include "ert/core/machine/machine.h"

/* Returns a new object that the caller owns (without memory: fields.h). Devices are under "devices". */
cJSON *ert_machine_to_json(const struct ert_machine *machine);

/* Reads it back; unknown keys are accepted, missing ones stay unknown (0, ""). */
enum ert_status ert_machine_from_json(struct ert_json at, struct ert_machine *machine,
                                      struct ert_error *error);

/* The members of each struct as rows. */
enum {
    ERT_N_PROVENANCE_ROWS = 13,
    ERT_N_DEVICE_ROWS = 7,
    ERT_N_LEVEL_ROWS = 9,
    ERT_N_CPU_ROWS = 16,
    ERT_N_ISA_ROWS = 19,
    ERT_N_NUMA_ROWS = 5,
    ERT_N_CORE_KIND_ROWS = 3,
    ERT_N_GPU_ROWS = 21,
};
extern const struct ert_field ert_provenance_rows[ERT_N_PROVENANCE_ROWS];
extern const struct ert_field ert_device_rows[ERT_N_DEVICE_ROWS];
extern const struct ert_field ert_level_rows[ERT_N_LEVEL_ROWS];
extern const struct ert_field ert_cpu_rows[ERT_N_CPU_ROWS];
extern const struct ert_field ert_isa_rows[ERT_N_ISA_ROWS];
extern const struct ert_field ert_numa_rows[ERT_N_NUMA_ROWS];
extern const struct ert_field ert_core_kind_rows[ERT_N_CORE_KIND_ROWS];
extern const struct ert_field ert_gpu_rows[ERT_N_GPU_ROWS];

#endif
