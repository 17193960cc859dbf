/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * known_rows: whether the CUDA backend knows of its rows what their kernels leave, for test_cuda_rows.
 */
#ifndef TESTS_BACKEND_KNOWN_ROWS_H
#define TESTS_BACKEND_KNOWN_ROWS_H

#include "ert/core/backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Of the variant-th row of a kernel on a path: 1 when its results can be checked, 0 when prepare()
 * would refuse it, -1 when there is no such row. as: what the row is to say its kernel is.
 */
int ert_test_row_is_known(enum ert_kernel_id kernel, enum ert_path path, uint32_t variant,
                          enum ert_kernel_id as);

/* The CUDA that compiled them, as CUDART_VERSION; 0: none. */
uint32_t ert_test_cuda(void);

#ifdef __cplusplus
}
#endif
#endif
