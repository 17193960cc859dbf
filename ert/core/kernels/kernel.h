/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel: the computation and work of each kernel, as rows. It knows no machine; backends have the code. */
#ifndef ERT_KERNELS_KERNEL_H
#define ERT_KERNELS_KERNEL_H

#include "ert/core/base/error.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The operands of an operation. INST: an instruction of any kind, on a GPU of a warp. */
enum ert_type {
    ERT_FP64,
    ERT_FP32,
    ERT_TF32,
    ERT_FP16,
    ERT_BF16,
    ERT_FP8,
    ERT_FP6,
    ERT_FP4,
    ERT_INT64,
    ERT_INT32,
    ERT_INT8,
    ERT_INST,
    ERT_N_TYPES
};

enum ert_kernel_kind {
    ERT_KIND_MEMORY,
    ERT_KIND_COMPUTE,
    ERT_KIND_LATENCY, /* dependent loads: seconds per load */
    ERT_KIND_LINK,    /* copies between memories of different devices */
    ERT_KIND_SECTION, /* a section's own: operations if its row has flops, else bytes */
    ERT_KIND_MODE /* measured in a mode only (sweep/mode.h), in place, F flops per element */
};

/* The devices that have a kernel. */
enum ert_home {
    ERT_HOME_ALL,       /* GPUs, and every vector instruction set of CPUs */
    ERT_HOME_EXTENSION, /* GPUs, and CPUs with an extension for it */
    ERT_HOME_CPU,
    ERT_HOME_CPU_EXTENSION,
    ERT_HOME_GPU
};

enum ert_kernel_id {
#define ERT_KERNEL(id, ...) ERT_KERNEL_##id,
#include "ert/core/kernels/kernels.def"
    ERT_N_KERNELS
};

/* The results of a kernel that are checked: kernels.def; of memory kernels also results.h. */
enum ert_result {
    ERT_RESULT_SUM,
    ERT_RESULT_ELEMENTS,
    ERT_RESULT_IN_TURN,
    ERT_RESULT_IN_PLACE,
    ERT_RESULT_STEPS,
    ERT_RESULT_PRODUCTS,
    ERT_RESULT_TILES,
    ERT_RESULT_COPIES,
    ERT_RESULT_OWN
};

/* Whether w is read, too: it starts with elements as the sources have; other w start with NaN. */
#define ERT_READS_TARGET(result) ((result) == ERT_RESULT_IN_PLACE)

/* Whether r1 and r2 change roles in passes 1, 3 ... since the start, which is before pass 0. */
#define ERT_EXCHANGES(result) ((result) == ERT_RESULT_IN_TURN)

/* Whether elements that are loaded and do not reach w enter a checksum. */
#define ERT_SUMS_UP(result) ((result) == ERT_RESULT_SUM || (result) == ERT_RESULT_IN_TURN)

/* Where a kernel is measured; a sum. */
enum {
    ERT_MEMORY_ONLY = 1, /* streaming stores: at no cache level */
    ERT_LIBRARY = 2,     /* another's code: with config.libraries alone */
    ERT_UNTRIED = 4      /* shown with ERT_UNTRIED_TEXT; its failure is no device's */
};
#define ERT_UNTRIED_TEXT "never run on hardware by its authors"

struct ert_kernel {
    const char *name; /* "triad", "fma_fp64" */
    enum ert_kernel_kind kind;
    enum ert_type type;
    const char *op;                /* "load", "fma"; the pattern of a memory kernel */
    uint32_t flops, loads, stores; /* per element */
    const char *formula;
    const char *purpose;
    enum ert_home home;
    enum ert_result result;
    double fake_cpu, fake_gpu; /* on the fake machine: kernels.def */
    unsigned limits;           /* a sum */
    const char *unit; /* compute kernels: "tensor", "library", "" for CUDA cores and CPUs */
};

/* The row of a kernel; id must be valid. */
const struct ert_kernel *ert_kernel_row(enum ert_kernel_id id);

/* The id of a name into *id; ERT_USAGE with the list of names when there is none. */
enum ert_status ert_kernel_find(const char *name, enum ert_kernel_id *id,
                                struct ert_error *error);

/* Whether devices of the kind can have the kernel at all. */
int ert_kernel_on_cpu(enum ert_kernel_id id);
int ert_kernel_on_gpu(enum ert_kernel_id id);

/* What its rate counts (of loads: the time of one), and whether it works on a set; by its row. */
enum ert_counted { ERT_COUNTS_BYTES, ERT_COUNTS_OPERATIONS, ERT_COUNTS_LOADS };
enum ert_counted ert_kernel_counts(enum ert_kernel_id id);
int ert_kernel_has_set(enum ert_kernel_id id);

/* "fp64", "tf32", "int8", "inst"; and the bytes of one element (INST: 0; TF32: 4, as stored). */
const char *ert_type_name(enum ert_type type);
size_t ert_type_bytes(enum ert_type type);

/* The name of its operations in units and keys: "flop", "op" of integers, "inst". */
const char *ert_type_operation(enum ert_type type);

/* The flops per element of a mode's kernel: 1, 2, 4 ... 1024, as ERT's ERT_FLOPS. */
#define ERT_MIXED_FLOPS(X)                                                                 \
    X(1) X(2) X(4) X(8) X(16) X(32) X(64) X(128) X(256) X(512) X(1024)
#define ERT_N_MIXED_FLOPS 11
extern const uint32_t ert_kernel_mixed_flops[ERT_N_MIXED_FLOPS];

/* Bytes that one element of a memory kernel moves: (loads + stores) * element size. */
size_t ert_kernel_bytes_per_element(enum ert_kernel_id id);

/* Bytes of the set per element: of all arrays. */
size_t ert_kernel_set_bytes_per_element(enum ert_kernel_id id);

/* Bytes of an element of a mode's kernel: for FP16 of a pair. */
size_t ert_kernel_element_bytes(enum ert_kernel_id id);

/* Arrays of a memory kernel: 1 in place, triad 3. */
uint32_t ert_kernel_arrays(enum ert_kernel_id id);

#ifdef __cplusplus
}
#endif
#endif
