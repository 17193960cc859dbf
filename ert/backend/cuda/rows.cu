#include "ert/backend/backend.h"
#include "ert/backend/cuda/device.h"
#include "ert/backend/cuda/session.h"
#include "ert/backend/cuda/tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ert_cuda_rows *const tables[] = {
    &ert_cuda_stream_rows,  &ert_cuda_slice_rows,  &ert_cuda_mixed_rows,
    &ert_cuda_compute_rows, &ert_cuda_half_rows,   &ert_cuda_divide_rows,
    &ert_cuda_integer_rows, &ert_cuda_mma_rows,    &ert_cuda_wgmma_rows,
    &ert_cuda_chase_rows,   &ert_cuda_access_rows, &ert_cuda_link_rows,
    &ert_cuda_ert110_rows};

static const struct ert_cuda_rows *const concurrency_tables[] = {
    &ert_cuda_compute_concurrency_rows, &ert_cuda_resident_rows};

const struct ert_cuda_own *ert_cuda_own_of(enum ert_kernel_id kernel)
{
    switch (kernel) {
#define ERT_KERNEL(...)
#define ERT_KERNEL_OWN(id, ...)                                                            \
    case ERT_KERNEL_##id:                                                                  \
        return ert_cuda_own_##id();
#include "ert/kernels/kernels.def"
    default:
        return NULL;
    }
}

static const struct ert_cuda_row *find(const struct ert_cuda_rows *const *from,
                                       size_t n_tables, enum ert_kernel_id kernel,
                                       enum ert_path path, uint32_t flops, uint32_t variant)
{
    for (size_t t = 0; t < n_tables; t++) {
        for (size_t i = 0; i < from[t]->n_rows; i++) {
            const struct ert_cuda_row *row = &from[t]->rows[i];
            if (row->kernel != kernel || row->path != path)
                continue;
            if (row->flops != 0 && row->flops != flops)
                continue;
            if (variant-- == 0)
                return row;
        }
    }
    return NULL;
}

const struct ert_cuda_row *ert_cuda_row_find(enum ert_kernel_id kernel, enum ert_path path,
                                             uint32_t flops, uint32_t variant)
{
    const struct ert_cuda_own *own = ert_cuda_own_of(kernel);
    if (own) {
        const struct ert_cuda_rows rows = {own->rows, own->n_rows}, *const list = &rows;
        return find(&list, 1, kernel, path, flops, variant);
    }
    return find(tables, sizeof tables / sizeof tables[0], kernel, path, flops, variant);
}

const struct ert_cuda_row *ert_cuda_row_find_concurrent(enum ert_kernel_id kernel,
                                                        enum ert_path path,
                                                        uint32_t variant)
{
    return find(concurrency_tables, sizeof concurrency_tables / sizeof *concurrency_tables,
                kernel, path, 0, variant);
}

uint64_t ert_cuda_row_sweep_bytes(const struct ert_cuda_row *row, uint32_t n_sms)
{
    if (row->walk == ERT_CUDA_REGISTERS || row->walk == ERT_CUDA_TENSOR)
        return 0;
    uint64_t blocks = row->blocks_per_sm ? (uint64_t)row->blocks_per_sm * n_sms : 1;
    return blocks * row->threads * row->vectors * ERT_CUDA_VECTOR_BYTES *
           ert_kernel_arrays(row->kernel);
}

/*
 * Kernels without instructions of their own on older GPUs, where the compiler makes do with
 * others: from which compute capability (10 * major + minor) on there are (CUDA Math API).
 */
static const struct {
    enum ert_kernel_id kernel;
    uint32_t least;
} capabilities[] = {
    {ERT_KERNEL_mad_int32, 70}, /* cc 6.x: three of 16 bits */
    {ERT_KERNEL_fma_bf16,  80},
    {ERT_KERNEL_add_bf16,  90},
    {ERT_KERNEL_mul_bf16,  90},
};

static uint32_t least_capability(enum ert_kernel_id kernel)
{
    for (size_t i = 0; i < sizeof capabilities / sizeof capabilities[0]; i++)
        if (capabilities[i].kernel == kernel)
            return capabilities[i].least;
    return 0;
}

static bool has_instructions(const struct ert_device *device, enum ert_kernel_id kernel)
{
    return 10 * device->gpu.cc_major + device->gpu.cc_minor >= least_capability(kernel);
}

