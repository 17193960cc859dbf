#include "tests/backend/known_rows.h"

#include "ert/backend/cuda/session.h"

int ert_test_row_is_known(enum ert_kernel_id kernel, enum ert_path path, uint32_t variant,
                          enum ert_kernel_id as)
{
    const struct ert_cuda_row *found =
        ert_cuda_row_find(kernel, path, ert_kernel_mixed_flops[0], variant);
    if (!found)
        return -1;
    struct ert_cuda_row row = *found;
    row.kernel = as;
    return ert_cuda_is_checked(&row);
}
