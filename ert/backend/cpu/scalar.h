/*
 * scalar: the CPU kernels that need no vectors, and so are compiled once: the chase of pointers
 * (chase.c) and the strided loads (access.c). Private to this folder.
 */
#ifndef ERT_BACKEND_CPU_SCALAR_H
#define ERT_BACKEND_CPU_SCALAR_H

#include "ert/backend/backend.h"
#include "ert/backend/cpu/isa.h"

/* One way to run such a kernel. */
struct ert_cpu_scalar {
    const char *name;    /* of the variant: "8 B" */
    size_t access_bytes; /* of one load */
    ert_cpu_kernel *kernel;
    /* The work of one pass of the prepared case; working_set_bytes is set. */
    void (*count)(const struct ert_session *session, struct ert_work *work);
};

/* Whether the kernel is one of them. */
bool ert_cpu_is_scalar(enum ert_kernel_id kernel);

/* The ways to run it, into *list; returns how many. */
size_t ert_cpu_scalar_list(enum ert_kernel_id kernel, const struct ert_cpu_scalar **list);

/* Dependent loads of one pass of the chase: 6 us where a load takes 5 clocks, 0.5 ms in DRAM. */
enum { ERT_CPU_CHASE_STEPS = 4096 };

/*
 * The place in the set, in lines, of the step-th line of a cycle through n_lines lines: a
 * permutation of 0 ... n_lines - 1, seeded. step is taken modulo n_lines.
 */
uint64_t ert_cpu_chase_line(uint64_t seed, uint64_t n_lines, uint64_t step);

/* Writes the cycle into W of the thread, and walks it once where caches could hold it. */
void ert_cpu_chase_init(struct ert_session *session, uint32_t thread);

/* ERT_USAGE for a stride that the prepared case's set and access size do not allow. */
enum ert_status ert_cpu_access_prepare(struct ert_session *session,
                                       struct ert_error *error);

/* Whether the chase, or the loads, came to where they must; fills wrong and message. */
void ert_cpu_chase_check(struct ert_session *session, uint32_t thread);
void ert_cpu_access_check(struct ert_session *session, uint32_t thread);

extern const struct ert_cpu_scalar ert_cpu_chase_rows[], ert_cpu_access_rows[];
extern const size_t ert_cpu_n_chase_rows, ert_cpu_n_access_rows;

#endif
