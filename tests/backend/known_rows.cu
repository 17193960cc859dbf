/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/backend/known_rows.h"

#include "ert/ext/cuda/rows.cuh"

int ert_test_row_is_known(enum ert_kernel_id kernel, enum ert_path path, uint32_t variant,
                          enum ert_kernel_id as)
{
    struct ert_spec spec = {};
    spec.kernel = kernel;
    spec.path = path;
    spec.flops_per_element = ert_kernel_mixed_flops[0];
    spec.variant = variant;
    const struct ert_cuda_row *found = ert_cuda_row_find(&spec);
    if (!found)
        return -1;
    struct ert_cuda_row row = *found;
    row.kernel = as;
    return ert_cuda_row_is_known(&row);
}

uint32_t ert_test_cuda(void)
{
    return CUDART_VERSION;
}
