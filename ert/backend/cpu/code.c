/* code: which function runs a case, for who looks at its machine code. */
#include "ert/backend/cpu/compute.h"
#include "ert/backend/cpu/ert110.h"
#include "ert/backend/cpu/scalar.h"
#include "ert/backend/cpu/session.h"

#include <string.h>

/* Function pointers and data pointers have one representation in POSIX (dlsym). */
static void set_function(ert_cpu_kernel *function, struct ert_code *code)
{
    memcpy(&code->function, &function, sizeof code->function);
}

static enum ert_status no_variant(const struct ert_case *case_, size_t n,
                                  struct ert_error *error)
{
    return ert_fail(error, ERT_UNAVAILABLE, "cpu: %s: variant %u of %zu in this build",
                    ert_kernel_row(case_->kernel)->name, case_->variant, n);
}

/* Loads of one size, one at a time. */
static enum ert_status scalar_code(const struct ert_case *case_, struct ert_code *code,
                                   struct ert_error *error)
{
    const struct ert_cpu_scalar *list;
    size_t n = ert_cpu_scalar_list(case_->kernel, &list);
    if (case_->variant >= n)
        return no_variant(case_, n, error);
    *code = (struct ert_code){.vector_bytes = (uint32_t)list[case_->variant].access_bytes,
                              .vectors = 1};
    set_function(list[case_->variant].kernel, code);
    return ERT_OK;
}

enum ert_status ert_cpu_code(const struct ert_device *device, const struct ert_case *case_,
                             struct ert_code *code, struct ert_error *error)
{
    struct ert_cpu_choice choices[ERT_MAX_VARIANTS];
    const struct ert_kernel *row = ert_kernel_row(case_->kernel);
    if (ert_cpu_is_scalar(case_->kernel))
        return scalar_code(case_, code, error);
    size_t n = ert_cpu_choices(device, case_->kernel, choices);
    size_t per_isa = row->class_ == ERT_CLASS_ERT110 ? 2 : 1;
    n *= per_isa;
    if (case_->variant >= n)
        return no_variant(case_, n, error);
    const struct ert_cpu_isa *isa = choices[case_->variant / per_isa].isa;
    const struct ert_cpu_way *way = choices[case_->variant / per_isa].way;
    *code = (struct ert_code){.vector_bytes = (uint32_t)isa->vector_bytes,
                              .is_fused = isa->fused};
    if (isa->vector_bytes == 0) /* one number at a time */
        code->vector_bytes = (uint32_t)ert_type_bytes(row->type);
    if (row->class_ == ERT_CLASS_COMPUTE)
        code->chains = (uint32_t)ert_cpu_chains(isa, case_->kernel);
    ert_cpu_kernel *function = isa->kernels[case_->kernel];
    if (way) {
        function = way->kernel;
        code->vectors = way->vectors;
        code->prefetches = way->prefetches;
        code->is_moves = way->rotated > 0;
    }
    if (row->class_ == ERT_CLASS_ERT110) {
        code->flops = case_->flops_per_element;
        code->passes = 1 + case_->variant % 2;
        ERT_TRY(ert_cpu_ert110_function(isa, case_, &function, error));
    }
    set_function(function, code);
    return ERT_OK;
}
