/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_tables: which of the kernels' tables this CPU can run, for tests that call them directly. */
#ifndef ERT_TESTS_BACKEND_CPU_TABLES_H
#define ERT_TESTS_BACKEND_CPU_TABLES_H

#include "tests/unit/test.h"

#include "ert/core/backend/cpu/isa.h"
#include "ert/core/machine/features.h"

/* Whether this CPU is one that the table is offered for. */
static inline bool is_offered(const struct ert_cpu_isa *isa)
{
    struct ert_features features;
    ert_features_read("", &features);
    return isa->available(&features.isa);
}

/* Whether this CPU can run the table: also what stands in for FMA where there is none. */
static inline bool has(const struct ert_cpu_isa *isa)
{
    struct ert_features features;
    ert_features_read("", &features);
    features.isa.fma = false;
    return is_offered(isa) || isa->available(&features.isa);
}

#endif
