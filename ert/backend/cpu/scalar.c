#include "ert/backend/cpu/scalar.h"

bool ert_cpu_is_scalar(enum ert_kernel_id kernel)
{
    enum ert_kernel_class class_ = ert_kernel_row(kernel)->class_;
    return class_ == ERT_CLASS_LATENCY || class_ == ERT_CLASS_ACCESS;
}

size_t ert_cpu_scalar_list(enum ert_kernel_id kernel, const struct ert_cpu_scalar **list)
{
    bool is_latency = ert_kernel_row(kernel)->class_ == ERT_CLASS_LATENCY;
    *list = is_latency ? ert_cpu_chase_rows : ert_cpu_access_rows;
    return is_latency ? ert_cpu_n_chase_rows : ert_cpu_n_access_rows;
}
