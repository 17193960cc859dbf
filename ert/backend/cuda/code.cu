/* code: which kernel runs a case, for who looks at its machine code. */
#include "ert/backend/cuda/rows.h"

#include <stdlib.h>

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
