/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu_fixture: what all tests of the CUDA backend share: this machine, or why there is nothing. */
#ifndef ERT_TESTS_GPU_GPU_FIXTURE_H
#define ERT_TESTS_GPU_GPU_FIXTURE_H

#include "tests/unit/test.h"

#include "ert/core/backend/backend.h"

static struct ert_machine machine;
static const struct ert_backend *const backend = &ert_backend_cuda;

/* Finds the devices; false when there is nothing to test, which it then says in TAP. */
static inline bool discover(int *exit_code)
{
    char reason[256];
    const char *why = backend->unavailable(reason, sizeof reason);
    struct ert_error error = {0};
    *exit_code = 0;
    if (why) {
        printf("1..0 # SKIP %s\n", why);
        return false;
    }
    if (backend->discover(&machine, &error) == ERT_OK)
        return true;
    printf("1..1\nnot ok 1 - discover: %s\n", error.text);
    *exit_code = 1;
    return false;
}

#endif
