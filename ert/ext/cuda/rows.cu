/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/cuda/rows.cuh"

#include "ert/ext/cuda/build.h"
#include "ert/ext/cuda/names.h"
#include "ert/ext/cuda/nvidia.h"

#include <stdio.h>
#include <string.h>

static struct ert_cuda_rows rows_of(enum ert_kernel_id kernel)
{
    switch (kernel) {
#define ERT_KERNEL(id, ...)                                                                \
    case ERT_KERNEL_##id:                                                                  \
        return ert_cuda_kernel_##id();
#define ERT_KERNEL_CPU(...)
#define ERT_KERNEL_CPU_EXTENSION(...)
#include "ert/core/kernels/kernels.def"
    default:
        return {NULL, 0};
    }
}

const struct ert_cuda_row *ert_cuda_row_find(const struct ert_spec *spec)
{
    const struct ert_cuda_rows rows = rows_of(spec->kernel);
    uint32_t variant = spec->variant;
    for (size_t i = 0; i < rows.n_rows; i++) {
        const struct ert_cuda_row *row = &rows.rows[i];
        if (row->path != spec->path || row->takes_warps != (spec->concurrency != 0))
            continue;
        if (row->flops != 0 && row->flops != spec->flops_per_element)
            continue;
        if (variant-- == 0)
            return row;
    }
    return NULL;
}

bool ert_cuda_row_is_known(const struct ert_cuda_row *row)
{
    return !row->kind->knows || row->kind->knows(row->kernel);
}

static uint32_t cc_of(const struct ert_device *device)
{
    return 10 * (uint32_t)device->gpu.cc_major + (uint32_t)device->gpu.cc_minor;
}

static bool has_instruction(const struct ert_device *device, const struct ert_cuda_row *row)
{
    return cc_of(device) >= row->cc_least;
}

static bool is_compiled_well(const struct ert_device *device, enum ert_kernel_id kernel)
{
    return CUDART_VERSION >= ert_nvidia_cuda_for(kernel, cc_of(device));
}

/* Writes the reason why the device has no row for (kernel, path). */
static void explain_missing(const struct ert_device *device, enum ert_kernel_id kernel,
                            enum ert_path path, char *reason, size_t size)
{
    const struct ert_kernel *k = ert_kernel_row(kernel);
    const struct ert_cuda_rows rows = rows_of(kernel);
    if (path == ERT_PATH_NONE && rows.n_rows && !has_instruction(device, rows.rows)) {
        uint32_t least = rows.rows->cc_least;
        snprintf(reason, size,
                 "no instruction for it before compute capability %u.%u, this is %u.%u",
                 least / 10, least % 10, device->gpu.cc_major, device->gpu.cc_minor);
        return;
    }
    if (path == ERT_PATH_NONE && !is_compiled_well(device, kernel)) {
        uint32_t cuda = ert_nvidia_cuda_for(kernel, cc_of(device));
        snprintf(reason, size,
                 "the CUDA compiler of this build, " ERT_BUILD_NVCC
                 ", does not use all pipes of this GPU for it; that of CUDA %u.%u does",
                 cuda / 1000, cuda % 1000 / 10);
        return;
    }
    const char *why = "a memory kernel needs a path to memory";
    if (!ert_kernel_on_gpu(kernel))
        why = "for CPUs only";
    else if (k->kind == ERT_KIND_COMPUTE && path == ERT_PATH_NONE)
        why = "this build has no kernel for it";
    else if (k->kind == ERT_KIND_COMPUTE)
        why = "a compute kernel works in registers";
    else if (k->kind == ERT_KIND_MODE)
        why = "ERT's kernel makes ordinary accesses";
    else if (k->kind == ERT_KIND_LINK)
        why = "a link kernel copies between devices: it has no path";
    else if (path == ERT_PATH_CACHED)
        why = "a GPU's L1 is write-through: stores run at L2's rate";
    else if (path == ERT_PATH_SHARED)
        why = "shared memory is measured by load and store only";
    snprintf(reason, size, "%s", why);
}

size_t ert_cuda_variants(const struct ert_device *device,
                         const struct ert_session_options *options,
                         enum ert_kernel_id kernel, enum ert_path path,
                         struct ert_variant variants[ERT_MAX_VARIANTS], char *reason,
                         size_t size)
{
    (void)options;
    /* Every ert110 kernel has rows of 2 flops per element; the FP16 one has none of 1. */
    struct ert_spec spec = {};
    spec.kernel = kernel;
    spec.path = path;
    spec.flops_per_element = ert_kernel_row(kernel)->kind == ERT_KIND_MODE ? 2 : 1;
    size_t n = 0;
    for (; n < ERT_MAX_VARIANTS; n++) {
        spec.variant = (uint32_t)n;
        const struct ert_cuda_row *row = ert_cuda_row_find(&spec);
        if (!row || !has_instruction(device, row) || !is_compiled_well(device, kernel))
            break;
        if (row->blocks_per_sm * row->threads > device->gpu.max_threads_per_sm)
            break;
        if (row->kind->runs && !row->kind->runs(&device->gpu, row, reason, size))
            return n; /* later rows need more */
        struct ert_variant *variant = &variants[n];
        memset(variant, 0, sizeof *variant);
        snprintf(variant->name, sizeof variant->name, "%s", row->name);
        variant->threads = row->threads;
        variant->blocks = row->blocks_per_sm;
    }
    if (n == 0)
        explain_missing(device, kernel, path, reason, size);
    return n;
}

enum ert_status ert_cuda_code(const struct ert_device *device, const struct ert_spec *spec,
                              struct ert_code *code, struct ert_error *error)
{
    const struct ert_cuda_row *row = ert_cuda_row_find(spec);
    if (!row)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s: %s has no variant %u on path %s in this build", device->id,
                        ert_kernel_row(spec->kernel)->name, spec->variant,
                        ert_path_name(spec->path));
    if (!row->function)
        return ert_fail(error, ERT_UNAVAILABLE, "the driver copies: no kernel of ours");
    if (row->kind->is_made && row->kind->is_made(&device->gpu, row))
        return ert_fail(error, ERT_UNAVAILABLE,
                        "cc %u.%u has no unit for it: it is made of other instructions",
                        device->gpu.cc_major, device->gpu.cc_minor);
    *code = {};
    code->function = row->function;
    code->name = ert_cuda_kernel_name(row->function);
    code->vector_bytes = ERT_CUDA_VECTOR_BYTES;
    code->vectors = row->vectors;
    code->chains = row->chains;
    code->steps = row->steps;
    code->is_fused = true;
    code->is_flat = row->kind->passes_in_grid;
    if (row->kind->describe)
        row->kind->describe(row, code);
    return ERT_OK;
}
