/*
 * ert110: what LBNL's ERT 1.1.0 would measure: its working sets, how often it goes over each, its
 * thread counts and launch shapes. Pure arithmetic, from ERT's own sources
 * (https://bitbucket.org/berkeleylab/cs-roofline-toolkit: Drivers, Python/ert_core.py). The section
 * "ert110" of a plan is made of it; the file that sets it may be ERT's own (ert110_file.h).
 */
#ifndef ERT_ERT110_OPTIONS_H
#define ERT_ERT110_OPTIONS_H

#include "ert/backend/backend.h"
#include "ert/base/error.h"
#include "ert/base/json.h"
#include "ert/kernels/kernel.h"

#include <stdint.h>

enum { ERT110_MAX_LIST = 64 };

/* Blocks, and threads of each, of a GPU's launch. */
struct ert110_shape {
    uint32_t blocks, threads;
};

struct ert110_options {
    uint64_t memory_bytes; /* ERT_MEMORY_MAX: what all threads share */
    uint64_t set_min;      /* ERT_WORKING_SET_MIN: elements of a thread, of a GPU in all */
    uint64_t trials_min;   /* ERT_TRIALS_MIN */
    uint64_t align_bytes;  /* ERT_ALIGN: parts are multiples of it; a power of two */
    uint64_t
        is_aligned; /* 1: the buffer is aligned to that, else malloc's, as -DERT_INTEL */
    uint64_t
        copies; /* 1: GPU, C sources: before each region the set goes to the host and back */
    uint64_t at_once; /* CPU: passes at once that the compiler makes of ERT's loops: 1, 2 */
    double growth;    /* ERT_WSS_MULT: from one set to the next */
    uint32_t n_threads, threads[ERT110_MAX_LIST]; /* CPU; none: one per usable core */
    uint32_t n_shapes; /* none: all threads that the GPU holds, in blocks of 64 to 1024 */
    struct ert110_shape shapes[ERT110_MAX_LIST];
};

/* What ERT's example configurations say: 1 GiB, sets by 1.1 from one element on. */
extern const struct ert110_options ert110_defaults;

/* One working set: elements per thread, and the passes of the region that ERT reports. */
struct ert110_set {
    uint64_t elements, trials;
};

/*
 * The sets of a kernel with so many threads (GPU: 1), ascending, at most `max`; returns how many.
 * ERT goes over each 1, 2, 4 ... times and keeps the last. Of its C sources (ert_c_fp64) the first is
 * trials_min times, and a set for which that is too often is left out; of those in C++ the last is
 * at least trials_min times.
 */
size_t ert110_sets(const struct ert110_options *ert110, enum ert_kernel_id kernel,
                   uint32_t n_threads, struct ert110_set *sets, size_t max);

/* The passes of the first of the regions that end with `trials` (at least 1), each twice the one before. */
uint64_t ert110_first(const struct ert110_options *ert110, enum ert_kernel_id kernel,
                      uint64_t trials);

/* The blocks of so many threads that a GPU holds at once. */
uint32_t ert110_blocks(const struct ert_gpu *gpu, uint32_t threads);

/*
 * Puts a case's launch behind the name of the backend's variant and into its threads: CPUs "avx2, 2 passes at
 * once, 8 threads", GPUs "640 x 256".
 */
void ert110_name(const struct ert_case *case_, struct ert_variant *variant);

/* The lists as the keys ert110_threads and ert110_shapes; back: ERT_USAGE for a bad element. */
void ert110_to_json(const struct ert110_options *ert110, cJSON *root);
enum ert_status ert110_from_json(struct ert_json at, struct ert110_options *ert110,
                                 struct ert_error *error);

#endif
