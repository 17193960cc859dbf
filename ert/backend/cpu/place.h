/*
 * place: arrays in a NUMA node that the case names, for threads of a package that it names; or, for
 * all threads, in the nodes of that one's kind, each thread's in the nearest. Where the system
 * refuses to place them, or places them elsewhere, nothing is measured.
 */
#ifndef ERT_BACKEND_CPU_PLACE_H
#define ERT_BACKEND_CPU_PLACE_H

#include "ert/backend/backend.h"
#include "ert/backend/cpu/memory.h"

/* The place that a session holds; all zero: none. */
struct ert_cpu_place {
    uint32_t from, to; /* of the case: 1 + package, 1 + node */
    uint64_t set_bytes;
    struct ert_cpu_memory memory; /* a slice per thread */
    uint32_t *nodes;              /* of each slice */
};

/*
 * Chooses the case's threads, opens the place if the session holds another one, fills it with the
 * source data and checks where its pages lie. ERT_UNAVAILABLE where no thread is on the package,
 * where binding is refused (a container, a cpuset) or the node has too little free memory.
 */
enum ert_status ert_cpu_place_choose(struct ert_session *session,
                                     const struct ert_case *case_, struct ert_error *error);

void ert_cpu_place_close(struct ert_cpu_place *place);

/*
 * Looks where some pages of both regions lie. nodes[n_slices]: the operating system's number of each
 * slice's node. ERT_UNAVAILABLE unless all are there, or where the system does not tell.
 */
enum ert_status ert_cpu_place_check(const struct ert_cpu_memory *memory,
                                    const uint32_t *nodes, struct ert_error *error);

#endif
