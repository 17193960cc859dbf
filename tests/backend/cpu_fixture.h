/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_fixture: what the tests of the OpenMP backend share: this machine, one session, its cases. */
#ifndef ERT_TESTS_BACKEND_CPU_FIXTURE_H
#define ERT_TESTS_BACKEND_CPU_FIXTURE_H

#include "tests/unit/test.h"

#include "ert/core/backend/cpu/session.h"

enum { SET_MAX = 1 << 20 };

static const struct ert_backend *const backend = &ert_backend_cpu;
static struct ert_machine machine;
static struct ert_device device;
static struct ert_session_options options = {
    .working_set_max_bytes = SET_MAX, .timeout_s = 60, .seed = 5};
static struct ert_session *session;
static char notes[512];
static struct ert_error error;

static int open_session(void **state)
{
    return backend->open(&device, &options, &session, notes, sizeof notes, &error) !=
           ERT_OK;
}

static int close_session(void **state)
{
    backend->close(session);
    session = NULL;
    return 0;
}

#define SESSION(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)

/* Finds this machine's CPU; true, and the exit code: there is none to test. */
static bool no_cpu(int *exit_code)
{
    *exit_code = 0;
    if (!ert_cpu_isas[0]) {
        printf("1..0 # SKIP this build has no kernels for this CPU architecture\n");
        return true;
    }
    *exit_code = backend->discover(&machine, &error) != ERT_OK;
    if (*exit_code)
        printf("Bail out! %s\n", error.text);
    device = machine.devices[0];
    return *exit_code;
}

static struct ert_spec spec_of(enum ert_kernel_id kernel, uint32_t flops,
                               uint64_t set_bytes, uint32_t variant)
{
    bool has_set = ert_kernel_has_set(kernel);
    return (struct ert_spec){.kernel = kernel,
                             .path = has_set ? ERT_PATH_CACHED : ERT_PATH_NONE,
                             .flops_per_element = flops,
                             .requested_bytes = set_bytes,
                             .variant = variant};
}

static inline size_t list(const struct ert_device *of, enum ert_kernel_id kernel,
                          struct ert_variant variants[ERT_MAX_VARIANTS], char reason[160])
{
    struct ert_spec spec = spec_of(kernel, 0, 0, 0);
    reason[0] = '\0';
    return backend->variants(of, &options, kernel, spec.path, variants, reason, 160);
}

#endif
