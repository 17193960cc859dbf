/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/kernels/kernel.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ert/core/kernels/result_names.inc"
#define FAKE(cpu, gpu) cpu, gpu

static const struct ert_kernel rows[ERT_N_KERNELS] = {
#define ERT_ROW(id, kind, type, op, flops, loads, stores, formula, purpose, result,        \
                fake_cpu, fake_gpu, claim, home, limits, unit)                             \
    {#id,  ERT_KIND_##kind, ERT_##type, op,       flops,  loads, stores, formula, purpose, \
     home, result,          fake_cpu,   fake_gpu, limits, unit},
#define ERT_KERNEL(...)               ERT_ROW(__VA_ARGS__, ERT_HOME_ALL, 0, "")
#define ERT_KERNEL_EXTENSION(...)     ERT_ROW(__VA_ARGS__, ERT_HOME_EXTENSION, 0, "")
#define ERT_KERNEL_CPU(...)           ERT_ROW(__VA_ARGS__, ERT_HOME_CPU, 0, "")
#define ERT_KERNEL_CPU_NT(...)        ERT_ROW(__VA_ARGS__, ERT_HOME_CPU, ERT_MEMORY_ONLY, "")
#define ERT_KERNEL_CPU_EXTENSION(...) ERT_ROW(__VA_ARGS__, ERT_HOME_CPU_EXTENSION, 0, "")
#define ERT_KERNEL_GPU(...)           ERT_ROW(__VA_ARGS__, ERT_HOME_GPU, 0, "")
#define ERT_KERNEL_TENSOR(...)        ERT_ROW(__VA_ARGS__, ERT_HOME_GPU, 0, "tensor")
#define ERT_KERNEL_UNTRIED(...)       ERT_ROW(__VA_ARGS__, ERT_HOME_GPU, ERT_UNTRIED, "")
#define ERT_TENSOR_UNTRIED(...)       ERT_ROW(__VA_ARGS__, ERT_HOME_GPU, ERT_UNTRIED, "tensor")
#define ERT_KERNEL_CPU_LIBRARY(...)                                                        \
    ERT_ROW(__VA_ARGS__, ERT_HOME_CPU_EXTENSION, ERT_LIBRARY, "")
#define ERT_KERNEL_LIBRARY(...) ERT_ROW(__VA_ARGS__, ERT_HOME_GPU, ERT_LIBRARY, "library")
#include "ert/core/kernels/kernels.def"
};

const uint32_t ert_kernel_mixed_flops[ERT_N_MIXED_FLOPS] = {
#define ITEM(flops) flops,
    ERT_MIXED_FLOPS(ITEM)
#undef ITEM
};

static const struct {
    const char *name, *operation;
    size_t bytes;
} types[ERT_N_TYPES] = {
    {"fp64",  "flop", 8},
    {"fp32",  "flop", 4},
    {"tf32",  "flop", 4},
    {"fp16",  "flop", 2},
    {"bf16",  "flop", 2},
    {"fp8",   "flop", 1},
    {"fp6",   "flop", 1},
    {"fp4",   "flop", 1},
    {"int64", "op",   8},
    {"int32", "op",   4},
    {"int8",  "op",   1},
    {"inst",  "inst", 0},
};

const struct ert_kernel *ert_kernel_row(enum ert_kernel_id id)
{
    return &rows[id];
}

enum ert_status ert_kernel_find(const char *name, enum ert_kernel_id *id,
                                struct ert_error *error)
{
    char list[2048] = "";
    for (int i = 0; i < ERT_N_KERNELS; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            *id = (enum ert_kernel_id)i;
            return ERT_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", rows[i].name);
    }
    return ert_fail(error, ERT_USAGE, "no kernel '%s'; there are: %s", name, list);
}

int ert_kernel_on_cpu(enum ert_kernel_id id)
{
    return rows[id].home != ERT_HOME_GPU;
}

int ert_kernel_on_gpu(enum ert_kernel_id id)
{
    return rows[id].home == ERT_HOME_ALL || rows[id].home == ERT_HOME_EXTENSION ||
           rows[id].home == ERT_HOME_GPU;
}

enum ert_counted ert_kernel_counts(enum ert_kernel_id id)
{
    bool is_own = rows[id].kind == ERT_KIND_SECTION && rows[id].flops > 0;
    return rows[id].kind == ERT_KIND_LATENCY             ? ERT_COUNTS_LOADS
           : is_own || rows[id].kind == ERT_KIND_COMPUTE ? ERT_COUNTS_OPERATIONS
                                                         : ERT_COUNTS_BYTES;
}

int ert_kernel_has_set(enum ert_kernel_id id)
{
    return rows[id].kind == ERT_KIND_LINK || rows[id].loads + rows[id].stores > 0;
}

const char *ert_type_name(enum ert_type type)
{
    return types[type].name;
}

size_t ert_type_bytes(enum ert_type type)
{
    return types[type].bytes;
}

const char *ert_type_operation(enum ert_type type)
{
    return types[type].operation;
}

size_t ert_kernel_bytes_per_element(enum ert_kernel_id id)
{
    return (rows[id].loads + rows[id].stores) * types[rows[id].type].bytes;
}

size_t ert_kernel_set_bytes_per_element(enum ert_kernel_id id)
{
    return ert_kernel_arrays(id) * types[rows[id].type].bytes;
}

size_t ert_kernel_element_bytes(enum ert_kernel_id id)
{
    return (rows[id].type == ERT_FP16 ? 2 : 1) * types[rows[id].type].bytes;
}

uint32_t ert_kernel_arrays(enum ert_kernel_id id)
{
    return rows[id].loads + rows[id].stores - ERT_READS_TARGET(rows[id].result);
}
