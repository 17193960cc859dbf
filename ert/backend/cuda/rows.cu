#include "ert/backend/cuda/rows.h"

#include "ert/backend/cuda/tensor.h"

#include <stdio.h>
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
