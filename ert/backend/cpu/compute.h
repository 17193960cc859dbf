/*
 * compute: what one pass of a compute kernel is, where its chains start, and what they must hold
 * after some passes. It joins the kernels' tables (isa.h) with orbit.h and product.h; it runs and
 * times nothing.
 */
#ifndef ERT_BACKEND_CPU_COMPUTE_H
#define ERT_BACKEND_CPU_COMPUTE_H

#include "ert/backend/cpu/isa.h"

/* Room for the operands of any table: four tiles. */
enum { ERT_CPU_OPERANDS_BYTES = 4096 };

/* Chains of a kernel, each a vector in a register. */
size_t ert_cpu_chains(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel);

/* Bytes of a table's chains, of the kernel that has the most. */
size_t ert_cpu_chains_bytes(const struct ert_cpu_isa *isa);

/* Numbers in all chains of one thread: results that are checked. */
size_t ert_cpu_compute_lanes(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel);

/* Operations (ert_type_operation()) of one thread's pass but the first. */
double ert_cpu_compute_operations(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel);

/*
 * Sets the compute kernels' part of a sweep: writes start values to sweep->chains, which is
 * set and has ert_cpu_chains_bytes(), and operands, which it points to, into operands
 * [ERT_CPU_OPERANDS_BYTES]. first: the index of the first number, so that each thread has others.
 */
void ert_cpu_compute_start(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                           uint64_t first, struct ert_cpu_sweep *sweep, void *operands);

/* A number that is not what it should be. */
struct ert_cpu_wrong {
    size_t index;
    double is, should;
};

/*
 * Whether the chains hold what `passes` passes since ert_cpu_compute_start() must leave; if not,
 * *wrong is the first that does not.
 */
bool ert_cpu_compute_check(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                           uint64_t first, const struct ert_cpu_sweep *sweep,
                           uint64_t passes, struct ert_cpu_wrong *wrong);

#endif