/* Why (kernel, path) has no row on the device. */
static void explain_missing(const struct ert_device *device, enum ert_kernel_id kernel,
                            enum ert_path path, char *reason, size_t size)
{
    const struct ert_kernel *k = ert_kernel_row(kernel);
    if (path == ERT_PATH_NONE && !has_instructions(device, kernel)) {
        uint32_t least = least_capability(kernel);
        snprintf(reason, size,
                 "no instruction for it before compute capability %u.%u, this is %u.%u",
                 least / 10, least % 10, device->gpu.cc_major, device->gpu.cc_minor);
        return;
    }
    const char *why = "a memory kernel needs a path to memory";
    if (!ert_kernel_on_gpu(kernel))
        why = "for CPUs only";
    else if (k->class_ == ERT_CLASS_COMPUTE && path == ERT_PATH_NONE)
        why = "this build has no kernel for it";
    else if (k->class_ == ERT_CLASS_COMPUTE)
        why = "a compute kernel works in registers";
    else if (k->class_ == ERT_CLASS_ERT110)
        why = "ERT's kernel makes ordinary accesses";
    else if (k->class_ == ERT_CLASS_LINK)
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
    /* Every ert110 kernel has rows of 2 flops per element; of FP16 none has 1. */
    const uint32_t flops = ert_kernel_row(kernel)->class_ == ERT_CLASS_ERT110 ? 2 : 1;
    size_t n = 0;
    for (; n < ERT_MAX_VARIANTS; n++) {
        const struct ert_cuda_row *row = ert_cuda_row_find(kernel, path, flops, n);
        if (!row || !has_instructions(device, kernel))
            break;
        /* Rows of a kernel stand in ascending order of what an SM must hold. */
        if (row->blocks_per_sm * row->threads > device->gpu.max_threads_per_sm)
            break;
        if (!ert_cuda_tensor_runs(&device->gpu, row, reason, size))
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

const struct ert_cuda_kind *ert_cuda_kind_of(const struct ert_cuda_row *row)
{
    static const struct {
        enum ert_cuda_walk walk;
        const struct ert_cuda_kind *(*kind)(void);
    } kinds[] = {
        {ERT_CUDA_CHASE,          ert_cuda_chase_kind         },
        {ERT_CUDA_STRIDED,        ert_cuda_strided_kind       },
        {ERT_CUDA_STRIDED_SLICES, ert_cuda_strided_slices_kind},
        {ERT_CUDA_RESIDENT,       ert_cuda_resident_kind      },
        {ERT_CUDA_LINK,           ert_cuda_link_kind          },
        {ERT_CUDA_LINK_PAGEABLE,  ert_cuda_pageable_kind      },
        {ERT_CUDA_ERT110,         ert_cuda_ert110_kind        },
    };
    if (row->walk == ERT_CUDA_OWN)
        return ert_cuda_own_of(row->kernel)->kind;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].walk == row->walk)
            return kinds[i].kind();
    return NULL;
}

/* code: which kernel runs a case, for who looks at its machine code. */

/* Loads of one size that are not vectors of 16 bytes: of chases pointers, else as the row's name says. */
static void set_access(const struct ert_cuda_row *row, struct ert_code *code)
{
    bool is_chase = row->walk == ERT_CUDA_CHASE;
    code->chains = code->steps = 0;
    code->vectors = 1;
    code->vector_bytes = is_chase ? (row->path == ERT_PATH_SHARED ? 4 : 8)
                                  : (uint32_t)strtoul(row->name, NULL, 10);
}

enum ert_status ert_cuda_code(const struct ert_device *device, const struct ert_case *case_,
                              struct ert_code *code, struct ert_error *error)
{
    const struct ert_cuda_row *row = ert_cuda_row_find(
        case_->kernel, case_->path, case_->flops_per_element, case_->variant);
    if (!row)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s: %s has no variant %u on path %s in this build", device->id,
                        ert_kernel_row(case_->kernel)->name, case_->variant,
                        ert_path_name(case_->path));
    if (!row->function)
        return ert_fail(error, ERT_UNAVAILABLE, "the driver copies: no kernel of ours");
    *code = {};
    code->function = row->function;
    code->vector_bytes = ERT_CUDA_VECTOR_BYTES;
    code->vectors = row->vectors;
    code->chains = row->chains;
    code->steps = row->steps;
    code->is_fused = true;
    /* Two 16-bit numbers to a register: so many chains of registers. */
    if (row->walk == ERT_CUDA_REGISTERS &&
        ert_type_bytes(ert_kernel_row(row->kernel)->type) == 2)
        code->chains /= 2;
    if (ert_kernel_row(row->kernel)->class_ == ERT_CLASS_LATENCY ||
        ert_kernel_row(row->kernel)->class_ == ERT_CLASS_ACCESS)
        set_access(row, code);
    if (row->walk == ERT_CUDA_OWN)
        code->vector_bytes = ert_cuda_own_of(row->kernel)->access_bytes;
    if (row->walk == ERT_CUDA_ERT110) {
        code->vector_bytes = (uint32_t)ert_kernel_ert110_bytes(row->kernel);
        code->flops = row->flops;
        code->passes = 1;
    }
    code->is_launched_per_pass = row->walk == ERT_CUDA_FLAT_IN_PLACE;
    code->is_flat = row->walk == ERT_CUDA_FLAT || row->walk == ERT_CUDA_FLAT_IN_PLACE ||
                    row->walk == ERT_CUDA_STRIDED || row->walk == ERT_CUDA_OWN;
    return ERT_OK;
}

/*
 * cuda: NVIDIA GPUs through the CUDA runtime. The ops table; its functions stand in their
 * files.
 */

const struct ert_backend ert_backend_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs (CUDA): memory levels, CUDA and tensor cores, links",
    .unavailable = ert_cuda_unavailable,
    .discover = ert_cuda_discover,
    .variants = ert_cuda_variants,
    .open = ert_cuda_open,
    .observe = NULL,
    .prepare = ert_cuda_prepare,
    .time = ert_cuda_time,
    .window = ert_cuda_window,
    .verify = ert_cuda_verify,
    .sustain = ert_cuda_sustain,
    .close = ert_cuda_close,
    .code = ert_cuda_code,
};
