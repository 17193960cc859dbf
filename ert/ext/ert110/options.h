/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options: what the ert110 mode adds to structs of the core, one member each. Data only, so that all
 * modules may include it; what is done with it is hook.h's business.
 */
#ifndef ERT_ERT110_OPTIONS_H
#define ERT_ERT110_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ERT110_MAX_LIST = 64 };

/* Of a case: blocks, and threads of each, of a GPU's launch; 0 in other cases. */
struct ert110_shape {
    uint32_t blocks, threads;
};

/* Of a session, and of a file of ceilings: the memory that all threads share; all 0 in other modes. */
struct ert110_memory {
    uint64_t bytes;       /* ERT_MEMORY_MAX */
    uint32_t align_bytes; /* ERT_ALIGN: parts are multiples of it; a power of two */
    bool is_aligned; /* the buffer, to that, as -DERT_INTEL does; else it is malloc's */
    bool copies; /* GPU, C sources: before each region the set goes to the host and back */
};

/* Of a ceiling: what else measuring it again takes; 0 in other modes. */
struct ert110_launch {
    uint32_t flops_per_element;
    double trials; /* passes of ERT's own region */
};

/* Of a config: what ERT 1.1.0 would measure. */
struct ert110_options {
    struct ert110_memory memory;
    uint64_t set_min;    /* ERT_WORKING_SET_MIN: elements of a thread, of a GPU in all */
    uint64_t trials_min; /* ERT_TRIALS_MIN */
    uint32_t at_once; /* CPU: passes at once that the compiler makes of ERT's loops: 1, 2 */
    uint32_t n_threads, threads[ERT110_MAX_LIST]; /* CPU; none: one per usable core */
    uint32_t n_shapes; /* none: all threads that the GPU holds, in blocks of 64 to 1024 */
    struct ert110_shape shapes[ERT110_MAX_LIST];
    double growth; /* ERT_WSS_MULT: from one set to the next */
};

#ifdef __cplusplus
}
#endif
#endif
