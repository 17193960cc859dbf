/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tamper: spoils a prepared case of the CUDA backend, so that a test can see the check fail.
 */
#ifndef TESTS_GPU_TAMPER_H
#define TESTS_GPU_TAMPER_H

#include "ert/core/backend/backend.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Flips bit 4 of constant k of a compute kernel's chains (0 to 3: a, b, c, d; 4: the integers' of
 * `issue`) wherever its kernel may read it. False where it could not, as in builds without CUDA.
 */
bool ert_test_tamper(struct ert_session *session, uint32_t k);

#ifdef __cplusplus
}
#endif
#endif
