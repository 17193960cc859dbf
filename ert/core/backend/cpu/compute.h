/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compute: the work of one pass of a compute kernel, its chains' start values, and their exact values after
 * some passes. It combines the kernels' tables (isa.h) with expected.h; it runs and times nothing.
 */
#ifndef ERT_BACKEND_CPU_COMPUTE_H
#define ERT_BACKEND_CPU_COMPUTE_H

#include "ert/core/backend/cpu/isa.h"

/* Enough for the operands of any table: four tiles. */
enum { ERT_CPU_OPERANDS_BYTES = 4096 };

/* The number of chains of a kernel, each a vector in a register. */
size_t ert_cpu_chains(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel);

/* The bytes of the chains of the table's kernel that has the most. */
size_t ert_cpu_chains_bytes(const struct ert_cpu_isa *isa);

/* Numbers in all chains of one thread: the results to check. */
size_t ert_cpu_compute_lanes(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel);

/* Operations (ert_type_operation()) of one thread in any pass but the first. */
double ert_cpu_compute_operations(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel);

/*
 * Sets the compute kernels' part of a sweep: writes start values to sweep->chains, for which the caller has
 * provided ert_cpu_chains_bytes() bytes, and operands to operands[ERT_CPU_OPERANDS_BYTES], and sets the
 * sweep's pointer to them. first: the index of the first start value, different for each thread.
 */
void ert_cpu_compute_start(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                           uint64_t first, struct ert_cpu_sweep *sweep, void *operands);

/* A wrong number. */
struct ert_cpu_wrong {
    size_t index;
    double is, should;
};

/*
 * Whether the chains have the values that `passes` passes since ert_cpu_compute_start() must give; if not,
 * *wrong is the first wrong one.
 */
bool ert_cpu_compute_check(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                           uint64_t first, const struct ert_cpu_sweep *sweep,
                           uint64_t passes, struct ert_cpu_wrong *wrong);

#endif
