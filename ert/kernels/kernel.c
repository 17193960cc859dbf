#include "ert/kernels/kernel.h"

#include <stdio.h>
#include <string.h>

static const struct ert_kernel rows[ERT_N_KERNELS] = {
#define ERT_ROW(id, class, type, op, flops, loads, stores, formula, purpose, cpu, memory)  \
    {#id,    ERT_CLASS_##class, ERT_##type, op,  flops, loads,                             \
     stores, formula,           purpose,    cpu, memory},
#define ERT_KERNEL(...)        ERT_ROW(__VA_ARGS__, 0, 0)
#define ERT_KERNEL_CPU(...)    ERT_ROW(__VA_ARGS__, 1, 0)
#define ERT_KERNEL_CPU_NT(...) ERT_ROW(__VA_ARGS__, 1, 1)
#include "ert/kernels/kernels.def"
};

static const char *const type_names[ERT_N_TYPES] = {"fp64", "fp32"};
static const size_t type_bytes[ERT_N_TYPES] = {8, 4};

const struct ert_kernel *ert_kernel_row(enum ert_kernel_id id)
{
    return &rows[id];
}

enum ert_status ert_kernel_find(const char *name, enum ert_kernel_id *id,
                                struct ert_error *error)
{
    char list[384] = "";
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

const char *ert_type_name(enum ert_type type)
{
    return type_names[type];
}

size_t ert_type_bytes(enum ert_type type)
{
    return type_bytes[type];
}

size_t ert_kernel_bytes_per_element(enum ert_kernel_id id)
{
    return (rows[id].loads + rows[id].stores) * type_bytes[rows[id].type];
}

uint32_t ert_kernel_arrays(enum ert_kernel_id id)
{
    int in_place = id == ERT_KERNEL_update || id == ERT_KERNEL_mixed_fp64;
    return in_place ? 1 : rows[id].loads + rows[id].stores;
}
