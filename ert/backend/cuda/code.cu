/* code: which kernel runs a case, for who looks at its machine code. */
#include "ert/backend/cuda/rows.h"

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
    *code = {};
    code->function = row->function;
    code->vector_bytes = ERT_CUDA_VECTOR_BYTES;
    code->vectors = row->vectors;
    code->chains = row->chains;
    code->steps = row->steps;
    code->is_fused = true;
    code->is_launched_per_pass = row->walk == ERT_CUDA_FLAT_IN_PLACE;
    code->is_flat = row->walk == ERT_CUDA_FLAT || row->walk == ERT_CUDA_FLAT_IN_PLACE;
    return ERT_OK;
}
