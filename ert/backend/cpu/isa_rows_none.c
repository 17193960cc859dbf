/* A build for an architecture without kernels: the backend says so. */
#include "ert/backend/cpu/isa.h"

const struct ert_cpu_isa *const ert_cpu_isas[] = {NULL};

const struct ert_cpu_need ert_cpu_needs[] = {
    {0, NULL, 0}
};
